//! Two tiers: a page is cleaned from its bare HTML first, and rendered only where that leaves doubt.

use super::clean::PageCleaner;
use super::ledger::Counts;
use super::outputs::Product;
use super::pages::{Done, Fault};
use super::stages;
use crate::capture::Capture;
use crate::clean::CleanDocument;
use crate::emit::{EmitOptions, FORMATS};
use crate::error::Error;
use crate::method::Cleaned;
use crate::pipeline;
use crate::source::{Body, Page};
use clap::ValueEnum;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// When a page is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum When {
    /// Always
    #[default]
    Always,
    /// When cleaning its bare HTML leaves doubt; addresses are fetched without a browser first
    Auto,
}

/// A page on its way from the first stage to the second.
#[derive(Debug)]
pub(super) struct Seen {
    capture: Capture,
    /// What came of it, where that is settled already.
    cleaned: Option<Cleaned>,
    /// Text of the bare page, where it was not good enough.
    first: Option<String>,
}

impl Seen {
    /// A page that is still to be cleaned.
    pub(super) fn rendered(capture: Capture) -> Self {
        Self { capture, cleaned: None, first: None }
    }
}

/// The first tier.
pub(super) struct FirstLook {
    pub(super) cleaner: Arc<PageCleaner>,
    pub(super) counts: Arc<Counts>,
    /// Lowest confidence, 0 to 1, that spares a page its rendering.
    pub(super) confidence: f32,
}

impl FirstLook {
    /// Cleans the bare page; where that leaves doubt, `render` has to see it. `bare` is what the page's address holds
    /// where the page is one.
    ///
    /// # Errors
    /// Those of `render`: a bare page that cannot be cleaned is rendered.
    pub(super) fn see(
        &self,
        page: &Page,
        bare: Option<&Page>,
        render: impl FnOnce() -> Result<Capture, Fault>,
    ) -> Result<Seen, Fault> {
        let source = bare.unwrap_or(page);
        let is_bare = matches!(source.body, Body::Html { .. } | Body::Mhtml(_));
        let mut first = None;
        if is_bare && let Ok((capture, cleaned)) = self.clean(source) {
            let text = plain(&cleaned.document);
            if cleaned.confidence() >= self.confidence {
                return Ok(Seen { capture, cleaned: Some(cleaned), first: None });
            }
            first = Some(text);
        }
        let capture = render()?;
        self.counts.rendered.fetch_add(1, Ordering::Relaxed);
        Ok(Seen { capture, cleaned: None, first })
    }

    fn clean(&self, page: &Page) -> Result<(Capture, Cleaned), Error> {
        let capture = stages::parse(page)?;
        let cleaned = pipeline::clean(page, &capture, &*self.cleaner.method)?;
        Ok((capture, cleaned))
    }
}

/// The second stage: cleans what is not cleaned yet, and counts what rendering changed.
pub(super) fn finish(
    cleaner: &PageCleaner,
    counts: &Counts,
    stem: &str,
    page: &Page,
    seen: Seen,
) -> Result<Done<Product>, Fault> {
    let Seen { capture, cleaned, first } = seen;
    let cleaned = match cleaned {
        Some(cleaned) => cleaned,
        None => pipeline::clean(page, &capture, &*cleaner.method)?,
    };
    if first.is_some_and(|first| first != plain(&cleaned.document)) {
        counts.changed.fetch_add(1, Ordering::Relaxed);
    }
    cleaner.finish(stem, page, capture, cleaned)
}

fn plain(document: &CleanDocument) -> String {
    (FORMATS[0].write)(document, &EmitOptions::default())
}
