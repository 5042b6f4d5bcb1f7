//! Elements in the short form of XML, as in `<script src="a.js"/>`, which HTML takes for start
//! tags: the rest of the page would be part of the script. XHTML has them, and HTML that tools for
//! XML have written.
//!
//! Browsers read them so only where the media type says that a page is XML, which saved pages do
//! not tell. So their content decides: a page with an XML declaration, or with a script in short
//! form that code does not follow, is read as its author meant it, and so are elements whose other
//! start tags all have end tags.

use super::arena::MAX_NODES;
use crate::elements::Element;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// How far the end tag of a script or another element without markup is looked for, in bytes, and
/// how often.
const RAW_BYTES: usize = 64 << 10;
const MAX_SEARCHES: usize = 1000;

/// A tag of a page.
struct Tag<'a> {
    /// The position after its `>`.
    end: usize,
    name: &'a str,
    is_end: bool,
    is_short: bool,
}

/// Elements whose end tag may be missing, and those of pictures, where HTML knows the short form:
/// neither matters.
const NOT_COUNTED: [&str; 28] = [
    "body", "colgroup", "dd", "dt", "head", "html", "li", "optgroup", "option", "p", "rp", "rt",
    "tbody", "td", "tfoot", "th", "thead", "tr", "circle", "ellipse", "g", "line", "path",
    "polygon", "polyline", "rect", "stop", "use",
];

/// Gives elements in short form their end tags, and in XML makes CDATA sections text. Most pages
/// have none and are borrowed.
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

/// Whether a page has an element in short form other than those that never have content.
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
    /// Whether the page is XML, as far as it is read.
    is_xml: bool,
    /// For each name: start tags that are not in short form, less end tags.
    balance: FxHashMap<&'a str, isize>,
    searches: usize,
    out: String,
    /// How much of the page is in `out`.
    copied: usize,
}

impl<'a> Expander<'a> {
    /// Reads the page: first to count, then to `write`.
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

    /// Reads a tag; returns where to go on.
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

    /// Whether an element without markup that is written in short form is empty: markup follows and
    /// no text, or it has no end tag before the next one of its kind begins.
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
            // The slash stays: it is ignored.
            self.write(tag.end, tag.end, &format!("</{}>", tag.name));
        }
    }

    /// Writes a text in the place of a part of the page.
    fn write(&mut self, start: usize, end: usize, text: &str) {
        self.out.push_str(&self.html[self.copied..start]);
        self.out.push_str(text);
        self.copied = end;
    }
}

/// What follows white space and comments.
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

/// The position of the end tag of an element without markup.
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

/// The tag that begins here; `None` if it does not end.
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
