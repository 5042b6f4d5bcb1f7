//! Code: which elements are blocks of code, their language, and their lines as they are displayed.

pub(super) mod blocks;
pub(super) mod language;
pub(super) mod span;
