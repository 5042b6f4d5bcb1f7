//! The kind of each block of a page by its gold: heading, list item, paragraph, or not content.
//!
//! The alignment decides whether a block is content. Its kind is given by the marks of the gold
//! that its words were aligned with, if the set has such marks, otherwise by its element.

use super::gold_page::GoldPage;
use crate::method::block::TextBlock;
use crate::method::passage::kind_of;
use std::collections::BTreeSet;
use vclean_core::classify::Label;
use vclean_core::document::SegmentKind;
use vclean_lab::gold::matching::matching_blocks;
use vclean_lab::gold::words::{Numbering, Pieces};

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GoldKind {
    Heading,
    ListItem,
    Paragraph,
    /// The block is not content.
    None,
}

/// The marks of gold standards.
const MARKS: [(&str, GoldKind); 3] = [
    ("<h>", GoldKind::Heading),
    ("<l>", GoldKind::ListItem),
    ("<p>", GoldKind::Paragraph),
];

/// The sets whose marks distinguish headings and list items from paragraphs: some sets use only
/// `<p>`.
pub(super) fn sets_with_kinds(pages: &[GoldPage]) -> BTreeSet<&str> {
    let has_kinds = |page: &&GoldPage| {
        page.marked
            .as_ref()
            .is_some_and(|marked| marked.contains("<h>") || marked.contains("<l>"))
    };
    pages
        .iter()
        .filter(has_kinds)
        .map(|page| page.set.as_str())
        .collect()
}

/// The kinds of the blocks of a page; `None` if the gold does not match the page well enough for
/// training.
pub(super) fn gold_kinds(
    page: &GoldPage,
    blocks: &[TextBlock],
    has_kinds: bool,
) -> Option<Vec<GoldKind>> {
    let texts: Vec<String> = blocks.iter().map(|block| block.text.clone()).collect();
    let labelling = page.label(&texts);
    if labelling.quality.is_bad {
        return None;
    }
    let by_mark = match page.marked.as_deref().filter(|_| has_kinds) {
        Some(marked) => by_mark(&texts, marked),
        None => vec![None; texts.len()],
    };
    let kinds =
        labelling
            .labels
            .iter()
            .zip(by_mark)
            .zip(blocks)
            .map(|((label, by_mark), block)| {
                let by_element = || match kind_of(&page.capture.dom, block.container) {
                    SegmentKind::Heading { .. } => GoldKind::Heading,
                    SegmentKind::ListItem { .. } => GoldKind::ListItem,
                    _ => GoldKind::Paragraph,
                };
                if *label == Some(Label::Content) {
                    by_mark.unwrap_or_else(by_element)
                } else {
                    GoldKind::None
                }
            });
    Some(kinds.collect())
}

/// The segments of text after each mark, with their kinds. Text before the first mark is a
/// paragraph.
fn segments(marked: &str) -> Vec<(GoldKind, &str)> {
    let mut segments = vec![(GoldKind::Paragraph, 0, 0)];
    let mut starts: Vec<(usize, GoldKind)> = MARKS
        .iter()
        .flat_map(|(mark, kind)| marked.match_indices(mark).map(|(at, _)| (at, *kind)))
        .collect();
    starts.sort_unstable();
    for (at, kind) in starts {
        if let Some(last) = segments.last_mut() {
            last.2 = at;
        }
        segments.push((kind, at + "<p>".len(), marked.len()));
    }
    if segments.len() == 1 {
        segments[0].2 = marked.len();
    }
    segments
        .into_iter()
        .map(|(kind, start, end)| (kind, &marked[start..end]))
        .collect()
}

/// The kind of most words of each text; `None` if no word was aligned.
fn by_mark(texts: &[String], marked: &str) -> Vec<Option<GoldKind>> {
    let segments = segments(marked);
    let mut numbering = Numbering::new();
    let page = Pieces::new(texts.iter().map(String::as_str), &mut numbering);
    let gold = Pieces::new(segments.iter().map(|(_, text)| *text), &mut numbering);
    let mut kind_at = Vec::with_capacity(gold.words.len());
    for ((kind, _), range) in segments.iter().zip(&gold.ranges) {
        kind_at.resize(range.end, *kind);
    }
    let mut found = vec![None; page.words.len()];
    for block in matching_blocks(&page.words, &gold.words, false) {
        for by in 0..block.size {
            found[block.a + by] = Some(kind_at[block.b + by]);
        }
    }
    let vote = |range: &std::ops::Range<usize>| {
        let votes = MARKS.map(|(_, kind)| {
            (
                found[range.clone()]
                    .iter()
                    .filter(|word| **word == Some(kind))
                    .count(),
                kind,
            )
        });
        votes
            .into_iter()
            .max()
            .filter(|(count, _)| *count > 0)
            .map(|(_, kind)| kind)
    };
    page.ranges.iter().map(vote).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_get_the_kind_of_the_mark_they_were_aligned_with() {
        let marked =
            "URL: x\n<h>Herring\n gulls\n<p>They drop mussels on rocks.<l> * one thing\n<l>two";
        let texts = [
            "Home",
            "Herring gulls",
            "They drop mussels on rocks.",
            "one thing",
            "two",
        ]
        .map(str::to_owned);
        let kinds = by_mark(&texts, marked);
        let (heading, item, paragraph) =
            (GoldKind::Heading, GoldKind::ListItem, GoldKind::Paragraph);
        assert_eq!(
            kinds,
            [None, Some(heading), Some(paragraph), Some(item), Some(item)]
        );
        assert_eq!(segments("plain"), [(paragraph, "plain")]);
    }
}
