//! Options in a file: `--config vclean.toml` takes them, and `vclean config` prints them.
//!
//! The file has the names of the command line. Its values become arguments before those of the
//! command line, so that they are read, checked and explained in one place.

use super::console;
use super::exit::SOME_FAILED;
use anyhow::{Context, bail};
use clap::{Arg, ArgAction, Args, Command};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toml::{Table, Value};
use vclean_core::files::open_regular;

/// Largest file of options, in bytes. Heuristic: all options of all verbs take some 20 KB.
const MAX_BYTES: u64 = 1 << 20;

/// Print the options of a verb, as they are in force
///
/// Writes every option of the verb with its help and its value: that of --config FILE, or the
/// default. The output is itself such a file. Names at its top are for all verbs that have the
/// option; those below [crawl] or another verb are for this one. Options of the command line come
/// after the file and win; options that may be repeated are added to those of the file. No file is
/// read unless --config names it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean config crawl > vclean.toml                 all options with their defaults, to edit
  vclean crawl https://example.org --config vclean.toml
  vclean config crawl --config vclean.toml          what is in force")]
pub(super) struct Arguments {
    /// The verb, such as crawl, or lab train
    #[arg(required = true)]
    verb: Vec<String>,
}

/// Values by the long name of their option.
type Values = BTreeMap<String, Value>;

/// Prints the options of a verb, with the values of `file`.
///
/// # Errors
/// If there is no such verb, or the file cannot be used.
pub(super) fn run(
    arguments: &Arguments,
    file: Option<&Path>,
    program: &Command,
) -> anyhow::Result<ExitCode> {
    let verb = find_verb(program, &arguments.verb).with_context(|| {
        let names = program.get_subcommands().map(Command::get_name);
        let names = names.collect::<Vec<_>>().join(", ");
        format!(
            "there is no verb {}; choose one of {names}",
            arguments.verb.join(" ")
        )
    })?;
    let values = match file {
        Some(file) => read(file, program, &arguments.verb)?,
        None => Values::new(),
    };
    let text = print_options(verb, &arguments.verb, &values);
    Ok(if console::print(&[&text]).is_ok() {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

/// True if the arguments name a file of options.
pub(super) fn is_named(words: &[OsString]) -> bool {
    let begins = |word: &OsString| {
        word.to_str()
            .is_some_and(|word| word.starts_with("--config"))
    };
    words.iter().any(begins)
}

/// The arguments with those of the file that `--config` names, if there is one, after the verb; and
/// the file.
///
/// # Errors
/// If the file cannot be read, or has an option that no verb has.
pub(super) fn expand(
    words: Vec<OsString>,
    program: &Command,
) -> anyhow::Result<(Vec<OsString>, Option<PathBuf>)> {
    let Some((file, verb, position)) = find_file(&words, program) else {
        return Ok((words, None));
    };
    let values = read(&file, program, &verb)?;
    let mut all = words;
    let rest = all.split_off(position);
    for (name, value) in values {
        all.extend(to_arguments(&name, &value)?.into_iter().map(OsString::from));
    }
    all.extend(rest);
    Ok((all, Some(file)))
}

/// The file of options, the verb, and the position after the verb; `None` without either.
fn find_file(words: &[OsString], program: &Command) -> Option<(PathBuf, Vec<String>, usize)> {
    let (mut file, mut verb, mut position) = (None, Vec::new(), 0);
    let mut command = program;
    let mut words = words.iter().enumerate().skip(1);
    while let Some((index, word)) = words.next() {
        let text = word.to_str().unwrap_or_default();
        if text == "--" {
            break;
        } else if text == "--config" {
            file = words.next().map(|(_, word)| PathBuf::from(word));
        } else if let Some(path) = text.strip_prefix("--config=") {
            file = Some(PathBuf::from(path));
        } else if let Some(found) = command.find_subcommand(text) {
            command = found;
            verb.push(found.get_name().to_owned());
            position = index + 1;
        }
    }
    // The verb `config` reads the file itself.
    let is_used = !verb.is_empty() && verb[0] != "config";
    file.filter(|_| is_used).map(|file| (file, verb, position))
}

fn find_verb<'a>(program: &'a Command, verb: &[String]) -> Option<&'a Command> {
    verb.iter()
        .try_fold(program, |command, name| command.find_subcommand(name))
}

/// The values of a file for a verb: those at its top for options that the verb has, and those of
/// the verb's own table, which win.
fn read(file: &Path, program: &Command, verb: &[String]) -> anyhow::Result<Values> {
    let named = || file.display().to_string();
    let mut text = String::new();
    let file = open_regular(file).with_context(named)?;
    file.take(MAX_BYTES)
        .read_to_string(&mut text)
        .with_context(named)?;
    let table: Table = text.parse().with_context(named)?;
    let mut values = Values::new();
    collect(&table, Some(verb), program, &mut values).with_context(named)?;
    // Defaults are left out: some options may be given only beside others.
    let verb = find_verb(program, verb);
    values.retain(|name, value| {
        let option = verb.and_then(|verb| find_option(verb, name));
        option.and_then(default_value).as_ref() != Some(value)
    });
    Ok(values)
}

/// Takes the values of `table`, which are for `command` and the verbs below it. `verb` are the
/// names from there to the verb that runs; `None` if it is another one.
fn collect(
    table: &Table,
    verb: Option<&[String]>,
    command: &Command,
    values: &mut Values,
) -> anyhow::Result<()> {
    let (tables, values_here): (Vec<_>, Vec<_>) = table.iter().partition(|(_, it)| it.is_table());
    // A table comes after what stands above it, and replaces it.
    for (name, value) in values_here.into_iter().chain(tables) {
        let long = name.replace('_', "-");
        if let Value::Table(table) = value {
            let Some(below) = command.find_subcommand(&long) else {
                bail!("[{name}] is not a verb; a table has the options of one, such as [crawl]");
            };
            let rest = verb
                .and_then(|verb| verb.split_first())
                .and_then(|(first, rest)| (first == below.get_name()).then_some(rest));
            collect(table, rest, below, values)?;
            continue;
        }
        if !has_option(command, &long) {
            bail!(
                "there is no option {name} here; `vclean config VERB` prints the options of a verb"
            );
        }
        let running = verb.and_then(|verb| Some((find_verb(command, verb)?, !verb.is_empty())));
        let is_taken = running.is_some_and(|(running, is_for_all)| {
            find_option(running, &long).is_some_and(|option| !is_for_all || takes(option, value))
        });
        if is_taken {
            values.insert(long, value.clone());
        }
    }
    Ok(())
}

/// True if a verb, or one below it, has the option.
fn has_option(command: &Command, long: &str) -> bool {
    find_option(command, long).is_some()
        || command
            .get_subcommands()
            .any(|below| has_option(below, long))
}

fn find_option<'a>(command: &'a Command, long: &str) -> Option<&'a Arg> {
    options(command).find(|option| option.get_long() == Some(long))
}

/// True if a verb uses the option and it can have the value, which is meant for all verbs.
fn takes(option: &Arg, value: &Value) -> bool {
    let possible = option.get_possible_values();
    let is_possible = |value: &Value| match value {
        Value::String(text) => possible.iter().any(|one| one.matches(text, true)),
        _ => true,
    };
    !option.is_hide_set()
        && (possible.is_empty()
            || match value {
                Value::Array(values) => values.iter().all(is_possible),
                value => is_possible(value),
            })
}

/// The options of a verb that a file may set.
fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|option| {
        let is_action = matches!(
            option.get_action(),
            ArgAction::Help | ArgAction::HelpLong | ArgAction::HelpShort | ArgAction::Version
        );
        option.get_long().is_some_and(|long| long != "config") && !is_action
    })
}

/// An option of the command line: `true` is a flag, `false` is nothing, and a list is the option
/// several times.
fn to_arguments(name: &str, value: &Value) -> anyhow::Result<Vec<String>> {
    let one = |value: &Value| match value {
        Value::String(text) => Ok(format!("--{name}={text}")),
        Value::Integer(number) => Ok(format!("--{name}={number}")),
        Value::Float(number) => Ok(format!("--{name}={number}")),
        other => bail!("{name} = {other} is not a value; write a text, a number, true or false"),
    };
    match value {
        Value::Boolean(true) => Ok(vec![format!("--{name}")]),
        Value::Boolean(false) => Ok(Vec::new()),
        Value::Array(values) => values.iter().map(one).collect(),
        value => Ok(vec![one(value)?]),
    }
}

/// The options of a verb as a file; those without a value are comments.
fn print_options(command: &Command, verb: &[String], values: &Values) -> String {
    let mut text = format!("# The options of `vclean {}`.\n", verb.join(" "));
    let table: Vec<String> = verb.iter().map(|name| format!("{name:?}")).collect();
    let _ = writeln!(text, "[{}]", table.join(".").replace('"', ""));
    for option in options(command).filter(|option| !option.is_hide_set()) {
        let long = option.get_long().unwrap_or_default();
        let name = long.replace('-', "_");
        text.push('\n');
        for line in wrap(
            &option
                .get_help()
                .map(ToString::to_string)
                .unwrap_or_default(),
        ) {
            let _ = writeln!(text, "# {line}");
        }
        let _ = match (values.get(long), default_value(option)) {
            (Some(value), _) => writeln!(text, "{name} = {value}"),
            (None, Some(value)) => writeln!(text, "{name} = {value}"),
            (None, None) => writeln!(text, "# {name} ="),
        };
    }
    text
}

/// The default of an option, if it has one.
fn default_value(option: &Arg) -> Option<Value> {
    if matches!(option.get_action(), ArgAction::SetTrue) {
        return Some(Value::Boolean(false));
    }
    let text = option.get_default_values().first()?.to_str()?;
    Some(match (text.parse(), text.parse()) {
        (Ok(number), _) => Value::Integer(number),
        (_, Ok(number)) => Value::Float(number),
        _ => Value::String(text.to_owned()),
    })
}

/// Lines of a help text; its width is that of a page.
fn wrap(help: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in help.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
        if last.len() + word.len() > 96 {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory, FromArgMatches};

    fn program() -> Command {
        crate::Arguments::command()
    }

    /// The words of a command line, which the file with `text` is added to.
    fn expanded(text: &str, words: &[&str]) -> anyhow::Result<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vclean.toml");
        std::fs::write(&file, text).unwrap();
        let mut all: Vec<OsString> = words.iter().map(OsString::from).collect();
        all.extend(["--config".into(), file.into_os_string()]);
        let (all, _) = expand(all, &program())?;
        let without_file = all.len() - 2;
        Ok(all[..without_file]
            .iter()
            .map(|word| word.to_str().unwrap().to_owned())
            .collect())
    }

    #[test]
    fn values_become_arguments_after_the_verb() {
        let text = "jobs = 2\nlinks = true\nno_title = false\nmax_pages = 5\n\
                    [crawl]\ninclude = [\"^/a\", \"^/b\"]\njobs = 3\n[clean]\njobs = 9\n";
        assert_eq!(
            expanded(text, &["vclean", "crawl", "https://a.example", "--quiet"]).unwrap(),
            [
                "vclean",
                "crawl",
                "--include=^/a",
                "--include=^/b",
                "--jobs=3",
                "--links",
                "--max-pages=5",
                "https://a.example",
                "--quiet"
            ]
        );
        // A verb takes the options that it has.
        assert_eq!(
            expanded(text, &["vclean", "clean", "x.html"]).unwrap(),
            ["vclean", "clean", "--jobs=9", "--links", "x.html"]
        );
        // Values that only other verbs can use are left out, unless the verb itself is named.
        let words = ["vclean", "explain", "x.html"];
        let text = "format = \"markdown\"\nlinks = true\nmethod = \"justext\"";
        let used = ["vclean", "explain", "--method=justext", "x.html"];
        assert_eq!(expanded(text, &words).unwrap(), used);
        let used = ["vclean", "explain", "--format=markdown", "x.html"];
        let text = "[explain]\nformat = \"markdown\"";
        assert_eq!(expanded(text, &words).unwrap(), used);
    }

    #[test]
    fn the_command_line_wins() {
        let words = expanded(
            "jobs = 2\nformat = \"markdown\"",
            &["vclean", "clean", "x.html", "-j4"],
        );
        let matches = program()
            .args_override_self(true)
            .try_get_matches_from(words.unwrap())
            .unwrap();
        let crate::Verb::Clean(clean) = crate::Arguments::from_arg_matches(&matches).unwrap().verb
        else {
            panic!("the verb is clean");
        };
        assert_eq!(format!("{clean:?}").matches("jobs: Some(4)").count(), 1);
        assert!(format!("{clean:?}").contains("markdown"));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, part) in [
            ("max_page = 1", "there is no option max_page"),
            (
                "[crawl]\ntimeout = 1\nsolver = 1",
                "there is no option solver",
            ),
            ("[craw]\njobs = 1", "[craw] is not a verb"),
            ("jobs = 1979-05-27", "jobs = 1979-05-27 is not a value"),
            ("jobs = ", "vclean.toml"),
        ] {
            let error = format!("{:#}", expanded(text, &["vclean", "crawl"]).unwrap_err());
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_printed_can_be_used() {
        let program = program();
        for verb in ["crawl", "clean", "explain", "worker", "serve"] {
            let names = vec![verb.to_owned()];
            let command = find_verb(&program, &names).unwrap();
            let text = print_options(command, &names, &Values::new());
            assert_eq!(
                expanded(&text, &["vclean", verb]).unwrap(),
                ["vclean", verb]
            );
        }
    }

    #[test]
    fn what_is_printed_is_a_file_of_options() {
        let program = program();
        for verb in program.get_subcommands() {
            let names = vec![verb.get_name().to_owned()];
            let text = print_options(verb, &names, &Values::new());
            let table: Table = text
                .parse()
                .unwrap_or_else(|error| panic!("{text}\n{error}"));
            let mut values = Values::new();
            collect(&table, Some(&names), &program, &mut values)
                .unwrap_or_else(|error| panic!("{error:#}"));
            let again = print_options(verb, &names, &values);
            assert_eq!(again, text);
        }
    }
}
