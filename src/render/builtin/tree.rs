//! From our tree to the engine's: one engine document a document of the page, frames below their elements.
//!
//! The page is parsed once, by `source`; what the engine could choke on is mended on the way: addresses that cannot be
//! resolved, style sheets for other media, pictures whose size nobody declares, frames that would be loaded.

use super::pictures::{declared_size, svg_rules};
use super::resources::{Resources, SHEET};
use super::sheets::{is_any, is_foreign};
use crate::capture::{Dom, NodeId, NodeKind};
use blitz_dom::node::{Attribute, ImageData, RasterImageData, SpecialElementData};
use blitz_dom::{BaseDocument, DocumentConfig, LocalName, NodeId as EngineId, QualName, UserAgentStylesheet, ns};
use blitz_traits::shell::{ColorScheme, Viewport};
use parley::FontContext;
use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
use url::Url;

/// Documents in documents beyond this depth are left out.
const MAX_FRAME_DEPTH: usize = 8;

/// What the page's own style sheets build on, beyond the engine's own: what browsers do and it does not.
const MENDED: &str = "
    noscript, template, datalist, dialog:not([open]), rp, noframes, param, source, track, area { display: none }
    details:not([open]) > :not(summary:first-of-type) { display: none }
    svg:not(:root) { display: inline-block; overflow: hidden; width: 300px; height: 150px }
    svg * { display: none }
    iframe, video, object, embed { display: inline-block; width: 300px; height: 150px }
    iframe { border: 2px inset }
    audio:not([controls]) { display: none }
    center { text-align: center }
";

/// What all documents share.
pub(super) struct Setting<'a> {
    pub(super) resources: &'a Arc<Resources>,
    pub(super) fonts: &'a FontContext,
    pub(super) viewport_px: [u32; 2],
}

/// A document in the engine, and which node of ours each of its nodes is.
pub(super) struct Planted {
    pub(super) document: BaseDocument,
    /// Which nodes of ours the engine's are, per document; the page's own first.
    pub(super) origins: Vec<Origins>,
}

/// Which node of ours each node of one engine document is.
pub(super) struct Origins {
    /// The engine's number for the document.
    pub(super) document: usize,
    /// Per slot of the engine's nodes, our index plus 1, or 0.
    slots: Vec<u32>,
}

/// Where the engine keeps a node: the lower half of its number.
pub(super) fn slot(id: EngineId) -> usize {
    (id.as_u64() & 0xffff_ffff) as usize
}

impl Origins {
    fn note(&mut self, engine: EngineId, id: NodeId) {
        let slot = slot(engine);
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, 0);
        }
        self.slots[slot] = id.index() as u32 + 1;
    }

    /// Our node, where the engine did not make the node itself.
    pub(super) fn of(&self, engine: EngineId) -> Option<NodeId> {
        let number = *self.slots.get(slot(engine))?;
        (number > 0).then(|| NodeId::new(number as usize - 1))
    }
}

/// Plants the page's tree, with the documents in its frames.
pub(super) fn plant(dom: &Dom, base: &Url, setting: &Setting<'_>) -> Planted {
    let mut origins = Vec::new();
    let document = plant_document(dom, Dom::ROOT, base, setting, 0, &mut origins);
    Planted { document, origins }
}

fn plant_document(
    dom: &Dom,
    root: NodeId,
    base: &Url,
    setting: &Setting<'_>,
    depth: usize,
    origins: &mut Vec<Origins>,
) -> BaseDocument {
    let base = base_of(dom, root, base);
    let mut document = empty_document(&base, setting);
    add_svg_rules(&mut document, dom, root);
    let mut own = Origins { document: document.id(), slots: vec![0; dom.end(root) - root.index() + 8] };
    let Nodes { frames, declared } = plant_nodes(&mut document, dom, root, &base, setting, &mut own);
    origins.push(own);
    document.handle_messages();
    setting.resources.give_sizes(&mut document);
    declare_pictures(&mut document, declared);
    if depth < MAX_FRAME_DEPTH {
        for (frame, holder) in frames {
            let inner = plant_document(dom, frame, &base, setting, depth + 1, origins);
            if inner.try_root_element().is_some() {
                document.set_sub_document(holder, Box::new(inner));
            }
        }
    }
    document
}

/// What is to be done about the nodes of a document when all of them are there.
#[derive(Default)]
struct Nodes {
    /// The documents in frames, and the elements that hold them.
    frames: Vec<(NodeId, EngineId)>,
    /// Pictures that are drawn here or may turn out not to be there, with the sizes that the page declares.
    declared: Vec<(EngineId, [u32; 2])>,
}

fn plant_nodes(
    document: &mut BaseDocument,
    dom: &Dom,
    root: NodeId,
    base: &Url,
    setting: &Setting<'_>,
    origins: &mut Origins,
) -> Nodes {
    let mut planted = Nodes::default();
    let engine_root = document.root_node().id;
    let mut planting = document.mutate();
    // Open elements: one past their last descendant, and the engine's number.
    let mut open = vec![(dom.end(root), engine_root, false)];
    let mut next = root.index() + 1;
    while next < dom.end(root) {
        let id = NodeId::new(next);
        while open.last().is_some_and(|&(end, ..)| end <= next) {
            open.pop();
        }
        let Some(&(_, parent, in_svg)) = open.last() else { break };
        next += 1;
        let engine = match dom.kind(id) {
            NodeKind::Text(text) => {
                // The root of a document holds one element and no text.
                if parent == engine_root {
                    continue;
                }
                let Some(text) = given_text(dom, id, text, setting) else { continue };
                planting.create_text_node(&text)
            }
            NodeKind::Document => {
                next = dom.end(id);
                planted.frames.push((id, parent));
                continue;
            }
            NodeKind::Element { tag, .. } => {
                if parent == engine_root && &**tag != "html" {
                    next = dom.end(id);
                    continue;
                }
                let is_svg = &**tag == "svg" || in_svg;
                let engine = planting.create_element(name(tag, is_svg), attributes(dom, id, base));
                open.push((dom.end(id), engine, is_svg && &**tag != "foreignobject"));
                planted.declared.extend(declared_size(dom, id).map(|size| (engine, size)));
                engine
            }
        };
        planting.append_children(parent, &[engine]);
        origins.note(engine, id);
    }
    planted
}

/// The name of an element, in the space of drawings or in that of the page.
fn name(tag: &str, is_svg: bool) -> QualName {
    QualName::new(None, if is_svg { ns!(svg) } else { ns!(html) }, LocalName::from(tag))
}

/// Adds the rules for the drawings of a page.
fn add_svg_rules(document: &mut BaseDocument, dom: &Dom, root: NodeId) {
    let rules = svg_rules(dom, root);
    if !rules.is_empty() {
        document.add_user_agent_stylesheet(UserAgentStylesheet::parse(&rules));
    }
}

/// The text of a text node as the engine is given it: style sheets without what it cannot take; none of scripts.
fn given_text<'a>(dom: &Dom, id: NodeId, text: &'a str, setting: &Setting<'_>) -> Option<Cow<'a, str>> {
    let holder = dom.parent(id);
    match holder.map_or("", |holder| dom.tag(holder)) {
        "script" | "noscript" | "template" => None,
        "style" => {
            let media = holder.and_then(|style| dom.attribute(style, "media")).unwrap_or("");
            Some(Cow::Owned(setting.resources.own_sheet(text, media)))
        }
        _ => Some(Cow::Borrowed(text)),
    }
}

/// A document of the engine with nothing in it.
fn empty_document(base: &Url, setting: &Setting<'_>) -> BaseDocument {
    static SHEET: LazyLock<UserAgentStylesheet> = LazyLock::new(|| UserAgentStylesheet::parse(MENDED));
    let [width, height] = setting.viewport_px;
    BaseDocument::new(DocumentConfig {
        viewport: Some(Viewport::new(width, height, 1.0, ColorScheme::Light)),
        base_url: Some(base.to_string()),
        ua_stylesheets: vec![UserAgentStylesheet::default_sheet(), SHEET.clone()],
        net_provider: Some(setting.resources.clone()),
        font_ctx: Some(setting.fonts.clone()),
        incremental: Some(false),
        ..DocumentConfig::default()
    })
}

/// Gives the elements of pictures that did not come the sizes that the page declares.
fn declare_pictures(document: &mut BaseDocument, declared: Vec<(EngineId, [u32; 2])>) {
    for (engine, [width, height]) in declared {
        let element = document.get_node_mut(engine).and_then(|node| node.element_data_mut());
        if let Some(element) = element
            && matches!(element.special_data, SpecialElementData::None)
        {
            let picture = RasterImageData::new(width, height, Arc::default());
            element.special_data = SpecialElementData::Image(Box::new(ImageData::Raster(picture)));
        }
    }
}

/// Address that relative ones start from: the page's, or what its first `base` says.
fn base_of(dom: &Dom, root: NodeId, base: &Url) -> Url {
    dom.descendants(root)
        .filter(|&id| dom.tag(id) == "base")
        .find_map(|id| dom.attribute(id, "href"))
        .and_then(|href| base.join(href.trim()).ok())
        .filter(|url| !url.cannot_be_a_base())
        .unwrap_or_else(|| base.clone())
}

/// The attributes of an element as the engine takes them.
fn attributes(dom: &Dom, id: NodeId, base: &Url) -> Vec<Attribute> {
    let tag = dom.tag(id);
    let mut kept: Vec<Attribute> = Vec::with_capacity(dom.attributes(id).len());
    let mut keep = |name: &str, value: String| {
        kept.push(Attribute { name: QualName::new(None, ns!(), LocalName::from(name)), value });
    };
    for (name, value) in dom.attributes(id) {
        let name: &str = name;
        match (tag, name) {
            ("link", "href") => {
                if let Some(address) = sheet_address(dom, id, base) {
                    keep("href", address);
                }
            }
            // Nothing else is loaded but pictures, and those of addresses that are some.
            ("img", "src") => {
                if base.join(value).is_ok() {
                    keep("src", value.to_string());
                }
            }
            ("iframe" | "frame" | "object" | "embed", "src" | "srcdoc" | "data")
            | ("canvas" | "video" | "audio" | "source" | "input", "src")
            | (_, "autofocus") => {}
            _ if name.starts_with("on") => {}
            _ => keep(name, value.to_string()),
        }
    }
    kept
}

/// Address under which a style sheet is asked for, with what the resources must know of it behind a `#`; `None` where
/// it is for another medium, or none of the page's own choice.
fn sheet_address(dom: &Dom, id: NodeId, base: &Url) -> Option<String> {
    let rel = dom.attribute(id, "rel")?.to_ascii_lowercase();
    let has = |word: &str| rel.split_ascii_whitespace().any(|part| part == word);
    if !has("stylesheet") || has("alternate") || dom.attribute(id, "disabled").is_some() {
        return None;
    }
    let mut url = base.join(dom.attribute(id, "href")?.trim()).ok()?;
    let media = dom.attribute(id, "media").unwrap_or("").trim();
    if is_foreign(media) {
        return None;
    }
    url.set_fragment(Some(&format!("{SHEET}{}", if is_any(media) { "" } else { media })));
    Some(url.into())
}
