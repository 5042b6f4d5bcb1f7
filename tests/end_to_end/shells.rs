//! Tests completions in the shells that read them, and manual pages in the program that checks
//! them. scripts/setup installs these programs.

use crate::program::vclean;
use std::path::Path;
use std::process::Command;

/// Runs a program and returns its standard output.
fn output(program: &str, arguments: &[&str], home: &Path) -> String {
    let done = Command::new(program)
        .args(arguments)
        .env("HOME", home)
        .env("TERM", "dumb")
        .output();
    let done = done.unwrap_or_else(|error| {
        panic!("{program} cannot be started ({error}); scripts/setup installs it")
    });
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(
        done.status.success(),
        "{program}: {}\n{text}",
        String::from_utf8_lossy(&done.stderr)
    );
    text
}

/// Writes the completions for a shell to a file in a folder.
fn script(shell: &str, folder: &Path) -> String {
    let outcome = vclean(["completions", shell]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let path = folder.join(format!("vclean.{shell}"));
    std::fs::write(&path, outcome.stdout).unwrap();
    path.display().to_string()
}

/// Typed text, and its completion up to white space.
const CASES: [(&str, &str); 5] = [
    ("vclean cle", "clean"),
    ("vclean lab eval", "evaluate"),
    ("vclean clean --form", "--format"),
    ("vclean clean --format mark", "markdown"),
    ("vclean completions fi", "fish"),
];

#[test]
fn bash_completes_verbs_options_and_values() {
    let folder = tempfile::tempdir().unwrap();
    let script = script("bash", folder.path());
    for (typed, expected) in CASES {
        let program = format!(
            "source {script}; COMP_WORDS=({typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _vclean vclean \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; echo \"${{COMPREPLY[@]}}\""
        );
        let found = output("bash", &["--norc", "-c", &program], folder.path());
        assert!(
            found.split_whitespace().any(|word| word == expected),
            "{typed}: {found}"
        );
    }
}

#[test]
fn fish_completes_verbs_options_and_values() {
    let folder = tempfile::tempdir().unwrap();
    let script = script("fish", folder.path());
    output(
        "fish",
        &["--no-config", "--no-execute", &script],
        folder.path(),
    );
    // clap writes no values of positional arguments for fish.
    for (typed, expected) in CASES
        .into_iter()
        .filter(|(typed, _)| !typed.contains("completions"))
    {
        let program = format!("source {script}; complete -C '{typed}'");
        let found = output("fish", &["--no-config", "-c", &program], folder.path());
        assert!(
            found
                .lines()
                .any(|line| line.split('\t').next() == Some(expected)),
            "{typed}: {found}"
        );
    }
}

/// Starts an interactive zsh, types `$2` and the key that completes, and prints the line after
/// `RESULT`.
const TYPE_IN_ZSH: &str = r#"
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "autoload -U compinit; compinit -u -D; source '$1'"
zpty -w shell 'show() { print -r -- "RES""ULT[$BUFFER]END" }; zle -N show; bindkey "^X" show; echo rea""dy'
zpty -r -m shell out '*ready*'
zpty -w -n shell "$2"$'\t\x18'
zpty -r -m shell out '*\]END*'
print -r -- "$out"
zpty -d shell
"#;

#[test]
fn zsh_completes_verbs_options_and_values() {
    let folder = tempfile::tempdir().unwrap();
    let script = script("zsh", folder.path());
    output("zsh", &["-n", &script], folder.path());
    let typing = folder.path().join("type.zsh").display().to_string();
    std::fs::write(&typing, TYPE_IN_ZSH).unwrap();
    for (typed, expected) in CASES {
        let found = output(
            "timeout",
            &["60", "zsh", "-f", &typing, &script, typed],
            folder.path(),
        );
        let line = found.rsplit_once("RESULT[").map_or("", |(_, line)| line);
        let line = line.split_once("]END").map_or("", |(line, _)| line);
        let is_word = |word: &str| word == expected;
        assert!(
            line.split([' ', '=']).any(is_word),
            "{typed}: {line:?} in {found:?}"
        );
    }
}

/// Checks only the structure of the script, because PowerShell is not installed for the tests.
#[test]
fn powershell_has_every_verb_and_option() {
    let folder = tempfile::tempdir().unwrap();
    let script = std::fs::read_to_string(script("powershell", folder.path())).unwrap();
    assert!(
        script.contains("Register-ArgumentCompleter -Native -CommandName 'vclean'"),
        "{script}"
    );
    // Strings are in single quotes, where a quote is doubled; outside of them brackets are
    // balanced.
    let outside: String = script.split('\'').step_by(2).collect();
    assert_eq!(script.matches('\'').count() % 2, 0);
    for (open, close) in [('(', ')'), ('{', '}'), ('[', ']')] {
        assert_eq!(
            outside.matches(open).count(),
            outside.matches(close).count(),
            "{open}"
        );
    }
    for verb in ["clean", "render-and-clean", "lab;evaluate", "worker"] {
        assert!(script.contains(&format!("'vclean;{verb}' {{")), "{verb}");
    }
    for option in ["--format", "--engine", "--min-precision"] {
        assert!(
            script.contains(&format!("[CompletionResult]::new('{option}'")),
            "{option}"
        );
    }
}

#[test]
fn manual_pages_are_written_as_mandoc_wants_them() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = vclean(["man", "--out", &folder.path().display().to_string()]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let page = entry.unwrap().path().display().to_string();
        let found = output(
            "sh",
            &["-c", &format!("mandoc -T lint -W style '{page}' 2>&1 || :")],
            folder.path(),
        );
        // Examples are lines to be copied and are not wrapped.
        let faults: Vec<&str> = found
            .lines()
            .filter(|line| !line.contains("longer than 80 bytes:   vclean"))
            .collect();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        let printed = output("mandoc", &["-T", "utf8", &page], folder.path());
        // Bold letters are printed twice, with a backspace between.
        let letters: Vec<char> = printed.chars().collect();
        let struck = |&at: &usize| letters[at] == '\u{8}' || letters.get(at + 1) == Some(&'\u{8}');
        let text: String = (0..letters.len())
            .filter(|at| !struck(at))
            .map(|at| letters[at])
            .collect();
        assert!(
            text.contains("SYNOPSIS") && text.contains("vclean 0."),
            "{text}"
        );
    }
}
