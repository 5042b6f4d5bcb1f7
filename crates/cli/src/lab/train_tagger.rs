//! `vclean lab train-tagger`: trains a part-of-speech tagger on treebanks.

use super::data::language;
use super::output::{self, Terminal};
use super::train::check_file;
use crate::{SOME_FAILED, console};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use vclean_core::files;
use vclean_core::language::Tagger;
use vclean_lab::gold::Progress;
use vclean_lab::train::tagger::Sentence;
use vclean_lab::train::{TaggerOptions, Treebank, TreebankError, tagging_table, train_tagger};

/// Train a part-of-speech tagger on treebanks
///
/// Reads words with their universal part-of-speech tags, one per line (word, tab, tag; an empty
/// line ends a sentence), and writes a tagger with its lexicon. The taggers of the
/// language-dependent features are built in from `models/pos/`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean lab train-tagger ewt-dev.tsv ewt-test.tsv --lang en --out models/pos/en.tagger --test pud-test.tsv
  vclean lab train-tagger words.tsv --lang fi --out fi.tagger      another language")]
pub(crate) struct Arguments {
    /// Treebanks to train on
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Language of the treebanks, such as en
    #[arg(long, value_name = "CODE", value_parser = language)]
    lang: String,

    /// Tagger file to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// Treebanks to measure the tagger on; it is not trained on them
    #[arg(long, value_name = "FILE", num_args = 1..)]
    test: Vec<PathBuf>,

    /// Number of passes over the treebanks
    #[arg(long, value_name = "N", default_value_t = TaggerOptions::default().rounds as u16, value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,

    /// Number of rows of weights, as a power of 2: 15 gives a file of about 200 kB
    #[arg(long, value_name = "N", default_value_t = TaggerOptions::default().bits as u8, value_parser = clap::value_parser!(u8).range(8..=16))]
    bits: u8,

    /// Random seed for the order of sentences
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print errors only, no progress
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let treebanks = arguments
        .files
        .iter()
        .chain(&arguments.test)
        .map(PathBuf::as_path);
    output::refuse_inputs(&[], treebanks, [Some(arguments.out.as_path())])?;
    check_file(&arguments.out)?;
    let read = |files: &[PathBuf]| -> Result<Vec<Treebank>, TreebankError> {
        files.iter().map(|path| Treebank::read(path)).collect()
    };
    let (treebanks, tests) = (read(&arguments.files)?, read(&arguments.test)?);
    let names: Vec<String> = treebanks
        .iter()
        .map(|treebank| treebank.name.clone())
        .collect();
    let sentences: Vec<Sentence> = treebanks
        .into_iter()
        .flat_map(|treebank| treebank.sentences)
        .collect();
    let options = TaggerOptions {
        rounds: arguments.rounds.into(),
        bits: arguments.bits.into(),
        seed: arguments.seed,
    };
    let progress = Terminal::new(arguments.quiet);
    let step = |text: &str| progress.step(text);
    let bytes = train_tagger(&arguments.lang, &names, &sentences, &options, &step)?.to_bytes();
    files::write_whole(&arguments.out, &bytes)?;
    // The tagger is measured as it was written to the file.
    let tagger = Tagger::from_bytes(&bytes)?;
    let table = if tests.is_empty() {
        String::new()
    } else {
        tagging_table(&tagger, &tests).to_text()
    };
    let text = format!(
        "{table}{} forms in the lexicon, from {} words of {} sentences\nwrote {} ({} bytes)\n",
        tagger.lexicon().len(),
        tagger.tokens,
        sentences.len(),
        arguments.out.display(),
        bytes.len()
    );
    Ok(if console::print(&[&text]).is_ok() {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}
