//! The blocks of a document for text formats: the cells of one table together, each other segment separately.

use crate::clean::{CleanDocument, Segment, SegmentKind};
use crate::text::collapse;

/// A unit of output.
pub(super) enum Block<'a> {
    /// A segment that belongs to no table.
    One(&'a Segment),
    /// A table.
    Table(Table<'a>),
    /// The heading of the comments, which follow.
    CommentsHeading,
}

/// The heading of the comments in formats of text.
pub(super) const COMMENTS_HEADING: &str = "Comments";

/// A table; it has a caption or cells.
#[derive(Default)]
pub(super) struct Table<'a> {
    /// Its number.
    number: u32,
    /// The segments of its caption.
    pub(super) caption: Vec<&'a Segment>,
    /// Its kept cells by row, in document order; no row is empty.
    pub(super) rows: Vec<Vec<Cell<'a>>>,
}

/// A cell with all its segments.
pub(super) struct Cell<'a> {
    pub(super) row: u32,
    pub(super) column: usize,
    pub(super) is_header: bool,
    /// Number of rows and columns that it covers, at least 1.
    pub(super) row_span: usize,
    pub(super) column_span: usize,
    pub(super) segments: Vec<&'a Segment>,
}

/// The blocks of a text, and after it those of the document's comments, if they are separated from it and there are any.
pub(super) fn blocks_with_comments<'a>(text: &'a [Segment], document: &'a CleanDocument) -> Vec<Block<'a>> {
    let mut all = blocks(text);
    if let Some(comments) = document.comments.as_ref().filter(|comments| !comments.segments.is_empty()) {
        all.extend((!comments.is_alone).then_some(Block::CommentsHeading));
        all.extend(blocks(&comments.segments));
    }
    all
}

/// The blocks of a text: adjacent cells of the same table are grouped, with its caption if that is before them.
pub(super) fn blocks(segments: &[Segment]) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    for segment in segments {
        match segment.kind {
            SegmentKind::Caption { table: Some(number) } => match blocks.last_mut() {
                Some(Block::Table(table)) if table.number == number && table.rows.is_empty() => {
                    table.caption.push(segment);
                }
                _ => blocks.push(Block::Table(Table { number, caption: vec![segment], rows: Vec::new() })),
            },
            SegmentKind::TableCell { table: number, .. } => {
                if !matches!(blocks.last(), Some(Block::Table(table)) if table.number == number) {
                    blocks.push(Block::Table(Table { number, ..Table::default() }));
                }
                if let Some(Block::Table(table)) = blocks.last_mut() {
                    add_cell(&mut table.rows, segment);
                }
            }
            _ => blocks.push(Block::One(segment)),
        }
    }
    blocks
}

fn add_cell<'a>(rows: &mut Vec<Vec<Cell<'a>>>, segment: &'a Segment) {
    let SegmentKind::TableCell { row, column, is_header, row_span, column_span, .. } = segment.kind else { return };
    let cell = Cell {
        row,
        column: column as usize,
        is_header,
        row_span: row_span.max(1) as usize,
        column_span: column_span.max(1) as usize,
        segments: vec![segment],
    };
    match rows.last_mut() {
        Some(cells) if cells[0].row == row => match cells.last_mut() {
            Some(last) if last.column == cell.column => last.segments.push(segment),
            _ => cells.push(cell),
        },
        _ => rows.push(vec![cell]),
    }
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
