//! What the tables that train before they measure have in common: how their models are trained, and what they give.

use crate::classify::trees::BoostedOptions;
use crate::classify::{Kernel, Solver, SvmOptions};
use crate::gold::{Alignment, Capturing, DataSet, Progress, Split};
use crate::target::TargetRule;
use crate::train::gathering::{columns_of, gather_rows};
use crate::train::{
    Classifier, Example, ExampleOptions, Preset, SampleOptions, TrainError, TrainOptions, add_keywords,
};

/// How the models of a table are trained.
#[derive(Debug, Clone)]
pub struct TableOptions {
    /// Which pages; `None` for those that the table usually takes.
    pub split: Option<Split>,
    /// How targets are selected.
    pub targets: TargetRule,
    /// How gold is laid on them.
    pub alignment: Alignment,
    /// The share of pages that the second half of the table of subsets is measured on.
    pub best_aligned: f64,
    /// Language that the table of languages trains on.
    pub train_lang: String,
    /// Penalty of a wrong training row.
    pub c: f64,
    /// Sharpness of the kernel on all columns.
    pub gamma: f64,
    /// Rows that a machine learns from.
    pub sample: SampleOptions,
    /// Folds by site; `None` for as many as FIASCO took.
    pub folds: Option<usize>,
    /// Seed of samples and folds.
    pub seed: u64,
    /// Number of pages whose errors are listed.
    pub worst: usize,
}

/// A table, for one set or for all.
#[derive(Debug)]
pub struct TableResult {
    /// The table as text.
    pub text: String,
    /// All its figures.
    pub figures: serde_json::Value,
    /// Number of pages that could not be used; `progress` was told of each.
    pub failed: usize,
}

/// Folds by site for keywords, at most: those of a page are learned from other sites, as `vclean train` does it.
const KEYWORD_FOLDS: usize = 5;

/// Pages ready to learn from, with the columns that all of them have.
#[derive(Debug)]
pub struct TablePages {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The pages.
    pub examples: Vec<Example>,
    /// Number of pages that could not be made ready; `progress` was told of each.
    pub failed: usize,
}

impl TableOptions {
    /// Captures, measures and labels the pages of a split of a set; with keywords and parts of speech if
    /// `language_bound`.
    ///
    /// # Errors
    /// If no page is left, or pages have different columns.
    pub fn gather(
        &self,
        set: &DataSet,
        split: Split,
        capturing: &Capturing,
        language_bound: bool,
        progress: &dyn Progress,
    ) -> Result<TablePages, TrainError> {
        let options = ExampleOptions { targets: self.targets, alignment: self.alignment, language_bound };
        let (mut examples, failed) = gather_rows(set, &set.split(split), capturing, options, progress);
        if language_bound {
            let folds = self.folds.map_or(KEYWORD_FOLDS, |folds| folds.min(KEYWORD_FOLDS));
            add_keywords(&mut examples, folds, self.seed)?;
        }
        let columns = columns_of(&set.name, &examples)?;
        Ok(TablePages { columns, examples, failed })
    }

    /// The support vector machine on all columns.
    pub fn svm(&self) -> SvmOptions {
        let kernel = Kernel::Rbf { gamma: self.gamma };
        SvmOptions { c: self.c, kernel, solver: Solver::Smo, ..SvmOptions::default() }
    }

    /// As the built-in models are made: a support vector machine and boosted trees, then a logistic regression.
    pub fn train_options(&self, folds: usize) -> TrainOptions {
        let preset = Preset {
            classifier: Classifier::Svm(self.svm()),
            sample: self.sample,
            beside: Some(Classifier::Boosted(BoostedOptions { seed: self.seed, ..BoostedOptions::default() })),
            regressions: 1,
            seed: self.seed,
        };
        TrainOptions {
            stages: preset.stages(),
            folds,
            seed: self.seed,
            target_rule: self.targets,
            ..TrainOptions::default()
        }
    }
}
