//! The body of a request: read as a whole or line by line, up to a limit of bytes and within a time limit, and what it says.

use super::problem::Problem;
use super::request::{CleanRequest, from_query};
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt, stream};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use std::error::Error;
use std::time::Duration;
use vclean_core::html::charset;

/// Longest time that the body of a request may take, and a line of a batch. Heuristic: 16 MB in this time are a slow line.
const BODY_LIMIT: Duration = Duration::from_secs(30);
/// Longest time in which nothing of a body arrives: the client has gone, or sends less than it has announced. Heuristic: a
/// network that loses packets sends them again within a few seconds.
const SILENCE_LIMIT: Duration = Duration::from_secs(8);
/// Longest pause between two lines of a batch, whose sender may have to find the next page first. Heuristic.
const PAUSE_LIMIT: Duration = Duration::from_mins(10);

/// The reason of a request whose client has hung up.
pub(super) const CLIENT_GONE: &str = "client_gone";

/// Media types of pages, which are cleaned as they are. Browsers and `curl` name MHTML in two ways.
pub(super) const PAGE_TYPES: [&str; 4] = ["text/html", "application/xhtml+xml", "multipart/related", "message/rfc822"];

/// Reads a body.
///
/// # Errors
/// If it is longer than `limit` bytes after decompression, takes too long, or cannot be decompressed.
pub(super) async fn read(body: Body, limit: usize) -> Result<Bytes, Problem> {
    let whole = tokio::time::timeout(BODY_LIMIT, read_parts(body, limit, SILENCE_LIMIT)).await;
    whole.unwrap_or_else(|_| Err(too_slow()))
}

fn too_slow() -> Problem {
    Problem::new(StatusCode::REQUEST_TIMEOUT, "the body of the request did not arrive in time; send it again")
}

async fn read_parts(body: Body, limit: usize, silence: Duration) -> Result<Bytes, Problem> {
    let mut body = Limited::new(body, limit);
    let mut whole = BytesMut::new();
    loop {
        let frame = tokio::time::timeout(silence, body.frame()).await.map_err(|_| too_slow())?;
        let Some(frame) = frame else { return Ok(whole.freeze()) };
        if let Ok(part) = frame.map_err(|error| unread(&*error, limit))?.into_data() {
            whole.extend_from_slice(&part);
        }
    }
}

/// Why a body cannot be read.
fn unread(error: &(dyn Error + 'static), limit: usize) -> Problem {
    let unread = Problem::request(format!("the body of the request cannot be read: {error}; send it again"));
    let mut cause = Some(error);
    while let Some(found) = cause {
        if found.is::<LengthLimitError>() {
            return Problem::too_large(limit as u64);
        }
        // The connection has ended before the body.
        if found.is::<hyper::Error>() {
            return unread.because(CLIENT_GONE);
        }
        cause = found.source();
    }
    unread
}

/// The media type of a request in lower case, without parameters.
pub(super) fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Reads JSON.
///
/// # Errors
/// If it is not JSON of this kind.
pub(super) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| Problem::request(format!("the request is not understood: {error}")))
}

/// The request in a body: JSON, or a page itself, for which the query says what is wanted.
///
/// # Errors
/// [`StatusCode::UNSUPPORTED_MEDIA_TYPE`] for other types, [`StatusCode::BAD_REQUEST`] for JSON that is no request.
pub(super) fn clean_request(headers: &HeaderMap, query: &str, bytes: &Bytes) -> Result<CleanRequest, Problem> {
    let media_type = media_type(headers);
    if media_type == "application/json" {
        if !query.is_empty() {
            return Err(Problem::request("a request in JSON has no query; put its parameters into the body"));
        }
        return json(bytes);
    }
    if PAGE_TYPES.contains(&media_type.as_str()) {
        let charset = headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .and_then(charset)
            .map(str::to_owned);
        return Ok(CleanRequest { bytes: Some(bytes.clone()), charset, ..from_query(query)? });
    }
    let cause = format!("the content type is not application/json and none of {}", PAGE_TYPES.join(", "));
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("{cause}; name one of these")))
}

/// A line without its line break, or what is wrong with it.
pub(super) type Line = Result<Vec<u8>, Problem>;

/// The lines of a body that is being read.
struct Lines<S> {
    parts: S,
    /// Bytes that arrived and belong to no line yet.
    rest: Vec<u8>,
    /// How many of them are known to have no line break.
    searched: usize,
    limit: usize,
    /// Whether the rest of the current line is left out.
    skips: bool,
    has_ended: bool,
    /// Longest pause before a line.
    pause: Duration,
}

/// The lines of a body that are not empty. A line that is longer than `limit` bytes is an error, and the next one follows;
/// a body that cannot be read further is an error, and the end.
pub(super) fn lines(body: Body, limit: usize) -> impl Stream<Item = Line> {
    let parts = body.into_data_stream();
    let pause = PAUSE_LIMIT;
    let lines = Lines { parts, rest: Vec::new(), searched: 0, limit, skips: false, has_ended: false, pause };
    stream::unfold(lines, |mut lines| async { lines.next().await.map(|line| (line, lines)) })
}

impl<S, E> Lines<S>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: Into<axum::BoxError>,
{
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
            let is_between_lines = self.rest.is_empty() && !self.skips;
            let longest = if is_between_lines { self.pause } else { self.pause.min(BODY_LIMIT) };
            match tokio::time::timeout(longest, self.parts.next()).await {
                Ok(Some(Ok(part))) => self.rest.extend_from_slice(&part),
                Ok(None) => self.has_ended = true,
                Ok(Some(Err(error))) => return Some(Err(self.end(unread(&*error.into(), self.limit)))),
                Err(_) => {
                    let cause = "no line arrived in time; send the rest again";
                    return Some(Err(self.end(Problem::new(StatusCode::REQUEST_TIMEOUT, cause))));
                }
            }
        }
    }

    /// Nothing is read any more.
    fn end(&mut self, problem: Problem) -> Problem {
        self.has_ended = true;
        self.rest.clear();
        self.searched = 0;
        problem
    }

    /// The next complete line.
    fn take_line(&mut self) -> Option<Line> {
        loop {
            let found = memchr::memchr(b'\n', &self.rest[self.searched..]).map(|at| at + self.searched);
            let is_last = found.is_none() && self.has_ended && !self.rest.is_empty();
            let length = found.unwrap_or(self.rest.len());
            if found.is_none() && !is_last {
                self.searched = length;
                if length <= self.limit {
                    return None;
                }
                // What arrived of a line that is too long is not kept.
                self.rest.clear();
                self.searched = 0;
                return if std::mem::replace(&mut self.skips, true) {
                    None
                } else {
                    Some(Err(Problem::too_large(self.limit as u64)))
                };
            }
            let mut line: Vec<u8> = self.rest.drain(..length + usize::from(found.is_some())).collect();
            line.truncate(length);
            self.searched = 0;
            if std::mem::take(&mut self.skips) {
                continue;
            }
            return Some(if length > self.limit { Err(Problem::too_large(self.limit as u64)) } else { Ok(line) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn headers(kind: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::CONTENT_TYPE, kind.parse().unwrap())])
    }

    #[tokio::test]
    async fn a_body_over_the_limit_is_refused() {
        let problem = read(Body::from(vec![b'x'; 11]), 10).await.unwrap_err();
        assert_eq!(problem.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(read(Body::from(vec![b'x'; 10]), 10).await.unwrap().len(), 10);
    }

    #[tokio::test]
    async fn a_body_that_stops_arriving_is_given_up_soon() {
        let part = |text: &'static str| async move { Ok::<_, Infallible>(text) };
        let body = || Body::from_stream(stream::once(part("<p>half")).chain(stream::pending()));
        let problem = read_parts(body(), 100, Duration::from_millis(20)).await.unwrap_err();
        assert_eq!(problem.status, StatusCode::REQUEST_TIMEOUT);
        let whole = Body::from_stream(stream::once(part("<p>")).chain(stream::once(part("whole"))));
        assert_eq!(read_parts(whole, 100, Duration::from_secs(20)).await.unwrap(), "<p>whole");
    }

    #[tokio::test]
    async fn lines_may_have_pauses_between_them() {
        let pause = |ms| async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            Ok::<_, Infallible>("two\n")
        };
        let parts =
            |ms| Body::from_stream(stream::once(async { Ok::<_, Infallible>("one\n") }).chain(stream::once(pause(ms))));
        let read = |ms| async move {
            let (rest, pause) = (Vec::new(), Duration::from_millis(100));
            let parts = parts(ms).into_data_stream();
            let mut lines = Lines { parts, rest, searched: 0, limit: 9, skips: false, has_ended: false, pause };
            lines.next().await.unwrap().unwrap();
            lines.next().await.unwrap()
        };
        assert_eq!(read(1).await.unwrap(), b"two");
        assert_eq!(read(5000).await.unwrap_err().status, StatusCode::REQUEST_TIMEOUT);
    }

    #[test]
    fn pages_and_json_are_told_by_their_type() {
        let query = "formats=markdown,html";
        let bytes = Bytes::from_static(b"<p>\xfc");
        let found = clean_request(&headers("text/html; charset=iso-8859-1"), query, &bytes).unwrap();
        assert_eq!((found.charset.as_deref(), found.formats.len()), (Some("iso-8859-1"), 2));
        let json = Bytes::from_static(b"{\"html\": \"<p>a\"}");
        assert!(clean_request(&headers("application/json"), "", &json).unwrap().html.is_some());
        assert!(clean_request(&headers("application/json"), query, &json).is_err());
        for other in ["text/plain", "application/x-www-form-urlencoded", ""] {
            let problem = clean_request(&headers(other), "", &json).unwrap_err();
            assert_eq!(problem.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{other}");
        }
    }

    /// The lines of a body in parts of `size` bytes, at most 6 bytes long; `None` for one that is too long.
    fn lines_of(text: &str, size: usize) -> Vec<Option<String>> {
        let parts: Vec<_> = text.as_bytes().chunks(size).map(|part| Ok::<_, Infallible>(part.to_vec())).collect();
        let lines = lines(Body::from_stream(stream::iter(parts)), 6);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let lines = runtime.block_on(lines.collect::<Vec<Line>>());
        lines.into_iter().map(|line| line.ok().map(|line| String::from_utf8(line).unwrap())).collect()
    }

    #[test]
    fn lines_do_not_depend_on_the_parts_in_which_they_arrive() {
        let text = "one\n\n  \ntwo two two two two\nthree\nlonger than six\nlast";
        let expected = [Some("one"), None, Some("three"), None, Some("last")].map(|line| line.map(str::to_owned));
        for size in [1, 2, 5, 7, 100] {
            assert_eq!(lines_of(text, size), expected, "{size}");
        }
        assert!(lines_of("", 1).is_empty() && lines_of("\n\n", 1).is_empty());
        assert_eq!(lines_of("a\nbbbbbbbbbb", 3), [Some("a".to_owned()), None]);
    }
}
