//! Makes arbitrary HTML and CSS, and changes the tokens of pages: tags, attributes, declarations
//! and texts.

use crate::bytes::{NUMBERS, any, few};
use fastrand::Rng;
use std::fmt::Write;

/// Names of elements; frequent ones are repeated.
#[rustfmt::skip]
const TAGS: &[&str] = &[
    "p", "p", "div", "div", "div", "span", "span", "a", "a", "b", "em", "strong", "ul", "ol", "li", "li", "dl", "dt",
    "dd", "table", "table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "tr", "td", "td", "th", "h1",
    "h2", "h6", "pre", "code", "blockquote", "q", "br", "hr", "img", "picture", "source", "svg", "path", "text",
    "foreignObject", "math", "mi", "annotation-xml", "iframe", "frameset", "frame", "object", "embed", "video", "audio",
    "canvas", "form", "input", "textarea", "select", "optgroup", "option", "button", "label", "fieldset", "legend",
    "details", "summary", "dialog", "template", "slot", "ruby", "rb", "rt", "rp", "rtc", "bdo", "bdi", "wbr", "nobr",
    "center", "font", "marquee", "noscript", "script", "style", "title", "base", "meta", "link", "head", "body", "html",
    "main", "article", "section", "nav", "aside", "header", "footer", "address", "figure", "figcaption", "time", "data",
    "meter", "progress", "output", "map", "area", "xmp", "plaintext", "listing", "noembed", "isindex", "x-custom",
    "image", "sup", "sub",
];

#[rustfmt::skip]
const ATTRIBUTES: &[&str] = &[
    "style", "style", "style", "class", "id", "href", "src", "srcset", "alt", "title", "lang", "dir", "hidden",
    "colspan", "rowspan", "span", "width", "height", "type", "value", "start", "reversed", "size", "rows", "cols",
    "align", "valign", "bgcolor", "color", "face", "border", "cellpadding", "cellspacing", "content", "http-equiv",
    "charset", "rel", "media", "name", "open", "shadowrootmode", "datetime", "itemprop", "property", "role",
    "aria-hidden", "background", "viewBox", "d", "srcdoc", "checked", "multiple", "usemap", "coords",
    "background-image", "xml:lang", "data-x",
];

#[rustfmt::skip]
const PROPERTIES: &[&str] = &[
    "display", "display", "display", "position", "float", "clear", "width", "height", "min-width", "max-height",
    "margin", "margin-left", "padding", "border", "border-spacing", "border-collapse", "border-radius", "top", "left",
    "z-index", "overflow", "clip", "clip-path", "transform", "opacity", "visibility", "color", "background",
    "background-image", "background-size", "font", "font-size", "font-family", "line-height", "letter-spacing",
    "word-spacing", "text-indent", "text-align", "text-transform", "white-space", "word-break", "writing-mode",
    "direction", "unicode-bidi", "columns", "column-count", "column-gap", "grid-template-columns", "grid-template-rows",
    "grid-area", "grid-auto-flow", "gap", "flex", "flex-basis", "flex-direction", "flex-wrap", "flex-grow",
    "align-items", "justify-content", "order", "content", "counter-increment", "counter-reset", "list-style",
    "list-style-type", "table-layout", "caption-side", "vertical-align", "filter", "mask", "mix-blend-mode",
    "box-shadow", "text-shadow", "outline", "aspect-ratio", "object-fit", "contain", "content-visibility", "animation",
    "transition", "--x", "all", "zoom", "box-sizing", "inset", "tab-size", "quotes", "text-decoration", "text-overflow",
    "-webkit-line-clamp", "perspective", "rotate", "scale", "translate", "shape-outside",
];

#[rustfmt::skip]
const VALUES: &[&str] = &[
    "none", "block", "inline", "inline-block", "flex", "inline-flex", "grid", "inline-grid", "table", "inline-table",
    "table-row", "table-cell", "table-column", "table-row-group", "table-caption", "list-item", "contents", "flow-root",
    "ruby", "absolute", "relative", "fixed", "sticky", "static", "left", "right", "both", "auto", "inherit", "initial",
    "unset", "revert", "hidden", "scroll", "clip", "visible", "collapse", "transparent", "red", "currentColor", "#fff",
    "rgba(0,0,0,.01)", "hsl(400deg 300% -5%)", "color-mix(in srgb, red, blue)", "url(picture.png)", "url(style.css)",
    "url(data:image/png;base64,AAAA)", "url(data:image/svg+xml,<svg/>)", "linear-gradient(red, blue)",
    "radial-gradient(circle at NaN% 0, red 0 0)", "conic-gradient(red, blue)", "rotate(90deg)", "scale(0)",
    "scale(1e9)", "matrix(1,2,3,4,5,6)", "translate(-100vw)", "translate3d(0,0,1e9px)", "rect(0 0 0 0)", "inset(50%)",
    "circle(0)", "min-content", "max-content", "fit-content", "1fr", "repeat(3, 1fr)", "repeat(auto-fill, 1px)",
    "repeat(99999, 1px)", "minmax(0, 1fr)", "subgrid", "calc(1px + 2%)", "calc(1px / 0)", "calc(infinity * 1px)",
    "var(--x)", "var(--x, var(--x))", "env(x)", "attr(title)", "counter(x)", "\"\\0\"", "\"\\201c\"", "vertical-rl",
    "rtl", "pre", "pre-wrap", "nowrap", "break-all", "justify", "center", "sub", "super", "baseline", "monospace",
    "serif", "span 99999", "1 / -1", "dense", "column", "row wrap", "wrap-reverse", "disc", "decimal", "hebrew",
    "symbols(\"x\")", "blur(1e9px)", "invert(1)", "16/0", "0/0", "x 1s infinite", "!important",
];

const UNITS: &[&str] = &[
    "px", "%", "em", "rem", "vw", "vh", "pt", "fr", "deg", "s", "", "ch", "cqw", "dvh", "lh",
];

#[rustfmt::skip]
const SELECTORS: &[&str] = &[
    "*", "p", "div", "table", ".a", "#a", "p::before", "p::after", "::first-letter", "::first-line", "::marker",
    ":root", "html", "body", "div > div > div", "p + p", "p ~ p", ":nth-child(2n+1)", ":nth-child(99999999999n - 1)",
    ":has(p)", ":not(:not(p))", ":is(a, b)", "[style]", "[class^=a i]", "td", "tr", "svg", "&", "::slotted(p)", ":host",
    "::part(x)",
];

const AT_RULES: &[&str] = &[
    "@import url(style.css);",
    "@import \"style.css\" layer(a) supports(display: grid) screen;",
    "@import url(missing.css);",
    "@charset \"utf-16\";",
    "@namespace svg url(http://www.w3.org/2000/svg);",
    "@media (min-width: 1px) {",
    "@media not all and (width > 1e9px) {",
    "@supports (display: grid) {",
    "@layer a, b; @layer a {",
    "@container (width > 0) {",
    "@font-face { font-family: x; src: url(picture.png), local(x) }",
    "@counter-style x { system: cyclic; symbols: \"a\" }",
    "@keyframes x { from { opacity: 0 } 50% { top: 1e9px } }",
    "@property --x { syntax: \"<length>\"; inherits: false; initial-value: 0px }",
    "@page :first { margin: 1in }",
    "@unknown {",
    "}",
    "/*",
    "<!--",
];

const TEXTS: &[&str] = &[
    "Herring gulls drop mussels on rocks, and seldom have to try more than twice.",
    "x",
    " ",
    "\n\n\t",
    "\u{a0}",
    "&nbsp;&amp;&#0;&#x110000;&#xd800;&unknown;&lt",
    "日本語の文章です。改行もあります。",
    "שלום עולם مرحبا بالعالم",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "\u{202e}right to left\u{202c}\u{2066}",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    "\u{200b}\u{200d}\u{feff}\u{ad}",
    "\u{10ffff}\u{fffe}\u{1}",
    "1. * - # > ``` | --- === [x]: y <!-- \\",
    "supercalifragilisticexpialidocious",
    "ﷺ𝕳𝖊𝖑𝖑𝖔ǅﬀİı",
    "<![CDATA[x]]>",
    "]]>",
    "<!doctype html>",
    "<?xml version='1.0'?>",
];

/// Parts of pages that readers and engines have found hard.
const SNIPPETS: &[&str] = &[
    "<svg style=display:table><text>x</text></svg>",
    "<link rel=stylesheet href=style.css>",
    "<img src=picture.png>",
    "<img srcset='picture.png 0x, picture.png 1e9w' sizes='calc(1px/0)'>",
    "<base href='http://[::1'>",
    "<base href=javascript:x>",
    "<meta charset=utf-16>",
    "<meta http-equiv=refresh content='0;url=x'>",
    "<template shadowrootmode=open><slot></slot></template>",
    "<table><tr><td colspan=65535 rowspan=65535>x<tr><td>y</table>",
    "<table><caption>c</caption><td><table><tr><td></table></table>",
    "<ol start=2147483647><li value=-2147483648>x<li>y</ol>",
    "<select><option>x<select>",
    "<p><table><p></table><b><p></b>",
    "<a><div><a></div></a>",
    "<math><mi><p></mi><annotation-xml encoding=text/html><p></math>",
    "<frameset><frame src=style.css></frameset>",
    "<plaintext>",
    "<script>/*</script>",
    "<style>p{color:red",
    "<textarea>\n\n",
    "<input type=number value=1e400>",
    "<iframe srcdoc='<p>x'></iframe>",
    "<details><summary></summary>x</details>",
    "<ruby>a<rt>b<rtc>c</ruby>",
    "<div dir=auto><bdo dir=rtl>x</bdo></div>",
    "<script type=application/ld+json>{\"@graph\":[[[{\"datePublished\":\"99999-99-99\"}]]]}</script>",
    "<meta property=article:published_time content='0000-00-00T99:99:99+99:99'>",
    "<time datetime=-271821-04-20>x</time>",
];

fn value(rng: &mut Rng) -> String {
    match rng.u32(..4) {
        0 | 1 => (*any(rng, VALUES)).to_owned(),
        2 => format!("{}{}", any(rng, NUMBERS), any(rng, UNITS)),
        _ => format!(
            "{} {}{}",
            any(rng, VALUES),
            any(rng, NUMBERS),
            any(rng, UNITS)
        ),
    }
}

/// Makes declarations, as in an attribute `style`.
fn declarations(rng: &mut Rng) -> String {
    let mut out = String::new();
    for _ in 0..few(rng, 8) {
        let _ = write!(out, "{}:{};", any(rng, PROPERTIES), value(rng));
    }
    out
}

/// Makes a style sheet with random rules.
pub fn style_sheet(rng: &mut Rng) -> String {
    let mut out = String::new();
    for _ in 0..few(rng, 32) {
        match rng.u32(..6) {
            0 => out.push_str(any::<&str>(rng, AT_RULES)),
            1 => {
                let _ = write!(out, "{}{{{}", any(rng, SELECTORS), declarations(rng));
            }
            _ => {
                let _ = write!(
                    out,
                    "{},{}{{{}}}",
                    any(rng, SELECTORS),
                    any(rng, SELECTORS),
                    declarations(rng)
                );
            }
        }
    }
    out
}

fn attribute(rng: &mut Rng) -> String {
    let name = *any(rng, ATTRIBUTES);
    let value = match rng.u32(..8) {
        _ if name == "style" => declarations(rng),
        0 | 1 => (*any(rng, NUMBERS)).to_owned(),
        2 => "x ".repeat(few(rng, 20_000)),
        3 => (*any(rng, TEXTS)).to_owned(),
        4 => "picture.png".to_owned(),
        5 => format!("{}{}", any(rng, NUMBERS), any(rng, UNITS)),
        _ => (*any(rng, VALUES)).to_owned(),
    };
    format!(" {name}=\"{}\"", value.replace('"', "&quot;"))
}

fn open_tag(rng: &mut Rng, tag: &str) -> String {
    let mut out = format!("<{tag}");
    for _ in 0..rng.usize(..4) {
        out.push_str(&attribute(rng));
    }
    out.push_str(if rng.u32(..40) == 0 { "/>" } else { ">" });
    out
}

/// Makes an arbitrary part of a page.
fn fragment(rng: &mut Rng) -> String {
    match rng.u32(..8) {
        0 => (*any(rng, SNIPPETS)).to_owned(),
        1 => (*any(rng, TEXTS)).to_owned(),
        2 => any(rng, TEXTS).repeat(few(rng, 200)),
        3 => {
            let tag = any(rng, TAGS);
            open_tag(rng, tag).repeat(few(rng, 3_000))
        }
        4 => format!("<style>{}</style>", style_sheet(rng)),
        5 => format!("</{}>", any(rng, TAGS)),
        6 => {
            let tag = any(rng, TAGS);
            open_tag(rng, tag)
        }
        _ => {
            let tag = any(rng, TAGS);
            format!("{}{}</{tag}>", open_tag(rng, tag), any(rng, TEXTS))
        }
    }
}

/// Makes an arbitrary page of random fragments.
pub fn page(rng: &mut Rng) -> Vec<u8> {
    let mut out = String::new();
    for _ in 0..few(rng, 256) {
        out.push_str(&fragment(rng));
    }
    out.into_bytes()
}

/// Splits a page before each `<` and after each `>`.
fn tokens(page: &[u8]) -> Vec<Vec<u8>> {
    let mut tokens = vec![Vec::new()];
    for &byte in page {
        if byte == b'<' {
            tokens.push(Vec::new());
        }
        if let Some(last) = tokens.last_mut() {
            last.push(byte);
        }
        if byte == b'>' {
            tokens.push(Vec::new());
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// Changes tokens of a page: removes, repeats, moves and replaces them, and takes some of `other`.
pub fn change_tokens(rng: &mut Rng, page: &[u8], other: &[u8]) -> Vec<u8> {
    let mut tokens = tokens(page);
    let others = self::tokens(other);
    for _ in 0..few(rng, 32) {
        if tokens.is_empty() || others.is_empty() {
            break;
        }
        let at = rng.usize(..tokens.len());
        let end = (at + few(rng, 32)).min(tokens.len());
        match rng.u32(..8) {
            0 => drop(tokens.drain(at..end)),
            1 => {
                let part = tokens[at..end].to_vec();
                let bytes: usize = part.iter().map(Vec::len).sum();
                let times = few(rng, (100_000 / bytes.max(1)).max(1));
                for _ in 0..times {
                    tokens.splice(at..at, part.clone());
                }
            }
            2 => {
                let to = rng.usize(..tokens.len());
                tokens.swap(at, to);
            }
            3 => {
                let from = rng.usize(..others.len());
                let until = (from + few(rng, 64)).min(others.len());
                tokens.splice(at..at, others[from..until].iter().cloned());
            }
            4 => insert_attribute(rng, &mut tokens[at]),
            5 => {
                let tag = any(rng, TAGS);
                tokens[at] = open_tag(rng, tag).into_bytes();
            }
            6 => tokens.insert(at, fragment(rng).into_bytes()),
            _ => tokens.reverse(),
        }
    }
    tokens.concat()
}

/// Adds an attribute if the token is a start tag.
fn insert_attribute(rng: &mut Rng, token: &mut Vec<u8>) {
    if token.first() == Some(&b'<') && token.last() == Some(&b'>') && token.get(1) != Some(&b'/') {
        token.pop();
        token.extend(attribute(rng).bytes());
        token.push(b'>');
    }
}
