//! Evidence from other pages of the same site: which parts of its templates hold text, and which
//! texts it repeats.
//!
//! Pages of one site are made from few templates. A *slot* is a position in a template: the path of
//! tags, classes and ids from the root to a block's container, without digits. Other pages of the
//! site show whether blocks in this slot are content (the mean log odds of the slot), and whether
//! they have the same text in the same slot. After Bar-Yossef and Rajagopalan (2002, "Template
//! detection via data mining and its applications"), who detect templates by repeated blocks, and
//! Yi, Liu and Li (2003, "Eliminating noisy information in web pages for data mining"), who keep
//! one tree of styles per site.

mod memory;
mod slots;

pub use memory::{MIN_PAGES, SiteMemory};
pub use slots::{PageOfSite, SlotsOfPage};
