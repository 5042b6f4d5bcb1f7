//! The options of rendering, and the engine that they select for a page.

use super::engine::{EngineChoice, Fallback};
use crate::capture::Engine;
use crate::error::RenderError;
use crate::page::{Body, Page};
use std::path::PathBuf;

/// The options of rendering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderOptions {
    /// Which engine renders.
    pub engine: EngineChoice,
    /// What to do with pages on which the built-in engine fails; `None` depends on the engine, see [`Self::fallback`].
    pub fallback: Option<Fallback>,
    /// The browser; `None` searches for one: the variable `VCLEAN_BROWSER`, then the usual names on PATH.
    pub browser: Option<PathBuf>,
    /// Whether to run without the browser's sandbox; for trusted pages only.
    pub no_sandbox: bool,
    /// Viewport in CSS px, width and height. Models are trained at 1280 x 1024.
    pub viewport_px: [u32; 2],
    /// Time limit for a page, in ms. A page that is still loading then is captured as far as it is loaded; if that takes
    /// longer than some seconds, the page fails.
    pub page_timeout_ms: u64,
    /// Time limit for each of the steps after loading (wait, scroll, wait again), in ms.
    pub settle_ms: u64,
    /// Whether the built-in engine also paints the page for people to look at. Features are measured on an approximate
    /// image, which takes a tenth of the time.
    pub paint: bool,
    /// Maximum height of the pictures of a page, in px.
    pub max_height_px: u32,
    /// Whether pages may reach loopback, private and link-local addresses.
    pub allow_private: bool,
    /// Whether the scripts of saved pages, if they run, may use the network. They then cannot read the files beside the
    /// page; without it, they can read these files and nothing else.
    pub allow_network: bool,
    /// Whether pages have no network access.
    pub offline: bool,
    /// Whether the pages' scripts run; `None` runs them for addresses and not for saved pages.
    pub scripts: Option<bool>,
    /// Number of tabs, which is the number of pages rendered at the same time; at least 1.
    pub tabs: usize,
    /// Memory that the browser may use for one page, in bytes, at least [`Self::MIN_BROWSER_MEMORY_BYTES`]; the whole
    /// browser may use 512 MB more for each further tab. A page that needs more is stopped and fails.
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
            offline: false,
            scripts: None,
            tabs: 2,
            browser_memory_bytes: 2 << 30,
            pages_per_browser: 200,
        }
    }
}

impl RenderOptions {
    /// Smallest limit for the browser's memory, in bytes: an empty page needs 110 MB, an ordinary one up to 200 MB.
    pub const MIN_BROWSER_MEMORY_BYTES: u64 = 256 << 20;

    /// The engine that renders `page`, among those of this build.
    pub fn engine_for(&self, page: &Page) -> Engine {
        let needs_browser = matches!(page.body, Body::Address(_)) || self.scripts == Some(true);
        match self.engine {
            EngineChoice::Chromium => Engine::Chromium,
            EngineChoice::Auto if !cfg!(feature = "builtin") => Engine::Chromium,
            EngineChoice::Auto if needs_browser && cfg!(feature = "chromium") => Engine::Chromium,
            EngineChoice::Builtin | EngineChoice::Auto => Engine::Builtin,
        }
    }

    /// What to do with pages on which the built-in engine fails: the option if it is set; else Chromium if the engine
    /// is chosen per page, and the parser if only the built-in engine is used.
    pub fn fallback(&self) -> Fallback {
        self.fallback.unwrap_or(match self.engine {
            EngineChoice::Builtin => Fallback::Static,
            EngineChoice::Auto | EngineChoice::Chromium => Fallback::Chromium,
        })
    }

    /// Checks that the options are compatible and that this build contains the engine.
    ///
    /// # Errors
    /// [`RenderError::Engine`] if not.
    pub fn check(&self) -> Result<(), RenderError> {
        let fail = |cause: &str| Err(RenderError::Engine(cause.to_owned()));
        match self.engine {
            EngineChoice::Builtin if !cfg!(feature = "builtin") => {
                fail("this build has no built-in engine; build it with the feature builtin, or use `engine` chromium")
            }
            EngineChoice::Chromium if !cfg!(feature = "chromium") => fail(
                "this build does not contain Chromium; build it with the feature chromium, or use `engine` builtin",
            ),
            EngineChoice::Builtin if self.scripts == Some(true) => fail(
                "`scripts` on does not work with `engine` builtin, which runs no scripts; use `engine` chromium, or leave `scripts` out",
            ),
            EngineChoice::Chromium if self.fallback.is_some() => fail(
                "`fallback` is for pages on which the built-in engine fails, and `engine` chromium never uses that engine; leave one of the two out",
            ),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(body: Body) -> Page {
        Page::new("x", body).with_url("https://a.example/")
    }

    #[cfg(all(feature = "builtin", feature = "chromium"))]
    #[test]
    fn addresses_and_scripts_use_chromium_and_other_pages_the_built_in_engine() {
        let address = page(Body::Address("https://a.example/".into()));
        let saved = [page(Body::html("<p>x")), page(Body::Mhtml(Vec::new()))];
        let options = |engine, scripts| RenderOptions { engine, scripts, ..RenderOptions::default() };
        for scripts in [None, Some(false), Some(true)] {
            assert_eq!(options(EngineChoice::Auto, scripts).engine_for(&address), Engine::Chromium);
            for page in &saved {
                let expected = if scripts == Some(true) { Engine::Chromium } else { Engine::Builtin };
                assert_eq!(options(EngineChoice::Auto, scripts).engine_for(page), expected);
                assert_eq!(options(EngineChoice::Chromium, scripts).engine_for(page), Engine::Chromium);
            }
        }
        assert_eq!(options(EngineChoice::Builtin, None).engine_for(&address), Engine::Builtin);
    }

    #[cfg(all(feature = "builtin", feature = "chromium"))]
    #[test]
    fn incompatible_options_give_an_error() {
        let builtin = RenderOptions { engine: EngineChoice::Builtin, ..RenderOptions::default() };
        assert!(builtin.check().is_ok() && builtin.fallback() == Fallback::Static);
        let message = RenderOptions { scripts: Some(true), ..builtin }.check().unwrap_err().to_string();
        assert!(message.contains("`scripts` on") && message.contains("`engine` chromium"), "{message}");
        let chromium = RenderOptions {
            engine: EngineChoice::Chromium,
            fallback: Some(Fallback::None),
            ..RenderOptions::default()
        };
        assert!(chromium.check().unwrap_err().to_string().contains("`fallback`"));
        assert_eq!(RenderOptions::default().fallback(), Fallback::Chromium);
    }
}
