//! `vclean annotate`: the labelling page.

use super::console;
use super::options::{InputArguments, ModelArguments};
use super::progress::Terminal;
#[cfg(feature = "rendering")]
use super::rendering::{self, BrowserArguments};
use crate::annotate::desktop;
use crate::annotate::folder::{GoldFolder, check_annotator};
use crate::annotate::opening;
use crate::annotate::preparing::{Preparing, RenderPage};
use crate::annotate::project::{Mode, PageOrder, Project};
use crate::annotate::server::Server;
use crate::cleaner::{ModelCleaner, ModelCleanerOptions};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;

/// Label the blocks of pages in the browser, to make gold for training
///
/// Serves a page on this machine that shows each page as its readers saw it, with a box around every text block. The labels
/// start from the model's verdicts, the least certain block first; one key corrects a block. Every change is on disk before
/// the page shows it, so the program may be stopped at any time and continues where it was. Finished pages are written into
/// a data folder, which train and evaluate take as it is. Pages are offered worst first, by the expected F of their text.
#[derive(Debug, Args)]
#[command(mut_arg("inputs", |inputs| inputs.help(INPUTS).required_unless_present_any(["from"])))]
#[command(after_help = "\
The loop: render pages of a site, label the worst ones, train with them, and repeat.
  vclean render --from addresses.txt --out captures/
  vclean annotate captures/ --out gold/ --open
  vclean train data/styled --add gold/ --out my.model

Examples:
  vclean annotate captures/ --out gold/                  label captures; prints the address of the page
  vclean annotate saved/ --engine builtin --out gold/    render saved pages first
  vclean annotate page.html --out gold/                  bare HTML: an outline of the text, without a picture
  vclean annotate captures/ --out gold/ --annotator bob  a second person, who does not see the labels of the first")]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: InputArguments,

    /// Folder of gold to write: a data folder with manifest.jsonl, pages/, gold/, and the labels of each person in
    /// annotations/; an existing one is continued
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,

    /// Who labels; two people who label the same pages have different names and do not see each other's labels
    #[arg(long, value_name = "NAME", default_value = "me")]
    annotator: String,

    /// Port of the loopback address that the page is served on; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,

    /// Open the page in the desktop's browser
    #[arg(long)]
    open: bool,

    /// Also mark blocks as headings, paragraphs and list items, for marked gold
    #[arg(long)]
    marks: bool,

    /// In which order pages are offered: expected (the lowest expected F first; all pages are read before the address is
    /// printed) or given
    #[arg(long, value_name = "ORDER", default_value = "expected", value_parser = order, hide_possible_values = true)]
    order: PageOrder,

    #[command(flatten)]
    model: ModelArguments,

    #[cfg(feature = "rendering")]
    #[command(flatten)]
    browser: BrowserArguments,
}

const INPUTS: &str = "Pages to label: captures, HTML and MHTML files, folders of any of these, data folders, archives, JSON \
                      lines, or `-` for standard input. Captures are shown as pictures, other pages too with --engine, \
                      else as an outline of their text";

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    check_annotator(&arguments.annotator)?;
    let gold = GoldFolder::make(&arguments.out)?;
    let cleaner = ModelCleaner::new(ModelCleanerOptions {
        model: arguments.model.model,
        targets: arguments.model.targets,
        min_precision: arguments.model.min_precision,
        any_engine: arguments.model.any_engine,
        ..ModelCleanerOptions::default()
    })?;
    #[cfg(feature = "rendering")]
    let render = renderer(arguments.browser)?;
    #[cfg(not(feature = "rendering"))]
    let render = None;
    let server = Server::bind(arguments.port)?;
    let pages = opening::pages(&gold, arguments.inputs.open()?);
    let preparing = Preparing::new(cleaner, render);
    let mut project = Project::new(Mode::Label, gold, &arguments.annotator, arguments.marks, preparing, pages)?;
    if arguments.order == PageOrder::Expected {
        project = project.ranked(&Terminal::new(false));
    }
    for (page, error) in project.errors() {
        console::complain(&format!("{page}: {error}"));
    }
    let address = server.address();
    if console::print(&[&address, "\n"]).is_err() {
        return Ok(super::SOME_FAILED.into());
    }
    if arguments.open
        && let Err(error) = desktop::open(&address)
    {
        console::complain(&format!("cannot start the desktop's browser: {error}; open the address yourself"));
    }
    server.serve(project, |address| console::complain(&format!("for another window open {address}")))?;
    Ok(ExitCode::SUCCESS)
}

/// How pages that are no captures are rendered; `None` if they are not.
#[cfg(feature = "rendering")]
fn renderer(browser: BrowserArguments) -> anyhow::Result<Option<RenderPage>> {
    if browser.engine.is_none() {
        return Ok(None);
    }
    let browser = BrowserArguments { paint: true, ..browser };
    let tabs = std::thread::available_parallelism().map_or(1, usize::from);
    match rendering::launch(&browser, tabs)? {
        Some(renderer) => Ok(Some(Box::new(move |page| Ok(renderer.render(page)?)))),
        None => anyhow::bail!("no page can be rendered without it; leave --engine out, or choose --engine builtin"),
    }
}

/// Parses the name of an order in [`PageOrder::ALL`].
fn order(name: &str) -> Result<PageOrder, String> {
    super::options::named("order", PageOrder::ALL, name)
}
