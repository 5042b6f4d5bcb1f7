//! The labelling page: people decide in the browser which blocks of a page are content, and what
//! they decide becomes gold.
//!
//! [`project`] holds the pages that one person labels, [`listed_pages`] says where they come from,
//! and [`prepared`] opens them: an opened page has its [blocks](block). [`page_state`] holds the
//! labels of a page: their [history] in memory, their [journal] on disk. [`gold_writer`] writes
//! finished pages into a data folder. [`server`] answers the browser by [`routes`], behind a
//! [`guard`]; the page itself is in `js/annotate/`.

pub(crate) mod block;
pub(crate) mod error;
pub mod exchange;
pub mod folder;
pub(crate) mod gold_writer;
pub(crate) mod guard;
pub(crate) mod history;
pub(crate) mod journal;
pub(crate) mod label;
pub(crate) mod listed_pages;
mod messages;
pub mod opening;
pub(crate) mod page_state;
mod picture;
pub mod prepared;
pub mod project;
mod routes;
pub mod server;
