//! Visual features: measures of each target on the rendered page.
//!
//! [`BLOB`] is measured from pixels alone (the page image and the node mask), [`LAYOUT`] from
//! boxes, line boxes and computed styles. Values are ratios or in line heights, so that they
//! transfer between sites, languages and directions. Pixels are measured only with the cargo
//! feature `pixels`.

#[cfg(feature = "pixels")]
mod blob;
#[cfg(feature = "pixels")]
mod blobs;
#[cfg(feature = "pixels")]
mod components;
#[cfg(test)]
#[cfg(feature = "pixels")]
#[path = "../../../tests/unit/features_visual_drawn.rs"]
mod drawn;
mod gaps;
#[cfg(feature = "pixels")]
mod ink;
mod layout;
mod layout_columns;
mod median;
mod page_layout;
#[cfg(feature = "pixels")]
mod pixels;
#[cfg(feature = "pixels")]
mod shape;
#[cfg(test)]
#[path = "../../../tests/unit/features_visual_sketch.rs"]
mod sketch;

#[cfg(feature = "pixels")]
pub(crate) use blob::BLOB;
#[cfg(feature = "pixels")]
pub use blob::measure_blobs;
#[cfg(feature = "pixels")]
pub use blobs::{Blob, BlobPage, Region, find_blobs};
pub(crate) use layout::LAYOUT;
pub(crate) use layout_columns::STYLED_SHARE;
#[cfg(feature = "pixels")]
pub use pixels::Pixels;
#[cfg(feature = "pixels")]
pub use shape::Shape;
