//! The blocks of code of a page: elements for code, the output of highlighters, and lines that are
//! each an element.

use crate::capture::{Dom, NodeId};
use crate::elements::Element;
use crate::target::{Target, numbers_of_code};
use crate::text::is_blank;
use std::ops::Range;

const PRE: Element = Element::known("pre");
const LISTING: Element = Element::known("listing");
const XMP: Element = Element::known("xmp");
const CODE: Element = Element::known("code");
const TABLE: Element = Element::known("table");
const TBODY: Element = Element::known("tbody");
const DIV: Element = Element::known("div");
const SPAN: Element = Element::known("span");
const P: Element = Element::known("p");

/// Classes of elements other than `pre` whose lines are code: the tables of GitHub, and those of
/// highlight.js, SyntaxHighlighter, Crayon, CodeMirror 5 and 6, Ace and Monaco.
const CODE_CLASSES: &[&str] = &[
    "crayon-pre",
    "js-file-line-container",
    "blob-code-content",
    "react-code-lines",
    "hljs-ln",
    "syntaxhighlighter",
    "CodeMirror-code",
    "cm-content",
    "ace_text-layer",
    "view-lines",
];

/// The blocks of code of a page: `pre` and the obsolete elements like it, `code` around blocks of
/// lines, the output of highlighters, and elements whose style keeps their lines; also targets that
/// are all `code`.
#[derive(Debug)]
pub(in crate::document) struct CodeBlocks {
    /// The outermost elements, in document order.
    blocks: Vec<NodeId>,
    /// Indices of targets outside these elements that are the lines of one block each, in order and
    /// disjoint.
    lines: Vec<Range<usize>>,
}

impl CodeBlocks {
    /// Finds the blocks in one pass over the tree and one over the targets.
    pub(in crate::document) fn find(dom: &Dom, targets: &[Target]) -> Self {
        let mut blocks: Vec<NodeId> = Vec::new();
        for id in dom.ids() {
            let is_inside = blocks.last().is_some_and(|&last| dom.contains(last, id));
            if !is_inside && is_code_block(dom, id) {
                blocks.push(id);
            }
        }
        let mut found = Self {
            blocks,
            lines: Vec::new(),
        };
        found.lines = found.find_lines(dom, targets);
        found
    }

    /// The targets that are the lines of the same block of code as this one, if the block has no
    /// element of its own.
    pub(in crate::document) fn lines_at(&self, target: usize) -> Option<&Range<usize>> {
        let after = self.lines.partition_point(|lines| lines.start <= target);
        self.lines[..after]
            .last()
            .filter(|lines| lines.contains(&target))
    }

    /// Returns true if a target with this container is code.
    pub(in crate::document) fn is_code(&self, dom: &Dom, target: usize, container: NodeId) -> bool {
        self.lines_at(target).is_some() || self.enclosing(dom, container).is_some()
    }

    fn find_lines(&self, dom: &Dom, targets: &[Target]) -> Vec<Range<usize>> {
        let is_line = |target: &Target| {
            is_all_code(dom, target) && self.enclosing(dom, target.container).is_none()
        };
        let mut found = Vec::new();
        let mut start = 0;
        while start < targets.len() {
            if !is_line(&targets[start]) {
                start += 1;
                continue;
            }
            let mut end = start + 1;
            while targets
                .get(end)
                .is_some_and(|next| is_next_line(dom, &targets[end - 1], next) && is_line(next))
            {
                end += 1;
            }
            if end - start > 1 || stands_alone(dom, &targets[start]) {
                found.push(start..end);
            }
            start = end;
        }
        found
    }

    /// The block of code that the container of a target is, or is in.
    pub(in crate::document) fn enclosing(&self, dom: &Dom, container: NodeId) -> Option<NodeId> {
        let next = self.blocks.partition_point(|&block| block <= container);
        let block = *self.blocks.get(next.checked_sub(1)?)?;
        (block == container || dom.contains(block, container)).then_some(block)
    }
}

fn is_code_block(dom: &Dom, id: NodeId) -> bool {
    match dom.element(id) {
        PRE | LISTING | XMP => true,
        // Where `code` was never closed, the rest of the page is in it.
        CODE => !dom.descendants(id).any(|below| {
            dom.element(below).is_heading()
                || matches!(dom.tag(below), "p" | "article" | "section" | "ul" | "img")
        }),
        TABLE | TBODY | DIV | SPAN | P => {
            // Inline code of Crayon has the class too.
            let is_here = |name: &str| {
                CODE_CLASSES.contains(&name) && (name != "crayon-pre" || dom.element(id) == DIV)
            };
            let has_class = |class: &str| class.split_ascii_whitespace().any(is_here);
            dom.attribute(id, "class").is_some_and(has_class)
                || dom.attribute(id, "style").is_some_and(keeps_code)
                || numbers_of_code(dom, id).is_some()
                || is_doxygen(dom, id)
        }
        _ => false,
    }
}

/// Returns true if an element holds the lines of code of Doxygen, each with its number.
fn is_doxygen(dom: &Dom, id: NodeId) -> bool {
    let has = |id: NodeId, class: &str| dom.attribute(id, "class") == Some(class);
    has(id, "fragment")
        && dom.element(id) == DIV
        && dom
            .children(id)
            .filter(|&line| dom.is_element(line))
            .all(|line| has(line, "line"))
}

/// Returns true if a style keeps white space and line ends, in letters of one width.
pub(in crate::document) fn keeps_code(style: &str) -> bool {
    if !style.contains("white-space") && !style.contains("WHITE-SPACE") {
        return false;
    }
    let style: String = style
        .chars()
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect();
    let Some((_, value)) = style.split_once("white-space:") else {
        return false;
    };
    let value = value.split([';', '!']).next().unwrap_or("");
    let is_of_one_width = || {
        ["monospace", "courier", "consolas", "menlo", "monaco"]
            .iter()
            .any(|font| style.contains(font))
    };
    value.starts_with("pre") && value != "pre-line" && is_of_one_width()
}

/// Returns true if all text of a target is in `code` below its container, which is not an item or
/// heading, nor a cell beside others.
fn is_all_code(dom: &Dom, target: &Target) -> bool {
    let container = target.container;
    let is_code = |text: &NodeId| {
        let mut below = dom.ancestors(*text).take_while(|&up| up > container);
        below.any(|up| {
            matches!(dom.tag(up), "code" | "samp" | "tt")
                || dom.attribute(up, "style").is_some_and(keeps_code)
        })
    };
    let is_possible = match dom.tag(container) {
        "li" | "dt" | "dd" | "th" | "figcaption" => false,
        "td" => dom.parent(container).is_some_and(|row| {
            dom.children(row)
                .all(|cell| cell == container || is_numbered(dom, cell))
        }),
        _ => !dom.element(container).is_heading(),
    };
    target.texts.iter().all(is_code) && is_possible
}

/// Returns true if an element has no text but line numbers.
fn is_numbered(dom: &Dom, id: NodeId) -> bool {
    const MAX_NODES: usize = 8;
    let text_of = |id: NodeId| dom.text(id).unwrap_or("");
    let is_number = |id: NodeId| text_of(id).trim().bytes().all(|byte| byte.is_ascii_digit());
    dom.end(id) - id.index() <= MAX_NODES && is_number(id) && dom.descendants(id).all(is_number)
}

/// Returns true if two successive targets are lines of one block: they are in one container or in
/// two adjacent ones, and each row of a table has one.
fn is_next_line(dom: &Dom, one: &Target, next: &Target) -> bool {
    let (one, next) = (one.container, next.container);
    if one == next {
        return dom.tag(one) != "td";
    }
    let [(up, tag), (next_up, next_tag)] = [one, next].map(|id| (dom.parent(id), dom.tag(id)));
    match tag {
        _ if tag != next_tag => false,
        "td" => {
            up != next_up
                && up.and_then(|row| dom.parent(row)) == next_up.and_then(|row| dom.parent(row))
        }
        _ => up == next_up,
    }
}

/// True if a single target of code is a block: it has several lines, or is beside blocks of text.
fn stands_alone(dom: &Dom, target: &Target) -> bool {
    let (first, last) = (target.first(), target.texts[target.texts.len() - 1]);
    let has_break =
        || (first.index()..last.index()).any(|index| dom.tag(NodeId::new(index)) == "br");
    let lines = |text: &str| text.lines().filter(|line| !is_blank(line)).count();
    let has_lines = || {
        target
            .texts
            .iter()
            .filter_map(|&id| dom.text(id))
            .any(|text| lines(text) > 1)
    };
    let is_beside_blocks = || {
        matches!(
            dom.tag(target.container),
            "article" | "blockquote" | "body" | "div" | "main" | "section"
        )
    };
    is_beside_blocks() || has_break() || has_lines() && dom.tag(target.container) != "td"
}

#[cfg(test)]
mod tests {
    use crate::document::SegmentKind;
    use crate::document::segments::segment::tests::kinds;

    /// The blocks of code of a page.
    fn code(html: &str) -> Vec<String> {
        let segments = kinds(html).into_iter();
        segments
            .filter(|(_, kind)| matches!(kind, SegmentKind::Code { .. }))
            .map(|(text, _)| text)
            .collect()
    }

    #[test]
    fn code_needs_no_pre() {
        let expected = ["if a:\n    b()\nend"];
        for html in [
            "<p>so <code>x</code></p><p><code>if a:<br>\n&nbsp;&nbsp;&nbsp; b()<br>\nend</code></p>",
            "<p><code>if a:</code><br><code>&nbsp; &nbsp; b()</code><br><code>end</code></p>",
            "<div><p>so</p><code>if a:<br>&nbsp;&nbsp;&nbsp;&nbsp;b()<br>end</code><p>so</p></div>",
            "<div><div class=line><code>if a:</code></div><div class=line><code>    b()</code></div><div class=line><code>end</code></div></div>",
            "<div><p><code>if a:\n    b()\nend</code></p></div>",
            "<div style='font-family: Menlo, monospace; white-space: pre'>if a:\n    b()\nend</div>",
            "<span style='display:block;white-space:pre-wrap;font:1em Courier'>if a:<br>    b()<br>end</span>",
            "<table><tr><td>1</td><td>if a:</td></tr><tr><td>2</td><td>    b()</td></tr><tr><td>3</td><td>end</td></tr></table>",
            "<table><tr><td class=ln data-line-number=1>1</td><td><code>if a:</code></td></tr>\n<tr><td class=ln>2</td><td><code>    b()</code></td></tr>\n\
             <tr><td class=ln>3</td><td><code>end</code></td></tr></table>",
        ] {
            assert_eq!(code(html), expected, "{html}");
        }
        assert_eq!(
            code("<section><p>Install it:</p><code>cargo install x</code></section>"),
            ["cargo install x"]
        );
    }

    #[test]
    fn code_of_many_kinds_of_markup() {
        let expected = ["if a:\n    b()\nend"];
        for html in [
            // Hexo and highlight.js, with line numbers.
            "<figure class='highlight python'><table><tr><td class=gutter><pre><span class=line>1</span><br><span class=line>2</span><br>\
             <span class=line>3</span><br></pre></td><td class=code><pre><span class=line>if a:</span><br><span class=line>    b()</span><br>\
             <span class=line>end</span><br></pre></td></tr></table></figure>",
            // Shiki, with one `span` for each line.
            "<pre class='shiki'><code><span class=line><span>if a:</span></span>\n<span class=line>    <span>b()</span></span>\n<span class=line>end</span></code></pre>",
            // SyntaxHighlighter 3, with line numbers in a cell.
            "<div class='syntaxhighlighter python'><table><tbody><tr><td class=gutter><div class='line number1'>1</div><div class='line number2'>2</div>\
             <div class='line number3'>3</div></td><td class=code><div class=container><div class='line number1'><code class=keyword>if</code> \
             <code class=plain>a:</code></div><div class='line number2'><code class=spaces>&nbsp;&nbsp;&nbsp;&nbsp;</code><code class=plain>b()</code></div>\
             <div class='line number3'><code class=plain>end</code></div></div></td></tr></tbody></table></div>",
            // CodeMirror 6, then Monaco.
            "<div class=cm-content><div class=cm-line>if a:</div><div class=cm-line>    b()</div><div class=cm-line>end</div></div>",
            "<div class='view-lines x'><div class=view-line><span>if&nbsp;a:</span></div><div class=view-line><span>&nbsp;&nbsp;&nbsp;&nbsp;b()</span></div><div class=view-line>end</div></div>",
            // Docusaurus: `pre` with lines that are blocks by their style.
            "<div><pre tabindex=0><code class=cb><span class=token-line style='color:#000'><span>if a:</span><br></span><span class=token-line><span>    b()</span><br></span>\
             <span class=token-line>end<br></span></code></pre><div><button>Copy</button></div></div>",
            "<div class=w><div>Python</div><div>复制</div><code style='display:block;white-space:pre'>if a:\n    b()\nend</code></div>",
            "<div><code style='display:block'>if a:<br>&emsp;&emsp;b()<br>end</code></div>",
            "<p><samp>if a:<br>&nbsp;&nbsp;&nbsp; b()<br>end</samp></p>",
            "<p><code>if a:<br /></code><code>&nbsp;&nbsp;&nbsp; b()<br /></code><code>end</code></p>",
            "<p style='white-space:pre'><code>if a:\n    b()\nend</code></p>",
            "<p><tt>if a:<br>\n&nbsp; &nbsp; b()<br>\nend</tt></p>",
        ] {
            assert_eq!(code(html), expected, "{html}");
        }
    }

    #[test]
    fn empty_lines_of_code_are_kept() {
        for html in [
            "<pre><code><table class=hljs-ln><tr><td class=n></td><td>a</td></tr><tr><td class=n></td><td></td></tr><tr><td></td><td>  b</td></tr></table></code></pre>",
            "<pre class=prettyprint><ol class=linenums><li>a</li><li></li><li>  b</li></ol></pre>",
            "<pre><div class=l>a</div><div class=l></div><div class=l>  b</div></pre>",
            "<pre><div class=l>a</div><div class=l></div>\n<div class=l>  b</div></pre>",
            "<table><tr><td data-line-number=1></td><td>a</td></tr><tr><td data-line-number=2></td><td></td></tr><tr><td data-line-number=3></td><td>  b</td></tr></table>",
        ] {
            assert_eq!(code(html), ["a\n\n  b"], "{html}");
        }
    }

    #[test]
    fn code_within_text_stays_there() {
        for html in [
            "<p><code>x</code></p>",
            "<p><code>x</code> is<br><code>y</code></p>",
            "<ul><li><code>x</code></li><li><code>y</code></li></ul>",
            "<table><tr><th>a<th>b<tr><td><code>x</code></td><td><code>y</code></td></tr></table>",
            "<div style='white-space: pre-wrap'>a poem\nof lines</div>",
            "<h2><code>x</code></h2><h2><code>y</code></h2>",
        ] {
            assert_eq!(code(html), [""; 0], "{html}");
        }
    }
}
