//! The lines of a body, as they arrive.

use super::body::{BODY_LIMIT, unread};
use super::problem::Problem;
use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use futures_util::{Stream, StreamExt, stream};

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
}

/// The lines of a body that are not empty. A line that is longer than `limit` bytes is an error, and the next one follows;
/// a body that cannot be read further is an error, and the end.
pub(super) fn lines(body: Body, limit: usize) -> impl Stream<Item = Line> {
    let parts = body.into_data_stream();
    let lines = Lines { parts, rest: Vec::new(), searched: 0, limit, skips: false, has_ended: false };
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
            match tokio::time::timeout(BODY_LIMIT, self.parts.next()).await {
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

    /// The lines of a body in parts of `size` bytes, at most 6 bytes long; `None` for one that is too long.
    fn read(text: &str, size: usize) -> Vec<Option<String>> {
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
            assert_eq!(read(text, size), expected, "{size}");
        }
        assert!(read("", 1).is_empty() && read("\n\n", 1).is_empty());
        assert_eq!(read("a\nbbbbbbbbbb", 3), [Some("a".to_owned()), None]);
    }
}
