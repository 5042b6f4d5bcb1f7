//! Finds out whether rendering works here, for `vclean doctor`: browser, start, sandbox, fonts.

use super::chromium::{INSTALL, find_browser, is_root};
use super::{RenderOptions, Renderer};
use crate::source::{Body, Page};
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Families named in a capture's record, at most.
const MAX_FAMILIES: usize = 40;

/// Scripts of the larger written languages: name, a letter of it (code point, hexadecimal), package with a font. A letter and
/// not a language, because fonts made to fill gaps cover no language whole.
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

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at.
    pub name: String,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found.
    pub detail: String,
    /// What to do, where it is not.
    pub remedy: Option<String>,
}

impl Check {
    fn good(name: &str, detail: impl Into<String>) -> Self {
        Self { name: name.to_owned(), ok: true, detail: detail.into(), remedy: None }
    }

    fn bad(name: &str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name: name.to_owned(), ok: false, detail: detail.into(), remedy: Some(remedy.into()) }
    }
}

/// Checks everything that rendering needs, in the order in which it is needed.
pub fn diagnose(options: &RenderOptions) -> Vec<Check> {
    let mut checks = Vec::new();
    match find_browser(options.browser.as_deref()) {
        Ok(path) => {
            let version = output(Command::new(&path).arg("--version"))
                .map_or_else(|| "version unknown".to_owned(), |text| text.trim().to_owned());
            checks.push(Check::good("browser", format!("{} ({version})", path.display())));
            checks.extend(start(options));
        }
        Err(error) => checks.push(Check::bad("browser", error.to_string(), INSTALL)),
    }
    checks.extend(fonts());
    checks
}

fn start(options: &RenderOptions) -> Vec<Check> {
    let renders = |options: RenderOptions| {
        let renderer = Renderer::launch(options)?;
        let html = "<!doctype html><p>vclean</p>".to_owned();
        renderer.render(&Page { input: "-".into(), url: None, body: Body::html(html) })
    };
    let whose = if is_root() { "as user nobody, because we are root" } else { "as the user we are" };
    match renders(RenderOptions { tabs: 1, ..options.clone() }) {
        Ok(_) if options.no_sandbox => vec![
            Check::good("start", "the browser starts and renders a page"),
            Check::bad("sandbox", "turned off", "leave out --no-sandbox unless every page is trusted"),
        ],
        Ok(_) => vec![
            Check::good("start", "the browser starts and renders a page"),
            Check::good("sandbox", format!("on; the browser runs {whose}")),
        ],
        Err(error) if options.no_sandbox => {
            vec![Check::bad("start", error.to_string(), format!("install another browser: {INSTALL}"))]
        }
        Err(error) => match renders(RenderOptions { tabs: 1, no_sandbox: true, ..options.clone() }) {
            Ok(_) => vec![
                Check::good("start", "the browser starts and renders a page"),
                Check::bad(
                    "sandbox",
                    error.to_string(),
                    "run as another user, allow user namespaces (sysctl kernel.unprivileged_userns_clone=1), or use --no-sandbox if the pages are trusted",
                ),
            ],
            Err(error) => vec![Check::bad("start", error.to_string(), format!("install another browser: {INSTALL}"))],
        },
    }
}

fn fonts() -> Vec<Check> {
    if output(Command::new("fc-list").arg("--version")).is_none() {
        return vec![Check::bad("fonts", "fc-list is missing, so the fonts are unknown", "apt-get install fontconfig")];
    }
    SCRIPTS
        .iter()
        .map(|(script, letter, package)| {
            let name = format!("font for {script}");
            let found = output(Command::new("fc-list").arg(format!(":charset={letter}")).arg("family"));
            let families: BTreeSet<String> = found.iter().flat_map(|text| text.lines().filter_map(family)).collect();
            match families.first() {
                Some(first) => Check::good(&name, format!("{first} and {} more", families.len() - 1)),
                None => Check::bad(&name, "none", format!("apt-get install {package}")),
            }
        })
        .collect()
}

/// The families of the fonts installed, in brief: the first two words of each name, sorted. Asked once.
pub(super) fn font_families() -> Vec<String> {
    static FAMILIES: OnceLock<Vec<String>> = OnceLock::new();
    let ask = || {
        let text = output(Command::new("fc-list").args([":", "family"])).unwrap_or_default();
        let families: BTreeSet<String> = text.lines().filter_map(family).collect();
        families.into_iter().take(MAX_FAMILIES).collect()
    };
    FAMILIES.get_or_init(ask).clone()
}

fn family(line: &str) -> Option<String> {
    let first = line.split(',').next()?.trim();
    let words: Vec<&str> = first.split_whitespace().take(2).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_brief() {
        assert_eq!(family("Noto Sans Arabic UI,Noto Sans Arabic UI SmBd").as_deref(), Some("Noto Sans"));
        assert_eq!(family(""), None);
    }
}
