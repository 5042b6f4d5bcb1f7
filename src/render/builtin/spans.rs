//! Limits how many columns and rows the cells of a table span: the engine counts columns with 16 bits and fails beyond
//! them, and lays out each row and column that a cell spans, also where the table has none.

use crate::capture::{Dom, NodeId};
use std::collections::BTreeMap;

/// Largest `colspan` (HTML 4.9.11).
const MAX_COLSPAN: usize = 1_000;
/// Largest number of columns that the cells of a row span together, and largest number that cells of several rows span in
/// a table. Real tables have some hundred; the engine's memory grows with rows times columns.
const MAX_COLUMNS: usize = 2_000;
/// Number of rows above which a cell spans only those that there are.
const LARGE_ROWSPAN: usize = 100;

/// The columns that the cells so far span.
#[derive(Debug, Default)]
pub(super) struct Spans {
    /// By row.
    in_row: BTreeMap<NodeId, usize>,
    /// By table, of the cells of several rows.
    in_table: BTreeMap<NodeId, usize>,
}

/// What a cell spans, each at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// Whether the row has no column left for the cell.
    pub(super) is_beyond: bool,
}

impl Spans {
    /// What the cell `id` spans; the cells of a page must be asked for in document order.
    pub(super) fn limited(&mut self, dom: &Dom, id: NodeId) -> Span {
        // As the engine reads it.
        let number = |name: &str| {
            let value = dom.attribute(id, name).and_then(|value| value.parse::<u16>().ok());
            value.map_or(1, |value| usize::from(value).max(1))
        };
        let row = dom.parent(id).unwrap_or(Dom::ROOT);
        let table = dom.ancestors(row).find(|&id| dom.tag(id) == "table").unwrap_or(Dom::ROOT);
        let (used, spanned) = (self.in_row.entry(row).or_default(), self.in_table.entry(table).or_default());
        let mut columns = number("colspan").min(MAX_COLSPAN).min(MAX_COLUMNS.saturating_sub(*used).max(1));
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
        Span { columns, rows, is_beyond }
    }
}

/// `rowspan`, or the number of rows from `row` to the end of its group if that is less.
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
    use crate::html::parse_html;

    fn spans(html: &str) -> Vec<(usize, usize)> {
        let dom = parse_html(html);
        let mut spans = Spans::default();
        let cells = dom.ids().filter(|&id| dom.tag(id) == "td");
        cells.map(|id| spans.limited(&dom, id)).map(|span| (span.columns, span.rows)).collect()
    }

    #[test]
    fn spans_end_with_the_table_and_its_limits() {
        assert_eq!(
            spans("<table><td colspan=3 rowspan=2>a<td>b<tr><td rowspan=999>c</table>"),
            [(3, 2), (1, 1), (1, 1)]
        );
        assert_eq!(spans("<table><td colspan=0 rowspan=0>a<td colspan=x>b<tr><td>c"), [(1, 1), (1, 1), (1, 1)]);
        assert_eq!(spans("<table><td colspan=65535><td colspan=65534><td colspan=7>"), [(1000, 1), (1000, 1), (1, 1)]);
    }

    #[test]
    fn the_columns_of_a_table_are_bounded() {
        let html = format!("<table>{}</table>", "<tr><td colspan=1000 rowspan=65534>".repeat(80));
        let found = spans(&html);
        let spanning: usize = found.iter().filter(|(_, rows)| *rows > 1).map(|(columns, _)| columns).sum();
        assert!(spanning <= MAX_COLUMNS && found[0] == (1000, 80), "{found:?}");
        let many = spans(&format!("<table><tr>{}", "<td>".repeat(9000)));
        assert!(many.len() == 9000 && many.iter().all(|&span| span == (1, 1)));
    }
}
