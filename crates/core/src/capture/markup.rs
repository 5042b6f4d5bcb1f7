//! The tree as HTML source (HTML standard, 13.3, "Serializing HTML fragments"), for stages that
//! read markup.

use super::{Dom, NodeId, NodeKind};
use crate::elements::{is_raw_text, is_void};

impl Dom {
    /// The tree as HTML, with the page's own line breaks only. Documents of frames are inside their
    /// frames.
    pub fn to_html(&self) -> String {
        self.write_html(self.ids().skip(1))
    }

    /// An element, with what is inside it, as HTML.
    pub fn html_of(&self, id: NodeId) -> String {
        self.write_html(std::iter::once(id).chain(self.descendants(id)))
    }

    /// Nodes in their order as HTML.
    fn write_html(&self, ids: impl Iterator<Item = NodeId>) -> String {
        let mut out = String::new();
        // Ends and tags of the open elements, innermost last.
        let mut open: Vec<(usize, &str)> = Vec::new();
        for id in ids {
            while let Some((_, tag)) = open.pop_if(|(end, _)| *end <= id.index()) {
                close(&mut out, tag);
            }
            match self.kind(id) {
                NodeKind::Document => {}
                NodeKind::Text(text) => {
                    if open.last().is_some_and(|(_, tag)| is_raw_text(tag)) {
                        out.push_str(text);
                    } else {
                        escape(&mut out, text, false);
                    }
                }
                NodeKind::Element { tag, attributes } => {
                    out.push('<');
                    out.push_str(tag);
                    for (name, value) in attributes.iter() {
                        out.push(' ');
                        out.push_str(name);
                        out.push_str("=\"");
                        escape(&mut out, value, true);
                        out.push('"');
                    }
                    out.push('>');
                    if !is_void(tag) {
                        open.push((self.end(id), tag));
                    }
                }
            }
        }
        while let Some((_, tag)) = open.pop() {
            close(&mut out, tag);
        }
        out
    }

    /// Bytes of an element's start tag and end tag in [`to_html`](Self::to_html), with attributes
    /// unescaped (an escape counts as the character it encodes); 0 for nodes without tags.
    pub fn tag_bytes(&self, id: NodeId) -> (usize, usize) {
        let NodeKind::Element { tag, attributes } = self.kind(id) else {
            return (0, 0);
        };
        // <tag name="value"> and </tag>
        let attributes: usize = attributes
            .iter()
            .map(|(name, value)| name.len() + value.len() + 4)
            .sum();
        (
            tag.len() + 2 + attributes,
            if is_void(tag) { 0 } else { tag.len() + 3 },
        )
    }
}

fn close(out: &mut String, tag: &str) {
    out.push_str("</");
    out.push_str(tag);
    out.push('>');
}

/// Writes text with escapes, so that a parser reads it as text. NUL is left out because parsers
/// drop it.
pub(crate) fn escape(out: &mut String, text: &str, in_attribute: bool) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if in_attribute => out.push_str("&quot;"),
            '\u{a0}' => out.push_str("&nbsp;"),
            '\0' => {}
            _ => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::html::parse_html;
    use proptest::prelude::*;

    #[test]
    fn what_is_written_is_what_was_read() {
        let html = "<html><head><style>a > b {}</style></head><body class=\"x&quot;y\"><p>a\n<b>b</b><br>c &lt; d&nbsp;</p></body></html>";
        assert_eq!(parse_html(html).to_html(), html);
    }

    #[test]
    fn tags_are_as_long_as_they_are_written() {
        let dom = parse_html(
            "<body class=x><p id=a title='b c'>one<br>two <img src=y></p><input disabled>",
        );
        let text: usize = dom.ids().filter_map(|id| dom.text(id)).map(str::len).sum();
        let tags: usize = dom
            .ids()
            .map(|id| dom.tag_bytes(id))
            .map(|(start, end)| start + end)
            .sum();
        assert_eq!(text + tags, dom.to_html().len());
    }

    proptest! {
        #[test]
        fn written_trees_keep_their_text(words in proptest::collection::vec("[a-z<>&\"' ]{0,12}|<(p|div|b|a href=x|br|/p|/div|/b)>", 0..40)) {
            let dom = parse_html(&words.concat());
            let again = parse_html(&dom.to_html());
            let text = |dom: &crate::capture::Dom| dom.ids().filter_map(|id| dom.text(id)).collect::<String>();
            prop_assert_eq!(text(&dom), text(&again));
        }
    }
}
