//! Blobs: text lines close to one another, joined into one region.
//!
//! The middle of the pixel pipeline (FIASCO 3.3): the text ink of the page is convolved with a mean filter whose size
//! follows the page's own line height, so that the lines of a block run together while blocks with blank space between them
//! stay apart; what is above [`GROUND`] is blob. Everything runs at half scale, 4 to 6 times cheaper than at full
//! scale with slightly different blobs; training and use share the scale.
//!
//! A target's region is the blob that holds most of the pixels that the target owns; the whole blob, also where several
//! targets share it: an item of a list is a line, but its region is the list, whose ragged edge identifies the item. A
//! target whose lines fall apart into several blobs has the largest for its region; the columns `blob_count`,
//! `blob_share` and `shared_by` distinguish both cases from the plain one.

use super::components::Components;
use super::ink::{Ink, PAD, find_ink};
use super::mean::above_mean;
use super::pixels::Pixels;
use super::shape::{Shape, measure_shape};
use crate::target::Target;
use std::ops::Range;

/// Height of the mean filter in line heights: enough to bridge the space between two lines at 1.8 spacing, too little
/// to bridge a blank line (chosen on eight rendered pages of the `styled` set).
const FILTER_HEIGHT: f32 = 0.75;

/// Width of the mean filter in line heights: joins the parts of a line, not the columns beside a gutter.
const FILTER_WIDTH: f32 = 0.5;

/// Mean ink, 0 to 255, above which a pixel is blob: 7 % of the window.
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
    /// Number of targets that have it for their region.
    pub targets: u32,
}

impl Blob {
    /// Width in px.
    pub fn width(&self) -> f32 {
        self.bounds[2] - self.bounds[0]
    }

    /// Height in px.
    pub fn height(&self) -> f32 {
        self.bounds[3] - self.bounds[1]
    }
}

/// The region of one target.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Region {
    /// Its blob, an index into [`BlobPage::blobs`]; `None` where it owns no blob pixel.
    pub blob: Option<usize>,
    /// Number of blobs with at least a twentieth of its blob pixels.
    pub blob_count: u32,
    /// Share of its blob pixels that lie in its blob, 0 to 1.
    pub blob_share: f32,
    /// Share of the blob's pixels that it owns, 0 to 1.
    pub share_of_blob: f32,
}

/// The blobs of a page and the region of each target.
#[derive(Debug)]
pub struct BlobPage {
    /// Blobs from top to bottom, by their first pixel.
    pub blobs: Vec<Blob>,
    /// One a target, in order.
    pub regions: Vec<Region>,
    /// The page's line height in px, which sized the filter.
    pub line_height_px: f32,
    pub(crate) ink: Ink,
}

/// Finds the blobs of a page and the region of each target, from pixels alone.
pub fn find_blobs(pixels: &Pixels, targets: &[Target]) -> BlobPage {
    let ink = find_ink(pixels, targets);
    let line_height_px = ink.line_height_px;
    let radius = |lines: f32| ((lines * line_height_px / 2.0 - 1.0) / 2.0).round().clamp(1.0, PAD as f32 - 2.0) as u32;
    let mut components = Components::new(ink.half.width());
    above_mean(&ink.half, radius(FILTER_WIDTH), radius(FILTER_HEIGHT), GROUND, |row| components.push(row));
    components.label();
    let mut blobs = Vec::with_capacity(components.areas().len());
    components.outlines(|area, outline| blobs.push(blob(area, outline, line_height_px)));
    let region = |runs: &Range<usize>| region(&ink, runs.clone(), &components, &blobs);
    let regions: Vec<Region> = ink.runs_of.iter().map(region).collect();
    for blob in regions.iter().filter_map(|region| region.blob) {
        blobs[blob].targets += 1;
    }
    BlobPage { blobs, regions, line_height_px, ink }
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

/// Share of a target's blob pixels from which a further blob counts as its own.
const PART: f32 = 0.05;

fn region(ink: &Ink, runs: Range<usize>, components: &Components, blobs: &[Blob]) -> Region {
    // Label and half-scale pixels of each stretch, then summed by label.
    let mut votes: Vec<(u32, u32)> = Vec::new();
    for run in ink.runs[runs].iter().filter(|run| run.y % 2 == 0) {
        let row = components.row(run.y as usize / 2 + PAD);
        let (start, end) = (run.start / 2 + PAD as u32, run.end.div_ceil(2) + PAD as u32);
        let first = row.partition_point(|stretch| stretch.end <= start);
        for stretch in row[first..].iter().take_while(|stretch| stretch.start < end) {
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
    // The largest, the upper one of equals.
    let Some(&(label, most)) = votes.iter().min_by_key(|vote| (u32::MAX - vote.1, vote.0)) else {
        return Region::default();
    };
    Region {
        blob: Some(label as usize),
        blob_count: votes.iter().filter(|vote| vote.1 as f32 >= PART * total as f32).count() as u32,
        blob_share: most as f32 / total as f32,
        share_of_blob: (most as f32 * 4.0 / blobs[label as usize].area_px).min(1.0),
    }
}
