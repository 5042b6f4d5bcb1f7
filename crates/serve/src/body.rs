//! The body of a request: read up to the limit of bytes, within a time limit.

use super::problem::Problem;
use super::request::{CleanRequest, from_query};
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use std::error::Error;
use std::time::Duration;

/// Longest time that the body of a request may take. Heuristic: 16 MB in this time are a slow line.
pub(super) const BODY_LIMIT: Duration = Duration::from_secs(30);

/// Media types of pages, which are cleaned as they are. Browsers and `curl` name MHTML in two ways.
pub(super) const PAGE_TYPES: [&str; 4] = ["text/html", "application/xhtml+xml", "multipart/related", "message/rfc822"];

/// Reads a body.
///
/// # Errors
/// If it is longer than `limit` bytes after decompression, takes too long, or cannot be decompressed.
pub(super) async fn read(body: Body, limit: usize) -> Result<Bytes, Problem> {
    let whole = tokio::time::timeout(BODY_LIMIT, Limited::new(body, limit).collect()).await;
    let slow = "the body of the request did not arrive in time; send it again";
    let whole = whole.map_err(|_| Problem::new(StatusCode::REQUEST_TIMEOUT, slow))?;
    Ok(whole.map_err(|error| unread(&*error, limit))?.to_bytes())
}

/// Why a body cannot be read.
pub(super) fn unread(error: &(dyn Error + 'static), limit: usize) -> Problem {
    let mut cause = Some(error);
    while let Some(found) = cause {
        if found.is::<LengthLimitError>() {
            return Problem::too_large(limit as u64);
        }
        cause = found.source();
    }
    Problem::request(format!("the body of the request cannot be read: {error}; send it again"))
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
        let charset = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).and_then(charset);
        return Ok(CleanRequest { bytes: Some(bytes.clone()), charset, ..from_query(query)? });
    }
    let cause = format!("the content type is not application/json and none of {}", PAGE_TYPES.join(", "));
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("{cause}; name one of these")))
}

/// The charset that a content type names.
fn charset(value: &str) -> Option<String> {
    let (_, value) = value.split_once("charset=")?;
    value.split([';', ' ']).next().map(|label| label.trim_matches(['"', '\'']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(kind: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::CONTENT_TYPE, kind.parse().unwrap())])
    }

    #[tokio::test]
    async fn a_body_over_the_limit_is_refused() {
        let problem = read(Body::from(vec![b'x'; 11]), 10).await.unwrap_err();
        assert_eq!(problem.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(read(Body::from(vec![b'x'; 10]), 10).await.unwrap().len(), 10);
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
}
