//! `vclean lab align`: aligns gold text with the targets of its pages, and measures the fit.

use super::data::{DataArguments, alignment, share, split};
use super::output::{self, Terminal};
use crate::options::BatchArguments;
use crate::{SOME_FAILED, console};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use vclean_core::pipeline::choice;
use vclean_core::target::TargetRule;
use vclean_lab::evaluate::alignment::report;
use vclean_lab::evaluate::alignment::{AlignOptions, AlignedPage, align_set};
use vclean_lab::gold::Alignment;
use vclean_run::source::Split;

/// Align gold text with the text blocks of its pages
///
/// Training needs one label per text block, but gold is plain text. This verb labels the blocks by
/// aligning them with the gold, and reports how much of the gold the content blocks contain and,
/// for sets whose text nodes a human labelled, how well both labellings agree.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean lab align data/canola --static                        agreement with the human's labels, for both alignments
  vclean lab align data/styled --captures captures/ --worst 5  what the gold has and no block, on the five worst pages
  vclean lab align data/canola --static --labels labels/       one JSON file of labels a page, for vclean lab agreement")]
pub(crate) struct Arguments {
    /// Which pages: train, dev or all
    #[arg(long, value_name = "SPLIT", default_value = "all", value_parser = split)]
    pub(super) split: Split,

    /// How gold text is aligned with blocks: words (over the whole page) or dice (paragraphs and
    /// subtrees, FIASCO 5.1)
    #[arg(long, value_name = "HOW", default_value = "words", value_parser = alignment)]
    pub(super) alignment: Alignment,

    /// How text blocks are selected: blocks or fiasco
    #[arg(long, value_name = "RULE", default_value = "blocks", value_parser = choice::<TargetRule>())]
    pub(super) targets: TargetRule,

    /// Use only the best aligned share of the pages of each set, such as 0.74 (FIASCO: 117 of 158
    /// pages)
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(super) best_aligned: Option<f64>,

    /// Report the N worst aligned pages of each set, with the segments of gold that are in no
    /// content block
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) worst: usize,

    /// Write the report of all pages as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,

    /// Write the labels as DIR/SET/PAGE.json, one row per block: number, path, label, start of its
    /// text, share aligned
    #[arg(long, value_name = "DIR")]
    pub(super) labels: Option<PathBuf>,

    /// The data sets to align
    #[command(flatten)]
    pub(super) data: DataArguments,

    /// How pages are processed
    #[command(flatten)]
    pub(super) batch: BatchArguments,
}

impl Arguments {
    fn options(&self) -> AlignOptions {
        AlignOptions {
            split: self.split,
            alignment: self.alignment,
            targets: self.targets,
            best_aligned: self.best_aligned,
            labels: self.labels.clone(),
        }
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    arguments.data.protect([arguments.json.as_deref()])?;
    let threads = arguments.batch.threads()?;
    let sets = arguments.data.open()?;
    let capturing = arguments.data.capturing(&sets, arguments.batch.jobs())?;
    let (options, progress) = (arguments.options(), Terminal::new(arguments.batch.quiet));
    let (mut pages, mut failed): (Vec<AlignedPage>, usize) = (Vec::new(), 0);
    for set in &sets {
        let mut aligned = threads.install(|| align_set(set, &capturing, &options, &progress))?;
        if console::print(&[&report(&aligned, arguments.worst)]).is_err() {
            return Ok(SOME_FAILED.into());
        }
        failed += aligned.failed;
        pages.append(&mut aligned.pages);
    }
    output::write_json(arguments.json.as_deref(), &pages)?;
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}
