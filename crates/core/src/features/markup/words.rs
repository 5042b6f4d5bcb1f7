//! The words of names and tags with their weights: the part of a model that the group reads.

use crate::features::names::NameWord;

/// Number of distances that a word has separate weights for; see [`distance`].
pub const DISTANCES: usize = 4;
/// Distance class of an element `level` levels above the element of a text: the element itself, up
/// to two levels, up to five levels, more. Heuristic: a text, the item it belongs to, the column of
/// the page, and the surroundings.
pub fn distance(level: usize) -> usize {
    match level {
        0 => 0,
        1..3 => 1,
        3..6 => 2,
        _ => 3,
    }
}

/// The weights of a word, in log odds of content, by the distance of the element that has it.
pub type WordWeights = [f32; DISTANCES];

/// The words of names and tags with their weights.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MarkupWords {
    /// Sorted by word, without duplicates.
    words: Vec<(NameWord, WordWeights)>,
}

impl MarkupWords {
    /// From words with their weights, in any order but without duplicates.
    pub fn new(mut words: Vec<(NameWord, WordWeights)>) -> Self {
        words.sort_unstable_by_key(|(word, _)| *word);
        Self { words }
    }

    /// All words with their weights, sorted by word.
    pub fn words(&self) -> &[(NameWord, WordWeights)] {
        &self.words
    }

    /// The weights of a word; `None` if the model does not know it.
    pub(super) fn weights(&self, word: NameWord) -> Option<&WordWeights> {
        let place = self
            .words
            .binary_search_by_key(&word, |(word, _)| *word)
            .ok()?;
        Some(&self.words[place].1)
    }
}
