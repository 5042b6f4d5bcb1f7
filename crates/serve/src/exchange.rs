//! A request from its arrival to its end, which is counted and logged: of most when the head of the
//! response is sent, of a batch when its last answer is.

use super::log::RequestEntry;
use super::service::Service;
use axum::http::Method;
use std::net::IpAddr;
use std::time::Instant;

/// A request whose end is to be counted and logged.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) began: Instant,
    pub(super) id: String,
    pub(super) method: Method,
    /// Path of the endpoint.
    pub(super) path: &'static str,
    /// Whether it is logged; it is counted in any case.
    pub(super) is_logged: bool,
    pub(super) client: IpAddr,
}

/// How a request has ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) status: u16,
    /// Why there is no result, or not all of it.
    pub(super) reason: Option<&'static str>,
    /// Of a batch, the number of its pages, and of those without a result.
    pub(super) pages: Option<(usize, usize)>,
}

/// Marks a response whose body is still being made when its head is sent: who makes it ends the
/// exchange.
#[derive(Debug, Clone, Copy)]
pub(super) struct Streamed;

impl Exchange {
    /// Counts and logs the request.
    pub(super) fn end(&self, service: &Service, end: End) {
        let Self {
            began,
            id,
            method,
            path,
            is_logged,
            client,
        } = self;
        let End {
            status,
            reason,
            pages,
        } = end;
        let duration = began.elapsed();
        service.metrics.count_request(path, status, duration);
        if let Some(reason) = reason {
            service.metrics.count_failure(reason);
        }
        if *is_logged {
            service.log.request(&RequestEntry {
                id,
                method: method.as_str(),
                path,
                status,
                duration_ms: duration.as_millis() as u64,
                client: client.to_string(),
                reason,
                pages,
            });
        }
    }
}
