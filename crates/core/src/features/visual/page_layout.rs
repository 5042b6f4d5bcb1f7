//! The boxes and styles of the page as a whole, and properties that targets inherit from ancestors.
//!
//! The values that `visual.layout` compares a target with are computed here once per page: the
//! modal text style and column (weighted by characters; they are those of the gold text on 92 to 93
//! % of pages), and in one pass down the tree everything that depends on ancestors (background,
//! opacity, fixed or floating boxes, links, grids of cards). Linear in nodes, n log n in targets.

use super::gaps::{Gaps, gaps};
use super::median::weighted_median;
#[cfg(feature = "pixels")]
use crate::capture::NodeMask;
use crate::capture::{Capture, CssRect, Dom, Layout, NodeId, Position, Style, Visibility};
use crate::features::page::PageView;
use crate::target::Target;
use std::collections::BTreeMap;

/// Edges are clustered by rounding to this many CSS px.
const GRID_PX: f32 = 8.0;

/// Viewport in CSS px for captures whose record has none.
const VIEWPORT_PX: [u32; 2] = [1280, 1024];

/// Edges within this distance, in CSS px, count as the same edge.
pub(crate) const SAME_EDGE_PX: f32 = 8.0;

/// Layout of a target, measured from its line boxes.
#[derive(Debug, Clone)]
pub(crate) struct BlockLayout {
    /// Bounding rectangle of the line boxes.
    pub(crate) rect: CssRect,
    /// Rectangle of the container, or of the line boxes if the container has none.
    pub(crate) container: CssRect,
    /// Rectangles of the lines from the top.
    pub(crate) lines: Vec<CssRect>,
    /// Number of UTF-16 code units in line boxes.
    pub(crate) characters: f32,
    /// The text node with most characters, whose style represents the block.
    pub(crate) main_text: NodeId,
    pub(crate) style: Style,
    /// Shares of the area of the line boxes inside links and underlined, 0 to 1.
    pub(crate) link_share: f32,
    pub(crate) underlined_share: f32,
    /// Share of the characters with [doubted](Visibility::Doubted) visibility, 0 to 1.
    pub(crate) seems_hidden: f32,
    /// Share of the characters that may come into view later, such as text below the visible part
    /// of a box that scrolls, 0 to 1.
    pub(crate) out_of_sight: f32,
}

/// Properties of a node, including those inherited from its ancestors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inherited {
    pub(crate) ground: [u8; 3],
    /// True if a background image is drawn over that color.
    pub(crate) on_image: bool,
    /// Product of the opacities of the node and its ancestors.
    pub(crate) opacity: f32,
    pub(crate) fixed: bool,
    pub(crate) absolute: bool,
    pub(crate) floated: bool,
    pub(crate) linked: bool,
    pub(crate) in_grid: bool,
    /// Nearest element with a border or a background of its own; 0 if there is none inside `body`.
    pub(crate) boxed_by: u32,
}

/// Layout of a page, to compare targets with.
#[derive(Debug)]
pub(crate) struct PageLayout {
    pub(crate) page: CssRect,
    pub(crate) viewport: [f32; 2],
    /// One entry per target; `None` if it has no line boxes.
    pub(crate) blocks: Vec<Option<BlockLayout>>,
    /// One entry per node.
    pub(crate) inherited: Vec<Inherited>,
    /// For each node, the total area in px squared of the pictures before it, with one more entry
    /// at the end.
    pub(crate) picture_area: Vec<f64>,
    pub(crate) font_size_px: f32,
    pub(crate) font_weight: f32,
    pub(crate) color: [u8; 3],
    pub(crate) ground: [u8; 3],
    /// The column with most characters: left edge and width of containers, top of the first line
    /// and bottom of the last.
    pub(crate) column: CssRect,
    /// Distance between two lines in CSS px.
    pub(crate) line_px: f32,
    pub(crate) characters: f32,
    /// Share of the characters with doubted visibility, 0 to 1.
    pub(crate) seems_hidden: f32,
    pub(crate) largest_paint_order: f32,
}

impl BlockLayout {
    /// Measures the line boxes of a target; `None` if it has none.
    fn measure(
        capture: &Capture,
        layout: &Layout,
        inherited: &[Inherited],
        target: &Target,
    ) -> Option<Self> {
        let mut lines: Vec<CssRect> = Vec::new();
        let (mut rect, mut characters, mut main) = (CssRect::default(), 0.0, (0u32, None));
        let (mut area, mut linked, mut underlined) = (0.0f32, 0.0, 0.0);
        let (mut seems_hidden, mut out_of_sight) = (0.0f32, 0.0f32);
        for &text in &target.texts {
            let Some(style) = layout.style(text) else {
                continue;
            };
            let mut own = 0u32;
            for line in layout
                .lines(text)
                .iter()
                .filter(|line| is_usable(line.rect))
            {
                own = own.saturating_add(line.length);
                rect = rect.union(line.rect);
                area += line.rect.area();
                if inherited[text.index()].linked {
                    linked += line.rect.area();
                }
                if style.is_underlined {
                    underlined += line.rect.area();
                }
                match lines.last_mut() {
                    Some(last) if shares_line(*last, line.rect) => *last = last.union(line.rect),
                    _ => lines.push(line.rect),
                }
            }
            characters += own as f32;
            match layout.visibility(text) {
                Visibility::Doubted(_) => seems_hidden += own as f32,
                Visibility::Unknown if layout.knows_visibility() => out_of_sight += own as f32,
                Visibility::Unknown | Visibility::Shown | Visibility::Hidden(_) => {}
            }
            if own > 0 && (main.1.is_none() || own > main.0) {
                main = (own, Some(text));
            }
        }
        let main_text = main.1?;
        let container = layout
            .rect(target.container)
            .filter(|&rect| is_usable(rect))
            .unwrap_or(rect);
        debug_assert!(main_text.index() < capture.dom.len());
        Some(Self {
            rect,
            container,
            lines,
            characters,
            main_text,
            style: layout.style(main_text)?.clone(),
            link_share: (linked / area.max(1e-3)).min(1.0),
            underlined_share: (underlined / area.max(1e-3)).min(1.0),
            seems_hidden: seems_hidden / characters.max(1.0),
            out_of_sight: out_of_sight / characters.max(1.0),
        })
    }

    /// Distance between two lines in CSS px; 1.25 times the font size for a single line.
    pub(crate) fn pitch_px(&self) -> f32 {
        match (self.lines.first(), self.lines.last()) {
            (Some(first), Some(last)) if self.lines.len() > 1 && last.y > first.y => {
                (last.y - first.y) / (self.lines.len() - 1) as f32
            }
            _ => 1.25 * self.style.font_size_px,
        }
    }

    /// Distance of the start edge (left, or right for right-to-left text) from the start of
    /// `column`, in CSS px.
    pub(crate) fn start_offset(&self, column: CssRect) -> f32 {
        if self.style.is_right_to_left {
            column.right() - self.rect.right()
        } else {
            self.rect.x - column.x
        }
    }
}

/// True if a rectangle has an area and its numbers are finite and not huge.
fn is_usable(rect: CssRect) -> bool {
    let sane = |value: f32| value.is_finite() && value.abs() < 1e7;
    sane(rect.x) && sane(rect.y) && sane(rect.width) && sane(rect.height) && !rect.is_empty()
}

fn shares_line(line: CssRect, next: CssRect) -> bool {
    let overlap = line.bottom().min(next.bottom()) - line.y.max(next.y);
    overlap >= 0.5 * line.height.min(next.height)
}

/// The key with the highest weight; the smallest if several are equal.
fn mode<K: Ord + Copy>(weights: &BTreeMap<K, f64>) -> Option<K> {
    let mut best: Option<(K, f64)> = None;
    for (&key, &weight) in weights {
        if best.is_none_or(|(_, most)| weight > most) {
            best = Some((key, weight));
        }
    }
    best.map(|(key, _)| key)
}

fn mode_of<K: Ord + Copy>(
    blocks: &[Option<BlockLayout>],
    key: impl Fn(&BlockLayout) -> K,
) -> Option<K> {
    let mut weights = BTreeMap::new();
    for block in blocks.iter().flatten() {
        *weights.entry(key(block)).or_insert(0.0) += f64::from(block.characters);
    }
    mode(&weights)
}

pub(crate) fn rgb(color: [u8; 4]) -> [u8; 3] {
    [color[0], color[1], color[2]]
}

impl PageLayout {
    /// Measures the layout of a rendered page; `None` for bare HTML.
    pub(crate) fn measure(capture: &Capture, targets: &[Target]) -> Option<Self> {
        let layout = capture.layout.as_ref()?;
        let sane = |value: f32| {
            if value.is_finite() {
                value.clamp(1.0, 1e7)
            } else {
                1.0
            }
        };
        let page = CssRect {
            x: 0.0,
            y: 0.0,
            width: sane(layout.page_width_px),
            height: sane(layout.page_height_px),
        };
        let inherited = inherit(&capture.dom, layout, page);
        let blocks: Vec<_> = targets
            .iter()
            .map(|target| BlockLayout::measure(capture, layout, &inherited, target))
            .collect();
        let viewport = capture
            .record
            .viewport_px
            .unwrap_or(VIEWPORT_PX)
            .map(|side| side.max(1) as f32);
        let font = mode_of(&blocks, |block| {
            (block.style.font_size_px * 2.0).round() as i32
        });
        let weight = mode_of(&blocks, |block| block.style.font_weight);
        let pitches = blocks
            .iter()
            .flatten()
            .filter(|block| block.lines.len() > 1);
        let line_px = weighted_median(
            pitches
                .map(|block| (block.pitch_px(), block.characters))
                .collect(),
        );
        let font_size_px = (font.unwrap_or(32) as f32 / 2.0).max(1.0);
        let characters = blocks
            .iter()
            .flatten()
            .map(|block| block.characters)
            .sum::<f32>()
            .max(1.0);
        let seem_hidden = blocks
            .iter()
            .flatten()
            .map(|block| block.seems_hidden * block.characters)
            .sum::<f32>();
        Some(Self {
            page,
            viewport,
            font_size_px,
            font_weight: f32::from(weight.unwrap_or(400)),
            color: mode_of(&blocks, |block| rgb(block.style.color)).unwrap_or([0; 3]),
            ground: mode_of(&blocks, |block| inherited[block.main_text.index()].ground)
                .unwrap_or([255; 3]),
            column: main_column(&blocks, page),
            line_px: line_px.unwrap_or(1.25 * font_size_px).clamp(4.0, 200.0),
            characters,
            seems_hidden: seem_hidden / characters,
            largest_paint_order: largest_paint_order(&capture.dom, layout),
            picture_area: picture_area(&capture.dom, layout, page),
            blocks,
            inherited,
        })
    }

    /// True if font size, weight and color are those of most text.
    pub(crate) fn is_modal_style(&self, block: &BlockLayout) -> bool {
        (block.style.font_size_px - self.font_size_px).abs() < 0.5
            && f32::from(block.style.font_weight) == self.font_weight
            && rgb(block.style.color) == self.color
    }

    /// True if the block is certainly running text: it has the modal font size and at least two
    /// lines, and the first line is at least half as wide as the main column.
    pub(crate) fn is_full_text(&self, block: &BlockLayout) -> bool {
        (block.style.font_size_px - self.font_size_px).abs() < 0.5
            && block.lines.len() >= 2
            && block.lines[0].width >= 0.5 * self.column.width
    }

    /// True if a container has both edges of the main column.
    pub(crate) fn is_in_column(&self, rect: CssRect) -> bool {
        (rect.x - self.column.x).abs() <= SAME_EDGE_PX
            && (rect.right() - self.column.right()).abs() <= SAME_EDGE_PX
    }
}

/// The column (left edge and width of containers, rounded) with most characters, and its extent
/// down the page.
fn main_column(blocks: &[Option<BlockLayout>], page: CssRect) -> CssRect {
    let key = |block: &BlockLayout| {
        (
            (block.container.x / GRID_PX).round() as i32,
            (block.container.width / GRID_PX).round() as i32,
        )
    };
    let Some(column) = mode_of(blocks, key) else {
        return page;
    };
    let members = || blocks.iter().flatten().filter(|block| key(block) == column);
    // The edges themselves are not rounded; they are those of the container with most characters.
    let Some(first) = members().reduce(|a, b| if b.characters > a.characters { b } else { a })
    else {
        return page;
    };
    let extent = members()
        .map(|block| block.rect)
        .fold(CssRect::default(), CssRect::union);
    CssRect {
        x: first.container.x,
        width: first.container.width,
        y: extent.y,
        height: extent.height,
    }
}

fn largest_paint_order(dom: &Dom, layout: &Layout) -> f32 {
    dom.ids()
        .filter_map(|id| layout.node_box(id))
        .map(|node| node.paint_order)
        .max()
        .unwrap_or(0)
        .max(1) as f32
}

fn picture_area(dom: &Dom, layout: &Layout, page: CssRect) -> Vec<f64> {
    let mut sums = Vec::with_capacity(dom.len() + 1);
    let mut sum = 0.0;
    for id in dom.ids() {
        sums.push(sum);
        if matches!(dom.tag(id), "img" | "svg" | "video" | "canvas") {
            let area = layout
                .rect(id)
                .filter(|&rect| is_usable(rect))
                .map_or(0.0, |rect| rect.intersection(page).area());
            sum += f64::from(area);
        }
    }
    sums.push(sum);
    sums
}

/// Computes the inherited properties of each node in one pass down the tree.
fn inherit(dom: &Dom, layout: &Layout, page: CssRect) -> Vec<Inherited> {
    let cards = cards(dom, layout);
    let white = Inherited {
        ground: [255; 3],
        on_image: false,
        opacity: 1.0,
        fixed: false,
        absolute: false,
        floated: false,
        linked: false,
        in_grid: false,
        boxed_by: 0,
    };
    let mut inherited = vec![white; dom.len()];
    for id in dom.ids() {
        let mut own = dom
            .parent(id)
            .map_or(white, |parent| inherited[parent.index()]);
        if dom.is_element(id) {
            own.in_grid |= cards[id.index()];
            own.linked |= dom.tag(id) == "a" && dom.attribute(id, "href").is_some();
            if let Some(style) = layout.style(id) {
                let covers_page = layout
                    .rect(id)
                    .is_some_and(|rect| rect.intersection(page).area() >= 0.5 * page.area());
                descend(&mut own, style, id, covers_page);
            }
        }
        inherited[id.index()] = own;
    }
    inherited
}

fn descend(own: &mut Inherited, style: &Style, id: NodeId, covers_page: bool) {
    let before = own.ground;
    let alpha = f32::from(style.background[3]) / 255.0;
    if alpha > 0.0 {
        for (ground, &color) in own.ground.iter_mut().zip(&style.background) {
            *ground = (f32::from(*ground) * (1.0 - alpha) + f32::from(color) * alpha).round() as u8;
        }
        own.on_image &= alpha < 0.5;
    }
    own.on_image |= style.has_background_image;
    if (style.border_px > 0.0 || own.ground != before) && !covers_page {
        own.boxed_by = id.index() as u32;
    }
    own.opacity *= if style.opacity.is_finite() {
        style.opacity.clamp(0.0, 1.0)
    } else {
        1.0
    };
    own.fixed |= matches!(style.position, Position::Fixed | Position::Sticky);
    own.absolute |= style.position == Position::Absolute;
    own.floated |= style.is_float;
}

/// Minimum width and height of a card in CSS px, and minimum number of cards in a grid (heuristic).
const CARD_PX: (f32, f32) = (60.0, 40.0);
const CARDS: usize = 3;

/// For each node, true if it is a card: one of at least three consecutive children of the same
/// width, some of which are side by side.
fn cards(dom: &Dom, layout: &Layout) -> Vec<bool> {
    let mut cards = vec![false; dom.len()];
    let mut run: Vec<(NodeId, CssRect)> = Vec::new();
    let mut close = |run: &mut Vec<(NodeId, CssRect)>| {
        let beside = run.windows(2).any(|pair| {
            let (a, b) = (pair[0].1, pair[1].1);
            (a.y - b.y).abs() <= 2.0 && a.intersection(b).width <= 2.0
        });
        if run.len() >= CARDS && beside {
            for (id, _) in run.iter() {
                cards[id.index()] = true;
            }
        }
        run.clear();
    };
    for parent in dom.ids().filter(|&id| dom.text(id).is_none()) {
        for child in dom.children(parent).filter(|&child| dom.is_element(child)) {
            let Some(rect) = layout.rect(child).filter(|&rect| is_usable(rect)) else {
                continue;
            };
            let is_card = rect.width >= CARD_PX.0 && rect.height >= CARD_PX.1;
            if !is_card
                || run
                    .last()
                    .is_some_and(|last| (last.1.width - rect.width).abs() > 2.0)
            {
                close(&mut run);
            }
            if is_card {
                run.push((child, rect));
            }
        }
        close(&mut run);
    }
    cards
}

/// Font size, weight, color and start edge, rounded.
pub(super) type StyleKey = (i32, u16, [u8; 3], i32);

/// Comparison of all targets of a page.
pub(super) struct Neighbors {
    /// For each target, the blank space around it; empty for a target without line boxes.
    pub(super) gaps: Vec<Gaps>,
    /// Number of targets for each style and start edge.
    pub(super) styles: BTreeMap<StyleKey, usize>,
    /// Number of targets for each top.
    pub(super) rows: BTreeMap<i32, usize>,
    /// Number of targets for each start edge.
    pub(super) edges: BTreeMap<i32, usize>,
    /// Number of characters for each left edge and width of the container.
    pub(super) columns: BTreeMap<(i32, i32), f32>,
    /// Tops of all blocks, sorted; `bottoms` likewise.
    pub(super) tops: Vec<f32>,
    pub(super) bottoms: Vec<f32>,
    /// Nearest running text before each target in document order; `text_after` likewise.
    pub(super) text_before: Vec<Option<usize>>,
    pub(super) text_after: Vec<Option<usize>>,
}

/// Start edge in steps of 4 px.
fn start_edge_key(page: &PageLayout, block: &BlockLayout) -> i32 {
    (block.start_offset(page.page) / 4.0).round() as i32
}

fn style_key(page: &PageLayout, block: &BlockLayout) -> StyleKey {
    let size = (block.style.font_size_px * 2.0).round() as i32;
    (
        size,
        block.style.font_weight,
        rgb(block.style.color),
        start_edge_key(page, block),
    )
}

/// Top in steps of 4 px.
fn row_key(block: &BlockLayout) -> i32 {
    (block.rect.y / 4.0).round() as i32
}

/// Left edge and width of the container in steps of 8 px.
fn column_key(block: &BlockLayout) -> (i32, i32) {
    (
        (block.container.x / 8.0).round() as i32,
        (block.container.width / 8.0).round() as i32,
    )
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
        // Targets without line boxes are skipped.
        let present: Vec<usize> = (0..blocks.len())
            .filter(|&index| blocks[index].is_some())
            .collect();
        let rects: Vec<[f32; 4]> = blocks
            .iter()
            .flatten()
            .map(|block| {
                [
                    block.rect.x,
                    block.rect.y,
                    block.rect.right(),
                    block.rect.bottom(),
                ]
            })
            .collect();
        let mut spaces = vec![Gaps::default(); blocks.len()];
        for (&index, space) in present.iter().zip(gaps(&rects)) {
            spaces[index] = space;
        }
        let is_text: Vec<bool> = blocks
            .iter()
            .map(|block| block.as_ref().is_some_and(|block| page.is_full_text(block)))
            .collect();
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

    /// Number of blocks that extend across the vertical position `y`.
    pub(super) fn crossing(&self, y: f32) -> usize {
        let begun = self.tops.partition_point(|&top| top <= y);
        begun.saturating_sub(self.bottoms.partition_point(|&bottom| bottom < y))
    }
}

/// Widths of a block's lines.
pub(super) struct LineWidths {
    /// Mean in px, without the last line unless it is the only one.
    pub(super) mean_px: f32,
    /// Standard deviation without the last line, relative to the widest line.
    pub(super) deviation: f32,
    /// Width of the last line relative to the widest one.
    pub(super) last: f32,
}

impl LineWidths {
    pub(super) fn measure(block: &BlockLayout) -> Self {
        let widths: Vec<f32> = block.lines.iter().map(|line| line.width).collect();
        let full = if widths.len() > 1 {
            &widths[..widths.len() - 1]
        } else {
            &widths[..]
        };
        let widest = widths.iter().copied().fold(1.0, f32::max);
        let mean = full.iter().sum::<f32>() / full.len().max(1) as f32;
        let square =
            full.iter().map(|width| (width - mean).powi(2)).sum::<f32>() / full.len().max(1) as f32;
        Self {
            mean_px: mean,
            deviation: square.sqrt() / widest,
            last: widths.last().copied().unwrap_or(0.0) / widest,
        }
    }
}

/// Share of sample points in the target's line boxes that belong to its text nodes in the mask.
#[cfg(feature = "pixels")]
pub(super) fn owned_share(view: &PageView<'_>, mask: &NodeMask, target: &Target) -> f32 {
    /// Maximum number of line boxes that are sampled: limits the time for a page with a million.
    const LINES: usize = 64;
    let Some(layout) = &view.capture.layout else {
        return 1.0;
    };
    let (mut points, mut owned) = (0u32, 0u32);
    for (&text, line) in target
        .texts
        .iter()
        .flat_map(|text| layout.lines(*text).iter().map(move |line| (text, line)))
        .take(LINES)
    {
        for row in [0.35, 0.5, 0.65] {
            for column in [0.1, 0.3, 0.5, 0.7, 0.9] {
                points += 1;
                let x = line.rect.x + column * line.rect.width;
                let y = line.rect.y + row * line.rect.height;
                let inside =
                    x >= 0.0 && y >= 0.0 && x < mask.width() as f32 && y < mask.height() as f32;
                owned += u32::from(inside && mask.owner(x as u32, y as u32) == Some(text));
            }
        }
    }
    if points == 0 {
        0.0
    } else {
        owned as f32 / points as f32
    }
}

/// A target with line boxes.
pub(super) struct TargetLayout<'p> {
    pub(super) page: &'p PageLayout,
    pub(super) block: &'p BlockLayout,
    /// Properties that the main text inherits from its ancestors.
    pub(super) inherited: &'p Inherited,
    pub(super) line_widths: LineWidths,
    /// Width of the main column, at least 1 px.
    pub(super) column_width_px: f32,
    /// Distance of the target's start edge from the main column's, in px; positive inside the
    /// column.
    pub(super) start_offset_px: f32,
    /// Distance of the container's end edge from the main column's, in px; positive inside the
    /// column.
    pub(super) end_offset_px: f32,
    /// The nearest box around the target with a border or a background of its own.
    pub(super) enclosing_box: Option<CssRect>,
    /// Share of the container's area covered by pictures.
    pub(super) picture_share: f32,
    pub(super) paint_order: f32,
    /// Share of sample points in the line boxes that belong to the target in the node mask.
    pub(super) owned_share: f32,
    pub(super) space: TargetSpace,
    /// The nearest running text before the target.
    pub(super) text_above: TextDistance,
    /// The nearest running text after the target.
    pub(super) text_below: TextDistance,
    /// Number of other targets with the same style and start edge.
    pub(super) same_style: usize,
    /// Number of other targets with the same top.
    pub(super) same_row: usize,
    /// Number of other targets with the same start edge.
    pub(super) same_edge: usize,
    /// Number of other targets at the height of the target's middle.
    pub(super) beside: usize,
    /// Number of characters in containers with the same left edge and width.
    pub(super) column_characters: f32,
}

pub(super) type Formula = fn(&TargetLayout<'_>) -> f32;

/// Blank space on each side, in lines, 0 to 20.
pub(super) struct TargetSpace {
    pub(super) above: f32,
    pub(super) below: f32,
    /// Blank space on the side where lines start: left, or right for right-to-left text.
    pub(super) start: f32,
    pub(super) end: f32,
}

/// Distance to the nearest running text.
pub(super) struct TextDistance {
    /// In viewport heights; 3 if there is none.
    pub(super) viewports: f32,
    /// `ln(1 + count)` of the targets between; 5 if there is none.
    pub(super) targets_log: f32,
}

impl<'p> TargetLayout<'p> {
    /// The target at `index`; `None` if it has no line boxes.
    pub(super) fn new(
        view: &PageView<'_>,
        page: &'p PageLayout,
        neighbors: &Neighbors,
        index: usize,
    ) -> Option<Self> {
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
            paint_order: layout
                .node_box(block.main_text)
                .map_or(0.0, |node| node.paint_order as f32),
            #[cfg(feature = "pixels")]
            owned_share: view.pixels.as_ref().map_or(1.0, |pixels| {
                owned_share(view, &pixels.mask, &view.targets[index])
            }),
            #[cfg(not(feature = "pixels"))]
            owned_share: 1.0,
            space: TargetSpace::new(&neighbors.gaps[index], page.line_px, is_right_to_left),
            text_above: TextDistance::new(page, block, index, neighbors.text_before[index]),
            text_below: TextDistance::new(page, block, index, neighbors.text_after[index]),
            same_style: others(neighbors.styles.get(&style_key(page, block))),
            same_row: others(neighbors.rows.get(&row_key(block))),
            same_edge: others(neighbors.edges.get(&start_edge_key(page, block))),
            beside: neighbors
                .crossing(block.rect.y + block.rect.height / 2.0)
                .saturating_sub(1),
            column_characters: neighbors
                .columns
                .get(&column_key(block))
                .copied()
                .unwrap_or(0.0),
        })
    }
}

impl TargetSpace {
    fn new(gaps: &Gaps, line_px: f32, is_right_to_left: bool) -> Self {
        let lines = |gap: Option<f32>| gap.map_or(20.0, |gap| gap / line_px).clamp(0.0, 20.0);
        let (left, right) = (lines(gaps.left), lines(gaps.right));
        let (start, end) = if is_right_to_left {
            (right, left)
        } else {
            (left, right)
        };
        Self {
            above: lines(gaps.above),
            below: lines(gaps.below),
            start,
            end,
        }
    }
}

impl TextDistance {
    /// Distance from the block at `index` to the one at `other`.
    fn new(page: &PageLayout, block: &BlockLayout, index: usize, other: Option<usize>) -> Self {
        let found = other.and_then(|other| page.blocks[other].as_ref().map(|text| (other, text)));
        found.map_or(
            Self {
                viewports: 3.0,
                targets_log: 5.0,
            },
            |(other, text)| Self {
                viewports: vertical_gap(block.rect, text.rect) / page.viewport[1],
                targets_log: ((index.abs_diff(other) - 1) as f32).ln_1p(),
            },
        )
    }
}

/// Vertical blank space between two rectangles; 0 if they overlap.
fn vertical_gap(a: CssRect, b: CssRect) -> f32 {
    (a.y - b.bottom()).max(b.y - a.bottom()).max(0.0)
}

fn picture_share(view: &PageView<'_>, page: &PageLayout, index: usize, container: CssRect) -> f32 {
    let id = view.targets[index].container;
    let area = page.picture_area[view.capture.dom.end(id)] - page.picture_area[id.index()];
    (area / f64::from(container.area().max(1.0))) as f32
}
