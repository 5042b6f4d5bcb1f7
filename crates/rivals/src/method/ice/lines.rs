//! The text of the body without its tags, as lines: the input of the heuristics of ICE (Hofmann and
//! Weerkamp 2007, 3.2).
//!
//! The paper removes all tags and splits the rest into lines, so its lines are those of the page's
//! source. The source of a modern page may have no line break at all. So a `br` and the border of a
//! block element end a line too, unless a line ends there already. If the source has line breaks at
//! the borders, as was usual in 2007, the lines are exactly those of the source, including empty
//! ones.

use crate::method::block::{BlockRules, TextBlock, split};
use crate::method::passage::Passage;
use vclean_core::capture::Dom;
use vclean_core::document::SegmentKind;
use vclean_core::elements::{is_ignored, separates_text_blocks};

/// Positions where lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// At the line breaks of the source, at `br`, and at the borders of block elements.
    Source,
    /// At `br` and the borders of block elements, and in `pre` at its own line breaks; other white
    /// space is collapsed.
    Blocks,
}

/// The lines of the body, or of the whole page if there is none, without surrounding white space.
pub(super) fn lines(dom: &Dom, ends: LineEnds) -> Vec<String> {
    let body = dom
        .ids()
        .find(|&id| dom.tag(id) == "body")
        .unwrap_or(Dom::ROOT);
    let mut writer = Writer {
        lines: Vec::new(),
        line: String::new(),
        is_at_border: false,
    };
    // Ends of the open block elements, innermost last, and of the outermost open `pre`.
    let (mut open, mut pre_until, mut skip_until) = (Vec::new(), 0, 0);
    for id in dom.descendants(body) {
        while open.pop_if(|end| *end <= id.index()).is_some() {
            writer.border();
        }
        if id.index() < skip_until {
            continue;
        }
        if let Some(text) = dom.text(id) {
            writer.text(text, ends == LineEnds::Source || id.index() < pre_until);
            continue;
        }
        match dom.tag(id) {
            tag if (RULES.ignores)(tag) => skip_until = dom.end(id),
            "br" => writer.border(),
            tag if (RULES.parts)(tag) => {
                writer.border();
                open.push(dom.end(id));
                if tag == "pre" {
                    pre_until = pre_until.max(dom.end(id));
                }
            }
            _ => {}
        }
    }
    writer.end_line();
    writer.lines
}

struct Writer {
    lines: Vec<String>,
    line: String,
    /// True if a border came after the last text: a line break of the source after it ends the same
    /// line.
    is_at_border: bool,
}

impl Writer {
    fn text(&mut self, text: &str, breaks_count: bool) {
        for c in text.chars() {
            if c == '\n' && breaks_count {
                self.end_line();
            } else if c.is_whitespace() {
                if !self.line.is_empty() && !self.line.ends_with(' ') {
                    self.line.push(' ');
                }
            } else {
                if self.is_at_border {
                    self.end_line();
                }
                self.line.push(c);
            }
        }
    }

    fn border(&mut self) {
        self.is_at_border |= !self.line.is_empty();
    }

    fn end_line(&mut self) {
        self.is_at_border = false;
        self.lines.push(self.line.trim_end().to_owned());
        self.line.clear();
    }
}

// Shared by the methods of ICE: the blocks of a page, its headings and list items.

pub(super) const SOURCE_YEAR: u16 = 2007;

/// The block-level elements of section 3.1: "`p`, `div`, `li`, `h1..6`, or plain text", where two
/// or more line breaks are a border too. The paper calls text in other elements "plain text". Here
/// the borders of all elements that HTML displays as blocks separate it, so that two cells of a
/// table are two blocks, as with `HTML::TreeBuilder`.
pub(super) const RULES: BlockRules = BlockRules {
    parts: separates_text_blocks,
    ignores: is_ignored,
    double_break_parts: true,
};

/// The text blocks of a page, in document order.
pub(crate) fn blocks(dom: &Dom) -> Vec<TextBlock> {
    split(dom, &RULES)
}

/// A list item; all are written the same way, because the paper has no depth and no number.
pub(super) const LIST_ITEM: SegmentKind = SegmentKind::ListItem {
    depth: 0,
    number: None,
    continues: false,
    checked: None,
};

/// A heading: with the level of its element, or level 2 for another element.
pub(super) fn heading(tag: &str) -> SegmentKind {
    let level = tag
        .strip_prefix('h')
        .and_then(|level| level.parse().ok())
        .filter(|level| (1..=6).contains(level));
    SegmentKind::Heading {
        level: level.unwrap_or(2),
    }
}

/// A block with its decision.
pub(super) fn passage(
    block: TextBlock,
    kind: SegmentKind,
    is_content: bool,
    margin: f64,
) -> Passage {
    let place = Some(block.target());
    Passage {
        kind,
        text: block.text,
        place,
        is_content,
        margin: margin as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::html::parse_html;

    fn lines_of(html: &str, ends: LineEnds) -> Vec<String> {
        lines(&parse_html(html), ends)
    }

    #[test]
    fn lines_are_those_of_the_source() {
        let html =
            "<body><h1>Title</h1>\n\n<p>One <b>two</b>\n three</p>\n<script>\nx\n</script>four";
        assert_eq!(
            lines_of(html, LineEnds::Source),
            ["Title", "", "One two", "three", "four"]
        );
        assert_eq!(
            lines_of(html, LineEnds::Blocks),
            ["Title", "One two three", "four"]
        );
    }

    #[test]
    fn a_page_on_one_line_has_those_of_its_blocks() {
        let html = "<div><h1>Title</h1><p>One<br>two</p><div></div>three<pre>a\n\nb</pre></div>";
        let expected = ["Title", "One", "two", "three", "a", "", "b"];
        assert_eq!(lines_of(html, LineEnds::Source), expected);
        assert_eq!(lines_of(html, LineEnds::Blocks), expected);
    }
}
