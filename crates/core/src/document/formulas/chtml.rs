//! Converts the HTML output of MathJax 3 and 4 (CommonHTML) to LaTeX, for pages that were saved
//! without the source and without MathML.
//!
//! The elements are those of MathML with the prefix `mjx-`, with more elements between them for
//! positioning. A character is a class such as `mjx-c1D465`, whose shape comes from a style sheet.

use crate::capture::{Dom, NodeId};
use crate::document::formulas::mathml::{
    Reading, base, enclosed, environment, escaped, identifier, over, push, symbol, under,
};

/// The LaTeX of an element `mjx-math`; empty if it holds nothing that is shown.
pub(in crate::document) fn latex(dom: &Dom, id: NodeId) -> String {
    Reading::start(dom, id, |reading| written(dom, id, reading))
}

fn written(dom: &Dom, id: NodeId, reading: Reading<'_>) -> String {
    let mut out = String::new();
    write(dom, id, &mut out, reading);
    out.trim().to_owned()
}

fn name(dom: &Dom, id: NodeId) -> &str {
    dom.tag(id).strip_prefix("mjx-").unwrap_or("")
}

/// The child elements that are parts of a formula, without those that only take up space.
fn elements(dom: &Dom, id: NodeId) -> Vec<NodeId> {
    let is_part = |&child: &NodeId| {
        dom.is_element(child)
            && !matches!(
                name(dom, child),
                "spacer" | "nstrut" | "dstrut" | "tstrut" | "strut" | "line"
            )
    };
    dom.children(id).filter(is_part).collect()
}

/// The first element of this name below one.
fn find(dom: &Dom, id: NodeId, wanted: &str) -> Option<NodeId> {
    dom.descendants(id)
        .find(|&below| name(dom, below) == wanted)
}

fn write(dom: &Dom, id: NodeId, out: &mut String, reading: Reading<'_>) {
    if !reading.takes(dom, id) {
        return;
    }
    let part = |wanted: &str| {
        find(dom, id, wanted).map_or(String::new(), |found| written(dom, found, reading.deeper()))
    };
    match name(dom, id) {
        "mi" => push(out, &identifier(&characters(dom, id), font(dom, id))),
        "mo" => {
            let signs = characters(dom, id);
            match identifier(&signs, None) {
                function if function.starts_with('\\') && signs.len() > 2 && signs.is_ascii() => {
                    push(out, &function);
                }
                _ => signs.chars().for_each(|c| push(out, &symbol(c))),
            }
        }
        "mn" => push(out, &characters(dom, id)),
        "mtext" | "ms" => push(
            out,
            &format!(
                "\\text{{{}}}",
                escaped(&characters(dom, id).replace('\u{a0}', " "))
            ),
        ),
        "mspace" => push(out, " "),
        "mfrac" if find(dom, id, "line").is_none() => {
            push(out, &format!("{{{} \\atop {}}}", part("num"), part("den")));
        }
        "mfrac" => push(
            out,
            &format!("\\frac{{{}}}{{{}}}", part("num"), part("den")),
        ),
        "msqrt" => push(out, &format!("\\sqrt{{{}}}", part("box"))),
        "mroot" => push(out, &format!("\\sqrt[{}]{{{}}}", part("root"), part("box"))),
        "msub" | "msup" | "msubsup" => write_scripts(dom, id, out, reading),
        "munder" | "mover" | "munderover" => match find(dom, id, "base") {
            None => write_scripts(dom, id, out, reading),
            Some(_) => push(out, &limits(&part("base"), &part("under"), &part("over"))),
        },
        "menclose" => push(
            out,
            &enclosed(dom.attribute(id, "notation").unwrap_or(""), &part("box")),
        ),
        "mtable" => push(out, &matrix(dom, id, "matrix", reading)),
        "phantom" | "mphantom" | "surd" | "assistive-mml" | "labels" => {}
        _ => write_row(dom, &elements(dom, id), out, reading.deeper()),
    }
}

/// Writes the parts of a row; brackets around a fraction without a line or a table belong to it.
fn write_row(dom: &Dom, parts: &[NodeId], out: &mut String, reading: Reading<'_>) {
    let mut at = 0;
    while let Some(&part) = parts.get(at) {
        let fence = |index: usize| {
            let found = parts.get(index).and_then(|&id| match name(dom, id) {
                "mo" => Some(id),
                // `\left(` is in a separate atom in some versions.
                "texatom" | "mrow" => elements(dom, id)
                    .first()
                    .copied()
                    .filter(|&id| name(dom, id) == "mo"),
                _ => None,
            });
            found.map_or(String::new(), |id| characters(dom, id))
        };
        let inner = parts.get(at + 1).and_then(|&id| {
            let within = std::iter::successors(Some(id), |&id| match elements(dom, id)[..] {
                [only] if matches!(name(dom, id), "texatom" | "mrow" | "mstyle") => Some(only),
                _ => None,
            });
            within.last()
        });
        let is = |wanted: &str| inner.is_some_and(|id| name(dom, id) == wanted);
        let is_table = is("mtable");
        let is_bare = is("mfrac") && inner.is_some_and(|id| find(dom, id, "line").is_none());
        let named = match (fence(at).as_str(), fence(at + 2).as_str()) {
            ("(", ")") if is_bare => "binom",
            ("(", ")") if is_table => "pmatrix",
            ("[", "]") if is_table => "bmatrix",
            ("|", "|") if is_table => "vmatrix",
            ("{", "") if is_table => "cases",
            _ => "",
        };
        match (named, inner) {
            ("", _) | (_, None) => {
                write(dom, part, out, reading);
                at += 1;
            }
            ("binom", Some(id)) => {
                let half = |wanted| {
                    find(dom, id, wanted)
                        .map_or(String::new(), |id| written(dom, id, reading.deeper()))
                };
                push(
                    out,
                    &format!("\\binom{{{}}}{{{}}}", half("num"), half("den")),
                );
                at += 3;
            }
            (name, Some(id)) => {
                push(out, &matrix(dom, id, name, reading));
                at += 3;
            }
        }
    }
}

/// A base with an index, an exponent or both, the exponent first.
fn write_scripts(dom: &Dom, id: NodeId, out: &mut String, reading: Reading<'_>) {
    let parts = elements(dom, id);
    let scripts = parts
        .iter()
        .find(|&&part| name(dom, part) == "script")
        .map_or(Vec::new(), |&part| elements(dom, part));
    let written = |id: &NodeId| written(dom, *id, reading.deeper());
    push(out, &base(parts.first().map_or(String::new(), written)));
    let is_below = matches!(name(dom, id), "msub" | "munder");
    let (above, below) = match &scripts[..] {
        [only] if is_below => (None, Some(only)),
        [only] => (Some(only), None),
        [above, .., below] => (Some(above), Some(below)),
        [] => (None, None),
    };
    if let Some(below) = below {
        out.extend(["_{", &written(below), "}"]);
    }
    match above.map(written) {
        None => {}
        Some(primes) if primes == "\\prime" => out.push('\''),
        Some(primes) if primes == "\u{2033}" => out.push_str("''"),
        Some(above) => out.extend(["^{", &above, "}"]),
    }
}

/// An expression with its limits below and above.
fn limits(inner: &str, below: &str, above: &str) -> String {
    match (below, above) {
        (below, "") => under(inner, below),
        ("", above) => over(inner, above),
        _ => format!("{}_{{{below}}}^{{{above}}}", base(inner.to_owned())),
    }
}

/// A table in an environment of LaTeX.
fn matrix(dom: &Dom, id: NodeId, environment_name: &str, reading: Reading<'_>) -> String {
    let table = find(dom, id, "itable").unwrap_or(id);
    let rows: Vec<String> = elements(dom, table)
        .into_iter()
        .map(|row| {
            let cells = elements(dom, row)
                .into_iter()
                .filter(|&cell| name(dom, cell) == "mtd");
            cells
                .map(|cell| written(dom, cell, reading.deeper()))
                .collect::<Vec<_>>()
                .join(" & ")
        })
        .collect();
    let number = find(dom, id, "labels")
        .map(|labels| characters(dom, labels))
        .filter(|number| !number.is_empty());
    let written = match &rows[..] {
        [only] if number.is_some() && !only.contains('&') => only.clone(),
        _ => environment(&rows, environment_name),
    };
    match number {
        Some(number) => format!("{written} \\tag{{{}}}", number.trim_matches(['(', ')'])),
        None => written,
    }
}

/// The characters of a token: by their classes, or as text where a browser had to draw them.
fn characters(dom: &Dom, id: NodeId) -> String {
    let mut found = String::new();
    for below in dom.descendants(id) {
        let is_shape = matches!(name(dom, below), "c" | "stretchy-v" | "stretchy-h");
        let shape = is_shape
            .then(|| dom.attribute(below, "class").and_then(character))
            .flatten();
        match shape {
            // The pieces of a tall bracket are its descendants.
            Some(c) if !found_within(dom, below, id) => found.push(c),
            None => {
                let in_shape = dom.parent(below).is_some_and(|up| {
                    up != id && dom.attribute(up, "class").and_then(character).is_some()
                });
                found.push_str(dom.text(below).filter(|_| !in_shape).unwrap_or(""));
            }
            Some(_) => {}
        }
    }
    found
}

/// The font of a token's first character, as MathML names it.
fn font(dom: &Dom, id: NodeId) -> Option<&'static str> {
    let class = dom
        .descendants(id)
        .find_map(|below| dom.attribute(below, "class"))?;
    class.split_ascii_whitespace().find_map(|name| match name {
        "TEX-C" => Some("script"),
        "TEX-FR" => Some("fraktur"),
        _ => None,
    })
}

/// Returns true if a shape is a piece of another one.
fn found_within(dom: &Dom, shape: NodeId, token: NodeId) -> bool {
    let mut above = dom.ancestors(shape).take_while(|&up| up != token);
    above.any(|up| name(dom, up).starts_with("stretchy"))
}

/// The character of a class such as `mjx-c2211`.
fn character(class: &str) -> Option<char> {
    class.split_ascii_whitespace().find_map(|name| {
        let code = name.strip_prefix("mjx-c").filter(|code| !code.is_empty())?;
        char::from_u32(u32::from_str_radix(code, 16).ok()?)
    })
}
