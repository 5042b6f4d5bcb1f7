//! Statistics of a page that all groups share, computed once.
//!
//! Cost is linear in the nodes and the text of the page, and independent of its depth.

use super::block::{BlockFacts, BlockSums, Scores, measure_blocks};
use super::markup::words::MarkupWords;
use super::tree::{Tree, share};
#[cfg(feature = "pixels")]
use super::visual::Pixels;
use crate::capture::{Capture, NodeId};
use crate::error::Error;
use crate::language::{Cutter, Keywords};
use crate::target::Target;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Maximum number of targets of a page; 50,000 text blocks are about a thousand screens.
pub const MAX_TARGETS: usize = 50_000;

/// A capture and its targets with page-level statistics, from which the groups measure.
#[derive(Debug)]
pub struct PageView<'a> {
    /// The rendered page or bare HTML.
    pub capture: &'a Capture,
    /// Text blocks of the page in document order.
    pub targets: &'a [Target],
    /// The decoded pictures; absent for bare HTML.
    #[cfg(feature = "pixels")]
    pub pixels: Option<Pixels>,
    /// Data for the language-bound groups; absent if these are not measured.
    pub(super) bound: Option<LanguageBound<'a>>,
    /// The word weights of the group `markup`; absent if it is not measured.
    pub(super) markup: Option<&'a MarkupWords>,
    pub(super) tree: Tree,
    pub(super) blocks: Vec<BlockFacts>,
    pub(super) scores: Scores,
    /// Total number of letters of all targets.
    pub(super) letters: f32,
    /// Prefix sums over the targets.
    sums: Vec<BlockSums>,
    /// Number of occurrences of each text on the page.
    text_counts: FxHashMap<u64, u32>,
    /// Number of letters in targets whose containers look alike.
    signature_letters: FxHashMap<u64, f32>,
}

impl<'a> PageView<'a> {
    /// Computes the statistics. `targets` must be in document order, as returned by
    /// [`crate::target::select`].
    ///
    /// Returns [`Error::Limit`] if there are more than [`MAX_TARGETS`] targets.
    pub fn new(capture: &'a Capture, targets: &'a [Target]) -> Result<Self, Error> {
        if targets.len() > MAX_TARGETS {
            return Err(Error::Limit(format!(
                "the page has {} text blocks, at most {MAX_TARGETS} can be measured; split the page",
                targets.len()
            )));
        }
        #[cfg(feature = "pixels")]
        let pixels = capture.pictures.as_ref().map(Pixels::decode).transpose()?;
        let tree = Tree::new(capture, targets);
        let blocks = measure_blocks(capture, targets, &tree);
        let mut sums = vec![BlockSums::default()];
        let mut text_counts = FxHashMap::default();
        let mut signature_letters = FxHashMap::default();
        for (index, block) in blocks.iter().enumerate() {
            sums.push(sums[index].combine(BlockSums::from_block(block), 1.0));
            *text_counts.entry(block.profile.key).or_insert(0) += 1;
            *signature_letters.entry(block.look).or_insert(0.0) += block.length;
        }
        let letters = sums[blocks.len()].letters as f32;
        let scores = Scores::new(&capture.dom, targets, &blocks, &tree);
        Ok(Self {
            capture,
            targets,
            #[cfg(feature = "pixels")]
            pixels,
            bound: None,
            markup: None,
            tree,
            blocks,
            scores,
            letters,
            sums,
            text_counts,
            signature_letters,
        })
    }

    #[inline]
    pub(super) fn sum(&self, range: &Range<usize>) -> BlockSums {
        self.sums[range.end].combine(self.sums[range.start], -1.0)
    }

    /// The nodes of the subtree of `id`, including `id`.
    pub(super) fn subtree(&self, id: NodeId) -> Range<usize> {
        id.index()..self.capture.dom.end(id)
    }

    pub(super) fn targets_of(&self, id: NodeId) -> Range<usize> {
        self.tree.targets_of(&self.capture.dom, id)
    }

    /// Number of targets with the same text, including this one.
    pub(super) fn copies(&self, block: &BlockFacts) -> u32 {
        self.text_counts
            .get(&block.profile.key)
            .copied()
            .unwrap_or(1)
    }

    /// Share of the page's letters in targets whose container looks like this one's.
    pub(super) fn look_share(&self, block: &BlockFacts) -> f32 {
        share(
            self.signature_letters
                .get(&block.look)
                .copied()
                .unwrap_or(0.0),
            self.letters,
        )
    }
}

/// Language data of a page for the language-bound groups.
#[derive(Debug)]
pub(super) struct LanguageBound<'k> {
    /// ISO 639-1 code; `""` if unknown.
    pub(super) language: String,
    pub(super) keywords: Option<&'k Keywords>,
}

impl LanguageBound<'_> {
    /// Splits text in the page's language.
    pub(super) fn cutter(&self) -> Cutter {
        Cutter::new(&self.language)
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::write_text;
    use super::super::fixture::page;
    use super::*;
    use crate::target::{TargetRule, select};

    #[test]
    fn text_is_collapsed_and_separated_where_the_page_separates_it() {
        let capture = page("<p> One\n two<b>three</b> <a href=x>four</a><br>five ");
        let targets = select(&capture, TargetRule::Blocks);
        let view = PageView::new(&capture, &targets).unwrap();
        let mut text = String::new();
        write_text(&capture.dom, &targets[0].texts, &view.tree, &mut text);
        assert_eq!(text, "One twothree four five");
        let block = &view.blocks[0];
        assert_eq!(block.link_length, 4.0);
        assert_eq!(block.emphasis_length, 5.0);
    }

    #[test]
    fn the_group_is_the_nearest_element_with_company() {
        let capture =
            page("<div><section><div><p>one</p></div></section><p>two</p></div><p>three</p>");
        let targets = select(&capture, TargetRule::Blocks);
        let view = PageView::new(&capture, &targets).unwrap();
        let dom = &capture.dom;
        assert_eq!(dom.tag(view.blocks[0].group), "div");
        assert_eq!(dom.tag(view.blocks[0].branch), "section");
        assert_eq!(dom.tag(view.blocks[0].outer_group), "body");
        assert_eq!(
            view.sum(&view.targets_of(view.blocks[0].group)).targets,
            2.0
        );
    }
}
