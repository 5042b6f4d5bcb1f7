//! Ranges of the hyperparameters that trees share.

use crate::error::ModelError;

/// Least and most levels of a tree: the recursion depth of the grower, and more levels than any sample needs.
const DEPTHS: (usize, usize) = (1, 30);

/// Checks a whole number that must lie between two others.
pub(super) fn whole(
    parameter: &'static str,
    value: usize,
    (low, high): (usize, usize),
    range: &'static str,
) -> Result<(), ModelError> {
    if (low..=high).contains(&value) {
        Ok(())
    } else {
        Err(ModelError::Parameter { parameter, value: value as f64, range })
    }
}

/// Checks a share: above 0, up to 1.
pub(super) fn share(parameter: &'static str, value: f64) -> Result<(), ModelError> {
    if value > 0.0 && value <= 1.0 {
        Ok(())
    } else {
        Err(ModelError::Parameter { parameter, value, range: "above 0, up to 1" })
    }
}

pub(super) fn check_depth(depth: usize) -> Result<(), ModelError> {
    whole("depth", depth, DEPTHS, "1 to 30")
}

pub(super) fn check_min_leaf(min_leaf: usize) -> Result<(), ModelError> {
    whole("min leaf", min_leaf, (1, 1_000_000), "1 to 1000000")
}

pub(super) fn check_count(trees: usize) -> Result<(), ModelError> {
    whole("trees", trees, (1, 10_000), "1 to 10000")
}
