//! A test of all messages: each option that one names exists.

use clap::CommandFactory;
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Options of other programs, and those that clap adds.
const OTHERS: &[&str] = &["help", "version", "pipe", "round-robin", "data-binary"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources of the project are there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_option_that_a_message_names_exists() {
    let program = super::Arguments::command();
    let verbs = program.get_subcommands().flat_map(clap::Command::get_arguments);
    let options: BTreeSet<String> = verbs.filter_map(|option| option.get_long().map(str::to_owned)).collect();
    assert!(options.contains("out"), "the options are found");
    // In messages of the library an option is a name in backticks; one word may also be an element of HTML.
    let flag = Regex::new(r#"(?:^|[\s("\[])--([a-z][a-z0-9-]*[a-z0-9])"#).expect("a valid pattern");
    let name = Regex::new("`([a-z]+(?:_[a-z]+)+)`").expect("a valid pattern");
    let mut files = Vec::new();
    for folder in ["src", "crates"] {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    }
    let mut unknown: Vec<String> = Vec::new();
    for path in files {
        let shown = path.to_string_lossy().replace('\\', "/");
        // The browser has options of its own.
        let is_browser = shown.contains("/render/src/chromium/");
        let text = fs::read_to_string(&path).expect("the sources of the project are text");
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let flags = flag.captures_iter(line).map(|found| found[1].to_owned()).filter(|_| !is_browser);
            let names = name.captures_iter(line).map(|found| found[1].replace('_', "-"));
            for option in flags.chain(names) {
                // Our own properties of style sheets are written alike.
                let is_property = option.starts_with("vclean-");
                let is_known = is_property || options.contains(&option) || OTHERS.contains(&option.as_str());
                if !is_known {
                    unknown.push(format!("{shown}: {option}"));
                }
            }
        }
    }
    // A test's own command line, and the boundary of a MIME message.
    unknown.retain(|found| {
        !found.ends_with("cli/console.rs: any-engine--any-engine") && !found.ends_with("page/mhtml_head.rs: x-1")
    });
    assert!(unknown.is_empty(), "{unknown:#?}");
}
