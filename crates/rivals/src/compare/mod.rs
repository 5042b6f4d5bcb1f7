//! Methods side by side: their scores ([`ranking`]) beside published ones, as a page ([`page`]) and
//! as a picture ([`scatter()`]).

pub mod page;
mod published;
pub mod ranking;
mod scatter;

pub use scatter::scatter;
