//! The reader and the loader: `GET /r/https://example.org/page` answers with the text of a page in
//! the type that `Accept` asks for, and `POST /` with texts for the external loader of Open WebUI.

use super::places::Caller;
use super::problem::Problem;
use super::reader_headers;
use super::request::CleanRequest;
use super::scrape::read;
use super::service::Service;
use super::tag::tagged;
use super::work;
use axum::Json;
use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Media types of the reader, the default first, and their formats.
const TYPES: [(&str, &str); 4] = [
    ("text/markdown", "markdown"),
    ("text/plain", "text"),
    ("text/html", "html"),
    ("application/json", "json"),
];
/// The headers that an answer depends on.
const VARY: &str = "accept, authorization, x-return-format, x-timeout, x-wait-for-selector, x-set-cookie, x-locale, \
    x-target-selector, x-remove-selector";
/// Largest number of addresses in a request of a loader. Heuristic: the results of one search.
const MAX_URLS: usize = 100;

/// Answers with the text of the page whose address follows in the path.
pub(super) async fn get(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let admitted = service.admit(caller, false)?;
    let mut request = CleanRequest {
        url: Some(address(&uri)),
        ..CleanRequest::default()
    };
    let (named, parts) = reader_headers::take(&headers, &mut request)?;
    let format = match named {
        Some(format) => format,
        None => accepted(&headers)?,
    };
    request.formats = vec![format.to_owned()];
    request.options.links = matches!(format, "markdown" | "html");
    request.options.images = format == "html";
    let job = request.check(&service.cleaners, service.defaults())?;
    let text = work::run(&service, admitted, job, move |mut cleaned, job| {
        parts.choose(&mut cleaned);
        let format = job.formats[0];
        Ok((
            format.media_type,
            (format.write)(&cleaned.page.document, &job.emit),
        ))
    });
    let (media_type, text) = text.await?;
    let mut response = tagged(&headers, text.into_bytes().into());
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
        .headers_mut()
        .insert(header::VARY, HeaderValue::from_static(VARY));
    Ok(response)
}

/// The address in a path. Proxies may have merged two slashes.
fn address(uri: &Uri) -> String {
    let whole = uri.path_and_query().map_or("", |whole| whole.as_str());
    let address = whole.strip_prefix("/r/").unwrap_or_default();
    for scheme in ["https:/", "http:/"] {
        if let Some(rest) = address.strip_prefix(scheme) {
            return format!("{scheme}/{}", rest.trim_start_matches('/'));
        }
    }
    address.to_owned()
}

/// The format that a client prefers (RFC 9110, 12.5.1).
fn accepted(headers: &HeaderMap) -> Result<&'static str, Problem> {
    let values = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let ranges: Vec<(String, f32)> = values
        .flat_map(|value| value.split(','))
        .map(range)
        .collect();
    if ranges.is_empty() {
        return Ok(TYPES[0].1);
    }
    let quality = |media_type: &str| {
        let kind = media_type.split('/').next().unwrap_or_default();
        let matches = |range: &str| match range.strip_suffix("/*") {
            _ if range == media_type => 3,
            Some("*") => 1,
            Some(all) if all == kind => 2,
            _ => 0,
        };
        let best = ranges
            .iter()
            .map(|(range, quality)| (matches(range), *quality))
            .max_by_key(|(exact, _)| *exact);
        best.filter(|(exact, _)| *exact > 0)
            .map_or(0.0, |(_, quality)| quality)
    };
    let best = TYPES
        .iter()
        .rev()
        .max_by(|one, other| quality(one.0).total_cmp(&quality(other.0)));
    best.filter(|(media_type, _)| quality(media_type) > 0.0)
        .map(|(_, format)| *format)
        .ok_or_else(|| {
            let types: Vec<&str> = TYPES.iter().map(|(media_type, _)| *media_type).collect();
            Problem::new(
                StatusCode::NOT_ACCEPTABLE,
                format!(
                    "none of the accepted types is offered; accept {}",
                    types.join(", ")
                ),
            )
        })
}

/// A media range and its quality.
fn range(text: &str) -> (String, f32) {
    let mut parts = text.split(';').map(|part| part.trim().to_ascii_lowercase());
    let name = parts.next().unwrap_or_default();
    let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse().ok());
    (name, quality.unwrap_or(1.0))
}

/// Addresses of pages to be loaded.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LoaderRequest {
    /// The http or https addresses.
    #[schemars(length(min = 1, max = 100))]
    urls: Vec<String>,
}

/// A page in the format of Open WebUI.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LoadedPage {
    /// Text of the page in Markdown; empty if it has none.
    page_content: String,
    /// Address of the page as `source`, its own metadata, and `error` if there is no text.
    metadata: Map<String, Value>,
}

/// Answers with the texts of pages, in the order of their addresses.
pub(super) async fn post(
    State(service): State<Arc<Service>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Vec<LoadedPage>>, Problem> {
    let LoaderRequest { urls } = read(&service, caller, &headers, body).await?;
    let admitted = service.admit(caller, true)?;
    if urls.is_empty() || urls.len() > MAX_URLS {
        return Err(Problem::request(format!(
            "`urls` has {} addresses; give 1 to {MAX_URLS}",
            urls.len()
        )));
    }
    let load = |url: String| {
        let (service, admitted) = (Arc::clone(&service), Arc::clone(&admitted));
        async move {
            let request = CleanRequest {
                url: Some(url.clone()),
                formats: vec!["markdown".to_owned()],
                ..Default::default()
            };
            let job = request.check(&service.cleaners, service.defaults());
            let loaded = async {
                work::run(&service, admitted, job?, |cleaned, job| {
                    let document = &cleaned.page.document;
                    Ok((
                        (job.formats[0].write)(document, &job.emit),
                        document.metadata.clone(),
                    ))
                })
                .await
            };
            (url, loaded.await)
        }
    };
    let pages: Vec<_> = stream::iter(urls.into_iter().map(load))
        .buffered(service.options.jobs.max(1))
        .collect()
        .await;
    if pages.iter().all(|(_, loaded)| loaded.is_err())
        && let Some((_, Err(problem))) = pages.first()
    {
        return Err(problem.clone());
    }
    let shown = pages.into_iter().map(|(url, loaded)| {
        let mut metadata = Map::from_iter([("source".to_owned(), Value::from(url))]);
        let page_content = match loaded {
            Ok((text, found)) => {
                let told = [
                    ("title", found.title),
                    ("description", found.description),
                    ("language", found.language),
                ];
                metadata.extend(
                    told.into_iter()
                        .filter_map(|(name, value)| Some((name.to_owned(), value?.into()))),
                );
                text
            }
            Err(problem) => {
                metadata.insert("error".to_owned(), problem.cause.into());
                String::new()
            }
        };
        LoadedPage {
            page_content,
            metadata,
        }
    });
    Ok(Json(shown.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn negotiate(accept: &[&str]) -> Result<&'static str, u16> {
        let headers = accept
            .iter()
            .map(|value| (header::ACCEPT, HeaderValue::from_str(value).unwrap()))
            .collect();
        accepted(&headers).map_err(|problem| problem.status.as_u16())
    }

    #[test]
    fn the_type_is_the_one_that_a_client_accepts_most() {
        assert_eq!(
            (negotiate(&[]), negotiate(&["*/*"])),
            (Ok("markdown"), Ok("markdown"))
        );
        assert_eq!(
            negotiate(&["text/html,application/xhtml+xml,*/*;q=0.8"]),
            Ok("html")
        );
        assert_eq!(
            negotiate(&["application/json;q=0.5, text/plain;q=0.9"]),
            Ok("text")
        );
        assert_eq!(negotiate(&["text/*;q=0.3", "application/json"]), Ok("json"));
        assert_eq!(negotiate(&["text/markdown;q=0, */*"]), Ok("text"));
        assert_eq!(
            (negotiate(&["image/png"]), negotiate(&["text/html;q=0"])),
            (Err(406), Err(406))
        );
    }

    #[test]
    fn the_address_is_the_rest_of_the_path() {
        let address_of = |path: &str| address(&path.parse().unwrap());
        assert_eq!(
            address_of("/r/https://a.example/x?y=1&z"),
            "https://a.example/x?y=1&z"
        );
        assert_eq!(
            address_of("/r/https:/a.example/x%20y"),
            "https://a.example/x%20y"
        );
        assert_eq!(address_of("/r/a.example"), "a.example");
    }
}
