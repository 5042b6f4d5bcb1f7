//! Which text nodes of a page a reader can see, and how an element is displayed, by its computed
//! style or by its markup.

use super::gutter::line_numbers;
use crate::capture::{Capture, Display, Dom, NodeId, Visibility, is_panel};
use crate::elements::{DefaultDisplay, Element};
use crate::text::count_letters;

const NOSCRIPT: Element = Element::known("noscript");

/// Number of letters below which a page without its `noscript` parts counts as empty. Heuristic: a
/// splash screen or a notice has fewer.
const SCANT_LETTERS: usize = 200;

/// Whether each node is a visible text node with more than white space.
///
/// The `noscript` parts of a page rendered without scripts are used only if there is hardly any
/// other text: on most pages they hold pictures and notices, in some applications the whole text.
pub(super) fn visible_texts(capture: &Capture) -> Vec<bool> {
    let visible = visible_texts_outside(capture, Element::is_hidden);
    if capture.layout.is_none() || letters(&capture.dom, &visible) >= SCANT_LETTERS {
        return visible;
    }
    let more = visible_texts_outside(capture, |element| {
        element != NOSCRIPT && element.is_hidden()
    });
    if letters(&capture.dom, &more) >= SCANT_LETTERS {
        more
    } else {
        visible
    }
}

/// Number of characters that are not white space in the marked texts.
fn letters(dom: &Dom, is_marked: &[bool]) -> usize {
    dom.ids()
        .filter(|id| is_marked[id.index()])
        .map(|id| dom.text(id).map_or(0, count_letters))
        .sum()
}

/// [`visible_texts`] without the elements for which `is_hidden` is true.
fn visible_texts_outside(capture: &Capture, is_hidden: fn(Element) -> bool) -> Vec<bool> {
    let dom = &capture.dom;
    let mut visible = vec![false; dom.len()];
    let line_numbers = line_numbers(dom);
    let mut hidden_until = 0;
    for id in dom.ids() {
        if id.index() < hidden_until {
            continue;
        }
        match dom.text(id) {
            None => {
                let element = dom.element(id);
                let skip = match &capture.layout {
                    // A frame's document hangs below `iframe`; a node without a box may still have
                    // children with one (`display: contents`).
                    Some(_) => {
                        is_hidden(element)
                            && !matches!(dom.tag(id), "iframe" | "object" | "frameset")
                    }
                    None => is_hidden(element) || is_unseen(dom, id),
                };
                if skip || is_reading(dom, id) {
                    hidden_until = dom.end(id);
                }
            }
            Some(text) => {
                visible[id.index()] = has_ink(text)
                    && (!is_placeholder(text) || is_in_code(dom, id))
                    && !line_numbers.contains(&id)
                    && capture.layout.as_ref().is_none_or(|layout| {
                        !matches!(layout.visibility(id), Visibility::Hidden(_))
                            && layout.style(id).is_some_and(|style| style.is_visible)
                            && layout.lines(id).iter().any(|line| !line.rect.is_empty())
                    });
            }
        }
    }
    visible
}

/// Whether an element gives the pronunciation of the text before it (HTML standard, section
/// 4.5.10): small letters above the line, which are no part of its sentence.
fn is_reading(dom: &Dom, id: NodeId) -> bool {
    dom.element(id) == Element::UNKNOWN
        && matches!(dom.tag(id), "rt" | "rp" | "rtc")
        && dom.ancestors(id).any(|up| dom.tag(up) == "ruby")
}

/// Whether a text holds nothing but places that a script of the page would fill, such as
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

/// Whether a text is a piece of code, where such places are what the page is about.
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
    if is_unseen(&capture.dom, id) {
        Display::None
    } else {
        tag_display(&capture.dom, id, Display::Inline)
    }
}

/// `display` in the default style sheet of HTML, section 15.3; `other` for tags it does not name.
pub(super) fn tag_display(dom: &Dom, id: NodeId, other: Display) -> Display {
    match dom.element(id).default_display() {
        Some(DefaultDisplay::Block) => Display::Block,
        Some(DefaultDisplay::ListItem) => Display::ListItem,
        Some(DefaultDisplay::Table) => Display::Table,
        Some(DefaultDisplay::TableRow) => Display::TableRow,
        Some(DefaultDisplay::TableCell) => Display::TableCell,
        Some(DefaultDisplay::InlineBlock) => Display::InlineBlock,
        None => other,
    }
}

/// Whether an element of bare HTML is not displayed: by the attribute `hidden`, by its inline
/// style, or as a closed dialog.
pub(crate) fn is_hidden_by_markup(dom: &Dom, id: NodeId) -> bool {
    let attributes = dom.attributes(id);
    let is_hidden = |value: &str| {
        // React streams parts of a page in hidden elements `S:0`, `S:1`, ... that its script moves
        // to their places.
        !value.eq_ignore_ascii_case("until-found")
            && !attributes.get("id").is_some_and(|id| id.starts_with("S:"))
    };
    let is_closed = attributes.get("hidden").is_some_and(is_hidden)
        || attributes.get("style").is_some_and(hides);
    is_closed && !is_panel(dom, id)
        || (dom.element(id) == DIALOG && attributes.get("open").is_none())
}

/// How the names of classes end whose elements style sheets cut off, so that screen readers alone
/// have them: those of Bootstrap, WordPress, Drupal, Foundation and others.
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

/// Whether an element of bare HTML is for screen readers alone, by its class. A heading of the
/// first level is not: it is the title of the page, however it looks.
fn is_spoken_only(dom: &Dom, id: NodeId) -> bool {
    let ends_so = |name: &str| {
        let name = name.as_bytes();
        let ends_with = |end: &str| {
            let start = name.len().checked_sub(end.len());
            start.is_some_and(|start| name[start..].eq_ignore_ascii_case(end.as_bytes()))
        };
        // Nearly all other names are told by their last letters.
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

/// Whether readers do not see an element of bare HTML.
fn is_unseen(dom: &Dom, id: NodeId) -> bool {
    is_hidden_by_markup(dom, id) || is_spoken_only(dom, id)
}

/// Whether an inline style hides the element.
fn hides(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((property, value)) = declaration.split_once(':') else {
            return false;
        };
        let value = value.trim().trim_end_matches("!important").trim_end();
        (property.trim().eq_ignore_ascii_case("display") && value.eq_ignore_ascii_case("none"))
            || (property.trim().eq_ignore_ascii_case("visibility")
                && value.eq_ignore_ascii_case("hidden"))
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
                "<h4><button aria-expanded=false aria-controls=a>Why?</button></h4>\n{between}<div id=a hidden>So.</div>\
                 <h4>Who?</h4><div id=b hidden>They.</div><button aria-expanded=false aria-controls=m>+</button><div id=m hidden>Menu"
            );
            let capture = Capture::parsed(parse_html(&html), Record::parsed("x", None));
            let visible = visible_texts(&capture);
            let texts = capture
                .dom
                .ids()
                .filter(|id| visible[id.index()])
                .filter_map(|id| capture.dom.text(id));
            texts
                .map(str::trim)
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(page(""), "Why? So. Who? +");
        assert_eq!(page("<p>Well"), "Why? Well Who? +");
    }

    #[test]
    fn what_readers_unfold_is_text() {
        let html = "<div role=tabpanel hidden>one</div><div role=menu hidden>two</div><ul role=region hidden><li>three</ul>\
                    <div class='x FAQ__answer' style='display:none'>four</div><div class=moreover hidden>five</div>";
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let visible = visible_texts(&capture);
        let texts: Vec<&str> = capture
            .dom
            .ids()
            .filter(|id| visible[id.index()])
            .filter_map(|id| capture.dom.text(id))
            .collect();
        assert_eq!(texts, ["one", "four"]);
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
        let visible = visible_texts(&capture);
        let texts: Vec<&str> = capture
            .dom
            .ids()
            .filter(|id| visible[id.index()])
            .filter_map(|id| capture.dom.text(id))
            .collect();
        assert_eq!(texts, ["Price ", " 3", "Title", "two", "three"]);
    }

    #[test]
    fn places_that_a_script_would_fill_are_not_text() {
        let html = "<p>{{ product.name }}<p>{{a}} {{{b}}} <p>Price: {{ price }}<p>{{ open<pre>{{ code }}</pre>";
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let visible = visible_texts(&capture);
        let texts: Vec<&str> = capture
            .dom
            .ids()
            .filter(|id| visible[id.index()])
            .filter_map(|id| capture.dom.text(id))
            .collect();
        assert_eq!(texts, ["Price: {{ price }}", "{{ open", "{{ code }}"]);
    }

    #[test]
    fn the_readings_of_ruby_text_are_not_text() {
        let html = "<p><ruby>\u{6f22}<rp>(</rp><rt>kan</rt><rp>)</rp>\u{5b57}<rt>ji</rt></ruby> and <rt>alone</rt></p>";
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let visible = visible_texts(&capture);
        let texts: String = capture
            .dom
            .ids()
            .filter(|id| visible[id.index()])
            .filter_map(|id| capture.dom.text(id))
            .collect();
        assert_eq!(texts, "\u{6f22}\u{5b57} and alone");
    }

    #[test]
    fn inline_styles_that_hide_are_recognized() {
        assert!(hides("color: red; DISPLAY : none !important"));
        assert!(!hides("display: block"));
    }
}
