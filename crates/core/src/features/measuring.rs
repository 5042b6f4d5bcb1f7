//! Selects the features to be measured on a page.

use super::markup::words::MarkupWords;
use crate::language::Keywords;

/// Selection of features: the language-independent groups, or some of them, and those of
/// [`ON_REQUEST`](super::ON_REQUEST).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Measuring<'k> {
    /// True if the language-bound groups are measured.
    pub language_bound: bool,
    /// The keywords that the group `linguistic.keyword` counts. The group is not measured without
    /// them, or if `language_bound` is false.
    pub keywords: Option<&'k Keywords>,
    /// The word weights of the group `markup`; the group is not measured without them.
    pub markup: Option<&'k MarkupWords>,
    /// The columns that will be read: only the groups that contain them, and the groups that these
    /// read, are measured. `None` for all groups.
    pub columns: Option<&'k [String]>,
}
