//! Pictures and a page that show why each target stayed or went.
//!
//! Comes after `clean`: takes the [`Capture`](crate::capture::Capture), its targets and the finished
//! [`CleanDocument`](crate::clean::CleanDocument), gives pixels or one HTML page. Bare HTML has no pictures to draw on,
//! so its report is a table. [`index`] and [`comparison`] show what an evaluation found: all pages, and one page beside
//! its gold; [`folder`] writes both, and is the only file here that touches others.

mod canvas;
#[cfg(feature = "experiments")]
pub mod comparison;
#[cfg(feature = "experiments")]
mod diff;
mod embedded;
#[cfg(feature = "experiments")]
mod evaluation_page;
#[cfg(feature = "experiments")]
pub mod fidelity;
#[cfg(feature = "experiments")]
pub mod folder;
mod html;
#[cfg(feature = "experiments")]
pub mod index;
mod markup;
mod mask;
#[cfg(feature = "experiments")]
pub mod methods;
mod outlines;
mod overlay;
mod owners;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod samples;
#[cfg(feature = "experiments")]
mod scatter;

#[cfg(feature = "experiments")]
pub use evaluation_page::GENERATOR;
pub use html::html;
pub use mask::mask;
pub use outlines::{Verdict, outlines};
pub use overlay::{Polygon, hulls, overlay};
#[cfg(feature = "experiments")]
pub use scatter::scatter;
