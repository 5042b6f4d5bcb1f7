//! Detects the kind of a file in a folder by its first bytes. Its extension helps if the content is
//! ambiguous, as with style sheets and scripts, which may contain markup.

use super::pages::Reason;
use super::{document, epub, parquet_file, wacz, warc};
use flate2::read::MultiGzDecoder;
use infer::MatcherType;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use vclean_core::page::{is_binary, is_mhtml};
use vclean_render::archive::begins_record;

/// Number of bytes that are read for the detection. Heuristic: at most a license text comes before
/// the first tag of a page.
const HEAD_BYTES: u64 = 8192;

/// Extensions of pages. Such files are always opened, because the user should see an error if one
/// is not a page.
const PAGE_ENDINGS: &[&str] = &["html", "htm", "xhtml", "mhtml", "mht"];

/// Extensions of other text files. Such a file is a page only if it begins like an HTML document.
const TEXT_ENDINGS: &[(&str, Reason)] = &[
    ("css", Reason::StyleSheet),
    ("js", Reason::Script),
    ("mjs", Reason::Script),
    ("map", Reason::Script),
    ("svg", Reason::Picture),
    ("json", Reason::Data),
    ("xml", Reason::Data),
    ("rss", Reason::Data),
    ("atom", Reason::Data),
    ("csv", Reason::Data),
    ("tsv", Reason::Data),
    ("yaml", Reason::Data),
    ("yml", Reason::Data),
    ("txt", Reason::Text),
    ("md", Reason::Text),
    ("log", Reason::Text),
];

/// Elements with which a page may begin.
const FIRST_TAGS: &[&str] = &[
    "html",
    "head",
    "title",
    "meta",
    "base",
    "link",
    "style",
    "script",
    "noscript",
    "body",
    "header",
    "nav",
    "main",
    "article",
    "section",
    "aside",
    "footer",
    "div",
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "table",
    "ul",
    "ol",
    "dl",
    "a",
    "b",
    "i",
    "em",
    "strong",
    "span",
    "font",
    "center",
    "img",
    "br",
    "hr",
    "form",
    "frameset",
    "blockquote",
    "pre",
];

/// Kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// An HTML or MHTML file, perhaps packed with gzip.
    Page,
    /// A file that holds many pages.
    Archive,
    /// A file without pages.
    Other(Reason),
}

/// Detects the kind of a regular file.
///
/// # Errors
/// If it cannot be read.
pub(super) fn file_kind(path: &Path) -> io::Result<FileKind> {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    if head.starts_with(b"\x1f\x8b") {
        let mut inside = Vec::new();
        // The data may be truncated; it is decompressed as far as possible.
        let _ = MultiGzDecoder::new(&head[..])
            .take(HEAD_BYTES)
            .read_to_end(&mut inside);
        let unpacked_name = name.strip_suffix(".gz").unwrap_or(&name);
        return Ok(match kind_of(unpacked_name, &inside) {
            // The extension of the whole name decides how it is opened.
            FileKind::Archive if !is_archive_name(&name) && !is_web_archive(&inside) => {
                FileKind::Other(Reason::Packed)
            }
            FileKind::Other(_) => FileKind::Other(Reason::Packed),
            kind => kind,
        });
    }
    Ok(kind_of(&name, &head))
}

/// Returns true if the bytes begin with a record of a web archive.
fn is_web_archive(head: &[u8]) -> bool {
    begins_record(head.split(|byte| *byte == b'\n').next().unwrap_or_default())
}

fn is_archive_name(name: &str) -> bool {
    warc::is_warc(name)
        || wacz::is_wacz(name)
        || epub::is_epub(name)
        || parquet_file::is_parquet(name)
        || document::is_json_lines(name)
}

/// The kind of a file with this name (in lower case) and these first bytes.
fn kind_of(name: &str, head: &[u8]) -> FileKind {
    if document::is_json_lines(name) {
        return if may_hold_documents(head) {
            FileKind::Archive
        } else {
            FileKind::Other(Reason::Data)
        };
    }
    if is_archive_name(name) || is_web_archive(head) {
        return FileKind::Archive;
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    if PAGE_ENDINGS.contains(&ending) || is_mhtml(head) {
        return FileKind::Page;
    }
    if let Some(reason) = binary(head) {
        return FileKind::Other(reason);
    }
    let text = text_of(head);
    match TEXT_ENDINGS.iter().find(|(known, _)| *known == ending) {
        Some(_) if begins_document(&text) => FileKind::Page,
        Some((_, reason)) => FileKind::Other(*reason),
        None if looks_like_html(&text) => FileKind::Page,
        None if matches!(
            text.trim_start().as_bytes().first(),
            Some(b'<' | b'{' | b'[')
        ) =>
        {
            FileKind::Other(Reason::Data)
        }
        None => FileKind::Other(Reason::Text),
    }
}

/// Returns true if a file of JSON lines may hold pages: its first line names `html` or `base64`, or
/// is longer than the bytes that were read.
fn may_hold_documents(head: &[u8]) -> bool {
    let line = head
        .split(|byte| *byte == b'\n')
        .find(|line| !line.trim_ascii().is_empty())
        .unwrap_or_default();
    let has = |key: &[u8]| line.windows(key.len()).any(|part| part == key);
    let is_whole = head.len() > line.len() || (head.len() as u64) < HEAD_BYTES;
    !is_whole || has(b"\"html\"") || has(b"\"base64\"")
}

/// The kind of a file that is not text; `None` for text.
fn binary(head: &[u8]) -> Option<Reason> {
    let found = infer::get(head).map(|kind| (kind.matcher_type(), kind.mime_type()));
    match found {
        Some((MatcherType::Text, _)) => None,
        Some((_, "application/pdf") | (MatcherType::Doc | MatcherType::Book, _)) => {
            Some(Reason::Document)
        }
        Some((MatcherType::Image, _)) => Some(Reason::Picture),
        Some((MatcherType::Font, _)) => Some(Reason::Font),
        Some((MatcherType::Audio | MatcherType::Video, _)) => Some(Reason::Media),
        Some((MatcherType::Archive, _)) => Some(Reason::Packed),
        Some((_, mime)) if mime.starts_with("text/") => None,
        Some(_) => Some(Reason::Binary),
        None => is_binary(head).then_some(Reason::Binary),
    }
}

fn has_utf16_mark(head: &[u8]) -> bool {
    head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff")
}

/// The beginning of a text in lower case, precise enough to find tags in it: zero bytes of UTF-16
/// are left out.
fn text_of(head: &[u8]) -> String {
    let bytes = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let is_wide = has_utf16_mark(head);
    let bytes = if is_wide { &bytes[2..] } else { bytes };
    bytes
        .iter()
        .filter(|byte| !is_wide || **byte != 0)
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect()
}

/// The text after white space, comments and an XML declaration.
fn after_prologue(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let end = if rest.starts_with("<!--") {
            rest.find("-->").map(|at| at + 3)
        } else if rest.starts_with("<?xml") {
            rest.find("?>").map(|at| at + 2)
        } else {
            return rest;
        };
        match end {
            Some(end) => rest = rest[end..].trim_start(),
            None => return "",
        }
    }
}

/// Returns true if the text begins like an HTML document, with a document type or root element.
fn begins_document(text: &str) -> bool {
    let rest = after_prologue(text);
    rest.starts_with("<!doctype html") || first_tag(rest) == Some("html")
}

/// Returns true if the text, in lower case, is HTML: a document, a fragment that begins with an
/// HTML tag, or text that contains the outer tags of a document.
pub(super) fn looks_like_html(text: &str) -> bool {
    let rest = after_prologue(text);
    if rest.starts_with("<?php") {
        // This is the source of a program, not the page that it generates.
        return false;
    }
    begins_document(text)
        || match first_tag(rest) {
            Some(tag) => FIRST_TAGS.contains(&tag),
            None => ["<!doctype html", "<html", "<head>", "<body"]
                .iter()
                .any(|mark| rest.contains(mark)),
        }
}

/// The name of the tag that the text begins with.
fn first_tag(text: &str) -> Option<&str> {
    let name = text.strip_prefix('<')?;
    let end = name
        .find(|char: char| !char.is_ascii_alphanumeric())
        .unwrap_or(name.len());
    let is_tag = name[end..]
        .starts_with(|char: char| char.is_ascii_whitespace() || matches!(char, '>' | '/'));
    (end > 0 && is_tag).then(|| &name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_decides_what_is_a_page() {
        let page = "<!DOCTYPE html><title>x</title><p>text";
        let wide: Vec<u8> = [0xff, 0xfe]
            .into_iter()
            .chain(page.bytes().flat_map(|byte| [byte, 0]))
            .collect();
        for name in [
            "a.php",
            "a.asp",
            "noending",
            "a.txt",
            "view.php?id=1",
            "a.xml",
            "a.js",
        ] {
            assert_eq!(kind_of(name, page.as_bytes()), FileKind::Page, "{name}");
            assert_eq!(kind_of(name, &wide), FileKind::Page, "{name}");
        }
        let commented = "<?xml version='1.0'?>\n<!-- saved -->\n<html xmlns='x'><body>";
        assert_eq!(kind_of("a.asp", commented.as_bytes()), FileKind::Page);
        assert_eq!(kind_of("fragment", b"<div class=x>text"), FileKind::Page);
        assert_eq!(
            kind_of("warned.php", b"Warning: line 3\n<html><body>x"),
            FileKind::Page
        );
        assert_eq!(kind_of("empty.html", b""), FileKind::Page);
    }

    #[test]
    fn other_files_are_named_by_their_kind() {
        let js = "document.write('<html><body>');";
        for (name, head, reason) in [
            ("a.js", js.as_bytes(), Reason::Script),
            (
                "a.css",
                b"/* <html> */ p { color: red }",
                Reason::StyleSheet,
            ),
            ("a.json", b"{\"html\": \"<p>\"}", Reason::Data),
            (
                "feed",
                b"<?xml version='1.0'?><rss><channel><title>x</title>",
                Reason::Data,
            ),
            ("logo.svg", b"<svg xmlns='x'></svg>", Reason::Picture),
            ("logo", b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", Reason::Picture),
            ("page.php", b"<?php echo '<html>'; ?>", Reason::Data),
            ("notes.txt", b"An <b>old</b> note", Reason::Text),
            ("robots", b"User-agent: *", Reason::Text),
            ("letter.pdf", b"%PDF-1.7\n", Reason::Document),
            ("font", b"wOFF\0\x01\0\0", Reason::Font),
            ("noise", b"\x01\0\x02\0\x03", Reason::Binary),
            (
                "cleaned.jsonl",
                b"{\"id\": 1, \"text\": \"x\"}\n",
                Reason::Data,
            ),
        ] {
            assert_eq!(kind_of(name, head), FileKind::Other(reason), "{name}");
        }
    }

    #[test]
    fn archives_are_found_by_name_or_content() {
        for (name, head) in [
            ("a.warc.gz", &b""[..]),
            ("a.wacz", b"PK\x03\x04"),
            ("a.epub", b"PK\x03\x04"),
            ("a.parquet", b"PAR1"),
            ("a.jsonl", b"\n{\"url\": \"x\", \"html\": \"<p>\"}\n"),
            ("crawl", b"WARC/1.0\r\n"),
            ("old crawl", b"warc/1.0\r\n"),
            (
                "older crawl",
                b"filedesc://x.arc 0.0.0.0 19960923142103 text/plain 76\n",
            ),
        ] {
            assert_eq!(kind_of(name, head), FileKind::Archive, "{name}");
        }
        assert!(
            may_hold_documents(&[b'x'; HEAD_BYTES as usize]),
            "too long to tell"
        );
    }
}
