//! The blocks of a document for text formats: all cells of one table form one block, every other
//! segment is a block by itself.

use crate::capture::NodeId;
use crate::document::{Callout, CommentPart, Document, Numbering, Post, Segment, SegmentKind};
use crate::text::collapse;

/// A unit of output.
pub(super) enum DocumentBlock<'a> {
    /// A segment that does not belong to a table.
    One(&'a Segment),
    Table(Table<'a>),
    /// The heading of the comments, which follow it.
    CommentsHeading,
}

/// The heading above the comments in text formats.
pub(super) const COMMENTS_HEADING: &str = "Comments";

/// A table with a caption, cells, or both.
#[derive(Default)]
pub(super) struct Table<'a> {
    /// The number of the table in the document.
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

/// The blocks of a text, followed by those of the document's comments, if there are any and they
/// are kept apart from the text.
pub(super) fn blocks_with_comments<'a>(
    text: &'a [Segment],
    document: &'a Document,
) -> Vec<DocumentBlock<'a>> {
    let mut all = blocks(text);
    if let Some(comments) = document
        .comments
        .as_ref()
        .filter(|comments| !comments.segments.is_empty())
    {
        all.extend((!comments.is_alone).then_some(DocumentBlock::CommentsHeading));
        all.extend(blocks(&comments.segments));
    }
    all
}

/// The blocks of a text. Adjacent cells of the same table are grouped, together with its caption if
/// the caption comes before them.
pub(super) fn blocks(segments: &[Segment]) -> Vec<DocumentBlock<'_>> {
    let mut blocks = Vec::new();
    for segment in segments {
        match segment.kind {
            SegmentKind::Caption {
                table: Some(number),
            } => match blocks.last_mut() {
                Some(DocumentBlock::Table(table))
                    if table.number == number && table.rows.is_empty() =>
                {
                    table.caption.push(segment);
                }
                _ => blocks.push(DocumentBlock::Table(Table {
                    number,
                    caption: vec![segment],
                    rows: Vec::new(),
                })),
            },
            SegmentKind::TableCell { table: number, .. } => {
                if !matches!(blocks.last(), Some(DocumentBlock::Table(table)) if table.number == number)
                {
                    blocks.push(DocumentBlock::Table(Table {
                        number,
                        ..Table::default()
                    }));
                }
                if let Some(DocumentBlock::Table(table)) = blocks.last_mut() {
                    add_cell(&mut table.rows, segment);
                }
            }
            _ => blocks.push(DocumentBlock::One(segment)),
        }
    }
    blocks
}

fn add_cell<'a>(rows: &mut Vec<Vec<Cell<'a>>>, segment: &'a Segment) {
    let SegmentKind::TableCell {
        row,
        column,
        is_header,
        row_span,
        column_span,
        ..
    } = segment.kind
    else {
        return;
    };
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

/// Largest number of missing cells that is written for a row.
const MAX_MISSING_CELLS: usize = 100;

/// The cells of each row by column, with `None` for a missing cell before a cell of the row.
/// Columns that are covered by a cell of this row or of a row above get no entry.
pub(super) fn by_column<'a, 'b>(rows: &'b [Vec<Cell<'a>>]) -> Vec<Vec<Option<&'b Cell<'a>>>> {
    // The first row in each column that is not covered by a cell from above.
    let mut free_from: Vec<usize> = Vec::new();
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        let mut cells = Vec::with_capacity(row.len());
        let mut column = 0;
        for cell in row {
            let is_free = |column: &usize| {
                free_from
                    .get(*column)
                    .is_none_or(|&from| from <= cell.row as usize)
            };
            let missing = (column..cell.column)
                .take(2 * MAX_MISSING_CELLS)
                .filter(is_free)
                .count();
            if missing <= MAX_MISSING_CELLS {
                cells.extend(std::iter::repeat_n(None, missing));
            }
            cells.push(Some(cell));
            column = cell.column.saturating_add(cell.column_span);
            if cell.row_span > 1 && column <= 10 * MAX_MISSING_CELLS {
                free_from.resize(free_from.len().max(column), 0);
                let end = (cell.row as usize).saturating_add(cell.row_span);
                free_from[cell.column..column].fill(end);
            }
        }
        all.push(cells);
    }
    all
}

/// The text of a cell on one line.
pub(super) fn cell_text(cell: &Cell<'_>) -> String {
    cell.segments
        .iter()
        .map(|segment| collapse(&segment.text()))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The lines of a segment with white space collapsed, none of them empty: a line break of the page
/// ends a line, except in headings, which are one line, and in formulas.
pub(super) fn lines(segment: &Segment) -> Vec<String> {
    if matches!(segment.kind, SegmentKind::Heading { .. }) {
        let line = collapse(&segment.text());
        return Vec::from_iter((!line.is_empty()).then_some(line));
    }
    let mut text = String::new();
    for span in &segment.spans {
        if span.formula.is_some() {
            text.push_str(&span.text.replace('\n', " "));
        } else {
            text.push_str(&span.text);
        }
    }
    let lines = text.split('\n').map(collapse);
    lines.filter(|line| !line.is_empty()).collect()
}

/// A part of a text: at the top level, in a list item, or in a quotation.
pub(super) enum Part<'a> {
    /// A heading, with its level from 1 to 6.
    Heading(u8, &'a Segment),
    Paragraph(&'a Segment),
    /// The caption of a figure.
    Caption(&'a Segment),
    /// The first paragraph of a footnote, with the footnote's number.
    Note(u32, &'a Segment),
    /// A quotation, with its kind if it is a callout; never empty.
    Quote(Option<Callout>, Vec<Part<'a>>),
    /// Code, with its language if that is known.
    Code(&'a Segment, Option<&'a str>),
    List(List<'a>),
    /// A definition list; never empty.
    Definitions(Vec<Defined<'a>>),
    /// A table with cells.
    Table(Table<'a>),
    /// A picture: its address and its alternative text.
    Image(&'a str, &'a str),
}

pub(super) struct List<'a> {
    /// The element of the list, if it is known.
    element: Option<NodeId>,
    /// How the items are numbered.
    numbering: Numbering,
    /// True for a numbered list.
    pub(super) is_ordered: bool,
    /// Its items; never empty.
    pub(super) items: Vec<Item<'a>>,
}

impl List<'_> {
    /// The number of an item as the page shows it: a number, letters or a Roman numeral.
    pub(super) fn number(&self, item: &Item<'_>) -> Option<String> {
        let number = item.number?;
        let letters = self.numbering.letters(number);
        Some(letters.unwrap_or_else(|| number.to_string()))
    }
}

pub(super) struct Item<'a> {
    /// The number as shown on the page; `None` in a list that is not numbered.
    pub(super) number: Option<u32>,
    /// True if the item's checkbox is checked; `None` if it has no checkbox.
    pub(super) checked: Option<bool>,
    pub(super) parts: Vec<Part<'a>>,
}

/// Terms and their definitions; either may be missing.
#[derive(Default)]
pub(super) struct Defined<'a> {
    pub(super) terms: Vec<&'a Segment>,
    /// The definitions, each a list of paragraphs.
    pub(super) definitions: Vec<Vec<&'a Segment>>,
}

/// The parts of a text, in document order.
pub(super) fn parts(segments: &[Segment]) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for block in blocks(segments) {
        match block {
            DocumentBlock::CommentsHeading => {}
            DocumentBlock::Table(table) => {
                let first = table
                    .caption
                    .first()
                    .copied()
                    .or_else(|| table.rows.first()?.first()?.segments.first().copied());
                let Some(first) = first else { continue };
                let place = place(
                    &mut parts,
                    first.within.quotes,
                    first.within.items,
                    first.callout,
                );
                if table.rows.is_empty() {
                    place.extend(table.caption.into_iter().map(Part::Paragraph));
                } else {
                    place.push(Part::Table(table));
                }
            }
            DocumentBlock::One(segment) => add(&mut parts, segment),
        }
    }
    parts
}

fn add<'a>(parts: &mut Vec<Part<'a>>, segment: &'a Segment) {
    let items = match segment.kind {
        SegmentKind::ListItem { depth, .. } => depth,
        _ => segment.within.items,
    };
    if let Some(begun) = segment.item.filter(|_| is_begun_by_block(segment)) {
        let outer = place(parts, begun.quotes, items.saturating_sub(1), None);
        push_item(outer, segment, begun.number, None, Vec::new());
    }
    let place = place(parts, segment.within.quotes, items, segment.callout);
    match &segment.kind {
        SegmentKind::Paragraph | SegmentKind::ListItem { .. } if segment.note.is_some() => {
            place.push(Part::Note(segment.note.unwrap_or_default(), segment));
        }
        SegmentKind::Heading { level } => place.push(Part::Heading((*level).clamp(1, 6), segment)),
        SegmentKind::Code { language } => place.push(Part::Code(segment, language.as_deref())),
        SegmentKind::ListItem {
            number,
            continues,
            checked,
            ..
        } => {
            add_item(place, segment, *number, *continues, *checked);
        }
        SegmentKind::Term => match place.last_mut() {
            Some(Part::Definitions(all))
                if all.last().is_some_and(|last| last.definitions.is_empty()) =>
            {
                all.last_mut()
                    .expect("it was looked at")
                    .terms
                    .push(segment);
            }
            Some(Part::Definitions(all)) => all.push(Defined {
                terms: vec![segment],
                ..Defined::default()
            }),
            _ => place.push(Part::Definitions(vec![Defined {
                terms: vec![segment],
                ..Defined::default()
            }])),
        },
        SegmentKind::Definition { continues } => add_definition(place, segment, *continues),
        SegmentKind::Caption { .. } => place.push(Part::Caption(segment)),
        SegmentKind::Image {
            source,
            alternative,
        } => place.push(Part::Image(source, alternative)),
        SegmentKind::Paragraph | SegmentKind::Quote | SegmentKind::TableCell { .. } => {
            place.push(Part::Paragraph(segment));
        }
    }
}

/// The list of parts to which a segment belongs that is inside the given numbers of quotations and
/// list items. A quotation is opened if none is open or if the segment begins a callout; a list is
/// never opened here.
fn place<'p, 'a>(
    parts: &'p mut Vec<Part<'a>>,
    quotes: u8,
    items: u8,
    begun: Option<Callout>,
) -> &'p mut Vec<Part<'a>> {
    let is_list = items > 0 && matches!(parts.last(), Some(Part::List(_)));
    let begins = quotes == 1 && begun.is_some();
    let is_quote = quotes > 0 && !begins && matches!(parts.last(), Some(Part::Quote(..)));
    if !is_list && !is_quote {
        if quotes == 0 {
            return parts;
        }
        parts.push(Part::Quote(begun.filter(|_| quotes == 1), Vec::new()));
    }
    match parts.last_mut() {
        Some(Part::List(list)) => {
            let item = list.items.last_mut().expect("a list has an item");
            place(&mut item.parts, quotes, items - 1, begun)
        }
        Some(Part::Quote(_, quoted)) => {
            place(quoted, quotes - 1, items, begun.filter(|_| quotes > 1))
        }
        _ => unreachable!("the last part is a list or a quotation"),
    }
}

/// Adds an item to the open list. A new list begins if none is open, or if the open one is numbered
/// differently.
fn add_item<'a>(
    parts: &mut Vec<Part<'a>>,
    segment: &'a Segment,
    number: Option<u32>,
    continues: bool,
    checked: Option<bool>,
) {
    let paragraph = Part::Paragraph(segment);
    match parts.last_mut() {
        Some(Part::List(list)) if continues => {
            list.items
                .last_mut()
                .expect("a list has an item")
                .parts
                .push(paragraph);
        }
        // This is a further paragraph of a footnote.
        Some(Part::Note(..) | Part::Paragraph(_)) if continues => parts.push(paragraph),
        _ => push_item(parts, segment, number, checked, vec![paragraph]),
    }
}

/// Returns true if a segment that is not a list item begins one.
pub(super) fn is_begun_by_block(segment: &Segment) -> bool {
    segment.item.is_some()
        && segment.note.is_none()
        && !matches!(segment.kind, SegmentKind::ListItem { .. })
}

/// Adds an item to the last list, or to a new one if the last part is another list or no list.
fn push_item<'a>(
    parts: &mut Vec<Part<'a>>,
    segment: &Segment,
    number: Option<u32>,
    checked: Option<bool>,
    content: Vec<Part<'a>>,
) {
    let item = Item {
        number,
        checked,
        parts: content,
    };
    let element = segment.item.map(|item| item.list);
    match parts.last_mut() {
        Some(Part::List(list))
            if list.is_ordered == number.is_some() && list.element == element =>
        {
            list.items.push(item);
        }
        _ => parts.push(Part::List(List {
            element,
            numbering: segment
                .item
                .map_or_else(Numbering::default, |item| item.numbering),
            is_ordered: number.is_some(),
            items: vec![item],
        })),
    }
}

fn add_definition<'a>(parts: &mut Vec<Part<'a>>, segment: &'a Segment, continues: bool) {
    if !matches!(parts.last(), Some(Part::Definitions(_))) {
        parts.push(Part::Definitions(vec![Defined::default()]));
    }
    let Some(Part::Definitions(all)) = parts.last_mut() else {
        return;
    };
    let definitions = &mut all
        .last_mut()
        .expect("a definition list is never empty")
        .definitions;
    match definitions.last_mut() {
        Some(paragraphs) if continues => paragraphs.push(segment),
        _ => definitions.push(vec![segment]),
    }
}

/// The comments, each with its segments. If no comment has a known author or date, all segments are
/// returned together, without a comment.
pub(super) fn comments(part: &CommentPart) -> Vec<(Option<&Post>, &[Segment])> {
    let is_known = |comment: &Post| comment.author.is_some() || comment.date.is_some();
    if part.segments.is_empty() {
        Vec::new()
    } else if part.records.iter().any(is_known) {
        let segments = |comment: &Post| {
            part.segments
                .get(comment.segments.clone())
                .unwrap_or_default()
        };
        part.records
            .iter()
            .map(|comment| (Some(comment), segments(comment)))
            .collect()
    } else {
        vec![(None, &part.segments)]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    fn outline(parts: &[Part<'_>]) -> String {
        let one = |part: &Part<'_>| match part {
            Part::Heading(level, _) => format!("h{level}"),
            Part::Paragraph(segment) => segment.text(),
            Part::Caption(segment) => format!("caption {}", segment.text()),
            Part::Note(number, segment) => format!("note {number} {}", segment.text()),
            Part::Image(source, _) => format!("picture {source}"),
            Part::Definitions(all) => {
                let one =
                    |one: &Defined<'_>| format!("{}={}", one.terms.len(), one.definitions.len());
                format!(
                    "definitions({})",
                    all.iter().map(one).collect::<Vec<_>>().join(" ")
                )
            }
            Part::Quote(callout, quoted) => format!(
                "{}({})",
                callout.map_or("quote", Callout::name),
                outline(quoted)
            ),
            Part::Code(..) => "code".to_owned(),
            Part::Table(table) => format!("table{}", table.rows.len()),
            Part::List(list) => {
                let items: Vec<String> =
                    list.items.iter().map(|item| outline(&item.parts)).collect();
                format!(
                    "{}({})",
                    if list.is_ordered { "ol" } else { "ul" },
                    items.join(" | ")
                )
            }
        };
        parts.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn lists_are_nested_and_items_hold_their_paragraphs() {
        let document = sample();
        assert_eq!(
            outline(&parts(&document.segments[3..])),
            "ol(three, ul(inner) | four, more of four), quote(quoted), table3, code"
        );
        // A deep item without an outer item becomes an item of its own list.
        assert_eq!(
            outline(&parts(&document.segments[4..6])),
            "ul(inner), ol(four)"
        );
    }
}
