//! Cells of data tables whose only content is a small picture: its alternative text is their value.

use crate::capture::{Dom, NodeId};
use crate::document::content::{Segment, SegmentKind, Span};
use crate::document::segments::kind::{KindFinder, KindSource};
use crate::text::{collapse, is_blank};
use std::collections::BTreeMap;

/// Longest value, in characters, and largest cell, in nodes. Heuristic: longer texts describe
/// photographs.
const MAX_VALUE_CHARS: usize = 30;
const MAX_CELL_NODES: usize = 40;
/// Longest value, in characters, that may be alone of its kind in its table: a longer one, such as
/// `Picture of a crib` beside the words of the cell next to it, adorns its row. Heuristic.
const MAX_ALONE_CHARS: usize = 6;

/// Adds a segment for each such cell of the kept tables, in rows with other kept cells.
pub(in crate::document) fn fill_cells(
    dom: &Dom,
    kinds: &mut KindFinder<'_>,
    segments: &mut Vec<Segment>,
) {
    for (table, number) in kinds.numbered_tables() {
        let cells = dom
            .descendants(table)
            .filter(|&id| matches!(dom.tag(id), "td" | "th"));
        let values: Vec<(NodeId, String)> = cells
            .filter_map(|cell| Some((cell, value(dom, cell)?)))
            .collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, value) in &values {
            *counts.entry(value).or_default() += 1;
        }
        let is_value = |value: &str| value.chars().count() <= MAX_ALONE_CHARS || counts[value] > 1;
        let mut added: Vec<Segment> = Vec::new();
        for (cell, value) in values.iter().filter(|(_, value)| is_value(value)) {
            let cell = *cell;
            let source = kinds.source(cell);
            if matches!(source, KindSource::Cell(_))
                && let Some(kind) = kinds.kind(source, cell)
            {
                let span = Span {
                    text: value.clone(),
                    ..Span::default()
                };
                added.push(Segment::new(kind, vec![span], 0));
            }
        }
        if !added.is_empty() {
            insert(segments, number, added);
        }
    }
}

/// Row and column of a cell of a table.
fn place(segment: &Segment, number: u32) -> Option<(u32, u32)> {
    match segment.kind {
        SegmentKind::TableCell {
            table, row, column, ..
        } if table == number => Some((row, column)),
        _ => None,
    }
}

/// Inserts cells, which are in order, among the other cells of their table.
fn insert(segments: &mut Vec<Segment>, number: u32, added: Vec<Segment>) {
    let mut rows: Vec<u32> = segments
        .iter()
        .filter_map(|segment| place(segment, number))
        .map(|(row, _)| row)
        .collect();
    rows.dedup();
    let mut added = added
        .into_iter()
        .filter(|cell| place(cell, number).is_some_and(|(row, _)| rows.binary_search(&row).is_ok()))
        .peekable();
    let mut all = Vec::with_capacity(segments.len() + rows.len());
    // The target of the cell before, which a new cell shares.
    let mut target = None;
    for segment in segments.drain(..) {
        let at = place(&segment, number);
        while let Some(mut cell) = added.next_if(|cell| match at {
            Some(at) => place(cell, number) < Some(at),
            None => target.is_some(),
        }) {
            cell.target = target.unwrap_or(segment.target);
            all.push(cell);
        }
        target = if at.is_some() {
            Some(segment.target)
        } else {
            target
        };
        all.push(segment);
    }
    for mut cell in added {
        cell.target = target.unwrap_or(0);
        all.push(cell);
    }
    *segments = all;
}

/// The alternative text of the pictures in a cell without text.
fn value(dom: &Dom, cell: NodeId) -> Option<String> {
    if dom.end(cell) - cell.index() > MAX_CELL_NODES {
        return None;
    }
    let is_drawn = |id: NodeId| dom.ancestors(id).take(4).any(|up| dom.tag(up) == "svg");
    let has_text = |id: NodeId| dom.text(id).is_some_and(|text| !is_blank(text)) && !is_drawn(id);
    if dom.descendants(cell).any(has_text) {
        return None;
    }
    let names: Vec<String> = dom
        .descendants(cell)
        .filter_map(|id| name_of_picture(dom, id))
        .map(collapse)
        .filter(|name| name.contains(char::is_alphanumeric))
        .collect();
    let value = names.join(" ");
    (!value.is_empty() && value.chars().count() <= MAX_VALUE_CHARS).then_some(value)
}

/// The name of a picture, drawing or icon for those who do not see it.
fn name_of_picture(dom: &Dom, id: NodeId) -> Option<&str> {
    match dom.tag(id) {
        "img" | "amp-img" => dom.attribute(id, "alt"),
        "svg" | "i" => dom
            .attribute(id, "aria-label")
            .or_else(|| dom.attribute(id, "title"))
            .or_else(|| {
                let mut children = dom.children(id).filter(|&child| dom.tag(child) == "title");
                dom.descendants(children.next()?)
                    .find_map(|id| dom.text(id))
            }),
        "span" if dom.attribute(id, "role") == Some("img") => dom.attribute(id, "aria-label"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::document::SegmentKind;
    use crate::document::segments::segment::tests::kinds;

    #[test]
    fn pictures_of_cells_are_values() {
        let html = "<table><tr><th>a<th>b<th>c<tr><td>x<td><img src=y.svg alt=Yes><td><i class=fa aria-label=No></i>\
                    <tr><td>z<td><svg><title>part  1</title></svg><td><img src=n.png></table><p>so";
        let found: Vec<_> = kinds(html)
            .into_iter()
            .map(|(text, kind)| match kind {
                SegmentKind::TableCell { row, column, .. } => (text, row, column),
                _ => (text, 9, 9),
            })
            .collect();
        let expected = [
            ("a", 0, 0),
            ("b", 0, 1),
            ("c", 0, 2),
            ("x", 1, 0),
            ("Yes", 1, 1),
            ("No", 1, 2),
            ("z", 2, 0),
            ("part 1", 2, 1),
            ("so", 9, 9),
        ];
        assert_eq!(
            found,
            expected.map(|(text, row, column)| (text.to_owned(), row, column))
        );
    }

    #[test]
    fn pictures_that_adorn_a_row_are_not_values() {
        let html = "<table><tr><th>a<th>b<tr><td><img src=c.png alt='Crib picture'><td>Cribs\
                    <tr><td><img src=m.png alt=Magnet-set><td>Magnets<tr><td><img src=o.png alt=partly><td>x</table>";
        let texts: Vec<String> = kinds(html).into_iter().map(|(text, _)| text).collect();
        assert_eq!(texts, ["a", "b", "Cribs", "Magnets", "partly", "x"]);
    }
}
