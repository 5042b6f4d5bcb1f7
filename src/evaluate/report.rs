//! Tables of scores: for one set and one system, over all pages and over the kinds of page that matter.

use super::metrics::{Counts, PageScore, Shingles, SnippetCounts, WordScore, bootstrap, mean, median, shingle_score};
use super::words::is_cjk;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Resamples for an interval, as the article benchmark takes.
const RESAMPLES: usize = 1000;

/// Plain text in columns: the first flush left, the others flush right.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// Names over the columns.
    pub columns: Vec<String>,
    /// Cells, one vector a row.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(columns: &[&str]) -> Self {
        Self { columns: columns.iter().map(|&name| name.to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row; missing cells stay empty.
    pub fn push(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as aligned lines, each ended by a line break.
    pub fn to_text(&self) -> String {
        let width = |text: &str| text.chars().map(|c| if is_cjk(c) { 2 } else { 1 }).sum::<usize>();
        let lines = || std::iter::once(&self.columns).chain(&self.rows);
        let mut widths = vec![0; lines().map(Vec::len).max().unwrap_or(0)];
        for line in lines() {
            for (column, cell) in line.iter().enumerate() {
                widths[column] = widths[column].max(width(cell));
            }
        }
        let mut text = String::new();
        for line in lines() {
            let mut row = String::new();
            for (column, cell) in line.iter().enumerate() {
                let space = " ".repeat(widths[column] - width(cell));
                if column == 0 {
                    row = format!("{cell}{space}");
                } else {
                    let _ = write!(row, "  {space}{cell}");
                }
            }
            text.push_str(row.trim_end());
            text.push('\n');
        }
        text
    }
}

/// Scores over a number of pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Which pages, such as `all` or `page type forum`.
    pub pages: String,
    /// How many.
    pub count: usize,
    /// How many of them have no output.
    pub failed: usize,
    /// Scores against full gold; absent without.
    pub full: Option<FullSummary>,
    /// Scores against snippets; absent without.
    pub snippets: Option<SnippetSummary>,
}

/// Scores against full gold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FullSummary {
    /// By alignment without autojunk, mean over pages.
    pub words: WordScore,
    /// Median of its F over pages.
    pub words_median_f1: f64,
    /// 95 % of bootstrap means of its F lie between these.
    pub words_f1_interval: (f64, f64),
    /// All pages' words taken together.
    pub words_pooled: WordScore,
    /// By alignment with autojunk, mean over pages.
    pub words_autojunk: WordScore,
    /// By bag of words, mean over pages.
    pub bag: WordScore,
    /// By shingles, as the article benchmark.
    pub shingles: WordScore,
    /// Share of pages whose words are exactly the gold's.
    pub exact: f64,
}

/// Scores against snippets, pooled.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SnippetSummary {
    /// Of `with` snippets.
    pub score: WordScore,
    /// Share of snippets judged rightly.
    pub accuracy: f64,
}

impl Summary {
    /// Scores over `scores`, under a name; the interval repeats for a seed.
    pub fn of(pages: &str, scores: &[&PageScore], seed: u64) -> Self {
        let words: Vec<Counts> = scores.iter().filter_map(|page| page.words).collect();
        let of_pages = |counts: fn(&PageScore) -> Option<Counts>| {
            let all: Vec<WordScore> = scores.iter().filter_map(|page| counts(page)).map(Counts::score).collect();
            WordScore::mean(&all)
        };
        let full = (!words.is_empty()).then(|| {
            let f1: Vec<f64> = words.iter().map(|counts| counts.score().f1).collect();
            let shingles: Vec<Shingles> = scores.iter().filter_map(|page| page.shingles).collect();
            let exact: Vec<f64> = shingles.iter().map(|page| f64::from(u8::from(page.is_exact))).collect();
            FullSummary {
                words: of_pages(|page| page.words),
                words_median_f1: median(&f1),
                words_f1_interval: bootstrap(&f1, RESAMPLES, seed),
                words_pooled: Counts::pooled(words.iter().copied()),
                words_autojunk: of_pages(|page| page.words_autojunk),
                bag: of_pages(|page| page.bag),
                shingles: shingle_score(&shingles),
                exact: mean(&exact),
            }
        });
        let snippets: Vec<SnippetCounts> = scores.iter().filter_map(|page| page.snippets).collect();
        let snippets = (!snippets.is_empty()).then(|| {
            let sum = SnippetCounts::sum(snippets);
            SnippetSummary { score: sum.score(), accuracy: sum.accuracy() }
        });
        let failed = scores.iter().filter(|page| !page.has_output).count();
        Self { pages: pages.to_owned(), count: scores.len(), failed, full, snippets }
    }
}

/// All that is said of one system on one set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Name of the set.
    pub set: String,
    /// What was measured, such as a model's name.
    pub system: String,
    /// Over all pages, then by layout, page type and script, where there is more than one of each.
    pub summaries: Vec<Summary>,
    /// Each page's scores.
    pub pages: Vec<PageScore>,
}

impl Report {
    /// Sums up the pages of a set.
    pub fn new(set: &str, system: &str, pages: Vec<PageScore>, seed: u64) -> Self {
        let mut groups: Vec<(String, Vec<&PageScore>)> = vec![("all".to_owned(), pages.iter().collect())];
        let by = |name: &dyn Fn(&PageScore) -> Option<String>| {
            let mut found: BTreeMap<String, Vec<&PageScore>> = BTreeMap::new();
            for page in &pages {
                if let Some(name) = name(page) {
                    found.entry(name).or_default().push(page);
                }
            }
            if found.len() > 1 { found.into_iter().collect() } else { Vec::new() }
        };
        groups.extend(by(&|page| Some(if page.renders_layout { "with layout" } else { "without layout" }.to_owned())));
        groups.extend(by(&|page| page.page_type.as_ref().map(|kind| format!("page type {kind}"))));
        groups.extend(by(&|page| Some(format!("script {}", script(&page.lang)))));
        let summaries = groups.iter().map(|(name, pages)| Summary::of(name, pages, seed)).collect();
        Self { set: set.to_owned(), system: system.to_owned(), summaries, pages }
    }

    /// The summaries as aligned text: word scores by alignment first, as in the published tables.
    pub fn to_text(&self) -> String {
        let mut text = format!("{}: {}\n", self.set, self.system);
        let number = |value: f64| format!("{value:.3}");
        let mut full = Table::new(&[
            "pages",
            "n",
            "failed",
            "P",
            "R",
            "F",
            "95 %",
            "median F",
            "pooled F",
            "autojunk F",
            "bag F",
            "shingle F",
        ]);
        let mut snippets = Table::new(&["snippets", "n", "failed", "P", "R", "F", "accuracy"]);
        for summary in &self.summaries {
            let start = vec![summary.pages.clone(), summary.count.to_string(), summary.failed.to_string()];
            if let Some(scores) = &summary.full {
                let (low, high) = scores.words_f1_interval;
                let mut row = start.clone();
                row.extend([scores.words.precision, scores.words.recall, scores.words.f1].map(number));
                row.push(format!("{low:.3}-{high:.3}"));
                row.extend(
                    [
                        scores.words_median_f1,
                        scores.words_pooled.f1,
                        scores.words_autojunk.f1,
                        scores.bag.f1,
                        scores.shingles.f1,
                    ]
                    .map(number),
                );
                full.push(row);
            }
            if let Some(found) = &summary.snippets {
                let mut row = start;
                row.extend([found.score.precision, found.score.recall, found.score.f1, found.accuracy].map(number));
                snippets.push(row);
            }
        }
        for table in [full, snippets].iter().filter(|table| !table.rows.is_empty()) {
            text.push_str(&table.to_text());
        }
        text
    }

    /// The whole report as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a report has string keys only")
    }
}

/// The script a language is written in, in brief: what decides how hard a page is for us.
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::evaluate::dataset::{Gold, GoldKind, Row};
    use crate::evaluate::metrics::score_page;

    fn page(id: &str, renders_layout: bool, output: Option<&str>) -> PageScore {
        let row = Row {
            id: id.to_owned(),
            url: None,
            host: id.to_owned(),
            lang: "en".to_owned(),
            split: "dev".to_owned(),
            gold_kind: GoldKind::Full,
            renders_layout,
            page_type: None,
            page: "x".into(),
        };
        score_page(&row, output, &Gold { text: Some("a b c d".to_owned()), snippets: None })
    }

    #[test]
    fn a_report_has_all_pages_and_those_with_and_without_layout() {
        let pages = vec![page("1", true, Some("a b c d")), page("2", false, None), page("3", false, Some("a b"))];
        let report = Report::new("set", "model", pages, 7);
        let names: Vec<_> = report.summaries.iter().map(|summary| summary.pages.as_str()).collect();
        assert_eq!(names, ["all", "with layout", "without layout"]);
        let all = &report.summaries[0];
        assert_eq!((all.count, all.failed), (3, 1));
        assert!((all.full.as_ref().unwrap().words.recall - 0.5).abs() < 1e-12);
        let text = report.to_text();
        assert!(text.contains("with layout     1       0  1.000  1.000  1.000"), "{text}");
        assert!(report.to_json().contains("\"words_pooled\""));
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(&["name", "n"]);
        table.push(vec!["a".into(), "10".into()]);
        table.push(vec!["longer".into(), "2".into()]);
        assert_eq!(table.to_text(), "name     n\na       10\nlonger   2\n");
    }
}
