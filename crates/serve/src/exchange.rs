//! A request from its arrival to its end, when it is counted and logged. Most requests end when the
//! head of the response is sent; a batch ends when its last answer is sent.

use super::log::RequestEntry;
use super::service::Service;
use axum::http::Method;
use std::net::IpAddr;
use std::time::Instant;

/// A request whose end is to be counted and logged.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) started: Instant,
    pub(super) id: String,
    pub(super) method: Method,
    /// Path of the endpoint.
    pub(super) path: &'static str,
    /// True if it is logged; it is counted in any case.
    pub(super) is_logged: bool,
    pub(super) client: IpAddr,
}

/// How a request has ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) status: u16,
    /// Reason if there is no result, or only a part of it.
    pub(super) reason: Option<&'static str>,
    /// For a batch, its number of pages, and the number without a result.
    pub(super) pages: Option<(usize, usize)>,
}

/// Marks a response whose body is still being made when its head is sent. The task that makes the
/// body ends the exchange.
#[derive(Debug, Clone, Copy)]
pub(super) struct Streamed;

impl Exchange {
    /// Counts and logs the request.
    pub(super) fn end(&self, service: &Service, end: End) {
        let Self {
            started,
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
        let duration = started.elapsed();
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
