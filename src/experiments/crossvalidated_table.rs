//! The table of FIASCO section 6: words of a set's pages, with models trained on the other sites of the set. The output of
//! `vclean evaluate --table crossvalidated`.

use super::crossvalidated::{Cleaning, FIASCO_DUMP, FIASCO_WORDS, INNER_FOLDS, report_failures};
use super::error::ExperimentError;
use super::table_options::{TableOptions, TableResult};
use crate::evaluate::measured::Measured;
use crate::evaluate::{BlockScore, Counts, PageScore, Table, WordScore};
use crate::gold::{Capturing, Progress};
use crate::source::{DataSet, Split};
use serde_json::json;

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
    let cleaning = Cleaning { set, capturing, alignment: options.alignment };
    let pages = cleaning.clean_held_out(
        &rows,
        &gathered.examples,
        &gathered.columns,
        options.folds.unwrap_or(FOLDS),
        &options.train_options(INNER_FOLDS),
        &|step| progress.step(step),
    )?;
    let failed = report_failures(&set.name, &rows, &pages, progress);
    let blocks = pages.iter().fold(BlockScore::default(), |sum, page| sum.plus(page.blocks));
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
    Ok(TableResult { text, figures, failed })
}

/// Word precision, recall and F of pages with full gold, as FIASCO counted them: difflib with autojunk, mean over pages.
fn words<'p>(pages: impl Iterator<Item = &'p PageScore>) -> WordScore {
    let scores: Vec<WordScore> = pages.filter_map(|page| page.words_autojunk.map(Counts::score)).collect();
    WordScore::mean(&scores)
}

fn table(set: &str, pages: &[Measured], ours: WordScore, dump: WordScore) -> Table {
    let mut table = Table::new(&[&format!("{set}, {} pages", pages.len()), "P", "R", "F"]);
    table.push(cells("vclean, models of other sites", ours));
    table.push(cells("all text of the page", dump));
    let [precision, recall, f1] = FIASCO_WORDS;
    table.push(cells("FIASCO, 158 pages (section 6)", WordScore { precision, recall, f1 }));
    let [precision, f1] = FIASCO_DUMP.map(|value| format!("{value:.4}"));
    table.push(vec!["its dump by Lynx".to_owned(), precision, "-".to_owned(), f1]);
    table
}

fn cells(name: &str, score: WordScore) -> Vec<String> {
    let mut cells = vec![name.to_owned()];
    cells.extend([score.precision, score.recall, score.f1].map(|value| format!("{value:.4}")));
    cells
}
