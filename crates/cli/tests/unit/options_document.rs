//! `docs/reference/options.md` is written from the definition of the command line.

use super::console::verbs;
use super::*;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

const DOCUMENT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/reference/options.md"
);

/// Headings in the order of the document; options without a heading come first.
const HEADINGS: &[&str] = &[
    "Inputs and outputs of one verb",
    "Output",
    "Text",
    "Method",
    "Model",
    "Rendering",
    "Loading",
    "Batch",
    "Corpus",
    "Crawl",
    "Politeness",
];

/// An option as one line of a table, without its verbs.
fn describe(option: &clap::Arg) -> String {
    let mut name = format!("`--{}", option.get_long().unwrap_or_default());
    for value in option.get_value_names().unwrap_or_default() {
        if option.get_action().takes_values() {
            let _ = write!(name, " {value}");
        }
    }
    name.push('`');
    if let Some(short) = option.get_short() {
        let _ = write!(name, ", `-{short}`");
    }
    let help = option.get_long_help().or(option.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let paragraphs = help.split("\n\n");
    let help = paragraphs.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let help = help.collect::<Vec<_>>().join(". ");
    let defaults = option.get_default_values();
    let default = match defaults.first().and_then(|value| value.to_str()) {
        Some(value)
            if option.get_action().takes_values() && !option.is_hide_default_value_set() =>
        {
            format!(" [default: {value}]")
        }
        _ => String::new(),
    };
    format!(
        "{name} | {}{default}",
        help.replace('|', "\\|").replace('<', "\\<")
    )
}

fn document() -> String {
    let mut program = Arguments::command();
    program = program.disable_help_subcommand(true);
    let mut options: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
    let all = verbs(&program);
    for verb in all.iter().filter(|verb| verb.get_name() != "lab") {
        let is_of_lab = program
            .get_subcommands()
            .all(|it| it.get_name() != verb.get_name());
        if is_of_lab {
            continue;
        }
        for option in verb
            .get_arguments()
            .filter(|it| !it.is_hide_set() && !it.is_positional())
        {
            let heading = option.get_help_heading().unwrap_or(HEADINGS[0]);
            let heading = HEADINGS.iter().find(|known| **known == heading);
            let heading = heading.unwrap_or_else(|| panic!("{option} has an unknown heading"));
            let users = options.entry((heading, describe(option))).or_default();
            users.push(verb.get_name().to_owned());
        }
    }
    let mut text = String::from(
        "# Options\n\nAll options of the verbs that clean, render, crawl and serve, by purpose. `vclean VERB --help` shows those of a\n\
         verb, `vclean config VERB` prints them as a file, and `--config FILE` takes them from one. This page is written\n\
         from the program. The verbs of the laboratory have theirs in `vclean lab VERB --help`.\n",
    );
    for heading in HEADINGS {
        let _ = write!(
            text,
            "\n## {heading}\n\n| option | meaning | verbs |\n|---|---|---|\n"
        );
        for ((_, line), users) in options.iter().filter(|((known, _), _)| known == heading) {
            let _ = writeln!(text, "| {line} | {} |", users.join(", "));
        }
    }
    text
}

#[test]
fn the_document_of_options_is_that_of_the_program() {
    let text = document();
    if std::env::var_os("VCLEAN_WRITE").is_some() {
        fs::write(DOCUMENT, &text).unwrap();
    }
    let known = fs::read_to_string(DOCUMENT).unwrap_or_default();
    let hint = "docs/reference/options.md is out of date; run this test again with VCLEAN_WRITE=1";
    assert!(known == text, "{hint}");
}
