//! `vclean man`: the manual pages, generated from the definition of the command line.

use super::man_page::{display_name, page};
use super::{SOME_FAILED, console};
use crate::files;
use clap::{Args, Command};
use std::path::PathBuf;
use std::process::ExitCode;

/// Write the manual pages
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean man | man -l -                     read all pages
  vclean man --out ~/.local/share/man/man1  install the pages")]
pub(super) struct Arguments {
    /// Write one page per verb into DIR, instead of all pages to standard output
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, program: Command) -> anyhow::Result<ExitCode> {
    let pages = manual(program)?;
    if let Some(folder) = &arguments.out {
        let folder = files::make_folder(folder)?;
        for (name, page) in pages {
            files::write_whole(&folder.join(name), page.as_bytes())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let pages: Vec<&str> = pages.iter().map(|(_, page)| page.as_str()).collect();
    Ok(if console::print(&pages).is_ok() { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

/// File name and roff source of the program's page and of the page of each verb.
fn manual(program: Command) -> anyhow::Result<Vec<(String, String)>> {
    // The verb `help` has no page.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let verbs: Vec<Command> = program.get_subcommands().cloned().collect();
    std::iter::once(program)
        .chain(verbs)
        .map(|command| Ok((format!("{}.1", display_name(&command)), page(command)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_verb_has_a_page() {
        let pages = manual(crate::cli::Arguments::command()).unwrap();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.contains(&"vclean.1") && names.contains(&"vclean-clean.1"), "{names:?}");
        assert!(!names.iter().any(|name| name.contains("help")));
        assert!(!pages[0].1.contains("help(1)"), "the page of all names pages that exist");
        let (_, page) = pages.iter().find(|(name, _)| name == "vclean-clean.1").unwrap();
        assert!(page.contains(".SH EXAMPLES") && page.contains("curl"));
        assert!(page.contains("\\fB\\-\\-from\\fR\\ \\fIFILE\\fR]"), "{page}");
    }
}
