//! Measures a model on data sets: cleans every page, compares it with its gold and sums up. The
//! output of `vclean lab evaluate`.

use super::earlier::{Change, Earlier};
use super::measured::{Measured, measure};
use super::reliability::{ReliabilityBin, calibration_error, reliability};
use super::report::{Report, worst_pages};
use super::summary::{MacroScore, Summary, macro_scores};
use super::table::Table;
use super::thresholds::SetThresholds;
use super::{BlockScore, PageScore};
use crate::gold::read::measured_rows;
use crate::gold::{Alignment, Capturing, Progress, each_page};
use serde::Serialize;
use std::collections::BTreeSet;
use vclean_core::capture::Engine;
use vclean_core::error::DataError;
use vclean_core::pipeline::PageCleaner;
use vclean_run::source::{DataSet, Row, Split};

/// Seed of the bootstrap.
pub(crate) const SEED: u64 = 1;

/// How data sets are measured.
pub struct EvaluateOptions<'a> {
    /// Split whose pages are measured.
    pub split: Split,
    /// Where their captures come from.
    pub capturing: &'a Capturing,
    /// How gold is aligned with blocks.
    pub alignment: Alignment,
    /// Cleaner that is measured.
    pub cleaner: &'a PageCleaner,
    /// Its name in reports.
    pub system: &'a str,
}

/// All figures of one set.
#[derive(Serialize)]
pub struct EvaluatedSet<'a> {
    /// Data set that was measured.
    #[serde(skip)]
    pub set: &'a DataSet,
    /// Its pages that were measured.
    #[serde(skip)]
    pub rows: Vec<&'a Row>,
    /// Number of pages that could not be cleaned; each was reported to `progress`.
    #[serde(skip)]
    pub failed: usize,
    /// Names of the models that were used.
    pub models: BTreeSet<String>,
    /// Scores of the model.
    #[serde(flatten)]
    pub report: Report,
    /// Scores of keeping everything; as JSON without its pages.
    #[serde(serialize_with = "summaries_only")]
    pub everything: Report,
    /// Blocks whose gold label is known.
    pub blocks: BlockScore,
    /// Blocks of the pages whose readers' comments the gold tells apart, with comments as the
    /// positive class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<BlockScore>,
    /// Expected calibration error of their probabilities.
    pub calibration_error: f64,
    /// Their probabilities in ten bins, each with its share of content.
    pub bins: [ReliabilityBin; 10],
    /// Changes since an earlier evaluation, if one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
}

fn summaries_only<S: serde::Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
    report.summaries.serialize(serializer)
}

/// Figures of several sets, in the form they are written to a file.
#[derive(Serialize)]
pub struct EvaluatedSets<'a> {
    /// Figures of each set.
    pub sets: &'a [EvaluatedSet<'a>],
    /// Means of the sets' figures; empty for one set.
    pub means: Vec<MacroScore>,
}

/// Checks that each set has pages of the split, and gold for all of them.
///
/// # Errors
/// If one of them does not.
pub fn check_sets(sets: &[DataSet], split: Split) -> Result<(), DataError> {
    sets.iter()
        .try_for_each(|set| measured_rows(set, split).map(drop))
}

/// Cleans the pages of a set and measures the output.
///
/// # Errors
/// If gold is missing or cannot be read. A page that cannot be cleaned counts as one without
/// output.
pub fn evaluate_set<'a>(
    set: &'a DataSet,
    options: &EvaluateOptions<'_>,
    progress: &dyn Progress,
) -> Result<EvaluatedSet<'a>, DataError> {
    let rows = measured_rows(set, options.split)?;
    let measured: Vec<Measured> =
        each_page::<_, Result<_, DataError>>(set, &rows, progress, |row| {
            measure(
                set,
                row,
                options.capturing,
                options.alignment,
                options.cleaner,
            )
        })?;
    let mut failed = 0;
    for (row, page) in rows.iter().zip(&measured) {
        if let Some(cause) = &page.failure {
            progress.page_failed(&set.name, &row.id, &cause.to_string());
            failed += 1;
        }
    }
    Ok(EvaluatedSet {
        failed,
        ..sum_up(set, rows, options.system, measured)
    })
}

fn sum_up<'a>(
    set: &'a DataSet,
    rows: Vec<&'a Row>,
    system: &str,
    measured: Vec<Measured>,
) -> EvaluatedSet<'a> {
    let blocks = measured
        .iter()
        .fold(BlockScore::default(), |sum, page| sum.plus(page.blocks));
    let comments = measured
        .iter()
        .filter_map(|page| page.comments)
        .reduce(BlockScore::plus);
    let probabilities: Vec<f32> = measured
        .iter()
        .flat_map(|page| page.probabilities.iter().copied())
        .collect();
    let is_content: Vec<bool> = measured
        .iter()
        .flat_map(|page| page.is_content.iter().copied())
        .collect();
    let models = measured
        .iter()
        .filter_map(|page| page.model.clone())
        .collect();
    let (scores, everything): (Vec<PageScore>, Vec<PageScore>) = measured
        .into_iter()
        .map(|page| (page.score, page.everything))
        .unzip();
    EvaluatedSet {
        set,
        rows,
        failed: 0,
        models,
        report: Report::new(&set.name, system, scores, SEED),
        everything: Report::new(&set.name, "everything", everything, SEED),
        blocks,
        comments,
        calibration_error: calibration_error(&probabilities, &is_content),
        bins: reliability(&probabilities, &is_content),
        change: None,
    }
}

/// Means of the sets' figures, if there is more than one set.
pub fn set_means(evaluated: &[EvaluatedSet<'_>]) -> Vec<MacroScore> {
    let all: Vec<&Summary> = evaluated.iter().map(|set| set.report.all()).collect();
    if all.len() > 1 {
        macro_scores(&all)
    } else {
        Vec::new()
    }
}

impl EvaluatedSet<'_> {
    /// Its figures, for comparison with those pinned before.
    pub fn set_thresholds(&self, split: Split, engine: Engine) -> SetThresholds {
        let capture = match engine {
            Engine::Parser => "static",
            Engine::Builtin => "rendered-builtin",
            Engine::Chromium => "rendered",
        };
        let models: Vec<&str> = self.models.iter().map(String::as_str).collect();
        let model = models.join("+");
        let key = [self.report.set.as_str(), split.name(), capture, &model];
        SetThresholds::from_summary(key, self.report.all(), &self.report.pages)
    }

    /// Compares its pages with those of an earlier evaluation.
    pub fn compare_with(&mut self, earlier: &Earlier) {
        self.change = Some(earlier.change(&self.report, SEED));
    }

    /// The table of its blocks, with a row for readers' comments where the gold tells them apart.
    fn blocks_table(&self) -> Table {
        let mut table = blocks_table(self.blocks, self.calibration_error);
        if let Some(comments) = self.comments {
            let mut row = vec!["readers' comments, by block".to_owned()];
            row.extend(comments.cells(3));
            row.push(String::new());
            table.push(row);
        }
        table
    }

    /// All tables, with the `worst` pages with the lowest F.
    pub fn to_text(&self, worst: usize) -> String {
        let change = self
            .change
            .as_ref()
            .map(|change| format!("\n{}", change.table().to_text()));
        let worst =
            worst_pages(&self.report.pages, worst).map(|pages| format!("\n{}", pages.to_text()));
        format!(
            "{}\n{}\nkeeping everything\n{}{}{}\n",
            self.report.to_text(),
            self.blocks_table().to_text(),
            self.everything.groups_table().to_text(),
            change.unwrap_or_default(),
            worst.unwrap_or_default()
        )
    }
}

/// Blocks, accuracy, precision, recall, F and calibration error, in one row.
pub(crate) fn blocks_table(blocks: BlockScore, calibration_error: f64) -> Table {
    let mut table = Table::new(
        &[
            &["content"][..],
            &BlockScore::COLUMNS,
            &["calibration error"],
        ]
        .concat(),
    );
    let mut row = vec!["by block".to_owned()];
    row.extend(blocks.cells(3));
    row.push(format!("{calibration_error:.4}"));
    table.push(row);
    table
}
