//! The `context` group: what stands around a target, and how it compares with the rest of its page.
//!
//! Reads the columns of the groups before it from [`PageView::measured`]; [`neighbor`] takes a few key columns at the
//! targets before and after, [`run`] looks at distances, runs and the page's distribution, [`layout`] at what stands
//! left, right, above and below on the rendered page.

mod layout;
mod neighbor;
mod run;

pub(super) use layout::GROUP as LAYOUT_GROUP;

use super::page::PageView;
use super::{Column, FeatureGroup};

const COUNT: usize = neighbor::COLUMNS.len() + run::COLUMNS.len();

const COLUMNS: [Column; COUNT] = {
    let mut columns = [neighbor::COLUMNS[0]; COUNT];
    let mut index = 0;
    while index < COUNT {
        columns[index] = if index < neighbor::COLUMNS.len() {
            neighbor::COLUMNS[index]
        } else {
            run::COLUMNS[index - neighbor::COLUMNS.len()]
        };
        index += 1;
    }
    columns
};

/// The group; needs the columns of `text` and `structural`.
pub(super) const GROUP: FeatureGroup =
    FeatureGroup { name: "context", needs_layout: false, columns: &COLUMNS, measure };

fn measure(view: &PageView<'_>, rows: &mut [Vec<f32>]) {
    neighbor::measure(view, rows);
    run::measure(view, rows, neighbor::COLUMNS.len());
}

/// A column measured before, or zeros where its group was not measured.
fn column<'v>(view: &'v PageView<'_>, name: &str, zeros: &'v [f32]) -> &'v [f32] {
    view.measured.column(name).unwrap_or(zeros)
}
