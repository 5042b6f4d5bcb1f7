//! MHTML files (RFC 2557): a saved page with all its resources, one MIME part per resource.
//!
//! Converts the bytes to the tree of the root document, with the documents of its frames below their `iframe`. Chromium
//! names a frame's part by `Content-ID` and refers to it as `cid:`. Of a file that was cut off, the parts before the
//! cut are used.

use super::parts::Parts;
use crate::capture::{Dom, DomBuilder, NodeId, NodeKind};
use crate::error::{SourceError, Warning, WarningKind, Warnings};
use crate::html::decode;
use crate::html::{Parsed, parse_with_warnings, undecodable};
use mail_parser::decoders::base64::base64_decode;
use mail_parser::{Message, MessageParser, MessagePart, MimeHeaders};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Number of bytes that are searched for the headers of an archive.
const HEADER_BYTES: usize = 16 * 1024;

/// Number of bytes that may follow the closing boundary of a complete archive.
const TAIL_BYTES: usize = 1024;

/// Largest number of frames whose documents are inserted into the tree.
const MAX_FRAMES: usize = 200;

/// The content of an archive.
#[derive(Debug)]
pub(super) struct Archive {
    pub(super) dom: Dom,
    pub(super) url: Option<String>,
    pub(super) warnings: Warnings,
}

/// Whether the bytes begin with the headers of a multipart message.
pub(super) fn is_mhtml(bytes: &[u8]) -> bool {
    let head = header_lines(bytes);
    let names = |name: &str| head.iter().any(|(key, _)| key == name);
    names("content-type")
        && (names("mime-version") || names("from"))
        && head.iter().any(|(key, value)| {
            key == "content-type"
                && (value.to_ascii_lowercase().contains("multipart/")
                    || value.to_ascii_lowercase().contains("text/html"))
        })
}

/// The address of the page, as given in the archive.
pub(super) fn address(bytes: &[u8]) -> Option<String> {
    let head = header_lines(bytes);
    ["snapshot-content-location", "content-location"]
        .iter()
        .find_map(|name| head.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone()))
        .filter(|url| is_web_address(url))
}

fn is_web_address(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// The header lines at the start, names in lower case, folded lines joined; empty if there is no header.
///
/// `mail-parser` is not used here: it reads any bytes as a message, and this function tests whether they are one.
fn header_lines(bytes: &[u8]) -> Vec<(String, String)> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEADER_BYTES)]);
    let mut lines: Vec<(String, String)> = Vec::new();
    for line in head.trim_start_matches(['\r', '\n']).lines() {
        if line.trim().is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) {
            let Some((_, value)) = lines.last_mut() else { break };
            // A folded address contains no space.
            if !value.ends_with(';') && !value.is_empty() && !value.starts_with("http") {
                value.push(' ');
            }
            value.push_str(line.trim());
        } else if let Some((key, value)) = line.split_once(':') {
            if !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
                break;
            }
            lines.push((key.to_ascii_lowercase(), value.trim().to_owned()));
        } else {
            break;
        }
    }
    lines
}

fn no_document() -> SourceError {
    SourceError::Unusable("the archive contains no HTML document; it may have been cut off, save the page again".into())
}

/// Returns an error for an archive without a document, and a warning for one that was cut off.
pub(super) fn check(bytes: &[u8]) -> Result<Option<Warning>, SourceError> {
    let message = MessageParser::default().parse(bytes).ok_or_else(no_document)?;
    root_part(&message).ok_or_else(no_document)?;
    Ok(cut_off(bytes, &message))
}

/// The warning about an archive without its last line, the closing boundary.
fn cut_off(bytes: &[u8], message: &Message<'_>) -> Option<Warning> {
    let boundary = message.content_type()?.attribute("boundary")?;
    let closing = format!("--{boundary}--");
    let tail = &bytes[bytes.len().saturating_sub(closing.len() + TAIL_BYTES)..];
    let is_closed = tail.windows(closing.len()).any(|window| window == closing.as_bytes());
    let text = "the archive was cut off; some of the page may be missing, save it again";
    (!is_closed).then(|| Warning::new(WarningKind::Damaged, text))
}

/// Parses the page in an archive.
pub(super) fn open(bytes: &[u8]) -> Result<Archive, SourceError> {
    let message = MessageParser::default().parse(bytes).ok_or_else(no_document)?;
    opened(bytes, &message)
}

/// As [`open`], with the other parts of the archive.
pub(super) fn open_with_parts(bytes: &[u8]) -> Result<(Archive, Parts), SourceError> {
    let message = MessageParser::default().parse(bytes).ok_or_else(no_document)?;
    let archive = opened(bytes, &message)?;
    let mut parts = Parts::default();
    for part in message.parts.into_iter().filter(|part| !is_html(part)) {
        parts.add(part);
    }
    Ok((archive, parts))
}

fn opened(bytes: &[u8], message: &Message<'_>) -> Result<Archive, SourceError> {
    let root = root_part(message).ok_or_else(no_document)?;
    let mut warnings: Warnings = cut_off(bytes, message).into_iter().collect();
    let dom = parse_part(bytes, &message.parts[root], &mut warnings);
    let mut frames = BTreeMap::new();
    if has_frames(&dom) {
        for (index, part) in message.parts.iter().enumerate() {
            if index != root
                && is_html(part)
                && frames.len() < MAX_FRAMES
                && let Some(name) = part.content_id()
            {
                let name = name.trim_matches(['<', '>']).to_owned();
                frames.entry(name).or_insert_with(|| parse_part(bytes, part, &mut warnings));
            }
        }
    }
    let dom = if frames.is_empty() { dom } else { insert_frames(dom, frames) };
    let url = address(bytes)
        .or_else(|| message.parts[root].content_location().filter(|url| is_web_address(url)).map(str::to_owned));
    Ok(Archive { dom, url, warnings })
}

fn is_html(part: &MessagePart<'_>) -> bool {
    part.content_type().is_some_and(|kind| {
        let subtype = kind.subtype().unwrap_or("");
        (kind.ctype().eq_ignore_ascii_case("text") && subtype.eq_ignore_ascii_case("html"))
            || (kind.ctype().eq_ignore_ascii_case("application") && subtype.eq_ignore_ascii_case("xhtml+xml"))
    })
}

/// The part that `start` names, or else the first document.
fn root_part(message: &Message<'_>) -> Option<usize> {
    let named = message
        .content_type()
        .and_then(|kind| kind.attribute("start"))
        .map(|start| start.trim_matches(['<', '>']).to_owned())
        .and_then(|start| {
            message.parts.iter().position(|part| {
                is_html(part) && part.content_id().is_some_and(|id| id.trim_matches(['<', '>']) == start)
            })
        });
    named.or_else(|| message.parts.iter().position(is_html))
}

fn parse_part(bytes: &[u8], part: &MessagePart<'_>, warnings: &mut Warnings) -> Dom {
    let end = (part.raw_end_offset() as usize).min(bytes.len());
    let raw = &bytes[(part.raw_body_offset() as usize).min(end)..end];
    // The parser does not decode a part that was cut off.
    let encoding = part.content_transfer_encoding().unwrap_or("").to_ascii_lowercase();
    let content = match encoding.as_str() {
        "quoted-printable" => Cow::Owned(decode_quoted_printable(raw)),
        "base64" => {
            let mut letters: Vec<u8> = raw.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
            letters.truncate(letters.len() / 4 * 4);
            Cow::Owned(base64_decode(&letters).unwrap_or_else(|| {
                warnings.add(WarningKind::Damaged, "the archive's base64 text is damaged");
                Vec::new()
            }))
        }
        _ => Cow::Borrowed(raw),
    };
    let charset = part.content_type().and_then(|kind| kind.attribute("charset"));
    let text = decode(&content, charset).text;
    warnings.extend(undecodable(&text));
    let Parsed { dom, warnings: more } = parse_with_warnings(&text);
    warnings.extend(more);
    dom
}

/// Decodes quoted-printable text (RFC 2045, section 6.7); invalid escapes are kept unchanged.
fn decode_quoted_printable(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let digit = |byte: Option<&u8>| byte.and_then(|&byte| char::from(byte).to_digit(16));
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte != b'=' {
            out.push(byte);
        } else if let (Some(high), Some(low)) = (digit(bytes.get(at)), digit(bytes.get(at + 1))) {
            out.push((high * 16 + low) as u8);
            at += 2;
        } else {
            // A soft line break, perhaps with white space before it, or the end.
            let blank = bytes[at..].iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
            match bytes.get(at + blank) {
                Some(b'\n') => at += blank + 1,
                Some(b'\r') if bytes.get(at + blank + 1) == Some(&b'\n') => at += blank + 2,
                None => at += blank,
                _ => out.push(byte),
            }
        }
    }
    out
}

fn frame_name(dom: &Dom, id: NodeId) -> Option<&str> {
    matches!(dom.tag(id), "iframe" | "frame" | "object")
        .then(|| dom.attribute(id, "src").or_else(|| dom.attribute(id, "data")))
        .flatten()
        .and_then(|source| source.strip_prefix("cid:"))
}

fn has_frames(dom: &Dom) -> bool {
    dom.ids().any(|id| frame_name(dom, id).is_some())
}

/// Inserts each frame's document below its element, once; also for nested frames.
fn insert_frames(root: Dom, mut frames: BTreeMap<String, Dom>) -> Dom {
    let mut builder = DomBuilder::new();
    // Trees that are being copied: the tree, the next node, and the ends of its open elements, innermost last.
    let mut copies = vec![(root, 1, Vec::<usize>::new())];
    while let Some((dom, next, open)) = copies.last_mut() {
        while open.last().is_some_and(|&end| end <= *next) {
            builder.close();
            open.pop();
        }
        if *next >= dom.len() {
            copies.pop();
            if !copies.is_empty() {
                builder.close(); // the frame's document
            }
            continue;
        }
        let id = NodeId::new(*next);
        *next += 1;
        match dom.kind(id) {
            NodeKind::Text(text) => {
                builder.text(text);
            }
            NodeKind::Document => {
                builder.open_document();
                open.push(dom.end(id));
            }
            NodeKind::Element { tag, attributes } => {
                builder.open_named(tag.clone(), attributes.clone());
                open.push(dom.end(id));
                if let Some(frame) = frame_name(dom, id).and_then(|name| frames.remove(name)) {
                    *next = dom.end(id); // the element's content is for browsers without frames
                    builder.open_document();
                    copies.push((frame, 1, Vec::new()));
                }
            }
        }
    }
    builder.finish()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn archive() -> String {
        "From: <Saved by Blink>\r\nSnapshot-Content-Location: https://a.example/page\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"--x--\"\r\n\r\n\
         ----x--\r\nContent-Type: text/html\r\nContent-ID: <frame-1@mhtml.blink>\r\n\
         Content-Transfer-Encoding: quoted-printable\r\nContent-Location: https://a.example/page\r\n\r\n\
         <html><head><meta charset=3D\"UTF-8\"></head><body><p>gr=C3=BCn=\r\n und gut</p>\
         <iframe src=3D\"cid:frame-2@mhtml.blink\">none</iframe><p>after</p></body></html>\r\n\
         ----x--\r\nContent-Type: text/html\r\nContent-ID: <frame-2@mhtml.blink>\r\n\
         Content-Transfer-Encoding: base64\r\n\r\nPHA+aW4gdGhlIGZyYW1lPC9wPg==\r\n\
         ----x--\r\nContent-Type: image/png\r\nContent-Location: https://a.example/x.png\r\n\r\nxx\r\n----x----\r\n"
            .to_owned()
    }

    fn texts(dom: &Dom) -> Vec<&str> {
        dom.ids().filter_map(|id| dom.text(id)).map(str::trim).filter(|text| !text.is_empty()).collect()
    }

    #[test]
    fn the_root_document_contains_its_frames() {
        let archive = archive();
        assert!(is_mhtml(archive.as_bytes()));
        let opened = open(archive.as_bytes()).unwrap();
        assert_eq!(opened.url.as_deref(), Some("https://a.example/page"));
        assert_eq!(texts(&opened.dom), ["grün und gut", "in the frame", "after"]);
        assert!(opened.dom.is_consistent());
        let frame = opened.dom.ids().find(|&id| opened.dom.tag(id) == "iframe").unwrap();
        assert_eq!(
            opened.dom.children(frame).map(|id| opened.dom.kind(id).clone()).collect::<Vec<_>>(),
            [NodeKind::Document]
        );
    }

    #[test]
    fn a_cut_archive_gives_its_beginning_or_an_error() {
        let archive = archive();
        let cut = archive.find(" und gut").unwrap();
        let opened = open(&archive.as_bytes()[..cut]).unwrap();
        assert_eq!(texts(&opened.dom)[0], "grün");
        assert!(opened.warnings.iter().any(|warning| warning.contains("cut off")), "{:?}", opened.warnings);
        assert!(check(&archive.as_bytes()[..cut]).unwrap().is_some());
        assert_eq!(check(archive.as_bytes()).unwrap(), None);
        let cut = archive.find("----x--\r\n").unwrap();
        assert!(open(&archive.as_bytes()[..cut]).unwrap_err().to_string().contains("no HTML document"));
        for end in 0..archive.len() {
            let _ = open(&archive.as_bytes()[..end]);
        }
    }

    #[test]
    fn quoted_printable_is_read_leniently() {
        assert_eq!(decode_quoted_printable(b"a=3Db=\r\nc= \nd=zz=e"), b"a=bcd=zz=e");
        assert_eq!(decode_quoted_printable(b"x="), b"x");
    }

    #[test]
    fn pages_are_no_archives() {
        assert!(!is_mhtml(b"<!DOCTYPE html><p>From: me\nMIME-Version: 1.0"));
        assert!(!is_mhtml(b""));
        assert!(!is_mhtml(b"From: a letter about text/html\n\nnothing"));
    }
}
