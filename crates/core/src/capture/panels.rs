//! Parts of a page that readers unfold with a click: panels of tabs, answers in lists of questions,
//! shortened texts. Like the content of a `details` element they belong to the page's text although
//! they are closed at first.

use super::{Dom, NodeId};
use crate::text::is_blank;

/// Maximum number of panels that a renderer opens on a page; the others stay closed. Limits the
/// work on hostile pages.
pub const MAX_PANELS: usize = 2_000;
/// Tags of elements that can be panels, and their `display` when open.
pub const PANEL_TAGS: [(&str, &str); 7] = [
    ("div", "block"),
    ("section", "block"),
    ("dd", "block"),
    ("li", "list-item"),
    ("span", "inline"),
    ("p", "block"),
    ("td", "table-cell"),
];
/// Values of `role` that mark a panel.
pub const PANEL_ROLES: [&str; 2] = ["tabpanel", "region"];
/// Words in the class of a panel. Chosen by hand on pages of the data sets.
pub const PANEL_WORDS: [&str; 8] = [
    "accordion",
    "accordions",
    "answer",
    "expander",
    "expandable",
    "faq",
    "faqs",
    "more",
];

/// True if readers can unfold an element, such as the panel of a tab or an answer: because of its
/// role, a word of its class, or a button in the heading before it. `js/unfold.js` applies the same
/// rules.
pub fn is_panel(dom: &Dom, id: NodeId) -> bool {
    PANEL_TAGS.iter().any(|(tag, _)| *tag == dom.tag(id))
        && (is_named_panel(dom, id) || is_unfolded_by_heading(dom, id))
}

/// True if the role or a word of the class marks an element as a panel.
fn is_named_panel(dom: &Dom, id: NodeId) -> bool {
    let attributes = dom.attributes(id);
    let has_word = |class: &str| {
        let mut words = class.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| {
            PANEL_WORDS
                .iter()
                .any(|panel| word.eq_ignore_ascii_case(panel))
        })
    };
    attributes
        .get("role")
        .is_some_and(|role| PANEL_ROLES.contains(&role))
        || attributes.get("class").is_some_and(has_word)
}

/// True if the heading or term directly before an element has a button that unfolds it, as in lists
/// of questions.
fn is_unfolded_by_heading(dom: &Dom, id: NodeId) -> bool {
    /// Number of nodes of the heading that are searched for the button. Heuristic.
    const MAX_NODES: usize = 12;
    let Some(name) = dom
        .attribute(id, "id")
        .filter(|_| matches!(dom.tag(id), "div" | "dd" | "section"))
    else {
        return false;
    };
    let Some(heading) = element_before(dom, id)
        .filter(|&before| dom.element(before).is_heading() || dom.tag(before) == "dt")
    else {
        return false;
    };
    let unfolds = |button: NodeId| {
        dom.attribute(button, "aria-expanded").is_some()
            && dom.attribute(button, "aria-controls") == Some(name)
    };
    dom.descendants(heading).take(MAX_NODES).any(unfolds)
}

/// The preceding sibling element, if only white space lies between.
fn element_before(dom: &Dom, id: NodeId) -> Option<NodeId> {
    let parent = dom.parent(id)?;
    let mut at = id.index();
    for _ in 0..2 {
        let last = NodeId::new(at.checked_sub(1)?);
        let before = std::iter::once(last)
            .chain(dom.ancestors(last))
            .take(16)
            .find(|&up| dom.parent(up) == Some(parent))?;
        match dom.text(before) {
            Some(text) if !is_blank(text) => return None,
            Some(_) => at = before.index(),
            None => return Some(before),
        }
    }
    None
}
