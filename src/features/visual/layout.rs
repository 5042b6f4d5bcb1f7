//! `visual.layout`: where each target stands and how it is set, by boxes, line boxes and computed styles.
//!
//! Values are relative to the page's modal text, its main column, its line height or the viewport, because absolute
//! positions do not carry over between sites and directions. On a page whose style sheets are lost (one unstyled
//! column) they are all alike and harmless; `styled_share` tells such pages.

use super::color::{color_distance, contrast};
use super::layout_columns::{COLUMNS, PAGE_COLUMNS, clamp, limits};
use super::lines::{Lines, owned_share};
use super::neighbors::{Neighbors, column, edge, row, signature};
use super::page_layout::{Block, PageLayout, SAME_EDGE_PX, rgb};
use crate::capture::{CssRect, TextAlign};
use crate::features::{FeatureGroup, PageView, flag};

/// Layout measures. All are 0 for a target without line boxes, but for those of the page.
pub const LAYOUT: FeatureGroup = FeatureGroup { name: "visual.layout", needs_layout: true, columns: COLUMNS, measure };

/// Number of columns of each target alone.
const OWN_COLUMNS: usize = COLUMNS.len() - PAGE_COLUMNS;

fn measure(view: &PageView<'_>, rows: &mut [Vec<f32>]) {
    let Some(page) = PageLayout::of(view.capture, view.targets) else { return };
    let mask = view.pixels.as_ref().map(|pixels| &pixels.mask);
    let neighbors = Neighbors::of(&page);
    let constant = page_values(&page);
    for (index, (target, row)) in view.targets.iter().zip(rows.iter_mut()).enumerate() {
        if let Some(block) = &page.blocks[index] {
            let owned = mask.map_or(1.0, |mask| owned_share(view, mask, target));
            row[..OWN_COLUMNS].copy_from_slice(&own_values(view, &page, &neighbors, index, block, owned));
        }
        row[OWN_COLUMNS..].copy_from_slice(&constant);
    }
}

/// `ln(1 + count)`.
fn ln_count(count: usize) -> f32 {
    (count as f32).ln_1p()
}

/// Blank space along y between two rectangles, 0 where they overlap.
fn distance(a: CssRect, b: CssRect) -> f32 {
    (a.y - b.bottom()).max(b.y - a.bottom()).max(0.0)
}

fn own_values(
    view: &PageView<'_>,
    page: &PageLayout,
    neighbors: &Neighbors,
    index: usize,
    block: &Block,
    owned: f32,
) -> [f32; OWN_COLUMNS] {
    let (rect, container, column_rect, style) = (block.rect, block.container, page.column, &block.style);
    let inherited = &page.inherited[block.main_text.index()];
    let (width, height) = (column_rect.width.max(1.0), page.viewport[1]);
    let shared = (container.right().min(column_rect.right()) - container.x.max(column_rect.x)).max(0.0);
    let covered = (container.right().max(column_rect.right()) - container.x.min(column_rect.x)).max(1.0);
    let center = container.x + container.width / 2.0;
    let start_offset = block.start_offset(column_rect);
    let end_offset =
        if style.is_right_to_left { container.x - column_rect.x } else { column_rect.right() - container.right() };
    let font_ratio = style.font_size_px / page.font_size_px;
    let lines = Lines::of(block);
    let space = |side: usize| neighbors.spaces[index][side].map_or(20.0, |gap| gap / page.line_px).clamp(0.0, 20.0);
    let (above, below) = (space(0), space(1));
    let start_side = if style.is_right_to_left { 3 } else { 2 };
    let boxed = (inherited.boxed_by > 0)
        .then(|| view.capture.layout.as_ref()?.rect(crate::capture::NodeId::new(inherited.boxed_by as usize)))
        .flatten();
    let (text_above, targets_above) = to_text(page, block, index, neighbors.text_before[index]);
    let (text_below, targets_below) = to_text(page, block, index, neighbors.text_after[index]);
    let box_ratio = boxed.map_or(0.0, |rect| rect.width / width);
    let others = |count: Option<&usize>| ln_count(count.map_or(0, |count| count - 1));
    let values = [
        rect.width / width,
        container.width / width,
        shared / covered,
        start_offset / width,
        flag(start_offset.abs() <= SAME_EDGE_PX),
        flag(end_offset.abs() <= SAME_EDGE_PX),
        flag(page.is_in_column(container)),
        (center - page.page.width / 2.0).abs() / (page.page.width / 2.0),
        (center - column_rect.x - column_rect.width / 2.0).abs() / width,
        rect.y / page.page.height,
        flag(rect.y < height),
        (column_rect.y - rect.bottom()) / height,
        (rect.y - column_rect.bottom()) / height,
        (rect.y - column_rect.y) / column_rect.height.max(1.0),
        font_ratio,
        font_ratio.max(0.05).ln(),
        (f32::from(style.font_weight) - page.font_weight) / 300.0,
        flag(style.is_italic),
        color_distance(rgb(style.color), page.color),
        contrast(style.color, inherited.ground),
        color_distance(inherited.ground, page.ground),
        flag(inherited.on_image),
        flag(page.is_modal_style(block)),
        ln_count(block.lines.len()),
        (block.characters / block.lines.len().max(1) as f32).ln_1p(),
        lines.mean / width,
        lines.deviation,
        lines.last,
        block.pitch_px() / style.font_size_px.max(1.0),
        (rect.area() / page.page.area()).max(0.0).sqrt(),
        block.link_share,
        picture_share(view, page, index, container),
        flag(boxed.is_some()),
        box_ratio,
        boxed.map_or(0.0, |rect| (rect.height.max(0.0) / height).ln_1p()),
        flag(style.text_align == TextAlign::Center),
        flag(style.text_align == if style.is_right_to_left { TextAlign::Left } else { TextAlign::Right }),
        flag(inherited.fixed),
        flag(inherited.absolute),
        flag(inherited.floated),
        paint_order(view, block) / page.largest_paint_order,
        owned,
        inherited.opacity,
        1.0 - rect.intersection(page.page).area() / rect.area().max(1e-3),
        block.underlined_share,
        others(neighbors.signatures.get(&signature(page, block))),
        others(neighbors.rows.get(&row(block))),
        others(neighbors.edges.get(&edge(page, block))),
        neighbors.columns.get(&column(block)).copied().unwrap_or(0.0) / page.characters,
        above,
        below,
        space(start_side),
        space(5 - start_side),
        (above - below) / (above + below).max(0.1),
        ln_count(neighbors.crossing(rect.y + rect.height / 2.0).saturating_sub(1)),
        flag(inherited.in_grid),
        (container.height / height).ln_1p(),
        container.width / page.viewport[0],
        flag(page.is_full_text(block)),
        text_above,
        text_below,
        targets_above,
        targets_below,
    ];
    clamp(values)
}

/// Distance to the full text `other` in viewport heights, and in targets as `ln(1 + count)`.
fn to_text(page: &PageLayout, block: &Block, index: usize, other: Option<usize>) -> (f32, f32) {
    let found = other.and_then(|other| page.blocks[other].as_ref().map(|text| (other, text)));
    found.map_or((3.0, 5.0), |(other, text)| {
        (distance(block.rect, text.rect) / page.viewport[1], ln_count(index.abs_diff(other) - 1))
    })
}

fn paint_order(view: &PageView<'_>, block: &Block) -> f32 {
    let node = view.capture.layout.as_ref().and_then(|layout| layout.node_box(block.main_text));
    node.map_or(0.0, |node| node.paint_order as f32)
}

fn picture_share(view: &PageView<'_>, page: &PageLayout, index: usize, container: CssRect) -> f32 {
    let id = view.targets[index].container;
    let area = page.picture_area[view.capture.dom.end(id)] - page.picture_area[id.index()];
    (area / f64::from(container.area().max(1.0))) as f32
}

fn page_values(page: &PageLayout) -> [f32; PAGE_COLUMNS] {
    let share = |holds: &dyn Fn(&Block) -> f32| {
        page.blocks.iter().flatten().map(|block| holds(block) * block.characters).sum::<f32>() / page.characters
    };
    // 8 px of margin on either side is the default style sheet's.
    let is_plain = |block: &Block| {
        block.style.font_size_px == 16.0
            && block.style.font_weight == 400
            && block.style.color == [0, 0, 0, 255]
            && block.style.text_align == TextAlign::Left
            && block.container.width >= page.page.width - 64.0
    };
    let mut values = [
        share(&|block| flag(!is_plain(block))),
        page.column.width / page.page.width,
        share(&|block| flag(page.is_in_column(block.container))),
        share(&|block| flag(page.is_modal_style(block))),
        share(&|block| flag(page.is_full_text(block))),
        share(&|block| flag(page.inherited[block.main_text.index()].in_grid)),
        share(&|block| block.link_share),
        (page.page.height / page.viewport[1]).ln_1p(),
        ln_count(page.blocks.len()),
    ];
    for (value, &(low, high)) in values.iter_mut().zip(&limits()[OWN_COLUMNS..]) {
        *value = value.clamp(low, high);
    }
    values
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::sketch::{Sketch, rect};
    use super::*;
    use crate::capture::{Capture, Dom, Layout, NodeMask, Position, Style};
    use crate::target::Target;
    use proptest::prelude::*;

    fn table(capture: &Capture, targets: &[Target]) -> Vec<Vec<f32>> {
        let mut rows = vec![vec![0.0; COLUMNS.len()]; targets.len()];
        measure(&PageView::new(capture, targets).unwrap(), &mut rows);
        for row in &rows {
            for ((column, &value), &(low, high)) in COLUMNS.iter().zip(row).zip(limits()) {
                assert!(value.is_finite() && (low..=high).contains(&value), "{} is {value}", column.name);
            }
        }
        rows
    }

    fn at(row: &[f32], name: &str) -> f32 {
        let column = COLUMNS.iter().position(|column| column.name.strip_prefix("visual.layout.") == Some(name));
        row[column.expect("a column of the group")]
    }

    /// A link in the header, a heading, two paragraphs, a sidebar of three links, a fixed notice.
    fn article(right_to_left: bool) -> Vec<Vec<f32>> {
        let plain =
            Style { is_right_to_left: right_to_left, display: crate::capture::Display::Block, ..Style::default() };
        let mirror = |at: CssRect| if right_to_left { CssRect { x: 1280.0 - at.right(), ..at } } else { at };
        let heading = Style { font_size_px: 32.0, font_weight: 700, ..plain.clone() };
        let small = Style { font_size_px: 12.0, color: [90, 90, 90, 255], ..plain.clone() };
        let notice = Style { position: Position::Fixed, background: [0, 0, 0, 255], ..small.clone() };
        let mut page = Sketch::new();
        page.open("body", rect(0.0, 0.0, 1280.0, 3000.0), &plain);
        page.block("a", mirror(rect(20.0, 10.0, 200.0, 20.0)), &small, &[60.0]);
        page.open("main", mirror(rect(100.0, 100.0, 640.0, 600.0)), &plain);
        page.block("h1", mirror(rect(100.0, 100.0, 640.0, 40.0)), &heading, &[400.0]);
        page.block("p", mirror(rect(100.0, 160.0, 640.0, 80.0)), &plain, &[630.0, 620.0, 636.0, 200.0]);
        page.block("p", mirror(rect(100.0, 260.0, 640.0, 60.0)), &plain, &[610.0, 630.0, 400.0]);
        page.dom.close();
        page.open("aside", mirror(rect(800.0, 100.0, 200.0, 200.0)), &plain);
        for row in 0u8..3 {
            page.block("a", mirror(rect(800.0, 100.0 + 48.0 * f32::from(row), 200.0, 20.0)), &small, &[90.0]);
        }
        page.dom.close();
        page.block("div", mirror(rect(0.0, 960.0, 400.0, 64.0)), &notice, &[380.0, 200.0]);
        let (capture, targets) = page.finish(1280.0, 3000.0);
        table(&capture, &targets)
    }

    #[test]
    fn an_article_stands_out_from_what_is_around_it() {
        let rows = article(false);
        let [link, heading, first, second, side, .., notice] = &rows[..] else { panic!("8 targets") };
        assert!(at(first, "width_ratio") > 0.95 && at(side, "width_ratio") < 0.2);
        assert_eq!((at(first, "in_column"), at(heading, "in_column"), at(side, "in_column")), (1.0, 1.0, 0.0));
        assert_eq!((at(first, "column_overlap"), at(side, "column_overlap")), (1.0, 0.0));
        assert_eq!(at(heading, "font_ratio"), 2.0);
        assert!(at(heading, "space_ratio") > 0.0, "a heading is nearer to what follows");
        assert_eq!((at(first, "modal_style"), at(link, "modal_style")), (1.0, 0.0));
        assert_eq!((at(side, "link_share"), at(first, "link_share")), (1.0, 0.0));
        assert_eq!((at(second, "full_text"), at(heading, "full_text")), (1.0, 0.0));
        assert!((at(side, "same_style") - 2f32.ln_1p()).abs() < 1e-6);
        assert_eq!((at(notice, "fixed"), at(first, "fixed")), (1.0, 0.0));
        assert_eq!((at(notice, "boxed"), at(first, "boxed")), (1.0, 0.0));
        assert!(at(notice, "contrast") < at(first, "contrast"));
        assert_eq!(at(heading, "targets_below"), 0.0);
        assert!(at(first, "last_line") < 0.4 && at(first, "line_deviation") < 0.05);
        assert!(at(first, "beside") > 0.0);
    }

    #[test]
    fn a_mirrored_page_has_the_same_values() {
        for (a, b) in article(false).iter().zip(&article(true)) {
            for (index, column) in COLUMNS.iter().enumerate() {
                // The text is set left on both pages.
                let expected = if column.name.ends_with("end_aligned") { 1.0 } else { a[index] };
                assert!((expected - b[index]).abs() < 1e-4, "{}: {} and {}", column.name, a[index], b[index]);
            }
        }
    }

    #[test]
    fn a_page_without_style_says_so() {
        let plain = Style::default();
        let mut page = Sketch::new();
        page.open("body", rect(8.0, 8.0, 1264.0, 900.0), &plain);
        for row in 0u8..5 {
            page.block("p", rect(8.0, 8.0 + 60.0 * f32::from(row), 1264.0, 40.0), &plain, &[1200.0, 300.0]);
        }
        let (capture, targets) = page.finish(1280.0, 900.0);
        let rows = table(&capture, &targets);
        assert!(rows.iter().all(|row| at(row, "styled_share") == 0.0 && at(row, "column_overlap") == 1.0));
        assert!(article(false).iter().all(|row| at(row, "styled_share") > 0.9));
    }

    #[test]
    fn boxes_of_one_width_side_by_side_are_a_grid() {
        let plain = Style { display: crate::capture::Display::Block, ..Style::default() };
        let mut page = Sketch::new();
        page.open("div", rect(0.0, 0.0, 1280.0, 600.0), &plain);
        for card in 0u8..3 {
            let at = rect(20.0 + 400.0 * f32::from(card), 20.0, 380.0, 100.0);
            page.open("div", at, &plain);
            page.block("p", at, &plain, &[300.0, 200.0]);
            page.dom.close();
        }
        page.block("p", rect(20.0, 300.0, 1200.0, 40.0), &plain, &[1200.0, 200.0]);
        let (capture, targets) = page.finish(1280.0, 600.0);
        let rows = table(&capture, &targets);
        assert_eq!(rows.iter().map(|row| at(row, "in_grid")).collect::<Vec<_>>(), [1.0, 1.0, 1.0, 0.0]);
        assert!((at(&rows[0], "same_row") - 2f32.ln_1p()).abs() < 1e-6);
    }

    #[test]
    fn covered_text_owns_nothing() {
        let mut page = Sketch::new();
        page.open("body", rect(0.0, 0.0, 100.0, 60.0), &Style::default());
        page.block("p", rect(0.0, 0.0, 100.0, 20.0), &Style::default(), &[80.0]);
        page.block("p", rect(0.0, 30.0, 100.0, 20.0), &Style::default(), &[80.0]);
        let (capture, targets) = page.finish(100.0, 60.0);
        let mut owners = vec![NodeMask::NOBODY; 6000];
        owners[..2000].fill(targets[0].first().index() as u32);
        let pixels = super::super::Pixels {
            gray: image::GrayImage::new(100, 60),
            mask: NodeMask::from_owners(100, 60, &owners),
        };
        let mut rows = vec![vec![0.0; COLUMNS.len()]; 2];
        let mut view = PageView::new(&capture, &targets).unwrap();
        view.pixels = Some(pixels);
        measure(&view, &mut rows);
        assert_eq!((at(&rows[0], "owned_share"), at(&rows[1], "owned_share")), (1.0, 0.0));
    }

    #[test]
    fn a_target_without_boxes_has_values_of_the_page_only() {
        let (mut capture, targets) = {
            let mut page = Sketch::new();
            page.block("p", rect(0.0, 0.0, 100.0, 20.0), &Style::default(), &[80.0]);
            page.finish(100.0, 60.0)
        };
        capture.layout = Some(Layout::new(capture.dom.len(), f32::NAN, 0.0));
        let rows = table(&capture, &targets);
        assert!(rows[0][..OWN_COLUMNS].iter().all(|&value| value == 0.0));
        assert_eq!(capture.dom.tag(Dom::ROOT), "");
    }

    #[test]
    fn every_column_is_named_once_and_ranged() {
        let mut names: Vec<_> = COLUMNS.iter().map(|column| column.name).collect();
        assert!(names.iter().all(|name| name.starts_with("visual.layout.")));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), limits().len());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn random_layouts_stay_in_range(
            blocks in proptest::collection::vec(
                (-500f32..3000.0, -500f32..9000.0, 0f32..2000.0, 0f32..500.0, 0usize..5, 0u16..2000, any::<[u8; 4]>()),
                0..40,
            ),
            size in prop_oneof![Just((1280f32, 4000f32)), Just((0.0, 0.0)), Just((f32::INFINITY, -1.0))],
        ) {
            let mut page = Sketch::new();
            for (index, (x, y, width, height, lines, weight, color)) in blocks.into_iter().enumerate() {
                let style = Style {
                    font_size_px: if index % 7 == 0 { f32::NAN } else { height / 10.0 },
                    font_weight: weight,
                    color,
                    background: color,
                    opacity: width,
                    is_right_to_left: index % 2 == 0,
                    border_px: height - 250.0,
                    ..Style::default()
                };
                let widths = vec![width; lines];
                page.block(["a", "div", "img"][index % 3], rect(x, y, width, height), &style, &widths);
            }
            let (capture, targets) = page.finish(size.0, size.1);
            table(&capture, &targets);
        }
    }
}
