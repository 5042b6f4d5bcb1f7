//! The columns of `visual.blob`, in the order in which `blob` fills them.

use crate::features::Column;

const FIASCO: &str = "Bauer et al. 2007, section 3.3";
const OURS: &str = "ours";

const fn column(name: &'static str, range: &'static str, meaning: &'static str, source: &'static str) -> Column {
    Column { name, range, meaning, source }
}

pub(crate) const COLUMNS: &[Column] = &[
    column(
        "visual.blob.solidity_1",
        "ratio, 0 to 1",
        "area of the region's outer contour / area of its minimal bounding rectangle",
        FIASCO,
    ),
    column(
        "visual.blob.solidity_2",
        "vertices a line, 0 to 4",
        "vertices of the simplified enclosing polygon more than 1.75 lines from top and bottom / height in lines",
        FIASCO,
    ),
    column(
        "visual.blob.solidity_3",
        "ratio, 0 to 1",
        "mean distance of the polygon's vertices to the rectangle's center along x / half its width, times 4 / vertices",
        FIASCO,
    ),
    column(
        "visual.blob.width_ratio",
        "ratio, 0 to 1",
        "width of the region / width of the page's widest region",
        FIASCO,
    ),
    column(
        "visual.blob.headline",
        "ratio, 0 to 1",
        "1 - relative difference between the region's height and the page's mean headline height, where a headline (1 to \
         3 lines at least 1.2 times as high as the page's) lies in the region; 0 where none does",
        FIASCO,
    ),
    column(
        "visual.blob.vertex_distance",
        "ratio, 0 to 1",
        "mean distance of the polygon's vertices to the rectangle's center along x / half its width",
        FIASCO,
    ),
    column(
        "visual.blob.extra_vertices",
        "vertices a line, 0 to 4",
        "vertices of the polygon beyond four / height in lines",
        OURS,
    ),
    column("visual.blob.convexity", "ratio, 0 to 1", "area of the outer contour / area of its convex hull", OURS),
    column("visual.blob.fill", "ratio, 0 to 1", "area of the blob / area of its bounding box", OURS),
    column("visual.blob.height_lines", "ln(1 + lines), 0 to 7", "height of the region in line heights", OURS),
    column("visual.blob.width_lines", "ln(1 + lines), 0 to 6", "width of the region in line heights", OURS),
    column(
        "visual.blob.space_above",
        "lines, 0 to 10",
        "blank space to the nearest blob above, in line heights; 10 where there is none",
        OURS,
    ),
    column("visual.blob.space_below", "lines, 0 to 10", "the same, to the nearest blob below", OURS),
    column("visual.blob.space_left", "lines, 0 to 10", "the same, to the left", OURS),
    column("visual.blob.space_right", "lines, 0 to 10", "the same, to the right", OURS),
    column(
        "visual.blob.shared_by",
        "ln of a count, 0 to 7",
        "number of targets that have the same region; 0 for a region of its own",
        OURS,
    ),
    column("visual.blob.share_of_blob", "ratio, 0 to 1", "share of the region's pixels that the target owns", OURS),
    column(
        "visual.blob.blob_count",
        "ln(1 + count), 0 to 6",
        "blobs that hold at least 5 % of the target's blob pixels",
        OURS,
    ),
    column("visual.blob.blob_share", "ratio, 0 to 1", "share of the target's blob pixels that lie in its region", OURS),
    column(
        "visual.blob.picture_inside",
        "ratio, 0 to 1",
        "share of the region's bounding box that is picture: squares of 16 px with 25 % ink that no text owns",
        OURS,
    ),
    column(
        "visual.blob.picture_around",
        "ratio, 0 to 1",
        "the same within two line heights around the region's bounding box, the box included",
        OURS,
    ),
    column("visual.blob.ink_density", "ratio, 0 to 1", "ink pixels / pixels that the target owns", OURS),
    column(
        "visual.blob.contrast",
        "ratio, 0 to 1",
        "mean step in gray across the ink of the target / 255: dark on white is about 0.5, gray on gray 0.15",
        OURS,
    ),
    column(
        "visual.blob.gray_difference",
        "ratio, -1 to 1",
        "mean gray of the target's pixels less the median target's (by ink), / 255: below 0 on darker ground",
        OURS,
    ),
    column(
        "visual.blob.lines",
        "ln(1 + lines), 0 to 7",
        "lines of the target by horizontal projection of its ink",
        OURS,
    ),
    column(
        "visual.blob.line_size",
        "ratio, 0 to 4",
        "height of the target's line boxes in the mask / the median target's (by ink)",
        OURS,
    ),
    column(
        "visual.blob.ragged_right",
        "ratio, 0 to 1",
        "standard deviation of the right ends of the target's ink lines, the last line left out / their width; 0 below 3 \
         lines",
        OURS,
    ),
    column(
        "visual.blob.ragged_left",
        "ratio, 0 to 1",
        "standard deviation of the left ends of the target's ink lines, the first line left out / their width; 0 below 3 \
         lines",
        OURS,
    ),
    column(
        "visual.blob.last_line",
        "ratio, 0 to 1",
        "width of the target's last ink line / its widest; 1 for a single line",
        OURS,
    ),
    column(
        "visual.blob.page_picture_share",
        "ratio, 0 to 1",
        "share of the page that is picture; the same for all targets of a page, also those without pixels",
        OURS,
    ),
    column(
        "visual.blob.page_blob_share",
        "ratio, 0 to 1",
        "share of the page that is blob; the same for all targets of a page, also those without pixels",
        OURS,
    ),
    column(
        "visual.blob.page_solidity",
        "ratio, 0 to 1",
        "mean Solidity I of the page's blobs, weighted by area: low on pages of lists; the same for all targets",
        OURS,
    ),
];
