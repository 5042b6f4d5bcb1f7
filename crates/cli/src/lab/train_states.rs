//! `vclean lab train-states`: trains the trees that tell whether a page has text.

use super::data::language;
use super::output::{self, Terminal};
use super::train::check_file;
use crate::{SOME_FAILED, console};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use vclean_core::files;
use vclean_core::pipeline::{Options, PageCleaner};
use vclean_lab::fitting::extra_trees::ExtraTreesOptions;
use vclean_lab::train::{StateOptions, train_states};
use vclean_run::source::DataSet;

/// Train the trees that tell pages without text of their own from others
///
/// Reads data folders. A row of manifest.jsonl may name the "state" of its page: text, blocked,
/// consent, paywall, login, error, empty, shell; pages of rows without a state have text. The pages
/// are cleaned by the built-in model for bare HTML. Prints what is told apart on held-out sites and
/// on the split dev.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean lab train-states data/nopage data/modern data/wcxb --out models/states.model
  vclean lab train-states data/nopage data/modern --out states.model --rows rows.csv     the measures of every page")]
pub(crate) struct Arguments {
    /// Data folders: manifest.jsonl, pages/
    #[arg(value_name = "DATA", required = true)]
    data: Vec<PathBuf>,

    /// Model file to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// Write a line of CSV for each page: set, id, site, state, stated, made, expected F,
    /// probability of text, named state, measures
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,

    /// Number of trees in the model
    #[arg(long, value_name = "N", default_value_t = 150, value_parser = clap::value_parser!(u16).range(1..=2000))]
    trees: u16,

    /// Levels of splits of a tree
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=30))]
    depth: u8,

    /// Use only pages in these languages, such as en or en,de, as given in the manifests
    #[arg(long, value_name = "CODES", value_delimiter = ',', value_parser = language)]
    lang: Vec<String>,

    /// Random seed of the trees
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print errors only, no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (out, rows) = (Some(arguments.out.as_path()), arguments.rows.as_deref());
    output::refuse_inputs(&arguments.data, None, [out, rows])?;
    check_file(&arguments.out)?;
    let sets = DataSet::open_all(&arguments.data, &arguments.lang)?;
    let cleaner = PageCleaner::new(&Options {
        text_only: true,
        ..Options::with_model("static")
    })?;
    let progress = Terminal::new(arguments.quiet);
    let trained = train_states(&sets, &cleaner, &options(arguments, &sets), &progress)?;
    if let Some(rows) = rows {
        files::write_whole(rows, trained.rows.as_bytes())?;
    }
    trained.model.save(&arguments.out)?;
    let bytes = std::fs::metadata(&arguments.out)?.len();
    let text = format!(
        "held-out sites of train\n{}\ndev\n{}\nwrote {} ({bytes} bytes)\n",
        trained.held_out.to_text(),
        trained.dev.to_text(),
        arguments.out.display(),
    );
    let is_written = console::print(&[&text]).is_ok();
    Ok(if is_written && trained.failed == 0 {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

fn options(arguments: &Arguments, sets: &[DataSet]) -> StateOptions {
    let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    StateOptions {
        name: "states".to_owned(),
        seed: arguments.seed,
        command: format!(
            "vclean lab train-states {} --trees {} --depth {} --seed {} --out states.model",
            names.join(" "),
            arguments.trees,
            arguments.depth,
            arguments.seed
        ),
        trees: ExtraTreesOptions {
            trees: usize::from(arguments.trees),
            depth: usize::from(arguments.depth),
            min_leaf: 2,
            column_share: 0.3,
            seed: arguments.seed,
        },
    }
}
