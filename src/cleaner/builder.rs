//! The cleaner: created once by a builder, used for any number of pages, from any number of threads.

use super::cleaned::Cleaned;
use super::hidden_text::HiddenText;
use super::methods::find_method;
use super::model_cleaner::{ModelCleaner, ModelCleanerOptions, OURS};
use super::pipeline;
use crate::capture::Capture;
use crate::clean::ReaderComments;
use crate::error::{Error, ModelError, Warnings};
use crate::method::{CleanPage, CleanedPage, MethodSettings};
#[cfg(feature = "rendering")]
use crate::render::{EngineChoice, PageOptions, RenderOptions, Renderer};
use crate::source::{Page, parse};
use std::sync::LazyLock;
#[cfg(feature = "rendering")]
use std::sync::{Arc, Mutex, PoisonError};

/// Cleans a page given as HTML, with the built-in model for bare HTML.
///
/// # Errors
/// [`Error::Limit`] if the page has more blocks than a page may have.
///
/// ```
/// let text = vclean::clean_html("<body><p>Herring gulls drop mussels on rocks.</p></body>")?.text();
/// assert_eq!(text, "Herring gulls drop mussels on rocks.\n");
/// # Ok::<(), vclean::Error>(())
/// ```
pub fn clean_html(html: &str) -> Result<Cleaned, Error> {
    static USUAL: LazyLock<Result<Cleaner, ModelError>> = LazyLock::new(|| Cleaner::builder().build());
    match &*USUAL {
        Ok(cleaner) => cleaner.clean_html(html),
        Err(error) => Err(ModelError::Format(error.to_string()).into()),
    }
}

/// Cleans pages. The methods block; threads may share one cleaner.
///
/// ```
/// use vclean::{Cleaner, Page};
///
/// let cleaner = Cleaner::builder().min_precision(0.9).explain(true).build()?;
/// let page = Page::from_bytes("gulls", b"<p>Herring gulls drop mussels on rocks.".to_vec())?;
/// let cleaned = cleaner.clean_page(&page)?;
/// println!("{} (expected F {:.2})", cleaned.markdown(), cleaned.expected_f());
/// # Ok::<(), vclean::Error>(())
/// ```
pub struct Cleaner {
    method: Box<dyn CleanPage>,
    hidden: HiddenText,
    positions: bool,
    #[cfg(feature = "rendering")]
    rendering: RenderOptions,
    /// The renderer, started when the first page needs it.
    #[cfg(feature = "rendering")]
    renderer: Mutex<Option<Arc<Renderer>>>,
}

impl std::fmt::Debug for Cleaner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Cleaner").finish_non_exhaustive()
    }
}

/// The options of a [`Cleaner`]; each has a default.
#[derive(Debug, Clone, Default)]
#[must_use = "a builder does nothing until build is called"]
pub struct CleanerBuilder {
    method: Option<String>,
    parameters: Vec<(String, String)>,
    options: ModelCleanerOptions,
    hidden: HiddenText,
    positions: bool,
    #[cfg(feature = "rendering")]
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
    /// [`Error::Limit`] if the page has more blocks than a page may have.
    pub fn clean_html(&self, html: &str) -> Result<Cleaned, Error> {
        self.clean_page(&Page::from_html("page", html))
    }

    /// Cleans a page without rendering it: bare HTML, the root document of an MHTML file, or a stored capture.
    ///
    /// # Errors
    /// If the page is still on the web ([`Error::Source`]), is damaged, or is over a limit.
    pub fn clean_page(&self, page: &Page) -> Result<Cleaned, Error> {
        let mut capture = parse(page)?;
        self.hidden.apply(&mut capture);
        let warnings = std::mem::take(&mut capture.record.warnings);
        Ok(self.cleaned(pipeline::clean(page, &capture, &*self.method)?, &capture, warnings))
    }

    /// Cleans a capture.
    ///
    /// # Errors
    /// If its pictures are damaged, or the model was trained on captures of another engine ([`Error::Model`]).
    pub fn clean_capture(&self, capture: &Capture) -> Result<Cleaned, Error> {
        let capture = self.hidden.applied(capture);
        let cleaned = self.method.clean(&crate::method::Input::new(&capture, None))?;
        Ok(self.cleaned(cleaned, &capture, capture.record.warnings.clone()))
    }

    fn cleaned(&self, mut page: CleanedPage, capture: &Capture, warnings: Warnings) -> Cleaned {
        if self.positions {
            page.document.locate(capture, &page.targets);
        }
        Cleaned::new(page, warnings, self.hidden)
    }

    /// Renders a page. Addresses need the network; by default Chromium renders them, and the built-in engine renders saved
    /// pages. The engine is started by the first call and kept until the cleaner is dropped.
    ///
    /// # Errors
    /// [`Error::Render`] if there is no browser where one is needed, the page cannot be loaded, or it takes too long.
    #[cfg(feature = "rendering")]
    pub fn render(&self, page: &Page) -> Result<Capture, Error> {
        self.render_with(page, &PageOptions::default())
    }

    /// As [`Self::render`], with options of this page, such as a way to end its rendering early.
    ///
    /// # Errors
    /// As [`Self::render`]; [`RenderError::Cancelled`](crate::error::RenderError::Cancelled) if it was cancelled.
    #[cfg(feature = "rendering")]
    pub fn render_with(&self, page: &Page, options: &PageOptions) -> Result<Capture, Error> {
        let renderer = {
            let mut started = self.renderer.lock().unwrap_or_else(PoisonError::into_inner);
            if started.is_none() {
                *started = Some(Arc::new(Renderer::launch(self.rendering.clone())?));
            }
            started.clone().expect("it was started above or before")
        };
        Ok(renderer.render(page, options)?.capture)
    }

    /// Renders the page at an address and cleans it.
    ///
    /// # Errors
    /// As [`Self::render`] and [`Self::clean_capture`].
    ///
    /// ```no_run
    /// let cleaner = vclean::Cleaner::builder().build()?;
    /// for block in cleaner.clean_url("https://example.org/")?.blocks() {
    ///     println!("{:.2} {}", block.probability, block.text);
    /// }
    /// # Ok::<(), vclean::Error>(())
    /// ```
    #[cfg(feature = "rendering")]
    pub fn clean_url(&self, address: &str) -> Result<Cleaned, Error> {
        self.clean_capture(&self.render(&Page::from_url(address))?)
    }
}

impl CleanerBuilder {
    /// A built-in model's name (`rendered`, `rendered-builtin`, `static`) or a model file. The default is the built-in model
    /// that fits each page: `rendered` for pages rendered by Chromium, `rendered-builtin` for those of the built-in engine,
    /// `static` for bare HTML.
    pub fn model(mut self, name_or_file: impl Into<String>) -> Self {
        self.options.model = Some(name_or_file.into());
        self
    }

    /// Keeps only so many blocks that at least this share of them is content, above 0, up to 1, as measured out-of-fold
    /// when the model was trained. The default is a per-page threshold.
    pub fn min_precision(mut self, share: f32) -> Self {
        self.options.min_precision = Some(share);
        self
    }

    /// Whether the features with the largest influence are computed for each block; costs about as much as the decision.
    pub fn explain(mut self, explain: bool) -> Self {
        self.options.explain = explain;
        self
    }

    /// Whether a model may be used for pages rendered by another engine than its training pages.
    pub fn any_engine(mut self, allow: bool) -> Self {
        self.options.any_engine = allow;
        self
    }

    /// What becomes of text that readers of a rendered page do not see; by default it is dropped.
    pub fn hidden_text(mut self, choice: HiddenText) -> Self {
        self.hidden = choice;
        self
    }

    /// Whether [`Cleaned::json`] says of each segment and span where it comes from: XPath, range of characters and box. Off by
    /// default.
    pub fn positions(mut self, wanted: bool) -> Self {
        self.positions = wanted;
        self
    }

    /// What becomes of readers' comments; by default they are dropped. Only our own method tells them from other
    /// boilerplate, with a model that was trained to.
    pub fn comments(mut self, choice: ReaderComments) -> Self {
        self.options.comments = choice;
        self
    }

    /// Whether data tables are part of the text; they are by default. Only our own method leaves them out.
    pub fn tables(mut self, keep: bool) -> Self {
        self.options.without_tables = !keep;
        self
    }

    /// A published method instead of our own, such as `justext`; see [`crate::cleaner::methods`].
    pub fn method(mut self, name: impl Into<String>) -> Self {
        self.method = Some(name.into());
        self
    }

    /// Sets a parameter of the method.
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// Which engine renders; by default Chromium renders addresses and the built-in engine saved pages.
    #[cfg(feature = "rendering")]
    pub fn engine(mut self, engine: EngineChoice) -> Self {
        self.rendering.engine = engine;
        self
    }

    /// All other rendering options: browser, time limits, network.
    #[cfg(feature = "rendering")]
    pub fn rendering(mut self, options: RenderOptions) -> Self {
        self.rendering = options;
        self
    }

    /// Reads the model.
    ///
    /// # Errors
    /// If there is no such method, model or parameter, or the model cannot guarantee the requested precision.
    pub fn build(self) -> Result<Cleaner, ModelError> {
        let name = self.method.as_deref().unwrap_or(OURS.name);
        let method: Box<dyn CleanPage> = if name == OURS.name && self.parameters.is_empty() {
            Box::new(ModelCleaner::new(self.options)?)
        } else {
            let options = &self.options;
            if options.targets.is_some()
                || options.min_precision.is_some()
                || options.comments != ReaderComments::Drop
                || options.without_tables
            {
                return Err(ModelError::Setting(format!(
                    "`targets`, `min_precision`, `comments` and `tables` belong to the method {}, not to {name}",
                    OURS.name
                )));
            }
            let ModelCleanerOptions { model, any_engine, .. } = self.options;
            let found = find_method(name).ok_or_else(|| ModelError::Setting(format!("there is no method {name}")))?;
            found.ready(&MethodSettings { model, values: self.parameters, any_engine })?
        };
        Ok(Cleaner {
            method,
            hidden: self.hidden,
            positions: self.positions,
            #[cfg(feature = "rendering")]
            rendering: self.rendering,
            #[cfg(feature = "rendering")]
            renderer: Mutex::new(None),
        })
    }

    /// How blocks are selected; the default is the rule that the model was trained with.
    pub fn targets(mut self, rule: crate::target::TargetRule) -> Self {
        self.options.targets = Some(rule);
        self
    }

    /// The method alone, for callers that run the stages themselves.
    ///
    /// # Errors
    /// As [`Self::build`].
    pub fn build_method(self) -> Result<Box<dyn CleanPage>, ModelError> {
        Ok(self.build()?.method)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "<body><nav><a href='/'>Home</a> <a href='/about'>About us</a></nav><article><h1>Herring gulls</h1>
        <p>Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is.</p></article>";

    #[test]
    fn a_cleaner_is_shared_by_threads() {
        fn is_shared<T: Send + Sync + 'static>() {}
        is_shared::<Cleaner>();
        is_shared::<Cleaned>();
    }

    #[test]
    fn every_format_and_every_block_of_a_page_is_there() {
        let cleaned = Cleaner::builder().explain(true).build().unwrap().clean_html(PAGE).unwrap();
        assert!(cleaned.text().contains("drop mussels") && cleaned.html().contains("<p>"));
        assert!(cleaned.markdown().contains("# Herring gulls"), "{}", cleaned.markdown());
        assert!(cleaned.json().contains("\"probability\""));
        assert!((0.0..=1.0).contains(&cleaned.expected_f()));
        let blocks: Vec<_> = cleaned.blocks().collect();
        assert_eq!(blocks.len(), cleaned.blocks().len());
        let paragraph = blocks.iter().find(|block| block.text.contains("mussels")).unwrap();
        assert!(paragraph.is_content && paragraph.kind == Some(crate::clean::SegmentKind::Paragraph));
        assert!(!paragraph.reasons.is_empty() && paragraph.rect.is_none() && paragraph.path.ends_with("/p"));
        assert!(blocks.iter().filter(|block| !block.is_content).all(|block| block.kind.is_none()));
    }

    #[test]
    fn positions_are_in_json_on_request() {
        let json =
            |positions| Cleaner::builder().positions(positions).build().unwrap().clean_html(PAGE).unwrap().json();
        let path = "\"xpath\": \"/html[1]/body[1]/article[1]/p[1]/text()[1]\"";
        assert!(json(true).contains(path) && !json(false).contains("position"), "{}", json(true));
    }

    #[test]
    fn published_methods_are_built_by_name() {
        let cleaner = Cleaner::builder().method("justext").parameter("language", "en").build().unwrap();
        assert!(cleaner.clean_html(PAGE).is_ok());
        let cause = |builder: CleanerBuilder| builder.build().unwrap_err().to_string();
        assert_eq!(cause(Cleaner::builder().method("magic")), "there is no method magic");
        assert!(cause(Cleaner::builder().method("dump").min_precision(0.9)).contains("method vclean"));
        assert!(cause(Cleaner::builder().method("dump").comments(ReaderComments::Keep)).contains("`comments`"));
        assert!(cause(Cleaner::builder().parameter("depth", "2")).contains("has no parameter depth"));
        assert!(cause(Cleaner::builder().model("nowhere")).contains("nowhere"));
    }

    #[test]
    fn a_page_on_the_web_has_to_be_rendered() {
        let error = Cleaner::builder().build().unwrap().clean_page(&Page::from_url("https://a.example/")).unwrap_err();
        assert!(matches!(error, Error::Source(_)), "{error}");
    }
}
