//! `/v1/clean`: one page in, one answer out.

use super::body;
use super::places::Caller;
use super::problem::Problem;
use super::request::{CleanRequest, from_query};
use super::service::Service;
use super::work;
use axum::body::Body;
use axum::extract::{Extension, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Cleans the page at an address.
pub(super) async fn get(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let admitted = service.admit(caller, false)?;
    answer(&service, admitted, from_query(&query.unwrap_or_default())?).await
}

/// Cleans the page that the request has or names.
pub(super) async fn post(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Problem> {
    // Admitted before the body is read, so that requests that are refused take no memory.
    let admitted = service.admit(caller, false)?;
    let bytes = body::read(body, service.options.max_body_bytes).await?;
    let request = body::clean_request(&headers, &query.unwrap_or_default(), &bytes)?;
    drop(bytes);
    answer(&service, admitted, request).await
}

async fn answer(
    service: &Arc<Service>,
    admitted: Arc<super::places::Admitted>,
    request: CleanRequest,
) -> Result<Response, Problem> {
    let job = request.check(&service.cleaners, service.defaults())?;
    let bytes = work::run(service, admitted, job, |cleaned, mut job| {
        serde_json::to_vec(&cleaned.answer(&mut job)?).map_err(|_| Problem::fault())
    })
    .await?;
    let json = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, json)], bytes).into_response())
}
