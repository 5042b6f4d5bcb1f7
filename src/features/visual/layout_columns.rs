//! The columns of `visual.layout`, in the order in which `layout` fills them.

use crate::features::Column;

const fn ours(name: &'static str, range: &'static str, meaning: &'static str) -> Column {
    Column { name, range, meaning, source: "ours" }
}

const fn after(name: &'static str, range: &'static str, meaning: &'static str, source: &'static str) -> Column {
    Column { name, range, meaning, source }
}

/// Number of columns that are the same for all targets of a page; they come last.
pub(crate) const PAGE_COLUMNS: usize = 9;

/// "Modal" is the value that most characters of the page have; the main column is the column of containers (left edge
/// and width, rounded to 8 px) with most characters; "start" is left, or right for right-to-left text.
pub(crate) const COLUMNS: &[Column] = &[
    after(
        "visual.layout.width_ratio",
        "ratio, 0 to 3",
        "width of the target's lines / width of the main column",
        "after Bauer et al. 2007, section 3.3, relative width",
    ),
    ours("visual.layout.container_width_ratio", "ratio, 0 to 3", "width of the container / width of the main column"),
    ours(
        "visual.layout.column_overlap",
        "ratio, 0 to 1",
        "extent along x that the container and the main column share / extent that they cover together",
    ),
    ours(
        "visual.layout.start_offset",
        "ratio, -2 to 2",
        "distance of the target's start edge from the main column's / width of the main column; above 0 is inside",
    ),
    ours(
        "visual.layout.same_start",
        "0 or 1, 0 to 1",
        "1 if the lines start at the main column's start edge, within 8 px",
    ),
    ours(
        "visual.layout.same_end",
        "0 or 1, 0 to 1",
        "1 if the container ends at the main column's end edge, within 8 px",
    ),
    ours(
        "visual.layout.in_column",
        "0 or 1, 0 to 1",
        "1 if both edges of the container are the main column's, within 8 px",
    ),
    ours(
        "visual.layout.center_page",
        "ratio, 0 to 2",
        "distance of the container's center from the page's along x / half the page's width",
    ),
    ours(
        "visual.layout.center_column",
        "ratio, 0 to 2",
        "the same distance from the main column's center / width of the main column",
    ),
    ours("visual.layout.top", "ratio, 0 to 1", "top of the target / height of the page"),
    ours("visual.layout.first_screen", "0 or 1, 0 to 1", "1 if the target begins within the viewport's height"),
    ours(
        "visual.layout.above_column",
        "viewports, 0 to 3",
        "distance from the target's bottom down to the main column's first line, in viewport heights",
    ),
    ours(
        "visual.layout.below_column",
        "viewports, 0 to 3",
        "distance from the target's top up to the main column's last line, in viewport heights",
    ),
    ours(
        "visual.layout.through_column",
        "ratio, 0 to 1",
        "how far down the main column the target's top lies; 0 above it, 1 below",
    ),
    ours("visual.layout.font_ratio", "ratio, 0 to 4", "font size / modal font size"),
    ours("visual.layout.font_log", "ln of a ratio, -2 to 2", "logarithm of the font ratio"),
    ours("visual.layout.weight_difference", "ratio, -2 to 2", "font weight less modal font weight, / 300"),
    ours("visual.layout.italic", "0 or 1, 0 to 1", "1 if the text is italic"),
    ours(
        "visual.layout.color_distance",
        "ratio, 0 to 1",
        "distance of the text's color from the modal color in RGB / its largest",
    ),
    ours(
        "visual.layout.contrast",
        "ratio, 0 to 1",
        "logarithm of the contrast (WCAG 2) of the text with its ground / ln 21; 0 is invisible",
    ),
    ours(
        "visual.layout.ground_distance",
        "ratio, 0 to 1",
        "distance of the ground's color from the modal ground in RGB / its largest",
    ),
    ours("visual.layout.on_image", "0 or 1, 0 to 1", "1 if a background image lies under the text"),
    ours("visual.layout.modal_style", "0 or 1, 0 to 1", "1 if font size, weight and color are all modal"),
    ours("visual.layout.lines", "ln(1 + lines), 0 to 8", "number of line boxes"),
    ours("visual.layout.line_characters", "ln(1 + characters), 0 to 7", "characters a line"),
    ours(
        "visual.layout.column_fill",
        "ratio, 0 to 1",
        "mean width of the lines but the last / width of the main column; of the only line, if one",
    ),
    after(
        "visual.layout.line_deviation",
        "ratio, 0 to 1",
        "standard deviation of the lines' widths, the last left out / the widest; 0 below 3 lines",
        "after Bauer et al. 2007, section 3.3, assumption B",
    ),
    ours("visual.layout.last_line", "ratio, 0 to 1", "width of the last line / width of the widest"),
    ours("visual.layout.line_pitch", "ratio, 0 to 4", "distance of two lines / font size; 1.25 for a single line"),
    ours(
        "visual.layout.area_share",
        "square root of a ratio, 0 to 1",
        "square root of the lines' bounding area / area of the page",
    ),
    after(
        "visual.layout.link_share",
        "ratio, 0 to 1",
        "area of the line boxes below a link / area of all",
        "after Kohlschütter et al. 2010, link density",
    ),
    ours(
        "visual.layout.picture_share",
        "ratio, 0 to 1",
        "area of pictures below the container / area of the container",
    ),
    ours(
        "visual.layout.boxed",
        "0 or 1, 0 to 1",
        "1 if a border or a ground of its own, smaller than half the page, encloses the target",
    ),
    ours("visual.layout.box_width", "ratio, 0 to 3", "width of that box / width of the main column; 0 without a box"),
    ours(
        "visual.layout.box_height",
        "ln(1 + viewports), 0 to 3",
        "height of that box in viewport heights; 0 without a box",
    ),
    ours("visual.layout.centered", "0 or 1, 0 to 1", "1 if the text is centered"),
    ours("visual.layout.end_aligned", "0 or 1, 0 to 1", "1 if the text is set to the end edge"),
    ours("visual.layout.fixed", "0 or 1, 0 to 1", "1 if the target or an ancestor is fixed or sticky"),
    ours("visual.layout.absolute", "0 or 1, 0 to 1", "1 if the target or an ancestor is absolutely positioned"),
    ours("visual.layout.floated", "0 or 1, 0 to 1", "1 if the target or an ancestor floats"),
    ours(
        "visual.layout.paint_order",
        "ratio, 0 to 1",
        "painting order of the text / the page's largest: near 1 is painted over the rest",
    ),
    ours(
        "visual.layout.owned_share",
        "ratio, 0 to 1",
        "share of sampled points of the line boxes that the target owns in the node mask: 0 is covered or clipped; 1 without a mask",
    ),
    ours("visual.layout.opacity", "ratio, 0 to 1", "product of the opacities of the target and its ancestors"),
    ours("visual.layout.off_page", "ratio, 0 to 1", "share of the lines' bounding area that lies outside the page"),
    ours("visual.layout.underlined", "ratio, 0 to 1", "area of underlined line boxes / area of all"),
    ours(
        "visual.layout.same_style",
        "ln(1 + count), 0 to 8",
        "other targets with the same font size, weight, color and start edge",
    ),
    ours("visual.layout.same_row", "ln(1 + count), 0 to 8", "other targets with the same top, within 4 px"),
    ours("visual.layout.same_edge", "ln(1 + count), 0 to 8", "other targets with the same start edge, within 4 px"),
    ours(
        "visual.layout.column_share",
        "ratio, 0 to 1",
        "share of the page's characters in containers with the same left edge and width, rounded to 8 px",
    ),
    ours(
        "visual.layout.space_above",
        "lines, 0 to 20",
        "blank space to the nearest target above that shares its extent along x, in lines; 20 where there is none",
    ),
    ours("visual.layout.space_below", "lines, 0 to 20", "the same, to what is below"),
    ours("visual.layout.space_start", "lines, 0 to 20", "the same, on the start side"),
    ours("visual.layout.space_end", "lines, 0 to 20", "the same, on the end side"),
    ours(
        "visual.layout.space_ratio",
        "ratio, -1 to 1",
        "(space above - space below) / their sum: above 0 belongs to what follows, as headings do",
    ),
    ours("visual.layout.beside", "ln(1 + count), 0 to 6", "other targets that cross the height of the target's middle"),
    ours("visual.layout.in_grid", "0 or 1, 0 to 1", "1 below one of at least 3 boxes of the same width, side by side"),
    ours("visual.layout.container_height", "ln(1 + viewports), 0 to 4", "height of the container in viewport heights"),
    ours("visual.layout.container_width", "ratio, 0 to 2", "width of the container / width of the viewport"),
    ours(
        "visual.layout.full_text",
        "0 or 1, 0 to 1",
        "1 if the target is full text: modal font size, at least 2 lines, the first as wide as half the main column",
    ),
    ours(
        "visual.layout.text_above",
        "viewports, 0 to 3",
        "distance from the nearest full text before the target, in viewport heights; 3 where there is none",
    ),
    ours(
        "visual.layout.text_below",
        "viewports, 0 to 3",
        "distance to the nearest full text after the target, in viewport heights; 3 where there is none",
    ),
    ours(
        "visual.layout.targets_above",
        "ln(1 + count), 0 to 5",
        "targets between it and the nearest full text before it; 5 where there is none",
    ),
    ours(
        "visual.layout.targets_below",
        "ln(1 + count), 0 to 5",
        "targets between it and the nearest full text after it; 5 where there is none",
    ),
    ours(
        "visual.layout.styled_share",
        "ratio, 0 to 1",
        "share of the page's text that is not 16 px, normal, black, left, and as wide as the page: 0 where the layout says nothing; the same for all targets of a page",
    ),
    ours(
        "visual.layout.page_column_width",
        "ratio, 0 to 1",
        "width of the main column / width of the page; the same for all targets",
    ),
    ours(
        "visual.layout.page_column_share",
        "ratio, 0 to 1",
        "share of the page's characters in the main column; the same for all targets",
    ),
    ours(
        "visual.layout.page_modal_share",
        "ratio, 0 to 1",
        "share of the page's characters in the modal style; the same for all targets",
    ),
    ours(
        "visual.layout.page_text_share",
        "ratio, 0 to 1",
        "share of the page's characters in full text; the same for all targets",
    ),
    ours(
        "visual.layout.page_grid_share",
        "ratio, 0 to 1",
        "share of the page's characters in grids of boxes; the same for all targets",
    ),
    ours(
        "visual.layout.page_link_share",
        "ratio, 0 to 1",
        "share of the page's characters in links, by area of line boxes; the same for all targets",
    ),
    ours(
        "visual.layout.page_height",
        "ln(1 + viewports), 0 to 5",
        "height of the page in viewport heights; the same for all targets",
    ),
    ours("visual.layout.page_targets", "ln(1 + count), 0 to 11", "number of targets; the same for all targets"),
];

/// Lowest and highest value of each column, from its `range`.
pub(crate) fn limits() -> &'static [(f32, f32)] {
    static LIMITS: std::sync::OnceLock<Vec<(f32, f32)>> = std::sync::OnceLock::new();
    LIMITS.get_or_init(|| {
        COLUMNS.iter().map(|column| column.bounds().expect("a range of this group names two bounds")).collect()
    })
}

/// Brings values into the ranges that their columns state; what is no number becomes the nearest value to 0.
pub(crate) fn clamp<const N: usize>(mut values: [f32; N]) -> [f32; N] {
    for (value, &(low, high)) in values.iter_mut().zip(limits()) {
        *value = if value.is_nan() { 0.0 } else { *value }.clamp(low, high);
    }
    values
}
