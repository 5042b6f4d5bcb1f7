//! Options for training a model: its stages, folds and threshold.

use super::classifier::Classifier;
use super::sample::SampleOptions;
use crate::fitting::SvmOptions;
use serde::{Deserialize, Serialize};
use vclean_core::target::TargetRule;

/// One stage to be fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StageOptions {
    /// Indexes of the columns it reads; `None` for all.
    pub columns: Option<Vec<usize>>,
    /// Indexes of earlier stages whose margins around each target it reads too.
    pub reads: Vec<usize>,
    /// Classifier with its parameters.
    pub classifier: Classifier,
    /// Limits for drawing its training rows.
    pub sample: SampleOptions,
}

/// How a model is trained.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainOptions {
    /// Name of the model, stored in it.
    pub name: String,
    /// The stages in order, at least one; a stage may read the margins of earlier ones.
    pub stages: Vec<StageOptions>,
    /// Number of folds by site, at least 2.
    pub folds: usize,
    /// Seed of the folds.
    pub seed: u64,
    /// Probability from which on a target is content.
    pub threshold: f32,
    /// How the pages' targets were selected.
    pub target_rule: TargetRule,
    /// Set if a stage that tells comments from other boilerplate is also fitted, provided that
    /// enough pages have comments.
    pub tells_comments: bool,
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
            tells_comments: false,
            command: String::new(),
        }
    }
}
