//! The options of rendering: of a renderer and of a single page, the engine that they select, and
//! the fallback for pages on which the built-in engine fails.

use super::load::{LoadOptions, is_same_server};
pub use super::net::Cancel;
use super::net::OutboundProxy;
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;
use vclean_core::by_name;
use vclean_core::capture::Engine;
use vclean_core::error::RenderError;
use vclean_core::page::{Body, Page};
#[cfg(feature = "clap")]
use vclean_core::pipeline::choice;

/// The command that installs a browser, for messages.
pub(super) const INSTALL: &str = "apt-get install chromium-headless-shell (Debian) or chromium";

/// The engine that renders pages, or the rule that chooses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// Chromium, for all pages.
    Chromium,
    /// The built-in engine, for all pages; scripts never run.
    Builtin,
    /// Per page: Chromium for addresses and if scripts are requested, the built-in engine for saved
    /// pages and archives.
    #[default]
    Auto,
    /// Pages are parsed only, after those at an address are fetched. For services and workers; a
    /// [`Renderer`](super::Renderer) refuses it.
    None,
}

impl EngineChoice {
    /// All of them, by name.
    pub const ALL: &[(&str, Self)] = &[
        ("chromium", Self::Chromium),
        ("builtin", Self::Builtin),
        ("auto", Self::Auto),
        ("none", Self::None),
    ];

    /// True if this build has the engine.
    pub fn is_built(self) -> bool {
        RenderOptions {
            engine: Some(self),
            ..RenderOptions::default()
        }
        .check()
        .is_ok()
    }
}

/// Handling of a page on which the built-in engine fails: the page exceeds a limit, or the engine
/// crashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// Chromium renders it; if that fails too, it is parsed.
    Chromium,
    /// It is parsed: a capture without layout, and a warning in its record.
    Static,
    /// No fallback: the page fails.
    None,
}

impl Fallback {
    /// All of them, by name.
    pub const ALL: &[(&str, Self)] = &[
        ("chromium", Self::Chromium),
        ("static", Self::Static),
        ("none", Self::None),
    ];
}

/// When the scripts of pages run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scripts {
    /// On all pages, saved ones included.
    On,
    /// Never, whatever the page's source.
    Off,
    /// On pages from the network, not on saved ones.
    #[default]
    Auto,
}

impl Scripts {
    /// All of them, by name.
    pub const ALL: &[(&str, Self)] = &[("on", Self::On), ("off", Self::Off), ("auto", Self::Auto)];

    /// True if scripts run on a page; `is_from_network` tells where the page comes from.
    pub fn run_on(self, is_from_network: bool) -> bool {
        self == Self::On || self == Self::Auto && is_from_network
    }
}

by_name!(EngineChoice, "engine");
by_name!(Fallback, "fallback");
by_name!(Scripts, "scripts");

/// How long a page may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(
    feature = "clap",
    derive(clap::Args),
    command(next_help_heading = "Batch")
)]
#[serde(default)]
pub struct TimeLimit {
    /// Give up on a page after this many seconds
    ///
    /// [default: 60 among other pages and for rendering, no limit for cleaning one page]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS", value_parser = time_limit::parse))]
    #[serde(deserialize_with = "time_limit::deserialize")]
    pub timeout: Option<Duration>,
}

impl TimeLimit {
    /// A limit of so many milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Self {
            timeout: Some(Duration::from_millis(ms)),
        }
    }
}

/// Time limit of a page unless another is chosen, in ms. Heuristic.
const USUAL_TIMEOUT_MS: u64 = 60_000;
/// Window of pages in CSS px; the models are trained with it.
const VIEWPORT_PX: [u32; 2] = [1280, 1024];
/// Heuristic: most pages are quiet after a second.
const SETTLE_MS: u64 = 3_000;
/// Heuristic: a page of 30 screens; what is below is text without pictures.
const MAX_HEIGHT_PX: u32 = 30_000;
/// Heuristic: browsers grow with their pages, and a start takes a second.
const PAGES_PER_BROWSER: usize = 200;

/// How a renderer renders its pages.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(
    feature = "clap",
    derive(clap::Args),
    command(next_help_heading = "Rendering")
)]
#[serde(default)]
pub struct RenderOptions {
    /// Engine: chromium, builtin (no browser, no scripts), auto, or none [default: auto]
    ///
    /// auto renders addresses in Chromium, as well as saved pages with --scripts on, and other
    /// saved pages and archives in the built-in engine. If no browser works, the built-in engine
    /// renders addresses too, without their scripts, and warns once. none parses pages only; it is
    /// for services and workers, and their default for pages in requests. The pages of a data set
    /// must all be rendered by one engine: the default is chromium there
    #[cfg_attr(feature = "clap", arg(long, value_name = "ENGINE", value_parser = choice::<EngineChoice>(), hide_possible_values = true))]
    pub engine: Option<EngineChoice>,

    /// Treatment of pages that the built-in engine cannot render: chromium, static or none
    ///
    /// chromium renders them in the browser, or parses them without layout if no browser works;
    /// static parses them without layout; none reports them as failed. The first two add a warning
    /// to the page [default: chromium with --engine auto, static with builtin, none for data sets]
    #[cfg_attr(feature = "clap", arg(long, value_name = "WAY", value_parser = choice::<Fallback>(), hide_possible_values = true))]
    pub fallback: Option<Fallback>,

    /// Browser to use [default: VCLEAN_BROWSER, then chromium-headless-shell, chromium,
    /// google-chrome on PATH]
    #[cfg_attr(feature = "clap", arg(long, value_name = "PATH"))]
    pub browser: Option<PathBuf>,

    /// Run the browser without its sandbox; only where the sandbox cannot work, such as for root in
    /// a container
    #[cfg_attr(feature = "clap", arg(long))]
    pub no_sandbox: bool,

    /// Allow pages from the network to load from loopback, link-local and private addresses
    #[cfg_attr(feature = "clap", arg(long))]
    pub allow_private: bool,

    /// Load nothing from the network
    ///
    /// Saved pages then use only what the file contains and the files next to it
    #[cfg_attr(feature = "clap", arg(long))]
    pub offline: bool,

    /// Load everything through this proxy, http://HOST:PORT or http://USER:PASSWORD@HOST:PORT
    /// (other users of the machine can read command lines). It resolves the names: pages then reach
    /// what the proxy reaches, private addresses too, unless they are written as numbers or
    /// localhost
    #[cfg_attr(feature = "clap", arg(long, value_name = "URL"))]
    #[serde(deserialize_with = "parse_proxy")]
    pub proxy: Option<OutboundProxy>,

    /// Let the scripts of saved pages use the network, with --scripts on; they then cannot read the
    /// files next to the page, as they can without it
    #[cfg_attr(feature = "clap", arg(long))]
    pub allow_network: bool,

    /// Memory that the browser may use for one page, such as 500MB or 3GB; a page that needs more
    /// is stopped and fails. Each further tab adds 512 MB to the limit of the whole browser
    #[cfg_attr(
        feature = "clap",
        arg(
            long = "browser-memory",
            id = "browser_memory",
            value_name = "SIZE",
            value_parser = browser_memory_bytes,
            default_value = "2GB"
        )
    )]
    #[serde(rename = "browser_memory", deserialize_with = "parse_browser_memory")]
    pub browser_memory_bytes: u64,

    /// When the scripts of pages run: on, off or auto (on pages from the network)
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHEN", value_parser = choice::<Scripts>(), default_value = "auto", hide_possible_values = true))]
    pub scripts: Scripts,

    /// Let the built-in engine paint the page in full, for captures that people look at (--report
    /// and --overlay do this anyway); without it, the model uses an approximate drawing that takes
    /// a tenth of the time
    #[cfg_attr(feature = "clap", arg(long))]
    pub paint: bool,

    /// Time limit for a page; one minute if there is none. A page that is still loading then is
    /// captured as far as it is loaded; if that takes longer than some seconds, the page fails.
    #[cfg_attr(feature = "clap", command(flatten))]
    #[serde(flatten)]
    pub limit: TimeLimit,

    /// Number of tabs, which is the number of pages rendered at the same time; at least 1.
    #[cfg_attr(feature = "clap", arg(skip = 2_usize))]
    #[serde(deserialize_with = "parse_tabs")]
    pub tabs: usize,

    /// How pages are loaded, unless [`PageOptions::load`] replaces it.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub load: LoadOptions,

    /// The first address of a crawl, whose host alone gets the headers and cookies of
    /// [`Self::load`]: a link may lead to another host. With `None`, each page's own host gets
    /// them.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub secrets_of: Option<Url>,

    /// True if the browser names this program to servers, as crawlers do, and not itself; see
    /// [`ROBOT_USER_AGENT`](crate::ROBOT_USER_AGENT). The user agent of [`Self::load`] has
    /// precedence.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub as_robot: bool,

    /// True if text that readers do not see must never be taken, of any page; see
    /// [`PageOptions::only_visible`].
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub only_visible: bool,

    /// Viewport in CSS px, width and height.
    #[cfg_attr(feature = "clap", arg(skip = VIEWPORT_PX))]
    #[serde(skip)]
    pub viewport_px: [u32; 2],

    /// Time limit for each of the steps after loading (wait, scroll, wait again), in ms.
    #[cfg_attr(feature = "clap", arg(skip = SETTLE_MS))]
    #[serde(skip)]
    pub settle_ms: u64,

    /// Maximum height of the pictures of a page, in px.
    #[cfg_attr(feature = "clap", arg(skip = MAX_HEIGHT_PX))]
    #[serde(skip)]
    pub max_height_px: u32,

    /// Number of pages after which a browser is replaced by a new one, at least 1.
    #[cfg_attr(feature = "clap", arg(skip = PAGES_PER_BROWSER))]
    #[serde(skip)]
    pub pages_per_browser: usize,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            engine: None,
            fallback: None,
            browser: None,
            no_sandbox: false,
            allow_private: false,
            offline: false,
            proxy: None,
            allow_network: false,
            browser_memory_bytes: 2 << 30,
            scripts: Scripts::Auto,
            paint: false,
            limit: TimeLimit::default(),
            tabs: 2,
            load: LoadOptions::default(),
            secrets_of: None,
            as_robot: false,
            only_visible: false,
            viewport_px: VIEWPORT_PX,
            settle_ms: SETTLE_MS,
            max_height_px: MAX_HEIGHT_PX,
            pages_per_browser: PAGES_PER_BROWSER,
        }
    }
}

/// The address of a proxy in JSON.
fn parse_proxy<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<OutboundProxy>, D::Error> {
    let proxy: Option<String> = Option::deserialize(deserializer)?;
    let parse = |proxy: String| proxy.parse().map_err(serde::de::Error::custom);
    proxy.map(parse).transpose()
}

fn parse_browser_memory<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    browser_memory_bytes(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

fn parse_tabs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let tabs = i64::deserialize(deserializer)?;
    usize::try_from(tabs)
        .ok()
        .filter(|tabs| *tabs > 0)
        .ok_or_else(|| {
            serde::de::Error::custom(format_args!("tabs is {tabs}, allowed is 1 or more"))
        })
}

/// Parses the size of a memory, such as 500MB, into bytes.
///
/// # Errors
/// If the text is not a size, or the size is too small or too large.
fn browser_memory_bytes(text: &str) -> Result<u64, String> {
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

/// Time limits as a number of seconds.
mod time_limit {
    use serde::{Deserialize, Deserializer};
    use std::time::Duration;

    /// The longest limit, in seconds: a day.
    const MOST_S: f64 = 86_400.0;

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let seconds: Option<f64> = Option::deserialize(deserializer)?;
        seconds
            .map(checked)
            .transpose()
            .map_err(serde::de::Error::custom)
    }

    #[cfg(feature = "clap")]
    pub(super) fn parse(text: &str) -> Result<Duration, String> {
        checked(
            text.parse()
                .map_err(|_| format!("{text} is not a number of seconds"))?,
        )
    }

    fn checked(seconds: f64) -> Result<Duration, String> {
        let is_allowed = (0.001..=MOST_S).contains(&seconds);
        is_allowed
            .then(|| Duration::from_secs_f64(seconds))
            .ok_or_else(|| {
                format!("timeout is {seconds} seconds, allowed is above 0, up to {MOST_S}")
            })
    }
}

impl RenderOptions {
    /// Smallest limit for the browser's memory, in bytes: an empty page needs 110 MB, an ordinary
    /// one up to 200 MB.
    pub const MIN_BROWSER_MEMORY_BYTES: u64 = 256 << 20;

    /// The names of the options that Python and `vclean.toml` may set, as in JSON.
    pub const NAMES: &[&str] = &[
        "engine",
        "fallback",
        "browser",
        "no_sandbox",
        "allow_private",
        "offline",
        "proxy",
        "allow_network",
        "browser_memory",
        "scripts",
        "paint",
        "timeout",
        "tabs",
    ];

    /// The engine that is chosen, and otherwise the default.
    pub fn engine(&self) -> EngineChoice {
        self.engine.unwrap_or_default()
    }

    /// Time limit for a page, in ms.
    pub fn page_timeout_ms(&self) -> u64 {
        self.limit
            .timeout
            .map_or(USUAL_TIMEOUT_MS, |limit| limit.as_millis() as u64)
    }

    /// The options that change what becomes of a page, by name; they must be repeated when a run is
    /// resumed.
    pub fn effective(&self) -> BTreeMap<String, String> {
        let mut effective = self.load.chosen();
        for (name, value) in [
            ("engine", self.engine().name().to_owned()),
            ("fallback", self.fallback().name().to_owned()),
            ("offline", self.offline.to_string()),
            ("allow_network", self.allow_network.to_string()),
            ("scripts", self.scripts.name().to_owned()),
        ] {
            effective.insert(name.to_owned(), value);
        }
        effective
    }

    /// The engine that renders `page`, among those of this build.
    pub(super) fn engine_for(&self, page: &Page) -> Engine {
        let needs_browser = matches!(page.body, Body::Address(_))
            || self.scripts == Scripts::On
            || self.load.needs_chromium().is_some();
        match self.engine() {
            EngineChoice::Chromium => Engine::Chromium,
            EngineChoice::Auto if !cfg!(feature = "builtin") => Engine::Chromium,
            EngineChoice::Auto if needs_browser && cfg!(feature = "chromium") => Engine::Chromium,
            EngineChoice::Builtin | EngineChoice::Auto | EngineChoice::None => Engine::Builtin,
        }
    }

    /// Returns the fallback for pages on which the built-in engine fails: the option if it is set;
    /// else Chromium if the engine is chosen per page, and the parser if only the built-in engine
    /// is used.
    pub fn fallback(&self) -> Fallback {
        self.fallback.unwrap_or(match self.engine() {
            EngineChoice::Builtin => Fallback::Static,
            _ => Fallback::Chromium,
        })
    }

    /// Returns the options for loading an address, without secrets that are for another host.
    pub(super) fn load_of(&self, address: &Url) -> Cow<'_, LoadOptions> {
        match &self.secrets_of {
            Some(own) if !is_same_server(own, address) => Cow::Owned(self.load.without_secrets()),
            _ => Cow::Borrowed(&self.load),
        }
    }

    /// Checks that the options are compatible and that this build contains the engine.
    ///
    /// # Errors
    /// [`RenderError::Engine`] if not.
    pub fn check(&self) -> Result<(), RenderError> {
        let fail = |cause: &str| Err(RenderError::Engine(cause.to_owned()));
        match self.engine() {
            EngineChoice::Builtin if !cfg!(feature = "builtin") => fail(
                "this build has no built-in engine; build it with the feature builtin, or use `engine` chromium",
            ),
            EngineChoice::Chromium if !cfg!(feature = "chromium") => fail(
                "this build does not contain Chromium; build it with the feature chromium, or use `engine` builtin",
            ),
            EngineChoice::Builtin if self.scripts == Scripts::On => fail(
                "`scripts` on does not work with `engine` builtin, which runs no scripts; use `engine` chromium, or leave `scripts` out",
            ),
            EngineChoice::None => fail(
                "`engine` none renders no page; clean it without rendering (`vclean clean`), or name another engine",
            ),
            EngineChoice::Chromium if self.fallback.is_some() => fail(
                "`fallback` is for pages on which the built-in engine fails, and `engine` chromium never uses that engine; leave one of the two out",
            ),
            _ => self.check_load(),
        }
    }

    /// Checks that the engine honors the options of loading.
    ///
    /// # Errors
    /// [`RenderError::Engine`] with the name of an option that it does not honor.
    pub(super) fn check_load(&self) -> Result<(), RenderError> {
        match self.engine() {
            EngineChoice::Builtin => self.load.check_without_browser(self.engine().name()),
            EngineChoice::Auto if !cfg!(feature = "chromium") => {
                self.load.check_without_browser("builtin")
            }
            _ => Ok(()),
        }
    }
}

/// How one page is rendered, where it differs from the options of the renderer.
#[derive(Debug, Clone, Default)]
pub struct PageOptions {
    /// The page's engine; `None` means the renderer's choice.
    pub engine: Option<EngineChoice>,
    /// Time limit of the page, in ms; a limit above the renderer's own has no effect.
    pub timeout_ms: Option<u64>,
    /// True if the built-in engine paints the page for people to look at, even if
    /// [`RenderOptions::paint`] is not set.
    pub paint: bool,
    /// Options for loading the page; `None` means those of the renderer.
    pub load: Option<LoadOptions>,
    /// True if text that readers do not see must never be taken: a page that cannot be laid out
    /// fails and is not parsed, and one that shows next to nothing stays as it is.
    pub only_visible: bool,
    /// Handle that ends the rendering early.
    pub cancel: Cancel,
}

impl PageOptions {
    /// Returns the renderer's options with those of the page applied.
    pub(super) fn applied_to(&self, options: &RenderOptions) -> RenderOptions {
        let limit_ms = options.page_timeout_ms();
        let load = self.load.clone().unwrap_or_else(|| options.load.clone());
        RenderOptions {
            engine: self.engine.or(options.engine),
            limit: self.timeout_ms.map_or(options.limit, |timeout_ms| {
                TimeLimit::from_ms(timeout_ms.min(limit_ms))
            }),
            paint: self.paint || options.paint,
            viewport_px: load.viewport_px().unwrap_or(options.viewport_px),
            load,
            ..options.clone()
        }
    }
}

/// Memory for each further tab, in addition to the limit of one page, in bytes. Heuristic: four
/// times the memory of an ordinary page.
pub(super) const FURTHER_TAB_BYTES: u64 = 512 << 20;

/// A number of bytes as people write it.
pub(super) fn written_bytes(bytes: u64) -> String {
    let mb = bytes >> 20;
    if mb >= 1024 && mb.is_multiple_of(512) {
        format!("{} GB", mb as f64 / 1024.0)
    } else {
        format!("{mb} MB")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_back() {
        for (name, choice) in EngineChoice::ALL {
            assert_eq!(choice.name(), *name);
        }
        for (name, fallback) in Fallback::ALL {
            assert_eq!(fallback.name(), *name);
        }
    }

    fn page(body: Body) -> Page {
        Page::new("x", body).with_url("https://a.example/")
    }

    #[cfg(all(feature = "builtin", feature = "chromium"))]
    #[test]
    fn addresses_and_scripts_use_chromium_and_other_pages_the_built_in_engine() {
        let address = page(Body::Address("https://a.example/".into()));
        let saved = [page(Body::html("<p>x")), page(Body::Mhtml(Vec::new()))];
        let options = |engine, scripts| RenderOptions {
            engine: Some(engine),
            scripts,
            ..RenderOptions::default()
        };
        for scripts in [Scripts::Auto, Scripts::Off, Scripts::On] {
            assert_eq!(
                options(EngineChoice::Auto, scripts).engine_for(&address),
                Engine::Chromium
            );
            for page in &saved {
                let expected = if scripts == Scripts::On {
                    Engine::Chromium
                } else {
                    Engine::Builtin
                };
                assert_eq!(
                    options(EngineChoice::Auto, scripts).engine_for(page),
                    expected
                );
                assert_eq!(
                    options(EngineChoice::Chromium, scripts).engine_for(page),
                    Engine::Chromium
                );
            }
        }
        assert_eq!(
            options(EngineChoice::Builtin, Scripts::Auto).engine_for(&address),
            Engine::Builtin
        );
    }

    #[cfg(all(feature = "builtin", feature = "chromium"))]
    #[test]
    fn incompatible_options_give_an_error() {
        let builtin = RenderOptions {
            engine: Some(EngineChoice::Builtin),
            ..RenderOptions::default()
        };
        assert!(builtin.check().is_ok() && builtin.fallback() == Fallback::Static);
        let message = RenderOptions {
            scripts: Scripts::On,
            ..builtin
        }
        .check()
        .unwrap_err()
        .to_string();
        assert!(
            message.contains("`scripts` on") && message.contains("`engine` chromium"),
            "{message}"
        );
        let chromium = RenderOptions {
            engine: Some(EngineChoice::Chromium),
            fallback: Some(Fallback::None),
            ..RenderOptions::default()
        };
        assert!(
            chromium
                .check()
                .unwrap_err()
                .to_string()
                .contains("`fallback`")
        );
        assert_eq!(RenderOptions::default().fallback(), Fallback::Chromium);
    }

    #[test]
    fn a_page_cannot_have_more_time_than_its_renderer() {
        let options = RenderOptions {
            limit: TimeLimit::from_ms(1000),
            ..RenderOptions::default()
        };
        let applied = |timeout_ms| {
            PageOptions {
                timeout_ms,
                ..PageOptions::default()
            }
            .applied_to(&options)
        };
        assert_eq!(applied(None), options);
        assert_eq!(applied(Some(10)).page_timeout_ms(), 10);
        assert_eq!(applied(Some(5000)).page_timeout_ms(), 1000);
        let page = PageOptions {
            engine: Some(EngineChoice::Builtin),
            paint: true,
            ..PageOptions::default()
        };
        assert_eq!(
            (
                page.applied_to(&options).engine(),
                page.applied_to(&options).paint
            ),
            (EngineChoice::Builtin, true)
        );
    }

    #[test]
    fn secrets_of_a_crawl_are_for_its_first_host() {
        let load = serde_json::from_str(
            r#"{"headers": {"A": "b"}, "cookies": {"c": "d"}, "user_agent": "e"}"#,
        )
        .unwrap();
        let url = |address: &str| Url::parse(address).unwrap();
        let secrets_of = Some(url("https://a.example/start"));
        let options = RenderOptions {
            load,
            secrets_of,
            ..RenderOptions::default()
        };
        assert_eq!(*options.load_of(&url("https://a.example/x")), options.load);
        for other in [
            "https://b.a.example/",
            "http://a.example/",
            "https://www.a.example/",
            "https://a.example:8443/",
        ] {
            let load = options.load_of(&url(other));
            assert!(
                load.headers.is_empty() && load.cookies.is_empty() && load.user_agent.is_some(),
                "{other}"
            );
        }
        let each = RenderOptions {
            secrets_of: None,
            ..options
        };
        assert_eq!(*each.load_of(&url("https://b.example/")), each.load);
    }
}
