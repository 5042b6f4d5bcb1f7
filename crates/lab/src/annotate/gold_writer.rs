//! Writes the gold of a finished page, in the format of a [data folder](crate::gold::read).

use super::error::AnnotateError;
use super::folder::{AnnotatorFolder, GoldFolder, MERGED};
use super::history::{History, Labelled, Origin};
use super::journal::Sides;
use super::label::BlockLabel;
use super::page_state::{Effort, PageState};
use super::prepared::PreparedPage;
use crate::gold::labels::{LabelRow, label_rows, write_labels};
use crate::gold::{CommentKnowledge, Labelling, Quality};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use vclean_core::capture::site_host;
use vclean_core::files::{FileError, folder_of, make_folder, write_whole};
use vclean_core::language::{page_language, primary};
use vclean_core::target::Target;

/// One of this many sites is for evaluation.
const SITES_PER_DEV_SITE: usize = 5;

/// Writes gold into a folder, in the name of one person.
#[derive(Debug)]
pub(crate) struct GoldWriter<'a> {
    pub gold: &'a GoldFolder,
    /// The person's folder in it.
    pub person: &'a AnnotatorFolder,
    pub annotator: &'a str,
    /// True if marked gold is written too.
    pub marks: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// The files, relative to the folder of gold.
    pub files: Vec<String>,
    /// The other person whose gold for this page is kept in place of this one.
    pub kept_of: Option<String>,
}

impl GoldWriter<'_> {
    /// Writes the gold of a page and its row in the manifest, with the effort that it cost. If the
    /// gold of another person is there, only the labels of this one are written: two annotators do
    /// not overwrite each other, and merging decides.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub(crate) fn write(
        &self,
        id: &str,
        page: &PreparedPage,
        state: &PageState,
        effort: Effort,
    ) -> Result<Written, AnnotateError> {
        let _lock = self.gold.lock()?;
        let mut manifest = Manifest::read(&self.gold.manifest())?;
        let labels = rows_of_labels(page, state.history());
        let mut files = Files {
            root: self.gold.path(),
            written: Vec::new(),
        };
        files.labels(&self.person.labels(id), &labels)?;
        let other = manifest
            .row(id)
            .and_then(|row| row.get("annotator"))
            .and_then(Value::as_str);
        let other = other.filter(|other| *other != self.annotator && *other != MERGED);
        if let Some(other) = other.filter(|_| state.beginning().sides.is_none()) {
            return Ok(Written {
                kept_of: Some(other.to_owned()),
                files: files.written,
            });
        }
        let root = self.gold.path();
        let texts = texts(page, state.history());
        files.text(&root.join(format!("gold/{id}.txt")), &texts.content)?;
        files.text(
            &root.join(format!("gold_comments/{id}.txt")),
            &texts.comments,
        )?;
        let marked = root.join(format!("gold_marked/{id}.txt"));
        if self.marks {
            files.text(&marked, &texts.marked)?;
        } else {
            remove(&marked)?;
        }
        let nodes =
            serde_json::to_string(&node_labels(page, state.history())).expect("texts and labels");
        files.text(
            &root.join(format!("node_labels/{id}.json")),
            &format!("{nodes}\n"),
        )?;
        files.labels(&root.join(format!("labels/{id}.json")), &labels)?;
        if let Some(sides) = &state.beginning().sides {
            files.text(&self.person.decisions(id), &decisions(page, state, sides))?;
        }
        let host = page.url.as_deref().and_then(site_host);
        let split = manifest.split_for(id, host.as_deref());
        let mut row = self.row(id, page, state, effort, &texts.content);
        row.insert("host".to_owned(), json!(host.as_deref().unwrap_or(id)));
        row.insert("split".to_owned(), json!(split));
        manifest.set(id, row);
        manifest.write()?;
        files.written.push("manifest.jsonl".to_owned());
        Ok(Written {
            files: files.written,
            kept_of: None,
        })
    }

    /// Removes the gold of a page that is reopened, unless it is another person's.
    ///
    /// # Errors
    /// If a file cannot be removed.
    pub(crate) fn remove(&self, id: &str) -> Result<(), AnnotateError> {
        let _lock = self.gold.lock()?;
        remove(&self.person.labels(id))?;
        let mut manifest = Manifest::read(&self.gold.manifest())?;
        let is_ours =
            |row: &Row| row.get("annotator").and_then(Value::as_str) == Some(self.annotator);
        if !manifest.row(id).is_some_and(is_ours) {
            return Ok(());
        }
        manifest.remove(id);
        manifest.write()?;
        let root = self.gold.path();
        for folder in ["gold", "gold_comments", "gold_marked"] {
            remove(&root.join(folder).join(format!("{id}.txt")))?;
        }
        for folder in ["node_labels", "labels"] {
            remove(&root.join(folder).join(format!("{id}.json")))?;
        }
        Ok(())
    }

    fn row(
        &self,
        id: &str,
        page: &PreparedPage,
        state: &PageState,
        effort: Effort,
        content: &str,
    ) -> Row {
        let mut row = json!({
            "id": id,
            "url": page.url,
            "lang": language(&page.language, content),
            "gold_kind": "full",
            "renders_layout": page.capture.layout.is_some(),
            "annotator": self.annotator,
            "seconds": (effort.seconds * 10.0).round() / 10.0,
            "keys": effort.keys,
        });
        if let Some(sides) = &state.beginning().sides {
            row["merged_from"] = json!(sides.names);
            row["decided_by"] = json!(state.beginning().annotator);
        }
        match row {
            Value::Object(row) => row,
            _ => unreachable!("a row is an object"),
        }
    }
}

/// Language of a page with the gold text `content`: the stated one, unless the text is in another.
/// Chinese and Japanese gold is compared by characters, and many templates state `en` whatever the
/// text is.
fn language(stated: &str, content: &str) -> String {
    match page_language(Some(stated), content) {
        Some(code) if code != primary(stated) => code,
        _ => stated.to_owned(),
    }
}

/// Files below a root, with their names.
struct Files<'a> {
    root: &'a Path,
    written: Vec<String>,
}

impl Files<'_> {
    fn text(&mut self, path: &Path, text: &str) -> Result<(), FileError> {
        make_folder(folder_of(path))?;
        write_whole(path, text.as_bytes())?;
        self.add(path);
        Ok(())
    }

    fn labels(&mut self, path: &Path, rows: &[LabelRow]) -> Result<(), FileError> {
        make_folder(folder_of(path))?;
        write_labels(path, rows)?;
        self.add(path);
        Ok(())
    }

    fn add(&mut self, path: &Path) {
        let name = path.strip_prefix(self.root).unwrap_or(path);
        self.written.push(name.to_string_lossy().into_owned());
    }
}

fn remove(path: &Path) -> Result<(), AnnotateError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(FileError::Write {
            path: PathBuf::from(path),
            cause: error,
        }
        .into()),
        _ => Ok(()),
    }
}

/// The texts of the labelled blocks, one block per line.
struct Texts {
    content: String,
    comments: String,
    marked: String,
}

fn texts(page: &PreparedPage, history: &History) -> Texts {
    let mut texts = Texts {
        content: String::new(),
        comments: String::new(),
        marked: String::new(),
    };
    for (block, labelled) in page.blocks.iter().zip(history.blocks()) {
        let line = format!("{}\n", block.text);
        match labelled.label {
            BlockLabel::Content => {
                texts.marked.push_str(labelled.mark.tag());
                texts.marked.push_str(&line);
                texts.content.push_str(&line);
            }
            BlockLabel::Comments => texts.comments.push_str(&line),
            BlockLabel::Boilerplate | BlockLabel::Unsure => {}
        }
    }
    texts
}

/// A line for each block of a merged page: its label, who decided it, and the labels of both
/// annotators.
fn decisions(page: &PreparedPage, state: &PageState, sides: &Sides) -> String {
    let line = |(block, (labelled, answers)): (usize, (&Labelled, &[BlockLabel; 2]))| {
        let by = match labelled.by {
            Origin::Person => Some(state.beginning().annotator.as_str()),
            Origin::Both => Some("both"),
            Origin::Model | Origin::Nobody => None,
        };
        let labels: BTreeMap<&str, BlockLabel> = sides
            .names
            .iter()
            .map(String::as_str)
            .zip(answers.iter().copied())
            .collect();
        let xpath = &page.blocks[block].xpath;
        let row = json!({ "block": block, "xpath": xpath, "label": labelled.label, "by": by, "labels": labels });
        format!("{row}\n")
    };
    state
        .history()
        .blocks()
        .iter()
        .zip(&sides.labels)
        .enumerate()
        .map(line)
        .collect()
}

/// The text of each text node with 1 (bad), 2 (uncertain) or 3 (good).
fn node_labels(page: &PreparedPage, history: &History) -> Vec<(String, &'static str)> {
    let labels = page
        .blocks
        .iter()
        .zip(history.blocks())
        .flat_map(|(block, labelled)| {
            let label = match labelled.label {
                BlockLabel::Boilerplate | BlockLabel::Comments => "1",
                BlockLabel::Unsure => "2",
                BlockLabel::Content => "3",
            };
            let text = |node| page.capture.dom.text(node).unwrap_or_default().to_owned();
            block
                .target
                .texts
                .iter()
                .map(move |&node| (text(node), label))
        });
    labels.collect()
}

fn rows_of_labels(page: &PreparedPage, history: &History) -> Vec<LabelRow> {
    let targets: Vec<Target> = page
        .blocks
        .iter()
        .map(|block| block.target.clone())
        .collect();
    // If two annotators disagree and nobody has decided, there is no label.
    let label = |block: &Labelled| block.label.decided().filter(|_| block.by != Origin::Nobody);
    let labelling = Labelling {
        labels: history.blocks().iter().map(label).collect(),
        scores: vec![1.0; targets.len()],
        quality: Quality::default(),
        comments: CommentKnowledge::default(),
    };
    label_rows(&page.capture, &targets, &labelling)
}

// The rows of a manifest: one per finished page; rows of other pages stay as they are.

/// A row as in the file, with all its members.
pub(crate) type Row = Map<String, Value>;

/// The manifest of a data folder. Whoever changes it holds the lock of the folder.
#[derive(Debug)]
pub(super) struct Manifest {
    path: PathBuf,
    rows: Vec<Row>,
}

impl Manifest {
    /// Reads the rows; there are none if the file does not exist.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is not a row.
    pub(super) fn read(path: &Path) -> Result<Self, AnnotateError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(cause) => {
                return Err(AnnotateError::Read {
                    path: path.to_path_buf(),
                    cause,
                });
            }
        };
        let lines = bytes
            .split(|byte| *byte == b'\n')
            .enumerate()
            .filter(|(_, line)| !line.trim_ascii().is_empty());
        let rows = lines.map(|(index, line)| {
            serde_json::from_slice(line).map_err(|error| {
                let cause = format!(
                    "{} has no row in line {}: {error}; repair the line",
                    path.display(),
                    index + 1
                );
                AnnotateError::Input(cause)
            })
        });
        Ok(Self {
            path: path.to_path_buf(),
            rows: rows.collect::<Result<_, _>>()?,
        })
    }

    /// All rows, in order.
    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The row of a page.
    pub(super) fn row(&self, id: &str) -> Option<&Row> {
        self.rows.iter().find(|row| is_of(row, id))
    }

    /// True if the gold of a page is another person's, so that this person's labels are only kept
    /// beside it.
    pub(super) fn is_of_other(&self, id: &str, annotator: &str) -> bool {
        let owner = self
            .row(id)
            .and_then(|row| row.get("annotator"))
            .and_then(Value::as_str);
        owner.is_some_and(|owner| owner != annotator && owner != MERGED)
    }

    /// The split of a page of `host`: all pages of a site are in one, and each fifth new site is
    /// for evaluation (`dev`), the others for training. A page of an unknown site is for training,
    /// because the site may already be in training.
    fn split_for(&self, id: &str, host: Option<&str>) -> String {
        let text =
            |row: &'_ Row, name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
        let of_site = || {
            self.rows
                .iter()
                .find(|row| host.is_some() && text(row, "host").as_deref() == host)
        };
        if let Some(split) = self
            .row(id)
            .or_else(of_site)
            .and_then(|row| text(row, "split"))
        {
            return split;
        }
        let sites: BTreeSet<_> = self
            .rows
            .iter()
            .filter_map(|row| text(row, "host"))
            .collect();
        let is_fifth = host.is_some() && (sites.len() + 1).is_multiple_of(SITES_PER_DEV_SITE);
        if is_fifth { "dev" } else { "train" }.to_owned()
    }

    /// Replaces the row of a page, or adds it at the end.
    pub(super) fn set(&mut self, id: &str, row: Row) {
        match self.rows.iter_mut().find(|row| is_of(row, id)) {
            Some(old) => *old = row,
            None => self.rows.push(row),
        }
    }

    /// Removes the row of a page.
    pub(super) fn remove(&mut self, id: &str) {
        self.rows.retain(|row| !is_of(row, id));
    }

    /// Writes the rows.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(super) fn write(&self) -> Result<(), AnnotateError> {
        let line = |row: &Row| serde_json::to_string(row).expect("a row has string keys") + "\n";
        let text: String = self.rows.iter().map(line).collect();
        Ok(write_whole(&self.path, text.as_bytes())?)
    }
}

fn is_of(row: &Row, id: &str) -> bool {
    row.get("id").and_then(Value::as_str) == Some(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn other_rows_and_their_members_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest.jsonl");
        assert!(Manifest::read(&path).unwrap().row("a").is_none());
        std::fs::write(&path, "{\"id\":\"a\",\"mine\":[1]}\n\n{\"id\":\"b\"}\n").unwrap();
        let mut manifest = Manifest::read(&path).unwrap();
        let row = |value: Value| value.as_object().unwrap().clone();
        manifest.set("b", row(json!({"id": "b", "split": "train"})));
        manifest.set("c", row(json!({"id": "c"})));
        manifest.write().unwrap();
        let mut manifest = Manifest::read(&path).unwrap();
        assert_eq!(manifest.row("a").unwrap()["mine"], json!([1]));
        assert_eq!(manifest.row("b").unwrap()["split"], "train");
        manifest.remove("a");
        manifest.write().unwrap();
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "{\"id\":\"b\",\"split\":\"train\"}\n{\"id\":\"c\"}\n"
        );
    }

    #[test]
    fn the_pages_of_a_site_are_in_one_split_and_each_fifth_site_is_for_evaluating() {
        let mut manifest = Manifest {
            path: PathBuf::new(),
            rows: Vec::new(),
        };
        let add = |manifest: &mut Manifest, id: &str, host: Option<&str>| {
            let split = manifest.split_for(id, host);
            let row = json!({ "id": id, "host": host.unwrap_or(id), "split": split });
            manifest.set(id, row.as_object().unwrap().clone());
            split
        };
        let sites = ["a", "b", "c", "d", "e", "f"];
        let splits: Vec<_> = sites
            .iter()
            .map(|site| add(&mut manifest, site, Some(site)))
            .collect();
        assert_eq!(splits, ["train", "train", "train", "train", "dev", "train"]);
        assert_eq!(add(&mut manifest, "another of e", Some("e")), "dev");
        assert_eq!(add(&mut manifest, "another of a", Some("a")), "train");
        assert_eq!(
            add(&mut manifest, "e", Some("moved")),
            "dev",
            "a page that is written again stays where it is"
        );
        for number in 0..10 {
            assert_eq!(
                add(&mut manifest, &format!("unknown {number}"), None),
                "train"
            );
        }
    }

    #[test]
    fn a_damaged_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest.jsonl");
        std::fs::write(&path, "{\"id\":\"a\"}\nno row\n").unwrap();
        assert!(
            Manifest::read(&path)
                .unwrap_err()
                .to_string()
                .contains("line 2")
        );
    }
}
