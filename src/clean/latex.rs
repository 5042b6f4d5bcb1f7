//! MathML to LaTeX, for formulas that do not come with their source.
//!
//! Presentation MathML (MathML Core and MathML 3, chapter 3) is written in the commands of LaTeX and amsmath. Own code: the
//! known crates convert the other way.

use super::latex_symbols::{command, is_function};
use crate::capture::{Dom, NodeId};

/// Depth up to which elements are converted; what is deeper is left out.
const MAX_DEPTH: usize = 64;

/// The LaTeX of a `math` element or a part of one; empty if it holds nothing that is shown.
pub(super) fn latex(dom: &Dom, id: NodeId) -> String {
    let mut out = String::new();
    write(dom, id, &mut out, 0);
    out.trim().to_owned()
}

fn write(dom: &Dom, id: NodeId, out: &mut String, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    // MathML may have a prefix, as in `m:mfrac`.
    let tag = dom.tag(id).rsplit(':').next().unwrap_or("");
    let parts: Vec<NodeId> = dom.children(id).filter(|&child| dom.is_element(child)).collect();
    let part = |index: usize| {
        let mut part = String::new();
        if let Some(&id) = parts.get(index) {
            write(dom, id, &mut part, depth + 1);
        }
        part.trim().to_owned()
    };
    match tag {
        "mi" => push(out, &identifier(&text(dom, id), dom.attribute(id, "mathvariant"))),
        "mn" => push(out, &escaped(&text(dom, id))),
        "mo" => text(dom, id).chars().for_each(|c| push(out, &symbol(c))),
        "mtext" | "ms" => push(out, &format!("\\text{{{}}}", escaped(&text(dom, id)))),
        "mspace" => push(out, " "),
        "mfrac" => push(out, &format!("\\frac{{{}}}{{{}}}", part(0), part(1))),
        "msqrt" => {
            let inner: Vec<String> = (0..parts.len()).map(part).collect();
            push(out, &format!("\\sqrt{{{}}}", inner.concat()));
        }
        "mroot" => push(out, &format!("\\sqrt[{}]{{{}}}", part(1), part(0))),
        "msub" => push(out, &format!("{}_{{{}}}", base(part(0)), part(1))),
        "msup" => push(out, &format!("{}^{{{}}}", base(part(0)), part(1))),
        "msubsup" | "munderover" => push(out, &format!("{}_{{{}}}^{{{}}}", base(part(0)), part(1), part(2))),
        "munder" => push(out, &under(&part(0), &part(1))),
        "mover" => push(out, &over(&part(0), &part(1))),
        "mfenced" => fenced(dom, id, &(0..parts.len()).map(part).collect::<Vec<_>>(), out),
        "mtable" => {
            let rows: Vec<String> = (0..parts.len()).map(part).collect();
            push(out, &format!("\\begin{{matrix}} {} \\end{{matrix}}", rows.join(" \\\\ ")));
        }
        "mtr" | "mlabeledtr" => push(out, &(0..parts.len()).map(part).collect::<Vec<_>>().join(" & ")),
        "annotation" | "annotation-xml" | "mphantom" | "none" | "mprescripts" => {}
        // Only the first child is shown.
        "semantics" | "maction" => push(out, &part(0)),
        _ if parts.is_empty() => push(out, &escaped(&text(dom, id))),
        _ => parts.iter().for_each(|&child| write(dom, child, out, depth + 1)),
    }
}

/// Adds a piece; a space separates a command from letters.
fn push(out: &mut String, piece: &str) {
    let command = out.rfind('\\').map(|at| &out[at + 1..]);
    let ends_in_command =
        command.is_some_and(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic()));
    if ends_in_command && piece.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.push(' ');
    }
    out.push_str(piece);
}

/// The text of a token, on one line.
fn text(dom: &Dom, id: NodeId) -> String {
    let texts: String = dom.descendants(id).filter_map(|below| dom.text(below)).collect();
    crate::text::collapse(&texts)
}

fn identifier(name: &str, variant: Option<&str>) -> String {
    let mut chars = name.chars();
    let (first, is_single) = (chars.next(), chars.next().is_none());
    let plain = match first {
        None => return String::new(),
        Some(c) if is_single => symbol(c),
        _ if is_function(name) => format!("\\{name}"),
        _ if variant.is_some_and(|variant| variant != "normal") => escaped(name),
        _ => return format!("\\mathrm{{{}}}", escaped(name)),
    };
    match variant {
        Some("bold" | "bold-italic") => format!("\\mathbf{{{plain}}}"),
        Some("double-struck") => format!("\\mathbb{{{plain}}}"),
        Some("script") => format!("\\mathcal{{{plain}}}"),
        Some("fraktur") => format!("\\mathfrak{{{plain}}}"),
        Some("normal") if is_single && first.is_some_and(|c| c.is_ascii_alphabetic()) => format!("\\mathrm{{{plain}}}"),
        _ => plain,
    }
}

/// A character as LaTeX: its command, or itself.
fn symbol(c: char) -> String {
    match c {
        // Function application, invisible times, separator and plus.
        '\u{2061}'..='\u{2064}' => String::new(),
        '\u{a0}' | '\u{2009}' | '\u{200a}' => " ".to_owned(),
        '\u{2212}' => "-".to_owned(),
        _ => command(c).map_or_else(|| escaped(c.encode_utf8(&mut [0; 4])), |name| format!("\\{name}")),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\backslash "),
            '^' => out.push_str("\\hat{}"),
            '~' => out.push_str("\\sim "),
            _ => out.push(c),
        }
    }
    out
}

/// What an index or exponent belongs to: grouped if it is more than a character or a command.
fn base(part: String) -> String {
    let name = part.strip_prefix('\\').unwrap_or(&part);
    let is_one = part.chars().count() == 1
        || name.len() < part.len() && name.bytes().all(|byte| byte.is_ascii_alphabetic())
        || part.starts_with("\\mathrm{") && part.find('}') == Some(part.len() - 1);
    if is_one { part } else { format!("{{{part}}}") }
}

fn under(base_part: &str, below: &str) -> String {
    match below {
        "_" | "\\_" | "\u{af}" | "\u{332}" => format!("\\underline{{{base_part}}}"),
        "\u{23df}" => format!("\\underbrace{{{base_part}}}"),
        _ if is_operator(base_part) => format!("{}_{{{below}}}", base(base_part.to_owned())),
        _ => format!("\\underset{{{below}}}{{{base_part}}}"),
    }
}

fn over(base_part: &str, above: &str) -> String {
    let accent = match above {
        "\u{af}" | "\u{203e}" | "\u{305}" | "\\_" | "-" => "overline",
        "\\hat{}" | "\u{2c6}" | "\u{302}" => "hat",
        "\\sim" | "\u{2dc}" | "\u{303}" => "tilde",
        "\\to" | "\u{20d7}" => "vec",
        "\u{2d9}" | "\u{307}" | "." => "dot",
        "\u{a8}" | "\u{308}" => "ddot",
        "\u{23de}" => "overbrace",
        _ if is_operator(base_part) => return format!("{}^{{{above}}}", base(base_part.to_owned())),
        _ => return format!("\\overset{{{above}}}{{{base_part}}}"),
    };
    format!("\\{accent}{{{base_part}}}")
}

/// Whether limits are written below and above an operator.
fn is_operator(part: &str) -> bool {
    const OPERATORS: &[&str] = &[
        "sum", "prod", "coprod", "int", "oint", "bigcup", "bigcap", "lim", "max", "min", "sup", "inf", "limsup",
        "liminf",
    ];
    part.strip_prefix('\\').is_some_and(|name| OPERATORS.contains(&name))
}

fn fenced(dom: &Dom, id: NodeId, parts: &[String], out: &mut String) {
    let fence = |name, usual: &str| dom.attribute(id, name).map_or(usual.to_owned(), |fence| fence.trim().to_owned());
    let separators: Vec<char> = fence("separators", ",").chars().filter(|c| !c.is_whitespace()).collect();
    let side = |fence: String| match fence.as_str() {
        "" => ".".to_owned(),
        fence => fence.chars().map(symbol).collect(),
    };
    push(out, "\\left");
    push(out, &side(fence("open", "(")));
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            // The last separator is repeated.
            let separator = separators.get(index - 1).or(separators.last());
            push(out, &separator.map_or_else(String::new, |&separator| symbol(separator)));
        }
        push(out, part);
    }
    push(out, "\\right");
    push(out, &side(fence("close", ")")));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;
    use proptest::prelude::*;

    fn converted(math: &str) -> String {
        let dom = parse_html(&format!("<math>{math}</math>"));
        dom.ids().find(|&id| dom.tag(id) == "math").map(|id| latex(&dom, id)).unwrap_or_default()
    }

    #[test]
    fn presentation_elements_become_commands() {
        let quadratic = "<mi>x</mi><mo>=</mo><mfrac><mrow><mo>&#x2212;</mo><mi>b</mi><mo>&#xb1;</mo><msqrt><msup><mi>b</mi>\
                         <mn>2</mn></msup><mo>-</mo><mn>4</mn><mi>a</mi><mi>c</mi></msqrt></mrow><mrow><mn>2</mn><mi>a</mi>\
                         </mrow></mfrac>";
        for (math, expected) in [
            (quadratic, "x=\\frac{-b\\pm\\sqrt{b^{2}-4ac}}{2a}"),
            ("<mroot><mi>x</mi><mn>3</mn></mroot>", "\\sqrt[3]{x}"),
            ("<msubsup><mi>&#x3b1;</mi><mi>i</mi><mn>2</mn></msubsup><mi>y</mi>", "\\alpha_{i}^{2}y"),
            ("<mi>&#x3b1;</mi><mi>y</mi>", "\\alpha y"),
            (
                "<munderover><mo>&#x2211;</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>",
                "\\sum_{i=1}^{n}",
            ),
            (
                "<munder><mi>lim</mi><mrow><mi>n</mi><mo>&#x2192;</mo><mi>&#x221e;</mi></mrow></munder>",
                "\\lim_{n\\to\\infty}",
            ),
            (
                "<mover><mi>x</mi><mo>&#xaf;</mo></mover><mover><mi>v</mi><mo>&#x2192;</mo></mover>",
                "\\overline{x}\\vec{v}",
            ),
            ("<mfenced open='['><mi>a</mi><mi>b</mi></mfenced>", "\\left[a,b\\right)"),
            (
                "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable>",
                "\\begin{matrix} 1 & 0 \\\\ 0 & 1 \\end{matrix}",
            ),
            ("<mi></mi><mo>=</mo><mi>a</mi>", "=a"),
            ("<msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup>", "{ab}^{2}"),
            (
                "<mi mathvariant='double-struck'>R</mi><mtext>if 5%</mtext><mi>rank</mi>",
                "\\mathbb{R}\\text{if 5\\%}\\mathrm{rank}",
            ),
        ] {
            assert_eq!(converted(math), expected, "{math}");
        }
    }

    proptest! {
        #[test]
        fn braces_are_balanced(math in "(<(/?(mi|mo|mn|mrow|mfrac|msup|msubsup|munder|mover|mtable|mtr|mtd|mfenced|mtext|msqrt))>|[a-z{}\\\\^~_$ ]{1,3}){0,30}") {
            let tex = converted(&math);
            let mut depth = 0i32;
            let mut is_escaped = false;
            for c in tex.chars() {
                match c {
                    '{' if !is_escaped => depth += 1,
                    '}' if !is_escaped => depth -= 1,
                    _ => {}
                }
                prop_assert!(depth >= 0, "{}", tex);
                is_escaped = c == '\\' && !is_escaped;
            }
            prop_assert_eq!(depth, 0);
        }
    }
}
