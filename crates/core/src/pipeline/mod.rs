//! Takes a page through all the stages, by our own method or a published one.
//!
//! `way` is the only place where a page goes from its capture to its document, [`Cleaners`] the
//! only one that chooses a method and a model, and [`Options`] the only declaration of the choices
//! of a caller.

mod chosen_parts;
mod cleaned_page;
mod cleaner;
mod cleaners;
mod decide;
mod hidden_text;
mod method;
mod models;
mod options;
mod stop;
#[cfg(test)]
#[path = "../../tests/unit/pipeline_structure_pages.rs"]
mod structure_pages;
#[cfg(test)]
#[path = "../../tests/unit/pipeline_thread_pages.rs"]
mod thread_pages;
mod way;

pub use cleaned_page::{Block, CleanedPage};
pub use cleaner::{PageCleaner, extract};
pub use cleaners::{Cleaners, OURS};
pub use method::{Allowed, CleanPage, Input, Method, MethodSettings, Parameter, Sees};
pub use models::{BUILT_IN, load};
pub use options::{Choice, HiddenText, Options, WRITING, choose, format_named, share_of_one};
#[cfg(feature = "clap")]
pub use options::{choice, formats};
pub use stop::StopRequest;
pub use way::measure;
