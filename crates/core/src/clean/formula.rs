//! Finds the formulas of a page and their LaTeX: MathML, KaTeX, MathJax 2 to 4, and pictures of formulas whose alternative
//! text is LaTeX, as in Wikipedia.
//!
//! A page holds a formula several times: as source, for screen readers, and as letters in many elements. All of them are one
//! range of the tree, which is replaced by the LaTeX where text is written; targets and features stay as they are.

use super::document::{FormulaStyle, Span};
use crate::capture::{Dom, NodeId};
use crate::elements::Element;
use std::ops::Range;

const MATH: Element = Element::known("math");
const SCRIPT: Element = Element::known("script");
const IMG: Element = Element::known("img");

/// Longest LaTeX that is kept, in bytes.
const MAX_BYTES: usize = 20_000;

/// A formula of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Formula {
    /// Its nodes: one or several adjacent subtrees.
    pub(super) nodes: Range<usize>,
    /// Its LaTeX on one line, without delimiters; never empty.
    pub(super) tex: String,
    /// Whether it stands on a line of its own.
    pub(super) is_display: bool,
}

impl Formula {
    /// Its first element.
    pub(super) fn root(&self) -> NodeId {
        NodeId::new(self.nodes.start)
    }

    /// The formula as a span of text.
    pub(super) fn span(&self) -> Span {
        let (style, mark) = if self.is_display { (FormulaStyle::Display, "$$") } else { (FormulaStyle::Inline, "$") };
        Span { text: format!("{mark}{}{mark}", self.tex), formula: Some(style), ..Span::default() }
    }
}

/// The formulas of a page, in document order and disjoint.
pub(super) fn formulas(dom: &Dom) -> Vec<Formula> {
    let mut found: Vec<Formula> = Vec::new();
    for id in dom.ids() {
        if found.last().is_some_and(|last| last.nodes.contains(&id.index())) {
            continue;
        }
        let formula = match dom.element(id) {
            SCRIPT => of_script(dom, id),
            IMG => of_picture(dom, id),
            MATH => of_math(dom, id),
            Element::UNKNOWN if matches!(dom.tag(id), "m:math" | "mjx-container") => of_math(dom, id),
            _ => None,
        };
        let Some(formula) = formula else { continue };
        // MathJax 2 shows a formula before the script with its source.
        while found.last().is_some_and(|last| last.nodes.start >= formula.nodes.start) {
            found.pop();
        }
        if found.last().is_none_or(|last| last.nodes.end <= formula.nodes.start) {
            found.push(formula);
        }
    }
    found
}

/// Classes of the elements that KaTeX, MathJax and MediaWiki put around a formula.
fn is_wrapper(dom: &Dom, id: NodeId) -> bool {
    const STARTS: &[&str] = &["katex", "MathJax", "MJX", "mwe-math"];
    dom.tag(id).starts_with("mjx-")
        || dom.attribute(id, "class").is_some_and(|class| {
            class.split_ascii_whitespace().any(|name| STARTS.iter().any(|start| name.starts_with(start)))
        })
}

fn of_math(dom: &Dom, id: NodeId) -> Option<Formula> {
    let around: Vec<NodeId> = dom.ancestors(id).take_while(|&up| is_wrapper(dom, up)).collect();
    let root = around.last().copied().unwrap_or(id);
    let is_display = std::iter::once(id).chain(around).any(|up| {
        let is = |name, value| dom.attribute(up, name).is_some_and(|given| given.eq_ignore_ascii_case(value));
        is("display", "block") || is("display", "true") || is("mode", "display") || has_display_class(dom, up)
    });
    let tex = source(dom, root).or_else(|| {
        let math = dom.descendants(root).chain([id]).find(|&below| matches!(dom.tag(below), "math" | "m:math"))?;
        one_line(&latex(dom, math))
    })?;
    Some(Formula { nodes: root.index()..dom.end(root), tex, is_display })
}

fn has_display_class(dom: &Dom, id: NodeId) -> bool {
    const NAMES: &[&str] =
        &["katex-display", "MathJax_Display", "MathJax_SVG_Display", "MJXc-display", "mwe-math-fallback-image-display"];
    dom.attribute(id, "class").is_some_and(|class| {
        class.split_ascii_whitespace().any(|name| NAMES.contains(&name) || name == "mwe-math-element-block")
    })
}

/// The source in or on a formula: an annotation of MathML, or an attribute of MathJax 4 or LaTeXML.
fn source(dom: &Dom, root: NodeId) -> Option<String> {
    for id in std::iter::once(root).chain(dom.descendants(root)) {
        let is_tex = |encoding: &str| encoding.to_ascii_lowercase().contains("tex");
        let found = match dom.tag(id) {
            "annotation" if dom.attribute(id, "encoding").is_some_and(is_tex) => {
                one_line(&dom.descendants(id).filter_map(|below| dom.text(below)).collect::<String>())
            }
            "math" if dom.attribute(id, "class").is_some_and(|class| class.contains("ltx_")) => {
                dom.attribute(id, "alttext").and_then(one_line)
            }
            _ => dom.attribute(id, "data-latex").filter(|_| is_wrapper(dom, id)).and_then(one_line),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The formula whose source is in a script, with what MathJax 2 shows of it in the elements before.
fn of_script(dom: &Dom, id: NodeId) -> Option<Formula> {
    let kind = dom.attribute(id, "type")?.trim().to_ascii_lowercase();
    if !kind.starts_with("math/tex") {
        return None;
    }
    let tex = one_line(&dom.descendants(id).filter_map(|below| dom.text(below)).collect::<String>())?;
    let before: Vec<NodeId> = dom.children(dom.parent(id)?).take_while(|&sibling| sibling < id).collect();
    let is_shown =
        |&&sibling: &&NodeId| is_wrapper(dom, sibling) || dom.text(sibling).is_some_and(|text| text.trim().is_empty());
    // White space before the formula is not a part of it.
    let shown = before.iter().rev().take_while(is_shown).take(4).filter(|&&sibling| dom.is_element(sibling)).last();
    let start = shown.map_or(id.index(), |first| first.index());
    Some(Formula { nodes: start..dom.end(id), tex, is_display: kind.contains("display") })
}

fn of_picture(dom: &Dom, id: NodeId) -> Option<Formula> {
    let class = dom.attribute(id, "class")?;
    let is_formula = class
        .split_ascii_whitespace()
        .any(|name| name.starts_with("mwe-math-fallback-image") || matches!(name, "tex" | "latex" | "math"));
    let tex = dom.attribute(id, "alt").filter(|_| is_formula).and_then(one_line)?;
    let root = dom.ancestors(id).take_while(|&up| is_wrapper(dom, up)).last().unwrap_or(id);
    let is_display = has_display_class(dom, id) || has_display_class(dom, root);
    Some(Formula { nodes: root.index()..dom.end(root), tex, is_display })
}

/// LaTeX on one line, without delimiters and without the group that MediaWiki puts around it; `None` if nothing is left.
fn one_line(tex: &str) -> Option<String> {
    if tex.len() > MAX_BYTES {
        return None;
    }
    let tex = crate::text::collapse(tex);
    let mut tex = tex.as_str();
    for style in ["\\displaystyle", "\\textstyle", "\\scriptstyle"] {
        let inner = tex.strip_prefix('{').and_then(|tex| tex.strip_suffix('}')).and_then(|tex| tex.strip_prefix(style));
        if let Some(inner) = inner.filter(|inner| is_balanced(inner) && !inner.starts_with(char::is_alphabetic)) {
            tex = inner.trim();
        }
    }
    for (open, close) in [("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$")] {
        let inner = tex.strip_prefix(open).and_then(|tex| tex.strip_suffix(close));
        tex = inner.filter(|inner| !inner.contains(open)).map_or(tex, str::trim);
    }
    (!tex.is_empty()).then(|| tex.to_owned())
}

/// Whether each brace has its partner within the text.
fn is_balanced(tex: &str) -> bool {
    let (mut depth, mut is_escaped) = (0i32, false);
    for c in tex.chars() {
        match c {
            '{' if !is_escaped => depth += 1,
            '}' if !is_escaped => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    depth == 0
}

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

/// The commands of LaTeX and amssymb for the characters that are common in formulas, by character.
const COMMANDS: &[(char, &str)] = &[
    ('\u{ac}', "neg"),
    ('\u{b0}', "degree"),
    ('\u{b1}', "pm"),
    ('\u{b7}', "cdot"),
    ('\u{d7}', "times"),
    ('\u{f7}', "div"),
    ('\u{393}', "Gamma"),
    ('\u{394}', "Delta"),
    ('\u{398}', "Theta"),
    ('\u{39b}', "Lambda"),
    ('\u{39e}', "Xi"),
    ('\u{3a0}', "Pi"),
    ('\u{3a3}', "Sigma"),
    ('\u{3a5}', "Upsilon"),
    ('\u{3a6}', "Phi"),
    ('\u{3a8}', "Psi"),
    ('\u{3a9}', "Omega"),
    ('\u{3b1}', "alpha"),
    ('\u{3b2}', "beta"),
    ('\u{3b3}', "gamma"),
    ('\u{3b4}', "delta"),
    ('\u{3b5}', "varepsilon"),
    ('\u{3b6}', "zeta"),
    ('\u{3b7}', "eta"),
    ('\u{3b8}', "theta"),
    ('\u{3b9}', "iota"),
    ('\u{3ba}', "kappa"),
    ('\u{3bb}', "lambda"),
    ('\u{3bc}', "mu"),
    ('\u{3bd}', "nu"),
    ('\u{3be}', "xi"),
    ('\u{3c0}', "pi"),
    ('\u{3c1}', "rho"),
    ('\u{3c2}', "varsigma"),
    ('\u{3c3}', "sigma"),
    ('\u{3c4}', "tau"),
    ('\u{3c5}', "upsilon"),
    ('\u{3c6}', "varphi"),
    ('\u{3c7}', "chi"),
    ('\u{3c8}', "psi"),
    ('\u{3c9}', "omega"),
    ('\u{3d1}', "vartheta"),
    ('\u{3d5}', "phi"),
    ('\u{3f5}', "epsilon"),
    ('\u{2016}', "|"),
    ('\u{2026}', "ldots"),
    ('\u{2032}', "prime"),
    ('\u{2102}', "mathbb{C}"),
    ('\u{210f}', "hbar"),
    ('\u{2113}', "ell"),
    ('\u{2115}', "mathbb{N}"),
    ('\u{211a}', "mathbb{Q}"),
    ('\u{211d}', "mathbb{R}"),
    ('\u{2124}', "mathbb{Z}"),
    ('\u{2135}', "aleph"),
    ('\u{2190}', "leftarrow"),
    ('\u{2192}', "to"),
    ('\u{2194}', "leftrightarrow"),
    ('\u{21a6}', "mapsto"),
    ('\u{21d2}', "Rightarrow"),
    ('\u{21d4}', "Leftrightarrow"),
    ('\u{2200}', "forall"),
    ('\u{2202}', "partial"),
    ('\u{2203}', "exists"),
    ('\u{2205}', "emptyset"),
    ('\u{2207}', "nabla"),
    ('\u{2208}', "in"),
    ('\u{2209}', "notin"),
    ('\u{220b}', "ni"),
    ('\u{220f}', "prod"),
    ('\u{2211}', "sum"),
    ('\u{2213}', "mp"),
    ('\u{2216}', "setminus"),
    ('\u{2217}', "ast"),
    ('\u{2218}', "circ"),
    ('\u{221d}', "propto"),
    ('\u{221e}', "infty"),
    ('\u{2220}', "angle"),
    ('\u{2225}', "parallel"),
    ('\u{2227}', "land"),
    ('\u{2228}', "lor"),
    ('\u{2229}', "cap"),
    ('\u{222a}', "cup"),
    ('\u{222b}', "int"),
    ('\u{222e}', "oint"),
    ('\u{2234}', "therefore"),
    ('\u{223c}', "sim"),
    ('\u{2243}', "simeq"),
    ('\u{2245}', "cong"),
    ('\u{2248}', "approx"),
    ('\u{2260}', "ne"),
    ('\u{2261}', "equiv"),
    ('\u{2264}', "le"),
    ('\u{2265}', "ge"),
    ('\u{226a}', "ll"),
    ('\u{226b}', "gg"),
    ('\u{2282}', "subset"),
    ('\u{2283}', "supset"),
    ('\u{2286}', "subseteq"),
    ('\u{2287}', "supseteq"),
    ('\u{2295}', "oplus"),
    ('\u{2297}', "otimes"),
    ('\u{22a2}', "vdash"),
    ('\u{22a5}', "perp"),
    ('\u{22a8}', "models"),
    ('\u{22c2}', "bigcap"),
    ('\u{22c3}', "bigcup"),
    ('\u{22c5}', "cdot"),
    ('\u{22ee}', "vdots"),
    ('\u{22ef}', "cdots"),
    ('\u{22f1}', "ddots"),
    ('\u{2308}', "lceil"),
    ('\u{2309}', "rceil"),
    ('\u{230a}', "lfloor"),
    ('\u{230b}', "rfloor"),
    ('\u{2329}', "langle"),
    ('\u{232a}', "rangle"),
    ('\u{27e8}', "langle"),
    ('\u{27e9}', "rangle"),
];

/// The functions that LaTeX has commands for.
const FUNCTIONS: &[&str] = &[
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "csc", "deg", "det", "dim", "exp", "gcd", "inf", "ker",
    "lim", "liminf", "limsup", "ln", "log", "max", "min", "sec", "sin", "sinh", "sup", "tan", "tanh",
];

/// The command for a character, without its backslash.
pub(super) fn command(c: char) -> Option<&'static str> {
    COMMANDS.binary_search_by_key(&c, |&(known, _)| known).ok().map(|index| COMMANDS[index].1)
}

/// Whether a name is a function with a command.
fn is_function(name: &str) -> bool {
    FUNCTIONS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;
    use proptest::prelude::*;

    fn found(html: &str) -> Vec<(String, bool)> {
        formulas(&parse_html(html)).into_iter().map(|formula| (formula.tex, formula.is_display)).collect()
    }

    #[test]
    fn the_source_of_a_formula_is_preferred() {
        let annotated = "<math><semantics><mrow><mi>E</mi></mrow><annotation encoding='application/x-tex'>E = mc^2\
                         </annotation></semantics></math>";
        let katex = format!(
            "<span class=katex><span class=katex-mathml>{annotated}</span><span class=katex-html>Emc2</span></span>"
        );
        for (html, is_display) in [
            (annotated.to_owned(), false),
            (katex.clone(), false),
            (format!("<span class=katex-display>{katex}</span>"), true),
            ("<script type='math/tex; mode=display'>E = mc^2</script>".to_owned(), true),
            (
                "<span class=MathJax_Preview></span> <span class=MathJax><math><mi>E</mi></math></span>\
                 <script type='math/tex'>E = mc^2</script>"
                    .to_owned(),
                false,
            ),
            (
                format!(
                    "<mjx-container display=true><mjx-math>E</mjx-math><mjx-assistive-mml>{annotated}</mjx-assistive-mml></mjx-container>"
                ),
                true,
            ),
            ("<mjx-container><mjx-math data-latex='E = mc^2'>E</mjx-math></mjx-container>".to_owned(), false),
            (
                "<span class=mwe-math-element><span class=mwe-math-mathml-inline style='display:none'></span>\
                 <img alt='{\\displaystyle E = mc^2}' class=mwe-math-fallback-image-inline></span>"
                    .to_owned(),
                false,
            ),
            ("<img class=latex alt='$E = mc^2$'>".to_owned(), false),
        ] {
            let formulas = found(&format!("<p>a {html} b</p>"));
            assert_eq!(formulas, [("E = mc^2".to_owned(), is_display)], "{html}");
        }
        assert_eq!(found("<math display=block><msup><mi>x</mi><mn>2</mn></msup></math>"), [("x^{2}".to_owned(), true)]);
    }

    #[test]
    fn what_is_no_formula_is_not_one() {
        for html in ["<img class=photo alt=x>", "<script>x</script>", "<math></math>", "<span class=katex>x</span>"] {
            assert_eq!(found(html), [], "{html}");
        }
        assert_eq!(one_line("{\\displaystyle {a}{b}}").as_deref(), Some("{a}{b}"));
        assert_eq!(one_line("{\\displaystyle a}+{b}").as_deref(), Some("{\\displaystyle a}+{b}"));
    }

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

    #[test]
    fn the_tables_are_sorted() {
        assert!(COMMANDS.is_sorted_by(|one, next| one.0 < next.0));
        assert!(FUNCTIONS.is_sorted());
        assert_eq!((command('\u{b1}'), is_function("sin")), (Some("pm"), true));
    }
}
