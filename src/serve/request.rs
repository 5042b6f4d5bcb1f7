//! A page to be cleaned, as requests describe it, and what becomes of it after its checks.

use super::methods::{Methods, SharedMethod, Wanted};
use super::problem::Problem;
use crate::clean::ReaderComments;
use crate::cleaner::HiddenText;
use crate::emit::{self, EmitOptions, FORMATS, Format};
use crate::page::{Page, open_bytes};
use crate::render::{EngineChoice, address};
use crate::source::Document;
use axum::http::StatusCode;
use bytes::Bytes;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// A page to be cleaned, and what is wanted of it. One of `html`, `base64` and `url` is needed; `url` beside `html` or
/// `base64` is the address that the content came from, and nothing is fetched.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CleanRequest {
    /// Any value of at most 64 KB; it is returned unchanged.
    pub(super) id: Option<Value>,
    /// The source text of the page.
    pub(super) html: Option<String>,
    /// The bytes of an HTML or MHTML file; the encoding of the text is detected.
    pub(super) base64: Option<String>,
    /// The encoding of those bytes, if it is known.
    pub(super) charset: Option<String>,
    /// The page as it was sent, not in JSON.
    #[serde(skip)]
    pub(super) bytes: Option<Bytes>,
    /// The http or https address of the page.
    pub(super) url: Option<String>,
    /// Formats of the output: text (the default), cleaneval, markdown, html, json, xml, tei, vertical, conllu, csv.
    pub(super) formats: Vec<String>,
    /// One more format, for requests that need only one.
    pub(super) format: Option<String>,
    /// How the page is rendered before it is cleaned: none, builtin, chromium or auto. The default is that of the
    /// service, and without one: auto for addresses, none for content.
    pub(super) engine: Option<String>,
    /// The cleaning method; the default is vclean.
    pub(super) method: Option<String>,
    /// The name of a built-in model.
    pub(super) model: Option<String>,
    /// Keep only so many blocks that at least this share of them is content, above 0, up to 1.
    pub(super) min_precision: Option<f32>,
    /// What becomes of readers' comments: drop (the default), keep, separate, or only (the comments without the text).
    pub(super) comments: Option<String>,
    /// What becomes of text that readers do not see: drop (the default), keep or report.
    pub(super) hidden: Option<String>,
    /// Whether markdown, xml and tei keep the links.
    pub(super) links: bool,
    /// Whether markdown, html and tei leave the headline out where the kept text does not begin with it.
    pub(super) no_title: bool,
    /// Whether markdown, json, xml and tei show the pictures between the texts; html always does.
    pub(super) images: bool,
    /// Whether markdown begins with the metadata as front matter in YAML, and the head of html holds them.
    pub(super) with_metadata: bool,
    /// Whether json says where the text comes from: XPath, range of characters and box of each piece.
    pub(super) positions: bool,
    /// Whether the blocks of the page are returned, kept or not.
    pub(super) blocks: bool,
    /// Whether each block has the features with the largest influence; implies `blocks`.
    pub(super) explain: bool,
    /// Whether a picture of the page is returned, PNG in base64; the page must be rendered.
    pub(super) screenshot: bool,
    /// Whether a picture with the decisions is returned: kept blocks green, dropped ones red.
    pub(super) overlay: bool,
    /// Time limit for the page in ms; at most that of the service.
    pub(super) timeout_ms: Option<u64>,
}

/// What is wanted of the page in the body of a request, or at an address. Written out, because fields that are shared by
/// flattening accept unknown names, and in a query string no numbers.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CleanQuery {
    /// The http or https address of the page.
    pub(super) url: Option<String>,
    /// Formats of the output, with commas between them: text (the default), cleaneval, markdown, html, json, xml, tei,
    /// vertical, conllu, csv.
    pub(super) formats: Option<String>,
    /// How the page is rendered before it is cleaned: none, builtin, chromium or auto.
    pub(super) engine: Option<String>,
    /// The cleaning method; the default is vclean.
    pub(super) method: Option<String>,
    /// The name of a built-in model.
    pub(super) model: Option<String>,
    /// Keep only so many blocks that at least this share of them is content, above 0, up to 1.
    pub(super) min_precision: Option<f32>,
    /// What becomes of readers' comments: drop (the default), keep, separate, or only (the comments without the text).
    pub(super) comments: Option<String>,
    /// What becomes of text that readers do not see: drop (the default), keep or report.
    pub(super) hidden: Option<String>,
    /// Whether markdown, xml and tei keep the links.
    pub(super) links: bool,
    /// Whether markdown, html and tei leave the headline out where the kept text does not begin with it.
    pub(super) no_title: bool,
    /// Whether markdown, json, xml and tei show the pictures between the texts; html always does.
    pub(super) images: bool,
    /// Whether markdown begins with the metadata as front matter in YAML, and the head of html holds them.
    pub(super) with_metadata: bool,
    /// Whether json says where the text comes from: XPath, range of characters and box of each piece.
    pub(super) positions: bool,
    /// Whether the blocks of the page are returned, kept or not.
    pub(super) blocks: bool,
    /// Whether each block has the features with the largest influence; implies `blocks`.
    pub(super) explain: bool,
    /// Whether a picture of the page is returned; the page must be rendered.
    pub(super) screenshot: bool,
    /// Whether a picture with the decisions is returned; the page must be rendered.
    pub(super) overlay: bool,
    /// Time limit for the page in ms; at most that of the service.
    pub(super) timeout_ms: Option<u64>,
}

impl From<CleanQuery> for CleanRequest {
    fn from(query: CleanQuery) -> Self {
        let formats = query.formats.iter().flat_map(|formats| formats.split(','));
        Self {
            id: None,
            html: None,
            base64: None,
            charset: None,
            bytes: None,
            url: query.url,
            formats: formats.clone().map(|name| name.trim().to_owned()).collect(),
            format: None,
            engine: query.engine,
            method: query.method,
            model: query.model,
            min_precision: query.min_precision,
            comments: query.comments,
            hidden: query.hidden,
            links: query.links,
            no_title: query.no_title,
            images: query.images,
            with_metadata: query.with_metadata,
            positions: query.positions,
            blocks: query.blocks,
            explain: query.explain,
            screenshot: query.screenshot,
            overlay: query.overlay,
            timeout_ms: query.timeout_ms,
        }
    }
}

/// How a page is rendered before it is cleaned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Not at all: it is parsed, and the document at an address is fetched for it.
    None,
    /// By this engine.
    Rendered(EngineChoice),
}

impl Engine {
    /// All of them, by name.
    pub const ALL: &[(&str, Self)] = &[
        ("none", Self::None),
        ("builtin", Self::Rendered(EngineChoice::Builtin)),
        ("chromium", Self::Rendered(EngineChoice::Chromium)),
        ("auto", Self::Rendered(EngineChoice::Auto)),
    ];
}

/// A request that was checked.
pub(super) struct Job {
    /// Returned unchanged.
    pub(super) id: Option<Value>,
    content: Content,
    /// The address, if the page is loaded from it.
    pub(super) address: Option<String>,
    pub(super) formats: Vec<&'static Format>,
    pub(super) emit: EmitOptions,
    pub(super) hidden: HiddenText,
    pub(super) method: SharedMethod,
    pub(super) engine: Engine,
    pub(super) blocks: bool,
    pub(super) screenshot: bool,
    pub(super) overlay: bool,
    pub(super) timeout: Duration,
}

/// The content of the page.
enum Content {
    Address(String),
    Document(Box<Document>),
    Bytes { bytes: Bytes, charset: Option<String>, url: Option<String> },
}

/// What the service allows and does if a request does not say it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Defaults {
    pub(super) engine: Option<Engine>,
    pub(super) timeout: Duration,
}

fn named<T: Copy>(kind: &str, table: &[(&str, T)], name: &str) -> Result<T, Problem> {
    table.iter().find(|(known, _)| *known == name).map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|(name, _)| *name).collect();
        Problem::request(format!("there is no {kind} {name}; choose one of {}", names.join(", ")))
    })
}

fn format_named(name: &str) -> Result<&'static Format, Problem> {
    emit::find(name).ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        Problem::request(format!("there is no format {name}; choose one of {}", names.join(", ")))
    })
}

impl CleanRequest {
    /// Checks the request.
    ///
    /// # Errors
    /// [`StatusCode::BAD_REQUEST`] with what is wrong.
    pub(super) fn check(self, methods: &Methods, defaults: Defaults) -> Result<Job, Problem> {
        let formats = self.formats.iter().chain(&self.format).map(|name| format_named(name));
        let mut formats = formats.collect::<Result<Vec<_>, _>>()?;
        if formats.is_empty() {
            formats.push(&FORMATS[0]);
        }
        let hidden = self
            .hidden
            .as_deref()
            .map_or(Ok(HiddenText::default()), |name| named("choice for `hidden`", HiddenText::ALL, name))?;
        let comments = self
            .comments
            .as_deref()
            .map_or(Ok(ReaderComments::default()), |name| named("choice for `comments`", ReaderComments::ALL, name))?;
        let is_address = self.html.is_none() && self.base64.is_none() && self.bytes.is_none();
        let usual = if is_address { Engine::Rendered(EngineChoice::Auto) } else { Engine::None };
        let engine = match &self.engine {
            Some(name) => named("engine", Engine::ALL, name)?,
            None => defaults.engine.unwrap_or(usual),
        };
        if engine == Engine::None && (self.screenshot || self.overlay) {
            return Err(Problem::request(
                "a page that is not rendered has no picture; name an engine, or leave `screenshot` and `overlay` out",
            ));
        }
        if self.timeout_ms == Some(0) {
            return Err(Problem::request("timeout_ms is 0; give the page some time, such as 10000"));
        }
        let timeout = self.timeout_ms.map_or(defaults.timeout, |ms| Duration::from_millis(ms).min(defaults.timeout));
        let explain = self.explain || formats.iter().any(|format| format.holds_reasons);
        let method = methods.ready(&Wanted {
            method: self.method.clone(),
            model: self.model.clone(),
            min_precision: self.min_precision,
            comments,
            explain,
        })?;
        let emit = EmitOptions {
            links: self.links,
            hidden: hidden == HiddenText::Report,
            title: !self.no_title,
            images: self.images,
            metadata: self.with_metadata,
            positions: self.positions,
        };
        let (blocks, screenshot, overlay) = (self.blocks || self.explain, self.screenshot, self.overlay);
        let id = self.id.clone();
        let content = if is_address { Content::Address(self.web_address()?) } else { self.document() };
        let address = match &content {
            Content::Address(address) => Some(address.clone()),
            _ => None,
        };
        Ok(Job { id, content, address, formats, emit, hidden, method, engine, blocks, screenshot, overlay, timeout })
    }

    /// The address that the page is loaded from.
    fn web_address(self) -> Result<String, Problem> {
        let Some(url) = self.url else {
            return Err(Problem::request("the request has no page; it needs `html`, `base64` or `url`"));
        };
        // Local files are never read, whoever asks for them.
        address(&url).map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error.to_string()))?;
        Ok(url)
    }

    /// The page in the request, which is decoded where it is cleaned.
    fn document(self) -> Content {
        let Self { html, base64, charset, bytes, url, .. } = self;
        if let Some(bytes) = bytes {
            return Content::Bytes { bytes, charset, url };
        }
        Content::Document(Box::new(Document::new(html, base64, charset, url)))
    }
}

impl Job {
    /// The page, decoded.
    ///
    /// # Errors
    /// If its content is damaged, or no page.
    pub(super) fn page(&self) -> Result<Page, Problem> {
        match &self.content {
            Content::Address(address) => Ok(Page::from_url(address)),
            Content::Document(document) => {
                let page = Document::clone(document).into_page("page");
                page.map_err(|error| crate::error::Error::from(error).into())
            }
            Content::Bytes { bytes, charset, url } => {
                let page = open_bytes("page", bytes.to_vec(), charset.as_deref());
                let page = page.map_err(crate::error::Error::from)?;
                Ok(Page { url: url.clone().or(page.url.clone()), ..page })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn defaults() -> Defaults {
        Defaults { engine: None, timeout: Duration::from_mins(1) }
    }

    fn check(json: &str) -> Result<Job, Problem> {
        serde_json::from_str::<CleanRequest>(json)
            .map_err(|error| Problem::request(error.to_string()))?
            .check(&Methods::default(), defaults())
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let job = check(r#"{"html": "<p>a", "id": [1]}"#).unwrap();
        assert_eq!((job.engine, job.formats[0].name, job.timeout), (Engine::None, "text", defaults().timeout));
        assert_eq!((job.id.clone(), job.page().unwrap().url), (Some(json!([1])), None));
        let job =
            check(r#"{"url": "https://a.example/x", "formats": ["markdown", "html"], "timeout_ms": 50}"#).unwrap();
        assert_eq!((job.engine, job.formats.len()), (Engine::Rendered(EngineChoice::Auto), 2));
        assert_eq!((job.address.as_deref(), job.timeout.as_millis()), (Some("https://a.example/x"), 50));
        assert_eq!(check(r#"{"html": "a", "timeout_ms": 99999999}"#).unwrap().timeout, defaults().timeout);
        let page = check(r#"{"base64": "PHA+YQ==", "url": "https://a.example/"}"#).unwrap().page().unwrap();
        assert_eq!(page.url.as_deref(), Some("https://a.example/"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (json, cause) in [
            ("{}", "needs `html`, `base64` or `url`"),
            (r#"{"html": "a", "colour": 1}"#, "unknown field"),
            (r#"{"html": "a", "format": "pdf"}"#, "choose one of text"),
            (r#"{"html": "a", "engine": "gecko"}"#, "choose one of none"),
            (r#"{"html": "a", "hidden": "x"}"#, "choice for `hidden`"),
            (r#"{"html": "a", "comments": "x"}"#, "choice for `comments`"),
            (r#"{"html": "a", "screenshot": true}"#, "has no picture"),
            (r#"{"html": "a", "timeout_ms": 0}"#, "timeout_ms is 0"),
            (r#"{"url": "file:///etc/hostname"}"#, "file addresses are not loaded"),
            (r#"{"url": "/etc/hostname"}"#, "is no address"),
            (r#"{"url": "capture/"}"#, "is no address"),
        ] {
            let problem = check(json).err().unwrap_or_else(|| panic!("{json} is accepted"));
            assert!(problem.cause.contains(cause) && problem.status == 400, "{json}: {problem:?}");
        }
        let both = check(r#"{"html": "a", "base64": "YQ=="}"#).unwrap().page().unwrap_err();
        assert!(both.cause.contains("one of them"), "{both:?}");
    }
}
