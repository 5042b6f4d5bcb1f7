//! The rooms of the program and who may know whom: reads the sources and holds them against the tables below.
//!
//! This is the architecture, checked. A new edge is added here, with its reason, or not at all.
//! Test modules are not looked at: a test may build its material with anything.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Per room, the rooms it may import. [`GROUND`] is open to all; `lib.rs` and `main.rs` are no rooms.
const ROOMS: &[(&str, &[&str])] = &[
    // What can go wrong; knows nobody.
    ("error", &[]),
    // The elements of HTML; knows nobody.
    ("elements", &[]),
    // White space, excerpts and counts; knows nobody.
    ("text", &[]),
    // A hash whose values never change; knows nobody.
    ("hash", &[]),
    // What the renderer saw, in memory and on disk.
    ("capture", &[]),
    // Which language a text is in, and what is known of its words; the tree for the tag that it states.
    ("language", &["capture"]),
    // Which subtrees are text blocks.
    ("target", &["capture"]),
    // What is measured of each; never sees gold, labels or models.
    ("features", &["language", "target", "capture"]),
    // Decides from the table alone; which page it came from is unknown here.
    ("classify", &["features", "language", "target", "capture"]),
    // Labels to a document: needs the verdicts, not how they were reached.
    ("clean", &["classify", "language", "target", "capture"]),
    // A document to bytes; the tree of a capture, never its pictures (see `PICTURES`).
    ("emit", &["clean", "capture"]),
    // What the user names to pages.
    ("source", &["capture"]),
    // Pages to captures; never judges content.
    ("render", &["source", "capture"]),
    // Whose turn it is, and what robots.txt allows; knows no network and no page.
    ("politeness", &[]),
    // Ways to clean a page, ours among them: from a capture to a document.
    ("method", &["clean", "classify", "features", "language", "target", "capture"]),
    // One page through all the stages.
    ("pipeline", &["method", "render", "source", "emit", "clean", "classify", "features", "target", "capture"]),
    // Pictures and pages to look at: shows every stage's result and what an evaluation found, starts none.
    ("report", &["evaluate", "method", "clean", "classify", "features", "target", "capture"]),
    // Many pages: pool, journal, resume.
    (
        "batch",
        &["pipeline", "method", "render", "source", "emit", "clean", "classify", "features", "target", "capture"],
    ),
    // Containers of many pages; shares the journal's marks with `batch`.
    ("store", &["batch", "features", "clean", "classify"]),
    // Figures from gold text.
    (
        "evaluate",
        &[
            "pipeline", "method", "render", "source", "emit", "clean", "classify", "features", "target", "capture",
            "batch",
        ],
    ),
    // Gold text in, model out; shares the words and the data folders with `evaluate`.
    (
        "train",
        &[
            "evaluate", "pipeline", "method", "render", "source", "emit", "clean", "classify", "features", "language",
            "target", "capture", "batch",
        ],
    ),
    // Reads arguments and prints; knows everybody, and nobody knows it.
    (
        "cli",
        &[
            "batch",
            "politeness",
            "store",
            "report",
            "train",
            "evaluate",
            "pipeline",
            "method",
            "render",
            "source",
            "emit",
            "clean",
            "classify",
            "features",
            "language",
            "target",
            "capture",
        ],
    ),
];

/// Rooms that import nobody and that everybody may import.
const GROUND: &[&str] = &["error", "elements", "text", "hash"];

/// Rooms that touch no file, network, clock or other process, so that the same capture gives the same bytes.
const PURE: &[&str] =
    &["elements", "text", "hash", "language", "target", "features", "classify", "clean", "emit", "method"];
/// Modules of `std` that pure rooms may not use.
const WORLD: &[&str] = &["fs", "net", "time", "process", "env", "thread"];
/// Files of pure rooms that may use some of them, and why.
const EXCEPTIONS: &[(&str, &[&str])] = &[
    // A model is read from the file that the user names.
    ("classify/file.rs", &["fs"]),
    ("method/model_file.rs", &["fs"]),
];

/// Crates that only one part of the program may know: the crate, and what its users' paths start with.
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
    // All that goes out goes through the proxy.
    ("ureq", &["render/fetch.rs"]),
    ("robotxt", &["politeness/robots.rs"]),
    // A different learner must be a change of one file.
    ("linfa", &["classify/svm.rs", "classify/svm/"]),
    ("linfa_svm", &["classify/svm.rs", "classify/svm/"]),
    // What a hostile file can do to its reader is looked after in one file each.
    ("parquet", &["source/parquet_file.rs", "store/"]),
    ("ZipArchive", &["source/wacz.rs"]),
    ("brotli_decompressor", &["source/http.rs"]),
    ("zstd", &["source/http.rs"]),
    // Arguments are read in one place.
    ("clap", &["cli/"]),
    // Words are cut, and languages told, in one place each; `features` has its own count of tokens, ROUGE its sentences.
    ("icu_segmenter", &["language/words.rs", "features/profile.rs", "evaluate/rouge.rs"]),
    ("whatlang", &["language/detect.rs"]),
];

/// Types of `capture` that hold pixels; what writes text must not name them.
const PICTURES: &[&str] = &["Picture", "Pictures", "NodeMask"];

struct Source {
    /// Path below `src/`, with `/`.
    path: String,
    room: String,
    /// How many `super::` lead from here to the crate's root.
    depth: usize,
    /// Without comments, literals and test modules.
    code: String,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut tests_only = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let (code, test_modules) = without_tests(&bare_code(&fs::read_to_string(&path).unwrap()));
                for module in test_modules {
                    tests_only.insert(folder.join(format!("{module}.rs")));
                    tests_only.insert(path.with_extension("").join(format!("{module}.rs")));
                }
                files.insert(path, code);
            }
        }
    }
    files
        .into_iter()
        .filter(|(path, _)| !tests_only.contains(path))
        .map(|(path, code)| {
            let path = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            let parts: Vec<&str> = path.trim_end_matches(".rs").split('/').filter(|part| *part != "mod").collect();
            Source { room: parts[0].to_owned(), depth: parts.len(), path, code }
        })
        .filter(|source| source.room != "lib" && source.room != "main")
        .collect()
}

/// The source without comments and without what stands between quotes.
fn bare_code(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let mut code = String::new();
    let mut here = 0;
    while here < chars.len() {
        match (at(here), at(here + 1)) {
            ('/', '/') => {
                while here < chars.len() && at(here) != '\n' {
                    here += 1;
                }
            }
            ('/', '*') => {
                here += 2;
                while here < chars.len() && (at(here), at(here + 1)) != ('*', '/') {
                    here += 1;
                }
                here += 2;
            }
            ('r', '"' | '#') if !code.ends_with(|last: char| last.is_alphanumeric() || last == '_') => {
                let hashes = chars[here + 1..].iter().take_while(|c| **c == '#').count();
                if at(here + 1 + hashes) == '"' {
                    here += hashes + 2;
                    let end: String = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
                    while here < chars.len() && !chars[here..].iter().take(end.len()).copied().eq(end.chars()) {
                        here += 1;
                    }
                    here += end.len();
                } else {
                    // A raw identifier.
                    code.push('r');
                    here += 1;
                }
            }
            ('"', _) => {
                here += 1;
                while here < chars.len() && at(here) != '"' {
                    here += if at(here) == '\\' { 2 } else { 1 };
                }
                here += 1;
                code.push_str("\"\"");
            }
            ('\'', '\\') => {
                here += 3;
                while here < chars.len() && at(here) != '\'' {
                    here += 1;
                }
                here += 1;
            }
            ('\'', _) if at(here + 2) == '\'' => here += 3,
            (other, _) => {
                code.push(other);
                here += 1;
            }
        }
    }
    code
}

/// The code without `#[cfg(test)]` items, and the names of modules that exist in tests only.
fn without_tests(code: &str) -> (String, Vec<String>) {
    const MARK: &str = "#[cfg(test)]";
    let mut rest = code;
    let mut kept = String::new();
    let mut modules = Vec::new();
    while let Some(start) = rest.find(MARK) {
        kept.push_str(&rest[..start]);
        rest = &rest[start + MARK.len()..];
        let brace = rest.find('{').unwrap_or(rest.len());
        let semicolon = rest.find(';').unwrap_or(rest.len());
        if semicolon < brace {
            if let Some(name) = rest[..semicolon].trim().rsplit("mod ").next() {
                modules.push(name.trim().to_owned());
            }
            rest = &rest[semicolon + 1..];
            continue;
        }
        let mut depth = 0usize;
        let mut end = rest.len();
        for (index, char) in rest.char_indices().filter(|(index, _)| *index >= brace) {
            match char {
                '{' => depth += 1,
                '}' => {
                    depth -= 1;
                    if depth == 0 {
                        end = index + 1;
                        break;
                    }
                }
                _ => {}
            }
        }
        rest = &rest[end..];
    }
    kept.push_str(rest);
    (kept, modules)
}

/// The names that follow `prefix` in paths: `a` for `prefix a::b`, `a` and `b` for `prefix {a::x, b}`.
fn names_after(code: &str, prefix: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (start, _) in code.match_indices(prefix) {
        if code[..start].ends_with(|last: char| last.is_alphanumeric() || last == '_' || last == ':') {
            continue;
        }
        let rest = &code[start + prefix.len()..];
        if let Some(group) = rest.strip_prefix('{') {
            names.extend(group_heads(group));
        } else {
            names.insert(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    names.remove("");
    names
}

/// First names of the entries of a group of imports whose opening brace has been read.
fn group_heads(group: &str) -> Vec<String> {
    let mut heads = Vec::new();
    let mut depth = 0usize;
    let mut entry = String::new();
    for char in group.chars() {
        match char {
            '{' => depth += 1,
            '}' | ',' if depth == 0 => {
                heads.push(entry.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
                entry.clear();
                if char == '}' {
                    break;
                }
                continue;
            }
            '}' => depth -= 1,
            _ => {}
        }
        entry.push(char);
    }
    heads
}

/// Whether `word` stands in the code as a word of its own.
fn has_word(code: &str, word: &str) -> bool {
    let is_part = |char: Option<char>| char.is_some_and(|c| c.is_alphanumeric() || c == '_');
    code.match_indices(word).any(|(start, _)| {
        !is_part(code[..start].chars().next_back()) && !is_part(code[start + word.len()..].chars().next())
    })
}

#[test]
fn rooms_import_only_what_the_table_allows() {
    let rooms: BTreeMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    let mut faults = Vec::new();
    for source in sources() {
        let Some(allowed) = rooms.get(source.room.as_str()) else {
            faults.push(format!("src/{} is in no room of the table", source.path));
            continue;
        };
        let to_root = "super::".repeat(source.depth);
        for name in names_after(&source.code, "crate::").union(&names_after(&source.code, &to_root)) {
            let is_room = rooms.contains_key(name.as_str());
            if is_room && *name != source.room && !GROUND.contains(&name.as_str()) && !allowed.contains(&name.as_str())
            {
                faults
                    .push(format!("src/{} imports crate::{name}; {} may import {allowed:?}", source.path, source.room));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn the_table_has_no_circle() {
    // Each room may be placed once all that it imports are placed.
    let mut placed = GROUND.iter().copied().collect::<BTreeSet<_>>();
    let mut left: Vec<_> = ROOMS.iter().filter(|(room, _)| !GROUND.contains(room)).collect();
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
fn pure_rooms_touch_neither_files_nor_network_nor_clock() {
    let mut faults = Vec::new();
    for source in sources().iter().filter(|source| PURE.contains(&source.room.as_str())) {
        let excused: Vec<&str> = EXCEPTIONS
            .iter()
            .filter(|(path, _)| *path == source.path)
            .flat_map(|(_, modules)| *modules)
            .copied()
            .collect();
        for module in names_after(&source.code, "std::") {
            if WORLD.contains(&module.as_str()) && !excused.contains(&module.as_str()) {
                faults.push(format!("src/{} uses std::{module}", source.path));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn each_guarded_crate_is_known_to_its_owner_only() {
    let mut faults = Vec::new();
    for source in sources() {
        for (name, owners) in OWNERS {
            if has_word(&source.code, name) && !owners.iter().any(|owner| source.path.starts_with(owner)) {
                faults.push(format!("src/{} uses {name}, which belongs to {owners:?}", source.path));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn emit_never_sees_pixels() {
    let faults: Vec<String> = sources()
        .iter()
        .filter(|source| source.room == "emit")
        .flat_map(|source| {
            PICTURES
                .iter()
                .filter(|name| has_word(&source.code, name))
                .map(|name| format!("src/{} names {name}", source.path))
        })
        .collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn the_reader_of_sources_sees_imports_and_nothing_else() {
    let code = bare_code(
        "use crate::{a::{self, b}, c}; // crate::d\n/* crate::e */ let x = \"crate::f\"; '\"'; crate::g::h(); r#\"crate::i\"#; std::fs::read",
    );
    assert_eq!(names_after(&code, "crate::"), ["a", "c", "g"].map(str::to_owned).into());
    assert_eq!(names_after(&code, "std::"), ["fs"].map(str::to_owned).into());
    let (code, modules) = without_tests(
        "mod a; #[cfg(test)] mod fixture; fn f() {} #[cfg(test)]\nmod tests { use crate::z; fn g() { } } fn h() {}",
    );
    assert_eq!((names_after(&code, "crate::").len(), modules), (0, vec!["fixture".to_owned()]));
    assert!(code.contains("fn f") && code.contains("fn h") && !code.contains("fn g"));
}
