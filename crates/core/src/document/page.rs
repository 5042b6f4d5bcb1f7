//! Facts about a page that several steps need, each computed once: its addresses, its blocks of
//! code, its footnotes, the marks of its quotations, the heading that names its site, and whether
//! it sets TeX.

use super::addresses::Addresses;
use crate::capture::{Capture, Dom};
use crate::document::code::blocks::CodeBlocks;
use crate::document::formulas::tex::{self, Typesetting};
use crate::document::notes::links::NoteLinks;
use crate::document::segments::quotations::Quotations;
use crate::document::segments::site_heading::SiteHeading;
use crate::target::Target;
use std::cell::OnceCell;

/// A page with its targets and the facts found about it. Facts that most pages do not need are
/// computed when they are first requested.
#[derive(Debug)]
pub struct PageParts<'a> {
    pub(super) capture: &'a Capture,
    pub(super) dom: &'a Dom,
    pub(super) targets: &'a [Target],
    pub(super) addresses: Addresses,
    code: OnceCell<CodeBlocks>,
    notes: OnceCell<NoteLinks>,
    quotations: OnceCell<Quotations>,
    site_heading: OnceCell<SiteHeading>,
    sets: OnceCell<Typesetting>,
}

impl<'a> PageParts<'a> {
    /// Wraps a page about which nothing has been computed yet.
    pub fn new(capture: &'a Capture, targets: &'a [Target]) -> Self {
        Self {
            capture,
            dom: &capture.dom,
            targets,
            addresses: Addresses::for_capture(capture),
            code: OnceCell::new(),
            notes: OnceCell::new(),
            quotations: OnceCell::new(),
            site_heading: OnceCell::new(),
            sets: OnceCell::new(),
        }
    }

    /// The captured page, with its tree and layout.
    pub fn capture(&self) -> &'a Capture {
        self.capture
    }

    /// The targets of the page, in document order.
    pub fn targets(&self) -> &'a [Target] {
        self.targets
    }

    pub(super) fn code(&self) -> &CodeBlocks {
        self.code
            .get_or_init(|| CodeBlocks::find(self.dom, self.targets))
    }

    pub(super) fn notes(&self) -> &NoteLinks {
        self.notes
            .get_or_init(|| NoteLinks::find(self.dom, &self.addresses))
    }

    pub(super) fn quotations(&self) -> &Quotations {
        self.quotations.get_or_init(|| Quotations::find(self.dom))
    }

    pub(super) fn site_heading(&self) -> &SiteHeading {
        self.site_heading
            .get_or_init(|| SiteHeading::find(self.dom, &self.addresses))
    }

    /// Typesetting of formulas in the texts of the page: TeX, AsciiMath or neither.
    pub(super) fn sets(&self) -> Typesetting {
        *self.sets.get_or_init(|| tex::set_by(self.dom))
    }
}
