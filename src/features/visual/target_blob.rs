//! What the columns of `visual.blob` are computed from: the blobs of a page, and the region and ink of one target.

use super::blobs::{Blob, BlobPage, Region, find_blobs};
use super::gaps::{Gaps, gaps};
use super::ink::{InkLine, OwnPixels, weighted_median};
use super::pixels::Pixels;
use crate::target::Target;

/// A line this many times as high as the page's median line may be a headline (ours: h3 in a browser's default style
/// is 1.17, h2 is 1.5).
const HEADLINE_SIZE: f32 = 1.2;

/// A headline has at most this many lines.
const HEADLINE_LINES: usize = 3;

/// The blobs of a page, with what its targets are compared with.
pub(super) struct PageBlobs {
    page: BlobPage,
    /// Per blob, the blank space around it.
    gaps: Vec<Gaps>,
    /// Per blob, whether a headline lies in it.
    has_headline: Vec<bool>,
    /// Width of the widest region, in px.
    pub(super) widest_px: f32,
    /// Median height of the line boxes, by ink.
    pub(super) line_box_px: f32,
    /// Median gray of the targets' pixels, by ink.
    pub(super) gray: f32,
    headline_height_px: f32,
    /// Share of the page that is picture.
    pub(super) picture_share: f32,
    /// Share of the page that is blob.
    pub(super) blob_share: f32,
    /// Mean Solidity I of the blobs, weighted by area.
    pub(super) solidity: f32,
}

/// One target that owns pixels of a blob.
pub(super) struct TargetBlob<'p> {
    pub(super) page: &'p PageBlobs,
    pub(super) region: &'p Region,
    pub(super) pixels: &'p OwnPixels,
    /// The blob of the region.
    pub(super) blob: &'p Blob,
    /// The page's line height.
    pub(super) line_px: f32,
    /// 1 less the relative difference of the region's height and the mean headline height; 0 without a headline.
    pub(super) headline: f32,
    /// Blank space around the blob, in line heights, 0 to 10.
    pub(super) space: BlobSpace,
    /// Share of the blob's bounding box that is picture.
    pub(super) picture_inside: f32,
    /// Share of the box two line heights larger on each side that is picture.
    pub(super) picture_around: f32,
    /// How even the ends of the target's lines are.
    pub(super) line_ends: LineEnds,
}

/// Blank space on each side, in line heights.
pub(super) struct BlobSpace {
    pub(super) above: f32,
    pub(super) below: f32,
    pub(super) left: f32,
    pub(super) right: f32,
}

/// How even the ends of a target's lines are.
pub(super) struct LineEnds {
    /// Standard deviation of the left ends, relative to the width of the lines.
    pub(super) left: f32,
    /// Standard deviation of the right ends, relative to the width of the lines.
    pub(super) right: f32,
    /// Width of the last line relative to the widest.
    pub(super) last: f32,
}

impl PageBlobs {
    /// Finds the blobs of a page from its pixels.
    pub(super) fn find(pixels: &Pixels, targets: &[Target]) -> Self {
        let page = find_blobs(pixels, targets);
        let page_area = (pixels.gray.width() as f32 * pixels.gray.height() as f32).max(1.0);
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
        let bounds: Vec<_> = page.blobs.iter().map(|blob| blob.bounds).collect();
        Self {
            gaps: gaps(&bounds),
            has_headline,
            widest_px: page.blobs.iter().filter(|b| b.targets > 0).map(Blob::width).fold(1.0, f32::max),
            line_box_px,
            gray: median(|pixels| pixels.gray).unwrap_or(255.0),
            headline_height_px: heights.iter().sum::<f32>() / heights.len().max(1) as f32,
            picture_share: page.ink.pictures.whole(),
            blob_share: (areas / page_area).min(1.0),
            solidity: if areas > 0.0 { solid / areas } else { 0.0 },
            page,
        }
    }

    /// The target at `index`; `None` where it owns no pixel of a blob.
    pub(super) fn target(&self, index: usize) -> Option<TargetBlob<'_>> {
        let (region, pixels) = (&self.page.regions[index], &self.page.ink.own[index]);
        let blob_index = region.blob?;
        let (blob, line_px) = (&self.page.blobs[blob_index], self.page.line_height_px);
        let headline = if self.has_headline[blob_index] {
            blob.height().min(self.headline_height_px) / blob.height().max(self.headline_height_px).max(1.0)
        } else {
            0.0
        };
        let lines = |gap: Option<f32>| gap.map_or(10.0, |gap| gap / line_px).clamp(0.0, 10.0);
        let gaps = &self.gaps[blob_index];
        let [left, top, right, bottom] = blob.bounds;
        let around = [left - 2.0 * line_px, top - 2.0 * line_px, right + 2.0 * line_px, bottom + 2.0 * line_px];
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
