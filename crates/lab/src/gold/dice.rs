//! Labels targets with FIASCO's method (section 5.1), one of the methods of
//! [`align`](super::align).

use super::labelling::Labelling;
use super::words::Pieces;
use crate::gold::words::{Numbering, TokenUnit, prepare};
use std::ops::Range;
use vclean_core::capture::Dom;
use vclean_core::target::Target;

/// Smallest Dice coefficient of a subtree and its gold paragraph. Heuristic: FIASCO gives no value.
const DICE_THRESHOLD: f64 = 0.6;

/// Labels targets as FIASCO did (section 5.1): for each gold paragraph, the subtree with the
/// largest Dice overlap of words is clean if the overlap is large enough; targets in a clean
/// subtree, and those that are mostly clean, are content.
///
/// `texts` are the texts of `targets`, for the oracle score.
pub fn dice(
    dom: &Dom,
    targets: &[Target],
    texts: &[String],
    gold: &str,
    unit: TokenUnit,
) -> Labelling {
    let prepared = prepare(gold);
    let mut numbering = Numbering::new();
    // Words of the visible text nodes in document order.
    let mut nodes: Vec<(usize, usize)> = targets
        .iter()
        .enumerate()
        .flat_map(|(target, block)| block.texts.iter().map(move |id| (id.index(), target)))
        .collect();
    nodes.sort_unstable();
    let page = Pieces::new(
        nodes.iter().map(|&(node, _)| {
            dom.text(vclean_core::capture::NodeId::new(node))
                .unwrap_or_default()
        }),
        &mut numbering,
    );
    // Gold may have line breaks anywhere: if blank lines separate paragraphs, whole paragraphs are
    // searched as well.
    let paragraphs: Vec<String> = prepared
        .split("\n\n")
        .filter(|paragraph| paragraph.trim().contains('\n'))
        .map(str::to_owned)
        .collect();
    let is_parted = prepared.trim().contains("\n\n");
    let whole = paragraphs.iter().filter(|_| is_parted).map(String::as_str);
    let lines = Pieces::new(prepared.lines().chain(whole), &mut numbering);
    let subtrees = subtree_ranges(dom, &nodes, &page);

    let mut is_clean = vec![false; page.words.len()];
    let mut wanted = vec![
        0u32;
        page.words
            .iter()
            .chain(&lines.words)
            .max()
            .map_or(0, |&most| most as usize + 1)
    ];
    for line in (0..lines.ranges.len()).filter(|&line| !lines.ranges[line].is_empty()) {
        if let Some(subtree) = most_alike(lines.words_of(line), &page, &subtrees, &mut wanted) {
            is_clean[subtree.clone()].fill(true);
        }
    }
    let mut clean = vec![(0usize, 0usize); targets.len()];
    for (&(_, target), range) in nodes.iter().zip(&page.ranges) {
        clean[target].0 += is_clean[range.clone()]
            .iter()
            .filter(|clean| **clean)
            .count();
        clean[target].1 += range.len();
    }
    let is_content: Vec<bool> = clean.iter().map(|&(clean, all)| clean * 2 > all).collect();
    let scores = clean
        .iter()
        .map(|&(clean, all)| clean as f32 / all.max(1) as f32)
        .collect();
    Labelling::full(texts, &is_content, scores, gold, unit)
}

/// The subtree whose words are most similar to those of a gold paragraph, the first of equals;
/// `None` if none is similar enough. `wanted` counts words by number; it is all zero before and
/// after.
fn most_alike<'a>(
    words: &[u32],
    page: &Pieces,
    subtrees: &'a [Range<usize>],
    wanted: &mut [u32],
) -> Option<&'a Range<usize>> {
    let size = words.len() as f64;
    let (shortest, longest) = (
        size * DICE_THRESHOLD / (2.0 - DICE_THRESHOLD),
        size * (2.0 - DICE_THRESHOLD) / DICE_THRESHOLD,
    );
    let mut best: Option<(f64, &Range<usize>)> = None;
    for subtree in subtrees {
        let length = subtree.len() as f64;
        if length < shortest || length > longest {
            continue;
        }
        for &word in words {
            wanted[word as usize] += 1;
        }
        let mut common = 0;
        for &word in &page.words[subtree.clone()] {
            if wanted[word as usize] > 0 {
                wanted[word as usize] -= 1;
                common += 1;
            }
        }
        for &word in words {
            wanted[word as usize] = 0;
        }
        let coefficient = 2.0 * f64::from(common) / (size + length);
        if coefficient >= DICE_THRESHOLD
            && best.as_ref().is_none_or(|(most, _)| coefficient > *most)
        {
            best = Some((coefficient, subtree));
        }
    }
    best.map(|(_, subtree)| subtree)
}

/// The word ranges of all subtrees with words, each once, in order.
fn subtree_ranges(dom: &Dom, nodes: &[(usize, usize)], page: &Pieces) -> Vec<Range<usize>> {
    let word_at = |position: usize| match nodes.partition_point(|&(node, _)| node < position) {
        index if index < nodes.len() => page.ranges[index].start,
        _ => page.words.len(),
    };
    let mut ranges: Vec<(usize, usize)> = dom
        .ids()
        .map(|id| (word_at(id.index()), word_at(dom.end(id))))
        .filter(|(start, end)| start < end)
        .collect();
    ranges.sort_unstable();
    ranges.dedup();
    ranges.into_iter().map(|(start, end)| start..end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::align::tests::content;
    use vclean_core::capture::{Capture, DomBuilder, Record};
    use vclean_core::target::{TargetRule, select};

    #[test]
    fn dice_labels_subtrees_and_propagates() {
        let mut builder = DomBuilder::new();
        builder.open("div", vec![]);
        builder.text("Home Search About");
        builder.close();
        builder.open("div", vec![]);
        builder.open("p", vec![]);
        builder.text("Once upon a time there was a page");
        builder.close();
        builder.open("p", vec![]);
        builder.text("that had text");
        let page = Capture::parsed(builder.finish(), Record::parsed("x", None));
        let targets = select(&page, TargetRule::Blocks);
        let texts: Vec<String> = targets
            .iter()
            .map(|target| page.dom.text(target.first()).unwrap().to_owned())
            .collect();
        let found = dice(
            &page.dom,
            &targets,
            &texts,
            "Once upon a time there was a page that had text",
            TokenUnit::Words,
        );
        assert_eq!(content(&found), [1, 2]);
    }
}
