//! Opens the inputs that the user names: converts them to [`Page`](vclean_core::page::Page)s, one
//! at a time, never all in memory.
//!
//! To add a kind of input, add a file and a line in `SOURCES` (`inputs`).

mod data_set;
mod document;
mod entry;
mod epub;
mod folder;
mod inputs;
mod lines;
mod pages;
#[cfg_attr(not(feature = "parquet"), path = "parquet_stub.rs")]
mod parquet_file;
pub(crate) mod run_output;
mod standard_input;
#[cfg(test)]
#[path = "../../tests/unit/source_archives.rs"]
mod test_archives;
mod wacz;
mod warc;

pub use data_set::{DataSet, GoldKind, Row, Split};
pub use document::Document;
pub use folder::FolderEntry;
pub use folder::entries;
pub use inputs::{SOURCES, list, open};
pub(crate) use inputs::{is_archive, listed_pages, open_counting};
pub use lines::Lines;
pub use pages::PassedOver;
pub use pages::{Pages, Reason, Source};
