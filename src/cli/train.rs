//! `vclean train`: gold text in, model out. The arguments; the verb joins the others when training is complete.

use super::options::target_rule;
use crate::target::TargetRule;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Train a model on pages with gold text
///
/// Reads data folders (manifest.jsonl, pages/, gold/), renders their training pages, aligns gold and blocks, and writes
/// a model file. Captures are kept, so that the next run needs no browser.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean train data/styled data/canola --captures captures/ --out models/rendered.model
  vclean train data/wcxb --static --out models/static.model --c 10 --gamma 0.05")]
pub struct Arguments {
    /// Data folders; the pages of their `train` split are used
    #[arg(value_name = "DATA", required = true)]
    pub data: Vec<PathBuf>,

    /// Model file to write
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,

    /// Name of the model [default: the stem of FILE]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,

    /// Parse the pages without rendering them: a model for bare HTML
    #[arg(long = "static")]
    pub is_static: bool,

    /// Folder of rendered captures, a folder in it for each data set; what is missing is rendered
    #[arg(long, value_name = "DIR", conflicts_with = "is_static")]
    pub captures: Option<PathBuf>,

    /// How gold text is laid on blocks
    #[arg(long, value_name = "HOW", default_value = "words")]
    pub alignment: Alignment,

    /// How text blocks are selected: blocks or fiasco
    #[arg(long, value_name = "RULE", default_value = "blocks", value_parser = target_rule)]
    pub targets: TargetRule,

    /// Penalty of a wrong training row, above 0 [default: found by a search over folds of sites]
    #[arg(long, value_name = "NUMBER", value_parser = positive)]
    pub c: Option<f64>,

    /// Width of the Gaussian kernel, above 0 [default: found by a search over folds of sites]
    #[arg(long, value_name = "NUMBER", value_parser = positive)]
    pub gamma: Option<f64>,

    /// Most rows to train on; more are sampled, evenly over pages
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    pub rows: u32,

    /// Seed of the sample and of the folds
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Let pages load from the network while they are rendered; by default they have what they hold
    #[arg(long)]
    pub online: bool,

    /// How pages are gone through
    #[command(flatten)]
    pub batch: super::options::BatchArguments,
}

/// How gold text is laid on blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Alignment {
    /// Word by word over the whole page
    #[default]
    Words,
    /// Dice overlap of paragraphs and subtrees (FIASCO 5.1)
    Dice,
}

/// Reads a finite number above 0.
fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("a number above 0 is needed".to_owned()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(words: &[&str]) -> Result<Arguments, clap::Error> {
        Alone::try_parse_from([&["train"], words].concat()).map(|alone| alone.arguments)
    }

    #[test]
    fn the_usual_command_is_understood() {
        let arguments = parse(&["a", "b", "--out", "x.model", "--c", "10", "--alignment", "dice"]).unwrap();
        assert_eq!((arguments.data.len(), arguments.c, arguments.gamma), (2, Some(10.0), None));
        assert_eq!((arguments.alignment, arguments.targets), (Alignment::Dice, TargetRule::Blocks));
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        for wrong in ["0", "-1", "inf", "NaN", "ten"] {
            assert!(parse(&["a", "--out", "x", "--c", wrong]).is_err(), "{wrong}");
        }
        assert!(parse(&["--out", "x"]).is_err());
    }
}
