//! The errors of data folders; each message names the set, the row and the remedy.

use std::path::PathBuf;
use thiserror::Error;

/// A data folder, or the gold text of one of its pages, cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DataError {
    /// The folder is not a data folder.
    #[error("no manifest.jsonl in {}; name the folder of one data set, or write a manifest.jsonl with a line for each page, such as {{\"id\": \"page1\", \"split\": \"train\"}}", folder.display())]
    NoManifest {
        /// Path of the folder without a manifest.
        folder: PathBuf,
    },
    /// The manifest lists no page.
    #[error("set {set}: manifest.jsonl has no row; unpack the set again, or write one row a page")]
    Empty {
        /// Name of the data set.
        set: String,
    },
    /// A row of the manifest cannot be read.
    #[error(
        "set {set}: manifest.jsonl line {line}: {cause}; correct the line or unpack the set again"
    )]
    Manifest {
        /// Name of the data set.
        set: String,
        /// Line number, from 1.
        line: usize,
        /// Description of the problem, for the message.
        cause: String,
    },
    /// Two rows have the same id.
    #[error(
        "set {set}: manifest.jsonl line {line}: the id {id} is that of line {first} too; give each page its own id"
    )]
    Duplicate {
        /// Name of the data set.
        set: String,
        /// The id that occurs twice.
        id: String,
        /// Line of the first row, from 1.
        first: usize,
        /// Line of the second row, from 1.
        line: usize,
    },
    /// The page of a row does not exist.
    #[error(
        "set {set}: row {id} has no page: there is no pages/{id}.html or pages/{id}.mhtml; add the page, correct the id \
         (the name of the file without .html), or remove the row"
    )]
    NoPage {
        /// Name of the data set.
        set: String,
        /// Id of the row.
        id: String,
    },
    /// The gold text of a page does not exist.
    #[error(
        "set {set}: row {id} has no gold: there is no {file}; add the gold, correct gold_kind in the row, or remove the row"
    )]
    NoGold {
        /// Name of the data set.
        set: String,
        /// Id of the row.
        id: String,
        /// Path of the missing file, relative to the folder of the set.
        file: String,
    },
    /// No page is in any of the requested languages.
    #[error("no page is in {languages}; see lang in manifest.jsonl")]
    NoLanguage {
        /// The languages, separated by commas.
        languages: String,
    },
    /// The sets have no page in the requested split.
    #[error(
        "no row of manifest.jsonl in {sets} has \"split\": \"{split}\" ({found}); write it into the rows of these pages{}",
        if *split == "dev" { ", or choose other pages with `split`" } else { "" }
    )]
    EmptySplit {
        /// Names of the data sets.
        sets: String,
        /// Name of the requested split.
        split: &'static str,
        /// The splits that exist, with their numbers of rows.
        found: String,
    },
    /// No page of the split has full gold text.
    #[error(
        "none of the {rows} pages of the split has full gold text: {cause}; name another data folder"
    )]
    NoFullGold {
        /// Number of pages in the split.
        rows: usize,
        /// Description of the gold data that the pages have instead.
        cause: String,
    },
    /// A file of a page cannot be read.
    #[error("cannot read {}: {cause}; unpack the data set again", path.display())]
    Read {
        /// Path of the file that was to be read.
        path: PathBuf,
        /// The error message of the system or the parser.
        cause: String,
    },
    /// The requested engine failed to render a page, and another engine or the parser was used.
    #[error(
        "the engine {engine} could not render the page, so it has no layout to learn from; it is left out{}{}",
        if cause.is_empty() { "" } else { ": " }, cause
    )]
    NotRendered {
        /// Name of the requested engine.
        engine: &'static str,
        /// The page's warning that gives the reason, or `""`.
        cause: String,
    },
    /// A page has neither gold text nor snippets.
    #[error("the page has no gold")]
    NeitherTextNorSnippets,
}
