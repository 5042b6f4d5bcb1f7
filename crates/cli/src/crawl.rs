//! `vclean crawl`: a whole site, from its first address to the texts of its pages. `vclean map`:
//! its addresses only.

use super::options::{PolitenessArguments, in_short_help, named};
use super::render_and_clean::{self, PageArguments};
use super::rendering::{self, BrowserArguments};
use super::{SOME_FAILED, console};
use clap::{Args, ValueEnum};
use std::process::ExitCode;
use vclean_render::LoadOptions;
use vclean_run::crawl::{CrawlOptions, Frontier, SitemapUse};
use vclean_run::{Inputs, RateLimitedRenderer, SiteAddress, addresses_of_site};

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
  vclean crawl https://example.org --include '^/blog/' --exclude '[?&]page=' --render auto --out blog.jsonl
  vclean crawl https://example.org --sitemap only --engine builtin --out site.warc.gz")]
pub(super) struct Arguments {
    /// The http(s) address to start from; it is loaded in any case
    #[arg(value_name = "ADDRESS")]
    start: String,
    #[command(flatten)]
    site: SiteArguments,

    /// Follow at most N links from the first page, or from one of a sitemap [default: any number]
    #[arg(long, value_name = "N", help_heading = "Crawl", value_parser = clap::value_parser!(u32).range(0..=10_000))]
    max_depth: Option<u32>,

    #[command(flatten)]
    pages: PageArguments,
}

/// Print the addresses of a site, one per line
///
/// Renders the first page for its links and reads the sitemaps and feeds of the site; no other page
/// is loaded. The addresses can be given to render-and-clean with --from, on this machine or on
/// others.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean map https://example.org
  vclean map https://example.org --include '^/blog/' --max-pages 50000 > addresses.txt
  vclean map https://example.org --sitemap skip --engine builtin    the links of the first page only
  vclean map https://example.org --format jsonl    with titles, where the first page tells them")]
pub(super) struct MapArguments {
    /// The http(s) address to start from
    #[arg(value_name = "ADDRESS")]
    start: String,
    #[command(flatten)]
    site: SiteArguments,

    /// How addresses are printed
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "lines",
        help_heading = "Output"
    )]
    format: MapFormat,

    #[command(flatten)]
    browser: BrowserArguments,
    #[command(flatten)]
    load: LoadOptions,
    #[command(flatten)]
    politeness: PolitenessArguments,
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

/// Which addresses belong to a site.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Crawl")]
pub(super) struct SiteArguments {
    /// Take at most N addresses, the first included
    #[arg(
        long,
        value_name = "N",
        default_value_t = CrawlOptions::USUAL_MAX_PAGES as u64,
        value_parser = clap::value_parser!(u64).range(1..=CrawlOptions::MOST_PAGES as u64)
    )]
    max_pages: u64,

    /// Take only addresses in whose path and query the regular expression PATTERN finds something;
    /// may be repeated
    #[arg(long, value_name = "PATTERN")]
    include: Vec<String>,

    /// Leave out addresses in whose path and query the regular expression PATTERN finds something;
    /// may be repeated
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,

    /// Also take hosts below that of the first address, such as blog.example.org
    #[arg(long)]
    subdomains: bool,

    /// Take only addresses below the folder of the first one
    #[arg(long)]
    no_parent: bool,

    /// Use of the site's sitemaps and feeds: include takes their addresses beside those of links,
    /// skip reads none, only follows no links
    #[arg(long, value_name = "WAY", default_value = "include", value_parser = sitemap_use, hide_possible_values = true)]
    sitemap: SitemapUse,

    /// Take at most N addresses that differ in their query only, so that calendars and filters
    /// without end do end
    #[arg(
        long,
        value_name = "N",
        default_value_t = CrawlOptions::USUAL_MAX_QUERIES,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    max_queries: u32,
}

fn sitemap_use(name: &str) -> Result<SitemapUse, String> {
    named(SitemapUse::ALL, name)
}

impl SiteArguments {
    /// The options of a crawl.
    ///
    /// # Errors
    /// If the address or a pattern is wrong.
    fn options(&self, start: &str, max_depth: Option<u32>) -> anyhow::Result<CrawlOptions> {
        let usual = CrawlOptions::new(start)?;
        Ok(CrawlOptions {
            max_pages: self.max_pages as usize,
            max_depth,
            include: CrawlOptions::patterns(&self.include)?,
            exclude: CrawlOptions::patterns(&self.exclude)?,
            subdomains: self.subdomains,
            below: self.no_parent.then(|| usual.folder()),
            sitemap: self.sitemap,
            max_queries: self.max_queries,
            ..usual
        })
    }
}

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let options = arguments
        .site
        .options(&arguments.start, arguments.max_depth)?;
    let effective = options.effective();
    // How many pages of a host are loaded at the same time is known with the renderer.
    let inputs = Inputs::for_site(Frontier::new(options, 1));
    render_and_clean::clean(inputs, arguments.pages, effective)
}

pub(super) fn map(arguments: &MapArguments) -> anyhow::Result<ExitCode> {
    let options = arguments.site.options(&arguments.start, None)?;
    let Some(renderer) = rendering::launch(&arguments.browser, &arguments.load, 1)? else {
        return Ok(SOME_FAILED.into());
    };
    let renderer = RateLimitedRenderer::new(renderer, arguments.politeness.options());
    let frontier = Frontier::new(options, 1);
    let stop = console::stop_on_interrupt();
    let found = addresses_of_site(&renderer, &frontier, || stop.is_set());
    frontier
        .notes()
        .iter()
        .for_each(|note| console::complain(note));
    if let Some(fault) = &found.fault {
        console::complain(&format!("{}: {fault}", arguments.start));
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
