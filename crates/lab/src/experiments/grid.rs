//! Grids for a parameter search: parameters of a classifier and their values.
//!
//! FIASCO tried about 110 pairs of C and gamma (Bauer et al. 2007, section 4.1), and other kernels,
//! a decision tree, bagging and boosting.

use crate::fitting::SvmOptions;
use crate::train::classifier::{Classifier, KERNELS, RIVALS};
use serde::{Deserialize, Serialize};
use vclean_core::error::ModelError;

/// One parameter and the values it takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// Its name, as [`Classifier::parameters`] has it.
    pub parameter: String,
    /// Its values in ascending order.
    pub values: Vec<f64>,
}

/// A classifier and its varied parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Grid {
    /// The classifier; gives the parameters that are not varied.
    pub classifier: Classifier,
    /// The varied parameters, one or two.
    pub ranges: Vec<Range>,
}

/// Powers of two with these exponents.
fn powers(exponents: impl IntoIterator<Item = i32>) -> Vec<f64> {
    exponents
        .into_iter()
        .map(|exponent| f64::from(exponent).exp2())
        .collect()
}

/// The usual values of a parameter of a classifier, finely or coarsely spaced; `None` for
/// parameters that are rarely varied.
///
/// Heuristic: powers of two around values that suit a few hundred columns; for C and gamma of the
/// Gaussian kernel 11 x 10, as many as FIASCO tried.
fn usual_values(classifier: &Classifier, parameter: &str, is_coarse: bool) -> Option<Vec<f64>> {
    let step = if is_coarse { 2 } else { 1 };
    let every = |low: i32, high: i32| Some(powers((low..=high).step_by(step)));
    match (classifier.name().as_str(), parameter) {
        ("svm linear", "c") => every(-14, -4),
        ("svm polynomial", "c") => every(-6, 4),
        ("svm polynomial", "gamma") => every(-11, -5),
        ("svm sigmoid", "gamma") => every(-13, -7),
        ("svm puk", "sigma") => every(1, 7),
        (_, "omega") => every(-2, 3),
        (_, "c") => every(-3, 7),
        (_, "gamma") => every(-12, -3),
        (_, "ridge") => every(-16, -4),
        ("boosted", "trees") => Some(if is_coarse {
            vec![100.0, 300.0]
        } else {
            vec![50.0, 100.0, 200.0, 400.0, 800.0]
        }),
        ("boosted", "depth") => Some(if is_coarse {
            vec![4.0, 6.0]
        } else {
            vec![3.0, 4.0, 5.0, 6.0, 7.0]
        }),
        ("bagged", "depth") => Some(vec![8.0, 16.0]),
        (_, "depth") => Some(vec![4.0, 6.0, 8.0]),
        (_, "min-leaf") => Some(if is_coarse {
            vec![5.0, 20.0]
        } else {
            vec![1.0, 5.0, 10.0, 20.0, 40.0, 80.0]
        }),
        (_, "column-share") => Some(if is_coarse {
            vec![0.1, 0.3]
        } else {
            vec![0.03, 0.1, 0.3, 1.0]
        }),
        (_, "learning-rate") => Some(vec![0.02, 0.05, 0.1, 0.2]),
        _ => None,
    }
}

impl Grid {
    /// The usual grid of a classifier: its first two parameters that are usually varied and are not
    /// `fixed`.
    pub fn usual(classifier: Classifier, fixed: &[&str], is_coarse: bool) -> Self {
        let free = classifier
            .parameters()
            .into_iter()
            .filter(|(name, _)| !fixed.contains(name));
        let ranges = free
            .filter_map(|(name, _)| {
                let values = usual_values(&classifier, name, is_coarse)?;
                Some(Range {
                    parameter: name.to_owned(),
                    values,
                })
            })
            .take(2)
            .collect();
        Self { classifier, ranges }
    }

    /// Checks that there are one or two ranges of parameters that the classifier has, each value in
    /// its range.
    pub fn check(&self) -> Result<(), ModelError> {
        if !(1..=2).contains(&self.ranges.len())
            || self.ranges.iter().any(|range| range.values.is_empty())
        {
            return Err(ModelError::Training(format!(
                "a grid of {} has {} parameters; one or two with values are needed",
                self.classifier.name(),
                self.ranges.len()
            )));
        }
        for range in &self.ranges {
            if !range.values.is_sorted_by(|one, other| one < other) {
                return Err(ModelError::Training(format!(
                    "the values of {} do not ascend",
                    range.parameter
                )));
            }
        }
        self.points()
            .iter()
            .try_for_each(|values| self.at(values).map(drop))
    }

    /// The values of all points, the first range's values changing slowest.
    pub fn points(&self) -> Vec<Vec<f64>> {
        self.ranges.iter().fold(vec![Vec::new()], |points, range| {
            let extend = |point: Vec<f64>| {
                range
                    .values
                    .iter()
                    .map(move |&value| [point.clone(), vec![value]].concat())
            };
            points.into_iter().flat_map(extend).collect()
        })
    }

    /// The classifier at a point.
    pub fn at(&self, values: &[f64]) -> Result<Classifier, ModelError> {
        self.ranges
            .iter()
            .zip(values)
            .try_fold(self.classifier, |classifier, (range, &value)| {
                classifier.with(&range.parameter, value)
            })
    }

    /// Points grouped into lines that are measured together: for a support vector machine, points
    /// that differ only in C, ascending; for other classifiers, every point separately.
    pub(super) fn lines(&self) -> Vec<Vec<Vec<f64>>> {
        let c = self.ranges.iter().position(|range| range.parameter == "c");
        let mut lines: Vec<Vec<Vec<f64>>> = Vec::new();
        for point in self.points() {
            let is_same = |line: &&mut Vec<Vec<f64>>| {
                c.is_some()
                    && point
                        .iter()
                        .zip(&line[0])
                        .enumerate()
                        .all(|(at, (one, other))| Some(at) == c || one == other)
            };
            match lines.iter_mut().find(is_same) {
                Some(line) => line.push(point),
                None => lines.push(vec![point]),
            }
        }
        lines
    }
}

/// All classifiers and kernels with coarse grids: FIASCO's comparison of section 4.1, and newer
/// classifiers.
pub(crate) fn rivals(seed: u64) -> Vec<Grid> {
    let svm = |kernel| {
        Classifier::Svm(SvmOptions {
            kernel,
            ..SvmOptions::default()
        })
    };
    let kernels = KERNELS.iter().map(|(_, kernel)| svm(*kernel));
    let others = RIVALS.iter().map(|(_, usual)| usual());
    kernels
        .chain(others)
        .map(|classifier| Grid::usual(classifier.seeded(seed), &[], true))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::CLASSIFIERS;

    #[test]
    fn the_usual_grid_has_the_points_of_fiasco() {
        let grid = Grid::usual(CLASSIFIERS[0].1(), &[], false);
        assert_eq!((grid.points().len(), grid.lines().len()), (110, 10));
        for grid in rivals(1) {
            assert!(grid.check().is_ok(), "{grid:?}");
            assert_eq!(grid.lines().concat().len(), grid.points().len());
        }
        assert_eq!(rivals(1).len(), 9);
    }
}
