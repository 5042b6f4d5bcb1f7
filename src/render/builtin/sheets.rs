//! Style sheets before the engine reads them: for their media, and no larger than it can take.
//!
//! Nested rules are the danger. The engine writes the selectors of the rule around into those of the rule within, so that
//! a few hundred bytes of nested lists (`a, b { a, b { ...`) stand for more selectors than there is memory. The sizes of
//! the lists are worked out beforehand, and rules whose lists would be too long are left out.

use std::borrow::Cow;

/// Most selectors that a rule may stand for when those around it are written into it.
const MAX_SELECTORS: u64 = 10_000;
/// Deepest nesting of blocks that is looked into.
const MAX_DEPTH: usize = 64;

/// Whether a sheet for these media is for every screen.
pub(super) fn is_any(media: &str) -> bool {
    matches!(media.trim().to_ascii_lowercase().as_str(), "" | "all" | "screen")
}

/// Whether a sheet for these media is for no screen at all.
pub(super) fn is_foreign(media: &str) -> bool {
    const OTHERS: [&str; 9] =
        ["print", "speech", "aural", "braille", "handheld", "tty", "tv", "projection", "embossed"];
    !media.trim().is_empty()
        && media.split(',').all(|one| {
            let word = one.split_ascii_whitespace().next().unwrap_or("").to_ascii_lowercase();
            OTHERS.contains(&word.as_str())
        })
}

/// A style sheet that holds for these media only, without what would explode. The engine takes every sheet for every
/// medium.
pub(super) fn prepared(css: &str, media: &str) -> String {
    let media = media.trim();
    if is_any(media) {
        tamed(css).into_owned()
    } else if is_foreign(media) || media.contains(['{', '}', ';']) {
        String::new()
    } else {
        format!("@media {media} {{\n{}\n}}", tamed(css))
    }
}

/// The page with the style sheets that it has for readers without scripts: their `noscript` is opened. Others stay closed;
/// most hold notices and counters.
pub(super) fn without_scripts(html: &str) -> Cow<'_, str> {
    const OPEN: &str = "<noscript";
    const CLOSE: &str = "</noscript>";
    let mut opened = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = html[at..].find(OPEN) {
        let start = at + found;
        let Some(inner) = html[start..].find('>').map(|end| start + end + 1) else { break };
        let Some(end) = html[inner..].find(CLOSE).map(|end| inner + end) else { break };
        let content = html[inner..end].trim();
        if content.starts_with("<style") || (content.starts_with("<link") && content.contains("stylesheet")) {
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

/// A block that is open.
struct Open {
    /// Selectors that the rules around it and its own stand for; 0 outside of rules.
    selectors: u64,
    /// Where its prelude began, if it is left out.
    left_out_from: Option<usize>,
}

/// Where the string ends whose quote stands at `from`: at that quote, or with its line if that comes first.
fn end_of_string(bytes: &[u8], from: usize) -> usize {
    let mut at = from + 1;
    while bytes.get(at).is_some_and(|&next| next != bytes[from] && next != b'\n') {
        at += 1 + usize::from(bytes[at] == b'\\');
    }
    at
}

/// The sheet without rules that stand for too many selectors.
fn tamed(css: &str) -> Cow<'_, str> {
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
                at = css[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 1);
            }
            b'"' | b'\'' => at = end_of_string(bytes, at),
            b',' => commas += 1,
            b'&' => parents += 1,
            b'{' => {
                let around = open.last().map_or(0, |block| block.selectors);
                let is_rule = !css[prelude..at].trim_start().starts_with('@');
                let selectors = if is_rule {
                    parents.max(commas + 1).saturating_mul(around).saturating_add(commas + 1)
                } else {
                    around
                };
                let is_inside_left_out = open.last().is_some_and(|block| block.left_out_from.is_some());
                let is_over = selectors > MAX_SELECTORS || open.len() >= MAX_DEPTH;
                let left_out_from = (is_inside_left_out || is_over).then_some(prelude);
                open.push(Open { selectors, left_out_from });
            }
            b'}' => {
                if let Some(Open { left_out_from: Some(from), .. }) = open.pop()
                    && open.last().is_none_or(|block| block.left_out_from.is_none())
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sheets_hold_for_their_media() {
        assert_eq!(prepared("p {}", "screen"), "p {}");
        assert_eq!(prepared("p {}", "print, Speech"), "");
        assert_eq!(prepared("p {}", "(min-width: 9px)"), "@media (min-width: 9px) {\np {}\n}");
        assert_eq!(prepared("p {}", "x} body {display: none"), "");
        assert!(!is_foreign("print, screen") && is_any(" ALL "));
    }

    #[test]
    fn sheets_for_readers_without_scripts_hold() {
        let html =
            "<style>body{visibility:hidden}</style><noscript id=x><style>body{visibility:inherit}</style></noscript>";
        let opened = without_scripts(html);
        assert_eq!(opened, html.replace("<noscript id=x>", "").replace("</noscript>", ""));
        for same in ["<noscript><p>no scripts</noscript>", "<noscript><style>", "<noscript", "</noscript><noscript>"] {
            assert!(matches!(without_scripts(same), Cow::Borrowed(_)), "{same}");
        }
    }

    #[test]
    fn usual_sheets_stay_as_they_are() {
        let css = "@media (a) { .x, .y { &:hover, &.z { color: red } b, i { top: 0 } } } p::after { content: '}{\\'' } /* } */ a {}";
        assert!(matches!(tamed(css), Cow::Borrowed(same) if same == css));
    }

    #[test]
    fn rules_that_explode_are_left_out_and_the_others_stay() {
        let bomb = format!("{}color: red{}", "a, b, p { ".repeat(40), "}".repeat(40));
        let css = format!("h1 {{ top: 0 }} {bomb} h2 {{ top: 1px }}");
        let kept = tamed(&css);
        assert!(kept.starts_with("h1 { top: 0 }") && kept.ends_with("h2 { top: 1px }"), "{kept}");
        assert!(kept.matches('{').count() < 14, "{kept}");
        assert_eq!(kept.matches('{').count(), kept.matches('}').count());
        // One that is never closed.
        let kept = tamed(&bomb[..bomb.len() / 2]).into_owned();
        assert!(kept.matches('{').count() < 14, "{kept}");
        let twice = format!("{}color: red", "& &, & & { ".repeat(30));
        assert!(tamed(&twice).matches('{').count() < 14);
    }

    proptest! {
        #[test]
        fn any_text_is_taken(css in "[a{},;&@/*'\"\\\\é \n]{0,80}") {
            let kept = tamed(&css);
            prop_assert!(kept.len() <= css.len());
        }
    }
}
