//! What the columns of `visual.layout` are computed from: a target's boxes and style, its page and its neighbors.

use super::gaps::Gaps;
use super::lines::{LineWidths, owned_share};
use super::neighbors::{Neighbors, column_key, row_key, start_edge_key, style_key};
use super::page_layout::{BlockLayout, Inherited, PageLayout};
use crate::capture::{CssRect, NodeId};
use crate::features::page::PageView;

/// One target that has line boxes.
pub(super) struct TargetLayout<'p> {
    pub(super) page: &'p PageLayout,
    pub(super) block: &'p BlockLayout,
    /// What the main text has from its ancestors.
    pub(super) inherited: &'p Inherited,
    pub(super) line_widths: LineWidths,
    /// Width of the main column, at least 1 px.
    pub(super) column_width_px: f32,
    /// Distance of the target's start edge from the main column's, in px; above 0 is inside.
    pub(super) start_offset_px: f32,
    /// Distance of the container's end edge from the main column's, in px; above 0 is inside.
    pub(super) end_offset_px: f32,
    /// The box with a border or a ground of its own around the target.
    pub(super) enclosing_box: Option<CssRect>,
    /// Share of the container's area that is picture.
    pub(super) picture_share: f32,
    pub(super) paint_order: f32,
    /// Share of sampled points of the line boxes that the target owns in the node mask.
    pub(super) owned_share: f32,
    /// Blank space around the target.
    pub(super) space: TargetSpace,
    /// The nearest full text before the target.
    pub(super) text_above: TextDistance,
    /// The nearest full text after the target.
    pub(super) text_below: TextDistance,
    /// Number of other targets in the same style with the same start edge.
    pub(super) same_style: usize,
    /// Number of other targets with the same top.
    pub(super) same_row: usize,
    /// Number of other targets with the same start edge.
    pub(super) same_edge: usize,
    /// Number of other targets beside the target's middle.
    pub(super) beside: usize,
    /// Characters in containers with the same left edge and width.
    pub(super) column_characters: f32,
}

/// Computes a column's value.
pub(super) type Formula = fn(&TargetLayout<'_>) -> f32;

/// Blank space on each side, in lines, 0 to 20.
pub(super) struct TargetSpace {
    pub(super) above: f32,
    pub(super) below: f32,
    /// On the side where lines start: left, or right for right-to-left text.
    pub(super) start: f32,
    pub(super) end: f32,
}

/// How far the nearest full text is.
pub(super) struct TextDistance {
    /// In viewport heights; 3 where there is none.
    pub(super) viewports: f32,
    /// `ln(1 + count)` of the targets between; 5 where there is none.
    pub(super) targets_log: f32,
}

impl<'p> TargetLayout<'p> {
    /// The target at `index`; `None` where it has no line boxes.
    pub(super) fn new(view: &PageView<'_>, page: &'p PageLayout, neighbors: &Neighbors, index: usize) -> Option<Self> {
        let block = page.blocks[index].as_ref()?;
        let layout = view.capture.layout.as_ref()?;
        let inherited = &page.inherited[block.main_text.index()];
        let container = block.container;
        let is_right_to_left = block.style.is_right_to_left;
        let others = |count: Option<&usize>| count.map_or(0, |count| count - 1);
        Some(Self {
            page,
            block,
            inherited,
            line_widths: LineWidths::measure(block),
            column_width_px: page.column.width.max(1.0),
            start_offset_px: block.start_offset(page.column),
            end_offset_px: if is_right_to_left {
                container.x - page.column.x
            } else {
                page.column.right() - container.right()
            },
            enclosing_box: (inherited.boxed_by > 0)
                .then(|| layout.rect(NodeId::new(inherited.boxed_by as usize)))
                .flatten(),
            picture_share: picture_share(view, page, index, container),
            paint_order: layout.node_box(block.main_text).map_or(0.0, |node| node.paint_order as f32),
            owned_share: view
                .pixels
                .as_ref()
                .map_or(1.0, |pixels| owned_share(view, &pixels.mask, &view.targets[index])),
            space: TargetSpace::new(&neighbors.gaps[index], page.line_px, is_right_to_left),
            text_above: TextDistance::new(page, block, index, neighbors.text_before[index]),
            text_below: TextDistance::new(page, block, index, neighbors.text_after[index]),
            same_style: others(neighbors.styles.get(&style_key(page, block))),
            same_row: others(neighbors.rows.get(&row_key(block))),
            same_edge: others(neighbors.edges.get(&start_edge_key(page, block))),
            beside: neighbors.crossing(block.rect.y + block.rect.height / 2.0).saturating_sub(1),
            column_characters: neighbors.columns.get(&column_key(block)).copied().unwrap_or(0.0),
        })
    }
}

impl TargetSpace {
    fn new(gaps: &Gaps, line_px: f32, is_right_to_left: bool) -> Self {
        let lines = |gap: Option<f32>| gap.map_or(20.0, |gap| gap / line_px).clamp(0.0, 20.0);
        let (left, right) = (lines(gaps.left), lines(gaps.right));
        let (start, end) = if is_right_to_left { (right, left) } else { (left, right) };
        Self { above: lines(gaps.above), below: lines(gaps.below), start, end }
    }
}

impl TextDistance {
    /// From the block at `index` to the one at `other`.
    fn new(page: &PageLayout, block: &BlockLayout, index: usize, other: Option<usize>) -> Self {
        let found = other.and_then(|other| page.blocks[other].as_ref().map(|text| (other, text)));
        found.map_or(Self { viewports: 3.0, targets_log: 5.0 }, |(other, text)| Self {
            viewports: vertical_gap(block.rect, text.rect) / page.viewport[1],
            targets_log: ((index.abs_diff(other) - 1) as f32).ln_1p(),
        })
    }
}

/// Blank space along y between two rectangles, 0 where they overlap.
fn vertical_gap(a: CssRect, b: CssRect) -> f32 {
    (a.y - b.bottom()).max(b.y - a.bottom()).max(0.0)
}

fn picture_share(view: &PageView<'_>, page: &PageLayout, index: usize, container: CssRect) -> f32 {
    let id = view.targets[index].container;
    let area = page.picture_area[view.capture.dom.end(id)] - page.picture_area[id.index()];
    (area / f64::from(container.area().max(1.0))) as f32
}
