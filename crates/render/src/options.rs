//! The options of rendering: of a renderer and of a single page, the engine that they select, and
//! the fallback for pages on which the built-in engine fails.

use super::load::{LoadOptions, is_same_server};
pub use super::net::Cancel;
use super::net::OutboundProxy;
use std::borrow::Cow;
use std::path::PathBuf;
use url::Url;
use vclean_core::capture::Engine;
use vclean_core::error::RenderError;
use vclean_core::page::{Body, Page};

/// The command that installs a browser, for messages.
pub(super) const INSTALL: &str = "apt-get install chromium-headless-shell (Debian) or chromium";

/// Which engine renders.
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
}

impl EngineChoice {
    /// All of them, by name.
    pub const ALL: &[(&str, Self)] = &[
        ("chromium", Self::Chromium),
        ("builtin", Self::Builtin),
        ("auto", Self::Auto),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, choice)| *choice == self)
            .map_or("", |(name, _)| name)
    }

    /// Whether this build has the engine.
    pub fn is_built(self) -> bool {
        RenderOptions {
            engine: self,
            ..RenderOptions::default()
        }
        .check()
        .is_ok()
    }
}

/// What to do with a page on which the built-in engine fails: the page exceeds a limit, or the
/// engine crashes.
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

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, fallback)| *fallback == self)
            .map_or("", |(name, _)| name)
    }
}

/// How a renderer renders its pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderOptions {
    /// Which engine renders.
    pub engine: EngineChoice,
    /// What to do with pages on which the built-in engine fails; `None` depends on the engine, see
    /// [`Self::fallback`].
    pub fallback: Option<Fallback>,
    /// The browser; `None` searches for one: the variable `VCLEAN_BROWSER`, then the usual names on
    /// PATH.
    pub browser: Option<PathBuf>,
    /// Whether to run without the browser's sandbox; for trusted pages only.
    pub no_sandbox: bool,
    /// Viewport in CSS px, width and height. Models are trained at 1280 x 1024.
    pub viewport_px: [u32; 2],
    /// Time limit for a page, in ms. A page that is still loading then is captured as far as it is
    /// loaded; if that takes longer than some seconds, the page fails.
    pub page_timeout_ms: u64,
    /// Time limit for each of the steps after loading (wait, scroll, wait again), in ms.
    pub settle_ms: u64,
    /// Whether the built-in engine also paints the page for people to look at. Features are
    /// measured on an approximate image, which takes a tenth of the time.
    pub paint: bool,
    /// Maximum height of the pictures of a page, in px.
    pub max_height_px: u32,
    /// Whether pages may reach loopback, private and link-local addresses.
    pub allow_private: bool,
    /// Whether the scripts of saved pages, if they run, may use the network. They then cannot read
    /// the files beside the page; without it, they can read these files and nothing else.
    pub allow_network: bool,
    /// A proxy through which everything is loaded. It resolves the names: of
    /// [`Self::allow_private`], only what is said of addresses written as numbers and of the names
    /// of this machine holds then.
    pub proxy: Option<OutboundProxy>,
    /// Whether pages have no network access.
    pub offline: bool,
    /// Whether the pages' scripts run; `None` runs them for addresses and not for saved pages.
    pub scripts: Option<bool>,
    /// How pages are loaded, if [`PageOptions::load`] does not say it.
    pub load: LoadOptions,
    /// The first address of a crawl, whose host alone gets the headers and cookies of
    /// [`Self::load`]: a link may lead to another host. With `None`, each page's own host gets
    /// them.
    pub secrets_of: Option<Url>,
    /// Whether text that readers do not see must never be taken, of any page; see
    /// [`PageOptions::only_visible`].
    pub only_visible: bool,
    /// Number of tabs, which is the number of pages rendered at the same time; at least 1.
    pub tabs: usize,
    /// Memory that the browser may use for one page, in bytes, at least
    /// [`Self::MIN_BROWSER_MEMORY_BYTES`]; the whole browser may use 512 MB more for each further
    /// tab. A page that needs more is stopped and fails.
    pub browser_memory_bytes: u64,
    /// Number of pages after which a browser is replaced by a new one, at least 1.
    pub pages_per_browser: usize,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            engine: EngineChoice::Auto,
            fallback: None,
            browser: None,
            no_sandbox: false,
            viewport_px: [1280, 1024],
            page_timeout_ms: 60_000,
            settle_ms: 3_000,
            paint: false,
            max_height_px: 30_000,
            allow_private: false,
            allow_network: false,
            proxy: None,
            offline: false,
            scripts: None,
            load: LoadOptions::default(),
            secrets_of: None,
            only_visible: false,
            tabs: 2,
            browser_memory_bytes: 2 << 30,
            pages_per_browser: 200,
        }
    }
}

impl RenderOptions {
    /// Smallest limit for the browser's memory, in bytes: an empty page needs 110 MB, an ordinary
    /// one up to 200 MB.
    pub const MIN_BROWSER_MEMORY_BYTES: u64 = 256 << 20;

    /// The engine that renders `page`, among those of this build.
    pub(super) fn engine_for(&self, page: &Page) -> Engine {
        let needs_browser = matches!(page.body, Body::Address(_))
            || self.scripts == Some(true)
            || self.load.needs_chromium().is_some();
        match self.engine {
            EngineChoice::Chromium => Engine::Chromium,
            EngineChoice::Auto if !cfg!(feature = "builtin") => Engine::Chromium,
            EngineChoice::Auto if needs_browser && cfg!(feature = "chromium") => Engine::Chromium,
            EngineChoice::Builtin | EngineChoice::Auto => Engine::Builtin,
        }
    }

    /// What to do with pages on which the built-in engine fails: the option if it is set; else
    /// Chromium if the engine is chosen per page, and the parser if only the built-in engine is
    /// used.
    pub fn fallback(&self) -> Fallback {
        self.fallback.unwrap_or(match self.engine {
            EngineChoice::Builtin => Fallback::Static,
            EngineChoice::Auto | EngineChoice::Chromium => Fallback::Chromium,
        })
    }

    /// How the page at an address is loaded: without the secrets, if they are for another host.
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
        match self.engine {
            EngineChoice::Builtin if !cfg!(feature = "builtin") => fail(
                "this build has no built-in engine; build it with the feature builtin, or use `engine` chromium",
            ),
            EngineChoice::Chromium if !cfg!(feature = "chromium") => fail(
                "this build does not contain Chromium; build it with the feature chromium, or use `engine` builtin",
            ),
            EngineChoice::Builtin if self.scripts == Some(true) => fail(
                "`scripts` on does not work with `engine` builtin, which runs no scripts; use `engine` chromium, or leave `scripts` out",
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
    /// [`RenderError::Engine`] with the name of one that it cannot.
    pub(super) fn check_load(&self) -> Result<(), RenderError> {
        match self.engine {
            EngineChoice::Builtin => self.load.check_without_browser(self.engine.name()),
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
    /// Which engine renders it; `None` means the choice of the renderer.
    pub engine: Option<EngineChoice>,
    /// Time limit of the page, in ms; a longer one than that of the renderer has no effect.
    pub timeout_ms: Option<u64>,
    /// Whether the built-in engine paints it for people to look at, also if the renderer does not.
    pub paint: bool,
    /// How it is loaded; `None` means as the renderer loads its pages.
    pub load: Option<LoadOptions>,
    /// Whether text that readers do not see must never be taken: a page that cannot be laid out
    /// fails and is not parsed, and one that shows next to nothing stays as it is.
    pub only_visible: bool,
    /// Ends its rendering early.
    pub cancel: Cancel,
}

impl PageOptions {
    /// The options of the renderer with those of the page.
    pub(super) fn applied_to(&self, options: &RenderOptions) -> RenderOptions {
        let limit = options.page_timeout_ms;
        let load = self.load.clone().unwrap_or_else(|| options.load.clone());
        RenderOptions {
            engine: self.engine.unwrap_or(options.engine),
            page_timeout_ms: self
                .timeout_ms
                .map_or(limit, |timeout_ms| timeout_ms.min(limit)),
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
            engine,
            scripts,
            ..RenderOptions::default()
        };
        for scripts in [None, Some(false), Some(true)] {
            assert_eq!(
                options(EngineChoice::Auto, scripts).engine_for(&address),
                Engine::Chromium
            );
            for page in &saved {
                let expected = if scripts == Some(true) {
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
            options(EngineChoice::Builtin, None).engine_for(&address),
            Engine::Builtin
        );
    }

    #[cfg(all(feature = "builtin", feature = "chromium"))]
    #[test]
    fn incompatible_options_give_an_error() {
        let builtin = RenderOptions {
            engine: EngineChoice::Builtin,
            ..RenderOptions::default()
        };
        assert!(builtin.check().is_ok() && builtin.fallback() == Fallback::Static);
        let message = RenderOptions {
            scripts: Some(true),
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
            engine: EngineChoice::Chromium,
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
            page_timeout_ms: 1000,
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
        assert_eq!(applied(Some(10)).page_timeout_ms, 10);
        assert_eq!(applied(Some(5000)).page_timeout_ms, 1000);
        let page = PageOptions {
            engine: Some(EngineChoice::Builtin),
            paint: true,
            ..PageOptions::default()
        };
        assert_eq!(
            (
                page.applied_to(&options).engine,
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
