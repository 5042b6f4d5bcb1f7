//! Visual features: what the rendered page shows of each target.
//!
//! [`BLOB`] is measured from pixels alone (the page image and the node mask), [`LAYOUT`] from
//! boxes, line boxes and computed styles. Ratios and line units only, so that values carry over
//! between sites, languages and directions.

mod blob;
mod blobs;
mod components;
#[cfg(test)]
mod drawn;
mod gaps;
mod ink;
mod layout;
mod layout_columns;
mod page_layout;
mod pixels;
mod shape;
#[cfg(test)]
mod sketch;

pub(crate) use blob::BLOB;
pub use blob::measure_blobs;
pub use blobs::BlobPage;
pub use blobs::{Blob, Region, find_blobs};
pub(crate) use layout::LAYOUT;
pub(crate) use layout_columns::STYLED_SHARE;
pub use pixels::Pixels;
pub use shape::Shape;
