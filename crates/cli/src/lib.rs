//! The program `vclean`: one file per verb (those of the laboratory in `lab`), each of which reads
//! its arguments, calls the libraries once and prints.
//!
//! Standard output carries results only. Every page that fails is one line on standard error, and
//! the batch continues. Exit codes: 0 all done, 1 wrong usage, 2 some pages failed, 130 or 143
//! interrupted.

mod clean;
mod completions;
mod config;
mod console;
mod crawl;
mod doctor;
mod exit;
mod explain;
#[cfg(feature = "lab")]
mod lab;
mod man;
mod options;
#[cfg(test)]
#[path = "../tests/unit/options_document.rs"]
mod options_document;
mod pictures;
mod published;
mod render;
mod render_and_clean;
mod rendering;
#[cfg(feature = "serve")]
mod serve;
mod site_memory;
#[cfg(test)]
#[path = "../tests/unit/arguments.rs"]
mod tests;
mod worker;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use exit::{SOME_FAILED, WRONG_USAGE};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use vclean_run::Purpose;

/// Writes the main text of web pages: renders each page, decides for every text block whether it
/// belongs to the text, and leaves out menus, advertisements, footers and banners. Without a verb,
/// render-and-clean is meant.
#[derive(Debug, Parser)]
#[command(
    name = "vclean",
    version,
    propagate_version = true,
    subcommand_required = true,
    override_usage = "vclean [VERB] [OPTIONS] [ADDRESS|FILE|FOLDER]..."
)]
#[command(after_help = EXIT_CODES)]
struct Arguments {
    /// Take options from FILE, such as vclean.toml, too; `vclean config VERB` prints one
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,

    #[command(subcommand)]
    verb: Verb,
}

/// Printed if nothing is asked for.
const GREETING: &str = "\
vclean writes the main text of web pages, without menus, advertisements, footers and cookie banners:
  vclean https://example.org/article        the text of a page on the web
  vclean page.html --format markdown        of a saved page; also MHTML, WARC, JSON lines, folders
  vclean pages/ --out corpus.jsonl          of many pages, into one file
  vclean crawl https://example.org          of a whole site
`vclean --help` lists all verbs, and `vclean doctor` tells what works on this machine.
";

const EXIT_CODES: &str = "Exit codes: 0 all done, 1 wrong usage, 2 some pages failed (the others are written), \
130 or 143 interrupted.\nEvery failed page is one line on standard error: vclean: PAGE: CAUSE.";

#[derive(Debug, Subcommand)]
enum Verb {
    RenderAndClean(Box<render_and_clean::Arguments>),
    Crawl(Box<crawl::Arguments>),
    Map(crawl::MapArguments),
    Render(render::Arguments),
    Clean(Box<clean::Arguments>),
    Explain(Box<explain::Arguments>),
    #[cfg(feature = "lab")]
    Lab(lab::Arguments),
    SiteMemory(site_memory::Arguments),
    Worker(worker::Arguments),
    #[cfg(feature = "serve")]
    #[command(flatten)]
    Serve(serve::Verb),
    Config(config::Arguments),
    Doctor(doctor::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

impl Verb {
    /// True if the verb does more than print information about the program itself.
    fn works_on_pages(&self) -> bool {
        !matches!(self, Self::Completions(_) | Self::Config(_) | Self::Man(_))
    }

    /// The verb's main work, which decides about threads and memory.
    fn purpose(&self) -> Purpose {
        match self {
            Self::Clean(_) | Self::SiteMemory(_) => Purpose::Clean,
            Self::Render(_) | Self::RenderAndClean(_) | Self::Crawl(_) => Purpose::Render,
            _ => Purpose::Calculate,
        }
    }
}

/// Runs the program with `arguments`, the program's name first, and returns its exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    vclean_run::quiet_panics();
    vclean_run::survive_file_size_limit();
    console::set_options(Arguments::command);
    let words: Vec<OsString> = arguments.into_iter().collect();
    if words.len() < 2 {
        let is_printed = console::print(&[GREETING]).is_ok();
        return if is_printed {
            ExitCode::SUCCESS
        } else {
            SOME_FAILED.into()
        };
    }
    let arguments = match parse(with_verb(words)) {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error),
    };
    if arguments.verb.works_on_pages()
        && let Err(error) = vclean_run::prepare(arguments.verb.purpose())
    {
        console::complain(&error.to_string());
        return WRONG_USAGE.into();
    }
    let done = match arguments.verb {
        Verb::RenderAndClean(arguments) => render_and_clean::run(*arguments),
        Verb::Crawl(arguments) => crawl::run(*arguments),
        Verb::Map(arguments) => crawl::map(arguments),
        Verb::Render(arguments) => render::run(arguments),
        Verb::Clean(arguments) => clean::run(*arguments),
        Verb::Explain(arguments) => explain::run(&arguments),
        #[cfg(feature = "lab")]
        Verb::Lab(arguments) => lab::run(arguments.verb),
        Verb::SiteMemory(arguments) => site_memory::run(arguments),
        Verb::Worker(arguments) => worker::run(&arguments),
        #[cfg(feature = "serve")]
        Verb::Serve(verb) => serve::run(&verb),
        Verb::Config(named) => {
            config::run(&named, arguments.config.as_deref(), &Arguments::command())
        }
        Verb::Doctor(arguments) => doctor::run(&arguments),
        Verb::Completions(arguments) => completions::run(&arguments, Arguments::command()),
        Verb::Man(arguments) => man::run(&arguments, Arguments::command()),
    };
    done.unwrap_or_else(|error| {
        console::complain(&format!("{error:#}"));
        WRONG_USAGE.into()
    })
}

/// The help of the options of `render-and-clean`, by the names that programs use, such as
/// `min_precision`.
pub fn help_of_options() -> BTreeMap<String, String> {
    let program = Arguments::command();
    let verb = program.find_subcommand("render-and-clean");
    let arguments = verb.into_iter().flat_map(clap::Command::get_arguments);
    arguments
        .filter_map(|argument| {
            let name = argument.get_id().to_string();
            Some((name, argument.get_help()?.to_string()))
        })
        .collect()
}

/// Prints why there is nothing to do, or the help that is asked for.
fn refuse(error: &clap::Error) -> ExitCode {
    // An error here, such as a broken pipe, cannot be reported anywhere.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
        ErrorKind::InvalidSubcommand => {
            console::complain(
                "a page is an address with https://, or a file or folder that exists",
            );
            WRONG_USAGE.into()
        }
        _ => WRONG_USAGE.into(),
    }
}

/// Reads the arguments, and the file of options that they may name.
fn parse(words: Vec<OsString>) -> Result<Arguments, clap::Error> {
    if !config::is_named(&words) {
        let program = with_negative_numbers(Arguments::command());
        return Arguments::from_arg_matches(&program.try_get_matches_from(words)?);
    }
    // Options of the command line replace those of the file before them.
    let mut program = with_negative_numbers(Arguments::command().args_override_self(true));
    let (words, file) = config::expand(words, &program)
        .map_err(|error| program.error(ErrorKind::ValueValidation, format!("{error:#}")))?;
    let named = |mut error: clap::Error| {
        if let Some(file) = file {
            let tip = format!("{} gives options, too", file.display());
            let tips = ContextValue::StyledStrs(vec![tip.into()]);
            error.insert(ContextKind::Suggested, tips);
        }
        error
    };
    Arguments::from_arg_matches(&program.try_get_matches_from(words).map_err(named)?)
}

/// Takes numbers such as -5 for values of options, so that the message about one names the option
/// and what it expects.
fn with_negative_numbers(program: clap::Command) -> clap::Command {
    let program = program.mut_args(|option| {
        let takes_value = option.get_action().takes_values() && !option.is_positional();
        option.allow_negative_numbers(takes_value)
    });
    program.mut_subcommands(with_negative_numbers)
}

/// The arguments with the verb that they leave out: a page or an option in its place stands for
/// the main work.
fn with_verb(mut words: Vec<OsString>) -> Vec<OsString> {
    let text = |position: usize| words.get(position).and_then(|word| word.to_str());
    let mut position = 1;
    while let Some(word) = text(position).filter(|word| word.starts_with("--config")) {
        position += if word == "--config" { 2 } else { 1 };
    }
    let is_own = |word: &str| matches!(word, "-h" | "--help" | "-V" | "--version" | "help");
    let verb = match text(position) {
        None => None,
        Some(word) if is_own(word) || Verb::has_subcommand(word) => None,
        Some(word) if word.len() > 1 && word.starts_with('-') => Some("render-and-clean"),
        Some(word) => verb_for(word),
    };
    if let Some(verb) = verb {
        words.insert(position, verb.into());
    }
    words
}

/// The verb that takes an input; `None` if it does not look like one.
fn verb_for(input: &str) -> Option<&'static str> {
    let has_ending = Path::new(input).extension().is_some();
    let is_path = input == "-" || input.contains('/') || Path::new(input).exists();
    let is_input = is_path || has_ending;
    let verb = if input == "-" {
        "clean"
    } else {
        "render-and-clean"
    };
    is_input.then_some(verb)
}
