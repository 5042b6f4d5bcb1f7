//! A page that a network is fitted to.

use crate::classify::page_kind::PageKind;
use crate::classify::scaler::Scaler;
use crate::classify::sequence::window::Window;
use crate::classify::smooth::PageShape;
use ndarray::{ArrayView2, Axis, Slice};
use std::ops::Range;

/// A page that a network is fitted to.
#[derive(Debug, Clone, Copy)]
pub struct SequencePage<'a> {
    /// Unscaled inputs of all its targets in order.
    pub inputs: ArrayView2<'a, f32>,
    /// Text lengths and groups of the targets.
    pub shape: &'a PageShape,
    /// For each target whether it is content; `None` where the gold text does not decide: it is read, but has no part in
    /// the loss.
    pub labels: &'a [Option<bool>],
    /// Whether the gold text is the whole text of the page, so that an F of the page can be computed.
    pub is_whole: bool,
    /// The kind of the page, if it is known.
    pub kind: Option<PageKind>,
}

/// Consecutive targets of a page with their labels.
pub(super) struct Excerpt<'a> {
    pub(super) window: Window<'a>,
    pub(super) lengths: &'a [u32],
    pub(super) labels: &'a [Option<bool>],
    pub(super) is_whole: bool,
    pub(super) kind: Option<PageKind>,
}

impl<'a> SequencePage<'a> {
    /// The targets `range`, scaled.
    pub(super) fn excerpt(&self, scaler: &Scaler, range: Range<usize>) -> Excerpt<'a> {
        let scaled = scaler.apply(self.inputs.slice_axis(Axis(0), Slice::from(range.clone())));
        Excerpt {
            window: Window::new(scaled.into_raw_vec_and_offset().0.into(), self.shape, range.clone()),
            lengths: &self.shape.lengths[range.clone()],
            labels: &self.labels[range],
            is_whole: self.is_whole,
            kind: self.kind,
        }
    }

    /// A random window of at most `size` targets.
    pub(super) fn draw(&self, scaler: &Scaler, size: usize, random: &mut fastrand::Rng) -> Excerpt<'a> {
        let targets = self.labels.len();
        let start = if targets > size { random.usize(0..=targets - size) } else { 0 };
        self.excerpt(scaler, start..(start + size).min(targets))
    }
}
