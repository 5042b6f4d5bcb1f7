//! Two tiers: a page is cleaned from its bare HTML first, and rendered only if the expected F of that is low.

use super::cleaning::ProductMaker;
use super::pages::{Done, Fault};
use super::product::Product;
use super::state::Counts;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use vclean_core::capture::Capture;
use vclean_core::clean::CleanDocument;
use vclean_core::cleaner::CleanedPage;
use vclean_core::emit::{EmitOptions, FORMATS};
use vclean_core::page::{Body, Page};

/// A page between the first stage and the second.
#[derive(Debug)]
pub(super) struct Rendered {
    capture: Capture,
    /// The result, if the first tier was good enough.
    cleaned: Option<CleanedPage>,
    /// Text of the bare page, if it was not.
    bare_text: Option<String>,
}

impl Rendered {
    /// A page that is not cleaned yet.
    pub(super) fn uncleaned(capture: Capture) -> Self {
        Self { capture, cleaned: None, bare_text: None }
    }
}

/// The first tier.
pub(super) struct FirstTier {
    pub(super) maker: Arc<ProductMaker>,
    pub(super) counts: Arc<Counts>,
    /// Lowest expected F, 0 to 1, at which a page is not rendered.
    pub(super) min_expected_f: f32,
}

impl FirstTier {
    /// Cleans the bare page, and calls `render` if its expected F is too low. `bare` is the document at the page's
    /// address, if it has one and it could be fetched.
    ///
    /// # Errors
    /// The errors of `render`: a bare page that cannot be cleaned is rendered.
    pub(super) fn apply(
        &self,
        page: &Page,
        bare: Option<&Page>,
        render: impl FnOnce() -> Result<Capture, Fault>,
    ) -> Result<Rendered, Fault> {
        let source = bare.unwrap_or(page);
        let is_bare = matches!(source.body, Body::Html { .. } | Body::Mhtml(_));
        let mut bare_text = None;
        if is_bare && let Ok((capture, cleaned)) = self.maker.cleaner.clean_bare(source) {
            let text = plain(&cleaned.document);
            if cleaned.confidence() >= self.min_expected_f {
                return Ok(Rendered { capture, cleaned: Some(cleaned), bare_text: None });
            }
            bare_text = Some(text);
        }
        let capture = render()?;
        self.counts.rendered.fetch_add(1, Ordering::Relaxed);
        Ok(Rendered { capture, cleaned: None, bare_text })
    }
}

/// The second stage: cleans the page if it is not cleaned yet, and counts the texts that rendering changed.
pub(super) fn finish(
    maker: &ProductMaker,
    counts: &Counts,
    stem: &str,
    page: &Page,
    rendered: Rendered,
) -> Result<Done<Product>, Fault> {
    let Rendered { mut capture, cleaned, bare_text } = rendered;
    let cleaned = match cleaned {
        Some(cleaned) => cleaned,
        None => maker.cleaner.clean(page, &mut capture)?,
    };
    if bare_text.is_some_and(|text| text != plain(&cleaned.document)) {
        counts.changed.fetch_add(1, Ordering::Relaxed);
    }
    maker.finish(stem, page, capture, cleaned)
}

fn plain(document: &CleanDocument) -> String {
    (FORMATS[0].write)(document, &EmitOptions::default())
}
