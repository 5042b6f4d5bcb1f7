//! `--thresholds` and `--record-thresholds`: compares figures with those in a file, or writes them
//! to a file.

use crate::console;
use clap::Args;
use std::path::{Path, PathBuf};
use vclean_lab::evaluate::thresholds::SetThresholds;
use vclean_lab::evaluate::thresholds::{ThresholdFiles, ThresholdOptions};

/// The file that figures are compared with, and the file they are written to.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Regression thresholds")]
pub(super) struct ThresholdArguments {
    /// Compare the figures with those in FILE; fail if one is lower by more than the margin given
    /// in the file
    #[arg(long, value_name = "FILE")]
    thresholds: Option<PathBuf>,

    /// Write the figures to FILE as thresholds for later runs; those of other sets, splits and
    /// models in it stay. Refuses to lower a threshold
    #[arg(long, value_name = "FILE")]
    record_thresholds: Option<PathBuf>,

    /// Allow --record-thresholds to lower thresholds, and to use other pages than before
    #[arg(long, requires = "record_thresholds")]
    lower: bool,
}

impl ThresholdArguments {
    /// The file that is written.
    pub(super) fn recorded(&self) -> Option<&Path> {
        self.record_thresholds.as_deref()
    }

    /// The options, for the library.
    pub(super) fn options(&self) -> ThresholdOptions {
        let (compare, pin) = (self.thresholds.clone(), self.record_thresholds.clone());
        ThresholdOptions {
            compare,
            pin,
            lower: self.lower,
        }
    }
}

/// Prints the figures of all sets and their thresholds, then records the figures; returns whether
/// none is below its threshold.
pub(super) fn compare_and_record(
    thresholds: ThresholdFiles,
    measured: &[SetThresholds],
) -> anyhow::Result<bool> {
    let mut is_above = true;
    for figures in measured {
        let Some(compared) = thresholds.compare(figures)? else {
            continue;
        };
        anyhow::ensure!(
            console::print(&[&compared.table]).is_ok(),
            "the thresholds could not be printed"
        );
        for line in &compared.below {
            console::complain(line);
            is_above = false;
        }
    }
    thresholds.pin(measured)?;
    Ok(is_above)
}
