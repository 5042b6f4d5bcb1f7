//! `vclean doctor`: checks whether rendering works on this machine, and explains how to fix it.

use super::{SOME_FAILED, console};
use clap::Args;
use std::fmt::Write;
use std::process::ExitCode;
use vclean_render::{Check, RenderOptions, diagnose};

/// Check both engines, the browser's sandbox and the fonts, and suggest fixes
///
/// The built-in engine renders saved pages and archives on any machine; the browser is needed for
/// pages from the network and for scripts. With --engine chromium or builtin, only that engine is
/// checked, and it must work.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean doctor
  vclean doctor --engine chromium --browser /usr/bin/google-chrome --no-sandbox

Exit code 0 if the selected engine can render pages (auto: one of the two), 2 if not. Lines that \
begin with -- are suggestions.")]
pub(super) struct Arguments {
    #[command(flatten)]
    render: RenderOptions,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let options = RenderOptions {
        tabs: 1,
        ..arguments.render.clone()
    };
    options.check()?;
    let checks = diagnose(&options);
    let is_written = console::print(&[&show(&checks)]).is_ok();
    let is_fine = checks.iter().all(|check| check.ok || !check.needed);
    Ok(if is_fine && is_written {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

/// One line per check; below each failed check, how to fix it.
fn show(checks: &[Check]) -> String {
    let mut lines = String::new();
    for check in checks {
        let mark = match check.ok {
            true => "ok  ",
            false if check.needed => "NO  ",
            false => "--  ",
        };
        let _ = writeln!(
            lines,
            "{mark}{}: {}",
            check.name,
            console::with_flags(&check.detail)
        );
        if let Some(remedy) = check.remedy.as_ref().filter(|_| !check.ok) {
            let _ = writeln!(
                lines,
                "    {}",
                console::with_flags(remedy).replace('\n', "\n    ")
            );
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, ok: bool, needed: bool) -> Check {
        Check {
            name: name.into(),
            ok,
            needed,
            detail: "d".into(),
            remedy: Some("one\ntwo".into()),
        }
    }

    #[test]
    fn failed_checks_are_followed_by_their_remedies() {
        let checks = [
            check("browser", true, true),
            check("browser", false, true),
            check("font for Thai", false, false),
        ];
        let shown = show(&checks);
        assert_eq!(
            shown,
            "ok  browser: d\nNO  browser: d\n    one\n    two\n--  font for Thai: d\n    one\n    two\n"
        );
    }
}
