//! `vclean serve`: the HTTP service. `vclean mcp`: the tools for language models on standard input
//! and output.

use super::rendering;
use super::{SOME_FAILED, console};
use crate::published::PUBLISHED;
use anyhow::Context;
use clap::builder::RangedU64ValueParser;
use clap::{Args, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use vclean_render::{EngineChoice, RenderOptions};
use vclean_run::politeness::PolitenessOptions;
use vclean_run::{RateLimitedRenderer, RunOptions, Stop};
use vclean_serve::{
    CacheOptions, JobOptions, Limits, ServiceOptions, Token, check_health, serve_http,
    serve_standard_io,
};

/// The variable with a token.
const TOKEN_VARIABLE: &str = "VCLEAN_TOKEN";
/// The variable with the key that signs what webhooks are told.
const SECRET_VARIABLE: &str = "VCLEAN_WEBHOOK_SECRET";
/// The variables that the program reads.
const VARIABLES: [&str; 3] = [TOKEN_VARIABLE, SECRET_VARIABLE, "VCLEAN_BROWSER"];

/// Longest time for which results of jobs are kept. Heuristic: nobody asks for older ones.
const MAX_KEPT: Duration = Duration::from_hours(366 * 24);

/// The verbs that serve, in the order of the help text.
#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    Serve(Box<Arguments>),
    Mcp(Box<McpArguments>),
}

/// Serve the cleaning of pages over HTTP
///
/// Listens on an address of this machine and answers requests with the main text of pages, for
/// programs and for language models: /v1/clean, /v1/batch, /r/ADDRESS, /v2/scrape, /v2/crawl,
/// /v2/map and /v2/batch/scrape (Firecrawl's interface) and /mcp (tools). /openapi.json describes
/// them all, and / is a page to try it. Requests cannot read files, and cannot reach private
/// addresses. The log on standard error is one JSON object per line, without contents of pages.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean serve                                     on http://127.0.0.1:8780
  curl 'http://127.0.0.1:8780/v1/clean?url=https://example.org/article&formats=markdown'
  curl -H 'Content-Type: text/html' --data-binary @page.html http://127.0.0.1:8780/v1/clean
  vclean serve --bind 0.0.0.0:8780 --token-file /etc/vclean/token    for other machines, which need a token
  vclean serve --engine builtin --jobs 4           without a browser")]
pub(super) struct Arguments {
    /// Address and port to listen on; one that other machines can reach needs a token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8780")]
    bind: SocketAddr,

    /// Require one of the tokens in FILE, one per line, in the header `Authorization: Bearer`;
    /// VCLEAN_TOKEN holds one more
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// Also answer requests whose header `Host` is NAME, as from a proxy on this machine that keeps
    /// it; may be repeated, and needs a token
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,

    /// Only ask a service at ADDRESS whether it runs, for the health check of a container, and exit
    /// with 0 if it does
    #[arg(long, value_name = "ADDRESS", exclusive = true)]
    check: Option<SocketAddr>,

    /// Largest request, such as 500kB or 16MB, after decompression; of a batch, its longest line
    #[arg(long, value_name = "SIZE", default_value = "16MB", value_parser = body_size)]
    max_body: usize,

    /// Keep answers in this much memory, such as 100MB or 2GB, for requests that accept an earlier
    /// one by `max_age` (in seconds; Firecrawl's `maxAge` in ms); without it, every page is loaded
    #[arg(long, value_name = "SIZE", value_parser = cache_size)]
    cache: Option<usize>,

    /// Keep the answers of --cache in FOLDER and not in memory, so that the next service has them
    /// too; a new or an empty folder, to which no other user may write
    #[arg(long, value_name = "FOLDER", requires = "cache")]
    cache_dir: Option<PathBuf>,

    /// Keep crawls and lists in FOLDER, too, so that the next service continues them and has their
    /// results; a new or an empty folder, to which no other user may write
    #[arg(long, value_name = "FOLDER")]
    jobs_dir: Option<PathBuf>,

    /// How long the results of a crawl or list are kept after its end, such as 90min or 7d
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = kept_time)]
    keep_jobs: Duration,

    /// How long pages in work may go on after the service is told to stop
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u16).range(0..=3600))]
    grace: u16,

    #[command(flatten)]
    load: LoadArguments,
}

/// Serve tools for language models on standard input and output
///
/// Speaks the Model Context Protocol: a program that runs a language model starts it, and the model
/// can then call fetch_clean (the main text of an address), clean_html (that of a page it has) and
/// explain (why a block stayed or went). `vclean serve` offers the same tools over HTTP under /mcp.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean mcp
  vclean mcp --engine builtin

As an entry of a client's configuration: {\"mcpServers\": {\"vclean\": {\"command\": \"vclean\", \"args\": [\"mcp\"]}}}")]
pub(super) struct McpArguments {
    #[command(flatten)]
    load: LoadArguments,
}

/// How pages are rendered, and how many.
#[derive(Debug, Args)]
struct LoadArguments {
    /// Process N pages at the same time [default: one per processor]
    #[arg(long, short, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    jobs: Option<usize>,

    /// How many more pages may wait; beyond that, requests are answered with 503 and Retry-After
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(0..=1000))]
    queue: u16,

    #[command(flatten)]
    render: RenderOptions,

    #[command(flatten)]
    politeness: PolitenessOptions,
}

/// A size in bytes, from a number of kB or MB.
fn body_size(text: &str) -> Result<usize, String> {
    let wrong = || format!("{text} is not a size; name one from 1kB to 64MB, such as 16MB");
    let upper = text.trim().to_ascii_uppercase();
    let (number, unit) = match (upper.strip_suffix("MB"), upper.strip_suffix("KB")) {
        (Some(number), _) => (number, 1 << 20),
        (_, Some(number)) => (number, 1 << 10),
        _ => return Err(wrong()),
    };
    let number: usize = number.trim().parse().map_err(|_| wrong())?;
    let bytes = number.saturating_mul(unit);
    if (1 << 10..=64 << 20).contains(&bytes) {
        Ok(bytes)
    } else {
        Err(wrong())
    }
}

/// A time for which results are kept.
fn kept_time(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).ok();
    time.filter(|time| *time <= MAX_KEPT)
        .ok_or_else(|| format!("{text} is not a time up to 366d; name one such as 90min or 7d"))
}

impl Arguments {
    /// How answers are kept. Those that were made with another browser, proxy or policy are not
    /// used.
    fn cache(&self) -> CacheOptions {
        let LoadArguments {
            render, politeness, ..
        } = &self.load;
        CacheOptions {
            bytes: self.cache.unwrap_or(0),
            folder: self.cache_dir.clone(),
            settings: format!("{render:?} {}", politeness.ignore_robots),
        }
    }
}

/// A size of memory in bytes, from a number of MB or GB.
fn cache_size(text: &str) -> Result<usize, String> {
    let wrong = || format!("{text} is not a size; name one from 1MB to 1000GB, such as 100MB");
    let upper = text.trim().to_ascii_uppercase();
    let (number, unit) = match (upper.strip_suffix("GB"), upper.strip_suffix("MB")) {
        (Some(number), _) => (number, 1_usize << 30),
        (_, Some(number)) => (number, 1 << 20),
        _ => return Err(wrong()),
    };
    let number: usize = number.trim().parse().map_err(|_| wrong())?;
    let bytes = number.saturating_mul(unit);
    if (1 << 20..=1000 << 30).contains(&bytes) {
        Ok(bytes)
    } else {
        Err(wrong())
    }
}

impl LoadArguments {
    fn jobs(&self) -> usize {
        self.jobs.unwrap_or_else(|| RunOptions::default().jobs())
    }

    /// The renderer; `None` if the browser that all pages need does not start, which was reported.
    fn renderer(&self) -> anyhow::Result<Option<RateLimitedRenderer>> {
        let engine = match self.render.engine() {
            // Requests may name an engine, so that none is excluded; the browser starts when it is
            // needed.
            EngineChoice::None | EngineChoice::Builtin => EngineChoice::Auto,
            engine => engine,
        };
        let renderer = rendering::launch(RenderOptions {
            engine: Some(engine),
            tabs: self.jobs(),
            ..self.render.clone()
        })?;
        Ok(renderer.map(|renderer| RateLimitedRenderer::new(renderer, self.politeness)))
    }

    fn options(&self, bind: SocketAddr) -> ServiceOptions {
        ServiceOptions {
            bind,
            tokens: Vec::new(),
            hosts: Vec::new(),
            engine: self.render.engine,
            jobs: self.jobs(),
            queue: usize::from(self.queue),
            timeout: Duration::from_millis(self.render.page_timeout_ms()),
            max_body_bytes: 16 << 20,
            cache: CacheOptions::default(),
            kept_jobs: JobOptions::default(),
            webhook_secret: None,
            published: PUBLISHED,
            grace: Duration::ZERO,
            limits: Limits::default(),
        }
    }
}

pub(super) fn run(verb: &Verb) -> anyhow::Result<ExitCode> {
    match verb {
        Verb::Serve(arguments) => run_http(arguments),
        Verb::Mcp(arguments) => run_mcp(arguments),
    }
}

fn run_http(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(address) = arguments.check {
        check_health(address)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut tokens = arguments
        .token_file
        .as_deref()
        .map(Token::from_file)
        .transpose()?
        .unwrap_or_default();
    if let Ok(token) = std::env::var(TOKEN_VARIABLE) {
        tokens.push(Token::new(&token)?);
    }
    complain_of_variables();
    let options = ServiceOptions {
        tokens,
        hosts: arguments.host.clone(),
        max_body_bytes: arguments.max_body,
        cache: arguments.cache(),
        kept_jobs: JobOptions {
            kept: arguments.keep_jobs,
            folder: arguments.jobs_dir.clone(),
        },
        webhook_secret: webhook_secret()?,
        grace: Duration::from_secs(arguments.grace.into()),
        ..arguments.load.options(arguments.bind)
    };
    // Before a browser is started.
    options.check()?;
    let Some(renderer) = arguments.load.renderer()? else {
        return Ok(SOME_FAILED.into());
    };
    // The service runs on even if standard output is closed.
    let announce = |address| {
        let _ = console::print(&[&format!("http://{address}\n")]);
    };
    serve_http(options, renderer, &Stop::on_interrupt(|_| ()), announce)?;
    Ok(ExitCode::SUCCESS)
}

fn webhook_secret() -> anyhow::Result<Option<Token>> {
    let Ok(secret) = std::env::var(SECRET_VARIABLE) else {
        return Ok(None);
    };
    let secret = Token::new(&secret).with_context(|| format!("{SECRET_VARIABLE} is no key"))?;
    Ok(Some(secret))
}

/// Names variables that look like options of ours and are not read.
fn complain_of_variables() {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| name.starts_with("VCLEAN_") && !VARIABLES.contains(&&**name)) {
        console::complain(&format!(
            "the variable {name} is not read; say it as an option, or in the file that --config names"
        ));
    }
}

fn run_mcp(arguments: &McpArguments) -> anyhow::Result<ExitCode> {
    let options = arguments.load.options(([127, 0, 0, 1], 0).into());
    let Some(renderer) = arguments.load.renderer()? else {
        return Ok(SOME_FAILED.into());
    };
    serve_standard_io(options, renderer, &Stop::on_interrupt(|_| ()))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_have_a_unit_and_a_range() {
        assert_eq!(
            (body_size("16MB"), body_size("1 kb")),
            (Ok(16 << 20), Ok(1 << 10))
        );
        assert_eq!(
            (cache_size("100MB"), cache_size("2 gb")),
            (Ok(100 << 20), Ok(2 << 30))
        );
        assert!(
            ["1", "0MB", "9999GB", "MB"]
                .into_iter()
                .all(|wrong| cache_size(wrong).is_err())
        );
        assert_eq!(kept_time("90min"), Ok(Duration::from_mins(90)));
        assert!(
            ["1", "9999d", "soon"]
                .into_iter()
                .all(|wrong| kept_time(wrong).is_err())
        );
        for wrong in ["16", "0MB", "65MB", "MB", "-1MB", "99999999999999999999MB"] {
            assert!(body_size(wrong).is_err(), "{wrong}");
        }
    }
}
