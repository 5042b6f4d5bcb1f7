//! How pages are rendered, from the command line: which engine, its browser, its limits.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use vclean_render::{EngineChoice, Fallback, LoadOptions, OutboundProxy, RenderOptions, Renderer};
use vclean_run::journal::EffectiveArguments;

/// Whether a page's scripts run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Scripts {
    /// Always
    On,
    /// Never
    Off,
    /// For pages from the network, not for saved ones
    #[default]
    Auto,
}

impl Scripts {
    /// Whether scripts run, for the renderer: `None` leaves the choice to the kind of page.
    pub(super) fn choice(self) -> Option<bool> {
        match self {
            Self::On => Some(true),
            Self::Off => Some(false),
            Self::Auto => None,
        }
    }
}

/// How pages are rendered.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Rendering")]
pub(super) struct BrowserArguments {
    /// Rendering engine: chromium, builtin (the built-in engine: no browser, no scripts), or auto:
    /// chromium for addresses and with --scripts on, builtin for saved pages and archives. If no
    /// browser works, auto renders addresses with builtin too, without their scripts, and warns
    /// once [default: auto; for data sets, whose pages must all be rendered by the same engine,
    /// chromium]
    #[arg(long, value_name = "ENGINE", value_parser = engine, hide_possible_values = true)]
    pub(super) engine: Option<EngineChoice>,

    /// What happens to a page that the built-in engine cannot render: chromium renders it in the
    /// browser (or parses it without layout if no browser works), static parses it without layout,
    /// none reports it as failed; the first two add a warning to the page [default: chromium with
    /// --engine auto, static with builtin, none for data sets]
    #[arg(long, value_name = "WAY", value_parser = fallback, hide_possible_values = true)]
    pub(super) fallback: Option<Fallback>,

    /// Browser to use [default: VCLEAN_BROWSER, then chromium-headless-shell, chromium,
    /// google-chrome on PATH]
    #[arg(long, value_name = "PATH")]
    pub(super) browser: Option<PathBuf>,

    /// Run the browser without its sandbox; only where the sandbox cannot work, such as for root in
    /// a container
    #[arg(long)]
    pub(super) no_sandbox: bool,

    /// Allow pages from the network to load from loopback, link-local and private addresses
    #[arg(long)]
    pub(super) allow_private: bool,

    /// Load nothing from the network: saved pages use only what the file contains and the files
    /// next to it
    #[arg(long)]
    pub(super) offline: bool,

    /// Load everything through this proxy, http://HOST:PORT or http://USER:PASSWORD@HOST:PORT
    /// (other users of the machine can read command lines). It resolves the names: pages then reach
    /// what the proxy reaches, private addresses too, unless they are written as numbers or
    /// localhost
    #[arg(long, value_name = "URL")]
    pub(super) proxy: Option<OutboundProxy>,

    /// Let the scripts of saved pages use the network, with --scripts on; they then cannot read the
    /// files next to the page
    #[arg(long)]
    pub(super) allow_network: bool,

    /// Memory that the browser may use for one page, such as 500MB or 3GB; a page that needs more
    /// is stopped and fails
    #[arg(long, value_name = "SIZE", value_parser = memory, default_value = "2GB")]
    pub(super) browser_memory: u64,

    /// Whether the scripts of a page run
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(super) scripts: Scripts,

    /// Let the built-in engine paint the page in full, for captures that people look at (--report
    /// and --overlay do this anyway); without it, the model uses an approximate drawing that takes
    /// a tenth of the time
    #[arg(long)]
    pub(super) paint: bool,

    /// Give up on a page after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(super) timeout: Option<u32>,
}

impl BrowserArguments {
    /// The arguments that must be repeated on resume.
    pub(super) fn effective(&self) -> EffectiveArguments {
        let options = options(self, 1);
        let scripts = format!("{:?}", self.scripts).to_lowercase();
        EffectiveArguments::from([
            ("engine".to_owned(), options.engine.name().to_owned()),
            ("fallback".to_owned(), options.fallback().name().to_owned()),
            ("offline".to_owned(), self.offline.to_string()),
            ("allow_network".to_owned(), self.allow_network.to_string()),
            ("scripts".to_owned(), scripts),
        ])
    }
}

/// Parses the name of an engine in [`EngineChoice::ALL`].
pub(super) fn engine(name: &str) -> Result<EngineChoice, String> {
    super::options::named(EngineChoice::ALL, name)
}

fn fallback(name: &str) -> Result<Fallback, String> {
    super::options::named(Fallback::ALL, name)
}

/// A size of memory in bytes, from a number of MB or GB.
pub(super) fn memory(text: &str) -> Result<u64, String> {
    let upper = text.trim().to_ascii_uppercase();
    let (number, unit) = match (upper.strip_suffix("GB"), upper.strip_suffix("MB")) {
        (Some(number), _) => (number, 1_u64 << 30),
        (_, Some(number)) => (number, 1 << 20),
        _ => return Err("name a size such as 500MB or 3GB".to_owned()),
    };
    let size: f64 = number
        .trim()
        .parse()
        .map_err(|_| "name a size such as 500MB or 3GB".to_owned())?;
    let bytes = size * unit as f64;
    let least = RenderOptions::MIN_BROWSER_MEMORY_BYTES;
    if bytes >= least as f64 && bytes <= (1_u64 << 50) as f64 {
        Ok(bytes as u64)
    } else {
        Err(format!(
            "at least {}MB are needed for an ordinary page, and a million GB are the most",
            least >> 20
        ))
    }
}

/// The renderer's options for pages that may each use a different engine.
pub(super) fn options(arguments: &BrowserArguments, tabs: usize) -> RenderOptions {
    let usual = RenderOptions::default();
    RenderOptions {
        engine: arguments.engine.unwrap_or_default(),
        fallback: arguments.fallback,
        browser: arguments.browser.clone(),
        no_sandbox: arguments.no_sandbox,
        allow_private: arguments.allow_private,
        allow_network: arguments.allow_network,
        browser_memory_bytes: arguments.browser_memory,
        offline: arguments.offline,
        proxy: arguments.proxy.clone(),
        scripts: arguments.scripts.choice(),
        paint: arguments.paint,
        page_timeout_ms: arguments
            .timeout
            .map_or(usual.page_timeout_ms, |seconds| u64::from(seconds) * 1000),
        tabs,
        ..usual
    }
}

/// Starts the renderer, which loads pages as `load` says. If the browser that all pages need does
/// not start, prints the error and returns `None`.
///
/// # Errors
/// If the options contradict each other or `--browser` does not name a program: this is wrong
/// usage, not a failed page.
pub(super) fn launch(
    arguments: &BrowserArguments,
    load: &LoadOptions,
    tabs: usize,
) -> anyhow::Result<Option<Renderer>> {
    launch_with(RenderOptions {
        load: load.clone(),
        ..options(arguments, tabs)
    })
}

/// Starts the renderer with these options.
///
/// # Errors
/// Those of [`launch`].
pub(super) fn launch_with(options: RenderOptions) -> anyhow::Result<Option<Renderer>> {
    options.check()?;
    options.check_browser()?;
    match Renderer::launch(options) {
        Ok(renderer) => Ok(Some(renderer)),
        Err(error) => {
            super::console::complain(&error.to_string());
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        browser: BrowserArguments,
    }

    fn parse(words: &[&str]) -> Result<BrowserArguments, clap::Error> {
        Alone::try_parse_from([&["render"], words].concat()).map(|alone| alone.browser)
    }

    #[test]
    fn runs_are_not_resumed_with_another_engine() {
        let arguments = |words: &[&str]| parse(words).unwrap().effective();
        assert_eq!(
            arguments(&[]),
            arguments(&["--engine", "auto", "--fallback", "chromium"])
        );
        assert_ne!(arguments(&[]), arguments(&["--engine", "builtin"]));
        assert_ne!(arguments(&[]), arguments(&["--fallback", "none"]));
    }

    #[test]
    fn memory_has_a_unit_and_is_enough_for_a_page() {
        let memory =
            |text: &str| parse(&["--browser-memory", text]).map(|browser| browser.browser_memory);
        assert_eq!(
            parse(&[]).unwrap().browser_memory,
            RenderOptions::default().browser_memory_bytes
        );
        assert_eq!(
            (memory("400MB").unwrap(), memory("1.5gb").unwrap()),
            (400 << 20, 3 << 29)
        );
        for wrong in ["400", "x", "NaNGB", "infGB", "-2GB", "100MB", "1e30GB"] {
            assert!(memory(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn engines_have_names() {
        let message = parse(&["--engine", "firefox"]).unwrap_err().to_string();
        assert!(message.contains("chromium, builtin, auto"), "{message}");
    }
}
