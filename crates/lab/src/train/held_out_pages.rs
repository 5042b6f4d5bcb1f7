//! Quality of whole pages on held-out sites, so that choices need not be made on `dev`.
//!
//! Precision, recall and F of a page are those of the characters of its kept blocks against the
//! characters of its content blocks. The kept blocks are chosen as in cleaning, by the threshold of
//! the page ([`page_threshold`]). Only blocks that the gold labels count, so a page F is near the
//! word F of the page, but not the same: text that no block has is not missed, and the calibration
//! was fitted on the margins of all held-out pages.

use super::sample::TrainingPage;
use crate::evaluate::bootstrap::{Interval, Sites, show};
use crate::evaluate::metrics::mean;
use crate::evaluate::{BlockScore, Table};
use crate::gold::Counts;
use std::collections::BTreeMap;
use vclean_core::classify::threshold::page_threshold;
use vclean_core::classify::{Label, Platt};

/// A page decided by a model that did not learn from its site.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldOutPage {
    /// Name of its set.
    pub set: String,
    /// Site that the page is from, for resampling.
    pub site: String,
    /// Counts of its labelled blocks.
    pub blocks: BlockScore,
    /// Characters of its labelled blocks: kept content, kept boilerplate, dropped content.
    pub characters: Counts,
}

impl HeldOutPage {
    /// Decides on a page by the out-of-fold margin of each of its targets; `threshold` is the
    /// model's.
    pub fn decide(page: &TrainingPage, margins: &[f32], platt: Platt, threshold: f32) -> Self {
        let probabilities: Vec<f32> = margins
            .iter()
            .map(|&margin| platt.probability(margin))
            .collect();
        let lengths: Vec<f32> = page
            .shape
            .lengths
            .iter()
            .map(|&length| length as f32)
            .collect();
        let threshold = page_threshold(&probabilities, &lengths, threshold);
        let is_kept: Vec<bool> = probabilities
            .into_iter()
            .map(|probability| probability >= threshold)
            .collect();
        Self::compare(page, &is_kept)
    }

    /// Compares verdicts, one per target, with the labels of a page.
    pub fn compare(page: &TrainingPage, is_kept: &[bool]) -> Self {
        let label = |content: bool| {
            if content {
                Label::Content
            } else {
                Label::Boilerplate
            }
        };
        let blocks = BlockScore::count(
            page.labelled()
                .map(|target| (label(is_kept[target]), label(page.is_content(target)))),
        );
        let mut characters = Counts::default();
        for target in page.labelled() {
            let length = u64::from(page.shape.lengths[target]);
            match (is_kept[target], page.is_content(target)) {
                (true, true) => characters.true_positive += length,
                (true, false) => characters.false_positive += length,
                (false, true) => characters.false_negative += length,
                (false, false) => {}
            }
        }
        Self {
            set: page.set.clone(),
            site: page.site.clone(),
            blocks,
            characters,
        }
    }

    /// F of its characters, 0 to 1; 1 if it has no content and nothing was kept.
    pub fn f1(&self) -> f64 {
        self.characters.score().f1
    }
}

/// Held-out pages summed up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PageFigures {
    /// Number of these pages.
    pub pages: usize,
    /// Number of their sites.
    pub sites: usize,
    /// Mean F over pages, with its interval by resampled sites.
    pub f1: (f64, Option<Interval>),
    /// Share of pages with F under .5.
    pub under_half: (f64, Option<Interval>),
    /// Share of pages with F under .8.
    pub under_four_fifths: (f64, Option<Interval>),
    /// F of the characters of all pages taken as one.
    pub pooled: f64,
    /// Share of labelled blocks decided as labelled.
    pub accuracy: f64,
}

/// Seed of the resamples.
const SEED: u64 = 1;

impl PageFigures {
    pub(super) fn summarize(pages: &[&HeldOutPage]) -> Self {
        let values: Vec<f64> = pages.iter().map(|page| page.f1()).collect();
        let sites = Sites::group(pages.iter().map(|page| page.site.as_str()));
        let with_interval = |values: &[f64]| (mean(values), sites.interval_of_mean(values, SEED));
        let under = |limit: f64| {
            with_interval(
                &values
                    .iter()
                    .map(|&value| f64::from(u8::from(value < limit)))
                    .collect::<Vec<_>>(),
            )
        };
        Self {
            pages: pages.len(),
            sites: sites.count(),
            f1: with_interval(&values),
            under_half: under(0.5),
            under_four_fifths: under(0.8),
            pooled: Counts::pooled(pages.iter().map(|page| page.characters)).f1,
            accuracy: pages
                .iter()
                .fold(BlockScore::default(), |sum, page| sum.plus(page.blocks))
                .accuracy(),
        }
    }
}

/// Decides on all pages by their out-of-fold margins; `threshold` is the model's.
pub(crate) fn held_out_pages(
    pages: &[&TrainingPage],
    margins: &[Vec<f32>],
    platt: Platt,
    threshold: f32,
) -> Vec<HeldOutPage> {
    pages
        .iter()
        .zip(margins)
        .map(|(page, margins)| HeldOutPage::decide(page, margins, platt, threshold))
        .collect()
}

/// The figures of each set and of all pages, as a table.
pub fn pages_table(pages: &[HeldOutPage]) -> Table {
    let mut by_set: BTreeMap<&str, Vec<&HeldOutPage>> = BTreeMap::new();
    for page in pages {
        by_set.entry(&page.set).or_default().push(page);
    }
    let mut table = Table::new(&[
        "pages of held-out sites",
        "pages",
        "sites",
        "page F (95 %)",
        "F < .5 (95 %)",
        "F < .8 (95 %)",
        "pooled F",
    ]);
    let mut push = |name: &str, pages: &[&HeldOutPage]| {
        let figures = PageFigures::summarize(pages);
        let mut row = vec![
            name.to_owned(),
            figures.pages.to_string(),
            figures.sites.to_string(),
        ];
        let shares = [figures.f1, figures.under_half, figures.under_four_fifths];
        row.extend(shares.map(|(figure, interval)| show(figure, interval)));
        row.push(format!("{:.3}", figures.pooled));
        table.push(row);
    };
    for (set, pages) in &by_set {
        push(set, pages);
    }
    if by_set.len() > 1 {
        push("all", &pages.iter().collect::<Vec<_>>());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use vclean_core::capture::Engine;
    use vclean_core::classify::PageShape;

    /// A page of `site` with these labels (`None`: unlabelled) and lengths of its targets.
    fn page(set: &str, site: &str, targets: &[(Option<Label>, u32)]) -> TrainingPage {
        TrainingPage {
            set: set.to_owned(),
            site: site.to_owned(),
            rows: Array2::zeros((targets.len(), 1)),
            labels: targets.iter().map(|(label, _)| *label).collect(),
            shape: PageShape {
                lengths: targets.iter().map(|(_, length)| *length).collect(),
                groups: vec![[0, 0]; targets.len()],
            },
            engine: Engine::Parser,
            is_whole: true,
            kind: None,
            comments: crate::gold::CommentKnowledge::Unknown,
        }
    }

    const GOOD: Option<Label> = Some(Label::Content);
    const BAD: Option<Label> = Some(Label::Boilerplate);

    #[test]
    fn a_page_counts_the_characters_of_its_labelled_blocks() {
        let page = page(
            "a",
            "x",
            &[(GOOD, 60), (BAD, 20), (None, 500), (GOOD, 20), (BAD, 9)],
        );
        let found = HeldOutPage::compare(&page, &[true, true, true, false, false]);
        let expected = Counts {
            true_positive: 60,
            false_positive: 20,
            false_negative: 20,
        };
        assert_eq!((found.characters, found.f1()), (expected, 0.75));
        assert_eq!(found.blocks.accuracy(), 0.5);
    }

    #[test]
    fn a_page_without_certain_blocks_is_decided_at_its_own_threshold() {
        let page = page("a", "x", &[(GOOD, 100), (BAD, 100), (BAD, 100)]);
        let platt = Platt::default();
        // No probability is above .5; at the fixed threshold nothing would be kept, and F would be
        // 0.
        let margins = [-0.3, -3.0, -4.0];
        assert!(
            margins
                .iter()
                .all(|&margin| platt.probability(margin) < 0.5)
        );
        assert_eq!(HeldOutPage::decide(&page, &margins, platt, 0.5).f1(), 1.0);
    }

    #[test]
    fn figures_are_given_by_set_and_over_all() {
        let bad = page("b", "y", &[(GOOD, 10), (BAD, 90)]);
        let good = page("a", "x", &[(GOOD, 10)]);
        let pages = [
            HeldOutPage::compare(&good, &[true]),
            HeldOutPage::compare(&bad, &[true, true]),
            HeldOutPage::compare(&good, &[true]),
            HeldOutPage::compare(&good, &[false]),
        ];
        let table = pages_table(&pages);
        assert_eq!(
            table.rows[0],
            ["a", "3", "1", "0.667", "0.333", "0.333", "0.800"]
        );
        assert_eq!(table.rows[1][..5], ["b", "1", "1", "0.182", "1.000"]);
        assert_eq!(table.rows[2][..3], ["all", "4", "2"]);
        assert_eq!(
            pages_table(&pages[..1]).rows.len(),
            1,
            "one set needs no sum"
        );
    }
}
