//! What is written for each page of a run, and where; and which of it must be the same when the run is resumed.

use super::corpus::CorpusOptions;
use super::destination::Destination;
use super::error::RunError;
use super::journal::EffectiveArguments;
use super::options::{Resuming, Shard};
use super::pool::Order;
use super::store::Blocks;
use std::path::PathBuf;
use vclean_core::emit::{EmitOptions, Format};

/// What is written for each page, and where.
#[derive(Debug, Clone)]
pub struct OutputOptions {
    /// The format of the texts.
    pub format: &'static Format,
    /// The options of the format.
    pub emit: EmitOptions,
    /// A folder for one file per page, or a container for all pages, recognized by its extension; `None` gives texts to
    /// the observer.
    pub out: Option<PathBuf>,
    /// How much of the block table is stored, if `out` supports it.
    pub blocks: Blocks,
    /// What to do with the results of an earlier run.
    pub resuming: Resuming,
    /// The chores of the run.
    pub corpus: CorpusOptions,
}

impl OutputOptions {
    /// Checks the options for an output.
    ///
    /// # Errors
    /// If they contradict each other.
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
        if self.format.name == "html" && self.corpus.drops_passages() {
            return Err(RunError::Options(
                "the format html holds the page's own elements, of which `duplicate_paragraphs` and `site_lines` drop \
                 none; mark the passages, or write another format"
                    .to_owned(),
            ));
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

    /// What must be the same when a run is resumed: the given arguments and those of the output.
    pub(super) fn arguments(&self, shard: Option<Shard>, mut arguments: EffectiveArguments) -> EffectiveArguments {
        let shard = shard.map_or("none".to_owned(), |shard| format!("{}/{}", shard.index + 1, shard.count));
        arguments.extend(
            [
                ("vclean", env!("CARGO_PKG_VERSION").to_owned()),
                ("format", self.format.name.to_owned()),
                ("blocks", format!("{:?}", self.blocks).to_lowercase()),
                ("shard", shard),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        arguments.extend(self.corpus.arguments());
        arguments
    }

    /// The order of results: decisions that depend on earlier documents need that of the inputs.
    ///
    /// # Errors
    /// If the options contradict each other.
    pub(super) fn order(&self, order: Order) -> Result<Order, RunError> {
        match order {
            _ if !self.corpus.depends_on_order() => Ok(order),
            Order::Finished => Err(RunError::Options(
                "with `unordered`, the order of the documents is not that of the inputs, and `near_duplicates`, \
                 `duplicate_paragraphs` and `site_lines` depend on it; leave one of them out"
                    .to_owned(),
            )),
            Order::Input | Order::Strict => Ok(Order::Strict),
        }
    }
}
