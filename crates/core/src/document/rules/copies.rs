//! Copies of a text for another width of the screen, of which a style sheet shows one: in bare HTML
//! both are there, one after the other.

use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::error::CaptureError;
use crate::hash::Fnv;
use crate::target::Target;
use std::ops::Range;

/// Number of letters and digits of a text from which its repetition beside it is a copy: with a
/// class that names a width, and without one. Heuristic: refrains and labels are shorter.
const MIN_LETTERS: (usize, usize) = (40, 400);

/// Number of elements between two copies. Heuristic.
const MAX_BETWEEN: usize = 1;

/// Words of classes for widths of the screen.
const WIDTHS: &[&str] = &[
    "desktop",
    "mobile",
    "tablet",
    "phone",
    "handheld",
    "smartphone",
    "pc",
    "xs",
    "sm",
    "md",
    "lg",
    "xl",
    "small",
    "medium",
    "large",
];

/// Drops the second of two elements beside each other with the same text, on pages without layout.
/// Of each block, one copy stays content.
pub(super) fn drop_copies(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts {
        capture,
        dom,
        targets,
        ..
    } = *page;
    if capture.layout.is_some() || targets.len() != decisions.len() {
        return Ok(());
    }
    for (one, other) in copies(dom, targets) {
        for (first, second) in one.zip(other) {
            let is_content = |index: usize| decisions[index].label == Label::Content;
            if is_content(first) && is_content(second) {
                decisions[second].label = Label::Boilerplate;
            }
        }
    }
    Ok(())
}

/// The targets of each two copies.
fn copies(dom: &Dom, targets: &[Target]) -> Vec<(Range<usize>, Range<usize>)> {
    let texts = Texts::new(dom, targets);
    let mut found = Vec::new();
    let mut end = 0;
    for id in dom.ids() {
        if id.index() < end || !dom.is_element(id) {
            continue;
        }
        let own = texts.inside(dom, id);
        if texts.letters(&own) < MIN_LETTERS.0 {
            continue;
        }
        let mut next = dom.end(id);
        let parent = dom.parent(id);
        let mut between = 0;
        while next < dom.len() && between <= MAX_BETWEEN {
            let other = NodeId::new(next);
            next = dom.end(other);
            if dom.parent(other) != parent {
                break;
            }
            if !dom.is_element(other) {
                continue;
            }
            let copy = texts.inside(dom, other);
            if texts.are_equal(&own, &copy) && is_copy(dom, id, other, texts.letters(&own)) {
                end = dom.end(other);
                found.push((own, copy));
                break;
            }
            between += 1;
        }
    }
    found
}

/// Returns true if the markup lets two elements with the same text be copies.
fn is_copy(dom: &Dom, one: NodeId, other: NodeId, letters: usize) -> bool {
    let class = |id: NodeId| dom.attribute(id, "class").unwrap_or("");
    let names_width = |id: NodeId| {
        let mut words = class(id).split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| WIDTHS.iter().any(|width| word.eq_ignore_ascii_case(width)))
    };
    let is_wrapper = |id: NodeId| !matches!(dom.tag(id), "p" | "li" | "tr" | "td" | "pre");
    dom.tag(one) == dom.tag(other)
        && class(one) != class(other)
        && (names_width(one) || names_width(other) || letters >= MIN_LETTERS.1 && is_wrapper(one))
}

/// The texts of the targets, as sums over all targets before each.
struct Texts {
    /// The first text of each target.
    firsts: Vec<NodeId>,
    hashes: Vec<u64>,
    letters: Vec<usize>,
}

impl Texts {
    fn new(dom: &Dom, targets: &[Target]) -> Self {
        let (mut hashes, mut letters) = (Vec::new(), vec![0]);
        for target in targets {
            let (mut hash, mut count) = (Fnv::new(), 0);
            let texts = target.texts.iter().filter_map(|&id| dom.text(id));
            for c in texts.flat_map(str::chars).filter(|c| c.is_alphanumeric()) {
                hash.add_char(c);
                count += 1;
            }
            hashes.push(hash.finish());
            letters.push(letters[letters.len() - 1] + count);
        }
        Self {
            firsts: targets.iter().map(Target::first).collect(),
            hashes,
            letters,
        }
    }

    /// The targets whose first text is in an element.
    fn inside(&self, dom: &Dom, id: NodeId) -> Range<usize> {
        let start = self.firsts.partition_point(|first| *first < id);
        let end = self
            .firsts
            .partition_point(|first| first.index() < dom.end(id));
        start..end
    }

    fn letters(&self, range: &Range<usize>) -> usize {
        self.letters[range.end] - self.letters[range.start]
    }

    fn are_equal(&self, one: &Range<usize>, other: &Range<usize>) -> bool {
        self.letters(one) == self.letters(other)
            && self.hashes[one.clone()] == self.hashes[other.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::trial::kept_if;
    use super::*;

    /// The kept texts of a page whose blocks are kept.
    fn kept(html: &str) -> Vec<String> {
        kept_if(drop_copies, html, |_| 1.0)
    }

    #[test]
    fn of_copies_for_two_widths_one_stays() {
        let text = "Herring gulls drop mussels on rocks, and seldom have to try twice.";
        for (one, other) in [
            ("desktop-only", "mobile-only"),
            ("d-none d-md-block", "d-md-none"),
            ("hidden md:block", "md:hidden"),
        ] {
            let html = format!(
                "<div class='{one}'><p>{text}</p><p>More</p></div>\n<div class='{other}'><p>{text}<p>More</div>"
            );
            assert_eq!(kept(&html), [text, "More"], "{html}");
        }
    }

    #[test]
    fn other_repetitions_stay() {
        let text = "Herring gulls drop mussels on rocks, and seldom have to try twice.";
        for html in [
            format!("<p>{text}</p><p>{text}</p>"),
            format!("<div class=a>{text}</div><div class=b>{text}</div>"),
            format!("<div class=desktop>{text}</div><div class=desktop>{text}</div>"),
            format!("<div class=desktop>{text}</div><div class=mobile>{text} No.</div>"),
            "<div class=desktop>So</div><div class=mobile>So</div>".to_owned(),
        ] {
            assert_eq!(kept(&html).len(), 2, "{html}");
        }
    }
}
