//! Fits the stages of a model, and measures them out of fold.
//!
//! Pages are divided into folds by site. A stage is fitted once on all pages for the model, and
//! once without each fold: the margins of the fold's pages by that machine are the out-of-fold
//! margins. The next stage learns from them, the calibration is fitted on them, and the block score
//! is computed from them, because margins of training pages are too large.

pub use super::stage_options::{StageOptions, TrainOptions};

use super::comment_stage::{FittedComments, fit_comments};
use super::fit_stage::{FittedStage, StagePages, fit_stage};
use super::held_out::{block_score, held_out_margins};
use super::sample::{RowPosition, TrainingPage, folds};
use crate::evaluate::BlockScore;
use crate::evaluate::reliability::calibration_error;
use crate::fitting::calibrate::{fit_platt, precision_curve};
use ndarray::{CowArray, Ix2};
use rayon::prelude::*;
use vclean_core::classify::model::Stage;
use vclean_core::classify::{Model, Platt, PrecisionCurve, Provenance, SetUse};
use vclean_core::error::ModelError;

/// A model and its out-of-fold scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// Model fitted on all pages.
    pub model: Model,
    /// Out-of-fold block score of each stage, at the sign of the margin.
    pub stages: Vec<BlockScore>,
    /// Out-of-fold block score of the calibrated model at its threshold.
    pub score: BlockScore,
    /// Out-of-fold expected calibration error.
    pub calibration_error: f64,
    /// For each page, the out-of-fold margin of each target by the last stage.
    pub held_out: Vec<Vec<f32>>,
    /// Out-of-fold score of comments among what is not content; `None` if the model has no stage
    /// for them.
    pub comments: Option<BlockScore>,
}

fn check(
    columns: &[String],
    pages: &[&TrainingPage],
    options: &TrainOptions,
) -> Result<(), ModelError> {
    let fail = |cause: String| Err(ModelError::Training(cause));
    if options.stages.is_empty() || pages.is_empty() {
        return fail(format!(
            "{} stages and {} pages; at least one of each is needed",
            options.stages.len(),
            pages.len()
        ));
    }
    if !(options.threshold > 0.0 && options.threshold < 1.0) {
        return Err(ModelError::Parameter {
            parameter: "threshold",
            value: f64::from(options.threshold),
            range: "above 0, below 1",
        });
    }
    for (number, stage) in options.stages.iter().enumerate() {
        stage.classifier.check()?;
        if stage.reads.iter().any(|&earlier| earlier >= number) {
            return fail(format!(
                "stage {} reads the margins of a stage that does not come before it",
                number + 1
            ));
        }
        if stage
            .columns
            .iter()
            .flatten()
            .any(|&column| column >= columns.len())
        {
            return fail(format!(
                "a stage reads a column that does not exist; there are {}",
                columns.len()
            ));
        }
    }
    if let Some(other) = pages.iter().find(|page| page.engine != pages[0].engine) {
        let (one, other) = (pages[0].engine.name(), other.engine.name());
        return fail(format!(
            "some pages were captured by {one} and some by {other}, but a model can be trained for one engine only; capture all with the same engine, or use all without rendering"
        ));
    }
    for page in pages {
        let targets = page.labels.len();
        let shape = [
            page.rows.nrows(),
            page.shape.lengths.len(),
            page.shape.groups.len(),
        ];
        if page.rows.ncols() != columns.len() || shape.iter().any(|&count| count != targets) {
            return fail(format!(
                "a page of {} has {} x {} features for {targets} targets and {} columns",
                page.site,
                page.rows.nrows(),
                page.rows.ncols(),
                columns.len()
            ));
        }
        if let Some(((_, column), value)) = page
            .rows
            .indexed_iter()
            .find(|(_, value)| !value.is_finite())
        {
            return fail(format!(
                "column {} is {value} on a page of {}; measure the features again with this version",
                columns[column], page.site
            ));
        }
    }
    Ok(())
}

/// Trains a model on `pages` with these feature columns.
///
/// The same pages, options and seed give the same bytes, for any number of threads. `progress` is
/// called with one line per step.
pub fn train(
    columns: &[String],
    pages: &[&TrainingPage],
    options: &TrainOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Trained, ModelError> {
    check(columns, pages, options)?;
    let FittedStages {
        stages,
        scores,
        held_out,
        first_rows,
    } = fit_stages(columns.len(), pages, options, progress)?;
    let Calibration {
        platt,
        error: calibration_error,
        curve,
    } = calibrate(pages, &held_out);
    let comments = if options.tells_comments {
        let fold_of = folds(pages, options.folds, options.seed)?;
        fit_comments(pages, &held_out, &fold_of, options.seed, progress)?
    } else {
        None
    };
    let (comments, comment_score) = comments
        .map(|FittedComments { stage, score }| (stage, score))
        .unzip();
    let score = block_score(pages, |page, target| {
        platt.probability(held_out[page][target]) >= options.threshold
    });
    let provenance = Provenance {
        command: options.command.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        seed: options.seed,
        sets: set_uses(pages, &first_rows),
        stages: options
            .stages
            .iter()
            .map(|stage| format!("{:?}", stage.classifier))
            .collect(),
        accuracy: score.accuracy(),
        calibration_error,
        languages: Vec::new(),
    };
    let model = Model {
        name: options.name.clone(),
        columns: columns.to_vec(),
        stages,
        platt,
        comments,
        threshold: options.threshold,
        target_rule: options.target_rule,
        engine: pages[0].engine,
        curve,
        provenance,
        keywords: None,
        markup: None,
    };
    Ok(Trained {
        model,
        stages: scores,
        score,
        calibration_error,
        held_out,
        comments: comment_score,
    })
}

/// The fitted stages of a model.
struct FittedStages {
    stages: Vec<Stage>,
    /// Out-of-fold block score of each.
    scores: Vec<BlockScore>,
    /// For each page, the out-of-fold margin of each target by the last stage.
    held_out: Vec<Vec<f32>>,
    /// Training rows of the first stage.
    first_rows: Vec<RowPosition>,
}

fn fit_stages<'p>(
    column_count: usize,
    pages: &[&'p TrainingPage],
    options: &TrainOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<FittedStages, ModelError> {
    let fold_of = folds(pages, options.folds, options.seed)?;
    // For each stage, for each page, the out-of-fold margin of each target.
    let mut held_out: Vec<Vec<Vec<f32>>> = Vec::new();
    let (mut stages, mut scores, mut first_rows) = (Vec::new(), Vec::new(), Vec::new());
    for (number, stage) in options.stages.iter().enumerate() {
        let own = stage
            .columns
            .clone()
            .unwrap_or_else(|| (0..column_count).collect());
        let margin_input = stage.classifier.margin_input();
        let input = |(index, page): (usize, &&'p TrainingPage)| {
            let read: Vec<&[f32]> = stage
                .reads
                .iter()
                .map(|&earlier| held_out[earlier][index].as_slice())
                .collect();
            Stage::input(&own, page.rows.view(), &read, margin_input, &page.shape)
        };
        let inputs: Vec<CowArray<'p, f32, Ix2>> = pages.par_iter().enumerate().map(input).collect();
        let stage_pages = StagePages {
            pages: pages.to_vec(),
            inputs: inputs.iter().map(CowArray::view).collect(),
        };
        let positions = stage_pages.draw(stage);
        progress(&format!(
            "stage {}: {} rows of {} pages, {} columns",
            number + 1,
            positions.len(),
            pages.len(),
            own.len() + stage.reads.len() * margin_input.columns()
        ));
        let FittedStage {
            scaler,
            means,
            machine,
        } = fit_stage(&stage_pages, stage, &positions, progress)?;
        let margins = held_out_margins(&stage_pages, &fold_of, options.folds, stage, progress)?;
        let score = block_score(pages, |page, target| margins[page][target] > 0.0);
        progress(&format!(
            "stage {}: block accuracy {:.4} on held-out sites",
            number + 1,
            score.accuracy()
        ));
        scores.push(score);
        held_out.push(margins);
        stages.push(Stage {
            columns: own,
            reads: stage.reads.clone(),
            scaler,
            means,
            machine,
        });
        if number == 0 {
            first_rows = positions;
        }
    }
    Ok(FittedStages {
        stages,
        scores,
        held_out: held_out.pop().unwrap_or_default(),
        first_rows,
    })
}

/// Converts out-of-fold margins to probabilities, and measures how good these are.
struct Calibration {
    platt: Platt,
    error: f64,
    curve: PrecisionCurve,
}

fn calibrate(pages: &[&TrainingPage], held_out: &[Vec<f32>]) -> Calibration {
    let labelled: Vec<(f32, bool)> = pages
        .iter()
        .zip(held_out)
        .flat_map(|(page, margins)| {
            page.labelled()
                .map(|target| (margins[target], page.is_content(target)))
        })
        .collect();
    let (margins, labels): (Vec<f32>, Vec<bool>) = labelled.into_iter().unzip();
    let platt = fit_platt(&margins, &labels);
    let probabilities: Vec<f32> = margins
        .iter()
        .map(|&margin| platt.probability(margin))
        .collect();
    let error = calibration_error(&probabilities, &labels);
    let lengths: Vec<u32> = pages
        .iter()
        .flat_map(|page| page.labelled().map(|target| page.shape.lengths[target]))
        .collect();
    let curve = precision_curve(&probabilities, &labels, &lengths);
    Calibration {
        platt,
        error,
        curve,
    }
}

/// Pages and training rows of each set, sorted by name.
fn set_uses(pages: &[&TrainingPage], rows: &[RowPosition]) -> Vec<SetUse> {
    let mut sets: Vec<SetUse> = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        let rows = rows.iter().filter(|row| row.page == number).count();
        match sets.iter_mut().find(|set| set.name == page.set) {
            Some(set) => (set.pages, set.rows) = (set.pages + 1, set.rows + rows),
            None => sets.push(SetUse {
                name: page.set.clone(),
                pages: 1,
                left_out: 0,
                rows,
            }),
        }
    }
    sets.sort_by(|one, other| one.name.cmp(&other.name));
    sets
}

#[cfg(test)]
mod tests {
    use super::super::classifier::Classifier;
    use super::super::held_out::crossvalidate;
    use super::super::sample::SampleOptions;
    use super::*;
    use crate::fitting::{BoostedOptions, SvmOptions};
    use ndarray::Array2;
    use vclean_core::capture::Engine;
    use vclean_core::classify::{Label, PageShape};
    use vclean_core::features::FeatureTable;

    /// Pages whose content is one run of targets; their features are noisy, so that the context
    /// columns help.
    fn pages(count: usize) -> Vec<TrainingPage> {
        let mut random = fastrand::Rng::with_seed(6);
        (0..count)
            .map(|number| {
                let (from, to) = (random.usize(3..10), random.usize(15..25));
                let content: Vec<bool> =
                    (0..30).map(|target| (from..to).contains(&target)).collect();
                TrainingPage {
                    set: ["one", "two"][number % 2].to_owned(),
                    site: format!("site {}", number / 2),
                    rows: Array2::from_shape_fn((30, 3), |(target, column)| {
                        let signal = if content[target] && column < 2 {
                            1.0
                        } else {
                            0.0
                        };
                        signal + 2.0 * random.f32()
                    }),
                    labels: content
                        .iter()
                        .map(|&content| {
                            Some(if content {
                                Label::Content
                            } else {
                                Label::Boilerplate
                            })
                        })
                        .collect(),
                    comments: crate::gold::CommentKnowledge::Unknown,
                    shape: PageShape {
                        lengths: vec![50; 30],
                        groups: vec![[1, 0]; 30],
                    },
                    engine: Engine::Builtin,
                    is_whole: true,
                    kind: None,
                }
            })
            .collect()
    }

    fn options() -> TrainOptions {
        let stage = |classifier, columns: Option<Vec<usize>>| StageOptions {
            reads: if columns.is_some() { vec![0] } else { vec![] },
            columns,
            classifier,
            sample: SampleOptions {
                total: 800,
                of_page: 30,
                ..SampleOptions::default()
            },
        };
        let svm = SvmOptions {
            gamma: 0.5,
            ..SvmOptions::default()
        };
        TrainOptions {
            stages: vec![
                stage(Classifier::Svm(svm), None),
                stage(Classifier::Logistic { ridge: 1e-4 }, Some(vec![])),
            ],
            folds: 3,
            ..TrainOptions::default()
        }
    }

    fn columns() -> Vec<String> {
        ["a.x", "a.y", "a.z"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_second_stage_learns_from_the_context() {
        let pages = pages(40);
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        let trained = train(&columns(), &pages, &options(), &|_| {}).unwrap();
        let accuracy: Vec<f64> = trained
            .stages
            .iter()
            .map(|score| score.accuracy())
            .collect();
        assert!(
            accuracy[0] > 0.7 && accuracy[1] > accuracy[0] + 0.05,
            "{accuracy:?}"
        );
        assert!(trained.calibration_error < 0.1);
        assert_eq!(
            trained
                .model
                .provenance
                .sets
                .iter()
                .map(|set| set.rows)
                .collect::<Vec<_>>(),
            [400, 400]
        );
        let table = FeatureTable {
            columns: vec!["a.x", "a.y", "a.z"],
            rows: pages[0].rows.clone(),
        };
        assert_eq!(
            trained.model.decide(&table, &pages[0].shape).unwrap().len(),
            30
        );
    }

    #[test]
    fn the_same_bytes_on_one_and_on_two_threads() {
        let pages = pages(20);
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| {
                train(&columns(), &pages, &options(), &|_| {})
                    .unwrap()
                    .model
                    .to_bytes()
            })
        };
        assert_eq!(on(1), on(2));
    }

    #[test]
    fn a_requested_precision_is_reached_out_of_fold() {
        let pages = pages(40);
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        let boosted = Classifier::Boosted(BoostedOptions {
            trees: 20,
            ..BoostedOptions::default()
        });
        let mut options = options();
        options.stages[0].classifier = boosted;
        let trained = train(&columns(), &pages, &options, &|_| {}).unwrap();
        let usual = trained.score.score().precision as f32;
        let wanted = f32::midpoint(usual, 1.0);
        let threshold = trained.model.threshold_for(wanted).unwrap();
        assert!(threshold > 0.5);
        let platt = trained.model.platt;
        let kept = block_score(&pages, |page, target| {
            platt.probability(trained.held_out[page][target]) >= threshold
        });
        assert!(
            kept.score().precision as f32 >= wanted
                && kept.score().recall < trained.score.score().recall
        );
        let read = Model::from_bytes(&trained.model.to_bytes()).unwrap();
        assert_eq!(read, trained.model);
        let table = FeatureTable {
            columns: vec!["a.x", "a.y", "a.z"],
            rows: pages[0].rows.clone(),
        };
        for decision in read
            .decide_page(&table, &pages[0].shape, Some(threshold))
            .unwrap()
            .targets
        {
            assert_eq!(
                decision.label == Label::Content,
                decision.probability >= threshold
            );
        }
    }

    #[test]
    fn columns_of_noise_score_no_better_than_chance() {
        let pages = pages(30);
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        let stage = |columns| StageOptions {
            columns: Some(columns),
            ..options().stages[0].clone()
        };
        let signal = crossvalidate(&pages, &stage(vec![0, 1]), 3, 1, &|_| {}).unwrap();
        let noise = crossvalidate(&pages, &stage(vec![2]), 3, 1, &|_| {}).unwrap();
        assert!(signal.accuracy() > noise.accuracy() + 0.1);
        assert_eq!(signal.blocks(), 900);
    }

    #[test]
    fn errors_name_what_cannot_be_trained() {
        let some = pages(4);
        let some: Vec<&TrainingPage> = some.iter().collect();
        assert!(
            train(&columns(), &[], &options(), &|_| {})
                .unwrap_err()
                .to_string()
                .contains("0 pages")
        );
        assert!(
            train(&columns()[..2], &some, &options(), &|_| {})
                .unwrap_err()
                .to_string()
                .contains("2 columns")
        );
        let holes: Vec<TrainingPage> = some
            .iter()
            .map(|page| {
                let mut page = (*page).clone();
                page.rows[[7, 1]] = f32::NAN;
                page
            })
            .collect();
        let holes: Vec<&TrainingPage> = holes.iter().collect();
        let error = train(&columns(), &holes, &options(), &|_| {})
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("column a.y is NaN on a page of site 0; "),
            "{error}"
        );
        let kinds: Vec<TrainingPage> = some
            .iter()
            .map(|page| TrainingPage {
                labels: vec![Some(Label::Boilerplate); 30],
                ..(*page).clone()
            })
            .collect();
        let kinds: Vec<&TrainingPage> = kinds.iter().collect();
        let two = TrainOptions {
            folds: 2,
            ..options()
        };
        let error = train(&columns(), &kinds, &two, &|_| {})
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("0 of 120 rows are content; both kinds are needed"),
            "{error}"
        );
        let wrong = TrainOptions {
            threshold: 1.0,
            ..options()
        };
        assert!(
            train(&columns(), &some, &wrong, &|_| {})
                .unwrap_err()
                .to_string()
                .starts_with("threshold is 1")
        );
    }
}
