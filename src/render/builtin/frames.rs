//! Loads the documents of a page's frames: from the folder beside the page, from its archive or file, or from the
//! `srcdoc` attribute. Never from the network.
//!
//! A frame is loaded only if it is laid out with a visible size, so the page is laid out without its frames first; then
//! again with them, until no frame of the next depth is found.

use super::resources::{Resources, document_base, frame_address};
use super::style_sheets::without_scripts;
use super::tree::Origins;
use crate::capture::{Dom, DomBuilder, NodeId, NodeKind, TreeCopy};
use crate::hash::Fnv;
use crate::html::parse_html;
use crate::net::without_refresh;
use blitz_dom::BaseDocument;
use std::collections::{BTreeMap, BTreeSet};
use style::computed_values::visibility::T as Visibility;
use url::Url;

/// Frames nested deeper than this are not loaded.
pub(super) const MAX_LOADED_DEPTH: usize = 3;
/// Largest number of frames that are loaded for a page.
const MAX_FRAMES: usize = 20;
/// Largest size of all loaded documents of a page together, in bytes.
const MAX_BYTES: usize = 4 << 20;
/// Width or height up to which a frame shows nothing, in CSS px; frames of 1 px count visits.
const MIN_SIDE_PX: f32 = 2.0;

/// How much may still be loaded for a page.
pub(super) struct FrameBudget {
    frames: usize,
    bytes: usize,
    nodes: usize,
}

impl FrameBudget {
    /// The budget of a page that may have `nodes` more nodes.
    pub(super) fn new(nodes: usize) -> Self {
        Self { frames: MAX_FRAMES, bytes: MAX_BYTES, nodes }
    }
}

/// The page with the documents of those frames in `visible` that are `depth` frames deep and can be loaded; `None` if
/// there is none. `base` is the page's own address.
pub(super) fn load(
    dom: &Dom,
    base: &Url,
    resources: &Resources,
    visible: &BTreeSet<NodeId>,
    depth: usize,
    budget: &mut FrameBudget,
) -> Option<Dom> {
    let mut loaded = BTreeMap::new();
    for &frame in visible {
        let documents: Vec<NodeId> = dom.ancestors(frame).filter(|&up| dom.kind(up) == NodeKind::Document).collect();
        if documents.len() != depth + 1 || has_document(dom, frame) || budget.frames == 0 {
            continue;
        }
        let Some(html) = source(dom, frame, &document_base(dom, documents[0], base), resources) else { continue };
        if html.len() > budget.bytes {
            continue;
        }
        let document = parse_html(&without_refresh(&without_scripts(&html)));
        let key = document_key(&document, Dom::ROOT);
        // A page in a frame of itself would contain itself without end.
        if document.len() > budget.nodes || documents.iter().any(|&around| document_key(dom, around) == key) {
            continue;
        }
        budget.frames -= 1;
        budget.bytes -= html.len();
        budget.nodes -= document.len();
        loaded.insert(frame, document);
    }
    (!loaded.is_empty()).then(|| with_documents(dom, loaded))
}

/// The source text of a frame's document.
fn source(dom: &Dom, frame: NodeId, base: &Url, resources: &Resources) -> Option<String> {
    if let Some(text) = dom.attribute(frame, "srcdoc") {
        return Some(text.to_owned());
    }
    let data = || base.join(dom.attribute(frame, "src")?.trim()).ok().filter(|url| url.scheme() == "data");
    resources.document(&frame_address(dom, frame, base).or_else(data)?)
}

fn has_document(dom: &Dom, frame: NodeId) -> bool {
    dom.children(frame).any(|child| dom.kind(child) == NodeKind::Document)
}

/// A hash of the tags and texts of a document, without those in its frames.
fn document_key(dom: &Dom, document: NodeId) -> u64 {
    let mut hash = Fnv::new();
    let mut skip_until = 0;
    for id in dom.descendants(document) {
        if id.index() < skip_until {
            continue;
        }
        let part = match dom.kind(id) {
            NodeKind::Document => {
                skip_until = dom.end(id);
                continue;
            }
            // Its text is replaced by its document.
            NodeKind::Text(_) if dom.parent(id).is_some_and(|up| matches!(dom.tag(up), "iframe" | "frame")) => continue,
            NodeKind::Text(text) => text,
            NodeKind::Element { tag, .. } => tag,
        };
        part.bytes().chain([0]).for_each(|byte| hash.add(byte));
    }
    hash.finish()
}

/// The tree with documents below these frames, in place of the text for browsers without frames.
fn with_documents(dom: &Dom, mut loaded: BTreeMap<NodeId, Dom>) -> Dom {
    let mut builder = DomBuilder::new();
    let mut page = TreeCopy::new();
    while let Some(id) = page.step(dom, &mut builder) {
        if let Some(document) = loaded.remove(&id) {
            page.skip_content(dom);
            builder.open_document();
            let mut inner = TreeCopy::new();
            while inner.step(&document, &mut builder).is_some() {}
            builder.close();
        }
    }
    builder.finish()
}

/// The frames of a page that are laid out with a visible size, those inside of frames among them.
pub(super) fn visible(document: &BaseDocument, all: &[Origins]) -> BTreeSet<NodeId> {
    let mut visible = BTreeSet::new();
    add_visible(document, all, &mut visible);
    visible
}

fn add_visible(document: &BaseDocument, all: &[Origins], visible: &mut BTreeSet<NodeId>) {
    let Some(origins) = all.iter().find(|origins| origins.document == document.id()) else { return };
    for (id, node) in document.tree().iter() {
        if node.element_data().is_none_or(|element| &*element.name.local != "iframe") {
            continue;
        }
        let is_shown = node.primary_styles().is_some_and(|values| {
            !values.clone_display().is_none() && values.clone_visibility() == Visibility::Visible
        });
        let layout = node.final_layout();
        let around = [layout.border, layout.padding];
        let width = layout.size.width - around.iter().map(|side| side.left + side.right).sum::<f32>();
        let height = layout.size.height - around.iter().map(|side| side.top + side.bottom).sum::<f32>();
        if !is_shown || width < MIN_SIDE_PX || height < MIN_SIDE_PX {
            continue;
        }
        visible.extend(origins.our_node(id));
        if let Some(inner) = document.subdoc(id) {
            add_visible(&inner.inner(), all, visible);
        }
    }
}
