//! What is measured of each target: the feature table.
//!
//! Takes a [`Capture`] and its [`Target`]s, gives a [`FeatureTable`]: one row a target, named columns in groups.
//! A group that needs a rendered page is absent from the table of bare HTML, never zero. Every value is finite.
//!
//! To add a feature, add its [`Column`] to the group's `COLUMNS` and its value in the group's `measure`;
//! to add a group, add a file and a line in [`GROUPS`].

mod page;
pub mod visual;

pub use page::PageView;

use crate::capture::Capture;
use crate::error::Error;
use crate::target::Target;
use ndarray::Array2;

/// A feature: a permanent dotted name and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Dotted name, `group.measure`.
    pub name: &'static str,
    /// Unit and range, such as `ratio, 0 to 1`.
    pub range: &'static str,
    /// What it measures, its formula, its value where there is nothing to measure.
    pub meaning: &'static str,
    /// Author, year and section of the source, or `ours`.
    pub source: &'static str,
}

/// A set of features that are measured together and switched on and off together.
#[derive(Debug, Clone, Copy)]
pub struct FeatureGroup {
    /// First part of its columns' names.
    pub name: &'static str,
    /// Whether it can be measured only on rendered pages.
    pub needs_layout: bool,
    /// Its features, in order.
    pub columns: &'static [Column],
    /// Fills one row a target, in order; `rows[i]` has `columns.len()` values, zero before.
    pub measure: fn(&PageView<'_>, &mut [Vec<f32>]),
}

/// All groups, in the order of their columns in a table.
pub const GROUPS: &[FeatureGroup] = &[];

/// One row a target, one column a feature.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureTable {
    /// Column names in order.
    pub columns: Vec<&'static str>,
    /// Values, targets x columns, all finite.
    pub rows: Array2<f32>,
}

/// Measures every feature that the capture allows.
pub fn measure(capture: &Capture, targets: &[Target]) -> Result<FeatureTable, Error> {
    let _ = (capture, targets);
    Err(Error::Limit("to be written".into()))
}
