//! `vclean train --method NAME`: a published method learns from gold text, in its own way.

use super::classifier::ClassifierArguments;
use super::data::{self, DataArguments};
use super::options::BatchArguments;
use super::train::Arguments;
use super::{SOME_FAILED, console};
use crate::cleaner::methods;
use crate::features::is_in_group;
use crate::files;
use crate::gold::Alignment;
use crate::gold::{DataSet, Row, Split};
use crate::method::fiasco;
use crate::target::TargetRule;
use crate::train::Example;
use crate::train::methods::{GoldPage, LEARNERS, LearnOptions};
use anyhow::Context;
use clap::builder::PossibleValuesParser;
use rayon::prelude::*;
use std::process::ExitCode;

/// The names of the methods that learn as values of an option.
pub(super) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(methods().filter(|method| method.learns).map(|method| method.name))
}

/// The arguments as they are for the method that was named: all is as published for `fiasco`.
///
/// # Errors
/// If something was set that the method does not leave open.
pub(super) fn settled(arguments: &Arguments) -> anyhow::Result<Arguments> {
    if arguments.method != "fiasco" {
        return Ok(arguments.clone());
    }
    check_plain(arguments)?;
    let has_layout = |group: &&&str| !arguments.data.is_static || !is_in_group(group, "visual");
    Ok(Arguments {
        targets: TargetRule::Fiasco,
        alignment: Alignment::Dice,
        stages: 1,
        groups: fiasco::COLUMNS.iter().filter(has_layout).map(|group| (*group).to_owned()).collect(),
        language_bound: true,
        classifier: ClassifierArguments::gaussian(fiasco::C, fiasco::GAMMA),
        ..arguments.clone()
    })
}

/// Counts where the columns have their logarithms, and their names.
pub(super) fn take_counts(examples: &mut [Example], columns: &mut [String]) {
    for (index, name) in columns.iter_mut().enumerate() {
        if let Some(count) = fiasco::count_of(name).map(str::to_owned) {
            for example in examples.iter_mut() {
                example.page.rows.column_mut(index).mapv_inplace(f32::exp_m1);
            }
            *name = count;
        }
    }
}

fn check_plain(arguments: &Arguments) -> anyhow::Result<()> {
    let is_plain = arguments.classifier.given().is_empty()
        && arguments.beside.is_none()
        && arguments.groups.is_empty()
        && !arguments.language_bound;
    anyhow::ensure!(
        is_plain,
        "method {} learns in its own way; leave out the options of --classifier, --beside, --groups and --language-bound",
        arguments.method
    );
    Ok(())
}

/// Reads the training pages, lets the method learn, writes its model file; its report goes to standard output.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let name = arguments.method.as_str();
    let (_, learn) =
        LEARNERS.iter().find(|(known, _)| *known == name).context("every method that learns has a learner")?;
    anyhow::ensure!(
        arguments.data.captures.is_none(),
        "method {name} looks at the source of a page, not at captures; leave --captures out"
    );
    check_plain(arguments)?;
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.batch.jobs())
        .build()
        .context("cannot start the threads")?;
    let Found { pages, sets, failed } = gold_pages(&arguments.data, Split::Train, &arguments.batch, &threads)?;
    let quiet = arguments.batch.quiet;
    let progress = |step: &str| {
        if !quiet {
            console::complain(step);
        }
    };
    let options = LearnOptions { seed: arguments.seed, provenance: provenance(arguments, &sets, pages.len()) };
    let learned = threads.install(|| learn(&pages, &options, &progress))?;
    files::write_whole(&arguments.out, &learned.bytes)?;
    let size = learned.bytes.len();
    let text = format!("{}wrote {} ({size} bytes)\n", learned.report, arguments.out.display());
    let printed = console::print(&[&text]).is_ok();
    Ok(if failed == 0 && printed { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

/// Pages with full gold text.
pub(super) struct Found {
    pub(super) pages: Vec<GoldPage>,
    sets: Vec<DataSet>,
    /// Number of pages that could not be read; each was complained of.
    pub(super) failed: usize,
}

/// Reads the pages of a split that have full gold text, without rendering them.
///
/// # Errors
/// If a folder is no data set, or no page has full gold text.
pub(super) fn gold_pages(
    data: &DataArguments,
    split: Split,
    batch: &BatchArguments,
    threads: &rayon::ThreadPool,
) -> anyhow::Result<Found> {
    let sets = data.open()?;
    let (mut pages, mut failed) = (Vec::new(), 0);
    for set in &sets {
        let rows = set.split(split);
        let bar = data::bar(rows.len(), &set.name, batch.quiet);
        let read = |row: &&Row| {
            let page = GoldPage::read(set, row);
            bar.inc(1);
            (row.id.clone(), page)
        };
        let found: Vec<_> = threads.install(|| rows.par_iter().map(read).collect());
        bar.finish_and_clear();
        for (id, page) in found {
            match page {
                Ok(page) => pages.extend(page),
                Err(cause) => {
                    console::complain(&format!("{}/{id}: {cause}", set.name));
                    failed += 1;
                }
            }
        }
    }
    anyhow::ensure!(!pages.is_empty(), "no page of the split has full gold text; name another data folder");
    Ok(Found { pages, sets, failed })
}

/// The command as it can be typed anywhere, and on how many pages it ran.
fn provenance(arguments: &Arguments, sets: &[DataSet], pages: usize) -> String {
    let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    let lang = if arguments.data.lang.is_empty() {
        String::new()
    } else {
        format!(" --lang {}", arguments.data.lang.join(","))
    };
    format!(
        "vclean train {} --static --method {} --seed {}{lang}: {pages} pages",
        names.join(" "),
        arguments.method,
        arguments.seed
    )
}
