//! The command line: one file per verb, and the only place that reads arguments and prints.
//!
//! Standard output carries results only. Every page that fails is one line on standard error, and the batch continues.
//! Exit codes: 0 all done, 1 wrong usage, 2 some pages failed, 130 or 143 interrupted.

#[cfg(feature = "experiments")]
mod agreement;
#[cfg(feature = "experiments")]
mod align;
#[cfg(feature = "annotate")]
mod annotate;
#[cfg(feature = "experiments")]
mod classifier;
mod clean;
mod closing;
mod completions;
mod console;
mod corpus;
#[cfg(feature = "experiments")]
mod data;
mod doctor;
mod ended;
#[cfg(feature = "experiments")]
mod evaluate;
mod exit;
mod explain;
#[cfg(feature = "experiments")]
mod features;
#[cfg(all(feature = "builtin", feature = "chromium", feature = "experiments"))]
mod fidelity;
#[cfg(feature = "experiments")]
mod floors;
#[cfg(feature = "experiments")]
mod graft_comments;
mod man;
mod man_page;
#[cfg(test)]
mod messages;
mod method;
#[cfg(feature = "experiments")]
mod methods_table;
mod missing_verb;
mod named;
pub mod options;
#[cfg(feature = "experiments")]
mod output;
mod pictures;
#[cfg(feature = "experiments")]
mod progress;
mod render;
mod render_and_clean;
mod rendering;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "experiments")]
mod structure;
#[cfg(feature = "experiments")]
mod tables;
mod time_limit;
#[cfg(feature = "experiments")]
mod train;
#[cfg(feature = "experiments")]
mod train_tagger;
#[cfg(feature = "experiments")]
mod tune;
mod worker;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
use exit::{SOME_FAILED, WRONG_USAGE};
use std::ffi::OsString;
use std::process::ExitCode;

/// Extracts the main text of web pages: renders each page, measures and classifies every text block, and writes only the
/// content.
#[derive(Debug, Parser)]
#[command(
    name = "vclean",
    version,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

const EXIT_CODES: &str = "Exit codes: 0 all done, 1 wrong usage, 2 some pages failed (the others are written), \
130 or 143 interrupted.\nEvery failed page is one line on standard error: vclean: PAGE: CAUSE.";

#[derive(Debug, Subcommand)]
enum Verb {
    RenderAndClean(render_and_clean::Arguments),
    Render(render::Arguments),
    Clean(Box<clean::Arguments>),
    Explain(Box<explain::Arguments>),
    #[cfg(feature = "experiments")]
    Features(features::Arguments),
    #[cfg(feature = "annotate")]
    Annotate(Box<annotate::Arguments>),
    #[cfg(feature = "experiments")]
    Train(Box<train::Arguments>),
    #[cfg(feature = "experiments")]
    TrainTagger(train_tagger::Arguments),
    #[cfg(feature = "experiments")]
    GraftComments(graft_comments::Arguments),
    #[cfg(feature = "experiments")]
    Tune(Box<tune::Arguments>),
    #[cfg(feature = "experiments")]
    Evaluate(evaluate::Arguments),
    #[cfg(all(feature = "builtin", feature = "chromium", feature = "experiments"))]
    Fidelity(Box<fidelity::Arguments>),
    #[cfg(feature = "experiments")]
    Align(align::Arguments),
    #[cfg(feature = "experiments")]
    Agreement(agreement::Arguments),
    Methods(method::Arguments),
    Worker(worker::Arguments),
    #[cfg(feature = "serve")]
    Serve(serve::Arguments),
    #[cfg(feature = "serve")]
    Mcp(serve::McpArguments),
    Doctor(doctor::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

impl Verb {
    /// Whether the verb does more than print what the program knows of itself.
    fn works_on_pages(&self) -> bool {
        !matches!(self, Self::Methods(_) | Self::Completions(_) | Self::Man(_))
    }

    /// Whether the verb always renders.
    fn renders(&self) -> bool {
        matches!(self, Self::Render(_) | Self::RenderAndClean(_))
    }
}

/// Runs the program with `arguments`, the program's name first, and returns its exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    crate::run::quiet_panics();
    crate::run::survive_file_size_limit();
    console::set_options(&Arguments::command());
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // An error here, such as a broken pipe, cannot be reported anywhere.
            let _ = error.print();
            missing_verb::suggest(&error);
            let is_requested = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
            return if is_requested { ExitCode::SUCCESS } else { WRONG_USAGE.into() };
        }
    };
    if arguments.verb.works_on_pages()
        && let Err(error) = crate::run::prepare_threads(arguments.verb.renders())
    {
        console::complain(&error.to_string());
        return WRONG_USAGE.into();
    }
    let done = match arguments.verb {
        Verb::RenderAndClean(arguments) => render_and_clean::run(arguments),
        Verb::Render(arguments) => render::run(arguments),
        Verb::Clean(arguments) => clean::run(*arguments),
        Verb::Explain(arguments) => explain::run(&arguments),
        #[cfg(feature = "experiments")]
        Verb::Features(arguments) => features::run(arguments),
        #[cfg(feature = "annotate")]
        Verb::Annotate(arguments) => annotate::run(*arguments),
        #[cfg(feature = "experiments")]
        Verb::Train(arguments) => train::run(&arguments),
        #[cfg(feature = "experiments")]
        Verb::TrainTagger(arguments) => train_tagger::run(&arguments),
        #[cfg(feature = "experiments")]
        Verb::GraftComments(arguments) => graft_comments::run(&arguments),
        #[cfg(feature = "experiments")]
        Verb::Tune(arguments) => tune::run(&arguments),
        #[cfg(feature = "experiments")]
        Verb::Align(arguments) => align::run(&arguments),
        #[cfg(feature = "experiments")]
        Verb::Agreement(arguments) => agreement::run(&arguments),
        #[cfg(feature = "experiments")]
        Verb::Evaluate(arguments) => evaluate::run(&arguments),
        #[cfg(all(feature = "builtin", feature = "chromium", feature = "experiments"))]
        Verb::Fidelity(arguments) => fidelity::run(&arguments),
        Verb::Methods(arguments) => Ok(method::run(&arguments)),
        Verb::Worker(arguments) => worker::run(&arguments),
        #[cfg(feature = "serve")]
        Verb::Serve(arguments) => serve::run(&arguments),
        #[cfg(feature = "serve")]
        Verb::Mcp(arguments) => serve::run_mcp(&arguments),
        Verb::Doctor(arguments) => doctor::run(&arguments),
        Verb::Completions(arguments) => completions::run(&arguments, Arguments::command()),
        Verb::Man(arguments) => man::run(&arguments, Arguments::command()),
    };
    done.unwrap_or_else(|error| {
        console::complain(&format!("{error:#}"));
        WRONG_USAGE.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_definition_is_valid() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_verb_shows_an_example() {
        for verb in Arguments::command().get_subcommands() {
            let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains(&format!("vclean {}", verb.get_name())), "{} has no example", verb.get_name());
            assert!(verb.get_about().is_some(), "{} has no description", verb.get_name());
        }
    }

    /// The groups of options that verbs share, with their headings.
    fn groups() -> Vec<(&'static str, clap::Command)> {
        use clap::Args as _;
        let empty = || clap::Command::new("group");
        vec![
            ("Corpus", corpus::CorpusArguments::augment_args(empty())),
            ("Batch", options::BatchArguments::augment_args(empty())),
            ("Model", crate::cleaner::ModelOptions::augment_args(empty())),
            ("Text", crate::cleaner::TextOptions::augment_args(empty())),
            ("Output", crate::cleaner::WriteOptions::augment_args(empty())),
            ("Output", options::OutputArguments::augment_args(empty())),
            ("Politeness", options::PolitenessArguments::augment_args(empty())),
            ("Method", crate::cleaner::MethodOptions::augment_args(empty())),
            ("Rendering", rendering::BrowserArguments::augment_args(empty())),
            ("Rendering", worker::RenderingArguments::augment_args(empty())),
            #[cfg(feature = "experiments")]
            ("Classifier", classifier::ClassifierArguments::augment_args(empty())),
            #[cfg(feature = "experiments")]
            ("Floors", floors::ThresholdArguments::augment_args(empty())),
            #[cfg(feature = "experiments")]
            ("Methods", methods_table::MethodsArguments::augment_args(empty())),
            #[cfg(feature = "experiments")]
            ("Structure", structure::StructureArguments::augment_args(empty())),
            #[cfg(feature = "experiments")]
            ("Tables that train first", tables::TableArguments::augment_args(empty())),
        ]
    }

    #[test]
    fn every_option_has_the_heading_of_its_group() {
        // Options of one verb that belong to a group by their purpose.
        let own = [
            ("render-and-clean", "render", "Rendering"),
            ("render-and-clean", "confidence", "Rendering"),
            ("render-and-clean", "keep", "Output"),
            ("train", "beside", "Classifier"),
            ("train", "then", "Classifier"),
            ("clean", "timeout", "Batch"),
            ("features", "timeout", "Batch"),
            ("serve", "engine", "Rendering"),
            ("serve", "browser", "Rendering"),
            ("serve", "no_sandbox", "Rendering"),
            ("serve", "allow_private", "Rendering"),
            ("serve", "browser_memory", "Rendering"),
            ("mcp", "engine", "Rendering"),
            ("mcp", "browser", "Rendering"),
            ("mcp", "no_sandbox", "Rendering"),
            ("mcp", "allow_private", "Rendering"),
            ("mcp", "browser_memory", "Rendering"),
        ];
        let groups = groups();
        let resuming = <options::ResumeArguments as clap::Args>::augment_args(clap::Command::new("group"));
        for verb in Arguments::command().get_subcommands() {
            let has = |other: &clap::Arg| verb.get_arguments().any(|option| option.get_id() == other.get_id());
            let is_used = |(_, group): &&(&str, clap::Command)| group.get_arguments().all(has);
            for option in verb.get_arguments().filter(|argument| !argument.is_positional()) {
                let is_same = |other: &clap::Arg| {
                    other.get_id() == option.get_id()
                        && other.get_help().map(ToString::to_string) == option.get_help().map(ToString::to_string)
                };
                let mut used = groups.iter().filter(is_used);
                let shared = used.find(|(_, group)| group.get_arguments().any(is_same));
                let is_own = |(name, id, _): &&(&str, &str, &str)| *name == verb.get_name() && option.get_id() == *id;
                // These stand with the output that they are about.
                if resuming.get_arguments().any(is_same) {
                    let out = verb.get_arguments().find(|option| *option.get_id() == "out");
                    assert_eq!(
                        option.get_help_heading(),
                        out.and_then(clap::Arg::get_help_heading),
                        "{}",
                        verb.get_name()
                    );
                    continue;
                }
                let expected = own.iter().find(is_own).map(|own| own.2).or(shared.map(|shared| shared.0));
                assert_eq!(option.get_help_heading(), expected, "{} --{}", verb.get_name(), option.get_id());
            }
        }
    }

    #[test]
    fn addresses_are_named_where_they_are_taken() {
        let takes = |verb: &str| {
            let program = Arguments::command();
            let verb = program.find_subcommand(verb).cloned().unwrap_or_default();
            verb.get_positionals().any(|inputs| inputs.get_help().is_some_and(|help| help.to_string().contains("http")))
        };
        assert!(!takes("clean") && !takes("features"));
        assert!(takes("render-and-clean") && takes("render"));
    }

    #[test]
    fn every_option_is_explained() {
        for verb in Arguments::command().get_subcommands() {
            for argument in verb.get_arguments() {
                assert!(argument.get_help().is_some(), "{} {} has no help", verb.get_name(), argument.get_id());
            }
        }
    }

    #[test]
    fn wrong_usage_is_one_and_help_is_zero() {
        let code = |words: &[&str]| format!("{:?}", main(words.iter().map(OsString::from)));
        let zero = format!("{:?}", ExitCode::SUCCESS);
        let one = format!("{:?}", ExitCode::from(WRONG_USAGE));
        assert_eq!(code(&["vclean", "--version"]), zero);
        assert_eq!(code(&["vclean", "clean", "--help"]), zero);
        assert_eq!(code(&["vclean"]), one);
        assert_eq!(code(&["vclean", "clean"]), one);
        assert_eq!(code(&["vclean", "clean", "--format", "pdf", "x.html"]), one);
        assert_eq!(code(&["vclean", "clean", "--from", "/nowhere/list.txt"]), one);
    }
}
