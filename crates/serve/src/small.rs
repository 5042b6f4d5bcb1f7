//! The endpoints that clean nothing: health, figures, and the small page to try the service.

use super::problem::Problem;
use super::service::Service;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Media type of the figures, as Prometheus requests them.
pub(super) const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The files of the small page: path, media type, content.
pub(super) const FILES: [(&str, &str, &str); 3] = [
    ("/", "text/html; charset=utf-8", vclean_js::SERVE[0].1),
    ("/serve.css", "text/css; charset=utf-8", vclean_js::SERVE[1].1),
    ("/serve.js", "text/javascript; charset=utf-8", vclean_js::SERVE[2].1),
];

/// Whether the program runs.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether the service accepts pages.
pub(super) async fn readyz(State(service): State<Arc<Service>>) -> Result<&'static str, Problem> {
    if service.stop.is_set() { Err(Problem::stopping()) } else { Ok("ready\n") }
}

/// The figures of the service.
pub(super) async fn metrics(State(service): State<Arc<Service>>) -> Response {
    let now = super::metrics::Now {
        running: service.places.running(),
        admitted: service.places.admitted(),
        browser_restarts: service.renderer.restarts(),
    };
    ([(header::CONTENT_TYPE, METRICS_TYPE)], service.metrics.text(now)).into_response()
}

/// Whether a path is that of a file of the small page.
pub(super) fn is_file(path: &str) -> bool {
    FILES.iter().any(|(known, ..)| *known == path)
}

/// A file of the small page.
pub(super) fn file(path: &str) -> Response {
    let found = FILES.iter().find(|(known, ..)| *known == path);
    found.map_or_else(
        || Problem::new(axum::http::StatusCode::NOT_FOUND, "there is no such file").into_response(),
        |(_, media_type, content)| ([(header::CONTENT_TYPE, *media_type)], *content).into_response(),
    )
}
