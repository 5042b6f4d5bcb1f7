//! The columns of `visual.layout`, each with its range, meaning, source and formula. First the
//! columns of a target's own position and style, then those that compare it with the page and other
//! targets, then those of the page.
//!
//! "Modal" is the value of most characters on the page; the main column is the column of containers
//! (left edge and width, rounded to 8 px) with most characters; "start" is left, or right for
//! right-to-left text.

use super::page_layout::{
    BlockLayout, Formula, PageLayout, SAME_EDGE_PX, TargetLayout, TargetSpace, rgb,
};
use crate::capture::{CssRect, TextAlign};
use crate::features::column::{Feature, OURS, RATIO, ValueRange, YES_OR_NO, flag, log};

pub(super) const OWN_FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "visual.layout.width_ratio",
        ValueRange::new("ratio", 0.0, 3.0),
        "width of the block's lines / width of the main column",
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
            let shared =
                (container.right().min(column.right()) - container.x.max(column.x)).max(0.0);
            let covered =
                (container.right().max(column.right()) - container.x.min(column.x)).max(1.0);
            shared / covered
        },
    ),
    Feature::new(
        "visual.layout.start_offset",
        ValueRange::new("ratio", -2.0, 2.0),
        "distance of the block's start edge from the main column's / width of the main column; above 0 is inside",
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
            (center_x(target.block.container) - target.page.page.width / 2.0).abs()
                / (target.page.page.width / 2.0)
        },
    ),
    Feature::new(
        "visual.layout.center_column",
        ValueRange::new("ratio", 0.0, 2.0),
        "the same distance from the main column's center / width of the main column",
        OURS,
        |target| {
            let column = target.page.column;
            (center_x(target.block.container) - column.x - column.width / 2.0).abs()
                / target.column_width_px
        },
    ),
    Feature::new(
        "visual.layout.top",
        RATIO,
        "top of the block / height of the page",
        OURS,
        |target| target.block.rect.y / target.page.page.height,
    ),
    Feature::new(
        "visual.layout.first_screen",
        YES_OR_NO,
        "1 if the block begins within the viewport's height",
        OURS,
        |target| flag(target.block.rect.y < target.page.viewport[1]),
    ),
    Feature::new(
        "visual.layout.above_column",
        ValueRange::new("viewports", 0.0, 3.0),
        "distance from the block's bottom down to the main column's first line, in viewport heights",
        OURS,
        |target| (target.page.column.y - target.block.rect.bottom()) / target.page.viewport[1],
    ),
    Feature::new(
        "visual.layout.below_column",
        ValueRange::new("viewports", 0.0, 3.0),
        "distance from the block's top up to the main column's last line, in viewport heights",
        OURS,
        |target| (target.block.rect.y - target.page.column.bottom()) / target.page.viewport[1],
    ),
    Feature::new(
        "visual.layout.through_column",
        RATIO,
        "how far down the main column the block's top lies; 0 above it, 1 below",
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
    Feature::new(
        "visual.layout.italic",
        YES_OR_NO,
        "1 if the text is italic",
        OURS,
        |target| flag(target.block.style.is_italic),
    ),
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
    Feature::new(
        "visual.layout.on_image",
        YES_OR_NO,
        "1 if a background image lies under the text",
        OURS,
        |target| flag(target.inherited.on_image),
    ),
    Feature::new(
        "visual.layout.seems_hidden",
        RATIO,
        "characters that seem hidden, on a page that lacks what could tell (style sheets, pictures), / all of the block",
        OURS,
        |target| target.block.seems_hidden,
    ),
    Feature::new(
        "visual.layout.out_of_sight",
        RATIO,
        "characters of which the pictures tell nothing, in a box that scrolls, a closed panel or below their end, / all of the block",
        OURS,
        |target| target.block.out_of_sight,
    ),
    Feature::new(
        "visual.layout.page_seems_hidden",
        RATIO,
        "characters of the page that seem hidden / all of the page",
        OURS,
        |target| target.page.seems_hidden,
    ),
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
    Feature::new(
        "visual.layout.last_line",
        RATIO,
        "width of the last line / width of the widest",
        OURS,
        |target| target.line_widths.last,
    ),
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
        |target| {
            (target.block.rect.area() / target.page.page.area())
                .max(0.0)
                .sqrt()
        },
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
        "1 if a border or a ground of its own, smaller than half the page, encloses the block",
        OURS,
        |target| flag(target.enclosing_box.is_some()),
    ),
    Feature::new(
        "visual.layout.box_width",
        ValueRange::new("ratio", 0.0, 3.0),
        "width of that box / width of the main column; 0 without a box",
        OURS,
        |target| {
            target
                .enclosing_box
                .map_or(0.0, |rect| rect.width / target.column_width_px)
        },
    ),
    Feature::new(
        "visual.layout.box_height",
        ValueRange::new("ln(1 + viewports)", 0.0, 3.0),
        "height of that box in viewport heights; 0 without a box",
        OURS,
        |target| {
            target.enclosing_box.map_or(0.0, |rect| {
                (rect.height.max(0.0) / target.page.viewport[1]).ln_1p()
            })
        },
    ),
    Feature::new(
        "visual.layout.centered",
        YES_OR_NO,
        "1 if the text is centered",
        OURS,
        |target| flag(target.block.style.text_align == TextAlign::Center),
    ),
    Feature::new(
        "visual.layout.end_aligned",
        YES_OR_NO,
        "1 if the text is set to the end edge",
        OURS,
        |target| {
            let style = &target.block.style;
            flag(
                style.text_align
                    == if style.is_right_to_left {
                        TextAlign::Left
                    } else {
                        TextAlign::Right
                    },
            )
        },
    ),
    Feature::new(
        "visual.layout.fixed",
        YES_OR_NO,
        "1 if the block or an ancestor is fixed or sticky",
        OURS,
        |target| flag(target.inherited.fixed),
    ),
    Feature::new(
        "visual.layout.absolute",
        YES_OR_NO,
        "1 if the block or an ancestor is absolutely positioned",
        OURS,
        |target| flag(target.inherited.absolute),
    ),
    Feature::new(
        "visual.layout.floated",
        YES_OR_NO,
        "1 if the block or an ancestor floats",
        OURS,
        |target| flag(target.inherited.floated),
    ),
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
        "share of sampled points of the line boxes that the block owns in the node mask: 0 is covered or clipped; 1 without a mask",
        OURS,
        |target| target.owned_share,
    ),
    Feature::new(
        "visual.layout.opacity",
        RATIO,
        "product of the opacities of the block and its ancestors",
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
    Feature::new(
        "visual.layout.underlined",
        RATIO,
        "area of underlined line boxes / area of all",
        OURS,
        |target| target.block.underlined_share,
    ),
];

/// Horizontal center of a rectangle.
fn center_x(rect: CssRect) -> f32 {
    rect.x + rect.width / 2.0
}

/// Font size / modal font size.
fn font_ratio(target: &TargetLayout<'_>) -> f32 {
    target.block.style.font_size_px / target.page.font_size_px
}

pub(super) const NEIGHBOR_FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "visual.layout.same_style",
        ValueRange::new("ln(1 + count)", 0.0, 8.0),
        "other blocks with the same font size, weight, color and start edge",
        OURS,
        |target| log(target.same_style as f32),
    ),
    Feature::new(
        "visual.layout.same_row",
        ValueRange::new("ln(1 + count)", 0.0, 8.0),
        "other blocks with the same top, within 4 px",
        OURS,
        |target| log(target.same_row as f32),
    ),
    Feature::new(
        "visual.layout.same_edge",
        ValueRange::new("ln(1 + count)", 0.0, 8.0),
        "other blocks with the same start edge, within 4 px",
        OURS,
        |target| log(target.same_edge as f32),
    ),
    Feature::new(
        "visual.layout.column_share",
        RATIO,
        "share of the page's characters in containers with the same left edge and width, rounded to 8 px",
        OURS,
        |target| target.column_characters / target.page.characters,
    ),
    Feature::new(
        "visual.layout.space_above",
        ValueRange::new("lines", 0.0, 20.0),
        "blank space to the nearest block above that shares its extent along x, in lines; 20 where there is none",
        OURS,
        |target| target.space.above,
    ),
    Feature::new(
        "visual.layout.space_below",
        ValueRange::new("lines", 0.0, 20.0),
        "the same, to what is below",
        OURS,
        |target| target.space.below,
    ),
    Feature::new(
        "visual.layout.space_start",
        ValueRange::new("lines", 0.0, 20.0),
        "the same, on the start side",
        OURS,
        |target| target.space.start,
    ),
    Feature::new(
        "visual.layout.space_end",
        ValueRange::new("lines", 0.0, 20.0),
        "the same, on the end side",
        OURS,
        |target| target.space.end,
    ),
    Feature::new(
        "visual.layout.space_ratio",
        ValueRange::new("ratio", -1.0, 1.0),
        "(space above - space below) / their sum: above 0 belongs to what follows, as headings do",
        OURS,
        |target| {
            let TargetSpace { above, below, .. } = target.space;
            (above - below) / (above + below).max(0.1)
        },
    ),
    Feature::new(
        "visual.layout.beside",
        ValueRange::new("ln(1 + count)", 0.0, 6.0),
        "other blocks that cross the height of the block's middle",
        OURS,
        |target| log(target.beside as f32),
    ),
    Feature::new(
        "visual.layout.in_grid",
        YES_OR_NO,
        "1 below one of at least 3 boxes of the same width, side by side",
        OURS,
        |target| flag(target.inherited.in_grid),
    ),
    Feature::new(
        "visual.layout.container_height",
        ValueRange::new("ln(1 + viewports)", 0.0, 4.0),
        "height of the container in viewport heights",
        OURS,
        |target| (target.block.container.height / target.page.viewport[1]).ln_1p(),
    ),
    Feature::new(
        "visual.layout.container_width",
        ValueRange::new("ratio", 0.0, 2.0),
        "width of the container / width of the viewport",
        OURS,
        |target| target.block.container.width / target.page.viewport[0],
    ),
    Feature::new(
        "visual.layout.full_text",
        YES_OR_NO,
        "1 if the block is full text: modal font size, at least 2 lines, the first as wide as half the main column",
        OURS,
        |target| flag(target.page.is_full_text(target.block)),
    ),
    Feature::new(
        "visual.layout.text_above",
        ValueRange::new("viewports", 0.0, 3.0),
        "distance from the nearest full text before the block, in viewport heights; 3 where there is none",
        OURS,
        |target| target.text_above.viewports,
    ),
    Feature::new(
        "visual.layout.text_below",
        ValueRange::new("viewports", 0.0, 3.0),
        "distance to the nearest full text after the block, in viewport heights; 3 where there is none",
        OURS,
        |target| target.text_below.viewports,
    ),
    Feature::new(
        "visual.layout.targets_above",
        ValueRange::new("ln(1 + count)", 0.0, 5.0),
        "blocks between it and the nearest full text before it; 5 where there is none",
        OURS,
        |target| target.text_above.targets_log,
    ),
    Feature::new(
        "visual.layout.targets_below",
        ValueRange::new("ln(1 + count)", 0.0, 5.0),
        "blocks between it and the nearest full text after it; 5 where there is none",
        OURS,
        |target| target.text_below.targets_log,
    ),
];

pub(super) type PageFormula = fn(&PageLayout) -> f32;

/// Name of the column that is 0 if the layout is not informative.
pub(crate) const STYLED_SHARE: &str = "visual.layout.styled_share";

pub(super) const PAGE_FEATURES: &[Feature<PageFormula>] = &[
    Feature::new(
        STYLED_SHARE,
        RATIO,
        "share of the page's text that is not 16 px, normal, black, left, and as wide as the page: 0 where the layout says nothing; the same for all blocks of a page",
        OURS,
        |page| character_share(page, |block| flag(!is_plain(page, block))),
    ),
    Feature::new(
        "visual.layout.page_column_width",
        RATIO,
        "width of the main column / width of the page; the same for all blocks",
        OURS,
        |page| page.column.width / page.page.width,
    ),
    Feature::new(
        "visual.layout.page_column_share",
        RATIO,
        "share of the page's characters in the main column; the same for all blocks",
        OURS,
        |page| character_share(page, |block| flag(page.is_in_column(block.container))),
    ),
    Feature::new(
        "visual.layout.page_modal_share",
        RATIO,
        "share of the page's characters in the modal style; the same for all blocks",
        OURS,
        |page| character_share(page, |block| flag(page.is_modal_style(block))),
    ),
    Feature::new(
        "visual.layout.page_text_share",
        RATIO,
        "share of the page's characters in full text; the same for all blocks",
        OURS,
        |page| character_share(page, |block| flag(page.is_full_text(block))),
    ),
    Feature::new(
        "visual.layout.page_grid_share",
        RATIO,
        "share of the page's characters in grids of boxes; the same for all blocks",
        OURS,
        |page| {
            character_share(page, |block| {
                flag(page.inherited[block.main_text.index()].in_grid)
            })
        },
    ),
    Feature::new(
        "visual.layout.page_link_share",
        RATIO,
        "share of the page's characters in links, by area of line boxes; the same for all blocks",
        OURS,
        |page| character_share(page, |block| block.link_share),
    ),
    Feature::new(
        "visual.layout.page_height",
        ValueRange::new("ln(1 + viewports)", 0.0, 5.0),
        "height of the page in viewport heights; the same for all blocks",
        OURS,
        |page| (page.page.height / page.viewport[1]).ln_1p(),
    ),
    Feature::new(
        "visual.layout.page_targets",
        ValueRange::new("ln(1 + count)", 0.0, 11.0),
        "number of blocks; the same for all blocks",
        OURS,
        |page| log(page.blocks.len() as f32),
    ),
];

/// Mean over the blocks of a page, weighted by their characters.
fn character_share(page: &PageLayout, value: impl Fn(&BlockLayout) -> f32) -> f32 {
    page.blocks
        .iter()
        .flatten()
        .map(|block| value(block) * block.characters)
        .sum::<f32>()
        / page.characters
}

/// True if a block looks like in the default style sheet: 16 px, normal, black, left, and as wide
/// as the page except for a margin of 8 px on either side.
fn is_plain(page: &PageLayout, block: &BlockLayout) -> bool {
    block.style.font_size_px == 16.0
        && block.style.font_weight == 400
        && block.style.color == [0, 0, 0, 255]
        && block.style.text_align == TextAlign::Left
        && block.container.width >= page.page.width - 64.0
}

/// Distance in RGB relative to the maximum, 0 to 1.
fn color_distance(a: [u8; 3], b: [u8; 3]) -> f32 {
    let square: f32 = a
        .iter()
        .zip(&b)
        .map(|(&a, &b)| (f32::from(a) - f32::from(b)).powi(2))
        .sum();
    (square / 3.0).sqrt() / 255.0
}

/// Relative luminance by WCAG 2, 0 to 1.
fn luminance(color: [u8; 3]) -> f32 {
    let linear = color.map(|channel| {
        let value = f32::from(channel) / 255.0;
        if value <= 0.040_45 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

/// Logarithm of the contrast ratio by WCAG 2, relative to that of black and white, 0 to 1.
pub(super) fn contrast(text: [u8; 4], ground: [u8; 3]) -> f32 {
    let alpha = f32::from(text[3]) / 255.0;
    let mut seen = ground;
    for (channel, &color) in seen.iter_mut().zip(&text) {
        *channel = (f32::from(*channel) * (1.0 - alpha) + f32::from(color) * alpha).round() as u8;
    }
    let (a, b) = (luminance(seen) + 0.05, luminance(ground) + 0.05);
    ((a.max(b) / a.min(b)).ln() / 21f32.ln()).clamp(0.0, 1.0)
}
