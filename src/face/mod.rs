//! The public [`Cleaner`]: it cleans any number of pages from any number of threads, and renders
//! them if an engine is compiled in.

mod clean_all;
#[cfg(feature = "rendering")]
mod render_pages;
#[cfg(feature = "rendering")]
mod rendering;

use crate::capture::Capture;
use crate::error::Error;
use crate::page::Page;
use crate::pipeline::{CleanedPage, Cleaners, Method, Options, PageCleaner};
use clean_all::CleanAll;
#[cfg(feature = "rendering")]
use rendering::Engines;

/// Cleans pages, and renders them if an engine is compiled in. The methods block; threads may
/// share one cleaner.
///
/// ```
/// use vclean::{Cleaner, Options, Page};
///
/// let options = Options { min_precision: Some(0.9), explain: true, ..Options::default() };
/// let cleaner = Cleaner::new().with(&options)?;
/// let page = Page::from_bytes("gulls", b"<p>Herring gulls drop mussels on rocks.".to_vec())?;
/// let cleaned = cleaner.clean(&page)?;
/// println!("{} (expected F {:.2})", cleaned.markdown(), cleaned.expected_f());
/// # Ok::<(), vclean::Error>(())
/// ```
#[derive(Debug)]
pub struct Cleaner {
    pages: PageCleaner,
    #[cfg(feature = "rendering")]
    engines: Engines,
}

impl Default for Cleaner {
    fn default() -> Self {
        Self::new()
    }
}

impl Cleaner {
    /// Creates a cleaner that uses our own method, with the matching built-in model for each page.
    ///
    /// # Panics
    /// Never: the defaults name no file, and no model is read before the first page.
    pub fn new() -> Self {
        let pages = PageCleaner::new(&Options::default());
        Self {
            pages: pages.expect("the defaults are among the options"),
            #[cfg(feature = "rendering")]
            engines: Engines::default(),
        }
    }

    /// Replaces the options.
    ///
    /// # Errors
    /// If the model does not exist or does not support the options.
    pub fn with(self, options: &Options) -> Result<Self, Error> {
        self.with_methods(options, &[])
    }

    /// Replaces the options; their method may also be one of `published`, such as
    /// `vclean_rivals::method::METHODS`.
    ///
    /// # Errors
    /// If the method, model or parameter does not exist.
    pub fn with_methods(
        mut self,
        options: &Options,
        published: &'static [Method],
    ) -> Result<Self, Error> {
        self.pages = Cleaners::new(published).cleaner(options)?;
        Ok(self)
    }

    /// Cleans a page without rendering it: bare HTML, the root document of an MHTML file, or a
    /// stored capture.
    ///
    /// # Errors
    /// If the page is still on the web, is damaged, or is over a limit.
    pub fn clean(&self, page: &Page) -> Result<CleanedPage, Error> {
        self.pages.clean(page)
    }

    /// Cleans many pages in `threads` threads, without rendering them. The results come in the
    /// order of the pages, which are read as they are needed; with no thread, the caller's cleans.
    ///
    /// # Panics
    /// If cleaning a page panics, which is a fault of this library.
    pub fn clean_all<'p>(
        &self,
        pages: impl IntoIterator<Item = Page, IntoIter: 'p>,
        threads: usize,
    ) -> impl Iterator<Item = Result<CleanedPage, Error>> + 'p {
        CleanAll::start(&self.pages, pages.into_iter(), threads)
    }

    /// The part that cleans pages without rendering them; its clones share the models.
    pub fn pages(&self) -> &PageCleaner {
        &self.pages
    }

    /// Cleans a capture.
    ///
    /// # Errors
    /// If its pictures are damaged, or the model was trained on captures of another engine.
    pub fn clean_capture(&self, capture: &Capture) -> Result<CleanedPage, Error> {
        self.pages.clean_capture(capture)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::ReaderComments;
    use crate::error::ModelError;
    use crate::pipeline::Sees;

    #[test]
    fn a_cleaner_is_shared_by_threads() {
        fn is_shared<T: Send + Sync + 'static>() {}
        is_shared::<Cleaner>();
    }

    #[test]
    fn options_that_cannot_be_honored_are_refused() {
        const NONE: Method = Method {
            name: "none",
            about: "nothing",
            source: "none",
            year: 2026,
            sees: Sees::Source,
            parameters: &[],
            learns: false,
            make: |_| Err(ModelError::Format("never ready".to_owned())),
        };
        let cause = |options: Options| {
            let refused = Cleaner::new().with_methods(&options, &[NONE]);
            refused.unwrap_err().to_string()
        };
        let none = || Options::with_method("none");
        assert!(cause(none()).contains("never ready"));
        assert!(
            cause(Options::with_method("magic"))
                .contains("there is no method magic; choose one of vclean")
        );
        let min_precision = Some(0.9);
        assert!(
            cause(Options {
                min_precision,
                ..none()
            })
            .contains("method vclean")
        );
        let comments = ReaderComments::Keep;
        assert!(cause(Options { comments, ..none() }).contains("`comments`"));
        let parameter = vec!["depth=2".to_owned()];
        assert!(
            cause(Options {
                parameter,
                ..Options::default()
            })
            .contains("has no parameter depth")
        );
        assert!(cause(Options::with_model("nowhere")).contains("nowhere"));
    }
}
