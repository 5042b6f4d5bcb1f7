//! What a target is made of: links, images, controls, breaks and inline markup, of its own and around it.

use super::super::tree::{Count, share};
use super::super::{FLAG, Feature, LOG, OURS, SHARE, flag, log};
use super::{FIASCO, Here, Of};

fn count(here: &Here<'_, '_>, count: Count) -> f32 {
    here.view.tree.count_in(count, &here.block.nodes)
}

/// Number of things in the target and between it and the target before.
fn count_to(here: &Here<'_, '_>, count: Count) -> f32 {
    here.view.tree.count_in(count, &here.block.lead)
}

/// Share of the target's links that are of a kind; 0 without links.
fn of_links(here: &Here<'_, '_>, kind: Count) -> f32 {
    share(count(here, kind), count(here, Count::Links))
}

const PER_HUNDRED: &str = "per 100 letters, 0 to 20";

pub(super) const FEATURES: &[Feature<Of>] = &[
    Feature::new(
        "structural.link_density",
        SHARE,
        "letters in links by letters of the target",
        "Kohlschütter 2010, 3",
        |here| here.block.link_density(),
    ),
    Feature::new("structural.is_all_link", FLAG, "all of the text is in links", OURS, |here| {
        flag(here.block.link_length >= here.block.length)
    }),
    Feature::new("structural.links_log", LOG, "number of links in the target", FIASCO, |here| {
        log(count(here, Count::Links))
    }),
    Feature::new("structural.links_per_hundred", PER_HUNDRED, "links by 100 letters", FIASCO, |here| {
        here.by_hundred(count(here, Count::Links))
    }),
    Feature::new(
        "structural.external_link_share",
        SHARE,
        "links to another host by links; 0 without links",
        FIASCO,
        |here| of_links(here, Count::ExternalLinks),
    ),
    Feature::new(
        "structural.hash_link_share",
        SHARE,
        "links within the page by links; 0 without links",
        OURS,
        |here| of_links(here, Count::HashLinks),
    ),
    Feature::new(
        "structural.slug_link_share",
        SHARE,
        "links whose address ends in a title or long number by links: links to articles; 0 without links",
        OURS,
        |here| of_links(here, Count::SlugLinks),
    ),
    Feature::new(
        "structural.group_link_density",
        SHARE,
        "link density of the nearest element that holds another target too",
        OURS,
        |here| here.link_density_of(here.block.group),
    ),
    Feature::new(
        "structural.outer_group_link_density",
        SHARE,
        "link density of the next element up that holds still more targets",
        OURS,
        |here| here.link_density_of(here.block.outer_group),
    ),
    Feature::new(
        "structural.section_link_density",
        SHARE,
        "link density of the nearest sectioning element",
        OURS,
        |here| here.link_density_of(here.section()),
    ),
    Feature::new(
        "structural.images_log",
        LOG,
        "images in the target, or between it and the target before",
        FIASCO,
        |here| log(count_to(here, Count::Images)),
    ),
    Feature::new(
        "structural.controls_log",
        LOG,
        "form controls in the target, or between it and the target before",
        FIASCO,
        |here| log(count_to(here, Count::Controls)),
    ),
    Feature::new(
        "structural.media_log",
        LOG,
        "frames, videos and sounds in the target, or between it and the target before",
        OURS,
        |here| log(count_to(here, Count::Media)),
    ),
    Feature::new("structural.breaks_per_hundred", PER_HUNDRED, "line breaks by 100 letters", OURS, |here| {
        here.by_hundred(count(here, Count::Breaks))
    }),
    Feature::new("structural.inlines_per_hundred", PER_HUNDRED, "inline elements by 100 letters", OURS, |here| {
        here.by_hundred(count(here, Count::Inlines))
    }),
    Feature::new(
        "structural.elements_per_hundred",
        PER_HUNDRED,
        "elements by 100 letters",
        "Schäfer 2013 (texrex), 2, in elements instead of bytes",
        |here| here.by_hundred(count(here, Count::Elements)),
    ),
    Feature::new(
        "structural.group_images_log",
        LOG,
        "images in the nearest element that holds another target too",
        OURS,
        |here| log(here.view.tree.count_in(Count::Images, &here.view.subtree(here.block.group))),
    ),
    Feature::new(
        "structural.group_controls_log",
        LOG,
        "form controls in the nearest element that holds another target too",
        OURS,
        |here| log(here.view.tree.count_in(Count::Controls, &here.view.subtree(here.block.group))),
    ),
    Feature::new(
        "structural.control_share",
        SHARE,
        "letters in buttons, labels and other controls by letters",
        OURS,
        |here| share(here.block.control_length, here.block.length),
    ),
    Feature::new(
        "structural.emphasis_share",
        SHARE,
        "letters in bold, italics or underlined by markup by letters",
        OURS,
        |here| share(here.block.emphasis_length, here.block.length),
    ),
    Feature::new("structural.code_share", SHARE, "letters in inline code by letters", OURS, |here| {
        share(here.block.code_length, here.block.length)
    }),
    Feature::new("structural.time_share", SHARE, "letters in `time` elements by letters", OURS, |here| {
        share(here.block.time_length, here.block.length)
    }),
];
