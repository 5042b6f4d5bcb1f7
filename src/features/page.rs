//! What all groups need of a page, computed once.

use super::visual::Pixels;
use crate::capture::Capture;
use crate::target::Target;

/// A capture and its targets with page-level statistics, for the groups to measure from.
#[derive(Debug)]
pub struct PageView<'a> {
    /// The page.
    pub capture: &'a Capture,
    /// Its targets in document order.
    pub targets: &'a [Target],
    /// The decoded pictures; absent for bare HTML.
    pub pixels: Option<Pixels>,
}
