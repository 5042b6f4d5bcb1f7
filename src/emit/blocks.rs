//! The blocks of a document for text formats: the cells of one table together, each other segment separately.

use crate::clean::{CleanDocument, Segment, SegmentKind};
use crate::text::collapse;

/// A unit of output.
pub(super) enum Block<'a> {
    /// A segment that is not a cell.
    One(&'a Segment),
    /// The cells of a table, by row, in document order.
    Table(Vec<Vec<Cell<'a>>>),
    /// The heading of the comments, which follow.
    CommentsHeading,
}

/// The heading of the comments in formats of text.
pub(super) const COMMENTS_HEADING: &str = "Comments";

/// A cell with all its segments.
pub(super) struct Cell<'a> {
    pub(super) column: usize,
    pub(super) is_header: bool,
    pub(super) segments: Vec<&'a Segment>,
}

/// The blocks of a document, and after its text its comments, if they are separated from it and there are any.
pub(super) fn document_blocks(document: &CleanDocument) -> Vec<Block<'_>> {
    let mut all = blocks(&document.segments);
    if let Some(comments) = document.comments.as_ref().filter(|comments| !comments.segments.is_empty()) {
        all.push(Block::CommentsHeading);
        all.extend(blocks(&comments.segments));
    }
    all
}

/// The blocks of a text: adjacent cells of the same table are grouped.
pub(super) fn blocks(segments: &[Segment]) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    // Table, row and column of the previous cell.
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

/// Largest number of missing cells that are written for a row.
const MAX_MISSING_CELLS: usize = 100;

/// The cells of a row by column, `None` for a column before one of its cells that has none.
pub(super) fn by_column<'a, 'b>(row: &'b [Cell<'a>]) -> Vec<Option<&'b Cell<'a>>> {
    let mut cells = Vec::with_capacity(row.len());
    for cell in row {
        let missing = cell.column.saturating_sub(cells.len());
        if missing <= MAX_MISSING_CELLS {
            cells.extend(std::iter::repeat_n(None, missing));
        }
        cells.push(Some(cell));
    }
    cells
}

/// The text of a cell on one line.
pub(super) fn cell_text(cell: &Cell<'_>) -> String {
    cell.segments.iter().map(|segment| collapse(&segment.text())).collect::<Vec<_>>().join(" ")
}
