//! Options that several verbs share, and what the library takes for them.

use crate::emit::{self, EmitOptions, FORMATS};
#[cfg(feature = "experiments")]
use crate::gold::{Alignment, Split};
use crate::run::journal::EffectiveArguments;
use crate::run::politeness::PolitenessOptions;
use crate::run::pool::Order;
use crate::run::store::Blocks;
use crate::run::{Inputs, OutputOptions, Resuming, RunOptions, Shard};
use crate::target::TargetRule;
use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What to work on.
#[derive(Debug, Clone, Args)]
pub struct InputArguments {
    /// What to work on: http(s) addresses, HTML and MHTML files, captures, folders of any of these, WARC and WACZ archives,
    /// Parquet files and JSON lines with a column `html`, `-` for standard input
    #[arg(value_name = "INPUT", required_unless_present = "from")]
    pub inputs: Vec<String>,

    /// Read more inputs from FILE (`-` for standard input), one a line
    #[arg(long, value_name = "FILE")]
    pub from: Option<String>,

    /// Work on the K-th of N parts only: every N-th page, so that N runs share the work and write what one would
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub shard: Option<Shard>,
}

impl InputArguments {
    /// All inputs: those named first, then those of the list.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub(super) fn open(self) -> anyhow::Result<Inputs> {
        Ok(Inputs::new(self.inputs, self.from.as_deref(), self.shard)?)
    }
}

/// Reads a part such as `3/100`, counted from 1.
fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(part, count)| Some((part.parse().ok()?, count.parse().ok()?)));
    match parts {
        Some((part, count)) if (1..=count).contains(&part) => Ok(Shard { index: part - 1, count }),
        _ => Err(format!("{text} is no part of a whole; write one such as 3/100, from 1/100 to 100/100")),
    }
}

/// How to go through many pages.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Batch")]
pub struct BatchArguments {
    /// Work on N pages at once [default: one for each processor]; the results do not depend on it
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,

    /// Say nothing but errors: no progress, no warnings
    #[arg(long, short)]
    pub quiet: bool,

    /// Hand over pages as they are done instead of in the order of the inputs: a slow page holds up none behind it
    #[arg(long)]
    pub unordered: bool,

    /// Keep figures of the run in FILE as Prometheus text, written anew every few seconds
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
}

impl BatchArguments {
    /// How a run goes through its pages.
    pub fn run_options(&self) -> RunOptions {
        RunOptions {
            jobs: self.jobs.map(usize::from),
            order: if self.unordered { Order::Finished } else { Order::Input },
            metrics: self.metrics.clone(),
        }
    }

    /// Number of pages worked on at once.
    pub fn jobs(&self) -> usize {
        self.run_options().jobs()
    }

    /// As many threads.
    ///
    /// # Errors
    /// If the system gives none.
    pub fn threads(&self) -> anyhow::Result<rayon::ThreadPool> {
        rayon::ThreadPoolBuilder::new().num_threads(self.jobs()).build().context("cannot start the threads")
    }
}

/// Which model decides, and on what.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Model")]
pub struct ModelArguments {
    /// Model to decide with: a built-in name or a file [default: `rendered` for pages rendered in
    /// Chromium, `rendered-builtin` for those of the built-in engine, `static` for bare HTML]
    #[arg(long, value_name = "NAME|FILE")]
    pub model: Option<String>,

    /// How text blocks are selected: blocks or fiasco [default: as the model was trained]
    #[arg(long, value_name = "RULE", value_parser = target_rule, hide_possible_values = true)]
    pub targets: Option<TargetRule>,

    /// Keep only as much as leaves this share of the kept blocks content, as measured on sites the model had not seen
    /// (0.95: one in twenty is not); the rule that draws each page's own line is off
    #[arg(long, value_name = "SHARE")]
    pub min_precision: Option<f32>,

    /// Let a model of one engine decide on pages rendered by the other; it is refused unless this says so, since the two lay
    /// pages out differently
    #[arg(long)]
    pub any_engine: bool,
}

impl ModelArguments {
    /// What must be repeated on resume. A model in a file goes by its content.
    ///
    /// # Errors
    /// If the model's file cannot be read.
    pub(super) fn effective(&self) -> anyhow::Result<EffectiveArguments> {
        let mut arguments = EffectiveArguments::new();
        if let Some(model) = &self.model {
            let named = if Path::new(model).is_file() {
                let mut crc = flate2::Crc::new();
                crc.update(&std::fs::read(model)?);
                format!("{model} ({:08x})", crc.sum())
            } else {
                model.clone()
            };
            arguments.insert("model".to_owned(), named);
        }
        if let Some(rule) = self.targets {
            arguments.insert("targets".to_owned(), format!("{rule:?}").to_lowercase());
        }
        if let Some(precision) = self.min_precision {
            arguments.insert("min_precision".to_owned(), precision.to_string());
        }
        if self.any_engine {
            arguments.insert("any_engine".to_owned(), true.to_string());
        }
        Ok(arguments)
    }
}

/// Reads a rule by its name in [`TargetRule::ALL`].
///
/// # Errors
/// If there is no such rule.
pub fn target_rule(name: &str) -> Result<TargetRule, String> {
    named("rule", TargetRule::ALL, name)
}

/// The value that `name` stands for in a table of `kind`; an error that lists the names where there is none.
pub(super) fn named<T: Copy>(kind: &str, table: &[(&str, T)], name: &str) -> Result<T, String> {
    table.iter().find(|(known, _)| *known == name).map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
        format!("there is no {kind} {name}, choose one of {}", names.join(", "))
    })
}

/// The entries of a table of `kind` that `names` name, in the table's order; `all` names every one.
///
/// # Errors
/// If a name is no entry's.
#[cfg(feature = "experiments")]
pub(super) fn named_all<T>(
    kind: &str,
    table: impl Iterator<Item = &'static T> + Clone,
    name_of: fn(&T) -> &'static str,
    names: &[String],
) -> anyhow::Result<Vec<&'static T>> {
    if let Some(unknown) =
        names.iter().find(|name| *name != "all" && !table.clone().any(|entry| name_of(entry) == **name))
    {
        let known: Vec<&str> = table.map(name_of).collect();
        anyhow::bail!("there is no {kind} {unknown}, choose all or some of {}", known.join(", "));
    }
    let is_named = |entry: &&T| names.iter().any(|name| name == "all" || name == name_of(entry));
    Ok(table.filter(is_named).collect())
}

/// What becomes of the results of an earlier run.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ResumeArguments {
    /// Go on where an earlier run with the same options ended, however it ended: pages that are done are not done again
    #[arg(long, requires = "out", conflicts_with = "overwrite")]
    pub resume: bool,

    /// With --resume, try pages once more that failed before
    #[arg(long, requires = "resume")]
    pub retry_failed: bool,

    /// Begin anew where --out holds the results of an earlier run
    #[arg(long, requires = "out")]
    pub overwrite: bool,
}

impl ResumeArguments {
    /// As a run takes it.
    pub fn resuming(self) -> Resuming {
        Resuming { resume: self.resume, retry_failed: self.retry_failed, overwrite: self.overwrite }
    }
}

/// How much of the block table is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BlockTable {
    /// Text, path, verdict, probability, margin and box of every block, kept or not
    Verdicts,
    /// The same with all features
    Features,
}

/// What to write of a cleaned page, and where.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArguments {
    /// What to write
    #[arg(long, short, value_name = "FORMAT", default_value = "text", value_parser = formats())]
    pub format: String,

    /// Write one file a page into DIR, named after the input, instead of standard output (empty where a page has no
    /// text); or all pages into FILE.jsonl[.gz], FILE.warc[.gz] or a folder DIR.parquet
    #[arg(long, short, value_name = "DIR|FILE")]
    pub out: Option<PathBuf>,

    /// What becomes of the results of an earlier run
    #[command(flatten)]
    pub resuming: ResumeArguments,

    /// Keep the verdict on every block too, or all that was measured of it (JSON lines and Parquet)
    #[arg(long, value_name = "WHAT", requires = "out")]
    pub blocks: Option<BlockTable>,

    /// Keep links (markdown)
    #[arg(long)]
    pub links: bool,

    /// Write an HTML page that shows for each block why it stayed or went; for several pages a folder of them
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,

    /// Write the screenshot with kept blocks green and dropped ones red; for several pages a folder of them
    #[arg(long, value_name = "FILE.png")]
    pub overlay: Option<PathBuf>,

    /// Write the node mask with all blocks in purple; for several pages a folder of them
    #[arg(long, value_name = "FILE.png")]
    pub mask: Option<PathBuf>,
}

impl OutputArguments {
    /// As a run takes them.
    ///
    /// # Errors
    /// If there is no such format.
    pub(super) fn output_options(&self) -> anyhow::Result<OutputOptions> {
        let format = emit::find(&self.format).context("the choices on the command line are those of the table")?;
        let blocks = match self.blocks {
            None => Blocks::None,
            Some(BlockTable::Verdicts) => Blocks::Verdicts,
            Some(BlockTable::Features) => Blocks::Features,
        };
        let emit = EmitOptions { links: self.links };
        Ok(OutputOptions { format, emit, out: self.out.clone(), blocks, resuming: self.resuming.resuming() })
    }
}

/// The names of all formats as values of an option.
pub(super) fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(
        FORMATS.iter().map(|format| clap::builder::PossibleValue::new(format.name).help(format.doc)),
    )
}

/// Manners towards the servers of pages that have an address.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Politeness")]
pub struct PolitenessArguments {
    /// Load addresses that robots.txt asks vclean (or everybody) to stay away from; for sites that are yours
    #[arg(long)]
    pub ignore_robots: bool,

    /// Pause between two pages of one host; a longer Crawl-delay of its robots.txt goes before it
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = pause_s)]
    pub delay: f64,

    /// Pages of one host at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub per_host: u16,

    /// How often an address is tried again after a time-out, a failed connection or a busy server, each time after a
    /// longer pause, or as long as the server asks
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=10))]
    pub retries: u8,
}

impl PolitenessArguments {
    /// As [`Politeness`](crate::run::politeness::Politeness) takes them.
    pub fn options(&self) -> PolitenessOptions {
        PolitenessOptions {
            robots: !self.ignore_robots,
            delay: Duration::from_secs_f64(self.delay),
            per_host: usize::from(self.per_host),
            retries: u32::from(self.retries),
        }
    }
}

/// Reads a pause in seconds.
fn pause_s(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=120.0).contains(&seconds) => Ok(seconds),
        _ => Err(format!("{text} is no pause; give seconds from 0 to 120, such as 0.5")),
    }
}

/// Reads a split by its name in [`Split::ALL`].
#[cfg(feature = "experiments")]
pub(super) fn split(name: &str) -> Result<Split, String> {
    named("split", Split::ALL, name)
}

/// Reads an alignment by its name in [`Alignment::ALL`].
#[cfg(feature = "experiments")]
pub(super) fn alignment(name: &str) -> Result<Alignment, String> {
    named("alignment", Alignment::ALL, name)
}
