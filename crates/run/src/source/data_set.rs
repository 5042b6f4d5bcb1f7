//! A data folder as an input: the pages that its manifest lists, with their addresses.
//!
//! | path | content |
//! |---|---|
//! | `manifest.jsonl` | one row per page |
//! | `pages/ID.html` or `pages/ID.mhtml` | the page, raw bytes |
//!
//! The other files of such a folder, above all the gold, are read by the laboratory (`gold`).

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use vclean_core::error::{DataError, SourceError};
use vclean_core::language::primary;
use vclean_core::page::Page;

/// The part of a set to use. No host is in two splits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Pages for training models.
    Train,
    /// Pages for evaluation during development.
    #[default]
    Dev,
    /// Every page, whatever its split in the manifest.
    All,
}

impl Split {
    /// All splits by their name on the command line.
    pub const ALL: &[(&str, Self)] = &[
        ("train", Self::Train),
        ("dev", Self::Dev),
        ("all", Self::All),
    ];

    /// Its name in [`Split::ALL`].
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, split)| *split == self)
            .map_or("", |(name, _)| *name)
    }
}

/// Kind of gold that a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GoldKind {
    /// The whole main text.
    #[default]
    Full,
    /// Snippets that must and must not appear.
    Snippets,
    /// No gold text: only title, authors or date, or the state of the page, which the manifest
    /// gives.
    Metadata,
    /// The page has no text of its own, so the main text is empty and in no file.
    Nothing,
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
    /// Kind of gold, from the manifest: the full text if it gives neither this nor a state of the
    /// page.
    pub gold_kind: GoldKind,
    /// True if the page still has a layout when rendered.
    pub renders_layout: bool,
    /// Kind of page, such as `article`, if the set gives it.
    pub page_type: Option<String>,
    /// `text`, or why the page has none, such as `login`, if the set gives it.
    pub state: Option<String>,
    /// Path of the page's HTML or MHTML file.
    pub page: PathBuf,
}

impl Row {
    /// True if the set says what the text of the page is, or that it has none.
    pub fn has_text_gold(&self) -> bool {
        self.gold_kind != GoldKind::Metadata
    }

    /// Opens the file as a page with its address.
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

/// A folder of pages with gold, rows sorted by id.
#[derive(Debug, Clone, PartialEq)]
pub struct DataSet {
    /// Name of the folder.
    pub name: String,
    /// Path of the folder.
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
    gold_kind: Option<GoldKind>,
    #[serde(default)]
    renders_layout: bool,
    page_type: Option<String>,
    /// `text`, or why the page has none, such as `login`.
    state: Option<String>,
}

impl ManifestRow {
    /// The kind of gold that the row names, or that follows from the state of the page.
    fn gold_kind(&self) -> GoldKind {
        self.gold_kind.unwrap_or(match self.state.as_deref() {
            None => GoldKind::Full,
            Some("text") => GoldKind::Metadata,
            Some(_) => GoldKind::Nothing,
        })
    }
}

/// Extensions of page files, in the order in which they are searched.
const PAGE_EXTENSIONS: [&str; 3] = ["html", "mhtml", "htm"];

impl DataSet {
    /// Reads the manifest in `folder` and finds each page's file.
    pub fn open(folder: &Path) -> Result<Self, DataError> {
        let path = folder.join("manifest.jsonl");
        let Ok(manifest) = fs::read(&path) else {
            return Err(DataError::NoManifest {
                folder: folder.to_path_buf(),
            });
        };
        let set = folder
            .canonicalize()
            .ok()
            .and_then(|whole| {
                whole
                    .file_name()
                    .map(|name| name.to_string_lossy().into_owned())
            })
            .unwrap_or_else(|| "set".to_owned());
        let mut rows = Vec::new();
        let mut lines: HashMap<String, usize> = HashMap::new();
        for (index, line) in manifest.split(|byte| *byte == b'\n').enumerate() {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let line_number = index + 1;
            let fail = |cause: String| DataError::Manifest {
                set: set.clone(),
                line: line_number,
                cause,
            };
            let row: ManifestRow =
                serde_json::from_slice(line).map_err(|error| fail(error.to_string()))?;
            if row.id.is_empty() || row.id.contains(['/', '\\', '\0']) || row.id.starts_with("..") {
                return Err(fail(format!("the id {:?} is no file name", row.id)));
            }
            if let Some(first) = lines.insert(row.id.clone(), line_number) {
                return Err(DataError::Duplicate {
                    set,
                    id: row.id,
                    first,
                    line: line_number,
                });
            }
            rows.push(find(folder, &set, row)?);
        }
        if rows.is_empty() {
            return Err(DataError::Empty { set });
        }
        rows.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(Self {
            name: set,
            folder: folder.to_path_buf(),
            rows,
        })
    }

    /// Opens several sets and keeps only pages in `languages` (such as `en`); an empty list keeps
    /// all pages.
    ///
    /// # Errors
    /// If a folder is not a data set, or no page is in these languages.
    pub fn open_all(folders: &[PathBuf], languages: &[String]) -> Result<Vec<Self>, DataError> {
        let mut sets: Vec<Self> = folders
            .iter()
            .map(|folder| Self::open(folder))
            .collect::<Result<_, _>>()?;
        if !languages.is_empty() {
            for set in &mut sets {
                set.rows.retain(|row| {
                    languages
                        .iter()
                        .any(|code| primary(&row.lang).eq_ignore_ascii_case(code))
                });
            }
            if sets.iter().all(|set| set.rows.is_empty()) {
                return Err(DataError::NoLanguage {
                    languages: languages.join(", "),
                });
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
        self.rows
            .iter()
            .filter(|row| wanted.is_none_or(|wanted| row.split == wanted))
            .collect()
    }
}

/// A row of the manifest with the file of its page.
fn find(folder: &Path, set: &str, row: ManifestRow) -> Result<Row, DataError> {
    let page = PAGE_EXTENSIONS
        .iter()
        .map(|extension| folder.join("pages").join(format!("{}.{extension}", row.id)))
        .find(|page| page.is_file())
        .ok_or_else(|| DataError::NoPage {
            set: set.to_owned(),
            id: row.id.clone(),
        })?;
    Ok(Row {
        gold_kind: row.gold_kind(),
        host: row.host.unwrap_or_else(|| row.id.clone()),
        id: row.id,
        url: row.url,
        lang: row.lang.unwrap_or_default(),
        split: row.split.unwrap_or_default(),
        renders_layout: row.renders_layout,
        page_type: row.page_type,
        state: row.state,
        page,
    })
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
    fn rows_are_sorted_by_id_and_divided_by_split() {
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
        let set = DataSet::open(at).unwrap();
        assert_eq!(
            set.rows
                .iter()
                .map(|row| row.id.as_str())
                .collect::<Vec<_>>(),
            ["a", "b"]
        );
        let (a, b) = (&set.rows[0], &set.rows[1]);
        assert!(a.renders_layout && !b.renders_layout);
        assert_eq!(a.page_type.as_deref(), Some("forum"));
        assert_eq!(set.split(Split::Dev), [b]);
        assert_eq!(set.split(Split::All).len(), 2);
    }

    #[test]
    fn the_state_of_a_page_tells_whether_it_has_a_text() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let states = [
            ("a", "\"login\"", GoldKind::Nothing),
            ("b", "\"text\"", GoldKind::Metadata),
            ("c", "null", GoldKind::Full),
            ("d", "\"login\", \"gold_kind\": \"full\"", GoldKind::Full),
        ];
        let rows = states.map(|(id, state, _)| format!("{{\"id\": \"{id}\", \"state\": {state}}}"));
        write(at, "manifest.jsonl", &rows.join("\n"));
        for (id, ..) in states {
            write(at, &format!("pages/{id}.html"), "<p>a");
        }
        let set = DataSet::open(at).unwrap();
        for (row, (id, _, kind)) in set.rows.iter().zip(states) {
            assert_eq!(row.gold_kind, kind, "{id}");
            assert_eq!(row.has_text_gold(), kind != GoldKind::Metadata);
        }
    }

    #[test]
    fn a_bad_manifest_is_named_with_set_row_and_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let at = &folder.path().join("tiny");
        fs::create_dir(at).unwrap();
        let row = r#"{"id": "x", "gold_kind": "full"}"#;
        let fails = |manifest: &str, words: &[&str]| {
            write(at, "manifest.jsonl", manifest);
            let error = DataSet::open(at).unwrap_err().to_string();
            assert!(
                words.iter().all(|word| error.contains(word)),
                "{words:?} in {error}"
            );
        };
        assert!(
            DataSet::open(at)
                .unwrap_err()
                .to_string()
                .contains("{\"id\": \"page1\", \"split\": \"train\"}")
        );
        fails("", &["set tiny", "no row", "unpack the set again"]);
        fails(" \n\n", &["set tiny", "no row"]);
        fails(
            r#"{"id": "../x"}"#,
            &["set tiny", "line 1", "no file name", "correct the line"],
        );
        fails(
            &format!("\n{row}\n{{"),
            &[
                "set tiny",
                "row x",
                "no page",
                "pages/x.html",
                "add the page",
            ],
        );
        write(at, "pages/x.html", "");
        fails(
            &format!("{row}\n\n{{"),
            &["set tiny", "line 3", "EOF", "correct the line"],
        );
        fails(
            &format!("{row}\n{row}"),
            &["set tiny", "line 2", "id x", "line 1", "its own id"],
        );
        fails(
            r#"{"id": "x", "gold_kind": "partial"}"#,
            &["line 1", "partial"],
        );
        fs::write(at.join("manifest.jsonl"), b"{\"id\": \"\xff\"}").unwrap();
        assert!(
            DataSet::open(at)
                .unwrap_err()
                .to_string()
                .contains("line 1")
        );
    }
}
