//! The stages of a model in order: classifiers on features, then logistic regressions on their
//! margins.

use super::classifier::Classifier;
use super::sample::SampleOptions;
use super::stage_options::StageOptions;

/// Rows of the second classifier: all, since trees are fast to fit to many rows; every page weighs
/// alike.
const ENSEMBLE_SAMPLE: SampleOptions = SampleOptions {
    total: 1_000_000,
    of_page: usize::MAX,
    seed: 1,
    pages_alike: true,
};
/// Rows of the stages that read margins only: logistic regression is fast.
const SMOOTHING_SAMPLE: SampleOptions = SampleOptions {
    total: 40_000,
    of_page: 150,
    seed: 1,
    pages_alike: false,
};
/// Rows that the scaling of a network is learned from.
const SCALING_SAMPLE: SampleOptions = SampleOptions {
    total: 1_000_000,
    of_page: 60,
    seed: 1,
    pages_alike: false,
};
/// Ridge penalty per row of these stages: small, because each classifier adds only about twenty
/// columns.
const RIDGE: f64 = 1e-4;

/// The stages of a model, in short form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// The first classifier, on features.
    pub classifier: Classifier,
    /// Rows it learns from.
    pub sample: SampleOptions,
    /// A second classifier on features.
    pub ensemble: Option<Classifier>,
    /// Logistic regressions that follow, each on the margins of the one before; the first reads the
    /// margins of all classifiers.
    pub regressions: usize,
    /// The last classifier, on features and the margins of all before, such as a network.
    pub stacked: Option<Classifier>,
    /// Seed of the samples.
    pub seed: u64,
}

impl Preset {
    /// The stages in their order.
    pub fn stages(&self) -> Vec<StageOptions> {
        let machine = |classifier, sample| StageOptions {
            columns: None,
            reads: Vec::new(),
            classifier,
            sample,
        };
        let all_rows = SampleOptions {
            seed: self.seed,
            ..ENSEMBLE_SAMPLE
        };
        let is_trees = matches!(self.classifier, Classifier::Boosted(_));
        let sample = if is_trees { all_rows } else { self.sample };
        let mut stages = vec![machine(self.classifier, sample)];
        if let Some(classifier) = self.ensemble {
            stages.push(machine(classifier, all_rows));
        }
        let mut reads: Vec<usize> = (0..stages.len()).collect();
        for number in 1..=self.regressions {
            let sample = SampleOptions {
                seed: self.seed + number as u64,
                ..SMOOTHING_SAMPLE
            };
            let classifier = Classifier::Logistic { ridge: RIDGE };
            stages.push(StageOptions {
                columns: Some(Vec::new()),
                reads,
                classifier,
                sample,
            });
            reads = vec![stages.len() - 1];
        }
        if let Some(classifier) = self.stacked {
            let mut stage = machine(
                classifier,
                SampleOptions {
                    seed: self.seed,
                    ..SCALING_SAMPLE
                },
            );
            stage.reads = (0..stages.len()).collect();
            stages.push(stage);
        }
        stages
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fitting::{BoostedOptions, SequenceOptions, SvmOptions};

    #[test]
    fn the_first_regression_reads_all_classifiers_and_the_next_reads_it() {
        let preset = Preset {
            classifier: Classifier::Svm(SvmOptions::default()),
            sample: SampleOptions::default(),
            ensemble: Some(Classifier::Boosted(BoostedOptions::default())),
            regressions: 2,
            stacked: None,
            seed: 7,
        };
        let reads = |preset: Preset| {
            preset
                .stages()
                .into_iter()
                .map(|stage| stage.reads)
                .collect::<Vec<_>>()
        };
        assert_eq!(reads(preset), [vec![], vec![], vec![0, 1], vec![2]]);
        assert_eq!(
            reads(Preset {
                ensemble: None,
                ..preset
            }),
            [vec![], vec![0], vec![1]]
        );
        let stacked = Some(Classifier::Sequence(SequenceOptions::default()));
        assert_eq!(reads(Preset { stacked, ..preset })[4], [0, 1, 2, 3]);
        assert_eq!(
            reads(Preset {
                stacked,
                regressions: 0,
                ensemble: None,
                ..preset
            }),
            [vec![], vec![0]]
        );
        assert!(!preset.stages()[0].sample.pages_alike && preset.stages()[1].sample.pages_alike);
        assert_eq!(preset.stages()[2].sample.seed, 8);
        assert!(
            preset.stages()[1].columns.is_none()
                && preset.stages()[3].columns.as_deref() == Some(&[])
        );
    }
}
