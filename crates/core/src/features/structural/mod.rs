//! The `structural` group: the position of a target in the tree and its surroundings.
//!
//! [`markup`] measures tags, roles, links and the density of markup; [`place`] measures the
//! position in the page's text, the siblings and the distance from the page's running text. All
//! formulas read [`facts`].

mod facts;
mod markup;
mod place;

use super::column::{Column, Feature, columns_of_parts};
use super::page::PageView;
use super::table::{FeatureGroup, GroupRows, fill_row};
use facts::{Formula, PageFacts, TargetFacts};
use markup::{DENSITY_FEATURES, LINK_FEATURES, TAG_FEATURES};
use place::{CENTER_FEATURES, NEIGHBOR_FEATURES, TEXT_FEATURES};

const PARTS: &[&[Feature<Formula>]] = &[
    TAG_FEATURES,
    LINK_FEATURES,
    TEXT_FEATURES,
    NEIGHBOR_FEATURES,
    CENTER_FEATURES,
    DENSITY_FEATURES,
];

const COUNT: usize = TAG_FEATURES.len()
    + LINK_FEATURES.len()
    + TEXT_FEATURES.len()
    + NEIGHBOR_FEATURES.len()
    + CENTER_FEATURES.len()
    + DENSITY_FEATURES.len();

const COLUMNS: [Column; COUNT] = columns_of_parts(PARTS);

/// This group needs only the tree.
pub(super) const GROUP: FeatureGroup = FeatureGroup {
    name: "structural",
    needs_layout: false,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let page = PageFacts::new(view);
    for (index, row) in rows.iter_mut().enumerate() {
        let facts = TargetFacts::new(view, &page, index);
        fill_row!(
            row, &facts, PARTS[0], PARTS[1], PARTS[2], PARTS[3], PARTS[4], PARTS[5]
        );
    }
}
