//! Words and blocks by language, with a model trained on one language. The output of
//! `vclean lab evaluate --table languages`.

use super::crossvalidated::{Cleaning, INNER_FOLDS, report_failures};
use super::table_options::{ExperimentError, TableOptions, TableResult};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use vclean_core::pipeline::PageCleaner;
use vclean_lab::evaluate::measured::Measured;
use vclean_lab::evaluate::metrics::mean;
use vclean_lab::evaluate::{BlockScore, PageScore, Table};
use vclean_lab::gold::{Capturing, Progress};
use vclean_lab::train::gathering::columns_of;
use vclean_lab::train::{Example, TrainingPage, train};
use vclean_run::source::{DataSet, Row, Split};

/// Minimum number of pages for comparing a language.
const ENOUGH_PAGES: usize = 5;
/// F1 points by which a language may be worse than the training language.
const MOST_BEHIND: f64 = 3.0;

/// Measured pages by the language of their manifest rows.
type ByLanguage = BTreeMap<String, Vec<Measured>>;

/// Trains a model on the training pages of `sets` in one language and measures it on the pages of
/// all languages.
///
/// # Errors
/// If no training page is in that language, training fails, or gold cannot be read.
pub fn measure_sets(
    sets: &[DataSet],
    capturing: &Capturing,
    options: &TableOptions,
    progress: &dyn Progress,
) -> Result<TableResult, ExperimentError> {
    let lang = options.train_lang.as_str();
    let (examples, mut failed) = training_pages(sets, capturing, options, progress)?;
    let columns = columns_of("the data sets", &examples, Vec::new())?;
    let pages: Vec<&TrainingPage> = examples.iter().map(|example| &example.page).collect();
    let trained = train(
        &columns,
        &pages,
        &options.train_options(INNER_FOLDS),
        &|step| progress.step(step),
    )?;
    let cleaner = PageCleaner::with_model(trained.model);
    let mut by_language = ByLanguage::new();
    for set in sets {
        let rows = set.split(options.split.unwrap_or(Split::Dev));
        let cleaning = Cleaning {
            set,
            capturing,
            alignment: options.alignment,
        };
        progress.begin(&set.name, rows.len());
        let found = cleaning.clean_all(&rows, &cleaner);
        progress.end();
        let found = found?;
        failed += report_failures(&set.name, &rows, &found, progress);
        for (row, page) in rows.iter().zip(found) {
            let tag = base_of(&row.lang);
            let tag = if tag.is_empty() { "unknown" } else { tag };
            by_language.entry(tag.to_owned()).or_default().push(page);
        }
    }
    let text = table(lang, pages.len(), &by_language);
    let languages: Vec<serde_json::Value> = by_language
        .iter()
        .map(|(tag, pages)| figures(tag, pages))
        .collect();
    let figures = json!({ "train_lang": lang, "train_pages": pages.len(), "languages": languages });
    Ok(TableResult {
        text,
        figures,
        failed,
    })
}

/// The pages in the training language that match their gold, and how many pages failed.
fn training_pages(
    sets: &[DataSet],
    capturing: &Capturing,
    options: &TableOptions,
    progress: &dyn Progress,
) -> Result<(Vec<Example>, usize), ExperimentError> {
    let lang = options.train_lang.as_str();
    let (mut examples, mut failed) = (Vec::new(), 0);
    for set in sets {
        let mut narrowed = set.clone();
        narrowed.rows.retain(|row| is_in(row, lang));
        if narrowed.split(Split::Train).is_empty() {
            continue;
        }
        let gathered = options.gather(&narrowed, Split::Train, capturing, false, progress)?;
        failed += gathered.failed;
        examples.extend(gathered.examples);
    }
    examples.retain(|example| !example.quality.is_bad);
    if examples.is_empty() {
        return Err(ExperimentError::NoTrainingPage {
            language: lang.to_owned(),
        });
    }
    Ok((examples, failed))
}

/// True if a page is in `lang`: `en-GB` is in `en`.
fn is_in(row: &Row, lang: &str) -> bool {
    row.lang
        .strip_prefix(lang)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

/// A language tag without region and script.
fn base_of(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or(tag)
}

fn blocks_of(pages: &[Measured]) -> BlockScore {
    pages
        .iter()
        .fold(BlockScore::default(), |sum, page| sum.plus(page.blocks))
}

fn figures(tag: &str, pages: &[Measured]) -> serde_json::Value {
    let scores: Vec<&PageScore> = pages.iter().map(|page| &page.score).collect();
    json!({ "lang": tag, "blocks": blocks_of(pages), "pages": scores })
}

/// Mean F1 of words, 0 to 100.
fn f1_points<'p>(pages: impl Iterator<Item = &'p PageScore>) -> f64 {
    let all: Vec<f64> = pages
        .filter_map(|page| page.words.map(|counts| counts.score().f1))
        .collect();
    mean(&all) * 100.0
}

fn table(lang: &str, trained_on: usize, by_language: &ByLanguage) -> String {
    let base = base_of(lang);
    let own = by_language
        .get(base)
        .map(|pages| f1_points(pages.iter().map(|page| &page.score)));
    let mut table = Table::new(&[
        &format!("trained on {trained_on} pages in {lang}"),
        "pages",
        "blocks",
        "block accuracy",
        "word F1",
        "beside its own",
        "all text F1",
    ]);
    let (mut enough, mut behind) = (0, Vec::new());
    for (tag, pages) in by_language {
        let blocks = blocks_of(pages);
        let found = f1_points(pages.iter().map(|page| &page.score));
        let difference = own.map(|own| found - own);
        if pages.len() >= ENOUGH_PAGES && tag != base {
            enough += 1;
            if difference.is_some_and(|difference| difference < -MOST_BEHIND) {
                behind.push(tag.as_str());
            }
        }
        table.push(vec![
            tag.clone(),
            pages.len().to_string(),
            blocks.blocks().to_string(),
            format!("{:.2}", blocks.accuracy() * 100.0),
            format!("{found:.2}"),
            difference.map_or_else(|| "-".to_owned(), |difference| format!("{difference:+.2}")),
            format!(
                "{:.2}",
                f1_points(pages.iter().map(|page| &page.everything))
            ),
        ]);
    }
    let mut text = table.to_text();
    if own.is_some() {
        let _ = writeln!(
            text,
            "{enough} other languages have {ENOUGH_PAGES} pages or more; more than {MOST_BEHIND} F1 points behind {base}: {}",
            if behind.is_empty() {
                "none".to_owned()
            } else {
                behind.join(", ")
            }
        );
    }
    text
}
