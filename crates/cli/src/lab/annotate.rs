//! `vclean lab annotate`: the labelling page.

use super::output::Terminal;
use crate::options::{InputArguments, hide_others, refuse_others};
use crate::rendering;
use crate::{SOME_FAILED, console};
use anyhow::Context;
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use vclean_core::files;
use vclean_core::pipeline::{Options, PageCleaner};
use vclean_core::text::counted;
use vclean_lab::annotate::exchange::{EXPORTS, ExportFormat, export, import_file};
use vclean_lab::annotate::opening::{Opened, Request, Work};
use vclean_lab::annotate::prepared::{Preparing, RenderPage};
use vclean_lab::annotate::project::PageOrder;
use vclean_lab::annotate::server::{Server, open_desktop_browser};
use vclean_render::{EngineChoice, PageOptions, RenderOptions};

/// Label the blocks of pages in the browser, to make gold for training
///
/// Serves a page on this machine that shows each page as its readers saw it, with a box around
/// every text block. The labels start from the model's verdicts, the least certain block first; one
/// key corrects a block. Every change is on disk before the page shows it, so the program may be
/// stopped at any time and continues where it was. Finished pages are written into a data folder,
/// which train and evaluate take as it is. Pages are offered worst first, by the expected F of
/// their text.
#[derive(Debug, Args)]
#[command(mut_arg("inputs", |inputs| inputs.help(INPUTS).required_unless_present_any(["tutorial", "merge"])))]
#[command(mut_args(|argument| hide_others(argument, &TAKEN)))]
#[command(after_help = "\
The loop: render pages of a site, label the worst ones, train with them, and repeat.
  vclean render --from addresses.txt --engine builtin --paint --out captures/
  vclean lab annotate captures/ --out gold/ --open
  vclean lab train data/styled --add gold/ --engine builtin --captures kept/ --beside boosted --out my.model

Examples:
  vclean lab annotate --tutorial --open                      eight pages that explain how to label
  vclean lab annotate captures/ --out gold/                  label captures; prints the address of the page
  vclean lab annotate saved/ --engine builtin --out gold/    render saved pages first
  vclean lab annotate page.html --out gold/                  bare HTML: an outline of the text, without a picture
  vclean lab annotate captures/ --out gold/ --annotator bob  a second person, who does not see the labels of the first
  vclean lab annotate --merge gold/annotations/ann gold/annotations/bob --out merged/    decide where two disagree
  vclean lab agreement gold/annotations/ann gold/annotations/bob    how well two people agree
  vclean lab annotate gold/ --export label-studio --out labels.json    for other programs
  vclean lab annotate captures/ --import labels.jsonl --out gold/      labels that were made elsewhere")]
pub(crate) struct Arguments {
    #[command(flatten)]
    inputs: InputArguments,

    /// Folder of gold to write: a data folder with manifest.jsonl, pages/, gold/, and the labels of
    /// each person in annotations/; an existing one is continued. With --export, the file to write
    #[arg(
        long,
        short,
        value_name = "DIR|FILE",
        required_unless_present = "tutorial"
    )]
    out: Option<PathBuf>,

    /// Name of the person who labels; two people who label the same pages need different names and
    /// do not see each other's labels [default: me]
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

    /// In which order pages are offered: expected (the lowest expected F first; all pages are read
    /// before the address is printed) or given
    #[arg(long, value_name = "ORDER", default_value = "expected", value_parser = order, hide_possible_values = true)]
    order: PageOrder,

    /// Learn to label on eight bundled pages, with an explanation of every block and a figure at
    /// the end; nothing is kept unless --out is given
    #[arg(long, conflicts_with_all = ["inputs", "from", "merge", "export", "import"])]
    tutorial: bool,

    /// Decide where two people disagree: folders of gold with the labels of one person each, or
    /// folders annotations/NAME. Shows the blocks in dispute with both labels, without names and in
    /// random order
    #[arg(long, value_names = ["A", "B"], num_args = 2, conflicts_with_all = ["inputs", "from", "export", "import"])]
    merge: Option<Vec<PathBuf>>,

    /// Write the labels of a folder of gold into the file --out and end: jsonl (JSON lines with
    /// XPaths and offsets) or label-studio (its JSON). With --annotator, the labels of that person;
    /// else those that became gold
    #[arg(long, value_name = "FORMAT", value_parser = export_format, conflicts_with = "import", hide_possible_values = true)]
    export: Option<ExportFormat>,

    /// Give the pages the labels in FILE, which has one of the formats of --export, write their
    /// gold and end. The labels can be corrected afterwards like all others
    #[arg(long, value_name = "FILE")]
    import: Option<PathBuf>,

    #[command(flatten)]
    options: Options,

    #[command(flatten)]
    render: RenderOptions,
}

/// The options of cleaning that change which labels are suggested.
const TAKEN: [&str; 5] = [
    "any_engine",
    "min_precision",
    "model",
    "site_memory",
    "targets",
];

const INPUTS: &str = "Pages to label: captures, HTML and MHTML files, folders of any of these, data folders, archives, JSON \
                      lines, or `-` for standard input. Captures are shown as pictures, other pages too with --engine, \
                      else as an outline of their text";

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    refuse_others(&arguments.options, &TAKEN)?;
    match (arguments.export, arguments.import.clone()) {
        (Some(format), _) => write_labels(&arguments, format),
        (None, Some(file)) => read_labels(arguments, &file),
        (None, None) => label(arguments),
    }
}

/// Serves the labelling page.
fn label(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let server = Server::bind(arguments.port)?;
    let (address, is_opened) = (server.address(), arguments.open);
    // The folder of a tutorial that nobody named is removed at the end.
    let Opened {
        project,
        left_out,
        temporary: _temporary,
    } = open(arguments)?;
    for (page, cause) in left_out.into_iter().chain(project.errors()) {
        console::complain(&format!("{page}: {cause}"));
    }
    project.check()?;
    let failed = project.errors().count();
    if console::print(&[&address, "\n"]).is_err() {
        return Ok(SOME_FAILED.into());
    }
    if is_opened && let Err(error) = open_desktop_browser(&address) {
        console::complain(&format!(
            "cannot start the desktop's browser: {error}; open the address yourself"
        ));
    }
    console::complain("open this address in a browser to label; Ctrl-C ends the program");
    server.serve(project, |address| {
        console::complain(&format!("for another window open {address}"));
    })?;
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

/// Opens the pages to label.
fn open(arguments: Arguments) -> anyhow::Result<Opened> {
    let render = renderer(&arguments)?;
    let preparing = Preparing::new(PageCleaner::new(&arguments.options)?, render);
    let work = match arguments.merge.map(<[PathBuf; 2]>::try_from) {
        Some(Ok(sides)) => Work::Merge(sides),
        Some(Err(sides)) => {
            anyhow::bail!("--merge takes two folders, and {} are named", sides.len())
        }
        None if arguments.tutorial => Work::Tutorial,
        None => Work::Pages(arguments.inputs.open()?),
    };
    let request = Request {
        work,
        out: arguments.out,
        annotator: arguments.annotator,
        marks: arguments.marks,
        order: arguments.order,
    };
    Ok(request.open(preparing, &Terminal::new(false))?)
}

/// Writes the labels of a folder of gold into a file.
fn write_labels(arguments: &Arguments, format: ExportFormat) -> anyhow::Result<ExitCode> {
    let [folder] = arguments.inputs.inputs.as_slice() else {
        anyhow::bail!(
            "--export takes one folder of gold, and {} inputs are named",
            arguments.inputs.inputs.len()
        );
    };
    let out = arguments
        .out
        .as_deref()
        .context("--export needs --out FILE")?;
    anyhow::ensure!(
        !out.is_dir(),
        "{} is a folder; with --export, --out names the file to write",
        out.display()
    );
    let annotator = arguments.annotator.as_deref();
    let preparing = Preparing::new(PageCleaner::new(&arguments.options)?, None);
    let (text, pages) = export(
        Path::new(folder),
        annotator,
        arguments.marks,
        format,
        &preparing,
    )?;
    files::write_whole(out, text.as_bytes())?;
    console::complain(&format!(
        "wrote the labels of {} to {}",
        counted(pages, "page"),
        out.display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// Gives the pages the labels in a file.
fn read_labels(arguments: Arguments, file: &Path) -> anyhow::Result<ExitCode> {
    let project = open(Arguments {
        order: PageOrder::Given,
        ..arguments
    })?
    .project;
    let imported = import_file(&project, file)?;
    for (page, cause) in project.errors().chain(imported.failures.clone()) {
        console::complain(&format!("{page}: {cause}"));
    }
    let gold = project.gold().path().display().to_string();
    console::complain(&format!(
        "labelled {} of {} in {gold}",
        counted(imported.blocks, "block"),
        counted(imported.pages, "page")
    ));
    Ok(if imported.failures.is_empty() {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

/// Function that renders pages that are not captures; `None` if they are only parsed. The pages of
/// the tutorial are always rendered, if possible.
fn renderer(arguments: &Arguments) -> anyhow::Result<Option<RenderPage>> {
    let usual = (arguments.tutorial && cfg!(feature = "builtin")).then_some(EngineChoice::Builtin);
    let Some(engine) = arguments.render.engine.or(usual) else {
        return Ok(None);
    };
    let options = RenderOptions {
        engine: Some(engine),
        paint: true,
        tabs: std::thread::available_parallelism().map_or(1, usize::from),
        ..arguments.render.clone()
    };
    match rendering::launch(options)? {
        Some(renderer) => Ok(Some(Box::new(move |page| {
            Ok(renderer.render(page, &PageOptions::default())?.capture)
        }))),
        None => {
            anyhow::bail!("no page can be rendered; leave --engine out, or choose --engine builtin")
        }
    }
}

/// Parses the name of an order in [`PageOrder::ALL`].
fn order(name: &str) -> Result<PageOrder, String> {
    crate::options::named(PageOrder::ALL, name)
}

/// Parses the name of a format in [`EXPORTS`].
fn export_format(name: &str) -> Result<ExportFormat, String> {
    crate::options::named(EXPORTS, name)
}
