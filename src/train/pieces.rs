//! Texts as numbered words in pieces: what alignments compare.
//!
//! Words are lower-case runs of letters and digits, Chinese and Japanese characters one by one, so that neither
//! punctuation nor the spelling of a heading in capitals parts gold and page.

use crate::capture::{Dom, NodeId};
use crate::evaluate::words::{Numbering, is_cjk, word_runs};
use crate::target::Target;
use std::ops::Range;

/// Lower-case words without punctuation; Chinese and Japanese characters one by one.
fn alignment_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in word_runs(&text.to_lowercase()) {
        let mut word = String::new();
        for c in run.chars() {
            if is_cjk(c) {
                words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                words.push(c.to_string());
            } else {
                word.push(c);
            }
        }
        words.extend((!word.is_empty()).then_some(word));
    }
    words
}

/// Numbered words in pieces (targets, or lines of gold).
pub(super) struct Pieces {
    pub(super) words: Vec<u32>,
    pub(super) ranges: Vec<Range<usize>>,
}

impl Pieces {
    pub(super) fn new<'a>(texts: impl IntoIterator<Item = &'a str>, numbering: &mut Numbering<String>) -> Self {
        let mut pieces = Self { words: Vec::new(), ranges: Vec::new() };
        for text in texts {
            let from = pieces.words.len();
            pieces.words.extend(numbering.number(alignment_words(text)));
            pieces.ranges.push(from..pieces.words.len());
        }
        pieces
    }

    pub(super) fn words_of(&self, piece: usize) -> &[u32] {
        &self.words[self.ranges[piece].clone()]
    }
}

/// The words of a page's targets in document order.
///
/// Most targets are one stretch of the page. A box that floats within a paragraph is a target of its own and does not end
/// the paragraph: that is then in pieces before and after it.
pub(super) struct PageWords {
    /// All words, a piece for each stretch of one target.
    pub(super) pieces: Pieces,
    /// The target of each piece.
    target_of: Vec<usize>,
    /// Pieces of each target, in order.
    pieces_of: Vec<Vec<usize>>,
}

impl PageWords {
    /// Targets that are one stretch each.
    pub(super) fn whole(texts: &[String], numbering: &mut Numbering<String>) -> Self {
        let pieces = Pieces::new(texts.iter().map(String::as_str), numbering);
        Self { pieces, target_of: (0..texts.len()).collect(), pieces_of: (0..texts.len()).map(|at| vec![at]).collect() }
    }

    /// Targets of a page; `texts` are their texts.
    pub(super) fn in_order(dom: &Dom, targets: &[Target], texts: &[String], numbering: &mut Numbering<String>) -> Self {
        let mut nodes: Vec<(NodeId, usize)> = targets
            .iter()
            .enumerate()
            .flat_map(|(target, block)| block.texts.iter().map(move |&id| (id, target)))
            .collect();
        nodes.sort_unstable();
        let stretches: Vec<&[(NodeId, usize)]> = nodes.chunk_by(|one, next| one.1 == next.1).collect();
        if stretches.len() == targets.len() {
            return Self::whole(texts, numbering);
        }
        let text_of = |stretch: &&[(NodeId, usize)]| {
            let container = targets[stretch[0].1].container;
            Target { container, texts: stretch.iter().map(|(id, _)| *id).collect() }.text(dom)
        };
        let stretch_texts: Vec<String> = stretches.iter().map(text_of).collect();
        let target_of: Vec<usize> = stretches.iter().map(|stretch| stretch[0].1).collect();
        let mut pieces_of = vec![Vec::new(); targets.len()];
        for (piece, &target) in target_of.iter().enumerate() {
            pieces_of[target].push(piece);
        }
        Self { pieces: Pieces::new(stretch_texts.iter().map(String::as_str), numbering), target_of, pieces_of }
    }

    /// Number of targets.
    pub(super) fn targets(&self) -> usize {
        self.pieces_of.len()
    }

    /// The ranges of a target's words, in order.
    pub(super) fn ranges_of(&self, target: usize) -> impl Iterator<Item = &Range<usize>> {
        self.pieces_of[target].iter().map(|&piece| &self.pieces.ranges[piece])
    }

    /// Number of words of a target.
    pub(super) fn length(&self, target: usize) -> usize {
        self.ranges_of(target).map(Range::len).sum()
    }

    /// The words of a target, its stretches one after the other.
    pub(super) fn words_of(&self, target: usize) -> Vec<u32> {
        self.pieces_of[target].iter().flat_map(|&piece| self.pieces.words_of(piece)).copied().collect()
    }

    /// From the first to behind the last word of a target.
    pub(super) fn span(&self, target: usize) -> Range<usize> {
        let start = self.ranges_of(target).map(|range| range.start).min().unwrap_or(0);
        start..self.ranges_of(target).map(|range| range.end).max().unwrap_or(start)
    }

    /// For each word, the target it is of.
    pub(super) fn target_of_words(&self) -> Vec<usize> {
        let mut target_of = Vec::with_capacity(self.pieces.words.len());
        for (range, &target) in self.pieces.ranges.iter().zip(&self.target_of) {
            target_of.resize(range.end, target);
        }
        target_of
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::capture::DomBuilder;

    #[test]
    fn a_box_that_floats_within_a_paragraph_parts_its_words() {
        let mut builder = DomBuilder::new();
        let paragraph = builder.open("p", vec![]);
        let before = builder.text("Before the");
        let inside = builder.open("span", vec![]);
        let floating = builder.text("box");
        builder.close();
        let behind = builder.text("and behind");
        let dom = builder.finish();
        let targets = [
            Target { container: paragraph, texts: vec![before, behind] },
            Target { container: inside, texts: vec![floating] },
        ];
        let texts: Vec<String> = targets.iter().map(|target| target.text(&dom)).collect();
        let words = PageWords::in_order(&dom, &targets, &texts, &mut Numbering::new());
        assert_eq!((words.targets(), words.pieces.words.len()), (2, 5));
        assert_eq!(words.target_of_words(), [0, 0, 1, 0, 0]);
        assert_eq!((words.words_of(0), words.words_of(1)), (vec![0, 1, 3, 4], vec![2]));
        assert_eq!((words.span(0), words.length(0), words.span(1)), (0..5, 4, 2..3));
        let alone = PageWords::in_order(&dom, &targets[1..], &texts[1..], &mut Numbering::new());
        assert_eq!(alone.target_of_words(), [0]);
    }
}
