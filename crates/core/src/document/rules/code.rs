//! One decision for all lines of a block of code.
//!
//! Highlighters turn each line of code into a block, so models decide on each line alone, and a
//! line such as `}` does not look like text at all. A reader wants the code whole or not at all,
//! and wants code between two kept texts.

use super::threshold::page_threshold;
use crate::capture::NodeId;
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::error::CaptureError;
use crate::text::count_letters;
use std::collections::BTreeMap;

/// Gives all targets of a block of code the same label: content if their mean probability, weighted
/// by their letters, reaches the threshold of this page, or if the targets before and after them
/// are content. Margins and probabilities stay.
pub(super) fn keep_code_whole(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let threshold = page_threshold(decisions);
    let code = page.code();
    let mut blocks: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    for (index, target) in targets.iter().enumerate().take(decisions.len()) {
        let lines = || {
            code.lines_at(index)
                .map(|lines| targets[lines.start].first())
        };
        if let Some(block) = code.enclosing(dom, target.container).or_else(lines) {
            blocks.entry(block).or_default().push(index);
        }
    }
    for lines in blocks.into_values() {
        let is_content = |index: usize| {
            decisions
                .get(index)
                .is_some_and(|made| made.label == Label::Content)
        };
        let [Some(&first), Some(&last)] = [lines.first(), lines.last()] else {
            continue;
        };
        let is_between = first > 0 && is_content(first - 1) && is_content(last + 1);
        let kept = lines.iter().filter(|&&index| is_content(index)).count();
        if kept == lines.len() || kept == 0 && !is_between {
            continue;
        }
        let (mut sum, mut letters, mut comments) = (0.0, 0.0, 0.0);
        for &index in &lines {
            let texts = targets[index].texts.iter().filter_map(|&id| dom.text(id));
            let weight = texts.map(count_letters).sum::<usize>() as f32;
            sum += decisions[index].probability * weight;
            letters += weight;
            comments += if decisions[index].label == Label::Comments {
                weight
            } else {
                0.0
            };
        }
        let label = if is_between || sum >= threshold * letters {
            Label::Content
        } else if comments * 2.0 > letters {
            Label::Comments
        } else {
            Label::Boilerplate
        };
        for index in lines {
            decisions[index].label = label;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::trial::kept_if;
    use super::*;

    /// The kept texts of a page whose short blocks are dropped by the model.
    fn kept(html: &str, short: f32) -> String {
        kept_if(keep_code_whole, html, |text| {
            if text.len() > 5 { 0.7 } else { short }
        })
        .join("|")
    }

    #[test]
    fn code_is_whole_or_not_there() {
        let start = "<p>A text of the page.</p><p>}</p>";
        for code in [
            "<pre><div>for (;;) {</div><div>}</div></pre>",
            "<pre><code><span>for (;;) {</span><br><br>}</code></pre>",
            "<div><code><div>for (;;) {</div><div>}</div></code></div>",
            "<div><p><code>for (;;) {</code></p><p><code>}</code></p></div>",
            "<table class='highlight js-file-line-container'><tr><td>for (;;) {</td></tr><tr><td>}</td></tr></table>",
        ] {
            assert_eq!(
                kept(&format!("{start}{code}"), 0.1),
                "A text of the page.|for (;;) {|}",
                "{code}"
            );
        }
        let long = "<pre><div>for (;;) {</div><div>a</div><div>b</div><div>end();</div></pre>";
        assert_eq!(
            kept(&format!("{start}{long}"), 0.1),
            "A text of the page.|for (;;) {|a|b|end();"
        );
        let dropped = "<pre>}</pre>";
        assert_eq!(
            kept(&format!("{start}{dropped}"), 0.1),
            "A text of the page."
        );
        let between = format!("<p>A text of the page.</p>{dropped}<p>Another text.</p>");
        assert_eq!(kept(&between, 0.1), "A text of the page.|}|Another text.");
        let mostly_dropped = format!(
            "{start}<pre><div>for (;;) {{</div>{}</pre>",
            "<div>x();</div>".repeat(9)
        );
        assert_eq!(kept(&mostly_dropped, 0.1), "A text of the page.");
    }
}
