//! `visual.layout`: the position and style of each target, from boxes, line boxes and computed
//! styles.
//!
//! Values are relative to the page's modal text, its main column, its line height or the viewport,
//! because absolute positions do not transfer between sites and directions. On a page whose style
//! sheets are missing (one unstyled column) all targets have similar values; `styled_share` is 0 on
//! such pages. The columns are defined in `layout_columns`.

use super::layout_columns::{NEIGHBOR_FEATURES, OWN_FEATURES, PAGE_FEATURES};
use super::page_layout::{Formula, Neighbors, PageLayout, TargetLayout};
use crate::features::column::{Column, Feature, columns_of, columns_of_parts, join_columns};
use crate::features::page::PageView;
use crate::features::table::{FeatureGroup, GroupRows};

/// Columns of each target.
const TARGET_FEATURES: &[&[Feature<Formula>]] = &[OWN_FEATURES, NEIGHBOR_FEATURES];

/// Number of columns of each target; those of the page follow.
const TARGET_COLUMNS: usize = OWN_FEATURES.len() + NEIGHBOR_FEATURES.len();

const PAGE_COLUMNS: usize = PAGE_FEATURES.len();

const COLUMNS: [Column; TARGET_COLUMNS + PAGE_COLUMNS] = join_columns(
    &columns_of_parts::<_, TARGET_COLUMNS>(TARGET_FEATURES),
    &columns_of::<_, PAGE_COLUMNS>(PAGE_FEATURES),
);

/// Layout measures. All are 0 for a target without line boxes, except those of the page.
pub(crate) const LAYOUT: FeatureGroup = FeatureGroup {
    name: "visual.layout",
    needs_layout: true,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    fill(view, rows.iter_mut());
}

/// Fills one row of [`LAYOUT`]'s columns per target; the rows are zero at first.
fn fill<'r>(view: &PageView<'_>, rows: impl Iterator<Item = &'r mut [f32]>) {
    let Some(page) = PageLayout::measure(view.capture, view.targets) else {
        return;
    };
    let neighbors = Neighbors::compare(&page);
    let page_features = PAGE_FEATURES.iter();
    let page_values: Vec<f32> = page_features
        .map(|feature| in_range(&feature.column, (feature.formula)(&page)))
        .collect();
    for (index, row) in rows.enumerate() {
        let (of_target, of_page) = row.split_at_mut(TARGET_COLUMNS);
        if let Some(target) = TargetLayout::new(view, &page, &neighbors, index) {
            for (value, feature) in of_target
                .iter_mut()
                .zip(TARGET_FEATURES.iter().copied().flatten())
            {
                *value = in_range(&feature.column, (feature.formula)(&target));
            }
        }
        of_page.copy_from_slice(&page_values);
    }
}

/// Clamps a value to the column's range; NaN becomes the value nearest to 0.
fn in_range(column: &Column, value: f32) -> f32 {
    column.range.clamp(if value.is_nan() { 0.0 } else { value })
}

#[cfg(test)]
mod tests {
    use super::super::sketch::{Sketch, rect};
    use super::*;
    use crate::capture::{Capture, CssRect, Dom, Layout, NodeMask, Position, Style};
    use crate::target::Target;
    use proptest::prelude::*;

    fn rows_of(view: &PageView<'_>) -> Vec<Vec<f32>> {
        let mut rows = vec![vec![0.0; COLUMNS.len()]; view.targets.len()];
        fill(view, rows.iter_mut().map(Vec::as_mut_slice));
        rows
    }

    fn table(capture: &Capture, targets: &[Target]) -> Vec<Vec<f32>> {
        let rows = rows_of(&PageView::new(capture, targets).unwrap());
        for row in &rows {
            for (column, &value) in COLUMNS.iter().zip(row) {
                assert!(
                    value.is_finite() && column.range.contains(value),
                    "{} is {value}",
                    column.name
                );
            }
        }
        rows
    }

    fn at(row: &[f32], name: &str) -> f32 {
        let column = COLUMNS
            .iter()
            .position(|column| column.name.strip_prefix("visual.layout.") == Some(name));
        row[column.expect("a column of the group")]
    }

    /// A link in the header, a heading, two paragraphs, a sidebar of three links, a fixed notice.
    fn article(right_to_left: bool) -> Vec<Vec<f32>> {
        let plain = Style {
            is_right_to_left: right_to_left,
            display: crate::capture::Display::Block,
            ..Style::default()
        };
        let mirror = |at: CssRect| {
            if right_to_left {
                CssRect {
                    x: 1280.0 - at.right(),
                    ..at
                }
            } else {
                at
            }
        };
        let heading = Style {
            font_size_px: 32.0,
            font_weight: 700,
            ..plain.clone()
        };
        let small = Style {
            font_size_px: 12.0,
            color: [90, 90, 90, 255],
            ..plain.clone()
        };
        let notice = Style {
            position: Position::Fixed,
            background: [0, 0, 0, 255],
            ..small.clone()
        };
        let mut page = Sketch::new();
        page.open("body", rect(0.0, 0.0, 1280.0, 3000.0), &plain);
        page.block("a", mirror(rect(20.0, 10.0, 200.0, 20.0)), &small, &[60.0]);
        page.open("main", mirror(rect(100.0, 100.0, 640.0, 600.0)), &plain);
        page.block(
            "h1",
            mirror(rect(100.0, 100.0, 640.0, 40.0)),
            &heading,
            &[400.0],
        );
        page.block(
            "p",
            mirror(rect(100.0, 160.0, 640.0, 80.0)),
            &plain,
            &[630.0, 620.0, 636.0, 200.0],
        );
        page.block(
            "p",
            mirror(rect(100.0, 260.0, 640.0, 60.0)),
            &plain,
            &[610.0, 630.0, 400.0],
        );
        page.dom.close();
        page.open("aside", mirror(rect(800.0, 100.0, 200.0, 200.0)), &plain);
        for row in 0u8..3 {
            page.block(
                "a",
                mirror(rect(800.0, 100.0 + 48.0 * f32::from(row), 200.0, 20.0)),
                &small,
                &[90.0],
            );
        }
        page.dom.close();
        page.block(
            "div",
            mirror(rect(0.0, 960.0, 400.0, 64.0)),
            &notice,
            &[380.0, 200.0],
        );
        let (capture, targets) = page.finish(1280.0, 3000.0);
        table(&capture, &targets)
    }

    #[test]
    fn an_article_stands_out_from_what_is_around_it() {
        let rows = article(false);
        let [link, heading, first, second, side, .., notice] = &rows[..] else {
            panic!("8 targets")
        };
        assert!(at(first, "width_ratio") > 0.95 && at(side, "width_ratio") < 0.2);
        assert_eq!(
            (
                at(first, "in_column"),
                at(heading, "in_column"),
                at(side, "in_column")
            ),
            (1.0, 1.0, 0.0)
        );
        assert_eq!(
            (at(first, "column_overlap"), at(side, "column_overlap")),
            (1.0, 0.0)
        );
        assert_eq!(at(heading, "font_ratio"), 2.0);
        assert!(
            at(heading, "space_ratio") > 0.0,
            "a heading is nearer to what follows"
        );
        assert_eq!(
            (at(first, "modal_style"), at(link, "modal_style")),
            (1.0, 0.0)
        );
        assert_eq!(
            (at(side, "link_share"), at(first, "link_share")),
            (1.0, 0.0)
        );
        assert_eq!(
            (at(second, "full_text"), at(heading, "full_text")),
            (1.0, 0.0)
        );
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
                // The text is left-aligned on both pages.
                let expected = if column.name.ends_with("end_aligned") {
                    1.0
                } else {
                    a[index]
                };
                assert!(
                    (expected - b[index]).abs() < 1e-4,
                    "{}: {} and {}",
                    column.name,
                    a[index],
                    b[index]
                );
            }
        }
    }

    #[test]
    fn a_page_without_style_says_so() {
        let plain = Style::default();
        let mut page = Sketch::new();
        page.open("body", rect(8.0, 8.0, 1264.0, 900.0), &plain);
        for row in 0u8..5 {
            page.block(
                "p",
                rect(8.0, 8.0 + 60.0 * f32::from(row), 1264.0, 40.0),
                &plain,
                &[1200.0, 300.0],
            );
        }
        let (capture, targets) = page.finish(1280.0, 900.0);
        let rows = table(&capture, &targets);
        assert!(
            rows.iter()
                .all(|row| at(row, "styled_share") == 0.0 && at(row, "column_overlap") == 1.0)
        );
        assert!(
            article(false)
                .iter()
                .all(|row| at(row, "styled_share") > 0.9)
        );
    }

    #[test]
    fn boxes_of_one_width_side_by_side_are_a_grid() {
        let plain = Style {
            display: crate::capture::Display::Block,
            ..Style::default()
        };
        let mut page = Sketch::new();
        page.open("div", rect(0.0, 0.0, 1280.0, 600.0), &plain);
        for card in 0u8..3 {
            let at = rect(20.0 + 400.0 * f32::from(card), 20.0, 380.0, 100.0);
            page.open("div", at, &plain);
            page.block("p", at, &plain, &[300.0, 200.0]);
            page.dom.close();
        }
        page.block(
            "p",
            rect(20.0, 300.0, 1200.0, 40.0),
            &plain,
            &[1200.0, 200.0],
        );
        let (capture, targets) = page.finish(1280.0, 600.0);
        let rows = table(&capture, &targets);
        assert_eq!(
            rows.iter()
                .map(|row| at(row, "in_grid"))
                .collect::<Vec<_>>(),
            [1.0, 1.0, 1.0, 0.0]
        );
        assert!((at(&rows[0], "same_row") - 2f32.ln_1p()).abs() < 1e-6);
    }

    #[test]
    fn covered_text_owns_nothing() {
        let mut page = Sketch::new();
        page.open("body", rect(0.0, 0.0, 100.0, 60.0), &Style::default());
        page.block("p", rect(0.0, 0.0, 100.0, 20.0), &Style::default(), &[80.0]);
        page.block(
            "p",
            rect(0.0, 30.0, 100.0, 20.0),
            &Style::default(),
            &[80.0],
        );
        let (capture, targets) = page.finish(100.0, 60.0);
        let mut owners = vec![NodeMask::NOBODY; 6000];
        owners[..2000].fill(targets[0].first().index() as u32);
        let pixels = super::super::Pixels {
            gray: image::GrayImage::new(100, 60).into(),
            mask: NodeMask::from_owners(100, 60, &owners),
        };
        let mut view = PageView::new(&capture, &targets).unwrap();
        view.pixels = Some(pixels);
        let rows = rows_of(&view);
        assert_eq!(
            (at(&rows[0], "owned_share"), at(&rows[1], "owned_share")),
            (1.0, 0.0)
        );
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
        assert!(rows[0][..TARGET_COLUMNS].iter().all(|&value| value == 0.0));
        assert_eq!(capture.dom.tag(Dom::ROOT), "");
    }

    #[test]
    fn every_column_is_named_once() {
        let mut names: Vec<_> = COLUMNS.iter().map(|column| column.name).collect();
        assert!(names.iter().all(|name| name.starts_with("visual.layout.")));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), COLUMNS.len());
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
