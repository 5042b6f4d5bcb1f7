//! The input of a method.

use crate::capture::Capture;
use std::borrow::Cow;
use std::cell::OnceCell;

/// A page to be cleaned.
#[derive(Debug)]
pub struct Input<'a> {
    /// The tree, and boxes and pictures if it was rendered.
    pub capture: &'a Capture,
    source: OnceCell<Cow<'a, str>>,
}

impl<'a> Input<'a> {
    /// A page and its decoded source text, if there is one.
    pub fn new(capture: &'a Capture, source: Option<&'a str>) -> Self {
        Self { capture, source: source.map(|source| OnceCell::from(Cow::Borrowed(source))).unwrap_or_default() }
    }

    /// The source text: as published, or the tree written as HTML if only the tree is known (rendered pages and archives);
    /// then its line breaks are those of the text nodes.
    pub fn source(&self) -> &str {
        self.source.get_or_init(|| Cow::Owned(self.capture.dom.to_html()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Body, Page, parse};

    #[test]
    fn the_source_is_given_or_written_from_the_tree() {
        let html = "<p class=x>a\nb<br>c &amp; d</p><!-- gone -->";
        let body = Body::html(html);
        let capture = parse(&Page::new("x", body)).unwrap();
        assert_eq!(Input::new(&capture, Some(html)).source(), html);
        let written = "<html><head></head><body><p class=\"x\">a\nb<br>c &amp; d</p></body></html>";
        assert_eq!(Input::new(&capture, None).source(), written);
    }
}
