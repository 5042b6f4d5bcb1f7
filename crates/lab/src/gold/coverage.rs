//! Coverage of the gold of a page by its labelled targets, as reported by `vclean lab align`.
//!
//! Counts words without regard to order, like the Dice coefficient, so that the measure differs
//! from the one that the alignment was made with. Also searches each segment (line) of the gold, to
//! quote those that no content target holds.

use super::labelling::{Labelling, Quality};
use super::words::Pieces;
use crate::gold::words::{Numbering, prepare};
use serde::Serialize;
use std::collections::BTreeSet;
use vclean_core::classify::Label;

/// Length in words of the runs by which a segment is searched: three words are seldom adjacent by
/// chance.
const RUN: usize = 3;
/// Share of a segment's runs that must be found.
const FOUND_SHARE: f64 = 0.5;
/// If less than this share of the gold is on the page, the page itself is to blame.
const MOST: f64 = 0.8;

/// How the labels of one page cover its gold.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Coverage {
    /// Number of targets labelled content.
    pub content: usize,
    /// Targets labelled boilerplate or comments.
    pub boilerplate: usize,
    /// Targets without a label.
    pub unlabelled: usize,
    /// Share of the gold's words that are in content targets, 0 to 1; 1 for empty gold.
    pub found: f64,
    /// Share of the gold's words that are in any target.
    pub on_page: f64,
    /// Share of the content targets' words that are gold, 0 to 1; 1 where there are none.
    pub gold: f64,
    /// Dice coefficient of the content targets' words and the gold's, 0 to 1.
    pub dice: f64,
    /// Segments of the gold.
    pub segments: usize,
    /// Segments that are in no content target, as written in the gold.
    pub missing: Vec<String>,
}

impl Coverage {
    /// Compares the gold text with the targets' texts and labels.
    pub fn measure(texts: &[String], labelling: &Labelling, gold: &str) -> Self {
        let is = |label: Option<Label>| {
            labelling
                .labels
                .iter()
                .filter(|found| **found == label)
                .count()
        };
        let mut numbering = Numbering::new();
        let page = Pieces::new(texts.iter().map(String::as_str), &mut numbering);
        let prepared = prepare(gold);
        let lines = Pieces::new(prepared.lines(), &mut numbering);
        let content: Vec<u32> = (0..texts.len())
            .filter(|&target| labelling.labels[target] == Some(Label::Content))
            .flat_map(|target| page.words_of(target).iter().copied())
            .collect();
        let kinds = page
            .words
            .iter()
            .chain(&lines.words)
            .max()
            .map_or(0, |&most| most as usize + 1);
        let in_content = in_common(&content, &lines.words, kinds);
        let (all_content, all_gold) = (content.len(), lines.words.len());
        let runs: [BTreeSet<&[u32]>; RUN] =
            std::array::from_fn(|size| content.windows(size + 1).collect());
        let (mut segments, mut missing) = (0, Vec::new());
        for (line, text) in prepared.lines().enumerate() {
            let words = lines.words_of(line);
            let size = words.len().min(RUN);
            if size == 0 {
                continue;
            }
            segments += 1;
            let found = words
                .windows(size)
                .filter(|run| runs[size - 1].contains(run))
                .count();
            if (found as f64) < FOUND_SHARE * (words.len() + 1 - size) as f64 {
                missing.push(text.trim().to_owned());
            }
        }
        Self {
            content: is(Some(Label::Content)),
            boilerplate: is(Some(Label::Boilerplate)) + is(Some(Label::Comments)),
            unlabelled: is(None),
            found: share(in_content, all_gold),
            on_page: share(in_common(&page.words, &lines.words, kinds), all_gold),
            gold: share(in_content, all_content),
            dice: share(2 * in_content, all_content + all_gold),
            segments,
            missing,
        }
    }

    /// Number of all targets.
    pub fn targets(&self) -> usize {
        self.content + self.boilerplate + self.unlabelled
    }

    /// Share of the gold's segments that are in content targets, 0 to 1; 1 if there are no
    /// segments.
    pub(crate) fn segments_found(&self) -> f64 {
        share(self.segments - self.missing.len(), self.segments)
    }

    /// Why the labels reproduce the gold badly, in words; `None` if `quality` is good.
    pub(crate) fn trouble(&self, quality: Quality) -> Option<String> {
        if !quality.is_bad {
            return None;
        }
        let percent = |share: f64| (share * 100.0).round();
        let cause = if self.targets() == 0 {
            "the page has no target".to_owned()
        } else if self.on_page < MOST {
            format!(
                "{} % of the gold's words are nowhere on the page",
                percent(1.0 - self.on_page)
            )
        } else if self.found < MOST {
            format!(
                "{} % of the gold's words are in no content target, though on the page",
                percent(1.0 - self.found)
            )
        } else if self.gold < MOST {
            format!(
                "{} % of the content targets' words are not gold: targets hold both",
                percent(1.0 - self.gold)
            )
        } else {
            "the gold has its parts in another order than the page".to_owned()
        };
        Some(format!(
            "F of the content targets {:.3} is under {}: {cause}",
            quality.oracle.f1,
            Quality::BAD_BELOW
        ))
    }
}

/// The share of `part` in `whole`; 1 if `whole` is 0.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

/// Size of the intersection of two multisets of numbers below `kinds`.
fn in_common(one: &[u32], other: &[u32], kinds: usize) -> usize {
    let mut left = vec![0usize; kinds];
    for &word in one {
        left[word as usize] += 1;
    }
    let mut common = 0;
    for &word in other {
        if left[word as usize] > 0 {
            left[word as usize] -= 1;
            common += 1;
        }
    }
    common
}

/// Selects the best aligned `share` of a set: one flag per page. Pages are ranked by the F of their
/// content targets, then by order; FIASCO kept 117 of 158 (section 5.1), a share of 0.74.
pub fn best_aligned(qualities: &[Quality], share: f64) -> Vec<bool> {
    let count = (qualities.len() as f64 * share.clamp(0.0, 1.0)).round() as usize;
    let mut order: Vec<usize> = (0..qualities.len()).collect();
    order.sort_by(|&one, &other| {
        qualities[other]
            .oracle
            .f1
            .total_cmp(&qualities[one].oracle.f1)
            .then_with(|| one.cmp(&other))
    });
    let mut is_kept = vec![false; qualities.len()];
    for &page in &order[..count.min(order.len())] {
        is_kept[page] = true;
    }
    is_kept
}

#[cfg(test)]
mod tests {
    use super::super::align::words;
    use super::*;
    use crate::gold::TokenUnit;
    use crate::gold::WordScore;
    use proptest::prelude::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn found_and_missing_segments_are_counted() {
        let page = texts(&[
            "Home",
            "The first paragraph of the text on this page",
            "A second one with words",
        ]);
        let gold = "The first paragraph of the text on this page\n\nA second one with words\nNever seen here";
        let labelling = words(&page, gold, TokenUnit::Words);
        let coverage = Coverage::measure(&page, &labelling, gold);
        assert_eq!(
            (
                coverage.content,
                coverage.boilerplate,
                coverage.unlabelled,
                coverage.segments
            ),
            (2, 1, 0, 3)
        );
        assert_eq!(coverage.missing, ["Never seen here"]);
        assert_eq!((coverage.found, coverage.gold), (14.0 / 17.0, 1.0));
        assert_eq!(coverage.dice, 28.0 / 31.0);
        assert_eq!(coverage.trouble(labelling.quality), None);
    }

    #[test]
    fn the_reason_for_a_bad_page_is_given() {
        let page = texts(&["Home", "Log in to read this"]);
        let gold = "A story that one must pay for, with many words in it";
        let labelling = words(&page, gold, TokenUnit::Words);
        let coverage = Coverage::measure(&page, &labelling, gold);
        let trouble = coverage.trouble(labelling.quality).unwrap();
        assert!(trouble.contains("nowhere on the page"), "{trouble}");
        let none = words(&[], gold, TokenUnit::Words);
        assert!(
            Coverage::measure(&[], &none, gold)
                .trouble(none.quality)
                .unwrap()
                .contains("no target")
        );
    }

    #[test]
    fn the_best_aligned_share_is_kept() {
        let quality = |f1: f64| Quality {
            oracle: WordScore {
                f1,
                ..WordScore::default()
            },
            is_bad: f1 < 0.8,
        };
        let all = [0.9, 0.5, 0.9, 1.0].map(quality);
        assert_eq!(best_aligned(&all, 0.5), [true, false, false, true]);
        assert_eq!(best_aligned(&all, 1.0), [true; 4]);
        assert_eq!(best_aligned(&[], 0.74), [false; 0]);
        assert_eq!(
            best_aligned(&[quality(1.0); 158], 0.74)
                .iter()
                .filter(|kept| **kept)
                .count(),
            117
        );
    }

    proptest! {
        #[test]
        fn any_page_and_any_gold_give_a_label_and_a_score_a_target(
            page in proptest::collection::vec("([ab中 ,.*]|page |text ){0,12}", 0..12),
            gold in "([ab中 \n,.*]|page |text |URL|<p>){0,40}",
        ) {
            let labelling = words(&page, &gold, TokenUnit::Words);
            prop_assert_eq!(labelling.labels.len(), page.len());
            prop_assert_eq!(labelling.scores.len(), page.len());
            prop_assert!(labelling.labels.iter().all(Option::is_some));
            prop_assert!(labelling.scores.iter().all(|score| (0.0..=1.0).contains(score)));
            let coverage = Coverage::measure(&page, &labelling, &gold);
            prop_assert_eq!(coverage.targets(), page.len());
            for share in [coverage.found, coverage.on_page, coverage.gold, coverage.dice, coverage.segments_found()] {
                prop_assert!((0.0..=1.0).contains(&share));
            }
            prop_assert!(coverage.found <= coverage.on_page);
        }
    }
}
