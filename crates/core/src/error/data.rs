//! The errors of data folders; each message names the set, the row and the remedy.

use std::path::PathBuf;
use thiserror::Error;

/// A data folder, or the gold of a page of it, cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// The folder is not a data folder.
    #[error("no manifest.jsonl in {}; name the folder of one data set, or write a manifest.jsonl with a line for each page, such as {{\"id\": \"page1\", \"split\": \"train\"}}", folder.display())]
    NoManifest {
        /// The folder.
        folder: PathBuf,
    },
    /// The manifest names no page.
    #[error("set {set}: manifest.jsonl has no row; unpack the set again, or write one row a page")]
    Empty {
        /// Name of the set.
        set: String,
    },
    /// A row of the manifest cannot be read.
    #[error(
        "set {set}: manifest.jsonl line {line}: {cause}; correct the line or unpack the set again"
    )]
    Manifest {
        /// Name of the set.
        set: String,
        /// Line number from 1.
        line: usize,
        /// What is wrong.
        cause: String,
    },
    /// Two rows have the same name.
    #[error(
        "set {set}: manifest.jsonl line {line}: the id {id} is that of line {first} too; give each page its own id"
    )]
    Duplicate {
        /// Name of the set.
        set: String,
        /// The name.
        id: String,
        /// Line of the first row, from 1.
        first: usize,
        /// Line of the other.
        line: usize,
    },
    /// A row has no page.
    #[error(
        "set {set}: row {id} has no page: there is no pages/{id}.html or pages/{id}.mhtml; add the page, correct the id \
         (the name of the file without .html), or remove the row"
    )]
    NoPage {
        /// Name of the set.
        set: String,
        /// Name of the page.
        id: String,
    },
    /// A page has no gold.
    #[error(
        "set {set}: row {id} has no gold: there is no {file}; add the gold, correct gold_kind in the row, or remove the row"
    )]
    NoGold {
        /// Name of the set.
        set: String,
        /// Name of the page.
        id: String,
        /// The file, relative to the set's folder.
        file: String,
    },
    /// No page is in one of the requested languages.
    #[error("no page is in {languages}; see lang in manifest.jsonl")]
    NoLanguage {
        /// The languages, separated by commas.
        languages: String,
    },
    /// The sets have no page of the requested split.
    #[error(
        "no row of manifest.jsonl in {sets} has \"split\": \"{split}\" ({found}); write it into the rows of these pages{}",
        if *split == "dev" { ", or choose other pages with `split`" } else { "" }
    )]
    EmptySplit {
        /// Names of the sets.
        sets: String,
        /// Name of the split.
        split: &'static str,
        /// The splits that there are, with their numbers of rows.
        found: String,
    },
    /// No page of the split has full gold text.
    #[error(
        "none of the {rows} pages of the split has full gold text: {cause}; name another data folder"
    )]
    NoFullGold {
        /// Number of pages.
        rows: usize,
        /// What the pages have instead.
        cause: String,
    },
    /// A file of a page cannot be read.
    #[error("cannot read {}: {cause}; unpack the data set again", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The error message of the system or the parser.
        cause: String,
    },
    /// A page was to be rendered, and another engine or the parser stood in.
    #[error(
        "the engine {engine} could not render the page, so it has no layout to learn from; it is left out{}{}",
        if cause.is_empty() { "" } else { ": " }, cause
    )]
    NotRendered {
        /// Name of the requested engine.
        engine: &'static str,
        /// The warning of the page that says why, if there is one.
        cause: String,
    },
    /// The file with the gold of structure cannot be read.
    #[error("cannot read the gold of structure in {}: {cause}; make the file again, see examples/pack_structure_gold.rs", path.display())]
    Recipes {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line.
        cause: String,
    },
    /// The gold of structure of a page does not fit the page.
    #[error(
        "the gold of structure of {set}/{id} is damaged: {cause}; make it again, see examples/pack_structure_gold.rs"
    )]
    Recipe {
        /// Name of the set.
        set: String,
        /// Name of the page.
        id: String,
        /// What is wrong.
        cause: String,
    },
    /// The page is not the one that its gold was made for.
    #[error(
        "{} is not the page that the gold of {page} was made for: its SHA-256 is not {expected}; unpack the \
         data set again",
        path.display()
    )]
    OtherPage {
        /// Names of the set and of the page, as `SET/ID`.
        page: String,
        /// The page's file.
        path: PathBuf,
        /// SHA-256 of the page that the gold was made for.
        expected: String,
    },
    /// A page that gold names is not in its data set.
    #[error("set {set} has no page {id}, which has gold; unpack the data set again")]
    NoMarkedPage {
        /// Name of the set.
        set: String,
        /// Name of the page.
        id: String,
    },
    /// The file with the gold of threads cannot be read.
    #[error(
        "cannot read the gold of threads in {}: {cause}; give each page a line with a JSON object that has set, id, page, software \
         and posts",
        path.display()
    )]
    Threads {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line.
        cause: String,
    },
    /// The gold of a thread does not fit the page.
    #[error(
        "the gold of the thread {set}/{id} does not fit its page: {cause}; read the page again"
    )]
    Thread {
        /// Name of the set.
        set: String,
        /// Name of the page.
        id: String,
        /// What is wrong.
        cause: String,
    },
    /// None of the data sets has a page with gold of this kind.
    #[error("no page of {sets} ({split}) has gold of {of} in {}; name other data folders, or another split", path.display())]
    NoPages {
        /// What the gold is of.
        of: &'static str,
        /// Names of the sets, separated by commas.
        sets: String,
        /// Name of the split.
        split: &'static str,
        /// The file with the gold.
        path: PathBuf,
    },
    /// A file with titles, authors and dates cannot be read.
    #[error(
        "cannot read the metadata in {}: {cause}; give each page a line with a JSON object that has set, id, and title, author \
         or date",
        path.display()
    )]
    Metadata {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line.
        cause: String,
    },
    /// None of the pages has gold of metadata.
    #[error(
        "no page of {sets} ({split}) has a gold title, author or date; write them into the rows of manifest.jsonl, name a \
         file with them (`metadata_gold`), or choose other pages"
    )]
    NoMetadata {
        /// Names of the sets, separated by commas.
        sets: String,
        /// Name of the split.
        split: &'static str,
    },
    /// A page has neither gold text nor snippets.
    #[error("the page has no gold")]
    NeitherTextNorSnippets,
}
