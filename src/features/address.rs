//! Addresses of links: within the page, on its site or elsewhere, and whether they look like an article's.

use crate::capture::Capture;

/// Where a link leads.
pub(super) enum LinkTarget {
    /// To another part of the page.
    SamePage,
    /// To a page of the same site.
    SameSite,
    /// To another site.
    OtherSite,
}

/// Where a link to `address` leads from a page on `host`.
pub(super) fn link_target(address: &str, host: Option<&str>) -> LinkTarget {
    if address.starts_with('#') {
        return LinkTarget::SamePage;
    }
    match (host_of(address), host) {
        (None, _) => LinkTarget::SameSite,
        (Some(other), Some(own)) if is_same_site(other, own) => LinkTarget::SameSite,
        (Some(_), _) => LinkTarget::OtherSite,
    }
}

/// Host of an absolute or protocol-relative address.
fn host_of(address: &str) -> Option<&str> {
    let starts = |start: &str| address.get(..start.len()).filter(|own| own.eq_ignore_ascii_case(start));
    let start = starts("//").or_else(|| starts("https://")).or_else(|| starts("http://"))?;
    let rest = &address[start.len()..];
    let end = memchr::memchr3(b'/', b'?', b'#', rest.as_bytes()).unwrap_or(rest.len());
    let host = rest[..end].rsplit('@').next().unwrap_or("");
    let host = host.split(':').next().unwrap_or("");
    (!host.is_empty()).then_some(host)
}

/// Whether one host is the other or its subdomain, `www.` and case aside.
fn is_same_site(one: &str, other: &str) -> bool {
    let (one, other) = (without_www(one), without_www(other));
    is_within(one, other) || is_within(other, one)
}

fn without_www(mut host: &str) -> &str {
    while let Some((start, rest)) = host.split_at_checked(4)
        && start.eq_ignore_ascii_case("www.")
    {
        host = rest;
    }
    host
}

/// Whether a host is the other or its subdomain.
fn is_within(inner: &str, outer: &str) -> bool {
    let (inner, outer) = (inner.as_bytes(), outer.as_bytes());
    let Some((start, end)) = inner.len().checked_sub(outer.len()).map(|at| inner.split_at(at)) else { return false };
    end.eq_ignore_ascii_case(outer) && (start.is_empty() || start.ends_with(b"."))
}

/// Whether the last part of the address looks like one of many pages: a title in words, or a number.
pub(super) fn is_slug(address: &str) -> bool {
    let bytes = address.as_bytes();
    let path = &bytes[..memchr::memchr2(b'?', b'#', bytes).unwrap_or(bytes.len())];
    let path = &path[..path.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1)];
    let last = &path[memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1)..];
    let count = |is: fn(&u8) -> bool| last.iter().filter(|byte| is(byte)).count();
    count(|byte| matches!(byte, b'-' | b'_')) >= 3 || count(u8::is_ascii_digit) >= 5
}

/// Host of the page: by its address, or else by its `base`, canonical link or `og:url`.
pub(super) fn page_host(capture: &Capture) -> Option<String> {
    if let Some(host) = capture.address().and_then(host_of) {
        return Some(host.to_owned());
    }
    let dom = &capture.dom;
    dom.ids().find_map(|id| {
        let address = match dom.tag(id) {
            "base" => dom.attribute(id, "href"),
            "link" if dom.attribute(id, "rel") == Some("canonical") => dom.attribute(id, "href"),
            "meta" if dom.attribute(id, "property") == Some("og:url") => dom.attribute(id, "content"),
            _ => None,
        };
        address.and_then(|address| host_of(address.trim())).map(str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_hosts() {
        assert_eq!(host_of("https://user@a.example.org:80/x"), Some("a.example.org"));
        assert_eq!(host_of("//b.org"), Some("b.org"));
        assert_eq!(host_of("HTTP://c.org?x"), Some("c.org"));
        assert!(["/x//y", "ftp://d.org", "http:///x", "é//e.org"].iter().all(|address| host_of(address).is_none()));
        assert!(is_same_site("www.Example.org", "news.example.org"));
        assert!(!is_same_site("myexample.org", "example.org") && !is_same_site("example.org", "xexample.org"));
        assert!(is_same_site("WWW.www.example.org", "example.ORG") && is_same_site("a.b.org", "b.org"));
        assert!(is_slug("/2024/a-long-way-home/"));
        assert!(is_slug("a_b-c-d#e") && is_slug("/12345?x") && !is_slug("///") && !is_slug(""));
        assert!(!is_slug("/about-us") && !is_slug("/a-b-c-d/e?a-b-c-d"));
    }
}
