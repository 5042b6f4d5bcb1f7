//! The face of the library: a cleaner that is created once by a builder, used for any number of
//! pages, from any number of threads, and renders pages where an engine is compiled in.

#[cfg(feature = "rendering")]
mod render_pages;
#[cfg_attr(not(feature = "rendering"), path = "no_rendering.rs")]
mod rendering;

use crate::document::ReaderComments;
use crate::error::ModelError;
use crate::page::Page;
use crate::pipeline::{CleanedPage, Cleaners, HiddenText, Method, Options, PageCleaner};
use rendering::{Engines, RenderOptions};
use std::ops::Deref;

/// Cleans pages, and renders them where an engine is compiled in. The methods block; threads may
/// share one cleaner. All that needs no rendering is in [`PageCleaner`], to which this
/// dereferences.
///
/// ```
/// use vclean::{Cleaner, Page};
///
/// let cleaner = Cleaner::builder().min_precision(0.9).explain(true).build()?;
/// let page = Page::from_bytes("gulls", b"<p>Herring gulls drop mussels on rocks.".to_vec())?;
/// let cleaned = cleaner.clean(&page)?;
/// println!("{} (expected F {:.2})", cleaned.markdown(), cleaned.expected_f());
/// # Ok::<(), vclean::Error>(())
/// ```
pub struct Cleaner {
    pages: PageCleaner,
    engines: Engines,
}

impl std::fmt::Debug for Cleaner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Cleaner")
            .field("pages", &self.pages)
            .field("engines", &self.engines)
            .finish()
    }
}

impl Deref for Cleaner {
    type Target = PageCleaner;

    fn deref(&self) -> &PageCleaner {
        &self.pages
    }
}

/// The options of a [`Cleaner`]; each has a default.
#[derive(Debug, Clone, Default)]
#[must_use = "a builder does nothing until build is called"]
pub struct CleanerBuilder {
    options: Options,
    published: &'static [Method],
    rendering: RenderOptions,
}

impl Cleaner {
    /// A builder with the defaults: our own method, and the matching built-in model for each page.
    pub fn builder() -> CleanerBuilder {
        CleanerBuilder::default()
    }

    /// Cleans a page given as HTML, decoded.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit) if the page has more blocks than a page may have.
    pub fn clean_html(&self, html: &str) -> Result<CleanedPage, crate::error::Error> {
        self.clean(&Page::from_html("page", html))
    }
}

impl CleanerBuilder {
    /// All options of cleaning and writing at once, in place of those set before.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// A built-in model's name (`rendered`, `rendered-builtin`, `static`, `fast`) or a model file.
    /// The default is the built-in model that fits each page: `rendered` for pages rendered by
    /// Chromium, `rendered-builtin` for those of the built-in engine, `static` for bare HTML.
    pub fn model(mut self, name_or_file: impl Into<String>) -> Self {
        self.options.model.model = Some(name_or_file.into());
        self
    }

    /// Keeps only so many blocks that at least this share of them is content, above 0, up to 1, as
    /// measured out-of-fold when the model was trained. The default is a per-page threshold.
    pub fn min_precision(mut self, share: f32) -> Self {
        self.options.model.min_precision = Some(share);
        self
    }

    /// What `vclean site-memory` learned of the pages of sites (a file): other pages of a page's
    /// site then tell template from text.
    pub fn site_memory(mut self, file: impl Into<String>) -> Self {
        self.options.model.site_memory = Some(file.into());
        self
    }

    /// Whether the features with the largest influence are computed for each block; costs about as
    /// much as the decision.
    pub fn explain(mut self, explain: bool) -> Self {
        self.options.text.explain = explain;
        self
    }

    /// Whether only the text is found: [`CleanedPage::text`] and the blocks are the same, and there are
    /// no metadata, no posts and no HTML. Takes about a tenth less time.
    pub fn text_only(mut self, wanted: bool) -> Self {
        self.options.text.text_only = wanted;
        self
    }

    /// Whether a model may be used for pages rendered by another engine than its training pages.
    pub fn any_engine(mut self, allow: bool) -> Self {
        self.options.model.any_engine = allow;
        self
    }

    /// What becomes of text that readers of a rendered page do not see; by default it is dropped.
    pub fn hidden_text(mut self, choice: HiddenText) -> Self {
        self.options.text.hidden = choice;
        self
    }

    /// Whether [`CleanedPage::json`] says of each segment and span where it comes from: XPath, range of
    /// characters and box. Off by default.
    pub fn positions(mut self, wanted: bool) -> Self {
        self.options.text.positions = wanted;
        self
    }

    /// What becomes of readers' comments; by default they are dropped. Only our own method tells
    /// them from other boilerplate, with a model that was trained to.
    pub fn comments(mut self, choice: ReaderComments) -> Self {
        self.options.text.comments = choice;
        self
    }

    /// Whether data tables are part of the text; they are by default. Only our own method leaves
    /// them out.
    pub fn tables(mut self, keep: bool) -> Self {
        self.options.text.no_tables = !keep;
        self
    }

    /// Whether the text begins with the page's headline, where the page shows one; it does by
    /// default. Only our own method leaves it out.
    pub fn title(mut self, keep: bool) -> Self {
        self.options.text.no_title = !keep;
        self
    }

    /// Published methods that [`Self::method`] may name besides our own: `vclean_rivals::method::METHODS`.
    pub fn published(mut self, methods: &'static [Method]) -> Self {
        self.published = methods;
        self
    }

    /// A published method instead of our own, such as `justext`, of those given to
    /// [`Self::published`].
    pub fn method(mut self, name: impl Into<String>) -> Self {
        self.options.method.method = Some(name.into());
        self
    }

    /// Sets a parameter of the method.
    pub fn parameter(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        self.options
            .method
            .parameter
            .push(format!("{}={}", name.as_ref(), value.as_ref()));
        self
    }

    /// How blocks are selected; the default is the rule that the model was trained with.
    pub fn targets(mut self, rule: crate::target::TargetRule) -> Self {
        self.options.model.targets = Some(rule);
        self
    }

    /// Reads the model.
    ///
    /// # Errors
    /// If there is no such method, model or parameter, or the model cannot guarantee the requested
    /// precision.
    pub fn build(self) -> Result<Cleaner, ModelError> {
        Ok(Cleaner {
            pages: Cleaners::new(self.published).cleaner(&self.options)?,
            engines: Engines::new(self.rendering),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Sees;

    #[test]
    fn a_cleaner_is_shared_by_threads() {
        fn is_shared<T: Send + Sync + 'static>() {}
        is_shared::<Cleaner>();
    }

    #[test]
    fn published_methods_are_built_by_name() {
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
        let none = || Cleaner::builder().published(&[NONE]).method("none");
        let cause = |builder: CleanerBuilder| builder.build().unwrap_err().to_string();
        assert!(cause(none()).contains("never ready"));
        assert!(
            cause(none().method("magic"))
                .contains("there is no method magic; choose one of vclean")
        );
        assert!(cause(none().min_precision(0.9)).contains("method vclean"));
        assert!(cause(none().comments(ReaderComments::Keep)).contains("`comments`"));
        assert!(
            cause(Cleaner::builder().parameter("depth", "2")).contains("has no parameter depth")
        );
        assert!(cause(Cleaner::builder().model("nowhere")).contains("nowhere"));
    }

    #[test]
    fn the_setters_reach_every_option_of_cleaning() {
        let builder = Cleaner::builder()
            .model("static")
            .min_precision(0.9)
            .explain(true)
            .any_engine(true)
            .site_memory("a")
            .hidden_text(HiddenText::Keep)
            .positions(true)
            .comments(ReaderComments::Keep)
            .tables(false)
            .title(false)
            .method("vclean")
            .parameter("a", "b")
            .targets(crate::target::TargetRule::Fiasco);
        let chosen = builder.options.chosen();
        let of_writing = ["format", "images", "links", "with_metadata"];
        let missing: Vec<String> = Options::names()
            .into_iter()
            .filter(|name| !chosen.contains_key(name) && !of_writing.contains(&name.as_str()))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
