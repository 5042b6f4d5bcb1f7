//! FIASCO's Tables 2 and 3 on a data set, with its figures and ours: the output of
//! `vclean lab evaluate --table subsets`.

use super::subsets::{
    FOLDS, Figures, SUBSETS, SubsetOptions, SubsetScore, figures, measure_subset, subsets_of,
};
use super::table_options::{ExperimentError, TableOptions, TableResult};
use serde_json::json;
use std::cmp::Reverse;
use std::fmt::Write;
use vclean_core::error::ModelError;
use vclean_core::target;
use vclean_core::text::excerpt;
use vclean_lab::evaluate::{BlockScore, Table};
use vclean_lab::gold::{Capturing, Progress};
use vclean_lab::train::gathering::best_pages;
use vclean_lab::train::{Example, TrainingPage, train};
use vclean_run::source::{DataSet, Split};

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
    let gathered = options.gather(
        set,
        options.split.unwrap_or(Split::All),
        capturing,
        true,
        progress,
    )?;
    let (columns, examples) = (&gathered.columns, &gathered.examples);
    let measure = |pages: &[&TrainingPage]| half(set, columns, pages, options, progress);
    let every = measure(
        &examples
            .iter()
            .map(|example| &example.page)
            .collect::<Vec<_>>(),
    )?;
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
    Ok(TableResult {
        text,
        figures: json!({ "set": set.name, "halves": halves }),
        failed: gathered.failed,
    })
}

fn half(
    set: &DataSet,
    columns: &[String],
    pages: &[&TrainingPage],
    options: &TableOptions,
    progress: &dyn Progress,
) -> Result<Half, ModelError> {
    let folds = options.folds.unwrap_or(FOLDS);
    let subset_options = SubsetOptions {
        svm: options.svm(),
        sample: options.sample,
        folds,
        seed: options.seed,
    };
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
    Ok(Half {
        scores,
        whole_model: trained.score,
        pages: pages.len(),
    })
}

/// Both halves next to each other, with FIASCO's figures in each row.
fn table(set: &DataSet, every: &Half, best: &Half, columns: usize) -> String {
    let names = ["accuracy", "P", "R", "F"];
    let mut head = vec![format!("{}, columns", set.name)];
    for half in ["all", "best"] {
        head.extend(names.map(|name| {
            if name == "accuracy" {
                format!("{half} accuracy")
            } else {
                name.to_owned()
            }
        }));
        head.push("FIASCO accuracy".to_owned());
        head.extend(names[1..].iter().map(|&name| name.to_owned()));
    }
    let mut table = Table {
        columns: head,
        rows: Vec::new(),
    };
    let cells = |ours: Figures, theirs: Option<Figures>| -> Vec<String> {
        let first = |figures: Figures| format!("{:.2}", figures[0] * 100.0);
        let rest = |figures: Figures| {
            figures[1..]
                .iter()
                .map(|figure| format!("{figure:.3}"))
                .collect::<Vec<_>>()
        };
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
        row.extend(cells(
            figures(one.counts),
            subset.map(|subset| subset.fiasco_all),
        ));
        row.extend(cells(
            figures(other.counts),
            subset.map(|subset| subset.fiasco_best),
        ));
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

// Errors of the model on all columns: wrong blocks of a data set, by length and by page.

/// Maximum number of wrong blocks shown per page.
const SHOWN: usize = 6;
/// Maximum number of characters shown of each.
const EXCERPT_CHARS: usize = 70;
/// Ranges of block lengths, in characters, for which errors are counted.
const LENGTHS: [(&str, std::ops::Range<usize>); 4] = [
    ("under 10 characters", 0..10),
    ("10 to 29", 10..30),
    ("30 to 99", 30..100),
    ("100 and more", 100..usize::MAX),
];

/// Pages, and out-of-fold margins of their targets.
struct Judged<'a> {
    pages: Vec<&'a TrainingPage>,
    held_out: Vec<Vec<f32>>,
}

impl Judged<'_> {
    fn is_wrong(&self, page: usize, target: usize) -> bool {
        (self.held_out[page][target] > 0.0) != self.pages[page].is_content(target)
    }

    /// Indexes of the pages with their wrong targets; pages with most errors first.
    fn most_wrong(&self) -> Vec<(usize, Vec<usize>)> {
        let wrong = |(number, page): (usize, &&TrainingPage)| {
            (
                number,
                page.labelled()
                    .filter(|&target| self.is_wrong(number, target))
                    .collect(),
            )
        };
        let mut order: Vec<(usize, Vec<usize>)> =
            self.pages.iter().enumerate().map(wrong).collect();
        order.sort_by_key(|(number, wrong)| (Reverse(wrong.len()), *number));
        order
    }

    /// Blocks and errors by the length of the block.
    fn by_length(&self) -> Table {
        let mut lengths = Table::new(&[
            "blocks by length",
            "blocks",
            "wrong",
            "share",
            "of them content",
        ]);
        for (name, range) in LENGTHS {
            let (mut blocks, mut wrong, mut content) = (0u32, 0u32, 0u32);
            for (number, page) in self.pages.iter().enumerate() {
                for target in page
                    .labelled()
                    .filter(|&target| range.contains(&(page.shape.lengths[target] as usize)))
                {
                    blocks += 1;
                    wrong += u32::from(self.is_wrong(number, target));
                    content += u32::from(self.is_wrong(number, target) && page.is_content(target));
                }
            }
            let share = format!(
                "{:.2} %",
                100.0 * f64::from(wrong) / f64::from(blocks.max(1))
            );
            lengths.push(vec![
                name.to_owned(),
                blocks.to_string(),
                wrong.to_string(),
                share,
                content.to_string(),
            ]);
        }
        lengths
    }
}

/// Errors on the best aligned pages: by length, and the worst pages in detail.
pub(super) fn errors(
    set: &DataSet,
    columns: &[String],
    examples: &[Example],
    capturing: &Capturing,
    options: &TableOptions,
) -> Result<String, ExperimentError> {
    let pages = best_pages(examples, options.best_aligned);
    let mut first_stage = options.train_options(options.folds.unwrap_or(FOLDS));
    first_stage.stages.truncate(1);
    let held_out = train(columns, &pages, &first_stage, &|_| {})?.held_out;
    let judged = Judged { pages, held_out };
    let order = judged.most_wrong();
    let all_wrong: usize = order.iter().map(|(_, wrong)| wrong.len()).sum();
    let mut text = judged.by_length().to_text();
    let _ = writeln!(
        text,
        "half of the {all_wrong} wrong blocks are on {} of {} pages",
        pages_with_half(&order, all_wrong),
        judged.pages.len()
    );
    for (number, wrong) in order.iter().take(options.worst) {
        let page = judged.pages[*number];
        let Some(example) = examples
            .iter()
            .find(|example| std::ptr::eq(&raw const example.page, page))
        else {
            continue;
        };
        let Some(row) = set.rows.iter().find(|row| row.id == example.id) else {
            continue;
        };
        let capture = capturing.capture(set, row)?;
        let targets = target::select(&capture, options.targets);
        let _ = writeln!(
            text,
            "\n{}: {} of {} blocks wrong",
            example.id,
            wrong.len(),
            page.labels.len()
        );
        let step = wrong.len().div_ceil(SHOWN).max(1);
        for &target in wrong.iter().step_by(step) {
            let kind = if page.is_content(target) {
                "content dropped"
            } else {
                "boilerplate kept"
            };
            let block = targets[target].text(&capture.dom);
            let start = excerpt(&block, EXCERPT_CHARS);
            let _ = writeln!(
                text,
                "  {kind} ({:+.2}): {start}",
                judged.held_out[*number][target]
            );
        }
    }
    Ok(text)
}

/// How many pages, from the first on, have half of the wrong targets.
fn pages_with_half(order: &[(usize, Vec<usize>)], all_wrong: usize) -> usize {
    let mut left = all_wrong;
    let is_needed = |(_, wrong): &&(usize, Vec<usize>)| {
        let is_needed = left * 2 > all_wrong;
        left -= wrong.len();
        is_needed
    };
    order.iter().take_while(is_needed).count()
}
