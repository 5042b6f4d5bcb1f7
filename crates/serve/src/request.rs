//! A page to be cleaned, as requests describe it, and the job that its checks make of it.

use super::problem::Problem;
use axum::http::StatusCode;
use bytes::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator, schema_for};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::time::Duration;
use url::Url;
use vclean_core::emit::{EmitOptions, FORMATS, Format};
use vclean_core::error::ModelError;
use vclean_core::page::{Page, open_bytes};
use vclean_core::pipeline::{Cleaners, HiddenText, Options, PageCleaner, choose, format_named};
use vclean_render::{EngineChoice, LoadOptions, address};
use vclean_run::source::Document;

/// A function that makes the schema of a request, its parameters or its answer.
pub(super) type MakeSchema = fn(&mut SchemaGenerator) -> Schema;

/// A page to be cleaned, with options. One of `html`, `base64` and `url` is required; with `html`
/// or `base64`, `url` is the address of the content, and nothing is fetched.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CleanRequest {
    /// Any value of at most 64 KB; it is returned unchanged.
    pub(super) id: Option<Value>,
    /// The source text of the page.
    pub(super) html: Option<String>,
    /// The bytes of an HTML or MHTML file; the encoding of the text is detected.
    pub(super) base64: Option<String>,
    /// The encoding of the bytes, if it is known.
    pub(super) charset: Option<String>,
    /// The page, if it was sent as the body and not in JSON.
    #[serde(skip)]
    pub(super) bytes: Option<Bytes>,
    /// The http or https address of the page.
    pub(super) url: Option<String>,
    /// Formats of the output, if there are several.
    #[schemars(schema_with = "formats_schema")]
    pub(super) formats: Vec<String>,
    /// Options of cleaning and writing.
    #[serde(flatten)]
    pub(super) options: Options,
    /// How the page is loaded.
    #[serde(flatten)]
    pub(super) load: LoadOptions,
    /// How the page is rendered before it is cleaned. The default is that of the service; if it has
    /// none, auto for addresses and none for content.
    #[schemars(schema_with = "engine_schema")]
    pub(super) engine: Option<String>,
    /// Return the blocks of the page, kept or not. `explain` implies it.
    pub(super) blocks: bool,
    /// Return a picture of the page, PNG in base64. The page must be rendered.
    pub(super) screenshot: bool,
    /// Return a picture with the decisions: kept blocks green, dropped ones red.
    pub(super) overlay: bool,
    /// Time limit for the page in ms; at most that of the service.
    #[schemars(range(min = 1))]
    pub(super) timeout_ms: Option<u64>,
    /// Largest age of an earlier answer to the same request, in seconds, if the service keeps
    /// answers and the page has an address; 0 always loads the page.
    pub(super) max_age: u64,
}

impl CleanRequest {
    /// The key of this request in the cache of answers. `None` if the page is not loaded from an
    /// address, or the answer is for one user: the key contains no secrets, so the request of
    /// another user would have it too.
    pub(super) fn key(&self) -> Option<String> {
        let has_content = self.html.is_some() || self.base64.is_some() || self.bytes.is_some();
        let is_public =
            self.url.as_deref().is_some_and(|url| !has_password(url)) && !self.load.is_personal();
        let is_of_address = is_public && self.id.is_none() && !has_content;
        is_of_address.then(|| {
            format!(
                "{:?}",
                Self {
                    max_age: 0,
                    timeout_ms: None,
                    ..self.clone()
                }
            )
        })
    }
}

/// Returns true if an address contains the name or the password of a user.
pub(super) fn has_password(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| !url.username().is_empty() || url.password().is_some())
}

fn formats_schema(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    schemars::json_schema!({ "type": "array", "items": { "type": "string", "enum": names } })
}

fn engine_schema(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<Option<&str>> = EngineChoice::ALL
        .iter()
        .map(|(name, _)| Some(*name))
        .chain([None])
        .collect();
    schemars::json_schema!({ "type": ["string", "null"], "enum": names })
}

/// Members of a request that a query cannot have: those that hold the page itself, or secrets,
/// because addresses are written to many logs.
const CONTENT: [&str; 8] = [
    "id",
    "html",
    "base64",
    "charset",
    "headers",
    "cookies",
    "storage_state",
    "actions",
];

/// The schema of a request's query: the members of [`CleanRequest`] without the page itself.
pub(super) fn query_schema(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = generator.root_schema_for::<CleanRequest>();
    if let Some(properties) = schema
        .as_object_mut()
        .and_then(|schema| schema["properties"].as_object_mut())
    {
        properties.retain(|name, _| !CONTENT.contains(&name.as_str()));
    }
    schema
}

/// Reads the options of a page from the query of a request. Its values are text, so each is parsed
/// according to the type of its member of [`CleanRequest`]; several values of one member are
/// separated by commas.
///
/// # Errors
/// If a parameter is unknown or has a wrong value.
pub(super) fn from_query(query: &str) -> Result<CleanRequest, Problem> {
    static SCHEMA: std::sync::LazyLock<Value> =
        std::sync::LazyLock::new(|| schema_for!(CleanRequest).to_value());
    let unread = |cause: String| Problem::request(format!("the query is not understood: {cause}"));
    let mut members = Map::new();
    for (name, text) in url::form_urlencoded::parse(query.as_bytes()) {
        if CONTENT.contains(&&*name) {
            return Err(unread(format!("`{name}` belongs into the body")));
        }
        let kind = &SCHEMA["properties"][&*name]["type"];
        let is = |wanted: &str| {
            kind == wanted
                || kind
                    .as_array()
                    .is_some_and(|kinds| kinds.iter().any(|kind| kind == wanted))
        };
        let value = if is("array") {
            text.split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .map(Value::from)
                .collect()
        } else if is("string") {
            Value::from(&*text)
        } else {
            serde_json::from_str(&text).unwrap_or_else(|_| Value::from(&*text))
        };
        if members.insert(name.clone().into_owned(), value).is_some() {
            return Err(unread(format!("duplicate field `{name}`")));
        }
    }
    serde_json::from_value(Value::Object(members)).map_err(|error| unread(error.to_string()))
}

/// A request that was checked.
pub(super) struct Job {
    /// Identifier of the request, returned unchanged.
    pub(super) id: Option<Value>,
    content: Content,
    /// The address, if the page is loaded from it.
    pub(super) address: Option<String>,
    pub(super) formats: Vec<&'static Format>,
    pub(super) emit: EmitOptions,
    pub(super) cleaner: PageCleaner,
    pub(super) engine: EngineChoice,
    pub(super) load: LoadOptions,
    pub(super) blocks: bool,
    pub(super) screenshot: bool,
    pub(super) overlay: bool,
    /// True if text that readers do not see must never be taken.
    pub(super) only_visible: bool,
    pub(super) timeout: Duration,
}

/// The content of the page.
enum Content {
    Address(String),
    Document(Box<Document>),
    Bytes {
        bytes: Bytes,
        charset: Option<String>,
        url: Option<String>,
    },
}

/// Defaults and limits of the service for requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Defaults {
    pub(super) engine: Option<EngineChoice>,
    pub(super) timeout: Duration,
}

impl CleanRequest {
    /// Checks the request.
    ///
    /// # Errors
    /// [`StatusCode::BAD_REQUEST`] with a message about the error.
    pub(super) fn check(mut self, cleaners: &Cleaners, defaults: Defaults) -> Result<Job, Problem> {
        let refused = |error: ModelError| Problem::request(error.to_string());
        let formats = self
            .formats
            .iter()
            .chain(&self.options.format)
            .map(|name| format_named(name));
        let mut formats = formats.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        if formats.is_empty() {
            formats.push(&FORMATS[0]);
        }
        self.options.check_formats(&formats).map_err(refused)?;
        let is_address = self.html.is_none() && self.base64.is_none() && self.bytes.is_none();
        let usual = if is_address {
            EngineChoice::Auto
        } else {
            EngineChoice::None
        };
        let engine = match &self.engine {
            Some(name) => choose(name).map_err(Problem::request)?,
            None => defaults.engine.unwrap_or(usual),
        };
        if matches!(engine, EngineChoice::None | EngineChoice::Builtin) {
            self.load
                .check_without_browser(engine.name())
                .map_err(|error| Problem::request(error.to_string()))?;
        }
        if engine == EngineChoice::None && (self.screenshot || self.overlay) {
            return Err(Problem::request(
                "a page that is not rendered has no picture; name an engine, or leave `screenshot` and `overlay` out",
            ));
        }
        if self.timeout_ms == Some(0) {
            return Err(Problem::request(
                "timeout_ms is 0; give the page some time, such as 10000",
            ));
        }
        let timeout = self.timeout_ms.map_or(defaults.timeout, |ms| {
            Duration::from_millis(ms).min(defaults.timeout)
        });
        let blocks = self.blocks || self.options.explain;
        self.options.explain |= formats.iter().any(|format| format.holds_reasons);
        let chunks = formats.iter().find(|format| format.is_lines());
        self.options.format = chunks
            .map(|format| format.name.to_owned())
            .or(self.options.format);
        let cleaner = cleaners.cleaner(&self.options).map_err(refused)?;
        let emit = self.options.emit();
        let (screenshot, overlay) = (self.screenshot, self.overlay);
        let only_visible = self.options.hidden == HiddenText::Drop;
        let (id, load) = (self.id.clone(), std::mem::take(&mut self.load));
        if !is_address {
            load.check_without_address()
                .map_err(|error| Problem::request(error.to_string()))?;
        }
        let content = if is_address {
            Content::Address(self.web_address()?)
        } else {
            self.document()
        };
        let address = match &content {
            Content::Address(address) => Some(address.clone()),
            _ => None,
        };
        Ok(Job {
            id,
            content,
            address,
            formats,
            emit,
            cleaner,
            engine,
            load,
            blocks,
            screenshot,
            overlay,
            only_visible,
            timeout,
        })
    }

    /// The address from which the page is loaded.
    fn web_address(self) -> Result<String, Problem> {
        let Some(url) = self.url else {
            return Err(Problem::request(
                "the request has no page; it needs `html`, `base64` or `url`",
            ));
        };
        // Local files are never read.
        address(&url).map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error.to_string()))?;
        Ok(url)
    }

    /// The page in the request. It is decoded later, on the thread that cleans it.
    fn document(self) -> Content {
        let Self {
            html,
            base64,
            charset,
            bytes,
            url,
            ..
        } = self;
        if let Some(bytes) = bytes {
            return Content::Bytes {
                bytes,
                charset,
                url,
            };
        }
        Content::Document(Box::new(Document::new(html, base64, charset, url)))
    }
}

impl Job {
    /// The page, decoded.
    ///
    /// # Errors
    /// If its content is damaged, or is not a page.
    pub(super) fn page(&self) -> Result<Page, Problem> {
        match &self.content {
            Content::Address(address) => Ok(Page::from_url(address)),
            Content::Document(document) => {
                let page = Document::clone(document).into_page("page");
                page.map_err(|error| vclean_core::error::Error::from(error).into())
            }
            Content::Bytes {
                bytes,
                charset,
                url,
            } => {
                let page = open_bytes("page", bytes.to_vec(), charset.as_deref());
                let page = page.map_err(vclean_core::error::Error::from)?;
                Ok(Page {
                    url: url.clone().or(page.url.clone()),
                    ..page
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn defaults() -> Defaults {
        Defaults {
            engine: None,
            timeout: Duration::from_mins(1),
        }
    }

    fn cleaners() -> Cleaners {
        Cleaners::new(&[]).without_files()
    }

    fn check(json: &str) -> Result<Job, Problem> {
        serde_json::from_str::<CleanRequest>(json)
            .map_err(|error| Problem::request(error.to_string()))?
            .check(&cleaners(), defaults())
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let job = check(r#"{"html": "<p>a", "id": [1]}"#).unwrap();
        assert_eq!(
            (job.engine, job.formats[0].name, job.timeout),
            (EngineChoice::None, "text", defaults().timeout)
        );
        assert_eq!(
            (job.id.clone(), job.page().unwrap().url),
            (Some(json!([1])), None)
        );
        let job = check(
            r#"{"url": "https://a.example/x", "formats": ["markdown", "html"], "timeout_ms": 50}"#,
        )
        .unwrap();
        assert_eq!((job.engine, job.formats.len()), (EngineChoice::Auto, 2));
        assert_eq!(
            (job.address.as_deref(), job.timeout.as_millis()),
            (Some("https://a.example/x"), 50)
        );
        assert_eq!(
            check(r#"{"html": "a", "timeout_ms": 99999999}"#)
                .unwrap()
                .timeout,
            defaults().timeout
        );
        let page = check(r#"{"base64": "PHA+YQ==", "url": "https://a.example/"}"#)
            .unwrap()
            .page()
            .unwrap();
        assert_eq!(page.url.as_deref(), Some("https://a.example/"));
    }

    #[test]
    fn a_query_says_the_same_as_json() {
        let query = "url=https%3A%2F%2Fa.example%2F&formats=markdown,html&links=true&min_precision=0.9&timeout_ms=50&hidden=keep\
                     &wait_for=idle,text:done";
        let json = r#"{"url": "https://a.example/", "formats": ["markdown", "html"], "links": true, "min_precision": 0.9,
            "timeout_ms": 50, "hidden": "keep", "wait_for": ["idle", "text:done"]}"#;
        assert_eq!(
            from_query(query).unwrap(),
            serde_json::from_str(json).unwrap()
        );
        assert_eq!(from_query("").unwrap(), CleanRequest::default());
        for (query, cause) in [
            ("colour=1", "unknown field"),
            ("html=a", "belongs into the body"),
            ("headers=%7B%7D", "belongs into the body"),
            ("links=maybe", "the query is not understood"),
            ("url=a&url=b", "duplicate field"),
        ] {
            let problem = from_query(query).unwrap_err();
            assert!(problem.cause.contains(cause), "{query}: {problem:?}");
        }
    }

    #[test]
    fn every_option_is_a_member_of_requests_and_a_parameter_of_queries() {
        let schema = query_schema(&mut SchemaGenerator::default());
        let of_loading = LoadOptions::NAMES
            .iter()
            .copied()
            .filter(|name| !CONTENT.contains(name));
        for name in Options::names()
            .iter()
            .map(String::as_str)
            .chain(of_loading)
        {
            assert!(
                schema.as_value()["properties"][name]["description"].is_string(),
                "{name}"
            );
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (json, cause) in [
            ("{}", "needs `html`, `base64` or `url`"),
            (r#"{"html": "a", "colour": 1}"#, "unknown field"),
            (r#"{"html": "a", "format": "pdf"}"#, "choose one of text"),
            (
                r#"{"html": "a", "links": true}"#,
                "`links` is for `format` markdown",
            ),
            (
                r#"{"html": "a", "method": "magic"}"#,
                "choose one of vclean",
            ),
            (r#"{"html": "a", "min_precision": 2.0}"#, "min precision"),
            (
                r#"{"html": "a", "engine": "gecko"}"#,
                "invalid value gecko for `engine`",
            ),
            (
                r#"{"html": "a", "hidden": "x"}"#,
                "invalid value x for `hidden`",
            ),
            (
                r#"{"html": "a", "comments": "x"}"#,
                "invalid value x for `comments`",
            ),
            (r#"{"html": "a", "screenshot": true}"#, "has no picture"),
            (
                r#"{"html": "a", "headers": {"X": "y"}}"#,
                "`headers` is for pages that are loaded from their address",
            ),
            (
                r#"{"url": "https://a.example/", "headers": {"Host": "y"}}"#,
                "belongs to the connection",
            ),
            (
                r#"{"url": "https://a.example/", "proxy": "http://b.example"}"#,
                "unknown field `proxy`",
            ),
            (
                r#"{"html": "a", "wait_for": "idle"}"#,
                "`wait_for` is for Chromium, and `engine` is none",
            ),
            (
                r#"{"url": "https://a.example/", "engine": "builtin", "wait_for": ["time:1s"]}"#,
                "`engine` is builtin",
            ),
            (
                r#"{"url": "https://a.example/", "wait_for": ["soon"]}"#,
                "invalid value soon for `wait_for`",
            ),
            (r#"{"html": "a", "timeout_ms": 0}"#, "timeout_ms is 0"),
            (
                r#"{"url": "file:///etc/hostname"}"#,
                "file addresses are not loaded",
            ),
            (r#"{"url": "/etc/hostname"}"#, "is no address"),
            (r#"{"url": "capture/"}"#, "is no address"),
        ] {
            let problem = check(json)
                .err()
                .unwrap_or_else(|| panic!("{json} is accepted"));
            assert!(
                problem.cause.contains(cause) && problem.status == 400,
                "{json}: {problem:?}"
            );
        }
        let both = check(r#"{"html": "a", "base64": "YQ=="}"#)
            .unwrap()
            .page()
            .unwrap_err();
        assert!(both.cause.contains("one of them"), "{both:?}");
    }
}
