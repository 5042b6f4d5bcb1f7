//! The segments of a text as a tree of its parts, for formats that nest: lists with their items, tables with their rows,
//! quotations with all that is quoted.

use super::blocks::{Block, Table, blocks};
use crate::clean::{Segment, SegmentKind};

/// A part of a text, at its top, or within an item of a list or a quotation.
pub(super) enum Part<'a> {
    /// A heading, with its level from 1 to 6.
    Heading(u8, &'a Segment),
    /// A paragraph.
    Paragraph(&'a Segment),
    /// The caption of a figure.
    Caption(&'a Segment),
    /// A quotation; never empty.
    Quote(Vec<Part<'a>>),
    /// Code, and its language.
    Code(&'a Segment, Option<&'a str>),
    /// A list.
    List(List<'a>),
    /// A definition list; never empty.
    Definitions(Vec<Defined<'a>>),
    /// A table with cells.
    Table(Table<'a>),
    /// A picture: its address and alternative text.
    Image(&'a str, &'a str),
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
    /// Whether its checkbox is checked; `None` if it has none.
    pub(super) checked: Option<bool>,
    /// What it holds.
    pub(super) parts: Vec<Part<'a>>,
}

/// Terms and what they mean; one of both may be missing.
#[derive(Default)]
pub(super) struct Defined<'a> {
    /// The terms.
    pub(super) terms: Vec<&'a Segment>,
    /// The definitions, by their paragraphs.
    pub(super) definitions: Vec<Vec<&'a Segment>>,
}

/// The parts of a text, in document order.
pub(super) fn parts(segments: &[Segment]) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for block in blocks(segments) {
        match block {
            Block::CommentsHeading => {}
            Block::Table(table) => {
                let first =
                    table.caption.first().copied().or_else(|| table.rows.first()?.first()?.segments.first().copied());
                let Some(first) = first else { continue };
                let place = place(&mut parts, first.within.quotes, first.within.items);
                if table.rows.is_empty() {
                    place.extend(table.caption.into_iter().map(Part::Paragraph));
                } else {
                    place.push(Part::Table(table));
                }
            }
            Block::One(segment) => add(&mut parts, segment),
        }
    }
    parts
}

fn add<'a>(parts: &mut Vec<Part<'a>>, segment: &'a Segment) {
    let items = match segment.kind {
        SegmentKind::ListItem { depth, .. } => depth,
        _ => segment.within.items,
    };
    let place = place(parts, segment.within.quotes, items);
    match &segment.kind {
        SegmentKind::Heading { level } => place.push(Part::Heading((*level).clamp(1, 6), segment)),
        SegmentKind::Code { language } => place.push(Part::Code(segment, language.as_deref())),
        SegmentKind::ListItem { number, continues, checked, .. } => {
            add_item(place, segment, *number, *continues, *checked);
        }
        SegmentKind::Term => match place.last_mut() {
            Some(Part::Definitions(all)) if all.last().is_some_and(|last| last.definitions.is_empty()) => {
                all.last_mut().expect("it was looked at").terms.push(segment);
            }
            Some(Part::Definitions(all)) => all.push(Defined { terms: vec![segment], ..Defined::default() }),
            _ => place.push(Part::Definitions(vec![Defined { terms: vec![segment], ..Defined::default() }])),
        },
        SegmentKind::Definition { continues } => add_definition(place, segment, *continues),
        SegmentKind::Caption { .. } => place.push(Part::Caption(segment)),
        SegmentKind::Image { source, alternative } => place.push(Part::Image(source, alternative)),
        SegmentKind::Paragraph | SegmentKind::Quote | SegmentKind::TableCell { .. } => {
            place.push(Part::Paragraph(segment));
        }
    }
}

/// The list of parts that a segment within so many quotations and list items belongs to: that of the item and the quotation
/// that are open there; a quotation is begun where none is open, and a list is not.
fn place<'p, 'a>(parts: &'p mut Vec<Part<'a>>, quotes: u8, items: u8) -> &'p mut Vec<Part<'a>> {
    let is_list = items > 0 && matches!(parts.last(), Some(Part::List(_)));
    let is_quote = quotes > 0 && matches!(parts.last(), Some(Part::Quote(_)));
    if !is_list && !is_quote {
        if quotes == 0 {
            return parts;
        }
        parts.push(Part::Quote(Vec::new()));
    }
    match parts.last_mut() {
        Some(Part::List(list)) => {
            let item = list.items.last_mut().expect("a list has an item");
            place(&mut item.parts, quotes, items - 1)
        }
        Some(Part::Quote(quoted)) => place(quoted, quotes - 1, items),
        _ => unreachable!("the last part is a list or a quotation"),
    }
}

/// Adds an item to the list that is open; a new list begins where there is none, or where its numbering differs.
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
            list.items.last_mut().expect("a list has an item").parts.push(paragraph);
        }
        Some(Part::List(list)) if list.is_ordered == number.is_some() => {
            list.items.push(Item { number, checked, parts: vec![paragraph] });
        }
        _ => {
            let items = vec![Item { number, checked, parts: vec![paragraph] }];
            parts.push(Part::List(List { is_ordered: number.is_some(), items }));
        }
    }
}

fn add_definition<'a>(parts: &mut Vec<Part<'a>>, segment: &'a Segment, continues: bool) {
    if !matches!(parts.last(), Some(Part::Definitions(_))) {
        parts.push(Part::Definitions(vec![Defined::default()]));
    }
    let Some(Part::Definitions(all)) = parts.last_mut() else { return };
    let definitions = &mut all.last_mut().expect("a definition list is never empty").definitions;
    match definitions.last_mut() {
        Some(paragraphs) if continues => paragraphs.push(segment),
        _ => definitions.push(vec![segment]),
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
            Part::Caption(segment) => format!("caption {}", segment.text()),
            Part::Image(source, _) => format!("picture {source}"),
            Part::Definitions(all) => {
                let one = |one: &Defined<'_>| format!("{}={}", one.terms.len(), one.definitions.len());
                format!("definitions({})", all.iter().map(one).collect::<Vec<_>>().join(" "))
            }
            Part::Quote(quoted) => format!("quote({})", outline(quoted)),
            Part::Code(..) => "code".to_owned(),
            Part::Table(table) => format!("table{}", table.rows.len()),
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
            "ol(three, ul(inner) | four, more of four), quote(quoted), table3, code"
        );
        // A deep item without an outer one is the item of a list of its own.
        assert_eq!(outline(&parts(&document.segments[4..6])), "ul(inner), ol(four)");
    }
}
