//! Classifiers made of decision trees: one tree, bagged trees, boosted trees. They take and give what the support
//! vector machine does: scaled rows in, a margin a row out; log odds, and half of them where trees are boosted.
//!
//! One histogram grower ([`grow`]) serves all three. Own code: linfa-trees 0.8 gives labels without the shares in the
//! leaves, so no margins, and sorts every column anew at each node; a crate for boosting alone would need the grower
//! beside it all the same, and a second model format inside the checked file.

mod bagged;
mod bins;
mod boosted;
mod forest;
mod grow;
mod tree;

pub use bagged::{Bagged, BaggedOptions};
pub use boosted::{Boosted, BoostedOptions};
pub use tree::{Tree, TreeOptions};

pub(super) use tree::Nodes;

use crate::error::ModelError;

/// Least and most levels of a tree: what the grower recurses, and more than any sample fills.
const DEPTHS: (usize, usize) = (1, 30);

/// Checks a whole number that must lie between two others.
fn whole(
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
fn share(parameter: &'static str, value: f64) -> Result<(), ModelError> {
    if value > 0.0 && value <= 1.0 {
        Ok(())
    } else {
        Err(ModelError::Parameter { parameter, value, range: "above 0, up to 1" })
    }
}

fn check_depth(depth: usize) -> Result<(), ModelError> {
    whole("depth", depth, DEPTHS, "1 to 30")
}

fn check_min_leaf(min_leaf: usize) -> Result<(), ModelError> {
    whole("min leaf", min_leaf, (1, 1_000_000), "1 to 1000000")
}

fn check_count(trees: usize) -> Result<(), ModelError> {
    whole("trees", trees, (1, 10_000), "1 to 10000")
}
