//! Many pages: inputs, names, rate limits, worker pools, the journal, outputs and figures of a run.
//!
//! What the command line, a service and other programs share. [`CleaningRun`] cleans pages, [`RenderingRun`] keeps captures
//! of them; both take [`Inputs`] and report to an [`Observer`]. [`pages`] goes through any other work page by page, with
//! [`pool`] below it; [`journal`] remembers what was done, so that a later run can resume; [`store`] holds the files that
//! take many pages; [`politeness`] keeps the rate limits of hosts and obeys their `robots.txt`.

pub mod journal;
pub mod pages;
pub mod politeness;
pub mod pool;
pub mod store;

mod bounded;
mod cleaning;
mod error;
mod inputs;
mod names;
mod observer;
mod options;
mod outputs;
mod panics;
mod product;
#[cfg(feature = "rendering")]
mod rate_limited;
#[cfg(feature = "rendering")]
mod rendering;
mod state;
mod stop;
mod summary;
#[cfg(feature = "rendering")]
mod two_tiers;
mod work;

pub use cleaning::{CleaningRun, DrawPage, PageCleaner};
pub use error::RunError;
pub use inputs::{Inputs, NamedPage, PageName};
pub use observer::Observer;
pub use options::{Resuming, RunOptions, Shard};
pub use outputs::{OutputOptions, Outputs};
pub use panics::quiet_panics;
pub use product::Product;
#[cfg(feature = "rendering")]
pub use rendering::{RenderingOptions, RenderingRun};
pub use state::RunState;
pub use stop::Stop;
