//! The main interface: all stages for one page, from its bytes to its text.
//!
//! [`Cleaner`] is the entry point; [`model_cleaner`] is our own method (select, measure, decide, prune); [`pipeline`]
//! cleans a page with any method; [`methods`] lists ours and the published ones.

mod builder;
mod built_in;
mod cleaned;
mod doubt;
mod hidden_text;
mod methods;
pub mod model_cleaner;
pub mod pipeline;

pub use builder::{Cleaner, CleanerBuilder, clean_html};
pub use built_in::{BUILT_IN, load};
pub use cleaned::{Block, Cleaned};
pub use hidden_text::HiddenText;
pub use methods::{find_method, methods};
pub use model_cleaner::{ModelCleaner, ModelCleanerOptions, OURS, measure, measure_with};
