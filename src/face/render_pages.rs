//! The methods of [`Cleaner`] that render pages, in builds with the feature `rendering`.

use super::Cleaner;
use super::rendering::Engines;
use crate::capture::{Capture, Engine};
use crate::error::{Error, WarningKind};
use crate::page::{Body, Page};
use crate::pipeline::CleanedPage;
use crate::render::{PageOptions, RenderOptions};

impl Cleaner {
    /// Sets the rendering options: engine, browser, time limits, network. By default Chromium
    /// renders addresses and the built-in engine saved pages.
    #[must_use]
    pub fn with_rendering(self, options: RenderOptions) -> Self {
        Self {
            engines: Engines::new(options),
            ..self
        }
    }

    /// Renders a page. Addresses need the network; by default Chromium renders them, and the
    /// built-in engine renders saved pages. The engine is started by the first call and kept until
    /// the cleaner is dropped.
    ///
    /// # Errors
    /// [`Error::Render`] if there is no browser where one is needed, the page cannot be loaded, or
    /// it takes too long.
    pub fn render(&self, page: &Page) -> Result<Capture, Error> {
        self.render_with(page, &PageOptions::default())
    }

    /// Renders a page with options of its own, such as a way to end its rendering early.
    ///
    /// # Errors
    /// Those of [`Self::render`]; [`RenderError::Cancelled`](crate::error::RenderError::Cancelled)
    /// if it was cancelled.
    pub fn render_with(&self, page: &Page, options: &PageOptions) -> Result<Capture, Error> {
        let renderer = self.engines.renderer()?;
        let mut capture = renderer.render(page, options)?.capture;
        let is_other =
            matches!(page.body, Body::Address(_)) && capture.record.engine != Engine::Chromium;
        if let Some(notice) = renderer.notice().filter(|_| is_other) {
            capture
                .record
                .warnings
                .add(WarningKind::OtherEngine, notice);
        }
        Ok(capture)
    }

    /// Renders the page at an address and cleans it.
    ///
    /// # Errors
    /// Those of [`Self::render`] and [`Self::clean_capture`].
    ///
    /// ```no_run
    /// let cleaner = vclean::Cleaner::new();
    /// for block in cleaner.clean_url("https://example.org/")?.blocks() {
    ///     println!("{:.2} {}", block.probability, block.text);
    /// }
    /// # Ok::<(), vclean::Error>(())
    /// ```
    pub fn clean_url(&self, address: &str) -> Result<CleanedPage, Error> {
        self.clean_capture(&self.render(&Page::from_url(address))?)
    }
}
