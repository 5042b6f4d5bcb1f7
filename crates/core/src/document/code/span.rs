//! Preformatted text for `segment`: its lines as the page shows them, and its programming language.

use crate::capture::{Capture, Dom, NodeId};
use crate::document::code::blocks::keeps_code;
use crate::document::code::language::language_of_label;
use crate::document::content::Span;
use crate::target::display;
use crate::text::is_blank;

/// The text of preformatted targets with its line breaks, including the white space between kept
/// texts.
pub(in crate::document) fn code(capture: &Capture, pre: NodeId, texts: &[NodeId]) -> Span {
    let (Some(&first), Some(&last)) = (texts.first(), texts.last()) else {
        return Span::default();
    };
    let dom = &capture.dom;
    let (mut out, mut nodes) = (String::new(), Vec::new());
    let mut texts = texts.iter().peekable();
    let is_border = |id| !display(capture, id).is_inline();
    let collapses = collapses(capture, pre, first, last);
    // The ends of the open rows and items, and the length of the code before each.
    let mut rows: Vec<(usize, usize)> = Vec::new();
    let mut ends: Vec<usize> = dom
        .ancestors(first)
        .take_while(|&up| up > pre)
        .filter(|&up| is_border(up))
        .map(|up| dom.end(up))
        .collect();
    ends.reverse();
    // Indentation may be a separate text node before the first one with visible characters.
    let start = (pre.index() + 1..first.index())
        .rev()
        .take_while(|&index| {
            let id = NodeId::new(index);
            dom.text(id).map_or(!is_border(id), is_blank)
        })
        .last()
        .unwrap_or(first.index());
    for index in start..=last.index() {
        let id = NodeId::new(index);
        while ends.last().is_some_and(|&end| end <= index) {
            ends.pop();
            end_line(&mut out);
        }
        while let Some((_, start)) = rows.pop_if(|(end, _)| *end <= index) {
            if out.len() == start {
                out.push('\n');
            }
        }
        if let Some(text) = dom.text(id) {
            let is_kept = texts.peek() == Some(&&id);
            if is_kept {
                texts.next();
            }
            if (is_kept || is_blank(text) && is_in_line(dom, id, pre))
                && !is_beside_code(dom, id, pre)
            {
                write_text(&mut out, text, collapses);
                if !is_blank(text) {
                    nodes.push(id);
                }
            }
        } else if dom.tag(id) == "br" {
            out.push('\n');
        } else if dom.is_element(id) && is_border(id) {
            end_line(&mut out);
            ends.push(dom.end(id));
            if is_line(dom, id) {
                rows.push((dom.end(id), out.len()));
            }
        }
    }
    let lines: Vec<&str> = out.lines().map(str::trim_end).collect();
    let from = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
    let text = lines[from..]
        .join("\n")
        .trim_end()
        .replace(['\u{a0}', '\u{2002}'], " ")
        .replace('\u{2003}', "  ");
    Span {
        text,
        is_code: true,
        nodes,
        ..Span::default()
    }
}

/// Returns true if an element is a line of code even if it is empty: a row of a table, an item of a
/// list, or an empty block directly before another one like it.
fn is_line(dom: &Dom, id: NodeId) -> bool {
    let end = dom.end(id);
    match dom.tag(id) {
        "tr" | "li" => true,
        "div" | "p" if end == id.index() + 1 && end < dom.len() => {
            let next = NodeId::new(end);
            dom.tag(next) == dom.tag(id)
                && dom.parent(next) == dom.parent(id)
                && dom.attribute(next, "class") == dom.attribute(id, "class")
        }
        _ => false,
    }
}

/// Returns true if white space is collapsed as in other text: the lines of the code end at `br`,
/// and no element or style keeps other line ends.
fn collapses(capture: &Capture, block: NodeId, first: NodeId, last: NodeId) -> bool {
    let dom = &capture.dom;
    let keeps = |id: NodeId| {
        matches!(dom.tag(id), "pre" | "listing" | "xmp")
            || dom.attribute(id, "style").is_some_and(keeps_code)
    };
    let has_break =
        || (first.index()..last.index()).any(|index| dom.tag(NodeId::new(index)) == "br");
    let is_kept = || {
        capture
            .layout
            .as_ref()
            .and_then(|layout| layout.style(first))
            .is_some_and(|style| style.keeps_line_breaks)
    };
    !dom.ancestors(first).any(keeps)
        && !dom.descendants(block).any(keeps)
        && has_break()
        && !is_kept()
}

/// Writes a text of code. If white space is collapsed, only spaces that do not collapse, such as
/// non-breaking ones, indent a line.
fn write_text(out: &mut String, text: &str, collapses: bool) {
    for c in text.chars() {
        match c {
            ' ' | '\n' | '\t' | '\r' if collapses => {
                if !out.is_empty() && !out.ends_with([' ', '\n']) {
                    out.push(' ');
                }
            }
            '\n' | '\t' => out.push(c),
            '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => {}
            _ if c.is_control() => {}
            _ => out.push(c),
        }
    }
}

/// Returns true if white space belongs to a line of code: between the rows and cells of a table it
/// is not shown, and outside `pre` it is shown only within a cell or `code`.
fn is_in_line(dom: &Dom, space: NodeId, block: NodeId) -> bool {
    let in_table = |tag: &str| matches!(tag, "table" | "thead" | "tbody" | "tfoot" | "tr");
    let holds_lines = |up: NodeId| {
        matches!(
            dom.tag(up),
            "pre" | "listing" | "xmp" | "code" | "samp" | "tt" | "td" | "th"
        ) || dom.attribute(up, "style").is_some_and(keeps_code)
            || dom
                .attribute(up, "class")
                .is_some_and(|class| class.starts_with("crayon-line"))
    };
    dom.parent(space)
        .is_some_and(|parent| !in_table(dom.tag(parent)))
        && dom
            .ancestors(space)
            .take_while(|&up| up >= block)
            .any(holds_lines)
}

fn end_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Longest prompt, in characters, such as `user@host:~/folder$`. Heuristic.
const MAX_PROMPT_CHARS: usize = 40;

/// Returns true if a text in a block of code is not a part of it: the name of a button, or a prompt
/// that is marked up as one.
pub(in crate::document) fn is_beside_code(dom: &Dom, text: NodeId, block: NodeId) -> bool {
    dom.ancestors(text).take_while(|&up| up > block).any(|up| {
        let has_class = |matches: fn(&str) -> bool| {
            dom.attribute(up, "class").is_some_and(|class| class.split_ascii_whitespace().any(matches))
        };
        dom.tag(up) == "button"
            || dom.attribute(up, "role") == Some("button")
            || has_class(names_copy_button)
            || has_class(names_prompt) && dom.text(text).is_some_and(is_prompt)
            || up != block && dom.tag(up) != "code" && is_label_in_block(dom, text, block)
            // Line numbers next to `pre` and `code` are not part of a target; those of GitHub's
            // tables are.
            || dom.attribute(up, "data-line-number").is_some() && dom.text(text).is_some_and(is_number)
    })
}

/// Returns true if a text in a block is a label beside the `code` in it.
fn is_label_in_block(dom: &Dom, text: NodeId, block: NodeId) -> bool {
    let is_code = |id: NodeId| dom.tag(id) == "code";
    dom.text(text).is_some_and(|text| label(text).is_some())
        && !dom
            .ancestors(text)
            .take_while(|&up| up >= block)
            .any(is_code)
        && dom.descendants(block).any(is_code)
}

/// Kinds of labels above a block of code.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::document) enum Label {
    /// The name of the language.
    Language(String),
    /// A button to copy the code, or a name for text of any kind.
    Button,
}

/// Names of buttons and of text of any kind above code; also in Spanish, French, German, Russian,
/// Chinese and Japanese.
const BUTTONS: &[&str] = &[
    "copy",
    "copied",
    "copied!",
    "copy code",
    "copy to clipboard",
    "copy snippet",
    "copiar",
    "copier",
    "kopieren",
    "\u{43a}\u{43e}\u{43f}\u{438}\u{440}\u{43e}\u{432}\u{430}\u{442}\u{44c}",
    "\u{590d}\u{5236}",
    "\u{590d}\u{5236}\u{4ee3}\u{7801}",
    "\u{30b3}\u{30d4}\u{30fc}",
    "code",
    "plain text",
    "plaintext",
    "text",
];

/// The label that a text above a block of code is; `None` if it is something else.
pub(in crate::document) fn label(text: &str) -> Option<Label> {
    const MAX_BYTES: usize = 40;
    if text.len() > MAX_BYTES {
        return None;
    }
    let text = text.trim().to_ascii_lowercase();
    if BUTTONS.contains(&text.as_str()) {
        return Some(Label::Button);
    }
    let name = BUTTONS
        .iter()
        .find_map(|button| text.strip_suffix(button))
        .unwrap_or(&text)
        .trim_end();
    let name = name.strip_suffix(':').unwrap_or(name);
    let spelled = match name {
        "c++" => "cpp",
        "c#" => "csharp",
        "f#" => "fsharp",
        "objective-c" => "objectivec",
        "node.js" | "nodejs" => "javascript",
        "py" => "python",
        "sh" | "zsh" | "terminal" => "shell",
        _ => name,
    };
    language_of_label(spelled).map(Label::Language)
}

/// Returns true for classes of buttons that copy code, such as `copy-btn` or `clipboard-copy`.
fn names_copy_button(class: &str) -> bool {
    let class = class.to_ascii_lowercase();
    let is_button = ["btn", "button", "clipboard", "tooltip"]
        .iter()
        .any(|part| class.contains(part));
    class == "copy" || class == "toolbar" || class.contains("copy") && is_button
}

/// Returns true for classes that highlighters give to prompts: `gp` is that of Pygments.
fn names_prompt(class: &str) -> bool {
    class == "gp" || class.to_ascii_lowercase().contains("prompt")
}

fn is_number(text: &str) -> bool {
    text.trim().bytes().all(|byte| byte.is_ascii_digit())
}

fn is_prompt(text: &str) -> bool {
    let text = text.trim();
    text.chars().count() <= MAX_PROMPT_CHARS
        && (text.is_empty() || text.ends_with(['$', '>', '#', '%', '.', ':', '\u{276f}']))
}

#[cfg(test)]
mod tests {
    use crate::document::SegmentKind;
    use crate::document::segments::segment::tests::kinds;

    #[test]
    fn code_keeps_its_lines_and_is_one_segment() {
        let html = "<div class='highlight-source-rust'><pre>\n  <div class=line>fn main() {</div><div class=line>    run()</div><span>}</span>\n\n</pre></div>";
        let found = kinds(html);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            found[0],
            (
                "fn main() {\n    run()\n}".into(),
                SegmentKind::Code {
                    language: Some("rust".into())
                }
            )
        );
        let found = kinds("<pre class=lang-c><ol><li>int a;</li><li>  a = 1;</li></ol></pre>");
        assert_eq!(
            found,
            [(
                "int a;\n  a = 1;".into(),
                SegmentKind::Code {
                    language: Some("c".into())
                }
            )]
        );
        let found = kinds(
            "<table><tr><td class=gutter><pre>1\n2</pre></td><td><pre><i class=ln>1</i>a\n<i class=ln>2</i>b</pre></td></table>",
        );
        assert_eq!(
            found,
            [("a\nb".into(), SegmentKind::Code { language: None })]
        );
        let found = kinds(
            "<pre class='brush: java; gutter: false'><button>Copy</button><span class=gp>&gt;&gt;&gt; </span>run()\n<span \
             class='prompt user'>ann@host:~$ </span>end <span class=copy-btn>Copy</span>\n<i class=prompts>stays</i></pre>",
        );
        assert_eq!(
            found,
            [(
                "run()\nend\nstays".into(),
                SegmentKind::Code {
                    language: Some("java".into())
                }
            )]
        );
        let table = "<table class='highlight js-file-line-container'>\n<tr>\n <td class=blob-num data-line-number=1>1</td>\n \
                     <td class=blob-code>fn main() {</td>\n</tr>\n<tr>\n<td class=blob-num></td><td>\n</td></tr><tr>\n \
                     <td class=blob-num data-line-number=2>2</td>\n<td class=blob-code>  }</td></tr></table>";
        assert_eq!(
            kinds(table),
            [(
                "fn main() {\n\n  }".into(),
                SegmentKind::Code { language: None }
            )]
        );
        let found =
            kinds("<div><code class='hljs python'><div>if a:</div><div>    b()</div></code></div>");
        assert_eq!(
            found,
            [(
                "if a:\n    b()".into(),
                SegmentKind::Code {
                    language: Some("python".into())
                }
            )]
        );
        let found =
            kinds("<pre><code class='language-c++'>  a&nbsp;= 1;<br>\tb = 2;\n</code></pre>");
        assert_eq!(found[0].0, "  a = 1;\n\tb = 2;");
    }

    #[test]
    fn labels_of_code_are_no_lines_of_it() {
        let code = |language: Option<&str>| SegmentKind::Code {
            language: language.map(str::to_owned),
        };
        for html in [
            "<p>so</p><div><div><span>bash</span></div><div>Copy code</div><pre>run</pre></div>",
            "<p>so</p><div class=h><div>Bash <button>Copy</button></div></div><pre><div>Copy</div><code>run</code></pre>",
        ] {
            let found = kinds(html);
            assert_eq!(
                found.last(),
                Some(&("run".to_owned(), code(found.len().eq(&2).then_some("bash")))),
                "{html}"
            );
        }
        let prose = kinds("<div><p>Written in</p><p>Python</p><pre>run</pre></div>");
        assert_eq!(prose.len(), 3);
        assert_eq!(super::label("Copy"), Some(super::Label::Button));
    }
}
