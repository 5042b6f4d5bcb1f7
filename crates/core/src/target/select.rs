//! Selects the targets of a page by one of two rules.

use super::block::Target;
use super::visible::{display, find_texts, is_visible};
use crate::capture::{Capture, Display, Dom, NodeId, Visibility};
use crate::elements::Element;
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
    let texts = find_texts(capture);
    match rule {
        TargetRule::Blocks => select_blocks(capture, &texts),
        TargetRule::Fiasco => {
            let is_seen = |text: &Option<Visibility>| text.is_some_and(is_visible);
            select_fiasco(&capture.dom, &texts.iter().map(is_seen).collect::<Vec<_>>())
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

fn select_blocks(capture: &Capture, texts: &[Option<Visibility>]) -> Vec<Target> {
    let dom = &capture.dom;
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
        } else if dom.is_element(id) {
            let style = display(capture, id);
            let starts_block = !style.is_inline() || is_block_like(capture, id, style);
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
    use crate::capture::{DomBuilder, Record};

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
}
