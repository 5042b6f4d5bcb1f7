//! Selects the targets of a page by one of two rules.

use super::block::Target;
use super::visible::{display, find_texts, is_visible, tag_display};
use crate::capture::{Capture, Display, Dom, NodeId, Visibility};
use crate::elements::Element;
use crate::text::{count_letters, is_blank};
use serde::{Deserialize, Serialize};

/// Rule for selecting the targets of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetRule {
    /// Every run of lines in a block container is a target (ours).
    #[default]
    Blocks,
    /// A node is a target if at least 10 % of the text below it is in text nodes that are its
    /// children (FIASCO 2.2).
    Fiasco,
}

impl TargetRule {
    /// All rules with their names on the command line.
    pub const ALL: &[(&str, Self)] = &[("blocks", Self::Blocks), ("fiasco", Self::Fiasco)];
}

const BR: Element = Element::known("br");
const IMG: Element = Element::known("img");

/// Minimum share of a node's text that its own text children must hold (FIASCO 2.2).
const FIASCO_OWN_TEXT_SHARE: f64 = 0.1;

/// Selects the visible targets of a page, in document order.
pub fn select(capture: &Capture, rule: TargetRule) -> Vec<Target> {
    let mut targets = select_all(capture, rule);
    targets.retain(Target::is_visible);
    targets
}

/// Selects all targets of a page, in document order; hidden text is in separate targets. FIASCO's
/// rule selects only visible text.
pub fn select_all(capture: &Capture, rule: TargetRule) -> Vec<Target> {
    select_from(capture, rule, false)
}

/// Like [`select_all`], but with all hidden text: also that of small hidden parts, such as words
/// for screen readers, and also with FIASCO's rule.
pub fn select_with_hidden(capture: &Capture, rule: TargetRule) -> Vec<Target> {
    select_from(capture, rule, true)
}

fn select_from(capture: &Capture, rule: TargetRule, all_hidden: bool) -> Vec<Target> {
    let texts = find_texts(capture, all_hidden);
    match rule {
        TargetRule::Blocks => select_blocks(capture, &texts.visibility, &texts.hidden),
        TargetRule::Fiasco => {
            let is_seen = |text: &Option<Visibility>| {
                text.is_some_and(|visibility| all_hidden || is_visible(visibility))
            };
            let seen: Vec<bool> = texts.visibility.iter().map(is_seen).collect();
            select_fiasco(&capture.dom, &seen)
        }
    }
}

/// A block container with its open runs of lines, that is, the targets that receive its next texts.
struct OpenBlock {
    container: NodeId,
    /// Index of the target with the current run of visible text.
    visible: Option<usize>,
    /// Index of the target with the current run of hidden text, which ends at visible text.
    hidden: Option<usize>,
    /// Number of line breaks since the last text.
    breaks: u32,
}

impl OpenBlock {
    fn new(container: NodeId) -> Self {
        Self {
            container,
            visible: None,
            hidden: None,
            breaks: 0,
        }
    }

    fn end_runs(&mut self) {
        (self.visible, self.hidden) = (None, None);
    }

    /// Adds a text to its run, or starts a run if none is open.
    fn take(&mut self, text: NodeId, visibility: Visibility, targets: &mut Vec<Target>) {
        let run = if is_visible(visibility) {
            (self.hidden, self.breaks) = (None, 0);
            &mut self.visible
        } else {
            &mut self.hidden
        };
        let target = *run.get_or_insert_with(|| {
            targets.push(Target {
                container: self.container,
                texts: Vec::new(),
                visibility,
            });
            targets.len() - 1
        });
        targets[target].texts.push(text);
    }
}

fn select_blocks(
    capture: &Capture,
    texts: &[Option<Visibility>],
    hidden: &[NodeId],
) -> Vec<Target> {
    let dom = &capture.dom;
    let mut hidden = hidden.iter().copied().peekable();
    let mut targets: Vec<Target> = Vec::new();
    // Innermost last.
    let mut blocks = vec![OpenBlock::new(Dom::ROOT)];
    for id in dom.ids().skip(1) {
        while blocks.len() > 1 && !dom.contains(blocks[blocks.len() - 1].container, id) {
            blocks.pop();
        }
        let innermost = blocks.len() - 1;
        if let Some(visibility) = texts[id.index()] {
            blocks[innermost].take(id, visibility, &mut targets);
        } else if dom.element(id) == BR {
            // Two line breaks separate paragraphs in pages without paragraph elements (FIASCO 2.1).
            blocks[innermost].breaks += 1;
            if blocks[innermost].breaks >= 2 {
                blocks[innermost].end_runs();
            }
        } else if hidden.next_if_eq(&id).is_some() {
            // It leaves no trace in the line around it.
            blocks.push(OpenBlock::new(id));
        } else if dom.is_element(id) {
            let style = display(capture, id);
            let starts_block = (!style.is_inline() || is_block_like(capture, id, style))
                && !is_in_sentence(capture, id);
            if starts_block {
                if !is_out_of_flow(capture, id) {
                    // A block ends the run of the outer container even inside inline elements.
                    blocks[innermost].end_runs();
                }
                blocks.push(OpenBlock::new(id));
            } else if dom.element(id) == IMG {
                blocks[innermost].breaks = 0;
            }
        } else if dom.text(id).is_none() {
            blocks.push(OpenBlock::new(id));
        }
    }
    targets.sort_by_key(Target::first);
    targets
}

/// True if an inline-level box counts as a block: an inline-block with several lines.
fn is_block_like(capture: &Capture, id: NodeId, style: Display) -> bool {
    style == Display::InlineBlock
        && capture.layout.as_ref().is_some_and(|layout| {
            layout.node_box(id).is_some_and(|own| {
                own.rect.height > 2.2 * layout.style(id).map_or(16.0, |style| style.font_size_px)
            })
        })
}

/// Largest number of letters of an initial.
const MAX_INITIAL_LETTERS: usize = 3;

/// True if an element that is usually inline is part of a sentence although its style makes it a
/// block: an initial that floats before its word, or a link that holds a sign beside its words.
fn is_in_sentence(capture: &Capture, id: NodeId) -> bool {
    let Some(layout) = &capture.layout else {
        return false;
    };
    let dom = &capture.dom;
    let is_inline = |id: NodeId| tag_display(dom, id, Display::Inline) == Display::Inline;
    if !is_inline(id) {
        return false;
    }
    if layout.style(id).is_some_and(|style| style.is_float) {
        let own = dom.descendants(id).filter_map(|inner| dom.text(inner));
        let letters: usize = own.take(MAX_INITIAL_LETTERS + 1).map(count_letters).sum();
        return (1..=MAX_INITIAL_LETTERS).contains(&letters) && is_before_text(dom, id);
    }
    // The parts of a flexible box are blocks; the box is in a sentence.
    let part = dom.parent(id).filter(|&parent| {
        is_inline(parent)
            && layout
                .style(parent)
                .is_some_and(|style| style.display == Display::InlineBlock)
            && !is_block_like(capture, parent, Display::InlineBlock)
    });
    part.is_some_and(|part| is_before_text(dom, part) || is_after_text(dom, part))
}

/// True if words of the same line follow an element.
fn is_before_text(dom: &Dom, id: NodeId) -> bool {
    let next = NodeId::new(dom.end(id));
    next.index() < dom.len()
        && dom.parent(next) == dom.parent(id)
        && dom.text(next).is_some_and(|text| !is_blank(text))
}

/// True if words of the same line stand before an element.
fn is_after_text(dom: &Dom, id: NodeId) -> bool {
    let last = NodeId::new(id.index() - 1);
    dom.parent(last) == dom.parent(id) && dom.text(last).is_some_and(|text| !is_blank(text))
}

fn is_out_of_flow(capture: &Capture, id: NodeId) -> bool {
    use crate::capture::Position;
    capture
        .layout
        .as_ref()
        .and_then(|layout| layout.style(id))
        .is_some_and(|style| {
            style.is_float || matches!(style.position, Position::Absolute | Position::Fixed)
        })
}

fn select_fiasco(dom: &Dom, visible: &[bool]) -> Vec<Target> {
    let letters = |id: NodeId| {
        if visible[id.index()] {
            dom.text(id).map_or(0, |text| text.trim().len())
        } else {
            0
        }
    };
    let mut before = Vec::with_capacity(dom.len() + 1);
    before.push(0usize);
    for id in dom.ids() {
        before.push(before[id.index()] + letters(id));
    }
    let mut targets = Vec::new();
    let mut next = 0;
    for id in dom.ids() {
        if id.index() < next || !dom.is_element(id) {
            continue;
        }
        let below = before[dom.end(id)] - before[id.index()];
        let own: usize = dom.children(id).map(letters).sum();
        if own > 0 && own as f64 >= FIASCO_OWN_TEXT_SHARE * below as f64 {
            let texts = dom
                .descendants(id)
                .filter(|text| visible[text.index()])
                .collect();
            targets.push(Target {
                container: id,
                texts,
                visibility: Visibility::Shown,
            });
            next = dom.end(id);
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{CssRect, DomBuilder, Layout, LineBox, Record, Style};

    /// Builds a tree from bracket notation: `(p one (b two))`.
    fn page(notation: &str) -> Capture {
        let mut builder = DomBuilder::new();
        for token in notation
            .replace('(', " ( ")
            .replace(')', " ) ")
            .split_whitespace()
            .collect::<Vec<_>>()
            .windows(2)
        {
            match (token[0], token[1]) {
                ("(", tag) => {
                    builder.open(tag, vec![]);
                }
                (_, "(") => {}
                (_, ")") => builder.close(),
                (_, word) => {
                    builder.text(word);
                }
            }
        }
        Capture::parsed(builder.finish(), Record::parsed("test", None))
    }

    fn texts(capture: &Capture, rule: TargetRule) -> Vec<String> {
        select(capture, rule)
            .iter()
            .map(|target| {
                target
                    .texts
                    .iter()
                    .filter_map(|&id| capture.dom.text(id))
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect()
    }

    #[test]
    fn runs_between_blocks_are_separate_targets() {
        let page = page("(body (div one (b two) (p three) four (ul (li five) (li six))) )");
        assert_eq!(
            texts(&page, TargetRule::Blocks),
            ["one two", "three", "four", "five", "six"]
        );
    }

    #[test]
    fn two_line_breaks_separate_paragraphs_and_one_does_not() {
        let page = page("(body (td one (br) two (br) (br) three) )");
        assert_eq!(texts(&page, TargetRule::Blocks), ["one two", "three"]);
    }

    #[test]
    fn parts_streamed_by_react_are_visible_and_hidden_ones_are_not() {
        let first = |html| {
            let capture =
                Capture::parsed(crate::html::parse_html(html), Record::parsed("test", None));
            select(&capture, TargetRule::Blocks)[0].text(&capture.dom)
        };
        assert_eq!(
            first("<div hidden id='S:0'><p>streamed</div><p>shown"),
            "streamed"
        );
        assert_eq!(first("<div hidden><p>hidden</div><p>shown"), "shown");
    }

    #[test]
    fn scripts_and_hidden_parts_are_not_text() {
        let page = page("(body (script code) (p seen (style css)) )");
        assert_eq!(texts(&page, TargetRule::Blocks), ["seen"]);
    }

    #[test]
    fn fiasco_selects_the_outermost_node_with_a_tenth_of_its_text() {
        let page = page(
            "(body (div short (p aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)) (div xxxx (p yyyy)) )",
        );
        let found = texts(&page, TargetRule::Fiasco);
        assert_eq!(found.len(), 2);
        assert_eq!(found[1], "xxxx yyyy");
    }

    fn first_text(html: &str) -> String {
        let dom = crate::html::parse_html(html);
        let capture = Capture::parsed(dom, Record::parsed("test", None));
        select(&capture, TargetRule::Blocks)[0].text(&capture.dom)
    }

    #[test]
    fn white_space_is_collapsed_as_browsers_do() {
        assert_eq!(
            first_text("<p> a<b>b</b> <i> c</i>\n d&nbsp; e </p>"),
            "ab c d e"
        );
        assert_eq!(
            first_text("<p>one<br>two<wbr>three&shy;four\u{200b}five"),
            "one twothreefourfive"
        );
        assert_eq!(
            first_text("<p>\u{4e2d}\n \u{6587} \u{5b57}"),
            "\u{4e2d}\u{6587} \u{5b57}"
        );
    }

    #[test]
    fn borders_of_blocks_separate_words() {
        let dom =
            crate::html::parse_html("<div>one<p>two</p>three<ul><li>four</li><li>five</ul></div>");
        let texts: Vec<_> = dom.ids().filter(|&id| dom.text(id).is_some()).collect();
        let target = Target {
            container: dom.parent(texts[0]).unwrap(),
            texts,
            visibility: Visibility::Shown,
        };
        assert_eq!(target.text(&dom), "one two three four five");
        let last = Target {
            container: target.container,
            texts: target.texts[1..3].to_vec(),
            visibility: Visibility::Shown,
        };
        assert_eq!(last.text(&dom), "two three");
    }

    #[test]
    fn hidden_words_do_not_part_a_sentence() {
        for hidden in [
            "<span class=sr-only>(new)</span>",
            "<span style='display:none'>(new)</span>",
            "<div hidden>(new)</div>",
            "<span hidden><div>(new)</div></span>",
        ] {
            let html = format!("<div>The plan was shown {hidden} to the council.</div>");
            assert_eq!(
                first_text(&html),
                "The plan was shown to the council.",
                "{hidden}"
            );
        }
    }

    /// The texts of the targets of a page on which the elements named have these styles, and all
    /// texts a line.
    fn rendered(html: &str, styled: &[(&str, Style)]) -> Vec<String> {
        let dom = crate::html::parse_html(html);
        let mut layout = Layout::new(dom.len(), 100.0, 100.0);
        let rect = CssRect {
            x: 0.0,
            y: 0.0,
            width: 50.0,
            height: 10.0,
        };
        let line = LineBox {
            rect,
            start: 0,
            length: 3,
        };
        for id in dom.ids() {
            let named = styled.iter().find(|(tag, _)| *tag == dom.tag(id));
            let usual = Style {
                display: tag_display(&dom, id, Display::Inline),
                ..Style::default()
            };
            let style = named.map_or(&usual, |(_, style)| style);
            let lines = dom.text(id).map(|_| line);
            layout.set(id, rect, style, 0, lines.as_slice());
        }
        let mut capture = Capture::parsed(dom, Record::parsed("test", None));
        capture.layout = Some(layout);
        let targets = select(&capture, TargetRule::Blocks);
        targets
            .iter()
            .map(|target| target.text(&capture.dom))
            .collect()
    }

    #[test]
    fn initials_and_links_with_signs_are_in_their_sentence() {
        let floats = Style {
            display: Display::Block,
            is_float: true,
            ..Style::default()
        };
        let initial = "<p><b>A</b>ccording to the report</p>";
        let floating = [("b", floats.clone())];
        assert_eq!(rendered(initial, &floating), ["According to the report"]);
        let label = "<p><b>Updated</b>According to the report</p>";
        let found = rendered(label, &floating);
        assert_eq!(found, ["Updated", "According to the report"]);
        let flexible = Style {
            display: Display::InlineBlock,
            ..Style::default()
        };
        let block = Style {
            display: Display::Block,
            ..Style::default()
        };
        let styled = [("a", flexible), ("i", block)];
        let sentence = "<p>Shown by the <a><i>port</i><i>!</i></a> to all</p>";
        assert_eq!(rendered(sentence, &styled), ["Shown by the port! to all"]);
        let menu = "<p><a><i>Home</i></a><a><i>News</i></a></p>";
        assert_eq!(rendered(menu, &styled), ["Home", "News"]);
    }
}
