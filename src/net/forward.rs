//! The head of an HTTP request or response, as `proxy` forwards it.

use super::head::Head;
use super::saved::is_saved_host;
use std::time::SystemTime;
use url::Url;

/// Longest head of a request or a response, in bytes.
pub(crate) const MAX_HEAD_BYTES: u64 = 256 << 10;
/// Seconds that a `Retry-After` header requests at `now`, given as a number or as a date (RFC 9110, 10.2.3); `None` if
/// it is neither.
pub(crate) fn retry_after_s(header: &str, now: SystemTime) -> Option<u64> {
    let header = header.trim();
    let from_date = || {
        let date = httpdate::parse_http_date(header).ok()?;
        Some(date.duration_since(now).map_or(0, |wait| wait.as_secs_f64().ceil() as u64))
    };
    header.parse::<u32>().map(u64::from).ok().or_else(from_date)
}

/// A head for forwarding: with this first line, without the hop-by-hop headers, and with `Connection: close`. A `Referer`
/// with the made-up host of a saved page is left out.
pub(crate) fn forwarded(head: &Head, first: &[u8]) -> Vec<u8> {
    const OF_CONNECTION: [&str; 5] = ["connection", "proxy-connection", "keep-alive", "proxy-authorization", "upgrade"];
    let mut text = [first, b"\r\n"].concat();
    for (name, value) in &head.headers {
        let names_saved = name.eq_ignore_ascii_case("referer")
            && Url::parse(&String::from_utf8_lossy(value)).is_ok_and(|url| url.host_str().is_some_and(is_saved_host));
        if !names_saved && !OF_CONNECTION.iter().any(|other| name.eq_ignore_ascii_case(other)) {
            for part in [name.as_bytes(), b": ", value, b"\r\n"] {
                text.extend_from_slice(part);
            }
        }
    }
    text.extend_from_slice(b"Connection: close\r\n\r\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_pages_are_not_named() {
        let of = |referer: &str| {
            let message = format!("GET / HTTP/1.1\r\nReferer: {referer}\r\nAccept: x\r\n\r\n");
            let (head, _) = Head::split(message.as_bytes(), 1 << 16).unwrap();
            String::from_utf8(forwarded(&head, b"GET / HTTP/1.1")).unwrap()
        };
        assert!(
            !of("http://p1.saved.invalid/a").contains("Referer") && of("http://p1.saved.invalid/").contains("Accept")
        );
        assert!(of("http://a.example/p1.saved.invalid").contains("Referer"));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Fri, 31 Dec 1999 23:59:00 GMT").unwrap();
        for (header, seconds) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("Fri, 31 Dec 1999 23:59:59 GMT", Some(59)),
            ("Thu, 31 Dec 1998 23:59:59 GMT", Some(0)),
            ("99999999999999999999", None),
            ("-1", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(retry_after_s(header, now), seconds, "{header}");
        }
    }
}
