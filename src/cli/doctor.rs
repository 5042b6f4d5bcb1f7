//! `vclean doctor`: whether rendering works here, and what to do if not.

use super::options::BrowserArguments;
use super::stages::{self, Check};
use super::{SOME_FAILED, console};
use clap::Args;
use std::fmt::Write;
use std::process::ExitCode;

/// Check the browser, its sandbox and the fonts, and say what to do
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean doctor
  vclean doctor --browser /usr/bin/google-chrome --no-sandbox

Exit code 0 if pages can be rendered, 2 if not; lines that begin with -- are advice.")]
pub(super) struct Arguments {
    #[command(flatten)]
    browser: BrowserArguments,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let checks = stages::diagnose(&stages::render_options(&arguments.browser, 1));
    let no_sandbox = arguments.browser.no_sandbox;
    let is_written = console::print(&[&show(&checks, no_sandbox)]).is_ok();
    let is_fine = checks.iter().all(|check| check.ok || !is_needed(check, no_sandbox));
    if is_fine && is_written { ExitCode::SUCCESS } else { SOME_FAILED.into() }
}

/// Whether nothing can be rendered without it: not a font for one script, not the sandbox where the user gave it up.
fn is_needed(check: &Check, no_sandbox: bool) -> bool {
    let is_given_up = no_sandbox && check.name == "sandbox";
    !check.name.starts_with("font") && !is_given_up
}

/// A line for each check, and below what failed what to do.
fn show(checks: &[Check], no_sandbox: bool) -> String {
    let mut lines = String::new();
    for check in checks {
        let mark = match check.ok {
            true => "ok  ",
            false if is_needed(check, no_sandbox) => "NO  ",
            false => "--  ",
        };
        let _ = writeln!(lines, "{mark}{}: {}", check.name, check.detail);
        if let Some(remedy) = check.remedy.as_ref().filter(|_| !check.ok) {
            let _ = writeln!(lines, "    {}", remedy.replace('\n', "\n    "));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, ok: bool) -> Check {
        Check { name: name.into(), ok, detail: "d".into(), remedy: Some("one\ntwo".into()) }
    }

    #[test]
    fn what_failed_is_followed_by_what_to_do() {
        let checks = [check("browser", true), check("browser", false), check("font for Thai", false)];
        let shown = show(&checks, false);
        assert_eq!(shown, "ok  browser: d\nNO  browser: d\n    one\n    two\n--  font for Thai: d\n    one\n    two\n");
    }

    #[test]
    fn a_sandbox_is_needed_unless_given_up() {
        assert!(is_needed(&check("sandbox", false), false));
        assert!(!is_needed(&check("sandbox", false), true));
    }
}
