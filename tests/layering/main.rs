//! The rooms of the program and which of them may import which: reads the sources and checks them against the tables below.
//!
//! This is the architecture, checked. A new edge is added here, with its reason, or not at all.
//! Test modules are left out: a test may use anything.
#![allow(clippy::unwrap_used)]

mod sources;

use sources::{circles, imports, parse, read};
use std::collections::{BTreeMap, BTreeSet};

/// Rooms that everybody may import, because they import nobody.
const GROUND: &[&str] = &["elements", "error", "files", "hash", "limits", "text"];

/// Per room, the rooms it may import. A room may also import what those import.
const ROOMS: &[(&str, &[&str])] = &[
    // A page as it was parsed or rendered, in memory and on disk.
    ("capture", &[]),
    // HTML from bytes to tree.
    ("html", &["capture"]),
    // Which language a text is in, and what is known of its words; the tree for the tag that it states.
    ("language", &["capture"]),
    // Which subtrees are text blocks.
    ("target", &["capture"]),
    // What is measured of each; never sees gold, labels or models.
    ("features", &["language", "target"]),
    // Decides from the table alone; which page it came from is unknown here.
    ("classify", &["features"]),
    // Labels to a document: needs the verdicts, not how they were reached.
    ("clean", &["classify"]),
    // A document to bytes; the tree of a capture, never its pictures (see `PICTURES`).
    ("emit", &["clean"]),
    // What leaves this machine; knows no page.
    ("net", &[]),
    // What the user names to pages.
    ("source", &["html", "net"]),
    // Pages to captures; never judges content.
    ("render", &["source", "net"]),
    // The published systems that vclean is measured against: from a capture to a document.
    ("method", &["clean", "html"]),
    // The product: a page through all the stages.
    ("cleaner", &["render", "source", "method", "emit"]),
    // Pages with gold text, and the labels that follow from it.
    ("gold", &["cleaner"]),
    // Figures from gold text.
    ("evaluate", &["gold"]),
    // Gold text in, model out; counts blocks as `evaluate` does.
    ("train", &["evaluate"]),
    // What researchers repeat.
    ("experiments", &["train"]),
    // Pictures and pages to look at: shows every stage's result and what an evaluation found, starts none.
    ("report", &["evaluate"]),
    // Many pages: pools, journal, outputs; opens data folders as inputs.
    ("run", &["gold"]),
    // Reads arguments and prints; nobody imports it.
    ("cli", &["run", "experiments", "report"]),
];

/// Rooms that touch no file, network, clock or other process, so that the same capture gives the same bytes.
const PURE: &[&str] =
    &["elements", "hash", "text", "language", "target", "features", "classify", "clean", "emit", "method"];
/// Modules of `std` that pure rooms may not use.
const WORLD: &[&str] = &["fs", "net", "time", "process", "env", "thread"];
/// Files of pure rooms that may use some of them, and why.
const EXCEPTIONS: &[(&str, &[&str])] = &[
    // A model is read from the file that the user names.
    ("classify/file.rs", &["fs"]),
    ("method/model_file.rs", &["fs"]),
];

/// Crates that only one part of the program may use: the crate, and what its users' paths start with.
const OWNERS: &[(&str, &[&str])] = &[
    // A different browser driver must be a change of one room.
    ("headless_chrome", &["render/"]),
    ("tungstenite", &["render/"]),
    // So must a different layout engine.
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
    // Heads of HTTP messages are read in one place, and tables laid out in one.
    ("httparse", &["net/head.rs"]),
    ("comfy_table", &["evaluate/table.rs"]),
    ("robotxt", &["run/politeness/robots.rs"]),
    // A different learner must be a change of one file.
    ("linfa", &["classify/svm.rs", "classify/svm/"]),
    ("linfa_svm", &["classify/svm.rs", "classify/svm/"]),
    // What a hostile file can do to its reader is looked after in one file each.
    ("parquet", &["source/parquet_file.rs", "run/store/"]),
    ("ZipArchive", &["source/wacz.rs"]),
    ("brotli_decompressor", &["source/http.rs"]),
    ("zstd", &["source/http.rs"]),
    // Arguments are read in one place.
    ("clap", &["cli/"]),
    ("anyhow", &["cli/"]),
    // Words are cut, and languages told, in one place each; `features` has its own count of tokens, ROUGE its sentences.
    ("icu_segmenter", &["language/words.rs", "features/profile.rs", "evaluate/rouge.rs"]),
    ("whatlang", &["language/detect.rs"]),
];

/// Types of `capture` that hold pixels; what writes text must not name them.
const PICTURES: &[&str] = &["Picture", "Pictures", "NodeMask"];

/// The rooms that `room` may import, and those that they may import, and so on.
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
            if other != room && (is_ground || !allowed.contains(other)) {
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
fn the_table_has_no_circle() {
    // Each room may be placed once all that it imports are placed.
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
fn pure_rooms_touch_neither_files_nor_network_nor_clock() {
    let mut faults = Vec::new();
    for source in read().iter().filter(|source| PURE.contains(&source.room())) {
        let excused: Vec<&str> = EXCEPTIONS
            .iter()
            .filter(|(path, _)| *path == source.path)
            .flat_map(|(_, modules)| *modules)
            .copied()
            .collect();
        for module in source.names_below("std") {
            if WORLD.contains(&module.as_str()) && !excused.contains(&module.as_str()) {
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

#[test]
fn emit_never_sees_pixels() {
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
fn the_reader_of_sources_follows_names_to_their_definitions() {
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
