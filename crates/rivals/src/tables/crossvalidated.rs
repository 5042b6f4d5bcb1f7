//! Cleans pages out-of-fold, with models trained on other sites: FIASCO's evaluation of the whole
//! program (section 6), and the same with models of one language.

use super::table_options::{ExperimentError, TableOptions, TableResult};
use rayon::prelude::*;
use serde_json::json;
use vclean_core::error::Error;
use vclean_core::pipeline::PageCleaner;
use vclean_lab::evaluate::measured::{Measured, measure};
use vclean_lab::evaluate::{BlockScore, PageScore, Table};
use vclean_lab::gold::align::Alignment;
use vclean_lab::gold::{Capturing, Counts, Progress, WordScore};
use vclean_lab::train::TrainOptions;
use vclean_lab::train::examples::Example;
use vclean_lab::train::learn::train;
use vclean_lab::train::sample::{TrainingPage, folds};
use vclean_run::source::{DataSet, Row, Split};

/// FIASCO's word scores by five-fold cross-validation (section 6): precision, recall, F.
pub(crate) const FIASCO_WORDS: [f64; 3] = [0.8763, 0.5187, 0.6516];
/// FIASCO's baseline, the text dump of Lynx: precision and F; it does not give the recall.
pub(crate) const FIASCO_DUMP: [f64; 2] = [0.7900, 0.8532];

/// Folds within the training pages, for calibration and the second stage.
pub(crate) const INNER_FOLDS: usize = 4;

/// Reports pages that could not be cleaned to `progress`; returns their number.
pub(super) fn report_failures(
    set: &str,
    rows: &[&Row],
    pages: &[Measured],
    progress: &dyn Progress,
) -> usize {
    let failures = rows
        .iter()
        .zip(pages)
        .filter_map(|(row, page)| page.failure.as_ref().map(|cause| (row, cause)));
    failures
        .map(|(row, cause)| progress.page_failed(set, &row.id, &cause.to_string()))
        .count()
}

/// Pages of one set, and how they are captured and labelled.
#[derive(Clone, Copy)]
pub(crate) struct Cleaning<'a> {
    pub set: &'a DataSet,
    /// Where its captures come from.
    pub capturing: &'a Capturing,
    /// How gold is aligned to targets, for the block score.
    pub alignment: Alignment,
}

impl Cleaning<'_> {
    /// Cleans many pages with one model, in their order.
    ///
    /// # Errors
    /// If gold cannot be read.
    pub(crate) fn clean_all(
        &self,
        rows: &[&Row],
        cleaner: &PageCleaner,
    ) -> Result<Vec<Measured>, Error> {
        let measure = |row: &&Row| {
            measure(self.set, row, self.capturing, self.alignment, cleaner).map_err(Error::from)
        };
        rows.par_iter().with_max_len(1).map(measure).collect()
    }

    /// Cleans every page of `rows` with a model that was trained on the other folds by site, in the
    /// order of `rows`.
    ///
    /// `examples` are those of `rows` that could be prepared; pages that do not match their gold
    /// are not used for training, but cleaned and counted like all others.
    ///
    /// # Errors
    /// If a fold cannot be trained on, or gold cannot be read.
    pub(crate) fn clean_held_out(
        &self,
        rows: &[&Row],
        examples: &[Example],
        columns: &[String],
        fold_count: usize,
        options: &TrainOptions,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Vec<Measured>, Error> {
        let pages: Vec<&TrainingPage> = examples.iter().map(|example| &example.page).collect();
        let fold_of = folds(&pages, fold_count, options.seed)?;
        // A page without an example could not be captured: it has no output in any fold.
        let fold_of_row = |row: &Row| {
            examples
                .iter()
                .position(|example| example.id == row.id)
                .map_or(0, |place| fold_of[place])
        };
        let mut done: Vec<Option<Measured>> = rows.iter().map(|_| None).collect();
        for fold in 0..fold_count {
            let others: Vec<&TrainingPage> = (0..pages.len())
                .filter(|&page| fold_of[page] != fold && !examples[page].quality.is_bad)
                .map(|page| pages[page])
                .collect();
            let trained = train(columns, &others, options, &|_| {})?;
            let held_out: Vec<usize> = (0..rows.len())
                .filter(|&row| fold_of_row(rows[row]) == fold)
                .collect();
            let held_out_rows: Vec<&Row> = held_out.iter().map(|&row| rows[row]).collect();
            let found = self.clean_all(&held_out_rows, &PageCleaner::with_model(trained.model))?;
            for (row, page) in held_out.into_iter().zip(found) {
                done[row] = Some(page);
            }
            progress(&format!(
                "{}: fold {} of {fold_count} cleaned",
                self.set.name,
                fold + 1
            ));
        }
        Ok(done.into_iter().flatten().collect())
    }
}

// The table of FIASCO section 6: words of a set's pages, with models trained on the other sites of
// the set. The output of `vclean lab evaluate --table crossvalidated`.

/// Default number of folds by site: as FIASCO.
const FOLDS: usize = 5;

/// Cleans every page of a set out-of-fold, with a model trained on other sites.
///
/// # Errors
/// If there is no training page, a fold cannot be trained on, or gold cannot be read.
pub fn measure_set(
    set: &DataSet,
    capturing: &Capturing,
    options: &TableOptions,
    progress: &dyn Progress,
) -> Result<TableResult, ExperimentError> {
    let split = options.split.unwrap_or(Split::All);
    let rows = set.split(split);
    let gathered = options.gather(set, split, capturing, false, progress)?;
    let cleaning = Cleaning {
        set,
        capturing,
        alignment: options.alignment,
    };
    let pages = cleaning.clean_held_out(
        &rows,
        &gathered.examples,
        &gathered.columns,
        options.folds.unwrap_or(FOLDS),
        &options.train_options(INNER_FOLDS),
        &|step| progress.step(step),
    )?;
    let failed = report_failures(&set.name, &rows, &pages, progress);
    let blocks = pages
        .iter()
        .fold(BlockScore::default(), |sum, page| sum.plus(page.blocks));
    let ours = words(pages.iter().map(|page| &page.score));
    let dump = words(pages.iter().map(|page| &page.everything));
    let text = format!(
        "{}blocks {}: accuracy {:.4}, content F {:.4}\n\n",
        table(&set.name, &pages, ours, dump).to_text(),
        blocks.blocks(),
        blocks.accuracy(),
        blocks.score().f1
    );
    let scores: Vec<&PageScore> = pages.iter().map(|page| &page.score).collect();
    let figures = json!({ "set": set.name, "words": ours, "everything": dump, "blocks": blocks, "pages": scores });
    Ok(TableResult {
        text,
        figures,
        failed,
    })
}

/// Word precision, recall and F of pages with full gold, as FIASCO counted them: difflib with
/// autojunk, mean over pages.
fn words<'p>(pages: impl Iterator<Item = &'p PageScore>) -> WordScore {
    let scores: Vec<WordScore> = pages
        .filter_map(|page| page.words_autojunk.map(Counts::score))
        .collect();
    WordScore::mean(&scores)
}

fn table(set: &str, pages: &[Measured], ours: WordScore, dump: WordScore) -> Table {
    let mut table = Table::new(&[&format!("{set}, {} pages", pages.len()), "P", "R", "F"]);
    table.push(cells("vclean, models of other sites", ours));
    table.push(cells("all text of the page", dump));
    let [precision, recall, f1] = FIASCO_WORDS;
    table.push(cells(
        "FIASCO, 158 pages (section 6)",
        WordScore {
            precision,
            recall,
            f1,
        },
    ));
    let [precision, f1] = FIASCO_DUMP.map(|value| format!("{value:.4}"));
    table.push(vec![
        "its dump by Lynx".to_owned(),
        precision,
        "-".to_owned(),
        f1,
    ]);
    table
}

fn cells(name: &str, score: WordScore) -> Vec<String> {
    let mut cells = vec![name.to_owned()];
    cells.extend([score.precision, score.recall, score.f1].map(|value| format!("{value:.4}")));
    cells
}
