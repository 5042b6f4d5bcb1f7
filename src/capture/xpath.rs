//! Where an element stands in its tree, as an XPath expression.

use super::{Dom, NodeId};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Largest number of steps of a path. Hostile pages nest very deep, and a path is written for every block.
const MAX_STEPS: usize = 256;

/// The positions of all nodes of a tree among their siblings of the same tag.
#[derive(Debug)]
pub(crate) struct Positions(Vec<u32>);

impl Positions {
    /// Counts the siblings of every element, in one pass over the tree.
    pub(crate) fn new(dom: &Dom) -> Self {
        let mut seen: FxHashMap<(Option<NodeId>, &str), u32> = FxHashMap::default();
        let mut count = |id: NodeId| {
            let count = seen.entry((dom.parent(id), dom.tag(id))).or_insert(0);
            *count += 1;
            *count
        };
        Self(dom.ids().map(|id| if dom.is_element(id) { count(id) } else { 0 }).collect())
    }

    /// An expression that names the element `id` alone, such as `/html[1]/body[1]/div[2]`; for a text node that of its
    /// element. Empty for the root, and for an element that is more than 256 levels deep.
    pub(crate) fn xpath(&self, dom: &Dom, id: NodeId) -> String {
        let is_step = |id: &NodeId| self.0[id.index()] > 0;
        let mut steps: Vec<NodeId> =
            std::iter::once(id).chain(dom.ancestors(id)).filter(is_step).take(MAX_STEPS + 1).collect();
        if steps.len() > MAX_STEPS {
            return String::new();
        }
        steps.reverse();
        steps.into_iter().fold(String::new(), |mut path, step| {
            let _ = write!(path, "/{}[{}]", dom.tag(step), self.0[step.index()]);
            path
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::DomBuilder;

    #[test]
    fn elements_are_counted_among_those_of_their_tag() {
        let mut builder = DomBuilder::new();
        builder.open("html", vec![]);
        builder.open("body", vec![]);
        builder.open("p", vec![]);
        builder.close();
        builder.open("div", vec![]);
        builder.close();
        let second = builder.open("p", vec![]);
        let text = builder.text("a");
        let dom = builder.finish();
        let positions = Positions::new(&dom);
        assert_eq!(positions.xpath(&dom, second), "/html[1]/body[1]/p[2]");
        assert_eq!(positions.xpath(&dom, text), "/html[1]/body[1]/p[2]");
        assert_eq!(positions.xpath(&dom, Dom::ROOT), "");
    }

    #[test]
    fn an_element_in_the_depths_has_no_path() {
        let mut builder = DomBuilder::new();
        let deepest = (0..=MAX_STEPS).map(|_| builder.open("div", vec![])).last().unwrap_or(Dom::ROOT);
        let dom = builder.finish();
        let positions = Positions::new(&dom);
        assert_eq!(positions.xpath(&dom, deepest), "");
        let parent = dom.parent(deepest).unwrap_or(Dom::ROOT);
        assert_eq!(positions.xpath(&dom, parent).matches('/').count(), MAX_STEPS);
    }
}
