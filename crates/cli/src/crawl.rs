//! `vclean crawl`: a whole site, from its first address to the texts of its pages. `vclean map`:
//! its addresses only.

use super::options::in_short_help;
use super::render_and_clean::{self, PageArguments};
use super::rendering;
use super::{SOME_FAILED, console};
use clap::{Args, ValueEnum};
use std::process::ExitCode;
use vclean_render::{LoadOptions, RenderOptions};
use vclean_run::crawl::{CrawlOptions, Frontier};
use vclean_run::politeness::PolitenessOptions;
use vclean_run::{
    Inputs, RateLimitedRenderer, SiteAddress, addresses_of_site, pages_of_tree, write_tree,
};

/// Load a whole site and write the main text of its pages
///
/// Starts from an address, follows the links of each page to others of the same host, reads the
/// sitemaps and feeds of the site, and renders, cleans and writes the pages as render-and-clean
/// does, with the same options. Pages are found breadth first, each is loaded once, robots.txt is
/// obeyed and each host gets one request a second (see --delay). With --out, the addresses are kept
/// beside the journal, so that --resume continues a crawl that was interrupted in any way.
#[derive(Debug, Args)]
#[command(mut_args(in_short_help))]
#[command(after_help = "\
Examples:
  vclean crawl https://example.org --max-pages 500 --out site.jsonl
  vclean crawl https://example.org --max-pages 500 --out site.jsonl --resume    goes on after an interruption
  vclean crawl https://example.org/docs/ --no-parent --format markdown --out docs/
  vclean crawl https://example.org/docs/ --no-parent --out-layout tree --out docs/    with links between the files, and llms.txt
  vclean crawl https://example.org --include '^/blog/' --exclude '[?&]page=' --render auto --out blog.jsonl
  vclean crawl https://example.org --sitemap only --engine builtin --out site.warc.gz")]
pub(super) struct Arguments {
    #[command(flatten)]
    site: CrawlOptions,
    #[command(flatten)]
    pages: PageArguments,

    /// How --out DIR is arranged
    #[arg(
        long,
        value_name = "LAYOUT",
        default_value = "flat",
        requires = "out",
        help_heading = "Output"
    )]
    out_layout: Layout,
}

/// How the folder of a crawl is arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Layout {
    /// A file for each page, named after its address
    #[default]
    Flat,
    /// Markdown under the paths of the pages, with links between them, and llms.txt and
    /// llms-full.txt; pages.jsonl has the pages as JSON lines
    Tree,
}

/// Print the addresses of a site, one per line
///
/// Renders the first page for its links and reads the sitemaps and feeds of the site; no other page
/// is loaded. The addresses can be given to render-and-clean with --from, on this machine or on
/// others.
#[derive(Debug, Args)]
#[command(mut_arg("max_depth", |option| option.hide(true).value_parser(no_depth)))]
#[command(after_help = "\
Examples:
  vclean map https://example.org
  vclean map https://example.org --include '^/blog/' --max-pages 50000 > addresses.txt
  vclean map https://example.org --sitemap skip --engine builtin    the links of the first page only
  vclean map https://example.org --format jsonl    with titles, where the first page tells them")]
pub(super) struct MapArguments {
    #[command(flatten)]
    site: CrawlOptions,

    /// How addresses are printed
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "lines",
        help_heading = "Output"
    )]
    format: MapFormat,

    #[command(flatten)]
    render: RenderOptions,
    #[command(flatten)]
    load: LoadOptions,
    #[command(flatten)]
    politeness: PolitenessOptions,
}

/// How addresses are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum MapFormat {
    /// One address per line
    #[default]
    Lines,
    /// One JSON object per line, with `url` and, where the first page tells them, `title` and
    /// `description`
    Jsonl,
}

/// Refuses `--max-depth`, because a map loads the first page only.
fn no_depth(_: &str) -> Result<u32, &'static str> {
    Err("a map has the links of the first page only; leave the option out")
}

pub(super) fn run(mut arguments: Arguments) -> anyhow::Result<ExitCode> {
    let tree = match arguments.out_layout {
        Layout::Flat => None,
        Layout::Tree => Some(arguments.pages.for_tree()?),
    };
    let options = arguments.site;
    let effective = options.effective();
    // How many pages of a host are loaded at the same time is known with the renderer.
    let inputs = Inputs::for_site(Frontier::new(options, 1));
    let code = render_and_clean::clean(inputs, arguments.pages, effective)?;
    if let Some(folder) = tree.filter(|folder| pages_of_tree(folder).exists()) {
        write_tree(&folder)?;
    }
    Ok(code)
}

pub(super) fn map(arguments: MapArguments) -> anyhow::Result<ExitCode> {
    let options = RenderOptions {
        load: arguments.load,
        as_robot: true,
        tabs: 1,
        ..arguments.render
    };
    let Some(renderer) = rendering::launch(options)? else {
        return Ok(SOME_FAILED.into());
    };
    let renderer = RateLimitedRenderer::new(renderer, arguments.politeness);
    let frontier = Frontier::new(arguments.site, 1);
    let stop = console::stop_on_interrupt();
    let found = addresses_of_site(&renderer, &frontier, || stop.is_set());
    frontier
        .notes()
        .iter()
        .for_each(|note| console::complain(note));
    if let Some(fault) = &found.fault {
        console::complain(&format!("{}: {fault}", frontier.options().start));
    }
    let line = |address: &SiteAddress| match arguments.format {
        MapFormat::Lines => Ok(format!("{}\n", address.url)),
        MapFormat::Jsonl => serde_json::to_string(address).map(|line| line + "\n"),
    };
    let lines = found
        .addresses
        .iter()
        .map(line)
        .collect::<Result<String, _>>()?;
    let is_printed = console::print(&[&lines]).is_ok();
    Ok(if found.fault.is_none() && is_printed {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}
