//! `vclean evaluate --table subsets`: FIASCO's Tables 2 and 3, with its figures beside ours.

use super::tables::{Request, best_of};
use super::{SOME_FAILED, console};
use crate::evaluate::{BlockScore, Table};
use crate::experiments::subsets::{Figures, SubsetOptions, SubsetScore, figures, measure_subset, subsets_of};
use crate::gold::{Capturing, DataSet, Split};
use crate::target;
use crate::text::excerpt;
use crate::train::{Example, TrainOptions, TrainingPage, train};
use anyhow::Context;
use serde_json::json;
use std::fmt::Write;
use std::process::ExitCode;

/// Folds by site where the user says nothing: FIASCO's.
const FOLDS: u8 = 10;
/// Name of the row of the whole classifier.
const WHOLE: &str = "All, with trees and surroundings (ours)";
/// Wrong blocks shown of one page.
const SHOWN: usize = 6;
/// Bounds of the lengths by which errors are counted, in characters.
const LENGTHS: [(&str, std::ops::Range<usize>); 4] =
    [("under 10 characters", 0..10), ("10 to 29", 10..30), ("30 to 99", 30..100), ("100 and more", 100..usize::MAX)];

/// One half of the table.
struct Half {
    scores: Vec<SubsetScore>,
    whole_model: BlockScore,
    pages: usize,
}

pub(super) fn run(request: &Request<'_>) -> anyhow::Result<ExitCode> {
    let jobs = request.batch.jobs();
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build().context("cannot start the threads")?;
    let sets = request.data.open()?;
    let capturing = request.data.capturing(&sets, jobs)?;
    let (mut all, mut failed) = (Vec::new(), 0);
    for set in &sets {
        let split = request.split.unwrap_or(Split::All);
        let gathered = threads.install(|| request.gather(set, split, &capturing, true))?;
        failed += gathered.failed;
        let (columns, examples) = (&gathered.columns, &gathered.examples);
        let measure = |pages: &[&TrainingPage]| threads.install(|| half(set, columns, pages, request));
        let every = measure(&examples.iter().map(|example| &example.page).collect::<Vec<_>>())?;
        let best = measure(&best_of(examples, request.table.best_aligned))?;
        let mut text = table(set, &every, &best, gathered.columns.len());
        if request.worst > 0 {
            text.push_str(&threads.install(|| errors(set, columns, examples, &capturing, request))?);
        }
        text.push('\n');
        if console::print(&[&text]).is_err() {
            return Ok(SOME_FAILED.into());
        }
        let halves = [("all", &every), ("best_aligned", &best)].map(|(name, half)| {
            let whole_model = json!({ "name": WHOLE, "counts": half.whole_model });
            json!({ "half": name, "pages": half.pages, "subsets": half.scores, "whole_model": whole_model })
        });
        all.push(json!({ "set": set.name, "halves": halves }));
    }
    request.write_json(&json!(all))?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { SOME_FAILED.into() })
}

fn half(set: &DataSet, columns: &[String], pages: &[&TrainingPage], request: &Request<'_>) -> anyhow::Result<Half> {
    let folds = usize::from(request.table.folds.unwrap_or(FOLDS));
    let options = SubsetOptions { svm: request.svm(), sample: request.sample(), folds, seed: request.table.seed };
    let mut scores = Vec::new();
    for subset in subsets_of(columns) {
        let score = measure_subset(subset, columns, pages, &options, &|_| {})?;
        request.progress(&format!(
            "{}, {} pages, {}: accuracy {:.4}",
            set.name,
            pages.len(),
            subset.name,
            score.counts.accuracy()
        ));
        scores.push(score);
    }
    let trained = train(columns, pages, &request.train_options(folds), &|_| {})?;
    Ok(Half { scores, whole_model: trained.score, pages: pages.len() })
}

/// Both halves side by side, FIASCO's figures in each row.
fn table(set: &DataSet, every: &Half, best: &Half, columns: usize) -> String {
    let names = ["accuracy", "P", "R", "F"];
    let mut head = vec![format!("{}, columns", set.name)];
    for half in ["all", "best"] {
        head.extend(names.map(|name| if name == "accuracy" { format!("{half} accuracy") } else { name.to_owned() }));
        head.push("FIASCO accuracy".to_owned());
        head.extend(names[1..].iter().map(|&name| name.to_owned()));
    }
    let mut table = Table { columns: head, rows: Vec::new() };
    let cells = |ours: Figures, theirs: Option<Figures>| -> Vec<String> {
        let first = |figures: Figures| format!("{:.2}", figures[0] * 100.0);
        let rest = |figures: Figures| figures[1..].iter().map(|figure| format!("{figure:.3}")).collect::<Vec<_>>();
        let mut cells = vec![first(ours)];
        cells.extend(rest(ours));
        match theirs {
            Some(theirs) => {
                cells.push(first(theirs));
                cells.extend(theirs[1..].iter().map(|figure| format!("{figure:.2}")));
            }
            None => cells.extend(["-"; 4].map(str::to_owned)),
        }
        cells
    };
    for (one, other) in every.scores.iter().zip(&best.scores) {
        let subset = crate::experiments::subsets::SUBSETS.iter().find(|subset| subset.name == one.name);
        let mut row = vec![format!("{}, {}", one.name, one.columns)];
        row.extend(cells(figures(one.counts), subset.map(|subset| subset.fiasco_all)));
        row.extend(cells(figures(other.counts), subset.map(|subset| subset.fiasco_best)));
        table.push(row);
    }
    let mut row = vec![format!("{WHOLE}, {columns}")];
    row.extend(cells(figures(every.whole_model), None));
    row.extend(cells(figures(best.whole_model), None));
    table.push(row);
    format!(
        "{}{} pages with {} blocks, the best aligned {} with {}; held-out sites, content is the positive class\n",
        table.to_text(),
        every.pages,
        every.whole_model.blocks(),
        best.pages,
        best.whole_model.blocks()
    )
}

/// Where the machine on all columns is wrong, on the best aligned pages: by length, and the worst pages in detail.
fn errors(
    set: &DataSet,
    columns: &[String],
    examples: &[Example],
    capturing: &Capturing,
    request: &Request<'_>,
) -> anyhow::Result<String> {
    let pages = best_of(examples, request.table.best_aligned);
    let folds = usize::from(request.table.folds.unwrap_or(FOLDS));
    let mut options: TrainOptions = request.train_options(folds);
    options.stages.truncate(1);
    let held_out = train(columns, &pages, &options, &|_| {})?.held_out;
    let is_wrong = |page: usize, target: usize| (held_out[page][target] > 0.0) != pages[page].is_content(target);
    let mut lengths = Table::new(&["blocks by length", "blocks", "wrong", "share", "of them content"]);
    for (name, range) in LENGTHS {
        let (mut blocks, mut wrong, mut content) = (0, 0, 0);
        for (number, page) in pages.iter().enumerate() {
            for target in page.labelled().filter(|&target| range.contains(&(page.shape.lengths[target] as usize))) {
                blocks += 1;
                wrong += usize::from(is_wrong(number, target));
                content += usize::from(is_wrong(number, target) && page.is_content(target));
            }
        }
        let share =
            format!("{:.2} %", 100.0 * f64::from(u32::try_from(wrong)?) / f64::from(u32::try_from(blocks.max(1))?));
        table_row(&mut lengths, name, &[blocks.to_string(), wrong.to_string(), share, content.to_string()]);
    }
    let mut order: Vec<(usize, Vec<usize>)> = pages
        .iter()
        .enumerate()
        .map(|(number, page)| (number, page.labelled().filter(|&target| is_wrong(number, target)).collect()))
        .collect();
    order.sort_by_key(|(number, wrong): &(usize, Vec<usize>)| (std::cmp::Reverse(wrong.len()), *number));
    let all_wrong: usize = order.iter().map(|(_, wrong)| wrong.len()).sum();
    let mut left = all_wrong;
    let half = order.iter().take_while(|(_, wrong)| {
        let goes_on = left * 2 > all_wrong;
        left -= wrong.len();
        goes_on
    });
    let half = half.count();
    let mut text = lengths.to_text();
    let _ = writeln!(text, "half of the {all_wrong} wrong blocks are on {half} of {} pages", pages.len());
    for (number, wrong) in order.iter().take(request.worst) {
        let page = pages[*number];
        let Some(example) = examples.iter().find(|example| std::ptr::eq(&raw const example.page, page)) else {
            continue;
        };
        let Some(row) = set.rows.iter().find(|row| row.id == example.id) else { continue };
        let capture = capturing.capture(set, row)?;
        let targets = target::select(&capture, request.rule());
        let _ = writeln!(text, "\n{}: {} of {} blocks wrong", example.id, wrong.len(), page.labels.len());
        let step = wrong.len().div_ceil(SHOWN).max(1);
        for &target in wrong.iter().step_by(step) {
            let kind = if page.is_content(target) { "content dropped" } else { "boilerplate kept" };
            let block = targets[target].text(&capture.dom);
            let start = excerpt(&block, 70);
            let _ = writeln!(text, "  {kind} ({:+.2}): {start}", held_out[*number][target]);
        }
    }
    Ok(text)
}

fn table_row(table: &mut Table, name: &str, cells: &[String]) {
    table.push(std::iter::once(name.to_owned()).chain(cells.iter().cloned()).collect());
}
