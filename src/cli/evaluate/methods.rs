//! `--methods`: every method on the same pages, as a table, as Markdown with a plot, and as JSON.

use super::Arguments;
use crate::cleaner::methods as all_methods;
use crate::cli::options::named_all;
use crate::cli::{SOME_FAILED, console, data};
use crate::evaluate::ranking::SideBySide;
use crate::experiments::side_by_side::{Contender, Run, run as run_page, standing};
use crate::files;
use crate::gold::{Capturing, DataError, DataSet, Row, Split};
use crate::method::{Method, Sees};
use crate::report::{methods, scatter};
use anyhow::{Context, ensure};
use clap::Args;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Which methods are compared.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Methods")]
pub(in crate::cli) struct MethodsArguments {
    /// Compare methods instead: all, or some of vclean methods, such as vclean,justext; each with its usual parameters
    /// and its built-in model. Those that look at rendered pages come with and without --captures' renderings
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["table", "model", "targets", "min_precision", "report", "floors", "pin", "worst", "alignment"])]
    methods: Vec<String>,

    /// Write the comparison as a Markdown page, with a plot of precision against recall as SVG beside it
    #[arg(long, value_name = "FILE.md", requires = "methods", value_parser = markdown_file)]
    markdown: Option<PathBuf>,
}

fn markdown_file(path: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(path);
    if path.extension().is_some_and(|extension| extension == "md") {
        Ok(path)
    } else {
        Err("a name that ends in .md is needed; the plot gets the same name with .svg".to_owned())
    }
}

impl MethodsArguments {
    /// Whether methods are to be compared.
    pub(super) fn is_asked(&self) -> bool {
        !self.methods.is_empty()
    }
}

/// Seed of the bootstrap.
const SEED: u64 = 1;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let chosen: Vec<&'static Method> =
        named_all("method", all_methods(), |method| method.name, &arguments.methods.methods)?;
    let jobs = arguments.batch.jobs();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().context("cannot start the threads")?;
    let data_sets = arguments.data.open()?;
    let capturing = arguments.data.capturing(&data_sets, jobs)?;
    let is_rendered =
        !matches!(capturing, Capturing::Static) && chosen.iter().any(|method| method.sees == Sees::Rendering);
    let contenders = Contender::all(&chosen, is_rendered, arguments.model.any_engine)?;
    let split = arguments.split.unwrap_or_default();
    let split_name = Split::ALL.iter().find(|(_, known)| *known == split).map_or("", |(name, _)| *name);
    for set in &data_sets {
        let rows = set.split(split);
        ensure!(
            !rows.is_empty(),
            "set {} has no page of the split {split_name}; choose another with --split",
            set.name
        );
        set.check_gold(&rows)?;
    }
    let (mut sets, mut failed) = (Vec::new(), 0);
    for set in &data_sets {
        let rows = set.split(split);
        let bar = data::bar(rows.len(), &set.name, arguments.batch.quiet);
        let runs: Vec<Vec<Run>> = threads.install(|| {
            let one = |row: &&Row| {
                let runs = run_page(set, row, &capturing, &contenders);
                bar.inc(1);
                runs
            };
            rows.par_iter().with_max_len(1).map(one).collect::<Result<_, DataError>>()
        })?;
        bar.finish_and_clear();
        failed += complain(set, &rows, &runs, &contenders);
        let found = SideBySide {
            set: set.name.clone(),
            split: split_name.to_owned(),
            pages: rows.len(),
            standings: transposed(runs, contenders.len())
                .iter()
                .zip(&contenders)
                .map(|(runs, contender)| standing(contender, runs, SEED))
                .collect(),
        };
        let text = format!("{}, {split_name}, {} pages\n{}\n", found.set, found.pages, found.table().to_text());
        if console::print(&[&text]).is_err() {
            return Ok(SOME_FAILED.into());
        }
        sets.push(found);
    }
    if let Some(path) = &arguments.json {
        let json = serde_json::to_string_pretty(&sets).context("cannot write JSON")?;
        files::write_whole(path, format!("{json}\n").as_bytes())?;
    }
    if let Some(path) = &arguments.methods.markdown {
        write_page(path, &sets, &command(arguments, is_rendered))?;
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

/// One line a page and method that failed; gives their number.
fn complain(set: &DataSet, rows: &[&Row], runs: &[Vec<Run>], contenders: &[Contender]) -> usize {
    let mut failed = 0;
    for (row, runs) in rows.iter().zip(runs) {
        for (run, contender) in runs.iter().zip(contenders) {
            if let Some(cause) = &run.failure {
                console::complain(&format!("{}/{}: {}: {cause}", set.name, row.id, contender.name));
                failed += 1;
            }
        }
    }
    failed
}

/// From runs by page to runs by contender.
fn transposed(runs: Vec<Vec<Run>>, contenders: usize) -> Vec<Vec<Run>> {
    let mut by_contender: Vec<Vec<Run>> = (0..contenders).map(|_| Vec::with_capacity(runs.len())).collect();
    for page in runs {
        for (place, run) in by_contender.iter_mut().zip(page) {
            place.push(run);
        }
    }
    by_contender
}

fn write_page(path: &Path, sets: &[SideBySide], command: &str) -> anyhow::Result<()> {
    let plot = path.with_extension("svg");
    let name = plot.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    files::write_whole(&plot, scatter(sets).as_bytes())?;
    Ok(files::write_whole(path, methods::markdown(sets, command, &name).as_bytes())?)
}

/// The command as it can be typed anywhere.
fn command(arguments: &Arguments, is_rendered: bool) -> String {
    let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folders: Vec<String> = arguments.data.data.iter().map(|path| format!("data/{}", name(path))).collect();
    let how = if is_rendered { "--captures captures/" } else { "--static" };
    let page = arguments.methods.markdown.as_ref().map(name).unwrap_or_default();
    let methods = arguments.methods.methods.join(",");
    format!("vclean evaluate {} {how} --methods {methods} --markdown {page}", folders.join(" "))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(words: &[&str]) -> Result<Arguments, clap::Error> {
        Alone::try_parse_from([&["evaluate", "/x/toy"], words].concat()).map(|alone| alone.arguments)
    }

    #[test]
    fn the_command_names_no_folder() {
        let arguments = parse(&["--static", "--methods", "dump,vclean", "--markdown", "/y/E.md"]).unwrap();
        let expected = "vclean evaluate data/toy --static --methods dump,vclean --markdown E.md";
        assert_eq!(command(&arguments, false), expected);
    }

    #[test]
    fn options_that_do_not_go_together_are_refused() {
        for words in [
            &["--methods", "all", "--model", "x"][..],
            &["--methods", "all", "--table", "subsets"],
            &["--methods", "all", "--worst", "3"],
            &["--methods", "all", "--alignment", "dice"],
            &["--markdown", "x.md"],
            &["--methods", "all", "--markdown", "x.html"],
        ] {
            assert!(parse(words).is_err(), "{words:?}");
        }
        let error = run(&parse(&["--methods", "magic"]).unwrap()).unwrap_err().to_string();
        assert!(error.contains("there is no method magic, choose all or some of vclean, "), "{error}");
    }
}
