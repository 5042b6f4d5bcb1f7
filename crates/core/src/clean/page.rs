//! What several steps ask about a page, found once: its addresses, its blocks of code, its footnotes, the
//! marks of its quotations, and whether it sets TeX.

use super::addresses::Addresses;
use super::code_blocks::CodeBlocks;
use super::notes::NoteLinks;
use super::quotations::Quotations;
use super::tex::{self, Typesetting};
use crate::capture::{Capture, Dom};
use crate::target::Target;

/// A page with its targets and what was found of it.
#[derive(Debug)]
pub(super) struct PageParts<'a> {
    pub(super) capture: &'a Capture,
    pub(super) dom: &'a Dom,
    pub(super) targets: &'a [Target],
    pub(super) addresses: Addresses,
    pub(super) code: CodeBlocks,
    pub(super) notes: NoteLinks,
    pub(super) quotations: Quotations,
    /// Whether short texts between dollars are formulas.
    pub(super) sets: Typesetting,
}

impl<'a> PageParts<'a> {
    pub(super) fn find(capture: &'a Capture, targets: &'a [Target]) -> Self {
        let dom = &capture.dom;
        let addresses = Addresses::for_capture(capture);
        let (notes, code) = (NoteLinks::find(dom, &addresses), CodeBlocks::find(dom, targets));
        let quotations = Quotations::find(dom);
        Self { capture, dom, targets, addresses, code, notes, quotations, sets: tex::set_by(dom) }
    }
}
