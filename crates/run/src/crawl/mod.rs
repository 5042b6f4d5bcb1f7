//! Whole sites: which addresses of a site are loaded, in which order, and how an interrupted crawl
//! resumes.
//!
//! A [`Frontier`] returns the addresses to be loaded and receives the links of their pages. It does
//! not depend on how pages are loaded: a run takes its pages from it as from any other input, and a
//! service asks it for the next address of a job. [`Scope`] decides which addresses belong to the
//! site; [`sitemaps`] reads the addresses that a site announces itself.
//!
//! Invariants: no address is loaded twice; at most `max_pages` are known at any time, which bounds
//! the memory; the addresses of a crawl and their names depend on the pages of the site only, not
//! on the number of jobs or on how often the crawl was interrupted.

mod announcements;
mod frontier;
mod link_titles;
mod links;
mod options;
mod scope;
mod sitemaps;

pub use frontier::{Frontier, FrontierError, Target, Visit};
pub(crate) use link_titles::{link_titles, page_description, page_title};
pub use links::{feeds, links};
pub use options::{CrawlError, CrawlOptions, SitemapUse};
pub use scope::{OutOfScope, Scope};
pub use sitemaps::{Announced, MAX_SITEMAP_BYTES, announced, announced_in_feeds};
