//! The comments of a document for formats with elements: one by one where something is known of their authors and dates.

use crate::clean::{CommentPart, ReaderComment, Segment};

/// The comments with their segments. Where neither an author nor a date is known, all segments are together, and no comment
/// is named.
pub(super) fn comments(part: &CommentPart) -> Vec<(Option<&ReaderComment>, &[Segment])> {
    let is_known = |comment: &ReaderComment| comment.author.is_some() || comment.date.is_some();
    if part.segments.is_empty() {
        Vec::new()
    } else if part.records.iter().any(is_known) {
        let segments = |comment: &ReaderComment| part.segments.get(comment.segments.clone()).unwrap_or_default();
        part.records.iter().map(|comment| (Some(comment), segments(comment))).collect()
    } else {
        vec![(None, &part.segments)]
    }
}
