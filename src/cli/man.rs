//! `vclean man`: the manual pages, generated from the definition of the command line.

use super::{SOME_FAILED, console};
use crate::files;
use clap::{Args, Command};
use clap_mangen::Man;
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
fn manual(mut program: Command) -> anyhow::Result<Vec<(String, String)>> {
    program.build();
    let verbs: Vec<Command> = program.get_subcommands().filter(|verb| verb.get_name() != "help").cloned().collect();
    let mut pages = Vec::new();
    for command in std::iter::once(program).chain(verbs) {
        // `vclean-clean` for the verb `clean`; `build` sets it.
        let file = format!("{}.1", command.get_display_name().unwrap_or_else(|| command.get_name()));
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        pages.push((file, String::from_utf8(page)?));
    }
    Ok(pages)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_verb_has_a_page() {
        let pages = manual(crate::cli::Arguments::command()).unwrap();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.contains(&"vclean.1") && names.contains(&"vclean-clean.1"), "{names:?}");
        assert!(!names.iter().any(|name| name.contains("help")));
        let (_, page) = pages.iter().find(|(name, _)| name == "vclean-clean.1").unwrap();
        assert!(page.contains(".SH") && page.contains("curl"));
    }
}
