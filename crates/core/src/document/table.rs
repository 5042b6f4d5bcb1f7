//! Separates data tables from layout tables, and finds the row and column of each cell.

use crate::capture::{Dom, NodeId};
use crate::document::notes::names::names_note;
use std::collections::BTreeMap;

/// Longest mean cell of a data table without header cells, in bytes of text; a heuristic.
const MAX_MEAN_CELL_BYTES: usize = 120;

/// Largest number of columns.
const MAX_COLUMNS: usize = 1000;

/// Largest number of rows that a cell covers (HTML standard, section 4.9.11).
const MAX_ROW_SPAN: usize = 65534;

/// The tag of an element, or the tag of the part of a table that its role makes it.
pub(super) fn table_tag(dom: &Dom, id: NodeId) -> &str {
    match dom.attribute(id, "role") {
        Some("table" | "grid") => "table",
        Some("row") => "tr",
        Some("cell" | "gridcell") => "td",
        Some("columnheader" | "rowheader") => "th",
        _ => dom.tag(id),
    }
}

/// Position of a cell in a data table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CellPosition {
    pub(super) table: NodeId,
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) is_header: bool,
    /// Number of rows and of columns that it covers, at least 1.
    pub(super) row_span: u32,
    pub(super) column_span: u32,
}

/// The tables of a page, each read when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// For each table examined so far, true if it holds data.
    seen: BTreeMap<NodeId, bool>,
    positions: BTreeMap<NodeId, CellPosition>,
}

impl Tables {
    /// The position of a `td` or `th`; `None` in a layout table.
    pub(super) fn position(&mut self, dom: &Dom, cell: NodeId) -> Option<CellPosition> {
        let table = dom
            .ancestors(cell)
            .find(|&up| table_tag(dom, up) == "table")?;
        if !self.is_data(dom, table) {
            return None;
        }
        self.positions.get(&cell).copied()
    }

    /// Returns true if a table holds data; its cells are read on the first call.
    pub(super) fn is_data(&mut self, dom: &Dom, table: NodeId) -> bool {
        if let Some(&is_data) = self.seen.get(&table) {
            return is_data;
        }
        let is_data = table_tag(dom, table) == "table" && is_data_table(dom, table);
        self.seen.insert(table, is_data);
        if is_data {
            self.read(dom, table);
        }
        is_data
    }

    fn read(&mut self, dom: &Dom, table: NodeId) {
        let span = |cell: NodeId, name: &str| {
            dom.attribute(cell, name)
                .and_then(|value| value.trim().parse::<usize>().ok())
                .unwrap_or(1)
        };
        // For each column, the number of following rows that a cell from above still covers.
        let mut filled: Vec<usize> = Vec::new();
        let rows: Vec<NodeId> = dom
            .descendants(table)
            .filter(|&id| table_tag(dom, id) == "tr")
            .collect();
        let row_count = rows.len();
        for (row, tr) in rows.into_iter().enumerate() {
            let is_in_head = dom
                .parent(tr)
                .is_some_and(|up| table_tag(dom, up) == "thead");
            let mut column = 0;
            let mut fresh = Vec::new();
            for cell in dom
                .children(tr)
                .filter(|&id| matches!(table_tag(dom, id), "td" | "th"))
            {
                while filled.get(column).is_some_and(|&rows| rows > 0) {
                    column += 1;
                }
                let width = span(cell, "colspan").clamp(1, MAX_COLUMNS);
                // 0 means all remaining rows.
                let height = span(cell, "rowspan");
                let rows = if height == 0 {
                    MAX_ROW_SPAN
                } else {
                    height.min(MAX_ROW_SPAN)
                } - 1;
                let end = (column + width).min(MAX_COLUMNS);
                let position = CellPosition {
                    table,
                    row: row as u32,
                    column: column as u32,
                    is_header: is_in_head || table_tag(dom, cell) == "th",
                    row_span: (rows + 1).min(row_count - row) as u32,
                    column_span: end.saturating_sub(column).max(1) as u32,
                };
                self.positions.insert(cell, position);
                if rows > 0 {
                    fresh.extend((column..end).map(|column| (column, rows)));
                }
                column = end.max(column);
            }
            for rows in &mut filled {
                *rows = rows.saturating_sub(1);
            }
            for (column, rows) in fresh {
                if filled.len() <= column {
                    filled.resize(column + 1, 0);
                }
                filled[column] = rows;
            }
        }
    }
}

/// Returns true if a table holds data: it contains no table, is not marked as presentation, has
/// several columns, and has either header cells or at least two rows of short cells without blocks
/// in them. A table of one column is data if it has headers and short cells.
fn is_data_table(dom: &Dom, table: NodeId) -> bool {
    let is_layout = dom
        .attribute(table, "role")
        .is_some_and(|role| matches!(role.trim(), "presentation" | "none"));
    if is_layout || is_table_of_notes(dom, table) {
        return false;
    }
    let mut counts = Counts::default();
    for id in dom.descendants(table) {
        match table_tag(dom, id) {
            "table" => return false,
            "tr" => counts.end_row(),
            tag @ ("td" | "th") => {
                counts.cells += 1;
                counts.in_cell = 0;
                counts.headers += usize::from(tag == "th");
                let span = |name| {
                    dom.attribute(id, name)
                        .and_then(|value| value.trim().parse::<usize>().ok())
                };
                let columns = span("colspan").unwrap_or(1).clamp(1, MAX_COLUMNS);
                counts.in_row += columns;
                counts.places += columns * span("rowspan").unwrap_or(1).clamp(1, MAX_COLUMNS);
            }
            // Word puts each cell's text in a paragraph.
            "p" => counts.add_paragraph(),
            "ul" | "ol" => counts.blocks += 1,
            "h1" | "h2" | "h3" | "form" | "article" | "section" | "nav" => counts.sections += 1,
            "" => counts.bytes += dom.text(id).map_or(0, |text| text.trim().len()),
            _ => {}
        }
    }
    counts.end_row();
    counts.is_data()
}

/// Returns true if each row of a table begins with the anchor of a footnote.
fn is_table_of_notes(dom: &Dom, table: NodeId) -> bool {
    /// Number of nodes at the start of a row that are searched for the anchor.
    const MAX_NODES: usize = 5;
    let mut rows = dom
        .descendants(table)
        .filter(|&id| table_tag(dom, id) == "tr")
        .peekable();
    let is_place = |id: NodeId| {
        let name = dom
            .attribute(id, "name")
            .filter(|_| table_tag(dom, id) == "a");
        dom.attribute(id, "id").or(name).is_some_and(names_note)
    };
    rows.peek().is_some()
        && rows.all(|row| {
            std::iter::once(row)
                .chain(dom.descendants(row))
                .take(MAX_NODES)
                .any(is_place)
        })
}

/// Counts of the contents of a table.
#[derive(Debug, Default)]
struct Counts {
    rows: usize,
    cells: usize,
    headers: usize,
    /// Columns of the current row, and of the widest one.
    in_row: usize,
    columns: usize,
    /// Positions of the grid that cells cover.
    places: usize,
    /// Paragraphs of the current cell.
    in_cell: usize,
    /// Blocks of text, without single paragraphs of cells, and parts of a page.
    blocks: usize,
    sections: usize,
    bytes: usize,
}

impl Counts {
    fn end_row(&mut self) {
        self.rows += usize::from(self.in_row > 0);
        self.columns = self.columns.max(std::mem::take(&mut self.in_row));
    }

    fn add_paragraph(&mut self) {
        self.in_cell += 1;
        self.blocks += match self.in_cell {
            1 => 0,
            2 => 2,
            _ => 1,
        };
    }

    fn is_data(&self) -> bool {
        let Self {
            rows,
            cells,
            headers,
            columns,
            places,
            blocks,
            sections,
            bytes,
            ..
        } = *self;
        if cells < 2 || blocks + sections > cells * 2 {
            return false;
        }
        let is_short = bytes <= cells * MAX_MEAN_CELL_BYTES;
        if columns < 2 {
            headers > 0 && is_short && blocks + sections == 0
        } else if headers > 0 {
            is_short || sections == 0
        } else {
            is_short && rows >= 2 && places >= 2 * rows && (blocks + sections) * 5 <= cells
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    fn positions(html: &str) -> Vec<(String, Option<(u32, u32)>)> {
        let dom = parse_html(html);
        let mut tables = Tables::default();
        dom.ids()
            .filter(|&id| matches!(dom.tag(id), "td" | "th"))
            .map(|id| {
                let text = dom
                    .descendants(id)
                    .find_map(|below| dom.text(below))
                    .unwrap_or("")
                    .to_owned();
                (
                    text,
                    tables
                        .position(&dom, id)
                        .map(|position| (position.row, position.column)),
                )
            })
            .collect()
    }

    #[test]
    fn spans_move_the_cells_that_follow() {
        let found = positions(
            "<table><tr><th rowspan=2>a<th colspan=2>b<th>c<tr><td>d<td>e<td>f<tr><td>g</table>",
        );
        let expected = [
            ("a", (0, 0)),
            ("b", (0, 1)),
            ("c", (0, 3)),
            ("d", (1, 1)),
            ("e", (1, 2)),
            ("f", (1, 3)),
            ("g", (2, 0)),
        ];
        for ((text, position), (expected_text, expected_position)) in found.iter().zip(expected) {
            assert_eq!(
                (text.as_str(), position.unwrap()),
                (expected_text, expected_position)
            );
        }
    }

    #[test]
    fn cells_know_what_they_cover_and_whether_they_are_headers() {
        let html = "<table><thead><tr><td colspan=2>a<td>b</thead><tr><th rowspan=0>c<td colspan=x>d<td>e<tr><td rowspan=9>f<td>g</table>";
        let dom = parse_html(html);
        let mut tables = Tables::default();
        let cells = dom.ids().filter_map(|id| {
            tables
                .position(&dom, id)
                .filter(|_| matches!(dom.tag(id), "td" | "th"))
        });
        let found: Vec<_> = cells
            .map(|cell| (cell.is_header, cell.row_span, cell.column_span))
            .collect();
        assert_eq!(
            found,
            [
                (true, 1, 2),
                (true, 1, 1),
                (true, 2, 1),
                (false, 1, 1),
                (false, 1, 1),
                (false, 1, 1),
                (false, 1, 1)
            ]
        );
    }

    #[test]
    fn tables_with_spans_and_long_cells_are_data_and_columns_of_text_are_not() {
        let is_data = |html: &str| {
            positions(html)
                .iter()
                .all(|(_, position)| position.is_some())
        };
        let long = "x".repeat(400);
        assert!(is_data(
            "<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td rowspan=2>d<td>e<tr><td>f</table>"
        ));
        assert!(is_data(&format!(
            "<table><tr><th>a<th>b<tr><td><p>{long}</p><td><p>{long}</p></table>"
        )));
        assert!(!is_data(&format!("<table><tr><th>a<tr><td>{long}</table>")));
        assert!(!is_data(&format!(
            "<table><tr><td>a<tr><td>b<tr><td>{long}</table>"
        )));
    }

    #[test]
    fn roles_make_tables_of_any_elements() {
        let html = "<div role=table><div role=row><span role=columnheader>a</span><span role=columnheader>b</span></div>\
                    <div role=rowgroup><div role=row><span role=cell>c</span><span role=cell>d</span></div></div></div>";
        let dom = parse_html(html);
        let mut tables = Tables::default();
        let cells = dom.ids().filter(|&id| dom.tag(id) == "span");
        let found: Vec<_> = cells
            .filter_map(|id| tables.position(&dom, id))
            .map(|cell| (cell.row, cell.column, cell.is_header))
            .collect();
        assert_eq!(
            found,
            [(0, 0, true), (0, 1, true), (1, 0, false), (1, 1, false)]
        );
    }

    #[test]
    fn layout_tables_have_no_positions() {
        assert!(
            positions("<table><tr><td>menu<td>text</table>")
                .iter()
                .all(|(_, position)| position.is_none())
        );
        let nested =
            positions("<table><tr><td>x<td>y<tr><td><table><tr><th>a<td>1</table></table>");
        assert_eq!(
            nested
                .iter()
                .filter(|(_, position)| position.is_some())
                .count(),
            2
        );
        assert!(
            positions("<table role=presentation><tr><th>a<td>b</table>")
                .iter()
                .all(|(_, position)| position.is_none())
        );
        assert!(
            positions("<table><tr><td>a<td>b<tr><td>c<td>d</table>")
                .iter()
                .all(|(_, position)| position.is_some())
        );
    }
}
