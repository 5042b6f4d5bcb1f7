//! The kept runs of text of a page: usually its kept targets; where there are formulas, a paragraph that formulas have cut
//! into several targets is one run again, and a formula without visible text is a part of the run it stands in.

use super::formula::{Formula, formulas};
use crate::capture::{Capture, Display, Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::elements::Element;
use crate::target::{Piece, Target, display};
use crate::text::{count_letters, is_blank};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// A run of text that is written as one segment.
#[derive(Debug, Clone)]
pub(super) struct Run<'a> {
    /// Index of its first target; of a formula without one, of the target before it.
    pub(super) index: usize,
    /// The texts, in document order, and the block that holds them; no texts for a formula alone.
    pub(super) target: Cow<'a, Target>,
    /// Its nodes from the first to the last; empty for a target without a formula.
    pub(super) nodes: Range<usize>,
}

/// The kept runs of a page, and its formulas.
#[derive(Debug)]
pub(super) struct Runs<'a> {
    pub(super) kept: Vec<Run<'a>>,
    pub(super) formulas: Vec<Formula>,
}

impl<'a> Runs<'a> {
    /// Joins the targets of a page to runs, and keeps those of which most is content.
    pub(super) fn of_page(capture: &Capture, targets: &'a [Target], decisions: &[Decision]) -> Self {
        let formulas = formulas(&capture.dom);
        let is_kept = |index: usize| decisions.get(index).is_some_and(|decision| decision.label == Label::Content);
        if formulas.is_empty() {
            let kept = targets.iter().enumerate().filter(|(index, target)| is_kept(*index) && !target.texts.is_empty());
            let kept = kept.map(|(index, target)| Run { index, target: Cow::Borrowed(target), nodes: 0..0 }).collect();
            return Self { kept, formulas };
        }
        let joined = Joining { capture, targets, formulas: &formulas, runs: Vec::new() }.join();
        let verdicts: Vec<Option<bool>> =
            joined.iter().map(|run| run.verdict(&capture.dom, targets, is_kept)).collect();
        let next_kept = |from: usize| verdicts[from + 1..].iter().find_map(|&verdict| verdict);
        let (mut kept, mut before, mut last_index) = (Vec::new(), None, 0);
        let mut last_container = None;
        for (at, run) in joined.into_iter().enumerate() {
            // A formula that no target tells anything about is kept between kept texts, and directly after one.
            let keep = verdicts[at].unwrap_or_else(|| {
                let is_beside = |last| is_beside(capture, last, &run);
                before == Some(true) && (next_kept(at) == Some(true) || last_container.is_some_and(is_beside))
            });
            before = verdicts[at].or(before);
            if verdicts[at].is_some() {
                last_container = Some(run.container);
            }
            last_index = run.members.iter().copied().find(|&index| is_kept(index)).unwrap_or(last_index);
            if keep {
                kept.push(run.into_run(targets, last_index));
            }
        }
        Self { kept, formulas }
    }

    /// The texts of a run and their separators; a formula is one piece.
    pub(super) fn pieces(&self, dom: &Dom, run: &Run<'_>) -> Vec<Piece> {
        if run.nodes.is_empty() {
            return run.target.pieces(dom);
        }
        let end = |id| self.formula_at(id).map(|formula| formula.nodes.end);
        run.target.pieces_in(dom, run.nodes.clone(), end)
    }

    /// The formula that begins at a node.
    pub(super) fn formula_at(&self, id: NodeId) -> Option<&Formula> {
        let at = self.formulas.binary_search_by_key(&id.index(), |formula| formula.nodes.start).ok()?;
        self.formulas.get(at)
    }
}

/// Whether a formula stands next to a block of text: in it, or in the same block around it, alone or with elements of its own
/// that hold nothing else.
fn is_beside(capture: &Capture, text: NodeId, formula: &Joined) -> bool {
    let dom = &capture.dom;
    let Some(outer) = dom.ancestors(text).find(|&up| !display(capture, up).is_inline()) else { return false };
    if formula.container == text || formula.container == outer {
        return true;
    }
    let above = || std::iter::once(formula.container).chain(dom.ancestors(formula.container));
    let Some(own) = above().find(|&up| dom.parent(up) == Some(outer)) else { return false };
    let is_other =
        |id: NodeId| !formula.nodes.contains(&id.index()) && dom.text(id).is_some_and(|text| !is_blank(text));
    !dom.descendants(own).any(is_other)
}

/// A run that is being joined.
#[derive(Debug)]
struct Joined {
    container: NodeId,
    /// Targets with texts outside formulas.
    members: Vec<usize>,
    /// Targets whose texts are all in a formula.
    in_formulas: Vec<usize>,
    nodes: Range<usize>,
    /// Whether its last part is a formula within a line, which ended the target before it.
    ends_in_formula: bool,
    has_formula: bool,
}

impl Joined {
    /// Whether most letters are content; `None` if no target tells.
    fn verdict(&self, dom: &Dom, targets: &[Target], is_kept: impl Fn(usize) -> bool) -> Option<bool> {
        let letters = |index: usize| {
            targets[index].texts.iter().filter_map(|&id| dom.text(id)).map(count_letters).sum::<usize>().max(1)
        };
        let all = |indices: &[usize]| indices.iter().map(|&index| letters(index)).sum::<usize>();
        let kept = |indices: &[usize]| {
            indices.iter().filter(|&&index| is_kept(index)).map(|&index| letters(index)).sum::<usize>()
        };
        if !self.members.is_empty() {
            return Some(kept(&self.members) * 2 >= all(&self.members));
        }
        // Models cannot know single letters of a formula, so only a majority for it counts.
        (kept(&self.in_formulas) * 2 > all(&self.in_formulas)).then_some(true)
    }

    fn into_run(self, targets: &[Target], index: usize) -> Run<'_> {
        if let ([only], false) = (&self.members[..], self.has_formula) {
            return Run { index: *only, target: Cow::Borrowed(&targets[*only]), nodes: 0..0 };
        }
        let mut texts: Vec<NodeId> = self.members.iter().flat_map(|&member| &targets[member].texts).copied().collect();
        texts.sort_unstable();
        let index = self.members.first().or(self.in_formulas.first()).copied().unwrap_or(index);
        Run { index, target: Cow::Owned(Target { container: self.container, texts }), nodes: self.nodes }
    }
}

/// Joins targets and formulas, in document order.
struct Joining<'a> {
    capture: &'a Capture,
    targets: &'a [Target],
    formulas: &'a [Formula],
    runs: Vec<Joined>,
}

impl Joining<'_> {
    fn join(mut self) -> Vec<Joined> {
        let mut next = 0;
        for (index, target) in self.targets.iter().enumerate() {
            let (Some(first), Some(last)) = (target.texts.first(), target.texts.last()) else { continue };
            // Formulas that end before this target begins, and that no target contains.
            while self.formulas.get(next).is_some_and(|formula| formula.nodes.end <= first.index()) {
                self.add_formula(next);
                next += 1;
            }
            match self.formulas.get(next).filter(|formula| formula.nodes.start <= first.index()) {
                Some(formula) if last.index() < formula.nodes.end => {
                    self.add_formula(next);
                    self.runs.last_mut().expect("the formula has a run").in_formulas.push(index);
                }
                _ => {
                    self.add_target(index, next);
                    while self.formulas.get(next).is_some_and(|formula| formula.nodes.end <= last.index()) {
                        next += 1;
                    }
                }
            }
        }
        (next..self.formulas.len()).for_each(|index| self.add_formula(index));
        self.runs
    }

    /// Adds a formula to the run it stands in, or as a run of its own.
    fn add_formula(&mut self, index: usize) {
        let formula = &self.formulas[index];
        if self.runs.last().is_some_and(|run| run.nodes.end >= formula.nodes.end) {
            return;
        }
        let Some(container) = self.block_around(formula.root()) else { return };
        match self.runs.last_mut() {
            Some(run)
                if run.nodes.end > formula.nodes.start
                    || run.container == container
                        && !formula.is_display
                        && (run.ends_in_formula || !run.members.is_empty()) =>
            {
                run.nodes.end = formula.nodes.end;
                (run.ends_in_formula, run.has_formula) = (true, true);
            }
            _ => self.runs.push(Joined {
                container,
                members: Vec::new(),
                in_formulas: Vec::new(),
                nodes: formula.nodes.clone(),
                ends_in_formula: !formula.is_display,
                has_formula: true,
            }),
        }
    }

    /// Adds a target with text outside formulas; `next` is the first formula that does not end before it.
    fn add_target(&mut self, index: usize, next: usize) {
        let target = &self.targets[index];
        let mut nodes = target.first().index()..target.texts[target.texts.len() - 1].index() + 1;
        let last = nodes.end;
        let (mut ends_in_formula, mut has_formula) = (false, false);
        for formula in self.formulas[next..].iter().take_while(|formula| formula.nodes.start < last) {
            nodes.start = nodes.start.min(formula.nodes.start);
            ends_in_formula = formula.nodes.end >= last && !formula.is_display;
            nodes.end = nodes.end.max(formula.nodes.end);
            has_formula = true;
        }
        if let Some(run) = self.runs.last_mut().filter(|run| run.container == target.container && run.ends_in_formula) {
            run.members.push(index);
            run.nodes.end = run.nodes.end.max(nodes.end);
            run.ends_in_formula = ends_in_formula;
            run.has_formula |= has_formula;
            return;
        }
        let container = target.container;
        self.runs.push(Joined {
            container,
            members: vec![index],
            in_formulas: Vec::new(),
            nodes,
            ends_in_formula,
            has_formula,
        });
    }

    /// The block that a formula stands in; `None` if the formula is in a part that is not shown.
    fn block_around(&self, root: NodeId) -> Option<NodeId> {
        let mut block = None;
        for up in self.capture.dom.ancestors(root) {
            match display(self.capture, up) {
                Display::None => return None,
                shown if block.is_none() && !shown.is_inline() => block = Some(up),
                _ => {}
            }
        }
        block
    }
}

const LINK: Element = Element::known("a");

/// Longest text of a reference without its brackets, in characters. Heuristic.
const MAX_REFERENCE_CHARS: usize = 4;

/// Largest note, in nodes; a larger element is a part of the page. Heuristic.
const MAX_NOTE_NODES: usize = 300;

/// The footnotes of a text.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// For each link that is a reference, the number of its note.
    references: BTreeMap<NodeId, u32>,
    /// The nodes of each note by their start, with its number, as long as no segment has begun it.
    notes: BTreeMap<usize, (Range<usize>, u32)>,
}

impl Notes {
    /// Finds the footnotes of a text; `kept` are its text nodes, in document order.
    pub(super) fn find(dom: &Dom, kept: &[NodeId]) -> Self {
        let links = dom.ids().filter(|&id| dom.element(id) == LINK);
        let links: Vec<(NodeId, &str)> = links.filter_map(|id| Some((id, reference(dom, id)?))).collect();
        if links.is_empty() {
            return Self::default();
        }
        let mut named: BTreeMap<&str, NodeId> = BTreeMap::new();
        for id in dom.ids() {
            let name = dom.attribute(id, "id").or_else(|| dom.attribute(id, "name").filter(|_| dom.tag(id) == "a"));
            if let Some(name) = name {
                named.entry(name).or_insert(id);
            }
        }
        let has_text = |nodes: &Range<usize>| {
            let next = kept.partition_point(|id| id.index() < nodes.start);
            kept.get(next).is_some_and(|id| id.index() < nodes.end)
        };
        let mut found = Self::default();
        for (link, name) in links {
            let Some(nodes) = named.get(name).and_then(|&target| note_nodes(dom, target)) else { continue };
            if nodes.start < dom.end(link) || !has_text(&nodes) || !has_text(&(link.index()..dom.end(link))) {
                continue;
            }
            let next = found.notes.len() as u32 + 1;
            let (_, number) = found.notes.entry(nodes.start).or_insert((nodes, next));
            found.references.insert(link, *number);
        }
        found
    }

    /// The number of the note that a link refers to.
    pub(super) fn reference(&self, link: NodeId) -> Option<u32> {
        self.references.get(&link).copied()
    }

    /// The number of the note that begins with this text; each begins once.
    pub(super) fn begin(&mut self, first: NodeId) -> Option<u32> {
        let (&start, (nodes, number)) = self.notes.range(..=first.index()).next_back()?;
        let number = nodes.contains(&first.index()).then_some(*number)?;
        // The entry stays in the order of starts, and is empty now.
        self.notes.insert(start, (start..start, number));
        Some(number)
    }
}

/// The name that an `a` refers to, if it looks like a reference to a note.
fn reference(dom: &Dom, id: NodeId) -> Option<&str> {
    let name = dom.attribute(id, "href")?.strip_prefix('#')?;
    let text: String = dom.descendants(id).filter_map(|below| dom.text(below)).flat_map(str::chars).take(20).collect();
    let text = text.trim();
    let bare = text.trim_matches(['[', ']', '(', ')']);
    let is_mark = |c: char| c.is_alphanumeric() || matches!(c, '*' | '\u{2020}' | '\u{2021}' | '\u{a7}');
    let is_short = (1..=MAX_REFERENCE_CHARS).contains(&bare.chars().count()) && bare.chars().all(is_mark);
    let is_raised = || dom.ancestors(id).take(3).chain(dom.descendants(id).take(3)).any(|near| dom.tag(near) == "sup");
    let is_named = || dom.attribute(id, "role") == Some("doc-noteref");
    (!name.is_empty() && is_short && (bare != text || is_raised() || is_named())).then_some(name)
}

/// The nodes of the block that a name within a page refers to; `None` if it is no note.
fn note_nodes(dom: &Dom, target: NodeId) -> Option<Range<usize>> {
    let is_block = |id: &NodeId| dom.element(*id).default_display().is_some();
    let block = std::iter::once(target).chain(dom.ancestors(target)).take(4).find(is_block)?;
    let nodes = block.index()..dom.end(block);
    let is_note = nodes.len() <= MAX_NOTE_NODES && !dom.element(block).is_heading() && dom.tag(block) != "body";
    is_note.then_some(nodes)
}

#[cfg(test)]
mod tests {
    use super::super::document::Segment;
    use super::super::page::PageParts;
    use super::super::segment::segments;
    use super::super::segment::tests::{all_kept, kinds};
    use super::*;
    use crate::capture::Record;
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    /// The texts that are written of a page of which the targets with certain texts are kept.
    fn kept_texts(html: &str, is_kept: impl Fn(&str) -> bool) -> Vec<String> {
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let decide = |target: &Target| {
            let label = if is_kept(&target.text(&capture.dom)) { Label::Content } else { Label::Boilerplate };
            Decision { margin: 0.0, probability: 0.5, label, comments: None }
        };
        let decisions: Vec<Decision> = targets.iter().map(decide).collect();
        segments(&PageParts::find(&capture, &targets), &decisions).iter().map(Segment::text).collect()
    }

    fn texts(html: &str) -> Vec<String> {
        kinds(html).into_iter().map(|(text, _)| text).collect()
    }

    const MATH: &str = "<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>";

    #[test]
    fn formulas_are_written_as_latex_where_they_stand() {
        let katex = "<span class=katex><span class=katex-mathml><math><semantics><mi>a</mi><annotation \
                     encoding='application/x-tex'>a_1</annotation></semantics></math></span><span class=katex-html>a<div>1</div>\
                     </span></span>";
        assert_eq!(texts(&format!("<p>Let {MATH} be <b>it</b>.</p>")), ["Let $\\frac{a}{b}$ be it."]);
        assert_eq!(texts(&format!("<div>Let {katex} be it.</div><p>next</p>")), ["Let $a_1$ be it.", "next"]);
        assert_eq!(texts(&format!("<div>{katex} is it.</div>")), ["$a_1$ is it."]);
        assert_eq!(texts("<p>Let <script type='math/tex'>x^2</script> be it.</p>"), ["Let $x^2$ be it."]);
        assert_eq!(texts("<p>It is <script type='math/tex'>x^2</script></p><p>b</p>"), ["It is $x^2$", "b"]);
    }

    #[test]
    fn formulas_alone_are_kept_between_kept_texts() {
        let picture = "<dl><dd><span class=mwe-math-element><span style='display: none' class=mwe-math-mathml-inline><math>\
                       <mi>x</mi></math></span><img class=mwe-math-fallback-image-inline alt='{\\displaystyle x}'></span></dd></dl>";
        assert_eq!(texts(&format!("<p>so</p>{picture}<p>is</p>")), ["so", "$x$", "is"]);
        assert_eq!(texts(&format!("<div><p>so</p></div>{picture}")), ["so"]);
        assert_eq!(texts(&format!("<p>so</p><div hidden>{picture}</div><p>is</p>")), ["so", "is"]);
        let display = "<p>so</p><script type='math/tex; mode=display'>x</script><p>is</p>";
        assert_eq!(texts(display), ["so", "$$x$$", "is"]);
    }

    #[test]
    fn a_formula_beside_the_last_kept_text_is_kept() {
        let formula = "<dl><dd><img class=tex alt='x'></dd></dl>";
        let display = "<script type='math/tex; mode=display'>y</script>";
        // The text `no` is dropped.
        let texts = |html: &str| kept_texts(html, |text| text != "no");
        assert_eq!(texts(&format!("<div><p>so</p>{formula}{display}</div>")), ["so", "$x$", "$$y$$"]);
        assert_eq!(texts(&format!("<div><p>so</p>{formula}</div><p>no</p>")), ["so", "$x$"]);
        assert_eq!(texts(&format!("<div>so{display}</div><p>no</p>")), ["so", "$$y$$"]);
        // Something is between, or the formula is elsewhere.
        assert_eq!(texts(&format!("<p>so</p><p>no</p>{formula}")), ["so"]);
        assert_eq!(texts(&format!("<div><p>so</p></div>{formula}")), ["so"]);
        assert_eq!(texts("<p>so</p><div><img class=tex alt='x'><p>no</p></div>"), ["so"]);
        assert_eq!(texts(&format!("<p>no</p>{formula}")), [""; 0]);
    }

    /// The references and the beginnings of notes, in order: number, whether it is a reference, text.
    fn found(html: &str) -> Vec<(u32, bool, String)> {
        let mut found = Vec::new();
        for segment in all_kept(html) {
            found.extend(segment.note.map(|number| (number, false, segment.text())));
            for span in &segment.spans {
                found.extend(span.note.map(|number| (number, true, span.text.clone())));
            }
        }
        found
    }

    #[test]
    fn references_and_notes_have_the_same_numbers() {
        let html = "<p>One<sup><a href=#b>1</a></sup> and two <a href=#a>[2]</a>, again<sup><a href=#b>1</a></sup>.</p>\
                    <ol><li id=a>Note a<p>and more</p><li id=b>Note b</ol>";
        let expected = [(1, true, "1"), (2, true, " [2]"), (1, true, "1"), (2, false, "Note a"), (1, false, "Note b")];
        assert_eq!(found(html), expected.map(|(number, is_reference, text)| (number, is_reference, text.to_owned())));
    }

    #[test]
    fn a_note_may_be_named_by_an_anchor_at_its_start() {
        let html = "<p>One<a href=#n role=doc-noteref>a</a>.</p><p><a name=n></a>Note.</p><p>Text.</p>";
        assert_eq!(found(html), [(1, true, "a".to_owned()), (1, false, "Note.".to_owned())]);
    }

    #[test]
    fn other_links_within_the_page_are_no_references() {
        for html in [
            "<p>See <a href=#a>1</a></p><p id=a>part</p>",
            "<p id=a>above</p><p>See <sup><a href=#a>1</a></sup></p>",
            "<p>See <a href=#a>[the end]</a></p><p id=a>part</p>",
            "<p>See <a href=#a>[1]</a></p><h2 id=a>part</h2>",
            "<p>See <a href=#b>[1]</a></p><p id=a>part</p>",
        ] {
            assert_eq!(found(html), [], "{html}");
        }
    }
}
