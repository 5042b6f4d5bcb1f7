//! Finds the page's running text: a score for every element, the best-scored one, and the core of the long text.
//!
//! The score follows Readability (Arc90 2010, Mozilla): a paragraph gives a point, one for each comma and up to three
//! for its length, to its parent in full, to its grandparent half, to those above a third by level; an element's score
//! is scaled by the share of its text outside links.

use super::block::{Block, PROSE_LINK_DENSITY, SHORT_LETTERS};
use super::tags;
use super::tree::Tree;
use crate::capture::{Dom, NodeId};
use crate::target::Target;

/// Levels above a paragraph that its score reaches (Readability: 5).
const LEVELS: usize = 5;

/// Scores by node, and the two elements that hold the page's text.
#[derive(Debug)]
pub(super) struct Scores {
    /// Score by node, 0 for most.
    score: Vec<f32>,
    /// Highest score; 0 where no paragraph is.
    pub best_score: f32,
    /// The element with the highest score; the root where there is none.
    pub best: NodeId,
    /// The smallest element that holds at least half of the letters of long text; the root where there is none.
    pub core: NodeId,
    /// By node, the depth of the deepest ancestor it shares with `best`.
    shared_depth: Vec<u32>,
    /// By node, the score of its nearest scored ancestor or itself.
    nearest: Vec<f32>,
}

impl Scores {
    pub(super) fn new(dom: &Dom, targets: &[Target], blocks: &[Block], tree: &Tree) -> Self {
        let mut score = vec![0.0f32; dom.len()];
        for (target, block) in targets.iter().zip(blocks) {
            if block.length < SHORT_LETTERS || block.link_density() >= PROSE_LINK_DENSITY {
                continue;
            }
            let points = 1.0 + block.profile.commas as f32 + (block.length / 100.0).floor().min(3.0);
            // A text directly in a `div` or table cell counts as the paragraph of that element.
            let holds_text = tree.of(target.container).own
                & (tags::PLAIN_BLOCK | tags::SECTIONS | tags::CELL | tags::DESCRIPTION)
                != 0;
            let receivers = std::iter::once(target.container).filter(|_| holds_text);
            for (level, id) in receivers.chain(dom.ancestors(target.container)).take(LEVELS).enumerate() {
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
        let mut on_path = vec![false; dom.len()];
        on_path[best.index()] = true;
        for id in dom.ids().rev() {
            if on_path[id.index()]
                && let Some(parent) = dom.parent(id)
            {
                on_path[parent.index()] = true;
            }
        }
        let mut shared_depth = vec![0u32; dom.len()];
        let mut nearest = vec![0.0f32; dom.len()];
        for id in dom.ids().skip(1) {
            let index = id.index();
            let parent = dom.parent(id).map_or(0, NodeId::index);
            shared_depth[index] = if on_path[index] { dom.depth(id) as u32 } else { shared_depth[parent] };
            nearest[index] = if score[index] > 0.0 { score[index] } else { nearest[parent] };
        }
        let best_score = score[best.index()];
        Self { best_score, best, core: find_core(dom, blocks, tree), score, shared_depth, nearest }
    }

    /// Score of one element.
    pub(super) fn score(&self, id: NodeId) -> f32 {
        self.score[id.index()]
    }

    /// Score of the nearest scored element at or above `id`, 0 if there is none.
    pub(super) fn nearest(&self, id: NodeId) -> f32 {
        self.nearest[id.index()]
    }

    /// Depth of the deepest element that holds both `id` and the best one.
    pub(super) fn shared_depth(&self, id: NodeId) -> f32 {
        self.shared_depth[id.index()] as f32
    }
}

/// The deepest node with at least half of the letters of long text below it; the first of several.
fn find_core(dom: &Dom, blocks: &[Block], tree: &Tree) -> NodeId {
    let mut before = Vec::with_capacity(blocks.len() + 1);
    before.push(0.0f64);
    for (index, block) in blocks.iter().enumerate() {
        before.push(before[index] + if block.is_long() { f64::from(block.length) } else { 0.0 });
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
        let prose = "A sentence, with a comma, of some length, that a reader would read to its end. ".repeat(3);
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
        assert_eq!(view.scores.shared_depth(first) as usize, dom.depth(view.scores.best) - 1);
    }
}
