//! Which engine renders a page, and what becomes of a page that the built-in one fails on.

use super::RenderOptions;
use crate::capture::Engine;
use crate::error::RenderError;
use crate::source::{Body, Page};

/// Which engine renders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// Chromium, for all pages.
    Chromium,
    /// The engine inside the program, for all pages; scripts never run.
    Builtin,
    /// By page: Chromium for addresses and where scripts are asked for, the built-in engine for saved pages and archives.
    #[default]
    Auto,
}

impl EngineChoice {
    /// All of them, by name.
    pub const ALL: &[(&str, Self)] = &[("chromium", Self::Chromium), ("builtin", Self::Builtin), ("auto", Self::Auto)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, choice)| *choice == self).map_or("", |(name, _)| name)
    }
}

/// What becomes of a page that the built-in engine fails on: over a limit of it, or more than it can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// Chromium renders it; where that cannot be, it is parsed.
    Chromium,
    /// It is parsed: a capture without layout, and a warning in its record.
    Static,
    /// Nothing: the page fails.
    None,
}

impl Fallback {
    /// All of them, by name.
    pub const ALL: &[(&str, Self)] = &[("chromium", Self::Chromium), ("static", Self::Static), ("none", Self::None)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, fallback)| *fallback == self).map_or("", |(name, _)| name)
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
                fail("this build has no built-in engine; build it with the feature builtin, or take --engine chromium")
            }
            EngineChoice::Chromium if !cfg!(feature = "chromium") => {
                fail("this build does without Chromium; build it with the feature chromium, or take --engine builtin")
            }
            EngineChoice::Builtin if self.scripts == Some(true) => fail(
                "--scripts on asks for what --engine builtin cannot give: it runs no scripts; take --engine chromium, or leave --scripts out",
            ),
            EngineChoice::Chromium if self.fallback.is_some() => fail(
                "--fallback is for pages that the built-in engine fails on, and --engine chromium never asks it; leave one of the two out",
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
        assert!(told.contains("--scripts on") && told.contains("--engine chromium"), "{told}");
        let chromium = RenderOptions {
            engine: EngineChoice::Chromium,
            fallback: Some(Fallback::None),
            ..RenderOptions::default()
        };
        assert!(chromium.check().unwrap_err().to_string().contains("--fallback"));
        assert_eq!(RenderOptions::default().fallback(), Fallback::Chromium);
    }

    #[test]
    fn names_lead_back() {
        for (name, choice) in EngineChoice::ALL {
            assert_eq!(choice.name(), *name);
        }
        for (name, fallback) in Fallback::ALL {
            assert_eq!(fallback.name(), *name);
        }
    }
}
