//! Checks the architecture: which rooms (top-level modules) may import which, by reading the sources.
//!
//! A new dependency between rooms must be added to the tables below, with its reason. Test modules are not checked: a test
//! may use anything.
#![allow(clippy::unwrap_used)]

mod sources;

use sources::{circles, imports, parse, read};
use std::collections::{BTreeMap, BTreeSet};

/// Rooms that all others may import, because they import none.
const GROUND: &[&str] = &["elements", "error", "hash", "limits", "text", "web_guard"];

/// The rooms that each room may import. It may also import the rooms that those may import.
const ROOMS: &[(&str, &[&str])] = &[
    // A page as parsed or rendered, in memory.
    ("capture", &[]),
    // HTML from bytes to tree.
    ("html", &["capture"]),
    // One page, and how its content becomes a capture without a browser.
    ("page", &["html"]),
    // The language of a text and properties of its words; needs the tree for its language tag.
    ("language", &["capture"]),
    // Which subtrees are text blocks.
    ("target", &["capture"]),
    // The features of each block; must not depend on gold, labels or models.
    ("features", &["language", "target"]),
    // Classifies rows of the feature table; the page is unknown here.
    ("classify", &["features"]),
    // From labels to a document: needs the verdicts, but not the features behind them.
    ("clean", &["classify"]),
    // From a document to bytes; may use the tree of a capture, but not its pictures (see `PICTURES`).
    ("emit", &["clean"]),
    // What other rooms keep in files: captures, models, pages. `page` and `method` load from it, see `LOADERS`.
    ("files", &["page", "classify"]),
    // All network access; independent of pages.
    ("net", &[]),
    // Web archives: their records, and what rendered pages load from them.
    ("archive", &["files", "net"]),
    // From inputs named by the user to pages.
    ("source", &["archive"]),
    // From pages to captures; does not classify.
    ("render", &["archive"]),
    // The one way of a page through all stages, and the options it takes.
    ("cleaner", &["files", "emit"]),
    // The published systems that vclean is compared with: from a capture to a document.
    ("method", &["cleaner"]),
    // What most users of the library need: the way of a page, the published methods, and rendering.
    ("face", &["cleaner", "method", "render"]),
    // Pages with gold text, and labels derived from it.
    ("gold", &["cleaner", "render"]),
    // Scores by gold text.
    ("evaluate", &["gold", "method"]),
    // From gold text to models; counts blocks as `evaluate` does.
    ("train", &["evaluate", "fitting"]),
    // Experiments of researchers.
    ("experiments", &["train"]),
    // Pictures and HTML reports of the results of stages and evaluations; starts neither.
    ("report", &["evaluate", "method"]),
    // Runs over many pages: pools, journal, outputs; opens data folders as inputs.
    ("run", &["cleaner", "render", "source", "gold"]),
    // The labelling page: opens pages as a run does, and writes gold that experiments read.
    ("annotate", &["run", "experiments", "report"]),
    // The HTTP service: pages of requests through a run's renderer and threads, with its pictures.
    ("serve", &["run", "explain"]),
    // Reads arguments and prints; no room may import it.
    ("cli", &["annotate", "serve", "run", "experiments", "report", "explain"]),
];

/// Rooms that use no file, network, clock or other process, so that the same capture gives the same bytes.
const PURE: &[&str] = &[
    "elements", "hash", "text", "capture", "html", "page", "language", "target", "features", "classify", "clean",
    "emit", "method",
];
/// Modules of `std` that pure rooms may not use.
const WORLD: &[&str] = &["fs", "net", "time", "process", "env", "thread"];
/// Files that may import one of `files`, which is above their room: a build without files replaces it.
const LOADERS: &[(&str, &str)] = &[
    // A page may be a stored capture.
    ("page/parse.rs", "files/capture_folder.rs"),
];

/// Crates that only one part of the program may use: the crate, and the path prefixes of the files that may use it.
const OWNERS: &[(&str, &[&str])] = &[
    // Replacing the browser driver must change only one room.
    ("headless_chrome", &["render/"]),
    ("tungstenite", &["render/"]),
    // The same for the layout engine.
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
    ("ureq", &["net/fetch.rs"]),
    // Heads of HTTP messages are parsed in one place, and tables formatted in one place.
    ("httparse", &["net/http.rs"]),
    ("comfy_table", &["evaluate/table.rs"]),
    ("robotxt", &["run/politeness/robots.rs"]),
    // Replacing the learner must change only one file.
    ("linfa", &["fitting/"]),
    ("linfa_svm", &["fitting/"]),
    // Each of these formats is parsed in one place, which guards against hostile files.
    ("parquet", &["source/parquet_file.rs", "run/store/"]),
    ("ZipArchive", &["source/wacz.rs"]),
    ("brotli_decompressor", &["archive/http.rs"]),
    ("zstd", &["archive/http.rs", "archive/packed/"]),
    ("lz4_flex", &["archive/packed/"]),
    ("sha1_smol", &["run/store/warc.rs"]),
    ("data_encoding", &["run/store/warc.rs", "annotate/guard.rs"]),
    // What serves connections, and the secrets of those who may use them.
    ("axum", &["annotate/", "serve/", "web_guard.rs"]),
    ("getrandom", &["annotate/guard.rs"]),
    ("subtle", &["web_guard.rs"]),
    ("hyper", &["serve/"]),
    ("rmcp", &["serve/mcp/"]),
    ("prometheus_client", &["serve/metrics.rs"]),
    // Arguments are read in one place.
    ("clap", &["cli/"]),
    ("anyhow", &["cli/"]),
    // Words are segmented, and languages detected, in one place each; `features` counts its own tokens, ROUGE its sentences.
    ("icu_segmenter", &["language/words.rs", "features/profile.rs", "evaluate/rouge.rs", "emit/sentences.rs"]),
    ("whatlang", &["language/detect.rs"]),
];

/// Types of `capture` that hold pixels; code that writes text must not use them.
const PICTURES: &[&str] = &["Picture", "Pictures", "NodeMask"];

/// The rooms that `room` may import, directly or indirectly.
fn allowed(room: &str) -> BTreeSet<&'static str> {
    let rooms: BTreeMap<&str, &[&'static str]> = ROOMS.iter().copied().collect();
    let mut all: BTreeSet<&'static str> = GROUND.iter().copied().collect();
    let mut open: Vec<&'static str> = rooms.get(room).map(|rooms| rooms.to_vec()).unwrap_or_default();
    while let Some(room) = open.pop() {
        if all.insert(room) {
            open.extend(rooms.get(room).into_iter().flat_map(|rooms| rooms.iter()));
        }
    }
    all
}

#[test]
fn rooms_import_only_what_the_table_allows() {
    let sources = read();
    let mut faults = Vec::new();
    let rooms: BTreeMap<&str, &str> = sources.iter().map(|source| (source.path.as_str(), source.room())).collect();
    for (file, targets) in imports(&sources) {
        let room = rooms[file];
        if room.is_empty() {
            continue;
        }
        if !GROUND.contains(&room) && !ROOMS.iter().any(|(known, _)| *known == room) {
            faults.push(format!("src/{file} is in no room of the table"));
            continue;
        }
        let allowed = allowed(room);
        let is_ground = GROUND.contains(&room);
        for target in targets {
            let other = rooms[target];
            if other != room && (is_ground || !allowed.contains(other)) && !LOADERS.contains(&(file, target)) {
                faults.push(format!(
                    "src/{file} imports src/{target}; {room} may import {:?}",
                    if is_ground { BTreeSet::new() } else { allowed.clone() }
                ));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn the_table_has_no_cycle() {
    // Each room can be placed after all rooms that it imports.
    let mut placed: BTreeSet<&str> = GROUND.iter().copied().collect();
    let mut left: Vec<_> = ROOMS.iter().collect();
    while !left.is_empty() {
        let before = left.len();
        left.retain(|(room, imports)| {
            let is_ready = imports.iter().all(|import| placed.contains(import));
            if is_ready {
                placed.insert(room);
            }
            !is_ready
        });
        assert!(left.len() < before, "these import one another: {left:?}");
    }
}

#[test]
fn no_two_files_import_each_other() {
    let sources = read();
    let circles = circles(&imports(&sources));
    let lines: Vec<String> = circles.iter().map(|files| files.join(", ")).collect();
    assert!(lines.is_empty(), "these files import one another:\n{}", lines.join("\n"));
}

#[test]
fn pure_rooms_use_neither_files_nor_network_nor_clock() {
    let mut faults = Vec::new();
    for source in read().iter().filter(|source| PURE.contains(&source.room())) {
        for module in source.names_below("std") {
            if WORLD.contains(&module.as_str()) {
                faults.push(format!("src/{} uses std::{module}", source.path));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn each_guarded_crate_is_used_by_its_owner_only() {
    let mut faults = Vec::new();
    for source in read() {
        for (name, owners) in OWNERS {
            if source.names(name) && !owners.iter().any(|owner| source.path.starts_with(owner)) {
                faults.push(format!("src/{} uses {name}, which belongs to {owners:?}", source.path));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// What only the one way of a page may do, and the files that do it: hidden text, the decision, the places of the text.
const ONE_WAY: &[(&str, &[&str])] = &[
    ("show_all", &["cleaner/page_cleaner.rs", "capture/layout.rs"]),
    ("locate", &["cleaner/page_cleaner.rs", "clean/locate.rs"]),
    ("Input::new", &["cleaner/page_cleaner.rs", "train/methods/"]),
];

#[test]
fn nobody_assembles_the_way_of_a_page_again() {
    let mut faults = Vec::new();
    for source in read() {
        for (name, owners) in ONE_WAY {
            let (first, last) = name.split_once("::").map_or((*name, None), |(first, last)| (first, Some(last)));
            let calls = match last {
                None => source.calls(first),
                Some(last) => source.names_below(first).contains(last),
            };
            if calls && !owners.iter().any(|owner| source.path.starts_with(owner)) {
                faults.push(format!("src/{} uses {name}, which is for {owners:?}; call PageCleaner", source.path));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn emit_does_not_use_pixels() {
    let sources = read();
    let faults: Vec<String> = sources
        .iter()
        .filter(|source| source.room() == "emit")
        .flat_map(|source| {
            PICTURES.iter().filter(|name| source.names(name)).map(|name| format!("src/{} names {name}", source.path))
        })
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn names_are_resolved_to_their_definitions() {
    let sources = [
        parse("lib.rs", "pub mod a; pub mod b;"),
        parse("a/mod.rs", "mod one; mod two; pub use one::One; const MAX: usize = 1;"),
        parse(
            "a/one.rs",
            "use super::MAX; pub struct One([u8; MAX]); #[cfg(test)] mod tests { use super::super::two::Two; }",
        ),
        parse("a/two.rs", "use crate::b; pub struct Two; fn f() { b::g::<std::fs::File>(); let _ = crate::a::One; }"),
        parse("b.rs", "pub fn g<T>() {} fn h(_: crate::a::two::Two) { std::net::TcpStream::connect(\"\"); }"),
    ];
    let imports = imports(&sources);
    let of = |file: &str| imports[file].iter().copied().collect::<Vec<_>>();
    assert_eq!(of("a/mod.rs"), ["a/one.rs"]);
    assert_eq!(of("a/one.rs"), ["a/mod.rs"]);
    assert_eq!(of("a/two.rs"), ["a/one.rs", "b.rs"]);
    assert_eq!(of("b.rs"), ["a/two.rs"]);
    assert_eq!(circles(&imports), [["a/mod.rs", "a/one.rs"], ["a/two.rs", "b.rs"]]);
    assert!(sources[4].names_below("std").contains("net") && !sources[2].names("Two"));
}
