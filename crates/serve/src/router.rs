//! The routes: those of the table of endpoints, and the files of the small page.

use super::endpoints::ENDPOINTS;
use super::observe::observe;
use super::openapi::Description;
use super::problem::Problem;
use super::service::Service;
use super::small::{self, FILES};
use axum::extract::Extension;
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Router, middleware};
use std::sync::Arc;
use tower_http::decompression::RequestDecompressionLayer;

/// All routes.
pub(super) fn router(service: &Arc<Service>) -> Router {
    let mut router = Router::new();
    for endpoint in ENDPOINTS {
        router = router.route(endpoint.path, (endpoint.route)(service));
    }
    for (path, ..) in FILES.iter().filter(|(path, ..)| *path != "/") {
        router = router.route(path, get(move || async move { small::file(path) }));
    }
    let nowhere = || async { Problem::new(StatusCode::NOT_FOUND, "there is no such endpoint; see /openapi.json") };
    let wrong = || async {
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, "this endpoint has another method; see /openapi.json")
    };
    router
        .fallback(nowhere)
        .method_not_allowed_fallback(wrong)
        .layer(Extension(Description::new(ENDPOINTS)))
        // Limits of bodies are applied behind this, to what it unpacks.
        .layer(RequestDecompressionLayer::new())
        .layer(middleware::from_fn_with_state(Arc::clone(service), observe))
        .with_state(Arc::clone(service))
}
