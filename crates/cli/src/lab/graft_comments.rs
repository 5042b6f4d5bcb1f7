//! `vclean lab graft-comments`: makes training pages with readers' comments from pages without.

use super::data::share;
use super::output::Terminal;
use crate::options::BatchArguments;
use crate::{SOME_FAILED, console};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use vclean_lab::train::{SyntheticFolder, SyntheticOptions, make_synthetic_comments};
use vclean_run::source::DataSet;

/// Make training pages with readers' comments from pages without
///
/// A model that has seen few comment sections takes long ones for content. This verb takes a share
/// of the training pages of data sets, inserts a made-up comment section under the main text of
/// each, and writes a data set of these pages, whose gold says which text is content and which is
/// comments. Train on it together with the sets that it was made from. The sections have the markup
/// of many comment systems; the comments are sentences of the gold texts of other sites in the same
/// language. On a third of the pages a list of related stories is inserted too, which is neither.
/// Only pages saved as HTML are used, no page of the split dev, and no listings, collections and
/// forums. Each page keeps its host, so that folds by site stay apart.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean lab graft-comments data/wcxb data/canola --out data/grafted
  vclean lab train data/wcxb data/canola data/grafted --static --out my.model
  vclean lab graft-comments data/wcxb --out data/grafted --share 0.2 --seed 7    fewer pages, and other comments")]
pub(crate) struct Arguments {
    /// Data folders: manifest.jsonl, pages/, gold/
    #[arg(value_name = "DATA", required = true)]
    data: Vec<PathBuf>,

    /// Folder to write; only an earlier result of this verb is replaced
    #[arg(long, short, value_name = "FOLDER")]
    out: PathBuf,

    /// Share of the training pages to use; of documentation, services and products, which seldom
    /// have comments, 0.4 of it
    #[arg(long, value_name = "SHARE", default_value_t = SyntheticOptions::default().share, value_parser = share)]
    share: f64,

    /// Random seed for the choice of pages, comments and markup
    #[arg(long, value_name = "N", default_value_t = SyntheticOptions::default().seed)]
    seed: u64,

    /// How pages are processed
    #[command(flatten)]
    batch: BatchArguments,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let threads = arguments.batch.threads()?;
    let sets = DataSet::open_all(&arguments.data, &[])?;
    let folder = SyntheticFolder::claim(&arguments.out, &sets)?;
    let options = SyntheticOptions {
        share: arguments.share,
        seed: arguments.seed,
    };
    let progress = Terminal::new(arguments.batch.quiet);
    let done = threads.install(|| make_synthetic_comments(&sets, &folder, options, &progress))?;
    let text = format!(
        "{} pages with comments\n{} pages left out, because their gold does not match them or there is no place for comments\n\
         wrote {}\n",
        done.made,
        done.left_out,
        arguments.out.display()
    );
    let printed = console::print(&[&text]).is_ok();
    Ok(if done.failed == 0 && printed {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}
