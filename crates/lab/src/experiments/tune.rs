//! Searches for a classifier's parameters on a grid; each point is measured out-of-fold with folds
//! by site.
//!
//! FIASCO chose C and gamma by a grid search of about 110 points with threefold cross-validation
//! (Bauer et al. 2007, section 4.1). Here it works for any parameter of any classifier.

use super::grid::Grid;
use crate::evaluate::BlockScore;
use crate::fitting::rows::fit_scaler;
use crate::train::classifier::Classifier;
use crate::train::sample::{SampleOptions, TrainingPage, draw, folds, gather};
use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use vclean_core::classify::Label;
use vclean_core::error::ModelError;

/// A point of the grid and its score on held-out sites.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The value of each range.
    pub values: Vec<f64>,
    /// Share of blocks classified correctly.
    pub accuracy: f64,
    /// Precision of content blocks.
    pub precision: f64,
    /// Recall of content blocks.
    pub recall: f64,
    /// F of content blocks.
    pub f1: f64,
    /// Accuracy on each fold.
    pub of_folds: Vec<f64>,
}

/// The best point: the first of the most accurate ones.
pub fn best(points: &[Point]) -> Option<&Point> {
    points.iter().reduce(|best, point| {
        if point.accuracy > best.accuracy {
            point
        } else {
            best
        }
    })
}

/// A sample of rows, divided into folds by site and scaled by the training rows, once for all
/// grids.
#[derive(Debug)]
pub(crate) struct TuneRows {
    folds: Vec<Fold>,
}

#[derive(Debug)]
struct Fold {
    rows: Array2<f32>,
    labels: Vec<bool>,
    judged: Array2<f32>,
    truth: Vec<bool>,
}

impl TuneRows {
    /// Draws rows of `pages` and divides them into folds by site.
    pub(crate) fn draw(
        pages: &[&TrainingPage],
        sample: &SampleOptions,
        fold_count: usize,
        seed: u64,
    ) -> Result<Self, ModelError> {
        let fold_of = folds(pages, fold_count, seed)?;
        let inputs: Vec<ArrayView2<'_, f32>> = pages.iter().map(|page| page.rows.view()).collect();
        let places = draw(pages, sample);
        let (rows, labels) = gather(pages, &inputs, &places);
        let folds = (0..fold_count)
            .map(|fold| {
                let (judged, learned): (Vec<usize>, Vec<usize>) =
                    (0..places.len()).partition(|&row| fold_of[places[row].page] == fold);
                let learned_rows = rows.select(Axis(0), &learned);
                let scaler = fit_scaler(learned_rows.view());
                Fold {
                    judged: scaler.apply(rows.select(Axis(0), &judged).view()),
                    truth: judged.iter().map(|&row| labels[row]).collect(),
                    rows: scaler.apply(learned_rows.view()),
                    labels: learned.iter().map(|&row| labels[row]).collect(),
                }
            })
            .collect();
        Ok(Self { folds })
    }

    pub(crate) fn count(&self) -> usize {
        self.folds.iter().map(|fold| fold.truth.len()).sum()
    }

    /// A checksum of all values and labels: a journal with another checksum belongs to other rows.
    pub(crate) fn fingerprint(&self) -> String {
        let mut crc = flate2::Crc::new();
        for fold in &self.folds {
            fold.judged
                .iter()
                .for_each(|value| crc.update(&value.to_le_bytes()));
            fold.truth
                .iter()
                .for_each(|&label| crc.update(&[u8::from(label)]));
        }
        format!("{:08x}", crc.sum())
    }
}

impl Fold {
    /// Fits a classifier and scores it on the held-out rows.
    fn score(&self, classifier: &Classifier) -> Result<BlockScore, ModelError> {
        // The rows are already scaled: the classifier's own scaling would only shift the ends of
        // the range.
        let fitted = classifier.fit_scaled(self.rows.view(), &self.labels, None)?;
        let margins = fitted.margins(self.judged.view());
        let label = |content: bool| {
            if content {
                Label::Content
            } else {
                Label::Boilerplate
            }
        };
        Ok(BlockScore::count(margins.iter().zip(&self.truth).map(
            |(&margin, &truth)| (label(margin > 0.0), label(truth)),
        )))
    }
}

/// Measures all points of a grid that are not in `known`; returns all points, in the grid's order.
///
/// `finished` is called with each new point as soon as it is measured, from any thread and in any
/// order; if it fails, the search ends. The result does not depend on the number of threads or on
/// the known points.
pub(crate) fn tune<E: From<ModelError> + Send>(
    rows: &TuneRows,
    grid: &Grid,
    known: &[Point],
    finished: &(dyn Fn(&Point) -> Result<(), E> + Sync),
) -> Result<Vec<Point>, E> {
    grid.check()?;
    let measure = |values: Vec<f64>| -> Result<Point, E> {
        if let Some(point) = known.iter().find(|point| point.values == values) {
            return Ok(point.clone());
        }
        let classifier = grid.at(&values)?;
        let of_folds: Vec<BlockScore> = rows
            .folds
            .par_iter()
            .map(|fold| fold.score(&classifier))
            .collect::<Result<_, ModelError>>()?;
        let point = point(values, &of_folds);
        finished(&point)?;
        Ok(point)
    };
    let points = grid.points().into_par_iter().with_max_len(1);
    points.map(measure).collect()
}

fn point(values: Vec<f64>, of_folds: &[BlockScore]) -> Point {
    let all = of_folds
        .iter()
        .fold(BlockScore::default(), |sum, &fold| sum.plus(fold));
    let score = all.score();
    // Points read from a journal equal the measured ones.
    Point {
        values,
        accuracy: all.accuracy(),
        precision: score.precision,
        recall: score.recall,
        f1: score.f1,
        of_folds: of_folds.iter().map(|fold| fold.accuracy()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Range;
    use super::*;
    use crate::train::{CLASSIFIERS, StageOptions, crossvalidate};
    use std::sync::Mutex;
    use vclean_core::classify::PageShape;

    fn pages() -> Vec<TrainingPage> {
        let mut random = fastrand::Rng::with_seed(3);
        (0..24)
            .map(|number| {
                let rows = Array2::from_shape_fn((10, 3), |_| random.f32());
                let label = |row: ndarray::ArrayView1<'_, f32>| {
                    if row[0] > row[1] {
                        Label::Content
                    } else {
                        Label::Boilerplate
                    }
                };
                TrainingPage {
                    set: "set".to_owned(),
                    site: format!("site {}", number / 2),
                    labels: rows
                        .rows()
                        .into_iter()
                        .map(|row| Some(label(row)))
                        .collect(),
                    rows,
                    comments: crate::gold::CommentKnowledge::Unknown,
                    shape: PageShape {
                        lengths: vec![1; 10],
                        groups: vec![[0, 0]; 10],
                    },
                    engine: vclean_core::capture::Engine::Parser,
                    is_whole: true,
                    kind: None,
                }
            })
            .collect()
    }

    fn rows(pages: &[TrainingPage]) -> TuneRows {
        TuneRows::draw(
            &pages.iter().collect::<Vec<_>>(),
            &SampleOptions::default(),
            3,
            1,
        )
        .unwrap()
    }

    fn search(rows: &TuneRows, grid: &Grid, known: &[Point]) -> (Vec<Point>, usize) {
        let count = Mutex::new(0);
        let finished = |_: &Point| -> Result<(), ModelError> {
            *count.lock().unwrap() += 1;
            Ok(())
        };
        let points = tune(rows, grid, known, &finished).unwrap();
        (points, count.into_inner().unwrap())
    }

    #[test]
    fn a_resumed_search_gives_the_same_points_on_any_number_of_threads() {
        let pages = pages();
        let rows = rows(&pages);
        assert_eq!((rows.count(), rows.fingerprint().len()), (240, 8));
        let range = |parameter: &str, values: &[f64]| Range {
            parameter: parameter.to_owned(),
            values: values.to_vec(),
        };
        let grid = Grid {
            classifier: CLASSIFIERS[0].1(),
            ranges: vec![range("c", &[0.5, 2.0, 8.0]), range("gamma", &[0.01, 0.5])],
        };
        let on = |threads: usize, known: &[Point]| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| search(&rows, &grid, known))
        };
        let (whole, count) = on(1, &[]);
        assert_eq!((whole.len(), count), (6, 6));
        assert_eq!(on(3, &[]).0, whole);
        let (again, count) = on(2, &whole[1..3]);
        assert_eq!((again, count), (whole.clone(), 4));
        assert_eq!(on(2, &whole), (whole.clone(), 0));
        assert!(best(&whole).unwrap().accuracy > 0.9);
        let failed = tune(&rows, &grid, &[], &|_| {
            Err(ModelError::Training("the disk is full".to_owned()))
        });
        assert_eq!(failed.unwrap_err().to_string(), "the disk is full");
    }

    #[test]
    fn the_accuracy_of_a_point_equals_that_of_crossvalidation() {
        let pages = pages();
        let rows = rows(&pages);
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        for (name, usual) in CLASSIFIERS
            .iter()
            .filter(|(_, usual)| usual().is_row_wise())
        {
            let classifier = usual();
            let (parameter, value) = classifier.parameters()[0];
            let grid = Grid {
                classifier,
                ranges: vec![Range {
                    parameter: parameter.to_owned(),
                    values: vec![value],
                }],
            };
            let stage = StageOptions {
                columns: None,
                reads: vec![],
                classifier,
                sample: SampleOptions::default(),
            };
            let expected = crossvalidate(&pages, &stage, 3, 1, &|_| {})
                .unwrap()
                .accuracy();
            let found = search(&rows, &grid, &[]).0[0].accuracy;
            assert!((found - expected).abs() < 0.01, "{name} {found} {expected}");
        }
    }
}
