//! The `context` group: the targets around a target, and its comparison with the rest of the page.
//!
//! Reads the columns of earlier groups. [`neighbor`] copies a few key columns of the targets before
//! and after, [`run`] measures distances, runs and the distribution within the page, and [`layout`]
//! measures the targets left, right, above and below on the rendered page.

mod layout;
mod neighbor;
mod run;

pub(super) use layout::GROUP as LAYOUT_GROUP;

use super::column::{Column, join_columns};
use super::page::PageView;
use super::table::{FeatureGroup, GroupRows};

const COLUMNS: [Column; neighbor::COLUMNS.len() + run::COLUMNS.len()] =
    join_columns(&neighbor::COLUMNS, &run::COLUMNS);

/// This group needs the columns of `text` and `structural`.
pub(super) const GROUP: FeatureGroup = FeatureGroup {
    name: "context",
    needs_layout: false,
    reads: &["text", "structural"],
    columns: &COLUMNS,
    measure,
};

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    neighbor::measure(view, rows);
    run::measure(view, rows, neighbor::COLUMNS.len());
}
