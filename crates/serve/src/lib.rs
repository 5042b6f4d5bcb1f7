//! The HTTP service, and tools for language models: pages in, their main text out.
//!
//! A request passes `observe` (its id, the checks of `guard`, metrics, log), reaches its entry in
//! the table of `endpoints` and becomes a checked `request::Job`. `work` lets it wait for one of
//! the `places`, loads and cleans it on a thread, and abandons it when its time is over or its
//! client hangs up. `server` has the connections, `mcp` the tools for language models.
//!
//! No request can read files: it names an address or contains the page itself, and it selects
//! models by the names of the built-in ones. `net` decides which addresses may be loaded, here as
//! everywhere; a request cannot change this.

mod body;
mod body_memory;
mod cache;
mod cache_folder;
mod clean;
mod cleaned;
mod connections;
mod crawl;
mod endpoints;
mod exchange;
mod guard;
mod job_answers;
mod job_folder;
mod job_work;
mod jobs;
mod log;
mod mcp;
mod observe;
mod options;
mod own_folder;
mod page_facts;
mod page_fields;
mod places;
mod problem;
mod reader;
mod reader_headers;
mod request;
mod scrape;
mod screenshot;
mod server;
mod service;
mod tag;
mod unsupported;
mod webhook;
mod work;
mod workers;

pub use cache::CacheOptions;
pub use job_folder::JobOptions;
pub use options::{Limits, ServeError, ServiceOptions, Token, TokenError};
pub use own_folder::{FolderError, FolderFault};
pub use server::{check_health, serve_http, serve_standard_io};
