//! Runs over many pages: inputs, names, rate limits, worker pools, the journal, outputs and
//! statistics.
//!
//! Shared by the command line, services and other programs. [`CleaningRun`] cleans pages,
//! [`RenderingRun`] stores captures of them; both take [`Inputs`] and report to an [`Observer`].
//! [`pages`] does any other work page by page, with [`executor`]; [`journal`] records what was
//! done, so that a later run can resume; [`store`] writes output files that hold many pages;
//! [`politeness`] limits the request rate per host and obeys `robots.txt`; [`crawl`] finds the
//! pages of a site.

pub mod crawl;
pub mod journal;
pub mod pages;
pub mod politeness;
pub mod source;
pub mod store;
pub mod web_guard;

mod cleaning;
mod corpus;
mod documents;
mod error;
pub mod executor;
mod following;
mod inputs;
mod mapping;
mod names;
mod options;
mod output_files;
mod outputs;
mod panics;
mod product;
mod rate_limited;
mod rendering;
mod report;
mod saved_images;
mod site_tree;
mod state;
mod stop;
mod system;
mod work;

pub use cleaning::{CleaningRun, DrawPage};
pub use corpus::{CorpusNote, DropReason, Filter, Measured, PassageRule};
pub use corpus::{CorpusOptions, Passage, Treatment, normalized_url, parse_language};
pub use documents::{DocumentCleaner, failure};
pub use error::RunError;
pub use inputs::Inputs;
pub use inputs::{NamedPage, PageName};
pub use mapping::{SiteAddress, SiteMap, addresses_of_site, map_site};
pub use options::{Resuming, RunOptions, RunPart};
pub use output_files::Protected;
pub use outputs::{OutputOptions, Outputs};
pub use panics::{guarded, quiet_panics};
pub use product::{Product, take_comments};
pub use rate_limited::Loaded;
pub use rate_limited::RateLimitedRenderer;
pub use rendering::{RenderingOptions, RenderingRun};
pub use report::{Figures, Observer, WarningCounts};
pub use site_tree::{pages_of_tree, write_tree};
pub use state::RunState;
pub use stop::{Signal, Stop};
pub use system::{Purpose, prepare, survive_file_size_limit};
pub use work::{Ending, Item, Order, Outcome};
