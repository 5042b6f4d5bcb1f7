//! `--floors` and `--pin`: figures held against those of a file, or written to it.

use crate::cli::console;
use crate::evaluate::Floors;
use crate::evaluate::floors::{Floor, table};
use crate::files;
use clap::Args;
use std::path::PathBuf;

/// Floors to hold figures against, and where to pin them.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Floors")]
pub(in crate::cli) struct FloorArguments {
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

/// The files, read before the work begins.
pub(super) struct FloorFiles<'a> {
    arguments: &'a FloorArguments,
    compared: Option<Floors>,
    pinned: Option<Floors>,
}

impl<'a> FloorFiles<'a> {
    /// Reads the file to compare with, and that to pin in if it is there.
    pub(super) fn read(arguments: &'a FloorArguments) -> anyhow::Result<Self> {
        let compared = arguments.floors.as_deref().map(Floors::read).transpose()?;
        let pinned = match arguments.pin.as_deref() {
            Some(path) if path.exists() => Some(Floors::read(path)?),
            Some(_) => Some(Floors::default()),
            None => None,
        };
        Ok(Self { arguments, compared, pinned })
    }

    /// Prints figures beside their floors, then pins them; whether none lies below. Nothing is pinned if one set cannot.
    pub(super) fn settle(self, measured: &[Floor]) -> anyhow::Result<bool> {
        let mut is_above = true;
        if let Some(floors) = &self.compared {
            for floor in measured {
                let found = floors.compare(floor)?;
                let text = format!("{}, margin {}\n{}\n", floor.name(), floors.margin, table(&found).to_text());
                anyhow::ensure!(console::print(&[&text]).is_ok(), "the floors could not be printed");
                for figure in found.iter().filter(|figure| figure.is_below) {
                    is_above = false;
                    let now = figure.value.map_or_else(|| "not measured".to_owned(), |value| format!("{value:.4}"));
                    console::complain(&format!(
                        "{}: {} is {now}, its floor {:.4}",
                        floor.name(),
                        figure.figure,
                        figure.floor
                    ));
                }
            }
        }
        if let (Some(mut floors), Some(path)) = (self.pinned, &self.arguments.pin) {
            for floor in measured {
                floors.pin(floor.clone(), self.arguments.lower)?;
            }
            files::write_whole(path, floors.to_json().as_bytes())?;
        }
        Ok(is_above)
    }
}
