//! Properties that the engine does not know and that can hide text: their declarations are renamed to custom properties,
//! which cascade and inherit.

use memchr::memmem;
use std::borrow::Cow;
use std::ops::Range;

/// Name of the stand-in of `-webkit-text-fill-color`, without the dashes.
pub(super) const FILL: &str = "vclean-fill";
/// Of `-webkit-text-stroke-width`.
pub(super) const STROKE_WIDTH: &str = "vclean-stroke-width";
/// Of `-webkit-text-stroke-color`.
pub(super) const STROKE_COLOR: &str = "vclean-stroke-color";
/// Of `-webkit-text-stroke`.
pub(super) const STROKE: &str = "vclean-stroke";
/// Of `content-visibility`.
pub(super) const CONTENT: &str = "vclean-content";
/// Of `background-clip: text`.
pub(super) const CLIP: &str = "vclean-clip";

/// The properties, the longer name before one that it contains, and their stand-ins.
const STAND_INS: [(&str, &str); 7] = [
    ("-webkit-text-fill-color", FILL),
    ("-webkit-text-stroke-width", STROKE_WIDTH),
    ("-webkit-text-stroke-color", STROKE_COLOR),
    ("-webkit-text-stroke", STROKE),
    ("content-visibility", CONTENT),
    ("-webkit-background-clip", CLIP),
    ("background-clip", CLIP),
];

/// A style sheet, or the content of a `style` attribute, with stand-ins.
pub(super) fn with_stand_ins(css: &str) -> Cow<'_, str> {
    let lower = css.to_ascii_lowercase();
    let mut found: Vec<(Range<usize>, &str)> = Vec::new();
    for (property, stand_in) in STAND_INS {
        for start in memmem::find_iter(lower.as_bytes(), property) {
            let name = start..start + property.len();
            if is_declared(&lower, &name) && (stand_in != CLIP || value(&lower, name.end).contains("text")) {
                found.push((name, stand_in));
            }
        }
    }
    if found.is_empty() {
        return Cow::Borrowed(css);
    }
    found.sort_by_key(|(name, _)| name.start);
    let mut renamed = String::with_capacity(css.len());
    let mut copied = 0;
    for (name, stand_in) in found {
        renamed.push_str(&css[copied..name.start]);
        renamed.push_str("--");
        renamed.push_str(stand_in);
        copied = name.end;
    }
    renamed.push_str(&css[copied..]);
    Cow::Owned(renamed)
}

/// Whether a declaration begins with this name.
fn is_declared(css: &str, name: &Range<usize>) -> bool {
    let before = css[..name.start].trim_end();
    (before.is_empty() || before.ends_with(['{', ';', '}', '/'])) && css[name.end..].trim_start().starts_with(':')
}

/// The rest of a declaration.
fn value(css: &str, from: usize) -> &str {
    let rest = &css[from..];
    &rest[..rest.find([';', '}']).unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_unknown_properties_are_renamed() {
        for (css, expected) in [
            ("a { color: red }", "a { color: red }"),
            ("content-visibility: hidden", "--vclean-content: hidden"),
            ("a{-WEBKIT-text-fill-color :red!important;b:c}", "a{--vclean-fill :red!important;b:c}"),
            (
                "a{-webkit-text-stroke-width:1px;-webkit-text-stroke:1px red}",
                "a{--vclean-stroke-width:1px;--vclean-stroke:1px red}",
            ),
            ("a { background-clip: padding-box; }", "a { background-clip: padding-box; }"),
            (
                "a { background-clip: text; -webkit-background-clip: text }",
                "a { --vclean-clip: text; --vclean-clip: text }",
            ),
            ("@supports (content-visibility: auto) { x: y }", "@supports (content-visibility: auto) { x: y }"),
            ("a { transition: -webkit-text-fill-color 1s }", "a { transition: -webkit-text-fill-color 1s }"),
            ("/* ä */ content-visibility: auto", "/* ä */ --vclean-content: auto"),
        ] {
            assert_eq!(with_stand_ins(css), expected);
        }
    }
}
