//! `vclean evaluate --table languages` and `--table crossvalidated`: words and blocks of pages by models that have not
//! seen their language, or their site.

use super::tables::{Request, columns_of};
use super::{SOME_FAILED, console, data};
use crate::cleaner::ModelCleaner;
use crate::evaluate::measured::Measured;
use crate::evaluate::metrics::mean;
use crate::evaluate::{BlockScore, Counts, PageScore, Table, WordScore};
use crate::experiments::crossvalidated::{Cleaning, FIASCO_DUMP, FIASCO_WORDS};
use crate::gold::{Row, Split};
use crate::train::{TrainingPage, train};
use anyhow::Context;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::ExitCode;

/// Folds by site of the cross-validated table: FIASCO's.
const FOLDS: u8 = 5;
/// Folds within the training pages, for calibration and the second stage.
const INNER_FOLDS: usize = 4;
/// Pages that a language needs to be compared: fewer say nothing.
const ENOUGH_PAGES: usize = 5;
/// F1 points by which a language may fall behind the language of training.
const MOST_BEHIND: f64 = 3.0;

/// Word precision, recall and F of pages with full gold, as FIASCO counted them: difflib with autojunk, mean over pages.
fn words<'p>(pages: impl Iterator<Item = &'p PageScore>) -> WordScore {
    let scores: Vec<WordScore> = pages.filter_map(|page| page.words_autojunk.map(Counts::score)).collect();
    WordScore::mean(&scores)
}

fn cells(name: &str, score: WordScore) -> Vec<String> {
    let mut cells = vec![name.to_owned()];
    cells.extend([score.precision, score.recall, score.f1].map(|value| format!("{value:.4}")));
    cells
}

/// Complains of pages that could not be cleaned; gives their number.
fn complain(set: &str, rows: &[&Row], pages: &[Measured]) -> usize {
    let failures = rows.iter().zip(pages).filter_map(|(row, page)| page.failure.as_ref().map(|cause| (row, cause)));
    failures.map(|(row, cause)| console::complain(&format!("{set}/{}: {cause}", row.id))).count()
}

/// The table of FIASCO section 6: words of each set's pages by models trained on the other sites of the set.
pub(super) fn run_crossvalidated(request: &Request<'_>) -> anyhow::Result<ExitCode> {
    let jobs = request.batch.jobs();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().context("cannot start the threads")?;
    let sets = request.data.open()?;
    let capturing = request.data.capturing(&sets, jobs)?;
    let folds = usize::from(request.table.folds.unwrap_or(FOLDS));
    let (mut all, mut failed) = (Vec::new(), 0);
    for set in &sets {
        let split = request.split.unwrap_or(Split::All);
        let rows = set.split(split);
        let gathered = threads.install(|| request.gather(set, split, &capturing, false))?;
        let cleaning = Cleaning { set, capturing: &capturing, alignment: request.table.alignment };
        let options = request.train_options(INNER_FOLDS);
        let pages = threads.install(|| {
            let progress = |step: &str| request.progress(step);
            cleaning.clean_held_out(&rows, &gathered.examples, &gathered.columns, folds, &options, &progress)
        })?;
        failed += complain(&set.name, &rows, &pages);
        let blocks = pages.iter().fold(BlockScore::default(), |sum, page| sum.plus(page.blocks));
        let mut table = Table::new(&[&format!("{}, {} pages", set.name, pages.len()), "P", "R", "F"]);
        let (ours, dump) =
            (words(pages.iter().map(|page| &page.score)), words(pages.iter().map(|page| &page.everything)));
        table.push(cells("vclean, models of other sites", ours));
        table.push(cells("all text of the page", dump));
        let [precision, recall, f1] = FIASCO_WORDS;
        table.push(cells("FIASCO, 158 pages (section 6)", WordScore { precision, recall, f1 }));
        let dump_cells = [
            "its dump by Lynx".to_owned(),
            format!("{:.4}", FIASCO_DUMP[0]),
            "-".to_owned(),
            format!("{:.4}", FIASCO_DUMP[1]),
        ];
        table.push(dump_cells.to_vec());
        let text = format!(
            "{}blocks {}: accuracy {:.4}, content F {:.4}\n\n",
            table.to_text(),
            blocks.blocks(),
            blocks.accuracy(),
            blocks.score().f1
        );
        if console::print(&[&text]).is_err() {
            return Ok(SOME_FAILED.into());
        }
        let scores: Vec<&PageScore> = pages.iter().map(|page| &page.score).collect();
        all.push(json!({ "set": set.name, "words": ours, "everything": dump, "blocks": blocks, "pages": scores }));
    }
    request.write_json(&json!(all))?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

/// Whether a page is in `lang`: `en-GB` is in `en`.
fn is_in(row: &Row, lang: &str) -> bool {
    row.lang.strip_prefix(lang).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

/// The table of languages: a model of the training pages in one language, measured on the others.
pub(super) fn run(request: &Request<'_>) -> anyhow::Result<ExitCode> {
    let jobs = request.batch.jobs();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().context("cannot start the threads")?;
    let sets = request.data.open()?;
    let capturing = request.data.capturing(&sets, jobs)?;
    let lang = request.table.train_lang.as_str();
    let (mut examples, mut failed) = (Vec::new(), 0);
    for set in &sets {
        let mut narrowed = set.clone();
        narrowed.rows.retain(|row| is_in(row, lang));
        if narrowed.split(Split::Train).is_empty() {
            continue;
        }
        let gathered = threads.install(|| request.gather(&narrowed, Split::Train, &capturing, false))?;
        failed += gathered.failed;
        examples.extend(gathered.examples);
    }
    examples.retain(|example| !example.quality.is_bad);
    anyhow::ensure!(!examples.is_empty(), "no training page is in {lang}; name another --train-lang or more data sets");
    let columns = columns_of("the data sets", &examples)?;
    let pages: Vec<&TrainingPage> = examples.iter().map(|example| &example.page).collect();
    let trained = threads
        .install(|| train(&columns, &pages, &request.train_options(INNER_FOLDS), &|step| request.progress(step)))?;
    let cleaner = ModelCleaner::with_model(trained.model);
    let mut by_language: BTreeMap<String, Vec<Measured>> = BTreeMap::new();
    for set in &sets {
        let rows = set.split(request.split.unwrap_or(Split::Dev));
        let bar = data::bar(rows.len(), &set.name, request.batch.quiet);
        let cleaning = Cleaning { set, capturing: &capturing, alignment: request.table.alignment };
        let found = threads.install(|| cleaning.clean_all(&rows, &cleaner));
        bar.finish_and_clear();
        let found = found?;
        failed += complain(&set.name, &rows, &found);
        for (row, page) in rows.iter().zip(found) {
            let tag = row.lang.split(['-', '_']).next().unwrap_or_default();
            by_language
                .entry(if tag.is_empty() { "unknown".to_owned() } else { tag.to_owned() })
                .or_default()
                .push(page);
        }
    }
    let text = language_table(lang, pages.len(), &by_language);
    let printed = console::print(&[&text]).is_ok();
    let languages: Vec<serde_json::Value> = by_language
        .iter()
        .map(|(tag, pages)| {
            let blocks = pages.iter().fold(BlockScore::default(), |sum, page| sum.plus(page.blocks));
            let scores: Vec<&PageScore> = pages.iter().map(|page| &page.score).collect();
            json!({ "lang": tag, "blocks": blocks, "pages": scores })
        })
        .collect();
    request.write_json(&json!({ "train_lang": lang, "train_pages": pages.len(), "languages": languages }))?;
    Ok(if failed == 0 && printed { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

fn language_table(lang: &str, trained_on: usize, by_language: &BTreeMap<String, Vec<Measured>>) -> String {
    let f1 = |pages: &[Measured]| {
        mean(&pages.iter().filter_map(|page| page.score.words.map(|counts| counts.score().f1)).collect::<Vec<_>>())
    };
    let base = lang.split(['-', '_']).next().unwrap_or(lang);
    let own = by_language.get(base).map(|pages| f1(pages) * 100.0);
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
        let blocks = pages.iter().fold(BlockScore::default(), |sum, page| sum.plus(page.blocks));
        let found = f1(pages) * 100.0;
        let everything: Vec<f64> =
            pages.iter().filter_map(|page| page.everything.words.map(|counts| counts.score().f1)).collect();
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
            format!("{:.2}", mean(&everything) * 100.0),
        ]);
    }
    let mut text = table.to_text();
    if own.is_some() {
        let _ = writeln!(
            text,
            "{enough} other languages have {ENOUGH_PAGES} pages or more; more than {MOST_BEHIND} F1 points behind {base}: {}",
            if behind.is_empty() { "none".to_owned() } else { behind.join(", ") }
        );
    }
    text
}
