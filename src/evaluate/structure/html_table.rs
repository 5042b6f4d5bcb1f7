//! Tables that a Markdown document writes as HTML.

use super::tables::TableNode;
use super::tree::Tree;
use crate::capture::{Dom, NodeId};
use crate::html::parse_html;
use crate::text::collapse;

/// Where the table that starts at `start` of `source` ends, with tables within it; `None` if it does not end.
pub(super) fn table_end(source: &str, start: usize) -> Option<usize> {
    let mut open = 0usize;
    let mut at = start;
    while let Some(found) = source[at..].find('<') {
        at += found + 1;
        let rest = &source.as_bytes()[at..];
        if is_tag(rest, b"table") {
            open += 1;
        } else if is_tag(rest, b"/table") {
            open = open.saturating_sub(1);
            if open == 0 {
                return source[at..].find('>').map(|end| at + end + 1);
            }
        }
    }
    None
}

/// Position of the first `<table` in `source` from `start` to `end`.
pub(super) fn find_table(source: &str, start: usize, end: usize) -> Option<usize> {
    let part = source.get(start..end)?;
    part.match_indices('<').map(|(at, _)| start + at).find(|at| is_tag(&source.as_bytes()[at + 1..], b"table"))
}

fn is_tag(text: &[u8], name: &[u8]) -> bool {
    let after = text.get(name.len());
    text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        && after.is_none_or(|after| !after.is_ascii_alphanumeric() && *after != b'-')
}

/// The table of a piece of HTML. A table within a cell is text of the cell. A row whose cells are all `th`, or that is in a
/// `thead`, is a header row.
pub(super) fn read_table(html: &str) -> Option<Tree<TableNode>> {
    let dom = parse_html(html);
    let table = dom.ids().find(|&id| dom.tag(id) == "table")?;
    let mut tree = Tree::default();
    tree.push(0, TableNode::Table);
    let mut skip_until = 0;
    let mut row = None;
    for id in dom.descendants(table).filter(|&id| dom.is_element(id)) {
        if id.index() < skip_until {
            continue;
        }
        match dom.tag(id) {
            "caption" => {
                tree.push(1, TableNode::Caption(text(&dom, id)));
                skip_until = dom.end(id);
            }
            "tr" => row = Some(tree.push(1, TableNode::Row { is_header: is_header(&dom, id) })),
            "td" | "th" if row.is_some() => {
                let spans = (span(&dom, id, "colspan"), span(&dom, id, "rowspan"));
                tree.push(2, TableNode::Cell { spans, text: text(&dom, id) });
                skip_until = dom.end(id);
            }
            _ => {}
        }
    }
    Some(tree)
}

/// The text of a piece of HTML, without scripts and styles.
pub(super) fn text_of(html: &str) -> String {
    let dom = parse_html(html);
    text(&dom, Dom::ROOT)
}

fn is_header(dom: &Dom, row: NodeId) -> bool {
    let mut cells = dom.children(row).filter(|&id| matches!(dom.tag(id), "td" | "th")).peekable();
    let has_cells = cells.peek().is_some();
    has_cells && (dom.parent(row).is_some_and(|up| dom.tag(up) == "thead") || cells.all(|id| dom.tag(id) == "th"))
}

fn span(dom: &Dom, cell: NodeId, name: &str) -> u32 {
    dom.attribute(cell, name).and_then(|value| value.trim().parse().ok()).filter(|span| *span > 0).unwrap_or(1)
}

/// The text below a node; line breaks and the borders of elements inside are spaces only where the source has them.
fn text(dom: &Dom, id: NodeId) -> String {
    let mut out = String::new();
    for id in dom.descendants(id) {
        let is_code = dom.parent(id).is_some_and(|up| matches!(dom.tag(up), "script" | "style"));
        match (dom.text(id), dom.tag(id)) {
            (Some(text), _) if !is_code => out.push_str(text),
            (None, "br" | "p" | "div" | "li" | "tr" | "td" | "th" | "table") => out.push(' '),
            _ => {}
        }
    }
    collapse(&out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_ends_after_those_within_it() {
        let source = "x <TABLE a><tr><td><table></table></td></tr></table > y";
        let start = find_table(source, 0, source.len()).unwrap();
        assert_eq!(&source[start..table_end(source, start).unwrap()], &source[2..source.len() - 2]);
        assert_eq!(table_end("<table><tr>", 0), None);
        assert_eq!(find_table("<tablet> <table-x>", 0, 18), None);
        assert_eq!(find_table("<table>", 1, 7), None);
    }

    #[test]
    fn rows_cells_and_spans_are_read() {
        let html = "<table><caption>Nests</caption><thead><tr><td>a</td></tr></thead><tbody>\
                    <tr><th>b</th><td colspan=2 rowspan=0>c<br>d <table><tr><td>e</table></td></tr></table>";
        let cell = |spans, text: &str| (2, TableNode::Cell { spans, text: text.to_owned() });
        let expected = [
            (0, TableNode::Table),
            (1, TableNode::Caption("Nests".to_owned())),
            (1, TableNode::Row { is_header: true }),
            cell((1, 1), "a"),
            (1, TableNode::Row { is_header: false }),
            cell((1, 1), "b"),
            cell((2, 1), "c d e"),
        ];
        assert_eq!(read_table(html).unwrap().nodes(), expected);
        assert_eq!(read_table("<p>no table"), None);
    }
}
