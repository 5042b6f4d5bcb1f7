//! The words of names and tags, and what each says: the part of a model that the group reads.

use crate::features::names::NameWord;

/// Distances that a word has weights for; see [`distance`].
pub const DISTANCES: usize = 4;
/// The distance of an element so many levels above the element of a text: the element itself, up to
/// two levels above, up to five, more. Heuristic: a text, what it is an item of, the column of the
/// page, and what is around it.
pub fn distance(level: usize) -> usize {
    match level {
        0 => 0,
        1..3 => 1,
        3..6 => 2,
        _ => 3,
    }
}

/// The weights of a word by the distance of the element that has it, in log odds of content.
pub type WordWeights = [f32; DISTANCES];

/// The words of names and tags with their weights.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MarkupWords {
    /// In order of the words, each once.
    words: Vec<(NameWord, WordWeights)>,
}

impl MarkupWords {
    /// These words, each of which is there once.
    pub fn new(mut words: Vec<(NameWord, WordWeights)>) -> Self {
        words.sort_unstable_by_key(|(word, _)| *word);
        Self { words }
    }

    /// All words with their weights, in order.
    pub fn words(&self) -> &[(NameWord, WordWeights)] {
        &self.words
    }

    /// The weights of a word; nothing if it has none.
    pub(super) fn weights(&self, word: NameWord) -> Option<&WordWeights> {
        let place = self
            .words
            .binary_search_by_key(&word, |(word, _)| *word)
            .ok()?;
        Some(&self.words[place].1)
    }
}
