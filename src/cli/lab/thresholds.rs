//! `--floors` and `--pin`: compares figures with those in a file, or writes them to a file.

use crate::cli::console;
use crate::evaluate::thresholds::SetThresholds;
use crate::evaluate::thresholds::{ThresholdFiles, ThresholdOptions};
use clap::Args;
use std::path::{Path, PathBuf};

/// The file that figures are compared with, and the file they are written to.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Floors")]
pub(super) struct ThresholdArguments {
    /// Compare the figures with those in FILE; fail if one is lower by more than the margin given in the file
    #[arg(long, value_name = "FILE")]
    floors: Option<PathBuf>,

    /// Write the figures to FILE as floors for later runs; floors of other sets, splits and models in it stay. Refuses to
    /// lower a floor
    #[arg(long, value_name = "FILE")]
    pin: Option<PathBuf>,

    /// Allow --pin to lower floors, and to use other pages than before
    #[arg(long, requires = "pin")]
    lower: bool,
}

impl ThresholdArguments {
    /// The file that is written.
    pub(super) fn pin(&self) -> Option<&Path> {
        self.pin.as_deref()
    }

    /// The options, for the library.
    pub(super) fn options(&self) -> ThresholdOptions {
        ThresholdOptions { compare: self.floors.clone(), pin: self.pin.clone(), lower: self.lower }
    }
}

/// Prints the figures of all sets and their floors, then pins the figures; returns whether none is below its floor.
pub(super) fn compare_and_pin(floors: ThresholdFiles, measured: &[SetThresholds]) -> anyhow::Result<bool> {
    let mut is_above = true;
    for floor in measured {
        let Some(compared) = floors.compare(floor)? else { continue };
        anyhow::ensure!(console::print(&[&compared.table]).is_ok(), "the floors could not be printed");
        for line in &compared.below {
            console::complain(line);
            is_above = false;
        }
    }
    floors.pin(measured)?;
    Ok(is_above)
}
