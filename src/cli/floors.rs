//! `--floors` and `--pin`: figures held against those of a file, or written to it.

use super::console;
use crate::evaluate::floor_files::{FloorFiles, FloorOptions};
use crate::evaluate::floors::Floor;
use clap::Args;
use std::path::PathBuf;

/// Floors to hold figures against, and where to pin them.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Floors")]
pub(super) struct FloorArguments {
    /// Compare the figures with those pinned in FILE; fail when one is more than the file's margin below
    #[arg(long, value_name = "FILE")]
    floors: Option<PathBuf>,

    /// Pin the figures in FILE, beside those of other sets, splits and models; refuses to lower one
    #[arg(long, value_name = "FILE")]
    pin: Option<PathBuf>,

    /// Let --pin lower floors, and take other pages than those pinned before
    #[arg(long, requires = "pin")]
    lower: bool,
}

impl FloorArguments {
    /// As the library takes them.
    pub(super) fn options(&self) -> FloorOptions {
        FloorOptions { compare: self.floors.clone(), pin: self.pin.clone(), lower: self.lower }
    }
}

/// Prints the figures of all sets beside their floors, then pins them; whether none is below its floor.
pub(super) fn compare_and_pin(floors: FloorFiles, measured: &[Floor]) -> anyhow::Result<bool> {
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
