//! `/v2/scrape`: Firecrawl's interface, so that its clients need only another address. Unsupported
//! members are refused by name: formats that need a language model, and options of rendering and
//! fetching. Values without an effect are accepted.

use super::cleaned::{Cleaned, for_clients};
use super::places::{Admitted, Caller};
use super::problem::Problem;
use super::request::{CleanRequest, has_password};
use super::selector::Selectors;
use super::service::Service;
use super::{body, work};
use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};
use vclean_core::capture::{Capture, Dom};
use vclean_core::classify::Label;
use vclean_core::document::Metadata;
use vclean_core::emit::{EmitOptions, find};
use vclean_render::{Actions, LoadOptions, Viewport, WaitFor, is_same_server};

/// The supported formats: those that need no language model.
const FORMATS: [&str; 5] = ["markdown", "html", "rawHtml", "links", "screenshot"];

/// A member of a request that is not supported, unless its value is harmless.
pub(super) struct UnsupportedField {
    pub(super) name: &'static str,
    /// Accepts values that ask for nothing, or for what is done anyway.
    pub(super) is_harmless: fn(&Value) -> bool,
    /// The remedy, in the error message about any other value.
    pub(super) advice: &'static str,
}

/// Unsupported members of Firecrawl's interface.
const UNSUPPORTED: &[UnsupportedField] = &[
    UnsupportedField {
        name: "location",
        is_harmless: is_nothing,
        advice: "pages are loaded from where the service runs; leave it out",
    },
    UnsupportedField {
        name: "proxy",
        is_harmless: |value| is_nothing(value) || value == "auto" || value == "basic",
        advice: "pages are loaded directly; use auto or basic",
    },
    UnsupportedField {
        name: "skipTlsVerification",
        is_harmless: is_nothing,
        advice: "certificates are always checked; leave it out",
    },
    UnsupportedField {
        name: "parsers",
        is_harmless: is_nothing,
        advice: "only HTML is read; leave it out",
    },
    UnsupportedField {
        name: "removeBase64Images",
        is_harmless: |value| value.is_null() || value == true,
        advice: "Markdown has no pictures; leave it out",
    },
    UnsupportedField {
        name: "minAge",
        is_harmless: is_nothing,
        advice: "pages are not kept; leave it out",
    },
    UnsupportedField {
        name: "lockdown",
        is_harmless: is_nothing,
        advice: "pages are not kept; leave it out",
    },
    UnsupportedField {
        name: "fastMode",
        is_harmless: is_nothing,
        advice: "pages are always loaded in full; leave it out",
    },
    UnsupportedField {
        name: "useMock",
        is_harmless: is_nothing,
        advice: "pages are always loaded; leave it out",
    },
    // See `is_stored`; the text of advertisements is dropped anyway.
    UnsupportedField {
        name: "storeInCache",
        is_harmless: is_anything,
        advice: "",
    },
    UnsupportedField {
        name: "zeroDataRetention",
        is_harmless: is_anything,
        advice: "",
    },
    UnsupportedField {
        name: "blockAds",
        is_harmless: is_anything,
        advice: "",
    },
    // These members name the client.
    UnsupportedField {
        name: "integration",
        is_harmless: is_anything,
        advice: "",
    },
    UnsupportedField {
        name: "origin",
        is_harmless: is_anything,
        advice: "",
    },
];

/// Unsupported options of the format `screenshot`.
const UNSUPPORTED_IN_SCREENSHOTS: &[UnsupportedField] = &[
    UnsupportedField {
        name: "fullPage",
        is_harmless: |value| value.is_null() || value == true,
        advice: "a picture is that of the whole page; leave it out",
    },
    UnsupportedField {
        name: "quality",
        is_harmless: Value::is_null,
        advice: "a picture is a PNG, without loss; leave it out",
    },
    UnsupportedField {
        name: "viewport",
        is_harmless: is_anything,
        advice: "",
    },
];

pub(super) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(members) => members.values().all(is_nothing),
        Value::Bool(true) => false,
    }
}

pub(super) fn is_anything(_: &Value) -> bool {
    true
}

/// Refuses members that ask for what is not done, and members that are not known. `owner` says
/// whose members they are.
pub(super) fn check_members(
    members: &Map<String, Value>,
    known: &[UnsupportedField],
    owner: &str,
) -> Result<(), Problem> {
    for (name, value) in members {
        match known.iter().find(|known| known.name == name) {
            Some(known) if (known.is_harmless)(value) => {}
            Some(UnsupportedField { advice, .. }) => {
                return Err(Problem::request(format!(
                    "`{name}`{owner} is not supported with this value: {advice}"
                )));
            }
            None if value.is_null() => {}
            None => {
                return Err(Problem::request(format!(
                    "`{name}`{owner} is not supported; leave it out"
                )));
            }
        }
    }
    Ok(())
}

/// A page to be cleaned, as Firecrawl's clients describe it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScrapeRequest {
    /// The http or https address of the page.
    url: String,
    /// Formats of the answer: markdown (the default), html, rawHtml, links, screenshot. Each is a
    /// name, or an object with a `type`.
    #[serde(default)]
    formats: Option<Vec<FormatName>>,
    /// If true (the default), only the main text is returned, otherwise all text of the page.
    #[serde(default)]
    only_main_content: Option<bool>,
    /// Only the text in these parts of the page: CSS selectors.
    #[serde(default)]
    include_tags: Option<Vec<String>>,
    /// No text in these parts of the page: CSS selectors.
    #[serde(default)]
    exclude_tags: Option<Vec<String>>,
    /// Time limit in ms.
    #[serde(default)]
    #[schemars(range(min = 1))]
    timeout: Option<u64>,
    /// Largest age of an earlier answer to the same request, in ms, if the service keeps answers.
    #[serde(default)]
    max_age: Option<u64>,
    /// How long to wait after loading, in ms.
    #[serde(default)]
    wait_for: Option<u64>,
    /// Headers for the host of the page, including cookies.
    #[serde(default)]
    headers: Option<Map<String, Value>>,
    /// Actions in the page before its text is taken: click, write, press, scroll, wait.
    #[serde(default)]
    #[schemars(with = "Option<Actions>")]
    actions: Option<Vec<Value>>,
    /// If true, the page is loaded as on a phone.
    #[serde(default)]
    mobile: Option<bool>,
    /// Other members of Firecrawl's interface, accepted only if their value has no effect.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// A format by its name, or an object with its name.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
enum FormatName {
    Name(#[schemars(schema_with = "format_schema")] String),
    Object {
        #[serde(rename = "type")]
        #[schemars(schema_with = "format_schema")]
        name: String,
        #[serde(flatten)]
        options: Map<String, Value>,
    },
}

fn format_schema(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = FORMATS.iter().copied().chain([FULL_PAGE]).collect();
    schemars::json_schema!({ "type": "string", "enum": names })
}

/// The name of the picture of a whole page in the first version of the interface.
const FULL_PAGE: &str = "screenshot@fullPage";

impl FormatName {
    /// The size of the window for a picture.
    fn viewport(&self) -> Option<Result<Viewport, Problem>> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Size {
            width: u32,
            height: u32,
        }
        let Self::Object { name, options } = self else {
            return None;
        };
        let size = options
            .get("viewport")
            .filter(|size| name == "screenshot" && !is_nothing(size))?;
        let size = serde_json::from_value(size.clone())
            .map_err(|error| format!("`viewport` is wrong: {error}"));
        Some(
            size.and_then(|Size { width, height }| Viewport::new(width, height))
                .map_err(Problem::request),
        )
    }

    /// The format, if it is supported.
    ///
    /// # Errors
    /// If it is not, or one of its options is not.
    fn check(&self) -> Result<&'static str, Problem> {
        let none = Map::new();
        let (name, options) = match self {
            Self::Name(name) => (name.as_str(), &none),
            Self::Object { name, options } => (name.as_str(), options),
        };
        let name = if name == FULL_PAGE {
            "screenshot"
        } else {
            name
        };
        let known = FORMATS
            .iter()
            .find(|known| **known == name)
            .ok_or_else(|| {
                let known = FORMATS.join(", ");
                Problem::request(format!(
                    "the format {name} is not offered here; choose some of {known}"
                ))
            })?;
        let unsupported = if name == "screenshot" {
            UNSUPPORTED_IN_SCREENSHOTS
        } else {
            &[]
        };
        check_members(options, unsupported, &format!(" of the format {name}"))?;
        Ok(known)
    }
}

/// The answer of Firecrawl's interface.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ScrapeAnswer {
    success: bool,
    data: Scraped,
}

/// The page in the formats that were requested.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Scraped {
    #[serde(skip_serializing_if = "Option::is_none")]
    markdown: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Vec<String>>,
    /// The picture of the page, PNG as a data URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    screenshot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    #[schemars(with = "Map<String, Value>")]
    metadata: Value,
}

/// The checked options for the answer.
struct Wanted {
    url: String,
    formats: BTreeSet<&'static str>,
    only_main_content: bool,
    include: Selectors,
    exclude: Selectors,
}

/// A problem in Firecrawl's format.
pub(super) struct ScrapeProblem(Problem);

impl From<Problem> for ScrapeProblem {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl IntoResponse for ScrapeProblem {
    fn into_response(self) -> Response {
        let Self(problem) = self;
        let body = json!({ "success": false, "error": problem.cause });
        let mut response = (problem.status, Json(body)).into_response();
        problem.add_headers(&mut response);
        response
    }
}

/// Answers a request of one of Firecrawl's clients.
pub(super) async fn post(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ScrapeProblem> {
    let request: ScrapeRequest = read(&service, caller, &headers, body).await?;
    let admitted = service.admit(caller, false)?;
    request.clone().check()?;
    let max_age = Duration::from_millis(request.max_age.unwrap_or(0));
    // A page that is loaded for one user must not be given to others.
    let may_keep =
        service.cache.is_on() && !request.load()?.is_personal() && !has_password(&request.url);
    let is_stored = request.is_stored();
    let key = may_keep.then(|| {
        format!(
            "{:?}",
            ScrapeRequest {
                max_age: None,
                timeout: None,
                ..request.clone()
            }
        )
    });
    let json = [(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    )];
    if let Some(key) = &key
        && let Some((bytes, age)) = service.kept_answer(key, max_age).await
    {
        return Ok((
            json,
            [(header::AGE, HeaderValue::from(age.as_secs()))],
            bytes,
        )
            .into_response());
    }
    let (data, ()) = run(&service, admitted, request, |_| ()).await?;
    let bytes = serde_json::to_vec(&ScrapeAnswer {
        success: true,
        data,
    })
    .map_err(|_| Problem::fault())?;
    let bytes = Bytes::from(bytes);
    if let Some(key) = key.filter(|_| is_stored) {
        service.keep_answer(key, bytes.clone()).await;
    }
    Ok((json, bytes).into_response())
}

/// Reads a request in JSON.
///
/// # Errors
/// If it is not JSON of this type.
pub(super) async fn read<T: DeserializeOwned>(
    service: &Service,
    caller: Caller,
    headers: &HeaderMap,
    body: Body,
) -> Result<T, Problem> {
    if body::media_type(headers) != "application/json" {
        let cause = "the content type is not application/json; name it in the request";
        return Err(Problem::new(
            axum::http::StatusCode::UNSUPPORTED_MEDIA_TYPE,
            cause,
        ));
    }
    body::json(&service.read(caller, body).await?)
}

/// Loads a page and makes the requested formats. `also` is called with the page as it was loaded,
/// on the thread of the page.
///
/// # Errors
/// If the request is wrong, or the page has no result.
pub(super) async fn run<T: Send + 'static>(
    service: &Arc<Service>,
    admitted: Arc<Admitted>,
    request: ScrapeRequest,
    also: impl FnOnce(&Capture) -> T + Send + 'static,
) -> Result<(Scraped, T), Problem> {
    let timeout_ms = request.timeout;
    let load = request.load()?;
    let wanted = request.check()?;
    let clean = CleanRequest {
        url: Some(wanted.url.clone()),
        screenshot: wanted.formats.contains("screenshot"),
        timeout_ms,
        load,
        ..CleanRequest::default()
    };
    let job = clean.check(&service.cleaners, service.defaults())?;
    let shape = move |cleaned: Cleaned, _| {
        let seen = also(&cleaned.capture);
        Ok((wanted.take(cleaned)?, seen))
    };
    work::run(service, admitted, job, shape).await
}

impl ScrapeRequest {
    /// The request for a page of a job; all its pages have the same `options`.
    ///
    /// # Errors
    /// If the options are wrong.
    pub(super) fn for_job(url: &str, options: &Map<String, Value>) -> Result<Self, Problem> {
        let mut members = options.clone();
        if members.insert("url".to_owned(), url.into()).is_some() {
            return Err(Problem::request(
                "`url` is no option of the pages of a job; leave it out of their options",
            ));
        }
        let request: Self = serde_json::from_value(Value::Object(members)).map_err(|error| {
            Problem::request(format!("the options of pages are not understood: {error}"))
        })?;
        request.clone().check()?;
        Ok(request)
    }

    /// Like [`Self::for_job`], for a page of the crawl that started at `start`: only its host gets
    /// the headers.
    ///
    /// # Errors
    /// If the options are wrong.
    pub(super) fn for_crawl(
        start: &Url,
        page: &Url,
        options: &Map<String, Value>,
    ) -> Result<Self, Problem> {
        let request = Self::for_job(page.as_str(), options)?;
        let headers = request.headers.filter(|_| is_same_server(start, page));
        Ok(Self { headers, ..request })
    }

    /// Returns true if the client allows that its answer is kept.
    fn is_stored(&self) -> bool {
        let is =
            |name: &str, value: bool| self.others.get(name).is_some_and(|found| *found == value);
        !is("storeInCache", false) && !is("zeroDataRetention", true)
    }

    /// How the page is loaded.
    fn load(&self) -> Result<LoadOptions, Problem> {
        let mut wait_ms = self.wait_for.filter(|ms| *ms > 0);
        let mut actions = self.actions.clone().unwrap_or_default();
        if !actions.is_empty() {
            // Firecrawl waits before the actions, our own interface after them.
            let wait = wait_ms
                .take()
                .map(|ms| json!({ "type": "wait", "milliseconds": ms }));
            actions.splice(..0, wait);
        }
        let wait_for = wait_ms
            .map(|ms| WaitFor::Time(Duration::from_millis(ms)))
            .into_iter()
            .collect();
        let own = json!({ "headers": self.headers, "mobile": self.mobile.unwrap_or_default(), "actions": actions });
        let load: LoadOptions =
            serde_json::from_value(own).map_err(|error| Problem::request(error.to_string()))?;
        let viewport = self
            .formats
            .iter()
            .flatten()
            .find_map(FormatName::viewport)
            .transpose()?;
        Ok(LoadOptions {
            wait_for,
            viewport,
            ..load
        })
    }

    fn check(self) -> Result<Wanted, Problem> {
        check_members(&self.others, UNSUPPORTED, "")?;
        if self.timeout == Some(0) {
            return Err(Problem::request(
                "`timeout` is 0; give the page some time, such as 10000",
            ));
        }
        let formats = self.formats.unwrap_or_default();
        let mut formats = formats
            .iter()
            .map(FormatName::check)
            .collect::<Result<BTreeSet<_>, _>>()?;
        if formats.is_empty() {
            formats.insert(FORMATS[0]);
        }
        Ok(Wanted {
            url: self.url,
            formats,
            only_main_content: self.only_main_content.unwrap_or(true),
            include: Selectors::parse(&self.include_tags.unwrap_or_default())?,
            exclude: Selectors::parse(&self.exclude_tags.unwrap_or_default())?,
        })
    }
}

impl Wanted {
    /// Makes the requested formats of a cleaned page.
    fn take(&self, mut cleaned: Cleaned) -> Result<Scraped, Problem> {
        let is_changed =
            !self.only_main_content || !self.include.is_empty() || !self.exclude.is_empty();
        if is_changed {
            let dom = &cleaned.capture.dom;
            let (included, excluded) = (self.include.inside(dom), self.exclude.inside(dom));
            cleaned.relabel(|_, target, label| {
                let container = target.container.index();
                (label == Label::Content || !self.only_main_content)
                    && (self.include.is_empty() || included[container])
                    && !excluded[container]
            });
        }
        let has = |format: &str| self.formats.contains(format);
        let written = |format: &str, images| {
            let options = EmitOptions {
                links: true,
                images,
                ..EmitOptions::default()
            };
            let format = find(format).filter(|format| has(format.name));
            format.map(|format| (format.write)(&cleaned.page.document, &options))
        };
        let (markdown, html) = (written("markdown", false), written("html", true));
        let source = || {
            cleaned
                .source
                .clone()
                .unwrap_or_else(|| cleaned.capture.dom.to_html())
        };
        let screenshot = has("screenshot")
            .then(|| cleaned.screenshot())
            .transpose()?;
        let warnings = for_clients(&cleaned.capture.record.warnings);
        Ok(Scraped {
            markdown,
            html,
            raw_html: has("rawHtml").then(source),
            links: has("links").then(|| links(&cleaned.capture)),
            screenshot: screenshot
                .map(|png| format!("data:image/png;base64,{}", STANDARD.encode(png))),
            warning: Some(warnings.join("; ")).filter(|warning| !warning.is_empty()),
            metadata: self.metadata(&cleaned),
        })
    }

    fn metadata(&self, cleaned: &Cleaned) -> Value {
        let Metadata {
            title,
            author,
            date,
            language,
            site,
            description,
            ..
        } = &cleaned.page.document.metadata;
        // The page may state the time of the day as well.
        let dom = &cleaned.capture.dom;
        let published = open_graph(dom, "article:published_time")
            .filter(|time| date.as_ref().is_some_and(|date| time.starts_with(date)));
        let is_address =
            |site: &str| matches!(Host::parse(site), Ok(Host::Ipv4(_) | Host::Ipv6(_)));
        let mut metadata = json!({
            "title": title, "description": description, "language": language, "author": author,
            "publishedTime": published.or(date.as_deref()), "publishedTimeSource": cleaned.page.document.metadata.date_source(),
            "ogSiteName": site.as_deref().filter(|site| !is_address(site)), "sourceURL": self.url,
            "url": cleaned.capture.address().unwrap_or(&self.url), "statusCode": 200, "contentType": "text/html",
        });
        for (property, name) in OPEN_GRAPH {
            let found = open_graph(&cleaned.capture.dom, property);
            if let Some(found) = found {
                let is_picture = property == "og:image";
                let absolute = is_picture
                    .then(|| base(&cleaned.capture)?.join(found).ok())
                    .flatten();
                metadata[name] =
                    absolute.map_or_else(|| found.into(), |url| String::from(url).into());
            }
        }
        metadata
    }
}

/// Properties of the Open Graph protocol, and their names in the metadata.
const OPEN_GRAPH: [(&str, &str); 6] = [
    ("og:title", "ogTitle"),
    ("og:description", "ogDescription"),
    ("og:url", "ogUrl"),
    ("og:image", "ogImage"),
    ("og:locale", "ogLocale"),
    ("og:site_name", "ogSiteName"),
];

/// The first value of a property on a page.
fn open_graph<'a>(dom: &'a Dom, property: &str) -> Option<&'a str> {
    let is_property =
        |name: Option<&str>| name.is_some_and(|name| name.trim().eq_ignore_ascii_case(property));
    let named = dom.ids().filter(|&id| {
        dom.tag(id) == "meta"
            && (is_property(dom.attribute(id, "property"))
                || is_property(dom.attribute(id, "name")))
    });
    named
        .filter_map(|id| dom.attribute(id, "content"))
        .map(str::trim)
        .find(|content| !content.is_empty())
}

/// The address to which the links of a page are relative.
fn base(capture: &Capture) -> Option<Url> {
    let dom = &capture.dom;
    let page = capture
        .address()
        .and_then(|address| Url::parse(address).ok());
    let named = dom
        .ids()
        .filter(|id| dom.tag(*id) == "base")
        .find_map(|id| dom.attribute(id, "href"));
    match (&page, named) {
        (Some(page), Some(named)) => page.join(named).ok().or(Some(page.clone())),
        _ => page,
    }
}

/// The http and https links of a page, each once, in their order.
fn links(capture: &Capture) -> Vec<String> {
    let (dom, base) = (&capture.dom, base(capture));
    let mut seen = BTreeSet::new();
    let targets = dom
        .ids()
        .filter(|id| dom.tag(*id) == "a")
        .filter_map(|id| dom.attribute(id, "href"));
    let absolute = targets.filter_map(|target| match &base {
        Some(base) => base.join(target.trim()).ok(),
        None => Url::parse(target.trim()).ok(),
    });
    let links = absolute
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .map(String::from);
    links.filter(|link| seen.insert(link.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::page::Page;
    use vclean_core::pipeline::PageCleaner;

    const PAGE: &str = "<title>Gulls</title><body><nav><a href='/'>Home</a> <a href='about'>About us</a></nav><article>
        <h1>Herring gulls</h1><p>Herring gulls drop mussels on rocks, from a height that depends on how hard the shell
        is, and they seldom have to try more than twice.</p><p class=note>A note that stands in the text of the page, as
        long as any other paragraph of it, so that it counts as one.</p></article><a href='mailto:a@b.example'>Mail</a>
        <a href='/'>Home again</a></body>";

    fn taken(request: Value) -> Scraped {
        taken_of(PAGE, "https://a.example/x/", request)
    }

    fn taken_of(html: &str, address: &str, request: Value) -> Scraped {
        let page = Page::from_html("x", html).with_url(address);
        let cleaner = PageCleaner::new(&vclean_core::pipeline::Options::default()).unwrap();
        let capture = vclean_core::page::parse(&page).unwrap();
        let page = cleaner.clean_capture_of(&page, &capture).unwrap();
        let cleaned = Cleaned {
            page,
            capture,
            source: Some(html.to_owned()),
        };
        serde_json::from_value::<ScrapeRequest>(request)
            .unwrap()
            .check()
            .unwrap()
            .take(cleaned)
            .unwrap()
    }

    #[test]
    fn formats_are_those_that_were_requested() {
        let found =
            taken(json!({ "url": "https://a.example/x/", "mobile": false, "proxy": "auto" }));
        assert!(
            found.markdown.unwrap().contains("drop mussels")
                && found.html.is_none()
                && found.links.is_none()
        );
        assert_eq!(found.metadata["title"], "Herring gulls");
        let formats = json!(["html", { "type": "rawHtml" }, "links"]);
        let found = taken(json!({ "url": "https://a.example/x/", "formats": formats }));
        assert!(found.markdown.is_none() && found.html.unwrap().contains("<h1>"));
        assert_eq!(found.raw_html.as_deref(), Some(PAGE));
        assert_eq!(
            found.links.unwrap(),
            ["https://a.example/", "https://a.example/x/about"]
        );
    }

    #[test]
    fn parts_are_included_and_left_out() {
        let markdown = |request: Value| {
            let mut whole = json!({ "url": "https://a.example/x/" });
            whole
                .as_object_mut()
                .unwrap()
                .extend(request.as_object().unwrap().clone());
            taken(whole).markdown.unwrap()
        };
        let all = markdown(json!({ "onlyMainContent": false }));
        assert!(
            all.contains("About us") && all.contains("drop mussels"),
            "{all}"
        );
        let without = markdown(json!({ "excludeTags": [".note"] }));
        assert!(
            without.contains("drop mussels") && !without.contains("A note"),
            "{without}"
        );
        let without = markdown(
            json!({ "excludeTags": ["nav, footer", "article > p.note"], "onlyMainContent": false }),
        );
        let is_left = without.contains("drop mussels") && without.contains("Home again");
        assert!(
            is_left && !without.contains("A note") && !without.contains("About us"),
            "{without}"
        );
        let only = markdown(json!({ "includeTags": ["nav"], "onlyMainContent": false }));
        assert!(
            only.contains("About us") && !only.contains("drop mussels"),
            "{only}"
        );
    }

    fn check(request: Value) -> Result<Wanted, Problem> {
        serde_json::from_value::<ScrapeRequest>(request)
            .unwrap()
            .check()
    }

    #[test]
    fn what_is_not_done_is_refused_by_name() {
        for (name, value) in [
            ("formats", json!(["summary"])),
            ("formats", json!(["markdown@fullPage"])),
            ("formats", json!([{ "type": "json", "prompt": "x" }])),
            ("includeTags", json!(["a:hover"])),
            ("timeout", json!(0)),
            ("proxy", json!("stealth")),
            ("location", json!({ "country": "DE" })),
            ("skipTlsVerification", json!(true)),
            ("parsers", json!(["pdf"])),
            ("removeBase64Images", json!(false)),
            ("jsonOptions", json!({ "prompt": "x" })),
            ("wait_for", json!(0)),
        ] {
            let problem = check(json!({ "url": "x", name: value }))
                .err()
                .unwrap_or_else(|| panic!("{name} is accepted"));
            let is_named = ["formats", "includeTags"].contains(&name)
                || problem.cause.contains(&format!("`{name}`"));
            assert!(
                problem.status == 400 && is_named && problem.cause.contains(';'),
                "{name}: {problem:?}"
            );
        }
        for (name, value) in [("fullPage", json!(false)), ("quality", json!(80))] {
            let screenshot = json!({ "type": "screenshot", name: value });
            let problem = check(json!({ "url": "x", "formats": [screenshot] }))
                .err()
                .unwrap();
            assert!(
                problem
                    .cause
                    .contains(&format!("`{name}` of the format screenshot")),
                "{problem:?}"
            );
        }
    }

    #[test]
    fn how_a_page_is_loaded_is_taken_over() {
        let load = |request: Value| {
            serde_json::from_value::<ScrapeRequest>(request)
                .unwrap()
                .load()
        };
        let screenshot =
            json!({ "type": "screenshot", "viewport": { "width": 390, "height": 844 } });
        let wanted = load(json!({
            "url": "x", "waitFor": 1500, "headers": { "X-Token": "a", "Cookie": "b=c" }, "mobile": true, "formats": [screenshot],
        }))
        .unwrap();
        let ours = json!({
            "wait_for": ["time:1500ms"], "headers": { "X-Token": "a", "Cookie": "b=c" }, "mobile": true, "viewport": "390x844",
        });
        assert_eq!(wanted, serde_json::from_value(ours).unwrap());
        assert_eq!(
            load(json!({ "url": "x", "waitFor": 0, "headers": {}, "mobile": false })).unwrap(),
            LoadOptions::default()
        );
        let click = json!({ "type": "click", "selector": "#more" });
        let wanted = load(json!({ "url": "x", "waitFor": 500, "actions": [click] })).unwrap();
        let ours = json!({ "actions": [{ "type": "wait", "milliseconds": 500 }, click] });
        assert_eq!(
            wanted,
            serde_json::from_value(ours).unwrap(),
            "the time comes before the actions"
        );
        for (request, cause) in [
            (
                json!({ "url": "x", "headers": { "Host": "b" } }),
                "belongs to the connection",
            ),
            (
                json!({ "url": "x", "actions": [{ "type": "screenshot" }] }),
                "number 1 of `actions` is wrong",
            ),
            (
                json!({ "url": "x", "actions": [{ "type": "executeJavascript", "script": "x" }] }),
                "executeJavascript",
            ),
            (
                json!({ "url": "x", "formats": [{ "type": "screenshot", "viewport": { "width": 1 } }] }),
                "`viewport` is wrong",
            ),
            (
                json!({ "url": "x", "formats": [{ "type": "screenshot", "viewport": { "width": 1, "height": 2 } }] }),
                "1x2",
            ),
        ] {
            let problem = load(request).unwrap_err();
            assert!(
                problem.cause.contains(cause) && problem.status == 400,
                "{problem:?}"
            );
        }
    }

    #[test]
    fn what_asks_for_nothing_is_accepted() {
        let nothing = json!({
            "url": "x", "formats": null, "onlyMainContent": null, "includeTags": null, "excludeTags": [], "timeout": null,
            "waitFor": 0, "headers": {}, "actions": [], "mobile": false, "location": { "country": null }, "proxy": "auto",
            "skipTlsVerification": false, "parsers": [], "removeBase64Images": true, "blockAds": true, "maxAge": 0,
            "storeInCache": true, "integration": "x", "origin": "python-sdk", "neverHeardOf": null,
        });
        let wanted = check(nothing).unwrap();
        assert!(wanted.only_main_content && wanted.formats == BTreeSet::from(["markdown"]));
        for screenshot in [
            json!("screenshot@fullPage"),
            json!({ "type": "screenshot", "fullPage": true }),
        ] {
            assert_eq!(
                check(json!({ "url": "x", "formats": [screenshot] }))
                    .unwrap()
                    .formats,
                ["screenshot"].into()
            );
        }
    }

    #[test]
    fn metadata_are_those_that_the_page_states() {
        let html = "<meta property='og:title' content=' Gulls of the coast '><meta property='OG:image' content='/gull.jpg'>
            <meta name='og:site_name' content='Gulls'><title>x</title><p>Herring gulls drop mussels on rocks, from a height.";
        let found = taken_of(html, "https://a.example/x/", json!({ "url": "x" })).metadata;
        assert_eq!(
            (&found["ogTitle"], &found["ogSiteName"]),
            (&json!("Gulls of the coast"), &json!("Gulls"))
        );
        assert_eq!(found["ogImage"], "https://a.example/gull.jpg");
        let found = taken_of(
            "<p>Herring gulls drop mussels.",
            "http://10.0.0.1:8080/x",
            json!({ "url": "x" }),
        )
        .metadata;
        assert!(
            found["ogSiteName"].is_null() && found["ogTitle"].is_null(),
            "{found}"
        );
        let dated = "<meta property='article:published_time' content='2020-03-12'><p>Herring gulls drop mussels.";
        let found = taken_of(dated, "https://a.example/x/", json!({ "url": "x" })).metadata;
        let timed = dated.replace("2020-03-12", "2020-03-12T08:30:00+01:00");
        let of_day = taken_of(&timed, "https://a.example/x/", json!({ "url": "x" })).metadata;
        assert_eq!(of_day["publishedTime"], "2020-03-12T08:30:00+01:00");
        assert_eq!(
            (&found["publishedTime"], &found["publishedTimeSource"]),
            (&json!("2020-03-12"), &json!("article:published_time"))
        );
    }
}
