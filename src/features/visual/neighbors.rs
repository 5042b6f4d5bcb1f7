//! How the targets of a page compare, for `layout`: blank space between them, equal styles, rows and edges.

use super::gaps::{Gaps, gaps};
use super::page_layout::{BlockLayout, PageLayout, rgb};
use std::collections::BTreeMap;

/// Font size, weight, color and start edge, rounded.
pub(super) type StyleKey = (i32, u16, [u8; 3], i32);

/// All targets of a page, compared.
pub(super) struct Neighbors {
    /// Per target, the blank space around it; none for a target without line boxes.
    pub(super) gaps: Vec<Gaps>,
    /// Number of targets by style and start edge.
    pub(super) styles: BTreeMap<StyleKey, usize>,
    /// Number of targets by top.
    pub(super) rows: BTreeMap<i32, usize>,
    /// Number of targets by start edge.
    pub(super) edges: BTreeMap<i32, usize>,
    /// Characters by left edge and width of the container.
    pub(super) columns: BTreeMap<(i32, i32), f32>,
    /// Sorted tops and bottoms of all blocks.
    pub(super) tops: Vec<f32>,
    pub(super) bottoms: Vec<f32>,
    /// Nearest full text before and after each target, in document order.
    pub(super) text_before: Vec<Option<usize>>,
    pub(super) text_after: Vec<Option<usize>>,
}

/// Start edge in steps of 4 px.
pub(super) fn start_edge_key(page: &PageLayout, block: &BlockLayout) -> i32 {
    (block.start_offset(page.page) / 4.0).round() as i32
}

/// Style and start edge.
pub(super) fn style_key(page: &PageLayout, block: &BlockLayout) -> StyleKey {
    let size = (block.style.font_size_px * 2.0).round() as i32;
    (size, block.style.font_weight, rgb(block.style.color), start_edge_key(page, block))
}

/// Top in steps of 4 px.
pub(super) fn row_key(block: &BlockLayout) -> i32 {
    (block.rect.y / 4.0).round() as i32
}

/// Left edge and width of the container in steps of 8 px.
pub(super) fn column_key(block: &BlockLayout) -> (i32, i32) {
    ((block.container.x / 8.0).round() as i32, (block.container.width / 8.0).round() as i32)
}

impl Neighbors {
    /// Compares all targets of a page.
    pub(super) fn compare(page: &PageLayout) -> Self {
        let blocks = &page.blocks;
        let count = |key: fn(&PageLayout, &BlockLayout) -> i32| {
            let mut counts = BTreeMap::new();
            for block in blocks.iter().flatten() {
                *counts.entry(key(page, block)).or_insert(0) += 1;
            }
            counts
        };
        let mut styles = BTreeMap::new();
        let mut columns = BTreeMap::new();
        for block in blocks.iter().flatten() {
            *styles.entry(style_key(page, block)).or_insert(0) += 1;
            *columns.entry(column_key(block)).or_insert(0.0) += block.characters;
        }
        let sorted = |value: fn(&BlockLayout) -> f32| {
            let mut values: Vec<f32> = blocks.iter().flatten().map(value).collect();
            values.sort_by(f32::total_cmp);
            values
        };
        // Targets without line boxes are left out.
        let present: Vec<usize> = (0..blocks.len()).filter(|&index| blocks[index].is_some()).collect();
        let rects: Vec<[f32; 4]> = blocks
            .iter()
            .flatten()
            .map(|block| [block.rect.x, block.rect.y, block.rect.right(), block.rect.bottom()])
            .collect();
        let mut spaces = vec![Gaps::default(); blocks.len()];
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
            gaps: spaces,
            styles,
            rows: count(|_, block| row_key(block)),
            edges: count(start_edge_key),
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
