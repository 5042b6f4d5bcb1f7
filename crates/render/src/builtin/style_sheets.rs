//! Prepares style sheets for the engine: adds their media, limits the number of selectors, resolves
//! imports, and renames properties that the engine does not know.
//!
//! Nested rules are dangerous. The engine expands the selectors of the outer rules into those of
//! the inner rule, so a few hundred bytes of nested lists (`a, b { a, b { ...`) can expand to more
//! selectors than fit into memory. The lengths of the expanded lists are computed in advance, and
//! rules with too long lists are removed.
//!
//! The engine panics at an imported address that does not resolve against the address of its sheet
//! (`blitz_dom::net`, `request_stylesheet`). Browsers ignore such an import. In an MHTML file each
//! `style` element is a part with a `cid:` address, against which nothing resolves; its relative
//! imports refer to the address of the page.
//!
//! Declarations of properties that the engine does not know and that can hide text are renamed to
//! custom properties, which cascade and inherit.

use cssparser::{Parser, Token, serialize_string};
use memchr::memmem;
use std::borrow::Cow;
use std::ops::Range;
use url::Url;

/// Maximum number of selectors of a rule after expansion with those of its outer rules.
const MAX_SELECTORS: u64 = 10_000;
/// Deepest nesting of blocks that is examined.
const MAX_DEPTH: usize = 64;

/// Returns true if a sheet for these media applies to every screen.
pub(super) fn is_any(media: &str) -> bool {
    matches!(
        media.trim().to_ascii_lowercase().as_str(),
        "" | "all" | "screen"
    )
}

/// Returns true if a sheet for these media applies to no screen.
pub(super) fn is_foreign(media: &str) -> bool {
    const OTHERS: [&str; 9] = [
        "print",
        "speech",
        "aural",
        "braille",
        "handheld",
        "tty",
        "tv",
        "projection",
        "embossed",
    ];
    !media.trim().is_empty()
        && media.split(',').all(|one| {
            let word = one
                .split_ascii_whitespace()
                .next()
                .unwrap_or("")
                .to_ascii_lowercase();
            OTHERS.contains(&word.as_str())
        })
}

/// Restricts a style sheet to these media, and removes rules that expand to too many selectors. The
/// engine applies every sheet to every medium.
pub(super) fn prepared(css: &str, media: &str) -> String {
    let media = media.trim();
    if is_any(media) {
        limited(&with_custom_properties(css)).into_owned()
    } else if is_foreign(media) || media.contains(['{', '}', ';']) {
        String::new()
    } else {
        format!(
            "@media {media} {{\n{}\n}}",
            limited(&with_custom_properties(css))
        )
    }
}

/// Enables a page's style sheets for browsers without scripts: a `noscript` element that contains a
/// style sheet is replaced by its content. Others stay; most contain notices and tracking pixels.
pub(super) fn without_scripts(html: &str) -> Cow<'_, str> {
    const OPEN: &str = "<noscript";
    const CLOSE: &str = "</noscript>";
    let mut opened = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = html[at..].find(OPEN) {
        let start = at + found;
        let Some(inner) = html[start..].find('>').map(|end| start + end + 1) else {
            break;
        };
        let Some(end) = html[inner..].find(CLOSE).map(|end| inner + end) else {
            break;
        };
        let content = html[inner..end].trim();
        if content.starts_with("<style")
            || (content.starts_with("<link") && content.contains("stylesheet"))
        {
            opened.push_str(&html[copied..start]);
            opened.push_str(content);
            copied = end + CLOSE.len();
        }
        at = end + CLOSE.len();
    }
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    opened.push_str(&html[copied..]);
    Cow::Owned(opened)
}

/// An open block of the sheet.
struct Open {
    /// Number of selectors of the rule after expansion; 0 outside of rules.
    selectors: u64,
    /// Start of the prelude, if the rule is removed.
    left_out_from: Option<usize>,
}

/// Finds the end of the string with its opening quote at `from`: the closing quote, or the end of
/// the line if that comes first.
fn end_of_string(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while bytes
        .get(at)
        .is_some_and(|&next| next != bytes[from] && next != b'\n')
    {
        at += 1 + usize::from(bytes[at] == b'\\');
    }
    at
}

/// Removes rules that expand to too many selectors.
fn limited(css: &str) -> Cow<'_, str> {
    let bytes = css.as_bytes();
    let mut kept = String::new();
    let mut copied = 0;
    let mut open: Vec<Open> = Vec::new();
    let mut prelude = 0;
    let (mut commas, mut parents) = (0u64, 0u64);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = css[at + 2..]
                    .find("*/")
                    .map_or(bytes.len(), |end| at + 2 + end + 1);
            }
            b'"' | b'\'' => at = end_of_string(bytes, at),
            b',' => commas += 1,
            b'&' => parents += 1,
            b'{' => {
                let around = open.last().map_or(0, |block| block.selectors);
                let is_rule = !css[prelude..at].trim_start().starts_with('@');
                let selectors = if is_rule {
                    parents
                        .max(commas + 1)
                        .saturating_mul(around)
                        .saturating_add(commas + 1)
                } else {
                    around
                };
                let is_inside_left_out = open
                    .last()
                    .is_some_and(|block| block.left_out_from.is_some());
                let is_over = selectors > MAX_SELECTORS || open.len() >= MAX_DEPTH;
                let left_out_from = (is_inside_left_out || is_over).then_some(prelude);
                open.push(Open {
                    selectors,
                    left_out_from,
                });
            }
            b'}' => {
                if let Some(Open {
                    left_out_from: Some(from),
                    ..
                }) = open.pop()
                    && open
                        .last()
                        .is_none_or(|block| block.left_out_from.is_none())
                {
                    kept.push_str(&css[copied..from]);
                    copied = at + 1;
                }
            }
            _ => {}
        }
        if matches!(byte, b'{' | b'}' | b';') {
            (prelude, commas, parents) = (at + 1, 0, 0);
        }
        at += 1;
    }
    if let Some(from) = open.iter().find_map(|block| block.left_out_from) {
        kept.push_str(&css[copied..from]);
        copied = css.len();
    }
    if copied == 0 {
        return Cow::Borrowed(css);
    }
    kept.push_str(&css[copied..]);
    Cow::Owned(kept)
}

/// An empty style sheet, which replaces an address that cannot be resolved at all.
const EMPTY_SHEET: &str = "data:text/css,";

/// Changes a sheet's imports so that the engine can resolve them. `own` is the address under which
/// the engine reads the sheet, `base` that of the document.
pub(super) fn resolvable<'a>(css: &'a str, own: &Url, base: &Url) -> Cow<'a, str> {
    if !may_import(css) {
        return Cow::Borrowed(css);
    }
    let mut parser = Parser::new(css);
    let mut changed = String::new();
    let mut copied = 0;
    // Blocks are skipped: each token here is outside of them.
    while let Ok(token) = parser.next() {
        if !matches!(token, Token::AtKeyword(name) if name.eq_ignore_ascii_case("import")) {
            continue;
        }
        parser.skip_whitespace();
        let from = parser.position().byte_index();
        let Ok(address) = parser.try_parse(Parser::expect_url_or_string) else {
            continue;
        };
        if own.join(&address).is_ok() {
            continue;
        }
        let absolute = base
            .join(&address)
            .map_or_else(|_| EMPTY_SHEET.to_owned(), String::from);
        changed.push_str(&css[copied..from]);
        serialize_string(&absolute, &mut changed).expect("writing to a string never fails");
        copied = parser.position().byte_index();
    }
    if copied == 0 {
        return Cow::Borrowed(css);
    }
    changed.push_str(&css[copied..]);
    Cow::Owned(changed)
}

/// Returns true if a sheet may have an import: it has the word, or an escape that may be one of its
/// letters.
fn may_import(css: &str) -> bool {
    const WORD: &[u8] = b"import";
    memchr::memchr_iter(b'@', css.as_bytes()).any(|at| {
        let name = &css.as_bytes()[at + 1..];
        let name = &name[..name.len().min(WORD.len())];
        name.eq_ignore_ascii_case(WORD) || name.contains(&b'\\')
    })
}

/// Custom property that replaces `-webkit-text-fill-color`, without the dashes.
pub(super) const FILL: &str = "vclean-fill";
/// Custom property that replaces `-webkit-text-stroke-width`.
pub(super) const STROKE_WIDTH: &str = "vclean-stroke-width";
/// Custom property that replaces `-webkit-text-stroke-color`.
pub(super) const STROKE_COLOR: &str = "vclean-stroke-color";
/// Custom property that replaces `-webkit-text-stroke`.
pub(super) const STROKE: &str = "vclean-stroke";
/// Custom property that replaces `content-visibility`.
pub(super) const CONTENT: &str = "vclean-content";
/// Custom property that replaces `background-clip: text`.
pub(super) const CLIP: &str = "vclean-clip";

/// The replaced properties, a longer name before one that it contains, and their custom properties.
const CUSTOM_PROPERTIES: [(&str, &str); 7] = [
    ("-webkit-text-fill-color", FILL),
    ("-webkit-text-stroke-width", STROKE_WIDTH),
    ("-webkit-text-stroke-color", STROKE_COLOR),
    ("-webkit-text-stroke", STROKE),
    ("content-visibility", CONTENT),
    ("-webkit-background-clip", CLIP),
    ("background-clip", CLIP),
];

/// Renames the properties in a style sheet, or in the content of a `style` attribute.
pub(super) fn with_custom_properties(css: &str) -> Cow<'_, str> {
    let lower = css.to_ascii_lowercase();
    let mut found: Vec<(Range<usize>, &str)> = Vec::new();
    for (property, custom) in CUSTOM_PROPERTIES {
        for start in memmem::find_iter(lower.as_bytes(), property) {
            let name = start..start + property.len();
            if is_declared(&lower, &name)
                && (custom != CLIP || value(&lower, name.end).contains("text"))
            {
                found.push((name, custom));
            }
        }
    }
    if found.is_empty() {
        return Cow::Borrowed(css);
    }
    found.sort_by_key(|(name, _)| name.start);
    let mut renamed = String::with_capacity(css.len());
    let mut copied = 0;
    for (name, custom) in found {
        renamed.push_str(&css[copied..name.start]);
        renamed.push_str("--");
        renamed.push_str(custom);
        copied = name.end;
    }
    renamed.push_str(&css[copied..]);
    Cow::Owned(renamed)
}

/// Returns true if a declaration begins with this name.
fn is_declared(css: &str, name: &Range<usize>) -> bool {
    let before = css[..name.start].trim_end();
    (before.is_empty() || before.ends_with(['{', ';', '}', '/']))
        && css[name.end..].trim_start().starts_with(':')
}

/// The rest of a declaration.
fn value(css: &str, from: usize) -> &str {
    let rest = &css[from..];
    &rest[..rest.find([';', '}']).unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sheets_are_restricted_to_their_media() {
        assert_eq!(prepared("p {}", "screen"), "p {}");
        assert_eq!(prepared("p {}", "print, Speech"), "");
        assert_eq!(
            prepared("p {}", "(min-width: 9px)"),
            "@media (min-width: 9px) {\np {}\n}"
        );
        assert_eq!(prepared("p {}", "x} body {display: none"), "");
        assert!(!is_foreign("print, screen") && is_any(" ALL "));
    }

    #[test]
    fn sheets_for_browsers_without_scripts_apply() {
        let html = "<style>body{visibility:hidden}</style><noscript id=x><style>body{visibility:inherit}</style></noscript>";
        let opened = without_scripts(html);
        assert_eq!(
            opened,
            html.replace("<noscript id=x>", "")
                .replace("</noscript>", "")
        );
        for same in [
            "<noscript><p>no scripts</noscript>",
            "<noscript><style>",
            "<noscript",
            "</noscript><noscript>",
        ] {
            assert!(matches!(without_scripts(same), Cow::Borrowed(_)), "{same}");
        }
    }

    #[test]
    fn ordinary_sheets_are_unchanged() {
        let css = "@media (a) { .x, .y { &:hover, &.z { color: red } b, i { top: 0 } } } p::after { content: '}{\\'' } /* } */ a {}";
        assert!(matches!(limited(css), Cow::Borrowed(same) if same == css));
    }

    #[test]
    fn rules_with_too_many_selectors_are_left_out_and_the_others_kept() {
        let bomb = format!("{}color: red{}", "a, b, p { ".repeat(40), "}".repeat(40));
        let css = format!("h1 {{ top: 0 }} {bomb} h2 {{ top: 1px }}");
        let kept = limited(&css);
        assert!(
            kept.starts_with("h1 { top: 0 }") && kept.ends_with("h2 { top: 1px }"),
            "{kept}"
        );
        assert!(kept.matches('{').count() < 14, "{kept}");
        assert_eq!(kept.matches('{').count(), kept.matches('}').count());
        // A block that is never closed.
        let kept = limited(&bomb[..bomb.len() / 2]).into_owned();
        assert!(kept.matches('{').count() < 14, "{kept}");
        let twice = format!("{}color: red", "& &, & & { ".repeat(30));
        assert!(limited(&twice).matches('{').count() < 14);
    }

    proptest! {
        #[test]
        fn any_text_is_accepted(css in "[a{},;&@/*'\"\\\\é \n]{0,80}") {
            let kept = limited(&css);
            prop_assert!(kept.len() <= css.len());
        }
    }

    fn changed(css: &str, own: &str) -> String {
        let base = Url::parse("https://a.example/dir/page").unwrap();
        resolvable(css, &Url::parse(own).unwrap(), &base).into_owned()
    }

    #[test]
    fn imports_of_a_part_without_an_address_are_those_of_the_page() {
        for (css, expected) in [
            (
                "@import 'a.css';",
                "@import \"https://a.example/dir/a.css\";",
            ),
            (
                "@import url(a.css) print;p {}",
                "@import \"https://a.example/dir/a.css\" print;p {}",
            ),
            (
                "/* x */@IMPORT/**/url( \"/a\" );",
                "/* x */@IMPORT/**/\"https://a.example/a\";",
            ),
            (
                "@\\69mport \"a\";",
                "@\\69mport \"https://a.example/dir/a\";",
            ),
            (
                "b{}@import 'a\\22'",
                "b{}@import \"https://a.example/dir/a%22\"",
            ),
            (
                "@import 'http://[';@import 'cid:b@x';",
                "@import \"data:text/css,\";@import 'cid:b@x';",
            ),
            (
                "@media x { @import 'a'; } p::after { content: '@import \"a\"' }",
                "",
            ),
            (
                "@import ;@import x;@import url(a b);@imports 'a';@import",
                "",
            ),
        ] {
            let expected = if expected.is_empty() { css } else { expected };
            assert_eq!(changed(css, "cid:part@x"), expected, "{css}");
        }
    }

    #[test]
    fn imports_that_the_engine_can_resolve_are_unchanged() {
        let css = "@import 'a.css'; @import url(//b.example/x);";
        assert_eq!(changed(css, "https://a.example/a.css#vclean-sheet:"), css);
        assert_eq!(
            changed("@import 'http://[';", "https://a.example/"),
            "@import \"data:text/css,\";"
        );
    }

    proptest! {
        #[test]
        fn every_import_resolves_afterwards(css in "(@import|@im|\\\\|url\\(|[\"'a(){};/* \n]){0,30}") {
            let own = "cid:part@x";
            let once = changed(&css, own);
            prop_assert_eq!(changed(&once, own), once);
        }
    }

    #[test]
    fn declarations_of_unknown_properties_are_renamed() {
        for (css, expected) in [
            ("a { color: red }", "a { color: red }"),
            ("content-visibility: hidden", "--vclean-content: hidden"),
            (
                "a{-WEBKIT-text-fill-color :red!important;b:c}",
                "a{--vclean-fill :red!important;b:c}",
            ),
            (
                "a{-webkit-text-stroke-width:1px;-webkit-text-stroke:1px red}",
                "a{--vclean-stroke-width:1px;--vclean-stroke:1px red}",
            ),
            (
                "a { background-clip: padding-box; }",
                "a { background-clip: padding-box; }",
            ),
            (
                "a { background-clip: text; -webkit-background-clip: text }",
                "a { --vclean-clip: text; --vclean-clip: text }",
            ),
            (
                "@supports (content-visibility: auto) { x: y }",
                "@supports (content-visibility: auto) { x: y }",
            ),
            (
                "a { transition: -webkit-text-fill-color 1s }",
                "a { transition: -webkit-text-fill-color 1s }",
            ),
            (
                "/* ä */ content-visibility: auto",
                "/* ä */ --vclean-content: auto",
            ),
        ] {
            assert_eq!(with_custom_properties(css), expected);
        }
    }
}
