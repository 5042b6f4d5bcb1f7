//! The columns of `visual.layout` that compare a target with the others of its page: each with its range, meaning, source and
//! formula. The words are those of `layout_columns`.

use super::target_layout::{Formula, TargetSpace};
use crate::features::column::{Feature, OURS, RATIO, ValueRange, YES_OR_NO, flag, log};

pub(super) const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "visual.layout.same_style",
        ValueRange::new("ln(1 + count)", 0.0, 8.0),
        "other targets with the same font size, weight, color and start edge",
        OURS,
        |target| log(target.same_style as f32),
    ),
    Feature::new(
        "visual.layout.same_row",
        ValueRange::new("ln(1 + count)", 0.0, 8.0),
        "other targets with the same top, within 4 px",
        OURS,
        |target| log(target.same_row as f32),
    ),
    Feature::new(
        "visual.layout.same_edge",
        ValueRange::new("ln(1 + count)", 0.0, 8.0),
        "other targets with the same start edge, within 4 px",
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
        "blank space to the nearest target above that shares its extent along x, in lines; 20 where there is none",
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
        "other targets that cross the height of the target's middle",
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
        "1 if the target is full text: modal font size, at least 2 lines, the first as wide as half the main column",
        OURS,
        |target| flag(target.page.is_full_text(target.block)),
    ),
    Feature::new(
        "visual.layout.text_above",
        ValueRange::new("viewports", 0.0, 3.0),
        "distance from the nearest full text before the target, in viewport heights; 3 where there is none",
        OURS,
        |target| target.text_above.viewports,
    ),
    Feature::new(
        "visual.layout.text_below",
        ValueRange::new("viewports", 0.0, 3.0),
        "distance to the nearest full text after the target, in viewport heights; 3 where there is none",
        OURS,
        |target| target.text_below.viewports,
    ),
    Feature::new(
        "visual.layout.targets_above",
        ValueRange::new("ln(1 + count)", 0.0, 5.0),
        "targets between it and the nearest full text before it; 5 where there is none",
        OURS,
        |target| target.text_above.targets_log,
    ),
    Feature::new(
        "visual.layout.targets_below",
        ValueRange::new("ln(1 + count)", 0.0, 5.0),
        "targets between it and the nearest full text after it; 5 where there is none",
        OURS,
        |target| target.text_below.targets_log,
    ),
];
