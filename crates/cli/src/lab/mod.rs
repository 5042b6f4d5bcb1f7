//! The verbs of the laboratory: features, labels, training, evaluation, and the options that they
//! share.

mod agreement;
mod align;
mod annotate;
mod classifier;
mod data;
mod evaluate;
mod features;
mod fidelity;
mod methods;
mod methods_table;
mod output;
mod tables;
mod thresholds;
mod train;
mod train_states;
mod train_tagger;
mod tune;

use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Label, train, measure: how the models were made, and how good they are
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  vclean lab annotate captures/ --out gold/ --open                      label pages in the browser
  vclean lab train gold/ --adapt static --static --out my.model         adapt a model to them
  vclean lab evaluate data/wcxb --static --model my.model --worst 20    measure it"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) verb: Verb,
}

/// The verbs, in the order of the help text.
#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    Features(features::Arguments),
    Annotate(Box<annotate::Arguments>),
    Train(Box<train::Arguments>),
    TrainStates(train_states::Arguments),
    TrainTagger(train_tagger::Arguments),
    Tune(Box<tune::Arguments>),
    Evaluate(Box<evaluate::Arguments>),
    Fidelity(Box<fidelity::Arguments>),
    Align(Box<align::Arguments>),
    Agreement(agreement::Arguments),
    Methods(methods::Arguments),
}

pub(super) fn run(verb: Verb) -> anyhow::Result<ExitCode> {
    match verb {
        Verb::Features(arguments) => features::run(arguments),
        Verb::Annotate(arguments) => annotate::run(*arguments),
        Verb::Train(arguments) => train::run(&arguments),
        Verb::TrainStates(arguments) => train_states::run(&arguments),
        Verb::TrainTagger(arguments) => train_tagger::run(&arguments),
        Verb::Tune(arguments) => tune::run(&arguments),
        Verb::Evaluate(arguments) => evaluate::run(&arguments),
        Verb::Fidelity(arguments) => fidelity::run(&arguments),
        Verb::Align(arguments) => align::run(&arguments),
        Verb::Agreement(arguments) => agreement::run(&arguments),
        Verb::Methods(arguments) => Ok(methods::run(&arguments)),
    }
}

/// The groups of options that these verbs share, with their headings.
#[cfg(test)]
pub(super) fn groups() -> Vec<(&'static str, clap::Command)> {
    use clap::Args as _;
    let empty = || clap::Command::new("group");
    vec![
        (
            "Classifier",
            classifier::ClassifierArguments::augment_args(empty()),
        ),
        (
            "Regression thresholds",
            thresholds::ThresholdArguments::augment_args(empty()),
        ),
        (
            "Methods",
            methods_table::MethodsArguments::augment_args(empty()),
        ),
        (
            "Tables that train first",
            tables::TableArguments::augment_args(empty()),
        ),
    ]
}
