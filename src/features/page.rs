//! What all groups need of a page, computed once.
//!
//! Cost is linear in the nodes and the text of the page; no walk depends on its depth.

use super::linguistic::LanguageBound;
use super::profile::{Profiler, TextProfile};
use super::score::Scores;
use super::tags;
use super::tree::{Count, Tree, share};
use super::visual::Pixels;
use crate::capture::{Capture, NodeId};
use crate::error::Error;
use crate::hash::text_key;
use crate::target::Target;
use std::collections::HashMap;
use std::ops::Range;

/// Most targets of a page; 50,000 text blocks are about a thousand screens.
pub const MAX_TARGETS: usize = 50_000;

/// Letters from which a text is long: a line of the page (Kohlschütter 2010 wraps at 80).
pub(super) const LONG_LETTERS: f32 = 80.0;
/// Letters under which a text is short: where word statistics stop to mean much (Readability's smallest paragraph).
pub(super) const SHORT_LETTERS: f32 = 25.0;
/// Link density under which a text can be running text (Kohlschütter 2010, section 4.2).
pub(super) const PROSE_LINK_DENSITY: f32 = 0.333;

/// A capture and its targets with page-level statistics, for the groups to measure from.
#[derive(Debug)]
pub struct PageView<'a> {
    /// The page.
    pub capture: &'a Capture,
    /// Its targets in document order.
    pub targets: &'a [Target],
    /// The decoded pictures; absent for bare HTML.
    pub pixels: Option<Pixels>,
    /// The columns of the groups that were measured before, for the groups that look around.
    pub measured: Measured,
    /// What the language-bound groups need; absent where they are not measured.
    pub(super) bound: Option<LanguageBound<'a>>,
    pub(super) tree: Tree,
    pub(super) blocks: Vec<Block>,
    pub(super) scores: Scores,
    /// Letters of all targets.
    pub(super) letters: f32,
    /// Prefix sums over the targets of what [`BlockSums`] names.
    sums: Vec<BlockSums>,
    /// How often each text occurs on the page.
    text_counts: HashMap<u64, u32>,
    /// Letters in targets whose containers look alike.
    signature_letters: HashMap<u64, f32>,
}

/// Columns that were measured already, by name.
#[derive(Debug, Clone, Default)]
pub struct Measured {
    columns: Vec<(&'static str, Vec<f32>)>,
}

impl Measured {
    /// Values of a column, one a target; `None` if its group was not measured.
    pub fn column(&self, name: &str) -> Option<&[f32]> {
        self.columns.iter().find(|(column, _)| *column == name).map(|(_, values)| &values[..])
    }

    pub(super) fn push(&mut self, name: &'static str, values: Vec<f32>) {
        self.columns.push((name, values));
    }

    pub(super) fn into_columns(self) -> Vec<(&'static str, Vec<f32>)> {
        self.columns
    }
}

/// One target, measured.
#[derive(Debug, Clone)]
pub(super) struct Block {
    /// Counts over its text.
    pub profile: TextProfile,
    /// Length in letters.
    pub length: f32,
    /// Letters inside links.
    pub link_length: f32,
    /// Letters inside buttons, labels and other controls.
    pub control_length: f32,
    /// Letters in bold, italics or underlined by markup.
    pub emphasis_length: f32,
    /// Letters inside `code`.
    pub code_length: f32,
    /// Letters inside `time`.
    pub time_length: f32,
    /// The nodes that are this target's: from the end of the target before, within the container.
    pub nodes: Range<usize>,
    /// The nodes from the end of the target before to the end of this one: what it shows and what leads to it.
    pub lead: Range<usize>,
    /// Nearest element that holds another target as well; the root if there is none.
    pub group: NodeId,
    /// Nearest element above `group` that holds still more targets.
    pub outer_group: NodeId,
    /// The child of `group` that holds this target; `group` itself where the text is right in it.
    pub branch: NodeId,
    /// 1 to 6 for a heading, or 0.
    pub heading_level: u8,
    /// Hash of tag and class of the container and its parent.
    pub look: u64,
    key: u64,
}

impl Block {
    /// Share of its letters that are in links.
    pub(super) fn link_density(&self) -> f32 {
        share(self.link_length, self.length)
    }

    /// Whether it is long enough for a line and not made of links.
    pub(super) fn is_long(&self) -> bool {
        self.length >= LONG_LETTERS && self.link_density() < PROSE_LINK_DENSITY
    }

    /// Whether it reads like running text: long, or a whole sentence of ten words.
    pub(super) fn is_prose(&self) -> bool {
        self.is_long()
            || (self.link_density() < PROSE_LINK_DENSITY && self.profile.ends_sentence && self.profile.tokens >= 10)
    }

    pub(super) fn is_short(&self) -> bool {
        self.length < SHORT_LETTERS
    }
}

/// Sums over a range of targets.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct BlockSums {
    pub targets: f64,
    pub letters: f64,
    pub link_letters: f64,
    /// Letters in long texts.
    pub long_letters: f64,
    /// Long texts.
    pub long: f64,
    /// Letters in texts that read like prose.
    pub prose_letters: f64,
    pub tokens: f64,
    pub short: f64,
    pub headings: f64,
    pub prices: f64,
    pub dates: f64,
    pub east_asian: f64,
    pub characters: f64,
    pub commas: f64,
}

impl BlockSums {
    fn of(block: &Block) -> Self {
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

    fn combine(self, other: Self, sign: f64) -> Self {
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

impl<'a> PageView<'a> {
    /// Computes what the groups need. `targets` must be in document order, as [`crate::target::select`] gives them.
    ///
    /// More than [`MAX_TARGETS`] targets are [`Error::Limit`].
    pub fn new(capture: &'a Capture, targets: &'a [Target]) -> Result<Self, Error> {
        if targets.len() > MAX_TARGETS {
            return Err(Error::Limit(format!(
                "the page has {} text blocks, at most {MAX_TARGETS} can be measured; split the page",
                targets.len()
            )));
        }
        let pixels = capture.pictures.as_ref().map(Pixels::decode).transpose()?;
        let tree = Tree::new(capture, targets);
        let blocks = measure_blocks(capture, targets, &tree);
        let mut sums = vec![BlockSums::default()];
        let mut text_counts = HashMap::new();
        let mut signature_letters = HashMap::new();
        for (index, block) in blocks.iter().enumerate() {
            sums.push(sums[index].combine(BlockSums::of(block), 1.0));
            *text_counts.entry(block.key).or_insert(0) += 1;
            *signature_letters.entry(block.look).or_insert(0.0) += block.length;
        }
        let letters = sums[blocks.len()].letters as f32;
        let scores = Scores::new(&capture.dom, targets, &blocks, &tree);
        Ok(Self {
            capture,
            targets,
            pixels,
            measured: Measured::default(),
            bound: None,
            tree,
            blocks,
            scores,
            letters,
            sums,
            text_counts,
            signature_letters,
        })
    }

    /// Sums over the targets `range`.
    pub(super) fn sum(&self, range: &Range<usize>) -> BlockSums {
        self.sums[range.end].combine(self.sums[range.start], -1.0)
    }

    /// The nodes of the subtree of `id`, itself included.
    pub(super) fn subtree(&self, id: NodeId) -> Range<usize> {
        id.index()..self.capture.dom.end(id)
    }

    /// The targets below `id`.
    pub(super) fn targets_of(&self, id: NodeId) -> Range<usize> {
        self.tree.targets_of(&self.capture.dom, id)
    }

    /// How many targets have the same text, itself included.
    pub(super) fn copies(&self, block: &Block) -> u32 {
        self.text_counts.get(&block.key).copied().unwrap_or(1)
    }

    /// Share of the page's letters in targets whose container looks like this one's.
    pub(super) fn look_share(&self, block: &Block) -> f32 {
        share(self.signature_letters.get(&block.look).copied().unwrap_or(0.0), self.letters)
    }
}

fn measure_blocks(capture: &Capture, targets: &[Target], tree: &Tree) -> Vec<Block> {
    let dom = &capture.dom;
    let profiler = Profiler::new();
    let mut blocks = Vec::with_capacity(targets.len());
    let mut text = String::new();
    let mut before = 0;
    for (index, target) in targets.iter().enumerate() {
        collapse(capture, &target.texts, tree, &mut text);
        let sum = |kind: u64| -> f32 {
            target
                .texts
                .iter()
                .filter(|text| tree.above[text.index()] & kind != 0)
                .map(|text| tree.letters_in(&(text.index()..text.index() + 1)))
                .sum()
        };
        let container = target.container;
        let start = container.index().max(before);
        let last = target.texts[target.texts.len() - 1].index() + 1;
        let next = targets.get(index + 1).map_or(dom.len(), |next| next.first().index());
        let end = if next >= dom.end(container) { dom.end(container).max(last) } else { last };
        let lead = before.min(target.first().index())..last;
        before = last;
        let is_alone = tree.targets_of(dom, container).len() <= 1;
        let wider = |id: NodeId| NodeId::new(tree.wider[id.index()] as usize);
        let group = if is_alone { wider(container) } else { container };
        let level = heading_level(capture, target, tree);
        let parent = dom.parent(container).map_or(0, NodeId::index);
        blocks.push(Block {
            profile: profiler.profile(&text),
            length: target.texts.iter().map(|text| tree.letters_in(&(text.index()..text.index() + 1))).sum(),
            link_length: sum(tags::LINK),
            control_length: sum(tags::CONTROL),
            emphasis_length: sum(tags::EMPHASIS),
            code_length: sum(tags::CODE),
            time_length: sum(tags::TIME),
            nodes: start.min(target.first().index())..end,
            lead,
            group,
            outer_group: wider(group),
            branch: if is_alone { NodeId::new(tree.top[container.index()] as usize) } else { container },
            heading_level: level,
            look: tree.signature[container.index()].rotate_left(17) ^ tree.signature[parent],
            key: text_key(&text),
        });
    }
    blocks
}

/// The heading a target is: its container, or an inline heading or the one element its text stands in.
fn heading_level(capture: &Capture, target: &Target, tree: &Tree) -> u8 {
    if tree.above[target.first().index()] & tags::HEADING == 0 {
        return 0;
    }
    let dom = &capture.dom;
    // A heading is at most a few levels above its text; deeper ones are not worth the walk.
    dom.ancestors(target.first())
        .take(8)
        .find(|up| tree.own[up.index()] & tags::HEADING != 0)
        .map_or(0, |heading| tags::heading_level(dom, heading))
}

/// Writes texts in document order with white space collapsed; text nodes with a gap between them are parted by a space.
pub(super) fn collapse(capture: &Capture, texts: &[NodeId], tree: &Tree, out: &mut String) {
    out.clear();
    let mut last: Option<NodeId> = None;
    for &id in texts {
        if let Some(last) = last
            && tree.count_in(Count::Gaps, &(last.index() + 1..id.index())) > 0.0
            && !out.ends_with(' ')
        {
            out.push(' ');
        }
        last = Some(id);
        for c in capture.dom.text(id).unwrap_or("").chars() {
            if !c.is_whitespace() {
                out.push(c);
            } else if !out.is_empty() && !out.ends_with(' ') {
                out.push(' ');
            }
        }
    }
    out.truncate(out.trim_end().len());
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::fixture::page;
    use super::*;
    use crate::target::{TargetRule, select};

    #[test]
    fn text_is_collapsed_and_parted_where_the_page_parts_it() {
        let capture = page("<p> One\n two<b>three</b> <a href=x>four</a><br>five ");
        let targets = select(&capture, TargetRule::Blocks);
        let view = PageView::new(&capture, &targets).unwrap();
        let mut text = String::new();
        collapse(&capture, &targets[0].texts, &view.tree, &mut text);
        assert_eq!(text, "One twothree four five");
        let block = &view.blocks[0];
        assert_eq!(block.link_length, 4.0);
        assert_eq!(block.emphasis_length, 5.0);
    }

    #[test]
    fn the_group_is_the_nearest_element_with_company() {
        let capture = page("<div><section><div><p>one</p></div></section><p>two</p></div><p>three</p>");
        let targets = select(&capture, TargetRule::Blocks);
        let view = PageView::new(&capture, &targets).unwrap();
        let dom = &capture.dom;
        assert_eq!(dom.tag(view.blocks[0].group), "div");
        assert_eq!(dom.tag(view.blocks[0].branch), "section");
        assert_eq!(dom.tag(view.blocks[0].outer_group), "body");
        assert_eq!(view.sum(&view.targets_of(view.blocks[0].group)).targets, 2.0);
    }
}
