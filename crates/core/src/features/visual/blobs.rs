//! Blobs: text lines that are close to one another, joined into one region.
//!
//! The middle of the pixel pipeline (FIASCO 3.3): the text ink of the page is convolved with a mean
//! filter whose size follows the page's own line height, so that the lines of a block merge while
//! blocks with blank space between them stay apart; pixels above [`GROUND`] belong to a blob.
//! Everything runs at half scale, 4 to 6 times cheaper than at full scale with slightly different
//! blobs; training and use share the scale.
//!
//! A target's region is the blob that contains most of the target's pixels. It is the whole blob,
//! even if several targets share it: an item of a list is a line, but its region is the list, whose
//! ragged edge identifies the item. If a target's lines are split into several blobs, its region is
//! the one with most of its pixels; the columns `blob_count`, `blob_share` and `shared_by`
//! distinguish both cases from the normal one.

use super::components::Components;
use super::gaps::{Gaps, gaps};
use super::ink::{Ink, InkLine, OwnPixels, PAD, find_ink};
use super::median::weighted_median;
use super::pixels::{Pixels, above_mean};
use super::shape::{Shape, measure_shape};
use crate::target::Target;
use std::ops::Range;

/// Height of the mean filter in line heights: enough to bridge the space between two lines at 1.8
/// spacing, too little to bridge a blank line (chosen on eight rendered pages of the `styled` set).
const FILTER_HEIGHT: f32 = 0.75;

/// Width of the mean filter in line heights: joins the parts of a line, but not columns separated
/// by a gutter.
const FILTER_WIDTH: f32 = 0.5;

/// Mean ink, 0 to 255, above which a pixel belongs to a blob: 7 % of the window.
const GROUND: u8 = 18;

/// A blob in page coordinates (CSS px).
#[derive(Debug, Clone, PartialEq)]
pub struct Blob {
    /// Left, top, right and bottom edge.
    pub bounds: [f32; 4],
    /// Area in px squared.
    pub area_px: f32,
    /// Geometry of its outer contour.
    pub shape: Shape,
    /// Number of targets whose region this is.
    pub targets: u32,
}

impl Blob {
    /// Horizontal extent in CSS px.
    pub fn width(&self) -> f32 {
        self.bounds[2] - self.bounds[0]
    }

    /// Vertical extent in CSS px.
    pub fn height(&self) -> f32 {
        self.bounds[3] - self.bounds[1]
    }
}

/// The region of one target.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Region {
    /// Index into [`BlobPage::blobs`]; `None` if the target has no pixels in a blob.
    pub blob: Option<usize>,
    /// Number of blobs that contain at least a twentieth of its blob pixels.
    pub blob_count: u32,
    /// Share of its blob pixels that are in its region, 0 to 1.
    pub blob_share: f32,
    /// Share of the region's pixels that belong to the target, 0 to 1.
    pub share_of_blob: f32,
}

/// The blobs of a page and the region of each target.
#[derive(Debug)]
pub struct BlobPage {
    /// Blobs from top to bottom, in the order of their first pixels.
    pub blobs: Vec<Blob>,
    /// One region per target, in order.
    pub regions: Vec<Region>,
    /// The page's line height in px, which determines the filter size.
    pub line_height_px: f32,
    pub(crate) ink: Ink,
}

/// Finds the blobs of a page and the region of each target, from pixels alone.
pub fn find_blobs(pixels: &Pixels, targets: &[Target]) -> BlobPage {
    let ink = find_ink(pixels, targets);
    let line_height_px = ink.line_height_px;
    let radius = |lines: f32| {
        ((lines * line_height_px / 2.0 - 1.0) / 2.0)
            .round()
            .clamp(1.0, PAD as f32 - 2.0) as u32
    };
    let mut components = Components::new(ink.half.width());
    above_mean(
        &ink.half,
        radius(FILTER_WIDTH),
        radius(FILTER_HEIGHT),
        GROUND,
        |row| components.push(row),
    );
    components.label();
    let mut blobs = Vec::with_capacity(components.areas().len());
    components.outlines(|area, outline| blobs.push(blob(area, outline, line_height_px)));
    let region = |runs: &Range<usize>| region(&ink, runs.clone(), &components, &blobs);
    let regions: Vec<Region> = ink.runs_of.iter().map(region).collect();
    for blob in regions.iter().filter_map(|region| region.blob) {
        blobs[blob].targets += 1;
    }
    BlobPage {
        blobs,
        regions,
        line_height_px,
        ink,
    }
}

/// A blob from its area and its outer contour, both in half-scale pixels.
fn blob(area: u32, outline: &[[u32; 2]], line_height_px: f32) -> Blob {
    let (mut low, mut high) = ([f32::MAX; 2], [f32::MIN; 2]);
    let points: Vec<[f32; 2]> = outline
        .iter()
        .map(|point| {
            // Centers of half-scale pixels in page px.
            let at = point.map(|value| (value as f32 - PAD as f32) * 2.0 + 1.0);
            for axis in 0..2 {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            }
            at
        })
        .collect();
    Blob {
        bounds: [low[0] - 1.0, low[1] - 1.0, high[0] + 1.0, high[1] + 1.0],
        area_px: area as f32 * 4.0,
        shape: measure_shape(&points, line_height_px),
        targets: 0,
    }
}

/// Minimum share of a target's blob pixels for a blob to be counted.
const PART: f32 = 0.05;

fn region(ink: &Ink, runs: Range<usize>, components: &Components, blobs: &[Blob]) -> Region {
    // Label and number of half-scale pixels of each stretch, then summed by label.
    let mut votes: Vec<(u32, u32)> = Vec::new();
    for run in ink.runs[runs].iter().filter(|run| run.y % 2 == 0) {
        let row = components.row(run.y as usize / 2 + PAD);
        let (start, end) = (run.start / 2 + PAD as u32, run.end.div_ceil(2) + PAD as u32);
        let first = row.partition_point(|stretch| stretch.end <= start);
        for stretch in row[first..]
            .iter()
            .take_while(|stretch| stretch.start < end)
        {
            let pixels = stretch.end.min(end) - stretch.start.max(start);
            match votes.last_mut() {
                Some((label, sum)) if *label == stretch.label => *sum += pixels,
                _ => votes.push((stretch.label, pixels)),
            }
        }
    }
    votes.sort_unstable();
    votes.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    let total: u32 = votes.iter().map(|vote| vote.1).sum();
    // The largest blob; the topmost if several are equal.
    let Some(&(label, most)) = votes.iter().min_by_key(|vote| (u32::MAX - vote.1, vote.0)) else {
        return Region::default();
    };
    Region {
        blob: Some(label as usize),
        blob_count: votes
            .iter()
            .filter(|vote| vote.1 as f32 >= PART * total as f32)
            .count() as u32,
        blob_share: most as f32 / total as f32,
        share_of_blob: (most as f32 * 4.0 / blobs[label as usize].area_px).min(1.0),
    }
}

/// Minimum height of a headline's lines, relative to the page's median line (ours: h3 in a
/// browser's default style is 1.17, h2 is 1.5).
const HEADLINE_SIZE: f32 = 1.2;

/// Maximum number of lines in a headline.
const HEADLINE_LINES: usize = 3;

/// The blobs of a page and the page-level values that targets are compared with.
pub(super) struct PageBlobs {
    page: BlobPage,
    /// For each blob, the blank space around it.
    gaps: Vec<Gaps>,
    /// For each blob, true if it contains a headline.
    has_headline: Vec<bool>,
    /// Width of the widest region, in px.
    pub(super) widest_px: f32,
    /// Median height of the line boxes, weighted by ink.
    pub(super) line_box_px: f32,
    /// Median gray of the targets' pixels, weighted by ink.
    pub(super) gray: f32,
    headline_height_px: f32,
    /// Share of the page covered by pictures.
    pub(super) picture_share: f32,
    /// Share of the page covered by blobs.
    pub(super) blob_share: f32,
    /// Mean Solidity I of the blobs, weighted by area.
    pub(super) solidity: f32,
}

/// A target with pixels in a blob.
pub(super) struct TargetBlob<'p> {
    pub(super) page: &'p PageBlobs,
    pub(super) region: &'p Region,
    pub(super) pixels: &'p OwnPixels,
    pub(super) blob: &'p Blob,
    pub(super) line_px: f32,
    /// 1 minus the relative difference between the region's height and the mean headline height; 0
    /// if there are no headlines.
    pub(super) headline: f32,
    /// Blank space around the blob, in line heights, 0 to 10.
    pub(super) space: BlobSpace,
    /// Share of the blob's bounding box covered by pictures.
    pub(super) picture_inside: f32,
    /// Share covered by pictures of the bounding box enlarged by two line heights on each side.
    pub(super) picture_around: f32,
    /// Raggedness of the target's line ends.
    pub(super) line_ends: LineEnds,
}

/// Blank space on each side, in line heights.
pub(super) struct BlobSpace {
    pub(super) above: f32,
    pub(super) below: f32,
    pub(super) left: f32,
    pub(super) right: f32,
}

/// Raggedness of the ends of a target's lines.
pub(super) struct LineEnds {
    /// Standard deviation of the left ends, relative to the width of the lines.
    pub(super) left: f32,
    /// Standard deviation of the right ends, relative to the width of the lines.
    pub(super) right: f32,
    /// Width of the last line relative to the widest one.
    pub(super) last: f32,
}

impl PageBlobs {
    pub(super) fn find(pixels: &Pixels, targets: &[Target]) -> Self {
        let page = find_blobs(pixels, targets);
        let page_area = (pixels.gray.width() as f32 * pixels.gray.height() as f32).max(1.0);
        let own = &page.ink.own;
        let median = |value: fn(&OwnPixels) -> f32| {
            weighted_median(
                own.iter()
                    .filter(|p| p.ink > 0)
                    .map(|p| (value(p), p.ink as f32))
                    .collect(),
            )
        };
        let line_box_px = median(|pixels| pixels.line_box_px).unwrap_or(1.0).max(1.0);
        let mut has_headline = vec![false; page.blobs.len()];
        let mut heights = Vec::new();
        for (pixels, region) in own.iter().zip(&page.regions) {
            let is_headline = (1..=HEADLINE_LINES).contains(&pixels.lines.len())
                && pixels.line_box_px >= HEADLINE_SIZE * line_box_px;
            if let (true, Some(blob)) = (is_headline, region.blob) {
                has_headline[blob] = true;
                heights.push((pixels.rows.end - pixels.rows.start) as f32);
            }
        }
        let areas: f32 = page.blobs.iter().map(|blob| blob.area_px).sum();
        let solid: f32 = page
            .blobs
            .iter()
            .map(|blob| blob.area_px * blob.shape.solidity_1)
            .sum();
        let bounds: Vec<_> = page.blobs.iter().map(|blob| blob.bounds).collect();
        Self {
            gaps: gaps(&bounds),
            has_headline,
            widest_px: page
                .blobs
                .iter()
                .filter(|b| b.targets > 0)
                .map(Blob::width)
                .fold(1.0, f32::max),
            line_box_px,
            gray: median(|pixels| pixels.gray).unwrap_or(255.0),
            headline_height_px: heights.iter().sum::<f32>() / heights.len().max(1) as f32,
            picture_share: page.ink.pictures.whole(),
            blob_share: (areas / page_area).min(1.0),
            solidity: if areas > 0.0 { solid / areas } else { 0.0 },
            page,
        }
    }

    /// The target at `index`; `None` if it has no pixels in a blob.
    pub(super) fn target(&self, index: usize) -> Option<TargetBlob<'_>> {
        let (region, pixels) = (&self.page.regions[index], &self.page.ink.own[index]);
        let blob_index = region.blob?;
        let (blob, line_px) = (&self.page.blobs[blob_index], self.page.line_height_px);
        let headline = if self.has_headline[blob_index] {
            blob.height().min(self.headline_height_px)
                / blob.height().max(self.headline_height_px).max(1.0)
        } else {
            0.0
        };
        let lines = |gap: Option<f32>| gap.map_or(10.0, |gap| gap / line_px).clamp(0.0, 10.0);
        let gaps = &self.gaps[blob_index];
        let [left, top, right, bottom] = blob.bounds;
        let around = [
            left - 2.0 * line_px,
            top - 2.0 * line_px,
            right + 2.0 * line_px,
            bottom + 2.0 * line_px,
        ];
        Some(TargetBlob {
            page: self,
            region,
            pixels,
            blob,
            line_px,
            headline,
            space: BlobSpace {
                above: lines(gaps.above),
                below: lines(gaps.below),
                left: lines(gaps.left),
                right: lines(gaps.right),
            },
            picture_inside: self.page.ink.pictures.share(blob.bounds),
            picture_around: self.page.ink.pictures.share(around),
            line_ends: LineEnds::measure(&pixels.lines),
        })
    }
}

impl LineEnds {
    fn measure(lines: &[InkLine]) -> Self {
        let left = lines.iter().map(|line| line.left).min().unwrap_or(0);
        let right = lines.iter().map(|line| line.right).max().unwrap_or(0);
        let width = (right.saturating_sub(left) as f32).max(1.0);
        let widest = lines
            .iter()
            .map(|line| line.right - line.left)
            .max()
            .unwrap_or(0);
        let last = lines.last().map_or(1.0, |line| {
            (line.right - line.left) as f32 / widest.max(1) as f32
        });
        if lines.len() < 3 {
            return Self {
                left: 0.0,
                right: 0.0,
                last,
            };
        }
        Self {
            left: (deviation(lines[1..].iter().map(|line| line.left as f32)) / width).min(1.0),
            right: (deviation(
                lines[..lines.len() - 1]
                    .iter()
                    .map(|line| line.right as f32),
            ) / width)
                .min(1.0),
            last,
        }
    }
}

/// Standard deviation; 0 if there are no values.
fn deviation(values: impl Iterator<Item = f32> + Clone) -> f32 {
    let count = values.clone().count().max(1) as f32;
    let mean = values.clone().sum::<f32>() / count;
    (values.map(|value| (value - mean).powi(2)).sum::<f32>() / count).sqrt()
}
