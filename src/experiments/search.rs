//! Searches for the parameters of a classifier on data sets, from pages to finished grids: the work of `vclean tune`.

use super::error::ExperimentError;
use super::grid::{Grid, Range, rivals};
use super::grid_results::{line, table};
use super::search_journal::{JournalError, SearchJournal};
use super::tune::{Point, TuneRows, best, tune};
use crate::error::ModelError;
use crate::gold::{Alignment, Capturing, Progress};
use crate::source::DataSet;
use crate::target::TargetRule;
use crate::train::gathering::{choose_columns, gather_training_pages};
use crate::train::{Classifier, ExampleOptions, SampleOptions, TrainingPage};
use serde::Serialize;
use std::path::PathBuf;

/// Options of a search.
#[derive(Debug, Clone)]
pub struct SearchOptions {
    /// What the points depend on besides the pages, as options: tells whether a journal belongs to this search.
    pub description: String,
    /// The file for finished points.
    pub journal: PathBuf,
    /// Whether the points of an earlier run are discarded.
    pub is_fresh: bool,
    /// How gold is aligned with targets.
    pub alignment: Alignment,
    /// How targets are selected.
    pub targets: TargetRule,
    /// The feature groups that are used; empty for all that the pages have.
    pub groups: Vec<String>,
    /// Rows that points are measured on.
    pub sample: SampleOptions,
    /// Folds by site.
    pub folds: u8,
    /// Seed of the folds.
    pub seed: u64,
}

/// A grid with its points, for the JSON file.
#[derive(Debug, Serialize)]
pub struct GridResult {
    /// Name of the classifier.
    pub name: String,
    /// The varied parameters.
    #[serde(flatten)]
    pub grid: Grid,
    /// All points, in the grid's order.
    pub points: Vec<Point>,
    /// The best one.
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
    /// Folds by site.
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
    Experiment(#[from] ExperimentError),
}

impl From<ModelError> for SearchError {
    fn from(error: ModelError) -> Self {
        Self::Experiment(error.into())
    }
}

/// The grids of a search: that of `classifier` over `ranges`, or its default one without the parameters in `fixed`; then,
/// with `rivals_too`, the coarse grids of all other classifiers.
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
        Grid { classifier, ranges: ranges.to_vec() }
    };
    let mut grids = vec![own];
    if rivals_too {
        grids.extend(rivals(seed).into_iter().filter(|rival| rival.classifier.name() != classifier.name()));
    }
    grids.iter().try_for_each(Grid::check)?;
    Ok(grids)
}

/// Searches all grids on the training pages of `sets`. Points in the journal are not measured again.
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
    let examples = ExampleOptions { targets: options.targets, alignment: options.alignment, language_bound: false };
    let mut gathered =
        gather_training_pages(sets, capturing, examples, 1.0, progress).map_err(ExperimentError::from)?;
    choose_columns(&mut gathered.examples, &options.groups).map_err(ExperimentError::from)?;
    let pages: Vec<&TrainingPage> = gathered.examples.iter().map(|example| &example.page).collect();
    let rows = TuneRows::draw(&pages, &options.sample, usize::from(options.folds), options.seed)?;
    let description = &options.description;
    let journal = SearchJournal::open(options.journal.clone(), description, &rows.fingerprint(), options.is_fresh)?;
    let mut results = Vec::new();
    for (number, grid) in grids.into_iter().enumerate() {
        let name = grid.classifier.name();
        let known = journal.known(number);
        progress.begin(&name, grid.points().len());
        progress.advance(known.len());
        let finished = |point: &Point| {
            progress.advance(1);
            journal.add(number, point).map_err(SearchError::from)
        };
        let points = tune::<SearchError>(&rows, &grid, &known, &finished)?;
        progress.end();
        results.push(GridResult { name, best: best(&points).cloned(), grid, points });
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
        let best_of = |result: &GridResult| result.best.as_ref().map(|point| line(&result.grid, point) + "\n");
        let first = self.grids.first();
        let mut text = first.map(|result| table(&result.grid, &result.points).to_text()).unwrap_or_default();
        text.extend(self.grids.iter().skip(1).filter_map(best_of));
        text.extend(first.and_then(best_of));
        text
    }
}
