//! Warnings about a call that is valid but probably not what the caller meant.

use encoding_rs::Encoding;
use vclean_core::page::Place;

/// The warnings about the arguments of a call; `text` is the page, if it was given as text.
pub(crate) fn doubts(charset: Option<&str>, text: Option<&[u8]>) -> Vec<String> {
    let charset = charset.and_then(unknown_charset);
    let name = text.and_then(place_of_page);
    [charset, name].into_iter().flatten().collect()
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

fn place_of_page(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let place = Place::named_by(text)?;
    Some(format!(
        "the page is only the line {}, which looks like {}; pass what is there: fetch the address, or \
         read the file",
        text.trim(),
        place.describe()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_page_instead_of_the_page_is_doubtful() {
        for place in ["https://example.org/gulls", "Page One.HTML\n"] {
            let told = place_of_page(place.as_bytes()).unwrap();
            assert!(told.contains(place.trim()), "{told}");
        }
        assert_eq!(place_of_page(b"Gulls drop mussels."), None);
        assert_eq!(place_of_page(b"\xff.html"), None);
    }

    #[test]
    fn unknown_charsets_are_named() {
        let told = doubts(Some("utf-9"), Some(b"<p>text")).join("\n");
        assert!(told.contains("utf-9"), "{told}");
        let told = doubts(Some(" Latin1 "), None);
        assert_eq!(told, [""; 0]);
    }
}
