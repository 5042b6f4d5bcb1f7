//! Quotations within a line of text: `q` has no marks in the tree; readers see those of the
//! language of the page.

use crate::capture::{Dom, NodeId};
use crate::elements::Element;
use crate::text::is_blank;
use std::collections::BTreeMap;

const Q: Element = Element::known("q");

/// The marks around a quotation and around one within it, by language (CLDR 47, delimiters).
const MARKS: &[(&[&str], [&str; 4])] = &[
    (
        &["de", "cs", "sk", "sl", "bg", "hr", "et", "is", "lb", "ka"],
        ["„", "“", "‚", "‘"],
    ),
    (&["lt", "mk", "sq", "sr"], ["„", "“", "‚", "‘"]),
    (&["pl", "ro"], ["„", "”", "«", "»"]),
    (&["hu"], ["„", "”", "»", "«"]),
    (&["fr", "hy", "fa"], ["«", "»", "«", "»"]),
    (
        &["es", "it", "el", "ca", "gl", "eu", "lv"],
        ["«", "»", "“", "”"],
    ),
    (&["ru", "uk", "be"], ["«", "»", "„", "“"]),
    (&["no", "nb", "nn"], ["«", "»", "‘", "’"]),
    (&["sv", "fi", "he"], ["”", "”", "’", "’"]),
    (&["nl"], ["‘", "’", "“", "”"]),
    (
        &["ja", "zh-hant", "zh-tw", "zh-hk"],
        ["「", "」", "『", "』"],
    ),
];

/// The marks for other languages and where no language is named.
const PLAIN: [&str; 4] = ["“", "”", "‘", "’"];

/// The marks of a page's quotations.
#[derive(Debug, Default)]
pub(in crate::document) struct Quotations {
    /// For each text with which quotations begin or end, the marks before and after it.
    marks: BTreeMap<NodeId, (String, String)>,
}

impl Quotations {
    /// Finds the quotations of a page. A quotation gets no marks if its text or its neighbor has
    /// some.
    pub(in crate::document) fn find(dom: &Dom) -> Self {
        let mut found = Self::default();
        for q in dom.ids().filter(|&id| dom.element(id) == Q) {
            let mut texts = dom
                .descendants(q)
                .filter(|&id| dom.text(id).is_some_and(|text| !is_blank(text)));
            let Some(first) = texts.next() else { continue };
            let last = texts.next_back().unwrap_or(first);
            if has_marks(dom, q, first, last) {
                continue;
            }
            let [open, close, inner_open, inner_close] = marks_of(language(dom, q));
            let is_inner = dom.ancestors(q).filter(|&up| dom.element(up) == Q).count() % 2 == 1;
            let (open, close) = if is_inner {
                (inner_open, inner_close)
            } else {
                (open, close)
            };
            found.marks.entry(first).or_default().0.push_str(open);
            found.marks.entry(last).or_default().1.insert_str(0, close);
        }
        found
    }

    /// The marks before and after a text.
    pub(in crate::document) fn around(&self, text: NodeId) -> Option<(&str, &str)> {
        self.marks
            .get(&text)
            .map(|(open, close)| (open.as_str(), close.as_str()))
    }
}

/// True if the page writes marks itself, in the quotation or directly before it.
fn has_marks(dom: &Dom, q: NodeId, first: NodeId, last: NodeId) -> bool {
    let is_mark = |c: char| {
        matches!(
            c,
            '"' | '\u{201c}'..='\u{201f}' | '«' | '»' | '「' | '『' | '‹' | '›'
        )
    };
    let text = |id: NodeId| dom.text(id).unwrap_or("");
    let before = q.index().checked_sub(1).map(NodeId::new).map_or("", text);
    text(first).trim_start().starts_with(is_mark)
        || text(last).trim_end().ends_with(is_mark)
        || before.ends_with(is_mark)
}

/// The language that the page declares for one of its parts.
fn language(dom: &Dom, id: NodeId) -> Option<&str> {
    dom.ancestors(id).find_map(|up| {
        dom.attribute(up, "lang")
            .or_else(|| dom.attribute(up, "xml:lang"))
    })
}

fn marks_of(language: Option<&str>) -> [&'static str; 4] {
    let tag = language
        .unwrap_or("")
        .trim()
        .to_ascii_lowercase()
        .replace('_', "-");
    let is_named = |name: &str| {
        tag.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    MARKS
        .iter()
        .find(|(names, _)| names.iter().any(|name| is_named(name)))
        .map_or(PLAIN, |(_, marks)| *marks)
}

#[cfg(test)]
mod tests {
    use crate::document::Segment;
    use crate::document::segments::segment::tests::all_kept;

    fn text(html: &str) -> String {
        all_kept(html)
            .iter()
            .map(Segment::text)
            .collect::<Vec<_>>()
            .join("|")
    }

    #[test]
    fn quotations_have_the_marks_of_their_language() {
        let html = "<p>Say <q>yes, <b>or <q>no</q></b></q>, or";
        assert_eq!(text(html), "Say “yes, or ‘no’”, or");
        for (language, expected) in [
            ("de-AT", "Say „yes, or ‚no‘“, or"),
            ("fr", "Say «yes, or «no»», or"),
            ("zh-TW", "Say 「yes, or 『no』」, or"),
            ("zh", "Say “yes, or ‘no’”, or"),
            ("deu", "Say “yes, or ‘no’”, or"),
        ] {
            assert_eq!(text(&format!("<html lang={language}>{html}")), expected);
        }
        assert_eq!(
            text("<p lang=ru>one<br><q lang=de>\n two </q>"),
            "one\n«two»"
        );
    }

    #[test]
    fn marks_are_not_written_twice() {
        for html in ["<p>He said “<q>yes</q>”.", "<p>He said <q>“yes”</q>."] {
            assert_eq!(text(html), "He said “yes”.");
        }
        assert_eq!(text("<p>a <q></q> b"), "a b");
        assert_eq!(text("<p>a<q> b </q>c <b><q>d</q></b>"), "a “b” c “d”");
    }
}
