//! `/v2/scrape`: Firecrawl's interface, so that its clients work by changing an address. What needs more than the page,
//! such as summaries by a language model, is refused by name; members that are not known are left out.

use super::cleaned::{Cleaned, for_clients};
use super::places::Caller;
use super::problem::Problem;
use super::request::CleanRequest;
use super::service::Service;
use super::{body, work};
use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use url::Url;
use vclean_core::capture::{Capture, Dom, NodeId};
use vclean_core::classify::Label;
use vclean_core::clean::Metadata;
use vclean_core::emit::{EmitOptions, find};

/// The formats that need no language model.
const FORMATS: [&str; 5] = ["markdown", "html", "rawHtml", "links", "screenshot"];

/// A page to be cleaned, as Firecrawl's clients describe it. Other members are tolerated.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScrapeRequest {
    /// The http or https address of the page.
    url: String,
    /// What is wanted: markdown (the default), html, rawHtml, links, screenshot; names, or objects with a `type`.
    #[serde(default)]
    formats: Vec<FormatName>,
    /// Whether only the main text is wanted; otherwise all text of the page.
    #[serde(default = "yes")]
    only_main_content: bool,
    /// Only what is in these parts of the page: tags, .classes and #ids.
    #[serde(default)]
    include_tags: Option<Vec<String>>,
    /// Nothing that is in these parts of the page.
    #[serde(default)]
    exclude_tags: Option<Vec<String>>,
    /// Time limit in ms.
    #[serde(default)]
    timeout: Option<u64>,
}

fn yes() -> bool {
    true
}

/// A format by its name, or an object with its name.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
enum FormatName {
    Name(String),
    Object {
        #[serde(rename = "type")]
        name: String,
    },
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
struct Scraped {
    #[serde(skip_serializing_if = "Option::is_none")]
    markdown: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw_html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Vec<String>>,
    /// A data URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    screenshot: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    metadata: Value,
}

/// What becomes of the page, checked.
struct Wanted {
    url: String,
    formats: BTreeSet<&'static str>,
    only_main_content: bool,
    include: Vec<Selector>,
    exclude: Vec<Selector>,
}

/// A problem in Firecrawl's shape.
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
) -> Result<Json<ScrapeAnswer>, ScrapeProblem> {
    let admitted = service.admit(caller, false)?;
    if body::media_type(&headers) != "application/json" {
        let cause = "the content type is not application/json; name it in the request";
        return Err(Problem::new(axum::http::StatusCode::UNSUPPORTED_MEDIA_TYPE, cause).into());
    }
    let bytes = body::read(body, service.options.max_body_bytes).await?;
    let request: ScrapeRequest = body::json(&bytes)?;
    let timeout_ms = request.timeout;
    let wanted = request.check()?;
    let clean = CleanRequest {
        url: Some(wanted.url.clone()),
        screenshot: wanted.formats.contains("screenshot"),
        timeout_ms,
        ..CleanRequest::default()
    };
    let job = clean.check(&service.cleaners, service.defaults())?;
    let data = work::run(&service, admitted, job, move |cleaned, _| wanted.take(cleaned)).await?;
    Ok(Json(ScrapeAnswer { success: true, data }))
}

impl ScrapeRequest {
    fn check(self) -> Result<Wanted, Problem> {
        let mut formats = BTreeSet::new();
        for format in &self.formats {
            let (FormatName::Name(name) | FormatName::Object { name }) = format;
            // Names of the first version of the interface.
            let name = name.strip_suffix("@fullPage").unwrap_or(name);
            let known = FORMATS.iter().find(|known| **known == name).ok_or_else(|| {
                let known = FORMATS.join(", ");
                Problem::request(format!("the format {name} is not offered here; choose some of {known}"))
            })?;
            formats.insert(*known);
        }
        if formats.is_empty() {
            formats.insert(FORMATS[0]);
        }
        let selectors = |texts: Option<Vec<String>>| {
            texts.unwrap_or_default().iter().map(|text| Selector::parse(text)).collect::<Result<Vec<_>, _>>()
        };
        Ok(Wanted {
            url: self.url,
            formats,
            only_main_content: self.only_main_content,
            include: selectors(self.include_tags)?,
            exclude: selectors(self.exclude_tags)?,
        })
    }
}

impl Wanted {
    /// Takes what is wanted of a cleaned page.
    fn take(&self, mut cleaned: Cleaned) -> Result<Scraped, Problem> {
        let is_changed = !self.only_main_content || !self.include.is_empty() || !self.exclude.is_empty();
        if is_changed {
            let names = |selectors: &[Selector], capture: &Capture, id| {
                selectors.iter().any(|selector| selector.contains(&capture.dom, id))
            };
            cleaned.relabel(|capture, target, label| {
                (label == Label::Content || !self.only_main_content)
                    && (self.include.is_empty() || names(&self.include, capture, target.container))
                    && !names(&self.exclude, capture, target.container)
            });
        }
        let has = |format: &str| self.formats.contains(format);
        let options = EmitOptions { links: true, ..EmitOptions::default() };
        let written = |format: &str| {
            let format = find(format).filter(|format| has(format.name));
            format.map(|format| (format.write)(&cleaned.page.document, &options))
        };
        let (markdown, html) = (written("markdown"), written("html"));
        let source = || cleaned.source.clone().unwrap_or_else(|| cleaned.capture.dom.to_html());
        let screenshot = has("screenshot").then(|| cleaned.screenshot()).transpose()?;
        let warnings = for_clients(&cleaned.capture.record.warnings);
        Ok(Scraped {
            markdown,
            html,
            raw_html: has("rawHtml").then(source),
            links: has("links").then(|| links(&cleaned.capture)),
            screenshot: screenshot.map(|png| format!("data:image/png;base64,{}", STANDARD.encode(png))),
            warning: Some(warnings.join("; ")).filter(|warning| !warning.is_empty()),
            metadata: self.metadata(&cleaned),
        })
    }

    fn metadata(&self, cleaned: &Cleaned) -> Value {
        let Metadata { title, author, date, language, site, description, .. } = &cleaned.page.document.metadata;
        json!({
            "title": title, "description": description, "language": language, "author": author,
            "publishedTime": date, "ogSiteName": site, "sourceURL": self.url,
            "url": cleaned.capture.address().unwrap_or(&self.url), "statusCode": 200, "contentType": "text/html",
        })
    }
}

/// The http and https links of a page, each once, in their order.
fn links(capture: &Capture) -> Vec<String> {
    let dom = &capture.dom;
    let page = capture.address().and_then(|address| Url::parse(address).ok());
    let named = dom.ids().filter(|id| dom.tag(*id) == "base").find_map(|id| dom.attribute(id, "href"));
    let base = match (&page, named) {
        (Some(page), Some(named)) => page.join(named).ok().or(Some(page.clone())),
        _ => page,
    };
    let mut seen = BTreeSet::new();
    let targets = dom.ids().filter(|id| dom.tag(*id) == "a").filter_map(|id| dom.attribute(id, "href"));
    let absolute = targets.filter_map(|target| match &base {
        Some(base) => base.join(target.trim()).ok(),
        None => Url::parse(target.trim()).ok(),
    });
    let links = absolute.filter(|url| matches!(url.scheme(), "http" | "https")).map(String::from);
    links.filter(|link| seen.insert(link.clone())).collect()
}

/// One of the few selectors with which clients name parts of a page: a tag, `.class`, `#id`, or several of them together,
/// such as `div.note`. Own code: a whole selector engine is part of the build only with the built-in engine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Selector {
    tag: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
}

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    /// If it has anything but a tag, classes and an id.
    fn parse(text: &str) -> Result<Self, Problem> {
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '-' | '_'))
        };
        let unknown = || {
            Problem::request(format!(
                "the selector {text} is not supported; use a tag, .class, #id, or several of them such as div.note"
            ))
        };
        let mut selector = Self::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (kind, named) = match rest.as_bytes()[0] {
                kind @ (b'.' | b'#') => (kind, &rest[1..]),
                _ => (0, rest),
            };
            let end = named.find(['.', '#']).unwrap_or(named.len());
            let name = &named[..end];
            match kind {
                b'.' if is_name(name) => selector.classes.push(name.to_owned()),
                b'#' if is_name(name) && selector.id.is_none() => selector.id = Some(name.to_owned()),
                0 if name == "*" && selector == Self::default() && end == rest.len() => {}
                0 if is_name(name) && selector == Self::default() => selector.tag = Some(name.to_lowercase()),
                _ => return Err(unknown()),
            }
            rest = &named[end..];
        }
        if text.trim().is_empty() { Err(unknown()) } else { Ok(selector) }
    }

    /// Whether it names this element.
    fn is(&self, dom: &Dom, id: NodeId) -> bool {
        let classes = dom.attribute(id, "class").unwrap_or_default();
        let has_class = |class: &String| classes.split_ascii_whitespace().any(|found| found == class);
        dom.is_element(id)
            && self.tag.as_ref().is_none_or(|tag| tag == dom.tag(id))
            && self.id.as_ref().is_none_or(|name| dom.attribute(id, "id") == Some(name))
            && self.classes.iter().all(has_class)
    }

    /// Whether it names this node or one around it.
    fn contains(&self, dom: &Dom, id: NodeId) -> bool {
        std::iter::once(id).chain(dom.ancestors(id)).any(|id| self.is(dom, id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::cleaner::PageCleaner;
    use vclean_core::html::parse_html;
    use vclean_core::page::Page;

    const PAGE: &str = "<title>Gulls</title><body><nav><a href='/'>Home</a> <a href='about'>About us</a></nav><article>
        <h1>Herring gulls</h1><p>Herring gulls drop mussels on rocks, from a height that depends on how hard the shell
        is, and they seldom have to try more than twice.</p><p class=note>A note that stands in the text of the page, as
        long as any other paragraph of it, so that it counts as one.</p></article><a href='mailto:a@b.example'>Mail</a>
        <a href='/'>Home again</a></body>";

    fn taken(request: Value) -> Scraped {
        let page = Page::from_html("x", PAGE).with_url("https://a.example/x/");
        let cleaner = PageCleaner::new(&vclean_core::cleaner::Options::default()).unwrap();
        let (capture, page) = cleaner.clean_bare(&page).unwrap();
        let cleaned = Cleaned { page, capture, source: Some(PAGE.to_owned()) };
        serde_json::from_value::<ScrapeRequest>(request).unwrap().check().unwrap().take(cleaned).unwrap()
    }

    #[test]
    fn formats_are_those_that_were_requested() {
        let found = taken(json!({ "url": "https://a.example/x/", "mobile": true, "proxy": "auto" }));
        assert!(found.markdown.unwrap().contains("drop mussels") && found.html.is_none() && found.links.is_none());
        assert_eq!(found.metadata["title"], "Herring gulls");
        let formats = json!(["html", { "type": "rawHtml" }, "links"]);
        let found = taken(json!({ "url": "https://a.example/x/", "formats": formats }));
        assert!(found.markdown.is_none() && found.html.unwrap().contains("<h1>"));
        assert_eq!(found.raw_html.as_deref(), Some(PAGE));
        assert_eq!(found.links.unwrap(), ["https://a.example/", "https://a.example/x/about"]);
    }

    #[test]
    fn parts_are_included_and_left_out() {
        let markdown = |request: Value| {
            let mut whole = json!({ "url": "https://a.example/x/" });
            whole.as_object_mut().unwrap().extend(request.as_object().unwrap().clone());
            taken(whole).markdown.unwrap()
        };
        let all = markdown(json!({ "onlyMainContent": false }));
        assert!(all.contains("About us") && all.contains("drop mussels"), "{all}");
        let without = markdown(json!({ "excludeTags": [".note"] }));
        assert!(without.contains("drop mussels") && !without.contains("A note"), "{without}");
        let only = markdown(json!({ "includeTags": ["nav"], "onlyMainContent": false }));
        assert!(only.contains("About us") && !only.contains("drop mussels"), "{only}");
    }

    #[test]
    fn what_needs_a_language_model_is_refused() {
        for request in [json!({ "url": "x", "formats": ["summary"] }), json!({ "url": "x", "includeTags": ["a b"] })] {
            assert!(serde_json::from_value::<ScrapeRequest>(request).unwrap().check().is_err());
        }
    }

    #[test]
    fn parts_of_a_page_are_named_by_tag_class_and_id() {
        let dom = parse_html("<div id=a class='x y'><p>one</p></div><p class=z>two</p>");
        let text = |wanted: &str| dom.ids().find(|&id| dom.text(id) == Some(wanted)).unwrap();
        let contains = |selector: &str, wanted| Selector::parse(selector).unwrap().contains(&dom, text(wanted));
        for selector in ["div", "DIV", "#a", ".x", ".y.x", "div.x", "div#a.y", "p", "*"] {
            assert!(contains(selector, "one"), "{selector}");
        }
        for selector in ["div", "#a", ".x", "div.z", "#two", ".zz"] {
            assert!(!contains(selector, "two"), "{selector}");
        }
        assert!(contains("p.z", "two"));
    }

    #[test]
    fn other_selectors_are_refused() {
        for text in ["", " ", "div p", "div > p", "[href]", "a:hover", ".", "#", "p.", "#a#b", "*.x", "a,b", ".x p"] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
    }
}
