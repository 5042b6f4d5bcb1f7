//! Measurements of one target of a page: its text, the shares in links and markup, and the elements
//! that contain it.

use super::profile::{TextProfile, profile};
use super::tags;
use super::tree::{Count, Tree, share, shared_depths};
use crate::capture::{Capture, Dom, NodeId};
use crate::target::{Target, write_plain_text};
use std::ops::Range;

/// Minimum length of a long text: a line of the page (Kohlschütter 2010 wraps at 80).
pub(super) const LONG_LETTERS: f32 = 80.0;
/// Texts with fewer letters are short: word statistics mean little (Readability's smallest
/// paragraph).
pub(super) const SHORT_LETTERS: f32 = 25.0;
/// Texts with a lower link density can be running text (Kohlschütter 2010, section 4.2).
const PROSE_LINK_DENSITY: f32 = 0.333;

/// Measurements of one target.
#[derive(Debug, Clone)]
pub(super) struct BlockFacts {
    /// Counts over its text.
    pub(super) profile: TextProfile,
    pub(super) length: f32,
    pub(super) link_length: f32,
    /// Letters inside buttons, labels and other controls.
    pub(super) control_length: f32,
    /// Letters in bold, italics or underlined by markup.
    pub(super) emphasis_length: f32,
    pub(super) code_length: f32,
    pub(super) time_length: f32,
    /// Nodes of this target alone: from the end of the previous target, within the container.
    pub(super) nodes: Range<usize>,
    /// Nodes from the end of the previous target to the end of this one: its content and whatever
    /// leads to it.
    pub(super) lead: Range<usize>,
    /// Nearest ancestor that also holds another target; the root if there is none.
    pub(super) group: NodeId,
    /// Nearest ancestor of `group` that holds even more targets.
    pub(super) outer_group: NodeId,
    /// The child of `group` that holds this target; `group` itself if the text is directly in it.
    pub(super) branch: NodeId,
    /// 1 to 6 for a heading, or 0.
    pub(super) heading_level: u8,
    /// Hash of tag and class of the container and its parent; equal for blocks that look alike.
    pub(super) look: u64,
}

impl BlockFacts {
    /// Share of its letters that are in links.
    pub(super) fn link_density(&self) -> f32 {
        share(self.link_length, self.length)
    }

    /// True if the text is at least a line long and not mostly links.
    pub(super) fn is_long(&self) -> bool {
        self.length >= LONG_LETTERS && self.link_density() < PROSE_LINK_DENSITY
    }

    /// True if the text reads like running text: it is long, or a whole sentence of ten words.
    pub(super) fn is_prose(&self) -> bool {
        self.is_long()
            || (self.link_density() < PROSE_LINK_DENSITY
                && self.profile.ends_sentence
                && self.profile.tokens >= 10)
    }

    /// True if the text is too short for word statistics.
    pub(super) fn is_short(&self) -> bool {
        self.length < SHORT_LETTERS
    }
}

/// Sums over a range of targets.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct BlockSums {
    pub(super) targets: f64,
    pub(super) letters: f64,
    pub(super) link_letters: f64,
    /// Letters in long texts.
    pub(super) long_letters: f64,
    /// Number of long texts.
    pub(super) long: f64,
    /// Letters in texts that read like prose.
    pub(super) prose_letters: f64,
    pub(super) tokens: f64,
    pub(super) short: f64,
    pub(super) headings: f64,
    pub(super) prices: f64,
    pub(super) dates: f64,
    pub(super) east_asian: f64,
    pub(super) characters: f64,
    pub(super) commas: f64,
}

impl BlockSums {
    pub(super) fn from_block(block: &BlockFacts) -> Self {
        let flag = |yes: bool| f64::from(u8::from(yes));
        let length = f64::from(block.length);
        Self {
            targets: 1.0,
            letters: length,
            link_letters: f64::from(block.link_length),
            long_letters: length * flag(block.is_long()),
            long: flag(block.is_long()),
            prose_letters: length * flag(block.is_prose()),
            tokens: f64::from(block.profile.tokens),
            short: flag(block.is_short()),
            headings: flag(block.heading_level > 0),
            prices: flag(block.profile.has_price),
            dates: flag(block.profile.has_date),
            east_asian: f64::from(block.profile.east_asian),
            characters: f64::from(block.profile.characters),
            commas: f64::from(block.profile.commas),
        }
    }

    /// Adds `sign` times `other`, field by field; inlined, so that only the fields that are used
    /// are computed.
    #[inline]
    pub(super) fn combine(self, other: Self, sign: f64) -> Self {
        Self {
            targets: self.targets + sign * other.targets,
            letters: self.letters + sign * other.letters,
            link_letters: self.link_letters + sign * other.link_letters,
            long_letters: self.long_letters + sign * other.long_letters,
            long: self.long + sign * other.long,
            prose_letters: self.prose_letters + sign * other.prose_letters,
            tokens: self.tokens + sign * other.tokens,
            short: self.short + sign * other.short,
            headings: self.headings + sign * other.headings,
            prices: self.prices + sign * other.prices,
            dates: self.dates + sign * other.dates,
            east_asian: self.east_asian + sign * other.east_asian,
            characters: self.characters + sign * other.characters,
            commas: self.commas + sign * other.commas,
        }
    }
}

/// Measures all targets, in document order.
pub(super) fn measure_blocks(
    capture: &Capture,
    targets: &[Target],
    tree: &Tree,
) -> Vec<BlockFacts> {
    let dom = &capture.dom;
    let mut blocks = Vec::with_capacity(targets.len());
    let mut text = String::new();
    let mut before = 0;
    for (index, target) in targets.iter().enumerate() {
        write_text(dom, &target.texts, tree, &mut text);
        let [
            length,
            link_length,
            control_length,
            emphasis_length,
            code_length,
            time_length,
        ] = lengths(target, tree);
        let container = target.container;
        let start = container.index().max(before);
        let last = target.texts[target.texts.len() - 1].index() + 1;
        let next = targets
            .get(index + 1)
            .map_or(dom.len(), |next| next.first().index());
        let end = if next >= dom.end(container) {
            dom.end(container).max(last)
        } else {
            last
        };
        let lead = before.min(target.first().index())..last;
        before = last;
        let is_alone = tree.targets_of(dom, container).len() <= 1;
        let wider = |id: NodeId| NodeId::new(tree.facts(id).wider as usize);
        let group = if is_alone {
            wider(container)
        } else {
            container
        };
        let level = heading_level(capture, target, tree);
        let parent = dom.parent(container).unwrap_or(Dom::ROOT);
        blocks.push(BlockFacts {
            profile: profile(&text),
            length,
            link_length,
            control_length,
            emphasis_length,
            code_length,
            time_length,
            nodes: start.min(target.first().index())..end,
            lead,
            group,
            outer_group: wider(group),
            branch: if is_alone {
                NodeId::new(tree.facts(container).top as usize)
            } else {
                container
            },
            heading_level: level,
            look: tree.facts(container).signature.rotate_left(17) ^ tree.facts(parent).signature,
        });
    }
    blocks
}

/// Number of letters of a target: all, and those inside links, controls, emphasis, `code` and
/// `time`.
fn lengths(target: &Target, tree: &Tree) -> [f32; 6] {
    let mut half_letters = [0; 6];
    let (all, inside) = half_letters.split_at_mut(1);
    for &text in &target.texts {
        let (own, above) = (tree.half_letters_of(text), tree.facts(text).above);
        all[0] += own;
        for (sum, kind) in inside.iter_mut().zip([
            tags::LINK,
            tags::CONTROL,
            tags::EMPHASIS,
            tags::CODE,
            tags::TIME,
        ]) {
            *sum += if above & kind == 0 { 0 } else { own };
        }
    }
    half_letters.map(|sum| sum as f32 / 2.0)
}

/// Level of the heading that a target is or is in, from the nearest of its ancestors; 0 for other
/// targets.
fn heading_level(capture: &Capture, target: &Target, tree: &Tree) -> u8 {
    if tree.facts(target.first()).above & tags::HEADING == 0 {
        return 0;
    }
    let dom = &capture.dom;
    // A heading is at most a few levels above its text; deeper ones are ignored.
    dom.ancestors(target.first())
        .take(8)
        .find(|&up| tree.facts(up).own & tags::HEADING != 0)
        .map_or(0, |heading| tags::heading_level(dom, heading))
}

/// Writes the text of a block into `out` with [`write_plain_text`]: its text nodes, separated by a
/// space if a line break, a picture, a table cell or white space lies between them.
pub(super) fn write_text(dom: &Dom, texts: &[NodeId], tree: &Tree, out: &mut String) {
    let is_apart = |before: NodeId, after: NodeId| {
        tree.count_in(Count::Gaps, &(before.index() + 1..after.index())) > 0.0
    };
    write_plain_text(dom, texts, is_apart, out);
}

/// Number of levels above a paragraph that receive a share of its score (Readability: 5).
const LEVELS: usize = 5;

/// Scores by node, and the two elements that probably hold the page's text.
#[derive(Debug)]
pub(super) struct Scores {
    /// Score by node; 0 for most nodes.
    score: Vec<f32>,
    /// Highest score; 0 if there are no paragraphs.
    pub(super) best_score: f32,
    /// The element with the highest score; the root if there is none.
    pub(super) best: NodeId,
    /// The smallest element that holds at least half of the letters of long texts; the root if
    /// there is none.
    pub(super) core: NodeId,
    /// For each node, the depth of the deepest ancestor it shares with `best`.
    shared_depth: Vec<u32>,
    /// For each node, the score of the nearest scored element at or above it.
    nearest: Vec<f32>,
}

impl Scores {
    pub(super) fn new(dom: &Dom, targets: &[Target], blocks: &[BlockFacts], tree: &Tree) -> Self {
        let mut score = vec![0.0f32; dom.len()];
        for (target, block) in targets.iter().zip(blocks) {
            if block.length < SHORT_LETTERS || block.link_density() >= PROSE_LINK_DENSITY {
                continue;
            }
            let points =
                1.0 + block.profile.commas as f32 + (block.length / 100.0).floor().min(3.0);
            // A text directly in a `div` or table cell counts as the paragraph of that element.
            let holds_text = tree.facts(target.container).own
                & (tags::PLAIN_BLOCK | tags::SECTIONS | tags::CELL | tags::DESCRIPTION)
                != 0;
            let receivers = std::iter::once(target.container).filter(|_| holds_text);
            for (level, id) in receivers
                .chain(dom.ancestors(target.container))
                .take(LEVELS)
                .enumerate()
            {
                if !dom.is_element(id) {
                    break;
                }
                let divisor = match level {
                    0 => 1.0,
                    1 => 2.0,
                    level => level as f32 * 3.0,
                };
                score[id.index()] += points / divisor;
            }
        }
        let mut best = Dom::ROOT;
        for id in dom.ids() {
            let index = id.index();
            if score[index] > 0.0 {
                score[index] *= 1.0 - tree.link_density(&(index..dom.end(id)));
                if score[index] > score[best.index()] {
                    best = id;
                }
            }
        }
        let mut nearest = vec![0.0f32; dom.len()];
        for id in dom.ids().skip(1) {
            let index = id.index();
            let parent = dom.parent(id).map_or(0, NodeId::index);
            nearest[index] = if score[index] > 0.0 {
                score[index]
            } else {
                nearest[parent]
            };
        }
        let best_score = score[best.index()];
        Self {
            best_score,
            best,
            core: find_core(dom, blocks, tree),
            score,
            shared_depth: shared_depths(dom, best),
            nearest,
        }
    }

    pub(super) fn score(&self, id: NodeId) -> f32 {
        self.score[id.index()]
    }

    /// Score of the nearest scored element at or above `id`; 0 if there is none.
    pub(super) fn nearest(&self, id: NodeId) -> f32 {
        self.nearest[id.index()]
    }

    /// Depth of the deepest element that holds both `id` and `best`.
    pub(super) fn shared_depth(&self, id: NodeId) -> f32 {
        self.shared_depth[id.index()] as f32
    }
}

/// The deepest node that contains at least half of the letters of long texts; the first if there
/// are several.
fn find_core(dom: &Dom, blocks: &[BlockFacts], tree: &Tree) -> NodeId {
    let mut before = Vec::with_capacity(blocks.len() + 1);
    before.push(0.0f64);
    for (index, block) in blocks.iter().enumerate() {
        before.push(
            before[index]
                + if block.is_long() {
                    f64::from(block.length)
                } else {
                    0.0
                },
        );
    }
    let half = before[blocks.len()] / 2.0;
    let mut core = Dom::ROOT;
    if half > 0.0 {
        for id in dom.ids() {
            let targets = tree.targets_of(dom, id);
            let holds_half = before[targets.end] - before[targets.start] >= half;
            if holds_half && dom.is_element(id) && dom.depth(id) > dom.depth(core) {
                core = id;
            }
        }
    }
    core
}

#[cfg(test)]
mod tests {
    use super::super::fixture::page;
    use super::super::page::PageView;
    use crate::target::{TargetRule, select};

    #[test]
    fn the_article_wins_over_the_links() {
        let prose =
            "A sentence, with a comma, of some length, that a reader would read to its end. "
                .repeat(3);
        let capture = page(&format!(
            "<ul><li><a href=a>one</a><li><a href=b>two, three, four, five, six, seven, eight</a></ul>\
             <div id=main><h1>Title</h1><p>{prose}<p>{prose}<p>{prose}</div><footer>small print</footer>"
        ));
        let targets = select(&capture, TargetRule::Blocks);
        let view = PageView::new(&capture, &targets).unwrap();
        let dom = &capture.dom;
        assert_eq!(dom.attribute(view.scores.best, "id"), Some("main"));
        assert_eq!(dom.attribute(view.scores.core, "id"), Some("main"));
        let first = targets[0].container;
        assert!(view.scores.nearest(first) < view.scores.best_score);
        assert_eq!(
            view.scores.shared_depth(first) as usize,
            dom.depth(view.scores.best) - 1
        );
    }
}
