//! Converts our tree to the engine's: one engine document per document of the page, frames below
//! their elements.
//!
//! The page is parsed once, by `page`. Content that the engine cannot handle is changed here:
//! addresses that cannot be resolved, style sheets for other media, pictures without a declared
//! size, frames that would be loaded.

use super::picture_sizes::{declared_size, svg_rules};
use super::resources::{Resources, SHEET, document_base};
use super::style_sheets::{is_any, is_foreign, with_custom_properties};
use crate::rendered::is_streamed;
use blitz_dom::NodeId as EngineId;
use blitz_dom::node::{Attribute, ImageData, RasterImageData, SpecialElementData};
use blitz_dom::{BaseDocument, DocumentConfig, LocalName, QualName, UserAgentStylesheet, ns};
use blitz_traits::shell::{ColorScheme, Viewport};
use fontique::{Collection, CollectionOptions, SourceCache};
use parley::FontContext;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use url::Url;
use vclean_core::capture::{Dom, NodeId, NodeKind};

/// Frames nested deeper than this are left out.
const MAX_FRAME_DEPTH: usize = 8;

/// Attribute that marks a frame of a frame set, which the engine knows as an inline frame.
const FRAME: &str = "vclean-frame";

/// Default rules of browsers that the engine's own style sheet lacks.
const EXTRA_RULES: &str = "
    noscript, template, datalist, dialog:not([open]), rp, noframes, param, source, track, area { display: none }
    svg:not(:root) { display: inline-block; overflow: hidden; width: 300px; height: 150px }
    :is(img, svg, canvas, video, embed, iframe)::before, :is(img, svg, canvas, video, embed, iframe)::after {
        content: none !important
    }
    iframe, video, object, embed { display: inline-block; width: 300px; height: 150px }
    iframe { border: 2px inset }
    frameset { display: grid !important; min-height: 100vh; grid-auto-rows: 1fr }
    iframe[vclean-frame] { display: block; border: 0; width: 100%; height: 100% }
    audio:not([controls]) { display: none }
    center { text-align: center }
";

/// Settings and resources that all documents of a page share.
pub(super) struct BuildContext<'a> {
    pub(super) resources: &'a Arc<Resources>,
    pub(super) fonts: &'a FontContext,
    pub(super) viewport_px: [u32; 2],
}

/// A document in the engine, and our node for each of its nodes.
pub(super) struct BuiltPage {
    pub(super) document: BaseDocument,
    /// Our nodes for the engine's nodes, per document; the page's own document first.
    pub(super) origins: Vec<Origins>,
}

/// Our node for each node of one engine document.
pub(super) struct Origins {
    /// The engine's number for the document.
    pub(super) document: usize,
    /// Per slot of the engine's nodes, our index + 1, or 0.
    slots: Vec<u32>,
}

/// Returns the slot in which the engine stores a node: the lower half of its number.
pub(super) fn slot(id: EngineId) -> usize {
    (id.as_u64() & 0xffff_ffff) as usize
}

impl Origins {
    fn insert(&mut self, engine: EngineId, id: NodeId) {
        let slot = slot(engine);
        if self.slots.len() <= slot {
            self.slots.resize(slot + 1, 0);
        }
        self.slots[slot] = id.index() as u32 + 1;
    }

    /// Maps an engine node that replaces another one to the same node of ours.
    pub(super) fn insert_same(&mut self, engine: EngineId, other: EngineId) {
        if let Some(id) = self.our_node(other) {
            self.insert(engine, id);
        }
    }

    /// Returns our node for an engine node; `None` if the engine generated it.
    pub(super) fn our_node(&self, engine: EngineId) -> Option<NodeId> {
        let number = *self.slots.get(slot(engine))?;
        (number > 0).then(|| NodeId::new(number as usize - 1))
    }
}

/// Builds the engine's documents: the page and its frames.
pub(super) fn build(dom: &Dom, base: &Url, context: &BuildContext<'_>) -> BuiltPage {
    let mut origins = Vec::new();
    let document = build_document(dom, Dom::ROOT, base, context, 0, &mut origins);
    BuiltPage { document, origins }
}

fn build_document(
    dom: &Dom,
    root: NodeId,
    page: &Url,
    context: &BuildContext<'_>,
    depth: usize,
    origins: &mut Vec<Origins>,
) -> BaseDocument {
    let base = document_base(dom, root, page);
    let mut document = empty_document(&base, context);
    context.resources.set_base(document.id(), &base);
    add_svg_rules(&mut document, dom, root);
    let mut own = Origins {
        document: document.id(),
        slots: vec![0; dom.end(root) - root.index() + 8],
    };
    let Nodes { frames, declared } =
        build_nodes(&mut document, dom, root, &base, context, &mut own);
    origins.push(own);
    document.handle_messages();
    context.resources.give_sizes(&mut document);
    declare_pictures(&mut document, declared);
    if depth < MAX_FRAME_DEPTH {
        for (frame, holder) in frames {
            let inner = build_document(dom, frame, page, context, depth + 1, origins);
            if inner.try_root_element().is_some() {
                document.set_sub_document(holder, Box::new(inner));
            }
        }
    }
    document
}

/// Nodes that need more work when all nodes of a document exist.
#[derive(Default)]
struct Nodes {
    /// The documents in frames, and the elements that contain them.
    frames: Vec<(NodeId, EngineId)>,
    /// Inline drawings, and pictures that may be missing, with the sizes that the page declares.
    declared: Vec<(EngineId, [u32; 2])>,
}

fn build_nodes(
    document: &mut BaseDocument,
    dom: &Dom,
    root: NodeId,
    base: &Url,
    context: &BuildContext<'_>,
    origins: &mut Origins,
) -> Nodes {
    let mut built = Nodes::default();
    let mut spans = Spans::default();
    let engine_root = document.root_node().id;
    let mut mutator = document.mutate();
    // Open elements: one past their last descendant, the engine's number, and the tag.
    let mut open = vec![(dom.end(root), engine_root, "")];
    let mut next = root.index() + 1;
    while next < dom.end(root) {
        let id = NodeId::new(next);
        while open.last().is_some_and(|&(end, ..)| end <= next) {
            open.pop();
        }
        let Some(&(_, parent, holder)) = open.last() else {
            break;
        };
        next += 1;
        // A replaced element shows no content except a frame's document. The engine does not lay it
        // out either, but fails if it has content and the display of a table.
        if is_replaced(holder) && dom.kind(id) != NodeKind::Document {
            next = dom.end(id);
            continue;
        }
        let engine = match dom.kind(id) {
            NodeKind::Text(text) => {
                // The root of a document contains one element and no text.
                if parent == engine_root {
                    continue;
                }
                let Some(text) = given_text(dom, id, text, base, context) else {
                    continue;
                };
                mutator.create_text_node(&text)
            }
            NodeKind::Document => {
                next = dom.end(id);
                built.frames.push((id, parent));
                continue;
            }
            NodeKind::Element { tag, .. } => {
                if parent == engine_root && tag != "html" {
                    next = dom.end(id);
                    continue;
                }
                let mut attributes = attributes(dom, id, base);
                limit_spans(&mut attributes, dom, id, &mut spans);
                let engine = mutator.create_element(name(tag), attributes);
                open.push((dom.end(id), engine, tag));
                built
                    .declared
                    .extend(declared_size(dom, id).map(|size| (engine, size)));
                engine
            }
        };
        mutator.append_children(parent, &[engine]);
        origins.insert(engine, id);
    }
    built
}

/// Returns true for elements that the engine lays out as replaced elements (CSS 2.1, section 3.1).
fn is_replaced(tag: &str) -> bool {
    matches!(
        tag,
        "img" | "svg" | "canvas" | "video" | "embed" | "iframe" | "frame"
    )
}

/// Returns the name of an element, in the SVG or the HTML namespace. The engine knows only one name
/// for frames.
fn name(tag: &str) -> QualName {
    let tag = if tag == "frame" { "iframe" } else { tag };
    QualName::new(
        None,
        if tag == "svg" { ns!(svg) } else { ns!(html) },
        LocalName::from(tag),
    )
}

/// Adds the rules for the inline drawings of a page.
fn add_svg_rules(document: &mut BaseDocument, dom: &Dom, root: NodeId) {
    let rules = svg_rules(dom, root);
    if !rules.is_empty() {
        document.add_user_agent_stylesheet(UserAgentStylesheet::parse(&rules));
    }
}

/// Returns the text of a text node for the engine: style sheets without rules that it cannot
/// handle, and no scripts.
fn given_text<'a>(
    dom: &Dom,
    id: NodeId,
    text: &'a str,
    base: &Url,
    context: &BuildContext<'_>,
) -> Option<Cow<'a, str>> {
    let holder = dom.parent(id);
    match holder.map_or("", |holder| dom.tag(holder)) {
        "script" | "noscript" | "template" => None,
        "style" => {
            let media = holder
                .and_then(|style| dom.attribute(style, "media"))
                .unwrap_or("");
            Some(Cow::Owned(context.resources.own_sheet(text, media, base)))
        }
        _ => Some(Cow::Borrowed(text)),
    }
}

/// Creates an empty document of the engine.
fn empty_document(base: &Url, context: &BuildContext<'_>) -> BaseDocument {
    static SHEET: LazyLock<UserAgentStylesheet> = LazyLock::new(|| {
        // Creating a first document enables grids; before that, `display: grid` is not parsed. Its
        // collection is empty, since it would otherwise list the installed fonts.
        let collection = Collection::new(CollectionOptions {
            shared: false,
            system_fonts: false,
        });
        let font_ctx = Some(FontContext {
            collection,
            source_cache: SourceCache::default(),
        });
        drop(BaseDocument::new(DocumentConfig {
            font_ctx,
            ..DocumentConfig::default()
        }));
        UserAgentStylesheet::parse(EXTRA_RULES)
    });
    let [width, height] = context.viewport_px;
    BaseDocument::new(DocumentConfig {
        viewport: Some(Viewport::new(width, height, 1.0, ColorScheme::Light)),
        base_url: Some(base.to_string()),
        ua_stylesheets: vec![UserAgentStylesheet::default_sheet(), SHEET.clone()],
        net_provider: Some(context.resources.clone()),
        font_ctx: Some(context.fonts.clone()),
        incremental: Some(false),
        ..DocumentConfig::default()
    })
}

/// Sets the sizes that the page declares on the elements of missing pictures.
fn declare_pictures(document: &mut BaseDocument, declared: Vec<(EngineId, [u32; 2])>) {
    for (engine, [width, height]) in declared {
        let element = document
            .get_node_mut(engine)
            .and_then(|node| node.element_data_mut());
        if let Some(element) = element
            && matches!(element.special_data, SpecialElementData::None)
        {
            let picture = RasterImageData::new(width, height, Arc::default());
            element.special_data = SpecialElementData::Image(Box::new(ImageData::Raster(picture)));
        }
    }
}

/// Limits a cell's spans to those that the engine can lay out. A cell for which no column is left
/// in its row becomes a block, so that the row becomes one too (`layout_fixes`).
fn limit_spans(attributes: &mut Vec<Attribute>, dom: &Dom, id: NodeId, spans: &mut Spans) {
    let has_span = ["colspan", "rowspan"]
        .iter()
        .any(|name| dom.attribute(id, name).is_some());
    if !has_span && !matches!(dom.tag(id), "td" | "th") {
        return;
    }
    let Span {
        columns,
        rows,
        is_beyond,
    } = spans.limited(dom, id);
    let mut set = |name: &str, value: String| {
        attributes.retain(|attribute| &*attribute.name.local != name);
        attributes.push(Attribute {
            name: QualName::new(None, ns!(), LocalName::from(name)),
            value,
        });
    };
    for (name, limited) in [("colspan", columns), ("rowspan", rows)] {
        let given = dom
            .attribute(id, name)
            .and_then(|value| value.parse::<usize>().ok());
        if given.is_some_and(|given| given != limited) {
            set(name, limited.to_string());
        }
    }
    if is_beyond {
        set("style", "display: block".to_owned());
    }
}

/// Returns the attributes of an element for the engine.
fn attributes(dom: &Dom, id: NodeId, base: &Url) -> Vec<Attribute> {
    let tag = dom.tag(id);
    let mut kept: Vec<Attribute> = Vec::with_capacity(dom.attributes(id).len());
    let mut keep = |name: &str, value: String| {
        kept.push(Attribute {
            name: QualName::new(None, ns!(), LocalName::from(name)),
            value,
        });
    };
    for (name, value) in dom.attributes(id).iter() {
        match (tag, name) {
            ("link", "href") => {
                if let Some(address) = sheet_address(dom, id, base) {
                    keep("href", address);
                }
            }
            // The engine accepts `stylesheet` only in lower case.
            ("link", "rel") => keep("rel", value.to_ascii_lowercase()),
            // Only pictures with a valid address are loaded.
            ("img", "src") => {
                if base.join(value).is_ok() {
                    keep("src", value.to_string());
                }
            }
            ("iframe" | "frame" | "object" | "embed", "src" | "srcdoc" | "data")
            | ("canvas" | "video" | "audio" | "source" | "input", "src")
            | (_, "autofocus")
            | ("frameset", "style") => {}
            (_, "style") => keep("style", with_custom_properties(value).into_owned()),
            (_, "hidden") if is_streamed(dom, id) => {}
            _ if name.starts_with("on") => {}
            _ => keep(name, value.to_string()),
        }
    }
    match tag {
        "frameset" => keep("style", frame_set_style(dom, id)),
        "frame" => keep(FRAME, String::new()),
        // Readers can unfold these elements with a click.
        "details" if dom.attribute(id, "open").is_none() => keep("open", String::new()),
        _ => {}
    }
    kept
}

/// Returns the address under which a style sheet is requested, with its media after the `#`; `None`
/// if it is for another medium, or is an alternate sheet.
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
    url.set_fragment(Some(&format!(
        "{SHEET}{}",
        if is_any(media) { "" } else { media }
    )));
    Some(url.into())
}

/// Maximum number of rows or columns of a frame set.
const MAX_TRACKS: usize = 100;

/// Returns the style of a frame set: its rows and columns.
fn frame_set_style(dom: &Dom, id: NodeId) -> String {
    let attribute_tracks = |name: &str| {
        dom.attribute(id, name)
            .map_or_else(|| "1fr".to_owned(), tracks)
    };
    format!(
        "grid-template-columns:{};grid-template-rows:{}",
        attribute_tracks("cols"),
        attribute_tracks("rows")
    )
}

/// Converts a list of lengths such as `20%,100,2*` to the tracks of a grid.
fn tracks(list: &str) -> String {
    let track = |length: &str| {
        let length = length.trim();
        let number = |text: &str| {
            text.trim()
                .parse::<f32>()
                .ok()
                .filter(|number| number.is_finite() && *number >= 0.0)
        };
        if let Some(share) = length.strip_suffix('*') {
            return format!("minmax(0,{}fr)", number(share).unwrap_or(1.0));
        }
        if let Some(percent) = length.strip_suffix('%').and_then(number) {
            // Shares of the whole: browsers scale them so that they add up.
            return format!("minmax(0,{percent}%)");
        }
        number(length.trim_end_matches("px"))
            .map_or_else(|| "1fr".to_owned(), |px| format!("{px}px"))
    };
    list.split(',')
        .take(MAX_TRACKS)
        .map(track)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Largest `colspan` (HTML 4.9.11).
const MAX_COLSPAN: usize = 1_000;
/// Maximum number of columns that the cells of a row span together, and that cells of several rows
/// span in a table. Real tables have some hundred; the engine's memory grows with rows times
/// columns.
const MAX_COLUMNS: usize = 2_000;
/// Number of rows above which a cell spans only the existing rows.
const LARGE_ROWSPAN: usize = 100;

/// Number of columns that the previous cells span.
#[derive(Debug, Default)]
struct Spans {
    /// Per row, for all of its cells.
    in_row: BTreeMap<NodeId, usize>,
    /// Per table, for the cells of several rows.
    in_table: BTreeMap<NodeId, usize>,
}

/// Columns and rows of a cell, each at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// True if no column is left in the row for the cell.
    is_beyond: bool,
}

impl Spans {
    /// Returns the span of the cell `id`; cells must be passed in document order.
    pub(super) fn limited(&mut self, dom: &Dom, id: NodeId) -> Span {
        // The engine also reads an invalid value as 1.
        let number = |name: &str| {
            let value = dom
                .attribute(id, name)
                .and_then(|value| value.parse::<u16>().ok());
            value.map_or(1, |value| usize::from(value).max(1))
        };
        let row = dom.parent(id).unwrap_or(Dom::ROOT);
        let table = dom
            .ancestors(row)
            .find(|&id| dom.tag(id) == "table")
            .unwrap_or(Dom::ROOT);
        let (used, spanned) = (
            self.in_row.entry(row).or_default(),
            self.in_table.entry(table).or_default(),
        );
        let mut columns = number("colspan")
            .min(MAX_COLSPAN)
            .min(MAX_COLUMNS.saturating_sub(*used).max(1));
        let is_beyond = *used >= MAX_COLUMNS;
        *used += columns;
        let mut rows = number("rowspan");
        if rows > LARGE_ROWSPAN {
            rows = following_rows(dom, row, rows);
        }
        if rows > 1 {
            columns = columns.min(MAX_COLUMNS.saturating_sub(*spanned).max(1));
            if *spanned >= MAX_COLUMNS {
                rows = 1;
            }
            *spanned += columns;
        }
        Span {
            columns,
            rows,
            is_beyond,
        }
    }
}

/// Returns `rowspan`, or the number of rows from `row` to the end of its group if that is less.
fn following_rows(dom: &Dom, row: NodeId, rowspan: usize) -> usize {
    let (mut rows, mut next) = (1, dom.end(row));
    let end = dom.parent(row).map_or(0, |group| dom.end(group));
    while rows < rowspan && next < end {
        let sibling = NodeId::new(next);
        rows += usize::from(dom.is_element(sibling));
        next = dom.end(sibling);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::html::parse_html;

    #[test]
    fn lengths_of_frame_sets_become_tracks() {
        assert_eq!(
            tracks("20%, 100 ,*,2*"),
            "minmax(0,20%) 100px minmax(0,1fr) minmax(0,2fr)"
        );
        assert_eq!(tracks("x,-5;color:red"), "1fr 1fr");
    }

    fn spans(html: &str) -> Vec<(usize, usize)> {
        let dom = parse_html(html);
        let mut spans = Spans::default();
        let cells = dom.ids().filter(|&id| dom.tag(id) == "td");
        cells
            .map(|id| spans.limited(&dom, id))
            .map(|span| (span.columns, span.rows))
            .collect()
    }

    #[test]
    fn spans_end_with_the_table_and_its_limits() {
        assert_eq!(
            spans("<table><td colspan=3 rowspan=2>a<td>b<tr><td rowspan=999>c</table>"),
            [(3, 2), (1, 1), (1, 1)]
        );
        assert_eq!(
            spans("<table><td colspan=0 rowspan=0>a<td colspan=x>b<tr><td>c"),
            [(1, 1), (1, 1), (1, 1)]
        );
        assert_eq!(
            spans("<table><td colspan=65535><td colspan=65534><td colspan=7>"),
            [(1000, 1), (1000, 1), (1, 1)]
        );
    }

    #[test]
    fn the_columns_of_a_table_are_bounded() {
        let html = format!(
            "<table>{}</table>",
            "<tr><td colspan=1000 rowspan=65534>".repeat(80)
        );
        let found = spans(&html);
        let spanning: usize = found
            .iter()
            .filter(|(_, rows)| *rows > 1)
            .map(|(columns, _)| columns)
            .sum();
        assert!(
            spanning <= MAX_COLUMNS && found[0] == (1000, 80),
            "{found:?}"
        );
        let many = spans(&format!("<table><tr>{}", "<td>".repeat(9000)));
        assert!(many.len() == 9000 && many.iter().all(|&span| span == (1, 1)));
    }
}
