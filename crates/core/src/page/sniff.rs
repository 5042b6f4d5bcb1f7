//! Recognizes content that is not a page by its first bytes, regardless of its name.
//!
//! This is our own code: crates with signature tables recognize many formats by two letters that
//! may begin any text, and none of them distinguishes text from other data.

/// First bytes of formats that are mistaken for a page, with the name of the format and the remedy.
const NO_PAGES: &[(&[u8], &str, &str)] = &[
    (b"%PDF-", "a PDF document", "convert it to HTML first"),
    (
        b"PK\x03\x04",
        "a ZIP archive",
        "unpack it and name the pages in it; a WACZ file has a name that ends in .wacz",
    ),
    (
        b"PAR1",
        "a Parquet file",
        "name it, by a name that ends in .parquet: it is read from its end",
    ),
    (b"\x1f\x8b", "gzip data", "unpack it first"),
    (
        b"\x28\xb5\x2f\xfd",
        "Zstandard data",
        "unpack it first; a web archive has a name that ends in .warc.zst",
    ),
    (
        b"\x5d\x2a\x4d\x18",
        "Zstandard data",
        "unpack it first; a web archive has a name that ends in .warc.zst",
    ),
    (
        b"\x04\x22\x4d\x18",
        "LZ4 data",
        "unpack it first; a web archive has a name that ends in .warc.lz4",
    ),
    (b"BZh", "bzip2 data", "unpack it first"),
    (b"\xfd7zXZ\0", "xz data", "unpack it first"),
    (
        b"Rar!",
        "a RAR archive",
        "unpack it and name the pages in it",
    ),
    (
        b"7z\xbc\xaf\x27\x1c",
        "a 7z archive",
        "unpack it and name the pages in it",
    ),
    (
        b"WARC/",
        "a WARC archive",
        "give it a name that ends in .warc or .warc.gz",
    ),
    (
        b"warc/",
        "a WARC archive",
        "give it a name that ends in .warc or .warc.gz",
    ),
    (
        b"filedesc://",
        "an ARC archive",
        "give it a name that ends in .arc or .arc.gz",
    ),
    (b"\x89PNG", "a PNG picture", "give HTML or MHTML"),
    (b"\xff\xd8\xff", "a JPEG picture", "give HTML or MHTML"),
    (b"GIF8", "a GIF picture", "give HTML or MHTML"),
    (b"RIFF", "a picture, sound or film", "give HTML or MHTML"),
    (
        b"\xd0\xcf\x11\xe0",
        "an Office document",
        "convert it to HTML first",
    ),
    (b"\x7fELF", "a program", "give HTML or MHTML"),
    (b"wOFF", "a font", "give HTML or MHTML"),
    (b"wOF2", "a font", "give HTML or MHTML"),
    (b"OTTO\0", "a font", "give HTML or MHTML"),
    (b"\0\x01\0\0", "a font", "give HTML or MHTML"),
    (
        b"\xde\x12\x04\x95",
        "a catalog of translations",
        "give HTML or MHTML",
    ),
    (
        b"\x95\x04\x12\xde",
        "a catalog of translations",
        "give HTML or MHTML",
    ),
    (b"SQLite format 3\0", "a database", "give HTML or MHTML"),
];

/// Number of bytes that are examined.
const HEAD_BYTES: usize = 64 << 10;
/// Number of control characters per thousand bytes above which content is not text. Compressed data
/// have a hundred, text has none; pages, which are recognized by their tags, may have some by
/// mistake.
const MAX_CONTROLS: usize = 10;
const MAX_CONTROLS_OF_PAGES: usize = 50;
/// Number of control characters that a page, or other text, may have however short it is.
const FEW_CONTROLS_OF_PAGES: usize = 8;
const FEW_CONTROLS: usize = 1;

/// Tags in lower case; every page has one of them near its start.
const TAGS: &[&[u8]] = &[
    b"<!doctype",
    b"<html",
    b"<head",
    b"<body",
    b"<meta",
    b"<title",
    b"<script",
    b"<style",
    b"<link",
    b"<div",
    b"<p>",
    b"<p ",
    b"<table",
    b"<br",
    b"<a href",
    b"<h1",
    b"<h2",
    b"<h3",
    b"<center",
    b"<font",
    b"<span",
    b"<!--",
    b"<?xml",
];

/// The reason why content is not a page, and the remedy; `None` for text of any kind.
pub(super) fn refuse(bytes: &[u8]) -> Option<String> {
    if let Some((_, what, remedy)) = NO_PAGES
        .iter()
        .find(|(start, _, _)| bytes.starts_with(start))
    {
        return Some(format!("the content is {what}, not a page; {remedy}"));
    }
    is_binary(bytes).then(|| "the content is not text; give HTML or MHTML".to_owned())
}

/// Returns true if the bytes are not text in any encoding.
pub fn is_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let narrow = narrowed(head);
    let head = narrow.as_deref().unwrap_or(head);
    // Backspaces and vertical tabs occur in the output of old programs.
    let is_page = has_tag(head);
    // Browsers ignore the zeros in a page.
    let controls = count_controls(head, !is_page);
    let (limit, few) = if is_page {
        (MAX_CONTROLS_OF_PAGES, FEW_CONTROLS_OF_PAGES)
    } else {
        (MAX_CONTROLS, FEW_CONTROLS)
    };
    controls > few && controls * 1000 > head.len() * limit
}

/// Number of control characters that do not occur in text; zeros are included if `zeros` is set.
fn count_controls(bytes: &[u8], zeros: bool) -> usize {
    let between = |byte: u8, first: u8, last: u8| byte.wrapping_sub(first) <= last - first;
    let first = u8::from(!zeros);
    // Sums of one byte let the compiler process many bytes at once.
    let count = |bytes: &[u8]| {
        bytes.iter().fold(0u8, |sum, &byte| {
            let is_control = [(first, 7), (14, 26), (28, 31), (127, 127)]
                .map(|(first, last)| between(byte, first, last));
            sum + is_control.into_iter().map(u8::from).sum::<u8>()
        })
    };
    bytes
        .chunks(usize::from(u8::MAX))
        .map(|bytes| usize::from(count(bytes)))
        .sum()
}

/// UTF-16 text with one byte for each letter: letters below 256 are kept, the others become `x`.
/// `None` for bytes in other encodings. UTF-16 is recognized by its byte order mark, by tags, or
/// because every other byte of Latin text is zero.
fn narrowed(head: &[u8]) -> Option<Vec<u8>> {
    // Only letters above 255 contain no zero byte, and pages in UTF-16 contain tags.
    let has_mark = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    if !has_mark && memchr::memchr(0, head).is_none() {
        return None;
    }
    [(0, &b"\xff\xfe"[..]), (1, b"\xfe\xff")]
        .into_iter()
        .find_map(|(low, mark)| {
            let letter = |pair: &[u8]| if pair[1 - low] == 0 { pair[low] } else { b'x' };
            let letters: Vec<u8> = head.chunks_exact(2).map(letter).collect();
            let start = &head[..head.len().min(1024)];
            let pairs = start.len() / 2;
            let is_latin = |pair: &&[u8]| pair[1 - low] == 0 && pair[low] != 0;
            let latin = start.chunks_exact(2).filter(is_latin).count();
            let is_wide =
                head.starts_with(mark) || has_tag(&letters) || pairs > 1 && latin * 10 > pairs * 9;
            is_wide.then_some(letters)
        })
}

/// Returns true if there is a tag near the start that is typical of pages.
pub(super) fn has_tag(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    memchr::memchr_iter(b'<', head).any(|at| {
        TAGS.iter().any(|tag| {
            head.get(at..at + tag.len())
                .is_some_and(|found| found.eq_ignore_ascii_case(tag))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cause(bytes: &[u8]) -> String {
        refuse(bytes).unwrap_or_default()
    }

    #[test]
    fn other_formats_are_named() {
        assert!(cause(b"%PDF-1.7\n").contains("PDF"));
        assert!(cause(b"PK\x03\x04rest").contains("ZIP"));
        assert!(cause(b"\x89PNG\r\n").contains("PNG"));
        assert!(cause(b"\x1f\x8b\x08\0").contains("gzip"));
        assert!(cause(b"\x04\x22\x4d\x18rest").contains("LZ4"));
        assert!(
            cause(b"filedesc://x.arc 0.0.0.0 19960923142103 text/plain 76\n")
                .contains("an ARC archive")
        );
        assert!(cause(b"\0\x01\0\0\0\x12\x01\0").contains("a font"));
        assert!(cause(b"\xde\x12\x04\x95\0\0\0\0").contains("translations"));
        assert!(cause(&[0; 100]).contains("not text"));
    }

    /// Data like the marshalled code of Python: numbers, and names and texts with their lengths.
    #[test]
    fn data_with_text_in_them_are_no_text() {
        let mut code = b"\xcb\x0d\x0d\x0a\0\0\0\0\x80\xa6\x2f\x67\x40\x05\0\0".to_vec();
        for name in [
            "html",
            "escape",
            "<p>",
            "unescape",
            "The text of a page, with < and > and &",
        ] {
            code.extend([0xda, name.len() as u8]);
            code.extend(name.bytes());
            code.extend([0x53, 0, 0x7d, 1, 0x7c, 0, 0xa0, 2, 0x64, 1]);
        }
        assert!(cause(&code).contains("not text"));
        // These are like bytes of a font with an unknown signature; like all long data they contain
        // a `<`.
        let noise: Vec<u8> = (0..5000u32)
            .map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        assert!(noise.contains(&b'<') && cause(&noise).contains("not text"));
    }

    #[test]
    fn pages_and_texts_are_accepted_in_all_encodings() {
        let page =
            "<!DOCTYPE html><html><body><p>Herring gulls drop mussels.</p>\u{1a}</body></html>";
        let wide = |text: &str| {
            text.encode_utf16()
                .flat_map(u16::to_le_bytes)
                .collect::<Vec<u8>>()
        };
        let big: Vec<u8> = page.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for text in [
            page.as_bytes(),
            b"",
            b"plain text",
            "Текст".as_bytes(),
            b"\xd2\xe5\xea\xf1\xf2",
            &wide(page),
            &big,
        ] {
            assert_eq!(refuse(text), None, "{text:?}");
        }
        assert_eq!(
            refuse(&[b"\xff\xfe".to_vec(), wide("漢字かな")].concat()),
            None
        );
        let cjk = format!("<html><body>{}", "一丁丂七丄丅丆".repeat(100));
        assert_eq!(refuse(&wide(&cjk)), None);
        // These have a form feed, a change of the character set, or zeros that a broken server
        // inserted.
        assert_eq!(refuse(b"\x0c\x1b$B\x24\x22\x1b(B and more text"), None);
        assert_eq!(refuse(&[page.as_bytes(), b"\0\0\0\0"].concat()), None);
        assert_eq!(refuse(&[page.as_bytes(), &[0; 500]].concat()), None);
    }

    proptest! {
        #[test]
        fn printable_text_is_accepted(text in "[ -~\n\u{a0}-\u{4ff}]{0,200}") {
            prop_assume!(!NO_PAGES.iter().any(|(start, ..)| text.as_bytes().starts_with(start)));
            prop_assert_eq!(refuse(text.as_bytes()), None);
        }
    }
}
