//! A rendered page, and the time of each stage. Also detects pages that hide their content until
//! scripts have run, if these did not run or failed.
//!
//! Both engines show the root and the body of such a page (`builtin::layout_fixes`,
//! `js/reveal.js`). If the hidden text is further inside, the page is parsed without layout
//! instead: a cleaned page without text would look like a page that has none.

use vclean_core::capture::{Capture, Dom, Engine, NodeId};
use vclean_core::elements;
use vclean_core::error::{Warning, WarningKind};
use vclean_core::text::count_words;

/// Wall time of each stage of one page, in ms.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Timings {
    /// From the request until the load event.
    pub navigate_ms: f64,
    /// From the load event until the page is stable.
    pub settle_ms: f64,
    /// Reading tree, boxes and styles from the browser.
    pub snapshot_ms: f64,
    /// Conversion to [`vclean_core::capture::Dom`] and [`vclean_core::capture::Layout`].
    pub convert_ms: f64,
    /// Taking the screenshot, for the page image.
    pub screenshot_ms: f64,
    /// Coloring the text and taking the second screenshot.
    pub mask_ms: f64,
    /// Determining the text that readers cannot see.
    pub hidden_ms: f64,
    /// Painting the page by the built-in engine for people to look at.
    pub paint_ms: f64,
    /// Total, which includes time between the stages.
    pub total_ms: f64,
}

/// A rendered page and its times.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// Tree, layout and pictures of the page, and the record of its rendering.
    pub capture: Capture,
    /// Time of each stage, for reports.
    pub timings: Timings,
}

/// Opacity below which a root is invisible and is therefore shown.
pub(super) const MIN_ROOT_OPACITY: f32 = 0.1;
/// Number of words from which on a page has enough text. Heuristic: a notice or a splash screen has
/// fewer.
const PLENTY_WORDS: usize = 100;
/// Share of visible words below which a page shows almost nothing. Heuristic.
const MIN_SHOWN_SHARE: f64 = 0.1;
/// Number of visible words below which a page whose scripts ran is empty.
const EMPTY_WORDS: usize = 5;

/// Returns true if an element contains a part of the page that React streams hidden, and that its
/// script moves into place; `js/reveal.js` uses the same test.
pub(super) fn is_streamed(dom: &Dom, id: NodeId) -> bool {
    dom.attribute(id, "id")
        .is_some_and(|name| name.starts_with("S:"))
}

/// Builds the warning about a root element that was shown although the page hides it. If its
/// scripts ran (`ran_scripts`), one has failed, or waits for another.
pub(super) fn shown_root(tag: &str, property: &str, ran_scripts: bool) -> Warning {
    let (kind, until) = if ran_scripts {
        (WarningKind::HiddenTextKept, "though its scripts have run")
    } else {
        (WarningKind::NeedsScripts, "until a script runs")
    };
    Warning::new(
        kind,
        format!("the page hides its {tag} element by {property} {until}; it is shown nevertheless"),
    )
}

/// If the capture shows almost none of the page's words, replaces it by the page without layout,
/// which `bare` makes, and adds a warning. With `ran_scripts`, the page hides only text that its
/// scripts decided to hide, so it is replaced only if it is empty.
pub(super) fn replace_if_hidden(
    rendered: &mut Rendered,
    ran_scripts: bool,
    bare: impl FnOnce(&Capture) -> Option<Capture>,
) {
    let Some(shown) = shown_words(&rendered.capture) else {
        return;
    };
    if shown >= PLENTY_WORDS || (ran_scripts && shown >= EMPTY_WORDS) {
        return;
    }
    let Some(bare) = bare(&rendered.capture) else {
        return;
    };
    let words = all_words(&bare.dom);
    if words < PLENTY_WORDS || shown as f64 >= MIN_SHOWN_SHARE * words as f64 {
        return;
    }
    let cause = if ran_scripts {
        "its scripts may have failed"
    } else {
        "its scripts, which did not run, would show them"
    };
    let record = &mut rendered.capture.record;
    let text = format!(
        "the page shows {shown} of its {words} words ({cause}), so it is parsed without layout and may have text that \
         readers do not see"
    );
    record.warnings.add(WarningKind::NeedsScripts, text);
    record.engine = Engine::Parser;
    rendered.capture = Capture::parsed(bare.dom, record.clone());
}

/// Counts the words with a visible line; `None` without layout.
fn shown_words(capture: &Capture) -> Option<usize> {
    let layout = capture.layout.as_ref()?;
    let is_shown = |&id: &NodeId| {
        layout.style(id).is_some_and(|style| style.is_visible)
            && layout.lines(id).iter().any(|line| !line.rect.is_empty())
    };
    Some(
        capture
            .dom
            .ids()
            .filter(is_shown)
            .filter_map(|id| capture.dom.text(id))
            .map(count_words)
            .sum(),
    )
}

/// Counts the words outside of elements whose text is never visible, or that the markup itself
/// hides.
fn all_words(dom: &Dom) -> usize {
    let (mut words, mut skip_until) = (0, 0);
    for id in dom.ids() {
        if id.index() < skip_until {
            continue;
        }
        let tag = dom.tag(id);
        if elements::is_hidden(tag)
            || (dom.attribute(id, "hidden").is_some() && !is_streamed(dom, id))
        {
            skip_until = dom.end(id);
        }
        words += dom.text(id).map_or(0, count_words);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::capture::{CssRect, Layout, LineBox, Record, Style};
    use vclean_core::html::parse_html;

    /// Creates a page whose first `shown` text nodes have a line.
    fn rendered(html: &str, shown: usize) -> Rendered {
        let mut capture = bare(html);
        let mut layout = Layout::new(capture.dom.len(), 100.0, 100.0);
        let rect = CssRect {
            x: 0.0,
            y: 0.0,
            width: 10.0,
            height: 10.0,
        };
        for id in capture
            .dom
            .ids()
            .filter(|&id| capture.dom.text(id).is_some())
            .take(shown)
        {
            layout.set(
                id,
                rect,
                &Style::default(),
                0,
                &[LineBox {
                    rect,
                    start: 0,
                    length: 1,
                }],
            );
        }
        capture.layout = Some(layout);
        Rendered {
            capture,
            timings: Timings::default(),
        }
    }

    fn bare(html: &str) -> Capture {
        Capture::parsed(parse_html(html), Record::parsed("x", None))
    }

    #[test]
    fn a_page_that_shows_next_to_nothing_is_parsed_with_a_warning() {
        let html = format!(
            "<p>a notice of six short words</p><div id=app><p>{}</p></div>",
            "word ".repeat(200)
        );
        let page = |shown: usize, ran_scripts: bool| {
            let mut page = rendered(&html, shown);
            replace_if_hidden(&mut page, ran_scripts, |_| Some(bare(&html)));
            page.capture
        };
        for (shown, ran_scripts) in [(0, false), (1, false), (0, true)] {
            let capture = page(shown, ran_scripts);
            assert!(capture.layout.is_none(), "{shown} {ran_scripts}");
            let warning = &capture.record.warnings[0];
            assert!(
                warning.contains("of its 206 words") && warning.contains("without layout"),
                "{warning}"
            );
        }
        // A page that is shown whole, and one whose scripts decided what to hide.
        for (shown, ran_scripts) in [(2, false), (1, true)] {
            assert!(
                page(shown, ran_scripts).layout.is_some(),
                "{shown} {ran_scripts}"
            );
        }
    }

    #[test]
    fn a_page_without_many_words_is_as_it_is() {
        for html in [
            "<p>no words are shown here</p>".to_owned(),
            format!(
                "<p>x</p><div hidden>{0}</div><script>{0}</script>",
                "word ".repeat(200)
            ),
        ] {
            let mut page = rendered(&html, 0);
            replace_if_hidden(&mut page, false, |_| Some(bare(&html)));
            assert!(page.capture.layout.is_some(), "{html}");
        }
        let streamed = format!("<div hidden id='S:0'>{}</div>", "word ".repeat(200));
        assert_eq!(all_words(&bare(&streamed).dom), 200);
    }
}
