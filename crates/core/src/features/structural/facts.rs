//! Measurements that the features of the `structural` group are computed from: about one target,
//! and about its page.

use super::super::block::BlockFacts;
use super::super::page::PageView;
use super::super::profile::profile;
use super::super::tags::Kinds;
use crate::capture::{Dom, NodeId};
use crate::target::Target;

/// A target and its position in the page.
pub(super) struct TargetFacts<'v, 'a> {
    pub(super) view: &'v PageView<'a>,
    pub(super) dom: &'a Dom,
    pub(super) on_page: &'v PageFacts,
    /// Index among the targets.
    pub(super) index: usize,
    pub(super) target: &'a Target,
    pub(super) block: &'v BlockFacts,
    pub(super) own: Kinds,
    /// Kinds of the container and all its ancestors.
    pub(super) above: Kinds,
}

/// Facts that are computed once per page.
pub(super) struct PageFacts {
    /// Words of the document's title, hashed and sorted.
    pub(super) title: Vec<u64>,
    /// Words of the page's `meta` description, hashed and sorted.
    pub(super) description: Vec<u64>,
    /// Index of the target with the first `h1`.
    pub(super) first_h1: Option<usize>,
    /// Index of the target with the last long text.
    pub(super) last_long: Option<usize>,
}

pub(super) type Formula = fn(&TargetFacts<'_, '_>) -> f32;

impl PageFacts {
    pub(super) fn new(view: &PageView<'_>) -> Self {
        let dom = &view.capture.dom;
        let mut title = None;
        let mut description = None;
        for id in dom.ids() {
            match dom.tag(id) {
                "title" if title.is_none() => {
                    title = dom.descendants(id).find_map(|text| dom.text(text));
                }
                "meta" => {
                    let name = dom
                        .attribute(id, "name")
                        .or_else(|| dom.attribute(id, "property"))
                        .unwrap_or("");
                    if name.eq_ignore_ascii_case("description") || name == "og:description" {
                        description = description.or_else(|| dom.attribute(id, "content"));
                    }
                }
                "body" => break,
                _ => {}
            }
        }
        let words = |text: Option<&str>| text.map(|text| profile(text).types).unwrap_or_default();
        Self {
            title: words(title),
            description: words(description),
            first_h1: view
                .blocks
                .iter()
                .position(|block| block.heading_level == 1),
            last_long: view.blocks.iter().rposition(BlockFacts::is_long),
        }
    }
}

impl<'v, 'a> TargetFacts<'v, 'a> {
    pub(super) fn new(view: &'v PageView<'a>, on_page: &'v PageFacts, index: usize) -> Self {
        let target = &view.targets[index];
        Self {
            view,
            dom: &view.capture.dom,
            on_page,
            index,
            target,
            block: &view.blocks[index],
            own: view.tree.facts(target.container).own,
            above: view.tree.facts(target.container).above,
        }
    }

    /// The nearest sectioning element, or the root.
    pub(super) fn section(&self) -> NodeId {
        NodeId::new(self.view.tree.facts(self.target.container).section as usize)
    }

    /// The nearest list, if any.
    pub(super) fn list(&self) -> Option<NodeId> {
        node_unless_zero(self.view.tree.facts(self.target.container).list)
    }

    /// The nearest table, if any.
    pub(super) fn table(&self) -> Option<NodeId> {
        node_unless_zero(self.view.tree.facts(self.target.container).table)
    }

    /// Share of the letters below `id` that are in links.
    pub(super) fn link_density_of(&self, id: NodeId) -> f32 {
        self.view.tree.link_density(&self.view.subtree(id))
    }

    pub(super) fn letters_of(&self, id: NodeId) -> f32 {
        self.view.tree.letters_in(&self.view.subtree(id))
    }

    /// `count` per 100 letters of the target's text.
    pub(super) fn by_hundred(&self, count: f32) -> f32 {
        100.0 * count / self.block.length.max(1.0)
    }
}

/// The node at an index; `None` for 0, which means that there is none.
pub(super) fn node_unless_zero(index: u32) -> Option<NodeId> {
    (index != 0).then(|| NodeId::new(index as usize))
}
