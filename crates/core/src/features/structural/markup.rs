//! The markup of a target: its density (FIASCO 3.2: "tag or attribute densities in the subtree
//! dominated by a target node"), the tags and roles of its container and the container's ancestors,
//! and its links, images and controls.

use super::facts::{Formula, TargetFacts};
use crate::features::column::{
    FIASCO_STRUCTURAL as FIASCO, FLAG, Feature, LOG, OURS, SHARE, ValueRange, flag, log,
};
use crate::features::tags;
use crate::features::tree::{Count, share};

/// Number of things below the target's node that belong to the target; the node itself does not
/// count.
fn below(facts: &TargetFacts<'_, '_>, count: Count) -> f32 {
    let nodes = &facts.block.nodes;
    let start = nodes
        .start
        .max(facts.target.container.index() + 1)
        .min(nodes.end);
    facts.view.tree.count_in(count, &(start..nodes.end))
}

/// Share of the elements below the target's node; 0 if there are none.
fn share_of_elements(facts: &TargetFacts<'_, '_>, count: Count) -> f32 {
    share(below(facts, count), below(facts, Count::Elements))
}

const TAGS_PER_HUNDRED: ValueRange = ValueRange::new("per 100 letters", 0.0, 50.0);

pub(super) const DENSITY_FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "structural.anchor_element_share",
        SHARE,
        "`a` elements by elements below the block's node; 0 without elements",
        FIASCO,
        |facts| share_of_elements(facts, Count::Anchors),
    ),
    Feature::new(
        "structural.href_element_share",
        SHARE,
        "elements with an `href` by elements below the block's node; 0 without elements",
        FIASCO,
        |facts| share_of_elements(facts, Count::Addresses),
    ),
    Feature::new(
        "structural.image_element_share",
        SHARE,
        "images by elements below the block's node; 0 without elements",
        FIASCO,
        |facts| share_of_elements(facts, Count::Images),
    ),
    Feature::new(
        "structural.external_links_log",
        LOG,
        "links to another host below the block's node",
        FIASCO,
        |facts| log(below(facts, Count::ExternalLinks)),
    ),
    Feature::new(
        "structural.tags_per_hundred",
        TAGS_PER_HUNDRED,
        "elements below the block's node by 100 letters",
        FIASCO,
        |facts| facts.by_hundred(below(facts, Count::Elements)),
    ),
    Feature::new(
        "structural.attributes_per_hundred",
        TAGS_PER_HUNDRED,
        "attributes of the elements below the block's node by 100 letters",
        FIASCO,
        |facts| facts.by_hundred(below(facts, Count::Attributes)),
    ),
    Feature::new(
        "structural.attributes_per_element",
        ValueRange::new("attributes", 0.0, 20.0),
        "attributes by elements below the block's node; 0 without elements",
        FIASCO,
        |facts| share_of_elements(facts, Count::Attributes),
    ),
];

/// A flag for the kinds of the container itself.
macro_rules! is {
    ($name:literal, $kinds:expr, $meaning:literal) => {
        Feature::new(
            concat!("structural.", $name),
            FLAG,
            $meaning,
            FIASCO,
            |facts| flag(facts.own & ($kinds) != 0),
        )
    };
}

/// A flag for the kinds of the container and all its ancestors.
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

pub(super) const TAG_FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "structural.depth_log",
        LOG,
        "depth of the container in the tree",
        FIASCO,
        |facts| log(facts.dom.depth(facts.target.container) as f32),
    ),
    Feature::new(
        "structural.relative_depth",
        SHARE,
        "depth of the container by the greatest depth of the tree",
        OURS,
        |facts| {
            facts.dom.depth(facts.target.container) as f32 / facts.view.tree.max_depth.max(1) as f32
        },
    ),
    is!("is_paragraph", tags::PARAGRAPH, "the container is a `p`"),
    Feature::new(
        "structural.is_heading",
        FLAG,
        "the text stands in a heading element or role",
        FIASCO,
        |facts| flag(facts.block.heading_level > 0),
    ),
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
    is!(
        "is_head_cell",
        tags::HEAD_CELL,
        "the container is a head cell of a table"
    ),
    is!("is_term", tags::TERM, "the container is a `dt`"),
    is!(
        "is_description",
        tags::DESCRIPTION,
        "the container is a `dd`"
    ),
    is!(
        "is_preformatted",
        tags::PREFORMATTED | tags::CODE,
        "the container is preformatted text or code"
    ),
    is!("is_caption", tags::CAPTION, "the container is a caption"),
    is!(
        "is_plain_block",
        tags::PLAIN_BLOCK,
        "the container is a `div` or the like, which says nothing"
    ),
    is!(
        "is_inline",
        tags::INLINE | tags::LINK,
        "the container is a `span`, link or other inline element laid out as a block"
    ),
    Feature::new(
        "structural.attributes_log",
        LOG,
        "number of attributes of the container",
        FIASCO,
        |facts| log(facts.dom.attributes(facts.target.container).len() as f32),
    ),
    within!("in_item", tags::ITEM, "in a list item"),
    within!("in_list", tags::LIST, "in a list"),
    within!("in_table", tags::TABLE, "in a table"),
    within!(
        "in_description_list",
        tags::TERM | tags::DESCRIPTION,
        "in a term or its description"
    ),
    within!(
        "in_preformatted",
        tags::PREFORMATTED,
        "in preformatted text"
    ),
    within!("in_quote", tags::QUOTE, "in a block quotation"),
    within!(
        "in_figure",
        tags::FIGURE | tags::CAPTION,
        "in a figure or its caption"
    ),
    within!("in_link", tags::LINK, "in a link as a whole"),
    within!(
        "in_control",
        tags::CONTROL,
        "in a button, label or other form control"
    ),
    within!("in_form", tags::FORM, "in a form or search landmark"),
    within!("in_article", tags::ARTICLE, "in an article element or role"),
    within!("in_main", tags::MAIN, "in the main element or role"),
    within!("in_section", tags::SECTION, "in a section"),
    within!(
        "in_navigation",
        tags::NAVIGATION,
        "in a `nav` or navigation role"
    ),
    within!(
        "in_aside",
        tags::ASIDE,
        "in an `aside` or complementary role"
    ),
    within!(
        "in_page_header",
        tags::PAGE_HEADER,
        "in the header of the page, or the banner role"
    ),
    within!(
        "in_page_footer",
        tags::PAGE_FOOTER,
        "in the footer of the page, or the contentinfo role"
    ),
    within!(
        "in_part_header",
        tags::PART_HEADER,
        "in the header of an article, section or other part"
    ),
    within!(
        "in_part_footer",
        tags::PART_FOOTER,
        "in the footer of an article, section or other part"
    ),
    within!("in_address", tags::ADDRESS, "in an `address`"),
    within!("in_dialog", tags::DIALOG, "in a dialog or tooltip"),
    within!(
        "in_details",
        tags::DETAILS,
        "in a part that folds: `details`"
    ),
    within!("in_menu", tags::MENU, "in a menu, tab list or toolbar"),
    within!(
        "in_item_body",
        tags::ITEM_BODY,
        "in an element whose itemprop is articleBody, text, reviewBody or description"
    ),
    within!(
        "in_item_name",
        tags::ITEM_NAME,
        "in an element whose itemprop is name or headline"
    ),
    within!(
        "is_aria_hidden",
        tags::ARIA_HIDDEN,
        "in what is hidden from assistive technology"
    ),
    within!(
        "is_alert",
        tags::ALERT,
        "in a live region, alert or status line"
    ),
    Feature::new(
        "structural.is_scripted",
        FLAG,
        "the container or the element around the first text runs a script when clicked",
        OURS,
        |facts| {
            let inner = facts
                .dom
                .parent(facts.target.first())
                .unwrap_or(facts.target.container);
            flag((facts.own | facts.view.tree.facts(inner).own) & tags::SCRIPTED != 0)
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
    let own = facts.view.tree.facts(facts.section()).own;
    if own & (tags::NAVIGATION | tags::ASIDE | tags::PAGE_HEADER | tags::PAGE_FOOTER | tags::DIALOG)
        != 0
    {
        -1.0
    } else {
        flag(own & (tags::ARTICLE | tags::MAIN) != 0)
    }
}

fn count(facts: &TargetFacts<'_, '_>, count: Count) -> f32 {
    facts.view.tree.count_in(count, &facts.block.nodes)
}

/// Number of things in the target and between it and the previous target.
fn count_to(facts: &TargetFacts<'_, '_>, count: Count) -> f32 {
    facts.view.tree.count_in(count, &facts.block.lead)
}

/// Share of the target's links that are of a kind; 0 if it has no links.
fn share_of_links(facts: &TargetFacts<'_, '_>, kind: Count) -> f32 {
    share(count(facts, kind), count(facts, Count::Links))
}

const PER_HUNDRED: ValueRange = ValueRange::new("per 100 letters", 0.0, 20.0);

pub(super) const LINK_FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "structural.link_density",
        SHARE,
        "letters in links by letters of the block",
        "Kohlschütter 2010, 3",
        |facts| facts.block.link_density(),
    ),
    Feature::new(
        "structural.is_all_link",
        FLAG,
        "all of the text is in links",
        OURS,
        |facts| flag(facts.block.link_length >= facts.block.length),
    ),
    Feature::new(
        "structural.links_log",
        LOG,
        "number of links in the block",
        FIASCO,
        |facts| log(count(facts, Count::Links)),
    ),
    Feature::new(
        "structural.links_per_hundred",
        PER_HUNDRED,
        "links by 100 letters",
        FIASCO,
        |facts| facts.by_hundred(count(facts, Count::Links)),
    ),
    Feature::new(
        "structural.external_link_share",
        SHARE,
        "links to another host by links; 0 without links",
        FIASCO,
        |facts| share_of_links(facts, Count::ExternalLinks),
    ),
    Feature::new(
        "structural.hash_link_share",
        SHARE,
        "links within the page by links; 0 without links",
        OURS,
        |facts| share_of_links(facts, Count::HashLinks),
    ),
    Feature::new(
        "structural.slug_link_share",
        SHARE,
        "links whose address ends in a title or long number by links: links to articles; 0 without links",
        OURS,
        |facts| share_of_links(facts, Count::SlugLinks),
    ),
    Feature::new(
        "structural.group_link_density",
        SHARE,
        "link density of the nearest element that holds another block too",
        OURS,
        |facts| facts.link_density_of(facts.block.group),
    ),
    Feature::new(
        "structural.outer_group_link_density",
        SHARE,
        "link density of the next element up that holds still more blocks",
        OURS,
        |facts| facts.link_density_of(facts.block.outer_group),
    ),
    Feature::new(
        "structural.section_link_density",
        SHARE,
        "link density of the nearest sectioning element",
        OURS,
        |facts| facts.link_density_of(facts.section()),
    ),
    Feature::new(
        "structural.images_log",
        LOG,
        "images in the block, or between it and the block before",
        FIASCO,
        |facts| log(count_to(facts, Count::Images)),
    ),
    Feature::new(
        "structural.controls_log",
        LOG,
        "form controls in the block, or between it and the block before",
        FIASCO,
        |facts| log(count_to(facts, Count::Controls)),
    ),
    Feature::new(
        "structural.media_log",
        LOG,
        "frames, videos and sounds in the block, or between it and the block before",
        OURS,
        |facts| log(count_to(facts, Count::Media)),
    ),
    Feature::new(
        "structural.breaks_per_hundred",
        PER_HUNDRED,
        "line breaks by 100 letters",
        OURS,
        |facts| facts.by_hundred(count(facts, Count::Breaks)),
    ),
    Feature::new(
        "structural.inlines_per_hundred",
        PER_HUNDRED,
        "inline elements by 100 letters",
        OURS,
        |facts| facts.by_hundred(count(facts, Count::Inlines)),
    ),
    Feature::new(
        "structural.elements_per_hundred",
        PER_HUNDRED,
        "elements by 100 letters",
        "Schäfer 2013 (texrex), 2, in elements instead of bytes",
        |facts| facts.by_hundred(count(facts, Count::Elements)),
    ),
    Feature::new(
        "structural.group_images_log",
        LOG,
        "images in the nearest element that holds another block too",
        OURS,
        |facts| {
            log(facts
                .view
                .tree
                .count_in(Count::Images, &facts.view.subtree(facts.block.group)))
        },
    ),
    Feature::new(
        "structural.group_controls_log",
        LOG,
        "form controls in the nearest element that holds another block too",
        OURS,
        |facts| {
            log(facts
                .view
                .tree
                .count_in(Count::Controls, &facts.view.subtree(facts.block.group)))
        },
    ),
    Feature::new(
        "structural.control_share",
        SHARE,
        "letters in buttons, labels and other controls by letters",
        OURS,
        |facts| share(facts.block.control_length, facts.block.length),
    ),
    Feature::new(
        "structural.emphasis_share",
        SHARE,
        "letters in bold, italics or underlined by markup by letters",
        OURS,
        |facts| share(facts.block.emphasis_length, facts.block.length),
    ),
    Feature::new(
        "structural.code_share",
        SHARE,
        "letters in inline code by letters",
        OURS,
        |facts| share(facts.block.code_length, facts.block.length),
    ),
    Feature::new(
        "structural.time_share",
        SHARE,
        "letters in `time` elements by letters",
        OURS,
        |facts| share(facts.block.time_length, facts.block.length),
    ),
];

#[cfg(test)]
mod tests {
    use crate::features::fixture::page;
    use crate::features::measure;
    use crate::target::{TargetRule, select};

    #[test]
    fn shares_and_densities_are_of_what_is_below_the_node() {
        let capture = page(
            "<p id=x>0123456789<a href=https://other.org/ class=b>0123456789</a><img src=i><a name=n>01234</a><b>56789</b><p>plain",
        );
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let column = |name: &str| {
            table
                .column(&format!("structural.{name}"))
                .unwrap()
                .to_vec()
        };
        assert_eq!(column("anchor_element_share"), [0.5, 0.0]);
        assert_eq!(column("href_element_share"), [0.25, 0.0]);
        assert_eq!(column("image_element_share"), [0.25, 0.0]);
        assert_eq!(column("external_links_log"), [2f32.ln(), 0.0]);
        let letters = column("tags_per_hundred")[0] / 4.0;
        assert!((letters - 100.0 / 30.0).abs() < 0.2, "{letters}");
        assert_eq!(column("attributes_per_element"), [1.0, 0.0]);
    }
}
