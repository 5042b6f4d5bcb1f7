//! `vclean render-and-clean`: the main job, from an address to its text.

use super::clean::{CleaningArguments, Run, how_to_go_on};
use super::inputs::Inputs;
use super::options::{InputArguments, PolitenessArguments};
use super::pages::{self, Fault, Rendering};
use super::rendering::{self, BrowserArguments};
use super::tiers::{self, FirstLook, Seen, When};
use super::visits::Visits;
use super::{SOME_FAILED, stages, write};
use crate::capture;
use crate::error::Error;
use crate::source::{Body, Page};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Expected F of a page's text below which it is rendered. Chosen on the `dev` pages of six sets among .5 to .95: with .85,
/// 8 to 19 % of their pages are rendered, and `styled` has .960 of the .962 that rendering all of it gives.
const CONFIDENCE: f32 = 0.85;

/// Render pages and write their text
///
/// Lays each page out, looks at it, decides for every text block whether it belongs to the running text, and writes that
/// text. Addresses are rendered in headless Chromium, saved pages and archives by the built-in engine, unless --engine says
/// otherwise; without a browser, the built-in engine serves addresses too. All may be mixed; kept captures are taken as they
/// are.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean render-and-clean https://example.org/article
  vclean render-and-clean --from addresses.txt --format markdown --out cleaned/ --jobs 4
  vclean render-and-clean page.mhtml --report page.report.html --overlay page.png
  vclean render-and-clean crawl.warc.gz --out cleaned.jsonl --resume     archived pages, with the archive's own pictures
  vclean render-and-clean --from addresses.txt --render auto --out cleaned/    rendered only where in doubt
  vclean render-and-clean page.html --engine chromium    a saved page in the browser
  vclean render-and-clean https://example.org --engine builtin    without a browser: fetched, scripts do not run

`vclean doctor` tells what works here.")]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: InputArguments,
    #[command(flatten)]
    cleaning: CleaningArguments,
    #[command(flatten)]
    browser: BrowserArguments,
    #[command(flatten)]
    politeness: PolitenessArguments,

    /// When a page is rendered
    #[arg(long, value_name = "WHEN", default_value = "always")]
    render: When,

    /// With --render auto: render pages whose text from bare HTML has a lower expected F than this, from 0 to 1
    #[arg(long, value_name = "F", default_value_t = CONFIDENCE)]
    confidence: f32,

    /// Keep what was seen as captures in DIR, to be cleaned again without rendering
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let inputs = Inputs::new(arguments.inputs)?;
    let keep = arguments.keep.as_deref().map(write::folder).transpose()?;
    let batch = &arguments.cleaning.batch;
    let mut settings = arguments.browser.settings();
    let when = format!("{:?} {}", arguments.render, arguments.confidence).to_lowercase();
    settings.insert("--render".to_owned(), when);
    let Run { cleaner, outputs, mut ledger } = Run::new(&inputs, &arguments.cleaning, settings)?;
    let wanted = &arguments.cleaning.output;
    let paint = arguments.browser.paint || wanted.report.is_some() || wanted.overlay.is_some();
    let browser = BrowserArguments { paint, ..arguments.browser };
    let Some(renderer) = rendering::launch(&browser, batch.jobs())? else {
        return Ok(SOME_FAILED.into());
    };
    let visits = Arc::new(Visits::new(renderer, &arguments.politeness));
    ledger.watch_restarts({
        let visits = Arc::clone(&visits);
        move || visits.restarts()
    });
    let (politeness, notice) = (visits.politeness(), Visits::notice(&visits));
    let (cleaner, counts) = (Arc::new(cleaner), ledger.counts());
    let first_look = (arguments.render == When::Auto).then(|| FirstLook {
        cleaner: Arc::clone(&cleaner),
        counts: Arc::clone(&counts),
        confidence: arguments.confidence,
    });
    let mut pools = batch.pools();
    if first_look.is_some() {
        // A tab is taken for as long as it is needed; what is cleaned without one must not wait for it.
        pools.first += pools.second;
    }
    let see = move |stem: &str, page: &Page| {
        if matches!(page.body, Body::Capture(_)) {
            return Ok(Seen::rendered(stages::parse(page).map_err(Error::from)?));
        }
        let render = |bare: Option<&Page>| {
            let capture = visits.render(page, bare).map_err(|error| Fault::Page(error.to_string()))?;
            if let Some(folder) = &keep {
                capture::save(&capture, &folder.join(stem)).map_err(|error| Fault::Output(error.to_string()))?;
            }
            Ok(capture)
        };
        match &first_look {
            Some(first_look) => {
                let bare = visits.fetch(page);
                first_look.see(page, bare.as_ref(), || render(bare.as_ref()))
            }
            None => render(None).map(Seen::rendered),
        }
    };
    let rendering = Rendering { pools, politeness, notice };
    let work = move |stem: &str, page: &Page, seen| tiers::finish(&cleaner, &counts, stem, page, seen);
    let ended = pages::each_staged(inputs, batch, rendering, ledger, see, work, |page, product, console, ledger| {
        outputs.store(page, product, console, ledger)
    })?;
    Ok(ended.code(how_to_go_on(&arguments.cleaning)))
}
