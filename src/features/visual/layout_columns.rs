//! The columns of `visual.layout` for a target's own position and style: each with its range, meaning, source and formula.
//!
//! "Modal" is the value that most characters of the page have; the main column is the column of containers (left edge
//! and width, rounded to 8 px) with most characters; "start" is left, or right for right-to-left text.

use super::color::{color_distance, contrast};
use super::page_layout::{SAME_EDGE_PX, rgb};
use super::target_layout::{Formula, TargetLayout};
use crate::capture::{CssRect, TextAlign};
use crate::features::column::{Feature, OURS, RATIO, ValueRange, YES_OR_NO, flag, log};

pub(super) const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "visual.layout.width_ratio",
        ValueRange::new("ratio", 0.0, 3.0),
        "width of the target's lines / width of the main column",
        "after Bauer et al. 2007, section 3.3, relative width",
        |target| target.block.rect.width / target.column_width_px,
    ),
    Feature::new(
        "visual.layout.container_width_ratio",
        ValueRange::new("ratio", 0.0, 3.0),
        "width of the container / width of the main column",
        OURS,
        |target| target.block.container.width / target.column_width_px,
    ),
    Feature::new(
        "visual.layout.column_overlap",
        RATIO,
        "extent along x that the container and the main column share / extent that they cover together",
        OURS,
        |target| {
            let (container, column) = (target.block.container, target.page.column);
            let shared = (container.right().min(column.right()) - container.x.max(column.x)).max(0.0);
            let covered = (container.right().max(column.right()) - container.x.min(column.x)).max(1.0);
            shared / covered
        },
    ),
    Feature::new(
        "visual.layout.start_offset",
        ValueRange::new("ratio", -2.0, 2.0),
        "distance of the target's start edge from the main column's / width of the main column; above 0 is inside",
        OURS,
        |target| target.start_offset_px / target.column_width_px,
    ),
    Feature::new(
        "visual.layout.same_start",
        YES_OR_NO,
        "1 if the lines start at the main column's start edge, within 8 px",
        OURS,
        |target| flag(target.start_offset_px.abs() <= SAME_EDGE_PX),
    ),
    Feature::new(
        "visual.layout.same_end",
        YES_OR_NO,
        "1 if the container ends at the main column's end edge, within 8 px",
        OURS,
        |target| flag(target.end_offset_px.abs() <= SAME_EDGE_PX),
    ),
    Feature::new(
        "visual.layout.in_column",
        YES_OR_NO,
        "1 if both edges of the container are the main column's, within 8 px",
        OURS,
        |target| flag(target.page.is_in_column(target.block.container)),
    ),
    Feature::new(
        "visual.layout.center_page",
        ValueRange::new("ratio", 0.0, 2.0),
        "distance of the container's center from the page's along x / half the page's width",
        OURS,
        |target| {
            (center_x(target.block.container) - target.page.page.width / 2.0).abs() / (target.page.page.width / 2.0)
        },
    ),
    Feature::new(
        "visual.layout.center_column",
        ValueRange::new("ratio", 0.0, 2.0),
        "the same distance from the main column's center / width of the main column",
        OURS,
        |target| {
            let column = target.page.column;
            (center_x(target.block.container) - column.x - column.width / 2.0).abs() / target.column_width_px
        },
    ),
    Feature::new("visual.layout.top", RATIO, "top of the target / height of the page", OURS, |target| {
        target.block.rect.y / target.page.page.height
    }),
    Feature::new(
        "visual.layout.first_screen",
        YES_OR_NO,
        "1 if the target begins within the viewport's height",
        OURS,
        |target| flag(target.block.rect.y < target.page.viewport[1]),
    ),
    Feature::new(
        "visual.layout.above_column",
        ValueRange::new("viewports", 0.0, 3.0),
        "distance from the target's bottom down to the main column's first line, in viewport heights",
        OURS,
        |target| (target.page.column.y - target.block.rect.bottom()) / target.page.viewport[1],
    ),
    Feature::new(
        "visual.layout.below_column",
        ValueRange::new("viewports", 0.0, 3.0),
        "distance from the target's top up to the main column's last line, in viewport heights",
        OURS,
        |target| (target.block.rect.y - target.page.column.bottom()) / target.page.viewport[1],
    ),
    Feature::new(
        "visual.layout.through_column",
        RATIO,
        "how far down the main column the target's top lies; 0 above it, 1 below",
        OURS,
        |target| (target.block.rect.y - target.page.column.y) / target.page.column.height.max(1.0),
    ),
    Feature::new(
        "visual.layout.font_ratio",
        ValueRange::new("ratio", 0.0, 4.0),
        "font size / modal font size",
        OURS,
        font_ratio,
    ),
    Feature::new(
        "visual.layout.font_log",
        ValueRange::new("ln of a ratio", -2.0, 2.0),
        "logarithm of the font ratio",
        OURS,
        |target| font_ratio(target).max(0.05).ln(),
    ),
    Feature::new(
        "visual.layout.weight_difference",
        ValueRange::new("ratio", -2.0, 2.0),
        "font weight less modal font weight, / 300",
        OURS,
        |target| (f32::from(target.block.style.font_weight) - target.page.font_weight) / 300.0,
    ),
    Feature::new("visual.layout.italic", YES_OR_NO, "1 if the text is italic", OURS, |target| {
        flag(target.block.style.is_italic)
    }),
    Feature::new(
        "visual.layout.color_distance",
        RATIO,
        "distance of the text's color from the modal color in RGB / its largest",
        OURS,
        |target| color_distance(rgb(target.block.style.color), target.page.color),
    ),
    Feature::new(
        "visual.layout.contrast",
        RATIO,
        "logarithm of the contrast (WCAG 2) of the text with its ground / ln 21; 0 is invisible",
        OURS,
        |target| contrast(target.block.style.color, target.inherited.ground),
    ),
    Feature::new(
        "visual.layout.ground_distance",
        RATIO,
        "distance of the ground's color from the modal ground in RGB / its largest",
        OURS,
        |target| color_distance(target.inherited.ground, target.page.ground),
    ),
    Feature::new("visual.layout.on_image", YES_OR_NO, "1 if a background image lies under the text", OURS, |target| {
        flag(target.inherited.on_image)
    }),
    Feature::new(
        "visual.layout.modal_style",
        YES_OR_NO,
        "1 if font size, weight and color are all modal",
        OURS,
        |target| flag(target.page.is_modal_style(target.block)),
    ),
    Feature::new(
        "visual.layout.lines",
        ValueRange::new("ln(1 + lines)", 0.0, 8.0),
        "number of line boxes",
        OURS,
        |target| log(target.block.lines.len() as f32),
    ),
    Feature::new(
        "visual.layout.line_characters",
        ValueRange::new("ln(1 + characters)", 0.0, 7.0),
        "characters a line",
        OURS,
        |target| (target.block.characters / target.block.lines.len().max(1) as f32).ln_1p(),
    ),
    Feature::new(
        "visual.layout.column_fill",
        RATIO,
        "mean width of the lines but the last / width of the main column; of the only line, if one",
        OURS,
        |target| target.line_widths.mean_px / target.column_width_px,
    ),
    Feature::new(
        "visual.layout.line_deviation",
        RATIO,
        "standard deviation of the lines' widths, the last left out / the widest; 0 below 3 lines",
        "after Bauer et al. 2007, section 3.3, assumption B",
        |target| target.line_widths.deviation,
    ),
    Feature::new("visual.layout.last_line", RATIO, "width of the last line / width of the widest", OURS, |target| {
        target.line_widths.last
    }),
    Feature::new(
        "visual.layout.line_pitch",
        ValueRange::new("ratio", 0.0, 4.0),
        "distance of two lines / font size; 1.25 for a single line",
        OURS,
        |target| target.block.pitch_px() / target.block.style.font_size_px.max(1.0),
    ),
    Feature::new(
        "visual.layout.area_share",
        ValueRange::new("square root of a ratio", 0.0, 1.0),
        "square root of the lines' bounding area / area of the page",
        OURS,
        |target| (target.block.rect.area() / target.page.page.area()).max(0.0).sqrt(),
    ),
    Feature::new(
        "visual.layout.link_share",
        RATIO,
        "area of the line boxes below a link / area of all",
        "after Kohlschütter et al. 2010, link density",
        |target| target.block.link_share,
    ),
    Feature::new(
        "visual.layout.picture_share",
        RATIO,
        "area of pictures below the container / area of the container",
        OURS,
        |target| target.picture_share,
    ),
    Feature::new(
        "visual.layout.boxed",
        YES_OR_NO,
        "1 if a border or a ground of its own, smaller than half the page, encloses the target",
        OURS,
        |target| flag(target.enclosing_box.is_some()),
    ),
    Feature::new(
        "visual.layout.box_width",
        ValueRange::new("ratio", 0.0, 3.0),
        "width of that box / width of the main column; 0 without a box",
        OURS,
        |target| target.enclosing_box.map_or(0.0, |rect| rect.width / target.column_width_px),
    ),
    Feature::new(
        "visual.layout.box_height",
        ValueRange::new("ln(1 + viewports)", 0.0, 3.0),
        "height of that box in viewport heights; 0 without a box",
        OURS,
        |target| target.enclosing_box.map_or(0.0, |rect| (rect.height.max(0.0) / target.page.viewport[1]).ln_1p()),
    ),
    Feature::new("visual.layout.centered", YES_OR_NO, "1 if the text is centered", OURS, |target| {
        flag(target.block.style.text_align == TextAlign::Center)
    }),
    Feature::new("visual.layout.end_aligned", YES_OR_NO, "1 if the text is set to the end edge", OURS, |target| {
        let style = &target.block.style;
        flag(style.text_align == if style.is_right_to_left { TextAlign::Left } else { TextAlign::Right })
    }),
    Feature::new(
        "visual.layout.fixed",
        YES_OR_NO,
        "1 if the target or an ancestor is fixed or sticky",
        OURS,
        |target| flag(target.inherited.fixed),
    ),
    Feature::new(
        "visual.layout.absolute",
        YES_OR_NO,
        "1 if the target or an ancestor is absolutely positioned",
        OURS,
        |target| flag(target.inherited.absolute),
    ),
    Feature::new("visual.layout.floated", YES_OR_NO, "1 if the target or an ancestor floats", OURS, |target| {
        flag(target.inherited.floated)
    }),
    Feature::new(
        "visual.layout.paint_order",
        RATIO,
        "painting order of the text / the page's largest: near 1 is painted over the rest",
        OURS,
        |target| target.paint_order / target.page.largest_paint_order,
    ),
    Feature::new(
        "visual.layout.owned_share",
        RATIO,
        "share of sampled points of the line boxes that the target owns in the node mask: 0 is covered or clipped; 1 without a mask",
        OURS,
        |target| target.owned_share,
    ),
    Feature::new(
        "visual.layout.opacity",
        RATIO,
        "product of the opacities of the target and its ancestors",
        OURS,
        |target| target.inherited.opacity,
    ),
    Feature::new(
        "visual.layout.off_page",
        RATIO,
        "share of the lines' bounding area that lies outside the page",
        OURS,
        |target| {
            let rect = target.block.rect;
            1.0 - rect.intersection(target.page.page).area() / rect.area().max(1e-3)
        },
    ),
    Feature::new("visual.layout.underlined", RATIO, "area of underlined line boxes / area of all", OURS, |target| {
        target.block.underlined_share
    }),
];

/// Middle of a rectangle along x.
fn center_x(rect: CssRect) -> f32 {
    rect.x + rect.width / 2.0
}

/// Font size / modal font size.
fn font_ratio(target: &TargetLayout<'_>) -> f32 {
    target.block.style.font_size_px / target.page.font_size_px
}
