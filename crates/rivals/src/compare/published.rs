//! Figures that the authors of the methods published, for comparison with ours on the same kind of
//! data.

use crate::compare::ranking::{MethodScores, SideBySide};

/// A published figure and the corresponding figure of ours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Published {
    pub method: &'static str,
    pub source: &'static str,
    /// The data that it was measured on.
    pub data: &'static str,
    /// Name of the figure.
    pub figure: &'static str,
    pub value: f64,
    /// Our set of the same kind.
    pub set: &'static str,
    /// Computes the same figure on our set.
    pub ours: fn(&MethodScores) -> Option<f64>,
}

const ICE: &str = "Hofmann and Weerkamp 2007, Table 1";
const CLEANEVAL_TEST: &str = "CLEANEVAL test set of 2007";
const VIVEROS: &str = "Viveros-Jimenez 2018, section 7";
const FIASCO: &str = "Bauer et al. 2007, section 6 and Table 2";
const FIASCO_GOLD: &str = "158 English pages of their own";

fn cleaneval_text(scores: &MethodScores) -> Option<f64> {
    Some(100.0 * scores.figure("CLEANEVAL text")?.value)
}

fn cleaneval_combined(scores: &MethodScores) -> Option<f64> {
    Some(100.0 * scores.figure("CLEANEVAL combined")?.value)
}

fn word_precision(scores: &MethodScores) -> Option<f64> {
    scores.figure("words")?.precision
}

fn word_recall(scores: &MethodScores) -> Option<f64> {
    scores.figure("words")?.recall
}

/// Both publications give the F of their mean precision and mean recall, as their figures show.
fn f_of_means(scores: &MethodScores) -> Option<f64> {
    let words = scores.figure("words")?;
    let (precision, recall) = (words.precision?, words.recall?);
    (precision + recall > 0.0).then(|| 2.0 * precision * recall / (precision + recall))
}

fn block_f(scores: &MethodScores) -> Option<f64> {
    (scores.blocks.blocks() > 0).then(|| scores.blocks.score().f1)
}

const fn cleaneval(
    method: &'static str,
    source: &'static str,
    figure: &'static str,
    value: f64,
    ours: fn(&MethodScores) -> Option<f64>,
) -> Published {
    Published {
        method,
        source,
        data: CLEANEVAL_TEST,
        figure,
        value,
        set: "cleaneval_en",
        ours,
    }
}

const fn fiasco(
    figure: &'static str,
    value: f64,
    ours: fn(&MethodScores) -> Option<f64>,
) -> Published {
    Published {
        method: "fiasco",
        source: FIASCO,
        data: FIASCO_GOLD,
        figure,
        value,
        set: "canola",
        ours,
    }
}

/// The published figures, in the order of the methods.
pub(crate) const PUBLISHED: &[Published] = &[
    fiasco("word P", 0.8763, word_precision),
    fiasco("word R", 0.5187, word_recall),
    fiasco("F of mean word P and R", 0.652, f_of_means),
    fiasco("block F", 0.85, block_f),
    fiasco("block F without parts of speech", 0.88, block_f),
    Published {
        method: "dump",
        ..fiasco("F of mean word P and R", 0.853, f_of_means)
    },
    cleaneval("ice-baseline", ICE, "text-only", 73.7, cleaneval_text),
    cleaneval("ice-baseline", ICE, "combined", 62.2, cleaneval_combined),
    cleaneval("ice-heuristics", ICE, "text-only", 78.3, cleaneval_text),
    cleaneval("ice-heuristics", ICE, "combined", 68.5, cleaneval_combined),
    cleaneval("ice-tree", ICE, "text-only", 57.3, cleaneval_text),
    cleaneval("ice-tree", ICE, "combined", 52.4, cleaneval_combined),
    cleaneval("ice-lm", ICE, "text-only", 69.9, cleaneval_text),
    cleaneval("ice-lm", ICE, "combined", 60.6, cleaneval_combined),
    Published {
        method: "texrex",
        source: "Schäfer 2013, Table 1",
        data: "9,917 blocks of German pages",
        figure: "F of boilerplate blocks",
        value: 0.968,
        set: "canola",
        ours: boilerplate_f,
    },
    cleaneval("boilerpipe-article", VIVEROS, "P", 0.95, word_precision),
    cleaneval("boilerpipe-article", VIVEROS, "R", 0.74, word_recall),
    cleaneval(
        "boilerpipe-article",
        VIVEROS,
        "F of mean P and R",
        0.83,
        f_of_means,
    ),
    cleaneval("boilerpipe-tree", VIVEROS, "P", 0.96, word_precision),
    cleaneval("boilerpipe-tree", VIVEROS, "R", 0.66, word_recall),
    cleaneval(
        "boilerpipe-tree",
        VIVEROS,
        "F of mean P and R",
        0.78,
        f_of_means,
    ),
];

/// F of the blocks that are boilerplate, which texrex calls its positive class.
fn boilerplate_f(scores: &MethodScores) -> Option<f64> {
    let blocks = scores.blocks;
    let wrong = blocks.false_positive + blocks.false_negative;
    let right = 2 * blocks.true_negative;
    (blocks.blocks() > 0).then(|| right as f64 / (right + wrong).max(1) as f64)
}

/// Each published figure with ours, if the set and the method are in `sets`.
pub(crate) fn beside(sets: &[SideBySide]) -> Vec<(&'static Published, f64)> {
    let ours = |published: &'static Published| {
        let set = sets.iter().find(|set| set.set == published.set)?;
        Some((
            published,
            (published.ours)(set.find_method(published.method)?)?,
        ))
    };
    PUBLISHED.iter().filter_map(ours).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::ranking::samples::sample;
    use crate::method::find as find_method;

    #[test]
    fn f_is_computed_from_the_means() {
        let scores = &sample().ranking[0];
        assert!((f_of_means(scores).unwrap() - 2.0 * 0.5 / 1.5).abs() < 1e-12);
        assert_eq!(f_of_means(&sample().ranking[1]), Some(2.0 / 3.0));
    }

    #[test]
    fn every_published_figure_is_of_a_method() {
        for published in PUBLISHED {
            assert!(
                find_method(published.method).is_some(),
                "{}",
                published.method
            );
        }
    }

    #[test]
    fn published_figures_are_paired_with_ours() {
        let mut sample = sample();
        assert!(beside(std::slice::from_ref(&sample)).is_empty());
        sample.set = "cleaneval_en".into();
        let found = beside(&[sample]);
        let figures: Vec<(&str, &str)> = found
            .iter()
            .map(|(published, _)| (published.method, published.figure))
            .collect();
        // Without marked gold there is no combined score.
        assert_eq!(figures, [("ice-tree", "text-only")]);
        assert!(found[0].1 > 0.0 && found[0].1 < 100.0);
    }
}
