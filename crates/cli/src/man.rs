//! `vclean man`: the manual pages, generated from the definition of the command line: what
//! clap_mangen writes, with a head of our own, a synopsis with the options' values, and lines that
//! `mandoc -Tlint` accepts.

use super::{SOME_FAILED, console};
use clap::{Arg, ArgAction, Args, Command};
use clap_mangen::Man;
use std::path::PathBuf;
use std::process::ExitCode;
use vclean_core::files;

/// The date of the pages, which the format needs: that of the last change of the command line. Not
/// the date of the build, since the same source gives the same pages.
const DATE: &str = "2026-11-22";
/// Longest line of a page, in bytes.
const MAX_LINE_BYTES: usize = 80;

/// Write the manual pages
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean man | man -l -                     read all pages
  vclean man --out ~/.local/share/man/man1  install the pages")]
pub(super) struct Arguments {
    /// Write one page per verb into DIR, instead of all pages to standard output
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments, program: Command) -> anyhow::Result<ExitCode> {
    let pages = manual(program)?;
    if let Some(folder) = &arguments.out {
        let folder = files::make_folder(folder)?;
        for (name, page) in pages {
            files::write_whole(&folder.join(name), page.as_bytes())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let pages: Vec<&str> = pages.iter().map(|(_, page)| page.as_str()).collect();
    Ok(if console::print(&pages).is_ok() {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

/// File name and roff source of the program's page and of the page of each verb.
fn manual(program: Command) -> anyhow::Result<Vec<(String, String)>> {
    let mut program = whole(program);
    program.build();
    let verbs = console::verbs(&program).into_iter().cloned();
    std::iter::once(program.clone())
        .chain(verbs)
        .map(|command| Ok((format!("{}.1", display_name(&command)), page(command)?)))
        .collect()
}

/// Prepares a command for its manual page: options hidden from `-h` are shown, as clap_mangen would
/// omit them, and the verb `help` is removed.
fn whole(command: Command) -> Command {
    let command = command.disable_help_subcommand(true);
    let command = command.mut_args(|argument| argument.hide_short_help(false));
    command.mut_subcommands(whole)
}

/// The roff source of the page of `command`, which was built.
///
/// # Errors
/// If it is not text, which clap_mangen does not write.
fn page(command: Command) -> anyhow::Result<String> {
    let title = display_name(&command).to_uppercase();
    let synopsis = synopsis(&command);
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    let page = String::from_utf8(page)?.replace(".br\n\n.br\n", ".sp\n");
    let mut out = String::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        match line {
            _ if line.starts_with(".TH ") => out.push_str(&head(&title)),
            ".SH SYNOPSIS" => {
                out.push_str(".SH SYNOPSIS\n");
                out.push_str(&synopsis);
                lines.next_if(|line| !line.starts_with('.'));
            }
            ".SH EXTRA" if lines.peek().is_some_and(|next| *next == "Examples:") => {
                lines.next();
                out.push_str(".SH EXAMPLES\n");
            }
            ".SH EXTRA" => out.push_str(".SH NOTES\n"),
            _ => push_folded(&mut out, line),
        }
    }
    Ok(out)
}

/// `vclean-clean` for the verb `clean`; `Command::build` sets it.
fn display_name(command: &Command) -> &str {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
}

fn head(title: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        ".TH {} 1 {DATE} \"vclean {version}\" \"User Commands\"\n",
        title.replace('-', "\\-")
    )
}

/// How the command is called: each option with its value, then the positional arguments.
fn synopsis(command: &Command) -> String {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let mut out = format!("\\fB{}\\fR\n", escape(name));
    let (positional, options): (Vec<&Arg>, Vec<&Arg>) = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set())
        .partition(|argument| argument.is_positional());
    for argument in options.into_iter().chain(positional) {
        let text = usage(argument);
        let is_required = argument.is_required_set();
        out.extend(if is_required {
            ["", &text, ""]
        } else {
            ["[", &text, "]"]
        });
        if argument.is_positional() && matches!(argument.get_action(), ArgAction::Append) {
            out.push_str(" ...");
        }
        out.push('\n');
    }
    if command.has_subcommands() {
        out.push_str("\\fICOMMAND\\fR\n");
    }
    out
}

/// An argument as it is written on the command line; what belongs together stays on one line.
fn usage(argument: &Arg) -> String {
    let short = argument
        .get_short()
        .map(|short| format!("\\fB\\-{short}\\fR"));
    let long = argument
        .get_long()
        .map(|long| format!("\\fB\\-\\-{}\\fR", escape(long)));
    let mut parts: Vec<String> = [short, long]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("|")
        .split(' ')
        .map(str::to_owned)
        .collect();
    parts.retain(|part| !part.is_empty());
    if argument.get_action().takes_values() {
        let names = argument.get_value_names().unwrap_or_default();
        parts.extend(names.iter().map(|name| format!("\\fI{}\\fR", escape(name))));
    }
    parts.join("\\ ")
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

/// Appends a line; one of running text is folded at spaces. Lines that begin with a space are kept
/// as they are.
fn push_folded(out: &mut String, line: &str) {
    let mut rest = line.trim_end();
    while rest.len() > MAX_LINE_BYTES && !line.starts_with(['.', ' ']) {
        let head = &rest.as_bytes()[..=MAX_LINE_BYTES];
        let Some(space) = head
            .iter()
            .rposition(|&byte| byte == b' ')
            .filter(|&space| space > 0)
        else {
            break;
        };
        out.push_str(&rest[..space]);
        out.push('\n');
        rest = rest[space..].trim_start();
        // A line of text that begins like a request.
        if rest.starts_with(['.', '\'']) {
            out.push_str("\\&");
        }
    }
    out.push_str(rest);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_verb_has_a_page() {
        let pages = manual(crate::Arguments::command()).unwrap();
        let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
        assert!(
            [
                "vclean.1",
                "vclean-clean.1",
                "vclean-lab.1",
                "vclean-lab-train.1"
            ]
            .iter()
            .all(|name| names.contains(name)),
            "{names:?}"
        );
        assert!(!names.iter().any(|name| name.contains("help")));
        assert!(
            !pages[0].1.contains("help(1)"),
            "the page of all names pages that exist"
        );
        let (_, page) = pages
            .iter()
            .find(|(name, _)| name == "vclean-clean.1")
            .unwrap();
        assert!(page.contains(".SH EXAMPLES") && page.contains("curl"));
        assert!(
            page.contains("try pages again that failed"),
            "also what `-h` leaves out: {page}"
        );
        assert!(
            page.contains("\\fB\\-\\-from\\fR\\ \\fIFILE\\fR]"),
            "{page}"
        );
    }

    #[test]
    fn long_lines_are_folded_at_spaces() {
        let mut out = String::new();
        push_folded(&mut out, &"word .word ".repeat(20));
        assert!(
            out.lines()
                .all(|line| line.len() <= MAX_LINE_BYTES + 2 && !line.starts_with('.')),
            "{out}"
        );
        assert_eq!(out.replace("\\&", "").split_whitespace().count(), 40);
        for kept in [
            format!("  vclean {}", "x ".repeat(60)),
            format!(".IP {}", "x ".repeat(60)),
            "x".repeat(200),
        ] {
            out.clear();
            push_folded(&mut out, &kept);
            assert_eq!(out, format!("{}\n", kept.trim_end()));
        }
    }

    #[test]
    fn the_synopsis_has_the_values_of_options() {
        let command = Command::new("x")
            .arg(Arg::new("a-b").short('a').long("a-b").value_name("K/N"))
            .arg(Arg::new("flag").long("flag").action(ArgAction::SetTrue))
            .arg(
                Arg::new("file")
                    .required(true)
                    .value_name("FILE")
                    .action(ArgAction::Append),
            );
        let expected = "\\fBx\\fR\n[\\fB\\-a\\fR|\\fB\\-\\-a\\-b\\fR\\ \\fIK/N\\fR]\n[\\fB\\-\\-flag\\fR]\n\\fIFILE\\fR ...\n";
        assert_eq!(synopsis(&command), expected);
    }
}
