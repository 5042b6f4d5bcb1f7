//! The table of endpoints, from which the router, the OpenAPI 3.1 description of the interface and
//! the checks of its documentation are made. It also has the endpoints that do not clean. To add an
//! endpoint, add an entry.

use super::body::PAGE_TYPES;
use super::clean::{self, LINE_TYPES, line_schema};
use super::cleaned::CleanAnswer;
use super::crawl::{self, BatchScrapeRequest, CrawlRequest, MapAnswer, MapRequest};
use super::job_answers::{
    self, ActiveCrawls, Cancelled, JobAnswer, JobErrors, JobList, JobQuery, JobStarted,
};
use super::log::Gauges;
use super::mcp;
use super::places::Caller;
use super::problem::{Problem, ProblemAnswer, STATUSES};
use super::reader::{self, LoadedPage, LoaderRequest};
use super::request::{CleanRequest, MakeSchema, query_schema};
use super::scrape::{self, ScrapeAnswer, ScrapeRequest};
use super::service::Service;
use axum::Json;
use axum::extract::{Extension, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, delete, get, post};
use schemars::generate::SchemaSettings;
use schemars::transform::{ReplaceBoolSchemas, Transform};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Media types of a page to be cleaned, JSON first.
const CLEAN_TYPES: [&str; 5] = [
    "application/json",
    PAGE_TYPES[0],
    PAGE_TYPES[1],
    PAGE_TYPES[2],
    PAGE_TYPES[3],
];
/// Media type of the figures, as Prometheus requests them.
const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The OpenAPI description of a body that is a page.
const PAGE_BODY: &str = "a request in JSON, which has no query; or a page itself, for which the query says what is wanted, with the \
                         parameters of the same endpoint with GET";

/// The OpenAPI description of a part of a path.
const PATH_PART: &str =
    "the id that the answer to the request which started the job has, or the address of a page";

/// A file of the pages of the service: its path, its media type and its content. Pages have no
/// ending in their path, and `index.html` is at `/`.
pub(super) fn page_files() -> impl Iterator<Item = (String, &'static str, &'static str)> {
    vclean_js::SERVE.iter().map(|&(name, content)| {
        let path = match name.strip_suffix(".html") {
            Some("index") => "/".to_owned(),
            Some(page) => format!("/{page}"),
            None => format!("/{name}"),
        };
        let media_type = match name.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            _ => "text/javascript; charset=utf-8",
        };
        (path, media_type, content)
    })
}

pub(super) struct Endpoint {
    pub(super) method: Method,
    pub(super) path: &'static str,
    /// Description in one line.
    pub(super) doc: &'static str,
    /// True if it needs no token.
    pub(super) is_open: bool,
    /// True if requests are logged; those of monitors would fill the log.
    pub(super) is_logged: bool,
    /// The parameters of its query: the members of an object.
    pub(super) query: Option<MakeSchema>,
    /// The media types of the request, and the schema of the first one.
    pub(super) body: Option<(&'static [&'static str], MakeSchema)>,
    /// The media type of the answer, and its schema.
    pub(super) answer: (&'static str, MakeSchema),
    /// The handler of its requests.
    pub(super) route: fn(&Arc<Service>) -> MethodRouter<Arc<Service>>,
}

pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        method: Method::POST,
        path: "/v1/clean",
        doc: "cleans a page given as JSON, HTML or MHTML, or by its address",
        is_open: false,
        is_logged: true,
        query: None,
        body: Some((&CLEAN_TYPES, SchemaGenerator::subschema_for::<CleanRequest>)),
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<CleanAnswer>,
        ),
        route: |_| post(clean::post),
    },
    Endpoint {
        method: Method::GET,
        path: "/v1/clean",
        doc: "cleans the page at an address",
        is_open: false,
        is_logged: true,
        query: Some(query_schema),
        body: None,
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<CleanAnswer>,
        ),
        route: |_| get(clean::get),
    },
    Endpoint {
        method: Method::POST,
        path: "/v1/batch",
        doc: "cleans many pages: one JSON object per line, and one line of JSON for each, in the same order",
        is_open: false,
        is_logged: true,
        query: None,
        body: Some((&LINE_TYPES, SchemaGenerator::subschema_for::<CleanRequest>)),
        answer: (LINE_TYPES[0], line_schema),
        route: |_| post(clean::post_batch),
    },
    Endpoint {
        method: Method::POST,
        path: "/v2/scrape",
        doc: "the same page in the shape of Firecrawl's interface, for its clients",
        is_open: false,
        is_logged: true,
        query: None,
        body: Some((
            &["application/json"],
            SchemaGenerator::subschema_for::<ScrapeRequest>,
        )),
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<ScrapeAnswer>,
        ),
        route: |_| post(scrape::post),
    },
    Endpoint {
        method: Method::POST,
        path: "/v1/scrape",
        doc: "the same for older clients of Firecrawl",
        is_open: false,
        is_logged: true,
        query: None,
        body: Some((
            &["application/json"],
            SchemaGenerator::subschema_for::<ScrapeRequest>,
        )),
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<ScrapeAnswer>,
        ),
        route: |_| post(scrape::post),
    },
    Endpoint {
        method: Method::POST,
        path: "/v2/crawl",
        doc: "starts a crawl of a whole site",
        is_open: false,
        is_logged: true,
        query: None,
        body: Some((
            &["application/json"],
            SchemaGenerator::subschema_for::<CrawlRequest>,
        )),
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<JobStarted>,
        ),
        route: |_| post(crawl::post),
    },
    Endpoint {
        method: Method::GET,
        path: "/v2/crawl/active",
        doc: "the crawls that run",
        is_open: false,
        is_logged: true,
        query: None,
        body: None,
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<ActiveCrawls>,
        ),
        route: |_| get(job_answers::crawls_active),
    },
    Endpoint {
        method: Method::GET,
        path: "/v2/crawl/{id}",
        doc: "the status and the results of a crawl",
        is_open: false,
        is_logged: true,
        query: Some(SchemaGenerator::root_schema_for::<JobQuery>),
        body: None,
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<JobAnswer>,
        ),
        route: |_| get(job_answers::crawl_status),
    },
    Endpoint {
        method: Method::DELETE,
        path: "/v2/crawl/{id}",
        doc: "cancels a crawl",
        is_open: false,
        is_logged: true,
        query: None,
        body: None,
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<Cancelled>,
        ),
        route: |_| delete(job_answers::crawl_cancel),
    },
    Endpoint {
        method: Method::GET,
        path: "/v2/crawl/{id}/errors",
        doc: "the pages of a crawl that have no result",
        is_open: false,
        is_logged: true,
        query: None,
        body: None,
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<JobErrors>,
        ),
        route: |_| get(job_answers::crawl_errors),
    },
    Endpoint {
        method: Method::POST,
        path: "/v2/map",
        doc: "the addresses of a site",
        is_open: false,
        is_logged: true,
        query: None,
        body: Some((
            &["application/json"],
            SchemaGenerator::subschema_for::<MapRequest>,
        )),
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<MapAnswer>,
        ),
        route: |_| post(crawl::post_map),
    },
    Endpoint {
        method: Method::POST,
        path: "/v2/batch/scrape",
        doc: "starts the work on a list of addresses",
        is_open: false,
        is_logged: true,
        query: None,
        body: Some((
            &["application/json"],
            SchemaGenerator::subschema_for::<BatchScrapeRequest>,
        )),
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<JobStarted>,
        ),
        route: |_| post(crawl::post_batch),
    },
    Endpoint {
        method: Method::GET,
        path: "/v2/batch/scrape/{id}",
        doc: "the status and the results of a list",
        is_open: false,
        is_logged: true,
        query: Some(SchemaGenerator::root_schema_for::<JobQuery>),
        body: None,
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<JobAnswer>,
        ),
        route: |_| get(job_answers::batch_status),
    },
    Endpoint {
        method: Method::DELETE,
        path: "/v2/batch/scrape/{id}",
        doc: "cancels the work on a list",
        is_open: false,
        is_logged: true,
        query: None,
        body: None,
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<Cancelled>,
        ),
        route: |_| delete(job_answers::batch_cancel),
    },
    Endpoint {
        method: Method::GET,
        path: "/v2/batch/scrape/{id}/errors",
        doc: "the addresses of a list that have no result",
        is_open: false,
        is_logged: true,
        query: None,
        body: None,
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<JobErrors>,
        ),
        route: |_| get(job_answers::batch_errors),
    },
    Endpoint {
        method: Method::GET,
        path: "/v1/jobs",
        doc: "the crawls and lists, running and ended ones",
        is_open: false,
        is_logged: false,
        query: None,
        body: None,
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<JobList>,
        ),
        route: |_| get(job_answers::list),
    },
    Endpoint {
        method: Method::GET,
        path: "/r/{*address}",
        doc: "the text of the page whose address follows, in the type that `Accept` asks for",
        is_open: false,
        is_logged: true,
        query: None,
        body: None,
        answer: ("text/markdown", text_schema),
        route: |_| get(reader::get),
    },
    Endpoint {
        method: Method::POST,
        path: "/",
        doc: "the texts of pages, for the external loader of Open WebUI",
        is_open: false,
        is_logged: true,
        query: None,
        body: Some((
            &["application/json"],
            SchemaGenerator::subschema_for::<LoaderRequest>,
        )),
        answer: (
            "application/json",
            SchemaGenerator::subschema_for::<Vec<LoadedPage>>,
        ),
        route: |_| post(reader::post),
    },
    Endpoint {
        method: Method::POST,
        path: mcp::PATH,
        doc: "tools for language models, over the Model Context Protocol (streamable HTTP)",
        is_open: false,
        is_logged: true,
        query: None,
        body: Some((&["application/json"], any_schema)),
        answer: ("application/json", any_schema),
        route: |service| {
            let protocol = mcp::over_http(service);
            any(
                move |Extension(caller): Extension<Caller>, request: Request| {
                    protocol.clone().answer(caller, request)
                },
            )
        },
    },
    Endpoint {
        method: Method::GET,
        path: "/healthz",
        doc: "whether the program runs",
        is_open: true,
        is_logged: false,
        query: None,
        body: None,
        answer: ("text/plain", text_schema),
        route: |_| get(healthz),
    },
    Endpoint {
        method: Method::GET,
        path: "/readyz",
        doc: "whether the service accepts pages",
        is_open: true,
        is_logged: false,
        query: None,
        body: None,
        answer: ("text/plain", text_schema),
        route: |_| get(readyz),
    },
    Endpoint {
        method: Method::GET,
        path: "/metrics",
        doc: "figures for Prometheus",
        is_open: false,
        is_logged: false,
        query: None,
        body: None,
        answer: (METRICS_TYPE, text_schema),
        route: |_| get(metrics),
    },
    Endpoint {
        method: Method::GET,
        path: "/openapi.json",
        doc: "this description",
        is_open: true,
        is_logged: false,
        query: None,
        body: None,
        answer: ("application/json", any_schema),
        route: |_| get(openapi),
    },
    Endpoint {
        method: Method::GET,
        path: "/",
        doc: "a page to try the service: text and decisions side by side",
        is_open: true,
        is_logged: true,
        query: None,
        body: None,
        answer: ("text/html", text_schema),
        route: |_| get(|| async { page_file("/") }),
    },
    Endpoint {
        method: Method::GET,
        path: "/jobs",
        doc: "a page that shows the jobs and cancels them",
        is_open: true,
        is_logged: true,
        query: None,
        body: None,
        answer: ("text/html", text_schema),
        route: |_| get(|| async { page_file("/jobs") }),
    },
];

/// The endpoint of a request, or another one with the same path.
pub(super) fn endpoint_of(method: &Method, path: &str) -> Option<&'static Endpoint> {
    let here = || {
        ENDPOINTS
            .iter()
            .filter(|endpoint| is_path_of(endpoint.path, path))
    };
    here()
        .find(|endpoint| endpoint.method == method)
        .or_else(|| here().next())
}

/// Returns true if `path` matches the path of an endpoint, whose parts in braces match anything.
fn is_path_of(described: &str, path: &str) -> bool {
    let (mut described, mut path) = (described.split('/'), path.split('/'));
    loop {
        match (described.next(), path.next()) {
            (None, None) => return true,
            (Some(part), Some(other)) if part.starts_with("{*") => return !other.is_empty(),
            (Some(part), Some(other))
                if part == other || part.starts_with('{') && !other.is_empty() => {}
            _ => return false,
        }
    }
}

fn text_schema(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<String>()
}

fn any_schema(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<serde_json::Value>()
}

/// Answers that the program runs.
async fn healthz() -> &'static str {
    "ok\n"
}

/// Answers with success if the service accepts pages.
async fn readyz(State(service): State<Arc<Service>>) -> Result<&'static str, Problem> {
    if service.stop.is_set() {
        Err(Problem::stopping())
    } else {
        Ok("ready\n")
    }
}

async fn metrics(State(service): State<Arc<Service>>) -> Response {
    let gauges = Gauges {
        running: service.places.running(),
        browser_restarts: service.renderer.restarts(),
    };
    (
        [(header::CONTENT_TYPE, METRICS_TYPE)],
        service.metrics.text(gauges),
    )
        .into_response()
}

pub(super) fn is_page_file(path: &str) -> bool {
    page_files().any(|(known, ..)| known == path)
}

pub(super) fn page_file(path: &str) -> Response {
    let found = page_files().find(|(known, ..)| known == path);
    found.map_or_else(
        || Problem::new(StatusCode::NOT_FOUND, "there is no such file").into_response(),
        |(_, media_type, content)| ([(header::CONTENT_TYPE, media_type)], content).into_response(),
    )
}

/// The OpenAPI description of the interface, made once.
#[derive(Clone)]
pub(super) struct Description(Arc<Value>);

async fn openapi(Extension(Description(description)): Extension<Description>) -> Json<Value> {
    Json(Value::clone(&description))
}

impl Description {
    pub(super) fn new(endpoints: &[Endpoint]) -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        let mut generator = SchemaGenerator::new(settings);
        let problem = generator.subschema_for::<ProblemAnswer>();
        // Requests that do not reach the protocol, such as those without a token, get the same
        // error format as elsewhere.
        let of_protocol =
            json!({ "anyOf": [generator.subschema_for::<mcp::ProtocolProblem>(), &problem] });
        let mut paths: Map<String, Value> = Map::new();
        for endpoint in endpoints {
            let problem = if endpoint.path == mcp::PATH {
                &of_protocol
            } else {
                problem.as_value()
            };
            let operation = operation(endpoint, &mut generator, problem);
            let path = paths
                .entry(endpoint.path.replace("{*", "{"))
                .or_insert_with(|| json!({}));
            path[endpoint.method.as_str().to_ascii_lowercase()] = operation;
        }
        Self(Arc::new(json!({
            "openapi": "3.1.0",
            "info": {
                "title": "vclean", "version": env!("CARGO_PKG_VERSION"),
                "description": "Cleans web pages by looking at them: renders, measures and classifies every text block, and writes the text \
                                without the boilerplate.",
                "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            },
            "servers": [{ "url": "/" }],
            "paths": paths,
            "components": {
                "schemas": definitions(&mut generator),
                "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            },
        })))
    }
}

/// An endpoint as OpenAPI describes it.
fn operation(endpoint: &Endpoint, generator: &mut SchemaGenerator, problem: &Value) -> Value {
    let (media_type, schema) = endpoint.answer;
    let media_type = media_type.split(';').next().unwrap_or_default();
    let failed = |text: &str| json!({ "description": text, "content": { "application/json": { "schema": problem } } });
    let mut operation = json!({
        "summary": endpoint.doc,
        "operationId": operation_id(endpoint),
        "tags": [tag(endpoint.path)],
        "responses": {
            "200": { "description": "the answer", "content": { media_type: { "schema": plain(schema(generator)) } } },
            "default": failed("why there is no answer"),
        },
    });
    if !endpoint.is_open {
        // A service on the loopback interface needs no token.
        operation["security"] = json!([{ "token": [] }, {}]);
    }
    let takes_pages = endpoint.query.is_some() || endpoint.body.is_some();
    for (status, text) in STATUSES.iter().filter(|_| takes_pages) {
        operation["responses"][status.to_string()] = failed(text);
    }
    if let Some(query) = endpoint.query {
        operation["parameters"] = parameters(plain(query(generator)).as_value());
    }
    let named = endpoint
        .path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    for name in named.map(|name| name.trim_start_matches('*')) {
        let schema = json!({ "type": "string" });
        let parameter = json!({ "name": name, "in": "path", "required": true, "description": PATH_PART, "schema": schema });
        match operation["parameters"].as_array_mut() {
            Some(parameters) => parameters.push(parameter),
            None => operation["parameters"] = json!([parameter]),
        }
    }
    if let Some((media_types, schema)) = endpoint.body {
        let whole = plain(schema(generator));
        let content = media_types
            .iter()
            .enumerate()
            .map(|(position, media_type)| {
                let schema = if position == 0 {
                    whole.as_value().clone()
                } else {
                    json!({ "type": "string" })
                };
                ((*media_type).to_owned(), json!({ "schema": schema }))
            });
        operation["requestBody"] =
            json!({ "required": true, "content": content.collect::<Map<_, _>>() });
        if media_types.contains(&PAGE_TYPES[0]) {
            operation["requestBody"]["description"] = PAGE_BODY.into();
        }
    }
    operation
}

fn definitions(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let definitions = generator.take_definitions(true).into_iter();
    let plain = |schema: Value| {
        Schema::try_from(schema).map_or_else(|_| json!({}), |schema| plain(schema).to_value())
    };
    definitions
        .map(|(name, schema)| (name, plain(schema)))
        .collect()
}

/// Replaces schemas that are `true` (accept everything) with empty objects, because generators of
/// clients do not know `true`.
fn plain(mut schema: Schema) -> Schema {
    let mut replace = ReplaceBoolSchemas::default();
    replace.skip_additional_properties = true;
    replace.transform(&mut schema);
    schema
}

/// The group of an endpoint.
fn tag(path: &str) -> &'static str {
    match path {
        "/v1/scrape" => "firecrawl",
        _ if ["crawl", "jobs", "/v2/batch"]
            .iter()
            .any(|part| path.contains(part)) =>
        {
            "jobs"
        }
        _ if path.starts_with("/v2/") => "firecrawl",
        _ if path.starts_with("/v1/") => "clean",
        _ if path.starts_with("/r/") || path == "/" => "reader",
        mcp::PATH => "models",
        _ => "service",
    }
}

/// A name such as `post_v1_clean`.
fn operation_id(endpoint: &Endpoint) -> String {
    let words = endpoint
        .path
        .split(['/', '.', '{', '}', '*'])
        .filter(|word| !word.is_empty());
    std::iter::once(endpoint.method.as_str().to_ascii_lowercase())
        .chain(words.map(str::to_owned))
        .collect::<Vec<_>>()
        .join("_")
}

/// The members of an object as parameters of the query.
fn parameters(object: &Value) -> Value {
    let members = object["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default();
    let parameter = |(name, mut schema): (String, Value)| {
        let text = schema
            .as_object_mut()
            .and_then(|schema| schema.remove("description"))
            .unwrap_or_default();
        let is_list = schema["type"] == "array";
        let mut parameter = json!({ "name": name, "in": "query", "required": false, "description": text, "schema": schema });
        if is_list {
            // Several values are separated by commas.
            parameter["explode"] = false.into();
        }
        parameter
    };
    members.into_iter().map(parameter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn the_documentation_has_every_endpoint_and_no_other() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/service.md");
        let text = std::fs::read_to_string(file).unwrap();
        let is_row = |line: &&str| {
            ["| `GET ", "| `POST ", "| `DELETE "]
                .iter()
                .any(|start| line.starts_with(start))
        };
        let documented: Vec<&str> = text.lines().filter(is_row).collect();
        let expected = ENDPOINTS.iter().map(|endpoint| {
            format!(
                "| `{} {}` | {} |",
                endpoint.method, endpoint.path, endpoint.doc
            )
        });
        assert_eq!(documented, expected.collect::<Vec<_>>());
    }

    #[test]
    fn requests_are_counted_at_their_endpoint() {
        let counted_at = |method, path| {
            endpoint_of(&method, path).map(|endpoint| (endpoint.method.clone(), endpoint.path))
        };
        assert_eq!(
            counted_at(Method::GET, "/v1/clean"),
            Some((Method::GET, "/v1/clean"))
        );
        assert_eq!(
            counted_at(Method::DELETE, "/mcp"),
            Some((Method::POST, "/mcp"))
        );
        assert_eq!(counted_at(Method::GET, "/v1/clean/"), None);
        assert_eq!(
            counted_at(Method::DELETE, "/v2/crawl/0ab1"),
            Some((Method::DELETE, "/v2/crawl/{id}"))
        );
        assert_eq!(
            counted_at(Method::GET, "/v2/crawl/0ab1/errors"),
            Some((Method::GET, "/v2/crawl/{id}/errors"))
        );
        assert_eq!(
            counted_at(Method::GET, "/r/https://a.example/x"),
            Some((Method::GET, "/r/{*address}"))
        );
        assert_eq!(
            (
                counted_at(Method::GET, "/v2/crawl/"),
                counted_at(Method::GET, "/v2/crawl/a/b")
            ),
            (None, None)
        );
    }

    /// All values of `$ref` in a document.
    fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str));
                members.values().for_each(|value| references(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_endpoint_is_described_and_every_reference_leads_somewhere() {
        let Description(document) = Description::new(ENDPOINTS);
        let mut names = BTreeSet::new();
        for endpoint in ENDPOINTS {
            let operation = &document["paths"][endpoint.path.replace("{*", "{")]
                [endpoint.method.as_str().to_ascii_lowercase()];
            assert_eq!(operation["summary"], endpoint.doc);
            assert!(
                names.insert(operation["operationId"].as_str()),
                "{}",
                endpoint.path
            );
            let takes_pages = endpoint.body.is_some() || endpoint.query.is_some();
            assert_eq!(
                operation["responses"]["403"].is_object(),
                takes_pages,
                "{}",
                endpoint.path
            );
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                assert!(
                    !parameter["description"]
                        .as_str()
                        .unwrap_or_default()
                        .is_empty(),
                    "{parameter}"
                );
            }
        }
        let mut found = BTreeSet::new();
        references(&document, &mut found);
        assert!(found.len() > 3, "{found:?}");
        for reference in found {
            assert!(
                document
                    .pointer(reference.trim_start_matches('#'))
                    .is_some(),
                "{reference} is nowhere"
            );
        }
    }
}
