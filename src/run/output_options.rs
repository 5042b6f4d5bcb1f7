//! What is written for each page of a run, and where.

use super::destination::Destination;
use super::error::RunError;
use super::options::Resuming;
use super::store::Blocks;
use crate::cleaner::HiddenText;
use crate::emit::{EmitOptions, Format};
use std::path::PathBuf;

/// What is written for each page, and where.
#[derive(Debug, Clone)]
pub struct OutputOptions {
    /// The format of the texts.
    pub format: &'static Format,
    /// The options of the format.
    pub emit: EmitOptions,
    /// What becomes of text that readers do not see.
    pub hidden: HiddenText,
    /// A folder for one file per page, or a container for all pages, recognized by its extension; `None` gives texts to
    /// the observer.
    pub out: Option<PathBuf>,
    /// How much of the block table is stored, if `out` supports it.
    pub blocks: Blocks,
    /// What to do with the results of an earlier run.
    pub resuming: Resuming,
}

impl OutputOptions {
    /// Refuses options that do not fit the destination.
    pub(super) fn check(&self, to: &Destination) -> Result<(), RunError> {
        let has_blocks = matches!(to, Destination::Container(_, kind) if kind.has_blocks);
        if self.blocks != Blocks::None && !has_blocks {
            return Err(RunError::Options(
                "`blocks` is for an output FILE.jsonl or DIR.parquet; the format json holds the verdicts of a page alone"
                    .to_owned(),
            ));
        }
        if matches!(to, Destination::Container(..)) && self.format.is_json {
            return Err(RunError::Options(format!(
                "the format {} is for a file a page; an output FILE.jsonl holds a JSON object a page, `blocks` more of it",
                self.format.name
            )));
        }
        if self.emit.positions && !has_blocks && !self.format.is_json {
            return Err(RunError::Options(format!(
                "`positions` is for the format json and for an output FILE.jsonl or DIR.parquet, and the format is {}; leave it \
                 out, or name one of these",
                self.format.name
            )));
        }
        Ok(())
    }
}
