//! `visual.blob`: what is measured of each target in the pixels of the page, after FIASCO section 3.3.
//!
//! Takes [`Pixels`] and the targets, nothing of the tree, its boxes or its styles: a capture made by any browser will
//! do. The region of a target and its shape are defined in `blobs` and `shape`, the columns
//! in `blob_columns`.

use super::blob_columns::{COLUMNS, PAGE_FEATURES, TARGET_FEATURES};
use super::pixels::Pixels;
use super::target_blob::PageBlobs;
use crate::features::group::FeatureGroup;
use crate::features::page::PageView;
use crate::features::rows::GroupRows;
use crate::target::Target;

/// Blob measures. Every value is 0 for a target that owns no pixel, unless its column says otherwise.
pub const BLOB: FeatureGroup =
    FeatureGroup { name: "visual.blob", needs_layout: true, columns: &COLUMNS, measure: measure_view };

fn measure_view(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    if let Some(pixels) = &view.pixels {
        measure(pixels, view.targets, rows.iter_mut());
    }
}

/// One row of [`BLOB`]'s columns a target, from pixels alone.
pub fn measure_blobs(pixels: &Pixels, targets: &[Target]) -> Vec<Vec<f32>> {
    let mut rows = vec![vec![0.0; COLUMNS.len()]; targets.len()];
    measure(pixels, targets, rows.iter_mut().map(Vec::as_mut_slice));
    rows
}

/// Fills one row of [`BLOB`]'s columns a target; the rows are zero before.
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

#[cfg(test)]
mod tests {
    use super::super::drawn::{Drawing, figure_2};
    use super::*;
    use crate::capture::{Dom, NodeId, NodeMask};
    use image::{GrayImage, Luma};
    use proptest::prelude::*;

    fn target(owners: &[u32]) -> Target {
        Target { container: Dom::ROOT, texts: owners.iter().map(|&owner| NodeId::new(owner as usize)).collect() }
    }

    fn pixels(page: Drawing) -> Pixels {
        let (width, height) = page.gray.dimensions();
        Pixels::pair(page.gray, NodeMask::from_owners(width, height, &page.owners)).unwrap()
    }

    fn table(pixels: &Pixels, targets: &[Target]) -> Vec<Vec<f32>> {
        measure_blobs(pixels, targets)
    }

    fn at(row: &[f32], name: &str) -> f32 {
        row[COLUMNS.iter().position(|column| column.name.ends_with(name)).expect("a column of the group")]
    }

    fn check_range(rows: &[Vec<f32>]) {
        for row in rows {
            for (column, &value) in COLUMNS.iter().zip(row) {
                assert!(value.is_finite() && column.range.contains(value), "{} is {value}", column.name);
            }
        }
    }

    #[test]
    fn the_pattern_of_fiascos_table_1() {
        let (page, owners) = figure_2();
        let mut nodes: Vec<u32> = page.owners.iter().copied().filter(|&owner| owner != NodeMask::NOBODY).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let targets: Vec<Target> = nodes.iter().map(|&node| target(&[node])).collect();
        let rows = table(&pixels(page), &targets);
        check_range(&rows);
        let [one, two, three, four] = owners.map(|owner| rows[nodes.binary_search(&owner).unwrap()][..5].to_vec());
        eprintln!("I {one:.2?}\nII {two:.2?}\nIII {three:.2?}\nIV {four:.2?}");
        let value = |row: &[f32], index: usize| row[index];
        for list in [&one, &two] {
            for text in [&three, &four] {
                assert!(value(list, 0) < 0.92 && value(text, 0) > 0.92, "Solidity I");
                assert!(value(list, 1) > 0.8 && value(text, 1) < 0.05, "Solidity II");
                assert!(value(list, 2) < 0.25 && value(text, 2) > 0.4, "Solidity III");
                assert!(value(list, 3) < 0.65 && value(text, 3) > 0.95, "relative width");
            }
        }
        assert!(one[0] < two[0], "the ragged list is the least solid");
        assert!(three[4] > 0.0, "a headline stands in III");
        assert!([&one, &two, &four].iter().all(|row| row[4] == 0.0), "and nowhere else");
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
        let rows = table(&pixels(page), &[target(&[1]), target(&[2]), target(&[3]), target(&[4]), target(&[5])]);
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
