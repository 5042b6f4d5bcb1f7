//! Pages that would be emptied: most of their text seems hidden or has no box, and hardly any other
//! is left. Then the page is broken (a curtain that a script would draw aside, a style sheet that
//! is missing, an article that a script would unfold), and its text is kept.

use super::method::CleanedPage;
use crate::capture::{Capture, Dom, NodeId};
use crate::classify::Label;
use crate::clean::{Segment, SegmentKind};
use crate::elements::Element;
use crate::target::{Target, is_hidden_by_markup};
use crate::text::count_letters;

/// Number of hidden letters from which a page is looked at. Heuristic: one paragraph.
const MIN_HIDDEN_LETTERS: usize = 200;
/// Share of the text that would be kept from which hidden text is most of it. Heuristic.
const MOST: f64 = 0.5;
/// Number of letters in a block from which it counts as running text, and number of such letters
/// with which a page stands by itself. Heuristic: an attack puts hidden text beside an article, so
/// a few visible paragraphs are enough to believe that the rest is hidden from readers, however
/// long it is.
const RUNNING_LETTERS: usize = 60;
const MIN_OWN_LETTERS: usize = 300;
/// Elements whose text is no text of the page.
const NO_TEXT: [Element; 4] = [
    Element::known("script"),
    Element::known("style"),
    Element::known("noscript"),
    Element::known("template"),
];

/// Whether a capture has so much hidden text that the page could be emptied.
pub(super) fn hides_much(capture: &Capture) -> bool {
    let Some(layout) = &capture.layout else {
        return false;
    };
    let letters = |(text, _): (NodeId, _)| capture.dom.text(text).map_or(0, count_letters);
    layout.hidden_texts().map(letters).sum::<usize>() >= MIN_HIDDEN_LETTERS
}

/// Bare HTML with what its markup hides shown, if dropping that, as in `cleaned`, could have
/// emptied the page.
pub(super) fn without_curtains(capture: &Capture, cleaned: &CleanedPage) -> Option<Capture> {
    if !is_scant(&cleaned.document.segments) {
        return None;
    }
    let curtains = curtains(&capture.dom);
    (!curtains.is_empty()).then(|| {
        let mut shown = capture.clone();
        for curtain in curtains {
            shown.dom.remove_attributes(curtain, &["hidden", "style"]);
        }
        shown
    })
}

/// Whether so little is kept of bare HTML, and no headline, that its text may lie behind a curtain.
/// Of 9 pages of the data sets that do not stand by themselves, the 6 that are better with what is
/// behind a curtain keep at most 175 letters without (one of them its headline); of the 3 that are
/// worse, two keep 483 and more, and one its headline.
fn is_scant(segments: &[Segment]) -> bool {
    let is_headline = |segment: &Segment| segment.kind == SegmentKind::Heading { level: 1 };
    segments
        .iter()
        .map(|segment| count_letters(&segment.text()))
        .sum::<usize>()
        < MIN_OWN_LETTERS
        && !segments.iter().any(is_headline)
}

/// The elements that the markup of bare HTML hides, each with enough text to look at; dialogs are
/// closed on purpose.
fn curtains(dom: &Dom) -> Vec<NodeId> {
    let mut letters_before = Vec::with_capacity(dom.len() + 1);
    let mut letters = 0;
    for id in dom.ids() {
        letters_before.push(letters);
        if dom
            .parent(id)
            .is_some_and(|parent| !NO_TEXT.contains(&dom.element(parent)))
        {
            letters += dom.text(id).map_or(0, count_letters);
        }
    }
    letters_before.push(letters);
    let has_much = |id: &NodeId| {
        letters_before[dom.end(*id)] - letters_before[id.index()] >= MIN_HIDDEN_LETTERS
    };
    dom.ids()
        .filter(has_much)
        .filter(|&id| dom.tag(id) != "dialog" && is_hidden_by_markup(dom, id))
        .collect()
}

/// Whether dropping the hidden text of `capture` has emptied the page: most of what is kept of it
/// with all its text (`whole`) is hidden, and what is left (`dropped`) is no page of its own.
pub(super) fn is_emptied(capture: &Capture, dropped: &CleanedPage, whole: &CleanedPage) -> bool {
    let hidden = hidden_nodes(capture);
    let letters_of = |target: &Target, is_wanted: &dyn Fn(NodeId) -> bool| -> usize {
        let texts = target.texts.iter().filter(|&&text| is_wanted(text));
        texts
            .map(|&text| capture.dom.text(text).map_or(0, count_letters))
            .sum()
    };
    let all: usize = kept(whole)
        .map(|target| letters_of(target, &|_| true))
        .sum();
    let unseen: usize = kept(whole)
        .map(|target| letters_of(target, &|text| hidden[text.index()]))
        .sum();
    unseen >= MIN_HIDDEN_LETTERS
        && unseen as f64 > MOST * all as f64
        && !stands_by_itself(capture, dropped)
}

/// Whether what is kept has enough running text to be a page of its own.
fn stands_by_itself(capture: &Capture, page: &CleanedPage) -> bool {
    let running = kept(page)
        .map(|target| letters_of(capture, target))
        .filter(|&letters| letters >= RUNNING_LETTERS);
    running.sum::<usize>() >= MIN_OWN_LETTERS
}

/// Whether so little is kept of a rendered page, and so much of its text has no box, that it may
/// lie in the latter.
pub(super) fn may_lie_without_box(capture: &Capture, cleaned: &CleanedPage) -> bool {
    let dom = &capture.dom;
    let is_text = |id: &NodeId| {
        dom.parent(*id)
            .is_some_and(|parent| !NO_TEXT.contains(&dom.element(parent)))
    };
    let letters = |id: NodeId| dom.text(id).map_or(0, count_letters);
    capture.layout.is_some()
        && !stands_by_itself(capture, cleaned)
        && dom
            .ids()
            .filter(|&id| has_no_box(capture, id))
            .filter(is_text)
            .map(letters)
            .sum::<usize>()
            >= MIN_HIDDEN_LETTERS
}

/// Number of the blocks that are kept of the page as bare HTML (`whole`) and have no box, if they
/// are most of it; else none.
pub(super) fn blocks_without_box(capture: &Capture, whole: &CleanedPage) -> usize {
    let without =
        || kept(whole).filter(|target| target.texts.iter().all(|&text| has_no_box(capture, text)));
    let letters = |target: &Target| letters_of(capture, target);
    let (unseen, all) = (
        without().map(letters).sum::<usize>(),
        kept(whole).map(letters).sum::<usize>(),
    );
    if unseen >= MIN_HIDDEN_LETTERS && unseen as f64 > MOST * all as f64 {
        without().count()
    } else {
        0
    }
}

fn has_no_box(capture: &Capture, text: NodeId) -> bool {
    capture.dom.text(text).is_some()
        && capture
            .layout
            .as_ref()
            .is_some_and(|layout| layout.lines(text).is_empty())
}

fn letters_of(capture: &Capture, target: &Target) -> usize {
    target
        .texts
        .iter()
        .map(|&text| capture.dom.text(text).map_or(0, count_letters))
        .sum()
}

/// Number of the kept blocks with hidden text.
pub(super) fn hidden_blocks(capture: &Capture, whole: &CleanedPage) -> usize {
    let hidden = hidden_nodes(capture);
    kept(whole)
        .filter(|target| target.texts.iter().any(|text| hidden[text.index()]))
        .count()
}

fn hidden_nodes(capture: &Capture) -> Vec<bool> {
    let mut hidden = vec![false; capture.dom.len()];
    let Some(layout) = &capture.layout else {
        // Curtains lie in order, one in the other or apart.
        let mut end = 0;
        for curtain in curtains(&capture.dom) {
            if curtain.index() >= end {
                end = capture.dom.end(curtain);
                hidden[curtain.index()..end].fill(true);
            }
        }
        return hidden;
    };
    for (text, _) in layout.hidden_texts() {
        hidden[text.index()] = true;
    }
    hidden
}

/// The targets that are kept; none of a method that has no targets.
fn kept(page: &CleanedPage) -> impl Iterator<Item = &Target> {
    let decided = page.targets.iter().zip(&page.decisions);
    decided
        .filter(|(_, decision)| decision.label == Label::Content)
        .map(|(target, _)| target)
}
