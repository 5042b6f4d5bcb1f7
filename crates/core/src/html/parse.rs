//! Parses HTML as browsers do: `tokens` splits the page into tokens, html5ever builds an arena
//! (`arena`) from them, which `flatten` converts to the preorder [`Dom`].
//!
//! Comments, doctypes and processing instructions are dropped, adjacent text is merged, and
//! declared shadow trees are resolved. The parser is protected from hostile pages, whose tree would
//! otherwise take quadratic time (`guard`).

use super::arena::{MAX_NODES, MAX_OPEN};
use super::flatten::flatten;
use super::short_form::expand_short_form;
use super::streamed::place_parts;
use super::tokens;
use crate::capture::Dom;
use crate::error::{WarningKind, Warnings};
use html5ever::interface::TreeSink;

/// The tree of a page, with warnings.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) dom: Dom,
    /// Warnings about content that was left out.
    pub(crate) warnings: Warnings,
}

/// Parses a page; broken markup is repaired as browsers do. Never fails and never recurses.
///
/// The content of `noscript` is dropped, as in a browser that runs scripts; so is that of a
/// `template`, unless it declares a shadow tree.
pub fn parse_html(html: &str) -> Dom {
    parse_with_warnings(html).dom
}

/// Parses a page and returns warnings about content that was left out.
pub(crate) fn parse_with_warnings(html: &str) -> Parsed {
    let guard = tokens::read(&expand_short_form(html));
    let mut warnings = Warnings::new();
    if guard.depth_cut.get() {
        warnings.add(
            WarningKind::TooLarge,
            format!("elements nested deeper than {MAX_OPEN} are left out; their text is kept"),
        );
    }
    if guard.is_cut.get() {
        warnings.add(WarningKind::TooLarge, format!(
            "the page has more nodes than {MAX_NODES}, or is deep and repeats itself without end; the rest is left out"
        ));
    }
    let mut arena = guard.builder.sink.finish();
    place_parts(&mut arena);
    Parsed {
        dom: flatten(arena, parse_html),
        warnings,
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::format_collect,
    clippy::format_push_string
)]
mod tests {
    use super::*;
    use crate::capture::NodeKind;
    use proptest::prelude::*;

    /// The tree in bracket notation, with text in quotes.
    fn outline(dom: &Dom) -> String {
        let mut out = String::new();
        let mut open = Vec::new();
        for id in dom.ids() {
            while open.last().is_some_and(|&end| end <= id.index()) {
                out.push(')');
                open.pop();
            }
            match dom.kind(id) {
                NodeKind::Document => {}
                NodeKind::Element { tag, .. } => {
                    out.push('(');
                    out.push_str(tag);
                    open.push(dom.end(id));
                }
                NodeKind::Text(text) => {
                    out.push_str(&format!("{text:?}"));
                }
            }
        }
        out.push_str(&")".repeat(open.len()));
        out
    }

    /// The outline of the body's content.
    fn body(html: &str) -> String {
        let whole = outline(&parse_html(&format!("<body>{html}")));
        whole
            .strip_prefix("(html(head)(body")
            .and_then(|rest| rest.strip_suffix("))"))
            .unwrap()
            .to_owned()
    }

    #[test]
    fn broken_markup_is_repaired_as_browsers_do() {
        assert_eq!(
            body("<p>one<p>two <b>bold<i>both</b>it</i>"),
            r#"(p"one")(p"two "(b"bold"(i"both"))(i"it"))"#
        );
        assert_eq!(
            body("<table>lost<tr><td>cell</table>"),
            r#""lost"(table(tbody(tr(td"cell"))))"#
        );
        assert_eq!(body("a<!-- comment -->b"), r#""ab""#);
    }

    #[test]
    fn attributes_and_foreign_names_are_lower_case() {
        let dom = parse_html(
            "<svg viewBox='0 0 1 1'><foreignObject><p CLASS=A>x</p></foreignObject></svg>",
        );
        let tags: Vec<_> = dom.ids().map(|id| dom.tag(id).to_owned()).collect();
        assert!(tags.contains(&"foreignobject".to_owned()));
        let svg = dom.ids().find(|&id| dom.tag(id) == "svg").unwrap();
        assert_eq!(dom.attribute(svg, "viewbox"), Some("0 0 1 1"));
        let p = dom.ids().find(|&id| dom.tag(id) == "p").unwrap();
        assert_eq!(dom.attribute(p, "class"), Some("A"));
    }

    #[test]
    fn the_content_of_noscript_and_templates_is_dropped() {
        assert_eq!(
            body("<noscript>no</noscript><template><p>t</p></template>x"),
            r#"(noscript)(template)"x""#
        );
    }

    proptest! {
        #[test]
        fn any_text_becomes_a_tree(html in "(<(/?(p|b|a|div|table|tr|td|template shadowrootmode=open|slot|svg|select|option|li|ul|form|script|frameset)( x=1)?)>|[a-z<&;! \n]{0,4}|<!--|-->){0,60}") {
            prop_assert!(parse_html(&html).is_consistent());
        }

        #[test]
        fn any_bytes_become_a_tree(html in "\\PC{0,200}") {
            prop_assert!(parse_html(&html).is_consistent());
        }
    }
}
