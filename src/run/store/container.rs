//! What a container is: a file, or folder of files, that takes the pages of a run.

use super::record::Record;
use crate::run::journal::Checkpoint;
use std::io;
use std::path::{Path, PathBuf};

/// What a container needs to know beside its path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerOptions {
    /// Folder for what has to outlive the run and is not for users.
    pub state: PathBuf,
    /// Media type of the texts.
    pub media_type: &'static str,
    /// When the run began, in seconds since 1970: the date of what it makes.
    pub began_s: u64,
    /// Whether records come with blocks, and their blocks with features.
    pub blocks: Blocks,
}

/// How much of the block table records hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Blocks {
    /// None of it.
    #[default]
    None,
    /// The verdict on every block.
    Verdicts,
    /// The verdicts and all that was measured.
    Features,
}

/// A file, or folder of files, that takes many pages.
pub trait Container: Send {
    /// Adds a page.
    ///
    /// # Errors
    /// If it cannot be written; the container must then be left, and gone on with from the last checkpoint.
    fn append(&mut self, record: Record) -> io::Result<()>;

    /// Whether it has taken so much that it should be put on disk now.
    fn is_due(&self) -> bool {
        false
    }

    /// Puts all that was added on disk and says up to where that is.
    ///
    /// # Errors
    /// As [`Self::append`].
    fn sync(&mut self) -> io::Result<Checkpoint>;

    /// Called when what [`Self::sync`] said stands in the journal; a container of several files ends one of them here.
    ///
    /// # Errors
    /// As [`Self::append`].
    fn committed(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Ends the container after the last page, or before a later run goes on.
    ///
    /// # Errors
    /// As [`Self::append`].
    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens a container: empty, or behind a checkpoint.
pub type Open = fn(&Path, &ContainerOptions, Option<Checkpoint>) -> io::Result<Box<dyn Container>>;

/// A kind of container.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// Endings of its files' names, in lower case; the first is the usual one.
    pub endings: &'static [&'static str],
    /// What it holds, in a sentence.
    pub doc: &'static str,
    /// Whether it holds the block table.
    pub has_blocks: bool,
    /// Opens it: empty, or behind a checkpoint.
    pub open: Open,
}
