//! Regression thresholds: figures that must not fall. They are recorded in a file, compared later,
//! and never lowered silently.
//!
//! A threshold (an entry of `floors` in the file) belongs to one set of pages, split, kind of
//! capture and model.
//! It stores the number of pages and a hash of their names, so that figures of another corpus are
//! refused instead of compared.

use super::PageScore;
use super::summary::Summary;
use super::table::Table;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use thiserror::Error;
use vclean_core::files::{self, FileError};
use vclean_core::hash::Fnv;

/// Names in [`SCORES`](super::summary::SCORES) of the figures that are recorded for a set.
pub(crate) const PINNED: [&str; 4] = ["words", "bag of words", "shingles", "snippets"];
/// How far a figure may be below its threshold, unless the file says otherwise: about the
/// half-width of the bootstrap interval of a set of some hundred pages.
pub(crate) const MARGIN: f64 = 0.01;

/// Regression thresholds cannot be read, compared or recorded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ThresholdsError {
    /// The file cannot be read.
    #[error("cannot read thresholds from {}: {cause}; make the file with vclean lab evaluate `record_thresholds`", path.display())]
    Read {
        /// The file of thresholds.
        path: PathBuf,
        /// The error message of the system or the parser.
        cause: String,
    },
    /// There is no threshold for what was measured.
    #[error(
        "no threshold for {wanted}; the file has {known}; record it with vclean lab evaluate `record_thresholds`"
    )]
    Unknown {
        /// Name of the missing threshold.
        wanted: String,
        /// Names of the thresholds in the file.
        known: String,
    },
    /// The pages are not those of the threshold.
    #[error(
        "the thresholds of {name} were recorded on {recorded_pages} pages (names {recorded_ids}), these are {pages} pages (names \
         {ids}); figures of other pages are not compared: evaluate the same pages, or record these with `lower`"
    )]
    OtherPages {
        /// Name of the threshold.
        name: String,
        /// Pages it was recorded on.
        recorded_pages: usize,
        /// Hash of their names.
        recorded_ids: String,
        /// Number of pages measured now.
        pages: usize,
        /// Hash of their names.
        ids: String,
    },
    /// Recording would lower a threshold.
    #[error("recording would lower {}; give `lower` if that is intended", lowered.join(", "))]
    WouldLower {
        /// Each figure with its threshold and its value now.
        lowered: Vec<String>,
    },
}

/// A file of thresholds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegressionThresholds {
    /// How far a figure may be below its threshold, 0 to 1.
    pub margin: f64,
    /// The thresholds, sorted by what they belong to.
    #[serde(rename = "floors")]
    pub thresholds: Vec<SetThresholds>,
}

impl Default for RegressionThresholds {
    fn default() -> Self {
        Self {
            margin: MARGIN,
            thresholds: Vec::new(),
        }
    }
}

/// The figures of one set under one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SetThresholds {
    /// Name of the set.
    pub set: String,
    /// Name of the split.
    pub split: String,
    /// `static` or `rendered`.
    pub capture: String,
    /// Name of the model that decided.
    pub model: String,
    /// Number of pages measured.
    pub pages: usize,
    /// Hash of their names.
    pub ids: String,
    /// Figures by name, 0 to 1.
    pub figures: BTreeMap<String, f64>,
}

/// One figure beside its threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Name of the figure.
    pub figure: String,
    /// Recorded threshold, 0 to 1.
    pub threshold: f64,
    /// Its value now; `None` if it was not measured.
    pub value: Option<f64>,
    /// True if the value is below its threshold by more than the margin.
    pub is_below: bool,
}

impl SetThresholds {
    /// The [`PINNED`] figures of all pages of a set.
    pub fn from_summary(key: [&str; 4], summary: &Summary, pages: &[PageScore]) -> Self {
        let figures = PINNED
            .iter()
            .filter_map(|&name| Some((name.to_owned(), summary.score(name)?.figure.value)));
        Self::new(
            key,
            pages.iter().map(|page| page.id.as_str()),
            figures.collect(),
        )
    }

    /// Figures of pages with these names; the key is set, split, capture and model.
    pub fn new<'a>(
        key: [&str; 4],
        ids: impl IntoIterator<Item = &'a str>,
        figures: BTreeMap<String, f64>,
    ) -> Self {
        let [set, split, capture, model] = key.map(str::to_owned);
        let mut ids: Vec<&str> = ids.into_iter().collect();
        ids.sort_unstable();
        Self {
            set,
            split,
            capture,
            model,
            pages: ids.len(),
            ids: fingerprint(&ids),
            figures,
        }
    }

    fn key(&self) -> [&str; 4] {
        [&self.set, &self.split, &self.capture, &self.model]
    }

    /// Set, split, capture and model in readable form.
    pub fn name(&self) -> String {
        format!(
            "{} {} ({}, model {})",
            self.set, self.split, self.capture, self.model
        )
    }

    fn check_pages(&self, measured: &Self) -> Result<(), ThresholdsError> {
        if (self.pages, &self.ids) == (measured.pages, &measured.ids) {
            return Ok(());
        }
        Err(ThresholdsError::OtherPages {
            name: self.name(),
            recorded_pages: self.pages,
            recorded_ids: self.ids.clone(),
            pages: measured.pages,
            ids: measured.ids.clone(),
        })
    }
}

impl RegressionThresholds {
    /// Reads a file of thresholds.
    pub fn read(path: &Path) -> Result<Self, ThresholdsError> {
        let fail = |cause: String| ThresholdsError::Read {
            path: path.to_path_buf(),
            cause,
        };
        let bytes = fs::read(path).map_err(|error| fail(error.to_string()))?;
        let thresholds: Self =
            serde_json::from_slice(&bytes).map_err(|error| fail(error.to_string()))?;
        if (0.0..=1.0).contains(&thresholds.margin) {
            Ok(thresholds)
        } else {
            Err(fail(format!(
                "the margin {} is not between 0 and 1",
                thresholds.margin
            )))
        }
    }

    /// The content of the file.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("thresholds have string keys only") + "\n"
    }

    /// Every figure of the thresholds that `measured` belongs to, with its value.
    pub fn compare(&self, measured: &SetThresholds) -> Result<Vec<Comparison>, ThresholdsError> {
        let Some(threshold) = self
            .thresholds
            .iter()
            .find(|threshold| threshold.key() == measured.key())
        else {
            let known: Vec<String> = self.thresholds.iter().map(SetThresholds::name).collect();
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join("; ")
            };
            return Err(ThresholdsError::Unknown {
                wanted: measured.name(),
                known,
            });
        };
        threshold.check_pages(measured)?;
        let beside = |(figure, &threshold): (&String, &f64)| {
            let value = measured.figures.get(figure).copied();
            // A small tolerance, so that a figure exactly on the edge does not depend on rounding.
            let is_below = value.is_none_or(|value| value + self.margin + 1e-9 < threshold);
            Comparison {
                figure: figure.clone(),
                threshold,
                value,
                is_below,
            }
        };
        Ok(threshold.figures.iter().map(beside).collect())
    }

    /// Records what was measured, in four decimals. All figures must be at least their old
    /// thresholds and the pages the same, unless `may_lower`; on an error nothing is changed.
    pub fn pin(
        &mut self,
        mut measured: SetThresholds,
        may_lower: bool,
    ) -> Result<(), ThresholdsError> {
        for value in measured.figures.values_mut() {
            *value = (*value * 1e4).round() / 1e4;
        }
        let place = self
            .thresholds
            .binary_search_by(|threshold| threshold.key().cmp(&measured.key()));
        match place {
            Err(place) => self.thresholds.insert(place, measured),
            Ok(place) => {
                let old = &self.thresholds[place];
                if !may_lower {
                    old.check_pages(&measured)?;
                    let lowered: Vec<String> = old
                        .figures
                        .iter()
                        .filter(|&(figure, threshold)| {
                            measured
                                .figures
                                .get(figure)
                                .is_none_or(|value| value < threshold)
                        })
                        .map(|(figure, threshold)| match measured.figures.get(figure) {
                            Some(value) => {
                                format!("{figure} of {} from {threshold} to {value}", old.name())
                            }
                            None => {
                                format!("{figure} of {} from {threshold} to nothing", old.name())
                            }
                        })
                        .collect();
                    if !lowered.is_empty() {
                        return Err(ThresholdsError::WouldLower { lowered });
                    }
                }
                self.thresholds[place] = measured;
            }
        }
        Ok(())
    }
}

/// Comparisons as a table: one row per figure.
pub fn table(comparisons: &[Comparison]) -> Table {
    let mut table = Table::new(&["threshold", "recorded", "now", "difference", ""]);
    for Comparison {
        figure,
        threshold,
        value,
        is_below,
    } in comparisons
    {
        let verdict = match value {
            _ if *is_below => "below",
            Some(value) if value > threshold => "above",
            _ => "within the margin",
        };
        let now = value.map_or_else(|| "none".to_owned(), |value| format!("{value:.4}"));
        let difference = value
            .map(|value| format!("{:+.4}", value - threshold))
            .unwrap_or_default();
        table.push(vec![
            figure.clone(),
            format!("{threshold:.4}"),
            now,
            difference,
            verdict.to_owned(),
        ]);
    }
    table
}

/// A hash of the names, sixteen digits.
fn fingerprint(ids: &[&str]) -> String {
    let mut hash = Fnv::new();
    ids.iter()
        .flat_map(|id| id.bytes().chain([b'\n']))
        .for_each(|byte| hash.add(byte));
    format!("{:016x}", hash.finish())
}

// Compares figures with those of a file of thresholds, and writes figures to such a file.

/// Which files of thresholds are used, and how.
#[derive(Debug, Clone, Default)]
pub struct ThresholdOptions {
    /// The file that figures are compared with.
    pub compare: Option<PathBuf>,
    /// The file that figures are recorded in.
    pub pin: Option<PathBuf>,
    /// True if recording may lower thresholds.
    pub lower: bool,
}

/// The files, read before the work begins.
#[derive(Debug)]
pub struct ThresholdFiles {
    options: ThresholdOptions,
    compared: Option<RegressionThresholds>,
    pinned: Option<RegressionThresholds>,
}

/// The figures of one set and their thresholds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedSet {
    /// All figures, for the terminal.
    pub table: String,
    /// One line per figure that is below its threshold.
    pub below: Vec<String>,
}

/// Regression thresholds cannot be read, compared, recorded or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThresholdFileError {
    /// The figures cannot be compared with the thresholds or recorded.
    #[error(transparent)]
    RegressionThresholds(#[from] ThresholdsError),
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

impl ThresholdFiles {
    /// Reads the file to compare with, and the file to record in, if it exists.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn read(options: ThresholdOptions) -> Result<Self, ThresholdsError> {
        let compared = options
            .compare
            .as_deref()
            .map(RegressionThresholds::read)
            .transpose()?;
        let pinned = match options.pin.as_deref() {
            Some(path) if path.exists() => Some(RegressionThresholds::read(path)?),
            Some(_) => Some(RegressionThresholds::default()),
            None => None,
        };
        Ok(Self {
            options,
            compared,
            pinned,
        })
    }

    /// Compares the figures of a set with their thresholds; `None` if no file was named.
    ///
    /// # Errors
    /// If there is no threshold for the set, or it was recorded on other pages.
    pub fn compare(
        &self,
        measured: &SetThresholds,
    ) -> Result<Option<ComparedSet>, ThresholdsError> {
        let Some(thresholds) = &self.compared else {
            return Ok(None);
        };
        let (name, figures) = (measured.name(), thresholds.compare(measured)?);
        let below = figures
            .iter()
            .filter(|figure| figure.is_below)
            .map(|figure| {
                let now = figure
                    .value
                    .map_or_else(|| "not measured".to_owned(), |value| format!("{value:.4}"));
                format!(
                    "{name}: {} is {now}, its threshold {:.4}",
                    figure.figure, figure.threshold
                )
            });
        let table = format!(
            "{name}, margin {}\n{}\n",
            thresholds.margin,
            table(&figures).to_text()
        );
        Ok(Some(ComparedSet {
            below: below.collect(),
            table,
        }))
    }

    /// Writes figures to the file that they are recorded in; writes nothing if those of one set
    /// cannot be recorded.
    ///
    /// # Errors
    /// If a threshold would be lowered or the pages differ, and `lower` is not set; or if the file
    /// cannot be written.
    pub fn pin(self, measured: &[SetThresholds]) -> Result<(), ThresholdFileError> {
        if let (Some(mut thresholds), Some(path)) = (self.pinned, &self.options.pin) {
            for threshold in measured {
                thresholds.pin(threshold.clone(), self.options.lower)?;
            }
            files::write_whole(path, thresholds.to_json().as_bytes())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const KEY: [&str; 4] = ["set", "dev", "static", "model"];

    fn measured(ids: &[&str], words: f64) -> SetThresholds {
        SetThresholds::new(
            KEY,
            ids.iter().copied(),
            BTreeMap::from([("words".to_owned(), words)]),
        )
    }

    fn pinned() -> RegressionThresholds {
        let mut thresholds = RegressionThresholds::default();
        thresholds.pin(measured(&["a", "b"], 0.9), false).unwrap();
        thresholds
    }

    #[test]
    fn a_figure_may_be_a_margin_below_its_threshold() {
        let thresholds = pinned();
        for (value, is_below) in [(0.95, false), (0.9, false), (0.89, false), (0.889, true)] {
            let found = thresholds.compare(&measured(&["b", "a"], value)).unwrap();
            assert_eq!((found.len(), found[0].is_below), (1, is_below), "{value}");
        }
        let mut nothing = measured(&["a", "b"], 0.9);
        nothing.figures.clear();
        assert!(
            thresholds.compare(&nothing).unwrap()[0].is_below,
            "a missing figure is below"
        );
        let text = table(&thresholds.compare(&measured(&["a", "b"], 0.95)).unwrap()).to_text();
        assert!(
            text.contains("0.9000  0.9500     +0.0500") && text.contains("above"),
            "{text}"
        );
    }

    #[test]
    fn another_corpus_is_refused_by_name() {
        let mut thresholds = pinned();
        for ids in [&["a", "c"][..], &["a"], &["a", "b", "c"]] {
            let error = thresholds
                .compare(&measured(ids, 0.9))
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("set dev (static, model model) were recorded on 2 pages"),
                "{error}"
            );
            assert!(thresholds.pin(measured(ids, 1.0), false).is_err());
        }
        let other = SetThresholds {
            model: "other".into(),
            ..measured(&["a", "b"], 0.9)
        };
        let error = thresholds.compare(&other).unwrap_err().to_string();
        assert!(
            error.contains("no threshold for set dev (static, model other)"),
            "{error}"
        );
    }

    #[test]
    fn a_threshold_is_lowered_only_on_demand() {
        let mut thresholds = pinned();
        thresholds.pin(measured(&["a", "b"], 0.92), false).unwrap();
        let before = thresholds.clone();
        let error = thresholds
            .pin(measured(&["a", "b"], 0.91), false)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("words of set dev (static, model model) from 0.92 to 0.91"),
            "{error}"
        );
        assert_eq!(thresholds, before);
        thresholds.pin(measured(&["a", "b"], 0.91), true).unwrap();
        assert_eq!(thresholds.thresholds[0].figures["words"], 0.91);
    }

    #[test]
    fn a_file_is_read_back_unchanged_and_a_bad_one_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("thresholds.json");
        let error = RegressionThresholds::read(&path).unwrap_err().to_string();
        assert!(
            error.contains("thresholds.json") && error.contains("`record_thresholds`"),
            "{error}"
        );
        fs::write(&path, pinned().to_json()).unwrap();
        assert_eq!(RegressionThresholds::read(&path).unwrap(), pinned());
        fs::write(&path, r#"{"margin": 2, "floors": []}"#).unwrap();
        assert!(
            RegressionThresholds::read(&path)
                .unwrap_err()
                .to_string()
                .contains("margin 2")
        );
    }

    #[test]
    fn fingerprints_are_those_of_fnv() {
        // The empty input gives the offset basis.
        assert_eq!(fingerprint(&[]), "cbf29ce484222325");
        assert_ne!(fingerprint(&["ab", "c"]), fingerprint(&["a", "bc"]));
    }

    #[test]
    fn figures_are_compared_with_pinned_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("thresholds.json");
        let figures = |words: f64| {
            let figures = BTreeMap::from([("words".to_owned(), words)]);
            SetThresholds::new(["set", "dev", "static", "model"], ["a"], figures)
        };
        let pin = ThresholdOptions {
            pin: Some(path.clone()),
            ..ThresholdOptions::default()
        };
        ThresholdFiles::read(pin.clone())
            .unwrap()
            .pin(&[figures(0.9)])
            .unwrap();
        let lowered = ThresholdFiles::read(pin)
            .unwrap()
            .pin(&[figures(0.8)])
            .unwrap_err()
            .to_string();
        assert!(lowered.contains("give `lower`"), "{lowered}");
        let files = ThresholdFiles::read(ThresholdOptions {
            compare: Some(path),
            ..ThresholdOptions::default()
        })
        .unwrap();
        assert!(
            files
                .compare(&figures(0.9))
                .unwrap()
                .unwrap()
                .below
                .is_empty()
        );
        let below = files.compare(&figures(0.8)).unwrap().unwrap().below;
        assert_eq!(
            below,
            ["set dev (static, model model): words is 0.8000, its threshold 0.9000"]
        );
        assert!(
            ThresholdFiles::read(ThresholdOptions::default())
                .unwrap()
                .compare(&figures(0.1))
                .unwrap()
                .is_none()
        );
    }
}
