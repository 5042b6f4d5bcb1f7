//! Options that several verbs share, and their conversion to options of the library.

pub(super) use vclean_core::pipeline::share_of_one;

#[cfg(feature = "lab")]
use anyhow::Context;
use clap::{Arg, Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::time::Duration;
use vclean_core::emit::FORMATS;
use vclean_core::pipeline::Options;
use vclean_run::Order;
use vclean_run::journal::EffectiveArguments;
use vclean_run::politeness::PolitenessOptions;
use vclean_run::store::Blocks;
use vclean_run::{
    CorpusOptions, Inputs, OutputOptions, Resuming, RunOptions, Shard, format_of_ending,
};

/// The value with this `name` in a table; an unknown name gives an error that lists the known ones,
/// and that the parser of arguments puts after the name of the option.
pub(super) fn named<T: Copy>(table: &[(&str, T)], name: &str) -> Result<T, String> {
    table
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, value)| value)
        .ok_or_else(|| {
            let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
            format!("choose one of {}", names.join(", "))
        })
}

/// The options that `-h` shows of the verbs that clean; `--help` shows all.
const COMMON: [&str; 27] = [
    "start",
    "max_pages",
    "include",
    "exclude",
    "inputs",
    "from",
    "out",
    "resume",
    "overwrite",
    "report",
    "overlay",
    "format",
    "links",
    "no_title",
    "with_metadata",
    "method",
    "model",
    "hidden",
    "comments",
    "jobs",
    "quiet",
    "languages",
    "engine",
    "render",
    "scripts",
    "offline",
    "timeout",
];

/// An argument of a verb that cleans, hidden from `-h` if it is no common one.
pub(super) fn in_short_help(argument: Arg) -> Arg {
    let is_common = COMMON.contains(&argument.get_id().as_str());
    argument.hide_short_help(!is_common)
}

/// The pages to process.
#[derive(Debug, Clone, Args)]
pub(crate) struct InputArguments {
    /// Pages to process: http(s) addresses, HTML and MHTML files, captures, folders of any of
    /// these, WARC and WACZ archives, Parquet files and JSON lines with a column `html`, or `-` for
    /// standard input
    #[arg(value_name = "INPUT", required_unless_present = "from")]
    pub(crate) inputs: Vec<String>,

    /// Read more inputs from FILE (`-` for standard input), one per line
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<String>,

    /// Process only part K of N: every N-th page. N runs, one for each part, together write what a
    /// single run would
    #[arg(long, value_name = "K/N", value_parser = shard)]
    pub(crate) shard: Option<Shard>,
}

impl InputArguments {
    /// All inputs: first those on the command line, then those of the list.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub(super) fn open(self) -> anyhow::Result<Inputs> {
        Ok(Inputs::new(self.inputs, self.from.as_deref(), self.shard)?)
    }
}

/// Parses a part such as `3/100`, counted from 1.
fn shard(text: &str) -> Result<Shard, String> {
    let parts = text
        .split_once('/')
        .and_then(|(part, count)| Some((part.parse().ok()?, count.parse().ok()?)));
    match parts {
        Some((part, count)) if (1..=count).contains(&part) => Ok(Shard {
            index: part - 1,
            count,
        }),
        _ => Err(format!(
            "{text} is not a part; write PART/COUNT, such as 3/100 (from 1/100 to 100/100)"
        )),
    }
}

/// How many pages are processed.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Batch")]
pub(crate) struct BatchArguments {
    /// Process N pages at the same time [default: one per processor]; the results do not depend on
    /// it
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,

    /// Print errors only: no progress, no warnings, no figures at the end
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print every warning; by default, the first three of a kind are printed, and the others are
    /// counted at the end
    #[arg(long, short, conflicts_with = "quiet")]
    pub(crate) verbose: bool,

    /// Write pages as they finish instead of in the order of the inputs, so that a slow page does
    /// not delay the others
    #[arg(long)]
    pub(crate) unordered: bool,

    /// Write metrics of the run to FILE in the Prometheus text format, updated every few seconds
    #[arg(long, value_name = "FILE")]
    pub(crate) metrics: Option<PathBuf>,
}

impl BatchArguments {
    /// The options of a run whose pages may take `timeout` seconds each.
    pub(crate) fn limited_run_options(&self, timeout: Option<u32>) -> RunOptions {
        RunOptions {
            page_limit: timeout.map(|seconds| Duration::from_secs(seconds.into())),
            ..self.run_options()
        }
    }

    /// The options of a run.
    pub(crate) fn run_options(&self) -> RunOptions {
        RunOptions {
            jobs: self.jobs.map(usize::from),
            order: if self.unordered {
                Order::Finished
            } else {
                Order::Input
            },
            metrics: self.metrics.clone(),
            page_limit: None,
        }
    }

    /// Number of pages processed at the same time.
    pub(crate) fn jobs(&self) -> usize {
        self.run_options().jobs()
    }

    /// A pool with as many threads.
    ///
    /// # Errors
    /// If the system cannot start them.
    #[cfg(feature = "lab")]
    pub(crate) fn threads(&self) -> anyhow::Result<rayon::ThreadPool> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.jobs())
            .build()
            .context("cannot start the threads")
    }
}

/// Hides the options of cleaning that a verb does not take.
pub(super) fn hide_others(argument: clap::Arg, taken: &[&str]) -> clap::Arg {
    let id = argument.get_id().as_str();
    let is_other = Options::names().iter().any(|name| name == id) && !taken.contains(&id);
    argument.hide(is_other)
}

/// Refuses the options that [`hide_others`] hides.
///
/// # Errors
/// If one is given.
pub(super) fn refuse_others(options: &Options, taken: &[&str]) -> anyhow::Result<()> {
    let chosen = options.chosen();
    let other = chosen.keys().find(|name| !taken.contains(&name.as_str()));
    other.map_or(Ok(()), |name| {
        anyhow::bail!("`{name}` changes nothing here; leave it out")
    })
}

/// How long a page may take.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Batch")]
pub(super) struct TimeLimitArguments {
    /// Give up on a page after this many seconds [default: 60 among other pages, no limit for one]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(super) timeout: Option<u32>,
}

/// The options of cleaning and writing that must be repeated on resume. Files that they name are
/// identified by their content.
///
/// # Errors
/// If such a file cannot be read.
pub(super) fn effective(options: &Options) -> anyhow::Result<EffectiveArguments> {
    let mut arguments: EffectiveArguments = options.chosen();
    // The run says which format it writes, also if its output names it.
    arguments.remove("format");
    for (name, file) in [
        ("model", &options.model),
        ("site_memory", &options.site_memory),
    ] {
        if let Some(file) = file.as_ref().filter(|file| Path::new(file).is_file()) {
            let mut crc = flate2::Crc::new();
            crc.update(&std::fs::read(file)?);
            arguments.insert(name.to_owned(), format!("{file} ({:08x})", crc.sum()));
        }
    }
    Ok(arguments)
}

/// How the results of an earlier run are treated.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct ResumeArguments {
    /// Continue an earlier run with the same options where it ended, however it ended; finished
    /// pages are not repeated
    #[arg(long, requires = "out", conflicts_with = "overwrite")]
    pub(crate) resume: bool,

    /// With --resume, try pages again that failed in the earlier run
    #[arg(long, requires = "resume")]
    pub(crate) retry_failed: bool,

    /// Start over and replace the results of an earlier run in --out, and other files that have the
    /// names of results; an input is never replaced
    #[arg(long, requires = "out")]
    pub(crate) overwrite: bool,
}

impl ResumeArguments {
    /// What becomes of them, for the library.
    pub(crate) fn resuming(self) -> Resuming {
        Resuming {
            resume: self.resume,
            retry_failed: self.retry_failed,
            overwrite: self.overwrite,
        }
    }
}

/// Which columns of the block table are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BlockTable {
    /// Text, path, verdict, probability, margin and box of every block, whether it was kept or
    /// dropped
    Verdicts,
    /// The same, and all features
    Features,
}

/// What to write of a cleaned page, and where.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArguments {
    /// Write one file per page into DIR, named after the input, instead of standard output (of a
    /// page without text, the file is empty, or in JSON and HTML a document without text); or write
    /// all pages into FILE.jsonl[.gz], FILE.warc[.gz], a folder DIR.parquet, or one FILE.txt,
    /// FILE.md, FILE.csv, FILE.xml, FILE.tei, FILE.vert or FILE.conllu, with .gz or .zst after it
    /// to compress it; FILE.html and FILE.json are for one page. Files that exist are refused
    /// unless --resume or --overwrite is given, and inputs are never replaced
    #[arg(long, short, value_name = "DIR|FILE")]
    pub(crate) out: Option<PathBuf>,

    /// What becomes of the results of an earlier run
    #[command(flatten)]
    pub(crate) resuming: ResumeArguments,

    /// Also write the verdict on every block, or the verdict and all features (JSON lines and
    /// Parquet)
    #[arg(long, value_name = "WHAT", requires = "out")]
    pub(crate) blocks: Option<BlockTable>,

    /// Write an HTML page that shows for each block why it was kept or dropped; for several inputs,
    /// a folder of pages
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,

    /// Write the screenshot with kept blocks tinted green and dropped blocks red; for several
    /// pages, a folder of pictures
    #[arg(long, value_name = "FILE.png")]
    pub(crate) overlay: Option<PathBuf>,

    /// Write the node mask (which pixel belongs to which block) with all blocks in purple; for
    /// several pages, a folder
    #[arg(long, value_name = "FILE.png")]
    pub(crate) mask: Option<PathBuf>,
}

impl OutputArguments {
    /// What is written, for the library.
    ///
    /// # Errors
    /// If an option is for another format.
    pub(super) fn output_options(&self, options: &Options) -> anyhow::Result<OutputOptions> {
        let by_ending = || self.out.as_deref().and_then(format_of_ending);
        let format = options.format()?.or_else(by_ending).unwrap_or(&FORMATS[0]);
        options.check_formats(&[format])?;
        let blocks = match self.blocks {
            None => Blocks::None,
            Some(BlockTable::Verdicts) => Blocks::Verdicts,
            Some(BlockTable::Features) => Blocks::Features,
        };
        Ok(OutputOptions {
            format,
            emit: options.emit(),
            out: self.out.clone(),
            blocks,
            resuming: self.resuming.resuming(),
            corpus: CorpusOptions::default(),
        })
    }
}

/// Rate limits and robots.txt for pages loaded from servers.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Politeness")]
pub(crate) struct PolitenessArguments {
    /// Load addresses even if robots.txt forbids them to vclean or to all programs; for your own
    /// sites only
    #[arg(long)]
    pub(crate) ignore_robots: bool,

    /// Pause between two pages of the same host; a longer Crawl-delay in its robots.txt takes
    /// precedence
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = pause_s)]
    pub(crate) delay: f64,

    /// How many pages of the same host are loaded at the same time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) per_host: u16,

    /// How often an address is retried after a timeout, a failed connection or a busy server; each
    /// pause is longer than the one before, or as long as the server requests
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=10))]
    pub(crate) retries: u8,
}

impl PolitenessArguments {
    /// The options of [`Politeness`](vclean_run::politeness::Politeness).
    pub(crate) fn options(&self) -> PolitenessOptions {
        PolitenessOptions {
            robots: !self.ignore_robots,
            delay: Duration::from_secs_f64(self.delay),
            per_host: usize::from(self.per_host),
            retries: u32::from(self.retries),
        }
    }
}

/// Parses a pause in seconds.
fn pause_s(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=120.0).contains(&seconds) => Ok(seconds),
        _ => Err(format!(
            "{text} is not a pause; give seconds from 0 to 120, such as 0.5"
        )),
    }
}
