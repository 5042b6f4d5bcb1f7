//! What the pages of a site tell of each other: where a site's templates hold text, and which texts
//! it repeats.
//!
//! Pages of one site are made of few templates. A *slot* is a place in a template: the path of
//! tags, classes and ids from the root to a block's container, without digits. Other pages of the
//! site say whether its blocks are content there (the mean log odds of the slot), and whether they
//! have the same text in the same slot. After Bar-Yossef and Rajagopalan (2002, "Template detection
//! via data mining and its applications"), who detect templates by repeated blocks, and Yi, Liu and
//! Li (2003, "Eliminating noisy information in web pages for data mining"), who keep one tree of
//! styles a site.

mod memory;
mod slots;

pub use memory::{MIN_PAGES, SiteMemory};
pub use slots::{PageOfSite, SlotsOfPage};
