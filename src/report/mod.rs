//! Pictures and a page that show why each target stayed or went.
//!
//! Comes after `clean`: takes the [`Capture`](crate::capture::Capture), its targets and the finished
//! [`CleanDocument`](crate::clean::CleanDocument), gives pixels or one HTML page. Touches no file; bare HTML has no
//! pictures to draw on, so its report is a table. [`index`] and [`comparison`] show what an evaluation found: all pages,
//! and one page beside its gold.

mod canvas;
pub mod comparison;
mod diff;
mod embedded;
pub mod fidelity;
mod html;
pub mod index;
mod markup;
mod mask;
pub mod methods;
mod outlines;
mod overlay;
mod owners;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod samples;
mod scatter;

pub use html::html;
pub use markup::GENERATOR;
pub use mask::mask;
pub use outlines::{Verdict, outlines};
pub use overlay::{Polygon, hulls, overlay};
pub use scatter::scatter;
