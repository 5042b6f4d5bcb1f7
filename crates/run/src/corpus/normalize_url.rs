//! One form for addresses that name the same page (RFC 3986, section 6.2, and the URL standard of the WHATWG).
//!
//! Scheme and host in lower case, no usual port, no dot after the host, dot segments resolved (by the crate `url`); no
//! fragment; escapes in capital letters, and none for letters, digits, `-`, `.`, `_` and `~`; parameters of the query in
//! the order of their names, without those that only say where a visitor came from.

use url::Url;

/// Beginnings of the names of parameters that say where a visitor came from.
const TRACKING_STARTS: &[&str] = &["utm_", "pk_", "mtm_", "hsa_"];

/// Names of such parameters: of advertisers, newsletters and social networks.
const TRACKING: &[&str] = &[
    "__s",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "_openstat",
    "dclid",
    "epik",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "gclsrc",
    "igsh",
    "igshid",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "rdt_cid",
    "srsltid",
    "ttclid",
    "twclid",
    "vero_id",
    "wbraid",
    "wickedid",
    "yclid",
    "ysclid",
];

/// The address as addresses are compared; `None` if it is none of http or https.
pub fn normalized_url(address: &str) -> Option<String> {
    let mut url = Url::parse(address.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.set_fragment(None);
    let host = url.host_str()?.trim_end_matches('.').to_owned();
    url.set_host(Some(&host)).ok()?;
    let path = normal_escapes(url.path());
    url.set_path(&path);
    let query = url.query().map(normal_escapes).unwrap_or_default();
    let mut parameters: Vec<&str> =
        query.split('&').filter(|parameter| !parameter.is_empty() && !is_tracking(name(parameter))).collect();
    // Values of one name keep their order, which may mean something.
    parameters.sort_by_key(|parameter| name(parameter));
    url.set_query((!parameters.is_empty()).then(|| parameters.join("&")).as_deref());
    Some(url.into())
}

fn name(parameter: &str) -> &str {
    parameter.split('=').next().unwrap_or(parameter)
}

fn is_tracking(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TRACKING.contains(&name.as_str()) || TRACKING_STARTS.iter().any(|start| name.starts_with(start))
}

/// Escapes of unreserved characters decoded, others in capital letters.
fn normal_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let byte = rest.get(1..3).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let Some(byte) = byte.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
            out.push('%');
            rest = &rest[1..];
            continue;
        };
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&rest[..3].to_ascii_uppercase());
        }
        rest = &rest[3..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_of_one_page_become_one() {
        for (address, expected) in [
            ("HTTP://WWW.Example.ORG:80/a/../b#top", "http://www.example.org/b"),
            ("https://example.org.:443", "https://example.org/"),
            ("https://a.example/?utm_source=x&b=2&a=1&UTM_Medium=y&fbclid=7", "https://a.example/?a=1&b=2"),
            ("https://a.example/?a=2&b&a=1&", "https://a.example/?a=2&a=1&b"),
            ("https://a.example/%7euser/%c3%a9?q=%41%2fb", "https://a.example/~user/%C3%A9?q=A%2Fb"),
            ("https://a.example/ü?", "https://a.example/%C3%BC"),
            ("https://a.example/100%", "https://a.example/100%"),
            ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
        ] {
            assert_eq!(normalized_url(address).as_deref(), Some(expected), "{address}");
        }
        assert_eq!(normalized_url("file:///etc/hostname"), None);
        assert_eq!(normalized_url("page.html"), None);
    }

    proptest! {
        #[test]
        fn a_normalized_address_stays_as_it_is(rest in "[ -~ü]{0,60}") {
            if let Some(once) = normalized_url(&format!("https://a.example/{rest}")) {
                let twice = normalized_url(&once).unwrap();
                prop_assert_eq!(twice, once);
            }
        }
    }
}
