//! The kept runs of text of a page: usually its kept targets; where there are formulas, a paragraph
//! that formulas have split into several targets is one run again, and a formula without visible
//! text is a part of the run around it.

use crate::capture::{Capture, Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::document::code::span::{Label as CodeLabel, label};
use crate::document::formulas::formula::{Formula, formulas};
use crate::document::notes::links::Notes;
use crate::document::page::PageParts;
use crate::target::{Piece, Target, display, is_off};
use crate::text::{count_letters, is_blank};
use std::borrow::Cow;
use std::ops::Range;

/// A run of text that is written as one segment.
#[derive(Debug, Clone)]
pub(in crate::document) struct Run<'a> {
    /// Index of its first target; for a formula without a target, that of the target before it.
    pub(in crate::document) index: usize,
    /// The texts, in document order, and the block that holds them; no texts for a formula alone.
    pub(in crate::document) target: Cow<'a, Target>,
    /// Its nodes from the first to the last; empty for a target without a formula.
    pub(in crate::document) nodes: Range<usize>,
    /// If it is code, the language that a label before it names.
    pub(in crate::document) language: Option<String>,
}

/// The kept runs of a page, its formulas, and the footnotes of the kept text.
#[derive(Debug)]
pub(in crate::document) struct Runs<'a> {
    pub(in crate::document) kept: Vec<Run<'a>>,
    pub(in crate::document) formulas: Vec<Formula>,
    pub(in crate::document) notes: Notes,
}

impl<'a> Runs<'a> {
    /// Joins the targets of a page to runs, and keeps those that are mostly content.
    pub(in crate::document) fn from_page(page: &PageParts<'a>, decisions: &[Decision]) -> Self {
        let formulas = formulas(page.dom);
        let kept = without_labels(
            page,
            kept_runs(page.capture, page.targets, decisions, &formulas),
        );
        let texts: Vec<NodeId> = kept
            .iter()
            .flat_map(|run| &run.target.texts)
            .copied()
            .collect();
        let notes = Notes::for_text(page.dom, page.notes(), &texts);
        Self {
            kept,
            formulas,
            notes,
        }
    }

    /// The texts of a run and their separators; a formula is one piece. Marks of notes that are
    /// dropped are left out.
    pub(in crate::document) fn pieces(&self, dom: &Dom, run: &Run<'_>) -> Vec<Piece> {
        let mut pieces = if run.nodes.is_empty() {
            run.target.pieces(dom)
        } else {
            let end = |id| self.formula_at(id).map(|formula| formula.nodes.end);
            run.target.pieces_in(dom, run.nodes.clone(), end)
        };
        pieces.retain(|piece| !matches!(piece, Piece::Text(id) if self.notes.is_dropped(*id)));
        pieces
    }

    pub(in crate::document) fn is_in_formula(&self, id: NodeId) -> bool {
        let after = self
            .formulas
            .partition_point(|formula| formula.nodes.start <= id.index());
        after > 0 && self.formulas[after - 1].nodes.contains(&id.index())
    }

    /// The formula that begins at a node.
    pub(in crate::document) fn formula_at(&self, id: NodeId) -> Option<&Formula> {
        let at = self
            .formulas
            .binary_search_by_key(&id.index(), |formula| formula.nodes.start)
            .ok()?;
        self.formulas.get(at)
    }
}

fn kept_runs<'a>(
    capture: &Capture,
    targets: &'a [Target],
    decisions: &[Decision],
    formulas: &[Formula],
) -> Vec<Run<'a>> {
    let is_kept = |index: usize| {
        decisions
            .get(index)
            .is_some_and(|decision| decision.label == Label::Content)
    };
    if formulas.is_empty() {
        let kept = targets
            .iter()
            .enumerate()
            .filter(|(index, target)| is_kept(*index) && !target.texts.is_empty());
        return kept
            .map(|(index, target)| Run {
                index,
                target: Cow::Borrowed(target),
                nodes: 0..0,
                language: None,
            })
            .collect();
    }
    let joined = Joining {
        capture,
        targets,
        formulas,
        runs: Vec::new(),
    }
    .join();
    let verdicts: Vec<Option<bool>> = joined
        .iter()
        .map(|run| run.verdict(&capture.dom, targets, is_kept))
        .collect();
    let next_kept = |from: usize| verdicts[from + 1..].iter().find_map(|&verdict| verdict);
    let (mut kept, mut before, mut last_index) = (Vec::new(), None, 0);
    let mut last_container = None;
    for (at, run) in joined.into_iter().enumerate() {
        // A formula without a target of its own is kept between kept texts, and directly after one.
        let keep = verdicts[at].unwrap_or_else(|| {
            let is_beside = |last| is_beside(capture, last, &run);
            before == Some(true)
                && (next_kept(at) == Some(true) || last_container.is_some_and(is_beside))
        });
        before = verdicts[at].or(before);
        if verdicts[at].is_some() {
            last_container = Some(run.container);
        }
        last_index = run
            .members
            .iter()
            .copied()
            .find(|&index| is_kept(index))
            .unwrap_or(last_index);
        if keep {
            kept.push(run.into_run(targets, last_index));
        }
    }
    kept
}

/// The runs without the labels of code, such as `bash` or `Copy code`: runs directly before code
/// that are in an element with nothing but labels and the code.
fn without_labels<'a>(page: &PageParts<'_>, runs: Vec<Run<'a>>) -> Vec<Run<'a>> {
    let dom = page.dom;
    let mut left: Vec<Run<'a>> = Vec::with_capacity(runs.len());
    for mut run in runs {
        if page.code().is_code(dom, run.index, run.target.container) {
            // A formula alone has no texts.
            while let Some(before) = left.last().filter(|before| !before.target.texts.is_empty()) {
                let text = before.target.text(dom);
                match label(&text).filter(|_| is_around_only(page, before, &run)) {
                    Some(CodeLabel::Language(language)) => run.language = Some(language),
                    Some(CodeLabel::Button) => {}
                    None => break,
                }
                left.pop();
            }
        }
        left.push(run);
    }
    left
}

/// Returns true if the smallest element around a run before code and the code has no text before
/// the run, and is near to it.
fn is_around_only(page: &PageParts<'_>, before: &Run<'_>, code: &Run<'_>) -> bool {
    const MAX_LEVELS: usize = 4;
    let dom = page.dom;
    let (first, container) = (before.target.first(), before.target.container);
    if page.code().is_code(dom, before.index, container) {
        return false;
    }
    let around = std::iter::once(container)
        .chain(dom.ancestors(container))
        .take(MAX_LEVELS);
    let Some(both) = around
        .into_iter()
        .find(|&up| dom.contains(up, code.target.container))
    else {
        return false;
    };
    let has_text = |index: usize| {
        dom.text(NodeId::new(index))
            .is_some_and(|text| !is_blank(text) && label(text).is_none())
    };
    // The other cells of a row are not labels of the code in one.
    let is_row = matches!(dom.tag(both), "tr" | "tbody" | "table");
    dom.tag(both) != "body" && !is_row && !(both.index()..first.index()).any(has_text)
}

/// Returns true if a formula is next to a block of text: in it, or in the same block around it,
/// alone or with elements of its own that hold nothing else.
fn is_beside(capture: &Capture, text: NodeId, formula: &Joined) -> bool {
    let dom = &capture.dom;
    let Some(outer) = dom
        .ancestors(text)
        .find(|&up| !display(capture, up).is_inline())
    else {
        return false;
    };
    if formula.container == text || formula.container == outer {
        return true;
    }
    let above = || std::iter::once(formula.container).chain(dom.ancestors(formula.container));
    let Some(own) = above().find(|&up| dom.parent(up) == Some(outer)) else {
        return false;
    };
    let is_other = |id: NodeId| {
        !formula.nodes.contains(&id.index()) && dom.text(id).is_some_and(|text| !is_blank(text))
    };
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
    /// True if its last part is a formula within a line, which ended the target before it.
    ends_in_formula: bool,
    has_formula: bool,
}

impl Joined {
    /// Returns true if most letters are content; `None` if no target decides it.
    fn verdict(
        &self,
        dom: &Dom,
        targets: &[Target],
        is_kept: impl Fn(usize) -> bool,
    ) -> Option<bool> {
        let letters = |index: usize| {
            targets[index]
                .texts
                .iter()
                .filter_map(|&id| dom.text(id))
                .map(count_letters)
                .sum::<usize>()
                .max(1)
        };
        let all = |indices: &[usize]| indices.iter().map(|&index| letters(index)).sum::<usize>();
        let kept = |indices: &[usize]| {
            indices
                .iter()
                .filter(|&&index| is_kept(index))
                .map(|&index| letters(index))
                .sum::<usize>()
        };
        if !self.members.is_empty() {
            return Some(kept(&self.members) * 2 >= all(&self.members));
        }
        // Models cannot judge single letters of a formula, so only a majority in favor counts.
        (kept(&self.in_formulas) * 2 > all(&self.in_formulas)).then_some(true)
    }

    fn into_run(self, targets: &[Target], index: usize) -> Run<'_> {
        if let ([only], false) = (&self.members[..], self.has_formula) {
            return Run {
                index: *only,
                target: Cow::Borrowed(&targets[*only]),
                nodes: 0..0,
                language: None,
            };
        }
        let mut texts: Vec<NodeId> = self
            .members
            .iter()
            .flat_map(|&member| &targets[member].texts)
            .copied()
            .collect();
        texts.sort_unstable();
        let index = self
            .members
            .first()
            .or(self.in_formulas.first())
            .copied()
            .unwrap_or(index);
        Run {
            index,
            target: Cow::Owned(Target {
                container: self.container,
                texts,
                visibility: crate::capture::Visibility::Shown,
            }),
            nodes: self.nodes,
            language: None,
        }
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
            let (Some(first), Some(last)) = (target.texts.first(), target.texts.last()) else {
                continue;
            };
            // Formulas that end before this target begins, and that no target contains.
            while self
                .formulas
                .get(next)
                .is_some_and(|formula| formula.nodes.end <= first.index())
            {
                self.add_formula(next);
                next += 1;
            }
            match self
                .formulas
                .get(next)
                .filter(|formula| formula.nodes.start <= first.index())
            {
                Some(formula) if last.index() < formula.nodes.end => {
                    self.add_formula(next);
                    self.runs
                        .last_mut()
                        .expect("the formula has a run")
                        .in_formulas
                        .push(index);
                }
                _ => {
                    self.add_target(index, next);
                    while self
                        .formulas
                        .get(next)
                        .is_some_and(|formula| formula.nodes.end <= last.index())
                    {
                        next += 1;
                    }
                }
            }
        }
        (next..self.formulas.len()).for_each(|index| self.add_formula(index));
        self.runs
    }

    /// Adds a formula to the run around it, or as a run of its own.
    fn add_formula(&mut self, index: usize) {
        let formula = &self.formulas[index];
        if self
            .runs
            .last()
            .is_some_and(|run| run.nodes.end >= formula.nodes.end)
        {
            return;
        }
        let Some(container) = self.block_around(formula.root()) else {
            return;
        };
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

    /// Adds a target with text outside formulas; `next` is the first formula that does not end
    /// before it.
    fn add_target(&mut self, index: usize, next: usize) {
        let target = &self.targets[index];
        let mut nodes = target.first().index()..target.texts[target.texts.len() - 1].index() + 1;
        let last = nodes.end;
        let (mut ends_in_formula, mut has_formula) = (false, false);
        for formula in self.formulas[next..]
            .iter()
            .take_while(|formula| formula.nodes.start < last)
        {
            nodes.start = nodes.start.min(formula.nodes.start);
            ends_in_formula = formula.nodes.end >= last && !formula.is_display;
            nodes.end = nodes.end.max(formula.nodes.end);
            has_formula = true;
        }
        if let Some(run) = self
            .runs
            .last_mut()
            .filter(|run| run.container == target.container && run.ends_in_formula)
        {
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

    /// The block around a formula; `None` if the formula is in a part that is not shown.
    fn block_around(&self, root: NodeId) -> Option<NodeId> {
        let mut block = None;
        for up in self.capture.dom.ancestors(root) {
            if is_off(self.capture, up) {
                return None;
            }
            if block.is_none() && !display(self.capture, up).is_inline() {
                block = Some(up);
            }
        }
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::document::content::Segment;
    use crate::document::page::PageParts;
    use crate::document::segments::segment::segments;
    use crate::document::segments::segment::tests::kinds;
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    /// The texts that are written for a page on which the targets with certain texts are kept.
    fn kept_texts(html: &str, is_kept: impl Fn(&str) -> bool) -> Vec<String> {
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let decide = |target: &Target| {
            let label = if is_kept(&target.text(&capture.dom)) {
                Label::Content
            } else {
                Label::Boilerplate
            };
            Decision {
                margin: 0.0,
                probability: 0.5,
                label,
                comments: None,
            }
        };
        let decisions: Vec<Decision> = targets.iter().map(decide).collect();
        segments(&PageParts::new(&capture, &targets), &decisions)
            .iter()
            .map(Segment::text)
            .collect()
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
        assert_eq!(
            texts(&format!("<p>Let {MATH} be <b>it</b>.</p>")),
            ["Let $\\frac{a}{b}$ be it."]
        );
        assert_eq!(
            texts(&format!("<div>Let {katex} be it.</div><p>next</p>")),
            ["Let $a_1$ be it.", "next"]
        );
        assert_eq!(
            texts(&format!("<div>{katex} is it.</div>")),
            ["$a_1$ is it."]
        );
        assert_eq!(
            texts("<p>Let <script type='math/tex'>x^2</script> be it.</p>"),
            ["Let $x^2$ be it."]
        );
        assert_eq!(
            texts("<p>It is <script type='math/tex'>x^2</script></p><p>b</p>"),
            ["It is $x^2$", "b"]
        );
    }

    #[test]
    fn formulas_alone_are_kept_between_kept_texts() {
        let picture = "<dl><dd><span class=mwe-math-element><span style='display: none' class=mwe-math-mathml-inline><math>\
                       <mi>x</mi></math></span><img class=mwe-math-fallback-image-inline alt='{\\displaystyle x}'></span></dd></dl>";
        assert_eq!(
            texts(&format!("<p>so</p>{picture}<p>is</p>")),
            ["so", "$x$", "is"]
        );
        assert_eq!(texts(&format!("<div><p>so</p></div>{picture}")), ["so"]);
        assert_eq!(
            texts(&format!("<p>so</p><div hidden>{picture}</div><p>is</p>")),
            ["so", "is"]
        );
        let display = "<p>so</p><script type='math/tex; mode=display'>x</script><p>is</p>";
        assert_eq!(texts(display), ["so", "$$x$$", "is"]);
    }

    #[test]
    fn a_formula_beside_the_last_kept_text_is_kept() {
        let formula = "<dl><dd><img class=tex alt='x'></dd></dl>";
        let display = "<script type='math/tex; mode=display'>y</script>";
        // The text `no` is dropped.
        let texts = |html: &str| kept_texts(html, |text| text != "no");
        assert_eq!(
            texts(&format!("<div><p>so</p>{formula}{display}</div>")),
            ["so", "$x$", "$$y$$"]
        );
        assert_eq!(
            texts(&format!("<div><p>so</p>{formula}</div><p>no</p>")),
            ["so", "$x$"]
        );
        assert_eq!(
            texts(&format!("<div>so{display}</div><p>no</p>")),
            ["so", "$$y$$"]
        );
        assert_eq!(
            texts(&format!("<div><p>so</p>{formula}<pre>x</pre></div>")),
            ["so", "$x$", "x"]
        );
        assert_eq!(
            texts("<div><p>so</p><pre><img class=tex alt=x></pre><pre>x</pre></div>"),
            ["so", "$x$", "x"]
        );
        // Other text is between, or the formula is elsewhere.
        assert_eq!(texts(&format!("<p>so</p><p>no</p>{formula}")), ["so"]);
        assert_eq!(texts(&format!("<div><p>so</p></div>{formula}")), ["so"]);
        assert_eq!(
            texts("<p>so</p><div><img class=tex alt='x'><p>no</p></div>"),
            ["so"]
        );
        assert_eq!(texts(&format!("<p>no</p>{formula}")), [""; 0]);
    }
}
