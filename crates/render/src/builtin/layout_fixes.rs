//! Changes the engine's document once its styles are known, so that no content is lost: shows roots
//! and bodies that wait for a script, keeps content in tables, and makes frames of frame sets as
//! tall as their documents.
//!
//! The engine shows cells in rows only, and drops any other content of a table. CSS 2.1, section
//! 17.2.1, generates anonymous boxes around such content. Here the table (or row) becomes a block
//! instead, as wide as its content. No content is lost, and no columns appear that the table does
//! not have.
//!
//! The engine also omits captions. CSS 2.1, section 17.4, puts the caption and the table in a box
//! around both. Here a caption becomes a row above or below the other rows, whose single cell is as
//! wide as the table: it keeps its place, and the table keeps its columns; only the table's border
//! encloses the caption, too.

use super::tree::Origins;
use crate::rendered::{MIN_ROOT_OPACITY, shown_root};
use blitz_dom::NodeId as EngineId;
use blitz_dom::node::{Attribute, Node, NodeData};
use blitz_dom::{BaseDocument, LocalName, QualName, ns};
use std::collections::BTreeSet;
use style::computed_values::caption_side::T as CaptionSide;
use style::computed_values::visibility::T as Visibility;
use style::selector_parser::PseudoElement;
use style::values::computed::Display;
use style::values::specified::box_::{DisplayInside, DisplayOutside};
use vclean_core::error::Warnings;

/// The role of a node in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Table,
    Group,
    Row,
    Cell,
    Column,
    Caption,
    /// Content that must be in a cell.
    Content,
    /// Content that is never displayed, such as that with `display: none`.
    Nothing,
}

fn part(display: Display) -> Part {
    match (display.outside(), display.inside()) {
        (_, DisplayInside::None) => Part::Nothing,
        (_, DisplayInside::Table) => Part::Table,
        (
            _,
            DisplayInside::TableRowGroup
            | DisplayInside::TableHeaderGroup
            | DisplayInside::TableFooterGroup,
        ) => Part::Group,
        (_, DisplayInside::TableRow) => Part::Row,
        (_, DisplayInside::TableCell) => Part::Cell,
        (_, DisplayInside::TableColumn | DisplayInside::TableColumnGroup) => Part::Column,
        (DisplayOutside::TableCaption, _) => Part::Caption,
        _ => Part::Content,
    }
}

/// Returns true if the engine lays out a part directly inside another one.
fn fits(inner: Part, outer: Part) -> bool {
    match outer {
        Part::Table => {
            matches!(
                inner,
                Part::Group | Part::Row | Part::Cell | Part::Column | Part::Caption | Part::Nothing
            )
        }
        Part::Group => matches!(inner, Part::Row | Part::Column | Part::Nothing),
        Part::Row => matches!(inner, Part::Cell | Part::Nothing),
        _ => true,
    }
}

/// Repairs the tables of a document, and returns the number of changes. The styles must be
/// computed; if the number is not zero and the document has been laid out, it must be laid out
/// again. `origins` gets the nodes of captions.
pub(super) fn mend_tables(document: &mut BaseDocument, origins: &mut [Origins]) -> usize {
    let blocks = make_blocks(document);
    let captions = captions(document, &blocks);
    for &(table, caption) in &captions {
        let cell = make_row(document, table, caption);
        // The caption itself has no box.
        if let Some(own) = origins
            .iter_mut()
            .find(|origins| origins.document == document.id())
        {
            own.insert_same(cell, caption);
        }
    }
    blocks.len() + captions.len()
}

/// Repairs the tables of the documents in a document's frames, as [`mend_tables`] does.
pub(super) fn mend_frames(document: &mut BaseDocument, origins: &mut [Origins]) -> usize {
    let mut changes = 0;
    let mut frames = document.sub_document_node_ids();
    frames.sort_unstable();
    for frame in frames {
        if let Some(inner) = document.subdoc_mut(frame) {
            let mut inner = inner.inner_mut();
            changes += mend_tables(&mut inner, origins) + mend_frames(&mut inner, origins);
        }
    }
    changes
}

/// Finds the captions with content of the tables that remain tables.
fn captions(document: &BaseDocument, blocks: &BTreeSet<EngineId>) -> Vec<(EngineId, EngineId)> {
    let mut found = Vec::new();
    for (id, node) in document.tree().iter() {
        if blocks.contains(&id) || display_of(node).map(part) != Some(Part::Table) {
            continue;
        }
        for &child in &node.children {
            let Some(caption) = document.get_node(child) else {
                continue;
            };
            if !caption.children.is_empty() && display_of(caption).map(part) == Some(Part::Caption)
            {
                found.push((id, child));
            }
        }
    }
    found
}

/// Turns tables, row groups and rows with content that the engine would drop into blocks, and
/// returns them.
fn make_blocks(document: &mut BaseDocument) -> BTreeSet<EngineId> {
    let mut pending: Vec<EngineId> = document.tree().iter().map(|(id, _)| id).collect();
    let mut blocks = BTreeSet::new();
    // A node that becomes a block may no longer be allowed in its parent.
    while let Some(id) = pending.pop() {
        let Some(node) = document.get_node(id) else {
            continue;
        };
        let Some(display) = display_of(node) else {
            continue;
        };
        let outer = part(display);
        if !matches!(outer, Part::Table | Part::Group | Part::Row) || blocks.contains(&id) {
            continue;
        }
        let is_lost = |child: &EngineId| {
            let Some(child) = document.get_node(*child) else {
                return false;
            };
            let inner = match &child.data {
                NodeData::Text(text) if text.content.trim().is_empty() => Part::Nothing,
                NodeData::Text(_) => Part::Content,
                NodeData::Element(_) if child.children.is_empty() && !has_content_before(child) => {
                    Part::Nothing
                }
                NodeData::Element(_) if blocks.contains(&child.id) => Part::Content,
                NodeData::Element(_) => display_of(child).map_or(Part::Nothing, part),
                _ => Part::Nothing,
            };
            !fits(inner, outer)
        };
        if node.children.iter().any(is_lost) {
            blocks.insert(id);
            pending.extend(node.parent);
        }
    }
    for &id in &blocks {
        let Some(node) = document.get_node(id) else {
            continue;
        };
        let is_inline =
            display_of(node).is_some_and(|display| display.outside() == DisplayOutside::Inline);
        let is_table = display_of(node).is_some_and(|display| part(display) == Part::Table);
        let has_width = node
            .primary_styles()
            .is_some_and(|values| !values.clone_width().is_auto());
        let captions: Vec<EngineId> = node
            .children
            .iter()
            .copied()
            .filter(|&child| {
                document.get_node(child).is_some_and(|child| {
                    child
                        .data
                        .is_element_with_tag_name(&blitz_dom::local_name!("caption"))
                })
            })
            .collect();
        document.set_style_property(
            id,
            "display",
            if is_inline { "inline-block" } else { "block" },
        );
        if is_table && !has_width {
            document.set_style_property(id, "width", "fit-content");
        }
        for caption in captions {
            document.set_style_property(caption, "display", "block");
        }
    }
    blocks
}

/// Returns true if a style sheet inserts `::before` content into an element.
fn has_content_before(node: &Node) -> bool {
    #[allow(clippy::redundant_closure_for_method_calls)] // The type of the data is private.
    let data = node.try_stylo_element_data().and_then(|data| data.get());
    data.is_some_and(|data| data.styles.pseudos.get(&PseudoElement::Before).is_some())
}

/// Returns the display of a node; [`Display::None`] if it does not take part in its parent's
/// layout.
fn display_of(node: &Node) -> Option<Display> {
    let values = node.primary_styles()?;
    let is_placed_apart = values.clone_position().is_absolutely_positioned();
    Some(if is_placed_apart {
        Display::None
    } else {
        values.clone_display()
    })
}

/// Tag of the elements that are created here; no rule of a page names it.
const TAG: &str = "vclean-caption";
/// Maximum number of columns that a caption spans.
const MAX_COLUMNS: u32 = 1000;

/// Turns a caption into a row of its table, and returns the row's cell. The document must be laid
/// out again.
fn make_row(document: &mut BaseDocument, table: EngineId, caption: EngineId) -> EngineId {
    let columns = columns(document, table);
    let is_below = document
        .get_node(caption)
        .and_then(Node::primary_styles)
        .is_some_and(|values| values.clone_caption_side() == CaptionSide::Bottom);
    let attribute = |name: &str, value: &str| Attribute {
        name: QualName::new(None, ns!(), LocalName::from(name)),
        value: value.to_owned(),
    };
    let mut mutator = document.mutate();
    let mut create = |attributes| {
        mutator.create_element(
            QualName::new(None, ns!(html), LocalName::from(TAG)),
            attributes,
        )
    };
    let row = create(vec![attribute(
        "style",
        "display:table-row;padding:inherit",
    )]);
    let cell = create(vec![
        attribute("style", "display:table-cell;padding:inherit"),
        attribute("colspan", &columns.to_string()),
    ]);
    // A caption wraps at the width of the table and does not widen the columns.
    let text = create(vec![attribute(
        "style",
        "display:block;width:0;min-width:100%",
    )]);
    mutator.reparent_children(caption, text);
    mutator.append_children(cell, &[text]);
    mutator.append_children(row, &[cell]);
    mutator.append_children(caption, &[row]);
    drop(mutator);
    let display = if is_below {
        "table-footer-group"
    } else {
        "table-header-group"
    };
    set_important(document, caption, &[("display", display)]);
    cell
}

/// Counts the columns of a table: the cells of its longest row, with the columns that they span.
fn columns(document: &BaseDocument, table: EngineId) -> u32 {
    let mut longest = 1;
    let mut pending = vec![(table, false)];
    while let Some((id, is_row)) = pending.pop() {
        let Some(node) = document.get_node(id) else {
            continue;
        };
        if is_row {
            let span = |cell: &Node| {
                cell.attr(LocalName::from("colspan"))
                    .and_then(|value| value.parse::<u32>().ok())
            };
            let cells = node
                .children
                .iter()
                .filter_map(|&cell| document.get_node(cell));
            let cells = cells.filter(|&cell| inside(cell) == Some(DisplayInside::TableCell));
            let width = cells.fold(0, |sum: u32, cell| {
                sum.saturating_add(span(cell).unwrap_or(1))
            });
            longest = longest.max(width.min(MAX_COLUMNS));
            continue;
        }
        for &child in &node.children {
            match document.get_node(child).and_then(inside) {
                Some(DisplayInside::TableRow) => pending.push((child, true)),
                Some(
                    DisplayInside::TableRowGroup
                    | DisplayInside::TableHeaderGroup
                    | DisplayInside::TableFooterGroup,
                ) => pending.push((child, false)),
                _ => {}
            }
        }
    }
    longest
}

fn inside(node: &Node) -> Option<DisplayInside> {
    Some(node.primary_styles()?.clone_display().inside())
}

/// Shows the root and the body if the page hides them, and returns a warning for each. The styles
/// must be computed, and are computed again if a warning is returned; the document must then be
/// laid out.
pub(super) fn show_roots(document: &mut BaseDocument) -> Warnings {
    let mut warnings = Warnings::new();
    // The styles of the body depend on those of the root.
    for tag in ["html", "body"] {
        let Some(root) = document.try_root_element() else {
            break;
        };
        let has_tag = |id| {
            document
                .get_node(id)
                .is_some_and(|node| is_named(node, tag))
        };
        let found = if has_tag(root.id) {
            Some(root.id)
        } else {
            root.children.iter().copied().find(|&id| has_tag(id))
        };
        let Some(id) = found else { continue };
        let Some(node) = document.get_node(id) else {
            continue;
        };
        let Some(values) = node.primary_styles() else {
            continue;
        };
        let mut declarations = Vec::new();
        if values.clone_display().is_none() {
            declarations.push(("display", "block"));
        }
        if values.clone_visibility() != Visibility::Visible {
            declarations.push(("visibility", "visible"));
        }
        if values.get_effects().opacity < MIN_ROOT_OPACITY {
            declarations.push(("opacity", "1"));
        }
        drop(values);
        if let Some(&(property, _)) = declarations.first() {
            warnings.push(shown_root(tag, property, false));
            declarations.push(("transition", "none"));
            set_important(document, id, &declarations);
            document.resolve_stylist(0.0);
        }
    }
    warnings
}

fn is_named(node: &blitz_dom::Node, tag: &str) -> bool {
    node.element_data()
        .is_some_and(|element| &*element.name.local == tag)
}

/// Makes the frames of frame sets as tall as their documents, since a reader can scroll each of
/// them. Returns true if any was changed; the document must then be laid out again.
pub(super) fn grow_frames(document: &mut BaseDocument) -> bool {
    let frames: Vec<(EngineId, f32)> = document
        .sub_document_node_ids()
        .into_iter()
        .filter_map(|id| {
            let node = document.get_node(id)?;
            let in_set = document.get_node(node.parent?)?.element_data()?;
            let inner = document.subdoc(id)?.inner();
            let content = inner.try_root_element()?.final_layout().size.height;
            (&*in_set.name.local == "frameset" && content > node.final_layout().size.height)
                .then_some((id, content))
        })
        .collect();
    for &(id, height) in &frames {
        set_important(document, id, &[("min-height", &format!("{height}px"))]);
    }
    !frames.is_empty()
}

/// Adds declarations to the style attribute of an element as important ones, which no rule of the
/// page overrides. The document must be laid out again.
pub(super) fn set_important(
    document: &mut BaseDocument,
    id: EngineId,
    declarations: &[(&str, &str)],
) {
    let name = QualName::new(None, ns!(), LocalName::from("style"));
    let own = document
        .get_node(id)
        .and_then(|node| node.attr(name.local.clone()))
        .unwrap_or_default();
    let mut style = String::from(own);
    for (property, value) in declarations {
        // The previous declaration may lack its semicolon.
        style.extend([";", property, ":", value, "!important"]);
    }
    document.mutate().set_attribute(id, name, &style);
}
