//! Words that only a gap on the rendered page parts: margins and paddings between inline boxes
//! without white space in the source, as between labels and values.

use crate::capture::{Capture, CssRect, Display, Dom, NodeId};
use crate::text::is_wide;

/// Smallest gap that parts two words, as a share of the font size: a space is some .25 wide, and
/// groups of digits are set apart by as much. Heuristic.
const MIN_GAP: f32 = 0.35;

/// Largest ratio of the font sizes of two texts of a line; a drop cap is larger. Heuristic.
const MAX_FONT_RATIO: f32 = 1.3;

/// Number of elements above a text that are examined.
const MAX_LEVELS: usize = 4;

/// Returns true if the layout shows a gap between two successive texts of a block, which have no
/// white space between them in the source: both sides are letters or digits, in boxes that are
/// apart on one line, or in two boxes on different lines.
pub(in crate::document) fn has_gap(capture: &Capture, before: NodeId, next: NodeId) -> bool {
    let (dom, Some(layout)) = (&capture.dom, &capture.layout) else {
        return false;
    };
    if !may_be_words(dom, before, next) {
        return false;
    }
    let (Some(one), Some(other)) = (layout.lines(before).last(), layout.lines(next).first()) else {
        return false;
    };
    let (one, other) = (one.rect, other.rect);
    if one.is_empty() || other.is_empty() {
        return false;
    }
    let size = |id: NodeId| layout.style(id).map_or(16.0, |style| style.font_size_px);
    let (small, large) = (size(before).min(size(next)), size(before).max(size(next)));
    if small <= 0.0 || large > small * MAX_FONT_RATIO {
        return false;
    }
    if !are_on_one_line(one, other) {
        let is_box = |id: NodeId| {
            dom.ancestors(id).take(2).any(|up| {
                layout
                    .style(up)
                    .is_some_and(|style| style.display == Display::InlineBlock)
            })
        };
        return other.y >= one.y + one.height && (is_box(before) || is_box(next));
    }
    let gap = (other.x - (one.x + one.width)).max(one.x - (other.x + other.width));
    gap > MIN_GAP * large
}

/// Returns true if the letters at the border of two texts would be glued without a space. Code has
/// a padding, and so have raised numbers; scripts without spaces have no gaps between words.
fn may_be_words(dom: &Dom, before: NodeId, next: NodeId) -> bool {
    let (Some(one), Some(other)) = (dom.text(before), dom.text(next)) else {
        return false;
    };
    let (Some(last), Some(first)) = (one.chars().next_back(), other.chars().next()) else {
        return false;
    };
    let has_spaces = |c: char| {
        c.is_alphanumeric()
            && !is_wide(c)
            && !matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
    };
    let is_plain = |id: NodeId| {
        !dom.ancestors(id).take(MAX_LEVELS).any(|up| {
            matches!(
                dom.tag(up),
                "code" | "kbd" | "samp" | "tt" | "pre" | "sup" | "sub" | "var" | "math" | "ruby"
            )
        })
    };
    // A single letter is a drop cap, or one of many letters that are spaced out.
    let is_letter = |text: &str| {
        let mut chars = text.trim().chars();
        chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none()
    };
    has_spaces(last)
        && has_spaces(first)
        && !is_letter(one)
        && !is_letter(other)
        && is_plain(before)
        && is_plain(next)
}

/// Returns true if two boxes overlap by at least half the height of the lower one.
fn are_on_one_line(one: CssRect, other: CssRect) -> bool {
    let overlap = (one.y + one.height).min(other.y + other.height) - one.y.max(other.y);
    overlap * 2.0 >= one.height.min(other.height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Layout, LineBox, Record, Style};
    use crate::html::parse_html;

    /// Returns true if there is a gap between the only two texts of a page with these boxes.
    fn gap(html: &str, boxes: [[f32; 4]; 2]) -> bool {
        let mut capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let dom = &capture.dom;
        let texts: Vec<NodeId> = dom.ids().filter(|&id| dom.text(id).is_some()).collect();
        let mut layout = Layout::new(dom.len(), 1000.0, 1000.0);
        for (&id, [x, y, width, height]) in texts.iter().zip(boxes) {
            let rect = CssRect {
                x,
                y,
                width,
                height,
            };
            let line = LineBox {
                rect,
                start: 0,
                length: 3,
            };
            let style = Style {
                font_size_px: 16.0,
                ..Style::default()
            };
            layout.set(id, rect, &style, 0, &[line]);
        }
        capture.layout = Some(layout);
        has_gap(&capture, texts[0], texts[1])
    }

    #[test]
    fn boxes_that_are_apart_are_two_words() {
        let near = [[0.0, 0.0, 40.0, 18.0], [43.0, 0.0, 40.0, 18.0]];
        let apart = [[0.0, 0.0, 40.0, 18.0], [52.0, 0.0, 40.0, 18.0]];
        let from_right = [[52.0, 0.0, 40.0, 18.0], [0.0, 0.0, 40.0, 18.0]];
        let below = [[0.0, 0.0, 40.0, 18.0], [0.0, 20.0, 40.0, 18.0]];
        let words = "<p><span>Width</span><span>31 cm</span>";
        assert!(gap(words, apart) && gap(words, from_right));
        assert!(!gap(words, near) && !gap(words, below));
        for html in [
            "<p><code>Vec</code><span>s are</span>",
            "<p><span>Width</span><span>, 31</span>",
            "<p><span>T</span><span>he</span>",
            "<p><span>so</span><sup>12</sup>",
            "<p><span>\u{5bbd}</span><span>\u{9ad8}</span>",
        ] {
            assert!(!gap(html, apart), "{html}");
        }
    }
}
