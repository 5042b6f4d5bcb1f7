//! Options of the reader in headers, by the names that Jina's reader takes.

use super::cleaned::Cleaned;
use super::problem::Problem;
use super::request::CleanRequest;
use axum::http::HeaderMap;
use serde_json::{Map, Value, json};
use vclean_core::capture::Selectors;
use vclean_core::classify::Label;
use vclean_render::{LoadOptions, WaitFor};

/// The formats of `x-return-format`.
const FORMATS: [&str; 3] = ["markdown", "html", "text"];

/// The parts of a page that the headers name.
#[derive(Debug)]
pub(super) struct Parts {
    wanted: Selectors,
    unwanted: Selectors,
}

impl Parts {
    /// Keeps the wanted parts of a page whole, or else its main text, without the unwanted parts.
    pub(super) fn choose(&self, cleaned: &mut Cleaned) {
        if self.wanted.is_empty() && self.unwanted.is_empty() {
            return;
        }
        let dom = &cleaned.capture.dom;
        let (wanted, unwanted) = (self.wanted.inside(dom), self.unwanted.inside(dom));
        let is_all = self.wanted.is_empty();
        cleaned.relabel(|_, target, label| {
            let container = target.container.index();
            let is_wanted = if is_all {
                label == Label::Content
            } else {
                wanted[container]
            };
            is_wanted && !unwanted[container]
        });
    }
}

/// Takes the options of the headers into a request. Returns the format that they name, if they do,
/// and the parts of the page.
///
/// # Errors
/// If a header has a wrong value.
pub(super) fn take(
    headers: &HeaderMap,
    request: &mut CleanRequest,
) -> Result<(Option<&'static str>, Parts), Problem> {
    let all = |name: &str| -> Vec<&str> {
        let values = headers.get_all(name).iter();
        values.filter_map(|value| value.to_str().ok()).collect()
    };
    let one = |name: &str| all(name).first().map(|value| value.trim());
    if let Some(seconds) = one("x-timeout") {
        let wrong = || Problem::request(format!("x-timeout is {seconds}; it is in seconds"));
        let seconds: f64 = seconds.parse().map_err(|_| wrong())?;
        request.timeout_ms = Some((seconds * 1000.0) as u64);
    }
    let cookies = all("x-set-cookie").into_iter().map(|cookie| {
        let pair = cookie.split(';').next().unwrap_or_default();
        let wrong = || Problem::request("x-set-cookie is NAME=VALUE");
        let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
        Ok((name.trim().to_owned(), value.trim().into()))
    });
    let cookies: Map<String, Value> = cookies.collect::<Result<_, Problem>>()?;
    let mut load = json!({ "cookies": cookies });
    if let Some(language) = one("x-locale") {
        load["accept_language"] = language.into();
    }
    let load: LoadOptions =
        serde_json::from_value(load).map_err(|error| Problem::request(error.to_string()))?;
    request.load = LoadOptions {
        wait_for: one("x-wait-for-selector")
            .map(|selector| WaitFor::Selector(selector.to_owned()))
            .into_iter()
            .collect(),
        ..load
    };
    let format = one("x-return-format")
        .map(|name| {
            let known = FORMATS.into_iter().find(|known| *known == name);
            let cause = || format!("x-return-format is {name}; it is {}", FORMATS.join(", "));
            known.ok_or_else(|| Problem::request(cause()))
        })
        .transpose()?;
    let parts = Parts {
        wanted: Selectors::parse(&all("x-target-selector")).map_err(Problem::request)?,
        unwanted: Selectors::parse(&all("x-remove-selector")).map_err(Problem::request)?,
    };
    Ok((format, parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn taken(pairs: &[(&str, &str)]) -> Result<(CleanRequest, Option<&'static str>), String> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            let name: HeaderName = name.parse().unwrap();
            headers.append(name, value.parse::<HeaderValue>().unwrap());
        }
        let mut request = CleanRequest::default();
        let (format, _) = take(&headers, &mut request).map_err(|problem| problem.cause)?;
        Ok((request, format))
    }

    #[test]
    fn options_are_taken_from_headers() {
        let (request, format) = taken(&[
            ("X-Return-Format", "html"),
            ("X-Timeout", "2.5"),
            ("X-Wait-For-Selector", "#text"),
            ("X-Set-Cookie", "a=1; domain=a.example"),
            ("X-Set-Cookie", "b=2"),
            ("X-Forwarded-For", "10.0.0.1"),
        ])
        .unwrap();
        assert_eq!((request.timeout_ms, format), (Some(2500), Some("html")));
        assert_eq!(
            request.load.wait_for,
            [WaitFor::Selector("#text".to_owned())]
        );
        assert_eq!(request.load.cookies.len(), 2);
        for (name, value) in [
            ("x-return-format", "screenshot"),
            ("x-timeout", "soon"),
            ("x-set-cookie", "a"),
            ("x-target-selector", "a:hover"),
        ] {
            assert!(taken(&[(name, value)]).unwrap_err().contains(value) || name == "x-set-cookie");
        }
    }
}
