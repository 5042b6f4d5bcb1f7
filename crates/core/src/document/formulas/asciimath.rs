//! AsciiMath as LaTeX: on pages that set it, with MathJax or ASCIIMathML, it is written between
//! backticks, or between escaped dollars as Asciidoctor writes it.

use crate::document::formulas::mathml::{
    base, environment, escaped, identifier, over, push, symbol, under,
};
use asciimath_parser::tree::{
    Expression, Frac, Func, Group, Intermediate, Matrix, Script, ScriptFunc, Signed, Simple,
    SimpleScript,
};
use asciimath_parser::{ASCIIMATH_TOKENS, parse};
use std::ops::Range;

/// Longest formula, in bytes; this also bounds the depth of parsing.
const MAX_BYTES: usize = 500;

/// Delimiters of a formula, the same at both ends.
const DELIMITERS: [&str; 2] = ["`", "\\$"];

/// The formulas in a text and their LaTeX, in order and disjoint.
pub(in crate::document) fn find(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    for mark in DELIMITERS {
        let mut at = 0;
        while let Some(start) = text[at..].find(mark).map(|start| at + start + mark.len()) {
            let Some(end) = text[start..].find(mark).map(|end| start + end) else {
                break;
            };
            let tex = latex(&text[start..end]);
            at = if tex.is_some() { end + mark.len() } else { end };
            found.extend(tex.map(|tex| (start - mark.len()..at, tex)));
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found.dedup_by(|next, before| next.0.start < before.0.end);
    found
}

/// The LaTeX of a formula; `None` if it is too long or shows nothing.
pub(in crate::document) fn latex(source: &str) -> Option<String> {
    if source.len() > MAX_BYTES {
        return None;
    }
    let mut out = String::new();
    write_expression(&parse(source.trim()), &mut out);
    let out = out.trim();
    (!out.is_empty()).then(|| out.to_owned())
}

fn written(write: impl FnOnce(&mut String)) -> String {
    let mut out = String::new();
    write(&mut out);
    out.trim().to_owned()
}

fn write_expression(expression: &Expression<'_>, out: &mut String) {
    for part in &**expression {
        match part {
            Intermediate::ScriptFunc(part) => write_part(part, out),
            Intermediate::Frac(Frac { numer, denom }) => {
                push(
                    out,
                    &format!(
                        "\\frac{{{}}}{{{}}}",
                        without_brackets(numer),
                        without_brackets(denom)
                    ),
                );
            }
            Intermediate::Space(_) => {}
        }
    }
}

fn write_part(part: &ScriptFunc<'_>, out: &mut String) {
    match part {
        ScriptFunc::Simple(SimpleScript { simple, script }) => {
            let is_scripted = *script != Script::None;
            let inner = written(|out| write_simple(simple, out));
            let is_group = matches!(simple, Simple::Group(_) | Simple::Matrix(_));
            push(
                out,
                &if is_scripted && !is_group {
                    base(inner)
                } else {
                    inner
                },
            );
            write_script(script, out);
        }
        ScriptFunc::Func(Func { func, script, arg }) => {
            push(
                out,
                &identifier(func, Some("italic").filter(|_| func.len() == 1)),
            );
            write_script(script, out);
            write_part(arg, out);
        }
        ScriptFunc::Signed(Signed { sign, operand }) => {
            push(out, &sign_of(sign));
            write_part(operand, out);
        }
    }
}

fn write_script(script: &Script<'_>, out: &mut String) {
    if let Some(below) = script.sub() {
        out.extend(["_{", &simple_without_brackets(below), "}"]);
    }
    if let Some(above) = script.sup() {
        out.extend(["^{", &simple_without_brackets(above), "}"]);
    }
}

fn write_simple(simple: &Simple<'_>, out: &mut String) {
    match simple {
        Simple::Missing => {}
        Simple::Number(text) | Simple::Operator(text) => push(out, &escaped(text)),
        Simple::Text(text) => push(out, &format!("\\text{{{}}}", escaped(text))),
        Simple::Ident(name) => push(out, &identifier(name, Some("italic"))),
        Simple::Symbol(sign) => push(out, &sign_of(sign.text)),
        Simple::Sign(sign) => push(out, &sign_of(sign)),
        Simple::Signed(signed) => {
            push(out, &sign_of(signed.sign));
            write_simple(&signed.operand, out);
        }
        Simple::Func(function) => {
            push(
                out,
                &identifier(
                    function.func,
                    Some("italic").filter(|_| function.func.len() == 1),
                ),
            );
            write_simple(&function.arg, out);
        }
        Simple::Unary(unary) => push(
            out,
            &applied(unary.op, &simple_without_brackets(unary.arg()), unary.arg()),
        ),
        Simple::Binary(binary) => {
            let (one, two) = (
                simple_without_brackets(binary.first()),
                simple_without_brackets(binary.second()),
            );
            push(
                out,
                &match binary.op {
                    "frac" => format!("\\frac{{{one}}}{{{two}}}"),
                    "root" => format!("\\sqrt[{one}]{{{two}}}"),
                    "underset" => under(&two, &one),
                    "color" | "id" | "class" => two,
                    _ => over(&two, &one),
                },
            );
        }
        Simple::Group(Group {
            left_bracket,
            expr,
            right_bracket,
        }) => {
            push(out, &bracket(left_bracket));
            write_expression(expr, out);
            push(out, &bracket(right_bracket));
        }
        Simple::Matrix(matrix) => push(out, &matrix_of(matrix)),
    }
}

/// A command with one argument.
fn applied(command: &str, inner: &str, arg: &Simple<'_>) -> String {
    let named = match command {
        "sqrt" => "sqrt",
        "abs" | "Abs" => return format!("|{inner}|"),
        "norm" => return format!("\\|{inner}\\|"),
        "floor" => return format!("\\lfloor {inner}\\rfloor"),
        "ceil" => return format!("\\lceil {inner}\\rceil"),
        "bar" | "overline" | "overarc" | "overparen" => "overline",
        "ul" | "underline" => "underline",
        "ubrace" | "underbrace" => "underbrace",
        "obrace" | "overbrace" => "overbrace",
        "bb" | "mathbf" | "bbit" => "mathbf",
        "bbb" | "mathbb" => "mathbb",
        "cc" | "mathcal" | "bbcc" => "mathcal",
        "fr" | "mathfrak" | "bbfr" => "mathfrak",
        "sf" | "mathsf" | "bbsf" => "mathsf",
        "tt" | "mathtt" => "mathtt",
        "text" | "mbox" => {
            let Simple::Text(text) = arg else {
                return format!("\\text{{{inner}}}");
            };
            return format!("\\text{{{}}}", escaped(text));
        }
        "hat" | "vec" | "dot" | "ddot" | "cancel" | "tilde" => command,
        _ => return inner.to_owned(),
    };
    format!("\\{named}{{{inner}}}")
}

/// A matrix in the environment of its brackets; an open one with a brace before it distinguishes
/// cases.
fn matrix_of(matrix: &Matrix<'_>) -> String {
    let name = match (matrix.left_bracket, matrix.right_bracket) {
        ("(", ")") => "pmatrix",
        ("[", "]") => "bmatrix",
        ("|" | "|:", "|" | ":|") => "vmatrix",
        ("{", ":}") => "cases",
        _ => "matrix",
    };
    let cell = |cell: &Expression<'_>| written(|out| write_expression(cell, out));
    let rows: Vec<String> = matrix
        .rows()
        .map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" & "))
        .collect();
    environment(&rows, name)
}

/// A part without brackets around all of it, as AsciiMath shows it in fractions, scripts and
/// arguments.
fn without_brackets(part: &ScriptFunc<'_>) -> String {
    match part {
        ScriptFunc::Simple(SimpleScript {
            simple,
            script: Script::None,
        }) => simple_without_brackets(simple),
        _ => written(|out| write_part(part, out)),
    }
}

fn simple_without_brackets(simple: &Simple<'_>) -> String {
    match simple {
        Simple::Group(group) if !matches!(group.left_bracket, "|" | "||") => {
            written(|out| write_expression(&group.expr, out))
        }
        _ => written(|out| write_simple(simple, out)),
    }
}

/// A sign by its character, or a name such as `lim` or `dx`.
fn sign_of(spelling: &str) -> String {
    let shown = ASCIIMATH_TOKENS
        .iter()
        .find(|token| token.spelling == spelling)
        .and_then(|token| token.unicode);
    match shown {
        Some(shown) if shown.trim().is_empty() => "\\quad ".to_owned(),
        Some(shown) => shown.chars().map(symbol).collect(),
        None if matches!(spelling, "dx" | "dy" | "dz" | "dt") => spelling.to_owned(),
        None if matches!(spelling, "and" | "or" | "if") => format!("\\text{{ {spelling} }}"),
        None if spelling == "mod" => "\\bmod ".to_owned(),
        None if spelling.starts_with(char::is_alphabetic) => identifier(spelling, None),
        None => spelling.chars().map(symbol).collect(),
    }
}

fn bracket(spelling: &str) -> String {
    match spelling {
        "||" => "\\|".to_owned(),
        "" | "{:" | ":}" => String::new(),
        _ => sign_of(spelling),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_latex() {
        for (source, expected) in [
            ("x^2+y_1=z_i^2", "x^{2}+y_{1}=z_{i}^{2}"),
            ("(a+b)/(2c)", "\\frac{a+b}{2c}"),
            ("sqrt(x^2+1)", "\\sqrt{x^{2}+1}"),
            ("root(3)(x)", "\\sqrt[3]{x}"),
            (
                "sum_(i=1)^n i^3=((n(n+1))/2)^2",
                "\\sum_{i=1}^{n}i^{3}=(\\frac{n(n+1)}{2})^{2}",
            ),
            ("int_0^oo e^(-x^2) dx", "\\int_{0}^{\\infty}e^{-x^{2}}dx"),
            ("lim_(n->oo) a_n", "\\lim_{n\\to\\infty}a_{n}"),
            (
                "[[a,b],[c,d]]",
                "\\begin{bmatrix} a & b \\\\ c & d \\end{bmatrix}",
            ),
            (
                "f(x)={(1,if x>=0),(0,if x<0):}",
                "f(x)=\\begin{cases} 1 & \\text{ if }x\\ge0 \\\\ 0 & \\text{ if }x<0 \\end{cases}",
            ),
            ("alpha in RR", "\\alpha\\in\\mathbb{R}"),
            ("sin x != -1", "\\sin x\\ne-1"),
            ("\"speed\" = 5% xx |v|", "\\text{speed}=5\\%\\times|v|"),
            ("hat x bb v bar(x)", "\\hat{x}\\mathbf{v}\\overline{x}"),
        ] {
            assert_eq!(latex(source).as_deref(), Some(expected), "{source}");
        }
        assert_eq!(latex(" "), None);
        assert_eq!(latex(&"(".repeat(MAX_BYTES + 1)), None);
        for deep in ["(", "sqrt ", "x^", "[[", "-"] {
            assert!(
                latex(&deep.repeat(MAX_BYTES / deep.len()))
                    .is_none_or(|tex| tex.len() < 100 * MAX_BYTES)
            );
        }
    }

    #[test]
    fn formulas_stand_between_backticks_or_escaped_dollars() {
        let text = "Of `x^2` and \\$y/2\\$, but ` not.";
        let found: Vec<(&str, String)> = find(text)
            .into_iter()
            .map(|(range, tex)| (&text[range], tex))
            .collect();
        assert_eq!(
            found,
            [
                ("`x^2`", "x^{2}".to_owned()),
                ("\\$y/2\\$", "\\frac{y}{2}".to_owned())
            ]
        );
    }
}
