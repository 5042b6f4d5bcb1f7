//! The page's headline: kept at the beginning of the document, or left out on request.
//!
//! Gold standards differ about headlines, so models that were trained on several are unsure about
//! them. A reader expects it in every format.

use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::document::segments::heading_text::MAX_CHARS;
use crate::document::segments::site_heading::{is_first_part, is_one_in_the_other, titles};
use crate::elements::{Element, is_heading};
use crate::error::CaptureError;
use crate::target::Target;
use crate::text::{collapse, letters};

const H1: Element = Element::known("h1");
const A: Element = Element::known("a");
/// Parts of a page in which a headline belongs to something else.
const ELSEWHERE: [Element; 3] = [
    Element::known("nav"),
    Element::known("footer"),
    Element::known("aside"),
];

/// Largest number of blocks between a headline that is in no title of the page and the text: a
/// standfirst, a byline, a date, a few buttons. Heuristic.
const MAX_BETWEEN: usize = 12;

/// Sets the decision on the headline to content, if there is other content. Margins and
/// probabilities stay.
pub(super) fn keep_headline(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    set_headline(page, decisions, Label::Content);
    Ok(())
}

/// Sets the decisions on headings that name the site to boilerplate, on a page that has a heading
/// of its own.
pub(super) fn drop_site_name(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    for (target, decision) in page.targets.iter().zip(decisions) {
        if page.site_heading().is_of_site(page.dom, target.first()) {
            decision.label = Label::Boilerplate;
        }
    }
    Ok(())
}

/// Sets the decision on the headline to boilerplate.
pub(super) fn drop_headline(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    set_headline(page, decisions, Label::Boilerplate);
    Ok(())
}

fn set_headline(page: &PageParts<'_>, decisions: &mut [Decision], label: Label) {
    let PageParts { dom, targets, .. } = *page;
    let first_kept = decisions
        .iter()
        .position(|decision| decision.label == Label::Content);
    if let Some(headline) = first_kept.and_then(|first| find_headline(page, first)) {
        // An `h1` may hold several blocks.
        let around = |index: usize| {
            let container = targets[index].container;
            std::iter::once(container).chain(dom.ancestors(container).take(2))
        };
        let h1 = around(headline).find(|&id| dom.element(id) == H1);
        let is_beside = |index: usize| h1.is_some_and(|h1| around(index).any(|up| up == h1));
        let first = (0..headline)
            .rev()
            .take_while(|&index| is_beside(index))
            .last()
            .unwrap_or(headline);
        let end = (headline + 1..decisions.len())
            .find(|&index| !is_beside(index))
            .unwrap_or(decisions.len());
        decisions[first..end]
            .iter_mut()
            .for_each(|decision| decision.label = label);
    }
}

/// The target that is the page's headline; `first_kept` is the first target of its text.
///
/// It is the heading beside that of the site; else an `h1` that the page's title names, the nearest
/// before the text if there are several; else the only `h1`, if it is shortly before the text; else
/// a heading or a line at the beginning of the text that is the whole title.
pub fn find_headline(page: &PageParts<'_>, first_kept: usize) -> Option<usize> {
    let PageParts { dom, targets, .. } = *page;
    let own = page.site_heading().own;
    let own = own.and_then(|own| {
        targets
            .iter()
            .position(|target| dom.contains(own, target.first()))
    });
    if own.is_some() {
        return own;
    }
    let titles: Vec<String> = titles(dom)
        .into_iter()
        .chain(page.site_heading().rest.clone())
        .collect();
    let is_short = |index: &usize| {
        let texts = targets[*index].texts.iter().filter_map(|&id| dom.text(id));
        texts.map(str::len).sum::<usize>() <= 4 * MAX_CHARS
    };
    let named = |index: usize, test: fn(&str, &str) -> bool| {
        let text = targets[index].text(dom);
        text.chars().count() <= MAX_CHARS && titles.iter().any(|title| test(&text, title))
    };
    let first_level = (0..targets.len())
        .filter(is_short)
        .filter(|&index| is_in_h1(dom, targets[index].container));
    let first_level: Vec<usize> = first_level
        .filter(|&index| !page.site_heading().is_of_site(dom, targets[index].first()))
        .collect();
    let usable: Vec<usize> = first_level
        .iter()
        .copied()
        .filter(|&index| !is_of_something_else(page, &targets[index]))
        .collect();
    let of_title: Vec<usize> = usable
        .iter()
        .copied()
        .filter(|&index| named(index, is_one_in_the_other))
        .collect();
    // A short headline, such as the name of a tree or a language, is less than half of a title.
    let of_first_part = || {
        let is_one = |&&index: &&usize| named(index, is_first_part);
        usable.iter().filter(is_one).copied().collect::<Vec<_>>()
    };
    let of_title = if of_title.is_empty() {
        of_first_part()
    } else {
        of_title
    };
    let nearest = of_title
        .iter()
        .rev()
        .find(|&&index| index <= first_kept)
        .or(of_title.first());
    if nearest.is_some() {
        return nearest.copied();
    }
    if let ([only], [_]) = (usable.as_slice(), first_level.as_slice()) {
        return (*only <= first_kept && first_kept - only <= MAX_BETWEEN).then_some(*only);
    }
    if !first_level.is_empty() {
        return None;
    }
    let near = first_kept.saturating_sub(MAX_BETWEEN)..(first_kept + 1).min(targets.len());
    let lines = near
        .filter(is_short)
        .filter(|&index| !is_of_something_else(page, &targets[index]));
    let whole = |index: &usize| {
        let is_marked = is_heading(dom.tag(targets[*index].container));
        named(
            *index,
            if is_marked {
                is_one_in_the_other
            } else {
                is_the_same
            },
        )
    };
    lines.rev().find(whole)
}

/// True if a text of several letters is the title of a page without the name of the site after it.
pub(crate) fn names_page(dom: &Dom, text: &str) -> bool {
    const SEPARATORS: [&str; 6] = [" - ", " | ", " \u{2013} ", " \u{2014} ", " \u{b7} ", " :: "];
    const MIN_CHARS: usize = 8;
    let text = collapse(text);
    let is_first_part = |title: &String| {
        let rest = title.strip_prefix(text.as_str());
        rest.is_some_and(|rest| {
            SEPARATORS
                .iter()
                .any(|separator| rest.starts_with(separator))
        })
    };
    (MIN_CHARS..=MAX_CHARS).contains(&text.chars().count()) && titles(dom).iter().any(is_first_part)
}

fn is_in_h1(dom: &Dom, container: NodeId) -> bool {
    std::iter::once(container)
        .chain(dom.ancestors(container).take(2))
        .any(|id| dom.element(id) == H1)
}

/// Returns true if a heading does not belong to the page's text, but to its navigation, or to the
/// site, as a link to its start page.
fn is_of_something_else(page: &PageParts<'_>, target: &Target) -> bool {
    let dom = page.dom;
    let leads_home = |id: NodeId| {
        let address = dom.attribute(id, "href").unwrap_or("");
        let is_root = address == "/" || page.addresses.is_home() && page.addresses.is_here(address);
        dom.element(id) == A && (is_root || page.addresses.leads_home(address) == Some(true))
    };
    dom.ancestors(target.first())
        .any(|id| ELSEWHERE.contains(&dom.element(id)) || leads_home(id))
}

fn is_the_same(one: &str, other: &str) -> bool {
    let one = letters(one);
    !one.is_empty() && one == letters(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    /// The headline of a page whose text begins with the first block of more than 40 letters.
    fn headline(html: &str) -> Option<String> {
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let texts: Vec<String> = targets
            .iter()
            .map(|target| target.text(&capture.dom))
            .collect();
        let decide = |text: &String| {
            let label = if text.len() > 40 {
                Label::Content
            } else {
                Label::Boilerplate
            };
            Decision {
                margin: -1.0,
                probability: 0.2,
                label,
                comments: None,
            }
        };
        let before: Vec<Decision> = texts.iter().map(decide).collect();
        let mut after = before.clone();
        keep_headline(&PageParts::new(&capture, &targets), &mut after).unwrap();
        let kept = (0..texts.len()).find(|&index| before[index].label != after[index].label)?;
        let mut dropped = after.clone();
        drop_headline(&PageParts::new(&capture, &targets), &mut dropped).unwrap();
        assert_eq!(dropped, before, "what one rule keeps the other drops");
        Some(texts[kept].clone())
    }

    const TEXT: &str =
        "<p>Herring gulls drop mussels on rocks, from a height that depends on the shell.</p>";

    #[test]
    fn the_headline_is_what_the_title_names() {
        let page = |title: &str, body: &str| {
            headline(&format!("<title>{title}</title><body>{body}{TEXT}"))
        };
        assert_eq!(
            page(
                "Gulls drop mussels | The Coast",
                "<h1>Gulls drop mussels</h1>"
            )
            .unwrap(),
            "Gulls drop mussels"
        );
        let two = "<h1>The Coast</h1><div><h1><span>Gulls drop mussels</span></h1></div>";
        assert_eq!(
            page("The Coast: Gulls drop mussels", two).unwrap(),
            "Gulls drop mussels"
        );
        let logo = "<h1><a href='https://coast.org/'>The Coast</a></h1>";
        assert_eq!(
            page("The Coast", &format!("{logo}<h2>Gulls</h2>")).unwrap(),
            "Gulls"
        );
        assert_eq!(
            page(
                "The Coast",
                &format!("{logo}<h2>Gulls</h2>{TEXT}<h2>Terns</h2>")
            ),
            None
        );
        let line = format!("{logo}<div>Gulls drop mussels</div>");
        assert_eq!(
            page("Gulls drop mussels | The Coast", &line).unwrap(),
            "Gulls drop mussels"
        );
        assert_eq!(
            page(
                "Gulls drop mussels",
                "<div class=t>Gulls drop mussels</div><div>Ann</div>"
            )
            .unwrap(),
            "Gulls drop mussels"
        );
        assert_eq!(
            page(
                "Gulls drop mussels | The Coast",
                "<div>Gulls drop mussels</div>"
            ),
            None
        );
        assert_eq!(
            page("Gulls drop mussels | Coast", "<h2>Gulls drop mussels</h2>").unwrap(),
            "Gulls drop mussels"
        );
    }

    #[test]
    fn a_headline_of_few_letters_is_one_if_the_title_begins_with_it() {
        let menu = "<p>menu</p>".repeat(MAX_BETWEEN + 1);
        let page = |title: &str, h1: &str| {
            headline(&format!(
                "<title>{title}</title><body><h1>{h1}</h1>{menu}{TEXT}"
            ))
        };
        for (title, h1) in [
            ("Oak - Wikipedia", "Oak"),
            ("C++ | Languages of programming", "C++"),
            ("HTML \u{2013} a language of the web", "HTML"),
            ("Oak", "Oak"),
        ] {
            assert_eq!(page(title, h1).as_deref(), Some(h1), "{title}");
        }
        assert_eq!(page("Oakland - Wikipedia", "Oak"), None);
    }

    #[test]
    fn the_name_of_the_site_is_no_text_above_the_page_s_own_heading() {
        let html = format!(
            "<title>Gulls | The Coast</title><body><h1><a href=../>The Coast</a></h1><h2>Gulls</h2>{TEXT}"
        );
        let capture = Capture::parsed(parse_html(&html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let content = Decision {
            margin: 1.0,
            probability: 0.9,
            label: Label::Content,
            comments: None,
        };
        let mut decisions = vec![content; targets.len()];
        drop_site_name(&PageParts::new(&capture, &targets), &mut decisions).unwrap();
        let labels: Vec<bool> = decisions
            .iter()
            .map(|decision| decision.label == Label::Content)
            .collect();
        assert_eq!(labels, [false, true, true]);
    }

    #[test]
    fn an_only_first_level_heading_is_the_headline_shortly_before_the_text() {
        assert_eq!(
            headline(&format!("<body><h1>Gulls</h1><p>By Ann</p>{TEXT}")).unwrap(),
            "Gulls"
        );
        assert_eq!(
            headline(&format!(
                "<body><h1>Gulls</h1>{}{TEXT}",
                "<p>menu</p>".repeat(20)
            )),
            None
        );
        assert_eq!(
            headline(&format!("<body><nav><h1>Gulls</h1></nav>{TEXT}")),
            None
        );
        assert_eq!(headline("<body><h1>Gulls</h1><p>nothing kept"), None);
        assert_eq!(headline(&format!("<body>{TEXT}<h1>Related</h1>")), None);
    }
}
