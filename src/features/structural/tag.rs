//! The tags and roles of a target's container and of the elements around it.

use super::super::column::{FLAG, Feature, LOG, OURS, SHARE, ValueRange, flag, log};
use super::super::source::FIASCO_STRUCTURAL as FIASCO;
use super::super::tags;
use super::facts::{Formula, TargetFacts};

/// A flag for the kinds of the container itself.
macro_rules! is {
    ($name:literal, $kinds:expr, $meaning:literal) => {
        Feature::new(concat!("structural.", $name), FLAG, $meaning, FIASCO, |facts| flag(facts.own & ($kinds) != 0))
    };
}

/// A flag for the kinds of the container and all elements above it.
macro_rules! within {
    ($name:literal, $kinds:expr, $meaning:literal) => {
        Feature::new(
            concat!("structural.", $name),
            FLAG,
            concat!("the container is or stands ", $meaning),
            OURS,
            |facts| flag(facts.above & ($kinds) != 0),
        )
    };
}

pub(super) const FEATURES: &[Feature<Formula>] = &[
    Feature::new("structural.depth_log", LOG, "depth of the container in the tree", FIASCO, |facts| {
        log(facts.dom.depth(facts.target.container) as f32)
    }),
    Feature::new(
        "structural.relative_depth",
        SHARE,
        "depth of the container by the greatest depth of the tree",
        OURS,
        |facts| facts.dom.depth(facts.target.container) as f32 / facts.view.tree.max_depth.max(1) as f32,
    ),
    is!("is_paragraph", tags::PARAGRAPH, "the container is a `p`"),
    Feature::new("structural.is_heading", FLAG, "the text stands in a heading element or role", FIASCO, |facts| {
        flag(facts.block.heading_level > 0)
    }),
    Feature::new(
        "structural.heading_rank",
        ValueRange::new("rank", 0.0, 1.0),
        "1 for a first-level heading down to 1/6 for a sixth-level one; 0 for all else",
        FIASCO,
        |facts| match facts.block.heading_level {
            0 => 0.0,
            level => f32::from(7 - level) / 6.0,
        },
    ),
    is!("is_item", tags::ITEM, "the container is a list item"),
    is!("is_cell", tags::CELL, "the container is a table cell"),
    is!("is_head_cell", tags::HEAD_CELL, "the container is a head cell of a table"),
    is!("is_term", tags::TERM, "the container is a `dt`"),
    is!("is_description", tags::DESCRIPTION, "the container is a `dd`"),
    is!("is_preformatted", tags::PREFORMATTED | tags::CODE, "the container is preformatted text or code"),
    is!("is_caption", tags::CAPTION, "the container is a caption"),
    is!("is_plain_block", tags::PLAIN_BLOCK, "the container is a `div` or the like, which says nothing"),
    is!(
        "is_inline",
        tags::INLINE | tags::LINK,
        "the container is a `span`, link or other inline element laid out as a block"
    ),
    Feature::new("structural.attributes_log", LOG, "number of attributes of the container", FIASCO, |facts| {
        log(facts.dom.attributes(facts.target.container).len() as f32)
    }),
    within!("in_item", tags::ITEM, "in a list item"),
    within!("in_list", tags::LIST, "in a list"),
    within!("in_table", tags::TABLE, "in a table"),
    within!("in_description_list", tags::TERM | tags::DESCRIPTION, "in a term or its description"),
    within!("in_preformatted", tags::PREFORMATTED, "in preformatted text"),
    within!("in_quote", tags::QUOTE, "in a block quotation"),
    within!("in_figure", tags::FIGURE | tags::CAPTION, "in a figure or its caption"),
    within!("in_link", tags::LINK, "in a link as a whole"),
    within!("in_control", tags::CONTROL, "in a button, label or other form control"),
    within!("in_form", tags::FORM, "in a form or search landmark"),
    within!("in_article", tags::ARTICLE, "in an article element or role"),
    within!("in_main", tags::MAIN, "in the main element or role"),
    within!("in_section", tags::SECTION, "in a section"),
    within!("in_navigation", tags::NAVIGATION, "in a `nav` or navigation role"),
    within!("in_aside", tags::ASIDE, "in an `aside` or complementary role"),
    within!("in_page_header", tags::PAGE_HEADER, "in the header of the page, or the banner role"),
    within!("in_page_footer", tags::PAGE_FOOTER, "in the footer of the page, or the contentinfo role"),
    within!("in_part_header", tags::PART_HEADER, "in the header of an article, section or other part"),
    within!("in_part_footer", tags::PART_FOOTER, "in the footer of an article, section or other part"),
    within!("in_address", tags::ADDRESS, "in an `address`"),
    within!("in_dialog", tags::DIALOG, "in a dialog or tooltip"),
    within!("in_details", tags::DETAILS, "in a part that folds: `details`"),
    within!("in_menu", tags::MENU, "in a menu, tab list or toolbar"),
    within!(
        "in_item_body",
        tags::ITEM_BODY,
        "in an element whose itemprop is articleBody, text, reviewBody or description"
    ),
    within!("in_item_name", tags::ITEM_NAME, "in an element whose itemprop is name or headline"),
    within!("is_aria_hidden", tags::ARIA_HIDDEN, "in what is hidden from assistive technology"),
    within!("is_alert", tags::ALERT, "in a live region, alert or status line"),
    Feature::new(
        "structural.is_scripted",
        FLAG,
        "the container or the element around the first text runs a script when clicked",
        OURS,
        |facts| {
            let inner = facts.dom.parent(facts.target.first()).unwrap_or(facts.target.container);
            flag((facts.own | facts.view.tree.of(inner).own) & tags::SCRIPTED != 0)
        },
    ),
    Feature::new(
        "structural.landmark",
        ValueRange::new("sign", -1.0, 1.0),
        "1 if the nearest sectioning element is an article or main, -1 if navigation, aside, page header, page footer or dialog, else 0",
        OURS,
        landmark,
    ),
];

fn landmark(facts: &TargetFacts<'_, '_>) -> f32 {
    let own = facts.view.tree.of(facts.section()).own;
    if own & (tags::NAVIGATION | tags::ASIDE | tags::PAGE_HEADER | tags::PAGE_FOOTER | tags::DIALOG) != 0 {
        -1.0
    } else {
        flag(own & (tags::ARTICLE | tags::MAIN) != 0)
    }
}
