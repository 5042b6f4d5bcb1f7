//! The gold of the pages of a data folder, read from disk, and which splits have some.
//!
//! | path | content |
//! |---|---|
//! | `manifest.jsonl` | one row per page |
//! | `pages/ID.html` or `pages/ID.mhtml` | the page, raw bytes |
//! | `gold/ID.txt` | the main text, UTF-8, for rows with full gold |
//! | `gold/ID.json` | `{"with": [...], "without": [...]}`: snippets that must and must not appear |
//! | `node_labels/ID.json` | a human's labels of text nodes: `[[text, "1" \| "2" \| "3"], ...]` |
//! | `gold_comments/ID.txt` | the readers' comments, UTF-8; empty for a page without |
//! | `gold_marked/ID.txt` | the main text with `<p>`, `<h>` or `<l>` before each segment |
//! | `labels/ID.json` | a person's label of each block (see [`labels`](super::labels)) |
//! | `captures/ID/` | the capture that was labelled, if the set keeps it |
//!
//! A set need not have the last five.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use vclean_core::error::DataError;
use vclean_run::source::{DataSet, GoldKind, Row, Split};

/// Snippets of a page's text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Snippets {
    /// Snippets that a good output contains.
    #[serde(default)]
    pub with: Vec<String>,
    /// Snippets that a good output does not contain.
    #[serde(default)]
    pub without: Vec<String>,
}

/// The gold of a page, with which its output is compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gold {
    /// The main text, as in the file; `None` if there are only snippets.
    pub text: Option<String>,
    /// Snippets, if the set has them.
    pub snippets: Option<Snippets>,
    /// The main text with `<p>`, `<h>` or `<l>` at the start of each segment, if the set has it.
    pub marked: Option<String>,
    /// The readers' comments, empty for a page without; `None` if the set does not tell them apart.
    pub comments: Option<String>,
}

/// Checks that the gold of these pages exists, before the work that needs it begins.
pub fn check_gold(set: &DataSet, rows: &[&Row]) -> Result<(), DataError> {
    let with_file = |row: &&&Row| row.gold_kind != GoldKind::Nothing;
    rows.iter().filter(with_file).try_for_each(|row| {
        let file = format!(
            "gold/{}.{}",
            row.id,
            if row.gold_kind == GoldKind::Snippets {
                "json"
            } else {
                "txt"
            }
        );
        let is_there = row.gold_kind != GoldKind::Metadata && set.folder.join(&file).is_file();
        if is_there {
            Ok(())
        } else {
            Err(DataError::NoGold {
                set: set.name.clone(),
                id: row.id.clone(),
                file,
            })
        }
    })
}

/// The gold of a page: its text, its snippets, or both.
pub fn read_gold(set: &DataSet, row: &Row) -> Result<Gold, DataError> {
    check_gold(set, &[row])?;
    let text = match row.gold_kind {
        GoldKind::Full => Some(read_text(
            &set.folder.join("gold").join(format!("{}.txt", row.id)),
        )?),
        GoldKind::Nothing => Some(String::new()),
        GoldKind::Snippets | GoldKind::Metadata => None,
    };
    let path = set.folder.join("gold").join(format!("{}.json", row.id));
    let snippets = if row.gold_kind == GoldKind::Snippets || path.is_file() {
        let content = read_text(&path)?;
        Some(
            serde_json::from_str(&content).map_err(|error| DataError::Read {
                path,
                cause: error.to_string(),
            })?,
        )
    } else {
        None
    };
    let path = set
        .folder
        .join("gold_marked")
        .join(format!("{}.txt", row.id));
    let marked = if text.is_some() && path.is_file() {
        Some(read_text(&path)?)
    } else {
        None
    };
    let path = comments_file(set, row);
    let comments = if path.is_file() {
        Some(read_text(&path)?)
    } else {
        None
    };
    Ok(Gold {
        text,
        snippets,
        marked,
        comments,
    })
}

/// True if the set has the readers' comments of a page, or the fact that there are none.
pub fn tells_comments(set: &DataSet, row: &Row) -> bool {
    comments_file(set, row).is_file()
}

/// The file of labels that a person gave to the blocks of a page, whether it exists or not.
pub(super) fn labels_file(set: &DataSet, row: &Row) -> PathBuf {
    set.folder.join("labels").join(format!("{}.json", row.id))
}

/// The folder of the capture that a person labelled, whether it exists or not.
pub(super) fn labelled_capture(set: &DataSet, row: &Row) -> PathBuf {
    set.folder.join("captures").join(&row.id)
}

fn comments_file(set: &DataSet, row: &Row) -> PathBuf {
    set.folder
        .join("gold_comments")
        .join(format!("{}.txt", row.id))
}

/// Names of gold files (`gold/NAME.txt`, `gold/NAME.json`) without a row in the manifest, sorted.
///
/// # Errors
/// If the folder of gold cannot be read.
pub fn gold_without_row(set: &DataSet) -> Result<Vec<String>, DataError> {
    let folder = set.folder.join("gold");
    let fail = |error: std::io::Error| DataError::Read {
        path: folder.clone(),
        cause: error.to_string(),
    };
    let known: BTreeSet<&str> = set.rows.iter().map(|row| row.id.as_str()).collect();
    let mut alone = BTreeSet::new();
    for entry in fs::read_dir(&folder).map_err(fail)? {
        let name = entry
            .map_err(fail)?
            .file_name()
            .to_string_lossy()
            .into_owned();
        let stem = name
            .strip_suffix(".txt")
            .or_else(|| name.strip_suffix(".json"));
        alone.extend(stem.filter(|stem| !known.contains(stem)).map(str::to_owned));
    }
    Ok(alone.into_iter().collect())
}

/// A human's labels of the page's text nodes, if the set has them: text and 1 (bad), 2 (uncertain),
/// 3 (good); 0 if the human gave none of these (canola has nodes that are `undefined`).
pub fn node_labels(set: &DataSet, row: &Row) -> Result<Option<Vec<(String, u8)>>, DataError> {
    let path = set
        .folder
        .join("node_labels")
        .join(format!("{}.json", row.id));
    if !path.is_file() {
        return Ok(None);
    }
    let content = read_text(&path)?;
    let pairs: Vec<(String, String)> =
        serde_json::from_str(&content).map_err(|error| DataError::Read {
            path: path.clone(),
            cause: error.to_string(),
        })?;
    let number = |label: &str| {
        label
            .parse()
            .ok()
            .filter(|label| (1..=3).contains(label))
            .unwrap_or(0)
    };
    Ok(Some(
        pairs
            .into_iter()
            .map(|(text, label)| (text, number(&label)))
            .collect(),
    ))
}

fn read_text(path: &Path) -> Result<String, DataError> {
    let bytes = fs::read(path).map_err(|error| DataError::Read {
        path: path.to_path_buf(),
        cause: error.to_string(),
    })?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

/// Number of names of splits that a message lists.
const MAX_NAMED: usize = 5;

/// The pages of a split that have gold for their text; checks that there are some and that it
/// exists.
///
/// # Errors
/// If there is no page or gold is missing.
pub fn measured_rows(set: &DataSet, split: Split) -> Result<Vec<&Row>, DataError> {
    check_split(std::slice::from_ref(set), split)?;
    let mut rows = set.split(split);
    // Where no page has such gold, the check names the first.
    if rows.iter().any(|row| row.has_text_gold()) {
        rows.retain(|row| row.has_text_gold());
    }
    check_gold(set, &rows)?;
    Ok(rows)
}

/// Checks that at least one of the sets has a page of the split.
///
/// # Errors
/// If none has one; the error says which splits the rows of the manifests have instead.
pub fn check_split(sets: &[DataSet], split: Split) -> Result<(), DataError> {
    if sets.iter().any(|set| !set.split(split).is_empty()) {
        return Ok(());
    }
    let mut rows_by_split: BTreeMap<&str, usize> = BTreeMap::new();
    for row in sets.iter().flat_map(|set| &set.rows) {
        *rows_by_split.entry(&row.split).or_default() += 1;
    }
    let without = rows_by_split.remove("");
    let mut found: Vec<String> = rows_by_split
        .iter()
        .take(MAX_NAMED)
        .map(|(name, rows)| format!("{rows} have {name:?}"))
        .collect();
    if rows_by_split.len() > MAX_NAMED {
        found.push("others have other names".to_owned());
    }
    found.extend(without.map(|rows| format!("{rows} have none")));
    let sets: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    Err(DataError::EmptySplit {
        sets: sets.join(", "),
        split: split.name(),
        found: found.join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use vclean_run::source::Split;

    fn write(folder: &Path, name: &str, content: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[test]
    fn a_folder_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        write(
            at,
            "manifest.jsonl",
            concat!(
                "{\"id\": \"b\", \"host\": \"x.org\", \"lang\": \"zh\", \"split\": \"dev\", \"gold_kind\": \"snippets\"}\n\n",
                "{\"id\": \"a\", \"host\": \"y.org\", \"split\": \"train\", \"gold_kind\": \"full\", ",
                "\"renders_layout\": true, \"page_type\": \"forum\", \"unknown\": 1}\n",
            ),
        );
        write(at, "pages/a.html", "<p>a");
        write(at, "pages/b.mhtml", "b");
        write(at, "gold/a.txt", "\u{feff}text");
        write(at, "gold_marked/a.txt", "<p>text");
        write(at, "gold_comments/a.txt", "");
        write(
            at,
            "gold/b.json",
            r#"{"with": ["w"], "without": [], "title": "t"}"#,
        );
        write(
            at,
            "node_labels/a.json",
            r#"[["x", "1"], ["y", "3"], ["z", "undefined"], ["", "7"]]"#,
        );
        let set = DataSet::open(at).unwrap();
        let (a, b) = (&set.rows[0], &set.rows[1]);
        assert_eq!(read_gold(&set, a).unwrap().text.as_deref(), Some("text"));
        assert_eq!(
            read_gold(&set, a).unwrap().marked.as_deref(),
            Some("<p>text")
        );
        assert_eq!(read_gold(&set, a).unwrap().comments.as_deref(), Some(""));
        assert_eq!(read_gold(&set, b).unwrap().comments, None);
        assert_eq!(read_gold(&set, b).unwrap().snippets.unwrap().with, ["w"]);
        let labels: Vec<u8> = node_labels(&set, a)
            .unwrap()
            .unwrap()
            .iter()
            .map(|(_, label)| *label)
            .collect();
        assert_eq!(labels, [1, 3, 0, 0]);
        assert!(gold_without_row(&set).unwrap().is_empty());
        write(at, "gold/c.txt", "");
        assert_eq!(gold_without_row(&set).unwrap(), ["c"]);
        assert_eq!(node_labels(&set, b).unwrap(), None);
    }

    #[test]
    fn a_page_without_text_has_empty_gold_and_one_without_gold_is_not_measured() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        write(
            at,
            "manifest.jsonl",
            "{\"id\": \"a\", \"state\": \"login\"}\n{\"id\": \"b\", \"state\": \"text\"}",
        );
        write(at, "pages/a.html", "<p>Name");
        write(at, "pages/b.html", "<p>text");
        let set = DataSet::open(at).unwrap();
        let rows = measured_rows(&set, Split::All).unwrap();
        assert_eq!(rows, [&set.rows[0]]);
        assert_eq!(read_gold(&set, rows[0]).unwrap().text.as_deref(), Some(""));
        assert!(read_gold(&set, &set.rows[1]).is_err());
    }

    #[test]
    fn bad_gold_is_named_with_set_row_and_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let at = &folder.path().join("tiny");
        fs::create_dir(at).unwrap();
        let row = r#"{"id": "x", "gold_kind": "full"}"#;
        let fails = |manifest: &str, words: &[&str]| {
            write(at, "manifest.jsonl", manifest);
            let found = DataSet::open(at).and_then(|set| check_gold(&set, &set.split(Split::All)));
            let error = found.unwrap_err().to_string();
            assert!(
                words.iter().all(|word| error.contains(word)),
                "{words:?} in {error}"
            );
        };
        write(at, "pages/x.html", "");
        fails(
            row,
            &["set tiny", "row x", "no gold", "gold/x.txt", "add the gold"],
        );
        write(at, "gold/x.txt", "text");
        fails(
            r#"{"id": "x", "gold_kind": "metadata"}"#,
            &["row x", "gold/x.txt", "gold_kind"],
        );
        fails(
            r#"{"id": "x", "gold_kind": "snippets"}"#,
            &["row x", "gold/x.json", "gold_kind"],
        );
        write(at, "manifest.jsonl", row);
        write(at, "gold/x.json", "{");
        let set = DataSet::open(at).unwrap();
        assert!(
            read_gold(&set, &set.rows[0])
                .unwrap_err()
                .to_string()
                .contains("x.json")
        );
    }

    #[test]
    fn the_error_says_which_splits_there_are() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("own");
        fs::create_dir_all(at.join("pages")).unwrap();
        let mut manifest = String::new();
        for (id, split) in [
            ("a", ""),
            ("b", r#", "split": "training""#),
            ("c", r#", "split": "dev""#),
        ] {
            fs::write(at.join("pages").join(id).with_extension("html"), "<p>text").unwrap();
            manifest.push_str(&["{\"id\": \"", id, "\"", split, "}\n"].concat());
        }
        fs::write(at.join("manifest.jsonl"), manifest).unwrap();
        let set = DataSet::open(&at).unwrap();
        let error = check_split(std::slice::from_ref(&set), Split::Train)
            .unwrap_err()
            .to_string();
        let cause = "no row of manifest.jsonl in own has \"split\": \"train\" (1 have \"dev\", 1 have \"training\", 1 have none)";
        assert!(error.starts_with(cause), "{error}");
        check_split(std::slice::from_ref(&set), Split::Dev).unwrap();
        assert!(
            measured_rows(&set, Split::Dev)
                .unwrap_err()
                .to_string()
                .contains("has no gold")
        );
    }
}
