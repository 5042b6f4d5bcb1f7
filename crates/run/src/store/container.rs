//! Containers: a file, or folder of files, that holds the pages of a run.

use super::record::Record;
use crate::journal::Checkpoint;
use std::io;
use std::path::{Path, PathBuf};
use vclean_core::emit::Corpus;

/// The options of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerOptions {
    /// Folder for internal files that must outlive the run.
    pub state: PathBuf,
    /// Media type of the texts.
    pub media_type: &'static str,
    /// How the texts follow one another, in a container that holds nothing else.
    pub corpus: Corpus,
    /// When the run began, in seconds since 1970: the date of the records.
    pub began_s: u64,
    /// How much of the block table records hold.
    pub blocks: Blocks,
    /// Whether records say what the filters of the run found.
    pub has_corpus: bool,
    /// Whether records hold the positions of the text.
    pub positions: bool,
}

/// How much of the block table records hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Blocks {
    /// None of it.
    #[default]
    None,
    /// The decision on every block.
    Verdicts,
    /// The decisions and all features.
    Features,
}

/// A file, or folder of files, that holds many pages.
pub trait Container: Send {
    /// Adds a page.
    ///
    /// # Errors
    /// If it cannot be written; the container must then be closed, and resumed from the last
    /// checkpoint.
    fn append(&mut self, record: Record) -> io::Result<()>;

    /// Whether it holds so much that it should be written to disk now.
    fn is_due(&self) -> bool {
        false
    }

    /// Writes everything that was added to disk and returns the checkpoint.
    ///
    /// # Errors
    /// As [`Self::append`].
    fn sync(&mut self) -> io::Result<Checkpoint>;

    /// Called when the checkpoint of [`Self::sync`] is in the journal; a container of several files
    /// ends one of them here.
    ///
    /// # Errors
    /// As [`Self::append`].
    fn committed(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Ends the container after the last page.
    ///
    /// # Errors
    /// As [`Self::append`].
    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens a container: empty, or from a checkpoint.
pub type Open = fn(&Path, &ContainerOptions, Option<Checkpoint>) -> io::Result<Box<dyn Container>>;

/// A kind of container.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Extensions of its files, in lower case; the first is the usual one.
    pub endings: &'static [&'static str],
    /// Its content, in one sentence.
    pub doc: &'static str,
    /// Whether its records are full ones, with the block table; otherwise it holds texts.
    pub has_blocks: bool,
    /// Opens it: empty, or from a checkpoint.
    pub open: Open,
}

impl Kind {
    /// Whether it is one file of the format of the texts.
    pub(crate) fn holds_corpus(&self) -> bool {
        self.endings.is_empty()
    }
}
