//! Aligns gold text with targets and labels those that contain it.
//!
//! [`words`] (the default) aligns the words of the page with those of the gold; [`dice`] is
//! FIASCO's method (section 5.1); [`snippets`] labels some targets if only snippets are known. Each
//! gives a label per target and measures how well the labelled targets reproduce the gold, so that
//! badly aligned pages can be left out of training.

pub use super::dice::dice;
pub use super::labelling::{Labelling, Quality};

use super::labelling::CommentKnowledge;
use super::word_score::WordScore;
use super::words::Pieces;
use crate::gold::Snippets;
use crate::gold::matching::{Block, matching_blocks};
use crate::gold::words::{Numbering, TokenUnit, prepare};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use vclean_core::classify::Label;
use vclean_core::text::collapse;

/// How gold is aligned to targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Alignment {
    /// Word by word (ours).
    #[default]
    Words,
    /// Dice overlap of gold paragraphs and subtrees (FIASCO 5.1).
    Dice,
}

impl Alignment {
    /// All alignments by their name on the command line.
    pub const ALL: &[(&str, Self)] = &[("words", Self::Words), ("dice", Self::Dice)];
}

/// Runs of equal words at least this long are accepted anywhere: four words seldom repeat by
/// chance. This and the five numbers below are heuristics; with them the mean oracle F is .944
/// (`wcxb`) to .997 (`scrapinghub`) on train splits.
const STRONG_RUN: usize = 4;
/// A shorter run is accepted within this distance, in words on both sides, from an accepted one.
const NEAR: usize = 6;
/// Moved text (gold in another order than the page) is accepted in runs at least this long.
const MOVED_RUN: usize = 8;
/// Number of rounds for moved text.
const MOVED_ROUNDS: usize = 3;
/// Share of a target's words that must be matched.
const MATCHED_SHARE: f32 = 0.5;
/// A short line of gold is searched up to this distance, in words, from the positions of its
/// neighbors.
const SEARCH_WORDS: usize = 150;
/// Lines at least this long are searched on the whole page.
const DISTINCT_LINE: usize = 6;

/// Labels targets by aligning the words of the page with the words of the gold.
///
/// `texts` are the texts of the targets in document order. A target is content if at least half of
/// its words are in runs that are long, near a long one, or moved as a whole; a short one also if
/// its whole text is a line of gold that was found nowhere else and its position fits. Each word of
/// gold is used once: a repetition elsewhere on the page is boilerplate.
pub fn words(texts: &[String], gold: &str, unit: TokenUnit) -> Labelling {
    let prepared = prepare(gold);
    let mut numbering = Numbering::new();
    let page = Pieces::new(texts.iter().map(String::as_str), &mut numbering);
    let lines = Pieces::new(prepared.lines(), &mut numbering);
    let mut place: Vec<Option<usize>> = vec![None; lines.words.len()];
    let mut is_matched = vec![false; page.words.len()];

    let blocks = matching_blocks(&page.words, &lines.words, false);
    for block in strong(&blocks, &page, &lines) {
        take(block, &mut is_matched, &mut place);
    }
    for _ in 0..MOVED_ROUNDS {
        if !take_moved(&page, &lines, &mut is_matched, &mut place) {
            break;
        }
    }
    let mut scores: Vec<f32> = page
        .ranges
        .iter()
        .map(|range| {
            let matched = is_matched[range.clone()]
                .iter()
                .filter(|matched| **matched)
                .count();
            matched as f32 / range.len().max(1) as f32
        })
        .collect();
    let mut is_content: Vec<bool> = scores.iter().map(|&score| score >= MATCHED_SHARE).collect();
    add_short_lines(&page, &lines, &place, &mut is_content);
    add_symbols(texts, &page, &prepared, &mut is_content);
    for (score, _) in scores
        .iter_mut()
        .zip(&is_content)
        .filter(|(score, kept)| **kept && **score < MATCHED_SHARE)
    {
        // Matched as a whole line of gold.
        *score = 1.0;
    }
    Labelling::full(texts, &is_content, scores, gold, unit)
}

fn take(block: Block, is_matched: &mut [bool], place: &mut [Option<usize>]) {
    for by in 0..block.size {
        is_matched[block.a + by] = true;
        place[block.b + by] = Some(block.a + by);
    }
}

/// The blocks that are not chance matches: long, or whole pieces on both sides, or near an accepted
/// one.
fn strong(blocks: &[Block], page: &Pieces, lines: &Pieces) -> Vec<Block> {
    let ends = |pieces: &Pieces| {
        let mut is_start = vec![false; pieces.words.len() + 1];
        for range in pieces.ranges.iter().filter(|range| !range.is_empty()) {
            is_start[range.start] = true;
            is_start[range.end] = true;
        }
        is_start
    };
    let (page_ends, line_ends) = (ends(page), ends(lines));
    let is_whole = |block: &Block| {
        page_ends[block.a]
            && page_ends[block.a + block.size]
            && line_ends[block.b]
            && line_ends[block.b + block.size]
            && block.size >= 2
    };
    let mut counts: Vec<bool> = blocks
        .iter()
        .map(|block| block.size >= STRONG_RUN || is_whole(block))
        .collect();
    let is_near = |one: &Block, next: &Block| {
        next.a - (one.a + one.size) <= NEAR && next.b - (one.b + one.size) <= NEAR
    };
    for index in 1..blocks.len() {
        counts[index] |= counts[index - 1] && is_near(&blocks[index - 1], &blocks[index]);
    }
    for index in (1..blocks.len()).rev() {
        counts[index - 1] |= counts[index] && is_near(&blocks[index - 1], &blocks[index]);
    }
    blocks
        .iter()
        .zip(counts)
        .filter(|(_, counts)| *counts)
        .map(|(block, _)| *block)
        .collect()
}

/// Aligns the unmatched words of both sides, for gold with its parts in another order; false if
/// nothing was found.
fn take_moved(
    page: &Pieces,
    lines: &Pieces,
    is_matched: &mut [bool],
    place: &mut [Option<usize>],
) -> bool {
    // Unique numbers separate words that were not adjacent.
    let mut apart = page
        .words
        .iter()
        .chain(&lines.words)
        .max()
        .map_or(0, |largest| largest + 1);
    let mut rest = |words: &[u32], is_free: &dyn Fn(usize) -> bool| {
        let (mut numbers, mut places) = (Vec::new(), Vec::new());
        for (index, &word) in words
            .iter()
            .enumerate()
            .filter(|(index, _)| is_free(*index))
        {
            if places.last().is_some_and(|&last: &usize| last + 1 != index) {
                numbers.push(apart);
                places.push(usize::MAX);
                apart += 1;
            }
            numbers.push(word);
            places.push(index);
        }
        (numbers, places)
    };
    let (a, a_places) = rest(&page.words, &|index| !is_matched[index]);
    let (b, b_places) = rest(&lines.words, &|index| place[index].is_none());
    let mut found = false;
    for block in matching_blocks(&a, &b, false) {
        let moved = Block {
            a: a_places[block.a],
            b: b_places[block.b],
            size: block.size,
        };
        if block.size >= MOVED_RUN {
            take(moved, is_matched, place);
            found = true;
        }
    }
    found
}

/// For each unmatched line of gold, accepts the target with exactly this text that is nearest to
/// the expected position.
fn add_short_lines(
    page: &Pieces,
    lines: &Pieces,
    place: &[Option<usize>],
    is_content: &mut [bool],
) {
    let mut targets: BTreeMap<&[u32], Vec<usize>> = BTreeMap::new();
    for target in (0..page.ranges.len())
        .filter(|&target| !is_content[target] && !page.ranges[target].is_empty())
    {
        targets
            .entry(page.words_of(target))
            .or_default()
            .push(target);
    }
    let mut target_of = Vec::with_capacity(page.words.len());
    for (target, range) in page.ranges.iter().enumerate() {
        target_of.resize(range.end, target);
    }
    let is_found = |at: usize| place[at].is_some_and(|on_page| is_content[target_of[on_page]]);
    let missing: Vec<usize> = (0..lines.ranges.len())
        .filter(|&line| {
            let range = lines.ranges[line].clone();
            let found = range.clone().filter(|&at| is_found(at)).count();
            !range.is_empty() && found * 2 < range.len()
        })
        .collect();
    // Positions of the words before and after a line of gold.
    let mut before = vec![None; place.len() + 1];
    for at in 0..place.len() {
        before[at + 1] = if is_found(at) { place[at] } else { before[at] };
    }
    let mut after = vec![None; place.len() + 1];
    for at in (0..place.len()).rev() {
        after[at] = if is_found(at) {
            place[at]
        } else {
            after[at + 1]
        };
    }
    for line in missing {
        let Some(same) = targets.get_mut(lines.words_of(line)) else {
            continue;
        };
        let range = lines.ranges[line].clone();
        let (low, high) = match (before[range.start], after[range.end]) {
            (Some(one), Some(other)) => (one.min(other), one.max(other)),
            (Some(one), None) | (None, Some(one)) => (one, one),
            (None, None) => (0, page.words.len()),
        };
        let distance = |target: usize| {
            let at = &page.ranges[target];
            low.saturating_sub(at.end) + at.start.saturating_sub(high)
        };
        let nearest = (0..same.len()).min_by_key(|&index| distance(same[index]));
        if let Some(index) = nearest
            && (distance(same[index]) <= SEARCH_WORDS || range.len() >= DISTINCT_LINE)
        {
            is_content[same.remove(index)] = true;
        }
    }
}

/// Targets without a word (`* * *`) between content targets are content if the gold contains them.
fn add_symbols(texts: &[String], page: &Pieces, gold: &str, is_content: &mut [bool]) {
    let gold_lines: std::collections::BTreeSet<String> = gold.lines().map(collapse).collect();
    for target in 0..texts.len() {
        if page.ranges[target].is_empty() && gold_lines.contains(&collapse(&texts[target])) {
            let before = target
                .checked_sub(1)
                .is_none_or(|before| is_content[before]);
            let after = is_content
                .get(target + 1)
                .is_none_or(|after| *after || page.ranges[target + 1].is_empty());
            is_content[target] = before && after;
        }
    }
}

/// Labels targets by snippets: the longest target with a `with` snippet is content, targets with a
/// `without` snippet are boilerplate, and those with both and all others have no label. The quality
/// is the share of snippets that were found.
pub fn snippets(texts: &[String], snippets: &Snippets) -> Labelling {
    let texts: Vec<String> = texts.iter().map(|text| collapse(text)).collect();
    let mut labels: Vec<Option<Label>> = vec![None; texts.len()];
    let mut has_both = vec![false; texts.len()];
    for snippet in &snippets.without {
        let snippet = collapse(snippet);
        for (target, _) in texts
            .iter()
            .enumerate()
            .filter(|(_, text)| !snippet.is_empty() && text.contains(&snippet))
        {
            labels[target] = Some(Label::Boilerplate);
        }
    }
    let mut found = 0;
    for snippet in &snippets.with {
        let snippet = collapse(snippet);
        let holders = texts
            .iter()
            .enumerate()
            .filter(|(_, text)| !snippet.is_empty() && text.contains(&snippet));
        if let Some((target, _)) =
            holders.max_by_key(|(target, text)| (text.len(), std::cmp::Reverse(*target)))
        {
            found += 1;
            has_both[target] |= labels[target] == Some(Label::Boilerplate);
            labels[target] = Some(Label::Content);
        }
    }
    for (label, _) in labels.iter_mut().zip(has_both).filter(|(_, both)| *both) {
        *label = None;
    }
    let share = if snippets.with.is_empty() {
        1.0
    } else {
        f64::from(found) / snippets.with.len() as f64
    };
    let scores = labels
        .iter()
        .map(|&label| f32::from(u8::from(label == Some(Label::Content))))
        .collect();
    let quality = Quality {
        oracle: WordScore::new(share, share),
        is_bad: share < 0.5,
    };
    Labelling {
        labels,
        scores,
        quality,
        comments: CommentKnowledge::Unknown,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    pub(in crate::gold) fn content(labelling: &Labelling) -> Vec<usize> {
        (0..labelling.labels.len())
            .filter(|&target| labelling.labels[target] == Some(Label::Content))
            .collect()
    }

    const STORY: &str = "Once upon a time there was a page that had a lot of text in it";

    #[test]
    fn gold_labels_its_targets_and_not_their_repetition() {
        let page = texts(&[
            "Home",
            "The Story",
            "News",
            "The Story",
            STORY,
            "Part two",
            "It went on for long after that.",
            "The Story",
            "Home",
        ]);
        let gold = format!("The Story\n\n{STORY}\nPart two\nIt went on for long, after that!");
        let found = words(&page, &gold, TokenUnit::Words);
        assert_eq!(content(&found), [3, 4, 5, 6]);
        assert!(found.quality.oracle.f1 > 0.9 && !found.quality.is_bad);
    }

    #[test]
    fn chance_matches_are_not_content() {
        let page = texts(&["the of", "a page", STORY, "time there"]);
        assert_eq!(content(&words(&page, STORY, TokenUnit::Words)), [2]);
    }

    #[test]
    fn moved_text_is_found() {
        let other = "A second paragraph that the gold has before the first one of the page";
        let page = texts(&[STORY, "menu", other]);
        assert_eq!(
            content(&words(
                &page,
                &format!("{other}\n{STORY}"),
                TokenUnit::Words
            )),
            [0, 2]
        );
    }

    #[test]
    fn chinese_is_aligned_by_characters() {
        let page = texts(&["首页", "一个有意思的警告我们来看看", "版权"]);
        let found = words(
            &page,
            "一个有意思的警告，我们来看看。",
            TokenUnit::Characters,
        );
        assert_eq!(content(&found), [1]);
    }

    #[test]
    fn a_page_without_its_gold_is_bad() {
        let found = words(&texts(&["Home", "Log in to read"]), STORY, TokenUnit::Words);
        assert!(found.quality.is_bad && content(&found).is_empty());
    }

    #[test]
    fn snippets_label_some_targets() {
        let page = texts(&[
            "Menu",
            "A long text with words",
            "words",
            "Menu and text with",
        ]);
        let gold = Snippets {
            with: texts(&["text with"]),
            without: texts(&["Menu"]),
        };
        let labels = snippets(&page, &gold).labels;
        assert_eq!(
            labels,
            [
                Some(Label::Boilerplate),
                Some(Label::Content),
                None,
                Some(Label::Boilerplate)
            ]
        );
    }
}
