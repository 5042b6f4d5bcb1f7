//! A cleaner: its three entry points, and its warnings about hidden text.

use super::chosen_parts::ChosenParts;
use super::cleaned_page::CleanedPage;
use super::method::{CleanPage, Input};
use super::models::Models;
use super::options::{HiddenText, Options};
use super::stop::StopRequest;
use super::way::{self, Setup};
use crate::capture::{Capture, HiddenCause};
use crate::classify::{Model, SiteMemory};
use crate::document::{Document, HiddenPassage, all_hidden_passages};
use crate::emit::{Format, find};
use crate::error::{Error, ModelError, SourceError, Warning, WarningKind, Warnings};
use crate::page::{Body, Page, parse, refuse_tree};
use crate::target::{self, TargetRule};
use crate::text::shorten;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use url::Url;

/// Number of letters of a hidden passage that a warning quotes. Heuristic: two or three sentences.
const SHOWN_LETTERS: usize = 300;

/// Share of the expected text below which a minimum precision leaves out much. Heuristic.
const SMALL_PART: f64 = 0.5;

/// Cleans a page given as HTML, with the built-in model for bare HTML. Links are resolved against
/// `url`, the address of the page.
///
/// # Errors
/// [`Error::Limit`] if the page has too many blocks.
///
/// ```
/// let html = "<body><p>Herring gulls drop mussels on rocks.</p></body>";
/// let text = vclean_core::pipeline::extract(html, None)?.text();
/// assert_eq!(text, "Herring gulls drop mussels on rocks.\n");
/// # Ok::<(), vclean_core::error::Error>(())
/// ```
pub fn extract(html: &str, url: Option<&str>) -> Result<CleanedPage, Error> {
    static USUAL: LazyLock<Result<PageCleaner, ModelError>> =
        LazyLock::new(|| PageCleaner::new(&Options::default()));
    match &*USUAL {
        Ok(cleaner) => cleaner.clean(&Page {
            url: url.map(str::to_owned),
            ..Page::from_html("page", html)
        }),
        Err(error) => Err(ModelError::Format(error.to_string()).into()),
    }
}

/// Cleans pages, but does not render them. Clones share the models, and threads may share a
/// cleaner.
#[derive(Clone)]
pub struct PageCleaner {
    options: Options,
    method: Arc<Chosen>,
    stop: StopRequest,
}

enum Chosen {
    Ours {
        models: Arc<Models>,
        /// Knowledge about sites, if the options name a file.
        sites: Option<SiteMemory>,
        /// Parts of pages that the options choose.
        parts: ChosenParts,
    },
    Published(Arc<dyn CleanPage>),
}

impl std::fmt::Debug for PageCleaner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PageCleaner")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl PageCleaner {
    /// Cleans with a model in memory, using the target rule of its training.
    pub fn with_model(model: Model) -> Self {
        let models = Arc::new(Models::Named(Box::new(model)));
        let method = Arc::new(Chosen::Ours {
            models,
            sites: None,
            parts: ChosenParts::default(),
        });
        Self {
            options: Options::default(),
            method,
            stop: StopRequest::default(),
        }
    }

    /// Cleans with a published method that is ready for use.
    pub fn with_method(method: Arc<dyn CleanPage>, options: &Options) -> Self {
        Self {
            options: options.clone(),
            method: Arc::new(Chosen::Published(method)),
            stop: StopRequest::default(),
        }
    }

    /// Cleans with these models.
    ///
    /// # Errors
    /// If the models cannot guarantee the requested precision, or do not distinguish comments
    /// although they are to be kept.
    pub(super) fn with_models(models: Arc<Models>, options: &Options) -> Result<Self, ModelError> {
        models.check(options)?;
        let sites = options
            .site_memory
            .as_ref()
            .map(|file| SiteMemory::load(Path::new(file)))
            .transpose()?;
        if sites.is_some() && options.min_precision.is_some() {
            let cause = "`site_memory` changes decisions after the model, so that `min_precision` would not hold; leave one out";
            return Err(ModelError::Setting(cause.to_owned()));
        }
        let parts = ChosenParts::new(options)?;
        let method = Chosen::Ours {
            models,
            sites,
            parts,
        };
        Ok(Self {
            options: options.clone(),
            method: Arc::new(method),
            stop: StopRequest::default(),
        })
    }

    /// Lets a request stop the cleaning of a page, which then fails with [`Error::Stopped`].
    #[must_use]
    pub fn stopped_by(self, stop: StopRequest) -> Self {
        Self { stop, ..self }
    }

    /// Cleans a page without rendering it: bare HTML, the root document of an MHTML file, or a
    /// stored capture.
    ///
    /// # Errors
    /// If the page is still on the web ([`Error::Source`]), is damaged, or is over a limit.
    pub fn clean(&self, page: &Page) -> Result<CleanedPage, Error> {
        let capture = parse(page)?;
        self.stop.check()?;
        let mut cleaned = self.clean_with_source(&capture, source(page))?;
        cleaned
            .warnings
            .extend(page.url.as_deref().and_then(address_warning));
        Ok(cleaned)
    }

    /// Cleans a page that was captured by an engine or by the parser.
    ///
    /// # Errors
    /// If its pictures are damaged, or the model was trained on captures of another engine
    /// ([`Error::Model`]).
    pub fn clean_capture(&self, capture: &Capture) -> Result<CleanedPage, Error> {
        self.clean_with_source(capture, None)
    }

    /// Cleans a capture together with its page. Published methods that read the source then get it
    /// as published, not written from the tree, if the page was only parsed.
    ///
    /// # Errors
    /// Same as for [`Self::clean_capture`].
    pub fn clean_capture_of(&self, page: &Page, capture: &Capture) -> Result<CleanedPage, Error> {
        // Scripts may have changed a rendered page, so its source is not used.
        let source = source(page).filter(|_| capture.layout.is_none());
        self.clean_with_source(capture, source)
    }

    fn clean_with_source(
        &self,
        capture: &Capture,
        source: Option<&str>,
    ) -> Result<CleanedPage, Error> {
        if let Some(cause) = refuse_tree(&capture.dom) {
            return Err(SourceError::Unusable(cause).into());
        }
        let mut chosen_warning = None;
        let mut cleaned = match &*self.method {
            Chosen::Ours {
                models,
                sites,
                parts,
            } => {
                let (options, sites) = (&self.options, sites.as_ref());
                let setup = Setup {
                    models,
                    options,
                    sites,
                    parts,
                    stop: &self.stop,
                };
                chosen_warning = parts.warning(capture);
                way::clean(capture, setup)?
            }
            Chosen::Published(method) => {
                let capture = way::visible(capture, self.options.hidden);
                method.clean(&Input::new(&capture, source))?
            }
        };
        let document = &mut cleaned.document;
        // Chunks say where they are on the page.
        let format = self.options.format.as_deref().and_then(find);
        if self.options.positions || format.is_some_and(Format::is_lines) {
            document.locate(capture, &cleaned.targets);
        }
        cleaned.reports_hidden = self.options.hidden == HiddenText::Report;
        if cleaned.reports_hidden {
            let targets = target::select_with_hidden(capture, TargetRule::Blocks);
            document.hidden = all_hidden_passages(capture, &targets);
        }
        cleaned.warnings = capture.record.warnings.clone();
        cleaned.warnings.extend(chosen_warning);
        cleaned
            .warnings
            .extend(hidden_warnings(document, self.options.hidden));
        let precision_warning = |least| precision_warning(document, least);
        cleaned
            .warnings
            .extend(self.options.min_precision.and_then(precision_warning));
        if let Some(source) = document.metadata.sources.get("text") {
            let text = format!(
                "the page shows no text without its scripts; its text is taken from the data for them ({source}), as a last \
                 resort: render it with `engine` chromium"
            );
            cleaned.warnings.add(WarningKind::NeedsScripts, text);
        }
        Ok(cleaned)
    }

    /// The model that decides on a capture; `None` for a method without one.
    ///
    /// # Errors
    /// If the model was trained on captures of another engine.
    pub fn model(&self, capture: &Capture) -> Result<Option<&Model>, Error> {
        match &*self.method {
            Chosen::Ours { models, .. } => models.model(capture, &self.options).map(Some),
            Chosen::Published(method) => method.model(capture),
        }
    }
}

/// The source text of a page given as HTML.
fn source(page: &Page) -> Option<&str> {
    match &page.body {
        Body::Html { html, .. } => Some(html.as_str()),
        _ => None,
    }
}

/// Returns a warning if the address that the caller gave for a page is not absolute.
fn address_warning(url: &str) -> Option<Warning> {
    Url::parse(url).is_err().then(|| {
        let text = format!(
            "`url` {url} is not an absolute address, so links cannot be resolved against it; give \
             one such as https://example.org/page"
        );
        Warning::new(WarningKind::Other, text)
    })
}

/// Returns a warning if a minimum precision leaves out more of the expected text than it keeps.
fn precision_warning(document: &Document, least: f32) -> Option<Warning> {
    let (kept, expected) = document.kept_and_expected_letters();
    (kept < SMALL_PART * expected).then(|| {
        let text = format!(
            "`min_precision` {least} keeps about {:.0} % of the text that is expected on this page; lower it or leave it out",
            100.0 * kept / expected
        );
        Warning::new(WarningKind::MuchLeftOut, text)
    })
}

/// Returns a warning if text was kept although it seems hidden, and one for each hidden passage if
/// the options ask for a report.
fn hidden_warnings(document: &Document, hidden: HiddenText) -> Warnings {
    let mut warnings = Warnings::new();
    if document.doubted_blocks > 0 && hidden != HiddenText::Keep {
        let mut letters: BTreeMap<HiddenCause, usize> = BTreeMap::new();
        for passage in &document.hidden {
            *letters.entry(passage.cause).or_default() += passage.text.len();
        }
        let cause = letters
            .iter()
            .max_by_key(|(_, letters)| **letters)
            .map_or(HiddenCause::NotDisplayed, |(cause, _)| *cause);
        let text = format!(
            "the text of {} seems hidden ({}) and is kept, because hardly any other text would be left; \
             `hidden` drop leaves it out, `hidden` keep keeps it without this warning",
            match document.doubted_blocks {
                1 => "one block".to_owned(),
                blocks => format!("{blocks} blocks"),
            },
            cause.describe()
        );
        warnings.add(WarningKind::HiddenTextKept, text);
    }
    let (kept, _) = document.kept_and_expected_letters();
    if hidden != HiddenText::Drop && document.hidden_letters as f64 > kept {
        let text = format!(
            "{} letters of running text are not displayed, more than the {kept} that are kept; `hidden` keep keeps those that \
             are content; if scripts show them later, wait for it (`wait_for`)",
            document.hidden_letters
        );
        warnings.add(WarningKind::MuchLeftOut, text);
    }
    if hidden == HiddenText::Report {
        let warning = |passage: &HiddenPassage| {
            let text = shorten(&passage.text, SHOWN_LETTERS, SHOWN_LETTERS, "...");
            Warning::new(
                WarningKind::HiddenText,
                format!("hidden text ({}): {text}", passage.cause.describe()),
            )
        };
        warnings.extend(document.hidden.iter().map(warning));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::super::Cleaners;
    use super::*;
    use crate::capture::{CssRect, Layout, LineBox, Style, Visibility};
    use crate::document::ReaderComments;

    const PAGE: &str =
        "<body><nav><a href='/'>Home</a> <a href='/about'>About us</a></nav><article><h1>Herring gulls</h1>
        <p>Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is.</p></article>";

    fn cleaned(options: &Options) -> CleanedPage {
        PageCleaner::new(options)
            .unwrap()
            .clean(&Page::from_html("x", PAGE))
            .unwrap()
    }

    #[test]
    fn a_cleaner_is_shared_by_threads() {
        fn is_shared<T: Send + Sync + 'static>() {}
        is_shared::<PageCleaner>();
        is_shared::<Cleaners>();
        is_shared::<CleanedPage>();
    }

    #[test]
    fn every_format_and_every_block_of_a_page_is_there() {
        let options = Options {
            explain: true,
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
            paragraph.is_content && paragraph.kind == Some(crate::document::SegmentKind::Paragraph)
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
                PageCleaner::new(&Options {
                    comments,
                    text_only,
                    ..Options::default()
                })
                .unwrap()
                .clean(&page)
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
            cleaned(&Options {
                positions,
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

    /// A cleaner that keeps all text.
    fn keep_all(hidden: HiddenText) -> PageCleaner {
        let mut model = super::super::load("static").unwrap();
        model.platt.offset = -1000.0;
        let options = Options {
            hidden,
            ..Options::default()
        };
        PageCleaner::with_models(Arc::new(Models::Named(Box::new(model))), &options).unwrap()
    }

    const COVERED: Option<Visibility> = Some(Visibility::Hidden(HiddenCause::Covered));

    /// Cleans, with [`keep_all`], a page of paragraphs with the given numbers of letters, some of
    /// them not plainly visible.
    fn cleaned_of(
        hidden: HiddenText,
        paragraphs: &[(&str, usize, Option<Visibility>)],
    ) -> CleanedPage {
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
        keep_all(hidden).clean_capture(&capture).unwrap()
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
            keep_all(hidden).clean_capture(&capture).unwrap()
        };
        let broken = page(2, HiddenText::Auto);
        assert!(broken.text().contains("story"), "{}", broken.text());
        let [warning] = broken.warnings() else {
            panic!("{:?}", broken.warnings())
        };
        assert!(
            warning.contains("one block seems hidden (not displayed)"),
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
    fn a_closed_menu_is_not_the_text_of_a_page() {
        let mut page = vec![("links", 10, None)];
        page.extend([("item", 20, COVERED); 80]);
        assert!(!cleaned_of(HiddenText::Auto, &page).text().contains("item"));
        page.push(("story", 3000, COVERED));
        assert!(cleaned_of(HiddenText::Auto, &page).text().contains("story"));
    }

    #[test]
    fn what_markup_hides_is_kept_where_the_page_has_no_other_text() {
        let page = |own: &str, story: &str, hidden: HiddenText| {
            let html = format!(
                "<p>{own}</p><main {story}><p>{}</p></main><dialog><p>{0}</p></dialog>",
                "story ".repeat(200)
            );
            let cleaner = keep_all(hidden);
            cleaner.clean(&Page::from_html("x", html)).unwrap()
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
                warning.contains("one block seems hidden (not displayed)"),
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
            assert!(!own.text().contains("story"));
            assert!(own.warnings()[0].contains("are not displayed, more than the"));
        }
    }

    #[test]
    fn hidden_text_beside_other_text_is_kept_or_listed_on_request() {
        let own = "own ".repeat(100);
        for hiding in [
            "hidden",
            "style='visibility: hidden'",
            "style='display:none'",
            "class=sr-only",
        ] {
            for story in ["a short story", &"story ".repeat(100)] {
                let html = format!("<h1>Gulls</h1><p>{own}</p><p {hiding}>{story}</p><p>{own}");
                let page = Page::from_html("x", html);
                let cleaned = |hidden| keep_all(hidden).clean(&page).unwrap();
                let (drop, kept) = (cleaned(HiddenText::Drop), cleaned(HiddenText::Keep));
                assert!(!drop.text().contains("story") && drop.warnings().is_empty());
                assert!(
                    kept.text().contains("story") && kept.warnings().is_empty(),
                    "{hiding}"
                );
                let reported = cleaned(HiddenText::Report);
                assert!(!reported.text().contains("story"));
                let Some(warning) = reported.warnings().last() else {
                    panic!("{hiding}: no warning")
                };
                assert!(
                    warning.starts_with("hidden text (not displayed): "),
                    "{warning}"
                );
                assert!(reported.hidden()[0].path.ends_with("/p"));
            }
        }
    }

    #[test]
    fn more_hidden_text_than_kept_text_is_told() {
        let page = |letters: usize, hidden: HiddenText| {
            let html = format!(
                "<h1>Gulls</h1><p>{}</p><div hidden><p>{}</p></div>",
                "own ".repeat(110),
                "story ".repeat(letters / 5)
            );
            let cleaned = keep_all(hidden).clean(&Page::from_html("x", html));
            cleaned.unwrap().warnings().len()
        };
        assert_eq!(
            (page(250, HiddenText::Auto), page(500, HiddenText::Auto)),
            (0, 1)
        );
        assert_eq!(
            (page(500, HiddenText::Drop), page(500, HiddenText::Keep)),
            (0, 0)
        );
    }

    #[test]
    fn a_stopped_page_is_an_error() {
        let stop = StopRequest::default();
        let cleaner = PageCleaner::new(&Options::default())
            .unwrap()
            .stopped_by(stop.clone());
        let page = Page::from_html("x", PAGE);
        assert!(cleaner.clean(&page).is_ok());
        let (ended, other) = (stop.for_part(), stop.for_part());
        ended.set();
        let is_ended = |stop: &StopRequest| {
            let cleaner = cleaner.clone().stopped_by(stop.clone());
            matches!(cleaner.clean(&page), Err(Error::Stopped))
        };
        assert_eq!([&ended, &other, &stop].map(is_ended), [true, false, false]);
        stop.set();
        assert!(is_ended(&other) && matches!(cleaner.clean(&page), Err(Error::Stopped)));
    }

    #[test]
    fn an_address_that_resolves_no_links_is_told() {
        let warned = |url: &str| {
            let page = Page {
                url: Some(url.to_owned()),
                ..Page::from_html("x", PAGE)
            };
            let cleaned = keep_all(HiddenText::Auto).clean(&page).unwrap();
            cleaned.warnings().iter().any(|told| told.contains(url))
        };
        assert!(warned("example.org/gulls") && !warned("https://example.org/gulls"));
    }

    #[test]
    fn a_precision_that_leaves_out_much_is_told() {
        let warnings = |min_precision| {
            let cleaned = cleaned(&Options {
                min_precision,
                ..Options::default()
            });
            cleaned
                .warnings()
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(warnings(None), [""; 0]);
        let strict = warnings(Some(0.99));
        assert!(
            strict[0].starts_with("`min_precision` 0.99 keeps about 0 %"),
            "{strict:?}"
        );
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
        // A little hidden text is dropped even if it is most of the page.
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
            let html = format!(
                "<div id=app><p>Herring gulls drop mussels on rocks, all day long.</p></div>{script}"
            );
            let capture = parse(&Page::from_html("x", &html)).unwrap();
            let cleaner = keep_all(HiddenText::Auto);
            let cleaned = cleaner.clean_capture(&capture).unwrap();
            assert!(cleaned.text().contains("mussels"));
            cleaned.expected_f()
        };
        assert!(expected("<script src=app.js></script>") < 0.2 && expected("") > 0.5);
    }

    #[test]
    fn a_page_on_the_web_has_to_be_rendered() {
        let error = PageCleaner::new(&Options::default())
            .unwrap()
            .clean(&Page::from_url("https://a.example/"));
        let error = error.unwrap_err();
        assert!(
            matches!(error, Error::Source(_)) && error.to_string().contains("render-and-clean"),
            "{error}"
        );
    }

    #[test]
    fn methods_models_and_parameters_are_checked() {
        let cause = |options: Options| PageCleaner::new(&options).unwrap_err().to_string();
        assert_eq!(
            cause(Options::with_method("magic")),
            "there is no method magic; choose one of vclean"
        );
        assert!(
            cause(Options {
                parameter: vec!["depth=2".to_owned()],
                ..Options::default()
            })
            .contains("has no parameter depth")
        );
        assert!(cause(Options::with_model("nowhere")).contains("nowhere"));
    }

    #[test]
    fn where_files_are_not_read_a_model_is_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.model");
        super::super::load("static").unwrap().save(&file).unwrap();
        let cleaners = Cleaners::new(&[]).without_files();
        let made = |model: &str| cleaners.cleaner(&Options::with_model(model));
        let refused = made(&file.to_string_lossy()).unwrap_err().to_string();
        assert!(
            refused.contains("there is no model") && refused.contains("static"),
            "{refused}"
        );
        assert!(made("static").is_ok());
    }
}
