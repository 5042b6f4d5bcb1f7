//! Options that several verbs share and that no library declares.

pub(super) use vclean_core::pipeline::share_of_one;

#[cfg(feature = "lab")]
use anyhow::Context;
use clap::{Arg, Args};
use std::path::Path;
use url::Url;
use vclean_core::pipeline::Options;
use vclean_render::TimeLimit;
use vclean_run::journal::EffectiveArguments;
use vclean_run::{Inputs, RunOptions, RunPart};

/// The value with this `name` in a table; an unknown name gives an error that lists the known ones,
/// and that the parser of arguments puts after the name of the option.
#[cfg(feature = "lab")]
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

/// Hides an argument of a cleaning verb from `-h` unless it is a common one.
pub(super) fn in_short_help(argument: Arg) -> Arg {
    let is_common = COMMON.contains(&argument.get_id().as_str());
    argument.hide_short_help(!is_common)
}

/// The pages to process.
#[derive(Debug, Clone, Args)]
pub(crate) struct InputArguments {
    /// Addresses (http, https), HTML and MHTML files, captures, archives, folders of these, or `-`
    ///
    /// Also WARC and WACZ archives, Parquet files and JSON lines with a column `html`; addresses
    /// begin with http:// or https://, and `-` is standard input
    #[arg(value_name = "INPUT", required_unless_present = "from")]
    pub(crate) inputs: Vec<String>,

    /// Read more inputs from FILE (`-` for standard input), one per line
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<String>,

    /// Process only part K of N: every N-th page. N runs, one for each part, together write what a
    /// single run would
    #[arg(long, value_name = "K/N", value_parser = parse_part)]
    pub(crate) part: Option<RunPart>,

    /// Address of the pages whose own address is not known, such as those of saved files; their
    /// links are resolved against it
    ///
    /// A page in a folder has its path in the folder below this address. Saved pages often name
    /// their address, and it is then used
    #[arg(long, value_name = "URL", value_parser = parse_base_url)]
    pub(crate) base_url: Option<Url>,
}

impl InputArguments {
    /// All inputs: first those on the command line, then those of the list.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub(super) fn open(self) -> anyhow::Result<Inputs> {
        let inputs = Inputs::new(self.inputs, self.from.as_deref(), self.part)?;
        Ok(inputs.with_base_url(self.base_url))
    }
}

/// Parses the address of pages, which must be one of the web.
fn parse_base_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or_else(|| {
            format!("{text} is not an address of the web; write it with https://, such as https://example.org/")
        })
}

/// Parses a part such as `3/100`, counted from 1.
fn parse_part(text: &str) -> Result<RunPart, String> {
    let parts = text
        .split_once('/')
        .and_then(|(part, count)| Some((part.parse().ok()?, count.parse().ok()?)));
    match parts {
        Some((part, count)) if (1..=count).contains(&part) => Ok(RunPart {
            index: part - 1,
            count,
        }),
        _ => Err(format!(
            "{text} is not a part; write PART/COUNT, such as 3/100 (from 1/100 to 100/100)"
        )),
    }
}

/// How pages are processed, and what is told of it.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Batch")]
pub(crate) struct BatchArguments {
    #[command(flatten)]
    pub(crate) run: RunOptions,

    /// Print errors only
    ///
    /// No progress, no warnings, no figures at the end
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Print every warning; by default, the first three of a kind are printed, and the others are
    /// counted at the end
    #[arg(long, short, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
}

impl BatchArguments {
    /// The options of a run whose pages may take so long.
    pub(crate) fn limited(&self, limit: TimeLimit) -> RunOptions {
        RunOptions {
            page_limit: limit.timeout,
            ..self.run.clone()
        }
    }

    /// Number of pages processed at the same time.
    pub(crate) fn jobs(&self) -> usize {
        self.run.jobs()
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
