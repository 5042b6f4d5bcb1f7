//! Containers: a file, or folder of files, that holds the pages of a run.

use super::record::Record;
use crate::journal::Checkpoint;
use std::io;
use std::path::{Path, PathBuf};
use vclean_core::by_name;
use vclean_core::emit::Corpus;

/// The options of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerOptions {
    /// Folder for internal files that must outlive the run.
    pub state: PathBuf,
    /// Media type of the texts.
    pub media_type: &'static str,
    /// How texts are joined in a container that holds nothing else.
    pub corpus: Corpus,
    /// Start of the run in seconds since 1970, which is the date of the records.
    pub began_s: u64,
    /// How much of the block table records hold.
    pub blocks: Blocks,
    /// True if records hold the findings of the filters of the run.
    pub has_corpus: bool,
    /// True if records hold the positions of the text.
    pub positions: bool,
}

/// How much of the block table records hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Blocks {
    /// Records have no block table.
    #[default]
    None,
    /// The decision on every block.
    Verdicts,
    /// The decisions and all features.
    Features,
}

impl Blocks {
    /// All of them, by name.
    pub const ALL: &[(&str, Self)] = &[
        ("none", Self::None),
        ("verdicts", Self::Verdicts),
        ("features", Self::Features),
    ];
}

by_name!(Blocks, "blocks");

/// A file, or folder of files, that holds many pages.
pub trait Container: Send {
    /// Adds a page.
    ///
    /// # Errors
    /// If it cannot be written; the container must then be closed, and resumed from the last
    /// checkpoint.
    fn append(&mut self, record: Record) -> io::Result<()>;

    /// Returns true if it holds so much that it should be written to disk now.
    fn is_due(&self) -> bool {
        false
    }

    /// Writes everything that was added to disk and returns the checkpoint.
    ///
    /// # Errors
    /// Those of [`Self::append`].
    fn sync(&mut self) -> io::Result<Checkpoint>;

    /// Called when the checkpoint of [`Self::sync`] is in the journal. A container of several files
    /// may end one of them here.
    ///
    /// # Errors
    /// Those of [`Self::append`].
    fn committed(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Ends the container after the last page.
    ///
    /// # Errors
    /// Those of [`Self::append`].
    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens a container: empty, or from a checkpoint.
pub type Open = fn(&Path, &ContainerOptions, Option<Checkpoint>) -> io::Result<Box<dyn Container>>;

/// A kind of container.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Name of the kind, for documentation.
    pub name: &'static str,
    /// Extensions of its files, in lower case; the first is the usual one.
    pub endings: &'static [&'static str],
    /// Its content, in one sentence.
    pub doc: &'static str,
    /// True if it holds full records, which may have a block table; otherwise it holds texts.
    pub has_blocks: bool,
    /// Opens a container of this kind: empty, or from a checkpoint.
    pub open: Open,
}

impl Kind {
    /// Returns true if it is one file in the format of the texts.
    pub(crate) fn holds_corpus(&self) -> bool {
        self.endings.is_empty()
    }
}
