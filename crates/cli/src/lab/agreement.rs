//! `vclean lab agreement`: measures the agreement of two annotations of the same pages.

use super::output;
use crate::{SOME_FAILED, console};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use vclean_lab::evaluate::annotations::{compare, report};
use vclean_lab::gold::TokenUnit;

/// Compare two annotations of the same pages
///
/// Reads two folders with files of the same names. Text files (.txt) are compared by minimum edit
/// distance on words, as Bauer et al. (2007, the system FIASCO) compared their annotators, whose
/// figure is printed too; label files (.json, from vclean lab align --labels) by accuracy and
/// Cohen's kappa. If vclean lab annotate wrote a folder, its labels are compared.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  vclean lab agreement first-annotator/ second-annotator/
  vclean lab agreement gold/annotations/ann gold/annotations/bob    labels of two people, from vclean lab annotate
  vclean lab agreement gold/ gold-merged/ --worst 10 --json agreement.json
  vclean lab agreement labels/words/canola/ labels/dice/canola/")]
pub(crate) struct Arguments {
    /// Folder of the first annotation
    #[arg(value_name = "A")]
    pub(super) one: PathBuf,

    /// Folder of the second annotation
    #[arg(value_name = "B")]
    pub(super) other: PathBuf,

    /// Unit of the edit distance: words or characters [default: characters if most letters are
    /// Chinese or Japanese]
    #[arg(long, value_name = "UNIT", value_parser = unit)]
    pub(super) unit: Option<TokenUnit>,

    /// List the N pages that agree least
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) worst: usize,

    /// Write the figures of all pages as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let compared = compare(&arguments.one, &arguments.other, arguments.unit)?;
    for (file, cause) in &compared.failures {
        console::complain(&format!("{file}: {cause}"));
    }
    let printed = console::print(&[&report(&compared.pages, arguments.worst)]).is_ok();
    output::write_json(arguments.json.as_deref(), &compared.pages)?;
    Ok(if compared.failures.is_empty() && printed {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

/// Parses the name of a unit.
fn unit(name: &str) -> Result<TokenUnit, String> {
    crate::options::named(
        &[
            ("words", TokenUnit::Words),
            ("characters", TokenUnit::Characters),
        ],
        name,
    )
}
