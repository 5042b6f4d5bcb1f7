//! `vclean render-and-clean`: the main verb, from an address to its text.

use super::SOME_FAILED;
use super::clean::CleaningArguments;
use super::console::{self, Console};
use super::options::{InputArguments, in_short_help, share_of_one};
use super::rendering;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use vclean_core::pipeline::HiddenText;
use vclean_render::{LoadOptions, RenderOptions};
use vclean_run::journal::EffectiveArguments;
use vclean_run::politeness::PolitenessOptions;
use vclean_run::store::kind_of;
use vclean_run::{Inputs, RenderingOptions, pages_of_tree};

/// Condition for rendering a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum When {
    /// Render every page, however certain its text is
    #[default]
    Always,
    /// Only if the text extracted without rendering is uncertain; addresses are first fetched
    /// without a browser
    Auto,
}

/// Expected F of a page's text below which it is rendered. Chosen on the `dev` pages of six sets
/// among .5 to .95: with .85, 8 to 19 % of their pages are rendered, and `styled` has .960 of the
/// .962 that rendering all of it gives.
const MIN_EXPECTED_F: f32 = 0.85;

/// Render pages and write their main text
///
/// Renders each page, decides for every text block whether it is content or boilerplate (menus,
/// advertisements, footers), and writes the content. By default, addresses are rendered in headless
/// Chromium, saved pages and archives by the built-in engine, which also renders addresses if there
/// is no browser; see --engine. Inputs of all kinds may be mixed; captures are not rendered again.
#[derive(Debug, Args)]
#[command(mut_args(in_short_help))]
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
    pages: PageArguments,
}

/// How pages are rendered, cleaned and written, wherever they come from.
#[derive(Debug, Args)]
pub(super) struct PageArguments {
    #[command(flatten)]
    cleaning: CleaningArguments,
    #[command(flatten)]
    render_options: RenderOptions,
    #[command(flatten)]
    load: LoadOptions,
    #[command(flatten)]
    politeness: PolitenessOptions,

    /// When a page is rendered
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "always",
        help_heading = "Rendering"
    )]
    render: When,

    /// With --render auto: render a page if the expected F score of its text without rendering is
    /// below this, from 0 to 1
    #[arg(long, value_name = "F", default_value_t = MIN_EXPECTED_F, value_parser = share_of_one, help_heading = "Rendering")]
    min_expected_f: f32,

    /// Load up to N further parts of a text that is divided into several pages, and append them
    ///
    /// The next part is the page whose address is that of this one with the next number, such as
    /// story.html and story-2.html; JSON names it as `next` in the metadata
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        value_parser = clap::value_parser!(u8).range(0..=100),
        help_heading = "Rendering"
    )]
    follow_pages: u8,

    /// Save captures of the pages in DIR, so that they can be cleaned again without rendering
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    keep_captures: Option<PathBuf>,
}

impl PageArguments {
    /// Directs the pages to the file of a tree of Markdown; returns the folder of the tree.
    ///
    /// # Errors
    /// If the output is not a folder, or the format not Markdown.
    pub(super) fn for_tree(&mut self) -> anyhow::Result<PathBuf> {
        let (options, output) = (&mut self.cleaning.options, &mut self.cleaning.output);
        let format = options.format.get_or_insert_with(|| "markdown".to_owned());
        anyhow::ensure!(
            format == "markdown",
            "`out_layout` tree writes Markdown, and the format is {format}; leave one of the two out"
        );
        options.links = true;
        let folder = output.out.take().unwrap_or_default();
        let is_file = kind_of(&folder).is_some() || folder.is_file();
        anyhow::ensure!(
            !is_file,
            "`out_layout` tree is for an output DIR, and {} is a file; name a folder",
            folder.display()
        );
        output.out = Some(pages_of_tree(&folder));
        Ok(folder)
    }
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let inputs = arguments.inputs.open()?;
    clean(inputs, arguments.pages, EffectiveArguments::new())
}

/// Renders and cleans the pages of `inputs`; `own` are the verb's own arguments that must be
/// repeated on resume.
pub(super) fn clean(
    inputs: Inputs,
    arguments: PageArguments,
    own: EffectiveArguments,
) -> anyhow::Result<ExitCode> {
    let (batch, secrets_of) = (&arguments.cleaning.batch, inputs.start_of_site());
    let mut console = Console::for_run(&inputs, batch);
    let options = RenderOptions {
        load: arguments.load,
        as_robot: secrets_of.is_some(),
        secrets_of,
        // A page that is not laid out may have text that readers do not see.
        only_visible: arguments.cleaning.options.hidden == HiddenText::Drop,
        paint: arguments.render_options.paint || arguments.cleaning.pictures.need_paint(),
        tabs: batch.jobs(),
        ..arguments.render_options
    };
    let mut effective = options.effective();
    effective.extend(own);
    let when = format!("{:?} {}", arguments.render, arguments.min_expected_f).to_lowercase();
    effective.insert("render".to_owned(), when);
    if arguments.follow_pages > 0 {
        let count = arguments.follow_pages.to_string();
        effective.insert("follow_pages".to_owned(), count);
    }
    anyhow::ensure!(
        arguments.render == When::Always || !options.only_visible,
        "`hidden` drop is for pages that are rendered, and with `render` auto not all are; leave one of the two out"
    );
    if let (When::Auto, Some(option)) = (arguments.render, options.load.needs_chromium()) {
        anyhow::bail!(
            "`{option}` is for pages that are rendered, and with `render` auto not all are; leave one of the two out"
        );
    }
    let run = arguments
        .cleaning
        .open(inputs, options.limit, effective, console.summary())?;
    let Some(renderer) = rendering::launch(options)? else {
        return Ok(SOME_FAILED.into());
    };
    let options = RenderingOptions {
        renderer,
        politeness: arguments.politeness,
        min_expected_f: (arguments.render == When::Auto).then_some(arguments.min_expected_f),
        follow_pages: arguments.follow_pages,
        keep: arguments.keep_captures,
    };
    let ended = run.render_and_clean(options, &console::stop_on_interrupt(), &mut console)?;
    Ok(console::exit_code(
        ended,
        arguments.cleaning.how_to_resume(),
    ))
}
