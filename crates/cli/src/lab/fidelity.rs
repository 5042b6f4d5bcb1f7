//! `vclean lab fidelity`: measures the agreement of the built-in engine with Chromium.

use super::data::split;
use super::output::{self, Terminal};
use crate::options::BatchArguments;
use crate::{SOME_FAILED, console};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use vclean_core::capture::Capture;
use vclean_core::error::Error;
use vclean_core::files;
use vclean_lab::experiments::engines::{ComparedEngines, Engines, pages_table};
use vclean_lab::gold::Capturing;
use vclean_lab::report::fidelity::{Shown, fidelity};
use vclean_render::{EngineChoice, Fallback, RenderOptions};
use vclean_run::source::{DataSet, Split};

/// Measure how well the built-in engine agrees with Chromium
///
/// Renders the pages of data sets with both engines and compares page heights, positions of blocks,
/// all visual features, and the text that is kept: as `vclean lab evaluate` measures it, where the
/// models for rendered pages and for bare HTML decide together, and by the model of each engine
/// alone, which is tried on the captures of both engines. A page that one engine cannot render is
/// in none of the means.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean lab fidelity data/styled --captures captures/ --report fidelity.html
  vclean lab fidelity data/styled --captures captures/ --builtin-captures builtin/ --split all")]
pub(crate) struct Arguments {
    /// Data folders: manifest.jsonl, pages/, gold/
    #[arg(value_name = "DATA", required = true)]
    data: Vec<PathBuf>,

    /// Folder of Chromium's captures, with one folder per data set; missing captures are rendered
    /// and saved there
    #[arg(long, value_name = "DIR")]
    captures: Option<PathBuf>,

    /// Folder of captures by the built-in engine, with one folder per data set; missing ones are
    /// rendered and saved there
    #[arg(long, value_name = "DIR")]
    builtin_captures: Option<PathBuf>,

    /// Which pages: train, dev or all [default: dev]
    #[arg(long, value_name = "SPLIT", value_parser = split)]
    split: Option<Split>,

    /// The models that are tried alone: one for captures of Chromium, one for captures of the
    /// built-in engine
    #[arg(long, value_names = ["CHROMIUM", "BUILTIN"], num_args = 2, default_values = ["rendered", "rendered-builtin"])]
    models: Vec<String>,

    /// Write a report with pictures of the pages that the engines disagree on most
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,

    /// How many pages the report shows
    #[arg(long, value_name = "N", default_value_t = 10)]
    worst: usize,

    #[command(flatten)]
    render: RenderOptions,

    #[command(flatten)]
    batch: BatchArguments,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let captures = arguments
        .captures
        .iter()
        .chain(&arguments.builtin_captures)
        .map(PathBuf::as_path);
    output::refuse_inputs(&arguments.data, captures, [arguments.report.as_deref()])?;
    let threads = arguments.batch.threads()?;
    let sets = DataSet::open_all(&arguments.data, &[])?;
    let capturing = [
        Capturing::rendered(
            options(arguments, EngineChoice::Chromium, false),
            arguments.captures.clone(),
        ),
        Capturing::rendered(
            options(arguments, EngineChoice::Builtin, false),
            arguments.builtin_captures.clone(),
        ),
    ];
    for one in &capturing {
        one.check(&sets)?;
    }
    let [chromium, builtin] = &arguments.models[..] else {
        anyhow::bail!("--models takes two names")
    };
    let engines = Engines::new(capturing, [chromium.clone(), builtin.clone()])?;
    let progress = Terminal::new(arguments.batch.quiet);
    let compared = threads
        .install(|| engines.compare(&sets, arguments.split.unwrap_or_default(), &progress))?;
    if console::print(&[&compared.to_text(arguments.worst)]).is_err() {
        return Ok(SOME_FAILED.into());
    }
    if let Some(path) = &arguments.report {
        // Pages in the report are painted in full, because people look at them.
        let painted = Capturing::rendered(options(arguments, EngineChoice::Builtin, true), None);
        write_report(
            path,
            &compared,
            arguments.worst,
            [&engines.capturing[0], &painted],
        )?;
    }
    Ok(if compared.failed == 0 {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

fn options(arguments: &Arguments, engine: EngineChoice, paint: bool) -> RenderOptions {
    RenderOptions {
        engine: Some(engine),
        fallback: (engine == EngineChoice::Builtin).then_some(Fallback::None),
        offline: true,
        paint,
        tabs: arguments.batch.jobs(),
        ..arguments.render.clone()
    }
}

fn write_report(
    path: &Path,
    compared: &ComparedEngines<'_>,
    worst: usize,
    capturing: [&Capturing; 2],
) -> anyhow::Result<()> {
    let worst = compared.worst(worst);
    let captures: Vec<[Capture; 2]> = worst
        .iter()
        .map(|page| page.captures(capturing))
        .collect::<Result<_, Error>>()?;
    let shown: Vec<Shown<'_>> = worst
        .iter()
        .zip(&captures)
        .map(|(page, [one, other])| Shown {
            paired: &page.paired,
            captures: [one, other],
            figures: pages_table(std::slice::from_ref(page)),
        })
        .collect();
    let html = fidelity("Chromium and the built-in engine", &compared.tables, &shown)?;
    Ok(files::write_whole(path, html.as_bytes())?)
}
