//! Lays out the captions of tables, which the engine leaves out: as a row above or below the other rows, whose one cell
//! is as wide as the table.
//!
//! CSS 2.1, section 17.4, has the caption and the table in a box around both. As a row the caption has the same place,
//! and the columns of the table stay; only the table's border is around the caption, too.

use super::overrides::set_important;
use blitz_dom::node::{Attribute, Node};
use blitz_dom::{BaseDocument, LocalName, NodeId as EngineId, QualName, ns};
use style::computed_values::caption_side::T as CaptionSide;
use style::values::specified::box_::DisplayInside;

/// Tag of the elements that this creates; no rule of a page names it.
const TAG: &str = "vclean-caption";
/// Largest number of columns that a caption spans.
const MAX_COLUMNS: u32 = 1000;

/// Turns a caption into a row of its table, and returns the row's cell. The document must be laid out again.
pub(super) fn make_row(document: &mut BaseDocument, table: EngineId, caption: EngineId) -> EngineId {
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
    let mut create =
        |attributes| mutator.create_element(QualName::new(None, ns!(html), LocalName::from(TAG)), attributes);
    let row = create(vec![attribute("style", "display:table-row;padding:inherit")]);
    let cell = create(vec![
        attribute("style", "display:table-cell;padding:inherit"),
        attribute("colspan", &columns.to_string()),
    ]);
    // A caption is broken into lines of the table's width and does not widen the columns.
    let text = create(vec![attribute("style", "display:block;width:0;min-width:100%")]);
    mutator.reparent_children(caption, text);
    mutator.append_children(cell, &[text]);
    mutator.append_children(row, &[cell]);
    mutator.append_children(caption, &[row]);
    drop(mutator);
    let display = if is_below { "table-footer-group" } else { "table-header-group" };
    set_important(document, caption, &[("display", display)]);
    cell
}

/// Number of columns of a table: the cells of its longest row, with the columns that they span.
fn columns(document: &BaseDocument, table: EngineId) -> u32 {
    let mut longest = 1;
    let mut pending = vec![(table, false)];
    while let Some((id, is_row)) = pending.pop() {
        let Some(node) = document.get_node(id) else { continue };
        if is_row {
            let span = |cell: &Node| cell.attr(LocalName::from("colspan")).and_then(|value| value.parse::<u32>().ok());
            let cells = node.children.iter().filter_map(|&cell| document.get_node(cell));
            let cells = cells.filter(|&cell| inside(cell) == Some(DisplayInside::TableCell));
            let width = cells.fold(0, |sum: u32, cell| sum.saturating_add(span(cell).unwrap_or(1)));
            longest = longest.max(width.min(MAX_COLUMNS));
            continue;
        }
        for &child in &node.children {
            match document.get_node(child).and_then(inside) {
                Some(DisplayInside::TableRow) => pending.push((child, true)),
                Some(
                    DisplayInside::TableRowGroup | DisplayInside::TableHeaderGroup | DisplayInside::TableFooterGroup,
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
