//! Answers of the server, with the headers that all of them have.

use super::error::AnnotateError;
use super::messages::ErrorAnswer;
use super::page_state::Refused;
use crate::web_guard;
use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// What the page may load and do: only what this server gives it, and no inline scripts or styles.
pub(super) const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Adds the headers of every answer.
pub(super) fn with_headers(mut response: Response) -> Response {
    response.headers_mut().extend(web_guard::headers(CONTENT_SECURITY_POLICY));
    response
}

/// An answer with a body of any type.
pub(super) fn content(content_type: &'static str, body: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, content_type)], body.into()).into_response()
}

/// An answer in JSON.
pub(super) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    let body = serde_json::to_vec(value).expect("answers have string keys and finite numbers");
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

/// Why a request was not done.
#[derive(Debug)]
pub(super) enum Problem {
    /// With a status and the cause.
    Status(StatusCode, String),
    /// The window shows another revision than the current one.
    Outdated(u64),
}

impl Problem {
    /// A request that makes no sense.
    pub(super) fn bad_request(cause: impl Into<String>) -> Self {
        Self::Status(StatusCode::BAD_REQUEST, cause.into())
    }

    /// Something that does not exist.
    pub(super) fn not_found(cause: impl Into<String>) -> Self {
        Self::Status(StatusCode::NOT_FOUND, cause.into())
    }
}

impl From<AnnotateError> for Problem {
    fn from(error: AnnotateError) -> Self {
        Self::Status(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Objection(cause) => Self::bad_request(cause),
            Refused::Storing(error) => error.into(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, error, revision) = match self {
            Self::Status(status, error) => (status, error, None),
            Self::Outdated(revision) => {
                let error = "another window changed this page; its labels are loaded again".to_owned();
                (StatusCode::CONFLICT, error, Some(revision))
            }
        };
        json(status, &ErrorAnswer { error, revision })
    }
}
