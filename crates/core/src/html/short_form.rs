//! Expands elements in the short form of XML, such as `<script src="a.js"/>`, which HTML reads as
//! start tags: the rest of the page would be part of the script. They occur in XHTML, and in HTML
//! written by XML tools.
//!
//! Browsers accept the short form only if the media type says that a page is XML, and saved pages
//! do not record it. So the content decides. If a page has an XML declaration, or a script in short
//! form that is not followed by code, all its short forms are expanded; otherwise those of elements
//! whose other start tags all have end tags.

use super::arena::MAX_NODES;
use crate::elements::Element;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Number of bytes in which the end tag of a script or another element without markup is searched,
/// and largest number of these searches.
const RAW_BYTES: usize = 64 << 10;
const MAX_SEARCHES: usize = 1000;

/// A tag of a page.
struct Tag<'a> {
    /// The position after the tag's `>`.
    end: usize,
    name: &'a str,
    is_end: bool,
    is_short: bool,
}

/// Elements whose tags are not balanced: those whose end tag may be missing, and picture elements,
/// for which HTML knows the short form.
const NOT_COUNTED: [&str; 28] = [
    "body", "colgroup", "dd", "dt", "head", "html", "li", "optgroup", "option", "p", "rp", "rt",
    "tbody", "td", "tfoot", "th", "thead", "tr", "circle", "ellipse", "g", "line", "path",
    "polygon", "polyline", "rect", "stop", "use",
];

/// Adds the end tags of elements in short form, and turns CDATA sections of XML into text. Most
/// pages have neither and are borrowed.
pub fn expand_short_form(html: &str) -> Cow<'_, str> {
    let is_xml = html
        .trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t'])
        .starts_with("<?xml");
    let has_sections = is_xml && html.contains("<![CDATA[");
    if !has_sections && !has_short_form(html) {
        return Cow::Borrowed(html);
    }
    let mut expander = Expander {
        html,
        is_xml,
        balance: FxHashMap::default(),
        searches: 0,
        out: String::new(),
        copied: 0,
    };
    for write in [false, true] {
        expander.read(write);
    }
    expander.out.push_str(&html[expander.copied..]);
    Cow::Owned(expander.out)
}

/// Returns true if a page has an element in short form other than those that never have content.
fn has_short_form(html: &str) -> bool {
    let bytes = html.as_bytes();
    let mut from = 0;
    memchr::memmem::find_iter(bytes, "/>").any(|at| {
        let start = memchr::memrchr(b'<', &bytes[from..at]).map(|length| from + length + 1);
        from = at;
        start.is_some_and(|start| {
            let name = tag_name(&html[start..at]);
            !name.is_empty() && !is_void(name) && !NOT_COUNTED[18..].contains(&name)
        })
    })
}

fn tag_name(text: &str) -> &str {
    let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>' | '<');
    let name = &text[..text.find(is_end).unwrap_or(text.len())];
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name
    } else {
        ""
    }
}

fn element(name: &str) -> Element {
    Element::named(&name.to_ascii_lowercase())
}

fn is_void(name: &str) -> bool {
    element(name).is_void()
}

/// Elements whose content is text without markup.
fn is_raw(name: &str) -> bool {
    const NAMES: [&str; 8] = [
        "iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp",
    ];
    NAMES.iter().any(|raw| name.eq_ignore_ascii_case(raw))
}

struct Expander<'a> {
    html: &'a str,
    /// True if the page is XML, as far as it has been read.
    is_xml: bool,
    /// The number of start tags that are not in short form, minus the number of end tags, for each
    /// name.
    balance: FxHashMap<&'a str, isize>,
    searches: usize,
    out: String,
    /// Number of bytes of the page that are in `out`.
    copied: usize,
}

impl<'a> Expander<'a> {
    /// Reads the page: in the first pass to count tags, in the second to `write`.
    fn read(&mut self, write: bool) {
        let html = self.html;
        self.searches = 0;
        let mut at = 0;
        while let Some(length) = memchr::memchr(b'<', &html.as_bytes()[at..]) {
            let start = at + length;
            let rest = &html[start..];
            at = start + 1;
            if rest.starts_with("<!--") {
                let Some(length) = rest[2..].find("-->") else {
                    break;
                };
                at = start + 2 + length + 3;
            } else if let Some(section) = rest.strip_prefix("<![CDATA[").filter(|_| self.is_xml) {
                let Some(length) = section.find("]]>") else {
                    break;
                };
                at = start + 9 + length + 3;
                if write {
                    self.write(start, at, &html_escape::encode_text(&section[..length]));
                }
            } else if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') {
                let Some(tag) = tag_at(html, start) else {
                    break;
                };
                at = self.tag(&tag, write);
            }
        }
    }

    /// Reads a tag and returns the position where reading continues.
    fn tag(&mut self, tag: &Tag<'a>, write: bool) -> usize {
        if tag.name.is_empty() || is_void(tag.name) {
            return tag.end;
        }
        if is_raw(tag.name) && !tag.is_end {
            if tag.is_short && self.is_short_raw(tag) {
                self.is_xml = true;
                self.close(tag, write);
                return tag.end;
            }
            return find_end_tag(&self.html[tag.end..], tag.name)
                .map_or(self.html.len(), |length| tag.end + length);
        }
        if write {
            let is_balanced =
                || self.balance.get(tag.name) == Some(&0) && !NOT_COUNTED.contains(&tag.name);
            if tag.is_short && (self.is_xml || is_balanced()) {
                self.close(tag, write);
            }
        } else if self.balance.len() < MAX_NODES || self.balance.contains_key(tag.name) {
            *self.balance.entry(tag.name).or_default() += match tag {
                Tag { is_short: true, .. } => 0,
                Tag { is_end: true, .. } => -1,
                _ => 1,
            };
        }
        tag.end
    }

    /// Returns true if an element without markup, written in short form, is empty: it is followed
    /// by markup and not by text, or by another element of its kind before an end tag.
    fn is_short_raw(&mut self, tag: &Tag<'_>) -> bool {
        self.searches += 1;
        if self.searches > MAX_SEARCHES {
            return self.is_xml;
        }
        let mut end = self.html.len().min(tag.end + RAW_BYTES);
        while !self.html.is_char_boundary(end) {
            end -= 1;
        }
        let Some(length) = find_end_tag(&self.html[tag.end..end], tag.name) else {
            return true;
        };
        let content = &self.html[tag.end..tag.end + length];
        let is_code = ["script", "style"]
            .iter()
            .any(|code| tag.name.eq_ignore_ascii_case(code));
        if is_code || tag.name.eq_ignore_ascii_case("title") {
            let text = after_comments(content);
            return text.starts_with('<') && !text.starts_with("<!");
        }
        content
            .match_indices('<')
            .any(|(at, _)| tag_name(&content[at + 1..]).eq_ignore_ascii_case(tag.name))
    }

    fn close(&mut self, tag: &Tag<'_>, write: bool) {
        if write {
            // The slash may remain, because it is ignored.
            self.write(tag.end, tag.end, &format!("</{}>", tag.name));
        }
    }

    /// Replaces a part of the page by a text.
    fn write(&mut self, start: usize, end: usize, text: &str) {
        self.out.push_str(&self.html[self.copied..start]);
        self.out.push_str(text);
        self.copied = end;
    }
}

/// The rest of a text after white space and comments.
fn after_comments(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        match text
            .strip_prefix("<!--")
            .and_then(|rest| rest.split_once("-->"))
        {
            Some((_, rest)) => text = rest,
            None => return text,
        }
    }
}

/// The position of the end tag that closes an element without markup.
fn find_end_tag(text: &str, name: &str) -> Option<usize> {
    memchr::memmem::find_iter(text.as_bytes(), "</").find(|&at| {
        let rest = &text.as_bytes()[at + 2..];
        rest.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
            && rest
                .get(name.len())
                .is_none_or(|byte| !byte.is_ascii_alphanumeric())
    })
}

/// The tag that begins here; `None` if it has no end.
fn tag_at(html: &str, start: usize) -> Option<Tag<'_>> {
    let bytes = html.as_bytes();
    let is_end = bytes.get(start + 1) == Some(&b'/');
    let name = tag_name(&html[start + 1 + usize::from(is_end)..]);
    let mut at = start + 1 + usize::from(is_end) + name.len();
    let (mut is_short, mut is_value, mut is_unquoted) = (false, false, false);
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        match byte {
            b'>' => {
                return Some(Tag {
                    end: at,
                    name,
                    is_end,
                    is_short,
                });
            }
            b'"' | b'\'' if is_value => {
                at += memchr::memchr(byte, &bytes[at..])? + 1;
                is_value = false;
            }
            b'=' if !is_unquoted => is_value = true,
            byte if byte.is_ascii_whitespace() => is_unquoted = false,
            _ if is_value => (is_value, is_unquoted) = (false, true),
            _ => {}
        }
        is_short = byte == b'/' && !is_unquoted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn xhtml_is_read_as_xml() {
        let page = "<?xml version='1.0'?><html><head><script src='a.js'/><title/><style/></head>\
                    <body><a id='p1'/><p>one<br/><i/>two</p><![CDATA[a < b]]><iframe src='x'/><div/>three</body></html>";
        assert_eq!(
            expand_short_form(page),
            "<?xml version='1.0'?><html><head><script src='a.js'/></script><title/></title><style/></style></head>\
             <body><a id='p1'/></a><p>one<br/><i/></i>two</p>a &lt; b<iframe src='x'/></iframe><div/></div>three</body></html>"
        );
    }

    #[test]
    fn scripts_in_short_form_are_told_from_scripts_with_code() {
        for page in [
            "<script src=a.js />var code = '<p/>';</script><p>text",
            "<script src='a.js'/><!-- code\n//--></script><p>text",
            "<script src='a.js'/></script><p>text",
            "<a href=/path/>link</a><p>text",
            "<script>if (a) document.write('<script/>')</script><p>text",
            "<!-- <script/> --><p title='<script/>'>text",
            "<iframe src=x /><p>no frames</p></iframe>",
            "<div class=a/>text</div>",
            "<p/>one<p/>two",
        ] {
            assert_eq!(expand_short_form(page), page);
        }
        for (page, expanded) in [
            (
                "<script src='a.js'/>\n<script src=b></script>",
                "<script src='a.js'/></script>\n<script src=b></script>",
            ),
            (
                "<script src='a.js' /><p>text",
                "<script src='a.js' /></script><p>text",
            ),
            ("<TITLE/></head><p>a", "<TITLE/></TITLE></head><p>a"),
            (
                "<textarea/>text<textarea>b</textarea>",
                "<textarea/></textarea>text<textarea>b</textarea>",
            ),
            (
                "<div class='a'/><div>b</div>",
                "<div class='a'/></div><div>b</div>",
            ),
            (
                "<script/><script/><p>a<i/>b",
                "<script/></script><script/></script><p>a<i/></i>b",
            ),
        ] {
            assert_eq!(expand_short_form(page), expanded);
        }
    }

    proptest! {
        #[test]
        fn any_page_is_expanded_once(html in "(<(/?(p|a|script|title|iframe|br|div)( x=('y'|z|/))?/?)>|<!\\[CDATA\\[|\\]\\]>|<\\?xml|[a-z<&;\"' ]{0,4}|<!--|-->){0,40}") {
            let once = expand_short_form(&html).into_owned();
            prop_assert!(once.len() >= html.len() || html.contains("CDATA"));
        }
    }
}
