//! Errors of the model on all columns: wrong blocks of a data set, by length and by page.

use super::error::ExperimentError;
use super::subsets::FOLDS;
use super::table_options::TableOptions;
use crate::evaluate::Table;
use crate::gold::Capturing;
use crate::source::DataSet;
use crate::target;
use crate::text::excerpt;
use crate::train::gathering::best_pages;
use crate::train::{Example, TrainingPage, train};
use std::cmp::Reverse;
use std::fmt::Write;

/// Maximum number of wrong blocks shown per page.
const SHOWN: usize = 6;
/// Maximum number of characters shown of each.
const EXCERPT_CHARS: usize = 70;
/// Ranges of block lengths, in characters, for which errors are counted.
const LENGTHS: [(&str, std::ops::Range<usize>); 4] =
    [("under 10 characters", 0..10), ("10 to 29", 10..30), ("30 to 99", 30..100), ("100 and more", 100..usize::MAX)];

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
            (number, page.labelled().filter(|&target| self.is_wrong(number, target)).collect())
        };
        let mut order: Vec<(usize, Vec<usize>)> = self.pages.iter().enumerate().map(wrong).collect();
        order.sort_by_key(|(number, wrong)| (Reverse(wrong.len()), *number));
        order
    }

    /// Blocks and errors by the length of the block.
    fn by_length(&self) -> Table {
        let mut lengths = Table::new(&["blocks by length", "blocks", "wrong", "share", "of them content"]);
        for (name, range) in LENGTHS {
            let (mut blocks, mut wrong, mut content) = (0u32, 0u32, 0u32);
            for (number, page) in self.pages.iter().enumerate() {
                for target in page.labelled().filter(|&target| range.contains(&(page.shape.lengths[target] as usize))) {
                    blocks += 1;
                    wrong += u32::from(self.is_wrong(number, target));
                    content += u32::from(self.is_wrong(number, target) && page.is_content(target));
                }
            }
            let share = format!("{:.2} %", 100.0 * f64::from(wrong) / f64::from(blocks.max(1)));
            lengths.push(vec![name.to_owned(), blocks.to_string(), wrong.to_string(), share, content.to_string()]);
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
        let Some(example) = examples.iter().find(|example| std::ptr::eq(&raw const example.page, page)) else {
            continue;
        };
        let Some(row) = set.rows.iter().find(|row| row.id == example.id) else { continue };
        let capture = capturing.capture(set, row)?;
        let targets = target::select(&capture, options.targets);
        let _ = writeln!(text, "\n{}: {} of {} blocks wrong", example.id, wrong.len(), page.labels.len());
        let step = wrong.len().div_ceil(SHOWN).max(1);
        for &target in wrong.iter().step_by(step) {
            let kind = if page.is_content(target) { "content dropped" } else { "boilerplate kept" };
            let block = targets[target].text(&capture.dom);
            let start = excerpt(&block, EXCERPT_CHARS);
            let _ = writeln!(text, "  {kind} ({:+.2}): {start}", judged.held_out[*number][target]);
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
