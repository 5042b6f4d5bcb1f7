//! Texts that are signs for the use of the page and not read with it: links of a block to itself,
//! such as a pilcrow at its end, and icons that a font draws.

use crate::capture::{Dom, NodeId};
use crate::text::is_private;

/// Longest text that is examined, in bytes; the longest names of icons have some 40.
const MAX_BYTES: usize = 48;

/// Longest text of private characters that is icons, such as five stars. Heuristic: a longer one is
/// text in a script that Unicode lacks.
const MAX_ICON_CHARS: usize = 12;

/// Number of elements above a link that may be the block it leads to, and number of nodes around it
/// that are examined. Heuristic.
const MAX_LEVELS: usize = 6;
const MAX_NODES: usize = 12;

/// Signs of links to the block that they are in; a variation selector may follow.
const PERMALINK_SIGNS: &[char] = &[
    '\u{b6}',
    '#',
    '\u{a7}',
    '\u{1f517}',
    '\u{221e}',
    '\u{2693}',
    '\u{1f4ce}',
    '\u{2756}',
    '\u{fe0e}',
    '\u{fe0f}',
];

/// Parts of the classes that documentation systems give to such links.
const PERMALINK_NAMES: &[&str] = &[
    "permalink",
    "headerlink",
    "header-link",
    "header-anchor",
    "heading-anchor",
    "heading-link",
    "anchor-link",
    "anchorlink",
    "anchorjs-link",
    "doc-anchor",
    "hash-link",
    "self-link",
    "selflink",
    "section-link",
    "pilcrow",
    "paralink",
];

/// Beginnings of the classes that fonts with ligatures give to an icon, whose text is its name:
/// those of Google.
const LIGATURE_CLASSES: &[&str] = &[
    "material-icons",
    "material-symbols",
    "google-material-icons",
    "google-symbols",
    "mat-icon",
    "md-icon",
];

/// True if a text is a sign of the page: the link of a block to itself, or an icon.
pub(super) fn is_ornament(dom: &Dom, id: NodeId, text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_BYTES {
        return false;
    }
    if text.is_ascii() {
        return text == "#" && is_permalink(dom, id, text) || is_icon_name(dom, id, text);
    }
    let is_icon = |c: char| is_private(c) || c.is_whitespace();
    text.chars().count() <= MAX_ICON_CHARS && text.chars().all(is_icon)
        || is_permalink(dom, id, text)
}

/// True if a text is the whole of a link that leads to the block it is in.
fn is_permalink(dom: &Dom, id: NodeId, text: &str) -> bool {
    if !text.chars().all(|c| PERMALINK_SIGNS.contains(&c)) {
        return false;
    }
    let Some(link) = dom
        .ancestors(id)
        .take(4)
        .find(|&up| dom.tag(up) == "a")
        .filter(|&link| is_whole(dom, link, id))
    else {
        return false;
    };
    let Some(href) = dom
        .attribute(link, "href")
        .filter(|_| !is_mark_of_note(dom, link))
    else {
        return false;
    };
    let is_named = ["class", "title", "aria-label", "rel"].iter().any(|name| {
        dom.attribute(link, name).is_some_and(|value| {
            let value = value.to_ascii_lowercase();
            PERMALINK_NAMES.iter().any(|part| value.contains(part))
        })
    });
    let Some((_, name)) = href.split_once('#') else {
        return is_named;
    };
    // A pilcrow that leads to a place of the page is never a word of a sentence.
    is_named || text.starts_with('\u{b6}') || leads_to_own_block(dom, link, name)
}

/// True if a link may be the mark of a footnote, for which the same signs are used.
fn is_mark_of_note(dom: &Dom, link: NodeId) -> bool {
    let is_raised = std::iter::once(link)
        .chain(dom.ancestors(link).take(2))
        .chain(dom.descendants(link).take(2))
        .any(|near| dom.tag(near) == "sup");
    let names_note = |name: &str| {
        dom.attribute(link, name).is_some_and(|value| {
            let value = value.to_ascii_lowercase();
            ["#fn", "#_ftn", "note"]
                .iter()
                .any(|part| value.contains(part))
        })
    };
    is_raised
        || ["href", "class", "role"]
            .iter()
            .any(|name| names_note(name))
}

/// True if an element has no text but this one.
fn is_whole(dom: &Dom, element: NodeId, id: NodeId) -> bool {
    dom.end(element) - element.index() <= MAX_NODES
        && dom
            .descendants(element)
            .all(|other| other == id || dom.text(other).is_none_or(|text| text.trim().is_empty()))
}

/// True if the anchor of a name is the link, an element around it, or one shortly before it. A
/// section sign before a number is a word, as in "§ 2".
fn leads_to_own_block(dom: &Dom, link: NodeId, name: &str) -> bool {
    let is_anchor = |id: NodeId| {
        !name.is_empty()
            && (dom.attribute(id, "id") == Some(name) || dom.attribute(id, "name") == Some(name))
    };
    let before = (link.index().saturating_sub(MAX_NODES)..link.index()).map(NodeId::new);
    let next = (dom.end(link)..dom.len())
        .take(MAX_NODES)
        .filter_map(|at| dom.text(NodeId::new(at)))
        .find(|text| !text.trim().is_empty());
    let is_before_number =
        next.is_some_and(|text| text.trim_start().starts_with(|c: char| c.is_numeric()));
    !is_before_number
        && std::iter::once(link)
            .chain(dom.ancestors(link).take(MAX_LEVELS))
            .chain(before)
            .any(is_anchor)
}

/// True if a text is the name of an icon, which a font shows as a picture.
fn is_icon_name(dom: &Dom, id: NodeId, text: &str) -> bool {
    let is_name = text.bytes().all(|byte| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-')
    });
    if !is_name {
        return false;
    }
    let Some(element) = dom.parent(id).filter(|&up| is_whole(dom, up, id)) else {
        return false;
    };
    let class = dom.attribute(element, "class").unwrap_or("");
    let mut classes = class.split_ascii_whitespace();
    let is_of_font = |name: &str| LIGATURE_CLASSES.iter().any(|start| name.starts_with(start));
    if classes.clone().any(is_of_font) || dom.attribute(element, "fonticon").is_some() {
        return true;
    }
    // Elements of component libraries: `mat-icon`, `md-icon`, `v-icon` and others.
    if dom.tag(element).ends_with("-icon") {
        return true;
    }
    // Icons of other fonts: only the underscore or the attribute shows that it is not a word.
    let is_icon = |name: &str| {
        name.split(['-', '_'])
            .any(|part| matches!(part, "icon" | "icons" | "symbols"))
    };
    matches!(dom.tag(element), "i" | "span" | "em")
        && classes.any(is_icon)
        && (text.contains('_') || dom.attribute(element, "aria-hidden") == Some("true"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    fn left(html: &str) -> String {
        let dom = parse_html(html);
        let texts = dom.ids().filter_map(|id| {
            let text = dom.text(id)?;
            (!is_ornament(&dom, id, text)).then_some(text)
        });
        crate::text::collapse(&texts.collect::<String>())
    }

    #[test]
    fn links_of_blocks_to_themselves_are_not_text() {
        for html in [
            "<p id=a>One.<a href='#a' class=x>\u{b6}</a>",
            "<dt id=a>One.<a class=headerlink href='#a' title='Permalink to this'>#</a>",
            "<p><a id=a></a>One. <a href='/page#a'>#</a>",
            "<h2 id=a>One.<a href='#a'><span>\u{1f517}\u{fe0f}</span></a>",
            "<h2 id=a><a href='#a' class=doc-anchor>\u{a7}</a>One.",
            "<h2 id=a><a href='#a'>\u{a7}</a>One.",
            "<p>One.</p><a class=pilcrow href='#x'>\u{b6}</a>",
            "<figcaption>One.<a class=headerlink href='#f'>\u{b6}</a></figcaption>",
        ] {
            assert_eq!(left(html), "One.", "{html}");
        }
        for (html, text) in [
            ("<a href='#num'>#</a> <a href='#a'>A</a>", "# A"),
            (
                "<h3 id=s2><a href='#s2'>\u{a7}</a> 2 Fines</h3>",
                "\u{a7} 2 Fines",
            ),
            ("<p>See <a href='#a'>\u{a7} 2</a>", "See \u{a7} 2"),
            ("<p>The sign \u{b6}", "The sign \u{b6}"),
            ("<p id=a>Star <a href='#a'>*</a>", "Star *"),
            (
                "<p>So<a href='#fn4'>\u{b6}</a> or<sup><a href='#x'>\u{b6}</a></sup>",
                "So\u{b6} or\u{b6}",
            ),
        ] {
            assert_eq!(left(html), text, "{html}");
        }
    }

    #[test]
    fn icons_of_fonts_are_not_text() {
        for html in [
            "<span class=material-icons>arrow_forward</span> One.",
            "<i class='material-symbols-rounded x'> home </i>One.",
            "<mat-icon role=img class='mat-icon notranslate'>close</mat-icon>One.",
            "<v-icon>mdi-star</v-icon>One.",
            "<i class=icon aria-hidden=true>home</i>One.",
            "<i class='x icon'>\u{e900}</i>One.",
            "One.<span>\u{f08e} \u{f0001}</span>",
        ] {
            assert_eq!(left(html), "One.", "{html}");
        }
        for (html, text) in [
            ("<span class=icon-new>new</span> One.", "new One."),
            ("<span class=material-icons>Two words</span>", "Two words"),
            ("<p class=text>check_circle</p>", "check_circle"),
            ("<code class=language-c>home</code>", "home"),
        ] {
            assert_eq!(left(html), text, "{html}");
        }
    }
}
