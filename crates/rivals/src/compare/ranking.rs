//! Comparison of methods on one set: one row per method, with the same pages and the same scorer.

use serde::Serialize;
use vclean_lab::evaluate::BlockScore;
use vclean_lab::evaluate::Table;
use vclean_lab::evaluate::bootstrap::show;
use vclean_lab::evaluate::differences::{self, Compared};
use vclean_lab::evaluate::summary::{Figure, Summary, UNDER_FOUR_FIFTHS, UNDER_HALF};

/// One method over all pages of a set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodScores {
    /// Name of its row: the method, with its input if methods differ in that.
    pub name: String,
    /// Name of the method.
    pub method: String,
    /// Scores over all pages.
    pub summary: Summary,
    /// Its own blocks compared with labels aligned from the gold; none if it does not classify
    /// blocks of the tree.
    pub blocks: BlockScore,
    /// Median time per page on one thread, from the decoded page or the capture in memory to text,
    /// in milliseconds.
    pub median_ms: f64,
}

impl MethodScores {
    /// A headline score by its name, if the set has it.
    pub fn figure(&self, score: &str) -> Option<Figure> {
        Some(self.summary.score(score)?.figure)
    }
}

/// All methods on one set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideBySide {
    /// Name of the set.
    pub set: String,
    /// Split of these pages, such as `dev`.
    pub split: String,
    /// Number of pages in the split.
    pub pages: usize,
    /// One entry per method.
    #[serde(rename = "standings")]
    pub ranking: Vec<MethodScores>,
    /// The first method minus each of the others, on the same pages.
    pub differences: Vec<MethodDifferences>,
}

/// The first method minus another one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodDifferences {
    /// Name of the row of the first method.
    #[serde(rename = "of")]
    pub first: String,
    /// Name of the row of the other method.
    pub minus: String,
    /// The differences of their figures.
    pub figures: Vec<Compared>,
}

/// Columns of the table after the method's name: name, decimals, and the score of one method.
type Cell = fn(&MethodScores) -> Option<f64>;
const COLUMNS: &[(&str, usize, Cell)] = &[
    ("P", 3, |row| row.figure("words")?.precision),
    ("R", 3, |row| row.figure("words")?.recall),
    ("F", 3, |row| Some(row.figure("words")?.value)),
    ("median F", 3, |row| {
        Some(row.summary.score("words")?.median)
    }),
    ("bag F", 3, |row| Some(row.figure("bag of words")?.value)),
    ("shingle F", 3, |row| Some(row.figure("shingles")?.value)),
    ("CLEANEVAL text", 1, |row| {
        Some(100.0 * row.figure("CLEANEVAL text")?.value)
    }),
    ("combined", 1, |row| {
        Some(100.0 * row.figure("CLEANEVAL combined")?.value)
    }),
    ("snippets F", 3, |row| Some(row.figure("snippets")?.value)),
    ("block acc", 3, |row| {
        (row.blocks.blocks() > 0).then(|| row.blocks.accuracy())
    }),
    ("block F", 3, |row| {
        (row.blocks.blocks() > 0).then(|| row.blocks.score().f1)
    }),
    ("ms", 2, |row| Some(row.median_ms)),
];

impl SideBySide {
    /// One row per method; columns that no method has on this set are left out.
    pub fn table(&self) -> Table {
        let is_known = |(_, _, cell): &&(&str, usize, Cell)| {
            self.ranking.iter().any(|row| cell(row).is_some())
        };
        let columns: Vec<_> = COLUMNS.iter().filter(is_known).collect();
        let names = columns.iter().map(|(name, _, _)| *name);
        let mut table = Table::new(&std::iter::once("method").chain(names).collect::<Vec<_>>());
        for row in &self.ranking {
            let cell = |(_, decimals, cell): &&(&str, usize, Cell)| {
                cell(row).map_or_else(String::new, |value| format!("{value:.decimals$}"))
            };
            table.push(
                std::iter::once(row.name.clone())
                    .chain(columns.iter().map(cell))
                    .collect(),
            );
        }
        table
    }

    /// Word F and the shares of pages with a low one, with intervals by resampled sites, one row
    /// per method; then the difference of the first method from each other one.
    pub fn interval_tables(&self) -> Vec<Table> {
        let mut words = Table::new(&["method", "F (95 %)", "F < .5 (95 %)", "F < .8 (95 %)"]);
        for row in self
            .ranking
            .iter()
            .filter(|row| row.figure("words").is_some())
        {
            let cell = |name| {
                row.summary
                    .score(name)
                    .map(|score| show(score.figure.value, score.interval))
            };
            let cells =
                ["words", UNDER_HALF, UNDER_FOUR_FIFTHS].map(|name| cell(name).unwrap_or_default());
            words.push(std::iter::once(row.name.clone()).chain(cells).collect());
        }
        let rows: Vec<(&str, &[Compared])> = self
            .differences
            .iter()
            .map(|other| (other.minus.as_str(), other.figures.as_slice()))
            .collect();
        let first = self
            .ranking
            .first()
            .map(|row| format!("{} minus", row.name))
            .unwrap_or_default();
        [words, differences::table(&first, &rows)]
            .into_iter()
            .filter(|table| !table.rows.is_empty())
            .collect()
    }

    /// The scores of a method; with rendered pages if it was measured with them.
    pub fn find_method(&self, method: &str) -> Option<&MethodScores> {
        self.ranking.iter().find(|scores| scores.method == method)
    }
}

#[cfg(test)]
pub(crate) mod samples {
    //! A comparison of two methods.

    use super::*;
    use vclean_lab::evaluate::{Output, PageScore, score_page_in_brief};
    use vclean_lab::gold::Gold;
    use vclean_run::source::{GoldKind, Row};

    /// `dump` keeps everything, `ice-tree` half of one page.
    pub(crate) fn sample() -> SideBySide {
        let gold = Gold {
            text: Some("a b c d".into()),
            ..Gold::default()
        };
        let row = Row {
            id: "1".to_owned(),
            url: None,
            host: "1".to_owned(),
            lang: "en".to_owned(),
            split: "dev".to_owned(),
            gold_kind: GoldKind::Full,
            renders_layout: false,
            page_type: None,
            state: None,
            page: "x".into(),
        };
        let score = |text: &str| {
            let output = Output {
                text,
                marked: None,
                everything: None,
            };
            score_page_in_brief(&row, Some(output), &gold)
        };
        let scores = |name: &str, text: &str, true_positive| {
            let page: PageScore = score(text);
            MethodScores {
                name: name.to_owned(),
                method: name.to_owned(),
                summary: Summary::summarize("all", &[&page], 1),
                blocks: BlockScore {
                    true_positive,
                    ..BlockScore::default()
                },
                median_ms: 1.25,
            }
        };
        SideBySide {
            set: "toy".into(),
            split: "dev".into(),
            pages: 1,
            ranking: vec![
                scores("dump", "a b c d e f g h", 2),
                scores("ice-tree", "a b", 0),
            ],
            differences: vec![MethodDifferences {
                first: "dump".into(),
                minus: "ice-tree".into(),
                figures: differences::differences(
                    &[&score("a b c d e f g h")],
                    &[&score("a b")],
                    1,
                ),
            }],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::sample;

    #[test]
    fn columns_that_no_method_has_are_left_out() {
        let sample = sample();
        let table = sample.table();
        assert!(
            table.columns.contains(&"block F".to_owned())
                && !table.columns.contains(&"snippets F".to_owned())
        );
        assert_eq!(table.rows[0][..4], ["dump", "0.500", "1.000", "0.667"]);
        assert_eq!(table.rows[1][..4], ["ice-tree", "1.000", "0.500", "0.667"]);
        assert_eq!(
            table.rows[1][table.rows[1].len() - 2..],
            ["", "1.25"],
            "no blocks, no figure"
        );
        assert_eq!(sample.find_method("ice-tree").unwrap().name, "ice-tree");
    }

    #[test]
    fn shares_of_pages_with_a_low_score_and_differences_have_tables() {
        let tables = sample().interval_tables();
        assert_eq!(
            tables[0].rows,
            [
                ["dump", "0.667", "0.000", "1.000"],
                ["ice-tree", "0.667", "0.000", "1.000"]
            ]
        );
        assert_eq!(tables[1].columns[0], "dump minus");
        assert_eq!(tables[1].rows, [["ice-tree", "+0.000", "+0.000", "+0.000"]]);
    }
}
