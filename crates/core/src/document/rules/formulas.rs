//! Formulas in TeX that form a separate block: kept between kept texts, since models do not regard
//! them as text.

use crate::classify::{Decision, Label};
use crate::document::formulas::tex;
use crate::document::page::PageParts;
use crate::error::CaptureError;
use crate::target::Target;

/// Sets the decisions on formulas to content where the blocks before and after them are content;
/// several formulas in succession count as one. Margins and probabilities stay.
pub(super) fn keep_formulas(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let may_be = |target: &Target| {
        target
            .texts
            .iter()
            .filter_map(|&id| dom.text(id))
            .any(|text| text.contains(['$', '\\', '`']))
    };
    let candidates: Vec<bool> = targets
        .iter()
        .zip(&*decisions)
        .map(|(target, decision)| decision.label == Label::Boilerplate && may_be(target))
        .collect();
    if !candidates.contains(&true) {
        return Ok(());
    }
    let sets = page.sets();
    let is_formula: Vec<bool> = targets
        .iter()
        .zip(candidates)
        .map(|(target, is_candidate)| is_candidate && tex::is_all(&target.text(dom), sets))
        .collect();
    let mut start = 0;
    while start < is_formula.len() {
        let end = start
            + is_formula[start..]
                .iter()
                .take_while(|&&is_formula| is_formula)
                .count();
        let is_content = |index: usize| {
            decisions
                .get(index)
                .is_some_and(|decision| decision.label == Label::Content)
        };
        if end > start && start > 0 && is_content(start - 1) && is_content(end) {
            decisions[start..end]
                .iter_mut()
                .for_each(|decision| decision.label = Label::Content);
        }
        start = end.max(start + 1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::trial::kept_if;
    use super::*;

    #[test]
    fn a_formula_is_kept_between_texts() {
        let html = "<p>text</p><p>$$x_1$$</p><p>\\[ y \\]</p><p>text</p><p>$5</p><p>text</p><p>$$z^2$$</p><p>menu</p>";
        let kept = kept_if(
            keep_formulas,
            html,
            |text| if text == "text" { 0.9 } else { 0.2 },
        );
        assert_eq!(kept, ["text", "$$x_1$$", "\\[ y \\]", "text", "text"]);
    }
}
