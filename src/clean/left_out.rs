//! Takes segments out of a document that was cleaned.

use super::document::CleanDocument;
use crate::capture::DomBuilder;

impl CleanDocument {
    /// Takes out the segments with these numbers, which ascend. The pruned tree and the report on targets stay as they
    /// are.
    pub fn leave_out(&mut self, segments: &[usize]) {
        for &segment in segments.iter().rev() {
            self.segments.remove(segment);
            for (next, _) in &mut self.pictures {
                *next -= usize::from(*next > segment);
            }
        }
    }

    /// Takes out all text and comments; metadata and the report on targets stay.
    pub fn leave_out_all(&mut self) {
        self.segments.clear();
        self.pictures.clear();
        self.comments = None;
        self.pruned = DomBuilder::new().finish();
    }
}

#[cfg(test)]
mod tests {
    use crate::clean::{SegmentKind, plain_segment};
    use crate::explain::samples;

    #[test]
    fn pictures_stay_before_the_text_that_followed_them() {
        let (_, _, mut document) = samples::page("Menu");
        let segment = |text: &str| plain_segment(SegmentKind::Paragraph, text.to_owned(), 0);
        document.segments = ["one", "two", "three", "four"].map(segment).into();
        document.pictures = vec![(1, segment("before two")), (3, segment("before four")), (4, segment("last"))];
        document.leave_out(&[1, 2]);
        let texts: Vec<String> = document.segments.iter().map(super::super::Segment::text).collect();
        assert_eq!(texts, ["one", "four"]);
        let nexts: Vec<usize> = document.pictures.iter().map(|(next, _)| *next).collect();
        assert_eq!(nexts, [1, 1, 2]);
        document.leave_out_all();
        assert!(document.segments.is_empty() && document.pictures.is_empty() && !document.targets.is_empty());
    }
}
