//! Code: which elements are blocks of code, and their lines as they are displayed.

pub(super) mod blocks;
pub(super) mod span;
