//! Checks for `vclean doctor` that rendering works on this machine: both engines, and which of them
//! renders which page.

use super::chromium::{find_browser, is_root};
use super::options::{
    EngineChoice, FURTHER_TAB_BYTES, Fallback, INSTALL, PageOptions, RenderOptions, Scripts,
    written_bytes,
};
use super::programs::{family, output, printable};
use super::renderer::Renderer;
use std::collections::BTreeSet;
use std::process::Command;
use vclean_core::capture::Record;
use vclean_core::error::RenderError;
use vclean_core::page::{Body, Page};

/// Version of Blitz in the built-in engine; equal to that in `Cargo.toml`.
const BLITZ: &str = "0.3.0-beta.4";

/// Scripts of widely read languages: name, one letter (code point, hexadecimal), package with a
/// font. A letter and not a language, because fallback fonts do not cover any language completely.
const SCRIPTS: &[(&str, &str, &str)] = &[
    ("Latin", "61", "fonts-liberation"),
    ("Greek", "3b1", "fonts-noto-core"),
    ("Cyrillic", "436", "fonts-noto-core"),
    ("Arabic", "627", "fonts-noto-core"),
    ("Hebrew", "5d0", "fonts-noto-core"),
    ("Devanagari", "905", "fonts-noto-core"),
    ("Thai", "e01", "fonts-noto-core"),
    ("Chinese", "4e2d", "fonts-noto-cjk or fonts-droid-fallback"),
    ("Japanese", "3042", "fonts-noto-cjk or fonts-droid-fallback"),
    ("Korean", "d55c", "fonts-noto-cjk"),
];

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Name of the checked part, such as an engine.
    pub name: String,
    /// True if the check succeeded.
    pub ok: bool,
    /// True if a failure means that pages cannot be rendered with these options.
    pub needed: bool,
    /// Result in words, such as a version or the cause of the failure.
    pub detail: String,
    /// Advice for the user if the check failed.
    pub remedy: Option<String>,
}

impl Check {
    fn good(name: &str, detail: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            ok: true,
            needed: false,
            detail: detail.into(),
            remedy: None,
        }
    }

    fn bad(name: &str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            ok: false,
            needed: false,
            detail: detail.into(),
            remedy: Some(remedy.into()),
        }
    }

    fn needed(self, needed: bool) -> Self {
        Self { needed, ..self }
    }
}

/// Checks all requirements of rendering, in the order in which they are needed. With
/// [`EngineChoice::Auto`] one engine is enough: no single check is needed, only one of the two
/// engines.
pub fn diagnose(options: &RenderOptions) -> Vec<Check> {
    let mut checks = Vec::new();
    let (mut has_builtin, mut has_browser) = (false, false);
    if options.engine() != EngineChoice::Chromium {
        let check = builtin(options);
        has_builtin = check.ok;
        checks.push(check.needed(options.engine() == EngineChoice::Builtin));
    }
    if options.engine() != EngineChoice::Builtin {
        let (found, works) = browser(options);
        has_browser = works;
        let is_needed = |check: &Check| {
            // The sandbox is not needed if it is switched off.
            options.engine() == EngineChoice::Chromium
                && !(options.no_sandbox && check.name == "sandbox")
        };
        checks.extend(found.into_iter().map(|check| {
            let needed = is_needed(&check);
            check.needed(needed)
        }));
    }
    if options.engine() == EngineChoice::Auto {
        checks.push(choice(has_builtin, has_browser));
    }
    checks.extend(fonts());
    checks
}

/// Reports the engine that `--engine auto` uses for each kind of page.
fn choice(has_builtin: bool, has_browser: bool) -> Check {
    match (has_builtin, has_browser) {
        (true, true) => Check::good(
            "engine auto",
            "saved pages and archives by the built-in engine; addresses, and pages whose scripts are to run, in the browser",
        ),
        (true, false) => Check::good(
            "engine auto",
            "all pages by the built-in engine: of addresses the document alone is fetched, and no scripts run",
        ),
        (false, true) => Check::good("engine auto", "all pages in the browser"),
        (false, false) => Check::bad(
            "engine auto",
            "neither engine works",
            "follow the advice above",
        )
        .needed(true),
    }
}

/// Renders a test page with `options`.
fn render(options: RenderOptions) -> Result<Record, RenderError> {
    let renderer = Renderer::launch(options)?;
    let html = "<!doctype html><p>vclean</p>".to_owned();
    renderer
        .render(&Page::new("-", Body::html(html)), &PageOptions::default())
        .map(|rendered| rendered.capture.record)
}

fn builtin(options: &RenderOptions) -> Check {
    let options = RenderOptions {
        engine: Some(EngineChoice::Builtin),
        fallback: Some(Fallback::None),
        browser: None,
        scripts: Scripts::Auto,
        ..options.clone()
    };
    match render(options) {
        Ok(record) => {
            let fonts = match record.fonts.len() {
                0 => "no fonts".to_owned(),
                count => format!("{count} font families, {} among them", record.fonts[0]),
            };
            Check::good(
                "built-in engine",
                format!("renders a page (Blitz {BLITZ}; {fonts})"),
            )
        }
        Err(error) => Check::bad(
            "built-in engine",
            error.to_string(),
            "use `engine` chromium",
        ),
    }
}

/// Runs the checks of the browser; returns true with them if it can be used.
fn browser(options: &RenderOptions) -> (Vec<Check>, bool) {
    if !cfg!(feature = "chromium") {
        let remedy = "build it with the feature chromium";
        return (
            vec![Check::bad(
                "browser",
                "this build does not contain Chromium",
                remedy,
            )],
            false,
        );
    }
    let options = RenderOptions {
        engine: Some(EngineChoice::Chromium),
        fallback: None,
        tabs: 1,
        ..options.clone()
    };
    let mut checks = Vec::new();
    match find_browser(options.browser.as_deref()) {
        Ok(path) => {
            let version = output(Command::new(&path).arg("--version")).map_or_else(
                || "version unknown".to_owned(),
                |text| printable(text.as_bytes()),
            );
            checks.push(Check::good(
                "browser",
                format!("{} ({version})", path.display()),
            ));
            checks.push(Check::good("browser memory", memory_limits(&options)));
            checks.extend(start(&options));
        }
        Err(error) => checks.push(Check::bad("browser", error.to_string(), INSTALL)),
    }
    let works = checks
        .iter()
        .all(|check| check.ok || (options.no_sandbox && check.name == "sandbox"));
    (checks, works)
}

/// Describes the limits of the browser's memory.
fn memory_limits(options: &RenderOptions) -> String {
    let page = written_bytes(options.browser_memory_bytes);
    format!(
        "at most {page} for a page and for the whole browser, {} more for each further page at the same time; a page that needs more is stopped",
        written_bytes(FURTHER_TAB_BYTES)
    )
}

fn start(options: &RenderOptions) -> Vec<Check> {
    let user = if is_root() {
        "as user nobody, because we are root"
    } else {
        "as the current user"
    };
    match render(options.clone()) {
        Ok(_) if options.no_sandbox => vec![
            Check::good("start", "the browser starts and renders a page"),
            Check::bad(
                "sandbox",
                "turned off",
                "leave out `no_sandbox` unless every page is trusted",
            ),
        ],
        Ok(_) => vec![
            Check::good("start", "the browser starts and renders a page"),
            Check::good("sandbox", format!("on; the browser runs {user}")),
        ],
        Err(error) if options.no_sandbox => {
            vec![Check::bad(
                "start",
                error.to_string(),
                format!("install another browser: {INSTALL}"),
            )]
        }
        Err(error) => match render(RenderOptions {
            no_sandbox: true,
            ..options.clone()
        }) {
            Ok(_) => vec![
                Check::good("start", "the browser starts and renders a page"),
                Check::bad(
                    "sandbox",
                    error.to_string(),
                    "run as another user, allow user namespaces (sysctl kernel.unprivileged_userns_clone=1), or use `no_sandbox` if the pages are trusted",
                ),
            ],
            Err(error) => vec![Check::bad(
                "start",
                error.to_string(),
                format!("install another browser: {INSTALL}"),
            )],
        },
    }
}

fn fonts() -> Vec<Check> {
    if output(Command::new("fc-list").arg("--version")).is_none() {
        return vec![Check::bad(
            "fonts",
            "fc-list is missing, so the fonts are unknown",
            "apt-get install fontconfig",
        )];
    }
    SCRIPTS
        .iter()
        .map(|(script, letter, package)| {
            let name = format!("font for {script}");
            let found = output(
                Command::new("fc-list")
                    .arg(format!(":charset={letter}"))
                    .arg("family"),
            );
            let families: BTreeSet<String> = found
                .iter()
                .flat_map(|text| text.lines().filter_map(family))
                .collect();
            match families.first() {
                Some(first) if families.len() == 1 => Check::good(&name, first.clone()),
                Some(first) => {
                    Check::good(&name, format!("{first} and {} more", families.len() - 1))
                }
                None => Check::bad(&name, "none", format!("apt-get install {package}")),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_blitz_is_the_one_that_is_built() {
        assert!(
            include_str!("../../../Cargo.toml")
                .contains(&format!("blitz-dom = {{ version = \"={BLITZ}\""))
        );
    }

    #[test]
    fn one_engine_is_enough_and_none_is_an_error() {
        assert!(choice(true, false).detail.contains("no scripts run") && choice(true, false).ok);
        assert!(choice(true, true).ok && choice(false, true).ok);
        assert!(!choice(false, false).ok && choice(false, false).needed);
    }
}
