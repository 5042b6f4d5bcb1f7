//! Opens pages: converts the inputs that the user names to [`Page`]s, one at a time, never all in memory.
//!
//! To add a kind of input, add a file and a line in `SOURCES` (`inputs`). A page that needs no browser becomes a
//! [`Capture`](crate::capture::Capture) of bare HTML through [`parse`]; the others go to the renderer.

mod file;
mod mhtml;
mod mhtml_frames;
mod mhtml_head;
mod page;
mod parse;
mod parts;
mod sniff;

// Inputs with many pages, and the archives that engines load from.
#[cfg(feature = "archives")]
#[cfg_attr(not(feature = "run"), allow(dead_code))]
mod arc;
#[cfg(feature = "archives")]
#[cfg_attr(not(feature = "run"), allow(dead_code))]
mod archive;
#[cfg(feature = "archives")]
#[cfg_attr(not(feature = "run"), allow(dead_code))]
mod archive_part;
#[cfg(feature = "run")]
mod archive_summary;
#[cfg(any(feature = "run", feature = "experiments"))]
mod data_set;
#[cfg(feature = "run")]
mod document;
#[cfg(feature = "run")]
mod entry;
#[cfg(feature = "run")]
mod folder;
#[cfg(feature = "archives")]
#[cfg_attr(not(feature = "run"), allow(dead_code))]
mod header;
#[cfg(feature = "archives")]
#[cfg_attr(not(feature = "run"), allow(dead_code))]
mod http;
#[cfg(feature = "archives")]
#[cfg_attr(not(feature = "run"), allow(dead_code))]
mod index;
#[cfg(feature = "run")]
mod inputs;
#[cfg(feature = "run")]
mod kind;
#[cfg(feature = "run")]
mod lines;
#[cfg(feature = "archives")]
#[cfg_attr(not(feature = "run"), allow(dead_code))]
mod packed;
#[cfg(feature = "parquet")]
mod parquet_file;
#[cfg(all(feature = "run", not(feature = "parquet")))]
#[path = "parquet_stub.rs"]
mod parquet_file;
#[cfg(feature = "run")]
mod passed_over;
#[cfg(feature = "archives")]
#[cfg_attr(not(feature = "run"), allow(dead_code))]
mod record;
#[cfg(feature = "run")]
mod standard_input;
#[cfg(feature = "archives")]
#[cfg_attr(not(feature = "run"), allow(dead_code))]
mod stream;
#[cfg(feature = "run")]
mod wacz;
#[cfg(feature = "run")]
mod warc;

pub use crate::limits::MAX_PAGE_BYTES;
#[cfg(feature = "archives")]
pub use archive::{Archive, Resource};
#[cfg(any(feature = "run", feature = "experiments"))]
pub use data_set::{DataSet, GoldKind, Row, Split};
#[cfg(feature = "run")]
pub use document::Document;
#[cfg(feature = "rendering")]
pub(crate) use file::open_bytes;
#[cfg(feature = "run")]
pub use folder::{FolderEntry, entries};
#[cfg(feature = "run")]
pub use inputs::{SOURCES, is_archive, list, listed_pages, open, open_counting};
#[cfg(feature = "run")]
pub use kind::{Pages, Source};
#[cfg(feature = "run")]
pub use lines::Lines;
pub use page::{Beside, Body, Origin, Page};
#[cfg(feature = "chromium")]
pub(crate) use parse::mhtml_for_browser;
pub use parse::{check, parse, parse_with_parts};
pub use parts::{Part, Parts};
#[cfg(feature = "run")]
pub use passed_over::{PassedOver, Reason};
