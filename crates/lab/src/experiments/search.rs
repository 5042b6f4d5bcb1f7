//! Searches for the parameters of a classifier on data sets, from pages to finished grids: the work
//! of `vclean lab tune`.

use super::grid::{Grid, Range, rivals};
use super::search_journal::{JournalError, SearchJournal};
use super::tune::{Point, TuneRows, best, tune};
use crate::evaluate::Table;
use crate::gold::{Alignment, Capturing, Progress};
use crate::train::TrainError;
use crate::train::gathering::{choose_columns, gather_training_pages};
use crate::train::{Classifier, ExampleOptions, SampleOptions, TrainingPage};
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use vclean_core::error::ModelError;
use vclean_core::target::TargetRule;
use vclean_run::source::DataSet;

/// Options of a search.
#[derive(Debug, Clone)]
pub struct SearchOptions {
    /// Options on which the points depend besides the pages; a journal belongs to this search if it
    /// has the same description.
    pub description: String,
    /// The file for finished points.
    pub journal: PathBuf,
    /// Set if the points of an earlier run are discarded.
    pub is_fresh: bool,
    /// How gold is aligned with targets.
    pub alignment: Alignment,
    /// How targets are selected.
    pub targets: TargetRule,
    /// The feature groups that are used; empty for all that the pages have.
    pub groups: Vec<String>,
    /// Rows that points are measured on.
    pub sample: SampleOptions,
    /// Number of folds by site.
    pub folds: u8,
    /// Seed of the folds.
    pub seed: u64,
}

/// A grid with its points, for the JSON file.
#[derive(Debug, Serialize)]
pub struct GridResult {
    /// Name of the classifier.
    pub name: &'static str,
    /// Classifier and its varied parameters.
    #[serde(flatten)]
    pub grid: Grid,
    /// All points, in the grid's order.
    pub points: Vec<Point>,
    /// Best point; `None` without points.
    pub best: Option<Point>,
}

/// All grids of a search, for the JSON file.
#[derive(Debug, Serialize)]
pub struct SearchResult {
    /// [`SearchOptions::description`].
    pub options: String,
    /// Pages that rows were drawn from.
    pub pages: usize,
    /// Rows that points were measured on.
    pub rows: usize,
    /// Number of folds by site.
    pub folds: u8,
    /// One for each grid.
    #[serde(rename = "surfaces")]
    pub grids: Vec<GridResult>,
    /// Number of pages that could not be used; each was reported to `progress`.
    #[serde(skip)]
    pub failed: usize,
}

/// A search cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// There are no rows to search on.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A classifier cannot be fitted.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// The grids of a search: that of `classifier` over `ranges`, or its default one without the
/// parameters in `fixed`; then, with `rivals_too`, the coarse grids of all other classifiers.
///
/// # Errors
/// If a grid cannot be searched.
pub fn grids(
    classifier: Classifier,
    fixed: &[&str],
    ranges: &[Range],
    rivals_too: bool,
    seed: u64,
) -> Result<Vec<Grid>, ModelError> {
    let own = if ranges.is_empty() {
        Grid::usual(classifier, fixed, false)
    } else {
        Grid {
            classifier,
            ranges: ranges.to_vec(),
        }
    };
    let mut grids = vec![own];
    if rivals_too {
        grids.extend(
            rivals(seed)
                .into_iter()
                .filter(|rival| rival.classifier.name() != classifier.name()),
        );
    }
    grids.iter().try_for_each(Grid::check)?;
    Ok(grids)
}

/// Searches all grids on the training pages of `sets`. Points in the journal are not measured
/// again.
///
/// # Errors
/// If the journal belongs to another search, or there is no training page.
pub fn search(
    sets: &[DataSet],
    capturing: &Capturing,
    grids: Vec<Grid>,
    options: &SearchOptions,
    progress: &dyn Progress,
) -> Result<SearchResult, SearchError> {
    let examples = ExampleOptions {
        targets: options.targets,
        alignment: options.alignment,
        ..ExampleOptions::default()
    };
    let mut gathered = gather_training_pages(sets, capturing, examples, 1.0, progress)?;
    choose_columns(&mut gathered.examples, &options.groups)?;
    let pages: Vec<&TrainingPage> = gathered
        .examples
        .iter()
        .map(|example| &example.page)
        .collect();
    let rows = TuneRows::draw(
        &pages,
        &options.sample,
        usize::from(options.folds),
        options.seed,
    )?;
    let description = &options.description;
    let journal = SearchJournal::open(
        options.journal.clone(),
        description,
        &rows.fingerprint(),
        options.is_fresh,
    )?;
    let mut results = Vec::new();
    for (number, grid) in grids.into_iter().enumerate() {
        let name = grid.classifier.name();
        let known = journal.known(number);
        progress.begin(name, grid.points().len());
        progress.advance(known.len());
        let finished = |point: &Point| {
            progress.advance(1);
            journal.add(number, point).map_err(SearchError::from)
        };
        let points = tune::<SearchError>(&rows, &grid, &known, &finished)?;
        progress.end();
        results.push(GridResult {
            name,
            best: best(&points).cloned(),
            grid,
            points,
        });
    }
    Ok(SearchResult {
        options: description.clone(),
        pages: pages.len(),
        rows: rows.count(),
        folds: options.folds,
        grids: results,
        failed: gathered.failed,
    })
}

impl SearchResult {
    /// The table of the first grid, the best points of the others, the best of the first last.
    pub fn to_text(&self) -> String {
        let best_of = |result: &GridResult| {
            result
                .best
                .as_ref()
                .map(|point| line(&result.grid, point) + "\n")
        };
        let first = self.grids.first();
        let mut text = first
            .map(|result| table(&result.grid, &result.points).to_text())
            .unwrap_or_default();
        text.extend(self.grids.iter().skip(1).filter_map(best_of));
        text.extend(first.and_then(best_of));
        text
    }
}

// The results of a grid search as a table, and as a heat map in SVG.

/// Accuracy in percent: one row per value of the second parameter, if there is one; one column per
/// value of the first.
pub fn table(grid: &Grid, points: &[Point]) -> Table {
    let first = &grid.ranges[0];
    let head = grid
        .ranges
        .get(1)
        .map_or("", |second| second.parameter.as_str());
    let names: Vec<String> = std::iter::once(head.to_owned())
        .chain(
            first
                .values
                .iter()
                .map(|value| format!("{} {}", first.parameter, short(*value))),
        )
        .collect();
    let mut table = Table::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for other in others(grid) {
        let mut cells = vec![other.map_or_else(|| "accuracy".to_owned(), short)];
        cells.extend(first.values.iter().map(|&value| {
            find(points, value, other).map_or_else(String::new, |point| {
                format!("{:.2}", 100.0 * point.accuracy)
            })
        }));
        table.push(cells);
    }
    table
}

/// One line: the parameters of a point and its figures.
pub fn line(grid: &Grid, point: &Point) -> String {
    let parameters: Vec<String> = grid
        .ranges
        .iter()
        .zip(&point.values)
        .map(|(range, value)| format!("--{} {value}", range.parameter))
        .collect();
    let Point {
        accuracy,
        precision,
        recall,
        f1,
        ..
    } = point;
    format!(
        "{} {}: accuracy {accuracy:.4}, content P {precision:.4} R {recall:.4} F {f1:.4}",
        grid.classifier.name(),
        parameters.join(" ")
    )
}

/// Values of the second range, or one `None`.
fn others(grid: &Grid) -> Vec<Option<f64>> {
    grid.ranges.get(1).map_or_else(
        || vec![None],
        |range| range.values.iter().copied().map(Some).collect(),
    )
}

fn find(points: &[Point], first: f64, second: Option<f64>) -> Option<&Point> {
    points
        .iter()
        .find(|point| point.values[0] == first && point.values.get(1).copied() == second)
}

/// A short form of a value: powers of two below 1/8 are shown by their exponent.
fn short(value: f64) -> String {
    let exponent = value.log2();
    if value > 0.0 && exponent.fract() == 0.0 && exponent < -3.0 {
        format!("2^{exponent}")
    } else {
        format!("{value}")
    }
}

/// Width and height of a cell, and the margin for labels, in CSS px.
const CELL: (usize, usize) = (64, 32);
const MARGIN: usize = 72;
/// Accuracies this far or further below the best have the darkest color, because such points are
/// not interesting.
const SPREAD: f64 = 0.1;

/// Dark blue over green to yellow: the order is visible to color-blind readers too. Five steps of
/// viridis (Smith and van der Walt 2015).
const COLORS: [[f64; 3]; 5] = [
    [68.0, 1.0, 84.0],
    [59.0, 82.0, 139.0],
    [33.0, 145.0, 140.0],
    [94.0, 201.0, 98.0],
    [253.0, 231.0, 37.0],
];

fn color(share: f64) -> String {
    let place = share.clamp(0.0, 1.0) * (COLORS.len() - 1) as f64;
    let step = (place as usize).min(COLORS.len() - 2);
    let mix = |at: usize| {
        COLORS[step][at] + (place - step as f64) * (COLORS[step + 1][at] - COLORS[step][at])
    };
    format!("rgb({:.0},{:.0},{:.0})", mix(0), mix(1), mix(2))
}

/// The points as a heat map: the first parameter to the right, the second upwards, the best point
/// with a frame.
pub fn svg(grid: &Grid, points: &[Point]) -> String {
    let (columns, rows) = (&grid.ranges[0].values, others(grid));
    let (width, height) = (
        MARGIN + CELL.0 * columns.len() + 16,
        32 + CELL.1 * rows.len() + MARGIN,
    );
    let winner = best(points);
    let (top, low) = winner.map_or((1.0, 0.0), |best| {
        let least = points
            .iter()
            .map(|point| point.accuracy)
            .fold(best.accuracy, f64::min);
        (best.accuracy, least.max(best.accuracy - SPREAD))
    });
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"20\">{}: accuracy on held-out sites, %</text>\n",
        width / 2,
        grid.classifier.name()
    );
    // Writing to a string cannot fail.
    let mut text = |x: usize, y: usize, fill: &str, words: &str| {
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" fill=\"{fill}\">{words}</text>"
        );
    };
    let bottom = 32 + CELL.1 * rows.len();
    text(
        MARGIN + CELL.0 * columns.len() / 2,
        bottom + 44,
        "black",
        &grid.ranges[0].parameter,
    );
    if let Some(range) = grid.ranges.get(1) {
        text(MARGIN / 2, 28, "black", &range.parameter);
    }
    for (column, value) in columns.iter().enumerate() {
        text(
            MARGIN + CELL.0 * column + CELL.0 / 2,
            bottom + 20,
            "black",
            &short(*value),
        );
    }
    for (row, other) in rows.iter().enumerate() {
        let y = bottom - CELL.1 * (row + 1);
        if let Some(other) = other {
            text(MARGIN / 2, y + 20, "black", &short(*other));
        }
    }
    for (row, other) in rows.iter().enumerate() {
        for (column, &value) in columns.iter().enumerate() {
            let Some(point) = find(points, value, *other) else {
                continue;
            };
            let (x, y) = (MARGIN + CELL.0 * column, bottom - CELL.1 * (row + 1));
            let share = if top > low {
                (point.accuracy - low) / (top - low)
            } else {
                1.0
            };
            let frame = if winner == Some(point) {
                " stroke=\"black\" stroke-width=\"3\""
            } else {
                ""
            };
            let ink = if share > 0.5 { "black" } else { "white" };
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{}\"{frame}/>\n\
                 <text x=\"{}\" y=\"{}\" fill=\"{ink}\">{:.1}</text>",
                CELL.0,
                CELL.1,
                color(share),
                x + CELL.0 / 2,
                y + 20,
                100.0 * point.accuracy
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fitting::SvmOptions;
    use crate::train::Classifier;

    fn searched() -> (Grid, Vec<Point>) {
        let grid = Grid::usual(Classifier::Svm(SvmOptions::default()), &[], true);
        let point = |values: Vec<f64>| {
            let accuracy =
                0.9 - 0.01 * (values[0].log2() - 1.0).abs() - 0.01 * (values[1].log2() + 4.0).abs();
            Point {
                values,
                accuracy,
                precision: 0.8,
                recall: 0.7,
                f1: 0.75,
                of_folds: vec![accuracy],
            }
        };
        let points = grid.points().into_iter().map(point).collect();
        (grid, points)
    }

    #[test]
    fn a_table_has_one_row_per_value_and_the_best_point_is_shown_as_options() {
        let (grid, points) = searched();
        let text = table(&grid, &points).to_text();
        assert_eq!(
            text.lines()
                .skip(1)
                .filter(|line| line.contains('.'))
                .count(),
            grid.ranges[1].values.len()
        );
        assert!(
            text.contains("90.00") && text.contains("c 2") && text.contains("2^-4"),
            "{text}"
        );
        let best = line(&grid, best(&points).unwrap());
        assert_eq!(
            best,
            "svm --c 2 --gamma 0.0625: accuracy 0.9000, content P 0.8000 R 0.7000 F 0.7500"
        );
    }

    #[test]
    fn a_heat_map_has_a_cell_for_each_point_and_frames_the_best() {
        let (grid, mut points) = searched();
        let map = svg(&grid, &points);
        assert_eq!(map.matches("<rect").count(), points.len() + 1);
        assert_eq!(map.matches("stroke=").count(), 1);
        assert!(map.contains("rgb(253,231,37)") && map.contains("rgb(68,1,84)"));
        points.truncate(3);
        assert_eq!(svg(&grid, &points).matches("<rect").count(), 4);
        assert!(svg(&grid, &[]).ends_with("</svg>\n"));
    }
}
