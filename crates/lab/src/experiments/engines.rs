//! Compares the two engines: the agreement of the built-in one with Chromium on the pages of data
//! sets. The output of `vclean lab fidelity`.

use crate::evaluate::fidelity::{Correlations, PageFidelity, Paired, compare, summary};
use crate::evaluate::measured::cleaned_text;
use crate::evaluate::{Output, Table, score_page};
use crate::gold::{Capturing, Counts, Progress, check_gold, each_page, read_gold};
use std::fmt::Write;
use vclean_core::capture::Capture;
use vclean_core::error::{DataError, Error, ModelError};
use vclean_core::pipeline::{Options, PageCleaner};
use vclean_core::target::TargetRule;
use vclean_run::source::{DataSet, Row, Split};

/// F of words of a page: by engine (Chromium, built-in), then with the program's own choice of
/// models, then with each model alone.
type Scores = [[Option<f64>; 3]; 2];

/// The column of the program's own choice.
const CHOSEN: &str = "as evaluate";

/// The captures and models of both engines.
pub struct Engines {
    /// Where the captures of Chromium and those of the built-in engine come from.
    pub capturing: [Capturing; 2],
    models: [String; 2],
    cleaners: [PageCleaner; 3],
}

/// The comparison of one page.
pub struct ComparedPage<'a> {
    set: &'a DataSet,
    row: &'a Row,
    /// Blocks and figures by both engines.
    pub paired: Paired,
    scores: Scores,
}

/// The comparison of all pages.
pub struct ComparedEngines<'a> {
    /// The pages; those on which the engines disagree most come first.
    pub pages: Vec<ComparedPage<'a>>,
    /// Tables for all pages, with their headings.
    pub tables: [(&'static str, Table); 3],
    /// Number of pages that could not be compared; each was reported to `progress`.
    pub failed: usize,
}

impl Engines {
    /// Engines whose captures come from `capturing`, and a model for each of them, which is tried
    /// alone. In addition, pages are cleaned as by `vclean lab evaluate` without a model, where
    /// those for rendered pages and for bare HTML decide together.
    ///
    /// # Errors
    /// If a model cannot be read.
    pub fn new(capturing: [Capturing; 2], models: [String; 2]) -> Result<Self, ModelError> {
        let cleaner = |model: &String| {
            PageCleaner::new(&Options {
                model: Some(model.clone()),
                any_engine: true,
                ..Options::default()
            })
        };
        let cleaners = [
            PageCleaner::new(&Options::default())?,
            cleaner(&models[0])?,
            cleaner(&models[1])?,
        ];
        Ok(Self {
            capturing,
            models,
            cleaners,
        })
    }

    /// Compares the engines on the pages of a split.
    ///
    /// # Errors
    /// If gold is missing.
    pub fn compare<'a>(
        &self,
        sets: &'a [DataSet],
        split: Split,
        progress: &dyn Progress,
    ) -> Result<ComparedEngines<'a>, DataError> {
        let (mut pages, mut failed) = (Vec::new(), 0);
        for set in sets {
            let rows = set.split(split);
            check_gold(set, &rows)?;
            let results: Vec<Result<(Paired, Scores), Error>> =
                each_page(set, &rows, progress, |row| self.compare_page(set, row));
            for (row, result) in rows.into_iter().zip(results) {
                match result {
                    Ok((paired, scores)) => pages.push(ComparedPage {
                        set,
                        row,
                        paired,
                        scores,
                    }),
                    Err(error) => {
                        progress.page_failed(&set.name, &row.id, &error.to_string());
                        failed += 1;
                    }
                }
            }
        }
        let tables = self.tables(&pages);
        pages.sort_by(|a, b| {
            let (a, b) = (&a.paired.fidelity, &b.paired.fidelity);
            a.share_in_place()
                .total_cmp(&b.share_in_place())
                .then_with(|| a.id.cmp(&b.id))
        });
        Ok(ComparedEngines {
            pages,
            tables,
            failed,
        })
    }

    fn compare_page(&self, set: &DataSet, row: &Row) -> Result<(Paired, Scores), Error> {
        let captures = [
            self.capturing[0].capture(set, row)?,
            self.capturing[1].capture(set, row)?,
        ];
        let paired = compare(&row.id, [&captures[0], &captures[1]], TargetRule::default())?;
        let gold = read_gold(set, row).map_err(|error| Error::Limit(error.to_string()))?;
        let mut scores = Scores::default();
        for (capture, scores) in captures.iter().zip(&mut scores) {
            for (cleaner, score) in self.cleaners.iter().zip(scores) {
                let (_, text) = cleaned_text(cleaner, capture)?;
                let output = Output {
                    text: &text,
                    ..Output::default()
                };
                *score = score_page(row, Some(output), &gold)
                    .words
                    .map(|words| Counts::score(words).f1);
            }
        }
        Ok((paired, scores))
    }

    fn tables(&self, pages: &[ComparedPage<'_>]) -> [(&'static str, Table); 3] {
        let mut correlations = Correlations::default();
        for page in pages {
            correlations.add(&page.paired, "visual");
        }
        let figures: Vec<PageFidelity> = pages
            .iter()
            .map(|page| page.paired.fidelity.clone())
            .collect();
        [
            ("Heights and blocks", summary(&figures)),
            ("Word F, mean over pages", scores_table(pages, &self.models)),
            (
                "Visual features, lowest correlation first",
                correlations.table(),
            ),
        ]
    }
}

impl ComparedEngines<'_> {
    /// All tables, then the `worst` pages.
    pub fn to_text(&self, worst: usize) -> String {
        let mut text = String::new();
        for (heading, table) in &self.tables {
            let _ = writeln!(text, "{heading}\n{}", table.to_text());
        }
        let _ = write!(
            text,
            "Worst pages\n{}",
            pages_table(self.worst(worst)).to_text()
        );
        text
    }

    /// The pages on which the engines disagree most, at most `count`.
    pub fn worst(&self, count: usize) -> &[ComparedPage<'_>] {
        &self.pages[..count.min(self.pages.len())]
    }
}

impl ComparedPage<'_> {
    /// The captures of the page by both engines.
    ///
    /// # Errors
    /// If it cannot be captured.
    pub fn captures(&self, capturing: [&Capturing; 2]) -> Result<[Capture; 2], Error> {
        let [one, other] = capturing;
        Ok([
            one.capture(self.set, self.row)?,
            other.capture(self.set, self.row)?,
        ])
    }
}

/// Mean F of words: one row per engine, one column per model.
fn scores_table(pages: &[ComparedPage<'_>], models: &[String; 2]) -> Table {
    let mut table = Table::new(&["captures of", CHOSEN, &models[0], &models[1]]);
    for (engine, name) in ["Chromium", "the built-in engine"].into_iter().enumerate() {
        let mean = |model: usize| {
            let known: Vec<f64> = pages
                .iter()
                .filter_map(|page| page.scores[engine][model])
                .collect();
            format!(
                "{:.3}",
                known.iter().sum::<f64>() / known.len().max(1) as f64
            )
        };
        table.push(
            std::iter::once(name.to_owned())
                .chain((0..3).map(mean))
                .collect(),
        );
    }
    table
}

/// Agreement of the engines on each of these pages.
pub fn pages_table(pages: &[ComparedPage<'_>]) -> Table {
    let mut table = Table::new(&[
        "page",
        "blocks in place",
        "of the same size",
        "height ratio",
        "F, Chromium",
        "F, built-in",
    ]);
    let f = |score: Option<f64>| score.map_or_else(String::new, |score| format!("{score:.3}"));
    for page in pages {
        let found = &page.paired.fidelity;
        let all = found.targets[0].max(found.targets[1]);
        table.push(vec![
            found.id.clone(),
            format!("{:.3}", found.share_in_place()),
            format!("{:.3}", found.same_size as f64 / all.max(1) as f64),
            format!("{:.3}", found.height_ratio()),
            f(page.scores[0][0]),
            f(page.scores[1][0]),
        ]);
    }
    table
}
