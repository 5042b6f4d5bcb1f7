//! Converts MathML formulas to LaTeX.

use crate::capture::{Dom, NodeId};
use std::cell::Cell;

/// Depth up to which elements are converted; deeper ones are left out.
const MAX_DEPTH: usize = 64;

/// Progress of reading a drawn formula. Parts are searched among descendants, so a damaged drawing
/// could have the same spans read again and again: the number of nodes read, each with all its
/// descendants, is limited by the size of the formula.
#[derive(Debug, Clone, Copy)]
pub(in crate::document) struct Reading<'a> {
    depth: usize,
    left: &'a Cell<usize>,
}

impl Reading<'_> {
    /// Depth up to which elements are read; deeper ones are left out. A level of a formula takes up
    /// to six elements.
    const MAX_DEPTH: usize = 200;
    /// Number of times that each node may be read on average, alone or as a part of an element
    /// around it. Heuristic.
    const TIMES: usize = 100;

    /// Calls `read` with the limits for a formula of this size.
    pub(in crate::document) fn start(
        dom: &Dom,
        id: NodeId,
        read: impl FnOnce(Reading<'_>) -> String,
    ) -> String {
        let left = Cell::new(Self::TIMES * (dom.end(id) - id.index()));
        read(Reading {
            depth: 0,
            left: &left,
        })
    }

    pub(in crate::document) fn deeper(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }

    /// Counts an element as read; returns false if that exceeds a limit.
    pub(in crate::document) fn takes(self, dom: &Dom, id: NodeId) -> bool {
        let left = self.left.get().checked_sub(dom.end(id) - id.index());
        self.left.set(left.unwrap_or(0));
        left.is_some() && self.depth <= Self::MAX_DEPTH
    }
}

/// The LaTeX of a `math` element or a part of one; empty if it holds nothing that is shown.
pub(in crate::document) fn latex(dom: &Dom, id: NodeId) -> String {
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
    let parts: Vec<NodeId> = dom
        .children(id)
        .filter(|&child| dom.is_element(child))
        .collect();
    let part = |index: usize| {
        let mut part = String::new();
        if let Some(&id) = parts.get(index) {
            write(dom, id, &mut part, depth + 1);
        }
        part.trim().to_owned()
    };
    match tag {
        "mi" => push(
            out,
            &identifier(&text(dom, id), dom.attribute(id, "mathvariant")),
        ),
        "mn" => push(out, &escaped(&text(dom, id))),
        "mo" => match text(dom, id) {
            name if is_function(&name) => push(out, &format!("\\{name}")),
            signs => signs.chars().for_each(|c| push(out, &symbol(c))),
        },
        "mtext" | "ms" => push(out, &format!("\\text{{{}}}", escaped(&text(dom, id)))),
        "mspace" if dom.attribute(id, "linebreak") == Some("newline") => push(out, " \\\\ "),
        "mspace" => push(out, " "),
        "mfrac" if has_no_line(dom, id) => {
            push(out, &format!("{{{} \\atop {}}}", part(0), part(1)));
        }
        "mfrac" => push(out, &format!("\\frac{{{}}}{{{}}}", part(0), part(1))),
        "msqrt" => {
            let inner: Vec<String> = (0..parts.len()).map(part).collect();
            push(out, &format!("\\sqrt{{{}}}", inner.concat()));
        }
        "mroot" => push(out, &format!("\\sqrt[{}]{{{}}}", part(1), part(0))),
        "msub" => push(out, &format!("{}_{{{}}}", base(part(0)), part(1))),
        "msup" => push(out, &format!("{}^{{{}}}", base(part(0)), part(1))),
        "msubsup" | "munderover" => push(
            out,
            &format!("{}_{{{}}}^{{{}}}", base(part(0)), part(1), part(2)),
        ),
        "munder" => push(out, &under(&part(0), &part(1))),
        "mover" => push(out, &over(&part(0), &part(1))),
        "mfenced" => fenced(
            dom,
            id,
            &(0..parts.len()).map(part).collect::<Vec<_>>(),
            out,
        ),
        "mmultiscripts" => scripts(dom, &parts, part, out),
        "menclose" => {
            let inner: Vec<String> = (0..parts.len()).map(part).collect();
            push(
                out,
                &enclosed(
                    dom.attribute(id, "notation").unwrap_or("longdiv"),
                    &inner.concat(),
                ),
            );
        }
        "mtable" => push(out, &table(dom, &parts, part, "matrix")),
        "mtr" => push(
            out,
            &(0..parts.len()).map(part).collect::<Vec<_>>().join(" & "),
        ),
        // The first cell is the number of the equation.
        "mlabeledtr" => {
            let number = part(0);
            let cells: Vec<String> = (1..parts.len()).map(part).collect();
            push(
                out,
                &format!("{} \\tag{{{}}}", cells.join(" & "), plain_number(&number)),
            );
        }
        "annotation" | "annotation-xml" | "mphantom" | "none" | "mprescripts" => {}
        // Only the first child is shown.
        "semantics" | "maction" => push(out, &part(0)),
        _ if parts.is_empty() => push(out, &escaped(&text(dom, id))),
        _ => write_row(dom, &parts, out, depth + 1),
    }
}

/// Writes the parts of a row. Brackets around a fraction without a line are those of a binomial,
/// and brackets around a table those of a matrix.
fn write_row(dom: &Dom, parts: &[NodeId], out: &mut String, depth: usize) {
    let mut at = 0;
    while let Some(&part) = parts.get(at) {
        let fence = |index: usize| {
            parts
                .get(index)
                .filter(|&&id| dom.tag(id) == "mo")
                .map_or(String::new(), |&id| text(dom, id))
        };
        let inner = parts.get(at + 1).copied().filter(|&id| is_fenced(dom, id));
        let named = match (fence(at).as_str(), inner, fence(at + 2).as_str()) {
            ("(", Some(inner), ")") if has_no_line(dom, inner) => Some("binom"),
            ("(", Some(_), ")") => Some("pmatrix"),
            ("[", Some(_), "]") => Some("bmatrix"),
            ("|", Some(_), "|") => Some("vmatrix"),
            ("{", Some(inner), "") if dom.tag(inner) == "mtable" && parts.len() == at + 2 => {
                Some("cases")
            }
            _ => None,
        };
        let (Some(name), Some(inner)) = (named, inner) else {
            write(dom, part, out, depth);
            at += 1;
            continue;
        };
        let children: Vec<NodeId> = dom
            .children(inner)
            .filter(|&child| dom.is_element(child))
            .collect();
        let written = |index: usize| {
            let mut written = String::new();
            if let Some(&id) = children.get(index) {
                write(dom, id, &mut written, depth + 1);
            }
            written.trim().to_owned()
        };
        match name {
            "binom" => push(out, &format!("\\binom{{{}}}{{{}}}", written(0), written(1))),
            _ => push(out, &table(dom, &children, written, name)),
        }
        at += if name == "cases" { 2 } else { 3 };
    }
}

/// Returns true if an element is a fraction without a line or a table.
fn is_fenced(dom: &Dom, id: NodeId) -> bool {
    dom.tag(id) == "mtable" || has_no_line(dom, id)
}

/// Returns true if an element is a fraction whose line has no thickness.
fn has_no_line(dom: &Dom, id: NodeId) -> bool {
    let is_zero = |value: &str| {
        value
            .trim()
            .trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%')
            .parse()
            == Ok(0.0f32)
    };
    dom.tag(id).ends_with("mfrac") && dom.attribute(id, "linethickness").is_some_and(is_zero)
}

/// The rows of a table in an environment. Numbered equations are lines of one environment; a single
/// equation needs none.
fn table(dom: &Dom, rows: &[NodeId], row: impl Fn(usize) -> String, environment: &str) -> String {
    let is_numbered = rows.iter().any(|&id| dom.tag(id).ends_with("mlabeledtr"));
    let written: Vec<String> = (0..rows.len()).map(row).collect();
    match &written[..] {
        [only] if is_numbered && !only.contains('&') => only.clone(),
        _ => self::environment(&written, if is_numbered { "align" } else { environment }),
    }
}

/// Rows in an environment of LaTeX.
pub(in crate::document) fn environment(rows: &[String], name: &str) -> String {
    format!("\\begin{{{name}}} {} \\end{{{name}}}", rows.join(" \\\\ "))
}

/// The number of an equation without its brackets.
pub(in crate::document) fn plain_number(number: &str) -> &str {
    let inner = number
        .strip_prefix("\\text{")
        .and_then(|inner| inner.strip_suffix('}'))
        .unwrap_or(number);
    inner
        .trim()
        .strip_prefix('(')
        .and_then(|inner| inner.strip_suffix(')'))
        .unwrap_or(inner)
        .trim()
}

/// Writes an expression with indices and exponents on both sides; those before it come last.
fn scripts(dom: &Dom, parts: &[NodeId], part: impl Fn(usize) -> String, out: &mut String) {
    let split = parts
        .iter()
        .position(|&id| dom.tag(id).ends_with("mprescripts"))
        .unwrap_or(parts.len());
    let pairs = |from: usize, to: usize| {
        let scripts: Vec<String> = (from..to).map(&part).collect();
        let mut written = String::new();
        for pair in scripts.chunks(2) {
            for (mark, script) in ["_", "^"]
                .iter()
                .zip(pair)
                .filter(|(_, script)| !script.is_empty())
            {
                written.extend([mark, "{", script, "}"]);
            }
        }
        written
    };
    let before = pairs((split + 1).min(parts.len()), parts.len());
    if !before.is_empty() {
        push(out, &format!("{{}}{before}"));
    }
    push(out, &base(part(0)));
    out.push_str(&pairs(1.min(split), split));
}

/// An expression enclosed by lines of these kinds (`notation` of `menclose`).
pub(in crate::document) fn enclosed(notation: &str, inner: &str) -> String {
    let has = |name: &str| notation.split_ascii_whitespace().any(|kind| kind == name);
    let command = match (has("updiagonalstrike"), has("downdiagonalstrike")) {
        (true, true) => "xcancel",
        (true, false) => "cancel",
        (false, true) => "bcancel",
        _ if has("box") || has("roundedbox") || has("circle") => "boxed",
        _ if has("radical") => "sqrt",
        _ if has("top") || has("actuarial") => "overline",
        _ if has("bottom") => "underline",
        _ if has("horizontalstrike") => "sout",
        _ if has("longdiv") => return format!("\\overline{{){inner}}}"),
        _ => return inner.to_owned(),
    };
    format!("\\{command}{{{inner}}}")
}

/// Adds a piece; a space separates a command from letters.
pub(in crate::document) fn push(out: &mut String, piece: &str) {
    let command = out.rfind('\\').map(|at| &out[at + 1..]);
    let ends_in_command = command.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    if ends_in_command && piece.starts_with(|c: char| c.is_ascii_alphabetic()) {
        out.push(' ');
    }
    out.push_str(piece);
}

/// The text of a token, on one line.
fn text(dom: &Dom, id: NodeId) -> String {
    let is_shown = |&below: &NodeId| {
        let parent = dom.parent(below);
        parent.is_none_or(|parent| !dom.element(parent).is_hidden())
    };
    let texts: String = dom
        .descendants(id)
        .filter(is_shown)
        .filter_map(|below| dom.text(below))
        .collect();
    crate::text::collapse(&texts)
}

/// A name of one or several letters in a font: a function, a variable, or upright letters.
pub(in crate::document) fn identifier(name: &str, variant: Option<&str>) -> String {
    let mut chars = name.chars();
    let (first, is_single) = (chars.next(), chars.next().is_none());
    let plain = match first {
        None => return String::new(),
        Some(c) if is_single && variant.is_none() && styled_letter(c).is_some() => {
            return symbol(c);
        }
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
        Some("normal") if is_single && first.is_some_and(|c| c.is_ascii_alphabetic()) => {
            format!("\\mathrm{{{plain}}}")
        }
        _ => plain,
    }
}

/// A character as LaTeX: its command, or itself.
pub(in crate::document) fn symbol(c: char) -> String {
    match c {
        // Function application, invisible times, separator and plus.
        '\u{2061}'..='\u{2064}' => String::new(),
        '\u{a0}' | '\u{2009}' | '\u{200a}' => " ".to_owned(),
        '\u{2212}' => "-".to_owned(),
        _ => match styled_letter(c) {
            Some((letter, variant)) => identifier(letter.encode_utf8(&mut [0; 4]), Some(variant)),
            None => command(c).map_or_else(
                || escaped(c.encode_utf8(&mut [0; 4])),
                |name| format!("\\{name}"),
            ),
        },
    }
}

/// The letter or digit of a mathematical alphanumeric symbol (Unicode block 1D400 to 1D7FF), with
/// its font as MathML names it.
fn styled_letter(c: char) -> Option<(char, &'static str)> {
    /// Fonts of the Latin alphabets, of 52 letters each; sans-serif and monospace count as no font.
    const LATIN: [&str; 13] = [
        "bold",
        "italic",
        "bold-italic",
        "script",
        "script",
        "fraktur",
        "double-struck",
        "fraktur",
        "",
        "bold",
        "",
        "bold",
        "",
    ];
    /// Fonts of the Greek alphabets, of 58 letters each.
    const GREEK: [&str; 5] = ["bold", "italic", "bold-italic", "bold", "bold-italic"];
    let code = u32::from(c);
    let (at, first, letters, fonts) = match code {
        0x210e => return Some(('h', "italic")),
        0x1d400..=0x1d6a3 => (code - 0x1d400, u32::from('A'), 52, &LATIN[..]),
        0x1d6a8..=0x1d7c9 => (code - 0x1d6a8, 0x391, 58, &GREEK[..]),
        0x1d7ce..=0x1d7ff => (
            code - 0x1d7ce,
            u32::from('0'),
            10,
            &["bold", "double-struck", "", "bold", ""][..],
        ),
        _ => return None,
    };
    let font = fonts[(at / letters) as usize];
    let letter = match (letters, at % letters) {
        (52, index) => first + index + if index >= 26 { 6 } else { 0 },
        (58, 17) => 0x398,
        (58, 25) => 0x2207,
        (58, index @ 0..25) => first + index,
        (58, index @ 26..51) => 0x3b1 + index - 26,
        (58, index) => [0x2202, 0x3f5, 0x3d1, 0x3f0, 0x3d5, 0x3f1, 0x3d6][(index - 51) as usize],
        (_, index) => first + index,
    };
    Some((char::from_u32(letter)?, font))
}

pub(in crate::document) fn escaped(text: &str) -> String {
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

/// The base of an index or exponent, grouped if it is more than a character or a command.
pub(in crate::document) fn base(part: String) -> String {
    let name = part.strip_prefix('\\').unwrap_or(&part);
    let is_one = part.chars().count() == 1
        || name.len() < part.len() && name.bytes().all(|byte| byte.is_ascii_alphabetic())
        || part.starts_with("\\mathrm{") && part.find('}') == Some(part.len() - 1);
    if is_one { part } else { format!("{{{part}}}") }
}

pub(in crate::document) fn under(base_part: &str, below: &str) -> String {
    match below {
        "_" | "\\_" | "\u{af}" | "\u{332}" => format!("\\underline{{{base_part}}}"),
        "\u{23df}" => format!("\\underbrace{{{base_part}}}"),
        _ if is_operator(base_part) => format!("{}_{{{below}}}", base(base_part.to_owned())),
        _ => format!("\\underset{{{below}}}{{{base_part}}}"),
    }
}

pub(in crate::document) fn over(base_part: &str, above: &str) -> String {
    let accent = match above {
        "\u{af}" | "\u{2c9}" | "\u{203e}" | "\u{305}" | "\u{2013}" | "\\_" | "-" => "overline",
        "\\hat{}" | "\u{2c6}" | "\u{302}" => "hat",
        "\\sim" | "\u{2dc}" | "\u{303}" => "tilde",
        "\\to" | "\u{20d7}" => "vec",
        "\u{2d9}" | "\u{307}" | "." => "dot",
        "\u{a8}" | "\u{308}" => "ddot",
        "\u{23de}" => "overbrace",
        _ if is_operator(base_part) => {
            return format!("{}^{{{above}}}", base(base_part.to_owned()));
        }
        _ => return format!("\\overset{{{above}}}{{{base_part}}}"),
    };
    format!("\\{accent}{{{base_part}}}")
}

/// Returns true for an operator whose limits are written below and above it.
fn is_operator(part: &str) -> bool {
    const OPERATORS: &[&str] = &[
        "sum", "prod", "coprod", "int", "oint", "bigcup", "bigcap", "lim", "max", "min", "sup",
        "inf", "limsup", "liminf",
    ];
    part.strip_prefix('\\')
        .is_some_and(|name| OPERATORS.contains(&name))
}

fn fenced(dom: &Dom, id: NodeId, parts: &[String], out: &mut String) {
    let fence = |name, usual: &str| {
        dom.attribute(id, name)
            .map_or(usual.to_owned(), |fence| fence.trim().to_owned())
    };
    let separators: Vec<char> = fence("separators", ",")
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
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
            push(
                out,
                &separator.map_or_else(String::new, |&separator| symbol(separator)),
            );
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
    "arccos", "arcsin", "arctan", "arg", "cos", "cosh", "cot", "csc", "deg", "det", "dim", "exp",
    "gcd", "inf", "ker", "lim", "liminf", "limsup", "ln", "log", "max", "min", "sec", "sin",
    "sinh", "sup", "tan", "tanh",
];

/// The command for a character, without its backslash.
pub(in crate::document) fn command(c: char) -> Option<&'static str> {
    COMMANDS
        .binary_search_by_key(&c, |&(known, _)| known)
        .ok()
        .map(|index| COMMANDS[index].1)
}

fn is_function(name: &str) -> bool {
    FUNCTIONS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;
    use proptest::prelude::*;

    fn converted(math: &str) -> String {
        let dom = parse_html(&format!("<math>{math}</math>"));
        dom.ids()
            .find(|&id| dom.tag(id) == "math")
            .map(|id| latex(&dom, id))
            .unwrap_or_default()
    }

    #[test]
    fn presentation_elements_become_commands() {
        let quadratic = "<mi>x</mi><mo>=</mo><mfrac><mrow><mo>&#x2212;</mo><mi>b</mi><mo>&#xb1;</mo><msqrt><msup><mi>b</mi>\
                         <mn>2</mn></msup><mo>-</mo><mn>4</mn><mi>a</mi><mi>c</mi></msqrt></mrow><mrow><mn>2</mn><mi>a</mi>\
                         </mrow></mfrac>";
        for (math, expected) in [
            (quadratic, "x=\\frac{-b\\pm\\sqrt{b^{2}-4ac}}{2a}"),
            ("<mroot><mi>x</mi><mn>3</mn></mroot>", "\\sqrt[3]{x}"),
            (
                "<msubsup><mi>&#x3b1;</mi><mi>i</mi><mn>2</mn></msubsup><mi>y</mi>",
                "\\alpha_{i}^{2}y",
            ),
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
            (
                "<mfenced open='['><mi>a</mi><mi>b</mi></mfenced>",
                "\\left[a,b\\right)",
            ),
            (
                "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable>",
                "\\begin{matrix} 1 & 0 \\\\ 0 & 1 \\end{matrix}",
            ),
            ("<mi></mi><mo>=</mo><mi>a</mi>", "=a"),
            (
                "<mo>(</mo><mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac><mo>)</mo><mfrac linethickness=0pt><mi>a</mi><mi>b</mi></mfrac>",
                "\\binom{n}{k}{a \\atop b}",
            ),
            (
                "<menclose notation='updiagonalstrike'><mi>x</mi></menclose><menclose notation=box><mn>5</mn></menclose>",
                "\\cancel{x}\\boxed{5}",
            ),
            (
                "<mtable><mlabeledtr><mtd><mtext>(3)</mtext></mtd><mtd><mi>a</mi><mo>=</mo><mi>b</mi></mtd></mlabeledtr></mtable>",
                "a=b \\tag{3}",
            ),
            (
                "<mi>f</mi><mo>=</mo><mrow><mo>{</mo><mtable><mtr><mtd><mn>1</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd></mtr></mtable></mrow>",
                "f=\\begin{cases} 1 \\\\ 0 \\end{cases}",
            ),
            (
                "<mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable><mo>)</mo>",
                "\\begin{pmatrix} a & b \\end{pmatrix}",
            ),
            (
                "<mmultiscripts><mi>C</mi><none/><mn>2</mn><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts>",
                "{}_{6}^{14}C^{2}",
            ),
            ("<mo>max</mo><mi>x</mi>", "\\max x"),
            (
                "<msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup>",
                "{ab}^{2}",
            ),
            (
                "<mi mathvariant='double-struck'>R</mi><mtext>if 5%<style>a{color:red}</style></mtext><mi>rank</mi>",
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
