//! The classifiers that a stage can use, and their parameters by name: one table for training,
//! tuning and the command line.

use crate::fitting::rivals::{Bagged, BaggedOptions, TreeOptions, fit_bagged, fit_tree};
use crate::fitting::rows::fit_scaler;
use crate::fitting::{BoostedOptions, SequenceOptions, SvmOptions, boosted, logistic, svm};
use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use vclean_core::classify::model::{Machine, MarginInput};
use vclean_core::classify::{PageShape, Scaler, Tree};
use vclean_core::error::ModelError;

/// The classifier of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Classifier {
    /// A support vector machine.
    Svm(SvmOptions),
    /// Logistic regression with a ridge penalty.
    Logistic {
        /// Ridge penalty per row, 0 or more.
        ridge: f64,
    },
    /// One decision tree; of [`RIVALS`].
    Tree(TreeOptions),
    /// Bagged trees; of [`RIVALS`].
    Bagged(BaggedOptions),
    /// Boosted trees; see [`BoostedOptions`].
    Boosted(BoostedOptions),
    /// A network that reads all targets of a page.
    Sequence(SequenceOptions),
}

/// Creates a classifier with its default parameters.
pub(crate) type Usual = fn() -> Classifier;

/// The classifiers that models are made of, by name.
pub const CLASSIFIERS: &[(&str, Usual)] = &[
    ("svm", || Classifier::Svm(SvmOptions::default())),
    ("logistic", || Classifier::Logistic { ridge: 1e-3 }),
    ("boosted", || Classifier::Boosted(BoostedOptions::default())),
    ("sequence", || {
        Classifier::Sequence(SequenceOptions::default())
    }),
];

/// The classifiers that a search only compares with those of models, by name.
pub(crate) const RIVALS: &[(&str, Usual)] = &[
    ("tree", || Classifier::Tree(TreeOptions::default())),
    ("bagged", || Classifier::Bagged(BaggedOptions::default())),
];

/// A reference to one parameter of a classifier, to read it or set it.
enum Parameter<'a> {
    Real(&'a mut f64),
    Whole(&'a mut usize),
}

impl Classifier {
    /// Its name in [`CLASSIFIERS`] or [`RIVALS`].
    pub fn name(&self) -> &'static str {
        match self {
            Self::Svm(_) => "svm",
            Self::Logistic { .. } => "logistic",
            Self::Tree(_) => "tree",
            Self::Bagged(_) => "bagged",
            Self::Boosted(_) => "boosted",
            Self::Sequence(_) => "sequence",
        }
    }

    fn parameter_slots(&mut self) -> Vec<(&'static str, Parameter<'_>)> {
        use Parameter::{Real, Whole};
        match self {
            Self::Svm(svm) => vec![
                ("c", Real(&mut svm.c)),
                ("gamma", Real(&mut svm.gamma)),
                ("content-weight", Real(&mut svm.content_weight)),
                ("support-vectors", Whole(&mut svm.support_vectors)),
            ],
            Self::Logistic { ridge } => vec![("ridge", Real(ridge))],
            Self::Tree(tree) => vec![
                ("depth", Whole(&mut tree.depth)),
                ("min-leaf", Whole(&mut tree.min_leaf)),
            ],
            Self::Bagged(bagged) => vec![
                ("depth", Whole(&mut bagged.depth)),
                ("column-share", Real(&mut bagged.column_share)),
                ("trees", Whole(&mut bagged.trees)),
                ("min-leaf", Whole(&mut bagged.min_leaf)),
            ],
            Self::Boosted(boosted) => vec![
                ("trees", Whole(&mut boosted.trees)),
                ("depth", Whole(&mut boosted.depth)),
                ("learning-rate", Real(&mut boosted.learning_rate)),
                ("row-share", Real(&mut boosted.row_share)),
                ("column-share", Real(&mut boosted.column_share)),
                ("l2", Real(&mut boosted.l2)),
                ("min-leaf", Whole(&mut boosted.min_leaf)),
            ],
            Self::Sequence(sequence) => vec![
                ("width", Whole(&mut sequence.width)),
                ("epochs", Whole(&mut sequence.epochs)),
                ("rate", Real(&mut sequence.rate)),
                ("decay", Real(&mut sequence.decay)),
                ("dropout", Real(&mut sequence.dropout)),
                ("hidden", Real(&mut sequence.hidden)),
                ("soft-f", Real(&mut sequence.soft_f)),
                ("kind-weight", Real(&mut sequence.kind_weight)),
                ("window", Whole(&mut sequence.window)),
                ("batch", Whole(&mut sequence.batch)),
            ],
        }
    }

    /// The form in which it reads margins of earlier stages.
    pub(super) fn margin_input(&self) -> MarginInput {
        if self.is_row_wise() {
            MarginInput::Context
        } else {
            MarginInput::Own
        }
    }

    /// True if it decides on each row separately, so that it can be fitted to a sample of rows.
    pub fn is_row_wise(&self) -> bool {
        !matches!(self, Self::Sequence(_))
    }

    /// Its parameters by name, with their values; those that are tuned first come first. The blocks
    /// and the seed of a network are not numbers of this kind and not among them.
    pub fn parameters(mut self) -> Vec<(&'static str, f64)> {
        let value = |slot: Parameter<'_>| match slot {
            Parameter::Real(value) => *value,
            Parameter::Whole(value) => *value as f64,
        };
        self.parameter_slots()
            .into_iter()
            .map(|(name, slot)| (name, value(slot)))
            .collect()
    }

    /// Changes one parameter, in its range.
    pub fn with(mut self, parameter: &str, value: f64) -> Result<Self, ModelError> {
        let name = self.name();
        let mut slots = self.parameter_slots();
        let Some(at) = slots.iter().position(|(known, _)| *known == parameter) else {
            let known: Vec<&str> = slots.iter().map(|(known, _)| *known).collect();
            return Err(ModelError::Training(format!(
                "{name} has no parameter {parameter}, it has {}",
                known.join(", ")
            )));
        };
        let (parameter, slot) = slots.swap_remove(at);
        let is_whole = (0.0..=1e9).contains(&value) && value.fract() == 0.0;
        if !(is_whole || matches!(slot, Parameter::Real(_))) {
            return Err(ModelError::Parameter {
                parameter,
                value,
                range: "a whole number",
            });
        }
        match slot {
            Parameter::Real(real) => *real = value,
            Parameter::Whole(whole) => *whole = value as usize,
        }
        self.check()?;
        Ok(self)
    }

    /// Changes one parameter, which is given as text: a number, or the blocks of a network.
    pub fn with_text(self, parameter: &str, text: &str) -> Result<Self, String> {
        if let (Self::Sequence(options), "blocks") = (self, parameter) {
            return Ok(Self::Sequence(SequenceOptions {
                blocks: text.parse()?,
                ..options
            }));
        }
        let value = text
            .parse()
            .map_err(|_| format!("{parameter} is {text}, allowed is a number"))?;
        self.with(parameter, value)
            .map_err(|error| error.to_string())
    }

    /// Changes the seed of its random draws.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        match self {
            Self::Bagged(options) => Self::Bagged(BaggedOptions { seed, ..options }),
            Self::Boosted(options) => Self::Boosted(BoostedOptions { seed, ..options }),
            Self::Sequence(options) => Self::Sequence(SequenceOptions { seed, ..options }),
            other => other,
        }
    }

    /// Checks the ranges of all parameters.
    pub fn check(&self) -> Result<(), ModelError> {
        match self {
            Self::Svm(options) => options.check(),
            Self::Logistic { ridge } if ridge.is_finite() && *ridge >= 0.0 => Ok(()),
            Self::Logistic { ridge } => Err(ModelError::Parameter {
                parameter: "ridge",
                value: *ridge,
                range: "0 or more",
            }),
            Self::Tree(options) => options.check(),
            Self::Bagged(options) => options.check(),
            Self::Boosted(options) => options.check(),
            Self::Sequence(options) => options.check(),
        }
    }

    /// Learns the scaling of the rows, scales them and fits a machine; `weights`, one per row,
    /// multiply its loss, except that of a logistic regression. A support vector machine has none.
    pub(super) fn fit(
        &self,
        rows: Array2<f32>,
        labels: &[bool],
        weights: Option<&[f32]>,
    ) -> Result<(Scaler, Array2<f32>, Machine), ModelError> {
        let scaler = fit_scaler(rows.view());
        if scaler.columns() > 0 && scaler.is_constant() {
            return Err(ModelError::Training(format!(
                "all {} columns are constant over the {} rows; add pages or other feature groups",
                scaler.columns(),
                rows.nrows()
            )));
        }
        let scaled = scaler.apply_owned(rows);
        let machine = self
            .fit_scaled(scaled.view(), labels, weights)?
            .into_machine()?;
        Ok((scaler, scaled, machine))
    }

    /// Fits a machine to rows that are already scaled.
    ///
    /// # Errors
    /// If they cannot be fitted, or this is a network, which is fitted to whole pages.
    pub(crate) fn fit_scaled(
        &self,
        rows: ArrayView2<'_, f32>,
        labels: &[bool],
        weights: Option<&[f32]>,
    ) -> Result<Fitted, ModelError> {
        let machine = |machine| Fitted::Machine(Box::new(machine));
        Ok(match self {
            Self::Svm(_) if weights.is_some() => {
                return Err(ModelError::Training(
                    "linfa-svm has no weights of rows; use another classifier for pages that weigh alike"
                        .to_owned(),
                ));
            }
            Self::Svm(options) => machine(Machine::Svm(svm::fit(rows, labels, options)?)),
            Self::Logistic { ridge } => {
                machine(Machine::Logistic(logistic::fit(rows, labels, *ridge)?))
            }
            Self::Tree(options) => Fitted::Tree(fit_tree(rows, labels, weights, options)?),
            Self::Bagged(options) => Fitted::Bagged(fit_bagged(rows, labels, weights, options)?),
            Self::Boosted(options) => machine(Machine::Boosted(boosted::fit(
                rows, labels, weights, options,
            )?)),
            Self::Sequence(_) => {
                return Err(ModelError::Training(
                    "a sequence network reads whole pages and cannot be fitted to single rows; use it as a stage of a model"
                        .to_owned(),
                ));
            }
        })
    }
}

/// A classifier of rows after fitting.
pub(crate) enum Fitted {
    Machine(Box<Machine>),
    Tree(Tree),
    Bagged(Bagged),
}

impl Fitted {
    /// The margin of each scaled row.
    pub(crate) fn margins(&self, rows: ArrayView2<'_, f32>) -> Vec<f32> {
        match self {
            Self::Machine(machine) => machine.margins(rows, &PageShape::default()),
            Self::Tree(tree) => rows.rows().into_iter().map(|row| tree.value(row)).collect(),
            Self::Bagged(trees) => trees.margins(rows),
        }
    }

    /// The machine of a stage.
    fn into_machine(self) -> Result<Machine, ModelError> {
        match self {
            Self::Machine(machine) => Ok(*machine),
            Self::Tree(_) | Self::Bagged(_) => Err(ModelError::Training(
                "a tree and bagged trees are only compared with other classifiers; a model has none".to_owned(),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_set_by_name_and_kept_in_range() {
        for (name, usual) in CLASSIFIERS.iter().chain(RIVALS) {
            let classifier = usual();
            assert!(classifier.name() == *name && classifier.check().is_ok());
            for (parameter, value) in classifier.parameters() {
                assert_eq!(classifier.with(parameter, value).unwrap(), classifier);
                assert!(
                    classifier.with(parameter, f64::NAN).is_err(),
                    "{name} {parameter}"
                );
            }
        }
        let error = |classifier: Classifier, parameter, value| {
            classifier.with(parameter, value).unwrap_err().to_string()
        };
        let tree = Classifier::Tree(TreeOptions::default());
        assert_eq!(
            error(tree, "gamma", 1.0),
            "tree has no parameter gamma, it has depth, min-leaf"
        );
        assert_eq!(
            error(tree, "depth", 2.5),
            "depth is 2.5, allowed is a whole number"
        );
        assert_eq!(
            error(tree, "depth", 31.0),
            "depth is 31, allowed is 1 to 30"
        );
        assert_eq!(
            error(Classifier::Logistic { ridge: 0.1 }, "ridge", -1.0),
            "ridge is -1, allowed is 0 or more"
        );
    }

    #[test]
    fn constant_columns_are_named_and_a_single_one_is_accepted() {
        let labels: Vec<bool> = (0..20).map(|row| row % 2 == 0).collect();
        let mut rows = Array2::from_elem((20, 2), 3.0);
        let error = CLASSIFIERS[0].1()
            .fit(rows.clone(), &labels, None)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("all 2 columns are constant over the 20 rows"),
            "{error}"
        );
        rows.column_mut(1)
            .iter_mut()
            .enumerate()
            .for_each(|(row, value)| *value = row as f32);
        for (name, usual) in CLASSIFIERS {
            assert_eq!(
                usual().fit(rows.clone(), &labels, None).is_ok(),
                usual().is_row_wise(),
                "{name}"
            );
        }
        for (_, usual) in RIVALS {
            assert!(
                usual()
                    .fit(rows.clone(), &labels, None)
                    .unwrap_err()
                    .to_string()
                    .contains("a model has none")
            );
        }
    }
}
