//! Hidden text that is the text of its page: a page that keeps hardly anything of what it shows,
//! and hides much, is broken (a curtain that a script would draw aside, a style sheet that is
//! missing, an article that a script would unfold).

use crate::capture::Capture;
use crate::classify::{Decision, Label};
use crate::target::Target;
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

/// The kept targets of a page.
pub(super) struct Kept<'t> {
    capture: &'t Capture,
    targets: Vec<&'t Target>,
}

impl<'t> Kept<'t> {
    pub(super) fn new(capture: &'t Capture, targets: &'t [Target], decisions: &[Decision]) -> Self {
        let decided = targets.iter().zip(decisions);
        let targets = decided
            .filter(|(_, decision)| decision.label == Label::Content)
            .map(|(target, _)| target)
            .collect();
        Self { capture, targets }
    }

    /// Number of hidden targets.
    pub(super) fn count_hidden(&self) -> usize {
        self.targets
            .iter()
            .filter(|target| !target.is_visible())
            .count()
    }

    fn letters(&self) -> impl Iterator<Item = (&Target, usize)> {
        self.targets
            .iter()
            .map(|target| (*target, letters(self.capture, target)))
    }

    /// Whether there is enough text for a page. Of bare HTML, all text counts, and a headline is
    /// enough: of 9 pages of the data sets that have too little running text, the 6 that are better
    /// with what is behind a curtain keep at most 175 letters without (one of them its headline);
    /// of the 3 that are worse, two keep 483 and more, and one its headline.
    fn stands_by_itself(&self) -> bool {
        let is_bare = self.capture.layout.is_none();
        let counted = self
            .letters()
            .map(|(_, letters)| letters)
            .filter(|&letters| is_bare || letters >= RUNNING_LETTERS);
        counted.sum::<usize>() >= MIN_OWN_LETTERS || is_bare && self.has_headline()
    }

    fn has_headline(&self) -> bool {
        let dom = &self.capture.dom;
        self.targets
            .iter()
            .flat_map(|target| dom.ancestors(target.first()))
            .any(|up| dom.tag(up) == "h1")
    }
}

/// Whether so little is kept of what a page shows, and so much running text is hidden, that the
/// latter may be its text. The items of closed menus are no running text.
pub(super) fn may_be_the_text(capture: &Capture, hidden: &[Target], kept: &Kept<'_>) -> bool {
    let hidden = hidden
        .iter()
        .map(|target| letters(capture, target))
        .filter(|&letters| letters >= RUNNING_LETTERS);
    hidden.sum::<usize>() >= MIN_HIDDEN_LETTERS && !kept.stands_by_itself()
}

/// Whether most of what is kept of a page with all its text is hidden running text.
pub(super) fn is_most_of(kept: &Kept<'_>) -> bool {
    let (mut all, mut hidden) = (0, 0);
    for (target, letters) in kept.letters() {
        all += letters;
        if !target.is_visible() && letters >= RUNNING_LETTERS {
            hidden += letters;
        }
    }
    hidden >= MIN_HIDDEN_LETTERS && hidden as f64 > MOST * all as f64
}

/// All targets, in document order.
pub(super) fn in_order(visible: &[Target], hidden: &[Target]) -> Vec<Target> {
    let mut all = [visible, hidden].concat();
    all.sort_by_key(Target::first);
    all
}

fn letters(capture: &Capture, target: &Target) -> usize {
    let letters = |&text| capture.dom.text(text).map_or(0, count_letters);
    target.texts.iter().map(letters).sum()
}
