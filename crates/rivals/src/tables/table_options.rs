//! Common options and results of the tables that train models before they measure.

use vclean_core::error::{DataError, Error, ModelError};
use vclean_core::target::TargetRule;
use vclean_lab::fitting::{BoostedOptions, SvmOptions};
use vclean_lab::gold::read::check_split;
use vclean_lab::gold::{Alignment, Capturing, Progress};
use vclean_lab::train::gathering::{columns_of, gather_rows};
use vclean_lab::train::{
    Classifier, Example, ExampleOptions, Preset, SampleOptions, TrainError, TrainOptions,
    add_keywords,
};
use vclean_run::source::{DataSet, Split};

/// Options for training the models of a table.
#[derive(Debug, Clone)]
pub struct TableOptions {
    /// The split; `None` for the default of the table.
    pub split: Option<Split>,
    /// How targets are selected.
    pub targets: TargetRule,
    /// How gold is aligned with them.
    pub alignment: Alignment,
    /// The best aligned share of the pages, for the second half of the table of subsets.
    pub best_aligned: f64,
    /// Language that the table of languages trains on.
    pub train_lang: String,
    /// C of the support vector machine: penalty for a misclassified training row.
    pub c: f64,
    /// Gamma of the kernel for all columns.
    pub gamma: f64,
    /// Training rows of a model.
    pub sample: SampleOptions,
    /// Number of folds by site; `None` for the number that FIASCO used.
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
    /// All figures of the table.
    pub figures: serde_json::Value,
    /// Number of pages that could not be used; each was reported to `progress`.
    pub failed: usize,
}

/// Maximum number of folds by site for keywords: those of a page are learned from other sites, as
/// in `vclean lab train`.
const KEYWORD_FOLDS: usize = 5;

/// Prepared training pages, with the columns that all of them have.
#[derive(Debug)]
pub(crate) struct TablePages {
    /// Names of the columns.
    pub columns: Vec<String>,
    pub examples: Vec<Example>,
    /// Number of pages that could not be prepared; each was reported to `progress`.
    pub failed: usize,
}

impl TableOptions {
    /// Captures, measures and labels the pages of a split of a set; with keywords and parts of
    /// speech if `language_bound`.
    ///
    /// # Errors
    /// If no page is left, or pages have different columns.
    pub(crate) fn gather(
        &self,
        set: &DataSet,
        split: Split,
        capturing: &Capturing,
        language_bound: bool,
        progress: &dyn Progress,
    ) -> Result<TablePages, TrainError> {
        let options = ExampleOptions {
            targets: self.targets,
            alignment: self.alignment,
            language_bound,
            markup: false,
        };
        check_split(std::slice::from_ref(set), split).map_err(TrainError::from)?;
        let (mut examples, failures) =
            gather_rows(set, &set.split(split), capturing, options, progress);
        let failed = failures.len();
        if language_bound {
            let folds = self
                .folds
                .map_or(KEYWORD_FOLDS, |folds| folds.min(KEYWORD_FOLDS));
            add_keywords(&mut examples, folds, self.seed)?;
        }
        let columns = columns_of(&set.name, &examples, failures)?;
        Ok(TablePages {
            columns,
            examples,
            failed,
        })
    }

    /// The support vector machine on all columns.
    pub fn svm(&self) -> SvmOptions {
        SvmOptions {
            c: self.c,
            gamma: self.gamma,
            ..SvmOptions::default()
        }
    }

    /// The stages of the built-in models: a support vector machine and boosted trees, then a
    /// logistic regression.
    pub(crate) fn train_options(&self, folds: usize) -> TrainOptions {
        let preset = Preset {
            classifier: Classifier::Svm(self.svm()),
            sample: self.sample,
            ensemble: Some(Classifier::Boosted(BoostedOptions {
                seed: self.seed,
                ..BoostedOptions::default()
            })),
            stacked: None,
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

// The errors of an experiment.

/// An experiment cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// There are no training pages.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// A data folder cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A model cannot be trained or read.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A required page cannot be captured or cleaned.
    #[error(transparent)]
    Page(#[from] Error),
    /// No training page is in the training language.
    #[error("no training page is in {language}; name another `train_lang` or more data sets")]
    NoTrainingPage {
        /// Language tag that was asked for.
        language: String,
    },
}
