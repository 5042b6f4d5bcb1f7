//! MHTML files (RFC 2557): a saved page with all its resources, one MIME part per resource.
//!
//! Converts the bytes to the tree of the root document, with the documents of its frames below
//! their `iframe`. If a file was cut off, the parts before the cut are used.

use super::mhtml_frames::{Frames, content_name, has_frames, insert_frames, location_name};
use super::mhtml_head::{LineEnds, Repaired, address, repaired};
use crate::capture::{Dom, is_web_address};
use crate::error::{SourceError, Warning, WarningKind, Warnings};
use crate::html::{Parsed, decode, parse_with_warnings, undecodable};
use mail_parser::decoders::base64::base64_decode;
use mail_parser::{Message, MessageParser, MessagePart, MimeHeaders, PartType};
use std::borrow::Cow;
use std::collections::BTreeMap;
use url::Url;

/// Number of bytes that may follow the closing boundary of a complete archive.
const TAIL_BYTES: usize = 1024;

/// Placeholder address for a page without one.
const NOWHERE: &str = "http://archive.invalid/";

/// The page in an archive.
#[derive(Debug)]
pub(super) struct Archive {
    pub(super) dom: Dom,
    pub(super) url: Option<String>,
    pub(super) warnings: Warnings,
}

/// The resources of an MHTML file (style sheets, pictures, fonts, documents of frames), by the
/// names that the page uses for them.
#[derive(Debug, Default)]
pub struct Parts {
    by_name: BTreeMap<String, usize>,
    parts: Vec<Part>,
}

/// One resource of an MHTML file.
#[derive(Debug)]
pub struct Part {
    /// Media type in lower case, without parameters; empty if none is given.
    pub content_type: String,
    /// The decoded content; text is UTF-8, whatever the encoding of the file.
    pub body: Vec<u8>,
}

impl Parts {
    /// The resource with this address, which may have a fragment, or with this `cid:` name.
    pub fn get(&self, name: &str) -> Option<&Part> {
        let without_fragment = name.split('#').next().unwrap_or_default();
        self.by_name
            .get(without_fragment)
            .map(|&place| &self.parts[place])
    }

    /// Adds a part under both of its names. If a name is repeated, the first part is used. The
    /// address of a part may be relative to that of the page.
    fn add(&mut self, part: MessagePart<'_>, base: Option<&Url>) {
        let kind = part.content_type();
        let content_type = kind.map_or_else(String::new, |kind| {
            format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or("")).to_ascii_lowercase()
        });
        let names = [
            part.content_location().map(|address| {
                match Url::options().base_url(base).parse(address) {
                    Ok(url) => location_name(&url),
                    Err(_) => address.to_owned(),
                }
            }),
            part.content_id().map(content_name),
        ];
        let body = match part.body {
            PartType::Text(text) | PartType::Html(text) => text.into_owned().into_bytes(),
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => bytes.into_owned(),
            _ => return,
        };
        let place = self.parts.len();
        self.parts.push(Part { content_type, body });
        for name in names.into_iter().flatten() {
            self.by_name.entry(name).or_insert(place);
        }
    }
}

fn no_document() -> SourceError {
    SourceError::Unusable(
        "the archive contains no HTML document; it may have been cut off, save the page again"
            .into(),
    )
}

/// Parses the headers of an archive, and calls `read` with the repaired archive, its parts and the
/// warnings.
fn parsed<T>(
    bytes: &[u8],
    read: impl FnOnce(&[u8], Message<'_>, Warnings) -> Result<T, SourceError>,
) -> Result<T, SourceError> {
    let Repaired { bytes, passed_over } = repaired(bytes, LineEnds::Kept);
    let mut warnings = Warnings::new();
    if passed_over > 0 {
        warnings.add(
            WarningKind::Damaged,
            format!(
                "header lines of the archive that have no colon are passed over: {passed_over}"
            ),
        );
    }
    let message = MessageParser::default()
        .parse(&bytes[..])
        .ok_or_else(no_document)?;
    warnings.extend(cut_off(&bytes, &message));
    read(&bytes, message, warnings)
}

/// Returns an error for an archive without a document, and warnings for one that is cut off or has
/// damaged headers.
pub(super) fn check(bytes: &[u8]) -> Result<Warnings, SourceError> {
    parsed(bytes, |_, message, warnings| {
        root_part(&message)
            .map(|_| warnings)
            .ok_or_else(no_document)
    })
}

/// The warning about an archive that lacks its last line, the closing boundary.
fn cut_off(bytes: &[u8], message: &Message<'_>) -> Option<Warning> {
    let boundary = message.content_type()?.attribute("boundary")?;
    let closing = format!("--{boundary}--");
    let tail = &bytes[bytes.len().saturating_sub(closing.len() + TAIL_BYTES)..];
    let is_closed = tail
        .windows(closing.len())
        .any(|window| window == closing.as_bytes());
    let text = "the archive was cut off; some of the page may be missing, save it again";
    (!is_closed).then(|| Warning::new(WarningKind::Damaged, text))
}

/// Parses the page in an archive.
pub(super) fn open(bytes: &[u8]) -> Result<Archive, SourceError> {
    parsed(bytes, |bytes, message, warnings| {
        opened(bytes, &message, warnings)
    })
}

/// Parses the page in an archive, and also returns the other parts, including frames.
pub(super) fn open_with_parts(bytes: &[u8]) -> Result<(Archive, Parts), SourceError> {
    parsed(bytes, |bytes, message, warnings| {
        let archive = opened(bytes, &message, warnings)?;
        let root = root_part(&message);
        let base = root.and_then(|root| location(bytes, &message, root));
        let mut parts = Parts::default();
        for (index, part) in message.parts.into_iter().enumerate() {
            if Some(index) != root {
                parts.add(part, base.as_ref());
            }
        }
        Ok((archive, parts))
    })
}

fn opened(
    bytes: &[u8],
    message: &Message<'_>,
    mut warnings: Warnings,
) -> Result<Archive, SourceError> {
    let root = root_part(message).ok_or_else(no_document)?;
    let mut dom = parse_part(bytes, &message.parts[root], &mut warnings);
    if has_frames(&dom) {
        // Addresses may be relative to the page, or only to each other.
        let base = location(bytes, message, root).or_else(|| Url::parse(NOWHERE).ok());
        let mut frames = Frames::default();
        let mut documents = Vec::new();
        for (index, part) in message.parts.iter().enumerate() {
            if index != root && is_html(part) {
                let location = part
                    .content_location()
                    .and_then(|url| Url::options().base_url(base.as_ref()).parse(url).ok());
                frames.add(part.content_id(), location);
                documents.push(part);
            }
        }
        dom = insert_frames(dom, base, frames, |number| {
            parse_part(bytes, documents[number], &mut warnings)
        });
    }
    let url = address(bytes).or_else(|| {
        message.parts[root]
            .content_location()
            .filter(|url| is_web_address(url))
            .map(str::to_owned)
    });
    Ok(Archive { dom, url, warnings })
}

/// The address of the page, with any scheme.
fn location(bytes: &[u8], message: &Message<'_>, root: usize) -> Option<Url> {
    let stated = address(bytes).and_then(|url| Url::parse(&url).ok());
    stated.or_else(|| Url::parse(message.parts[root].content_location()?).ok())
}

fn is_html(part: &MessagePart<'_>) -> bool {
    part.content_type().is_some_and(|kind| {
        let subtype = kind.subtype().unwrap_or("");
        (kind.ctype().eq_ignore_ascii_case("text") && subtype.eq_ignore_ascii_case("html"))
            || (kind.ctype().eq_ignore_ascii_case("application")
                && subtype.eq_ignore_ascii_case("xhtml+xml"))
    })
}

/// The part that `start` names, otherwise the first document.
fn root_part(message: &Message<'_>) -> Option<usize> {
    let named = message
        .content_type()
        .and_then(|kind| kind.attribute("start"))
        .map(|start| start.trim_matches(['<', '>']).to_owned())
        .and_then(|start| {
            message.parts.iter().position(|part| {
                is_html(part)
                    && part
                        .content_id()
                        .is_some_and(|id| id.trim_matches(['<', '>']) == start)
            })
        });
    named.or_else(|| message.parts.iter().position(is_html))
}

fn parse_part(bytes: &[u8], part: &MessagePart<'_>, warnings: &mut Warnings) -> Dom {
    let end = (part.raw_end_offset() as usize).min(bytes.len());
    let raw = &bytes[(part.raw_body_offset() as usize).min(end)..end];
    // The library does not decode a part that is cut off.
    let encoding = part
        .content_transfer_encoding()
        .unwrap_or("")
        .to_ascii_lowercase();
    let content = match encoding.as_str() {
        "quoted-printable" => Cow::Owned(decode_quoted_printable(raw)),
        "base64" => {
            let mut letters: Vec<u8> = raw
                .iter()
                .copied()
                .filter(|byte| !byte.is_ascii_whitespace())
                .collect();
            letters.truncate(letters.len() / 4 * 4);
            Cow::Owned(base64_decode(&letters).unwrap_or_else(|| {
                warnings.add(WarningKind::Damaged, "the archive's base64 text is damaged");
                Vec::new()
            }))
        }
        _ => Cow::Borrowed(raw),
    };
    let charset = part
        .content_type()
        .and_then(|kind| kind.attribute("charset"));
    let decoded = decode(&content, charset);
    drop(content);
    warnings.extend(decoded.warning());
    let text = decoded.text;
    warnings.extend(undecodable(&text));
    let Parsed {
        dom,
        warnings: more,
    } = parse_with_warnings(&text);
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
            // This is a soft line break, perhaps with white space before it, or the end of the
            // text.
            let blank = bytes[at..]
                .iter()
                .take_while(|&&byte| matches!(byte, b' ' | b'\t'))
                .count();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::NodeKind;

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
        dom.ids()
            .filter_map(|id| dom.text(id))
            .map(str::trim)
            .filter(|text| !text.is_empty())
            .collect()
    }

    #[test]
    fn the_root_document_contains_its_frames() {
        let archive = archive();
        assert!(crate::page::mhtml_head::is_mhtml(archive.as_bytes()));
        let opened = open(archive.as_bytes()).unwrap();
        assert_eq!(opened.url.as_deref(), Some("https://a.example/page"));
        assert_eq!(
            texts(&opened.dom),
            ["grün und gut", "in the frame", "after"]
        );
        assert!(opened.dom.is_consistent());
        let frame = opened
            .dom
            .ids()
            .find(|&id| opened.dom.tag(id) == "iframe")
            .unwrap();
        assert_eq!(
            opened
                .dom
                .children(frame)
                .map(|id| opened.dom.kind(id))
                .collect::<Vec<_>>(),
            [NodeKind::Document]
        );
    }

    #[test]
    fn a_cut_archive_gives_its_beginning_or_an_error() {
        let archive = archive();
        let cut = archive.find(" und gut").unwrap();
        let opened = open(&archive.as_bytes()[..cut]).unwrap();
        assert_eq!(texts(&opened.dom)[0], "grün");
        assert!(
            opened
                .warnings
                .iter()
                .any(|warning| warning.contains("cut off")),
            "{:?}",
            opened.warnings
        );
        assert_eq!(check(&archive.as_bytes()[..cut]).unwrap().len(), 1);
        assert!(check(archive.as_bytes()).unwrap().is_empty());
        let cut = archive.find("----x--\r\n").unwrap();
        assert!(
            open(&archive.as_bytes()[..cut])
                .unwrap_err()
                .to_string()
                .contains("no HTML document")
        );
        for end in 0..archive.len() {
            let _ = open(&archive.as_bytes()[..end]);
        }
    }

    #[test]
    fn quoted_printable_is_read_leniently() {
        assert_eq!(
            decode_quoted_printable(b"a=3Db=\r\nc= \nd=zz=e"),
            b"a=bcd=zz=e"
        );
        assert_eq!(decode_quoted_printable(b"x="), b"x");
    }

    /// Unlike in Chromium's archives, the frames are named by their addresses, one of them
    /// relative.
    #[test]
    fn frames_are_found_by_their_addresses() {
        for (base, location) in [
            (
                "https://a.example/dir/page",
                "https://a.example/dir/one.html",
            ),
            ("https://a.example/dir/page", "one.html"),
        ] {
            let archive = format!(
                "From: <Saved>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n\
                 --x\r\nContent-Type: text/html\r\nContent-Location: {base}\r\n\r\n\
                 <p>before</p><iframe src='one.html#part'>none</iframe><iframe src='missing.html'></iframe>\
                 <iframe src='/dir/page'></iframe><p>after</p>\r\n\
                 --x\r\nContent-Type: text/html\r\nContent-Location: {location}\r\n\r\n\
                 <base href='/other/'><p>one</p><frameset><frame src=two.html><frame src=two.html></frameset>\
                 <object data=two.html></object>\r\n\
                 --x\r\nContent-Type: text/html\r\nContent-Location: https://a.example/other/two.html\r\n\r\n\
                 <p>two</p>\r\n--x--\r\n"
            );
            let (opened, parts) = open_with_parts(archive.as_bytes()).unwrap();
            assert_eq!(
                texts(&opened.dom),
                ["before", "one", "two", "after"],
                "{location}"
            );
            assert!(
                opened.dom.is_consistent() && opened.warnings.is_empty(),
                "{:?}",
                opened.warnings
            );
            let one = parts.get("https://a.example/dir/one.html").unwrap();
            assert_eq!(one.content_type, "text/html");
            assert!(
                parts.get("https://a.example/dir/page").is_none(),
                "the page itself"
            );
        }
    }

    #[test]
    fn header_lines_without_a_colon_give_a_warning() {
        let archive = archive().replace(
            "MIME-Version: 1.0\r\n",
            "a line that another program left\r\nMIME-Version: 1.0\r\n",
        );
        let archive = archive.replacen(
            "Content-ID: <frame-2",
            "and here as well\r\nContent-ID: <frame-2",
            1,
        );
        let opened = open(archive.as_bytes()).unwrap();
        assert_eq!(
            texts(&opened.dom),
            ["grün und gut", "in the frame", "after"]
        );
        assert!(
            opened.warnings[0].ends_with("are passed over: 2"),
            "{:?}",
            opened.warnings
        );
        assert_eq!(check(archive.as_bytes()).unwrap().len(), 1);
    }
}
