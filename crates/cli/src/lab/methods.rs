//! `vclean lab methods`: lists and explains the cleaning methods.

use crate::published::PUBLISHED;
use crate::{console, exit::SOME_FAILED};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::fmt::Write;
use std::process::ExitCode;
use vclean_core::pipeline::{Method, OURS, Sees};

/// All methods that this build has, ours first.
fn methods() -> impl Iterator<Item = &'static Method> + Clone {
    std::iter::once(&OURS).chain(PUBLISHED)
}

fn find_method(name: &str) -> Option<&'static Method> {
    methods().find(|method| method.name == name)
}

/// The names of all methods as values of an option.
pub(super) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(methods().map(|method| method.name))
}

/// List the cleaning methods
///
/// Lists vclean and the published systems that it is compared with: the source of each, what it
/// needs, and its parameters.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean lab methods                                    all methods
  vclean lab methods justext                            one method, with its parameters
  vclean clean page.html --method justext --parameter language=de
  vclean lab evaluate data/canola --static --methods all")]
pub(crate) struct Arguments {
    /// Explain these methods and their parameters
    #[arg(value_name = "NAME", value_parser = names(), hide_possible_values = true)]
    methods: Vec<String>,
}

pub(super) fn run(arguments: &Arguments) -> ExitCode {
    let text = if arguments.methods.is_empty() {
        list()
    } else {
        let chosen = arguments
            .methods
            .iter()
            .filter_map(|name| find_method(name));
        chosen.map(explain).collect::<Vec<_>>().join("\n")
    };
    if console::print(&[&text]).is_ok() {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    }
}

/// All methods, two lines each.
fn list() -> String {
    let width = methods().map(|method| method.name.len()).max().unwrap_or(0);
    let entry = |method: &Method| {
        let Method {
            name,
            about,
            source,
            year,
            ..
        } = method;
        format!(
            "{name:width$}  {year}  {about}\n{:width$}        {source}; needs {}\n",
            "",
            needs(method)
        )
    };
    methods().map(entry).collect()
}

/// Describes the training and input that a method needs.
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
            "  learns from gold text: a model is built in; --model FILE uses one made by vclean lab train --method {}",
            method.name
        );
    }
    if method.sees == Sees::Rendering {
        text.push_str(
            "  uses the rendered page if there is a capture, otherwise only the element tree\n",
        );
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
    use super::*;

    #[test]
    fn every_method_is_listed_and_explained() {
        let listed = list();
        for method in methods() {
            assert!(
                listed.contains(method.name) && explain(method).contains(method.about),
                "{}",
                method.name
            );
            for parameter in method.parameters {
                assert!(explain(method).contains(&format!("--parameter {}=", parameter.name)));
            }
        }
    }
}
