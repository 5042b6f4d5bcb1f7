//! One decision for a block and its neighbors of the same kind: a line of a dialogue in a novel,
//! the turns of a conversation.
//!
//! Models decide on each block alone, so a short paragraph among long ones may be dropped. A reader
//! wants the text without gaps.

use super::headings::{letters, may_be_kept};
use super::threshold::page_threshold;
use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::elements::Element;
use crate::error::CaptureError;
use crate::hash::Fnv;
use crate::target::Target;
use std::collections::BTreeMap;
use std::ops::Range;

const A: Element = Element::known("a");
const P: Element = Element::known("p");

/// Fewest blocks of one form that are decided together.
const MIN_ALIKE: usize = 4;
/// Fewest elements within a block that make a form: one is often emphasis or a link.
const MIN_PARTS: usize = 2;
/// Elements within a block whose tags and classes make its form, and bytes of each class.
const MAX_PARTS: usize = 16;
const MAX_CLASS_BYTES: usize = 200;
/// Least probability of a paragraph between kept ones, as a share of the threshold of the page.
const MIN_SHARE: f32 = 0.5;

/// Sets the decision on a block to content where its neighbors of the same kind are content: a
/// paragraph between two kept ones, and a block that consists of the same parts as those beside it,
/// of which most are kept. Margins and probabilities stay.
pub(super) fn keep_alike(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let threshold = page_threshold(decisions);
    let targets = &targets[..decisions.len().min(targets.len())];
    for run in runs(targets, |one, other| are_siblings(dom, one, other)) {
        let (targets, decisions) = (&targets[run.clone()], &mut decisions[run]);
        if dom.element(targets[0].container) == P {
            keep_between(dom, targets, decisions, threshold);
        }
    }
    keep_of_form(dom, targets, decisions, threshold);
    Ok(())
}

/// The runs of blocks of which each is like the one before.
fn runs(targets: &[Target], is_like: impl Fn(&Target, &Target) -> bool) -> Vec<Range<usize>> {
    let mut start = 0;
    targets
        .chunk_by(is_like)
        .map(|run| {
            start += run.len();
            start - run.len()..start
        })
        .collect()
}

/// Returns true if two blocks are different elements of the same tag in the same element.
fn are_siblings(dom: &Dom, one: &Target, other: &Target) -> bool {
    let (one, other) = (one.container, other.container);
    one != other && dom.parent(one) == dom.parent(other) && dom.tag(one) == dom.tag(other)
}

fn class<'a>(dom: &'a Dom, target: &Target) -> &'a str {
    dom.attribute(target.container, "class")
        .unwrap_or_default()
        .trim()
}

/// Keeps a dropped paragraph directly between two kept ones, of which one has the same class,
/// unless most of it is links.
fn keep_between(dom: &Dom, targets: &[Target], decisions: &mut [Decision], threshold: f32) {
    for at in 1..decisions.len().saturating_sub(1) {
        let is_between = [at - 1, at + 1]
            .iter()
            .all(|&beside| decisions[beside].label == Label::Content);
        let has_class = |beside: usize| class(dom, &targets[beside]) == class(dom, &targets[at]);
        if is_between
            && (has_class(at - 1) || has_class(at + 1))
            && may_be_kept(&decisions[at])
            && decisions[at].probability >= MIN_SHARE * threshold
            && !is_mostly_links(dom, &targets[at])
        {
            decisions[at].label = Label::Content;
        }
    }
}

/// Keeps the dropped blocks that have the form of mostly kept ones in the same element.
fn keep_of_form(dom: &Dom, targets: &[Target], decisions: &mut [Decision], threshold: f32) {
    let mut forms: BTreeMap<(NodeId, u64), Vec<usize>> = BTreeMap::new();
    for (index, target) in targets.iter().enumerate() {
        let outer = dom.parent(target.container);
        if let (Some(outer), Some(form)) = (outer, form(dom, target.container)) {
            forms.entry((outer, form)).or_default().push(index);
        }
    }
    for blocks in forms
        .into_values()
        .filter(|blocks| blocks.len() >= MIN_ALIKE)
    {
        let is_content = |index: &&usize| decisions[**index].label == Label::Content;
        let kept = blocks.iter().filter(is_content).count();
        let sum: f32 = blocks
            .iter()
            .map(|&index| decisions[index].probability)
            .sum();
        if kept * 2 > blocks.len() && sum >= threshold * blocks.len() as f32 {
            for index in blocks {
                if may_be_kept(&decisions[index]) {
                    decisions[index].label = Label::Content;
                }
            }
        }
    }
}

/// The tags and classes of the elements within a block; `None` for too few of them. Where none has
/// a class, that of the block counts, which else may also tell the part of the text it is in.
fn form(dom: &Dom, container: NodeId) -> Option<u64> {
    let class = |id: NodeId| dom.attribute(id, "class").unwrap_or_default();
    let parts = dom.descendants(container).filter(|&id| dom.is_element(id));
    let parts: Vec<NodeId> = parts.take(MAX_PARTS).collect();
    let is_marked = parts.iter().any(|&id| !class(id).is_empty());
    let own = if is_marked { "" } else { class(container) };
    let mut form = Fnv::new();
    let parts_with_class = parts.iter().map(|&id| (id, class(id)));
    for (id, class) in std::iter::once((container, own)).chain(parts_with_class) {
        let class = class.bytes().take(MAX_CLASS_BYTES);
        let bytes = dom.tag(id).bytes().chain([b'.']).chain(class);
        bytes.chain([b'/']).for_each(|byte| form.add(byte));
    }
    (parts.len() >= MIN_PARTS).then(|| form.finish())
}

fn is_mostly_links(dom: &Dom, target: &Target) -> bool {
    let is_in_link = |id: NodeId| {
        dom.ancestors(id)
            .take_while(|&up| up >= target.container)
            .any(|up| dom.element(up) == A)
    };
    let linked = target.texts.iter().filter(|&&id| is_in_link(id));
    let linked = linked.filter_map(|&id| dom.text(id));
    2 * linked.map(crate::text::count_letters).sum::<usize>() > letters(dom, target)
}

#[cfg(test)]
mod tests {
    use super::super::trial::kept_by;
    use super::*;

    #[test]
    fn a_paragraph_between_kept_ones_is_kept() {
        let kept = |html: &str| kept_by(keep_alike, html).len();
        assert_eq!(kept("<p>one 90<p>Yes. 40<p>two 90"), 3);
        assert_eq!(kept("<p>one 90<p>Yes. 40<p>No. 40<p>two 90"), 2);
        assert_eq!(kept("<p>one 90<p class=ad>Yes. 40<p>two 90"), 2);
        assert_eq!(
            kept("<p>one 90<p class=said>Yes. 40<p class=said>No. 50"),
            3
        );
        assert_eq!(kept("<p>one 90<p>Yes. 10<p>two 90"), 2);
        assert_eq!(
            kept("<p>one 90<p>See <a href=x>that other page 40</a><p>two 90"),
            2
        );
        assert_eq!(kept("<p>one 90<p>two 90<p>Share 40"), 2);
    }

    #[test]
    fn turns_of_a_conversation_are_kept_together() {
        let speech = |text: &str| {
            format!("<div class=t><b>Ann</b><a href=x>(00:13)</a> <span>{text}</span></div>")
        };
        let page = |texts: &[&str]| {
            let turns: String = texts.iter().map(|text| speech(text)).collect();
            kept_by(keep_alike, &turns).len()
        };
        assert_eq!(
            page(&["one 90", "two 80", "(laughs) 40", "three 90", "Thanks. 30"]),
            5
        );
        assert_eq!(page(&["one 90", "Yes. 10", "No. 10", "Hm. 20"]), 1);
        let apart = ["one 90", "two 80", "three 90"].map(speech).concat();
        let part = format!("{apart}<h2>Next 90</h2>{}", speech("Hm. 20"));
        assert_eq!(kept_by(keep_alike, &part).len(), 5);
        let other = "<div class=t>Share this page 30</div>";
        let turns = ["one 90", "two 80", "three 90", "four 90"]
            .map(speech)
            .concat();
        assert_eq!(kept_by(keep_alike, &format!("{turns}{other}")).len(), 4);
    }
}
