//! Reads well-formed start tags and common character references for `tokens`.

use super::arena::MAX_ATTRIBUTES_OF_FAST_READER;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind};
use html5ever::{Attribute, LocalName, QualName, ns};

/// Number of cached names, a power of two.
const SLOTS: usize = 512;

/// A cache of the names in a page by their written form. A new name replaces the one in its slot.
pub(super) struct Names<'a> {
    slots: Vec<(&'a str, LocalName)>,
}

impl Default for Names<'_> {
    fn default() -> Self {
        Self {
            slots: vec![("", LocalName::default()); SLOTS],
        }
    }
}

impl<'a> Names<'a> {
    /// The name in lower case.
    pub(super) fn lower_case(&mut self, written: &'a str) -> LocalName {
        let known = &mut self.slots[slot(written)];
        if known.0 != written {
            let name = if written.bytes().any(|byte| byte.is_ascii_uppercase()) {
                LocalName::from(written.to_ascii_lowercase())
            } else {
                LocalName::from(written)
            };
            *known = (written, name);
        }
        known.1.clone()
    }
}

/// The slot of a name; it differs for most names in HTML.
fn slot(name: &str) -> usize {
    let bytes = name.as_bytes();
    let byte = |at: usize| bytes.get(at).map_or(0, |&byte| usize::from(byte));
    let last = bytes.len().wrapping_sub(1);
    (byte(0) ^ byte(1) << 2 ^ byte(last) << 4 ^ bytes.len() << 5) % SLOTS
}

/// Returns true if a byte can be part of a tag name that is read here.
pub(super) fn is_tag_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':' | b'_')
}

/// A start tag, and where it ends.
pub(super) struct Scanned {
    pub(super) tag: Tag,
    /// Position after the tag.
    pub(super) end: usize,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b' ')
}

/// The end of the run of bytes from `from` for which `is_part` is true.
fn run(bytes: &[u8], from: usize, is_part: fn(u8) -> bool) -> usize {
    bytes[from..]
        .iter()
        .position(|&byte| !is_part(byte))
        .map_or(bytes.len(), |length| from + length)
}

/// Start and end of the value at `at`, and the position after it; `None` if it is missing or not
/// terminated.
fn value_at(bytes: &[u8], at: usize) -> Option<(usize, usize, usize)> {
    match bytes.get(at)? {
        quote @ (b'"' | b'\'') => {
            let end = at + 1 + memchr::memchr(*quote, &bytes[at + 1..])?;
            Some((at + 1, end, end + 1))
        }
        b'>' => None,
        _ => {
            let end = run(bytes, at, |byte| !is_space(byte) && byte != b'>');
            Some((at, end, end))
        }
    }
}

/// Reads the start tag whose `<` is at `from`, before a letter; `page` contains the text of `html`.
/// Returns `None` if any part of the tag is malformed, unknown or not terminated.
pub(super) fn scan_tag<'a>(
    html: &'a str,
    from: usize,
    page: &StrTendril,
    names: &mut Names<'a>,
) -> Option<Scanned> {
    let bytes = html.as_bytes();
    let run = |from: usize, is_part: fn(u8) -> bool| run(bytes, from, is_part);
    let name_end = run(from + 1, is_tag_name);
    if !matches!(
        bytes.get(name_end)?,
        b'\t' | b'\n' | b'\x0c' | b' ' | b'/' | b'>'
    ) {
        return None;
    }
    let mut tag = Tag {
        kind: TagKind::StartTag,
        name: names.lower_case(&html[from + 1..name_end]),
        self_closing: false,
        attrs: Vec::new(),
        had_duplicate_attributes: false,
    };
    let mut at = name_end;
    loop {
        at = run(at, is_space);
        match bytes.get(at)? {
            b'>' => return Some(Scanned { tag, end: at + 1 }),
            b'/' => {
                tag.self_closing = true;
                return (*bytes.get(at + 1)? == b'>').then_some(Scanned { tag, end: at + 2 });
            }
            _ => {}
        }
        let end = run(at, |byte| {
            byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'<' | b'=' | b'/' | b'>')
        });
        if end == at || !(is_space(*bytes.get(end)?) || matches!(bytes[end], b'=' | b'/' | b'>')) {
            return None;
        }
        let name = &html[at..end];
        at = run(end, is_space);
        let value = if bytes.get(at) == Some(&b'=') {
            at = run(at + 1, is_space);
            let (start, end, after) = value_at(bytes, at)?;
            at = after;
            let written = &html[start..end];
            if memchr::memchr(b'&', written.as_bytes()).is_some() {
                references::value(written)?
            } else {
                page.subtendril(start as u32, (end - start) as u32)
            }
        } else {
            StrTendril::new()
        };
        let name = QualName::new(None, ns!(), names.lower_case(name));
        if tag
            .attrs
            .iter()
            .any(|attribute: &Attribute| attribute.name.local == name.local)
        {
            tag.had_duplicate_attributes = true;
        } else if tag.attrs.len() < MAX_ATTRIBUTES_OF_FAST_READER {
            tag.attrs.push(Attribute { name, value });
        } else {
            return None;
        }
    }
}

/// Character references with the same meaning in all contexts.
pub(super) mod references {
    use html5ever::tendril::StrTendril;

    /// The common named references.
    const NAMED: &[(&str, char)] = &[
        ("amp;", '&'),
        ("nbsp;", '\u{a0}'),
        ("quot;", '"'),
        ("lt;", '<'),
        ("gt;", '>'),
        ("rsquo;", '’'),
        ("lsquo;", '‘'),
        ("rdquo;", '”'),
        ("ldquo;", '“'),
        ("ndash;", '–'),
        ("mdash;", '—'),
        ("hellip;", '…'),
        ("raquo;", '»'),
        ("laquo;", '«'),
        ("copy;", '©'),
        ("bull;", '•'),
        ("middot;", '·'),
        ("apos;", '\''),
    ];

    /// Length and meaning of the reference at the start of `text`.
    fn known(text: &str) -> Option<(usize, char)> {
        let rest = &text[1..];
        let Some(number) = rest.strip_prefix('#') else {
            let (name, c) = NAMED.iter().find(|(name, _)| rest.starts_with(name))?;
            return Some((1 + name.len(), *c));
        };
        // The longest reference that is read is `&#x10FFFF;`.
        let end = number.bytes().take(8).position(|byte| byte == b';')?;
        let digits = &number[..end];
        let hex = digits.strip_prefix(['x', 'X']);
        let digits = hex.unwrap_or(digits);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let code = u32::from_str_radix(digits, if hex.is_some() { 16 } else { 10 }).ok()?;
        // Other numbers are replaced, or do not denote characters.
        let is_itself =
            matches!(code, 0x20..=0x7e | 0xa0..=0xd7ff | 0xe000..=0xfdcf | 0x1_0000..=0x1_fffd);
        Some((2 + end + 1, char::from_u32(code).filter(|_| is_itself)?))
    }

    /// The character reference at the start of running text. An ampersand before white space is
    /// literal.
    pub(in crate::html) fn text(text: &str) -> Option<(usize, char)> {
        match text.as_bytes().get(1)? {
            b'\t' | b'\n' | b'\x0c' | b' ' => Some((1, '&')),
            _ => known(text),
        }
    }

    /// An attribute value with its references resolved.
    pub(in crate::html) fn value(written: &str) -> Option<StrTendril> {
        let mut value = String::with_capacity(written.len());
        let mut rest = written;
        while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
            value.push_str(&rest[..at]);
            rest = &rest[at..];
            let name = rest[1..]
                .bytes()
                .take_while(u8::is_ascii_alphanumeric)
                .count();
            let (length, c) = match rest.as_bytes().get(1 + name) {
                // `?a=1&b=2`: a text that looks like a reference is a parameter (HTML 13.2.5.73).
                Some(b'=') => (1, '&'),
                _ => text(rest)?,
            };
            value.push(c);
            rest = &rest[length..];
        }
        value.push_str(rest);
        Some(StrTendril::from_slice(&value))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn references_are_resolved_or_left_to_html5ever() {
            assert_eq!(known("&amp;x"), Some((5, '&')));
            assert_eq!(known("&#39;"), Some((5, '\'')));
            assert_eq!(known("&#x2019;"), Some((8, '’')));
            for other in [
                "&amp",
                "&copy",
                "&#128;",
                "&#x0;",
                "&#xd800;",
                "&#;",
                "&#x;",
                "&#-1;",
                "&#99999999999;",
                "&",
                "&é",
            ] {
                assert_eq!(known(other), None, "{other}");
            }
            assert_eq!(value("a?b=1&c=2&amp;d").as_deref(), Some("a?b=1&c=2&d"));
            assert_eq!(value("a?b&para"), None);
            assert_eq!(text("& x"), Some((1, '&')));
        }
    }
}
