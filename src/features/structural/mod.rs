//! The `structural` group: where in the tree a target stands, and among what.
//!
//! One file a question: [`tag`] what it is marked as, [`link`] what it is made of, [`markup`] how densely, [`place`] where it stands,
//! [`company`] what stands beside it, [`center`] how far it is from the page's running text.

mod center;
mod company;
mod link;
mod markup;
mod place;
mod tag;

use super::page::{Block, PageView};
use super::profile::Profiler;
use super::tags::Kinds;
use super::{Column, Feature, FeatureGroup, columns_of_parts};
use crate::capture::{Dom, NodeId};
use crate::target::Target;

/// A target, with what its features are computed from.
struct Here<'v, 'a> {
    view: &'v PageView<'a>,
    dom: &'a Dom,
    whole: &'v Whole,
    /// Position among the targets.
    index: usize,
    target: &'a Target,
    block: &'v Block,
    /// Kinds of the container.
    own: Kinds,
    /// Kinds of the container and all above it.
    above: Kinds,
}

/// What is found once a page.
struct Whole {
    /// Words of the document's title, hashed and sorted.
    title: Vec<u64>,
    /// Words of the page's own description of itself, hashed and sorted.
    description: Vec<u64>,
    /// The first `h1`, by target.
    first_h1: Option<usize>,
    /// The last long text, by target.
    last_long: Option<usize>,
}

type Of = fn(&Here<'_, '_>) -> f32;

const PARTS: &[&[Feature<Of>]] =
    &[tag::FEATURES, link::FEATURES, place::FEATURES, company::FEATURES, center::FEATURES, markup::FEATURES];

const COUNT: usize = tag::FEATURES.len()
    + link::FEATURES.len()
    + place::FEATURES.len()
    + company::FEATURES.len()
    + center::FEATURES.len()
    + markup::FEATURES.len();

const COLUMNS: [Column; COUNT] = columns_of_parts(PARTS);

/// The group; needs the tree only.
pub(super) const GROUP: FeatureGroup =
    FeatureGroup { name: "structural", needs_layout: false, columns: &COLUMNS, measure };

const FIASCO: &str = "Bauer et al. 2007 (FIASCO), 3.2";

fn measure(view: &PageView<'_>, rows: &mut [Vec<f32>]) {
    let whole = Whole::new(view);
    for (index, row) in rows.iter_mut().enumerate() {
        let target = &view.targets[index];
        let here = Here {
            view,
            dom: &view.capture.dom,
            whole: &whole,
            index,
            target,
            block: &view.blocks[index],
            own: view.tree.own[target.container.index()],
            above: view.tree.above[target.container.index()],
        };
        for (value, feature) in row.iter_mut().zip(PARTS.iter().copied().flatten()) {
            *value = (feature.of)(&here);
        }
    }
}

impl Whole {
    fn new(view: &PageView<'_>) -> Self {
        let dom = &view.capture.dom;
        let mut title = None;
        let mut description = None;
        for id in dom.ids() {
            match dom.tag(id) {
                "title" if title.is_none() => title = dom.descendants(id).find_map(|text| dom.text(text)),
                "meta" => {
                    let name = dom.attribute(id, "name").or_else(|| dom.attribute(id, "property")).unwrap_or("");
                    if name.eq_ignore_ascii_case("description") || name == "og:description" {
                        description = description.or_else(|| dom.attribute(id, "content"));
                    }
                }
                "body" => break,
                _ => {}
            }
        }
        let profiler = Profiler::new();
        let words = |text: Option<&str>| text.map(|text| profiler.profile(text).types).unwrap_or_default();
        Self {
            title: words(title),
            description: words(description),
            first_h1: view.blocks.iter().position(|block| block.heading_level == 1),
            last_long: view.blocks.iter().rposition(Block::is_long),
        }
    }
}

impl Here<'_, '_> {
    /// The nearest section element, or the root.
    fn section(&self) -> NodeId {
        NodeId::new(self.view.tree.section[self.target.container.index()] as usize)
    }

    /// The nearest list, if any.
    fn list(&self) -> Option<NodeId> {
        nonzero(self.view.tree.list[self.target.container.index()])
    }

    /// The nearest table, if any.
    fn table(&self) -> Option<NodeId> {
        nonzero(self.view.tree.table[self.target.container.index()])
    }

    /// Share of the letters below `id` that are in links.
    fn link_density_of(&self, id: NodeId) -> f32 {
        self.view.tree.link_density(&self.view.subtree(id))
    }

    /// Letters below `id`.
    fn letters_of(&self, id: NodeId) -> f32 {
        self.view.tree.letters_in(&self.view.subtree(id))
    }

    /// `count` by 100 letters of the target's text.
    fn by_hundred(&self, count: f32) -> f32 {
        100.0 * count / self.block.length.max(1.0)
    }
}

fn nonzero(index: u32) -> Option<NodeId> {
    (index != 0).then(|| NodeId::new(index as usize))
}
