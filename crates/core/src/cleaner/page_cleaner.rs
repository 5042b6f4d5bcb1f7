//! The one way of a page from its capture to its document. Runs, the service, the worker, the
//! labelling page, evaluations and the library all come through here.

use super::cleaned::Cleaned;
use super::emptied;
use super::method::{CleanPage, CleanedPage, Input, Method, MethodSettings};
use super::model_cleaner::{ModelCleaner, OURS};
use super::options::{HiddenText, Options};
use crate::capture::{Capture, Engine, HiddenCause, Record};
use crate::classify::Model;
use crate::clean::{HiddenPassage, ReaderComments};
use crate::error::{Error, ModelError, SourceError, Warning, WarningKind, Warnings};
use crate::page::{Body, Page, is_unfilled, parse, refuse_tree};
use crate::text::shorten;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Number of letters of a hidden passage that a warning shows. Heuristic: two or three sentences.
const SHOWN_LETTERS: usize = 300;

/// Largest probability of content on a page that its scripts have not filled. Heuristic: a notice
/// that it loads is no text.
const UNFILLED_PROBABILITY: f32 = 0.1;

/// Cleans a page given as HTML, with the built-in model for bare HTML.
///
/// # Errors
/// [`Error::Limit`] if the page has more blocks than a page may have.
///
/// ```
/// let text = vclean_core::cleaner::clean_html("<body><p>Herring gulls drop mussels on rocks.</p></body>")?.text();
/// assert_eq!(text, "Herring gulls drop mussels on rocks.\n");
/// # Ok::<(), vclean_core::error::Error>(())
/// ```
pub fn clean_html(html: &str) -> Result<Cleaned, Error> {
    static USUAL: LazyLock<Result<PageCleaner, ModelError>> =
        LazyLock::new(|| PageCleaner::new(&Options::default()));
    match &*USUAL {
        Ok(cleaner) => cleaner.clean_page(&Page::from_html("page", html)),
        Err(error) => Err(ModelError::Format(error.to_string()).into()),
    }
}

/// Takes pages from their capture through hidden text, blocks, features, decisions, rules and
/// document; renders nothing. Clones share the models, and threads may share one cleaner.
#[derive(Clone)]
pub struct PageCleaner {
    method: Arc<dyn CleanPage>,
    hidden: HiddenText,
    positions: bool,
}

impl std::fmt::Debug for PageCleaner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PageCleaner")
            .finish_non_exhaustive()
    }
}

impl PageCleaner {
    /// A cleaner by our own method; [`Cleaners`] knows the published ones too.
    ///
    /// # Errors
    /// If there is no such model, or it cannot do what is asked for.
    pub fn new(options: &Options) -> Result<Self, ModelError> {
        Cleaners::new(&[]).cleaner(options)
    }

    /// Cleans with a model in memory, with the rule it was trained with.
    pub fn with_model(model: Model) -> Self {
        Self::with_method(
            Arc::new(ModelCleaner::with_model(model)),
            &Options::default(),
        )
    }

    /// Cleans with a method that is ready.
    pub fn with_method(method: Arc<dyn CleanPage>, options: &Options) -> Self {
        Self {
            method,
            hidden: options.text.hidden,
            positions: options.text.positions,
        }
    }

    /// Cleans a page that was captured, by an engine or by the parser. The capture is changed where
    /// text that readers do not see is to be kept, or all that could be hidden dropped.
    ///
    /// # Errors
    /// If its pictures are damaged, or the method cannot clean it.
    pub fn clean(&self, page: &Page, capture: &mut Capture) -> Result<CleanedPage, Error> {
        match (self.hidden, &mut capture.layout) {
            (HiddenText::Keep, Some(layout)) => layout.show_all(),
            (HiddenText::Drop, Some(layout)) => layout.hide_doubted(),
            _ => {}
        }
        self.clean_prepared(capture, source(page, capture))
    }

    /// Cleans a page whose capture must not change.
    ///
    /// # Errors
    /// As [`Self::clean`].
    pub fn clean_unchanged(&self, page: &Page, capture: &Capture) -> Result<CleanedPage, Error> {
        let changes = capture
            .layout
            .as_ref()
            .is_some_and(|layout| match self.hidden {
                HiddenText::Keep => true,
                HiddenText::Drop => layout.has_doubted(),
                HiddenText::Auto | HiddenText::Report => false,
            });
        if changes {
            return self.clean(page, &mut capture.clone());
        }
        self.clean_prepared(capture, source(page, capture))
    }

    /// Cleans a capture that must not change, of a page that is not at hand; methods that read the
    /// source get it from the tree.
    ///
    /// # Errors
    /// As [`Self::clean`].
    pub fn clean_captured(&self, capture: &Capture) -> Result<CleanedPage, Error> {
        self.clean_unchanged(&Page::from_url(""), capture)
    }

    /// Parses a page, without a browser, and cleans it.
    ///
    /// # Errors
    /// If it is still on the web, is damaged, or the method cannot clean it.
    pub fn clean_bare(&self, page: &Page) -> Result<(Capture, CleanedPage), Error> {
        let mut capture = parse(page)?;
        let cleaned = self.clean(page, &mut capture)?;
        Ok((capture, cleaned))
    }

    fn clean_prepared(
        &self,
        capture: &Capture,
        source: Option<&str>,
    ) -> Result<CleanedPage, Error> {
        if let Some(cause) = refuse_tree(&capture.dom) {
            return Err(SourceError::Unusable(cause).into());
        }
        let mut cleaned = self.clean_doubting(capture, source)?;
        if self.hidden != HiddenText::Drop
            && emptied::may_lie_without_box(capture, &cleaned)
            && let Some(whole) = self.clean_without_layout(capture, source)
        {
            cleaned = whole;
        }
        if is_unfilled(&capture.dom) {
            doubt_all(&mut cleaned);
        }
        if self.positions {
            cleaned.document.locate(capture, &cleaned.targets);
        }
        Ok(cleaned)
    }

    /// Cleans a capture; with its hidden text where hardly any other would be left, unless all
    /// hidden text is dropped.
    fn clean_doubting(
        &self,
        capture: &Capture,
        source: Option<&str>,
    ) -> Result<CleanedPage, Error> {
        let mut cleaned = self.method.clean(&Input::new(capture, source))?;
        if self.hidden != HiddenText::Drop
            && let Some(shown) = shown(capture, &cleaned)
        {
            let mut whole = self.method.clean(&Input::new(&shown, source))?;
            if emptied::is_emptied(capture, &cleaned, &whole) {
                whole.document.hidden = std::mem::take(&mut cleaned.document.hidden);
                whole.document.doubted_blocks = emptied::hidden_blocks(capture, &whole);
                cleaned = whole;
            }
        }
        Ok(cleaned)
    }

    /// A rendered page as bare HTML, if most of what is kept of it then has no box: the text that a
    /// script would show. `None` too where the method cannot decide without layout.
    fn clean_without_layout(&self, capture: &Capture, source: Option<&str>) -> Option<CleanedPage> {
        let record = Record {
            engine: Engine::Parser,
            ..capture.record.clone()
        };
        let bare = Capture::parsed(capture.dom.clone(), record);
        let mut whole = self.clean_doubting(&bare, source).ok()?;
        whole.document.doubted_blocks = emptied::blocks_without_box(capture, &whole);
        (whole.document.doubted_blocks > 0).then_some(whole)
    }

    /// Cleans a page without rendering it: bare HTML, the root document of an MHTML file, or a
    /// stored capture.
    ///
    /// # Errors
    /// If the page is still on the web ([`Error::Source`]), is damaged, or is over a limit.
    pub fn clean_page(&self, page: &Page) -> Result<Cleaned, Error> {
        let (capture, cleaned) = self.clean_bare(page)?;
        Ok(self.finished(cleaned, capture.record.warnings))
    }

    /// Cleans a capture.
    ///
    /// # Errors
    /// If its pictures are damaged, or the model was trained on captures of another engine
    /// ([`Error::Model`]).
    pub fn clean_capture(&self, capture: &Capture) -> Result<Cleaned, Error> {
        let cleaned = self.clean_captured(capture)?;
        Ok(self.finished(cleaned, capture.record.warnings.clone()))
    }

    fn finished(&self, cleaned: CleanedPage, mut warnings: Warnings) -> Cleaned {
        warnings.extend(self.hidden_warnings(&cleaned));
        Cleaned::new(cleaned, warnings, self.hidden)
    }

    /// The model that decides on a capture; `None` for a method without one.
    ///
    /// # Errors
    /// If the model was trained on captures of another engine.
    pub fn model(&self, capture: &Capture) -> Result<Option<&Model>, Error> {
        self.method.model(capture)
    }

    /// A warning if text is kept although it seems hidden, and one for each hidden passage, if they
    /// are to be reported.
    pub fn hidden_warnings(&self, cleaned: &CleanedPage) -> Warnings {
        let document = &cleaned.document;
        let mut warnings = Warnings::new();
        if document.doubted_blocks > 0 && self.hidden != HiddenText::Keep {
            let mut letters: BTreeMap<HiddenCause, usize> = BTreeMap::new();
            for passage in &document.hidden {
                *letters.entry(passage.cause).or_default() += passage.text.len();
            }
            let cause = letters
                .iter()
                .max_by_key(|(_, letters)| **letters)
                .map_or("it is not displayed", |(cause, _)| cause.describe());
            let count = document.doubted_blocks;
            let text = format!(
                "the text of {count} blocks seems hidden ({cause}) and is kept, because hardly any other text would be left; \
                 `hidden` drop leaves it out, `hidden` keep keeps it without this warning"
            );
            warnings.add(WarningKind::HiddenTextKept, text);
        }
        let passages = if self.hidden == HiddenText::Report {
            &document.hidden[..]
        } else {
            &[]
        };
        let warning = |passage: &HiddenPassage| {
            let text = shorten(&passage.text, SHOWN_LETTERS, SHOWN_LETTERS, "...");
            Warning::new(
                WarningKind::HiddenText,
                format!("hidden text ({}): {text}", passage.cause.describe()),
            )
        };
        warnings.extend(passages.iter().map(warning));
        warnings
    }
}

/// The page with its hidden text shown, if there is so much that dropping it, as in `cleaned`,
/// could have emptied the page.
fn shown(capture: &Capture, cleaned: &CleanedPage) -> Option<Capture> {
    if capture.layout.is_none() {
        return emptied::without_curtains(capture, cleaned);
    }
    emptied::hides_much(capture).then(|| {
        let mut shown = capture.clone();
        if let Some(layout) = &mut shown.layout {
            layout.show_all();
        }
        shown
    })
}

/// Lowers the probabilities of a page that its scripts have not filled: its text is not there,
/// whatever the model says of the rest.
fn doubt_all(cleaned: &mut CleanedPage) {
    let reports = cleaned
        .document
        .targets
        .iter_mut()
        .map(|report| &mut report.decision);
    for decision in cleaned.decisions.iter_mut().chain(reports) {
        decision.probability = decision.probability.min(UNFILLED_PROBABILITY);
    }
}

/// The source of a page that was only parsed. Scripts may have changed a rendered page, so that of
/// its tree is used.
fn source<'p>(page: &'p Page, capture: &Capture) -> Option<&'p str> {
    match &page.body {
        Body::Html { html, .. } if capture.layout.is_none() => Some(html.as_str()),
        _ => None,
    }
}

/// Makes cleaners: the only place that chooses a method and a model. Each model is read once, by
/// the first cleaner that needs it, so that a service may ask for a cleaner for every page.
pub struct Cleaners {
    published: &'static [Method],
    reads_files: bool,
    ours: Mutex<BTreeMap<Option<String>, ModelCleaner>>,
    ready: Mutex<BTreeMap<&'static str, Arc<dyn CleanPage>>>,
}

impl Cleaners {
    /// Makes cleaners by our own method and the given ones.
    pub fn new(published: &'static [Method]) -> Self {
        Self {
            published,
            reads_files: true,
            ours: Mutex::default(),
            ready: Mutex::default(),
        }
    }

    /// Refuses models in files: for callers who must not name files.
    #[must_use]
    pub fn without_files(self) -> Self {
        Self {
            reads_files: false,
            ..self
        }
    }

    /// All methods, ours first.
    pub fn methods(&self) -> impl Iterator<Item = &'static Method> + Clone + use<> {
        std::iter::once(&OURS).chain(self.published)
    }

    /// A cleaner for these options.
    ///
    /// # Errors
    /// If there is no such method, model or parameter, or the method does not have an option.
    pub fn cleaner(&self, options: &Options) -> Result<PageCleaner, ModelError> {
        self.check_model(options.model.model.as_deref())?;
        if !self.reads_files && options.model.site_memory.is_some() {
            return Err(ModelError::Setting(
                "`site_memory` names a file, and files are not read here; leave it out".to_owned(),
            ));
        }
        let name = options.method.method.as_deref().unwrap_or(OURS.name);
        let is_ours = name == OURS.name && options.method.parameter.is_empty();
        let method = if is_ours {
            Arc::new(self.ours(options)?)
        } else {
            self.other(name, options)?
        };
        Ok(PageCleaner::with_method(method, options))
    }

    /// Where files must not be read, a model has to be built in.
    fn check_model(&self, model: Option<&str>) -> Result<(), ModelError> {
        let Some(model) = model.filter(|_| !self.reads_files) else {
            return Ok(());
        };
        let names: Vec<&str> = super::BUILT_IN.iter().map(|(name, _)| *name).collect();
        if names.contains(&model) {
            return Ok(());
        }
        Err(ModelError::Setting(format!(
            "there is no model {model}; choose one of {}",
            names.join(", ")
        )))
    }

    /// Takes the model for the captures of its engine from the caller, for builds that have none.
    /// It decides on their pages unless a model is named.
    ///
    /// # Errors
    /// If the bytes are no model.
    pub fn provide(&self, model: &[u8]) -> Result<(), ModelError> {
        let model = Model::from_bytes(model)?;
        self.read(None)?.provide(model.engine, model);
        Ok(())
    }

    fn ours(&self, options: &Options) -> Result<ModelCleaner, ModelError> {
        self.read(options.model.model.as_deref())?
            .with_options(options)
    }

    /// Our method with a model, which is read if no cleaner needed it before.
    fn read(&self, model: Option<&str>) -> Result<ModelCleaner, ModelError> {
        let mut cleaners = self.ours.lock().unwrap_or_else(PoisonError::into_inner);
        let key = model.map(str::to_owned);
        if let Some(cleaner) = cleaners.get(&key) {
            return Ok(cleaner.clone());
        }
        let cleaner = ModelCleaner::new(model)?;
        cleaners.insert(key, cleaner.clone());
        Ok(cleaner)
    }

    fn other(&self, name: &str, options: &Options) -> Result<Arc<dyn CleanPage>, ModelError> {
        let Some(method) = self.methods().find(|method| method.name == name) else {
            let names: Vec<&str> = self.methods().map(|method| method.name).collect();
            return Err(ModelError::Setting(format!(
                "there is no method {name}; choose one of {}",
                names.join(", ")
            )));
        };
        let settings = MethodSettings {
            any_engine: options.model.any_engine,
            ..MethodSettings::parse(options.model.model.clone(), &options.method.parameter)?
        };
        let (model, text) = (&options.model, &options.text);
        if model.targets.is_some()
            || model.min_precision.is_some()
            || model.site_memory.is_some()
            || text.comments != ReaderComments::Drop
            || text.no_tables
            || text.no_title
        {
            return Err(ModelError::Setting(format!(
                "`targets`, `min_precision`, `site_memory`, `comments`, `no_tables` and `no_title` belong to the method {}, not to {name}",
                OURS.name
            )));
        }
        if settings != MethodSettings::default() {
            return Ok(Arc::from(method.ready(&settings)?));
        }
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = ready.get(method.name) {
            return Ok(Arc::clone(found));
        }
        let made: Arc<dyn CleanPage> = Arc::from(method.ready(&settings)?);
        ready.insert(method.name, Arc::clone(&made));
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::{MethodOptions, ModelOptions, TextOptions};
    use super::*;
    use crate::capture::{CssRect, Layout, LineBox, Style, Visibility};
    use crate::classify::{Decision, Label};
    use crate::features::FeatureTable;

    const PAGE: &str =
        "<body><nav><a href='/'>Home</a> <a href='/about'>About us</a></nav><article><h1>Herring gulls</h1>
        <p>Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is.</p></article>";

    fn cleaned(options: &Options) -> Cleaned {
        PageCleaner::new(options)
            .unwrap()
            .clean_page(&Page::from_html("x", PAGE))
            .unwrap()
    }

    #[test]
    fn a_cleaner_is_shared_by_threads() {
        fn is_shared<T: Send + Sync + 'static>() {}
        is_shared::<PageCleaner>();
        is_shared::<Cleaners>();
        is_shared::<Cleaned>();
    }

    #[test]
    fn every_format_and_every_block_of_a_page_is_there() {
        let options = Options {
            text: TextOptions {
                explain: true,
                ..TextOptions::default()
            },
            ..Options::default()
        };
        let cleaned = cleaned(&options);
        assert!(cleaned.text().contains("drop mussels") && cleaned.html().contains("<p>"));
        assert!(
            cleaned.markdown().contains("# Herring gulls"),
            "{}",
            cleaned.markdown()
        );
        assert!(cleaned.json().contains("\"probability\""));
        assert!((0.0..=1.0).contains(&cleaned.expected_f()));
        let blocks: Vec<_> = cleaned.blocks().collect();
        assert_eq!(blocks.len(), cleaned.blocks().len());
        let paragraph = blocks
            .iter()
            .find(|block| block.text.contains("mussels"))
            .unwrap();
        assert!(
            paragraph.is_content && paragraph.kind == Some(crate::clean::SegmentKind::Paragraph)
        );
        assert!(
            !paragraph.reasons.is_empty()
                && paragraph.rect.is_none()
                && paragraph.path.ends_with("/p")
        );
        assert!(
            blocks
                .iter()
                .filter(|block| !block.is_content)
                .all(|block| block.kind.is_none())
        );
    }

    #[test]
    fn the_text_alone_is_the_same_text() {
        let page = PAGE.replace(
            "</article>",
            "<h2>Rocks</h2><ul><li>Limestone breaks a mussel at the first try</ul><table><tr><th>rock<th>drops<tr><td>slate<td>3</table>\
             <pre>drop(mussel)</pre></article><div class=comments><h3>2 comments</h3><p>I saw that too, last summer.</p></div>",
        );
        let page = Page::from_html("x", page);
        for comments in [
            ReaderComments::Drop,
            ReaderComments::Keep,
            ReaderComments::Separate,
            ReaderComments::Only,
        ] {
            let made = |text_only| {
                let text = TextOptions {
                    comments,
                    text_only,
                    ..TextOptions::default()
                };
                PageCleaner::new(&Options {
                    text,
                    ..Options::default()
                })
                .unwrap()
                .clean_page(&page)
                .unwrap()
            };
            let (alone, whole) = (made(true), made(false));
            assert_eq!(
                (alone.text(), alone.comments()),
                (whole.text(), whole.comments()),
                "{comments:?}"
            );
            assert_eq!(
                (alone.expected_f(), alone.kind()),
                (whole.expected_f(), whole.kind())
            );
            assert!(alone.metadata().title.is_none() && alone.blocks().eq(whole.blocks()));
        }
    }

    #[test]
    fn positions_are_in_json_on_request() {
        let json = |positions| {
            let text = TextOptions {
                positions,
                ..TextOptions::default()
            };
            cleaned(&Options {
                text,
                ..Options::default()
            })
            .json()
        };
        let path = "\"xpath\": \"/html[1]/body[1]/article[1]/p[1]/text()[1]\"";
        assert!(
            json(true).contains(path) && !json(false).contains("position"),
            "{}",
            json(true)
        );
    }

    /// Keeps all text.
    struct Everything;

    impl CleanPage for Everything {
        fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
            let targets = crate::target::select(input.capture, crate::target::TargetRule::Blocks);
            let kept = Decision {
                margin: 0.0,
                probability: 1.0,
                label: Label::Content,
                comments: None,
            };
            let decisions = vec![kept; targets.len()];
            let document = crate::clean::prune(input.capture, &targets, &decisions, Vec::new());
            Ok(CleanedPage {
                table: FeatureTable::without_columns(targets.len()),
                targets,
                decisions,
                document,
            })
        }
    }

    const COVERED: Option<Visibility> = Some(Visibility::Hidden(HiddenCause::Covered));

    /// A page of paragraphs with so many letters, some of them not plainly shown, cleaned by
    /// [`Everything`].
    fn cleaned_of(hidden: HiddenText, paragraphs: &[(&str, usize, Option<Visibility>)]) -> Cleaned {
        let paragraph = |(word, letters, _): &(&str, usize, _)| {
            format!("<p>{word}{}</p>", "x".repeat(*letters))
        };
        let html = paragraphs
            .iter()
            .map(paragraph)
            .collect::<Vec<_>>()
            .concat();
        let mut capture = parse(&Page::from_html("x", &html)).unwrap();
        let dom = &capture.dom;
        let mut layout = Layout::new(dom.len(), 1000.0, 1000.0);
        let texts: Vec<_> = dom.ids().filter(|&id| dom.text(id).is_some()).collect();
        for &text in &texts {
            let rect = CssRect {
                x: 0.0,
                y: text.index() as f32 * 30.0,
                width: 900.0,
                height: 20.0,
            };
            layout.set(
                text,
                rect,
                &Style::default(),
                0,
                &[LineBox {
                    rect,
                    start: 0,
                    length: 9,
                }],
            );
        }
        let found = texts
            .iter()
            .zip(paragraphs)
            .filter_map(|(&text, (_, _, found))| Some((text, (*found)?)));
        layout.set_visibility(found);
        capture.layout = Some(layout);
        let options = Options {
            text: TextOptions {
                hidden,
                ..TextOptions::default()
            },
            ..Options::default()
        };
        PageCleaner::with_method(Arc::new(Everything), &options)
            .clean_capture(&capture)
            .unwrap()
    }

    #[test]
    fn a_page_is_not_emptied_by_what_seems_to_cover_it() {
        let page = [
            ("menu", 10, None),
            ("story", 900, COVERED),
            ("more", 500, COVERED),
        ];
        let broken = cleaned_of(HiddenText::Auto, &page);
        assert!(broken.text().contains("story") && broken.text().contains("menu"));
        assert!(
            broken.json().contains("\"doubted_blocks\": 2"),
            "{}",
            broken.json()
        );
        let [warning] = broken.warnings() else {
            panic!("{:?}", broken.warnings())
        };
        assert!(
            warning.contains("2 blocks seems hidden (covered)")
                && warning.contains("`hidden` drop"),
            "{warning}"
        );
        assert_eq!(broken.hidden().len(), 2);
        assert_eq!(cleaned_of(HiddenText::Report, &page).warnings().len(), 3);
        let dropped = cleaned_of(HiddenText::Drop, &page);
        assert!(!dropped.text().contains("story") && dropped.warnings().is_empty());
        assert!(!dropped.json().contains("doubted_blocks"));
        assert_eq!(cleaned_of(HiddenText::Keep, &page).warnings().len(), 0);
    }

    #[test]
    fn text_without_a_box_is_kept_where_the_page_has_no_other() {
        let page = |shown: usize, hidden: HiddenText| {
            let html = format!(
                "<p>{}</p><div class=later><p>{}</p></div>",
                "menu ".repeat(shown),
                "story ".repeat(200)
            );
            let mut capture = Capture::parsed(
                crate::html::parse_html(&html),
                crate::capture::Record::parsed("x", None),
            );
            let mut layout = Layout::new(capture.dom.len(), 1000.0, 1000.0);
            let dom = &capture.dom;
            let menu = dom
                .ids()
                .find(|&id| dom.text(id).is_some_and(|text| text.contains("menu")))
                .unwrap();
            let rect = CssRect {
                x: 0.0,
                y: 0.0,
                width: 900.0,
                height: 20.0,
            };
            layout.set(
                menu,
                rect,
                &Style::default(),
                0,
                &[LineBox {
                    rect,
                    start: 0,
                    length: 9,
                }],
            );
            layout.set_visibility([]);
            capture.layout = Some(layout);
            let options = Options {
                text: TextOptions {
                    hidden,
                    ..TextOptions::default()
                },
                ..Options::default()
            };
            PageCleaner::with_method(Arc::new(Everything), &options)
                .clean_capture(&capture)
                .unwrap()
        };
        let broken = page(2, HiddenText::Auto);
        assert!(broken.text().contains("story"), "{}", broken.text());
        let [warning] = broken.warnings() else {
            panic!("{:?}", broken.warnings())
        };
        assert!(
            warning.contains("1 blocks seems hidden (it is not displayed)"),
            "{warning}"
        );
        assert!(!page(2, HiddenText::Drop).text().contains("story"));
        let kept = page(2, HiddenText::Keep);
        assert!(kept.text().contains("story") && kept.warnings().is_empty());
        assert!(
            !page(100, HiddenText::Auto).text().contains("story"),
            "the page has a text of its own"
        );
    }

    #[test]
    fn what_markup_hides_is_kept_where_the_page_has_no_other_text() {
        let page = |own: &str, story: &str, hidden: HiddenText| {
            let html = format!(
                "<p>{own}</p><main {story}><p>{}</p></main><dialog><p>{0}</p></dialog>",
                "story ".repeat(200)
            );
            let options = Options {
                text: TextOptions {
                    hidden,
                    ..TextOptions::default()
                },
                ..Options::default()
            };
            let cleaner = PageCleaner::with_method(Arc::new(Everything), &options);
            cleaner.clean_page(&Page::from_html("x", html)).unwrap()
        };
        for story in [
            "hidden",
            "style='visibility: hidden'",
            "class=a style='display:none'",
        ] {
            let broken = page("menu", story, HiddenText::Auto);
            assert_eq!(
                broken.text().matches("story").count(),
                200,
                "the dialog is closed"
            );
            assert!(broken.text().contains("menu"));
            let [warning] = broken.warnings() else {
                panic!("{:?}", broken.warnings())
            };
            assert!(
                warning.contains("1 blocks seems hidden (it is not displayed)"),
                "{warning}"
            );
            let kept = page("menu", story, HiddenText::Keep);
            assert!(kept.text().contains("story") && kept.warnings().is_empty());
            assert!(
                !page("menu", story, HiddenText::Drop)
                    .text()
                    .contains("story")
            );
            let own = page(&"own ".repeat(100), story, HiddenText::Auto);
            assert!(!own.text().contains("story") && own.warnings().is_empty());
        }
    }

    #[test]
    fn text_of_a_page_without_its_styles_is_kept_unless_all_that_could_be_hidden_is_dropped() {
        let page = [
            ("menu", 10, None),
            (
                "story",
                90,
                Some(Visibility::Doubted(HiddenCause::SameColor)),
            ),
        ];
        for (hidden, is_kept) in [
            (HiddenText::Auto, true),
            (HiddenText::Report, true),
            (HiddenText::Keep, true),
            (HiddenText::Drop, false),
        ] {
            let cleaned = cleaned_of(hidden, &page);
            assert_eq!(
                (cleaned.text().contains("story"), cleaned.warnings().len()),
                (is_kept, 0),
                "{hidden:?}"
            );
        }
    }

    #[test]
    fn long_hidden_text_beside_an_article_is_an_attack() {
        let page = [
            ("story", 200, None),
            ("more", 200, None),
            ("obey", 90_000, COVERED),
        ];
        let cleaned = cleaned_of(HiddenText::Auto, &page);
        assert!(cleaned.text().contains("more") && !cleaned.text().contains("obey"));
        assert!(cleaned.warnings().is_empty());
        // Little text is dropped without a doubt.
        assert!(
            !cleaned_of(
                HiddenText::Auto,
                &[("story", 50, None), ("obey", 100, COVERED)]
            )
            .text()
            .contains("obey")
        );
    }

    #[test]
    fn little_is_expected_of_a_page_that_its_scripts_have_not_filled() {
        let expected = |script: &str| {
            let html = format!("<div id=app><p>Loading the page, please wait</p></div>{script}");
            let capture = parse(&Page::from_html("x", &html)).unwrap();
            let cleaner = PageCleaner::with_method(Arc::new(Everything), &Options::default());
            let cleaned = cleaner.clean_capture(&capture).unwrap();
            assert!(cleaned.text().contains("Loading"));
            cleaned.expected_f()
        };
        assert!(expected("<script src=app.js></script>") < 0.2 && expected("") > 0.9);
    }

    #[test]
    fn a_page_on_the_web_has_to_be_rendered() {
        let error = PageCleaner::new(&Options::default())
            .unwrap()
            .clean_page(&Page::from_url("https://a.example/"));
        let error = error.unwrap_err();
        assert!(
            matches!(error, Error::Source(_)) && error.to_string().contains("render-and-clean"),
            "{error}"
        );
    }

    #[test]
    fn methods_models_and_parameters_are_checked() {
        let cause = |options: Options| PageCleaner::new(&options).unwrap_err().to_string();
        let method = |name: &str| MethodOptions {
            method: Some(name.to_owned()),
            ..MethodOptions::default()
        };
        let named = |name: &str| Options {
            method: method(name),
            ..Options::default()
        };
        assert_eq!(
            cause(named("magic")),
            "there is no method magic; choose one of vclean"
        );
        let parameter = MethodOptions {
            parameter: vec!["depth=2".to_owned()],
            ..MethodOptions::default()
        };
        assert!(
            cause(Options {
                method: parameter,
                ..Options::default()
            })
            .contains("has no parameter depth")
        );
        let model = ModelOptions {
            model: Some("nowhere".to_owned()),
            ..ModelOptions::default()
        };
        assert!(
            cause(Options {
                model,
                ..Options::default()
            })
            .contains("nowhere")
        );
    }

    #[test]
    fn where_files_are_not_read_a_model_is_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.model");
        super::super::load("static").unwrap().save(&file).unwrap();
        let cleaners = Cleaners::new(&[]).without_files();
        let made = |model: &str| {
            let model = ModelOptions {
                model: Some(model.to_owned()),
                ..ModelOptions::default()
            };
            cleaners.cleaner(&Options {
                model,
                ..Options::default()
            })
        };
        let refused = made(&file.to_string_lossy()).unwrap_err().to_string();
        assert!(
            refused.contains("there is no model") && refused.contains("static"),
            "{refused}"
        );
        assert!(made("static").is_ok());
    }
}
