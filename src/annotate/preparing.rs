//! Opens pages for labelling: from the kept capture, rendered, or parsed; cleaned by the model.

use super::error::AnnotateError;
use super::folder::GoldFolder;
use super::kept;
use super::prepared::PreparedPage;
use crate::capture::Capture;
use crate::cleaner::PageCleaner;
use crate::error::Error;
use crate::page::{Body, Page, parse};

/// Renders a page that is no capture.
pub type RenderPage = Box<dyn Fn(&Page) -> Result<Capture, Error> + Send + Sync>;

/// Opens pages. Used from many threads.
pub struct Preparing {
    cleaner: PageCleaner,
    render: Option<RenderPage>,
}

impl Preparing {
    /// Pages are cleaned with `cleaner`; those that are no captures are rendered with `render`, and parsed without it.
    pub fn new(cleaner: PageCleaner, render: Option<RenderPage>) -> Self {
        Self { cleaner, render }
    }

    /// The page with its blocks. A rendered page is kept at once, because rendering is slow and may differ next time.
    ///
    /// # Errors
    /// If the page cannot be read, rendered or cleaned.
    pub fn prepare(&self, gold: &GoldFolder, id: &str, page: &Page) -> Result<PreparedPage, AnnotateError> {
        if let Some(kept) = kept::load(gold, id)? {
            return PreparedPage::new(kept, &self.cleaner);
        }
        let capture = match (&page.body, &self.render) {
            (Body::Address(_), _) => {
                let cause = "it is on the web; save a capture of it with vclean render, and label the capture";
                return Err(AnnotateError::Input(cause.to_owned()));
            }
            (Body::Html { .. } | Body::Mhtml(_), Some(render)) => {
                let capture = render(page)?;
                kept::keep(gold, id, page, &capture)?;
                capture
            }
            _ => parse(page)?,
        };
        PreparedPage::new(capture, &self.cleaner)
    }
}
