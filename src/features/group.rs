//! A group of features: measured together, switched on and off together.

use super::column::Column;
use super::page::PageView;
use super::rows::GroupRows;

/// A set of features that are measured together and switched on and off together.
#[derive(Debug, Clone, Copy)]
pub struct FeatureGroup {
    /// First part of its columns' names; may itself be dotted.
    pub name: &'static str,
    /// Whether it can be measured only on rendered pages.
    pub needs_layout: bool,
    /// Its features, in order.
    pub columns: &'static [Column],
    /// Fills its columns of the rows, one row for each target in order.
    pub measure: fn(&PageView<'_>, &mut GroupRows<'_>),
}

/// Whether `column` belongs to `group` or a group below it: `visual.blob.width` is in `visual` and in `visual.blob`; a
/// column's own name is a group of it alone.
pub fn is_in_group(column: &str, group: &str) -> bool {
    column.strip_prefix(group).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
