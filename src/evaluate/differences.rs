//! The difference between two systems on the same pages, with its interval by resampled sites.
//!
//! Both systems are measured on the same resampled pages, so what makes a page hard for both cancels out: the interval of
//! the difference is narrower than those of the two figures suggest.

use super::bootstrap::{Interval, Sites, show_difference};
use super::metrics::PageScore;
use super::summary::{SCORES, Score, UNDER_FOUR_FIFTHS, UNDER_HALF};
use super::table::Table;
use serde::Serialize;

/// Names in [`SCORES`] of the figures that are compared.
pub const COMPARED: [&str; 6] = ["words", UNDER_HALF, UNDER_FOUR_FIFTHS, "bag of words", "shingles", "snippets"];

/// The difference of one score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Name in [`SCORES`].
    pub score: &'static str,
    /// Pages on which both systems have it.
    pub pages: usize,
    /// The figure of the one system minus that of the other, -1 to 1.
    pub difference: f64,
    /// 95 % of resamples of the sites have a difference in it; `None` for too few sites.
    pub interval: Option<Interval>,
}

/// The figures of `ones` minus those of `others`: the scores of two systems on the same pages in the same order.
///
/// # Panics
/// If the slices differ in length.
pub fn differences(ones: &[&PageScore], others: &[&PageScore], seed: u64) -> Vec<Difference> {
    assert_eq!(ones.len(), others.len());
    let compared = SCORES.iter().filter(|score| COMPARED.contains(&score.name));
    compared.filter_map(|score| difference(score, ones, others, seed)).collect()
}

fn difference(score: &Score, ones: &[&PageScore], others: &[&PageScore], seed: u64) -> Option<Difference> {
    let has = |page: &PageScore| (score.of_page)(page).is_some();
    let (ones, others): (Vec<&PageScore>, Vec<&PageScore>) =
        ones.iter().zip(others).filter(|(one, other)| has(one) && has(other)).unzip();
    if ones.is_empty() {
        return None;
    }
    let figure = |pages: &[&PageScore]| score.figure(pages).value;
    let sites = Sites::of(ones.iter().map(|page| page.host.as_str()));
    let interval = sites.interval(seed, |drawn| {
        let of = |all: &[&PageScore]| figure(&drawn.iter().map(|&page| all[page]).collect::<Vec<_>>());
        of(&ones) - of(&others)
    });
    let difference = figure(&ones) - figure(&others);
    Some(Difference { score: score.name, pages: ones.len(), difference, interval })
}

/// Differences as a table: one row per system with its name, one column per score that any of them has. `first` is the
/// name of the first column.
pub fn table(first: &str, rows: &[(String, &[Difference])]) -> Table {
    let is_there = |name: &&str| rows.iter().any(|(_, row)| row.iter().any(|found| found.score == *name));
    let names: Vec<&str> = COMPARED.into_iter().filter(is_there).collect();
    let mut table = Table::new(&[&[first][..], &names].concat());
    for (name, row) in rows {
        let cell = |name: &&str| {
            let found = row.iter().find(|found| found.score == *name);
            found.map(|found| show_difference(found.difference, found.interval)).unwrap_or_default()
        };
        table.push(std::iter::once(name.clone()).chain(names.iter().map(cell)).collect());
    }
    table
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::evaluate::metrics::{Output, score_page_in_brief};
    use crate::evaluate::page::samples::row;
    use crate::gold::Gold;

    fn page(number: usize, text: &str) -> PageScore {
        let gold = Gold { text: Some("a b c d".into()), ..Gold::default() };
        score_page_in_brief(&row(&number.to_string()), Some(Output { text, ..Output::default() }), &gold)
    }

    #[test]
    fn a_difference_is_paired_by_page() {
        // The pages differ much (F 1 or .4), the systems little: the second loses one page in ten as a whole.
        let text = |number: usize| if number.is_multiple_of(2) { "a b c d" } else { "a" };
        let ones: Vec<PageScore> = (0..40).map(|number| page(number, text(number))).collect();
        let lost = |number: usize| if number % 10 == 2 { "x" } else { text(number) };
        let others: Vec<PageScore> = (0..40).map(|number| page(number, lost(number))).collect();
        let (ones, others): (Vec<_>, Vec<_>) = (ones.iter().collect(), others.iter().collect());
        let found = differences(&ones, &others, 1);
        assert_eq!(found.iter().map(|one| one.score).collect::<Vec<_>>(), COMPARED[..5]);
        let words = &found[0];
        assert!((words.difference - 0.1).abs() < 1e-12 && words.pages == 40);
        let Interval(low, high) = words.interval.unwrap();
        assert!((0.0..0.1).contains(&low) && (0.1..0.3).contains(&high), "{low} {high}");
        assert!((found[1].difference + 0.1).abs() < 1e-12, "a smaller share of pages under .5");
        assert_eq!(differences(&ones, &ones, 1)[0].interval, Some(Interval(0.0, 0.0)));
        let text = table("minus other", &[("one".to_owned(), &found)]).to_text();
        assert!(text.starts_with("minus other") && text.contains("+0.100 (+0."), "{text}");
    }

    #[test]
    fn pages_without_a_score_are_not_compared() {
        let (one, mut other) = (page(1, "a b c d"), page(1, "a b c d"));
        other.words = None;
        let found = differences(&[&one], &[&other], 1);
        assert!(found.iter().all(|difference| difference.score != "words"));
        assert_eq!((found[0].score, found[0].interval), ("bag of words", None));
    }
}
