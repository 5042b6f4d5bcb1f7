//! The model: the columns it reads, its stages, its calibration and its provenance.
//!
//! The file format is described in `file`.

pub use super::stage::{Logistic, Machine, MarginInput, Stage};

use super::calibrate::{Platt, PrecisionCurve};
use super::comments::CommentStage;
use super::decision::{Decision, Label, LikelyKind, PageDecision, PageKinds, Reason};
use super::smooth::PageShape;
use super::threshold::page_threshold;
use crate::capture::{Dom, Engine};
use crate::error::ModelError;
use crate::features::markup::{self, MarkupWords};
use crate::features::{FeatureTable, Measuring, ON_REQUEST, is_in_group};
use crate::language::Keywords;
use crate::target::{Target, TargetRule};
use ndarray::{Array2, ArrayView2, Axis, CowArray, Ix2};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The data and the settings a model was trained with.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Provenance {
    /// The command that trained it.
    pub command: String,
    /// Version of vclean that trained it.
    pub version: String,
    /// Seed of the sample and the folds.
    pub seed: u64,
    /// Data sets it was trained on.
    pub sets: Vec<SetUse>,
    /// Hyperparameters of each stage, as text.
    pub stages: Vec<String>,
    /// Out-of-fold block accuracy (folds by site).
    pub accuracy: f64,
    /// Out-of-fold expected calibration error.
    pub calibration_error: f64,
    /// Languages of its keywords; empty for a language-independent model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
}

/// Use of one data set in training.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SetUse {
    /// Name of the data set.
    pub name: String,
    /// Number of pages trained on.
    pub pages: usize,
    /// Number of pages left out because their gold text does not fit them.
    pub left_out: usize,
    /// Rows in the sample of the first stage.
    pub rows: usize,
}

/// A trained classifier with all data it needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Name of the model, such as `rendered`.
    pub name: String,
    /// The feature columns it reads, in the order of training.
    pub columns: Vec<String>,
    /// Applied in order; there is at least one.
    pub stages: Vec<Stage>,
    /// Converts the last stage's margins to probabilities.
    pub platt: Platt,
    /// Tells comments from other boilerplate; `None` if the model was trained without comments.
    pub comments: Option<CommentStage>,
    /// Probability above which a target is content; see also [`page_threshold`].
    pub threshold: f32,
    /// Rule that selected the targets in training; pages must be cleaned with the same rule.
    pub target_rule: TargetRule,
    /// The engine that rendered its training captures.
    pub engine: Engine,
    /// Precision and recall out of fold.
    pub curve: PrecisionCurve,
    /// Training data and settings.
    pub provenance: Provenance,
    /// Keywords, if its columns need them.
    pub keywords: Option<Keywords>,
    /// The words of names and tags, if its columns need them.
    pub markup: Option<MarkupWords>,
}

/// The last stage's margin of each target, and the probabilities of the page kinds.
type ModelOutput = (Vec<f32>, Option<PageKinds>);

impl Model {
    /// The features that must be measured on a page for this model.
    pub fn measuring(&self) -> Measuring<'_> {
        let mut bound = ON_REQUEST
            .iter()
            .filter(|group| is_in_group(group.name, "linguistic"));
        Measuring {
            language_bound: bound.any(|group| {
                self.columns
                    .iter()
                    .any(|column| is_in_group(column, group.name))
            }),
            keywords: self.keywords.as_ref(),
            markup: self.markup.as_ref(),
            columns: Some(&self.columns),
        }
    }

    /// Selects the model's columns of a table, in the model's order.
    pub fn select(&self, table: &FeatureTable) -> Result<Array2<f32>, ModelError> {
        let mut places = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            // Models list columns in the order of the table, which may have more.
            let next = places.last().map_or(0usize, |&place| place + 1);
            let later = table
                .columns
                .iter()
                .skip(next)
                .position(|known| known == column)
                .map(|place| next + place);
            let place = later.or_else(|| table.columns.iter().position(|known| known == column));
            places.push(place.ok_or_else(|| ModelError::Column {
                model: self.name.clone(),
                column: column.clone(),
                remedy: if self.engine == Engine::Parser {
                    "measure the features again with this version".to_owned()
                } else {
                    "render the page, or use a model that needs no pixels (static)".to_owned()
                },
            })?);
        }
        Ok(table.rows.select(Axis(1), &places))
    }

    /// The model's columns of a table, without a copy if the table has exactly these.
    fn rows_of<'t>(&self, table: &'t FeatureTable) -> Result<CowArray<'t, f32, Ix2>, ModelError> {
        if self.columns.iter().eq(&table.columns) {
            Ok(table.rows.view().into())
        } else {
            Ok(self.select(table)?.into())
        }
    }

    /// The last stage's margin of each target of a page.
    pub fn margins(&self, table: &FeatureTable, shape: &PageShape) -> Result<Vec<f32>, ModelError> {
        Ok(self.output_of(&self.rows_of(table)?, shape)?.0)
    }

    /// The probability of each page kind, in the order of [`PageKind::ALL`](super::PageKind::ALL);
    /// they sum to 1. `None` for a model without a stage that reads the page as a sequence.
    pub fn kinds(
        &self,
        table: &FeatureTable,
        shape: &PageShape,
    ) -> Result<Option<PageKinds>, ModelError> {
        Ok(self.output_of(&self.rows_of(table)?, shape)?.1)
    }

    fn output_of(
        &self,
        rows: &CowArray<'_, f32, Ix2>,
        shape: &PageShape,
    ) -> Result<ModelOutput, ModelError> {
        if shape.lengths.len() != rows.nrows() || shape.groups.len() != rows.nrows() {
            return Err(ModelError::Format(format!(
                "the table has {} rows, the page {} targets; measure the features again",
                rows.nrows(),
                shape.lengths.len()
            )));
        }
        Ok(self.output_of_rows(rows.view(), shape))
    }

    /// The last stage's margins for rows that have the model's columns in its order; `shape` must
    /// have the same number of targets.
    pub fn margins_of_rows(&self, rows: ArrayView2<'_, f32>, shape: &PageShape) -> Vec<f32> {
        self.output_of_rows(rows, shape).0
    }

    fn output_of_rows(&self, rows: ArrayView2<'_, f32>, shape: &PageShape) -> ModelOutput {
        let mut of_stages: Vec<Vec<f32>> = Vec::with_capacity(self.stages.len());
        let mut kinds = None;
        for stage in &self.stages {
            let (margins, of_page) = stage.output(rows, &of_stages, shape);
            of_stages.push(margins);
            kinds = of_page.or(kinds);
        }
        (of_stages.pop().unwrap_or_default(), kinds)
    }

    /// The unscaled inputs of the last stage, used to fit it, for rows that have the model's
    /// columns in its order.
    pub fn inputs_of_last_stage(
        &self,
        rows: ArrayView2<'_, f32>,
        shape: &PageShape,
    ) -> Array2<f32> {
        let Some((last, before)) = self.stages.split_last() else {
            return Array2::zeros((rows.nrows(), 0));
        };
        let mut of_stages: Vec<Vec<f32>> = Vec::with_capacity(before.len());
        for stage in before {
            of_stages.push(stage.output(rows, &of_stages, shape).0);
        }
        let read: Vec<&[f32]> = last
            .reads
            .iter()
            .map(|&stage| of_stages[stage].as_slice())
            .collect();
        Stage::input(
            &last.columns,
            rows,
            &read,
            last.machine.margin_input(),
            shape,
        )
        .into_owned()
    }

    /// The lowest threshold at which, out of fold, at least `precision` of the kept blocks were
    /// content.
    ///
    /// # Errors
    /// If `precision` is not in (0, 1], or no threshold reaches it.
    pub fn threshold_for(&self, precision: f32) -> Result<f32, ModelError> {
        if !(precision > 0.0 && precision <= 1.0) {
            let value = f64::from(precision);
            return Err(ModelError::Parameter {
                parameter: "min precision",
                value,
                range: "above 0, up to 1",
            });
        }
        self.curve.threshold_for(precision).ok_or_else(|| {
            ModelError::Precision(format!(
                "model {} has a precision of at most {} on held-out sites, {precision} was asked for; ask for less",
                self.name,
                self.curve.best()
            ))
        })
    }

    /// Decides on each target of a page, in order, at the threshold that [`page_threshold`] gives
    /// for the page.
    pub fn decide(
        &self,
        table: &FeatureTable,
        shape: &PageShape,
    ) -> Result<Vec<Decision>, ModelError> {
        Ok(self.decide_page(table, shape, None)?.targets)
    }

    /// Decides on the targets and on the kind of a page. `threshold`, if given (see
    /// [`threshold_for`](Self::threshold_for)), replaces the per-page threshold.
    pub fn decide_page(
        &self,
        table: &FeatureTable,
        shape: &PageShape,
        threshold: Option<f32>,
    ) -> Result<PageDecision, ModelError> {
        let rows = self.rows_of(table)?;
        let (margins, kinds) = self.output_of(&rows, shape)?;
        Ok(self.decide_margins(&rows, margins, kinds, shape, threshold))
    }

    /// Adapts a table that was measured for another model: the words of names and tags are replaced
    /// by those of this model.
    pub(crate) fn table_of<'t>(
        &self,
        table: &'t FeatureTable,
        dom: &Dom,
        targets: &[Target],
    ) -> Cow<'t, FeatureTable> {
        match &self.markup {
            Some(words) => Cow::Owned(markup::with_words(table, dom, targets, words)),
            None => Cow::Borrowed(table),
        }
    }

    fn decide_margins(
        &self,
        rows: &CowArray<'_, f32, Ix2>,
        margins: Vec<f32>,
        kinds: Option<PageKinds>,
        shape: &PageShape,
        threshold: Option<f32>,
    ) -> PageDecision {
        let probabilities: Vec<f32> = margins
            .iter()
            .map(|&margin| self.platt.probability(margin))
            .collect();
        let lengths: Vec<f32> = shape.lengths.iter().map(|&length| length as f32).collect();
        let threshold =
            threshold.unwrap_or_else(|| page_threshold(&probabilities, &lengths, self.threshold));
        let decide = |(&margin, probability): (&f32, f32)| {
            let label = if probability >= threshold {
                Label::Content
            } else {
                Label::Boilerplate
            };
            Decision {
                margin,
                probability,
                label,
                comments: None,
            }
        };
        let mut decisions: Vec<Decision> = margins.iter().zip(probabilities).map(decide).collect();
        if let Some(comments) = &self.comments {
            comments.label(rows.view(), margins, shape, &mut decisions);
        }
        PageDecision {
            targets: decisions,
            kind: kinds.as_ref().map(LikelyKind::from_kinds),
            threshold,
        }
    }

    /// The `count` most important features in the first stage (which reads the features), for each
    /// of `targets`, by the decrease of the margin if the feature had its training mean. Takes
    /// about a millisecond per target.
    pub fn reasons(
        &self,
        table: &FeatureTable,
        targets: &[usize],
        count: usize,
    ) -> Result<Vec<Vec<Reason>>, ModelError> {
        let stage = self
            .stages
            .first()
            .ok_or_else(|| ModelError::Format("the model has no stage".to_owned()))?;
        let rows = self
            .select(table)?
            .select(Axis(0), targets)
            .select(Axis(1), &stage.columns);
        let scaled = stage.scaler.apply(rows.view());
        let reasons = (0..targets.len()).map(|index| {
            let row = scaled.row(index);
            let effects = stage.machine.effects(row, &stage.means);
            let mut order: Vec<usize> = (0..effects.len())
                .filter(|&column| effects[column] != 0.0)
                .collect();
            order.sort_by(|&one, &other| {
                effects[other]
                    .abs()
                    .total_cmp(&effects[one].abs())
                    .then(one.cmp(&other))
            });
            order.truncate(count);
            order
                .into_iter()
                .map(|column| Reason {
                    feature: self.columns[stage.columns[column]].clone(),
                    value: rows[[index, column]],
                    weight: effects[column],
                })
                .collect()
        });
        Ok(reasons.collect())
    }

    /// Checks that the model accepts a page rendered by `rendered`. Two engines lay out the same
    /// page differently (fonts, margins, scripts that did not run), so a model makes worse
    /// decisions on the other engine's pages without any visible sign. The parser gives no layout,
    /// so it is always accepted; a model that needs layout then fails because of the missing
    /// columns.
    ///
    /// # Errors
    /// [`ModelError::Engine`] if the engines differ.
    pub fn check_engine(&self, rendered: Engine) -> Result<(), ModelError> {
        if self.engine == rendered || self.engine == Engine::Parser || rendered == Engine::Parser {
            return Ok(());
        }
        let (learned, rendered) = (self.engine.name(), rendered.name());
        Err(ModelError::Engine {
            model: self.name.clone(),
            learned,
            rendered,
            remedy: format!(
                "render with `engine` {learned}, use a model that learned from {rendered}, or let it decide all the same with `any_engine`"
            ),
        })
    }

    /// Total number of support vectors in all stages.
    pub fn support_vectors(&self) -> usize {
        let of_stage = |stage: &Stage| match &stage.machine {
            Machine::Svm(svm) => svm.support_vectors(),
            _ => 0,
        };
        self.stages.iter().map(of_stage).sum()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::classify::scaler::Scaler;
    use crate::classify::smooth::CONTEXT_COLUMNS;
    use crate::classify::svm::{Svm, snap};
    use ndarray::{Array1, array};

    /// A model of two stages with a page's table and shape. The first stage is a machine of two
    /// support vectors: a target is content if the first column is larger than the third.
    pub(in crate::classify) fn sample() -> (Model, FeatureTable, PageShape) {
        let mut random = fastrand::Rng::with_seed(2);
        let rows = Array2::from_shape_fn((80, 3), |_| random.f32() * 10.0);
        let shape = PageShape {
            lengths: vec![10; 80],
            groups: (0..80).map(|index| [index / 10, 0]).collect(),
        };
        let vectors = array![[0.5, -0.5], [-0.5, 0.5]].mapv(snap);
        let first = Stage {
            columns: vec![0, 2],
            reads: vec![],
            scaler: Scaler {
                low: vec![0.0; 2],
                high: vec![10.0; 2],
            },
            means: vec![0.01, -0.02],
            machine: Machine::Svm(Svm::new(0.5, 0.0, vectors, Array1::from(vec![3.0, -3.0]))),
        };
        let inputs = 1 + CONTEXT_COLUMNS.len();
        let mut weights = vec![0.0; inputs];
        (weights[1], weights[2]) = (6.0, 0.25);
        let second = Stage {
            columns: vec![1],
            reads: vec![0],
            scaler: Scaler {
                low: vec![-3.0; inputs],
                high: vec![3.0; inputs],
            },
            means: vec![0.0; inputs],
            machine: Machine::Logistic(Logistic {
                weights,
                offset: 0.0,
            }),
        };
        let model = Model {
            name: "sample".to_owned(),
            columns: ["a.x", "a.y", "b.z"].map(str::to_owned).to_vec(),
            stages: vec![first, second],
            platt: Platt::default(),
            comments: None,
            threshold: 0.5,
            target_rule: TargetRule::Blocks,
            engine: Engine::Parser,
            curve: PrecisionCurve::default(),
            provenance: Provenance::default(),
            keywords: None,
            markup: None,
        };
        // The table has additional columns and another order.
        let table = FeatureTable {
            columns: vec!["b.z", "c.w", "a.y", "a.x"],
            rows: Array2::from_shape_fn((80, 4), |(row, column)| match column {
                0 => rows[[row, 2]],
                1 => 1.0,
                2 => rows[[row, 1]],
                _ => rows[[row, 0]],
            }),
        };
        (model, table, shape)
    }

    #[test]
    fn columns_are_found_by_name_and_a_missing_one_is_named() {
        let (model, mut table, shape) = sample();
        let decisions = model.decide(&table, &shape).unwrap();
        let right = decisions
            .iter()
            .zip(table.rows.rows())
            .filter(|(decision, row)| (decision.label == Label::Content) == (row[3] > row[0]));
        assert!(right.count() > 70);
        table.columns[2] = "a.q";
        let error = model.decide(&table, &shape).unwrap_err().to_string();
        assert!(
            error.starts_with("model sample expects column a.y, the table has none"),
            "{error}"
        );
    }

    #[test]
    fn reasons_name_the_features_that_count() {
        let (model, table, _) = sample();
        let reasons = model.reasons(&table, &[3, 5], 2).unwrap();
        assert_eq!(reasons.len(), 2);
        for reasons in reasons {
            assert!(
                reasons
                    .iter()
                    .all(|reason| ["a.x", "b.z"].contains(&reason.feature.as_str()))
            );
            assert!(
                reasons
                    .windows(2)
                    .all(|pair| pair[0].weight.abs() >= pair[1].weight.abs())
            );
        }
    }

    #[test]
    fn a_precision_that_is_not_reached_is_named() {
        let (mut model, ..) = sample();
        let error =
            |model: &Model, precision| model.threshold_for(precision).unwrap_err().to_string();
        assert_eq!(
            error(&model, 1.5),
            "min precision is 1.5, allowed is above 0, up to 1"
        );
        model.curve = PrecisionCurve {
            precision: vec![0.25, 0.5],
            ..PrecisionCurve::default()
        };
        assert_eq!(model.threshold_for(0.5).unwrap(), 0.02);
        assert!(error(&model, 0.9).contains("at most 0.5 on held-out sites, 0.9 was asked for"));
    }

    #[test]
    fn a_model_accepts_its_own_engine_and_pages_without_layout() {
        let (mut model, _, _) = sample();
        let mut is_refused = |learned, rendered| {
            model.engine = learned;
            model.check_engine(rendered).is_err()
        };
        let all = [Engine::Parser, Engine::Builtin, Engine::Chromium];
        for engine in all {
            assert!(!is_refused(engine, engine) && !is_refused(engine, Engine::Parser));
            assert!(!is_refused(Engine::Parser, engine));
        }
        assert!(
            is_refused(Engine::Chromium, Engine::Builtin)
                && is_refused(Engine::Builtin, Engine::Chromium)
        );
        let told = model
            .check_engine(Engine::Chromium)
            .unwrap_err()
            .to_string();
        for word in [
            "captures of builtin",
            "rendered by chromium",
            "render with `engine` builtin",
            "`any_engine`",
        ] {
            assert!(told.contains(word), "{word} in {told}");
        }
    }
}
