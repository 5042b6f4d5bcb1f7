//! Pictures and HTML reports that show why each target was kept or dropped.
//!
//! Comes after `clean`: takes the [`Capture`](crate::capture::Capture), its targets and the finished
//! [`CleanDocument`](crate::clean::CleanDocument), returns pixels or one HTML page. Pages that were not
//! rendered have no pictures, so their report is a table. `index` and `comparison` show the results of an evaluation: all
//! pages, and one page with its gold; `folder` writes both, and is the only file here that writes files.

mod canvas;
#[cfg(feature = "experiments")]
pub mod comparison;
#[cfg(feature = "experiments")]
mod diff;
mod embedded;
#[cfg(feature = "experiments")]
mod evaluation_page;
pub mod explain;
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
