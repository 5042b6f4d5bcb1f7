//! `vclean train-tagger`: treebanks in, part-of-speech tagger out.

use super::console;
use crate::evaluate::Table;
use crate::files;
use crate::language::{Tagger, language_tag};
use crate::train::tagger::Sentence;
use crate::train::{TaggerOptions, TaggingScore, read_treebank, test_tagger, train_tagger};
use anyhow::Context;
use clap::Args;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Train a part-of-speech tagger on treebanks
///
/// Reads words with their universal part-of-speech tags, one a line (word, tab, tag; an empty line ends a sentence), and
/// writes a tagger with its lexicon. The taggers of the language-bound features are compiled in from `models/pos/`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean train-tagger ewt-dev.tsv ewt-test.tsv --lang en --out models/pos/en.tagger --test pud-test.tsv
  vclean train-tagger words.tsv --lang fi --out fi.tagger      a language of your own")]
pub(super) struct Arguments {
    /// Treebanks to learn from
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Language of the treebanks, such as en
    #[arg(long, value_name = "CODE", value_parser = language)]
    lang: String,

    /// Tagger file to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// Treebanks to measure the tagger on; it does not learn from them
    #[arg(long, value_name = "FILE", num_args = 1..)]
    test: Vec<PathBuf>,

    /// Rounds over the treebanks
    #[arg(long, value_name = "N", default_value_t = TaggerOptions::default().rounds as u16, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,

    /// Rows of weights, as a power of 2: 15 makes a file of about 200 kB
    #[arg(long, value_name = "N", default_value_t = TaggerOptions::default().bits as u8, value_parser = clap::value_parser!(u8).range(8..=16))]
    bits: u8,

    /// Seed of the order of sentences
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Say nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

/// Reads a language's code.
pub(super) fn language(text: &str) -> Result<String, String> {
    match language_tag(text) {
        Some(tag) if tag == text && !tag.contains('-') => Ok(tag),
        _ => Err("a language code of two or three small letters is needed, such as en".to_owned()),
    }
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let sentences: Vec<Sentence> = read(&arguments.files)?.into_iter().flat_map(|(_, found)| found).collect();
    let tests = read(&arguments.test)?;
    let treebanks: Vec<String> = arguments.files.iter().map(|path| name(path)).collect();
    let options = TaggerOptions { rounds: arguments.rounds.into(), bits: arguments.bits.into(), seed: arguments.seed };
    let progress = |step: &str| {
        if !arguments.quiet {
            console::complain(step);
        }
    };
    let bytes = train_tagger(&arguments.lang, &treebanks, &sentences, &options, &progress)?.to_bytes();
    files::write_whole(&arguments.out, &bytes)?;
    // What is measured is what was written.
    let tagger = Tagger::from_bytes(&bytes)?;
    let mut text = String::new();
    if !tests.is_empty() {
        let mut table = Table::new(&["treebank", "words", "tags", "classes", "unknown", "tags of unknown"]);
        for (name, sentences) in &tests {
            table.push(row(name, &test_tagger(&tagger, sentences)));
        }
        text.push_str(&table.to_text());
    }
    let _ = write!(
        text,
        "{} forms in the lexicon, from {} words of {} sentences\nwrote {} ({} bytes)\n",
        tagger.lexicon().len(),
        tagger.tokens,
        sentences.len(),
        arguments.out.display(),
        bytes.len()
    );
    Ok(if console::print(&[&text]).is_ok() { ExitCode::SUCCESS } else { super::SOME_FAILED.into() })
}

/// Reads treebanks, each with its name.
fn read(files: &[PathBuf]) -> anyhow::Result<Vec<(String, Vec<Sentence>)>> {
    files
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            let sentences = read_treebank(&text).with_context(|| path.display().to_string())?;
            Ok((name(path), sentences))
        })
        .collect()
}

/// The treebank's name: the stem of its file.
fn name(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn row(name: &str, score: &TaggingScore) -> Vec<String> {
    let share = |part: usize, whole: usize| format!("{:.4}", part as f64 / whole.max(1) as f64);
    vec![
        name.to_owned(),
        score.words.to_string(),
        share(score.right, score.words),
        share(score.right_class, score.words),
        share(score.unknown, score.words),
        share(score.unknown_right, score.unknown),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_a_code() {
        assert_eq!(language("en").as_deref(), Ok("en"));
        assert!(["EN", "english", "en-GB", "", "e"].iter().all(|wrong| language(wrong).is_err()));
    }
}
