//! The product: takes a page through all the stages, by our own method or a published one.
//!
//! [`PageCleaner`] is the only place where a page goes from its capture to its document,
//! [`Cleaners`] the only one that chooses a method and a model, and [`Options`] the only
//! declaration of what a caller may choose.

mod built_in;
mod cleaned;
mod doubt;
mod emptied;
mod method;
mod model_cleaner;
mod options;
mod page_cleaner;
#[cfg(test)]
#[path = "../../tests/unit/cleaner_structure_pages.rs"]
mod structure_pages;
#[cfg(test)]
#[path = "../../tests/unit/cleaner_thread_pages.rs"]
mod thread_pages;

pub use built_in::{BUILT_IN, load};
pub use cleaned::{Block, Cleaned};
pub use method::{Allowed, CleanPage, CleanedPage, Input, Method, MethodSettings, Parameter, Sees};
pub use model_cleaner::{OURS, measure, measure_with};
pub use options::{
    Choice, HiddenText, MethodOptions, ModelOptions, Options, TextOptions, WriteOptions, choose,
    format_named, share_of_one,
};
#[cfg(feature = "clap")]
pub use options::{choice, formats};
pub use page_cleaner::{Cleaners, PageCleaner, clean_html};
