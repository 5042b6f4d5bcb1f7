//! `vclean render-and-clean`: the main job, from an address to its text.

use super::clean::{CleaningArguments, clean};
use super::inputs::Inputs;
use super::options::{BrowserArguments, InputArguments, PolitenessArguments};
use super::visits::Visits;
use super::{SOME_FAILED, stages, write};
use crate::capture;
use crate::source::Body;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Render pages in a browser and write their text
///
/// Loads each page in headless Chromium, looks at it, decides for every text block whether it belongs to the running
/// text, and writes that text. Addresses, HTML and MHTML files may be mixed; kept captures are taken as they are.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean render-and-clean https://example.org/article
  vclean render-and-clean --from addresses.txt --format markdown --out cleaned/ --jobs 4
  vclean render-and-clean page.mhtml --report page.report.html --overlay page.png

`vclean doctor` tells whether the browser works here.")]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: InputArguments,
    #[command(flatten)]
    cleaning: CleaningArguments,
    #[command(flatten)]
    browser: BrowserArguments,
    #[command(flatten)]
    politeness: PolitenessArguments,

    /// Keep what the browser saw as captures in DIR, to be cleaned again without it
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let inputs = Inputs::new(arguments.inputs)?;
    let keep = arguments.keep.as_deref().map(write::folder).transpose()?;
    let Some(renderer) = stages::launch(&arguments.browser, arguments.cleaning.batch.jobs())? else {
        return Ok(SOME_FAILED.into());
    };
    let visits = Visits::new(renderer, &arguments.politeness);
    clean(inputs, &arguments.cleaning, Some(visits.politeness()), move |stem, page| {
        if matches!(page.body, Body::Capture(_)) {
            return Ok(stages::parse(page)?);
        }
        let capture = visits.render(page)?;
        if let Some(folder) = &keep {
            capture::save(&capture, &folder.join(stem))?;
        }
        Ok(capture)
    })
}
