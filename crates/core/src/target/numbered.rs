//! Code that is a table of numbered lines without any element for code: one row a line, with its
//! number in the first cell and its text in the second.

use crate::capture::{Dom, NodeId};
use crate::elements::Element;

const TABLE: Element = Element::known("table");

/// Largest cells of a number and of a line, in nodes. Heuristic: a highlighter makes an element of
/// each word.
const MAX_NUMBER_NODES: usize = 8;
const MAX_LINE_NODES: usize = 600;

/// The cells with the numbers of the lines, if a table is code: its rows have a number and a line
/// each, the numbers are consecutive, and the markup says that the lines are code, or they are
/// indented.
pub(crate) fn numbers_of_code(dom: &Dom, table: NodeId) -> Option<Vec<NodeId>> {
    if dom.element(table) != TABLE {
        return None;
    }
    let (mut cells, mut last, mut is_code, mut is_indented) = (Vec::new(), None, false, false);
    let mut next = table.index() + 1;
    while next < dom.end(table) {
        let id = NodeId::new(next);
        next += 1;
        match dom.tag(id) {
            "tr" => {
                let (number_cell, line) = cells_of(dom, id)?;
                let number = number_of(dom, number_cell)?;
                if last.is_some_and(|last| number != last + 1) {
                    return None;
                }
                is_code |= is_marked(dom, number_cell, line);
                let indent = indent(dom, line)?;
                // Where all cells begin with the same spaces, these are not an indentation.
                is_indented |= last.is_some() && indent > 1;
                if last.is_none() && indent > 0 && !is_code {
                    return None;
                }
                last = Some(number);
                cells.push(number_cell);
                next = dom.end(id);
            }
            "tbody" | "colgroup" | "col" => {}
            "" if dom.text(id).is_some_and(|text| text.trim().is_empty()) => {}
            _ => return None,
        }
    }
    (cells.len() > 1 && (is_code || is_indented)).then_some(cells)
}

/// The two cells of a row; `None` if it has others, or larger ones.
fn cells_of(dom: &Dom, row: NodeId) -> Option<(NodeId, NodeId)> {
    let mut cells = dom.children(row).filter(|&id| dom.is_element(id));
    let (number, line) = (cells.next()?, cells.next()?);
    let is_small = |id: NodeId, limit| dom.end(id) - id.index() <= limit;
    let are_cells = [number, line]
        .iter()
        .all(|&id| matches!(dom.tag(id), "td" | "th"));
    let is_plain = |id: NodeId| {
        !matches!(
            dom.tag(id),
            "table" | "p" | "ul" | "ol" | "img" | "pre" | "code" | "h1" | "h2" | "h3" | "h4"
        )
    };
    (cells.next().is_none()
        && are_cells
        && is_small(number, MAX_NUMBER_NODES)
        && is_small(line, MAX_LINE_NODES)
        && dom.descendants(line).all(is_plain))
    .then_some((number, line))
}

/// The number of a line: the text of its cell, or an attribute from which the page draws it.
fn number_of(dom: &Dom, cell: NodeId) -> Option<u32> {
    let text: String = dom
        .descendants(cell)
        .filter_map(|id| dom.text(id))
        .collect();
    if !text.trim().is_empty() {
        return text.trim().trim_end_matches(['.', ':']).parse().ok();
    }
    std::iter::once(cell)
        .chain(dom.descendants(cell))
        .find_map(|id| line_attribute(dom, id)?.trim().parse().ok())
}

fn line_attribute(dom: &Dom, id: NodeId) -> Option<&str> {
    ["data-line-number", "data-line", "data-n", "data-lineno"]
        .iter()
        .find_map(|name| dom.attribute(id, name))
}

/// Returns true if the markup of a row says that it is a line of code.
fn is_marked(dom: &Dom, number: NodeId, line: NodeId) -> bool {
    let names_code = |name: &str| {
        name.split(['-', '_'])
            .any(|part| part.eq_ignore_ascii_case("code") || part.eq_ignore_ascii_case("codeline"))
    };
    dom.attribute(line, "class")
        .is_some_and(|class| class.split_ascii_whitespace().any(names_code))
        || dom.attribute(number, "data-line-number").is_some()
}

/// Number of spaces and tabs at the beginning of a line; `None` if it holds several lines, as the
/// cells of other tables do in their source.
fn indent(dom: &Dom, line: NodeId) -> Option<usize> {
    let texts = || dom.descendants(line).filter_map(|id| dom.text(id));
    let has_lines = |text: &str| text.trim_end_matches(['\n', '\r']).contains('\n');
    if texts().any(has_lines) {
        return None;
    }
    let first = texts().next().unwrap_or("");
    let spaces = first
        .chars()
        .take_while(|c| matches!(c, ' ' | '\t' | '\u{a0}'));
    Some(spaces.map(|c| if c == '\t' { 4 } else { 1 }).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    fn is_code(html: &str) -> bool {
        let dom = parse_html(html);
        let table = dom.ids().find(|&id| dom.element(id) == TABLE).unwrap();
        numbers_of_code(&dom, table).is_some()
    }

    #[test]
    fn tables_of_numbered_lines_are_code() {
        for html in [
            "<table><tr><td class=num data-line-number=7></td><td>if a:</td></tr>\n<tr><td data-line-number=8></td><td>b()</td></tr></table>",
            "<table><tbody><tr><td>1</td><td class='blob-code x'>if a:</td></tr><tr><td>2</td><td class=blob-code></td></tr></table>",
            "<table><tr><td>1.<td>if a:<tr><td>2.<td>  b()</table>",
            "<table><tr><th>1<td>if a:<tr><th>2<td>&nbsp;&nbsp;<b>b</b>()</table>",
        ] {
            assert!(is_code(html), "{html}");
        }
    }

    #[test]
    fn other_tables_are_not_code() {
        for html in [
            "<table class=highlight><tr><td>1<td>Ann<tr><td>2<td>Ben</table>",
            "<table>\n<tr>\n<td> 1 </td>\n<td>  Ann </td>\n</tr>\n<tr>\n<td> 2 </td>\n<td>  Ben</td></tr></table>",
            "<table><tr><td>1<td>Ann<tr><td>3<td>  Ben</table>",
            "<table><tr><td>1<td>Ann<td>x<tr><td>2<td>  Ben<td>x</table>",
            "<table><tr><td>1<td class=code>Ann</table>",
            "<table><tr><td>1<td>Ann<tr><td>2<td><p>  Ben</table>",
        ] {
            assert!(!is_code(html), "{html}");
        }
    }
}
