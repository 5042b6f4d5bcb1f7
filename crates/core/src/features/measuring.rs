//! What of a page is measured.

use super::markup::words::MarkupWords;
use crate::language::Keywords;

/// What is measured: the groups that are independent of language, or some of them, and those of
/// [`ON_REQUEST`](super::ON_REQUEST).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measuring<'k> {
    /// Whether the language-bound groups are measured.
    pub language_bound: bool,
    /// The keywords that the group `linguistic.keyword` counts; without them, or where
    /// `language_bound` is false, it is not measured.
    pub keywords: Option<&'k Keywords>,
    /// The words that the group `markup` weighs; without them it is not measured.
    pub markup: Option<&'k MarkupWords>,
    /// The columns that will be read: only groups with one of them, and those that these groups
    /// read, are measured. `None` for all groups.
    pub columns: Option<&'k [String]>,
}
