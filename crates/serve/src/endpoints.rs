//! The table of endpoints, from which the router, the description of the interface and the checks of its documentation are
//! made. To add an endpoint, add an entry.

pub(super) use super::endpoint::Endpoint;

use super::batch::{self, LINE_TYPES};
use super::body::PAGE_TYPES;
use super::clean;
use super::cleaned::CleanAnswer;
use super::endpoint::{any, text};
use super::mcp;
use super::openapi;
use super::request::{CleanRequest, query_schema};
use super::scrape::{self, ScrapeAnswer, ScrapeRequest};
use super::small::{self, METRICS_TYPE};
use axum::http::Method;
use axum::routing::{any_service, get, post};
use schemars::SchemaGenerator;

/// Media types of a page to be cleaned, JSON first.
const CLEAN_TYPES: [&str; 5] = ["application/json", PAGE_TYPES[0], PAGE_TYPES[1], PAGE_TYPES[2], PAGE_TYPES[3]];

/// All endpoints.
pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        method: Method::POST,
        path: "/v1/clean",
        doc: "cleans a page given as JSON, HTML or MHTML, or by its address",
        is_open: false,
        is_logged: true,
        query: Some(query_schema),
        body: Some((&CLEAN_TYPES, SchemaGenerator::subschema_for::<CleanRequest>)),
        answer: ("application/json", SchemaGenerator::subschema_for::<CleanAnswer>),
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
        answer: ("application/json", SchemaGenerator::subschema_for::<CleanAnswer>),
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
        answer: (LINE_TYPES[0], SchemaGenerator::subschema_for::<CleanAnswer>),
        route: |_| post(batch::post),
    },
    Endpoint {
        method: Method::POST,
        path: "/v2/scrape",
        doc: "the same page in the shape of Firecrawl's interface, for its clients",
        is_open: false,
        is_logged: true,
        query: None,
        body: Some((&["application/json"], SchemaGenerator::subschema_for::<ScrapeRequest>)),
        answer: ("application/json", SchemaGenerator::subschema_for::<ScrapeAnswer>),
        route: |_| post(scrape::post),
    },
    Endpoint {
        method: Method::POST,
        path: "/mcp",
        doc: "tools for language models, over the Model Context Protocol (streamable HTTP)",
        is_open: false,
        is_logged: true,
        query: None,
        body: Some((&["application/json"], any)),
        answer: ("application/json", any),
        route: |service| any_service(mcp::over_http(service)),
    },
    Endpoint {
        method: Method::GET,
        path: "/healthz",
        doc: "whether the program runs",
        is_open: true,
        is_logged: false,
        query: None,
        body: None,
        answer: ("text/plain", text),
        route: |_| get(small::healthz),
    },
    Endpoint {
        method: Method::GET,
        path: "/readyz",
        doc: "whether the service accepts pages",
        is_open: true,
        is_logged: false,
        query: None,
        body: None,
        answer: ("text/plain", text),
        route: |_| get(small::readyz),
    },
    Endpoint {
        method: Method::GET,
        path: "/metrics",
        doc: "figures for Prometheus",
        is_open: false,
        is_logged: false,
        query: None,
        body: None,
        answer: (METRICS_TYPE, text),
        route: |_| get(small::metrics),
    },
    Endpoint {
        method: Method::GET,
        path: "/openapi.json",
        doc: "this description",
        is_open: true,
        is_logged: false,
        query: None,
        body: None,
        answer: ("application/json", any),
        route: |_| get(openapi::serve),
    },
    Endpoint {
        method: Method::GET,
        path: "/",
        doc: "a page to try the service: text and decisions side by side",
        is_open: true,
        is_logged: true,
        query: None,
        body: None,
        answer: ("text/html", text),
        route: |_| get(|| async { small::file("/") }),
    },
];

/// The endpoint of a request, or another one with the same path.
pub(super) fn find(method: &Method, path: &str) -> Option<&'static Endpoint> {
    let here = || ENDPOINTS.iter().filter(|endpoint| endpoint.path == path);
    here().find(|endpoint| endpoint.method == method).or_else(|| here().next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_documentation_has_every_endpoint_and_no_other() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/service.md");
        let text = std::fs::read_to_string(file).unwrap();
        let documented: Vec<&str> =
            text.lines().filter(|line| line.starts_with("| `GET ") || line.starts_with("| `POST ")).collect();
        let expected =
            ENDPOINTS.iter().map(|endpoint| format!("| `{} {}` | {} |", endpoint.method, endpoint.path, endpoint.doc));
        assert_eq!(documented, expected.collect::<Vec<_>>());
    }

    #[test]
    fn requests_are_counted_at_their_endpoint() {
        let of = |method, path| find(&method, path).map(|endpoint| (endpoint.method.clone(), endpoint.path));
        assert_eq!(of(Method::GET, "/v1/clean"), Some((Method::GET, "/v1/clean")));
        assert_eq!(of(Method::DELETE, "/mcp"), Some((Method::POST, "/mcp")));
        assert_eq!(of(Method::GET, "/v1/clean/"), None);
    }
}
