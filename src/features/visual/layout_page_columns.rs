//! The columns of `visual.layout` that are the same for all targets of a page: each with its range, meaning, source and
//! formula. The words are those of `layout_columns`.

use super::page_layout::{BlockLayout, PageLayout};
use crate::capture::TextAlign;
use crate::features::column::{Feature, OURS, RATIO, ValueRange, flag, log};

/// Computes a column's value.
pub(super) type Formula = fn(&PageLayout) -> f32;

/// Name of the column that is 0 where the layout says nothing.
pub const STYLED_SHARE: &str = "visual.layout.styled_share";

pub(super) const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        STYLED_SHARE,
        RATIO,
        "share of the page's text that is not 16 px, normal, black, left, and as wide as the page: 0 where the layout says nothing; the same for all targets of a page",
        OURS,
        |page| character_share(page, |block| flag(!is_plain(page, block))),
    ),
    Feature::new(
        "visual.layout.page_column_width",
        RATIO,
        "width of the main column / width of the page; the same for all targets",
        OURS,
        |page| page.column.width / page.page.width,
    ),
    Feature::new(
        "visual.layout.page_column_share",
        RATIO,
        "share of the page's characters in the main column; the same for all targets",
        OURS,
        |page| character_share(page, |block| flag(page.is_in_column(block.container))),
    ),
    Feature::new(
        "visual.layout.page_modal_share",
        RATIO,
        "share of the page's characters in the modal style; the same for all targets",
        OURS,
        |page| character_share(page, |block| flag(page.is_modal_style(block))),
    ),
    Feature::new(
        "visual.layout.page_text_share",
        RATIO,
        "share of the page's characters in full text; the same for all targets",
        OURS,
        |page| character_share(page, |block| flag(page.is_full_text(block))),
    ),
    Feature::new(
        "visual.layout.page_grid_share",
        RATIO,
        "share of the page's characters in grids of boxes; the same for all targets",
        OURS,
        |page| character_share(page, |block| flag(page.inherited[block.main_text.index()].in_grid)),
    ),
    Feature::new(
        "visual.layout.page_link_share",
        RATIO,
        "share of the page's characters in links, by area of line boxes; the same for all targets",
        OURS,
        |page| character_share(page, |block| block.link_share),
    ),
    Feature::new(
        "visual.layout.page_height",
        ValueRange::new("ln(1 + viewports)", 0.0, 5.0),
        "height of the page in viewport heights; the same for all targets",
        OURS,
        |page| (page.page.height / page.viewport[1]).ln_1p(),
    ),
    Feature::new(
        "visual.layout.page_targets",
        ValueRange::new("ln(1 + count)", 0.0, 11.0),
        "number of targets; the same for all targets",
        OURS,
        |page| log(page.blocks.len() as f32),
    ),
];

/// Mean over the blocks of a page, weighted by their characters.
fn character_share(page: &PageLayout, value: impl Fn(&BlockLayout) -> f32) -> f32 {
    page.blocks.iter().flatten().map(|block| value(block) * block.characters).sum::<f32>() / page.characters
}

/// Whether a block looks as in the default style sheet: 16 px, normal, black, left, and as wide as the page but for 8 px of
/// margin on either side.
fn is_plain(page: &PageLayout, block: &BlockLayout) -> bool {
    block.style.font_size_px == 16.0
        && block.style.font_weight == 400
        && block.style.color == [0, 0, 0, 255]
        && block.style.text_align == TextAlign::Left
        && block.container.width >= page.page.width - 64.0
}
