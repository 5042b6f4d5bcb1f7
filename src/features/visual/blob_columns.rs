//! The columns of `visual.blob`: each with its range, meaning, source and formula.

use super::target_blob::{PageBlobs, TargetBlob};
use crate::features::column::{Column, Feature, OURS, RATIO, ValueRange, columns_of, join_columns};
use crate::features::source::FIASCO_VISUAL as FIASCO;

/// All columns: those of [`TARGET_FEATURES`], then those of [`PAGE_FEATURES`].
pub(super) const COLUMNS: [Column; TARGET_FEATURES.len() + PAGE_FEATURES.len()] = join_columns(
    &columns_of::<_, { TARGET_FEATURES.len() }>(TARGET_FEATURES),
    &columns_of::<_, { PAGE_FEATURES.len() }>(PAGE_FEATURES),
);

/// Computes the value of a target's column.
pub(super) type TargetFormula = fn(&TargetBlob<'_>) -> f32;

/// Computes the value of a page's column.
pub(super) type PageFormula = fn(&PageBlobs) -> f32;

/// What is measured of each target; 0 where it owns no pixel.
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
    Feature::new("visual.blob.fill", RATIO, "area of the blob / area of its bounding box", OURS, |target| {
        (target.blob.area_px / (target.blob.width() * target.blob.height()).max(1.0)).min(1.0)
    }),
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
        "number of targets that have the same region; 0 for a region of its own",
        OURS,
        |target| (target.blob.targets.max(1) as f32).ln().min(7.0),
    ),
    Feature::new(
        "visual.blob.share_of_blob",
        RATIO,
        "share of the region's pixels that the target owns",
        OURS,
        |target| target.region.share_of_blob,
    ),
    Feature::new(
        "visual.blob.blob_count",
        ValueRange::new("ln(1 + count)", 0.0, 6.0),
        "blobs that hold at least 5 % of the target's blob pixels",
        OURS,
        |target| (target.region.blob_count as f32).ln_1p().min(6.0),
    ),
    Feature::new(
        "visual.blob.blob_share",
        RATIO,
        "share of the target's blob pixels that lie in its region",
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
    Feature::new("visual.blob.ink_density", RATIO, "ink pixels / pixels that the target owns", OURS, |target| {
        target.pixels.ink as f32 / target.pixels.owned.max(1) as f32
    }),
    Feature::new(
        "visual.blob.contrast",
        RATIO,
        "mean step in gray across the ink of the target / 255: dark on white is about 0.5, gray on gray 0.15",
        OURS,
        |target| target.pixels.contrast / 255.0,
    ),
    Feature::new(
        "visual.blob.gray_difference",
        ValueRange::new("ratio", -1.0, 1.0),
        "mean gray of the target's pixels less the median target's (by ink), / 255: below 0 on darker ground",
        OURS,
        |target| (target.pixels.gray - target.page.gray) / 255.0,
    ),
    Feature::new(
        "visual.blob.lines",
        ValueRange::new("ln(1 + lines)", 0.0, 7.0),
        "lines of the target by horizontal projection of its ink",
        OURS,
        |target| (target.pixels.lines.len() as f32).ln_1p().min(7.0),
    ),
    Feature::new(
        "visual.blob.line_size",
        ValueRange::new("ratio", 0.0, 4.0),
        "height of the target's line boxes in the mask / the median target's (by ink)",
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
        "width of the target's last ink line / its widest; 1 for a single line",
        OURS,
        |target| target.line_ends.last,
    ),
];

/// What is measured of the page, the same for all its targets.
pub(super) const PAGE_FEATURES: &[Feature<PageFormula>] = &[
    Feature::new(
        "visual.blob.page_picture_share",
        RATIO,
        "share of the page that is picture; the same for all targets of a page, also those without pixels",
        OURS,
        |page| page.picture_share,
    ),
    Feature::new(
        "visual.blob.page_blob_share",
        RATIO,
        "share of the page that is blob; the same for all targets of a page, also those without pixels",
        OURS,
        |page| page.blob_share,
    ),
    Feature::new(
        "visual.blob.page_solidity",
        RATIO,
        "mean Solidity I of the page's blobs, weighted by area: low on pages of lists; the same for all targets",
        OURS,
        |page| page.solidity,
    ),
];
