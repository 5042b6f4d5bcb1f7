//! Data folders: pages with gold text, read from disk.
//!
//! | path | content |
//! |---|---|
//! | `manifest.jsonl` | one row per page |
//! | `pages/ID.html` or `pages/ID.mhtml` | the page, raw bytes |
//! | `gold/ID.txt` | the main text, UTF-8, for rows with full gold |
//! | `gold/ID.json` | `{"with": [...], "without": [...]}`: snippets that must and must not appear |
//! | `node_labels/ID.json` | `[[text, "1" \| "2" \| "3"], ...]`: a human's label of each text node, if the set has it; any other value means no label |
//! | `gold_comments/ID.txt` | the readers' comments, UTF-8, empty for a page without; if the set tells them apart |
//! | `gold_marked/ID.txt` | the main text with `<p>`, `<h>`, `<l>` at the start of each segment, if the set has it |
//! | `labels/ID.json` | the label that a person gave to each block, if the set was labelled so (see [`label_file`](super::label_file)) |
//! | `captures/ID/` | the capture that was labelled, if the set keeps it |

pub use crate::error::DataError;

use super::split::Split;
use super::words::TokenUnit;
use crate::error::SourceError;
use crate::language::primary;
use crate::page::Page;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// What kind of gold a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GoldKind {
    /// The whole main text.
    #[default]
    Full,
    /// Snippets that must and must not appear.
    Snippets,
}

/// One page of a set.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Name of the page within its set.
    pub id: String,
    /// Address it was taken from.
    pub url: Option<String>,
    /// Host, without `www.`; the id if the manifest has none. Folds are divided by it.
    pub host: String,
    /// Language as a BCP 47 tag, `""` if unknown.
    pub lang: String,
    /// `train`, `dev`, or another name in the manifest.
    pub split: String,
    /// Kind of gold.
    pub gold_kind: GoldKind,
    /// Whether the page still has a layout when rendered.
    pub renders_layout: bool,
    /// Kind of page, such as `article`, if the set gives it.
    pub page_type: Option<String>,
    /// The page's file.
    pub page: PathBuf,
}

impl Row {
    /// What counts as a token on this page: characters for Chinese and Japanese, else words.
    pub fn unit(&self) -> TokenUnit {
        TokenUnit::of_language(&self.lang)
    }

    /// Opens its file as a page with its address.
    ///
    /// # Errors
    /// If the file cannot be read or contains no page.
    pub fn open(&self) -> Result<Page, SourceError> {
        let mut page = Page::from_file(&self.page)?;
        if page.url.is_none() {
            page.url.clone_from(&self.url);
        }
        Ok(page)
    }
}

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

/// A folder of pages with gold, rows sorted by id.
#[derive(Debug, Clone, PartialEq)]
pub struct DataSet {
    /// Name of the folder.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
    /// Its pages, sorted by id.
    pub rows: Vec<Row>,
}

#[derive(Deserialize)]
struct ManifestRow {
    id: String,
    url: Option<String>,
    host: Option<String>,
    lang: Option<String>,
    split: Option<String>,
    #[serde(default)]
    gold_kind: GoldKind,
    #[serde(default)]
    renders_layout: bool,
    page_type: Option<String>,
}

/// Extensions of page files, in the order in which they are searched.
const PAGE_EXTENSIONS: [&str; 3] = ["html", "mhtml", "htm"];

impl DataSet {
    /// Reads the manifest in `folder` and finds each page's file.
    pub fn open(folder: &Path) -> Result<Self, DataError> {
        let path = folder.join("manifest.jsonl");
        let Ok(manifest) = fs::read(&path) else {
            return Err(DataError::NoManifest { folder: folder.to_path_buf() });
        };
        let set = folder
            .canonicalize()
            .ok()
            .and_then(|whole| whole.file_name().map(|name| name.to_string_lossy().into_owned()))
            .unwrap_or_else(|| "set".to_owned());
        let mut rows = Vec::new();
        let mut lines: HashMap<String, usize> = HashMap::new();
        for (index, line) in manifest.split(|byte| *byte == b'\n').enumerate() {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let line_number = index + 1;
            let fail = |cause: String| DataError::Manifest { set: set.clone(), line: line_number, cause };
            let row: ManifestRow = serde_json::from_slice(line).map_err(|error| fail(error.to_string()))?;
            if row.id.is_empty() || row.id.contains(['/', '\\', '\0']) || row.id.starts_with("..") {
                return Err(fail(format!("the id {:?} is no file name", row.id)));
            }
            if let Some(first) = lines.insert(row.id.clone(), line_number) {
                return Err(DataError::Duplicate { set, id: row.id, first, line: line_number });
            }
            rows.push(find(folder, &set, row)?);
        }
        if rows.is_empty() {
            return Err(DataError::Empty { set });
        }
        rows.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(Self { name: set, folder: folder.to_path_buf(), rows })
    }

    /// Opens several sets and keeps only pages in `languages` (such as `en`); an empty list keeps all pages.
    ///
    /// # Errors
    /// If a folder is not a data set, or no page is in these languages.
    pub fn open_all(folders: &[PathBuf], languages: &[String]) -> Result<Vec<Self>, DataError> {
        let mut sets: Vec<Self> = folders.iter().map(|folder| Self::open(folder)).collect::<Result<_, _>>()?;
        if !languages.is_empty() {
            for set in &mut sets {
                set.rows.retain(|row| languages.iter().any(|code| primary(&row.lang).eq_ignore_ascii_case(code)));
            }
            if sets.iter().all(|set| set.rows.is_empty()) {
                return Err(DataError::NoLanguage { languages: languages.join(", ") });
            }
        }
        Ok(sets)
    }

    /// The pages of a split, sorted by id.
    pub fn split(&self, split: Split) -> Vec<&Row> {
        let wanted = match split {
            Split::Train => Some("train"),
            Split::Dev => Some("dev"),
            Split::All => None,
        };
        self.rows.iter().filter(|row| wanted.is_none_or(|wanted| row.split == wanted)).collect()
    }

    /// Checks that the gold of these pages exists, before the work that needs it begins.
    pub fn check_gold(&self, rows: &[&Row]) -> Result<(), DataError> {
        rows.iter().try_for_each(|row| {
            let file = format!("gold/{}.{}", row.id, if row.gold_kind == GoldKind::Full { "txt" } else { "json" });
            let is_there = self.folder.join(&file).is_file();
            if is_there { Ok(()) } else { Err(DataError::NoGold { set: self.name.clone(), id: row.id.clone(), file }) }
        })
    }

    /// The gold of a page: its text, its snippets, or both.
    pub fn gold(&self, row: &Row) -> Result<Gold, DataError> {
        self.check_gold(&[row])?;
        let text = match row.gold_kind {
            GoldKind::Full => Some(read_text(&self.folder.join("gold").join(format!("{}.txt", row.id)))?),
            GoldKind::Snippets => None,
        };
        let path = self.folder.join("gold").join(format!("{}.json", row.id));
        let snippets = if row.gold_kind == GoldKind::Snippets || path.is_file() {
            let content = read_text(&path)?;
            Some(serde_json::from_str(&content).map_err(|error| DataError::Read { path, cause: error.to_string() })?)
        } else {
            None
        };
        let path = self.folder.join("gold_marked").join(format!("{}.txt", row.id));
        let marked = if text.is_some() && path.is_file() { Some(read_text(&path)?) } else { None };
        let path = self.comments_file(row);
        let comments = if path.is_file() { Some(read_text(&path)?) } else { None };
        Ok(Gold { text, snippets, marked, comments })
    }

    /// Whether the set tells the readers' comments of a page apart, or that it has none.
    pub fn tells_comments(&self, row: &Row) -> bool {
        self.comments_file(row).is_file()
    }

    /// The file of labels that a person gave to the blocks of a page, whether it exists or not.
    pub(super) fn labels_file(&self, row: &Row) -> PathBuf {
        self.folder.join("labels").join(format!("{}.json", row.id))
    }

    /// The folder of the capture that a person labelled, whether it exists or not.
    #[cfg(feature = "rendering")]
    pub(super) fn labelled_capture(&self, row: &Row) -> PathBuf {
        self.folder.join("captures").join(&row.id)
    }

    fn comments_file(&self, row: &Row) -> PathBuf {
        self.folder.join("gold_comments").join(format!("{}.txt", row.id))
    }

    /// Names of gold files (`gold/NAME.txt`, `gold/NAME.json`) without a row in the manifest, sorted.
    ///
    /// # Errors
    /// If the folder of gold cannot be read.
    pub fn gold_without_row(&self) -> Result<Vec<String>, DataError> {
        let folder = self.folder.join("gold");
        let fail = |error: std::io::Error| DataError::Read { path: folder.clone(), cause: error.to_string() };
        let known: BTreeSet<&str> = self.rows.iter().map(|row| row.id.as_str()).collect();
        let mut alone = BTreeSet::new();
        for entry in fs::read_dir(&folder).map_err(fail)? {
            let name = entry.map_err(fail)?.file_name().to_string_lossy().into_owned();
            let stem = name.strip_suffix(".txt").or_else(|| name.strip_suffix(".json"));
            alone.extend(stem.filter(|stem| !known.contains(stem)).map(str::to_owned));
        }
        Ok(alone.into_iter().collect())
    }

    /// A human's labels of the page's text nodes, if the set has them: text and 1 (bad), 2 (uncertain), 3 (good);
    /// 0 if the human gave none of these (canola has nodes that are `undefined`).
    pub fn node_labels(&self, row: &Row) -> Result<Option<Vec<(String, u8)>>, DataError> {
        let path = self.folder.join("node_labels").join(format!("{}.json", row.id));
        if !path.is_file() {
            return Ok(None);
        }
        let content = read_text(&path)?;
        let pairs: Vec<(String, String)> = serde_json::from_str(&content)
            .map_err(|error| DataError::Read { path: path.clone(), cause: error.to_string() })?;
        let number = |label: &str| label.parse().ok().filter(|label| (1..=3).contains(label)).unwrap_or(0);
        Ok(Some(pairs.into_iter().map(|(text, label)| (text, number(&label))).collect()))
    }
}

/// A row of the manifest with the file of its page.
fn find(folder: &Path, set: &str, row: ManifestRow) -> Result<Row, DataError> {
    let page = PAGE_EXTENSIONS
        .iter()
        .map(|extension| folder.join("pages").join(format!("{}.{extension}", row.id)))
        .find(|page| page.is_file())
        .ok_or_else(|| DataError::NoPage { set: set.to_owned(), id: row.id.clone() })?;
    Ok(Row {
        host: row.host.unwrap_or_else(|| row.id.clone()),
        id: row.id,
        url: row.url,
        lang: row.lang.unwrap_or_default(),
        split: row.split.unwrap_or_default(),
        gold_kind: row.gold_kind,
        renders_layout: row.renders_layout,
        page_type: row.page_type,
        page,
    })
}

fn read_text(path: &Path) -> Result<String, DataError> {
    let bytes =
        fs::read(path).map_err(|error| DataError::Read { path: path.to_path_buf(), cause: error.to_string() })?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        write(at, "gold/b.json", r#"{"with": ["w"], "without": [], "title": "t"}"#);
        write(at, "node_labels/a.json", r#"[["x", "1"], ["y", "3"], ["z", "undefined"], ["", "7"]]"#);
        let set = DataSet::open(at).unwrap();
        assert_eq!(set.rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let (a, b) = (&set.rows[0], &set.rows[1]);
        assert!(a.renders_layout && !b.renders_layout);
        assert_eq!(a.page_type.as_deref(), Some("forum"));
        assert_eq!(b.unit(), TokenUnit::Characters);
        assert_eq!(set.split(Split::Dev), [b]);
        assert_eq!(set.split(Split::All).len(), 2);
        assert_eq!(set.gold(a).unwrap().text.as_deref(), Some("text"));
        assert_eq!(set.gold(a).unwrap().marked.as_deref(), Some("<p>text"));
        assert_eq!(set.gold(a).unwrap().comments.as_deref(), Some(""));
        assert_eq!(set.gold(b).unwrap().comments, None);
        assert_eq!(set.gold(b).unwrap().snippets.unwrap().with, ["w"]);
        let labels: Vec<u8> = set.node_labels(a).unwrap().unwrap().iter().map(|(_, label)| *label).collect();
        assert_eq!(labels, [1, 3, 0, 0]);
        assert!(set.gold_without_row().unwrap().is_empty());
        write(at, "gold/c.txt", "");
        assert_eq!(set.gold_without_row().unwrap(), ["c"]);
        assert_eq!(set.node_labels(b).unwrap(), None);
    }

    #[test]
    fn bad_input_is_named_with_set_row_and_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let at = &folder.path().join("tiny");
        fs::create_dir(at).unwrap();
        let row = r#"{"id": "x", "gold_kind": "full"}"#;
        let fails = |manifest: &str, words: &[&str]| {
            write(at, "manifest.jsonl", manifest);
            let found = DataSet::open(at).and_then(|set| set.check_gold(&set.split(Split::All)));
            let error = found.unwrap_err().to_string();
            assert!(words.iter().all(|word| error.contains(word)), "{words:?} in {error}");
        };
        assert!(DataSet::open(at).unwrap_err().to_string().contains("{\"id\": \"page1\", \"split\": \"train\"}"));
        fails("", &["set tiny", "no row", "unpack the set again"]);
        fails(" \n\n", &["set tiny", "no row"]);
        fails(r#"{"id": "../x"}"#, &["set tiny", "line 1", "no file name", "correct the line"]);
        fails(&format!("\n{row}\n{{"), &["set tiny", "row x", "no page", "pages/x.html", "add the page"]);
        write(at, "pages/x.html", "");
        fails(row, &["set tiny", "row x", "no gold", "gold/x.txt", "add the gold"]);
        write(at, "gold/x.txt", "text");
        fails(&format!("{row}\n\n{{"), &["set tiny", "line 3", "EOF", "correct the line"]);
        fails(&format!("{row}\n{row}"), &["set tiny", "line 2", "id x", "line 1", "its own id"]);
        fails(r#"{"id": "x", "gold_kind": "snippets"}"#, &["row x", "gold/x.json", "gold_kind"]);
        fails(r#"{"id": "x", "gold_kind": "partial"}"#, &["line 1", "partial"]);
        fs::write(at.join("manifest.jsonl"), b"{\"id\": \"\xff\"}").unwrap();
        assert!(DataSet::open(at).unwrap_err().to_string().contains("line 1"));
        write(at, "manifest.jsonl", row);
        write(at, "gold/x.json", "{");
        let set = DataSet::open(at).unwrap();
        assert!(set.gold(&set.rows[0]).unwrap_err().to_string().contains("x.json"));
    }
}
