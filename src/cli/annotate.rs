//! `vclean annotate`: the labelling page.

use super::options::{InputArguments, ModelArguments};
use super::progress::Terminal;
#[cfg(feature = "rendering")]
use super::rendering::{self, BrowserArguments};
use super::{SOME_FAILED, console};
use crate::annotate::desktop;
use crate::annotate::exchange::{EXPORTS, ExportFormat, export, import};
use crate::annotate::folder::{GoldFolder, check_annotator};
use crate::annotate::merging::pages_to_merge;
use crate::annotate::opening;
use crate::annotate::preparing::{Preparing, RenderPage};
use crate::annotate::project::{Mode, PageOrder, Project};
use crate::annotate::server::Server;
use crate::annotate::tutorial;
use crate::cleaner::{ModelCleaner, ModelCleanerOptions};
use crate::files;
#[cfg(feature = "rendering")]
use crate::render::EngineChoice;
use anyhow::Context;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Label the blocks of pages in the browser, to make gold for training
///
/// Serves a page on this machine that shows each page as its readers saw it, with a box around every text block. The labels
/// start from the model's verdicts, the least certain block first; one key corrects a block. Every change is on disk before
/// the page shows it, so the program may be stopped at any time and continues where it was. Finished pages are written into
/// a data folder, which train and evaluate take as it is. Pages are offered worst first, by the expected F of their text.
#[derive(Debug, Args)]
#[command(mut_arg("inputs", |inputs| inputs.help(INPUTS).required_unless_present_any(["tutorial", "merge"])))]
#[command(after_help = "\
The loop: render pages of a site, label the worst ones, train with them, and repeat.
  vclean render --from addresses.txt --engine builtin --paint --out captures/
  vclean annotate captures/ --out gold/ --open
  vclean train data/styled --add gold/ --engine builtin --captures kept/ --beside boosted --out my.model

Examples:
  vclean annotate --tutorial --open                      eight pages that explain how to label
  vclean annotate captures/ --out gold/                  label captures; prints the address of the page
  vclean annotate saved/ --engine builtin --out gold/    render saved pages first
  vclean annotate page.html --out gold/                  bare HTML: an outline of the text, without a picture
  vclean annotate captures/ --out gold/ --annotator bob  a second person, who does not see the labels of the first
  vclean annotate --merge gold/annotations/ann gold/annotations/bob --out merged/    decide where two disagree
  vclean agreement gold/annotations/ann gold/annotations/bob    how well two people agree
  vclean annotate gold/ --export label-studio --out labels.json    for other programs
  vclean annotate captures/ --import labels.jsonl --out gold/      labels that were made elsewhere")]
pub(super) struct Arguments {
    #[command(flatten)]
    inputs: InputArguments,

    /// Folder of gold to write: a data folder with manifest.jsonl, pages/, gold/, and the labels of each person in
    /// annotations/; an existing one is continued. With --export, the file to write
    #[arg(long, short, value_name = "DIR|FILE", required_unless_present = "tutorial")]
    out: Option<PathBuf>,

    /// Who labels; two people who label the same pages have different names and do not see each other's labels
    /// [default: me]
    #[arg(long, value_name = "NAME")]
    annotator: Option<String>,

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

    /// Learn to label on eight bundled pages, with an explanation of every block and a figure at the end; nothing is kept
    /// unless --out is given
    #[arg(long, conflicts_with_all = ["inputs", "from", "merge", "export", "import"])]
    tutorial: bool,

    /// Decide where two people disagree: folders of gold with the labels of one person each, or folders annotations/NAME.
    /// Shows the blocks in dispute with both labels, without names and in random order
    #[arg(long, value_names = ["A", "B"], num_args = 2, conflicts_with_all = ["inputs", "from", "export", "import"])]
    merge: Option<Vec<PathBuf>>,

    /// Write the labels of a folder of gold into the file --out and end: jsonl (JSON lines with XPaths and offsets) or
    /// label-studio (its JSON). With --annotator, the labels of that person; else those that became gold
    #[arg(long, value_name = "FORMAT", value_parser = export_format, conflicts_with = "import", hide_possible_values = true)]
    export: Option<ExportFormat>,

    /// Give the pages the labels in FILE, which has one of the formats of --export, write their gold and end. The labels
    /// can be corrected afterwards like all others
    #[arg(long, value_name = "FILE")]
    import: Option<PathBuf>,

    #[command(flatten)]
    model: ModelArguments,

    #[cfg(feature = "rendering")]
    #[command(flatten)]
    browser: BrowserArguments,
}

const INPUTS: &str = "Pages to label: captures, HTML and MHTML files, folders of any of these, data folders, archives, JSON \
                      lines, or `-` for standard input. Captures are shown as pictures, other pages too with --engine, \
                      else as an outline of their text";

/// Who labels unless a name is given.
const NOBODY_ELSE: &str = "me";

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let cleaner = ModelCleaner::new(ModelCleanerOptions {
        model: arguments.model.model.clone(),
        targets: arguments.model.targets,
        min_precision: arguments.model.min_precision,
        any_engine: arguments.model.any_engine,
        ..ModelCleanerOptions::default()
    })?;
    if let Some(format) = arguments.export {
        return write_labels(&arguments, format, &Preparing::new(cleaner, None));
    }
    let annotator = arguments.annotator.clone().unwrap_or_else(|| NOBODY_ELSE.to_owned());
    check_annotator(&annotator)?;
    // The folder of a tutorial that nobody named is removed at the end.
    let temporary = if arguments.out.is_none() { Some(tempfile::tempdir()?) } else { None };
    let out = arguments.out.as_deref().or(temporary.as_ref().map(tempfile::TempDir::path)).unwrap_or(Path::new("."));
    let gold = GoldFolder::make(out)?;
    let server = if arguments.import.is_none() { Some(Server::bind(arguments.port)?) } else { None };
    let (mode, pages) = if arguments.tutorial {
        (Mode::Tutorial, tutorial::pages())
    } else if let Some([one, other]) = arguments.merge.as_deref() {
        let merging = pages_to_merge(&gold, one, other)?;
        for (page, cause) in &merging.left_out {
            console::complain(&format!("{page}: {cause}"));
        }
        (Mode::Merge, merging.pages)
    } else {
        (Mode::Label, opening::pages(&gold, arguments.inputs.open()?))
    };
    #[cfg(feature = "rendering")]
    let render = renderer(&arguments.browser, mode)?;
    #[cfg(not(feature = "rendering"))]
    let render: Option<RenderPage> = None;
    let preparing = Preparing::new(cleaner, render);
    let project = Project::new(mode, gold, &annotator, arguments.marks, preparing, pages)?;
    let Some(server) = server else { return read_labels(&project, arguments.import.as_deref()) };
    let is_ranked = arguments.order == PageOrder::Expected && mode == Mode::Label;
    let project = if is_ranked { project.ranked(&Terminal::new(false)) } else { project };
    let mut failed = 0;
    for (page, error) in project.errors() {
        console::complain(&format!("{page}: {error}"));
        failed += 1;
    }
    anyhow::ensure!(failed < project.pages().len(), "there is no page that can be labelled");
    let address = server.address();
    if console::print(&[&address, "\n"]).is_err() {
        return Ok(SOME_FAILED.into());
    }
    if arguments.open
        && let Err(error) = desktop::open(&address)
    {
        console::complain(&format!("cannot start the desktop's browser: {error}; open the address yourself"));
    }
    server.serve(project, |address| console::complain(&format!("for another window open {address}")))?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

/// Writes the labels of a folder of gold into a file.
fn write_labels(arguments: &Arguments, format: ExportFormat, preparing: &Preparing) -> anyhow::Result<ExitCode> {
    let [folder] = arguments.inputs.inputs.as_slice() else {
        anyhow::bail!("--export takes one folder of gold, and {} inputs are named", arguments.inputs.inputs.len());
    };
    let out = arguments.out.as_deref().context("--export needs --out FILE")?;
    anyhow::ensure!(!out.is_dir(), "{} is a folder; with --export, --out names the file to write", out.display());
    let annotator = arguments.annotator.as_deref();
    let (text, pages) = export(Path::new(folder), annotator, arguments.marks, format, preparing)?;
    files::write_whole(out, text.as_bytes())?;
    console::complain(&format!("wrote the labels of {pages} pages to {}", out.display()));
    Ok(ExitCode::SUCCESS)
}

/// Gives the pages of a project the labels in a file.
fn read_labels(project: &Project, file: Option<&Path>) -> anyhow::Result<ExitCode> {
    let file = file.context("--import needs a file")?;
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let imported = import(project, &text)?;
    for (page, cause) in project.errors().chain(imported.failures.clone()) {
        console::complain(&format!("{page}: {cause}"));
    }
    let gold = project.gold().path().display().to_string();
    console::complain(&format!("labelled {} blocks of {} pages in {gold}", imported.blocks, imported.pages));
    Ok(if imported.failures.is_empty() { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

/// How pages that are no captures are rendered; `None` if they are not. The pages of the tutorial always are, if possible.
#[cfg(feature = "rendering")]
fn renderer(browser: &BrowserArguments, mode: Mode) -> anyhow::Result<Option<RenderPage>> {
    let usual = (mode == Mode::Tutorial && cfg!(feature = "builtin")).then_some(EngineChoice::Builtin);
    let Some(engine) = browser.engine.or(usual) else { return Ok(None) };
    let browser = BrowserArguments { engine: Some(engine), paint: true, ..browser.clone() };
    let tabs = std::thread::available_parallelism().map_or(1, usize::from);
    match rendering::launch(&browser, tabs)? {
        Some(renderer) => Ok(Some(Box::new(move |page| Ok(renderer.render(page)?)))),
        None => anyhow::bail!("no page can be rendered; leave --engine out, or choose --engine builtin"),
    }
}

/// Parses the name of an order in [`PageOrder::ALL`].
fn order(name: &str) -> Result<PageOrder, String> {
    super::options::named("order", PageOrder::ALL, name)
}

/// Parses the name of a format in [`EXPORTS`].
fn export_format(name: &str) -> Result<ExportFormat, String> {
    super::options::named("format", EXPORTS, name)
}
