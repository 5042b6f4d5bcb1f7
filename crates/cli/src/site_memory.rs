//! `vclean site-memory`: learns from the pages of sites what `--site-memory` then knows of them.

use super::console::{self, Console};
use super::options::{BatchArguments, InputArguments};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use vclean_core::classify::{SiteMemory, SlotsOfPage};
use vclean_core::files;
use vclean_core::page::{Page, parse};
use vclean_core::pipeline::{Options, PageCleaner};
use vclean_core::text::counted;
use vclean_render::TimeLimit;
use vclean_run::Ending;
use vclean_run::pages::{self, Done, StoreOutcome};
use vclean_run::{Protected, RunState};

/// Learn from the pages of sites what their templates hold
///
/// Cleans every page as `vclean clean` does, and writes for each site (the host of a page's
/// address) where its templates hold text and which texts its pages repeat. With
/// `--site-memory FILE`, the other verbs then decide on a page with what the other pages of its
/// site say. It pays where a site has three pages and more; pages without an address teach nothing.
/// Memory is bounded: of a site the first 1,000 pages count, and sites with the fewest pages are
/// forgotten beyond some 300 MB. The same inputs give the same file, whatever the number of jobs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean site-memory crawl.warc.gz --out sites.memory
  vclean clean crawl.warc.gz --out cleaned.jsonl --site-memory sites.memory
  vclean site-memory today.warc.gz --add sites.memory --out sites.memory    more pages of the same sites")]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: InputArguments,

    /// Write the site memory to FILE
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// Begin with what this file knows; it may be the one that is written
    #[arg(long, value_name = "FILE")]
    add: Option<PathBuf>,

    /// Replace the file if it exists
    #[arg(long)]
    overwrite: bool,

    #[command(flatten)]
    batch: BatchArguments,
    #[command(flatten)]
    limit: TimeLimit,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let Arguments {
        inputs,
        out,
        add,
        overwrite,
        batch,
        limit,
    } = arguments;
    let inputs = inputs.open()?;
    check_output(&out, add.as_deref(), overwrite)?;
    Protected::inputs(&inputs).check(&out)?;
    let mut memory = add
        .as_deref()
        .map(SiteMemory::load)
        .transpose()?
        .unwrap_or_default();
    let (options, stop) = (batch.limited(limit), console::stop_on_interrupt());
    let mut console = Console::for_run(&inputs, &batch);
    let cleaner = PageCleaner::new(&Options::default())?;
    let work = move |_: &str, page: &Page| {
        let capture = parse(page)?;
        let mut cleaned = cleaner.clean_capture_of(page, &capture)?;
        let slots = SlotsOfPage::collect(&capture, &cleaned.targets);
        let content = slots.map(|slots| {
            let decisions: Vec<_> = cleaned.decisions().cloned().collect();
            slots.with_decisions(&decisions)
        });
        Ok(Done {
            content,
            warnings: cleaned.take_warnings(),
        })
    };
    let mut without_site = 0;
    let state = RunState::unkept(options.metrics.as_deref())?;
    let ended = pages::each(
        inputs,
        &options,
        state,
        &stop,
        &mut console,
        work,
        |_, page, _, _| {
            match page {
                Some(page) => memory.learn(page),
                None => without_site += 1,
            }
            StoreOutcome::Stored(None)
        },
    )?;
    if ended.ending != Ending::Stopped {
        files::write_whole(&out, memory.to_text().as_bytes())?;
        if without_site > 0 {
            console::complain(&format!(
                "{without_site} pages have no address, so that their site is not known; archives, JSON lines with `url`, data \
                 folders and captures name it"
            ));
        }
        let (sites, pages) = memory.counts();
        if sites == 0 {
            console::complain(
                "no site has two pages, so there is nothing that one could say of another",
            );
        } else if !batch.quiet {
            console::complain(&format!(
                "{} knows {} with {}",
                out.display(),
                counted(sites, "site"),
                counted(pages, "page")
            ));
        }
    }
    Ok(console::exit_code(ended, "no file was written"))
}

/// Refuses to replace a file, unless it is asked for, or what the file knows is in the new one.
fn check_output(out: &Path, add: Option<&Path>, overwrite: bool) -> anyhow::Result<()> {
    let continues = add.is_some_and(|add| {
        files::identity(add).is_some() && files::identity(add) == files::identity(out)
    });
    anyhow::ensure!(
        overwrite || continues || !out.exists(),
        "{} exists; replace it with --overwrite, or add to it with --add {0}",
        out.display()
    );
    Ok(())
}
