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
    /// A page has neither gold text nor snippets.
    #[error("the page has no gold")]
    NeitherTextNorSnippets,
}
