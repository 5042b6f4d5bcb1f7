//! Converts the HTML output of KaTeX to LaTeX, for formulas whose page has neither the source nor
//! MathML (KaTeX with `output: "html"`).
//!
//! KaTeX (0.10 to 0.16, `buildHTML`) sets a formula as nested spans. Parts above or below another
//! one are rows of a list (`vlist`), the lowest row first, except in the columns of tables.

use crate::capture::{Dom, NodeId};
use crate::document::formulas::mathml::{
    Reading, base, environment, escaped, identifier, over, push, symbol, under,
};

/// Number of spans after an opening bracket in which the closing one is searched: one expression,
/// the others are space.
const NEAR: usize = 4;

/// Fonts by the class of the letters, as MathML names them.
const FONTS: &[(&str, &str)] = &[
    ("mathbf", "bold"),
    ("boldsymbol", "bold-italic"),
    ("mathbb", "double-struck"),
    ("mathcal", "script"),
    ("mathscr", "script"),
    ("mathfrak", "fraktur"),
    ("mathrm", "normal"),
];

/// Spans that only take up room.
const EMPTY: &[&str] = &["strut", "pstrut", "vlist-s", "nulldelimiter", "arraycolsep"];

/// The LaTeX of an element of class `katex-html`; empty if it holds nothing that is shown.
pub(in crate::document) fn latex(dom: &Dom, id: NodeId) -> String {
    Reading::start(dom, id, |reading| written(dom, id, reading))
}

fn written(dom: &Dom, id: NodeId, reading: Reading<'_>) -> String {
    let mut out = String::new();
    write(dom, id, &mut out, reading);
    out.trim().to_owned()
}

fn has_class(dom: &Dom, id: NodeId, name: &str) -> bool {
    dom.attribute(id, "class")
        .is_some_and(|class| class.split_ascii_whitespace().any(|found| found == name))
}

fn is_empty(dom: &Dom, id: NodeId) -> bool {
    dom.tag(id) == "svg" || EMPTY.iter().any(|name| has_class(dom, id, name))
}

fn elements(dom: &Dom, id: NodeId) -> Vec<NodeId> {
    dom.children(id)
        .filter(|&child| dom.is_element(child))
        .collect()
}

fn find(dom: &Dom, id: NodeId, class: &str) -> Option<NodeId> {
    dom.descendants(id)
        .find(|&below| has_class(dom, below, class))
}

fn write(dom: &Dom, id: NodeId, out: &mut String, reading: Reading<'_>) {
    if is_empty(dom, id) || !reading.takes(dom, id) {
        return;
    }
    let is = |name| has_class(dom, id, name);
    let row = |index: usize| {
        rows(dom, id)
            .get(index)
            .map_or(String::new(), |&row| written(dom, row, reading.deeper()))
    };
    if is("mspace") {
        push(
            out,
            if is("newline") {
                " \\\\ "
            } else {
                space(dom, id)
            },
        );
    } else if is("msupsub") {
        write_scripts(dom, id, out, reading);
    } else if is("mfrac") {
        let found = rows(dom, id);
        let (below, above) = (row(0), row(found.len().max(1) - 1));
        let has_line = found
            .iter()
            .any(|&row| find(dom, row, "frac-line").is_some());
        push(
            out,
            &if has_line {
                format!("\\frac{{{above}}}{{{below}}}")
            } else {
                format!("{{{above} \\atop {below}}}")
            },
        );
    } else if is("sqrt") {
        let degree = elements(dom, id)
            .into_iter()
            .find(|&child| has_class(dom, child, "root"));
        let degree = degree.map_or(String::new(), |root| {
            format!("[{}]", written(dom, root, reading.deeper()))
        });
        let inner = rows(dom, id)
            .first()
            .map_or(String::new(), |&row| written(dom, row, reading.deeper()));
        push(out, &format!("\\sqrt{degree}{{{inner}}}"));
    } else if is("accent") || is("stretchy") && is("mord") {
        push(out, &over(&row(0), &accent(dom, id)));
    } else if is("overline") {
        push(out, &format!("\\overline{{{}}}", row(0)));
    } else if is("underline") {
        push(
            out,
            &under(
                &rows(dom, id)
                    .last()
                    .map_or(String::new(), |&row| written(dom, row, reading.deeper())),
                "_",
            ),
        );
    } else if is("op-limits") {
        write_limits(dom, id, out, reading);
    } else if is("mtable") {
        push(out, &matrix(dom, id, ["", ""], reading));
    } else if is("tag") {
        push(
            out,
            &format!(
                " \\tag{{{}}}",
                shown(dom, id).trim().trim_matches(['(', ')'])
            ),
        );
    } else if is("text") {
        let text = shown(dom, id).replace('\u{a0}', " ");
        push(out, &format!("\\text{{{}}}", escaped(&text)));
    } else if is("delimsizing") {
        push(out, &delimiter(&shown(dom, id)));
    } else if is("minner") && ends_in_brackets(dom, id) {
        write_between_brackets(dom, id, out, reading);
    } else if dom.children(id).any(|child| !dom.is_element(child)) {
        write_letters(dom, id, out);
    } else {
        write_row(dom, &elements(dom, id), out, reading);
    }
}

/// Writes spans one after another. Letters of one function name or font are in spans of their own,
/// and brackets around a fraction without a line or a table belong to it.
fn write_row(dom: &Dom, parts: &[NodeId], out: &mut String, reading: Reading<'_>) {
    let mut at = 0;
    while at < parts.len() {
        let close = || {
            parts[at + 1..]
                .iter()
                .take(NEAR)
                .position(|&id| has_class(dom, id, "mclose"))
        };
        let end = has_class(dom, parts[at], "mopen")
            .then(close)
            .flatten()
            .map(|found| at + 1 + found);
        let inner: Vec<NodeId> = end.map_or(Vec::new(), |end| {
            parts[at + 1..end]
                .iter()
                .copied()
                .filter(|&id| !is_empty(dom, id) && !has_class(dom, id, "mspace"))
                .collect()
        });
        let (Some(end), [only]) = (end, &inner[..]) else {
            write(dom, parts[at], out, reading.deeper());
            at += 1;
            continue;
        };
        let fences = [parts[at], parts[end]].map(|id| delimiter(&shown(dom, id)));
        let table = [*only]
            .into_iter()
            .chain(elements(dom, *only))
            .find(|&id| has_class(dom, id, "mtable"));
        let fraction = [*only]
            .into_iter()
            .chain(elements(dom, *only))
            .find(|&id| has_class(dom, id, "mfrac"));
        let is_bare = fraction.is_some_and(|id| find(dom, id, "frac-line").is_none());
        match (fences.each_ref().map(String::as_str), table, fraction) {
            (["(", ")"], _, Some(id)) if is_bare => {
                let found = rows(dom, id);
                let row = |index: usize| {
                    found
                        .get(index)
                        .map_or(String::new(), |&row| written(dom, row, reading.deeper()))
                };
                push(
                    out,
                    &format!("\\binom{{{}}}{{{}}}", row(found.len().max(1) - 1), row(0)),
                );
            }
            (fences, Some(id), _) => push(out, &matrix(dom, id, fences, reading)),
            _ => parts[at..=end]
                .iter()
                .for_each(|&id| write(dom, id, out, reading.deeper())),
        }
        at = end + 1;
    }
}

/// Returns true if an element begins and ends with brackets that grow with their content.
fn ends_in_brackets(dom: &Dom, id: NodeId) -> bool {
    let parts = elements(dom, id);
    let is = |part: Option<&NodeId>, class| part.is_some_and(|&part| has_class(dom, part, class));
    parts.len() > 2 && is(parts.first(), "mopen") && is(parts.last(), "mclose")
}

/// Writes brackets that grow with their content; those of a matrix belong to its environment.
fn write_between_brackets(dom: &Dom, id: NodeId, out: &mut String, reading: Reading<'_>) {
    let parts = elements(dom, id);
    let mut inner = String::new();
    write_row(dom, &parts, &mut inner, reading);
    let sides = [parts[0], parts[parts.len() - 1]].map(|part| delimiter(&shown(dom, part)));
    match inner
        .strip_prefix(&sides[0])
        .and_then(|inner| inner.strip_suffix(&sides[1]))
    {
        Some(between) if sides.iter().any(|side| !side.is_empty()) => {
            let [left, right] = sides.map(|side| {
                if side.is_empty() {
                    ".".to_owned()
                } else {
                    side
                }
            });
            push(out, &format!("\\left{left}"));
            push(out, between);
            push(out, &format!("\\right{right}"));
        }
        _ => push(out, &inner),
    }
}

/// The rows of the first list in a span, without spans that only take up room.
fn rows(dom: &Dom, id: NodeId) -> Vec<NodeId> {
    let root = elements(dom, id)
        .into_iter()
        .find(|&child| has_class(dom, child, "vlist-t"));
    let list = root.and_then(|root| find(dom, root, "vlist"));
    list.map_or(Vec::new(), |list| {
        elements(dom, list)
            .into_iter()
            .filter(|&row| !is_empty(dom, row))
            .collect()
    })
}

/// An index, an exponent or both. A list without a second column has nothing below the line.
fn write_scripts(dom: &Dom, id: NodeId, out: &mut String, reading: Reading<'_>) {
    let found: Vec<String> = rows(dom, id)
        .into_iter()
        .map(|row| written(dom, row, reading.deeper()))
        .collect();
    let has_depth = elements(dom, id)
        .into_iter()
        .any(|list| has_class(dom, list, "vlist-t2"));
    let (below, above) = match &found[..] {
        [only] if has_depth => (Some(only), None),
        [only] => (None, Some(only)),
        [below, .., above] => (Some(below), Some(above)),
        [] => (None, None),
    };
    if out.is_empty() {
        out.push_str("{}");
    }
    if let Some(below) = below {
        out.extend(["_{", below.as_str(), "}"]);
    }
    match above.map(String::as_str) {
        None => {}
        Some(primes) if primes.split("\\prime").all(str::is_empty) => {
            out.extend(std::iter::repeat_n('\'', primes.matches("\\prime").count()));
        }
        Some(above) => out.extend(["^{", above, "}"]),
    }
}

/// An operator with its limits below and above.
fn write_limits(dom: &Dom, id: NodeId, out: &mut String, reading: Reading<'_>) {
    let found = rows(dom, id);
    let is_script = |&row: &NodeId| {
        elements(dom, row)
            .iter()
            .any(|&child| has_class(dom, child, "sizing"))
    };
    let at = found.iter().position(|row| !is_script(row)).unwrap_or(0);
    let part = |index: usize| {
        found
            .get(index)
            .map_or(String::new(), |&row| written(dom, row, reading.deeper()))
    };
    push(out, &base(part(at)));
    if at > 0 {
        out.extend(["_{", &part(0), "}"]);
    }
    if at + 1 < found.len() {
        out.extend(["^{", &part(at + 1), "}"]);
    }
}

/// The sign above a letter.
fn accent(dom: &Dom, id: NodeId) -> String {
    let picture = dom.descendants(id).find(|&below| dom.tag(below) == "svg");
    let is_vector = find(dom, id, "overrightarrow").is_some();
    match find(dom, id, "accent-body").map(|body| shown(dom, body)) {
        Some(sign) if !sign.is_empty() => match sign.as_str() {
            "^" => "\\hat{}".to_owned(),
            "~" => "\\sim".to_owned(),
            "\u{20d7}" => "\\to".to_owned(),
            sign => sign.to_owned(),
        },
        // Arrows and wide hats are pictures.
        _ if is_vector || picture.is_some() && find(dom, id, "accent-full").is_none() => {
            "\\to".to_owned()
        }
        _ => "\\hat{}".to_owned(),
    }
}

/// A table by its columns, in the environment of its fences.
fn matrix(dom: &Dom, id: NodeId, fences: [&str; 2], reading: Reading<'_>) -> String {
    let columns: Vec<NodeId> = elements(dom, id)
        .into_iter()
        .filter(|&column| {
            ["col-align-c", "col-align-l", "col-align-r"]
                .iter()
                .any(|name| has_class(dom, column, name))
        })
        .collect();
    let cells: Vec<Vec<String>> = columns
        .iter()
        .map(|&column| {
            rows(dom, column)
                .into_iter()
                .map(|cell| written(dom, cell, reading.deeper()))
                .collect()
        })
        .collect();
    let is_aligned = columns
        .first()
        .is_some_and(|&first| has_class(dom, first, "col-align-r"))
        && columns.len() > 1;
    let name = match fences {
        ["(", ")"] => "pmatrix",
        ["[", "]"] => "bmatrix",
        ["|", "|"] => "vmatrix",
        ["\\{", ""] => "cases",
        ["", ""] if is_aligned => "aligned",
        _ => "matrix",
    };
    let count = cells.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: usize| {
        let row: Vec<&str> = cells
            .iter()
            .map(|column| column.get(row).map_or("", String::as_str))
            .collect();
        row.join(" & ").trim().to_owned()
    };
    let rows: Vec<String> = (0..count).map(cell).collect();
    environment(&rows, name)
}

/// A bracket of any height as one sign; high ones are put together from pieces.
fn delimiter(shown: &str) -> String {
    let Some(first) = shown
        .chars()
        .find(|c| !c.is_whitespace() && *c != '\u{200b}')
    else {
        return String::new();
    };
    let whole = match first {
        '\u{239b}'..='\u{239d}' => '(',
        '\u{239e}'..='\u{23a0}' => ')',
        '\u{23a1}'..='\u{23a3}' => '[',
        '\u{23a4}'..='\u{23a6}' => ']',
        '\u{23a7}'..='\u{23aa}' => '{',
        '\u{23ab}'..='\u{23ad}' => '}',
        '\u{2223}' | '\u{2502}' => '|',
        other => other,
    };
    symbol(whole)
}

/// Wide spaces are written, those between signs follow from the signs.
fn space(dom: &Dom, id: NodeId) -> &'static str {
    match dom
        .attribute(id, "style")
        .map(|style| style.replace(' ', ""))
    {
        Some(style) if style.starts_with("margin-right:2em") => "\\qquad ",
        Some(style) if style.starts_with("margin-right:1em") => "\\quad ",
        _ if dom
            .descendants(id)
            .any(|below| dom.text(below).is_some_and(|text| !text.is_empty())) =>
        {
            " "
        }
        _ => "",
    }
}

/// The characters of a span, without those of spans that only take up room.
fn shown(dom: &Dom, id: NodeId) -> String {
    let is_shown = |&below: &NodeId| {
        !dom.ancestors(below)
            .take_while(|&up| up != id)
            .any(|up| is_empty(dom, up))
    };
    let texts: String = dom
        .descendants(id)
        .filter(is_shown)
        .filter_map(|below| dom.text(below))
        .collect();
    texts.replace('\u{200b}', "")
}

fn write_letters(dom: &Dom, id: NodeId, out: &mut String) {
    let letters = shown(dom, id);
    let font = FONTS
        .iter()
        .find(|(class, _)| has_class(dom, id, class))
        .map(|&(_, font)| font);
    let is_name = has_class(dom, id, "mop") || font.is_some();
    if is_name {
        return push(out, &identifier(&letters, font));
    }
    for c in letters.trim().chars() {
        match c {
            // The stroke through the sign after it.
            '\u{e020}' => push(out, "\\not"),
            '=' if out.ends_with("\\not") => out.replace_range(out.len() - 3.., "ne"),
            '\u{2223}' => push(out, "|"),
            '\u{2225}' => push(out, "\\|"),
            c => push(out, &symbol(c)),
        }
    }
}
