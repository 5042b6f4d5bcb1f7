//! Finds the formulas of a page and their LaTeX: MathML, KaTeX, MathJax 2 to 4, and pictures of
//! formulas whose alternative text is LaTeX, as in Wikipedia.
//!
//! A page holds a formula several times: as source, for screen readers, and as letters in many
//! elements. All of them are one range of the tree, which is replaced by the LaTeX where text is
//! written; targets and features stay as they are.

use super::{asciimath, chtml, katex};
use crate::capture::{Dom, NodeId};
use crate::document::addresses::percent_decoded;
use crate::document::content::{FormulaStyle, Span};
use crate::document::formulas::mathml::latex;
use crate::elements::Element;
use crate::text::is_blank;
use std::ops::Range;

const MATH: Element = Element::known("math");
const SCRIPT: Element = Element::known("script");
const IMG: Element = Element::known("img");
const SPAN: Element = Element::known("span");
const DIV: Element = Element::known("div");
const TR: Element = Element::known("tr");

/// Longest LaTeX that is kept, in bytes.
const MAX_BYTES: usize = 20_000;
/// Most nodes of a drawn formula that is read; a character takes up to ten.
const MAX_DRAWN_NODES: usize = 20_000;

/// A formula of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::document) struct Formula {
    /// Its nodes: one or several adjacent subtrees.
    pub(in crate::document) nodes: Range<usize>,
    /// Its LaTeX on one line, without delimiters; never empty.
    pub(in crate::document) tex: String,
    /// True if it is on a line of its own.
    pub(in crate::document) is_display: bool,
}

impl Formula {
    /// The first node of the formula, where it is replaced by LaTeX.
    pub(in crate::document) fn root(&self) -> NodeId {
        NodeId::new(self.nodes.start)
    }

    /// The formula as a span of text.
    pub(in crate::document) fn span(&self) -> Span {
        tex_span(&self.tex, self.is_display)
    }
}

/// LaTeX as a span of text.
pub(in crate::document) fn tex_span(tex: &str, is_display: bool) -> Span {
    let (style, mark) = if is_display {
        (FormulaStyle::Display, "$$")
    } else {
        (FormulaStyle::Inline, "$")
    };
    Span {
        text: format!("{mark}{tex}{mark}"),
        formula: Some(style),
        ..Span::default()
    }
}

/// The formulas of a page, in document order and disjoint.
pub(in crate::document) fn formulas(dom: &Dom) -> Vec<Formula> {
    let mut found: Vec<Formula> = Vec::new();
    for id in dom.ids() {
        if found
            .last()
            .is_some_and(|last| last.nodes.contains(&id.index()))
        {
            continue;
        }
        let formula = match dom.element(id) {
            SCRIPT => parse_script(dom, id),
            IMG => parse_picture(dom, id),
            MATH => parse_mathml(dom, id),
            Element::UNKNOWN if matches!(dom.tag(id), "m:math" | "mjx-container") => {
                parse_mathml(dom, id)
            }
            Element::UNKNOWN if dom.tag(id) == "d-math" => parse_text(dom, id),
            TR => parse_equation_row(dom, id),
            SPAN | DIV => parse_attribute(dom, id).or_else(|| parse_drawn_katex(dom, id)),
            _ => None,
        };
        let Some(formula) = formula else { continue };
        // MathJax 2 shows a formula before the script with its source.
        while found
            .last()
            .is_some_and(|last| last.nodes.start >= formula.nodes.start)
        {
            found.pop();
        }
        if found
            .last()
            .is_none_or(|last| last.nodes.end <= formula.nodes.start)
        {
            found.push(formula);
        }
    }
    found
}

/// Classes of the elements that KaTeX, MathJax and MediaWiki put around a formula.
fn is_wrapper(dom: &Dom, id: NodeId) -> bool {
    const STARTS: &[&str] = &["katex", "MathJax", "MJX", "mwe-math", "mjx-", "mjpage"];
    dom.tag(id).starts_with("mjx-")
        || dom.attribute(id, "class").is_some_and(|class| {
            class
                .split_ascii_whitespace()
                .any(|name| STARTS.iter().any(|start| name.starts_with(start)))
        })
}

fn parse_mathml(dom: &Dom, id: NodeId) -> Option<Formula> {
    let around: Vec<NodeId> = dom
        .ancestors(id)
        .take_while(|&up| is_wrapper(dom, up))
        .collect();
    let root = around.last().copied().unwrap_or(id);
    let is_display = std::iter::once(id).chain(around).any(|up| {
        let is = |name, value| {
            dom.attribute(up, name)
                .is_some_and(|given| given.eq_ignore_ascii_case(value))
        };
        is("display", "block")
            || is("display", "true")
            || is("mode", "display")
            || has_display_class(dom, up)
    });
    let parts = || dom.descendants(root).chain([id]);
    let of_mathml = || {
        parts()
            .find(|&below| matches!(dom.tag(below), "math" | "m:math"))
            .map(|math| latex(dom, math))
    };
    let drawn = || {
        parts()
            .find(|&below| dom.tag(below) == "mjx-math" && is_readable(dom, below))
            .map(|math| chtml::latex(dom, math))
    };
    let tex = source(dom, root).or_else(|| one_line(&of_mathml().or_else(drawn)?))?;
    Some(Formula {
        nodes: root.index()..dom.end(root),
        tex,
        is_display,
    })
}

fn has_display_class(dom: &Dom, id: NodeId) -> bool {
    const NAMES: &[&str] = &[
        "katex-display",
        "latexcenter",
        "MathJax_Display",
        "MathJax_SVG_Display",
        "MJXc-display",
        "mwe-math-fallback-image-display",
    ];
    dom.attribute(id, "class").is_some_and(|class| {
        class
            .split_ascii_whitespace()
            .any(|name| NAMES.contains(&name) || name == "mwe-math-element-block")
    })
}

/// The source of a formula: in an annotation of MathML, or in an attribute of MathJax 4 or LaTeXML.
fn source(dom: &Dom, root: NodeId) -> Option<String> {
    for id in std::iter::once(root).chain(dom.descendants(root)) {
        let is_tex = |encoding: &str| encoding.to_ascii_lowercase().contains("tex");
        let found = match dom.tag(id) {
            "annotation" if dom.attribute(id, "encoding").is_some_and(is_tex) => one_line(
                &dom.descendants(id)
                    .filter_map(|below| dom.text(below))
                    .collect::<String>(),
            ),
            "math"
                if dom
                    .attribute(id, "class")
                    .is_some_and(|class| class.contains("ltx_")) =>
            {
                dom.attribute(id, "alttext").and_then(one_line)
            }
            _ => {
                // MathJax 4 gives the source of each part, in drawings too.
                let is_whole =
                    || is_wrapper(dom, id) || dom.attribute(id, "data-mml-node") == Some("math");
                dom.attribute(id, "data-latex")
                    .filter(|_| is_whole())
                    .and_then(one_line)
            }
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The formula whose source is in a script, with the output of MathJax 2 in the elements before it.
fn parse_script(dom: &Dom, id: NodeId) -> Option<Formula> {
    let kind = dom.attribute(id, "type")?.trim().to_ascii_lowercase();
    let source = || {
        dom.descendants(id)
            .filter_map(|below| dom.text(below))
            .collect::<String>()
    };
    let tex = match kind.as_str() {
        "math/asciimath" => asciimath::latex(&source())?,
        kind if kind.starts_with("math/tex") => one_line(&source())?,
        _ => return None,
    };
    let before: Vec<NodeId> = dom
        .children(dom.parent(id)?)
        .take_while(|&sibling| sibling < id)
        .collect();
    let is_shown = |&&sibling: &&NodeId| {
        is_wrapper(dom, sibling) || dom.text(sibling).is_some_and(|text| text.trim().is_empty())
    };
    // White space before the formula is not a part of it.
    let shown = before
        .iter()
        .rev()
        .take_while(is_shown)
        .take(4)
        .filter(|&&sibling| dom.is_element(sibling))
        .last();
    let start = shown.map_or(id.index(), |first| first.index());
    Some(Formula {
        nodes: start..dom.end(id),
        tex,
        is_display: kind.contains("display"),
    })
}

/// The formula of an element that has its source in an attribute: MathJax 2 uses the label for
/// screen readers, Zhihu and editors use attributes of their own.
fn parse_attribute(dom: &Dom, id: NodeId) -> Option<Formula> {
    let class = dom.attribute(id, "class").filter(|class| {
        ["math", "tex", "equation"]
            .iter()
            .any(|part| class.contains(part))
    })?;
    let has_class = |matches: &dyn Fn(&str) -> bool| class.split_ascii_whitespace().any(matches);
    let named = if has_class(&|name| name == "mjx-math") {
        // It may also be the formula in words.
        let has_sign = |label: &&str| {
            label.contains(['\\', '^', '_', '=', '+', '<', '>']) || !label.trim().contains(' ')
        };
        dom.attribute(id, "aria-label").filter(has_sign)
    } else if has_class(&|name| {
        matches!(
            name,
            "ztext-math" | "math-inline" | "math-block" | "math-tex" | "tex" | "equation"
        )
    }) {
        ["data-tex", "data-latex", "data-math", "data-formula"]
            .iter()
            .find_map(|name| dom.attribute(id, name))
    } else {
        None
    };
    let tex = named.and_then(one_line)?;
    let around: Vec<NodeId> = dom
        .ancestors(id)
        .take_while(|&up| is_wrapper(dom, up))
        .collect();
    let root = around.last().copied().unwrap_or(id);
    let is_display = std::iter::once(id)
        .chain(around)
        .any(|up| has_display_class(dom, up))
        || class.contains("math-block");
    Some(Formula {
        nodes: root.index()..dom.end(root),
        tex,
        is_display,
    })
}

/// The equation of a row of LaTeXML: its parts are cells, the last of which may hold its number.
fn parse_equation_row(dom: &Dom, id: NodeId) -> Option<Formula> {
    let has_class = |id: NodeId, name: &str| {
        dom.attribute(id, "class")
            .is_some_and(|class| class.split_ascii_whitespace().any(|found| found == name))
    };
    if !has_class(id, "ltx_eqn_row") {
        return None;
    }
    let mut parts: Vec<String> = Vec::new();
    let mut number = String::new();
    for below in dom.descendants(id) {
        if dom.element(below) == MATH {
            let part = source(dom, below)?;
            parts.push(
                part.strip_prefix("\\displaystyle")
                    .map_or(part.as_str(), str::trim_start)
                    .to_owned(),
            );
        } else if has_class(below, "ltx_tag_equation") {
            number = dom
                .descendants(below)
                .filter_map(|text| dom.text(text))
                .collect();
        }
    }
    let number = number.trim().trim_start_matches('(').trim_end_matches(')');
    let tag = if number.is_empty() {
        String::new()
    } else {
        format!(" \\tag{{{number}}}")
    };
    let tex = one_line(&parts.join(" "))? + &tag;
    Some(Formula {
        nodes: id.index()..dom.end(id),
        tex,
        is_display: true,
    })
}

fn is_readable(dom: &Dom, id: NodeId) -> bool {
    dom.end(id) - id.index() <= MAX_DRAWN_NODES
}

/// The formula that KaTeX drew, if KaTeX wrote neither the source nor MathML: either would come
/// before the drawing.
fn parse_drawn_katex(dom: &Dom, id: NodeId) -> Option<Formula> {
    dom.attribute(id, "class").filter(|class| {
        class
            .split_ascii_whitespace()
            .any(|name| name == "katex-html")
    })?;
    if !is_readable(dom, id) {
        return None;
    }
    let root = dom
        .ancestors(id)
        .take_while(|&up| is_wrapper(dom, up))
        .last()
        .unwrap_or(id);
    let tex = one_line(&katex::latex(dom, id))?;
    let is_display = dom
        .ancestors(id)
        .take_while(|&up| is_wrapper(dom, up))
        .any(|up| has_display_class(dom, up));
    Some(Formula {
        nodes: root.index()..dom.end(root),
        tex,
        is_display,
    })
}

/// The formula of an element that holds its source as text, as Distill does.
fn parse_text(dom: &Dom, id: NodeId) -> Option<Formula> {
    let tex = one_line(
        &dom.descendants(id)
            .filter_map(|below| dom.text(below))
            .collect::<String>(),
    )?;
    let is_display = dom.attribute(id, "block").is_some();
    Some(Formula {
        nodes: id.index()..dom.end(id),
        tex,
        is_display,
    })
}

/// The formula that a picture shows: in the address of a service that draws it, or in the
/// alternative text.
fn parse_picture(dom: &Dom, id: NodeId) -> Option<Formula> {
    let class = dom.attribute(id, "class").unwrap_or("");
    let is_named = class.split_ascii_whitespace().any(|name| {
        name.starts_with("mwe-math-fallback-image")
            || matches!(name, "tex" | "latex" | "math" | "ee_img" | "equation")
    });
    let address = ["src", "data-src", "data-original", "data-lazy-src"]
        .iter()
        .find_map(|name| tex_of_address(dom.attribute(id, name)?));
    let alternative = || {
        dom.attribute(id, "alt")
            .filter(|alt| is_named || is_tex(alt))
            .and_then(one_line)
    };
    let tex = address.or_else(alternative)?;
    let root = dom
        .ancestors(id)
        .take_while(|&up| is_wrapper(dom, up))
        .last()
        .unwrap_or(id);
    let is_display =
        has_display_class(dom, id) || has_display_class(dom, root) || is_alone(dom, root);
    Some(Formula {
        nodes: root.index()..dom.end(root),
        tex,
        is_display,
    })
}

/// Returns true if a paragraph holds nothing but this picture.
fn is_alone(dom: &Dom, id: NodeId) -> bool {
    let is_block = |up: &NodeId| dom.element(*up).default_display().is_some();
    let Some(block) = dom
        .ancestors(id)
        .take(3)
        .find(is_block)
        .filter(|&up| matches!(dom.tag(up), "p" | "div"))
    else {
        return false;
    };
    // The search ends at the first other picture or text.
    let is_other = |below: NodeId| {
        !dom.contains(id, below)
            && (dom.element(below) == IMG || dom.text(below).is_some_and(|text| !is_blank(text)))
    };
    !dom.descendants(block).any(is_other)
}

/// The LaTeX in the address of a picture that a service draws, such as
/// `https://latex.codecogs.com/gif.latex?x^2`, `/latex.php?latex=x` of WordPress or
/// `/equation?tex=x` of Zhihu.
fn tex_of_address(address: &str) -> Option<String> {
    if address.len() > MAX_BYTES || address.starts_with("data:") {
        return None;
    }
    let (path, query) = address.split_once('?')?;
    let file = path.rsplit('/').next().unwrap_or("");
    let is_codecogs = path.contains("codecogs.com");
    let is_bare = is_codecogs
        || matches!(file, "tex" | "latex" | "mathtex" | "mimetex")
        || [
            "mathtex.cgi",
            "mimetex.cgi",
            "gif.latex",
            "png.latex",
            "svg.latex",
        ]
        .contains(&file);
    let is_keyed = is_bare
        || matches!(
            file,
            "equation" | "latex.php" | "math" | "chart" | "render" | "tex.php"
        );
    let value = |key: &str| {
        let named = query
            .split('&')
            .find_map(|part| part.strip_prefix(key)?.strip_prefix('='))?;
        Some(decoded(&named.replace('+', " ")))
    };
    let keys: &[&str] = if file == "chart" {
        &["chl"]
    } else {
        &["latex", "tex", "math", "formula", "eq"]
    };
    let keyed = is_keyed
        .then(|| keys.iter().find_map(|key| value(key)))
        .flatten();
    let tex = keyed.or_else(|| is_bare.then(|| decoded(query)))?;
    let tex = tex
        .replace("&space;", " ")
        .replace("&plus;", "+")
        .replace("&hash;", "#")
        .replace("&amp;", "&");
    one_line(without_settings(&tex)).filter(|tex| tex.contains(char::is_alphanumeric))
}

fn decoded(text: &str) -> String {
    percent_decoded(text).into_owned()
}

/// LaTeX without the settings of the drawing service before it: resolution, size and colors.
fn without_settings(tex: &str) -> &str {
    const PLAIN: &[&str] = &[
        "\\inline",
        "\\tiny",
        "\\small",
        "\\large",
        "\\Large",
        "\\LARGE",
        "\\huge",
        "\\bg_white",
        "\\bg_black",
        "\\fn_cm",
        "\\fn_jvn",
        "\\displaystyle",
    ];
    let mut tex = tex.trim_start();
    loop {
        let rest = tex
            .strip_prefix("\\dpi{")
            .and_then(|rest| rest.find('}').map(|end| &rest[end + 1..]));
        let rest = rest.or_else(|| {
            let rest = PLAIN.iter().find_map(|setting| tex.strip_prefix(setting))?;
            (!rest.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(rest)
        });
        match rest {
            Some(rest) if !rest.trim().is_empty() => tex = rest.trim_start(),
            _ => return tex,
        }
    }
}

/// Returns true if a text is certainly LaTeX: it has a command and braces, indices or relations, or
/// delimiters around it.
fn is_tex(text: &str) -> bool {
    let text = text.trim();
    let is_enclosed = [("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")]
        .iter()
        .any(|(open, close)| {
            text.strip_prefix(open)
                .and_then(|text| text.strip_suffix(close))
                .is_some_and(|inner| !inner.trim().is_empty())
        });
    let has_command = || {
        let mut commands = text.split('\\').skip(1);
        commands.any(|command| command.bytes().take_while(u8::is_ascii_alphabetic).count() >= 2)
    };
    let is_path = || text.contains(":\\") || text.starts_with("\\\\");
    is_balanced(text)
        && !is_path()
        && (is_enclosed || has_command() && text.contains(['{', '^', '_', '=', '<', '>', '+']))
        || is_balanced(text)
            && !text.contains(char::is_whitespace)
            && text.contains('^')
            && text.chars().count() <= 40
}

/// LaTeX on one line, without delimiters and without the group that MediaWiki puts around it;
/// `None` if nothing is left.
pub(in crate::document) fn one_line(tex: &str) -> Option<String> {
    if tex.len() > MAX_BYTES {
        return None;
    }
    let tex = crate::text::collapse(tex);
    let mut tex = tex.as_str();
    for style in ["\\displaystyle", "\\textstyle", "\\scriptstyle"] {
        let inner = tex
            .strip_prefix('{')
            .and_then(|tex| tex.strip_suffix('}'))
            .and_then(|tex| tex.strip_prefix(style));
        if let Some(inner) =
            inner.filter(|inner| is_balanced(inner) && !inner.starts_with(char::is_alphabetic))
        {
            tex = inner.trim();
        }
    }
    for (open, close) in [("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$")] {
        let inner = tex
            .strip_prefix(open)
            .and_then(|tex| tex.strip_suffix(close));
        tex = inner
            .filter(|inner| !inner.contains(open))
            .map_or(tex, str::trim);
    }
    (!tex.is_empty()).then(|| tex.to_owned())
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    fn found(html: &str) -> Vec<(String, bool)> {
        formulas(&parse_html(html))
            .into_iter()
            .map(|formula| (formula.tex, formula.is_display))
            .collect()
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
            ("<img class=latexcenter alt='\\[E = mc^2\\]'>".to_owned(), true),
            (
                "<mjx-container display=true><svg><g data-mml-node=math data-latex='E = mc^2'></g></svg></mjx-container>".to_owned(),
                true,
            ),
            ("<img src='https://latex.codecogs.com/gif.latex?\\dpi{150}&space;E&space;=&space;mc^2'>".to_owned(), false),
            ("<img src='//s0.wp.com/latex.php?latex=E+%3D+mc%5E2&bg=fff&s=0' alt=x>".to_owned(), false),
            ("<img data-src='/equation?tex=E+%3D+mc%5E2'>".to_owned(), false),
            ("<img src='/cgi-bin/mathtex.cgi?E%20=%20mc^2'>".to_owned(), false),
            ("<img src=x.png alt='\\(E = mc^2\\)'>".to_owned(), false),
            ("<span class=ztext-math data-tex='E = mc^2'><img src=x.svg></span>".to_owned(), false),
            (
                "<span class='mjx-chtml MJXc-display'><span class=mjx-math aria-label='E = mc^2'><span class=mjx-mi>E</span></span></span>"
                    .to_owned(),
                true,
            ),
            ("<d-math block>E = mc^2</d-math>".to_owned(), true),
            (
                "<table class=ltx_eqn_table><tr class='ltx_equation ltx_eqn_row'><td><math class=ltx_Math alttext='\\displaystyle E'>\
                 <mi>E</mi></math><td><math class=ltx_Math alttext='\\displaystyle= mc^2'><mi>m</mi></math></table>"
                    .to_owned(),
                true,
            ),
        ] {
            let formulas = found(&format!("<p>a {html} b</p>"));
            assert_eq!(formulas, [("E = mc^2".to_owned(), is_display)], "{html}");
        }
        assert_eq!(
            found("<math display=block><msup><mi>x</mi><mn>2</mn></msup></math>"),
            [("x^{2}".to_owned(), true)]
        );
    }

    /// `fixtures/formulas` has the output of KaTeX 0.16 (`output: "html"`) and MathJax 3
    /// (CommonHTML) for the same formulas, and the expected LaTeX.
    #[test]
    fn drawn_formulas_without_source_are_read() {
        let folder =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/formulas");
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        for name in ["katex", "mathjax"] {
            let formulas = found(&read(&format!("{name}.html")));
            let expected = read(&format!("{name}.txt"));
            let tex: Vec<&str> = formulas.iter().map(|(tex, _)| tex.as_str()).collect();
            assert_eq!(tex.join("\n"), expected.trim_end(), "{name}");
            assert!(formulas.iter().all(|(_, is_display)| *is_display));
        }
    }

    proptest::proptest! {
        #[test]
        fn damaged_drawings_do_no_harm(html in "(<span class='(base|mord|mopen|mclose|mfrac|vlist-t|vlist|sqrt|mtable|col-align-c|minner|msupsub|op-limits|accent|tag|text)'>|<mjx-(mi|mo|mfrac|num|den|line|msup|script|mtable|mtr|mtd|munder|base|box|texatom|c class=mjx-c28)>|</span>|</mjx-mi>|[a-z(){}^]){0,40}") {
            for around in ["span class=katex-html", "mjx-container><mjx-math"] {
                found(&format!("<{around}>{html}"));
            }
        }
    }

    #[test]
    fn parts_within_parts_are_read_in_bounded_time() {
        let katex = "<span class=mfrac><span class=vlist-t><span class=vlist><span>".repeat(100);
        let fractions = "<mjx-mfrac><mjx-line></mjx-line><mjx-num><mjx-den>".repeat(100);
        let limits = "<mjx-munderover><mjx-base><mjx-under><mjx-over>".repeat(100);
        for html in [
            format!("<span class=katex-html>{katex}x"),
            format!("<mjx-container><mjx-math>{fractions}<mjx-c class=mjx-c78>"),
            format!("<mjx-container><mjx-math>{limits}<mjx-c class=mjx-c78>"),
        ] {
            assert!(
                found(&html)
                    .iter()
                    .all(|(tex, _)| tex.len() <= 100 * html.len())
            );
        }
    }

    #[test]
    fn what_is_no_formula_is_not_one() {
        for html in [
            "<img src='/math?page=2' alt='C:\\path'>",
            "<img src='/tex?' alt='A photo'>",
            "<img class=photo alt=x>",
            "<script>x</script>",
            "<math></math>",
            "<span class=katex>x</span>",
        ] {
            assert_eq!(found(html), [], "{html}");
        }
        assert_eq!(
            one_line("{\\displaystyle {a}{b}}").as_deref(),
            Some("{a}{b}")
        );
        assert_eq!(
            one_line("{\\displaystyle a}+{b}").as_deref(),
            Some("{\\displaystyle a}+{b}")
        );
    }
}
