//! How densely a target is marked up: which share of its elements are links and images, how many tags and attributes it
//! takes for its text (FIASCO 3.2: "tag or attribute densities in the subtree dominated by a target node").

use super::super::column::{Feature, LOG, SHARE, ValueRange, log};
use super::super::source::FIASCO_STRUCTURAL as FIASCO;
use super::super::tree::{Count, share};
use super::facts::{Formula, TargetFacts};

/// Number of things below the target's node that belong to the target; the node itself is not below itself.
fn below(facts: &TargetFacts<'_, '_>, count: Count) -> f32 {
    let nodes = &facts.block.nodes;
    let start = nodes.start.max(facts.target.container.index() + 1).min(nodes.end);
    facts.view.tree.count_in(count, &(start..nodes.end))
}

/// Share of the elements below the target's node; 0 without elements.
fn of_elements(facts: &TargetFacts<'_, '_>, count: Count) -> f32 {
    share(below(facts, count), below(facts, Count::Elements))
}

const PER_HUNDRED: ValueRange = ValueRange::new("per 100 letters", 0.0, 50.0);

pub(super) const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "structural.anchor_element_share",
        SHARE,
        "`a` elements by elements below the target's node; 0 without elements",
        FIASCO,
        |facts| of_elements(facts, Count::Anchors),
    ),
    Feature::new(
        "structural.href_element_share",
        SHARE,
        "elements with an `href` by elements below the target's node; 0 without elements",
        FIASCO,
        |facts| of_elements(facts, Count::Addresses),
    ),
    Feature::new(
        "structural.image_element_share",
        SHARE,
        "images by elements below the target's node; 0 without elements",
        FIASCO,
        |facts| of_elements(facts, Count::Images),
    ),
    Feature::new(
        "structural.external_links_log",
        LOG,
        "links to another host below the target's node",
        FIASCO,
        |facts| log(below(facts, Count::ExternalLinks)),
    ),
    Feature::new(
        "structural.tags_per_hundred",
        PER_HUNDRED,
        "elements below the target's node by 100 letters",
        FIASCO,
        |facts| facts.by_hundred(below(facts, Count::Elements)),
    ),
    Feature::new(
        "structural.attributes_per_hundred",
        PER_HUNDRED,
        "attributes of the elements below the target's node by 100 letters",
        FIASCO,
        |facts| facts.by_hundred(below(facts, Count::Attributes)),
    ),
    Feature::new(
        "structural.attributes_per_element",
        ValueRange::new("attributes", 0.0, 20.0),
        "attributes by elements below the target's node; 0 without elements",
        FIASCO,
        |facts| of_elements(facts, Count::Attributes),
    ),
];

#[cfg(test)]
mod tests {
    use super::super::super::fixture::page;
    use super::super::super::measure;
    use crate::target::{TargetRule, select};

    #[test]
    fn shares_and_densities_are_of_what_is_below_the_node() {
        let capture = page(
            "<p id=x>0123456789<a href=https://other.org/ class=b>0123456789</a><img src=i><a name=n>01234</a><b>56789</b><p>plain",
        );
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let column = |name: &str| table.column(&format!("structural.{name}")).unwrap().to_vec();
        assert_eq!(column("anchor_element_share"), [0.5, 0.0]);
        assert_eq!(column("href_element_share"), [0.25, 0.0]);
        assert_eq!(column("image_element_share"), [0.25, 0.0]);
        assert_eq!(column("external_links_log"), [2f32.ln(), 0.0]);
        let letters = column("tags_per_hundred")[0] / 4.0;
        assert!((letters - 100.0 / 30.0).abs() < 0.2, "{letters}");
        assert_eq!(column("attributes_per_element"), [1.0, 0.0]);
    }
}
