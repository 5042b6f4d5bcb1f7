//! `vclean completions`: scripts that let a shell complete verbs and options.

use super::{SOME_FAILED, console};
use clap::{Args, Command};
use clap_complete::Shell;
use std::process::ExitCode;

/// Print a shell script that completes verbs and options
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean completions bash > ~/.local/share/bash-completion/completions/vclean
  vclean completions zsh > ~/.zfunc/_vclean")]
pub(super) struct Arguments {
    /// The shell that reads the script
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments, mut program: Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "vclean", &mut script);
    let is_written = console::print(&[&String::from_utf8(script)?]).is_ok();
    Ok(if is_written { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn every_script_contains_every_verb() {
        for shell in <clap_complete::Shell as clap::ValueEnum>::value_variants() {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut crate::cli::Arguments::command(), "vclean", &mut script);
            let script = String::from_utf8(script).unwrap();
            for verb in crate::cli::Arguments::command().get_subcommands() {
                assert!(script.contains(verb.get_name()), "{shell} {}", verb.get_name());
            }
        }
    }
}
