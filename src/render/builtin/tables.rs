//! Keeps content in tables that the engine would drop: it shows cells in rows only, and drops any other content of a
//! table.
//!
//! CSS 2.1, section 17.2.1, generates anonymous boxes around such content. Here the table (or row) becomes a block
//! instead, as wide as its content. No content is lost, and no columns appear that the table does not have. A caption
//! becomes a row of its table (`table_captions`).

use super::table_captions::make_row;
use super::tree::Origins;
use blitz_dom::node::{Node, NodeData};
use blitz_dom::{BaseDocument, NodeId as EngineId};
use std::collections::BTreeSet;
use style::selector_parser::PseudoElement;
use style::values::computed::Display;
use style::values::specified::box_::{DisplayInside, DisplayOutside};

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
    /// Never visible.
    Nothing,
}

fn part(display: Display) -> Part {
    match (display.outside(), display.inside()) {
        (_, DisplayInside::None) => Part::Nothing,
        (_, DisplayInside::Table) => Part::Table,
        (_, DisplayInside::TableRowGroup | DisplayInside::TableHeaderGroup | DisplayInside::TableFooterGroup) => {
            Part::Group
        }
        (_, DisplayInside::TableRow) => Part::Row,
        (_, DisplayInside::TableCell) => Part::Cell,
        (_, DisplayInside::TableColumn | DisplayInside::TableColumnGroup) => Part::Column,
        (DisplayOutside::TableCaption, _) => Part::Caption,
        _ => Part::Content,
    }
}

/// Whether the engine lays out a part directly inside another one.
fn fits(inner: Part, outer: Part) -> bool {
    match outer {
        Part::Table => {
            matches!(inner, Part::Group | Part::Row | Part::Cell | Part::Column | Part::Caption | Part::Nothing)
        }
        Part::Group => matches!(inner, Part::Row | Part::Column | Part::Nothing),
        Part::Row => matches!(inner, Part::Cell | Part::Nothing),
        _ => true,
    }
}

/// Mends the tables of a document, and returns the number of changes. The styles must be computed; if the number is not
/// zero and the document has been laid out, it must be laid out again. `origins` gets the nodes of captions.
pub(super) fn mend(document: &mut BaseDocument, origins: &mut [Origins]) -> usize {
    let blocks = make_blocks(document);
    let captions = captions(document, &blocks);
    for &(table, caption) in &captions {
        let cell = make_row(document, table, caption);
        // The caption itself has no box.
        if let Some(own) = origins.iter_mut().find(|origins| origins.document == document.id()) {
            own.note_same(cell, caption);
        }
    }
    blocks.len() + captions.len()
}

/// Mends the tables of the documents in a document's frames, as [`mend`] does.
pub(super) fn mend_frames(document: &mut BaseDocument, origins: &mut [Origins]) -> usize {
    let mut changes = 0;
    let mut frames = document.sub_document_node_ids();
    frames.sort_unstable();
    for frame in frames {
        if let Some(inner) = document.subdoc_mut(frame) {
            let mut inner = inner.inner_mut();
            changes += mend(&mut inner, origins) + mend_frames(&mut inner, origins);
        }
    }
    changes
}

/// The captions with content of the tables that stay tables.
fn captions(document: &BaseDocument, blocks: &BTreeSet<EngineId>) -> Vec<(EngineId, EngineId)> {
    let mut found = Vec::new();
    for (id, node) in document.tree().iter() {
        if blocks.contains(&id) || display_of(node).map(part) != Some(Part::Table) {
            continue;
        }
        for &child in &node.children {
            let Some(caption) = document.get_node(child) else { continue };
            if !caption.children.is_empty() && display_of(caption).map(part) == Some(Part::Caption) {
                found.push((id, child));
            }
        }
    }
    found
}

/// Turns tables, row groups and rows with content that the engine would drop into blocks, and returns them.
fn make_blocks(document: &mut BaseDocument) -> BTreeSet<EngineId> {
    let mut pending: Vec<EngineId> = document.tree().iter().map(|(id, _)| id).collect();
    let mut blocks = BTreeSet::new();
    // A node that becomes a block may no longer be allowed in its parent.
    while let Some(id) = pending.pop() {
        let Some(node) = document.get_node(id) else { continue };
        let Some(display) = display_of(node) else { continue };
        let outer = part(display);
        if !matches!(outer, Part::Table | Part::Group | Part::Row) || blocks.contains(&id) {
            continue;
        }
        let is_lost = |child: &EngineId| {
            let Some(child) = document.get_node(*child) else { return false };
            let inner = match &child.data {
                NodeData::Text(text) if text.content.trim().is_empty() => Part::Nothing,
                NodeData::Text(_) => Part::Content,
                NodeData::Element(_) if child.children.is_empty() && !has_content_before(child) => Part::Nothing,
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
        let Some(node) = document.get_node(id) else { continue };
        let is_inline = display_of(node).is_some_and(|display| display.outside() == DisplayOutside::Inline);
        let is_table = display_of(node).is_some_and(|display| part(display) == Part::Table);
        let has_width = node.primary_styles().is_some_and(|values| !values.clone_width().is_auto());
        let captions: Vec<EngineId> = node
            .children
            .iter()
            .copied()
            .filter(|&child| {
                document
                    .get_node(child)
                    .is_some_and(|child| child.data.is_element_with_tag_name(&blitz_dom::local_name!("caption")))
            })
            .collect();
        document.set_style_property(id, "display", if is_inline { "inline-block" } else { "block" });
        if is_table && !has_width {
            document.set_style_property(id, "width", "fit-content");
        }
        for caption in captions {
            document.set_style_property(caption, "display", "block");
        }
    }
    blocks
}

/// Whether a style sheet puts content before that of an element.
fn has_content_before(node: &Node) -> bool {
    #[allow(clippy::redundant_closure_for_method_calls)] // The type of the data is private.
    let data = node.try_stylo_element_data().and_then(|data| data.get());
    data.is_some_and(|data| data.styles.pseudos.get(&PseudoElement::Before).is_some())
}

/// The display of a node that takes part in its parent's layout.
fn display_of(node: &Node) -> Option<Display> {
    let values = node.primary_styles()?;
    let is_placed_apart = values.clone_position().is_absolutely_positioned();
    Some(if is_placed_apart { Display::None } else { values.clone_display() })
}
