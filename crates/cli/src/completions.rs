//! `vclean completions`: scripts that let a shell complete verbs and options.

use super::{SOME_FAILED, console};
use clap::{Arg, Args, Command, ValueHint};
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

/// Values of arguments that are names of files or folders, by the names of the values.
const PATHS: [&str; 8] = [
    "FILE", "DIR", "FOLDER", "PATH", "INPUT", "DATA", "PAGE", "GOLD",
];

/// Keeps shells from offering files for arguments that are not paths.
fn without_files(program: Command) -> Command {
    let argument = |argument: Arg| {
        let names = argument.get_value_names().unwrap_or_default();
        let is_path = names
            .iter()
            .any(|name| PATHS.iter().any(|path| name.to_uppercase().contains(path)));
        let hint = if is_path || argument.get_value_hint() != ValueHint::Unknown {
            ValueHint::AnyPath
        } else {
            ValueHint::Other
        };
        if argument.get_action().takes_values() {
            argument.value_hint(hint)
        } else {
            argument
        }
    };
    program.mut_args(argument).mut_subcommands(without_files)
}

pub(super) fn run(arguments: &Arguments, program: Command) -> anyhow::Result<ExitCode> {
    let mut program = without_files(program);
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "vclean", &mut script);
    let is_written = console::print(&[&String::from_utf8(script)?]).is_ok();
    Ok(if is_written {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn files_are_offered_for_paths_only() {
        let program = super::without_files(crate::Arguments::command());
        let hint = |verb: &str, name: &str| {
            let verb = program.find_subcommand(verb).unwrap();
            verb.get_arguments()
                .find(|argument| argument.get_id() == name)
                .unwrap()
                .get_value_hint()
        };
        for path in ["inputs", "from", "out", "model", "report"] {
            assert_eq!(hint("clean", path), clap::ValueHint::AnyPath, "{path}");
        }
        for other in ["jobs", "min_words", "languages", "part", "parameter"] {
            assert_eq!(hint("clean", other), clap::ValueHint::Other, "{other}");
        }
        assert_eq!(hint("explain", "page"), clap::ValueHint::AnyPath);
        assert_eq!(hint("explain", "at"), clap::ValueHint::Other);
    }

    #[test]
    fn every_script_contains_every_verb() {
        for shell in <clap_complete::Shell as clap::ValueEnum>::value_variants() {
            let mut script = Vec::new();
            clap_complete::generate(
                *shell,
                &mut crate::Arguments::command(),
                "vclean",
                &mut script,
            );
            let script = String::from_utf8(script).unwrap();
            for verb in crate::console::verbs(&crate::Arguments::command()) {
                assert!(
                    script.contains(verb.get_name()),
                    "{shell} {}",
                    verb.get_name()
                );
            }
        }
    }
}
