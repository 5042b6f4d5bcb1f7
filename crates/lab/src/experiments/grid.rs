//! Grids for a parameter search: parameters of a classifier and their values.
//!
//! FIASCO tried about 110 pairs of C and gamma (Bauer et al. 2007, section 4.1), and other kernels,
//! a decision tree, bagging and boosting. Other kernels are not tried here: no model has them.

use crate::train::classifier::{CLASSIFIERS, Classifier, RIVALS};
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
    match (classifier.name(), parameter) {
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
}

/// All classifiers of rows with coarse grids: FIASCO's comparison of section 4.1, and newer ones.
pub(crate) fn rivals(seed: u64) -> Vec<Grid> {
    let all = CLASSIFIERS.iter().chain(RIVALS).map(|(_, usual)| usual());
    all.filter(Classifier::is_row_wise)
        .map(|classifier| Grid::usual(classifier.seeded(seed), &[], true))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_grid_has_the_points_of_fiasco() {
        let grid = Grid::usual(CLASSIFIERS[0].1(), &[], false);
        assert_eq!(grid.points().len(), 110);
        for grid in rivals(1) {
            assert!(grid.check().is_ok(), "{grid:?}");
        }
        assert_eq!(rivals(1).len(), 5);
    }
}
