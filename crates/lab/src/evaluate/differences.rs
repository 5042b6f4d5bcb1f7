//! The difference between two systems on the same pages, with its interval by resampled sites.
//!
//! Both systems are measured on the same resampled pages, so what makes a page hard for both
//! cancels out: the interval of the difference is narrower than those of the two figures suggest.

use super::PageScore;
use super::bootstrap::{Interval, Sites, show_difference};
use super::summary::{SCORES, Score, UNDER_FOUR_FIFTHS, UNDER_HALF};
use super::table::Table;
use serde::Serialize;

/// Names in [`SCORES`] of the figures that are compared.
pub(crate) const COMPARED: [&str; 6] = [
    "words",
    UNDER_HALF,
    UNDER_FOUR_FIFTHS,
    "bag of words",
    "shingles",
    "snippets",
];

/// One score of two systems.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Name of the score in [`SCORES`].
    pub score: &'static str,
    /// Pages on which both systems have it.
    pub pages: usize,
    /// The figure of the one system on these pages, 0 to 1.
    pub one: f64,
    /// That of the other system.
    pub other: f64,
    /// The one minus the other, -1 to 1.
    pub difference: f64,
    /// Interval that contains the differences of 95 % of the resamples of the sites; `None` for too
    /// few sites, and if nothing varies.
    pub interval: Option<Interval>,
}

/// The figures of `ones` minus those of `others`: the scores of two systems on the same pages in
/// the same order.
///
/// # Panics
/// If the slices differ in length.
pub fn differences(ones: &[&PageScore], others: &[&PageScore], seed: u64) -> Vec<Compared> {
    assert_eq!(ones.len(), others.len());
    let compared = SCORES.iter().filter(|score| COMPARED.contains(&score.name));
    compared
        .filter_map(|score| difference(score, ones, others, seed))
        .collect()
}

fn difference(
    score: &Score,
    ones: &[&PageScore],
    others: &[&PageScore],
    seed: u64,
) -> Option<Compared> {
    let has = |page: &PageScore| (score.measure)(page).is_some();
    let (ones, others): (Vec<&PageScore>, Vec<&PageScore>) = ones
        .iter()
        .zip(others)
        .filter(|(one, other)| has(one) && has(other))
        .unzip();
    if ones.is_empty() {
        return None;
    }
    let sites = Sites::group(ones.iter().map(|page| page.host.as_str()));
    let interval = if score.is_mean() {
        let value = |page: &PageScore| (score.measure)(page).map_or(0.0, |figure| figure.value);
        let by_page: Vec<f64> = ones
            .iter()
            .zip(&others)
            .map(|(one, other)| value(one) - value(other))
            .collect();
        sites.interval_of_mean(&by_page, seed)
    } else {
        sites.interval(seed, |drawn| {
            let figure = |all: &[&PageScore]| {
                score
                    .figure(&drawn.iter().map(|&page| all[page]).collect::<Vec<_>>())
                    .value
            };
            figure(&ones) - figure(&others)
        })
    };
    let (one, other) = (score.figure(&ones).value, score.figure(&others).value);
    Some(Compared {
        score: score.name,
        pages: ones.len(),
        one,
        other,
        difference: one - other,
        interval,
    })
}

/// The differences of one system from several others as a table: one row per other system, and
/// columns for word F and the shares of pages with a low one, or for snippets where there is no
/// full gold. `first` is the name of the first column.
pub fn table(first: &str, rows: &[(&str, &[Compared])]) -> Table {
    let is_there = |name: &str| {
        rows.iter()
            .any(|(_, row)| row.iter().any(|found| found.score == name))
    };
    let names = if is_there("words") {
        &["words", UNDER_HALF, UNDER_FOUR_FIFTHS][..]
    } else {
        &["snippets"]
    };
    let mut table = Table::new(&[&[first][..], names].concat());
    for (name, row) in rows {
        let cell = |name: &&str| {
            let found = row.iter().find(|found| found.score == *name);
            found
                .map(|found| show_difference(found.difference, found.interval))
                .unwrap_or_default()
        };
        table.push(
            std::iter::once((*name).to_owned())
                .chain(names.iter().map(cell))
                .collect(),
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::page::samples::row;
    use crate::evaluate::{Output, score_page_in_brief};
    use crate::gold::Gold;

    fn page(number: usize, text: &str) -> PageScore {
        let gold = Gold {
            text: Some("a b c d".into()),
            ..Gold::default()
        };
        score_page_in_brief(
            &row(&number.to_string()),
            Some(Output {
                text,
                ..Output::default()
            }),
            &gold,
        )
    }

    #[test]
    fn a_difference_is_paired_by_page() {
        // The pages differ much (F 1 or .4), the systems little: the second loses one page in ten
        // as a whole.
        let text = |number: usize| {
            if number.is_multiple_of(2) {
                "a b c d"
            } else {
                "a"
            }
        };
        let ones: Vec<PageScore> = (0..40).map(|number| page(number, text(number))).collect();
        let lost = |number: usize| if number % 10 == 2 { "x" } else { text(number) };
        let others: Vec<PageScore> = (0..40).map(|number| page(number, lost(number))).collect();
        let (ones, others): (Vec<_>, Vec<_>) = (ones.iter().collect(), others.iter().collect());
        let found = differences(&ones, &others, 1);
        assert_eq!(
            found.iter().map(|one| one.score).collect::<Vec<_>>(),
            COMPARED[..5]
        );
        let words = &found[0];
        assert!((words.difference - 0.1).abs() < 1e-12 && words.pages == 40);
        let Interval(low, high) = words.interval.unwrap();
        assert!(
            (0.0..0.1).contains(&low) && (0.1..0.3).contains(&high),
            "{low} {high}"
        );
        assert!(
            (found[1].difference + 0.1).abs() < 1e-12,
            "a smaller share of pages under .5"
        );
        assert_eq!(
            differences(&ones, &ones, 1)[0].interval,
            None,
            "nothing differs"
        );
        let text = table("minus other", &[("one", &found)]).to_text();
        assert!(
            text.starts_with("minus other") && text.contains("+0.100 (+0."),
            "{text}"
        );
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
