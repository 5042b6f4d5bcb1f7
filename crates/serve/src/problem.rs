//! Problems of requests that have no result: an HTTP status, with cause and remedy in one line.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use vclean_core::error::{Error, ErrorKind, ForbiddenAddress, RenderError, SourceError};
use vclean_run::politeness::{Refused, RobotsError};

/// Pause before a caller may try again, in seconds. Heuristic: by then another service may have
/// started, and other bodies have arrived.
const PAUSE_S: u64 = 2;

/// The statuses of responses without a result to a request for a page, with their meanings.
pub(super) const STATUSES: [(u16, &str); 13] = [
    (400, "the request is wrong"),
    (401, "no valid token"),
    (
        403,
        "the address may not be loaded: it is not public, or robots.txt forbids it; or the request comes from another site",
    ),
    (408, "the request took too long to arrive"),
    (413, "the request is too large"),
    (
        415,
        "the request has another content type, or what it names is no page, such as a PDF",
    ),
    (422, "the page cannot be loaded or cleaned"),
    (431, "the headers are too large"),
    (
        500,
        "a fault in vclean; the log has it under the id of the request",
    ),
    (501, "there is no working browser, and one was asked for"),
    (502, "the server of the page or the browser failed"),
    (
        503,
        "too many pages wait or are being sent, or the service is stopping; the header Retry-After says when to come back",
    ),
    (504, "the page took too long"),
];

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    /// The status of the response.
    pub(super) status: StatusCode,
    /// Cause and remedy for the client, in one line.
    pub(super) cause: String,
    /// Kind of error, if a page failed.
    pub(super) kind: Option<ErrorKind>,
    /// Short name for the log and the metrics, which hold no addresses.
    pub(super) reason: &'static str,
    /// Number of seconds after which the request may be repeated, if it may.
    pub(super) retry_after_s: Option<u64>,
    /// Details for the operator alone, in the log.
    pub(super) log_cause: Option<String>,
}

/// The body of a response to a request that has no result.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProblemAnswer {
    /// Cause and remedy, in one line.
    pub(super) error: String,
    /// Kind of error, if a page failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "kind_schema")]
    pub(super) kind: Option<ErrorKind>,
}

/// The schema of an optional [`ErrorKind`].
pub(super) fn kind_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": ErrorKind::ALL.map(ErrorKind::name) })
}

impl Problem {
    /// A problem that repeating the request does not solve.
    pub(super) fn new(status: StatusCode, cause: impl Into<String>) -> Self {
        Self {
            status,
            cause: cause.into(),
            kind: None,
            reason: usual_reason(status),
            retry_after_s: None,
            log_cause: None,
        }
    }

    /// The problem with a more precise reason than that of its status.
    pub(super) fn because(self, reason: &'static str) -> Self {
        Self { reason, ..self }
    }

    /// The problem of a page that failed with this kind of error.
    fn with_kind(self, kind: ErrorKind) -> Self {
        Self {
            kind: Some(kind),
            ..self
        }
    }

    /// The request itself is wrong.
    pub(super) fn request(cause: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, cause)
    }

    /// Too many requests are waiting; there will be room after this number of seconds.
    pub(super) fn full(retry_after_s: u64) -> Self {
        Self {
            retry_after_s: Some(retry_after_s),
            ..Self::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "too many pages are waiting already; try again later",
            )
        }
        .because("queue_full")
    }

    /// There is no memory for the body of the request.
    pub(super) fn no_memory() -> Self {
        Self::soon("too many requests are being sent already; try again later")
            .because("bodies_full")
    }

    /// The service is about to end.
    pub(super) fn stopping() -> Self {
        Self::soon("the service is stopping; try again later").because("stopping")
    }

    fn soon(cause: &str) -> Self {
        Self {
            retry_after_s: Some(PAUSE_S),
            ..Self::new(StatusCode::SERVICE_UNAVAILABLE, cause)
        }
    }

    /// The page took longer than its limit.
    pub(super) fn too_slow(limit_ms: u64) -> Self {
        let cause =
            format!("the page took longer than {limit_ms} ms; give it more time, or leave it out");
        Self::new(StatusCode::GATEWAY_TIMEOUT, cause).with_kind(ErrorKind::Limit)
    }

    /// The body is larger than the service accepts.
    pub(super) fn too_large(limit: u64) -> Self {
        let cause = format!(
            "the request has more than {limit} bytes, after decompression; send a smaller page"
        );
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, cause)
    }

    /// There is no browser, or it does not start.
    fn no_browser(log_cause: String) -> Self {
        let cause =
            "there is no working browser in this service; name another engine, or leave it out";
        Self {
            log_cause: Some(log_cause),
            ..Self::new(StatusCode::NOT_IMPLEMENTED, cause).with_kind(ErrorKind::Engine)
        }
        .because("no_browser")
    }

    /// A fault of the program. The client gets only the id of its request.
    pub(super) fn fault() -> Self {
        let cause = "a fault in the service; its log has the cause under the id of this request";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, cause).with_kind(ErrorKind::Fault)
    }
}

/// The address policy is the operator's, so its remedy is useless to a client. The address to which
/// a name resolves is hidden too, because it may be in the operator's network.
impl From<ForbiddenAddress> for Problem {
    fn from(cause: ForbiddenAddress) -> Self {
        let cause = match cause {
            ForbiddenAddress::NotPublic { host, kind, .. } => {
                format!("the address of {host} is {kind}; this service loads public addresses only")
            }
            ForbiddenAddress::Port { .. } => cause.to_string(),
            ForbiddenAddress::Own { .. } => {
                "the address belongs to the service itself and is never loaded".to_owned()
            }
        };
        let problem = Self::new(StatusCode::FORBIDDEN, cause).with_kind(ErrorKind::Policy);
        problem.because("forbidden_address")
    }
}

impl From<RenderError> for Problem {
    fn from(error: RenderError) -> Self {
        let (status, reason) = match &error {
            RenderError::Forbidden(cause) => return cause.clone().into(),
            // The cause names programs and folders of this machine.
            RenderError::Browser(cause) => return Self::no_browser(cause.clone()),
            RenderError::Later { .. } => (StatusCode::BAD_GATEWAY, "server_busy"),
            RenderError::Server(_) => (StatusCode::BAD_GATEWAY, "server_error"),
            RenderError::Crash(_) => (StatusCode::BAD_GATEWAY, "crash"),
            RenderError::TimeOut { .. } | RenderError::TooSlow { .. } => {
                (StatusCode::GATEWAY_TIMEOUT, "timeout")
            }
            RenderError::Engine(_) => (StatusCode::NOT_IMPLEMENTED, "no_engine"),
            RenderError::Limit(_) => (StatusCode::UNPROCESSABLE_ENTITY, "limit"),
            RenderError::Source(SourceError::Unusable(_)) => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "no_page")
            }
            RenderError::Source(_) => (StatusCode::UNPROCESSABLE_ENTITY, "no_page"),
            RenderError::Cancelled => (StatusCode::UNPROCESSABLE_ENTITY, "cancelled"),
            _ => (StatusCode::UNPROCESSABLE_ENTITY, "not_loaded"),
        };
        let retry_after_s = match &error {
            RenderError::Later { after_s, .. } => *after_s,
            _ => None,
        };
        Self {
            retry_after_s,
            ..Self::new(status, error.to_string()).with_kind(error.kind())
        }
        .because(reason)
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let kind = error.kind();
        let problem = match error {
            Error::Render(error) => return error.into(),
            Error::Source(SourceError::Unusable(cause)) => {
                Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, cause).because("no_page")
            }
            other => Self::new(StatusCode::UNPROCESSABLE_ENTITY, other.to_string()),
        };
        problem.with_kind(kind)
    }
}

impl From<Refused<RenderError>> for Problem {
    fn from(refused: Refused<RenderError>) -> Self {
        let cause = refused.to_string();
        match refused {
            Refused::Failed(error) => error.into(),
            Refused::Unreachable {
                cause: RobotsError::Forbidden(cause),
                ..
            } => cause.into(),
            Refused::Forbidden { host } => {
                let cause = format!(
                    "robots.txt of {host} asks vclean to stay away from this address; leave it out"
                );
                let problem = Self::new(StatusCode::FORBIDDEN, cause).because("robots");
                problem.with_kind(ErrorKind::Policy)
            }
            Refused::Later { wait_s, .. } => {
                let later = Self::new(StatusCode::SERVICE_UNAVAILABLE, cause).because("host_busy");
                Self {
                    retry_after_s: Some(wait_s),
                    ..later.with_kind(ErrorKind::Network)
                }
            }
            _ => Self::new(StatusCode::BAD_GATEWAY, cause)
                .because("robots_unreachable")
                .with_kind(ErrorKind::Network),
        }
    }
}

/// The reason of a response's problem, for the log and the metrics.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reason(pub(super) &'static str);

fn usual_reason(status: StatusCode) -> &'static str {
    match status.as_u16() {
        400 => "wrong_request",
        401 => "no_token",
        403 => "forbidden_caller",
        404 | 405 => "no_endpoint",
        408 => "slow_request",
        413 => "too_large",
        415 => "media_type",
        422 => "not_cleaned",
        500 => "fault",
        504 => "timeout",
        _ => "other",
    }
}

impl Problem {
    /// Adds the headers of this problem to a response.
    pub(super) fn add_headers(&self, response: &mut Response) {
        response.extensions_mut().insert(Reason(self.reason));
        if let Some(seconds) = self.retry_after_s {
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (
            self.status,
            Json(ProblemAnswer {
                error: self.cause.clone(),
                kind: self.kind,
            }),
        )
            .into_response();
        self.add_headers(&mut response);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_has_every_status() {
        let file =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/service.md");
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let rows = text
            .lines()
            .filter(|line| line.starts_with("| 4") || line.starts_with("| 5"));
        let cells = rows.filter_map(|row| row.split('|').nth(1));
        let documented: Vec<u16> = cells
            .flat_map(|cell| cell.split(','))
            .filter_map(|status| status.trim().parse().ok())
            .collect();
        for (status, _) in STATUSES {
            assert!(
                documented.contains(&status),
                "{status} is not in {documented:?}"
            );
        }
    }

    #[test]
    fn each_cause_has_a_status_that_says_whose_fault_it_is() {
        let status = |error: RenderError| Problem::from(error).status.as_u16();
        assert_eq!(status(RenderError::Load("x".into())), 422);
        assert_eq!(
            status(SourceError::Unusable("a PDF document".into()).into()),
            415
        );
        assert_eq!(
            (
                status(RenderError::Server("x".into())),
                status(RenderError::Crash("x".into()))
            ),
            (502, 502)
        );
        let browser = Problem::from(RenderError::Browser("/opt/browser ends at once".into()));
        assert!(
            browser.status.as_u16() == 501 && !browser.cause.contains("/opt"),
            "{browser:?}"
        );
        assert_eq!(
            browser.log_cause.as_deref(),
            Some("/opt/browser ends at once")
        );
        assert_eq!(status(RenderError::TooSlow { limit_ms: 1 }), 504);
        let reason = |error: RenderError| Problem::from(error).reason;
        assert_eq!(
            (
                reason(RenderError::Crash("x".into())),
                reason(RenderError::Cancelled)
            ),
            ("crash", "cancelled")
        );
        let later = Problem::from(RenderError::Later {
            cause: "busy".into(),
            after_s: Some(7),
        });
        assert_eq!((later.status.as_u16(), later.retry_after_s), (502, Some(7)));
        let forbidden = Problem::from(Refused::Forbidden {
            host: "a.example".into(),
        });
        assert!(
            forbidden.status == StatusCode::FORBIDDEN && forbidden.cause.contains("robots.txt")
        );
        let wait = Problem::from(Refused::<RenderError>::Later {
            host: "a.example".into(),
            wait_s: 9,
        });
        assert_eq!((wait.status.as_u16(), wait.retry_after_s), (503, Some(9)));
        let private = ForbiddenAddress::NotPublic {
            host: "wiki.internal".into(),
            kind: "private",
            address: std::net::Ipv4Addr::new(10, 1, 2, 3).into(),
        };
        let of_robots = Refused::Unreachable {
            host: "wiki.internal".into(),
            cause: RobotsError::Forbidden(private.clone()),
        };
        for problem in [RenderError::from(private).into(), Problem::from(of_robots)] {
            assert_eq!(problem.status.as_u16(), 403);
            assert!(
                problem.cause.contains("wiki.internal is private")
                    && !problem.cause.contains("10.1"),
                "{problem:?}"
            );
            assert!(!problem.cause.contains("allow_private"), "{problem:?}");
        }
        let full = Problem::full(7).into_response();
        assert_eq!(
            (
                full.status().as_u16(),
                full.headers()[header::RETRY_AFTER].as_bytes()
            ),
            (503, &b"7"[..])
        );
    }
}
