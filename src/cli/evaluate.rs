//! `vclean evaluate`: word and block figures of a model on pages with gold text. The arguments; the verb joins the
//! others when evaluation is complete.

use super::options::{BatchArguments, ModelArguments};
use crate::evaluate::dataset::Split;
use clap::Args;
use std::path::PathBuf;

/// Measure a model on pages with gold text
///
/// Cleans the pages of data folders and compares the text with the gold: word precision, recall and F1, mean over
/// pages, beside keeping everything.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean evaluate data/styled --captures captures/
  vclean evaluate data/wcxb --static --split dev --worst 10 --json wcxb.json")]
pub struct Arguments {
    /// Data folders
    #[arg(value_name = "DATA", required = true)]
    pub data: Vec<PathBuf>,

    /// Which pages: train, dev or all
    #[arg(long, value_name = "SPLIT", default_value = "dev", value_parser = split)]
    pub split: Split,

    /// Parse the pages without rendering them
    #[arg(long = "static")]
    pub is_static: bool,

    /// Folder of rendered captures, a folder in it for each data set; what is missing is rendered
    #[arg(long, value_name = "DIR", conflicts_with = "is_static")]
    pub captures: Option<PathBuf>,

    /// Write all figures, page by page, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// List the N pages with the lowest F1
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub worst: usize,

    /// The model
    #[command(flatten)]
    pub model: ModelArguments,

    /// How pages are gone through
    #[command(flatten)]
    pub batch: BatchArguments,
}

/// Reads a split by its name in [`Split::ALL`].
fn split(name: &str) -> Result<Split, String> {
    Split::ALL.iter().find(|(known, _)| *known == name).map(|&(_, split)| split).ok_or_else(|| {
        let names: Vec<&str> = Split::ALL.iter().map(|(name, _)| *name).collect();
        format!("there is no split {name}, choose one of {}", names.join(", "))
    })
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

    #[test]
    fn splits_are_those_of_the_table() {
        for (name, wanted) in Split::ALL {
            let alone = Alone::try_parse_from(["evaluate", "data", "--split", name]).unwrap();
            assert_eq!(alone.arguments.split, *wanted);
        }
        assert!(Alone::try_parse_from(["evaluate", "data", "--split", "test"]).is_err());
    }
}
