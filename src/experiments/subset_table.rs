//! FIASCO's Tables 2 and 3 on a data set, with its figures and ours: the output of `vclean evaluate --table subsets`.

use super::error::ExperimentError;
use super::subset_errors::errors;
use super::subsets::{FOLDS, Figures, SUBSETS, SubsetOptions, SubsetScore, figures, measure_subset, subsets_of};
use super::table_options::{TableOptions, TableResult};
use crate::error::ModelError;
use crate::evaluate::{BlockScore, Table};
use crate::gold::{Capturing, Progress};
use crate::source::{DataSet, Split};
use crate::train::gathering::best_pages;
use crate::train::{TrainingPage, train};
use serde_json::json;

/// Name of the row for the whole model.
const WHOLE: &str = "All, with trees and surroundings (ours)";

/// One half of the table.
struct Half {
    scores: Vec<SubsetScore>,
    whole_model: BlockScore,
    pages: usize,
}

/// Measures all subsets of the features of a set, on all pages and on the best aligned ones.
///
/// # Errors
/// If there is no training page, there are fewer sites than folds, or an option is out of range.
pub fn measure_set(
    set: &DataSet,
    capturing: &Capturing,
    options: &TableOptions,
    progress: &dyn Progress,
) -> Result<TableResult, ExperimentError> {
    let gathered = options.gather(set, options.split.unwrap_or(Split::All), capturing, true, progress)?;
    let (columns, examples) = (&gathered.columns, &gathered.examples);
    let measure = |pages: &[&TrainingPage]| half(set, columns, pages, options, progress);
    let every = measure(&examples.iter().map(|example| &example.page).collect::<Vec<_>>())?;
    let best = measure(&best_pages(examples, options.best_aligned))?;
    let mut text = table(set, &every, &best, columns.len());
    if options.worst > 0 {
        text.push_str(&errors(set, columns, examples, capturing, options)?);
    }
    text.push('\n');
    let halves = [("all", &every), ("best_aligned", &best)].map(|(name, half)| {
        let whole_model = json!({ "name": WHOLE, "counts": half.whole_model });
        json!({ "half": name, "pages": half.pages, "subsets": half.scores, "whole_model": whole_model })
    });
    Ok(TableResult { text, figures: json!({ "set": set.name, "halves": halves }), failed: gathered.failed })
}

fn half(
    set: &DataSet,
    columns: &[String],
    pages: &[&TrainingPage],
    options: &TableOptions,
    progress: &dyn Progress,
) -> Result<Half, ModelError> {
    let folds = options.folds.unwrap_or(FOLDS);
    let subset_options = SubsetOptions { svm: options.svm(), sample: options.sample, folds, seed: options.seed };
    let mut scores = Vec::new();
    for subset in subsets_of(columns) {
        let score = measure_subset(subset, columns, pages, &subset_options, &|_| {})?;
        progress.step(&format!(
            "{}, {} pages, {}: accuracy {:.4}",
            set.name,
            pages.len(),
            subset.name,
            score.counts.accuracy()
        ));
        scores.push(score);
    }
    let trained = train(columns, pages, &options.train_options(folds), &|_| {})?;
    Ok(Half { scores, whole_model: trained.score, pages: pages.len() })
}

/// Both halves next to each other, with FIASCO's figures in each row.
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
        let subset = SUBSETS.iter().find(|subset| subset.name == one.name);
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
