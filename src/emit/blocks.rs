//! The blocks of a document as text formats write them: the cells of one table together, each other segment by itself.

use crate::clean::{Segment, SegmentKind};
use crate::text::collapse;

/// What is written together.
pub(super) enum Block<'a> {
    /// A segment that is no cell.
    One(&'a Segment),
    /// The cells of a table, by row, in document order; each with its column.
    Table(Vec<Vec<Cell<'a>>>),
}

/// A cell: its segments joined.
pub(super) struct Cell<'a> {
    pub(super) column: usize,
    pub(super) is_header: bool,
    pub(super) segments: Vec<&'a Segment>,
}

/// Joins the cells of one table that follow one another.
pub(super) fn blocks(segments: &[Segment]) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    // Table, row and column of the cell before.
    let mut before: Option<(u32, u32, u32)> = None;
    for segment in segments {
        let SegmentKind::TableCell { table, row, column, is_header } = segment.kind else {
            before = None;
            blocks.push(Block::One(segment));
            continue;
        };
        if before.is_none_or(|(last, ..)| last != table) {
            before = None;
            blocks.push(Block::Table(Vec::new()));
        }
        if let Some(Block::Table(rows)) = blocks.last_mut() {
            if before.is_none_or(|(_, last, _)| last != row) {
                rows.push(Vec::new());
            }
            let cells = rows.last_mut().expect("a row was pushed for the first cell");
            match cells.last_mut() {
                Some(cell) if cell.column == column as usize => cell.segments.push(segment),
                _ => cells.push(Cell { column: column as usize, is_header, segments: vec![segment] }),
            }
        }
        before = Some((table, row, column));
    }
    blocks
}

/// The text of a cell on one line.
pub(super) fn cell_text(cell: &Cell<'_>) -> String {
    cell.segments.iter().map(|segment| collapse(&segment.text())).collect::<Vec<_>>().join(" ")
}
