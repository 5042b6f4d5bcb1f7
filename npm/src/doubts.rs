//! Warnings about a call that is valid but probably not what the caller meant.

use encoding_rs::Encoding;
use url::Url;

/// Longest line that may be an address or the name of a file instead of a page, in bytes.
const MAX_NAME_BYTES: usize = 2000;
const NAME_STARTS: &[&str] = &["http://", "https://", "file://", "/", "./"];
const NAME_ENDINGS: &[&str] = &[".html", ".htm", ".mhtml", ".pdf"];

/// The warnings about the arguments of a call; `text` is the page, if it was given as text.
pub(crate) fn doubts(url: Option<&str>, charset: Option<&str>, text: Option<&[u8]>) -> Vec<String> {
    let charset = charset.and_then(unknown_charset);
    let url = url.and_then(invalid_url);
    let name = text.and_then(name_of_page);
    [charset, url, name].into_iter().flatten().collect()
}

fn unknown_charset(charset: &str) -> Option<String> {
    Encoding::for_label(charset.trim().as_bytes())
        .is_none()
        .then(|| {
            format!(
                "`charset` {charset} is not a known encoding, so it was detected; name one such as \
                 utf-8 or windows-1252, or leave it out"
            )
        })
}

fn invalid_url(url: &str) -> Option<String> {
    Url::parse(url).is_err().then(|| {
        format!(
            "`url` {url} is not an absolute address, so links cannot be resolved against it; give \
             one such as https://example.org/page"
        )
    })
}

fn name_of_page(bytes: &[u8]) -> Option<String> {
    if bytes.len() > MAX_NAME_BYTES {
        return None;
    }
    let name = std::str::from_utf8(bytes).ok()?.trim();
    let small = name.to_ascii_lowercase();
    let is_line = !name.contains(['<', '\n', '\r']);
    let is_name = NAME_STARTS.iter().any(|start| small.starts_with(start))
        || NAME_ENDINGS.iter().any(|ending| small.ends_with(ending));
    (is_line && is_name).then(|| {
        format!(
            "the page is only the line {name}, which looks like an address or the name of a file; \
             pass what is there: fetch the address, or read the file"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_page_in_place_of_the_page_is_doubtful() {
        for name in [
            "https://example.org/gulls",
            "file:///tmp/x",
            "./page",
            "/srv/page\n",
            "Page One.HTML",
            "report.pdf",
        ] {
            let told = name_of_page(name.as_bytes()).unwrap();
            assert!(told.contains(name.trim()), "{told}");
        }
        for page in [
            "Gulls drop mussels.",
            "",
            "/\nsecond line",
            "<p>/</p>",
            "see http://a.example/",
        ] {
            assert_eq!(name_of_page(page.as_bytes()), None, "{page}");
        }
        assert_eq!(name_of_page(&[b'/'; 3000]), None);
    }

    #[test]
    fn unknown_charsets_and_relative_addresses_are_named() {
        let told = doubts(Some("example.org/gulls"), Some("utf-9"), Some(b"<p>text")).join("\n");
        assert!(
            told.contains("utf-9") && told.contains("example.org/gulls"),
            "{told}"
        );
        let told = doubts(Some("https://example.org/"), Some(" Latin1 "), None);
        assert_eq!(told, [""; 0]);
    }
}
