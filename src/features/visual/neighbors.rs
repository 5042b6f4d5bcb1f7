//! What a target's values in `layout` need to know of the page's other targets: blank space, likeness, rows and edges.

use super::gaps::gaps;
use super::page_layout::{Block, PageLayout, rgb};
use std::collections::BTreeMap;

/// Font size, weight, color and start edge, rounded.
pub(super) type Signature = (i32, u16, [u8; 3], i32);

/// What a target's values need to know of the other targets.
pub(super) struct Neighbors {
    pub(super) spaces: Vec<[Option<f32>; 4]>,
    pub(super) signatures: BTreeMap<Signature, usize>,
    pub(super) rows: BTreeMap<i32, usize>,
    pub(super) edges: BTreeMap<i32, usize>,
    pub(super) columns: BTreeMap<(i32, i32), f32>,
    /// Sorted tops and bottoms of all blocks.
    pub(super) tops: Vec<f32>,
    pub(super) bottoms: Vec<f32>,
    /// Nearest full text before and after each target, in document order.
    pub(super) text_before: Vec<Option<usize>>,
    pub(super) text_after: Vec<Option<usize>>,
}

/// Start edge in steps of 4 px.
pub(super) fn edge(page: &PageLayout, block: &Block) -> i32 {
    (block.start_offset(page.page) / 4.0).round() as i32
}

pub(super) fn signature(page: &PageLayout, block: &Block) -> Signature {
    let size = (block.style.font_size_px * 2.0).round() as i32;
    (size, block.style.font_weight, rgb(block.style.color), edge(page, block))
}

pub(super) fn row(block: &Block) -> i32 {
    (block.rect.y / 4.0).round() as i32
}

pub(super) fn column(block: &Block) -> (i32, i32) {
    ((block.container.x / 8.0).round() as i32, (block.container.width / 8.0).round() as i32)
}

impl Neighbors {
    pub(super) fn of(page: &PageLayout) -> Self {
        let blocks = &page.blocks;
        let count = |key: fn(&PageLayout, &Block) -> i32| {
            let mut counts = BTreeMap::new();
            for block in blocks.iter().flatten() {
                *counts.entry(key(page, block)).or_insert(0) += 1;
            }
            counts
        };
        let mut signatures = BTreeMap::new();
        let mut columns = BTreeMap::new();
        for block in blocks.iter().flatten() {
            *signatures.entry(signature(page, block)).or_insert(0) += 1;
            *columns.entry(column(block)).or_insert(0.0) += block.characters;
        }
        let sorted = |value: fn(&Block) -> f32| {
            let mut values: Vec<f32> = blocks.iter().flatten().map(value).collect();
            values.sort_by(f32::total_cmp);
            values
        };
        // Targets without line boxes are nobody's neighbor.
        let present: Vec<usize> = (0..blocks.len()).filter(|&index| blocks[index].is_some()).collect();
        let rects: Vec<[f32; 4]> = blocks
            .iter()
            .flatten()
            .map(|block| [block.rect.x, block.rect.y, block.rect.right(), block.rect.bottom()])
            .collect();
        let mut spaces = vec![[None; 4]; blocks.len()];
        for (&index, space) in present.iter().zip(gaps(&rects)) {
            spaces[index] = space;
        }
        let is_text: Vec<bool> =
            blocks.iter().map(|block| block.as_ref().is_some_and(|block| page.is_full_text(block))).collect();
        let nearest = |order: &mut dyn Iterator<Item = usize>| {
            let mut found = vec![None; is_text.len()];
            let mut last = None;
            for index in order {
                found[index] = last;
                if is_text[index] {
                    last = Some(index);
                }
            }
            found
        };
        Self {
            spaces,
            signatures,
            rows: count(|_, block| row(block)),
            edges: count(edge),
            columns,
            tops: sorted(|block| block.rect.y),
            bottoms: sorted(|block| block.rect.bottom()),
            text_before: nearest(&mut (0..blocks.len())),
            text_after: nearest(&mut (0..blocks.len()).rev()),
        }
    }

    /// Number of blocks that cross the height `y`.
    pub(super) fn crossing(&self, y: f32) -> usize {
        let begun = self.tops.partition_point(|&top| top <= y);
        begun.saturating_sub(self.bottoms.partition_point(|&bottom| bottom < y))
    }
}
