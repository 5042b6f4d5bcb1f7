//! Checks the architecture by reading the sources and manifests of the workspace: which crates may
//! use which, the order of the rooms inside each crate, and what only one place may do.
//!
//! A room is a top-level module of a crate; in `render`, `run` and `serve` the crate itself is a
//! room, with all modules that are not rooms themselves. The compiler enforces the order of the
//! crates. A new dependency must be added to the tables below, with its reason. Test modules are
//! not checked: a test may use anything.
#![allow(clippy::unwrap_used)]

mod scripts;
mod sources;

use sources::{Source, circles, imports, parse, read, workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The crates of the workspace that each crate may use, outside its tests.
const CRATES: &[(&str, &[&str])] = &[
    // Data that is compiled into the program.
    ("models", &[]),
    ("js", &[]),
    // One page from its bytes to its text.
    ("core", &["models"]),
    // From addresses to captures.
    ("render", &["core", "js", "models"]),
    // Runs over many pages, and the service.
    ("run", &["core", "render"]),
    ("serve", &["core", "js", "render", "run"]),
    // For researchers; no part of the product uses these.
    ("lab", &["core", "js", "models", "render", "run"]),
    ("rivals", &["core", "lab", "models", "run"]),
    // The command line program.
    ("cli", &["core", "lab", "render", "rivals", "run", "serve"]),
    // The public API of the library.
    ("vclean", &["core", "render", "run"]),
];

/// Rooms of `core` that all its other rooms may import, because they import none.
const GROUND: &[&str] = &["elements", "error", "hash", "text"];

/// A room, and the rooms of its crate that it may import. It may also import everything that those
/// may import.
type Room = (&'static str, &'static [&'static str]);

/// The rooms of each crate.
const ROOMS: &[(&str, &[Room])] = &[
    (
        "core",
        &[
            // A page as parsed or rendered, in memory.
            ("capture", &[]),
            // Makes a capture from the boxes and styles that a browser reports; renders nothing.
            ("rendering", &["capture"]),
            // Parses HTML from bytes to a tree.
            ("html", &["capture"]),
            // One page, and how its content becomes a capture without a browser.
            ("page", &["html"]),
            // The language of a text, and properties of its words; reads the language tag of the
            // tree.
            ("language", &["capture"]),
            // Which subtrees are text blocks.
            ("target", &["capture"]),
            // The features of each block; must not depend on gold, labels or models.
            ("features", &["language", "target"]),
            // Classifies rows of the feature table without access to the page.
            ("classify", &["features"]),
            // From labels to a document; needs the decisions but not the features.
            ("document", &["classify"]),
            // Tells pages that have no text of their own.
            ("state", &["document", "page"]),
            // From a document to bytes; may use the tree of a capture, but not its pictures (see
            // `PICTURES`).
            ("emit", &["document"]),
            // Stores captures, models and pages in files. `page` loads captures, see `LOADERS`.
            ("files", &["page", "classify"]),
            // The only path of a page through all stages, and its options.
            ("pipeline", &["files", "emit", "state"]),
            // Why each block of a page was kept or dropped.
            ("explain", &["pipeline"]),
        ],
    ),
    (
        "render",
        &[
            // The options of loading a page: values only.
            ("load", &[]),
            // All network access; independent of pages.
            ("net", &["load"]),
            // Web archives: their records, and what rendered pages load from them.
            ("archive", &["net"]),
            // From pages to captures; does not classify.
            ("render", &["archive"]),
        ],
    ),
    (
        "run",
        &[
            // Protects the program's servers from requests of web pages.
            ("web_guard", &[]),
            // From inputs named by the user to pages.
            ("source", &[]),
            // Runs over many pages: pools, journal, outputs; opens data folders as inputs.
            ("run", &["source", "web_guard"]),
        ],
    ),
    // The HTTP service: pages of requests through a run's renderer and threads, with its pictures.
    ("serve", &[("serve", &[])]),
    (
        "lab",
        &[
            // Pages with gold text, and labels derived from it.
            ("gold", &[]),
            // Scores by gold text.
            ("evaluate", &["gold"]),
            // Learners: from rows and labels to classifiers.
            ("fitting", &[]),
            // From gold text to models; counts blocks as `evaluate` does.
            ("train", &["evaluate", "fitting"]),
            // Parameter search, and comparison of the two engines.
            ("experiments", &["train"]),
            // Pictures and HTML reports of results; runs no stage and no evaluation.
            ("report", &["evaluate"]),
            // The labelling page: opens pages as a run does, and writes gold that experiments read.
            ("annotate", &["experiments", "report"]),
        ],
    ),
    (
        "rivals",
        &[
            // The published systems that vclean is compared with: from a capture to a document.
            ("method", &[]),
            // The perceptron of texrex.
            ("mlp", &["method"]),
            // From gold text to the models of published systems.
            ("learning", &["mlp"]),
            // Methods side by side.
            ("compare", &["method"]),
            // The tables of the papers.
            ("tables", &["compare", "learning"]),
        ],
    ),
    // Reads arguments and prints.
    ("cli", &[("cli", &[])]),
    // The stable API: cleaning and rendering pages.
    ("vclean", &[("face", &[])]),
];

/// Pure rooms outside of `core`: they use no file, network, clock, thread or other process, so that
/// the same capture gives the same bytes. In `core`, all rooms except `files` are pure.
const PURE: &[&str] = &["method"];
/// Modules of `std` that pure rooms may not use.
const WORLD: &[&str] = &["fs", "net", "time", "process", "env", "thread"];
/// Items of these modules that pure rooms may use, because they are plain values.
const VALUES: &[&str] = &["IpAddr", "Ipv4Addr", "Ipv6Addr", "SocketAddr"];
/// Files that may import a file of `files`, although it is above their room: a build without files
/// replaces it.
const LOADERS: &[(&str, &str)] = &[
    // A page may be a stored capture.
    ("core/page/parse.rs", "core/files/capture_folder.rs"),
];

/// Crates that only one part of the program may use: the crate, and the path prefixes of the files
/// that may use it.
const OWNERS: &[(&str, &[&str])] = &[
    // Replacing the browser driver must change only one room.
    ("headless_chrome", &["render/chromium/"]),
    // Replacing the layout engine must change only one room.
    ("blitz_dom", &["render/builtin/"]),
    ("blitz_html", &["render/builtin/"]),
    ("blitz_paint", &["render/builtin/"]),
    ("blitz_traits", &["render/builtin/"]),
    ("anyrender", &["render/builtin/"]),
    ("anyrender_vello_cpu", &["render/builtin/"]),
    ("stylo", &["render/builtin/"]),
    ("parley", &["render/builtin/"]),
    ("taffy", &["render/builtin/"]),
    ("fontique", &["render/builtin/"]),
    // Everything that leaves the machine goes through the proxy.
    ("ureq", &["render/net/fetch.rs"]),
    // Heads of HTTP messages are parsed in one place, and tables formatted in one place.
    ("httparse", &["render/net/http.rs"]),
    ("comfy_table", &["lab/evaluate/table.rs"]),
    ("robotxt", &["run/politeness/robots.rs"]),
    (
        "quick_xml",
        &["run/crawl/announcements.rs", "run/source/epub.rs"],
    ),
    // Replacing the learner must change only one file.
    ("linfa", &["lab/fitting/"]),
    ("linfa_svm", &["lab/fitting/"]),
    // Each of these formats is parsed in one place, which guards against hostile files.
    ("parquet", &["run/source/parquet_file.rs", "run/store/"]),
    ("ZipArchive", &["run/source/epub.rs", "run/source/wacz.rs"]),
    ("brotli_decompressor", &["render/archive/http.rs"]),
    (
        "zstd",
        &[
            "render/archive/http.rs",
            "render/archive/packed/",
            "run/store/lines.rs",
        ],
    ),
    ("lz4_flex", &["render/archive/packed/"]),
    ("sha1_smol", &["run/saved_images.rs", "run/store/warc.rs"]),
    (
        "data_encoding",
        &["run/store/warc.rs", "lab/annotate/guard.rs"],
    ),
    // Servers for connections, and the secrets of their clients.
    ("axum", &["lab/annotate/", "serve/"]),
    ("getrandom", &["lab/annotate/guard.rs"]),
    ("subtle", &["run/web_guard.rs"]),
    ("hyper", &["serve/"]),
    ("rmcp", &["serve/mcp/"]),
    ("prometheus_client", &["serve/log.rs"]),
    // Arguments are read in one place; the cleaning options are declared once for all interfaces.
    ("clap", &["cli/", "core/pipeline/options.rs"]),
    ("anyhow", &["cli/"]),
    // Words are segmented, and languages detected, in one place each; `features` counts its own
    // tokens, ROUGE its sentences.
    (
        "icu_segmenter",
        &[
            "core/language/words.rs",
            "core/features/profile.rs",
            "lab/evaluate/rouge.rs",
            "core/emit/sentences.rs",
        ],
    ),
    ("whatlang", &["core/language/guess.rs"]),
];

/// Types of `capture` that hold pixels; code that writes text must not use them.
const PICTURES: &[&str] = &["Picture", "Pictures", "NodeMask"];

/// Returns the room of a file; `None` for the `lib.rs` of a crate that is not a room itself.
fn room(source: &Source) -> Option<&str> {
    let package = source.package();
    let rooms = ROOMS
        .iter()
        .find(|(name, _)| *name == package)
        .map_or(&[][..], |(_, rooms)| rooms);
    let is_room = |name: &str| rooms.iter().any(|(room, _)| *room == name);
    source
        .top_module()
        .filter(|name| !is_room(package) || is_room(name))
        .or(is_room(package).then_some(package))
}

/// Returns the rooms of its crate that `room` may import, directly or indirectly.
fn allowed(room: &str) -> BTreeSet<&'static str> {
    let rooms: BTreeMap<&str, &[&'static str]> = ROOMS
        .iter()
        .flat_map(|(_, rooms)| rooms.iter().copied())
        .collect();
    let mut all: BTreeSet<&'static str> = GROUND.iter().copied().collect();
    let mut open: Vec<&'static str> = rooms
        .get(room)
        .map(|rooms| rooms.to_vec())
        .unwrap_or_default();
    while let Some(room) = open.pop() {
        if all.insert(room) {
            open.extend(rooms.get(room).into_iter().flat_map(|rooms| rooms.iter()));
        }
    }
    all
}

/// The crates of the workspace that a manifest names in its section `dependencies`.
fn used_crates(manifest: &str) -> BTreeSet<&str> {
    let sections = manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]")
        .skip(1);
    let lines = sections.take_while(|line| !line.starts_with('['));
    lines
        .filter_map(|line| line.strip_prefix("vclean-")?.split(['.', ' ', '=']).next())
        .collect()
}

#[test]
fn crates_use_only_what_the_table_allows() {
    let mut packages = BTreeSet::from(["vclean".to_owned(), "js".to_owned(), "models".to_owned()]);
    for folder in fs::read_dir(workspace().join("crates")).unwrap() {
        packages.insert(folder.unwrap().file_name().to_string_lossy().into_owned());
    }
    let known: BTreeSet<String> = CRATES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(packages, known);
    for (name, allowed) in CRATES {
        let folder = match *name {
            "vclean" => workspace().to_owned(),
            "js" | "models" => workspace().join(name),
            _ => workspace().join("crates").join(name),
        };
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        assert_eq!(
            used_crates(&manifest),
            allowed.iter().copied().collect(),
            "{name}"
        );
    }
}

#[test]
fn rooms_import_only_what_the_table_allows() {
    let sources = read();
    let mut faults = Vec::new();
    let by_path: BTreeMap<&str, &Source> = sources
        .iter()
        .map(|source| (source.path.as_str(), source))
        .collect();
    for (file, targets) in imports(sources) {
        let source = by_path[file];
        let Some(room_of_file) = room(source) else {
            continue;
        };
        let is_ground = source.package() == "core" && GROUND.contains(&room_of_file);
        if !is_ground
            && !ROOMS
                .iter()
                .flat_map(|(_, rooms)| rooms.iter())
                .any(|(known, _)| *known == room_of_file)
        {
            faults.push(format!("{file} is in no room of the table"));
            continue;
        }
        let allowed = if is_ground {
            BTreeSet::new()
        } else {
            allowed(room_of_file)
        };
        for target in targets {
            let other = by_path[target];
            let Some(other_room) = room(other).filter(|_| other.package() == source.package())
            else {
                continue;
            };
            let may = other_room == room_of_file
                || allowed.contains(other_room)
                || LOADERS.contains(&(file, target));
            if !may {
                faults.push(format!(
                    "{file} imports {target}; {room_of_file} may import {allowed:?}"
                ));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Asserts that the table has an order in which each entry follows everything that it may use.
fn check_order<'a>(table: &[(&'a str, &[&'a str])], ground: &[&'a str]) {
    let mut placed: BTreeSet<&str> = ground.iter().copied().collect();
    let mut left: Vec<_> = table.iter().collect();
    while !left.is_empty() {
        let before = left.len();
        left.retain(|(name, used)| {
            let is_ready = used.iter().all(|name| placed.contains(name));
            if is_ready {
                placed.insert(name);
            }
            !is_ready
        });
        assert!(left.len() < before, "these use one another: {left:?}");
    }
}

#[test]
fn the_tables_have_no_cycle() {
    check_order(CRATES, &[]);
    for (_, rooms) in ROOMS {
        check_order(rooms, GROUND);
    }
}

#[test]
fn no_two_files_import_each_other() {
    let sources = read();
    let circles = circles(&imports(sources));
    let lines: Vec<String> = circles.iter().map(|files| files.join(", ")).collect();
    assert!(
        lines.is_empty(),
        "these files import one another:\n{}",
        lines.join("\n")
    );
}

/// Returns the paths by which a file uses files, network, clock, threads or processes.
fn world_of(source: &Source) -> Vec<String> {
    let is_world = |path: &&Vec<String>| {
        let (first, module, name) = (path.first(), path.get(1), path.get(2));
        let is = |part: Option<&String>, names: &[&str]| {
            part.is_some_and(|part| names.contains(&part.as_str()))
        };
        is(first, &["std"]) && is(module, WORLD) && !is(name, VALUES)
    };
    source
        .used
        .iter()
        .filter(is_world)
        .map(|path| path.join("::"))
        .collect()
}

#[test]
fn pure_rooms_use_neither_files_nor_network_nor_clock() {
    let mut faults = Vec::new();
    for source in read() {
        let room = room(source).unwrap_or_default();
        let is_pure = if source.package() == "core" {
            room != "files"
        } else {
            PURE.contains(&room)
        };
        if is_pure {
            faults.extend(
                world_of(source)
                    .iter()
                    .map(|used| format!("{} uses {used}", source.path)),
            );
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Returns the uses of names that only other files may use; `uses` is true if a file uses a name.
fn trespasses(
    sources: &[Source],
    owned: &[(&str, &[&str])],
    uses: impl Fn(&Source, &str) -> bool,
) -> Vec<String> {
    let of_file = |source: &Source| {
        owned
            .iter()
            .filter(|(name, owners)| {
                uses(source, name) && !owners.iter().any(|owner| source.path.starts_with(owner))
            })
            .map(|(name, owners)| {
                format!("{} uses {name}, which belongs to {owners:?}", source.path)
            })
            .collect::<Vec<_>>()
    };
    sources.iter().flat_map(of_file).collect()
}

#[test]
fn each_guarded_crate_is_used_by_its_owner_only() {
    let sources = read();
    let faults = trespasses(sources, OWNERS, Source::names);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
    for (name, owners) in OWNERS {
        for owner in *owners {
            let is_there = sources.iter().any(|source| source.path.starts_with(owner));
            assert!(is_there, "{owner}, which owns {name}, is not there");
        }
    }
}

/// Functions that only the path of a page through the stages may call, and the files that call
/// them: hidden text, the method's input, the decision by our models, the rules after it, the
/// document, and the positions of its text.
const ONE_WAY: &[(&str, &[&str])] = &[
    (
        "with_all_shown",
        &["core/pipeline/way.rs", "core/capture/layout.rs"],
    ),
    ("select_all", &["core/pipeline/way.rs", "core/target/"]),
    ("Input::new", &["core/pipeline/cleaner.rs"]),
    (
        "decide_page",
        &["core/pipeline/decide.rs", "core/classify/"],
    ),
    ("apply_rules", &["core/pipeline/way.rs", "core/document/"]),
    ("prune_with", &["core/pipeline/way.rs", "core/document/"]),
    (
        "locate",
        &["core/pipeline/cleaner.rs", "core/document/locate.rs"],
    ),
];

#[test]
fn nobody_assembles_the_way_of_a_page_again() {
    let sources = read();
    let faults = trespasses(sources, ONE_WAY, Source::calls);
    assert!(
        faults.is_empty(),
        "call PageCleaner:\n{}",
        faults.join("\n")
    );
    // If nothing calls a name of the table, the function was renamed.
    for (name, _) in ONE_WAY {
        assert!(
            sources.iter().any(|source| source.calls(name)),
            "nobody calls {name}"
        );
    }
}

#[test]
fn a_second_assembly_is_found() {
    let found = |path: &str, code: &str| {
        let faults = trespasses(&[parse(path, code)], ONE_WAY, Source::calls);
        faults
            .iter()
            .map(|fault| {
                fault
                    .split(' ')
                    .nth(2)
                    .unwrap()
                    .trim_end_matches(',')
                    .to_owned()
            })
            .collect::<Vec<_>>()
    };
    let shown = "fn f(layout: &mut Layout) { if keep { layout.with_all_shown(); } }";
    assert_eq!(found("serve/clean.rs", shown), ["with_all_shown"]);
    assert!(found("core/pipeline/way.rs", shown).is_empty());
    let input =
        "use vclean_core::pipeline::Input; fn f() { method.clean(&Input::new(capture, None)) }";
    assert_eq!(found("run/work.rs", input), ["Input::new"]);
    let whole = "fn f() { vclean_core::pipeline::Input::new(capture, None); vclean_core::document::apply_rules(rules); }";
    assert_eq!(
        found("lab/annotate/page.rs", whole),
        ["Input::new", "apply_rules"]
    );
    let imported = "use vclean_core::document::{apply_rules as rules};";
    assert_eq!(found("lab/gold/labels.rs", imported), ["apply_rules"]);
    let decided = "impl A { fn f(&self) -> B { let d = self.model.decide_page(t, s, None)?; d.document.locate(c, t) } }";
    assert_eq!(found("cli/explain.rs", decided), ["decide_page", "locate"]);
    let tested = "#[cfg(test)] mod tests { fn f() { layout.with_all_shown(); } } fn g() { Input::default(); Other::new(); }";
    assert!(found("serve/clean.rs", tested).is_empty());
}

/// A file of tests beside code would be counted and read as code.
#[test]
fn files_of_tests_lie_below_tests() {
    for source in read() {
        assert!(
            source.test_modules.is_empty(),
            "{}: the modules {:?} are for tests: move each to tests/unit/ of the crate and name it \
             with #[path]",
            source.path,
            source.test_modules
        );
    }
    let beside = parse("core/a.rs", "#[cfg(test)] mod fixture;");
    assert_eq!(beside.test_modules, ["fixture"]);
    let below = parse(
        "core/a.rs",
        "#[cfg(test)] #[path = \"../tests/unit/a.rs\"] mod a; #[cfg(test)] mod tests {}",
    );
    assert!(below.test_modules.is_empty());
}

#[test]
fn emit_does_not_use_pixels() {
    let sources = read();
    let faults: Vec<String> = sources
        .iter()
        .filter(|source| room(source) == Some("emit"))
        .flat_map(|source| {
            PICTURES
                .iter()
                .filter(|name| source.names(name))
                .map(|name| format!("{} names {name}", source.path))
        })
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn names_are_resolved_to_their_definitions() {
    let sources = [
        parse("core/lib.rs", "pub mod a; pub mod b;"),
        parse(
            "core/a/mod.rs",
            "mod one; mod two; pub use one::One; const MAX: usize = 1;",
        ),
        parse(
            "core/a/one.rs",
            "use super::MAX; pub struct One([u8; MAX]); #[cfg(test)] mod tests { use super::super::two::Two; }",
        ),
        parse(
            "core/a/two.rs",
            "use crate::b; pub struct Two; fn f() { b::g::<std::fs::File>(); let _ = crate::a::One; }",
        ),
        parse(
            "core/b.rs",
            "pub fn g<T>() {} fn h(_: crate::a::two::Two) { std::net::TcpStream::connect(\"\"); }",
        ),
        parse("vclean/lib.rs", "pub use vclean_core::a; mod c;"),
        parse(
            "vclean/c.rs",
            "use vclean_core::b::g; use std::net::IpAddr; fn f() { crate::a::One::new(); }",
        ),
    ];
    let imports = imports(&sources);
    let imported_by = |file: &str| imports[file].iter().copied().collect::<Vec<_>>();
    assert_eq!(imported_by("core/a/mod.rs"), ["core/a/one.rs"]);
    assert_eq!(imported_by("core/a/one.rs"), ["core/a/mod.rs"]);
    assert_eq!(imported_by("core/a/two.rs"), ["core/a/one.rs", "core/b.rs"]);
    assert_eq!(imported_by("core/b.rs"), ["core/a/two.rs"]);
    assert_eq!(imported_by("vclean/c.rs"), ["core/a/one.rs", "core/b.rs"]);
    assert_eq!(
        circles(&imports),
        [
            ["core/a/mod.rs", "core/a/one.rs"],
            ["core/a/two.rs", "core/b.rs"]
        ]
    );
    assert!(sources[4].names_below("std").contains("net") && !sources[2].names("Two"));
    assert_eq!(world_of(&sources[4]), ["std::net::TcpStream::connect"]);
    assert!(world_of(&sources[6]).is_empty());
}
