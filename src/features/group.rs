//! A group of features: measured together, switched on and off together.

use super::column::Column;
use super::page::PageView;

/// A set of features that are measured together and switched on and off together.
#[derive(Debug, Clone, Copy)]
pub struct FeatureGroup {
    /// First part of its columns' names; may itself be dotted.
    pub name: &'static str,
    /// Whether it can be measured only on rendered pages.
    pub needs_layout: bool,
    /// Its features, in order.
    pub columns: &'static [Column],
    /// Fills one row a target, in order; `rows[i]` has `columns.len()` values, zero before.
    pub measure: fn(&PageView<'_>, &mut [Vec<f32>]),
}

/// Whether `column` belongs to `group` or a group below it: `visual.blob.width` is in `visual` and in `visual.blob`; a
/// column's own name is a group of it alone.
pub fn is_in_group(column: &str, group: &str) -> bool {
    column.strip_prefix(group).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
