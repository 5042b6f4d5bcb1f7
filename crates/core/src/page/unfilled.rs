//! Recognizes single-page applications, which have hardly any text until their scripts have run.

use crate::capture::{Dom, NodeId};
use crate::elements::is_uncounted;
use crate::text::count_letters;

/// Number of letters below which a page counts as empty. Heuristic: a splash screen or a notice has
/// fewer.
const SCANT_LETTERS: usize = 200;
/// Number of letters that an element may have until scripts fill it. Heuristic: "Loading, please
/// wait" has 18.
const UNFILLED_LETTERS: usize = 60;
/// Depth below the body at which an application puts the element that it fills. Heuristic: at most
/// one element is around it.
const ROOT_DEPTH: usize = 2;

/// Returns true if a page looks like an application that its scripts have not filled: it has hardly
/// any text, a script, and near the root a named element that is almost empty.
pub fn is_unfilled(dom: &Dom) -> bool {
    !has_text(dom)
        && dom.ids().any(|id| is_program(dom, id))
        && dom.ids().any(|id| is_empty_root(dom, id))
}

/// Returns true if there are [`SCANT_LETTERS`] characters of text, not counting white space,
/// outside scripts, styles and the head.
pub(super) fn has_text(dom: &Dom) -> bool {
    has_letters(dom, Dom::ROOT, SCANT_LETTERS)
}

/// Returns true if part of a tree has at least this many letters outside scripts, styles and the
/// head.
fn has_letters(dom: &Dom, part: NodeId, least: usize) -> bool {
    let (mut sum, mut skip_until) = (0, 0);
    for id in dom.descendants(part) {
        if is_uncounted(dom.tag(id)) {
            skip_until = skip_until.max(dom.end(id));
        }
        if id.index() >= skip_until {
            sum += dom.text(id).map_or(0, count_letters);
            if sum >= least {
                return true;
            }
        }
    }
    false
}

fn is_program(dom: &Dom, id: NodeId) -> bool {
    let kind = dom
        .attribute(id, "type")
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    dom.tag(id) == "script"
        && (matches!(kind.as_str(), "" | "module") || kind.contains("javascript"))
        && (dom.attribute(id, "src").is_some() || dom.end(id) > id.index() + 1)
}

/// Returns true for an almost empty element with an `id` or a custom name, at most [`ROOT_DEPTH`]
/// below the body.
fn is_empty_root(dom: &Dom, id: NodeId) -> bool {
    let tag = dom.tag(id);
    let has_name = dom.attribute(id, "id").is_some() || tag.contains('-');
    let is_near = || {
        dom.ancestors(id)
            .take(ROOT_DEPTH)
            .any(|up| dom.tag(up) == "body")
    };
    (matches!(tag, "div" | "main" | "section") || tag.contains('-'))
        && has_name
        && is_near()
        && !has_letters(dom, id, UNFILLED_LETTERS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn applications_are_told_from_short_pages() {
        let text = "Herring gulls drop mussels on rocks. ".repeat(12);
        for (html, expected) in [
            ("<div id=root></div><script src=app.js></script>", true),
            (
                "<div id=app>Loading...</div><script type=module src=/app.js></script>",
                true,
            ),
            (
                "<noscript>You need to enable JavaScript.</noscript><div class=w><div id=app></div></div><script>go()</script>",
                true,
            ),
            ("<app-root></app-root><script src=main.js></script>", true),
            ("<div id=root></div>", false),
            (
                "<div id=root></div><script type='application/ld+json'>{}</script>",
                false,
            ),
            (
                "<p>Herring gulls drop mussels.</p><script src=count.js></script>",
                false,
            ),
            (
                "<div><div><div><div id=ad></div></div></div></div><script src=count.js></script>",
                false,
            ),
            (
                &format!("<p>{text}</p><div id=comments></div><script src=app.js></script>"),
                false,
            ),
        ] {
            assert_eq!(is_unfilled(&parse_html(html)), expected, "{html}");
        }
    }
}
