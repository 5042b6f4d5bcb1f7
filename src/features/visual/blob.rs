//! `visual.blob`: what the pixels of the page say of each target, after FIASCO section 3.3.
//!
//! Takes [`Pixels`] and the targets, nothing of the tree, its boxes or its styles: a capture made by any browser will
//! do. The region of a target and its shape are defined in `blobs` and `shape`.

use super::blob_columns::COLUMNS;
use super::blobs::{BlobPage, find_blobs};
use super::gaps::gaps;
use super::ink::{InkLine, OwnPixels, weighted_median};
use super::pixels::Pixels;
use crate::features::{FeatureGroup, PageView};
use crate::target::Target;

/// Blob measures. Every value is 0 for a target that owns no pixel, unless its column says otherwise.
pub const BLOB: FeatureGroup =
    FeatureGroup { name: "visual.blob", needs_layout: true, columns: COLUMNS, measure: measure_view };

fn measure_view(view: &PageView<'_>, rows: &mut [Vec<f32>]) {
    if let Some(pixels) = &view.pixels {
        measure(pixels, view.targets, rows);
    }
}

/// One row of [`BLOB`]'s columns a target, from pixels alone.
pub fn measure_blobs(pixels: &Pixels, targets: &[Target]) -> Vec<Vec<f32>> {
    let mut rows = vec![vec![0.0; COLUMNS.len()]; targets.len()];
    measure(pixels, targets, &mut rows);
    rows
}

/// Fills one row of [`BLOB`]'s columns a target.
fn measure(pixels: &Pixels, targets: &[Target], rows: &mut [Vec<f32>]) {
    let page = find_blobs(pixels, targets);
    let area = (pixels.gray.width() as f32 * pixels.gray.height() as f32).max(1.0);
    let whole = Whole::of(&page, area);
    let bounds: Vec<_> = page.blobs.iter().map(|blob| blob.bounds).collect();
    let spaces = gaps(&bounds);
    for (target, row) in rows.iter_mut().enumerate() {
        let values = values(&page, &whole, &spaces, target);
        row.copy_from_slice(&values);
    }
}

/// What the targets of a page are compared with.
struct Whole {
    widest: f32,
    /// Median height of the line boxes, by ink.
    line_box_px: f32,
    gray: f32,
    headline_height_px: f32,
    /// Per blob, whether a headline lies in it.
    has_headline: Vec<bool>,
    picture_share: f32,
    blob_share: f32,
    solidity: f32,
}

/// A line this many times as high as the page's median line may be a headline (ours: h3 in a browser's default style
/// is 1.17, h2 is 1.5).
const HEADLINE_SIZE: f32 = 1.2;

/// A headline has at most this many lines.
const HEADLINE_LINES: usize = 3;

impl Whole {
    fn of(page: &BlobPage, page_area: f32) -> Self {
        let own = &page.ink.own;
        let median = |value: fn(&OwnPixels) -> f32| {
            weighted_median(own.iter().filter(|p| p.ink > 0).map(|p| (value(p), p.ink as f32)).collect())
        };
        let line_box_px = median(|pixels| pixels.line_box_px).unwrap_or(1.0).max(1.0);
        let mut has_headline = vec![false; page.blobs.len()];
        let mut heights = Vec::new();
        for (pixels, region) in own.iter().zip(&page.regions) {
            let is_headline =
                (1..=HEADLINE_LINES).contains(&pixels.lines.len()) && pixels.line_box_px >= HEADLINE_SIZE * line_box_px;
            if let (true, Some(blob)) = (is_headline, region.blob) {
                has_headline[blob] = true;
                heights.push((pixels.rows.end - pixels.rows.start) as f32);
            }
        }
        let areas: f32 = page.blobs.iter().map(|blob| blob.area_px).sum();
        let solid: f32 = page.blobs.iter().map(|blob| blob.area_px * blob.shape.solidity_1).sum();
        Self {
            widest: page.blobs.iter().filter(|b| b.targets > 0).map(super::Blob::width).fold(1.0, f32::max),
            line_box_px,
            gray: median(|pixels| pixels.gray).unwrap_or(255.0),
            headline_height_px: heights.iter().sum::<f32>() / heights.len().max(1) as f32,
            has_headline,
            picture_share: page.ink.pictures.whole(),
            blob_share: (areas / page_area).min(1.0),
            solidity: if areas > 0.0 { solid / areas } else { 0.0 },
        }
    }
}

fn values(page: &BlobPage, whole: &Whole, spaces: &[[Option<f32>; 4]], target: usize) -> [f32; COLUMNS.len()] {
    let mut values = [0.0; COLUMNS.len()];
    let constant = [whole.picture_share, whole.blob_share, whole.solidity];
    values[COLUMNS.len() - 3..].copy_from_slice(&constant);
    let (region, own) = (&page.regions[target], &page.ink.own[target]);
    let Some(index) = region.blob else { return values };
    let (blob, line) = (&page.blobs[index], page.line_height_px);
    let shape = &blob.shape;
    let headline = if whole.has_headline[index] {
        blob.height().min(whole.headline_height_px) / blob.height().max(whole.headline_height_px).max(1.0)
    } else {
        0.0
    };
    let space = |side: usize| spaces[index][side].map_or(10.0, |gap| gap / line).clamp(0.0, 10.0);
    let [left, top, right, bottom] = blob.bounds;
    let around = [left - 2.0 * line, top - 2.0 * line, right + 2.0 * line, bottom + 2.0 * line];
    let box_area = (blob.width() * blob.height()).max(1.0);
    let ends = Ends::of(&own.lines);
    values[..COLUMNS.len() - 3].copy_from_slice(&[
        shape.solidity_1,
        shape.solidity_2.min(4.0),
        shape.solidity_3,
        (blob.width() / whole.widest).min(1.0),
        headline,
        shape.vertex_distance,
        shape.extra_vertices.min(4.0),
        shape.convexity,
        (blob.area_px / box_area).min(1.0),
        (blob.height() / line).ln_1p().min(7.0),
        (blob.width() / line).ln_1p().min(6.0),
        space(0),
        space(1),
        space(2),
        space(3),
        (blob.targets.max(1) as f32).ln().min(7.0),
        region.share_of_blob,
        (region.blob_count as f32).ln_1p().min(6.0),
        region.blob_share,
        page.ink.pictures.share(blob.bounds),
        page.ink.pictures.share(around),
        own.ink as f32 / own.owned.max(1) as f32,
        own.contrast / 255.0,
        (own.gray - whole.gray) / 255.0,
        (own.lines.len() as f32).ln_1p().min(7.0),
        (own.line_box_px / whole.line_box_px).min(4.0),
        ends.right,
        ends.left,
        ends.last,
    ]);
    values
}

/// How even the ends of a target's lines are.
struct Ends {
    left: f32,
    right: f32,
    last: f32,
}

impl Ends {
    fn of(lines: &[InkLine]) -> Self {
        let left = lines.iter().map(|line| line.left).min().unwrap_or(0);
        let right = lines.iter().map(|line| line.right).max().unwrap_or(0);
        let width = (right.saturating_sub(left) as f32).max(1.0);
        let widest = lines.iter().map(|line| line.right - line.left).max().unwrap_or(0);
        let last = lines.last().map_or(1.0, |line| (line.right - line.left) as f32 / widest.max(1) as f32);
        if lines.len() < 3 {
            return Self { left: 0.0, right: 0.0, last };
        }
        Self {
            left: (deviation(lines[1..].iter().map(|line| line.left as f32)) / width).min(1.0),
            right: (deviation(lines[..lines.len() - 1].iter().map(|line| line.right as f32)) / width).min(1.0),
            last,
        }
    }
}

/// Standard deviation; 0 for no values.
fn deviation(values: impl Iterator<Item = f32> + Clone) -> f32 {
    let count = values.clone().count().max(1) as f32;
    let mean = values.clone().sum::<f32>() / count;
    (values.map(|value| (value - mean).powi(2)).sum::<f32>() / count).sqrt()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
        let mut rows = vec![vec![0.0; COLUMNS.len()]; targets.len()];
        measure(pixels, targets, &mut rows);
        rows
    }

    fn at(row: &[f32], name: &str) -> f32 {
        row[COLUMNS.iter().position(|column| column.name.ends_with(name)).expect("a column of the group")]
    }

    fn check_range(rows: &[Vec<f32>]) {
        for row in rows {
            for (column, &value) in COLUMNS.iter().zip(row) {
                let (low, high) = column.bounds().expect("a range of this group names two bounds");
                assert!(value.is_finite() && (low..=high).contains(&value), "{} is {value}", column.name);
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
