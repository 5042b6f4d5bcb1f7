//! Compares figures with those of a file of floors, and writes figures to such a file.

use super::floors::{Floor, Floors, FloorsError, table};
use crate::files::{self, FileError};
use std::path::PathBuf;

/// Which files of floors are used, and how.
#[derive(Debug, Clone, Default)]
pub struct FloorOptions {
    /// The file that figures are compared with.
    pub compare: Option<PathBuf>,
    /// The file that figures are pinned in.
    pub pin: Option<PathBuf>,
    /// Whether floors may be lowered by pinning.
    pub lower: bool,
}

/// The files, read before the work begins.
#[derive(Debug)]
pub struct FloorFiles {
    options: FloorOptions,
    compared: Option<Floors>,
    pinned: Option<Floors>,
}

/// The figures of one set and their floors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedFloor {
    /// All figures, for the terminal.
    pub table: String,
    /// One line per figure that is below its floor.
    pub below: Vec<String>,
}

/// Floors cannot be read, compared, pinned or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FloorFileError {
    /// The figures cannot be compared with the floors or pinned.
    #[error(transparent)]
    Floors(#[from] FloorsError),
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl FloorFiles {
    /// Reads the file to compare with, and the file to pin in, if it exists.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn read(options: FloorOptions) -> Result<Self, FloorsError> {
        let compared = options.compare.as_deref().map(Floors::read).transpose()?;
        let pinned = match options.pin.as_deref() {
            Some(path) if path.exists() => Some(Floors::read(path)?),
            Some(_) => Some(Floors::default()),
            None => None,
        };
        Ok(Self { options, compared, pinned })
    }

    /// Compares the figures of a set with their floors; `None` if no file was named.
    ///
    /// # Errors
    /// If there is no floor for the set, or it was pinned on other pages.
    pub fn compare(&self, measured: &Floor) -> Result<Option<ComparedFloor>, FloorsError> {
        let Some(floors) = &self.compared else { return Ok(None) };
        let (name, figures) = (measured.name(), floors.compare(measured)?);
        let below = figures.iter().filter(|figure| figure.is_below).map(|figure| {
            let now = figure.value.map_or_else(|| "not measured".to_owned(), |value| format!("{value:.4}"));
            format!("{name}: {} is {now}, its floor {:.4}", figure.figure, figure.floor)
        });
        let table = format!("{name}, margin {}\n{}\n", floors.margin, table(&figures).to_text());
        Ok(Some(ComparedFloor { below: below.collect(), table }))
    }

    /// Writes figures to the file that they are pinned in; writes nothing if those of one set cannot be pinned.
    ///
    /// # Errors
    /// If a floor would be lowered or the pages differ, and `lower` is not set; or if the file cannot be written.
    pub fn pin(self, measured: &[Floor]) -> Result<(), FloorFileError> {
        if let (Some(mut floors), Some(path)) = (self.pinned, &self.options.pin) {
            for floor in measured {
                floors.pin(floor.clone(), self.options.lower)?;
            }
            files::write_whole(path, floors.to_json().as_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn figures_are_compared_with_pinned_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("floors.json");
        let figures = |words: f64| {
            let figures = BTreeMap::from([("words".to_owned(), words)]);
            Floor::new(["set", "dev", "static", "model"], ["a"], figures)
        };
        let pin = FloorOptions { pin: Some(path.clone()), ..FloorOptions::default() };
        FloorFiles::read(pin.clone()).unwrap().pin(&[figures(0.9)]).unwrap();
        let lowered = FloorFiles::read(pin).unwrap().pin(&[figures(0.8)]).unwrap_err().to_string();
        assert!(lowered.contains("give `lower`"), "{lowered}");
        let files = FloorFiles::read(FloorOptions { compare: Some(path), ..FloorOptions::default() }).unwrap();
        assert!(files.compare(&figures(0.9)).unwrap().unwrap().below.is_empty());
        let below = files.compare(&figures(0.8)).unwrap().unwrap().below;
        assert_eq!(below, ["set dev (static, model model): words is 0.8000, its floor 0.9000"]);
        assert!(FloorFiles::read(FloorOptions::default()).unwrap().compare(&figures(0.1)).unwrap().is_none());
    }
}
