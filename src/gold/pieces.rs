//! The words of a page or of its gold, numbered, in pieces: targets, or lines of gold.

use super::words::{Numbering, is_cjk, word_runs};
use std::ops::Range;

/// Lower-case words without punctuation; Chinese and Japanese characters separately.
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
pub(crate) struct Pieces {
    pub(crate) words: Vec<u32>,
    pub(crate) ranges: Vec<Range<usize>>,
}

impl Pieces {
    pub(crate) fn new<'a>(texts: impl IntoIterator<Item = &'a str>, numbering: &mut Numbering<String>) -> Self {
        let mut pieces = Self { words: Vec::new(), ranges: Vec::new() };
        for text in texts {
            let from = pieces.words.len();
            pieces.words.extend(numbering.number(alignment_words(text)));
            pieces.ranges.push(from..pieces.words.len());
        }
        pieces
    }

    pub(crate) fn words_of(&self, piece: usize) -> &[u32] {
        &self.words[self.ranges[piece].clone()]
    }
}
