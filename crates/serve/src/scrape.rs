//! `/v2/scrape`: Firecrawl's interface, so that its clients need only another address. Unsupported
//! members are refused by name: formats that need a language model, and options of rendering and
//! fetching. Values without an effect are accepted.

use super::cleaned::{Cleaned, for_clients};
use super::page_facts::{addresses, metadata};
use super::page_fields::{
    AttributeLists, AttributeValues, AttributesRequest, Fields, FieldsRequest,
};
use super::places::{Admitted, Caller};
use super::problem::Problem;
use super::request::{CleanRequest, has_password};
use super::screenshot::Screenshot;
use super::service::Service;
use super::unsupported::{UNSUPPORTED, check_members};
use super::{body, work};
use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use url::Url;
use vclean_core::capture::{Capture, Selectors};
use vclean_core::classify::Label;
use vclean_core::emit::{EmitOptions, find};
use vclean_render::{Actions, LoadOptions, WaitFor, is_same_server};

/// The supported formats: those that need no language model.
const FORMATS: [&str; 8] = [
    "markdown",
    "html",
    "rawHtml",
    "links",
    "images",
    "screenshot",
    "attributes",
    "fields",
];

/// A page to be cleaned, as Firecrawl's clients describe it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScrapeRequest {
    /// The http or https address of the page.
    url: String,
    /// Formats of the answer: markdown (the default), html, rawHtml, links, images, screenshot.
    /// Each is a name, or an object with a `type`. Always objects are attributes (with `selectors`)
    /// and fields (with `baseSelector` and `fields`, as in Crawl4AI's schemas).
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
        match *known {
            // They have members of their own, which are read later.
            "attributes" | "fields" | "screenshot" => {}
            _ => check_members(options, &[], &format!(" of the format {name}"))?,
        }
        Ok(known)
    }

    /// The members of a format that has its own.
    ///
    /// # Errors
    /// If they are wrong.
    fn members<T: DeserializeOwned>(formats: &[Self], wanted: &str) -> Result<Option<T>, Problem> {
        let none = Map::new();
        let mut found = formats.iter().filter_map(|format| match format {
            Self::Name(name) => (name == wanted).then_some(&none),
            Self::Object { name, options } => (name == wanted).then_some(options),
        });
        let Some(members) = found.next() else {
            return Ok(None);
        };
        if found.next().is_some() {
            let cause = format!(
                "the format {wanted} is there twice; ask for the other one in another request"
            );
            return Err(Problem::request(cause));
        }
        serde_json::from_value(Value::Object(members.clone()))
            .map(Some)
            .map_err(|error| {
                Problem::request(format!(
                    "the format {wanted} is wrong: {error}; see /openapi.json"
                ))
            })
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
    /// The addresses of the pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    images: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attributes: Option<Vec<AttributeValues>>,
    /// An object for each element that the base selector names.
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<Vec<Value>>,
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
    attributes: Option<AttributeLists>,
    fields: Option<Fields>,
    screenshot: Screenshot,
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
        let formats = self.formats.as_deref().unwrap_or_default();
        let screenshot: Option<Screenshot> = FormatName::members(formats, "screenshot")?;
        let viewport = screenshot.unwrap_or_default().viewport()?;
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
        let requested = self.formats.unwrap_or_default();
        let fields: Option<FieldsRequest> = FormatName::members(&requested, "fields")?;
        let attributes: Option<AttributesRequest> = FormatName::members(&requested, "attributes")?;
        let screenshot: Option<Screenshot> = FormatName::members(&requested, "screenshot")?;
        let mut formats = requested
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
            include: Selectors::parse(&self.include_tags.unwrap_or_default())
                .map_err(Problem::request)?,
            exclude: Selectors::parse(&self.exclude_tags.unwrap_or_default())
                .map_err(Problem::request)?,
            attributes: attributes.map(AttributesRequest::check).transpose()?,
            fields: fields.map(FieldsRequest::check).transpose()?,
            screenshot: screenshot.unwrap_or_default().check()?,
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
            .then(|| {
                let window_px = cleaned.capture.record.viewport_px;
                self.screenshot.encode(cleaned.picture()?, window_px)
            })
            .transpose()?;
        let (warnings, dom) = (
            for_clients(&cleaned.capture.record.warnings),
            &cleaned.capture.dom,
        );
        Ok(Scraped {
            markdown,
            html,
            raw_html: has("rawHtml").then(source),
            links: has("links").then(|| addresses(&cleaned.capture, "a", "href")),
            images: has("images").then(|| addresses(&cleaned.capture, "img", "src")),
            attributes: self.attributes.as_ref().map(|lists| lists.values(dom)),
            fields: self
                .fields
                .as_ref()
                .map(|fields| fields.objects(dom))
                .transpose()?,
            screenshot,
            warning: Some(warnings.join("; ")).filter(|warning| !warning.is_empty()),
            metadata: metadata(&cleaned, &self.url),
        })
    }
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
        let formats = json!([
            "images", { "type": "attributes", "selectors": [{ "selector": "p[class]", "attribute": "class" }] },
            { "type": "fields", "baseSelector": "nav a", "fields": [{ "name": "to", "type": "attribute", "attribute": "href" }] },
        ]);
        let request = json!({ "url": "https://a.example/x/", "formats": formats });
        let page = PAGE.replace("<nav>", "<img src=gull.png><nav>");
        let found = taken_of(&page, "https://a.example/x/", request);
        assert_eq!(found.images.unwrap(), ["https://a.example/x/gull.png"]);
        assert_eq!(
            serde_json::to_value(found.attributes).unwrap(),
            json!([{ "selector": "p[class]", "attribute": "class", "values": ["note"] }])
        );
        assert_eq!(
            found.fields.unwrap(),
            [json!({ "to": "/" }), json!({ "to": "about" })]
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
            ("formats", json!(["fields"])),
            (
                "formats",
                json!([{ "type": "attributes", "selectors": [{ "selector": "a" }] }]),
            ),
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
        for (name, value) in [("quality", json!(0)), ("fullLength", json!(true))] {
            let screenshot = json!({ "type": "screenshot", name: value });
            let problem = check(json!({ "url": "x", "formats": [screenshot] }))
                .err()
                .unwrap();
            assert!(problem.cause.contains(&format!("`{name}`")), "{problem:?}");
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
                "missing field `height`",
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
