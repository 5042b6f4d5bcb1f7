//! Cross-validation of texrex: measures at every threshold, as in the paper's Figures 2 and 3 and
//! its Tables 1 and 2.
//!
//! Boilerplate is the positive class: it is the paper's class 1, and only then are its accuracy of
//! .951 and its F1 of .969 consistent. The same figures with text as the positive class are also
//! given.

use crate::mlp::{self, CurvePoint, MlpOptions};
use ndarray::{Array2, Axis};
use rayon::prelude::*;
use std::fmt::Write as _;
use vclean_core::error::ModelError;
use vclean_lab::evaluate::Table;
use vclean_lab::evaluate::metrics::mean;
use vclean_lab::gold::WordScore;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sampled {
    /// Features, blocks x 37.
    pub rows: Array2<f32>,
    /// For each block, true if it is text.
    pub is_content: Vec<bool>,
    /// The validation fold of each block.
    pub fold_of: Vec<usize>,
    /// Number of pages that they are from.
    pub pages: usize,
    /// Number of sites of these pages.
    pub sites: usize,
}

impl Sampled {
    /// The rows of a fold, or all others.
    pub(crate) fn part(&self, fold: usize, is_in: bool) -> (Array2<f32>, Vec<bool>) {
        let chosen: Vec<usize> = (0..self.fold_of.len())
            .filter(|&row| (self.fold_of[row] == fold) == is_in)
            .collect();
        (
            self.rows.select(Axis(0), &chosen),
            chosen.iter().map(|&row| self.is_content[row]).collect(),
        )
    }
}

/// Scores of the verdicts at one threshold.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measures {
    /// Share of blocks classified correctly.
    pub correct: f64,
    /// With boilerplate as the positive class, as in the paper.
    pub boilerplate: WordScore,
    /// With text as the positive class.
    pub text: WordScore,
    /// Mean of both classes, each weighted by its blocks, as Weka prints it.
    pub weighted: WordScore,
}

impl Measures {
    /// Compares verdicts (true if a block is kept as text) with labels; all zero for no block.
    pub fn count(pairs: impl IntoIterator<Item = (bool, bool)>) -> Self {
        // By label, then by verdict: boilerplate, text.
        let mut counts = [[0.0f64; 2]; 2];
        for (is_kept, is_content) in pairs {
            counts[usize::from(is_content)][usize::from(is_kept)] += 1.0;
        }
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let of_class = |class: usize| {
            let hit = counts[class][class];
            let score = WordScore::new(
                share(hit, hit + counts[1 - class][class]),
                share(hit, counts[class][0] + counts[class][1]),
            );
            (score, counts[class][0] + counts[class][1])
        };
        let ((boilerplate, boilerplate_blocks), (text, text_blocks)) = (of_class(0), of_class(1));
        let all = boilerplate_blocks + text_blocks;
        let mean = |value: fn(&WordScore) -> f64| {
            share(
                value(&boilerplate) * boilerplate_blocks + value(&text) * text_blocks,
                all,
            )
        };
        // The mean of the F1 of both, which is not the F1 of the means.
        let weighted = WordScore {
            precision: mean(|score| score.precision),
            recall: mean(|score| score.recall),
            f1: mean(|score| score.f1),
        };
        Self {
            correct: share(counts[0][0] + counts[1][1], all),
            boilerplate,
            text,
            weighted,
        }
    }

    /// The arithmetic mean of several.
    pub fn mean(all: &[Self]) -> Self {
        let mean_score = |score: fn(&Self) -> WordScore| {
            WordScore::mean(&all.iter().map(score).collect::<Vec<_>>())
        };
        Self {
            correct: mean(
                &all.iter()
                    .map(|measures| measures.correct)
                    .collect::<Vec<_>>(),
            ),
            boilerplate: mean_score(|measures| measures.boilerplate),
            text: mean_score(|measures| measures.text),
            weighted: mean_score(|measures| measures.weighted),
        }
    }
}

/// Out-of-fold scores of the blocks of a fold.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fold {
    /// One score per block, near 1 for boilerplate.
    pub scores: Vec<f32>,
    /// For each block, true if it is text.
    pub is_content: Vec<bool>,
    /// Errors at the snapshots.
    pub curve: Vec<CurvePoint>,
}

impl Fold {
    /// Scores of the verdicts at a threshold: a block with a score above it is boilerplate.
    pub(crate) fn at(&self, threshold: f64) -> Measures {
        let verdicts = self
            .scores
            .iter()
            .map(|&score| f64::from(score) <= threshold);
        Measures::count(verdicts.zip(self.is_content.iter().copied()))
    }

    /// The threshold at which precision and recall of boilerplate are closest to each other, and
    /// not both 0.
    pub(crate) fn balanced(&self) -> f64 {
        let apart = |threshold: f64| {
            let score = self.at(threshold).boilerplate;
            if score.f1 > 0.0 {
                (score.precision - score.recall).abs()
            } else {
                f64::INFINITY
            }
        };
        thresholds()
            .min_by(|&one, &other| apart(one).total_cmp(&apart(other)))
            .unwrap_or(0.5)
    }

    /// The threshold with the most blocks classified correctly.
    pub(crate) fn best(&self) -> f64 {
        let correct = |threshold: f64| self.at(threshold).correct;
        thresholds()
            .min_by(|&one, &other| correct(other).total_cmp(&correct(one)))
            .unwrap_or(0.5)
    }
}

/// -0.1 to 1 in steps of 0.01, as in Figure 3.
pub(crate) fn thresholds() -> impl Iterator<Item = f64> {
    (-10..=100).map(|percent| f64::from(percent) / 100.0)
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Folds {
    /// Folds by number, from 0.
    pub folds: Vec<Fold>,
}

/// Trains a perceptron for each fold on the blocks of all others.
///
/// # Errors
/// If an option is out of range or a fold leaves too few blocks for training.
pub(crate) fn crossvalidate(
    sampled: &Sampled,
    options: &MlpOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Folds, ModelError> {
    let count = sampled.fold_of.iter().max().map_or(0, |last| last + 1);
    let fold = |fold: usize| {
        let ((rows, labels), (apart, is_content)) =
            (sampled.part(fold, false), sampled.part(fold, true));
        let trained = mlp::fit(
            rows.view(),
            &labels,
            Some((apart.view(), &is_content)),
            options,
            &|_| (),
        )?;
        progress(&format!("fold {} of {count} done", fold + 1));
        Ok(Fold {
            scores: trained.mlp.outputs(apart.view()),
            is_content,
            curve: trained.curve,
        })
    };
    Ok(Folds {
        folds: (0..count)
            .into_par_iter()
            .with_max_len(1)
            .map(fold)
            .collect::<Result<_, ModelError>>()?,
    })
}

impl Folds {
    /// Means over the folds at a threshold.
    pub(crate) fn at(&self, threshold: f64) -> Measures {
        Measures::mean(
            &self
                .folds
                .iter()
                .map(|fold| fold.at(threshold))
                .collect::<Vec<_>>(),
        )
    }

    /// For each snapshot, the mean errors on training and on validation blocks.
    pub(crate) fn mean_curve(&self) -> Vec<(f64, f64)> {
        let snapshots = self
            .folds
            .iter()
            .map(|fold| fold.curve.len())
            .min()
            .unwrap_or(0);
        let mean_of = |snapshot: usize, error: fn(&CurvePoint) -> f64| {
            mean(
                &self
                    .folds
                    .iter()
                    .map(|fold| error(&fold.curve[snapshot]))
                    .collect::<Vec<_>>(),
            )
        };
        let at = |snapshot| {
            (
                mean_of(snapshot, |point| point.training),
                mean_of(snapshot, |point| point.testing.unwrap_or_default()),
            )
        };
        (0..snapshots).map(at).collect()
    }

    /// Figure 3, Table 1 and Table 2.
    pub(crate) fn report(&self) -> String {
        let mut report = String::from(
            "Means over the folds (Figure 3); P, R and F1 of boilerplate, F1 of text\n\n",
        );
        let mut table = Table::new(&["threshold", "correct", "P", "R", "F1", "text F1"]);
        for threshold in thresholds().step_by(5) {
            let means = self.at(threshold);
            table.push(row(format!("{threshold:.2}"), &[means.correct], &means));
        }
        report.push_str(&table.to_text());
        let best: Vec<f64> = self.folds.iter().map(Fold::best).collect();
        let lowest = best.iter().copied().fold(f64::MAX, f64::min);
        let highest = best.iter().copied().fold(f64::MIN, f64::max);
        let _ = writeln!(
            report,
            "\nMost blocks are classified correctly at thresholds from {lowest:.2} to {highest:.2}"
        );

        report.push_str("\nThresholds where precision and recall are the same (Table 1)\n\n");
        let mut table = Table::new(&["fold", "threshold", "F1", "correct"]);
        let balanced: Vec<[f64; 3]> = self
            .folds
            .iter()
            .map(|fold| {
                let threshold = fold.balanced();
                let measures = fold.at(threshold);
                [threshold, measures.boilerplate.f1, measures.correct]
            })
            .collect();
        for (number, [threshold, f1, correct]) in balanced.iter().enumerate() {
            table.push(vec![
                (number + 1).to_string(),
                format!("{threshold:.2}"),
                format!("{f1:.3}"),
                format!("{correct:.3}"),
            ]);
        }
        for (name, mean_of) in [("AM", mean as fn(&[f64]) -> f64), ("HM", harmonic_mean)] {
            let mean_at =
                |at: usize| mean_of(&balanced.iter().map(|cells| cells[at]).collect::<Vec<_>>());
            table.push(vec![
                name.to_owned(),
                format!("{:.2}", mean_at(0)),
                format!("{:.3}", mean_at(1)),
                format!("{:.3}", mean_at(2)),
            ]);
        }
        report.push_str(&table.to_text());

        report.push_str("\nAt threshold 0.5 (Table 2)\n\n");
        let mut table = Table::new(&["fold", "correct", "P", "R", "F1", "text F1"]);
        for (number, fold) in self.folds.iter().enumerate() {
            let measures = fold.at(0.5);
            table.push(row(
                (number + 1).to_string(),
                &[measures.correct],
                &measures,
            ));
        }
        let means = self.at(0.5);
        table.push(row("AM".to_owned(), &[means.correct], &means));
        report.push_str(&table.to_text());
        report
    }
}

fn row(name: String, first: &[f64], measures: &Measures) -> Vec<String> {
    let Measures {
        boilerplate, text, ..
    } = measures;
    let shares = [
        boilerplate.precision,
        boilerplate.recall,
        boilerplate.f1,
        text.f1,
    ];
    std::iter::once(name)
        .chain(
            first
                .iter()
                .chain(&shares)
                .map(|share| format!("{share:.3}")),
        )
        .collect()
}

/// Harmonic mean; 0 if one value is not above 0.
fn harmonic_mean(values: &[f64]) -> f64 {
    if values.iter().any(|value| *value <= 0.0) {
        return 0.0;
    }
    values.len() as f64 / values.iter().map(|value| value.recip()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(scores: &[f32], is_content: &[bool]) -> Fold {
        Fold {
            scores: scores.to_vec(),
            is_content: is_content.to_vec(),
            curve: Vec::new(),
        }
    }

    #[test]
    fn both_classes_are_measured() {
        // Kept as text: four, of which three are; dropped: two, of which one is boilerplate.
        let pairs = [
            (true, true),
            (true, true),
            (true, true),
            (true, false),
            (false, false),
            (false, true),
        ];
        let measures = Measures::count(pairs);
        assert_eq!(measures.correct, 4.0 / 6.0);
        assert_eq!(
            (
                measures.text.precision,
                measures.text.recall,
                measures.text.f1
            ),
            (0.75, 0.75, 0.75)
        );
        assert_eq!(
            (measures.boilerplate.precision, measures.boilerplate.recall),
            (0.5, 0.5)
        );
        assert!((measures.weighted.f1 - (4.0 * 0.75 + 2.0 * 0.5) / 6.0).abs() < 1e-12);
        assert_eq!(Measures::count([]), Measures::default());
    }

    #[test]
    fn thresholds_run_as_in_figure_3() {
        let all: Vec<f64> = thresholds().collect();
        assert_eq!(
            (all.len(), all[0], all[60], all[110]),
            (111, -0.1, 0.5, 1.0)
        );
    }

    #[test]
    fn the_balanced_and_the_best_threshold_are_found() {
        // Text at 0.1, 0.3 and 0.62; boilerplate at 0.55, 0.7 and 0.9.
        let one = fold(
            &[0.1, 0.3, 0.62, 0.55, 0.7, 0.9],
            &[true, true, true, false, false, false],
        );
        let balanced = one.at(one.balanced()).boilerplate;
        assert_eq!(balanced.precision, balanced.recall);
        assert!((0.55..0.62).contains(&one.balanced()), "{}", one.balanced());
        // Precision and recall are equal only at thresholds above all scores, where both are 0.
        assert!(fold(&[0.1, 0.2, 0.3], &[true, false, true]).balanced() < 0.3);
        assert!((0.3..0.7).contains(&one.best()) && one.at(one.best()).correct > 0.8);
        let folds = Folds {
            folds: vec![one.clone(), fold(&[0.0, 1.0], &[true, false])],
        };
        assert!((folds.at(0.5).correct - f64::midpoint(5.0 / 6.0, 1.0)).abs() < 1e-12);
        let report = folds.report();
        assert!(
            report.contains("Table 1") && report.contains("\nAM") && report.contains("\nHM"),
            "{report}"
        );
        assert!(
            (harmonic_mean(&[1.0, 0.5]) - 2.0 / 3.0).abs() < 1e-12
                && harmonic_mean(&[0.0, 1.0]) == 0.0
        );
    }
}
