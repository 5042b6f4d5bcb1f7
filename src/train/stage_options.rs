//! What a model is trained with: its stages, folds and threshold.

use super::classifier::Classifier;
use super::sample::SampleOptions;
use crate::classify::SvmOptions;
use crate::target::TargetRule;
use serde::{Deserialize, Serialize};

/// One stage to be fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageOptions {
    /// Columns it reads, by number; `None` for all.
    pub columns: Option<Vec<usize>>,
    /// Earlier stages, by number from 0, whose margins around each target it reads too.
    pub reads: Vec<usize>,
    /// What it is.
    pub classifier: Classifier,
    /// Rows it learns from.
    pub sample: SampleOptions,
}

/// How a model is trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainOptions {
    /// The model's name.
    pub name: String,
    /// At least one, in order; a stage may read the margins of stages before it.
    pub stages: Vec<StageOptions>,
    /// Number of folds by site, at least 2.
    pub folds: usize,
    /// Seed of the folds.
    pub seed: u64,
    /// Probability from which a target is content.
    pub threshold: f32,
    /// How the pages' targets were selected.
    pub target_rule: TargetRule,
    /// The command, for the model's provenance.
    pub command: String,
}

impl Default for TrainOptions {
    /// One support vector machine on all columns, five folds.
    fn default() -> Self {
        Self {
            name: "unnamed".to_owned(),
            stages: vec![StageOptions {
                columns: None,
                reads: vec![],
                classifier: Classifier::Svm(SvmOptions::default()),
                sample: SampleOptions::default(),
            }],
            folds: 5,
            seed: 1,
            threshold: 0.5,
            target_rule: TargetRule::default(),
            command: String::new(),
        }
    }
}
