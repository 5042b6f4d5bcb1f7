//! The labelling page: people decide in the browser which blocks of a page are content, and what they decide becomes
//! gold.
//!
//! [`project`] holds the pages that one person labels, [`preparing`] opens them and [`prepared`] is an opened page with
//! its [blocks](block). [`page_state`] holds the labels of a page: their [history] in memory, their [journal] on disk.
//! [`gold_writer`] writes finished pages into a data folder. [`server`] answers the browser by [`routes`], behind a
//! [`guard`]; the page itself is in `js/annotate/`.

pub mod agreement;
mod answer;
mod assets;
pub mod block;
mod column;
pub mod desktop;
mod disputes;
pub mod error;
pub mod exchange;
pub mod folder;
pub mod gold_writer;
pub mod guard;
pub mod history;
pub mod journal;
mod kept;
pub mod label;
mod legible;
mod manifest;
pub mod merging;
mod messages;
pub mod offered;
pub mod opening;
pub mod page_state;
pub mod prepared;
pub mod preparing;
pub mod project;
mod routes;
pub mod server;
mod tabs;
mod tiles;
pub mod tutorial;
