//! The `structural` group: the position of a target in the tree, and what is around it.
//!
//! [`tag`] measures tags and roles, [`link`] links and other content, [`markup`] the density of markup, [`place`] the
//! position in the page's text, [`company`] siblings, lists and tables, [`center`] the distance from the page's running
//! text. All formulas read [`facts`].

mod center;
mod company;
mod facts;
mod link;
mod markup;
mod place;
mod tag;

use super::column::{Column, Feature, columns_of_parts};
use super::fill::fill_row;
use super::group::FeatureGroup;
use super::page::PageView;
use super::rows::GroupRows;
use facts::{Formula, PageFacts, TargetFacts};

const PARTS: &[&[Feature<Formula>]] =
    &[tag::FEATURES, link::FEATURES, place::FEATURES, company::FEATURES, center::FEATURES, markup::FEATURES];

const COUNT: usize = tag::FEATURES.len()
    + link::FEATURES.len()
    + place::FEATURES.len()
    + company::FEATURES.len()
    + center::FEATURES.len()
    + markup::FEATURES.len();

const COLUMNS: [Column; COUNT] = columns_of_parts(PARTS);

/// The group; needs the tree only.
pub(super) const GROUP: FeatureGroup =
    FeatureGroup { name: "structural", needs_layout: false, columns: &COLUMNS, measure };

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let page = PageFacts::new(view);
    for (index, row) in rows.iter_mut().enumerate() {
        let facts = TargetFacts::new(view, &page, index);
        fill_row!(row, &facts, PARTS[0], PARTS[1], PARTS[2], PARTS[3], PARTS[4], PARTS[5]);
    }
}
