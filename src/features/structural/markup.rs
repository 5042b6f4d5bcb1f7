//! How densely a target is marked up: which share of its elements are links and images, how many tags and attributes it
//! takes for its text (FIASCO 3.2: "tag or attribute densities in the subtree dominated by a target node").

use super::super::tree::{Count, share};
use super::super::{Feature, LOG, SHARE, log};
use super::{FIASCO, Here, Of};

/// Number of things below the target's node that belong to the target; the node itself is not below itself.
fn below(here: &Here<'_, '_>, count: Count) -> f32 {
    let nodes = &here.block.nodes;
    let start = nodes.start.max(here.target.container.index() + 1).min(nodes.end);
    here.view.tree.count_in(count, &(start..nodes.end))
}

/// Share of the elements below the target's node; 0 without elements.
fn of_elements(here: &Here<'_, '_>, count: Count) -> f32 {
    share(below(here, count), below(here, Count::Elements))
}

const PER_HUNDRED: &str = "per 100 letters, 0 to 50";

pub(super) const FEATURES: &[Feature<Of>] = &[
    Feature::new(
        "structural.anchor_element_share",
        SHARE,
        "`a` elements by elements below the target's node; 0 without elements",
        FIASCO,
        |here| of_elements(here, Count::Anchors),
    ),
    Feature::new(
        "structural.href_element_share",
        SHARE,
        "elements with an `href` by elements below the target's node; 0 without elements",
        FIASCO,
        |here| of_elements(here, Count::Addresses),
    ),
    Feature::new(
        "structural.image_element_share",
        SHARE,
        "images by elements below the target's node; 0 without elements",
        FIASCO,
        |here| of_elements(here, Count::Images),
    ),
    Feature::new(
        "structural.external_links_log",
        LOG,
        "links to another host below the target's node",
        FIASCO,
        |here| log(below(here, Count::ExternalLinks)),
    ),
    Feature::new(
        "structural.tags_per_hundred",
        PER_HUNDRED,
        "elements below the target's node by 100 letters",
        FIASCO,
        |here| here.by_hundred(below(here, Count::Elements)),
    ),
    Feature::new(
        "structural.attributes_per_hundred",
        PER_HUNDRED,
        "attributes of the elements below the target's node by 100 letters",
        FIASCO,
        |here| here.by_hundred(below(here, Count::Attributes)),
    ),
    Feature::new(
        "structural.attributes_per_element",
        "attributes, 0 to 20",
        "attributes by elements below the target's node; 0 without elements",
        FIASCO,
        |here| of_elements(here, Count::Attributes),
    ),
];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
