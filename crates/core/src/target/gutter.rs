//! Finds the line numbers of code, which are on the page but are not part of the code.
//!
//! Syntax highlighters write them as marked elements in each line, or as a separate column next to
//! the code.

use super::numbered::numbers_of_code;
use crate::capture::{Dom, NodeId};
use crate::elements::Element;
use std::collections::BTreeSet;

const DIV: Element = Element::known("div");
const PRE: Element = Element::known("pre");
const CODE: Element = Element::known("code");
const LISTING: Element = Element::known("listing");
const XMP: Element = Element::known("xmp");

/// Maximum number of levels between a marked line number and an ancestor that contains the code.
const MAX_LEVELS: usize = 5;
/// Minimum number of lines of a column that is recognized by its numbers alone.
const MIN_LINES: usize = 3;
/// Largest number accepted as a line number.
const MAX_NUMBER: u32 = 1_000_000;

/// Finds the text nodes that are line numbers of code.
pub(super) fn line_numbers(dom: &Dom) -> BTreeSet<NodeId> {
    let mut found = BTreeSet::new();
    let cells = dom.ids().filter_map(|id| numbers_of_code(dom, id));
    for cell in cells.flatten() {
        found.extend(dom.descendants(cell).filter(|&id| dom.text(id).is_some()));
    }
    let code: Vec<NodeId> = dom
        .ids()
        .filter(|&id| is_code(dom.element(id)) || is_other_code(dom, id))
        .collect();
    if code.is_empty() {
        return found;
    }
    let mut skip_until = 0;
    for id in dom.ids().filter(|&id| dom.is_element(id)) {
        if id.index() < skip_until {
            continue;
        }
        let is_column = || {
            matches!(dom.tag(id), "td" | "th") && is_beside_code(dom, id, &code)
                || is_column_before_code(dom, id, &code)
        };
        let is_gutter = if is_marked(dom, id) {
            is_near_code(dom, id, &code) && numbers(dom, id).is_some()
        } else {
            is_column() && numbers(dom, id).is_some_and(|numbers| is_sequence(&numbers))
        };
        if is_gutter {
            skip_until = dom.end(id);
            found.extend(
                dom.descendants(id)
                    .filter(|&inner| dom.text(inner).is_some()),
            );
        }
    }
    found
}

fn is_code(element: Element) -> bool {
    matches!(element, PRE | CODE | LISTING | XMP)
}

/// True if an element holds the lines of code of the Crayon Syntax Highlighter or of Doxygen, which
/// use neither `pre` nor `code` for them.
fn is_other_code(dom: &Dom, id: NodeId) -> bool {
    dom.element(id) == DIV
        && dom
            .attribute(id, "class")
            .is_some_and(|class| matches!(class.trim(), "crayon-pre" | "fragment"))
}

/// True if the page's markup marks an element as line numbers.
fn is_marked(dom: &Dom, id: NodeId) -> bool {
    dom.attributes(id).iter().any(|(name, value)| match name {
        "class" => value.split_ascii_whitespace().any(names_line_numbers),
        "data-line-number" | "data-linenumber" | "data-lineno" | "data-line-num" => true,
        // Text that cannot be selected is not copied with the code.
        "style" => {
            let style: String = value.chars().filter(|c| !c.is_whitespace()).collect();
            style.to_ascii_lowercase().contains("user-select:none")
        }
        _ => false,
    })
}

/// True if highlighters give this class to line numbers, such as `lineno`, `hljs-ln-n` or
/// `blob-num`.
fn names_line_numbers(class: &str) -> bool {
    let name: String = class
        .chars()
        .filter(|c| !matches!(c, '-' | '_'))
        .collect::<String>()
        .to_ascii_lowercase();
    matches!(
        name.as_str(),
        // The last ones are those of Tailwind and others for text that cannot be selected.
        "ln" | "lnt"
            | "lnum"
            | "blobnum"
            | "hljslnn"
            | "hljslnnumbers"
            | "selectnone"
            | "userselectnone"
            | "noselect"
            | "unselectable"
    ) || name.contains("linenum")
        || name.contains("lineno")
        || name == "crayonnums"
        || name == "prenumbering"
        || name.ends_with("gutter")
}

/// True if an element is in code, or a near ancestor of it contains code.
fn is_near_code(dom: &Dom, id: NodeId, code: &[NodeId]) -> bool {
    dom.ancestors(id).any(|up| is_code(dom.element(up)))
        || dom
            .ancestors(id)
            .take(MAX_LEVELS)
            .any(|up| up != Dom::ROOT && dom.tag(up) != "body" && contains(dom, up, code))
}

/// True if another cell of a cell's row contains code.
fn is_beside_code(dom: &Dom, cell: NodeId, code: &[NodeId]) -> bool {
    let Some(row) = dom.parent(cell) else {
        return false;
    };
    dom.children(row)
        .any(|other| other != cell && contains(dom, other, code))
}

/// Largest column of numbers before a block of code, in nodes: few files have more lines. Heuristic,
/// which also bounds the time for nested elements.
const MAX_COLUMN_NODES: usize = 4000;

/// True if a block may be a column of numbers: its first text is a number, and code follows it
/// directly.
fn is_column_before_code(dom: &Dom, id: NodeId, code: &[NodeId]) -> bool {
    let size = dom.end(id) - id.index();
    if !matches!(dom.element(id), DIV | PRE | CODE) || size > MAX_COLUMN_NODES {
        return false;
    }
    let first = dom.descendants(id).take(MAX_LEVELS);
    let is_number = |text: &str| text.trim_start().starts_with(|c: char| c.is_ascii_digit());
    // White space may be between the two.
    let mut next = (dom.end(id)..dom.len()).take(2).map(NodeId::new);
    first
        .filter_map(|below| dom.text(below))
        .find(|text| !text.trim().is_empty())
        .is_some_and(is_number)
        && next.any(|next| {
            dom.is_element(next)
                && dom.parent(next) == dom.parent(id)
                && (is_code(dom.element(next)) || contains(dom, next, code))
        })
}

/// True if an element contains one of these nodes, which are in document order.
fn contains(dom: &Dom, id: NodeId, nodes: &[NodeId]) -> bool {
    let first = nodes.partition_point(|&node| node <= id);
    nodes
        .get(first)
        .is_some_and(|node| node.index() < dom.end(id))
}

/// Parses the numbers in an element; `None` if it has other text or no numbers.
fn numbers(dom: &Dom, id: NodeId) -> Option<Vec<u32>> {
    // A button to copy the code may stand below the numbers.
    let is_button = |inner: NodeId| {
        dom.ancestors(inner)
            .take_while(|&up| up >= id)
            .any(|up| matches!(dom.tag(up), "button" | "svg"))
    };
    let texts = dom
        .descendants(id)
        .filter(|&inner| !is_button(inner))
        .filter_map(|inner| dom.text(inner));
    let words = texts.flat_map(str::split_whitespace);
    let number = |word: &str| {
        word.trim_end_matches(['.', ':', '|', ')'])
            .parse()
            .ok()
            .filter(|&line| line <= MAX_NUMBER)
    };
    words
        .map(number)
        .collect::<Option<Vec<u32>>>()
        .filter(|numbers| !numbers.is_empty())
}

fn is_sequence(numbers: &[u32]) -> bool {
    numbers.len() >= MIN_LINES && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    fn left(html: &str) -> String {
        let dom = parse_html(html);
        let numbers = line_numbers(&dom);
        let texts = dom
            .ids()
            .filter(|id| !numbers.contains(id))
            .filter_map(|id| dom.text(id));
        texts
            .flat_map(str::split_whitespace)
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn line_numbers_of_code_are_found() {
        for html in [
            "<pre><span class=lineno>1</span>run()\n<span class=lineno>2 </span>end()</pre>",
            "<pre><code><span class='line-number'>1.</span>run()\n<a class=LineNr data-line-number=2>2</a>end()</code></pre>",
            "<pre><span style='-webkit-user-select: none; user-select: none'>1</span>run()\n<span style='user-select:none'>2</span>end()</pre>",
            "<table><tr><td class='rouge-gutter gl'><pre class=lineno>1\n2\n</pre></td><td><pre>run()\nend()</pre></td></table>",
            "<table><tr><td><pre>7\n8\n9</pre></td><td class=code><pre>run()\nend()</pre></td></table>",
            "<table><tr><td class=hljs-ln-numbers data-line-number=1>1</td><td><code>run()</code></td></tr>\
             <tr><td class=hljs-ln-numbers>2</td><td><code>end()</code></td></tr></table>",
            "<pre><div><span class='select-none pe-2'>1</span><div>run()</div></div><div><span class='select-none'>2</span><div>end()</div></div></pre>",
            "<div><div><span>1</span><span>2</span><span>3</span></div>\n<pre>run()\nend()</pre></div>",
            "<table><tr><td data-line-number=1>1<td>run()<tr><td data-line-number=2>2<td>end()</table>",
            "<div class=file><div class=line-numbers><a>1</a><a>2</a></div><div><pre>run()\nend()</pre></div></div>",
        ] {
            assert_eq!(left(html), "run() end()", "{html}");
        }
    }

    #[test]
    fn other_numbers_stay() {
        for (html, text) in [
            (
                "<pre class=line-numbers><code>1\n2\nend()</code></pre>",
                "1 2 end()",
            ),
            ("<p>It prints</p><pre>1\n2\n3\n4</pre>", "It prints 1 2 3 4"),
            ("<div><div>1 2 4</div><pre>x</pre></div>", "1 2 4 x"),
            (
                "<div><div>1 2 3</div><p>and</p><pre>x</pre></div>",
                "1 2 3 and x",
            ),
            ("<p class=ln>5</p><p>no code</p>", "5 no code"),
            (
                "<table><tr><td>1 2 4</td><td><code>x</code></td></table>",
                "1 2 4 x",
            ),
            (
                "<table><tr><td>1</td><td><code>x</code></td></table>",
                "1 x",
            ),
            ("<pre>x = <span class=number>12</span></pre>", "x = 12"),
        ] {
            assert_eq!(left(html), text, "{html}");
        }
    }
}
