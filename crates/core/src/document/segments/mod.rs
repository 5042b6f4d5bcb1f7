//! The kept blocks as segments: paragraphs, headings, items, quotations and other kinds.

pub(super) mod bullets;
pub(super) mod callouts;
pub(super) mod gaps;
pub(super) mod heading_text;
pub(super) mod headings;
pub(super) mod icon_cells;
pub(super) mod kind;
pub(super) mod pictures;
pub(super) mod quotations;
pub(super) mod runs;
pub(super) mod segment;
pub(super) mod site_heading;
