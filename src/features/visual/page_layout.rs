//! The boxes and styles of the page as a whole, and what each target inherits from its ancestors.
//!
//! Everything that `visual.layout` compares a target with is computed here once for each page: the modal text style and
//! column (weighted by characters; they are those of the gold text on 92 to 93 % of pages), and one pass down the tree for what
//! depends on ancestors (ground, opacity, fixed or floating boxes, links, grids of cards). Linear in nodes, n log n in
//! targets.

use super::ink::weighted_median;
use crate::capture::{Capture, CssRect, Dom, Layout, NodeId, Position, Style};
use crate::target::Target;
use std::collections::BTreeMap;

/// Edges are clustered by rounding to this many CSS px.
const GRID_PX: f32 = 8.0;

/// Viewport of a capture whose record has none, in CSS px.
const VIEWPORT_PX: [u32; 2] = [1280, 1024];

/// Edges this near, in CSS px, are the same edge.
pub(crate) const SAME_EDGE_PX: f32 = 8.0;

/// A target as its line boxes show it.
#[derive(Debug, Clone)]
pub(crate) struct BlockLayout {
    /// Bounding rectangle of the line boxes.
    pub(crate) rect: CssRect,
    /// Rectangle of the container; that of the line boxes where it has none.
    pub(crate) container: CssRect,
    /// Lines from the top.
    pub(crate) lines: Vec<CssRect>,
    /// UTF-16 code units in line boxes.
    pub(crate) characters: f32,
    /// The text node with most characters, whose style is the block's.
    pub(crate) main_text: NodeId,
    /// Style of the main text.
    pub(crate) style: Style,
    /// Share of the area of the line boxes below a link, and underlined, 0 to 1.
    pub(crate) link_share: f32,
    pub(crate) underlined_share: f32,
}

/// What a node inherits from its ancestors or has itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inherited {
    /// Color of its background.
    pub(crate) ground: [u8; 3],
    /// Whether a background image is drawn over that color.
    pub(crate) on_image: bool,
    /// Product of opacities.
    pub(crate) opacity: f32,
    pub(crate) fixed: bool,
    pub(crate) absolute: bool,
    pub(crate) floated: bool,
    pub(crate) linked: bool,
    pub(crate) in_grid: bool,
    /// Nearest element with a border or a ground of its own, 0 for none below `body`.
    pub(crate) boxed_by: u32,
}

/// A page's layout, ready to compare targets with.
#[derive(Debug)]
pub(crate) struct PageLayout {
    pub(crate) page: CssRect,
    pub(crate) viewport: [f32; 2],
    /// One a target; `None` for one without line boxes.
    pub(crate) blocks: Vec<Option<BlockLayout>>,
    /// One a node.
    pub(crate) inherited: Vec<Inherited>,
    /// Before each node, the summed area of pictures, in px squared; one more at the end.
    pub(crate) picture_area: Vec<f64>,
    pub(crate) font_size_px: f32,
    pub(crate) font_weight: f32,
    pub(crate) color: [u8; 3],
    pub(crate) ground: [u8; 3],
    /// The column that holds most characters: left edge and width of containers, top of its first and bottom of its
    /// last line.
    pub(crate) column: CssRect,
    /// Distance of two lines in CSS px.
    pub(crate) line_px: f32,
    pub(crate) characters: f32,
    pub(crate) largest_paint_order: f32,
}

impl BlockLayout {
    /// The line boxes of a target; `None` where it has none.
    fn measure(capture: &Capture, layout: &Layout, inherited: &[Inherited], target: &Target) -> Option<Self> {
        let mut lines: Vec<CssRect> = Vec::new();
        let (mut rect, mut characters, mut main) = (CssRect::default(), 0.0, (0u32, None));
        let (mut area, mut linked, mut underlined) = (0.0f32, 0.0, 0.0);
        for &text in &target.texts {
            let Some(style) = layout.style(text) else { continue };
            let mut own = 0u32;
            for line in layout.lines(text).iter().filter(|line| is_usable(line.rect)) {
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
            if own > 0 && (main.1.is_none() || own > main.0) {
                main = (own, Some(text));
            }
        }
        let main_text = main.1?;
        let container = layout.rect(target.container).filter(|&rect| is_usable(rect)).unwrap_or(rect);
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
        })
    }

    /// Distance of two lines in CSS px; 1.25 times the font size for a single line.
    pub(crate) fn pitch_px(&self) -> f32 {
        match (self.lines.first(), self.lines.last()) {
            (Some(first), Some(last)) if self.lines.len() > 1 && last.y > first.y => {
                (last.y - first.y) / (self.lines.len() - 1) as f32
            }
            _ => 1.25 * self.style.font_size_px,
        }
    }

    /// Distance of the start edge (left, or right for right-to-left text) from the start of `column`, in CSS px.
    pub(crate) fn start_offset(&self, column: CssRect) -> f32 {
        if self.style.is_right_to_left { column.right() - self.rect.right() } else { self.rect.x - column.x }
    }
}

/// Whether a rectangle has an area and numbers that can be computed with.
fn is_usable(rect: CssRect) -> bool {
    let sane = |value: f32| value.is_finite() && value.abs() < 1e7;
    sane(rect.x) && sane(rect.y) && sane(rect.width) && sane(rect.height) && !rect.is_empty()
}

fn shares_line(line: CssRect, next: CssRect) -> bool {
    let overlap = line.bottom().min(next.bottom()) - line.y.max(next.y);
    overlap >= 0.5 * line.height.min(next.height)
}

/// The key with most weight, the smallest of equals.
fn mode<K: Ord + Copy>(weights: &BTreeMap<K, f64>) -> Option<K> {
    let mut best: Option<(K, f64)> = None;
    for (&key, &weight) in weights {
        if best.is_none_or(|(_, most)| weight > most) {
            best = Some((key, weight));
        }
    }
    best.map(|(key, _)| key)
}

fn mode_of<K: Ord + Copy>(blocks: &[Option<BlockLayout>], key: impl Fn(&BlockLayout) -> K) -> Option<K> {
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
        let sane = |value: f32| if value.is_finite() { value.clamp(1.0, 1e7) } else { 1.0 };
        let page = CssRect { x: 0.0, y: 0.0, width: sane(layout.page_width_px), height: sane(layout.page_height_px) };
        let inherited = inherit(&capture.dom, layout, page);
        let blocks: Vec<_> =
            targets.iter().map(|target| BlockLayout::measure(capture, layout, &inherited, target)).collect();
        let viewport = capture.record.viewport_px.unwrap_or(VIEWPORT_PX).map(|side| side.max(1) as f32);
        let font = mode_of(&blocks, |block| (block.style.font_size_px * 2.0).round() as i32);
        let weight = mode_of(&blocks, |block| block.style.font_weight);
        let pitches = blocks.iter().flatten().filter(|block| block.lines.len() > 1);
        let line_px = weighted_median(pitches.map(|block| (block.pitch_px(), block.characters)).collect());
        let font_size_px = (font.unwrap_or(32) as f32 / 2.0).max(1.0);
        Some(Self {
            page,
            viewport,
            font_size_px,
            font_weight: f32::from(weight.unwrap_or(400)),
            color: mode_of(&blocks, |block| rgb(block.style.color)).unwrap_or([0; 3]),
            ground: mode_of(&blocks, |block| inherited[block.main_text.index()].ground).unwrap_or([255; 3]),
            column: main_column(&blocks, page),
            line_px: line_px.unwrap_or(1.25 * font_size_px).clamp(4.0, 200.0),
            characters: blocks.iter().flatten().map(|block| block.characters).sum::<f32>().max(1.0),
            largest_paint_order: largest_paint_order(&capture.dom, layout),
            picture_area: picture_area(&capture.dom, layout, page),
            blocks,
            inherited,
        })
    }

    /// Whether font size, weight and color are those of most text.
    pub(crate) fn is_modal_style(&self, block: &BlockLayout) -> bool {
        (block.style.font_size_px - self.font_size_px).abs() < 0.5
            && f32::from(block.style.font_weight) == self.font_weight
            && rgb(block.style.color) == self.color
    }

    /// Whether the block is surely running text: the modal font size, at least two lines, the first of them as
    /// wide as half the main column.
    pub(crate) fn is_full_text(&self, block: &BlockLayout) -> bool {
        (block.style.font_size_px - self.font_size_px).abs() < 0.5
            && block.lines.len() >= 2
            && block.lines[0].width >= 0.5 * self.column.width
    }

    /// Whether a container has both edges of the main column.
    pub(crate) fn is_in_column(&self, rect: CssRect) -> bool {
        (rect.x - self.column.x).abs() <= SAME_EDGE_PX && (rect.right() - self.column.right()).abs() <= SAME_EDGE_PX
    }
}

/// The column (left edge and width of containers, rounded) with most characters, and how far down the page it goes.
fn main_column(blocks: &[Option<BlockLayout>], page: CssRect) -> CssRect {
    let key = |block: &BlockLayout| {
        ((block.container.x / GRID_PX).round() as i32, (block.container.width / GRID_PX).round() as i32)
    };
    let Some(column) = mode_of(blocks, key) else { return page };
    let members = || blocks.iter().flatten().filter(|block| key(block) == column);
    // The edges themselves are not rounded: those of the member with most characters.
    let Some(first) = members().reduce(|a, b| if b.characters > a.characters { b } else { a }) else { return page };
    let extent = members().map(|block| block.rect).fold(CssRect::default(), CssRect::union);
    CssRect { x: first.container.x, width: first.container.width, y: extent.y, height: extent.height }
}

fn largest_paint_order(dom: &Dom, layout: &Layout) -> f32 {
    dom.ids().filter_map(|id| layout.node_box(id)).map(|node| node.paint_order).max().unwrap_or(0).max(1) as f32
}

fn picture_area(dom: &Dom, layout: &Layout, page: CssRect) -> Vec<f64> {
    let mut sums = Vec::with_capacity(dom.len() + 1);
    let mut sum = 0.0;
    for id in dom.ids() {
        sums.push(sum);
        if matches!(dom.tag(id), "img" | "svg" | "video" | "canvas") {
            let area =
                layout.rect(id).filter(|&rect| is_usable(rect)).map_or(0.0, |rect| rect.intersection(page).area());
            sum += f64::from(area);
        }
    }
    sums.push(sum);
    sums
}

/// What each node inherits, in one pass down the tree.
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
        let mut own = dom.parent(id).map_or(white, |parent| inherited[parent.index()]);
        if dom.is_element(id) {
            own.in_grid |= cards[id.index()];
            own.linked |= dom.tag(id) == "a" && dom.attribute(id, "href").is_some();
            if let Some(style) = layout.style(id) {
                let covers_page =
                    layout.rect(id).is_some_and(|rect| rect.intersection(page).area() >= 0.5 * page.area());
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
    own.opacity *= if style.opacity.is_finite() { style.opacity.clamp(0.0, 1.0) } else { 1.0 };
    own.fixed |= matches!(style.position, Position::Fixed | Position::Sticky);
    own.absolute |= style.position == Position::Absolute;
    own.floated |= style.is_float;
}

/// Smallest sides of a card in CSS px, and how many make a grid (heuristic).
const CARD_PX: (f32, f32) = (60.0, 40.0);
const CARDS: usize = 3;

/// Per node, whether it is a card: one of at least three children in succession of the same width, some of which
/// are side by side.
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
            let Some(rect) = layout.rect(child).filter(|&rect| is_usable(rect)) else { continue };
            let is_card = rect.width >= CARD_PX.0 && rect.height >= CARD_PX.1;
            if !is_card || run.last().is_some_and(|last| (last.1.width - rect.width).abs() > 2.0) {
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
