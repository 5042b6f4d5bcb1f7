//! Classifiers made of decision trees: one tree, bagged trees, boosted trees. Like the support vector machine they take
//! scaled rows and give a margin a row: log odds, and half of them where trees are boosted.
//!
//! One histogram grower (`grow`) fits all three. Own code: linfa-trees 0.8 gives labels without the shares in the
//! leaves, so no margins, and sorts every column again at each node; a crate for boosting alone would not replace the
//! grower, and would add a second model format inside the checked file.

mod bagged;
mod binned;
#[cfg(feature = "experiments")]
mod bins;
mod boosted;
#[cfg(feature = "experiments")]
mod fit_bagged;
#[cfg(feature = "experiments")]
mod fit_boosted;
#[cfg(feature = "experiments")]
mod fit_tree;
mod forest;
#[cfg(feature = "experiments")]
mod grow;
#[cfg(feature = "experiments")]
mod ranges;
mod tree;

pub use bagged::Bagged;
pub use boosted::Boosted;
#[cfg(feature = "experiments")]
pub use fit_bagged::BaggedOptions;
#[cfg(feature = "experiments")]
pub use fit_boosted::BoostedOptions;
#[cfg(feature = "experiments")]
pub use fit_tree::TreeOptions;
pub use tree::Tree;

pub(super) use tree::Nodes;
