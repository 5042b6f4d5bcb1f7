//! Which subtrees are text blocks.
//!
//! Takes a [`Capture`], gives [`Target`]s in document order: disjoint, each holding one text block.
//! With [`TargetRule::Blocks`] every visible text node with ink belongs to exactly one target, so no page can be lost here.

use crate::capture::{Capture, Display, Dom, NodeId};
use crate::elements::{self, DefaultDisplay};
use crate::text::{Collapse, count_letters, is_blank};
use serde::{Deserialize, Serialize};

/// How targets are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetRule {
    /// Every run of lines of a block container is a target (ours).
    #[default]
    Blocks,
    /// A node is a target if at least 10 % of the text below it is in text nodes that are its children (FIASCO 2.2).
    Fiasco,
}

impl TargetRule {
    /// All rules by the name the command line uses.
    pub const ALL: &[(&str, Self)] = &[("blocks", Self::Blocks), ("fiasco", Self::Fiasco)];
}

/// One text block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The element that holds the block: the nearest block container, or FIASCO's target node. Two targets may share
    /// it, where block children part the runs of a container.
    pub container: NodeId,
    /// The visible text nodes of the block that hold more than white space, in document order; never empty, and no
    /// text node is in two targets.
    pub texts: Vec<NodeId>,
}

impl Target {
    /// The first text node: targets are ordered by it.
    pub fn first(&self) -> NodeId {
        self.texts[0]
    }

    /// The text of the block on one line: white space collapsed as in a browser, a line break or the border of a block
    /// element for a space, soft hyphens and zero-width spaces left out.
    pub fn text(&self, dom: &Dom) -> String {
        let mut out = String::new();
        let mut collapse = Collapse::default();
        for piece in self.pieces(dom) {
            match piece {
                Piece::Text(id) | Piece::Space(id) => collapse.text(dom.text(id).unwrap_or(""), |c| out.push(c)),
                Piece::Break | Piece::Border => collapse.space(),
            }
        }
        out
    }

    /// The block's texts and what parts them, in document order. Only nodes between the first and the last text are
    /// visited.
    pub(crate) fn pieces(&self, dom: &Dom) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(self.texts.len());
        let is_border = |id: NodeId| !tag_display(dom, id, Display::Inline).is_inline();
        // Ends of the block elements now open within the block, innermost last.
        let mut ends: Vec<usize> = dom
            .ancestors(self.first())
            .take_while(|&up| up > self.container)
            .filter(|&up| is_border(up))
            .map(|up| dom.end(up))
            .collect();
        ends.reverse();
        let mut texts = self.texts.iter().peekable();
        for index in self.first().index()..=self.texts[self.texts.len() - 1].index() {
            let id = NodeId::new(index);
            while ends.last().is_some_and(|&end| end <= index) {
                ends.pop();
                pieces.push(Piece::Border);
            }
            if texts.peek() == Some(&&id) {
                texts.next();
                pieces.push(Piece::Text(id));
            } else if let Some(text) = dom.text(id) {
                if is_blank(text) {
                    pieces.push(Piece::Space(id));
                }
            } else if dom.tag(id) == "br" {
                pieces.push(Piece::Break);
            } else if is_border(id) {
                pieces.push(Piece::Border);
                ends.push(dom.end(id));
            }
        }
        pieces
    }
}

/// A part of a block, or what parts two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A text of the block.
    Text(NodeId),
    /// A text node of white space only.
    Space(NodeId),
    /// A `br`.
    Break,
    /// Where a block element begins or ends.
    Border,
}

/// Joins text nodes on one line, for measures and excerpts: a run of Unicode white space becomes one space, there is none at
/// either end, and two nodes in succession are parted by a space where `is_apart` holds.
///
/// [`Target::text`] is the text that is written and differs: it follows CSS, so that soft hyphens and zero-width spaces are
/// left out, control characters count as white space, a line break between two wide East Asian characters is no space, and
/// line breaks and borders of block elements part the nodes.
pub(crate) fn plain_text(
    dom: &Dom,
    texts: &[NodeId],
    is_apart: impl Fn(NodeId, NodeId) -> bool,
) -> impl Iterator<Item = char> {
    let mut before = None;
    let parted = texts.iter().flat_map(move |&id| {
        let is_parted = before.replace(id).is_some_and(|before| is_apart(before, id));
        is_parted.then_some(' ').into_iter().chain(dom.text(id).unwrap_or("").chars())
    });
    let (mut has_begun, mut has_space) = (false, false);
    parted
        .flat_map(move |c| {
            if c.is_whitespace() {
                has_space = has_begun;
                return [None, None];
            }
            has_begun = true;
            [std::mem::take(&mut has_space).then_some(' '), Some(c)]
        })
        .flatten()
}

/// Smallest share of a node's text that its own text children must hold (FIASCO 2.2).
const FIASCO_OWN_TEXT_SHARE: f64 = 0.1;

/// Selects the targets of a page, in document order.
pub fn select(capture: &Capture, rule: TargetRule) -> Vec<Target> {
    let visible = visible_texts(capture);
    match rule {
        TargetRule::Blocks => select_blocks(capture, &visible),
        TargetRule::Fiasco => select_fiasco(&capture.dom, &visible),
    }
}

/// How an element is laid out: by its computed style, or by its tag where the page was not rendered.
pub fn display(capture: &Capture, id: NodeId) -> Display {
    if let Some(layout) = &capture.layout {
        return layout
            .style(id)
            .map_or_else(|| tag_display(&capture.dom, id, Display::Contents), |style| style.display);
    }
    if is_hidden_by_markup(&capture.dom, id) { Display::None } else { tag_display(&capture.dom, id, Display::Inline) }
}

/// `display` in the default style sheet of HTML, section 15.3; `other` for tags it does not name.
fn tag_display(dom: &Dom, id: NodeId, other: Display) -> Display {
    match elements::default_display(dom.tag(id)) {
        Some(DefaultDisplay::Block) => Display::Block,
        Some(DefaultDisplay::ListItem) => Display::ListItem,
        Some(DefaultDisplay::Table) => Display::Table,
        Some(DefaultDisplay::TableRow) => Display::TableRow,
        Some(DefaultDisplay::TableCell) => Display::TableCell,
        Some(DefaultDisplay::InlineBlock) => Display::InlineBlock,
        None => other,
    }
}

fn is_hidden_by_markup(dom: &Dom, id: NodeId) -> bool {
    dom.attributes(id).iter().any(|(name, value)| match &**name {
        // React streams parts of a page in hidden elements `S:0`, `S:1`, ... that its script moves to their places.
        "hidden" => {
            !value.eq_ignore_ascii_case("until-found")
                && !dom.attribute(id, "id").is_some_and(|id| id.starts_with("S:"))
        }
        "style" => hides(value),
        _ => false,
    }) || (dom.tag(id) == "dialog" && dom.attribute(id, "open").is_none())
}

/// Whether an inline style takes the element off the page.
fn hides(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((property, value)) = declaration.split_once(':') else { return false };
        let value = value.trim().trim_end_matches("!important").trim_end();
        (property.trim().eq_ignore_ascii_case("display") && value.eq_ignore_ascii_case("none"))
            || (property.trim().eq_ignore_ascii_case("visibility") && value.eq_ignore_ascii_case("hidden"))
    })
}

/// Letters below which a page counts as empty without its `noscript` parts. Taste: a splash screen or a notice has less.
const SCANT_LETTERS: usize = 200;

/// Per node, whether it is a text node that a reader can see and that holds more than white space.
///
/// The `noscript` parts of a page rendered without scripts count only where there is hardly anything else: on most pages
/// they hold pictures and notices, on some applications the whole text.
fn visible_texts(capture: &Capture) -> Vec<bool> {
    let visible = visible_texts_outside(capture, elements::is_unseen);
    if capture.layout.is_none() || letters(&capture.dom, &visible) >= SCANT_LETTERS {
        return visible;
    }
    let more = visible_texts_outside(capture, |tag| tag != "noscript" && elements::is_unseen(tag));
    if letters(&capture.dom, &more) >= SCANT_LETTERS { more } else { visible }
}

/// Characters that are not white space in the texts marked.
fn letters(dom: &Dom, is_marked: &[bool]) -> usize {
    dom.ids().filter(|id| is_marked[id.index()]).map(|id| dom.text(id).map_or(0, count_letters)).sum()
}

/// [`visible_texts`] below no element that `is_unseen`.
fn visible_texts_outside(capture: &Capture, is_unseen: fn(&str) -> bool) -> Vec<bool> {
    let dom = &capture.dom;
    let mut visible = vec![false; dom.len()];
    let mut unseen_until = 0;
    for id in dom.ids() {
        if id.index() < unseen_until {
            continue;
        }
        match dom.text(id) {
            None => {
                let skip = match &capture.layout {
                    // A frame's document hangs below `iframe`; a node without a box may still have children with one
                    // (`display: contents`).
                    Some(_) => is_unseen(dom.tag(id)) && !matches!(dom.tag(id), "iframe" | "object"),
                    None => is_unseen(dom.tag(id)) || is_hidden_by_markup(dom, id),
                };
                if skip {
                    unseen_until = dom.end(id);
                }
            }
            Some(text) => {
                visible[id.index()] = has_ink(text)
                    && capture.layout.as_ref().is_none_or(|layout| {
                        layout.style(id).is_some_and(|style| style.is_visible)
                            && layout.lines(id).iter().any(|line| !line.rect.is_empty())
                    });
            }
        }
    }
    visible
}

fn has_ink(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{ad}'))
}

fn select_blocks(capture: &Capture, visible: &[bool]) -> Vec<Target> {
    let dom = &capture.dom;
    let mut targets: Vec<Target> = Vec::new();
    // The run of lines that is open in each block container now open, innermost last.
    let mut containers: Vec<(NodeId, Option<usize>, u32)> = vec![(Dom::ROOT, None, 0)];
    for id in dom.ids().skip(1) {
        while containers.len() > 1 && !dom.contains(containers[containers.len() - 1].0, id) {
            containers.pop();
        }
        let innermost = containers.len() - 1;
        if visible[id.index()] {
            let (container, run, breaks) = &mut containers[innermost];
            let target = *run.get_or_insert_with(|| {
                targets.push(Target { container: *container, texts: Vec::new() });
                targets.len() - 1
            });
            targets[target].texts.push(id);
            *breaks = 0;
        } else if dom.tag(id) == "br" {
            // Two line breaks part paragraphs in pages that have no paragraph elements (FIASCO 2.1).
            let (_, run, breaks) = &mut containers[innermost];
            *breaks += 1;
            if *breaks >= 2 {
                *run = None;
            }
        } else if dom.is_element(id) {
            let style = display(capture, id);
            let starts_block = !style.is_inline() || is_block_like(capture, id, style);
            if starts_block {
                if !is_out_of_flow(capture, id) {
                    containers[innermost].1 = None;
                    // Inline elements around a block do not keep the run of an outer container open.
                }
                containers.push((id, None, 0));
            } else if dom.tag(id) == "img" {
                containers[innermost].2 = 0;
            }
        } else if dom.text(id).is_none() {
            containers.push((id, None, 0));
        }
    }
    targets.sort_by_key(Target::first);
    targets
}

/// Whether an inline-level box holds a block of its own: an inline-block with block children or several lines.
fn is_block_like(capture: &Capture, id: NodeId, style: Display) -> bool {
    style == Display::InlineBlock
        && capture.layout.as_ref().is_some_and(|layout| {
            layout
                .node_box(id)
                .is_some_and(|own| own.rect.height > 2.2 * layout.style(id).map_or(16.0, |style| style.font_size_px))
        })
}

fn is_out_of_flow(capture: &Capture, id: NodeId) -> bool {
    use crate::capture::Position;
    capture
        .layout
        .as_ref()
        .and_then(|layout| layout.style(id))
        .is_some_and(|style| style.is_float || matches!(style.position, Position::Absolute | Position::Fixed))
}

fn select_fiasco(dom: &Dom, visible: &[bool]) -> Vec<Target> {
    let letters = |id: NodeId| if visible[id.index()] { dom.text(id).map_or(0, |text| text.trim().len()) } else { 0 };
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
            let texts = dom.descendants(id).filter(|text| visible[text.index()]).collect();
            targets.push(Target { container: id, texts });
            next = dom.end(id);
        }
    }
    targets
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::capture::{DomBuilder, Record};

    /// Builds a tree from a bracket notation: `(p one (b two))`.
    fn page(notation: &str) -> Capture {
        let mut builder = DomBuilder::new();
        for token in notation.replace('(', " ( ").replace(')', " ) ").split_whitespace().collect::<Vec<_>>().windows(2)
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
            .map(|target| target.texts.iter().filter_map(|&id| capture.dom.text(id)).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn runs_between_blocks_are_targets_of_their_own() {
        let page = page("(body (div one (b two) (p three) four (ul (li five) (li six))) )");
        assert_eq!(texts(&page, TargetRule::Blocks), ["one two", "three", "four", "five", "six"]);
    }

    #[test]
    fn two_line_breaks_part_paragraphs_and_one_does_not() {
        let page = page("(body (td one (br) two (br) (br) three) )");
        assert_eq!(texts(&page, TargetRule::Blocks), ["one two", "three"]);
    }

    #[test]
    fn parts_that_react_streams_are_seen_and_hidden_ones_are_not() {
        let first = |html| {
            let capture = Capture::parsed(crate::html::parse_html(html), Record::parsed("test", None));
            select(&capture, TargetRule::Blocks)[0].text(&capture.dom)
        };
        assert_eq!(first("<div hidden id='S:0'><p>streamed</div><p>shown"), "streamed");
        assert_eq!(first("<div hidden><p>hidden</div><p>shown"), "shown");
    }

    #[test]
    fn scripts_and_hidden_parts_are_no_text() {
        let page = page("(body (script code) (p seen (style css)) )");
        assert_eq!(texts(&page, TargetRule::Blocks), ["seen"]);
        assert!(hides("color: red; DISPLAY : none !important"));
        assert!(!hides("display: block"));
    }

    #[test]
    fn fiasco_takes_the_outermost_node_with_a_tenth_of_its_text() {
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
        assert_eq!(first_text("<p> a<b>b</b> <i> c</i>\n d&nbsp; e </p>"), "ab c d e");
        assert_eq!(first_text("<p>one<br>two<wbr>three&shy;four\u{200b}five"), "one twothreefourfive");
        assert_eq!(first_text("<p>\u{4e2d}\n \u{6587} \u{5b57}"), "\u{4e2d}\u{6587} \u{5b57}");
    }

    #[test]
    fn borders_of_blocks_part_words() {
        let dom = crate::html::parse_html("<div>one<p>two</p>three<ul><li>four</li><li>five</ul></div>");
        let texts: Vec<_> = dom.ids().filter(|&id| dom.text(id).is_some()).collect();
        let target = Target { container: dom.parent(texts[0]).unwrap(), texts };
        assert_eq!(target.text(&dom), "one two three four five");
        let last = Target { container: target.container, texts: target.texts[1..3].to_vec() };
        assert_eq!(last.text(&dom), "two three");
    }
}
