//! Fits one stage: a classifier of rows to a sample of rows, a network to whole pages.

use super::classifier::Classifier;
use super::sample::{RowPosition, TrainingPage, draw, gather, page_weights};
use super::stage_options::StageOptions;
use crate::fitting::rows::{fit_scaler, set_last};
use crate::fitting::{SequenceOptions, SequencePage, sequence};
use ndarray::{ArrayView2, Axis};
use vclean_core::classify::Scaler;
use vclean_core::classify::model::Machine;
use vclean_core::classify::smooth::MAX_MARGIN;
use vclean_core::error::ModelError;

/// The scaling and the machine of a fitted stage.
pub(super) struct FittedStage {
    pub(super) scaler: Scaler,
    /// Mean of each scaled input over the sample.
    pub(super) means: Vec<f32>,
    pub(super) machine: Machine,
}

/// Pages with the inputs of one stage.
pub(super) struct StagePages<'a> {
    pub(super) pages: Vec<&'a TrainingPage>,
    /// Unscaled inputs of the stage, one matrix a page.
    pub(super) inputs: Vec<ArrayView2<'a, f32>>,
}

impl StagePages<'_> {
    pub(super) fn select(&self, numbers: &[usize]) -> Self {
        Self {
            pages: numbers.iter().map(|&page| self.pages[page]).collect(),
            inputs: numbers.iter().map(|&page| self.inputs[page]).collect(),
        }
    }

    /// The rows that a stage learns from.
    pub(super) fn draw(&self, stage: &StageOptions) -> Vec<RowPosition> {
        draw(&self.pages, &stage.sample)
    }
}

/// Fits a stage. `rows` is the sample: the rows that a classifier of rows is fitted to, or that the
/// scaling of a network is learned from.
pub(super) fn fit_stage(
    stage_pages: &StagePages<'_>,
    stage: &StageOptions,
    rows: &[RowPosition],
    progress: &(dyn Fn(&str) + Sync),
) -> Result<FittedStage, ModelError> {
    match &stage.classifier {
        Classifier::Sequence(options) => fit_pages(stage_pages, stage, options, rows, progress),
        classifier => fit_rows(stage_pages, stage, classifier, rows),
    }
}

fn fit_rows(
    stage_pages: &StagePages<'_>,
    stage: &StageOptions,
    classifier: &Classifier,
    positions: &[RowPosition],
) -> Result<FittedStage, ModelError> {
    let (rows, labels) = gather(&stage_pages.pages, &stage_pages.inputs, positions);
    let weights = stage
        .sample
        .pages_alike
        .then(|| page_weights(&stage_pages.pages, positions));
    let (scaler, scaled, machine) = classifier.fit(rows, &labels, weights.as_deref())?;
    let means = scaled
        .mean_axis(Axis(0))
        .map(|means| means.to_vec())
        .unwrap_or_default();
    Ok(FittedStage {
        scaler,
        means,
        machine,
    })
}

fn fit_pages(
    stage_pages: &StagePages<'_>,
    stage: &StageOptions,
    options: &SequenceOptions,
    positions: &[RowPosition],
    progress: &(dyn Fn(&str) + Sync),
) -> Result<FittedStage, ModelError> {
    let (rows, _) = gather(&stage_pages.pages, &stage_pages.inputs, positions);
    let mut scaler = fit_scaler(rows.view());
    // Margins have a known range, which a sample of them need not fill.
    set_last(&mut scaler, stage.reads.len(), -MAX_MARGIN, MAX_MARGIN);
    let means = scaler
        .apply_owned(rows)
        .mean_axis(Axis(0))
        .map(|means| means.to_vec())
        .unwrap_or_default();
    let labels: Vec<Vec<Option<bool>>> =
        stage_pages.pages.iter().map(|page| page.truths()).collect();
    let pages: Vec<SequencePage<'_>> = stage_pages
        .pages
        .iter()
        .zip(&stage_pages.inputs)
        .zip(&labels)
        .map(|((page, inputs), labels)| SequencePage {
            inputs: inputs.view(),
            columns: inputs.ncols() - stage.reads.len(),
            shape: &page.shape,
            labels,
            is_whole: page.is_whole,
            kind: page.kind,
        })
        .collect();
    let network = sequence::fit(&pages, &scaler, options, progress)?;
    Ok(FittedStage {
        scaler,
        means,
        machine: Machine::Sequence(network),
    })
}

#[cfg(test)]
mod tests {
    use super::super::learn::train;
    use super::super::sample::SampleOptions;
    use super::super::stage_options::TrainOptions;
    use super::*;
    use crate::fitting::BoostedOptions;
    use ndarray::Array2;
    use vclean_core::capture::Engine;
    use vclean_core::classify::{Label, Model, PageKind, PageShape};
    use vclean_core::features::FeatureTable;

    /// Pages whose content is the six targets after a marker; single rows do not show which targets
    /// these are.
    fn pages(count: usize) -> Vec<TrainingPage> {
        let mut random = fastrand::Rng::with_seed(11);
        (0..count)
            .map(|number| {
                let marker = random.usize(2..12);
                let label = |row: usize| {
                    if (marker + 1..marker + 7).contains(&row) {
                        Label::Content
                    } else {
                        Label::Boilerplate
                    }
                };
                TrainingPage {
                    set: "set".to_owned(),
                    site: format!("site {}", number / 2),
                    rows: Array2::from_shape_fn((20, 2), |(row, column)| {
                        if column == 0 {
                            f32::from(u8::from(row == marker))
                        } else {
                            random.f32()
                        }
                    }),
                    labels: (0..20).map(|row| (row != 0).then(|| label(row))).collect(),
                    comments: crate::gold::CommentKnowledge::Unknown,
                    shape: PageShape {
                        lengths: vec![20; 20],
                        groups: vec![[1, 0]; 20],
                    },
                    engine: Engine::Parser,
                    is_whole: number % 3 > 0,
                    kind: (number % 2 == 0).then_some(PageKind::Forum),
                }
            })
            .collect()
    }

    fn options() -> TrainOptions {
        let boosted = BoostedOptions {
            trees: 5,
            depth: 3,
            column_share: 1.0,
            ..BoostedOptions::default()
        };
        let sequence = SequenceOptions {
            width: 8,
            epochs: 30,
            batch: 4,
            rate: 5e-3,
            window: 16,
            dropout: 0.0,
            ..SequenceOptions::default()
        };
        let stage = |classifier, reads| StageOptions {
            columns: None,
            reads,
            classifier,
            sample: SampleOptions {
                pages_alike: true,
                ..SampleOptions::default()
            },
        };
        let stages = vec![
            stage(Classifier::Boosted(boosted), vec![]),
            stage(Classifier::Sequence(sequence), vec![0]),
        ];
        TrainOptions {
            stages,
            folds: 2,
            ..TrainOptions::default()
        }
    }

    #[test]
    fn a_sequence_stage_learns_what_rows_do_not_tell() {
        let pages = pages(40);
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        let columns = ["a.x", "a.y"].map(str::to_owned);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| train(&columns, &pages, &options(), &|_| {}).unwrap())
        };
        let trained = on(1);
        let [trees, network] = [0, 1].map(|stage: usize| trained.stages[stage].accuracy());
        assert!(trees < 0.8 && network > 0.9, "{trees} {network}");
        let bytes = trained.model.to_bytes();
        assert_eq!(on(2).model.to_bytes(), bytes);
        let model = Model::from_bytes(&bytes).unwrap();
        assert_eq!(model, trained.model);
        let table = FeatureTable {
            columns: vec!["a.x", "a.y"],
            rows: pages[0].rows.clone(),
        };
        let kinds = model.kinds(&table, &pages[0].shape).unwrap().unwrap();
        assert!(kinds[PageKind::Forum.index()] > 0.3, "{kinds:?}");
        let scaler = &model.stages[1].scaler;
        assert_eq!(
            (scaler.columns(), scaler.low[2], scaler.high[2]),
            (3, -3.0, 3.0)
        );
    }
}
