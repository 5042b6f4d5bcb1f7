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

Exit code 0 if pages can be rendered, 2 if not.")]
pub(super) struct Arguments {
    #[command(flatten)]
    browser: BrowserArguments,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let checks = stages::diagnose(&stages::render_options(&arguments.browser, 1));
    let is_written = console::print(&[&show(&checks)]).is_ok();
    let is_fine = checks.iter().all(|check| check.ok);
    if is_fine && is_written { ExitCode::SUCCESS } else { SOME_FAILED.into() }
}

/// A line for each check, and below what failed what to do.
fn show(checks: &[Check]) -> String {
    let mut lines = String::new();
    for check in checks {
        let mark = if check.ok { "ok" } else { "NO" };
        let _ = writeln!(lines, "{mark}  {}: {}", check.name, check.detail);
        if let Some(remedy) = check.remedy.as_ref().filter(|_| !check.ok) {
            let _ = writeln!(lines, "    {}", remedy.replace('\n', "\n    "));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_followed_by_what_to_do() {
        let check = |ok| Check { name: "fonts".into(), ok, detail: "d".into(), remedy: Some("one\ntwo".into()) };
        assert_eq!(show(&[check(true), check(false)]), "ok  fonts: d\nNO  fonts: d\n    one\n    two\n");
    }
}
