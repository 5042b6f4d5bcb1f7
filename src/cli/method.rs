//! The cleaning method: the options that verbs share, and the verb `methods` that explains the methods.

use super::options::ModelArguments;
use super::{SOME_FAILED, console};
use crate::clean::ReaderComments;
use crate::cleaner::{ModelCleaner, ModelCleanerOptions, find_method, methods};
use crate::method::{CleanPage, Method, MethodSettings, Sees};
use crate::run::journal::EffectiveArguments;
use anyhow::Context;
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::fmt::Write;
use std::process::ExitCode;

/// Which method cleans.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Method")]
pub(super) struct MethodArguments {
    /// Cleaning method: vclean, or a published system that it is compared with; see vclean methods
    #[arg(long, value_name = "NAME", default_value = "vclean", value_parser = names(), hide_possible_values = true)]
    pub(super) method: String,

    /// Set a parameter of the method; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) parameter: Vec<String>,

    /// Leave data tables out of the text
    #[arg(long)]
    pub(super) no_tables: bool,
}

/// The names of all methods as values of an option.
pub(super) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(methods().map(|method| method.name))
}

/// The method that is our own.
const OWN: &str = "vclean";

impl MethodArguments {
    /// The arguments that must be repeated on resume.
    pub(super) fn effective(&self) -> EffectiveArguments {
        let mut parameters = self.parameter.clone();
        parameters.sort();
        let mut effective = EffectiveArguments::from([
            ("method".to_owned(), self.method.clone()),
            ("parameter".to_owned(), parameters.join(" ")),
        ]);
        if self.no_tables {
            effective.insert("tables".to_owned(), "left out".to_owned());
        }
        effective
    }

    /// The method, ready to clean pages; with `explain`, its decisions are explained.
    ///
    /// # Errors
    /// If the method does not have a parameter or option, or its model cannot be read.
    pub(super) fn ready(
        &self,
        model: &ModelArguments,
        comments: ReaderComments,
        explain: bool,
    ) -> anyhow::Result<Box<dyn CleanPage>> {
        let settings = MethodSettings {
            any_engine: model.any_engine,
            ..MethodSettings::parse(model.model.clone(), &self.parameter)?
        };
        if self.method == OWN && self.parameter.is_empty() {
            return Ok(Box::new(ModelCleaner::new(ModelCleanerOptions {
                model: settings.model,
                targets: model.targets,
                explain,
                min_precision: model.min_precision,
                any_engine: model.any_engine,
                comments,
                without_tables: self.no_tables,
            })?));
        }
        anyhow::ensure!(
            model.targets.is_none()
                && model.min_precision.is_none()
                && comments == ReaderComments::Drop
                && !self.no_tables,
            "--targets, --min-precision, --comments and --no-tables are options of --method {OWN}, not of {}",
            self.method
        );
        let method = find_method(&self.method).context("the choices on the command line are those of the table")?;
        Ok(method.ready(&settings)?)
    }
}

/// List the cleaning methods
///
/// Lists vclean and the published systems that it is compared with: the source of each, what it needs, and its
/// parameters.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean methods                                    all methods
  vclean methods justext                            one method, with its parameters
  vclean clean page.html --method justext --parameter language=de
  vclean evaluate data/canola --static --methods all")]
pub(super) struct Arguments {
    /// Explain these methods and their parameters
    #[arg(value_name = "NAME", value_parser = names(), hide_possible_values = true)]
    methods: Vec<String>,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let text = if arguments.methods.is_empty() {
        list()
    } else {
        let chosen = arguments.methods.iter().filter_map(|name| find_method(name));
        chosen.map(explain).collect::<Vec<_>>().join("\n")
    };
    if console::print(&[&text]).is_ok() { ExitCode::SUCCESS } else { SOME_FAILED.into() }
}

/// All methods, two lines each.
fn list() -> String {
    let width = methods().map(|method| method.name.len()).max().unwrap_or(0);
    let entry = |method: &Method| {
        let Method { name, about, source, year, .. } = method;
        format!("{name:width$}  {year}  {about}\n{:width$}        {source}; needs {}\n", "", needs(method))
    };
    methods().map(entry).collect()
}

/// What a method needs, in a few words.
pub(super) fn needs(method: &Method) -> &'static str {
    match (method.sees, method.learns) {
        (Sees::Rendering, _) => "a model (built in); works better with a rendered page",
        (Sees::Source, true) => "a model (built in)",
        (Sees::Source, false) => "only the page",
    }
}

/// The full description of a method.
fn explain(method: &Method) -> String {
    let mut text = format!("{} ({})\n  {}\n", method.name, method.source, method.about);
    if method.learns {
        let _ = writeln!(
            text,
            "  learns from gold text: a model is built in; --model FILE uses one made by vclean train --method {}",
            method.name
        );
    }
    if method.sees == Sees::Rendering {
        text.push_str("  uses the rendered page if there is a capture, otherwise only the element tree\n");
    }
    for parameter in method.parameters {
        let _ = writeln!(
            text,
            "  --parameter {}={}    {}; {}",
            parameter.name,
            parameter.default,
            parameter.about,
            parameter.allowed.describe()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::options::reader_comments;
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        method: MethodArguments,
        #[command(flatten)]
        model: ModelArguments,
        #[arg(long, default_value = "drop", value_parser = reader_comments)]
        comments: ReaderComments,
    }

    fn error(words: &[&str]) -> Option<String> {
        let all = ["clean"].iter().chain(words);
        let Alone { method, model, comments } = Alone::try_parse_from(all).map_err(|error| error.to_string()).unwrap();
        method.ready(&model, comments, false).err().map(|error| error.to_string())
    }

    #[test]
    fn every_method_is_listed_and_explained() {
        let listed = list();
        for method in methods() {
            assert!(listed.contains(method.name) && explain(method).contains(method.about), "{}", method.name);
            for parameter in method.parameters {
                assert!(explain(method).contains(&format!("--parameter {}=", parameter.name)));
            }
            assert_eq!(error(&["--method", method.name]), None);
        }
    }

    #[test]
    fn options_of_another_method_are_refused() {
        assert!(error(&["--method", "dump", "--min-precision", "0.9"]).unwrap().contains("--method vclean"));
        assert!(error(&["--method", "dump", "--comments", "keep"]).unwrap().contains("--comments"));
        assert!(error(&["--method", "dump", "--model", "x"]).unwrap().contains("takes no model"));
        assert!(error(&["--parameter", "depth=2"]).unwrap().contains("method vclean has no parameter depth"));
        assert!(Alone::try_parse_from(["clean", "--method", "magic"]).is_err());
    }
}
