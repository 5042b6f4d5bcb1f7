//! Parts of a page that are in its tree and that readers see later: panels that they unfold with a
//! click, such as tabs, answers to questions and shortened texts, and parts that a script of the
//! page draws a curtain from. They belong to the page's text like the content of a `details`
//! element.

use super::{Dom, NodeId};
use crate::text::{count_letters, is_blank};
use serde::Serialize;
use std::collections::HashSet;

/// The rules for panels and late parts as tables, which `js/unfold.js` applies too.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct PanelRules {
    /// Maximum number of panels that a renderer opens on a page; the others stay closed. Limits the
    /// work on hostile pages.
    pub most: usize,
    /// Tags of elements that can be panels, and their `display` when open.
    pub tags: &'static [(&'static str, &'static str)],
    /// Values of `role` that mark a panel.
    pub roles: &'static [&'static str],
    /// Words in the class of a panel.
    pub words: &'static [&'static str],
    /// Attributes that name by its `id` the panel that their element opens.
    pub naming: &'static [&'static str],
    /// Tags beside a panel that open it. A heading opens one that follows it only if it holds such
    /// an element, or if headings and panels alternate: anything may be hidden below a heading.
    pub openers: &'static [&'static str],
    /// Parts of the class of an element beside a panel that opens it.
    pub opener_words: &'static [&'static str],
    /// Parts of the class or `id` of elements that lie over the page or hold its navigation; they
    /// are not panels.
    pub overlays: &'static [&'static str],
    /// Elements that hold no running text of a page.
    pub beside: &'static [&'static str],
    /// Largest number of letters of an opener. Heuristic: a long question.
    pub most_opener_letters: usize,
    /// Smallest number of letters in a panel that is found by its opener alone. Heuristic.
    pub least_letters: usize,
    /// Number of nodes of an element that are looked at. Limits the work on hostile pages.
    pub most_nodes: usize,
    /// Number of letters from which a text node is running text.
    pub running_letters: usize,
    /// Number of running text nodes from which hidden ones may be late. Heuristic: an attack hides
    /// one passage, and a script that fades in an article hides all below the first screen.
    pub late_texts: usize,
    /// Share of the page's running text from which hidden text is late. Heuristic.
    pub late_share: f64,
}

/// The rules. Words were chosen by hand on pages of the data sets and on what public libraries
/// write: Bootstrap, Elementor, Divi, Materialize and others.
pub const PANEL_RULES: PanelRules = PanelRules {
    most: 2_000,
    tags: &[
        ("div", "block"),
        ("section", "block"),
        ("article", "block"),
        ("dd", "block"),
        ("li", "list-item"),
        ("ul", "block"),
        ("ol", "block"),
        ("span", "inline"),
        ("p", "block"),
        ("blockquote", "block"),
        ("table", "table"),
        ("tr", "table-row"),
        ("td", "table-cell"),
    ],
    roles: &["tabpanel", "region"],
    words: &[
        "accordion",
        "accordions",
        "answer",
        "expander",
        "expandable",
        "faq",
        "faqs",
        "more",
        "collapsible",
        "tabpanel",
    ],
    naming: &[
        "aria-controls",
        "data-target",
        "data-bs-target",
        "data-toggle-target",
        "for",
        "href",
    ],
    openers: &["button", "summary", "label"],
    opener_words: &[
        "toggle",
        "trigger",
        "question",
        "accordion",
        "collaps",
        "expand",
        "more",
        "continue",
        "unfold",
    ],
    overlays: &[
        "modal",
        "dialog",
        "popup",
        "popover",
        "overlay",
        "lightbox",
        "fancybox",
        "mfp",
        "tooltip",
        "dropdown",
        "offcanvas",
        "off-canvas",
        "drawer",
        "menu",
        "navbar",
        "cookie",
        "consent",
        "search",
        "login",
        "signup",
    ],
    beside: &[
        "nav", "header", "footer", "aside", "form", "dialog", "a", "noscript",
    ],
    most_opener_letters: 240,
    least_letters: 6,
    most_nodes: 400,
    running_letters: 60,
    late_texts: 2,
    late_share: 0.25,
};

/// Elements that the page's navigation and dialogs are in.
const OUTSIDE: [&str; 3] = ["nav", "dialog", "form"];
/// Number of enclosing elements that are looked at.
const MAX_UP: usize = 48;
/// Number of nodes of an opener that are searched for a button. Heuristic.
const MAX_OPENER_NODES: usize = 12;
/// Finds the panels of a page.
pub struct Panels<'d> {
    dom: &'d Dom,
    /// The `id`s of elements that another element opens.
    named: HashSet<&'d str>,
}

impl<'d> Panels<'d> {
    /// Reads the page once, for the names of panels.
    pub fn find(dom: &'d Dom) -> Self {
        let mut named = HashSet::new();
        let mut outside = 0;
        for id in dom.ids().filter(|&id| dom.is_element(id)) {
            // Parts that a menu opens belong to it.
            if id.index() >= outside && is_navigation(dom, id) {
                outside = dom.end(id);
            }
            if id.index() < outside {
                continue;
            }
            for (name, value) in dom.attributes(id).iter() {
                if !PANEL_RULES.naming.contains(&name) {
                    continue;
                }
                // An `href` names a part of this page only after its sign.
                let is_address = name == "href";
                let names = value.split_ascii_whitespace();
                named.extend(names.filter_map(|value| match value.strip_prefix('#') {
                    Some(name) => Some(name),
                    None => (!is_address).then_some(value),
                }));
            }
        }
        named.remove("");
        Self { dom, named }
    }

    /// True if an attribute of another element names this one as the part that it opens.
    pub fn is_named(&self, id: NodeId) -> bool {
        self.dom
            .attribute(id, "id")
            .is_some_and(|own| self.named.contains(own))
    }

    /// True if readers can unfold an element that is closed: because of its role, a word of its
    /// class, or what stands before or after it. `js/unfold.js` applies the same rules.
    pub fn is_panel(&self, id: NodeId) -> bool {
        self.is_closed(id, false)
    }

    /// True if readers can unfold an element whose height is closed: as
    /// [`is_panel`](Self::is_panel), and any control behind it opens it.
    pub fn is_folded(&self, id: NodeId) -> bool {
        self.is_closed(id, true)
    }

    fn is_closed(&self, id: NodeId, is_folded: bool) -> bool {
        let dom = self.dom;
        if !PANEL_RULES.tags.iter().any(|(tag, _)| *tag == dom.tag(id)) {
            return false;
        }
        is_panel_by_name(dom, id)
            || !is_overlay(dom, id)
                && (self.is_named(id)
                    || is_opened_from_before(dom, id)
                    || is_opened_from_behind(dom, id, is_folded))
                && is_prose(dom, id)
                && !is_inside(dom, id, &OUTSIDE)
    }
}

/// True if an attribute of frameworks hides an element until their script has filled it, such as
/// `v-cloak`.
pub fn is_cloaked(dom: &Dom, id: NodeId) -> bool {
    let is_cloak = |word: &str| {
        let start = word.len().checked_sub(5);
        start
            .and_then(|start| word.get(start..))
            .is_some_and(|end| end.eq_ignore_ascii_case("cloak"))
    };
    let mut attributes = dom.attributes(id).iter();
    attributes.any(|(name, value)| {
        is_cloak(name) || name == "class" && value.split_ascii_whitespace().any(is_cloak)
    })
}

/// The parts among `hidden` that a script of the page would show: together they hold much of its
/// running text, and leave a hole in it. `hidden` are elements in the flow of the page that take
/// their space and that nobody sees, in document order.
pub fn late_parts(dom: &Dom, hidden: &[NodeId]) -> Vec<NodeId> {
    if hidden.is_empty() {
        return Vec::new();
    }
    let mut parts = hidden.iter().copied().peekable();
    let mut current: Option<NodeId> = None;
    let (mut late, mut found) = (Vec::new(), [0usize; 2]);
    let mut texts = 0;
    for id in dom.ids() {
        if let Some(part) = parts.next_if(|part| *part <= id)
            && current.is_none_or(|outer| !dom.contains(outer, part))
        {
            current = Some(part);
        }
        let Some(letters) = running_letters(dom, id) else {
            continue;
        };
        let part = current.filter(|&part| dom.contains(part, id));
        found[usize::from(part.is_some())] += letters;
        if let Some(part) = part {
            texts += 1;
            if late.last() != Some(&part) {
                late.push(part);
            }
        }
    }
    let [shown, hidden] = found.map(|letters| letters as f64);
    let is_late =
        texts >= PANEL_RULES.late_texts && hidden >= PANEL_RULES.late_share * (shown + hidden);
    if is_late { late } else { Vec::new() }
}

/// Number of letters of a text node that is running text; `None` for other nodes.
fn running_letters(dom: &Dom, id: NodeId) -> Option<usize> {
    let letters = dom.text(id).map(count_letters)?;
    let is_text = letters >= PANEL_RULES.running_letters
        && !dom
            .parent(id)
            .is_some_and(|parent| dom.element(parent).is_hidden())
        && !is_inside(dom, id, PANEL_RULES.beside);
    is_text.then_some(letters)
}

/// True if an element around a node has one of these tags, or the role of navigation.
fn is_inside(dom: &Dom, id: NodeId, tags: &[&str]) -> bool {
    dom.ancestors(id)
        .take(MAX_UP)
        .any(|up| tags.contains(&dom.tag(up)) || is_navigation(dom, up))
}

fn is_navigation(dom: &Dom, id: NodeId) -> bool {
    dom.tag(id) == "nav"
        || dom.attribute(id, "role").is_some_and(|role| {
            matches!(
                role,
                "navigation" | "menu" | "menubar" | "dialog" | "alertdialog"
            )
        })
}

/// True if the role or a word of the class marks an element as a panel.
fn is_panel_by_name(dom: &Dom, id: NodeId) -> bool {
    let has_word = |class: &str| {
        let mut words = class.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| {
            let is_same = |panel: &&str| word.eq_ignore_ascii_case(panel);
            PANEL_RULES.words.iter().any(is_same)
        })
    };
    let attributes = dom.attributes(id);
    attributes
        .get("role")
        .is_some_and(|role| PANEL_RULES.roles.contains(&role))
        || attributes.get("class").is_some_and(has_word)
}

/// True if the class, `id` or role of an element tells that it lies over the page, or is a menu.
fn is_overlay(dom: &Dom, id: NodeId) -> bool {
    let attributes = dom.attributes(id);
    let names = ["class", "id"]
        .iter()
        .filter_map(|name| attributes.get(name));
    is_navigation(dom, id)
        || names
            .map(str::to_ascii_lowercase)
            .any(|name| PANEL_RULES.overlays.iter().any(|part| name.contains(part)))
}

/// True if an element holds text that is not mostly links.
fn is_prose(dom: &Dom, id: NodeId) -> bool {
    let (mut letters, mut linked, mut link_end) = (0, 0, 0);
    for inner in dom.descendants(id).take(PANEL_RULES.most_nodes) {
        if dom.tag(inner) == "a" {
            link_end = dom.end(inner);
        }
        let is_text = dom
            .parent(inner)
            .is_some_and(|parent| !dom.element(parent).is_hidden());
        let count = dom.text(inner).filter(|_| is_text).map_or(0, count_letters);
        letters += count;
        if inner.index() < link_end {
            linked += count;
        }
    }
    letters >= PANEL_RULES.least_letters && 2 * linked <= letters
}

/// True if the element directly before an element opens it: a button or an element with one, the
/// preview of the text, or one that stands before such an element again and again.
fn is_opened_from_before(dom: &Dom, id: NodeId) -> bool {
    element_before(dom, id).is_some_and(|before| {
        let opens = || {
            is_opener(dom, before)
                || has_part(dom, before, PANEL_RULES.opener_words)
                || repeats(dom, before, id)
        };
        is_short(dom, before) && opens() || is_beginning(dom, before, id)
    })
}

/// Number of letters of a preview that are compared with the whole text; a preview with fewer is
/// none. Heuristic.
const PREVIEW_LETTERS: std::ops::RangeInclusive<usize> = 24..=400;

/// True if an element is the preview of the element after it, which has the whole text: it breaks
/// off with dots, and all letters before these are the first ones of the other.
pub(crate) fn is_preview(dom: &Dom, id: NodeId) -> bool {
    let Some(whole) = element_after(dom, id).filter(|&whole| dom.tag(whole) == dom.tag(id)) else {
        return false;
    };
    // Nearly all other pairs differ in their first letters.
    letters_of(dom, id)
        .take(4)
        .eq(letters_of(dom, whole).take(4))
        && is_beginning(dom, id, whole)
}

fn is_beginning(dom: &Dom, preview: NodeId, whole: NodeId) -> bool {
    let most = PANEL_RULES.most_nodes;
    let (mut text, mut end) = (String::new(), None);
    for part in dom
        .descendants(preview)
        .take(most)
        .filter_map(|id| dom.text(id))
    {
        if text.len() > 4 * PREVIEW_LETTERS.end() {
            break;
        }
        let dots = part.rfind("...").or_else(|| part.rfind('\u{2026}'));
        end = dots.map(|dots| text.len() + dots).or(end);
        text.push_str(part);
    }
    let Some(end) = end else {
        return false;
    };
    // After the dots stands at most the name of a link.
    let letters: Vec<char> = text[..end]
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect();
    PREVIEW_LETTERS.contains(&letters.len())
        && count_letters(&text[end..]) <= 24
        && letters_of(dom, whole).take(letters.len()).eq(letters)
}

/// The letters and digits of an element's texts, in its first 400 nodes.
pub(super) fn letters_of(dom: &Dom, id: NodeId) -> impl Iterator<Item = char> + '_ {
    let texts = dom.descendants(id).take(PANEL_RULES.most_nodes);
    texts
        .filter_map(|inner| dom.text(inner))
        .flat_map(str::chars)
        .filter(|c| c.is_alphanumeric())
}

/// True if a button or a link to nowhere directly after an element opens it. Unless the element is
/// folded, its state or class must say so: many hidden notices stand before a button.
fn is_opened_from_behind(dom: &Dom, id: NodeId, is_folded: bool) -> bool {
    let Some(after) = element_after(dom, id) else {
        return false;
    };
    let leads_nowhere = || {
        dom.attribute(after, "href").is_none_or(|address| {
            address.is_empty() || address.starts_with('#') || address.starts_with("javascript:")
        })
    };
    let is_control = match dom.tag(after) {
        "button" | "label" => true,
        "a" => leads_nowhere(),
        _ => is_control(dom, after),
    };
    let is_certain = is_folded
        || dom.attribute(after, "aria-expanded").is_some()
        || has_part(dom, after, PANEL_RULES.opener_words);
    is_control && is_certain && is_short(dom, after)
}

/// True if an element holds what opens a part of it, or has the class of such elements.
pub(crate) fn holds_opener(dom: &Dom, id: NodeId) -> bool {
    is_opener(dom, id) || has_part(dom, id, PANEL_RULES.opener_words)
}

/// True if an element is a control, or holds one.
fn is_opener(dom: &Dom, id: NodeId) -> bool {
    let is_one = |id: NodeId| PANEL_RULES.openers.contains(&dom.tag(id)) || is_control(dom, id);
    is_one(id) || dom.descendants(id).take(MAX_OPENER_NODES).any(is_one)
}

fn is_control(dom: &Dom, id: NodeId) -> bool {
    let attributes = dom.attributes(id);
    attributes.get("aria-expanded").is_some()
        || attributes
            .get("role")
            .is_some_and(|role| matches!(role, "button" | "tab"))
        || dom.tag(id) == "input"
            && attributes
                .get("type")
                .is_some_and(|kind| matches!(kind, "checkbox" | "radio"))
}

fn has_part(dom: &Dom, id: NodeId, parts: &[&str]) -> bool {
    let class = dom
        .attribute(id, "class")
        .unwrap_or("")
        .to_ascii_lowercase();
    !class.is_empty() && parts.iter().any(|part| class.contains(part))
}

/// True if an element has a few words, or none, as a sign.
fn is_short(dom: &Dom, id: NodeId) -> bool {
    let texts = dom.descendants(id).take(PANEL_RULES.most_nodes);
    let letters = texts.filter_map(|inner| dom.text(inner)).map(count_letters);
    letters.sum::<usize>() <= PANEL_RULES.most_opener_letters
}

/// True if a pair of like elements stands again beside this pair, or in the next or last element
/// like their parent.
fn repeats(dom: &Dom, before: NodeId, id: NodeId) -> bool {
    let is_like = |one: NodeId, other: NodeId| {
        dom.tag(one) == dom.tag(other)
            && dom.attribute(one, "class") == dom.attribute(other, "class")
    };
    let is_pair = |one: Option<NodeId>, other: Option<NodeId>| {
        one.is_some_and(|one| is_like(one, before)) && other.is_some_and(|other| is_like(other, id))
    };
    // Pictures with hidden captions are not questions with answers.
    if letters_of(dom, before).next().is_none() {
        return false;
    }
    // Nor are paragraphs of a text, while the panels of tabs have a class.
    if is_like(before, id) && dom.attribute(id, "class").is_none_or(is_blank) {
        return false;
    }
    let next = element_after(dom, id);
    if is_pair(next, next.and_then(|next| element_after(dom, next))) {
        return true;
    }
    let last = element_before(dom, before);
    if is_pair(last.and_then(|last| element_before(dom, last)), last) {
        return true;
    }
    let Some(parent) = dom.parent(id) else {
        return false;
    };
    [element_after(dom, parent), element_before(dom, parent)]
        .into_iter()
        .flatten()
        .filter(|&beside| is_like(beside, parent))
        .any(|beside| {
            let first = NodeId::new(beside.index() + 1);
            let first = (first.index() < dom.end(beside)).then_some(first);
            let first = first.and_then(|first| {
                if dom.is_element(first) {
                    Some(first)
                } else {
                    element_after(dom, first)
                }
            });
            is_pair(first, first.and_then(|first| element_after(dom, first)))
        })
}

/// The preceding sibling element, if only white space lies between.
pub(crate) fn element_before(dom: &Dom, id: NodeId) -> Option<NodeId> {
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

/// The following sibling element, if only white space lies between.
pub(crate) fn element_after(dom: &Dom, id: NodeId) -> Option<NodeId> {
    let parent = dom.parent(id)?;
    let mut at = dom.end(id);
    for _ in 0..2 {
        if at >= dom.end(parent) {
            return None;
        }
        let next = NodeId::new(at);
        match dom.text(next) {
            Some(text) if !is_blank(text) => return None,
            Some(_) => at += 1,
            None => return Some(next),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    /// The first letters of the hidden elements of a page that are panels.
    fn opened(html: &str) -> String {
        let dom = parse_html(html);
        let panels = Panels::find(&dom);
        let hidden = dom
            .ids()
            .filter(|&id| dom.attribute(id, "hidden").is_some() && panels.is_panel(id));
        hidden
            .filter_map(|id| dom.descendants(id).find_map(|inner| dom.text(inner)))
            .filter_map(|text| text.trim().chars().next())
            .collect()
    }

    #[test]
    fn a_control_before_a_part_opens_it() {
        let answer =
            |letter: &str| format!("{letter} is an answer of a few words, as people give.");
        for before in [
            "<h4><button>Why?</button></h4>",
            "<button>Why?</button>",
            "<div><a role=button>Why?</a></div>",
            "<h5 class=box_toggle_title>Why?</h5>",
            "<input type=checkbox id=i><label for=i>Why?</label>",
        ] {
            let page = format!("{before}\n<div hidden>{}</div>", answer("B"));
            assert_eq!(opened(&page), "B", "{before}");
            let menu = format!("<nav>{page}</nav>");
            assert_eq!(opened(&menu), "", "{before}");
        }
        let terms = format!(
            "<dl>{}</dl>",
            format!("<dt>Why?<dd hidden>{}", answer("C")).repeat(2)
        );
        assert_eq!(opened(&terms), "CC");
        let below_heading = format!("<h4>Why?</h4><div hidden>{}</div>", answer("I"));
        assert_eq!(opened(&below_heading), "");
        let alone = format!("<p>Words</p><div hidden>{}</div>", answer("D"));
        assert_eq!(opened(&alone), "");
        let links =
            "<h4>Why?</h4><ul hidden><li><a href=a>All about the birds of the coast</a></ul>";
        assert_eq!(opened(links), "");
        let over = format!(
            "<h4>Why?</h4><div class=my-modal hidden>{}</div>",
            answer("E")
        );
        assert_eq!(opened(&over), "");
    }

    #[test]
    fn an_address_or_an_attribute_names_the_part_that_opens() {
        let panel = "<p>Words</p><div id=d hidden>F is a table of weights and sizes.</div>";
        for opener in [
            "<a href=#d>Data</a>",
            "<b data-bs-target=#d>Data</b>",
            "<b aria-controls='c d'>Data</b>",
        ] {
            assert_eq!(opened(&format!("<i>{opener}</i>{panel}")), "F", "{opener}");
            assert_eq!(
                opened(&format!("<nav>{opener}</nav>{panel}")),
                "",
                "{opener}"
            );
        }
        assert_eq!(opened(&format!("<a href=d>Data</a>{panel}")), "");
    }

    #[test]
    fn what_repeats_is_a_list_of_questions() {
        let flat = |count| {
            "<p class=q>Why?</p><div hidden>G is an answer of some words.</div>".repeat(count)
        };
        assert_eq!((opened(&flat(1)).len(), opened(&flat(3)).len()), (0, 3));
        let item = "<li><i>Why?</i><div hidden>H is an answer of some words.</div></li>";
        assert_eq!(opened(&format!("<ul>{}</ul>", item.repeat(2))), "HH");
        let text = "<p>The first of them</p><p hidden>K is one of many paragraphs.</p>".repeat(3);
        assert_eq!(opened(&text), "");
        let pictures = item.replace("<i>Why?</i>", "<img src=a.png>").repeat(3);
        assert_eq!(opened(&format!("<ul>{pictures}</ul>")), "");
    }

    #[test]
    fn a_button_behind_a_part_opens_it() {
        let part = "<p>Words</p><div hidden>J is the rest of the story, which goes on.</div>";
        let more = "class=read-more";
        assert_eq!(
            opened(&format!("{part}<button {more}>Read on</button>")),
            "J"
        );
        assert_eq!(opened(&format!("{part}<a href=# {more}>Read on</a>")), "J");
        assert_eq!(
            opened(&format!("{part}<a href=/next {more}>Read on</a>")),
            ""
        );
        let page = format!("{part}<button>Read on</button>");
        assert_eq!(opened(&page), "");
        let dom = parse_html(&page);
        let folded = dom.ids().find(|&id| dom.tag(id) == "div");
        assert!(Panels::find(&dom).is_folded(folded.unwrap()));
    }

    #[test]
    fn the_whole_text_replaces_its_preview() {
        let whole = "The songs of the evening in the hall, in order: one, two, three and four.";
        let page = |preview: &str| {
            format!("<p>Words</p><div>{preview} <a href=#>more</a></div><div hidden>{whole}</div>")
        };
        let found = |preview: &str| {
            let dom = parse_html(&page(preview));
            let divs = dom.ids().filter(|&id| dom.tag(id) == "div");
            divs.filter(|&id| is_preview(&dom, id)).count()
        };
        let preview = "The songs of the <b>evening</b> in the hall, in order: one ...";
        assert_eq!((opened(&page(preview)).as_str(), found(preview)), ("T", 1));
        assert_eq!(
            found("The songs of the evening in the hall, in order: one"),
            0
        );
        assert_eq!(
            found("The songs of the evening in the house, in order ..."),
            0
        );
        assert_eq!(found("The songs ..."), 0);
    }

    #[test]
    fn attributes_that_frameworks_remove_are_known() {
        let dom = parse_html("<p v-cloak><p class='a ng-cloak'><p class=cloaked><p x-cloak=1>");
        let cloaked: Vec<bool> = dom
            .ids()
            .filter(|&id| dom.tag(id) == "p")
            .map(|id| is_cloaked(&dom, id))
            .collect();
        assert_eq!(cloaked, [true, true, false, true]);
    }

    #[test]
    fn a_hole_in_the_text_is_late_and_one_passage_is_not() {
        let text = "These are enough words to be running text, of a page that has some more of it.";
        let late = |hidden: usize, shown: usize| {
            let dom = parse_html(&format!(
                "<div id=h>{}</div>{}<footer>{text}</footer>",
                format!("<p>{text}</p>").repeat(hidden),
                format!("<p>{text}</p>").repeat(shown),
            ));
            let part = dom.ids().find(|&id| dom.attribute(id, "id").is_some());
            late_parts(&dom, &[part.unwrap()]).len()
        };
        assert_eq!(
            (late(2, 2), late(2, 6), late(1, 1), late(2, 7)),
            (1, 1, 0, 0)
        );
    }

    #[test]
    fn deep_pages_are_searched_in_short_time() {
        let dom = parse_html(&"<div hidden><button>x</button>".repeat(20_000));
        let panels = Panels::find(&dom);
        let found = dom.ids().filter(|&id| panels.is_panel(id)).count();
        assert!((400..20_000).contains(&found), "{found}");
    }
}
