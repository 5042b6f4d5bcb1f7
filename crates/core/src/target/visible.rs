//! Finds the text nodes of a page that a reader can see, and how elements are displayed, from the
//! computed style or from the markup.

use super::gutter::line_numbers;
use super::ornaments::is_ornament;
use crate::capture::{
    Capture, Display, Dom, HiddenCause, Layout, NodeId, Panels, Visibility, is_note_beside_mark,
    is_preview, late_parts, mark_beside_note,
};
use crate::elements::{DefaultDisplay, Element};
use crate::text::count_letters;
use std::cell::LazyCell;

const NOSCRIPT: Element = Element::known("noscript");

/// Number of letters below which a page without its `noscript` parts counts as empty, and a hidden
/// part as small. Heuristic: a splash screen or a notice has fewer.
const SCANT_LETTERS: usize = 200;

/// The texts of a page, and the parts that hide some of them.
pub(super) struct Texts {
    /// Visibility of each node to readers; `None` for nodes that are not text of the page.
    pub(super) visibility: Vec<Option<Visibility>>,
    /// The outermost elements of bare HTML that are hidden, in document order.
    pub(super) hidden: Vec<NodeId>,
}

/// Visibility of each text node to readers; `None` for nodes that are not text of the page: white
/// space, scripts, pronunciations, line numbers, words for screen readers, closed dialogs and small
/// hidden parts.
///
/// The `noscript` parts of a page rendered without scripts are used only if there is hardly any
/// other text: on most pages they hold pictures and notices, in some applications the whole text.
///
/// With `all_hidden`, small hidden parts are text of the page too.
pub(super) fn find_texts(capture: &Capture, all_hidden: bool) -> Texts {
    let found = find_texts_outside(capture, all_hidden, Element::is_hidden);
    if capture.layout.is_none() || visible_letters(&capture.dom, &found.visibility) >= SCANT_LETTERS
    {
        return found;
    }
    let more = find_texts_outside(capture, all_hidden, |element| {
        element != NOSCRIPT && element.is_hidden()
    });
    if visible_letters(&capture.dom, &more.visibility) >= SCANT_LETTERS {
        more
    } else {
        found
    }
}

/// True if text of this visibility belongs to the text that readers see.
pub(super) fn is_visible(visibility: Visibility) -> bool {
    !matches!(visibility, Visibility::Hidden(_))
}

/// Number of characters that are not white space in the visible texts.
fn visible_letters(dom: &Dom, found: &[Option<Visibility>]) -> usize {
    dom.ids()
        .filter(|id| found[id.index()].is_some_and(is_visible))
        .map(|id| dom.text(id).map_or(0, count_letters))
        .sum()
}

/// [`find_texts`] without the elements for which `is_hidden` is true.
fn find_texts_outside(
    capture: &Capture,
    all_hidden: bool,
    is_hidden: fn(Element) -> bool,
) -> Texts {
    let dom = &capture.dom;
    let is_rendered = capture.layout.is_some();
    let mut found = vec![None; dom.len()];
    let mut hidden_parts = Vec::new();
    let markup = Markup::new(dom);
    let line_numbers = line_numbers(dom);
    // Ends of the current parts that are left out, that are hidden by markup, and that are small
    // and hidden by markup, which are left out unless the page shows them.
    let (mut left_out, mut hidden, mut small) = (0, 0, 0);
    for id in dom.ids() {
        let index = id.index();
        if index < left_out {
            continue;
        }
        let Some(text) = dom.text(id) else {
            // A frame's document is a child of `iframe`; a node without a box may still have
            // children with one (`display: contents`).
            let has_page = is_rendered && matches!(dom.tag(id), "iframe" | "object" | "frameset");
            let is_left_out = is_hidden(dom.element(id)) && !has_page
                || is_reading(dom, id)
                || index >= small && is_preview(dom, id);
            if is_left_out {
                left_out = dom.end(id);
            } else if index >= small && is_for_few(dom, id) {
                hidden_parts.push(id);
                if all_hidden {
                    hidden = hidden.max(dom.end(id));
                } else {
                    small = dom.end(id);
                }
            } else if index >= small.max(hidden) && markup.hides(id) {
                hidden_parts.push(id);
                if all_hidden || hides_much(dom, id) {
                    hidden = dom.end(id);
                } else {
                    small = dom.end(id);
                }
            }
            if index < small && !is_rendered {
                left_out = small;
            }
            continue;
        };
        let is_text = has_ink(text)
            && (!is_placeholder(text) || is_in_code(dom, id))
            && !line_numbers.contains(&id)
            && !is_ornament(dom, id, text);
        let not_displayed =
            (index >= small).then_some(Visibility::Hidden(HiddenCause::NotDisplayed));
        found[index] = match &capture.layout {
            _ if !is_text => None,
            Some(layout) if is_laid_out(layout, id) => Some(layout.visibility(id)),
            Some(layout) if is_in_note(layout, dom, id) => Some(Visibility::Unknown),
            Some(_) => not_displayed,
            None if index < hidden => not_displayed,
            None => Some(Visibility::Shown),
        };
    }
    let hidden = if is_rendered {
        Vec::new()
    } else {
        hidden_parts
    };
    Texts {
        visibility: found,
        hidden,
    }
}

/// True if a text has a line on the rendered page.
fn is_laid_out(layout: &Layout, text: NodeId) -> bool {
    layout.style(text).is_some_and(|style| style.is_visible)
        && layout.lines(text).iter().any(|line| !line.rect.is_empty())
}

/// True if a text is in a note that the page shows on request, beside a mark that is laid out.
fn is_in_note(layout: &Layout, dom: &Dom, text: NodeId) -> bool {
    const MAX_LEVELS: usize = 6;
    let note = dom
        .ancestors(text)
        .take(MAX_LEVELS)
        .find(|&up| is_note_beside_mark(dom, up));
    note.is_some_and(|note| {
        let mark = mark_beside_note(dom, note);
        mark.into_iter().any(|id| is_laid_out(layout, id))
    })
}

/// True if an element has so much text that the page may have been meant to show it.
fn hides_much(dom: &Dom, id: NodeId) -> bool {
    let mut letters = 0;
    dom.descendants(id).any(|inner| {
        let is_text = dom
            .parent(inner)
            .is_some_and(|parent| !dom.element(parent).is_hidden());
        letters += dom.text(inner).filter(|_| is_text).map_or(0, count_letters);
        letters >= SCANT_LETTERS
    })
}

/// True if an element gives the pronunciation of the text before it (HTML standard, section
/// 4.5.10): small letters above the line that are not part of the sentence.
fn is_reading(dom: &Dom, id: NodeId) -> bool {
    dom.element(id) == Element::UNKNOWN
        && matches!(dom.tag(id), "rt" | "rp" | "rtc")
        && dom.ancestors(id).any(|up| dom.tag(up) == "ruby")
}

/// True if a text consists only of placeholders that a script of the page would fill, such as
/// `{{ product.name }}`.
fn is_placeholder(text: &str) -> bool {
    let mut rest = text.trim_ascii_start().trim_start();
    if !rest.starts_with("{{") {
        return false;
    }
    rest = rest.trim_end();
    while let Some(inner) = rest.strip_prefix("{{") {
        let Some(end) = inner.find("}}") else {
            return false;
        };
        rest = inner[end + 2..].trim_start_matches('}').trim_start();
    }
    rest.is_empty()
}

/// True if a text is in code, where placeholders may be the subject of the page.
fn is_in_code(dom: &Dom, id: NodeId) -> bool {
    dom.ancestors(id)
        .any(|up| matches!(dom.tag(up), "code" | "pre" | "kbd" | "samp" | "textarea"))
}

fn has_ink(text: &str) -> bool {
    let mut chars = text.trim_ascii_start().chars();
    chars.any(|c| {
        !c.is_whitespace() && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{ad}')
    })
}

const DIALOG: Element = Element::known("dialog");

/// The display type of an element: from its computed style, or from its tag if the page was not
/// rendered.
pub(crate) fn display(capture: &Capture, id: NodeId) -> Display {
    if let Some(layout) = &capture.layout {
        return layout.style(id).map_or_else(
            || tag_display(&capture.dom, id, Display::Contents),
            |style| style.display,
        );
    }
    tag_display(&capture.dom, id, Display::Inline)
}

/// `display` in the default style sheet of HTML, section 15.3; `other` for tags that are not listed
/// there.
pub(super) fn tag_display(dom: &Dom, id: NodeId, other: Display) -> Display {
    match dom.element(id).default_display() {
        Some(DefaultDisplay::Block) => Display::Block,
        Some(DefaultDisplay::ListItem) => Display::ListItem,
        Some(DefaultDisplay::Table) => Display::Table,
        Some(DefaultDisplay::TableRow) => Display::TableRow,
        Some(DefaultDisplay::TableCell) => Display::TableCell,
        Some(DefaultDisplay::InlineBlock) => Display::InlineBlock,
        None => role_display(dom, id).unwrap_or(other),
    }
}

/// `display` of an element that a role makes a part of a table, whatever its tag.
fn role_display(dom: &Dom, id: NodeId) -> Option<Display> {
    match dom.attribute(id, "role")? {
        "table" | "grid" | "treegrid" => Some(Display::Table),
        "row" => Some(Display::TableRow),
        "cell" | "gridcell" | "columnheader" | "rowheader" => Some(Display::TableCell),
        _ => None,
    }
}

/// The elements that the markup of a page hides.
struct Markup<'d> {
    dom: &'d Dom,
    panels: LazyCell<Panels<'d>, Box<dyn FnOnce() -> Panels<'d> + 'd>>,
    /// The parts that a script would show, in document order.
    late: LazyCell<Vec<NodeId>, Box<dyn FnOnce() -> Vec<NodeId> + 'd>>,
}

impl<'d> Markup<'d> {
    fn new(dom: &'d Dom) -> Self {
        Self {
            dom,
            panels: LazyCell::new(Box::new(|| Panels::find(dom))),
            late: LazyCell::new(Box::new(|| {
                let is_unseen = |&id: &NodeId| {
                    let style = dom.attribute(id, "style");
                    style.is_some_and(|style| declares(style, "visibility", "hidden"))
                };
                late_parts(dom, &dom.ids().filter(is_unseen).collect::<Vec<_>>())
            })),
        }
    }

    /// True if an element of bare HTML is not displayed because of the attribute `hidden`, its
    /// inline style, or because it is a closed dialog.
    fn hides(&self, id: NodeId) -> bool {
        let attributes = self.dom.attributes(id);
        let is_hidden = |value: &str| {
            // React streams parts of a page in hidden elements `S:0`, `S:1`, ... that its script
            // moves to their final position.
            !value.eq_ignore_ascii_case("until-found")
                && !attributes.get("id").is_some_and(|id| id.starts_with("S:"))
        };
        let style = attributes.get("style").unwrap_or("");
        let is_off =
            attributes.get("hidden").is_some_and(is_hidden) || declares(style, "display", "none");
        let is_closed = is_off
            || declares(style, "visibility", "hidden") && self.late.binary_search(&id).is_err();
        is_closed && !self.panels.is_panel(id) && !is_note_beside_mark(self.dom, id)
            || is_closed_dialog(self.dom, id)
    }
}

/// Endings of class names that style sheets use to hide text from all but screen readers: those of
/// Bootstrap, WordPress, Drupal, Foundation and others.
const SPOKEN_CLASSES: [&str; 9] = [
    "sr-only",
    "visually-hidden",
    "visuallyhidden",
    "screen-reader-text",
    "screen-reader-only",
    "screenreader-only",
    "element-invisible",
    "show-for-sr",
    "a11y-hidden",
];

/// True if the class of an element in bare HTML reserves it for screen readers. A first-level
/// heading is exempt: it is the title of the page, however it looks.
fn is_spoken_only(dom: &Dom, id: NodeId) -> bool {
    let ends_so = |name: &str| {
        let name = name.as_bytes();
        let ends_with = |end: &str| {
            let start = name.len().checked_sub(end.len());
            start.is_some_and(|start| name[start..].eq_ignore_ascii_case(end.as_bytes()))
        };
        // Nearly all other names are ruled out by their last letters.
        let last = name
            .last_chunk()
            .map(|last: &[u8; 4]| last.map(|byte| byte.to_ascii_lowercase()));
        matches!(
            last.as_ref(),
            Some(b"only" | b"dden" | b"text" | b"ible" | b"r-sr")
        ) && SPOKEN_CLASSES.iter().any(|end| ends_with(end))
    };
    dom.attribute(id, "class")
        .is_some_and(|class| class.split_ascii_whitespace().any(ends_so))
        && dom.tag(id) != "h1"
}

/// True if an element of bare HTML is only for screen readers, or is a closed dialog.
fn is_for_few(dom: &Dom, id: NodeId) -> bool {
    is_spoken_only(dom, id) || is_closed_dialog(dom, id)
}

fn is_closed_dialog(dom: &Dom, id: NodeId) -> bool {
    dom.element(id) == DIALOG && dom.attribute(id, "open").is_none()
}

/// True if an element is not displayed: by its computed style, or by the markup if the page was not
/// rendered.
pub(crate) fn is_off(capture: &Capture, id: NodeId) -> bool {
    match &capture.layout {
        Some(layout) => layout
            .style(id)
            .is_some_and(|style| style.display == Display::None),
        None => Markup::new(&capture.dom).hides(id) || is_spoken_only(&capture.dom, id),
    }
}

/// True if an inline style gives a property this value.
fn declares(style: &str, property: &str, value: &str) -> bool {
    style.split(';').any(|declaration| {
        declaration.split_once(':').is_some_and(|(name, given)| {
            let given = given.trim().trim_end_matches("!important").trim_end();
            name.trim().eq_ignore_ascii_case(property) && given.eq_ignore_ascii_case(value)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::html::parse_html;

    #[test]
    fn what_a_heading_unfolds_is_text() {
        let page = |between: &str| {
            let html = format!(
                "<h4><button aria-expanded=false aria-controls=a>Why?</button></h4>\n{between}<div id=a hidden>So they say.</div>\
                 <h4>Who?</h4><div id=b hidden>They.</div><button aria-expanded=false aria-controls=m>+</button><div id=m hidden>Menu"
            );
            let capture = Capture::parsed(parse_html(&html), Record::parsed("x", None));
            let found = find_texts(&capture, false);
            let texts = capture
                .dom
                .ids()
                .filter(|id| found.visibility[id.index()].is_some_and(is_visible))
                .filter_map(|id| capture.dom.text(id));
            texts
                .map(str::trim)
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(page(""), "Why? So they say. Who? +");
        assert_eq!(page("<p>Well"), "Why? Well So they say. Who? +");
    }

    #[test]
    fn what_readers_unfold_is_text() {
        let html = "<div role=tabpanel hidden>one</div><div role=menu hidden>two</div><ul role=region hidden><li>three</ul>\
                    <div class='x FAQ__answer' style='display:none'>four</div><div class=moreover hidden>five</div>";
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let found = find_texts(&capture, false);
        let texts: Vec<&str> = capture
            .dom
            .ids()
            .filter(|id| found.visibility[id.index()].is_some_and(is_visible))
            .filter_map(|id| capture.dom.text(id))
            .collect();
        assert_eq!(texts, ["one", "three", "four"]);
    }

    #[test]
    fn what_screen_readers_alone_have_is_not_text() {
        let all = SPOKEN_CLASSES
            .map(|class| format!("<span class='x {class}'>now</span>"))
            .concat();
        let html = format!(
            "<p>Price {all} 3<h1 class=visually-hidden>Title</h1><p class=govuk-Visually-Hidden>one</p>\
             <p class='sr-only-focusable'>two</p><p class='é-sr text only'>three"
        );
        let capture = Capture::parsed(parse_html(&html), Record::parsed("x", None));
        let found = find_texts(&capture, false);
        let texts: Vec<&str> = capture
            .dom
            .ids()
            .filter(|id| found.visibility[id.index()].is_some_and(is_visible))
            .filter_map(|id| capture.dom.text(id))
            .collect();
        assert_eq!(texts, ["Price ", " 3", "Title", "two", "three"]);
    }

    #[test]
    fn places_that_a_script_would_fill_are_not_text() {
        let html = "<p>{{ product.name }}<p>{{a}} {{{b}}} <p>Price: {{ price }}<p>{{ open<pre>{{ code }}</pre>";
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let found = find_texts(&capture, false);
        let texts: Vec<&str> = capture
            .dom
            .ids()
            .filter(|id| found.visibility[id.index()].is_some_and(is_visible))
            .filter_map(|id| capture.dom.text(id))
            .collect();
        assert_eq!(texts, ["Price: {{ price }}", "{{ open", "{{ code }}"]);
    }

    #[test]
    fn the_readings_of_ruby_text_are_not_text() {
        let html = "<p><ruby>\u{6f22}<rp>(</rp><rt>kan</rt><rp>)</rp>\u{5b57}<rt>ji</rt></ruby> and <rt>alone</rt></p>";
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let found = find_texts(&capture, false);
        let texts: String = capture
            .dom
            .ids()
            .filter(|id| found.visibility[id.index()].is_some_and(is_visible))
            .filter_map(|id| capture.dom.text(id))
            .collect();
        assert_eq!(texts, "\u{6f22}\u{5b57} and alone");
    }

    #[test]
    fn roles_part_the_cells_of_a_table() {
        let html = "<span role=table><span role=row><span role=columnheader>Pile</span><span role=cell>1</span></span></span>";
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = crate::target::select(&capture, crate::target::TargetRule::Blocks);
        let texts: Vec<String> = targets
            .iter()
            .map(|target| target.text(&capture.dom))
            .collect();
        assert_eq!(texts, ["Pile", "1"]);
    }

    #[test]
    fn inline_styles_that_hide_are_recognized() {
        let style = "color: red; DISPLAY : none !important";
        assert!(declares(style, "display", "none"));
        assert!(!declares("display: block", "display", "none"));
    }
}
