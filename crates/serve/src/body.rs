//! Reads and interprets the body of a request, as a whole or line by line, with a limit of its size
//! and a minimum rate.

use super::body_memory::HeldMemory;
use super::problem::Problem;
use super::request::{CleanRequest, from_query};
use axum::body::{Body, HttpBody};
use axum::http::{HeaderMap, StatusCode, header};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt, stream};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use std::error::Error;
use std::time::Duration;
use tokio::time::Instant;
use vclean_core::html::charset;

/// Longest pause between two lines of a batch. Heuristic: the sender may have to find the next page
/// first.
const PAUSE_LIMIT: Duration = Duration::from_mins(10);

/// The reason in the log for a request whose client has hung up.
pub(super) const CLIENT_GONE: &str = "client_gone";

/// Media types of bodies that are pages. Browsers and `curl` use different names for MHTML.
pub(super) const PAGE_TYPES: [&str; 4] = [
    "text/html",
    "application/xhtml+xml",
    "multipart/related",
    "message/rfc822",
];

/// How fast a body or a line of a batch must arrive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Longest wait for the whole body or line.
    pub(super) limit: Duration,
    /// Longest time in which nothing arrives. The minimum rate applies only after this time.
    pub(super) silence: Duration,
    /// Lowest mean rate, in bytes per second.
    pub(super) bytes_per_s: f64,
}

impl Default for Pace {
    /// Heuristic: 16 MB in 30 s is a slow connection; the slowest phones send some 5 kB per second;
    /// lost packets are sent again within a few seconds.
    fn default() -> Self {
        Self {
            limit: Duration::from_secs(30),
            silence: Duration::from_secs(8),
            bytes_per_s: 1000.0,
        }
    }
}

/// The number of bytes of a body or line that have arrived, and the time spent waiting for them.
#[derive(Debug, Clone, Copy, Default)]
struct Arrival {
    bytes: usize,
    waited: Duration,
}

impl Arrival {
    /// Waits for the next part; `None` if the sender is too slow.
    async fn wait<T>(&mut self, pace: &Pace, next: impl Future<Output = T>) -> Option<T> {
        let earned = Duration::from_secs_f64(self.bytes as f64 / pace.bytes_per_s);
        let left = (pace.silence + earned)
            .min(pace.limit)
            .saturating_sub(self.waited);
        let started = Instant::now();
        let next = tokio::time::timeout(left.min(pace.silence), next)
            .await
            .ok();
        self.waited += started.elapsed();
        next
    }
}

/// Reads a body. Its bytes count against the memory of the sender as they arrive.
///
/// # Errors
/// If it is longer than `limit` bytes after decompression, arrives too slowly, or cannot be
/// decompressed, and if there is no memory for it.
pub(super) async fn read(
    body: Body,
    limit: usize,
    pace: &Pace,
    mut memory: HeldMemory<'_>,
) -> Result<Bytes, Problem> {
    // The head of the request may state the length.
    if body.size_hint().lower() > limit as u64 {
        return Err(Problem::too_large(limit as u64));
    }
    let mut body = Limited::new(body, limit);
    let mut whole = BytesMut::new();
    let mut arrival = Arrival::default();
    loop {
        let Some(frame) = arrival.wait(pace, body.frame()).await else {
            return Err(too_slow());
        };
        let Some(frame) = frame else {
            return Ok(whole.freeze());
        };
        if let Ok(part) = frame.map_err(|error| unread(&*error, limit))?.into_data() {
            if !memory.grow(part.len()) {
                return Err(Problem::no_memory());
            }
            arrival.bytes += part.len();
            whole.extend_from_slice(&part);
        }
    }
}

/// The problem of a body that arrives too slowly.
pub(super) fn too_slow() -> Problem {
    Problem::new(
        StatusCode::REQUEST_TIMEOUT,
        "the request did not arrive in time; send the rest again, and faster",
    )
}

/// The problem of a body that cannot be read.
fn unread(error: &(dyn Error + 'static), limit: usize) -> Problem {
    let unread = Problem::request(format!(
        "the body of the request cannot be read: {error}; send it again"
    ));
    let mut cause = Some(error);
    while let Some(found) = cause {
        if found.is::<LengthLimitError>() {
            return Problem::too_large(limit as u64);
        }
        // The connection ended before the body.
        if found.is::<hyper::Error>() {
            return unread.because(CLIENT_GONE);
        }
        cause = found.source();
    }
    unread
}

/// The media type of a request in lower case, without parameters.
pub(super) fn media_type(headers: &HeaderMap) -> String {
    let value = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    value
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// Parses JSON.
///
/// # Errors
/// If it is not JSON of this type.
pub(super) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes)
        .map_err(|error| Problem::request(format!("the request is not understood: {error}")))
}

/// The request in a body: JSON, or a page whose options are in the query.
///
/// # Errors
/// [`StatusCode::UNSUPPORTED_MEDIA_TYPE`] for other types, [`StatusCode::BAD_REQUEST`] for JSON
/// that is not a request.
pub(super) fn clean_request(
    headers: &HeaderMap,
    query: &str,
    bytes: &Bytes,
) -> Result<CleanRequest, Problem> {
    let media_type = media_type(headers);
    if media_type == "application/json" {
        if !query.is_empty() {
            return Err(Problem::request(
                "a request in JSON has no query; put its parameters into the body",
            ));
        }
        return json(bytes);
    }
    if PAGE_TYPES.contains(&media_type.as_str()) {
        let charset = headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .and_then(charset)
            .map(str::to_owned);
        return Ok(CleanRequest {
            bytes: Some(bytes.clone()),
            charset,
            ..from_query(query)?
        });
    }
    let cause = format!(
        "the content type is not application/json and none of {}",
        PAGE_TYPES.join(", ")
    );
    Err(Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        format!("{cause}; name one of these"),
    ))
}

/// A line without its line break, or the problem with it.
pub(super) type Line = Result<Vec<u8>, Problem>;

/// The lines of a body that is being read.
struct Lines<S> {
    parts: S,
    /// Bytes that arrived and belong to no line yet.
    rest: Vec<u8>,
    /// Number of bytes at the start of `rest` that are known to contain no line break.
    searched: usize,
    limit: usize,
    /// True if the rest of the current line is skipped.
    skips: bool,
    has_ended: bool,
    /// Longest pause before a line.
    pause: Duration,
    pace: Pace,
    /// Progress of the current line.
    arrival: Arrival,
}

/// The non-empty lines of a body. A line that is longer than `limit` bytes gives an error, and the
/// next line follows. A body that cannot be read further gives an error and ends.
pub(super) fn lines(body: Body, limit: usize, pace: Pace) -> impl Stream<Item = Line> {
    let lines = Lines::new(body.into_data_stream(), limit, PAUSE_LIMIT, pace);
    stream::unfold(lines, |mut lines| async {
        lines.next().await.map(|line| (line, lines))
    })
}

impl<S, E> Lines<S>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: Into<axum::BoxError>,
{
    fn new(parts: S, limit: usize, pause: Duration, pace: Pace) -> Self {
        let (rest, arrival) = (Vec::new(), Arrival::default());
        Self {
            parts,
            rest,
            searched: 0,
            limit,
            skips: false,
            has_ended: false,
            pause,
            pace,
            arrival,
        }
    }

    async fn next(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.take_line() {
                if line.as_ref().is_ok_and(|line| line.trim_ascii().is_empty()) {
                    continue;
                }
                return Some(line);
            }
            if self.has_ended {
                return None;
            }
            let next = self.parts.next();
            let part = if self.rest.is_empty() && !self.skips {
                tokio::time::timeout(self.pause, next).await.ok()
            } else {
                self.arrival.wait(&self.pace, next).await
            };
            match part {
                Some(Some(Ok(part))) => {
                    self.arrival.bytes += part.len();
                    self.rest.extend_from_slice(&part);
                }
                Some(None) => self.has_ended = true,
                Some(Some(Err(error))) => {
                    return Some(Err(self.end(unread(&*error.into(), self.limit))));
                }
                None => return Some(Err(self.end(too_slow()))),
            }
        }
    }

    /// Ends the reading and returns `problem`.
    fn end(&mut self, problem: Problem) -> Problem {
        self.has_ended = true;
        self.rest.clear();
        self.searched = 0;
        problem
    }

    /// The next complete line.
    fn take_line(&mut self) -> Option<Line> {
        loop {
            let found =
                memchr::memchr(b'\n', &self.rest[self.searched..]).map(|at| at + self.searched);
            let is_last = found.is_none() && self.has_ended && !self.rest.is_empty();
            let length = found.unwrap_or(self.rest.len());
            if found.is_none() && !is_last {
                self.searched = length;
                if length <= self.limit {
                    return None;
                }
                // The bytes of a line that is too long are not kept.
                self.rest.clear();
                self.searched = 0;
                return if std::mem::replace(&mut self.skips, true) {
                    None
                } else {
                    Some(Err(Problem::too_large(self.limit as u64)))
                };
            }
            let mut line: Vec<u8> = self
                .rest
                .drain(..length + usize::from(found.is_some()))
                .collect();
            line.truncate(length);
            self.searched = 0;
            self.arrival = Arrival {
                bytes: self.rest.len(),
                waited: Duration::ZERO,
            };
            if std::mem::take(&mut self.skips) {
                continue;
            }
            return Some(if length > self.limit {
                Err(Problem::too_large(self.limit as u64))
            } else {
                Ok(line)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::body_memory::BodyMemory;
    use super::super::places::Caller;
    use super::*;
    use std::convert::Infallible;

    fn headers(kind: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::CONTENT_TYPE, kind.parse().unwrap())])
    }

    const FAST: Pace = Pace {
        limit: Duration::from_secs(2),
        silence: Duration::from_millis(500),
        bytes_per_s: 1000.0,
    };

    async fn read(body: Body, limit: usize, pace: &Pace) -> Result<Bytes, Problem> {
        let memory = BodyMemory::new(1 << 20);
        super::read(
            body,
            limit,
            pace,
            memory.hold(Caller {
                token: None,
                address: None,
            }),
        )
        .await
    }

    /// `parts` of `size` bytes each, with a pause before each of them.
    fn slowly(
        parts: usize,
        size: usize,
        pause_ms: u64,
    ) -> impl Stream<Item = Result<Vec<u8>, Infallible>> {
        let part = move |_| async move {
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
            Ok(vec![b'x'; size])
        };
        stream::iter(0..parts).then(part)
    }

    #[tokio::test]
    async fn a_body_over_the_limit_is_refused() {
        let problem = read(Body::from(vec![b'x'; 11]), 10, &Pace::default())
            .await
            .unwrap_err();
        assert_eq!(problem.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(
            read(Body::from(vec![b'x'; 10]), 10, &Pace::default())
                .await
                .unwrap()
                .len(),
            10
        );
        let problem = read(Body::from(vec![b'x'; 1 << 20]), 1 << 20, &Pace::default())
            .await
            .unwrap_err();
        assert_eq!(
            problem.reason, "bodies_full",
            "one sender has not all of the memory"
        );
    }

    #[tokio::test]
    async fn a_body_that_arrives_slowly_is_given_up_soon() {
        for (what, parts, size, pause_ms, expected) in [
            ("nothing after the first part", 2, 5, 10_000, None),
            ("a byte now and then", 1000, 1, 50, None),
            ("longer than the limit", 1000, 1000, 50, None),
            ("a slow line", 6, 300, 20, Some(1800)),
        ] {
            let body = Body::from_stream(
                stream::iter([Ok(Vec::new())]).chain(slowly(parts, size, pause_ms)),
            );
            let read = read(body, 1 << 20, &FAST).await;
            let read = read
                .map(|bytes| bytes.len())
                .map_err(|problem| problem.status);
            assert_eq!(read, expected.ok_or(StatusCode::REQUEST_TIMEOUT), "{what}");
        }
    }

    #[tokio::test]
    async fn lines_may_have_pauses_between_them_and_arrive_at_a_least_rate() {
        let first = || stream::iter([Ok(b"one\n".to_vec())]);
        for (what, parts, expected) in [
            ("a pause between lines", slowly(1, 3, 100), Some(3)),
            ("a long pause between lines", slowly(1, 3, 5000), None),
            ("a byte of a line now and then", slowly(1000, 1, 50), None),
        ] {
            let parts = Box::pin(first().chain(parts));
            let mut lines = Lines::new(
                parts.map(|part| part.map(Bytes::from)),
                2000,
                Duration::from_secs(1),
                FAST,
            );
            assert_eq!(lines.next().await.unwrap().unwrap(), b"one");
            let line = lines.next().await.unwrap();
            let line = line
                .map(|line| line.len())
                .map_err(|problem| problem.status);
            assert_eq!(line, expected.ok_or(StatusCode::REQUEST_TIMEOUT), "{what}");
        }
    }

    #[test]
    fn pages_and_json_are_told_by_their_type() {
        let query = "formats=markdown,html";
        let bytes = Bytes::from_static(b"<p>\xfc");
        let found =
            clean_request(&headers("text/html; charset=iso-8859-1"), query, &bytes).unwrap();
        assert_eq!(
            (found.charset.as_deref(), found.formats.len()),
            (Some("iso-8859-1"), 2)
        );
        let json = Bytes::from_static(b"{\"html\": \"<p>a\"}");
        assert!(
            clean_request(&headers("application/json"), "", &json)
                .unwrap()
                .html
                .is_some()
        );
        assert!(clean_request(&headers("application/json"), query, &json).is_err());
        for other in ["text/plain", "application/x-www-form-urlencoded", ""] {
            let problem = clean_request(&headers(other), "", &json).unwrap_err();
            assert_eq!(
                problem.status,
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "{other}"
            );
        }
    }

    /// The lines of a body in parts of `size` bytes, at most 6 bytes long; `None` for one that is
    /// too long.
    fn lines_of(text: &str, size: usize) -> Vec<Option<String>> {
        let parts: Vec<_> = text
            .as_bytes()
            .chunks(size)
            .map(|part| Ok::<_, Infallible>(part.to_vec()))
            .collect();
        let lines = lines(Body::from_stream(stream::iter(parts)), 6, Pace::default());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let lines = runtime.block_on(lines.collect::<Vec<Line>>());
        lines
            .into_iter()
            .map(|line| line.ok().map(|line| String::from_utf8(line).unwrap()))
            .collect()
    }

    #[test]
    fn lines_do_not_depend_on_the_parts_in_which_they_arrive() {
        let text = "one\n\n  \ntwo two two two two\nthree\nlonger than six\nlast";
        let expected = [Some("one"), None, Some("three"), None, Some("last")]
            .map(|line| line.map(str::to_owned));
        for size in [1, 2, 5, 7, 100] {
            assert_eq!(lines_of(text, size), expected, "{size}");
        }
        assert!(lines_of("", 1).is_empty() && lines_of("\n\n", 1).is_empty());
        assert_eq!(lines_of("a\nbbbbbbbbbb", 3), [Some("a".to_owned()), None]);
    }
}
