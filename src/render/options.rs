//! How pages are rendered, and which engine that means for a page.

use super::engine::{EngineChoice, Fallback};
use crate::capture::Engine;
use crate::error::RenderError;
use crate::source::{Body, Page};
use std::path::PathBuf;

/// How pages are rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderOptions {
    /// Which engine renders.
    pub engine: EngineChoice,
    /// What becomes of pages that the built-in engine fails on; `None` goes by the engine, see [`Self::fallback`].
    pub fallback: Option<Fallback>,
    /// The browser; `None` looks for one: the variable `VCLEAN_BROWSER`, then the usual names on PATH.
    pub browser: Option<PathBuf>,
    /// Without the browser's sandbox; for trusted pages only.
    pub no_sandbox: bool,
    /// Viewport in CSS px, width and height. Models are trained at 1280 x 1024.
    pub viewport_px: [u32; 2],
    /// Time limit for loading a page, in ms; what is there by then is taken.
    pub page_timeout_ms: u64,
    /// Time limit for each stage of settling (quiet, scroll, quiet again), in ms.
    pub settle_ms: u64,
    /// Whether the built-in engine also paints the page, to be looked at. Features are measured on what it draws for them,
    /// in a tenth of the time.
    pub paint: bool,
    /// Height at which the pictures of a page end, in px.
    pub max_height_px: u32,
    /// Pages may reach loopback, private and link-local addresses.
    pub allow_private: bool,
    /// Pages may reach nothing on the network.
    pub offline: bool,
    /// Whether the pages' scripts run; `None` runs them for addresses and not for saved pages.
    pub scripts: Option<bool>,
    /// Tabs, hence pages rendered at the same time, at least 1.
    pub tabs: usize,
    /// Pages after which a browser is replaced by a new one, at least 1.
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
            offline: false,
            scripts: None,
            tabs: 2,
            pages_per_browser: 200,
        }
    }
}

impl RenderOptions {
    /// The engine that renders `page`, as far as it works here.
    pub fn engine_for(&self, page: &Page) -> Engine {
        let needs_browser = matches!(page.body, Body::Address(_)) || self.scripts == Some(true);
        match self.engine {
            EngineChoice::Chromium => Engine::Chromium,
            EngineChoice::Auto if !cfg!(feature = "builtin") => Engine::Chromium,
            EngineChoice::Auto if needs_browser && cfg!(feature = "chromium") => Engine::Chromium,
            EngineChoice::Builtin | EngineChoice::Auto => Engine::Builtin,
        }
    }

    /// What becomes of pages that the built-in engine fails on: what is asked for, else Chromium where pages choose their
    /// engine, and the parser where Chromium is not wanted.
    pub fn fallback(&self) -> Fallback {
        self.fallback.unwrap_or(match self.engine {
            EngineChoice::Builtin => Fallback::Static,
            EngineChoice::Auto | EngineChoice::Chromium => Fallback::Chromium,
        })
    }

    /// Checks that the options go together and that this build has the engine.
    ///
    /// # Errors
    /// [`RenderError::Engine`] if not.
    pub fn check(&self) -> Result<(), RenderError> {
        let fail = |cause: &str| Err(RenderError::Engine(cause.to_owned()));
        match self.engine {
            EngineChoice::Builtin if !cfg!(feature = "builtin") => {
                fail("this build has no built-in engine; build it with the feature builtin, or take `engine` chromium")
            }
            EngineChoice::Chromium if !cfg!(feature = "chromium") => {
                fail("this build does without Chromium; build it with the feature chromium, or take `engine` builtin")
            }
            EngineChoice::Builtin if self.scripts == Some(true) => fail(
                "`scripts` on asks for what `engine` builtin cannot give: it runs no scripts; take `engine` chromium, or leave `scripts` out",
            ),
            EngineChoice::Chromium if self.fallback.is_some() => fail(
                "`fallback` is for pages that the built-in engine fails on, and `engine` chromium never asks it; leave one of the two out",
            ),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn page(body: Body) -> Page {
        Page { input: "x".into(), url: Some("https://a.example/".into()), body }
    }

    #[cfg(all(feature = "builtin", feature = "chromium"))]
    #[test]
    fn addresses_and_scripts_go_to_chromium_and_the_rest_stays_inside() {
        let address = page(Body::Address("https://a.example/".into()));
        let saved = [page(Body::html("<p>x")), page(Body::Mhtml(Vec::new()))];
        let of = |engine, scripts| RenderOptions { engine, scripts, ..RenderOptions::default() };
        for scripts in [None, Some(false), Some(true)] {
            assert_eq!(of(EngineChoice::Auto, scripts).engine_for(&address), Engine::Chromium);
            for page in &saved {
                let expected = if scripts == Some(true) { Engine::Chromium } else { Engine::Builtin };
                assert_eq!(of(EngineChoice::Auto, scripts).engine_for(page), expected);
                assert_eq!(of(EngineChoice::Chromium, scripts).engine_for(page), Engine::Chromium);
            }
        }
        assert_eq!(of(EngineChoice::Builtin, None).engine_for(&address), Engine::Builtin);
    }

    #[cfg(all(feature = "builtin", feature = "chromium"))]
    #[test]
    fn options_that_do_not_go_together_are_told() {
        let builtin = RenderOptions { engine: EngineChoice::Builtin, ..RenderOptions::default() };
        assert!(builtin.check().is_ok() && builtin.fallback() == Fallback::Static);
        let told = RenderOptions { scripts: Some(true), ..builtin }.check().unwrap_err().to_string();
        assert!(told.contains("`scripts` on") && told.contains("`engine` chromium"), "{told}");
        let chromium = RenderOptions {
            engine: EngineChoice::Chromium,
            fallback: Some(Fallback::None),
            ..RenderOptions::default()
        };
        assert!(chromium.check().unwrap_err().to_string().contains("`fallback`"));
        assert_eq!(RenderOptions::default().fallback(), Fallback::Chromium);
    }
}
