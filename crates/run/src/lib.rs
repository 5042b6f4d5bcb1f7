//! Runs over many pages: inputs, names, rate limits, worker pools, the journal, outputs and statistics.
//!
//! Shared by the command line, services and other programs. [`CleaningRun`] cleans pages, [`RenderingRun`] stores captures
//! of them; both take [`Inputs`] and report to an [`Observer`]. [`pages`] does any other work page by page, with [`pool`];
//! [`journal`] records what was done, so that a later run can resume; [`store`] writes output files that hold many pages;
//! [`politeness`] limits the request rate per host and obeys `robots.txt`.

pub mod journal;
pub mod pages;
pub mod politeness;
pub mod pool;
pub mod source;
pub mod store;
pub mod web_guard;

mod began;
mod bounded;
mod cleaning;
mod corpus;
mod destination;
mod documents;
mod error;
mod expected;
mod failures;
mod figures;
mod inputs;
mod keeping;
mod kept;
mod metrics;
mod names;
mod observer;
mod options;
mod output_options;
mod outputs;
mod panics;
mod product;
mod protected;
mod rate_limited;
mod rendering;
mod state;
mod stop;
mod summary;
mod system;
mod two_tiers;
mod warning_tally;
mod work;
mod workers;

pub use cleaning::{CleaningRun, DrawPage};
pub use corpus::{CorpusNote, CorpusOptions, DropReason, Passage, PassageRule, Treatment, normalized_url};
pub use documents::{DocumentCleaner, failure};
pub use error::RunError;
pub use figures::Figures;
pub use inputs::{Inputs, NamedPage, PageName};
pub use observer::Observer;
pub use options::{Resuming, RunOptions, Shard};
pub use output_options::OutputOptions;
pub use outputs::Outputs;
pub use panics::quiet_panics;
pub use product::Product;
pub use protected::Protected;
pub use rate_limited::{Loaded, RateLimitedRenderer};
pub use rendering::{RenderingOptions, RenderingRun};
pub use state::RunState;
pub use stop::{Signal, Stop};
pub use system::{prepare_threads, survive_file_size_limit};
pub use warning_tally::WarningTally;
pub use {product::take_comments, workers::Workers};
