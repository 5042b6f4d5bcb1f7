//! Stretches of pixels that targets own, and the two constants that `ink` and `ink_row` share.

/// Gray levels between the left and the right neighbor of a pixel from which it is ink (tuned on 24 rendered pages).
pub(crate) const EDGE: u8 = 24;

/// Side of a square of the coarse picture grid, in px.
pub(crate) const CELL: usize = 16;

/// A horizontal stretch of pixels that one target owns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    /// Row in px.
    pub(crate) y: u32,
    /// First column.
    pub(crate) start: u32,
    /// One past the last column.
    pub(crate) end: u32,
    /// Number of ink pixels.
    pub(super) ink: u32,
    /// First and last column with ink; meaningless where `ink` is 0.
    pub(super) ink_first: u32,
    pub(super) ink_last: u32,
    /// Sum of the gradient over ink pixels.
    pub(super) edge_sum: u32,
    /// Sum of gray over all pixels.
    pub(super) gray_sum: u32,
}

impl Run {
    /// Adds the stretch that follows at once in the same row.
    pub(super) fn join(&mut self, next: &Self) {
        self.end = next.end;
        self.ink += next.ink;
        self.ink_first = self.ink_first.min(next.ink_first);
        self.ink_last = self.ink_last.max(next.ink_last);
        self.edge_sum += next.edge_sum;
        self.gray_sum += next.gray_sum;
    }
}
