//! What several steps ask about a page, found once.

use super::address::Addresses;
use super::code_block::CodeBlocks;
use crate::capture::{Capture, Dom};
use crate::target::Target;

/// A page with its targets, addresses and blocks of code.
#[derive(Debug)]
pub(super) struct PageParts<'a> {
    pub(super) capture: &'a Capture,
    pub(super) dom: &'a Dom,
    pub(super) targets: &'a [Target],
    pub(super) addresses: Addresses,
    pub(super) code: CodeBlocks,
}

impl<'a> PageParts<'a> {
    pub(super) fn find(capture: &'a Capture, targets: &'a [Target]) -> Self {
        let dom = &capture.dom;
        Self { capture, dom, targets, addresses: Addresses::for_capture(capture), code: CodeBlocks::find(dom) }
    }
}
