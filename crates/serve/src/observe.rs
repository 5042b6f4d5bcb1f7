//! The steps for every request: it gets an id, is checked, counted and logged; a fault becomes a
//! response; the response gets headers that keep browsers from using it in other pages.

use super::endpoints::{Endpoint, endpoint_of, is_page_file};
use super::exchange::{End, Exchange, Streamed};
use super::log::{REQUEST_ID, RequestId};
use super::problem::{Problem, Reason};
use super::service::Service;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;
use vclean_run::web_guard;

/// The header with the id of a request, which the client may set.
const ID_HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id that is accepted from a client, in bytes.
const MAX_ID_LENGTH: usize = 64;

/// Policy for the page to try the service: it may load its own script and style, and pictures in
/// answers.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Address of the client of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer(pub(super) SocketAddr);

/// Counts a request as canceled if its work is dropped before it has an answer.
struct Unanswered<'a> {
    service: &'a Service,
    is_answered: bool,
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.service.metrics.count_cancelled();
        }
    }
}

/// Serves a request with the steps that all requests have in common.
pub(super) async fn observe(
    State(service): State<Arc<Service>>,
    Extension(Peer(peer)): Extension<Peer>,
    mut request: Request,
    next: Next,
) -> Response {
    let id = request_id(request.headers());
    let method = request.method().clone();
    let endpoint = endpoint_of(&method, request.uri().path());
    let exchange = Exchange {
        started: Instant::now(),
        id: id.clone(),
        method,
        path: endpoint.map_or("other", |endpoint| endpoint.path),
        is_logged: endpoint.is_none_or(|endpoint| endpoint.is_logged),
        client: peer.ip(),
    };
    request.extensions_mut().insert(exchange.clone());
    let mut unanswered = Unanswered {
        service: &service,
        is_answered: false,
    };
    let answer = AssertUnwindSafe(answer(&service, endpoint, peer, request, next)).catch_unwind();
    let mut response = REQUEST_ID
        .scope(id.clone(), answer)
        .await
        .unwrap_or_else(|payload| {
            let text = payload.downcast_ref::<&str>().map(ToString::to_string);
            let text = text
                .or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            REQUEST_ID.sync_scope(id.clone(), || service.log.fault(&text));
            Problem::fault().into_response()
        });
    unanswered.is_answered = true;
    if response.extensions().get::<Streamed>().is_none() {
        let reason = response
            .extensions()
            .get::<Reason>()
            .map(|Reason(reason)| *reason);
        exchange.end(
            &service,
            End {
                status: response.status().as_u16(),
                reason,
                pages: None,
            },
        );
    }
    response
        .headers_mut()
        .extend(web_guard::headers(CONTENT_SECURITY_POLICY));
    if response.headers().contains_key(header::ETAG) {
        // A client may keep the answer, but must ask whether it is still valid.
        response.headers_mut().insert(
            header::CACHE_CONTROL,
            HeaderValue::from_static("private, no-cache"),
        );
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(ID_HEADER, id);
    }
    if service.stop.is_set() {
        response
            .headers_mut()
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn answer(
    service: &Service,
    endpoint: Option<&Endpoint>,
    peer: SocketAddr,
    mut request: Request,
    next: Next,
) -> Response {
    // The style and the script of the page to try the service are not in the table of endpoints.
    let is_open = endpoint.map_or_else(
        || is_page_file(request.uri().path()),
        |endpoint| endpoint.is_open,
    );
    match service.guard.check(request.headers(), peer.ip(), is_open) {
        Err(problem) => problem.into_response(),
        Ok(_) if !is_unpacked(request.headers()) => {
            let cause =
                "the content encoding is not supported; send the body with gzip, or as it is";
            Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, cause).into_response()
        }
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            request.extensions_mut().insert(RequestId(REQUEST_ID.get()));
            next.run(request).await
        }
    }
}

/// Returns true if the body is not packed, or in a way that the router unpacks.
fn is_unpacked(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    let first = codings
        .next()
        .is_none_or(|coding| coding == "gzip" || coding == "identity");
    first && codings.next().is_none()
}

/// The id that the client gave, if it is a plain word, otherwise a new one.
fn request_id(headers: &HeaderMap) -> String {
    let is_plain = |text: &&str| {
        (1..=MAX_ID_LENGTH).contains(&text.len())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
    };
    let given = headers
        .get(ID_HEADER)
        .and_then(|value| value.to_str().ok())
        .filter(is_plain);
    given.map_or_else(|| format!("{:016x}", fastrand::u64(..)), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_clients_are_taken_if_they_are_plain() {
        let id = |value: &'static str| {
            request_id(&HeaderMap::from_iter([(
                ID_HEADER,
                HeaderValue::from_static(value),
            )]))
        };
        assert_eq!(id("crawl-7:3"), "crawl-7:3");
        for odd in [
            "",
            "a b",
            "{\"x\":1}",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ] {
            let new = id(odd);
            assert!(new != odd && new.len() == 16, "{odd}: {new}");
        }
        assert_ne!(request_id(&HeaderMap::new()), request_id(&HeaderMap::new()));
    }

    #[tokio::test]
    async fn a_panic_is_an_answer_with_the_id_of_its_request() {
        use hyper::service::Service as _;
        let service = Service::for_tests();
        let router = axum::Router::new()
            .route(
                "/healthz",
                axum::routing::get(|| async { panic!("of the test") as &'static str }),
            )
            .layer(axum::middleware::from_fn_with_state(
                Arc::clone(&service),
                observe,
            ))
            .layer(Extension(Peer(([127, 0, 0, 1], 1).into())));
        let request = axum::http::Request::get("/healthz")
            .header("host", "localhost")
            .header("x-request-id", "of-1");
        let request = request.body(axum::body::Body::empty()).unwrap();
        let response = hyper_util::service::TowerToHyperService::new(router)
            .call(request)
            .await
            .unwrap();
        assert_eq!(
            (
                response.status().as_u16(),
                &response.headers()["x-request-id"]
            ),
            (500, &"of-1".parse().unwrap())
        );
        let body = axum::body::to_bytes(response.into_body(), 1000)
            .await
            .unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert!(
            text.contains("a fault in the service") && !text.contains("of the test"),
            "{text}"
        );
    }
}
