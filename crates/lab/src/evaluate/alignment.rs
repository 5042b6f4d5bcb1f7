//! Quality of the alignment of gold text with the targets of its pages: the output of `vclean lab
//! align`.

use super::BlockScore;
use super::agreement::kappa;
use super::metrics::mean;
use super::table::Table;
use crate::gold::human::read_opinions;
use crate::gold::labels::{LabelRow, label_rows, write_labels};
use crate::gold::{
    Alignment, Capturing, Coverage, Progress, Quality, best_aligned, each_page, gold_without_row,
    label, read_gold,
};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use vclean_core::error::{DataError, Error};
use vclean_core::files::{self, FileError};
use vclean_core::target::{self, TargetRule};
use vclean_core::text;
use vclean_run::source::{DataSet, Row, Split};

/// How pages are aligned.
#[derive(Debug, Clone, Default)]
pub struct AlignOptions {
    /// Split whose pages are aligned.
    pub split: Split,
    /// How gold text is aligned with targets.
    pub alignment: Alignment,
    /// How targets are selected.
    pub targets: TargetRule,
    /// The share of the pages of each set that is kept, the best aligned ones; `None` for all.
    pub best_aligned: Option<f64>,
    /// Folder for files of labels, with one folder per set.
    pub labels: Option<PathBuf>,
}

/// One page and how well its gold is aligned with it.
#[derive(Debug, Serialize)]
pub struct AlignedPage {
    /// Name of its set.
    pub set: String,
    /// Its name in the set.
    pub id: String,
    /// How much of the gold the labelled targets contain.
    #[serde(flatten)]
    pub coverage: Coverage,
    /// How well the labels reproduce the gold.
    pub quality: Quality,
    /// Why the alignment of the page is bad, if it is.
    pub trouble: Option<String>,
    /// Scores of each alignment by name, compared with the human's labels, if there are any.
    pub human: Vec<(&'static str, BlockScore)>,
    #[serde(skip)]
    labels: Vec<LabelRow>,
}

/// The pages of one set.
#[derive(Debug)]
pub struct AlignedSet {
    /// Name of the data set.
    pub name: String,
    /// Its pages that are kept.
    pub pages: Vec<AlignedPage>,
    /// Number of pages left out because others are aligned better.
    pub left_out: usize,
    /// Number of pages that could not be aligned, plus gold files without a page; each was reported
    /// to `progress`.
    pub failed: usize,
}

/// Pages of data sets cannot be aligned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AlignError {
    /// A data folder cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A file of labels cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Aligns the pages of a set, and writes their labels if a folder is given.
///
/// # Errors
/// If the folder of gold cannot be read, or labels cannot be written.
pub fn align_set(
    set: &DataSet,
    capturing: &Capturing,
    options: &AlignOptions,
    progress: &dyn Progress,
) -> Result<AlignedSet, AlignError> {
    let without_row = gold_without_row(set)?;
    for id in &without_row {
        progress.page_failed(&set.name, id, "there is gold but no row in manifest.jsonl");
    }
    let rows = set.split(options.split);
    let found: Vec<Result<AlignedPage, Error>> = each_page(set, &rows, progress, |row| {
        align_page(set, row, capturing, options)
    });
    let mut aligned = AlignedSet {
        name: set.name.clone(),
        pages: Vec::new(),
        left_out: 0,
        failed: without_row.len(),
    };
    for (row, page) in rows.iter().zip(found) {
        match page {
            Ok(page) => aligned.pages.push(page),
            Err(cause) => {
                progress.page_failed(&set.name, &row.id, &cause.to_string());
                aligned.failed += 1;
            }
        }
    }
    if let Some(share) = options.best_aligned {
        let all = aligned.pages.len();
        let qualities: Vec<Quality> = aligned.pages.iter().map(|page| page.quality).collect();
        let mut is_kept = best_aligned(&qualities, share).into_iter();
        aligned.pages.retain(|_| is_kept.next().unwrap_or(false));
        aligned.left_out = all - aligned.pages.len();
    }
    if let Some(folder) = &options.labels {
        write_all_labels(&folder.join(&set.name), &aligned.pages)?;
    }
    Ok(aligned)
}

fn align_page(
    set: &DataSet,
    row: &Row,
    capturing: &Capturing,
    options: &AlignOptions,
) -> Result<AlignedPage, Error> {
    let capture = capturing.capture(set, row)?;
    let targets = target::select(&capture, options.targets);
    let texts: Vec<String> = targets
        .iter()
        .map(|target| target.text(&capture.dom))
        .collect();
    let labelling = label(set, row, &capture, &targets, &texts, options.alignment)?;
    let unreadable = |error: DataError| Error::Limit(error.to_string());
    let gold = read_gold(set, row).map_err(unreadable)?;
    let gold = gold
        .text
        .or(gold.snippets.map(|snippets| snippets.with.join("\n")))
        .unwrap_or_default();
    let coverage = Coverage::measure(&texts, &labelling, &gold);
    let mut human = Vec::new();
    if let Some(labels) = read_opinions(set, row, &texts).map_err(unreadable)? {
        for &(name, alignment) in Alignment::ALL {
            let score = if alignment == options.alignment {
                BlockScore::against_human(&labelling, &labels)
            } else {
                BlockScore::against_human(
                    &label(set, row, &capture, &targets, &texts, alignment)?,
                    &labels,
                )
            };
            human.push((name, score));
        }
    }
    Ok(AlignedPage {
        set: set.name.clone(),
        id: row.id.clone(),
        trouble: coverage.trouble(labelling.quality),
        coverage,
        quality: labelling.quality,
        human,
        labels: if options.labels.is_some() {
            label_rows(&capture, &targets, &labelling)
        } else {
            Vec::new()
        },
    })
}

fn write_all_labels(folder: &Path, pages: &[AlignedPage]) -> Result<(), FileError> {
    files::make_folder(folder)?;
    pages
        .iter()
        .try_for_each(|page| write_labels(&folder.join(format!("{}.json", page.id)), &page.labels))
}

// The output of `vclean lab align`: one table per set, and the worst pages with the gold that is in
// no content block.

/// Characters of a segment that are quoted.
const QUOTED_CHARS: usize = 70;
/// Segments quoted of one page.
const QUOTED: usize = 8;
/// FIASCO called an alignment relatively good from this share of found segments on (section 5.1).
const GOOD_SHARE: f64 = 0.8;

/// The figures of a set, then its `worst` worst aligned pages.
pub fn report(set: &AlignedSet, worst: usize) -> String {
    format!(
        "{}{}\n",
        figures(&set.name, &set.pages, set.left_out),
        page_lines(&set.pages, worst)
    )
}

/// The figures of a set; `left_out` pages of it were left out for their alignment.
fn figures(set: &str, pages: &[AlignedPage], left_out: usize) -> String {
    let mut text = coverage_table(set, pages).to_text();
    let count = |is: &dyn Fn(&AlignedPage) -> bool| pages.iter().filter(|page| is(page)).count();
    let all = count(&|page| page.coverage.missing.is_empty());
    let good = count(&|page| page.coverage.segments_found() >= GOOD_SHARE) - all;
    let _ = writeln!(
        text,
        "gold segments in content blocks: all on {all} pages, {GOOD_SHARE} or more on {good}, fewer on {} (FIASCO: a third each)",
        pages.len() - all - good
    );
    let _ = writeln!(text, "bad pages: {}", count(&|page| page.quality.is_bad));
    if left_out > 0 {
        let _ = writeln!(text, "left out as worst aligned: {left_out}");
    }
    text.push_str(&human_table(pages));
    text
}

/// Sums and means over the pages of a set, in one row.
fn coverage_table(set: &str, pages: &[AlignedPage]) -> Table {
    let sum = |value: fn(&AlignedPage) -> usize| pages.iter().map(value).sum::<usize>().to_string();
    let share = |value: fn(&AlignedPage) -> f64| {
        format!(
            "{:.3}",
            if pages.is_empty() {
                0.0
            } else {
                mean(&pages.iter().map(value).collect::<Vec<_>>())
            }
        )
    };
    let mut table = Table::new(&[
        set,
        "blocks",
        "content",
        "boilerplate",
        "unlabelled",
        "gold found",
        "content is gold",
        "Dice",
        "F",
    ]);
    table.push(vec![
        format!("{} pages", pages.len()),
        sum(|page| page.coverage.targets()),
        sum(|page| page.coverage.content),
        sum(|page| page.coverage.boilerplate),
        sum(|page| page.coverage.unlabelled),
        share(|page| page.coverage.found),
        share(|page| page.coverage.gold),
        share(|page| page.coverage.dice),
        share(|page| page.quality.oracle.f1),
    ]);
    table
}

/// How well each alignment agrees with the human's labels; empty if there are none.
fn human_table(pages: &[AlignedPage]) -> String {
    let Some(first) = pages.iter().find(|page| !page.human.is_empty()) else {
        return String::new();
    };
    let mut table = Table::new(&[
        "against human labels",
        "pages",
        "blocks",
        "accuracy",
        "kappa",
        "content P",
        "R",
        "F",
    ]);
    for (place, (name, _)) in first.human.iter().enumerate() {
        let scores: Vec<BlockScore> = pages
            .iter()
            .filter_map(|page| page.human.get(place).map(|(_, score)| *score))
            .collect();
        let sum = scores
            .iter()
            .fold(BlockScore::default(), |sum, score| sum.plus(*score));
        let content = sum.score();
        let mut cells = vec![
            (*name).to_owned(),
            scores.len().to_string(),
            sum.blocks().to_string(),
        ];
        cells.extend(
            [
                sum.accuracy(),
                kappa(sum),
                content.precision,
                content.recall,
                content.f1,
            ]
            .map(|value| format!("{value:.4}")),
        );
        table.push(cells);
    }
    table.to_text()
}

/// The `count` worst aligned pages, worst first, each with the segments of its gold that are in no
/// content block.
fn page_lines(pages: &[AlignedPage], count: usize) -> String {
    let mut order: Vec<&AlignedPage> = pages.iter().collect();
    order.sort_by(|one, other| {
        one.quality
            .oracle
            .f1
            .total_cmp(&other.quality.oracle.f1)
            .then_with(|| one.id.cmp(&other.id))
    });
    let mut text = String::new();
    for page in order.into_iter().take(count) {
        let coverage = &page.coverage;
        let _ = writeln!(
            text,
            "\n{}: {} targets, {} content, {} boilerplate, {} unlabelled; gold found {:.3}, content is gold {:.3}, Dice {:.3}, F {:.3}",
            page.id,
            coverage.targets(),
            coverage.content,
            coverage.boilerplate,
            coverage.unlabelled,
            coverage.found,
            coverage.gold,
            coverage.dice,
            page.quality.oracle.f1
        );
        if let Some(trouble) = &page.trouble {
            let _ = writeln!(text, "  bad: {trouble}");
        }
        for (name, score) in &page.human {
            let _ = writeln!(
                text,
                "  {name} against the human: {:.3} of {} targets",
                score.accuracy(),
                score.blocks()
            );
        }
        if !coverage.missing.is_empty() {
            let _ = writeln!(
                text,
                "  gold in no content block, {} of {} segments:",
                coverage.missing.len(),
                coverage.segments
            );
        }
        for segment in coverage.missing.iter().take(QUOTED) {
            let _ = writeln!(text, "    \"{}\"", shortened(segment));
        }
        if coverage.missing.len() > QUOTED {
            let _ = writeln!(text, "    and {} more", coverage.missing.len() - QUOTED);
        }
    }
    text
}

fn shortened(segment: &str) -> String {
    text::shorten(&text::collapse(segment), QUOTED_CHARS, QUOTED_CHARS, "...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_segments_are_cut_at_a_character() {
        assert_eq!(shortened("  a\n b "), "a b");
        assert_eq!(
            shortened(&"字".repeat(QUOTED_CHARS + 1)),
            format!("{}...", "字".repeat(QUOTED_CHARS))
        );
    }

    #[test]
    fn a_set_without_pages_has_a_table() {
        assert!(figures("none", &[], 0).contains("0 pages"));
        assert_eq!(page_lines(&[], 3), "");
    }
}
