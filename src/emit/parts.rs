//! The segments of a text as a tree of its parts, for formats that nest: lists with their items, tables with their rows,
//! quotations of several paragraphs.

use super::blocks::{Block, Cell, blocks};
use crate::clean::{Segment, SegmentKind};

/// A part of a text, at its top or within an item of a list.
pub(super) enum Part<'a> {
    /// A heading, with its level from 1 to 6.
    Heading(u8, &'a Segment),
    /// A paragraph.
    Paragraph(&'a Segment),
    /// A quotation, by its paragraphs.
    Quote(Vec<&'a Segment>),
    /// Code, and its language.
    Code(&'a Segment, Option<&'a str>),
    /// A list.
    List(List<'a>),
    /// A table, by its rows.
    Table(Vec<Vec<Cell<'a>>>),
}

/// A list.
pub(super) struct List<'a> {
    /// Whether its items are numbered.
    pub(super) is_ordered: bool,
    /// Its items; never empty.
    pub(super) items: Vec<Item<'a>>,
}

/// An item of a list.
pub(super) struct Item<'a> {
    /// Its number as shown, in a numbered list.
    pub(super) number: Option<u32>,
    /// What it holds: paragraphs and lists.
    pub(super) parts: Vec<Part<'a>>,
}

/// The parts of a text, in document order.
pub(super) fn parts(segments: &[Segment]) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for block in blocks(segments) {
        match block {
            Block::Table(rows) => parts.push(Part::Table(rows)),
            Block::CommentsHeading => {}
            Block::One(segment) => match &segment.kind {
                SegmentKind::Heading { level } => parts.push(Part::Heading((*level).clamp(1, 6), segment)),
                SegmentKind::Code { language } => parts.push(Part::Code(segment, language.as_deref())),
                SegmentKind::Quote => match parts.last_mut() {
                    Some(Part::Quote(paragraphs)) => paragraphs.push(segment),
                    _ => parts.push(Part::Quote(vec![segment])),
                },
                SegmentKind::ListItem { depth, number, continues } => {
                    add_item(&mut parts, segment, usize::from(*depth), *number, *continues);
                }
                SegmentKind::Paragraph | SegmentKind::TableCell { .. } => parts.push(Part::Paragraph(segment)),
            },
        }
    }
    parts
}

/// Adds an item to the list that is open at its depth, or to the deepest one above it; a new list begins where there is
/// none, or where its numbering differs.
fn add_item<'a>(parts: &mut Vec<Part<'a>>, segment: &'a Segment, depth: usize, number: Option<u32>, continues: bool) {
    if let (Some(Part::List(list)), true) = (parts.last_mut(), depth > 0)
        && let Some(item) = list.items.last_mut()
    {
        return add_item(&mut item.parts, segment, depth - 1, number, continues);
    }
    let paragraph = Part::Paragraph(segment);
    match parts.last_mut() {
        Some(Part::List(list)) if continues => {
            list.items.last_mut().expect("a list has an item").parts.push(paragraph);
        }
        Some(Part::List(list)) if list.is_ordered == number.is_some() => {
            list.items.push(Item { number, parts: vec![paragraph] });
        }
        _ => {
            let items = vec![Item { number, parts: vec![paragraph] }];
            parts.push(Part::List(List { is_ordered: number.is_some(), items }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::sample;

    fn outline(parts: &[Part<'_>]) -> String {
        let one = |part: &Part<'_>| match part {
            Part::Heading(level, _) => format!("h{level}"),
            Part::Paragraph(segment) => segment.text(),
            Part::Quote(paragraphs) => format!("quote{}", paragraphs.len()),
            Part::Code(..) => "code".to_owned(),
            Part::Table(rows) => format!("table{}", rows.len()),
            Part::List(list) => {
                let items: Vec<String> = list.items.iter().map(|item| outline(&item.parts)).collect();
                format!("{}({})", if list.is_ordered { "ol" } else { "ul" }, items.join(" | "))
            }
        };
        parts.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn lists_are_nested_and_items_hold_their_paragraphs() {
        let document = sample();
        assert_eq!(
            outline(&parts(&document.segments[3..])),
            "ol(three, ul(inner) | four, more of four), quote1, table3, code"
        );
        // A deep item without an outer one is the item of a list of its own.
        assert_eq!(outline(&parts(&document.segments[4..6])), "ul(inner), ol(four)");
    }
}
