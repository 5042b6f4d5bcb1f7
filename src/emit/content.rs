//! The segments that a format for readers writes: those of the text, with the headline before them and pictures between
//! them where the options ask for these.

use super::format::EmitOptions;
use super::title::missing_title;
use crate::clean::{CleanDocument, Segment};
use std::borrow::Cow;

/// The segments of a document for a format that has the headline first and can show pictures.
pub(super) fn content<'a>(document: &'a CleanDocument, options: &EmitOptions) -> Cow<'a, [Segment]> {
    let title = missing_title(document, options);
    let mut pictures = document.pictures.iter().filter(|_| options.images).peekable();
    if title.is_none() && pictures.peek().is_none() {
        return Cow::Borrowed(&document.segments);
    }
    let mut segments: Vec<Segment> = title.into_iter().collect();
    for (index, segment) in document.segments.iter().enumerate() {
        while let Some((_, picture)) = pictures.next_if(|(next, _)| *next <= index) {
            segments.push(picture.clone());
        }
        segments.push(segment.clone());
    }
    segments.extend(pictures.map(|(_, picture)| picture.clone()));
    Cow::Owned(segments)
}
