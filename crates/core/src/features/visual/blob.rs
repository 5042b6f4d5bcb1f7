//! `visual.blob`: measures of each target in the pixels of the page, after FIASCO section 3.3.
//!
//! Takes [`Pixels`] and the targets, but neither the tree nor its boxes and styles, so a capture by
//! any browser will do. `blobs` and `shape` define the region of a target and its shape.

use super::blobs::{PageBlobs, TargetBlob};
use super::pixels::Pixels;
use crate::features::column::{Column, Feature, OURS, RATIO, ValueRange, columns_of, join_columns};
use crate::features::page::PageView;
use crate::features::table::{FeatureGroup, GroupRows};
use crate::target::Target;

/// Source of FIASCO's visual features.
const FIASCO: &str = "Bauer et al. 2007, section 3.3";

/// Blob measures. Every value is 0 for a target without pixels, unless its column states otherwise.
pub(crate) const BLOB: FeatureGroup = FeatureGroup {
    name: "visual.blob",
    needs_layout: true,
    reads: &[],
    columns: &COLUMNS,
    measure: measure_view,
};

fn measure_view(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    if let Some(pixels) = &view.pixels {
        measure(pixels, view.targets, rows.iter_mut());
    }
}

/// Measures pixels alone; returns one row of [`BLOB`]'s columns per target.
pub fn measure_blobs(pixels: &Pixels, targets: &[Target]) -> Vec<Vec<f32>> {
    let mut rows = vec![vec![0.0; COLUMNS.len()]; targets.len()];
    measure(pixels, targets, rows.iter_mut().map(Vec::as_mut_slice));
    rows
}

/// Fills one row of [`BLOB`]'s columns per target; the rows are zero at first.
fn measure<'r>(pixels: &Pixels, targets: &[Target], rows: impl Iterator<Item = &'r mut [f32]>) {
    let page = PageBlobs::find(pixels, targets);
    for (index, row) in rows.enumerate() {
        let (of_target, of_page) = row.split_at_mut(TARGET_FEATURES.len());
        if let Some(target) = page.target(index) {
            for (value, feature) in of_target.iter_mut().zip(TARGET_FEATURES) {
                *value = (feature.formula)(&target);
            }
        }
        for (value, feature) in of_page.iter_mut().zip(PAGE_FEATURES) {
            *value = (feature.formula)(&page);
        }
    }
}

/// All columns: those of [`TARGET_FEATURES`], then those of [`PAGE_FEATURES`].
pub(super) const COLUMNS: [Column; TARGET_FEATURES.len() + PAGE_FEATURES.len()] = join_columns(
    &columns_of::<_, { TARGET_FEATURES.len() }>(TARGET_FEATURES),
    &columns_of::<_, { PAGE_FEATURES.len() }>(PAGE_FEATURES),
);

pub(super) type TargetFormula = fn(&TargetBlob<'_>) -> f32;

pub(super) type PageFormula = fn(&PageBlobs) -> f32;

/// Columns of each target; 0 if it has no pixels.
pub(super) const TARGET_FEATURES: &[Feature<TargetFormula>] = &[
    Feature::new(
        "visual.blob.solidity_1",
        RATIO,
        "area of the region's outer contour / area of its minimal bounding rectangle",
        FIASCO,
        |target| target.blob.shape.solidity_1,
    ),
    Feature::new(
        "visual.blob.solidity_2",
        ValueRange::new("vertices a line", 0.0, 4.0),
        "vertices of the simplified enclosing polygon more than 1.75 lines from top and bottom / height in lines",
        FIASCO,
        |target| target.blob.shape.solidity_2.min(4.0),
    ),
    Feature::new(
        "visual.blob.solidity_3",
        RATIO,
        "mean distance of the polygon's vertices to the rectangle's center along x / half its width, times 4 / vertices",
        FIASCO,
        |target| target.blob.shape.solidity_3,
    ),
    Feature::new(
        "visual.blob.width_ratio",
        RATIO,
        "width of the region / width of the page's widest region",
        FIASCO,
        |target| (target.blob.width() / target.page.widest_px).min(1.0),
    ),
    Feature::new(
        "visual.blob.headline",
        RATIO,
        "1 - relative difference between the region's height and the page's mean headline height, where a headline (1 to \
         3 lines at least 1.2 times as high as the page's) lies in the region; 0 where none does",
        FIASCO,
        |target| target.headline,
    ),
    Feature::new(
        "visual.blob.vertex_distance",
        RATIO,
        "mean distance of the polygon's vertices to the rectangle's center along x / half its width",
        FIASCO,
        |target| target.blob.shape.vertex_distance,
    ),
    Feature::new(
        "visual.blob.extra_vertices",
        ValueRange::new("vertices a line", 0.0, 4.0),
        "vertices of the polygon beyond four / height in lines",
        OURS,
        |target| target.blob.shape.extra_vertices.min(4.0),
    ),
    Feature::new(
        "visual.blob.convexity",
        RATIO,
        "area of the outer contour / area of its convex hull",
        OURS,
        |target| target.blob.shape.convexity,
    ),
    Feature::new(
        "visual.blob.fill",
        RATIO,
        "area of the blob / area of its bounding box",
        OURS,
        |target| {
            (target.blob.area_px / (target.blob.width() * target.blob.height()).max(1.0)).min(1.0)
        },
    ),
    Feature::new(
        "visual.blob.height_lines",
        ValueRange::new("ln(1 + lines)", 0.0, 7.0),
        "height of the region in line heights",
        OURS,
        |target| (target.blob.height() / target.line_px).ln_1p().min(7.0),
    ),
    Feature::new(
        "visual.blob.width_lines",
        ValueRange::new("ln(1 + lines)", 0.0, 6.0),
        "width of the region in line heights",
        OURS,
        |target| (target.blob.width() / target.line_px).ln_1p().min(6.0),
    ),
    Feature::new(
        "visual.blob.space_above",
        ValueRange::new("lines", 0.0, 10.0),
        "blank space to the nearest blob above, in line heights; 10 where there is none",
        OURS,
        |target| target.space.above,
    ),
    Feature::new(
        "visual.blob.space_below",
        ValueRange::new("lines", 0.0, 10.0),
        "the same, to the nearest blob below",
        OURS,
        |target| target.space.below,
    ),
    Feature::new(
        "visual.blob.space_left",
        ValueRange::new("lines", 0.0, 10.0),
        "the same, to the left",
        OURS,
        |target| target.space.left,
    ),
    Feature::new(
        "visual.blob.space_right",
        ValueRange::new("lines", 0.0, 10.0),
        "the same, to the right",
        OURS,
        |target| target.space.right,
    ),
    Feature::new(
        "visual.blob.shared_by",
        ValueRange::new("ln of a count", 0.0, 7.0),
        "number of blocks that have the same region; 0 for a region of its own",
        OURS,
        |target| (target.blob.targets.max(1) as f32).ln().min(7.0),
    ),
    Feature::new(
        "visual.blob.share_of_blob",
        RATIO,
        "share of the region's pixels that the block owns",
        OURS,
        |target| target.region.share_of_blob,
    ),
    Feature::new(
        "visual.blob.blob_count",
        ValueRange::new("ln(1 + count)", 0.0, 6.0),
        "blobs that hold at least 5 % of the block's blob pixels",
        OURS,
        |target| (target.region.blob_count as f32).ln_1p().min(6.0),
    ),
    Feature::new(
        "visual.blob.blob_share",
        RATIO,
        "share of the block's blob pixels that lie in its region",
        OURS,
        |target| target.region.blob_share,
    ),
    Feature::new(
        "visual.blob.picture_inside",
        RATIO,
        "share of the region's bounding box that is picture: squares of 16 px with 25 % ink that no text owns",
        OURS,
        |target| target.picture_inside,
    ),
    Feature::new(
        "visual.blob.picture_around",
        RATIO,
        "the same within two line heights around the region's bounding box, the box included",
        OURS,
        |target| target.picture_around,
    ),
    Feature::new(
        "visual.blob.ink_density",
        RATIO,
        "ink pixels / pixels that the block owns",
        OURS,
        |target| target.pixels.ink as f32 / target.pixels.owned.max(1) as f32,
    ),
    Feature::new(
        "visual.blob.contrast",
        RATIO,
        "mean step in gray across the ink of the block / 255: dark on white is about 0.5, gray on gray 0.15",
        OURS,
        |target| target.pixels.contrast / 255.0,
    ),
    Feature::new(
        "visual.blob.gray_difference",
        ValueRange::new("ratio", -1.0, 1.0),
        "mean gray of the block's pixels less the median block's (by ink), / 255: below 0 on darker ground",
        OURS,
        |target| (target.pixels.gray - target.page.gray) / 255.0,
    ),
    Feature::new(
        "visual.blob.lines",
        ValueRange::new("ln(1 + lines)", 0.0, 7.0),
        "lines of the block by horizontal projection of its ink",
        OURS,
        |target| (target.pixels.lines.len() as f32).ln_1p().min(7.0),
    ),
    Feature::new(
        "visual.blob.line_size",
        ValueRange::new("ratio", 0.0, 4.0),
        "height of the block's line boxes in the mask / the median block's (by ink)",
        OURS,
        |target| (target.pixels.line_box_px / target.page.line_box_px).min(4.0),
    ),
    Feature::new(
        "visual.blob.ragged_right",
        RATIO,
        "standard deviation of the right ends of the target's ink lines, the last line left out / their width; 0 below 3 \
         lines",
        OURS,
        |target| target.line_ends.right,
    ),
    Feature::new(
        "visual.blob.ragged_left",
        RATIO,
        "standard deviation of the left ends of the target's ink lines, the first line left out / their width; 0 below 3 \
         lines",
        OURS,
        |target| target.line_ends.left,
    ),
    Feature::new(
        "visual.blob.last_line",
        RATIO,
        "width of the block's last ink line / its widest; 1 for a single line",
        OURS,
        |target| target.line_ends.last,
    ),
];

/// Columns of the page, which have one value for all its targets.
pub(super) const PAGE_FEATURES: &[Feature<PageFormula>] = &[
    Feature::new(
        "visual.blob.page_picture_share",
        RATIO,
        "share of the page that is picture; the same for all blocks of a page, also those without pixels",
        OURS,
        |page| page.picture_share,
    ),
    Feature::new(
        "visual.blob.page_blob_share",
        RATIO,
        "share of the page that is blob; the same for all blocks of a page, also those without pixels",
        OURS,
        |page| page.blob_share,
    ),
    Feature::new(
        "visual.blob.page_solidity",
        RATIO,
        "mean Solidity I of the page's blobs, weighted by area: low on pages of lists; the same for all blocks",
        OURS,
        |page| page.solidity,
    ),
];

#[cfg(test)]
mod tests {
    use super::super::drawn::{Drawing, figure_2};
    use super::*;
    use crate::capture::{Dom, NodeId, NodeMask};
    use image::{GrayImage, Luma};
    use proptest::prelude::*;

    fn target(owners: &[u32]) -> Target {
        Target {
            container: Dom::ROOT,
            texts: owners
                .iter()
                .map(|&owner| NodeId::new(owner as usize))
                .collect(),
            visibility: crate::capture::Visibility::Shown,
        }
    }

    fn pixels(page: Drawing) -> Pixels {
        let (width, height) = page.gray.dimensions();
        Pixels::pair(
            page.gray,
            NodeMask::from_owners(width, height, &page.owners),
        )
        .unwrap()
    }

    fn table(pixels: &Pixels, targets: &[Target]) -> Vec<Vec<f32>> {
        measure_blobs(pixels, targets)
    }

    fn at(row: &[f32], name: &str) -> f32 {
        row[COLUMNS
            .iter()
            .position(|column| column.name.ends_with(name))
            .expect("a column of the group")]
    }

    fn check_range(rows: &[Vec<f32>]) {
        for row in rows {
            for (column, &value) in COLUMNS.iter().zip(row) {
                assert!(
                    value.is_finite() && column.range.contains(value),
                    "{} is {value}",
                    column.name
                );
            }
        }
    }

    #[test]
    fn the_pattern_of_fiascos_table_1() {
        let (page, owners) = figure_2();
        let mut nodes: Vec<u32> = page
            .owners
            .iter()
            .copied()
            .filter(|&owner| owner != NodeMask::NOBODY)
            .collect();
        nodes.sort_unstable();
        nodes.dedup();
        let targets: Vec<Target> = nodes.iter().map(|&node| target(&[node])).collect();
        let rows = table(&pixels(page), &targets);
        check_range(&rows);
        let [one, two, three, four] =
            owners.map(|owner| rows[nodes.binary_search(&owner).unwrap()][..5].to_vec());
        eprintln!("I {one:.2?}\nII {two:.2?}\nIII {three:.2?}\nIV {four:.2?}");
        let value = |row: &[f32], index: usize| row[index];
        for list in [&one, &two] {
            for text in [&three, &four] {
                assert!(value(list, 0) < 0.92 && value(text, 0) > 0.92, "Solidity I");
                assert!(value(list, 1) > 0.8 && value(text, 1) < 0.05, "Solidity II");
                assert!(
                    value(list, 2) < 0.25 && value(text, 2) > 0.4,
                    "Solidity III"
                );
                assert!(
                    value(list, 3) < 0.65 && value(text, 3) > 0.95,
                    "relative width"
                );
            }
        }
        assert!(one[0] < two[0], "the ragged list is the least solid");
        assert!(three[4] > 0.0, "a headline stands in III");
        assert!(
            [&one, &two, &four].iter().all(|row| row[4] == 0.0),
            "and nowhere else"
        );
    }

    #[test]
    fn lines_space_and_pictures_are_seen() {
        let mut page = Drawing::new(800, 600);
        page.lines(40, 40, &[(1, 300), (1, 290), (1, 120)]);
        page.lines(40, 200, &[(2, 300)]);
        page.lines(500, 40, &[(3, 200), (4, 200), (4, 200)]);
        for y in (300..500).step_by(2) {
            for x in (40..400).step_by(4) {
                page.gray.put_pixel(x, y, Luma([0]));
                page.gray.put_pixel(x + 1, y, Luma([0]));
            }
        }
        let rows = table(
            &pixels(page),
            &[
                target(&[1]),
                target(&[2]),
                target(&[3]),
                target(&[4]),
                target(&[5]),
            ],
        );
        check_range(&rows);
        assert!((at(&rows[0], "blob.lines") - 3f32.ln_1p()).abs() < 1e-6);
        assert!((at(&rows[0], "last_line") - 0.4).abs() < 0.05);
        assert!((4.0..8.0).contains(&at(&rows[0], "space_below")));
        assert!((7.0..9.0).contains(&at(&rows[0], "space_right")));
        assert_eq!(at(&rows[0], "space_above"), 10.0);
        assert_eq!(at(&rows[0], "shared_by"), 0.0);
        assert!((at(&rows[2], "shared_by") - 2f32.ln()).abs() < 1e-6);
        assert!(at(&rows[3], "share_of_blob") > at(&rows[2], "share_of_blob"));
        assert!(at(&rows[0], "page_picture_share") > 0.1);
        assert_eq!(at(&rows[4], "solidity_1"), 0.0, "no pixels, no shape");
    }

    #[test]
    fn a_page_without_text_or_pixels_is_measured() {
        check_range(&table(&pixels(Drawing::new(50, 50)), &[target(&[1])]));
        let empty = Pixels::pair(GrayImage::new(0, 0), NodeMask::from_owners(0, 0, &[])).unwrap();
        check_range(&table(&empty, &[target(&[1])]));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn moving_a_block_changes_no_shape(
            widths in proptest::collection::vec(20u32..300, 1..9),
            x in 0u32..40,
            y in 0u32..40,
        ) {
            let block = |left: u32, top: u32| {
                let mut page = Drawing::new(420, 320);
                let lines: Vec<_> = widths.iter().map(|&width| (7, width)).collect();
                page.lines(left, top, &lines);
                table(&pixels(page), &[target(&[7])])
            };
            let (here, there) = (block(20, 20), block(20 + 2 * x, 20 + 2 * y));
            for (index, column) in COLUMNS.iter().enumerate() {
                prop_assert!((here[0][index] - there[0][index]).abs() < 1e-4, "{}", column.name);
            }
            prop_assert!(at(&here[0], "line_size") > 0.0);
        }

        #[test]
        fn noise_stays_in_range(
            gray in proptest::collection::vec(any::<u8>(), 61 * 47),
            owners in proptest::collection::vec(0u32..6, 61 * 47),
        ) {
            let pixels = Pixels::pair(
                GrayImage::from_raw(61, 47, gray).unwrap(),
                NodeMask::from_owners(61, 47, &owners),
            ).unwrap();
            check_range(&table(&pixels, &[target(&[1, 3]), target(&[2]), target(&[4])]));
        }
    }
}
