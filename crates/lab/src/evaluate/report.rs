//! The scores of one system on one set: over all pages and over kinds of pages, as text and JSON.

use super::bootstrap::show;
use super::summary::{Figure, MacroScore, SCORES, Summary, UNDER_FOUR_FIFTHS, UNDER_HALF};
use super::table::Table;
use super::{PageScore, SnippetCounts};
use crate::gold::Counts;
use serde::Serialize;
use std::collections::BTreeMap;
use vclean_core::text;

/// All scores of one system on one set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Name of the set.
    pub set: String,
    /// The system, such as the name of a model.
    pub system: String,
    /// Over all pages, then by layout, page type, script and language, if there is more than one of
    /// each.
    pub summaries: Vec<Summary>,
    /// Scores of each page, in the order of the set.
    pub pages: Vec<PageScore>,
}

impl Report {
    /// Sums up the pages of a set.
    pub fn new(set: &str, system: &str, pages: Vec<PageScore>, seed: u64) -> Self {
        let mut groups: Vec<(String, Vec<&PageScore>)> =
            vec![("all".to_owned(), pages.iter().collect())];
        let by = |name: &dyn Fn(&PageScore) -> Option<String>| {
            let mut found: BTreeMap<String, Vec<&PageScore>> = BTreeMap::new();
            for page in &pages {
                if let Some(name) = name(page) {
                    found.entry(name).or_default().push(page);
                }
            }
            if found.len() > 1 {
                found.into_iter().collect()
            } else {
                Vec::new()
            }
        };
        groups.extend(by(&|page| {
            Some(
                if page.renders_layout {
                    "with layout"
                } else {
                    "without layout"
                }
                .to_owned(),
            )
        }));
        groups.extend(by(&|page| {
            page.page_type
                .as_ref()
                .map(|kind| format!("page type {kind}"))
        }));
        groups.extend(by(&|page| Some(format!("script {}", script(&page.lang)))));
        groups.extend(by(&|page| {
            Some(format!("language {}", language(&page.lang)))
        }));
        let summaries = groups
            .iter()
            .map(|(name, pages)| Summary::summarize(name, pages, seed))
            .collect();
        Self {
            set: set.to_owned(),
            system: system.to_owned(),
            summaries,
            pages,
        }
    }

    /// Scores over all pages.
    pub fn all(&self) -> &Summary {
        &self.summaries[0]
    }

    /// The summaries as aligned text, at most 120 columns wide: every score over all pages, then
    /// the main ones by group.
    pub fn to_text(&self) -> String {
        let all = self.all();
        let complexity = all
            .complexity
            .map(|share| format!(", complexity {share:.3}"))
            .unwrap_or_default();
        format!(
            "{}: {}, {} pages, {} without output{complexity}\n{}\n{}{}",
            self.set,
            self.system,
            all.count,
            all.failed,
            self.scores_table().to_text(),
            self.groups_table().to_text(),
            self.words_table()
                .map(|table| format!("\n{}", table.to_text()))
                .unwrap_or_default()
        )
    }

    /// Every score over all pages: one row per score.
    pub(crate) fn scores_table(&self) -> Table {
        let names = [
            "score", "n", "P", "R", "F", "95 %", "mean", "median", "pooled P", "pooled R",
            "pooled F",
        ];
        let mut table = Table::new(&names);
        for score in &self.all().scores {
            let mut row = vec![score.score.to_owned(), score.pages.to_string()];
            row.extend(cells(Some(score.figure)));
            let interval = score
                .interval
                .map(|interval| interval.to_string())
                .unwrap_or_default();
            row.extend([interval, number(score.mean.value), number(score.median)]);
            row.extend(cells(score.pooled));
            table.push(row);
        }
        table
    }

    /// The main scores, one row per group of pages: precision and recall of words, then values.
    pub(crate) fn groups_table(&self) -> Table {
        let columns = || {
            SCORES
                .iter()
                .filter_map(|score| Some((score.name, score.column?)))
        };
        let is_there = |name: &str| self.all().score(name).is_some();
        let mut names = vec!["pages", "n", "failed"];
        if is_there("words") {
            names.extend(["P", "R"]);
        }
        names.extend(
            columns()
                .filter(|(name, _)| is_there(name))
                .map(|(_, column)| column),
        );
        let mut table = Table::new(&names);
        for group in &self.summaries {
            let figure = |name: &str| group.score(name).map(|score| score.figure);
            let mut row = vec![
                shorten(&group.pages),
                group.count.to_string(),
                group.failed.to_string(),
            ];
            if is_there("words") {
                row.extend(cells(figure("words")).into_iter().take(2));
            }
            for (name, _) in columns().filter(|(name, _)| is_there(name)) {
                row.push(
                    figure(name)
                        .map(|figure| number(figure.value))
                        .unwrap_or_default(),
                );
            }
            table.push(row);
        }
        table
    }

    /// Word F and the shares of pages with a low one, with their intervals: one row per group of
    /// pages. `None` if no page has full gold.
    pub(crate) fn words_table(&self) -> Option<Table> {
        self.all().score("words")?;
        let mut table = Table::new(&[
            "pages",
            "n",
            "sites",
            "F (95 %)",
            "F < .5 (95 %)",
            "F < .8 (95 %)",
        ]);
        for group in &self.summaries {
            let mut row = vec![
                shorten(&group.pages),
                group.count.to_string(),
                group.sites.to_string(),
            ];
            row.extend(["words", UNDER_HALF, UNDER_FOUR_FIFTHS].map(|name| {
                group
                    .score(name)
                    .map(|score| show(score.figure.value, score.interval))
                    .unwrap_or_default()
            }));
            table.push(row);
        }
        Some(table)
    }

    /// The whole report as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a report has string keys only")
    }
}

/// The macro means over data sets as aligned text: one row per score.
pub fn macro_table(scores: &[MacroScore]) -> Table {
    let mut table = Table::new(&["mean of data sets", "sets", "P", "R", "F"]);
    for score in scores {
        let mut row = vec![score.score.to_owned(), score.sets.to_string()];
        row.extend(cells(Some(score.figure)));
        table.push(row);
    }
    table
}

fn number(value: f64) -> String {
    format!("{value:.3}")
}

/// Precision, recall and value; empty cells for missing ones.
fn cells(figure: Option<Figure>) -> [String; 3] {
    let Figure {
        precision,
        recall,
        value,
    } = figure.unwrap_or_default();
    let or_empty = |part: Option<f64>| part.map(number).unwrap_or_default();
    [
        or_empty(precision),
        or_empty(recall),
        or_empty(figure.map(|_| value)),
    ]
}

/// Characters of a group's name in a printed table; page types and languages come from manifests.
const NAME_CHARS: usize = 28;

fn shorten(name: &str) -> String {
    text::shorten(name, NAME_CHARS, NAME_CHARS - 1, "…")
}

/// The language of a tag, without script and region; `unknown` for none.
fn language(lang: &str) -> String {
    match lang.split(['-', '_']).next().unwrap_or("") {
        "" | "und" => "unknown".to_owned(),
        language => language.to_ascii_lowercase(),
    }
}

/// The script of a language, in coarse groups that differ in how hard their pages are.
fn script(lang: &str) -> &'static str {
    match lang.split(['-', '_']).next().unwrap_or("") {
        "" | "und" => "unknown",
        "zh" | "ja" | "yue" | "wuu" => "cjk",
        "ko" => "hangul",
        "ar" | "fa" | "ur" | "he" | "yi" | "ps" | "ckb" => "right-to-left",
        "ru" | "uk" | "bg" | "sr" | "mk" | "be" | "kk" | "mn" => "cyrillic",
        "el" => "greek",
        "hi" | "bn" | "ta" | "te" | "mr" | "ne" | "gu" | "kn" | "ml" | "pa" | "si" => "indic",
        "th" | "lo" | "km" | "my" => "southeast-asian",
        _ => "latin",
    }
}

// The pages with the lowest scores, for manual inspection.

/// The `count` pages with the lowest F as a table, worst first; `None` for none. Words are
/// characters on Chinese and Japanese pages; on a page with snippets only, precision, recall and F
/// are those of its snippets.
pub(crate) fn worst_pages(scores: &[PageScore], count: usize) -> Option<Table> {
    let worst: Vec<&PageScore> = PageScore::worst_first(scores)
        .into_iter()
        .take(count)
        .collect();
    let has_type = worst.iter().any(|page| page.page_type.is_some());
    let mut names = vec!["worst pages"];
    names.extend(has_type.then_some("page type"));
    names.extend(["F", "P", "R", "words kept", "words of gold"]);
    let mut table = Table::new(&names);
    for page in worst {
        let mut cells = vec![page.id.clone()];
        cells.extend(has_type.then(|| page.page_type.clone().unwrap_or_default()));
        let score = page
            .words
            .map(Counts::score)
            .or_else(|| page.snippets.map(SnippetCounts::score));
        let score = score.unwrap_or_default();
        cells.extend([score.f1, score.precision, score.recall].map(|value| format!("{value:.3}")));
        if let Some(Counts {
            true_positive,
            false_positive,
            false_negative,
        }) = page.words
        {
            cells.extend(
                [
                    true_positive + false_positive,
                    true_positive + false_negative,
                ]
                .map(|words| words.to_string()),
            );
        }
        table.push(cells);
    }
    (!table.rows.is_empty()).then_some(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::page::samples::row;
    use crate::evaluate::{Output, score_page, score_page_in_brief};
    use crate::gold::{Gold, Snippets};

    fn page(id: &str, lang: &str, renders_layout: bool, output: Option<&str>) -> PageScore {
        let mut row = row(id);
        row.lang = lang.to_owned();
        row.renders_layout = renders_layout;
        row.page_type = Some(format!("a page type of a very long name {renders_layout}"));
        let snippets = Some(Snippets {
            with: vec!["a".into()],
            without: vec!["x".into()],
        });
        let gold = Gold {
            text: Some("a b c d".to_owned()),
            snippets,
            marked: Some("<p>a b c d".into()),
            comments: None,
        };
        score_page(
            &row,
            output.map(|text| Output {
                text,
                marked: Some(text),
                everything: Some("a b c d e"),
            }),
            &gold,
        )
    }

    #[test]
    fn a_report_has_all_pages_and_the_kinds_of_page() {
        let pages = vec![
            page("1", "en", true, Some("a b c d")),
            page("2", "de-AT", false, None),
            page("3", "ru", false, Some("a b")),
        ];
        let report = Report::new("set", "model", pages, 7);
        let names: Vec<_> = report
            .summaries
            .iter()
            .map(|summary| summary.pages.as_str())
            .collect();
        assert_eq!(names[..3], ["all", "with layout", "without layout"]);
        assert_eq!(
            names[5..],
            [
                "script cyrillic",
                "script latin",
                "language de",
                "language en",
                "language ru"
            ]
        );
        let all = report.all();
        assert_eq!((all.count, all.failed), (3, 1));
        assert!((all.score("words").unwrap().figure.recall.unwrap() - 0.5).abs() < 1e-12);
        let text = report.to_text();
        let layout: Vec<&str> = text
            .lines()
            .find(|line| line.starts_with("with layout"))
            .unwrap()
            .split_whitespace()
            .collect();
        assert_eq!(layout[2..7], ["1", "0", "1.000", "1.000", "1.000"]);
        assert!(
            text.lines().all(|line| line.chars().count() <= 120),
            "{text}"
        );
        assert!(
            text.starts_with("set: model, 3 pages, 1 without output, complexity 0.200\n"),
            "{text}"
        );
        let words = report.words_table().unwrap();
        assert_eq!(words.rows[0], ["all", "3", "3", "0.556", "0.333", "0.667"]);
        assert_eq!(words.rows.len(), report.summaries.len());
        assert!(
            words
                .rows
                .iter()
                .any(|row| row[0].starts_with("page type ") && row[4] == "0.500"),
            "{words:?}"
        );
        let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
        assert_eq!(
            json["summaries"][0]["scores"].as_array().unwrap().len(),
            SCORES.len()
        );
        assert_eq!(json["pages"][0]["rouge_lsum"]["true_positive"], 4);
    }

    #[test]
    fn a_set_with_snippets_only_has_no_empty_columns() {
        let gold = Gold {
            snippets: Some(Snippets {
                with: vec!["a".into()],
                without: vec!["b".into()],
            }),
            ..Gold::default()
        };
        let output = Output {
            text: "a",
            ..Output::default()
        };
        let report = Report::new(
            "set",
            "model",
            vec![score_page(&row("1"), Some(output), &gold)],
            7,
        );
        assert_eq!(
            report.groups_table().columns,
            ["pages", "n", "failed", "snippets"]
        );
        assert_eq!(report.words_table(), None);
        assert_eq!(report.scores_table().rows.len(), 4);
    }

    #[test]
    fn a_macro_table_has_one_row_per_score() {
        let report = Report::new(
            "set",
            "model",
            vec![page("1", "en", true, Some("a b c d"))],
            7,
        );
        let table = macro_table(&crate::evaluate::summary::macro_scores(&[
            report.all(),
            report.all(),
        ]));
        assert_eq!(table.rows[0], ["words", "2", "1.000", "1.000", "1.000"]);
        assert_eq!(table.rows.len(), SCORES.len());
    }

    #[test]
    fn the_worst_pages_come_with_their_type_and_words() {
        let gold = Gold {
            text: Some("a b".into()),
            ..Gold::default()
        };
        let page = |id: &str, text: &str| {
            let mut row = row(id);
            row.page_type = Some(format!("type of {id}"));
            score_page_in_brief(
                &row,
                Some(Output {
                    text,
                    ..Output::default()
                }),
                &gold,
            )
        };
        let pages = [
            page("good", "a b"),
            page("long", "a b c d e f g h"),
            page("empty", ""),
        ];
        let table = worst_pages(&pages, 2).unwrap();
        assert_eq!(
            table.columns,
            [
                "worst pages",
                "page type",
                "F",
                "P",
                "R",
                "words kept",
                "words of gold"
            ]
        );
        assert_eq!(table.rows[0][..3], ["empty", "type of empty", "0.000"]);
        assert_eq!(
            table.rows[1],
            ["long", "type of long", "0.400", "0.250", "1.000", "8", "2"]
        );
        assert_eq!(worst_pages(&pages, 0), None);
    }

    #[test]
    fn pages_with_snippets_only_have_no_words() {
        let gold = Gold {
            snippets: Some(Snippets {
                with: vec!["a".into()],
                without: vec!["b".into()],
            }),
            ..Gold::default()
        };
        let page = score_page_in_brief(
            &row("1"),
            Some(Output {
                text: "a",
                ..Output::default()
            }),
            &gold,
        );
        assert_eq!(
            worst_pages(&[page], 1).unwrap().rows,
            [["1", "1.000", "1.000", "1.000"]]
        );
    }
}
