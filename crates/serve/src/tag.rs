//! Tags of answers (`ETag`, RFC 9110, 8.8.3): a client that already has an answer is told so and
//! does not get it again.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use vclean_core::hash::Fnv;

/// An answer with its tag, and without its body if the client has it already. The tag is weak,
/// since the answer may be compressed.
pub(super) fn tagged(request: &HeaderMap, body: Bytes) -> Response {
    let mut hash = Fnv::new();
    body.iter().for_each(|byte| hash.add(*byte));
    let tag = format!("W/\"{:016x}-{:x}\"", hash.finish(), body.len());
    let known = request
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let is_known = known
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|known| {
            known == "*" || known.trim_start_matches("W/") == tag.trim_start_matches("W/")
        });
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        body.into_response()
    };
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_the_client_has_is_not_sent_again() {
        let answer = |known: Option<&HeaderValue>| {
            tagged(
                &known
                    .map(|tag| (header::IF_NONE_MATCH, tag.clone()))
                    .into_iter()
                    .collect(),
                Bytes::from_static(b"text"),
            )
        };
        let first = answer(None);
        let tag = &first.headers()[header::ETAG];
        assert_eq!(
            (first.status().as_u16(), answer(Some(tag)).status().as_u16()),
            (200, 304)
        );
        assert_eq!(
            answer(Some(&HeaderValue::from_static("W/\"0\""))).status(),
            200
        );
        assert_eq!(
            answer(Some(
                &HeaderValue::from_str(&format!("\"0\", {}", tag.to_str().unwrap())).unwrap()
            ))
            .status(),
            304
        );
    }
}
