//! What a target is made of: links, images, controls, breaks and inline markup, of its own and around it.

use super::super::column::{FLAG, Feature, LOG, OURS, SHARE, ValueRange, flag, log};
use super::super::source::FIASCO_STRUCTURAL as FIASCO;
use super::super::tree::{Count, share};
use super::facts::{Formula, TargetFacts};

fn count(facts: &TargetFacts<'_, '_>, count: Count) -> f32 {
    facts.view.tree.count_in(count, &facts.block.nodes)
}

/// Number of things in the target and between it and the target before.
fn count_to(facts: &TargetFacts<'_, '_>, count: Count) -> f32 {
    facts.view.tree.count_in(count, &facts.block.lead)
}

/// Share of the target's links that are of a kind; 0 without links.
fn of_links(facts: &TargetFacts<'_, '_>, kind: Count) -> f32 {
    share(count(facts, kind), count(facts, Count::Links))
}

const PER_HUNDRED: ValueRange = ValueRange::new("per 100 letters", 0.0, 20.0);

pub(super) const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "structural.link_density",
        SHARE,
        "letters in links by letters of the target",
        "Kohlschütter 2010, 3",
        |facts| facts.block.link_density(),
    ),
    Feature::new("structural.is_all_link", FLAG, "all of the text is in links", OURS, |facts| {
        flag(facts.block.link_length >= facts.block.length)
    }),
    Feature::new("structural.links_log", LOG, "number of links in the target", FIASCO, |facts| {
        log(count(facts, Count::Links))
    }),
    Feature::new("structural.links_per_hundred", PER_HUNDRED, "links by 100 letters", FIASCO, |facts| {
        facts.by_hundred(count(facts, Count::Links))
    }),
    Feature::new(
        "structural.external_link_share",
        SHARE,
        "links to another host by links; 0 without links",
        FIASCO,
        |facts| of_links(facts, Count::ExternalLinks),
    ),
    Feature::new(
        "structural.hash_link_share",
        SHARE,
        "links within the page by links; 0 without links",
        OURS,
        |facts| of_links(facts, Count::HashLinks),
    ),
    Feature::new(
        "structural.slug_link_share",
        SHARE,
        "links whose address ends in a title or long number by links: links to articles; 0 without links",
        OURS,
        |facts| of_links(facts, Count::SlugLinks),
    ),
    Feature::new(
        "structural.group_link_density",
        SHARE,
        "link density of the nearest element that holds another target too",
        OURS,
        |facts| facts.link_density_of(facts.block.group),
    ),
    Feature::new(
        "structural.outer_group_link_density",
        SHARE,
        "link density of the next element up that holds still more targets",
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
        "images in the target, or between it and the target before",
        FIASCO,
        |facts| log(count_to(facts, Count::Images)),
    ),
    Feature::new(
        "structural.controls_log",
        LOG,
        "form controls in the target, or between it and the target before",
        FIASCO,
        |facts| log(count_to(facts, Count::Controls)),
    ),
    Feature::new(
        "structural.media_log",
        LOG,
        "frames, videos and sounds in the target, or between it and the target before",
        OURS,
        |facts| log(count_to(facts, Count::Media)),
    ),
    Feature::new("structural.breaks_per_hundred", PER_HUNDRED, "line breaks by 100 letters", OURS, |facts| {
        facts.by_hundred(count(facts, Count::Breaks))
    }),
    Feature::new("structural.inlines_per_hundred", PER_HUNDRED, "inline elements by 100 letters", OURS, |facts| {
        facts.by_hundred(count(facts, Count::Inlines))
    }),
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
        "images in the nearest element that holds another target too",
        OURS,
        |facts| log(facts.view.tree.count_in(Count::Images, &facts.view.subtree(facts.block.group))),
    ),
    Feature::new(
        "structural.group_controls_log",
        LOG,
        "form controls in the nearest element that holds another target too",
        OURS,
        |facts| log(facts.view.tree.count_in(Count::Controls, &facts.view.subtree(facts.block.group))),
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
    Feature::new("structural.code_share", SHARE, "letters in inline code by letters", OURS, |facts| {
        share(facts.block.code_length, facts.block.length)
    }),
    Feature::new("structural.time_share", SHARE, "letters in `time` elements by letters", OURS, |facts| {
        share(facts.block.time_length, facts.block.length)
    }),
];
