//! What becomes of text that is laid out on a page and that a reader does not see.

use crate::capture::Capture;
use std::borrow::Cow;

/// What becomes of text that is laid out on a rendered page and that a reader does not see: in the color of its
/// background, transparent, covered, clipped, too small or outside the page. Text without a box (`display: none`) and
/// text with `visibility: hidden` is never text of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HiddenText {
    /// It is treated like all other text.
    Keep,
    /// It is no text of the page.
    #[default]
    Drop,
    /// As `Drop`, and the output names it, with the cause.
    Report,
}

impl HiddenText {
    /// All values by their name on the command line.
    pub const ALL: &[(&str, Self)] = &[("keep", Self::Keep), ("drop", Self::Drop), ("report", Self::Report)];

    /// Prepares a capture for cleaning.
    pub(crate) fn apply(self, capture: &mut Capture) {
        if let (Self::Keep, Some(layout)) = (self, &mut capture.layout) {
            layout.show_all();
        }
    }

    /// The same for a capture that must not change.
    pub(super) fn applied(self, capture: &Capture) -> Cow<'_, Capture> {
        let mut capture = Cow::Borrowed(capture);
        if self == Self::Keep && capture.layout.is_some() {
            self.apply(capture.to_mut());
        }
        capture
    }
}
