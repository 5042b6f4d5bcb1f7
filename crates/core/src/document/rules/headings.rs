//! Headings within the text and terms of definitions: kept with the text that they introduce.
//!
//! Models decide on each block alone, and a heading of one word looks like a link of a menu. A
//! reader who has a section or a definition wants to know what it is about.

use super::threshold::page_threshold;
use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::document::metadata::is_byline;
use crate::document::page::PageParts;
use crate::elements::{Element, heading_level};
use crate::error::CaptureError;
use crate::target::Target;
use crate::text::count_letters;
use std::collections::BTreeMap;

const DT: Element = Element::known("dt");
const DD: Element = Element::known("dd");
const DL: Element = Element::known("dl");
/// Number of elements around a block in which its heading or its part of a definition is searched.
const MAX_AROUND: usize = 3;
/// Share of the page's threshold below which a heading with a number, or with the name of an
/// author, stays dropped: it is `4 Comments`, the day of an entry or a byline. Measured on some 550
/// pages of `train`: of 130 headings with text below them, 73 are in the gold text; of the 9 below
/// this share with a number or a name, none.
const MIN_SHARE: f32 = 0.5;
/// Fewest terms of a list of definitions: in some forums, each author's name is one.
const MIN_TERMS: usize = 2;

/// Sets the decisions on headings to content where most of the text directly below them, up to the
/// next heading, is content. A heading directly above another one of a deeper level is decided with
/// it. The text is only that beside the heading: in the element around it, or around an element
/// that has nothing else. Margins and probabilities stay.
pub(super) fn keep_headings(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let headings: Vec<Option<(NodeId, u8)>> = targets
        .iter()
        .map(|target| heading_of(dom, target.container))
        .collect();
    let threshold = page_threshold(decisions);
    // From the last one, since a heading may be kept because of the heading below it.
    for index in (0..decisions.len()).rev() {
        let Some((heading, level)) = headings[index].filter(|(_, level)| *level > 1) else {
            continue;
        };
        let is_unlikely = decisions[index].probability < MIN_SHARE * threshold;
        if !may_be_kept(&decisions[index]) || is_unlikely && is_of_part(dom, &targets[index]) {
            continue;
        }
        // The last block of a heading of several decides for all.
        if let Some(Some((same, _))) = headings.get(index + 1)
            && *same == heading
        {
            decisions[index].label = decisions[index + 1].label;
            continue;
        }
        let end = section_end(dom, targets, index, heading);
        let (mut kept, mut all) = (0, 0);
        for below in index + 1..decisions.len() {
            if targets[below].first().index() >= end {
                break;
            }
            let is_content = decisions[below].label == Label::Content;
            if let Some((_, deeper)) = headings[below] {
                kept += usize::from(all == 0 && deeper > level && is_content);
                break;
            }
            let letters = letters(dom, &targets[below]);
            all += letters;
            kept += if is_content { letters } else { 0 };
        }
        if kept > 0 && kept * 2 > all {
            decisions[index].label = Label::Content;
        }
    }
    Ok(())
}

/// Sets the decisions on the terms of a definition to content where a description of them is
/// content. Margins and probabilities stay.
pub(super) fn keep_terms(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let mut terms: Vec<(NodeId, usize)> = Vec::new();
    let mut found: Vec<(NodeId, usize)> = Vec::new();
    let mut last: Option<(NodeId, bool)> = None;
    let mut in_lists: BTreeMap<NodeId, usize> = BTreeMap::new();
    for (index, target) in targets.iter().enumerate().take(decisions.len()) {
        let part = part_of_definition(dom, target.container);
        if let Some((list, is_term)) = part {
            // A term after a description begins another definition.
            if last.is_some_and(|(before, was_term)| before != list || is_term && !was_term) {
                terms.clear();
            }
            if is_term {
                *in_lists.entry(list).or_default() += 1;
                terms.push((list, index));
            } else if decisions[index].label == Label::Content {
                // Terms of an earlier list remain where that list has no description.
                found.extend(terms.drain(..).filter(|(of_list, _)| *of_list == list));
            }
        }
        last = part;
    }
    for (list, term) in found {
        if in_lists[&list] >= MIN_TERMS && may_be_kept(&decisions[term]) {
            decisions[term].label = Label::Content;
        }
    }
    Ok(())
}

/// Returns true if a heading may be that of readers' comments or of entries by day, or a byline: it
/// has a number, or names an author.
fn is_of_part(dom: &Dom, target: &Target) -> bool {
    let text = target.text(dom);
    text.bytes().any(|byte| byte.is_ascii_digit()) || is_byline(&text)
}

/// Returns true if a block was dropped, but not as certainly as hidden text.
pub(super) fn may_be_kept(decision: &Decision) -> bool {
    decision.label == Label::Boilerplate && decision.probability > 0.0
}

/// Number of letters of a block.
pub(super) fn letters(dom: &Dom, target: &Target) -> usize {
    let texts = target.texts.iter().filter_map(|&id| dom.text(id));
    texts.map(count_letters).sum()
}

fn around(dom: &Dom, container: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::once(container)
        .chain(dom.ancestors(container))
        .take(MAX_AROUND)
}

/// The heading that an element is, or is in, and its level.
fn heading_of(dom: &Dom, container: NodeId) -> Option<(NodeId, u8)> {
    around(dom, container).find_map(|id| Some((id, heading_level(dom.tag(id))?)))
}

/// The end of the element around a heading, or around the largest element that has only the heading
/// in it.
fn section_end(dom: &Dom, targets: &[Target], index: usize, heading: NodeId) -> usize {
    let before = index.checked_sub(1).map(|at| targets[at].first());
    let after = targets.get(index + 1).map(Target::first);
    let has_other = |up: NodeId| {
        [before, after]
            .into_iter()
            .flatten()
            .any(|id| dom.contains(up, id) && !dom.contains(heading, id))
    };
    let mut up = dom.ancestors(heading);
    let section = up.find(|&up| has_other(up)).unwrap_or(Dom::ROOT);
    dom.end(section)
}

/// The list of definitions in whose term or description an element is, and true for a term.
fn part_of_definition(dom: &Dom, container: NodeId) -> Option<(NodeId, bool)> {
    let part = around(dom, container).find(|&id| matches!(dom.element(id), DT | DD))?;
    let mut lists = dom.ancestors(part).take(MAX_AROUND);
    let list = lists.find(|&id| dom.element(id) == DL)?;
    Some((list, dom.element(part) == DT))
}

#[cfg(test)]
mod tests {
    use super::super::trial::kept_by;
    use super::*;

    #[test]
    fn a_heading_is_kept_with_the_text_below_it() {
        let html = "<article><h2>Gulls 30</h2><h3>Food 30</h3><p>Gulls eat mussels. 90</p><h3>Nests 40</h3><p>share 10</p>\
                    <div class=h><h2>Terns 40</h2></div><p>Terns eat fish. 90</p><p>more 20</p>\
                    <h2>Related 40</h2></article><p>Gulls eat mussels. 90</p><h3>4 answers 20</h3><p>Yes. 90</p><div><h3>News 40</h3></div>";
        assert_eq!(
            kept_by(keep_headings, html),
            [
                "Gulls 30",
                "Food 30",
                "Gulls eat mussels. 90",
                "Terns 40",
                "Terns eat fish. 90",
                "Gulls eat mussels. 90",
                "Yes. 90"
            ]
        );
    }

    #[test]
    fn a_term_without_a_description_stays_dropped_whatever_list_comes_next() {
        let html =
            "<dl><dt>gull 40</dt><dt>mew 30</dt></dl><p>text 90</p><dl><dd>a bird 90</dd></dl>";
        assert_eq!(kept_by(keep_terms, html), ["text 90", "a bird 90"]);
    }

    #[test]
    fn a_term_is_kept_with_its_description() {
        let html = "<dl><dt>gull 40</dt><dt>mew 30</dt><dd>a bird of the coast 90</dd><dt>tern 40</dt><dd>menu 10</dd>\
                    <div><dt>auk 20</dt><dd>a bird of the sea 80</dd></div></dl><dl><dt>Ann 10</dt><dd>text 90</dd></dl>";
        assert_eq!(
            kept_by(keep_terms, html),
            [
                "gull 40",
                "mew 30",
                "a bird of the coast 90",
                "auk 20",
                "a bird of the sea 80",
                "text 90"
            ]
        );
    }
}
