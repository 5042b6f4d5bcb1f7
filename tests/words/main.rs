//! Checks the English of the sources: words that name a thing in nobody's language, comments that
//! say nothing, and sentences that begin without their subject.
//!
//! The tables below are the list of words that have been replaced once; they do not come back.
#![allow(clippy::unwrap_used)]

mod lexer;

use lexer::{Language, Piece};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders with sources, and those below them that hold none of ours.
const FOLDERS: &[&str] = &[
    "src",
    "crates",
    "tests",
    "benches",
    "examples",
    "js",
    "npm",
    "python",
    "extension",
];
const SKIPPED: &[&str] = &[
    "target",
    "node_modules",
    "fixtures",
    "vendor",
    "dist",
    "build",
];

/// Words that no name may have as a part, and what to say instead.
const NAME_PARTS: &[(&str, &str)] = &[
    ("unseen", "hidden"),
    ("unshown", "hidden"),
    ("undone", "unsupported, incomplete, reverted"),
    ("handed", "delivered, given, assigned"),
    ("shard", "part"),
    ("shards", "parts"),
    ("tally", "count"),
    ("tallies", "counts"),
    ("graft", "synthetic comments"),
    ("grafted", "synthetic"),
    ("chore", "filter"),
    ("chores", "filters"),
    ("floors", "thresholds"),
    ("fate", "outcome"),
    ("tamed", "limited"),
    ("standby", "idle"),
    ("settled", "effective, resolved"),
];

/// Names that say nothing alone.
const NAMES: &[&str] = &[
    "said", "was", "is_it", "handed", "of", "began", "turn", "plant", "its",
];

/// Words of comments and help that are not what the trade says.
const PHRASES: &[(&str, &str)] = &[
    ("unseen", "hidden"),
    ("unshown", "hidden"),
    ("shard", "part"),
    ("shards", "parts"),
    ("tally", "count"),
    ("tallies", "counts"),
    ("graft", "synthetic comments"),
    ("grafted", "synthetic"),
    ("floors", "thresholds"),
    ("chores", "filters"),
    ("goes on behind", "resumes after"),
    ("gone on with", "resumed"),
    ("goes on with", "continues with, resumes"),
    ("well or not", "successfully or not"),
    ("with manners", "rate-limited"),
    ("taste:", "heuristic:"),
    ("says no more than", "is weak evidence"),
    ("have not seen", "out-of-fold"),
    ("the same for", "what differs"),
    ("handed out", "assigned, delivered"),
    ("handed over", "passed"),
];

/// First words that leave a sentence without its subject.
const OPENINGS: &[&str] = &["What", "Whether", "Who", "As"];

/// Comments of so many words or fewer say nothing that the name beside them does not.
const SHORTEST: usize = 4;

/// Lines of comments end at this column.
const COLUMNS: usize = 100;

#[test]
fn names_and_comments_are_ordinary_english() {
    let mut complaints = String::new();
    let mut count = 0;
    for path in sources() {
        let code = fs::read_to_string(&path).unwrap();
        let language = Language::from_path(&path).unwrap();
        for (line, complaint) in complain(&code, language) {
            count += 1;
            writeln!(complaints, "{}:{line}: {complaint}", path.display()).unwrap();
        }
    }
    assert!(
        count == 0,
        "{complaints}{count} complaints; see CONTRIBUTING.md, \"Words\""
    );
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All sources below [`FOLDERS`], but for this test, whose tables hold the words.
fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|name| workspace().join(name)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                if !SKIPPED.contains(&name) && path != workspace().join("tests/words") {
                    folders.push(path);
                }
            } else if Language::from_path(&path).is_some() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Lines and complaints about one source.
fn complain(code: &str, language: Language) -> Vec<(usize, String)> {
    let mut complaints = Vec::new();
    for piece in lexer::pieces(code, language) {
        match piece {
            Piece::Name { line, name } => {
                if let Some(complaint) = complain_of_name(&name, language) {
                    complaints.push((line, complaint));
                }
            }
            Piece::Comment { line, text } => {
                complaints.extend(complain_of_comment(&text).into_iter().map(|it| (line, it)));
            }
        }
    }
    for (index, line) in code.lines().enumerate() {
        let is_comment = language
            .comment_markers()
            .iter()
            .any(|it| line.trim_start().starts_with(it));
        if is_comment && line.chars().count() > COLUMNS && !line.contains("://") {
            complaints.push((index + 1, format!("longer than {COLUMNS} columns")));
        }
    }
    complaints.sort();
    complaints
}

fn complain_of_name(name: &str, language: Language) -> Option<String> {
    if NAMES.contains(&name) && !(name == "of" && language == Language::JavaScript) {
        return Some(format!("the name `{name}` says nothing"));
    }
    let parts = split_name(name);
    NAME_PARTS
        .iter()
        .find(|(word, _)| parts.iter().any(|part| part == word))
        .map(|(word, better)| format!("`{name}`: not `{word}`, but {better}"))
}

/// Parts of `snake_case` and `CamelCase`, in small letters.
fn split_name(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for letter in name.chars() {
        if letter == '_'
            || letter.is_uppercase() && !parts.last().unwrap().ends_with(char::is_uppercase)
        {
            parts.push(String::new());
        }
        if letter != '_' {
            parts.last_mut().unwrap().push(letter);
        }
    }
    parts.iter().map(|part| part.to_lowercase()).collect()
}

/// Complaints about a comment: the lines of one block, without their markers.
fn complain_of_comment(text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let prose = prose(text);
    let words = prose.split_whitespace().count();
    if (1..SHORTEST).contains(&words) && !text.trim_start().starts_with(['#', '@', '[', '<', '`']) {
        complaints.push(format!("a comment of {words} words: {:?}", prose.trim()));
    }
    for sentence in sentences(&prose) {
        let first = sentence.split_whitespace().next().unwrap_or_default();
        if OPENINGS.contains(&first) && !sentence.trim_end().ends_with('?') {
            complaints.push(format!("begins with {first}: {:?}", begin(sentence)));
        }
        if let Some(at) = sentence
            .find(" is no ")
            .or_else(|| sentence.find(" are no "))
        {
            let before = sentence[..at].to_lowercase();
            let after = sentence[at..].split_whitespace().nth(2).unwrap_or_default();
            if !before.ends_with("there")
                && !matches!(after, "longer" | "more" | "larger" | "smaller" | "worse")
            {
                complaints.push(format!(
                    "\"is not a\", not \"is no\": {:?}",
                    begin(sentence)
                ));
            }
        }
        let small = format!(
            " {} ",
            sentence
                .to_lowercase()
                .replace([',', '.', ';', ')', '('], " ")
        );
        for (phrase, better) in PHRASES {
            if small.contains(&format!(" {phrase} ")) {
                complaints.push(format!(
                    "not \"{phrase}\", but {better}: {:?}",
                    begin(sentence)
                ));
            }
        }
    }
    complaints
}

/// The comment without its code, one paragraph or item a line.
fn prose(text: &str) -> String {
    let mut prose = String::new();
    let mut is_code = false;
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && !line.starts_with(['#', '|']) {
            let starts = line.is_empty() || line.starts_with("- ") || line.starts_with("* ");
            prose.push(if starts { '\n' } else { ' ' });
            prose.push_str(line.trim_start_matches(['-', '*', ' ']));
        }
    }
    prose
}

/// Sentences of paragraphs that stand a line each.
fn sentences(prose: &str) -> impl Iterator<Item = &str> {
    prose
        .lines()
        .flat_map(|line| line.split_inclusive(". "))
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty())
}

fn begin(sentence: &str) -> String {
    sentence.chars().take(60).collect()
}

#[test]
fn complaints_name_the_word() {
    let complaints = |code: &str| {
        complain(code, Language::Rust)
            .into_iter()
            .map(|(line, text)| format!("{line} {text}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        complaints("/// Pages that were read from the archive.\nfn read_pages() {}"),
        [""; 0]
    );
    assert_eq!(complaints("\nfn of() {}"), ["2 the name `of` says nothing"]);
    assert_eq!(
        complaints("struct ShardWriter;"),
        ["1 `ShardWriter`: not `shard`, but part"]
    );
    assert_eq!(
        complaints("/// The file.\nfile: File,"),
        ["1 a comment of 2 words: \"The file.\""]
    );
    assert!(complaints("/// Whether it is open.")[0].contains("begins with Whether"));
    assert!(complaints("// Such a page is no article.")[0].contains("is not a"));
    assert_eq!(
        complaints("// There is no other page than this one."),
        [""; 0]
    );
    assert_eq!(
        complaints("let text = \"// The shard\"; // the file"),
        [""; 0]
    );
    assert!(complaints("let text = r#\"\"#; let tally = 1;")[0].contains("tally"));
}
