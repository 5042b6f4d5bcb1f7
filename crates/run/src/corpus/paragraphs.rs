//! onion's rule (Pomikálek 2011, "Removing Boilerplate and Duplicate Content from Web Corpora",
//! chapter 5; parameters of the program onion): a paragraph is a duplicate if over half of its
//! words are in word 7-grams that came before, in earlier documents or in this one. N-grams cross
//! the borders of paragraphs. Smoothing: paragraphs of 20 words or fewer between two duplicates, or
//! between one and an end of the document, are stubs and duplicates too. Later text is compared
//! only with paragraphs that are not duplicates.
//!
//! One difference: onion also removes documents of 20 words or fewer of which nothing was seen
//! before; they are kept here.
//!
//! The n-grams seen so far are in a Bloom filter (Bloom 1970) of fixed size. It has no false
//! negatives; its rate of false positives grows as it fills.

use super::hashes::mixed;
use fastbloom::BloomFilter;
use rustc_hash::FxHashSet;

/// Number of words in an n-gram.
pub(super) const GRAM_WORDS: usize = 7;
/// Share of seen words above which a paragraph is a duplicate.
const MIN_SHARE: f32 = 0.5;
/// Most words of a stub.
const MAX_STUB_WORDS: usize = 20;
/// Hash functions of the filter: best at 7 bits per n-gram, the fill at which one false match in 28
/// begins to matter.
const FUNCTIONS: u32 = 5;

/// The words of a document's paragraphs: the number of each, and the n-grams that end at each word
/// from the seventh on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct WordStream {
    /// Number of words of each paragraph.
    pub(super) lengths: Vec<usize>,
    /// Hashes of the n-grams.
    pub(super) grams: Vec<u64>,
}

/// The decision on a paragraph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Verdict {
    New,
    /// A duplicate, with the share of its words that are in n-grams seen before.
    Duplicate(f32),
    /// A short paragraph beside duplicates, with the same share.
    Stub(f32),
}

/// The n-grams seen so far.
#[derive(Debug)]
pub(super) struct SeenGrams(BloomFilter);

impl SeenGrams {
    /// An empty filter of `megabytes`.
    pub(super) fn new(megabytes: usize) -> Self {
        Self(BloomFilter::with_num_bits(megabytes.max(1) << 23).hashes(FUNCTIONS))
    }

    /// Decides on each paragraph.
    pub(super) fn decide(&self, stream: &WordStream) -> Vec<Verdict> {
        let mut own: FxHashSet<u64> = FxHashSet::default();
        let mut verdicts = Vec::with_capacity(stream.lengths.len());
        let mut at = 0;
        for &length in &stream.lengths {
            let (mut seen, mut covered_to) = (0, at);
            for word in at..at + length {
                let Some(gram) = word
                    .checked_sub(GRAM_WORDS - 1)
                    .map(|index| stream.grams[index])
                else {
                    continue;
                };
                if own.contains(&gram) || self.0.contains_hash(gram) {
                    // Words of the n-gram that are in this paragraph and not counted yet.
                    seen += word + 1 - covered_to.max(word + 1 - GRAM_WORDS);
                    covered_to = word + 1;
                }
                own.insert(gram);
            }
            at += length;
            let share = if length == 0 {
                0.0
            } else {
                seen as f32 / length as f32
            };
            verdicts.push(if share > MIN_SHARE {
                Verdict::Duplicate(share)
            } else {
                Verdict::Stub(share)
            });
        }
        smooth(verdicts, &stream.lengths)
    }

    /// The n-grams of the paragraphs that are new, in order.
    pub(super) fn new_grams(stream: &WordStream, verdicts: &[Verdict]) -> Vec<u64> {
        let mut grams = Vec::new();
        let mut at = 0;
        for (&length, verdict) in stream.lengths.iter().zip(verdicts) {
            if *verdict == Verdict::New {
                let range = at.max(GRAM_WORDS - 1)..at + length;
                grams.extend(range.map(|word| stream.grams[word + 1 - GRAM_WORDS]));
            }
            at += length;
        }
        grams
    }

    pub(super) fn add(&mut self, grams: &[u64]) {
        for &gram in grams {
            self.0.insert_hash(gram);
        }
    }
}

/// Turns stubs into new paragraphs where they are too long together, or where nothing in the
/// document is a duplicate. Every paragraph that is not a duplicate is given as a stub.
fn smooth(mut verdicts: Vec<Verdict>, lengths: &[usize]) -> Vec<Verdict> {
    let is_duplicate = |verdict: &Verdict| matches!(verdict, Verdict::Duplicate(_));
    let has_duplicates = verdicts.iter().any(is_duplicate);
    let mut start = 0;
    while start < verdicts.len() {
        if is_duplicate(&verdicts[start]) {
            start += 1;
            continue;
        }
        let end = verdicts[start..]
            .iter()
            .position(is_duplicate)
            .map_or(verdicts.len(), |length| start + length);
        let words: usize = lengths[start..end].iter().sum();
        if !has_duplicates || words > MAX_STUB_WORDS {
            verdicts[start..end].fill(Verdict::New);
        }
        start = end;
    }
    verdicts
}

// Lines that many pages of a host have: footers, notices and teasers that cleaning left. There is
// one pass, so a line is recognized only once K pages had it, and those pages keep it.
//
// Counts are in a count-min sketch of fixed size (Cormode and Muthukrishnan 2005, with conservative
// update after Estan and Varghese 2002): a count is never too low, and too high only if other lines
// collide with it in all four rows.

/// Rows of the sketch.
const ROWS: usize = 4;

/// The number of pages of each line so far.
#[derive(Debug)]
pub(super) struct LineCounts {
    cells: Vec<u8>,
    width: usize,
}

impl LineCounts {
    /// Creates a table of `megabytes`, with all counts at 0.
    pub(super) fn new(megabytes: usize) -> Self {
        let width = (megabytes.max(1) << 20) / ROWS;
        Self {
            cells: vec![0; width * ROWS],
            width,
        }
    }

    fn cells(&self, line: u64) -> [usize; ROWS] {
        let mut hash = line;
        std::array::from_fn(|row| {
            hash = mixed(hash);
            row * self.width + (hash % self.width as u64) as usize
        })
    }

    /// Number of pages so far that have a line, at most 255.
    pub(super) fn pages(&self, line: u64) -> u8 {
        self.cells(line)
            .into_iter()
            .map(|cell| self.cells[cell])
            .min()
            .unwrap_or(0)
    }

    /// Counts a page for each of its lines; each line is given once.
    pub(super) fn add(&mut self, lines: &[u64]) {
        for &line in lines {
            let pages = self.pages(line);
            for cell in self.cells(line) {
                self.cells[cell] = self.cells[cell].max(pages.saturating_add(1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::near_duplicates::gram;
    use super::*;

    fn stream(paragraphs: &[&str]) -> WordStream {
        let words = |text: &str| {
            text.split(' ')
                .map(super::super::hashes::text_hash)
                .collect::<Vec<_>>()
        };
        let all: Vec<u64> = paragraphs.iter().flat_map(|text| words(text)).collect();
        WordStream {
            lengths: paragraphs.iter().map(|text| words(text).len()).collect(),
            grams: all.windows(GRAM_WORDS).map(gram).collect(),
        }
    }

    fn numbered(from: usize, count: usize) -> String {
        (from..from + count)
            .map(|number| format!("w{number}"))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn seen(paragraphs: &[&str]) -> SeenGrams {
        let mut seen = SeenGrams::new(1);
        let stream = stream(paragraphs);
        let verdicts = seen.decide(&stream);
        assert!(
            verdicts.iter().all(|verdict| *verdict == Verdict::New),
            "{verdicts:?}"
        );
        seen.add(&SeenGrams::new_grams(&stream, &verdicts));
        seen
    }

    #[test]
    fn a_paragraph_is_a_duplicate_if_over_half_of_its_words_were_seen() {
        let seen = seen(&[&numbered(0, 100)]);
        // 50 and 51 of 100 words are in 7-grams that were seen.
        let half = format!("{} {}", numbered(10, 50), numbered(1000, 50));
        let more = format!("{} {}", numbered(2000, 49), numbered(10, 51));
        assert_eq!(seen.decide(&stream(&[&half])), [Verdict::New]);
        assert_eq!(seen.decide(&stream(&[&more])), [Verdict::Duplicate(0.51)]);
        // Six words in a row are too few for a 7-gram.
        assert_eq!(seen.decide(&stream(&[&numbered(10, 6)])), [Verdict::New]);
    }

    #[test]
    fn a_paragraph_is_compared_with_those_before_it_in_its_document() {
        let (one, other) = (numbered(0, 30), numbered(100, 40));
        let verdicts = SeenGrams::new(1).decide(&stream(&[&one, &other, &one]));
        // The first six 7-grams of the repeat begin in the paragraph before.
        assert_eq!(
            verdicts,
            [Verdict::New, Verdict::New, Verdict::Duplicate(1.0)]
        );
    }

    #[test]
    fn short_rests_beside_duplicates_are_stubs() {
        let seen = seen(&[&numbered(0, 100)]);
        let (short, long) = (numbered(500, 20), numbered(600, 21));
        let verdicts = seen.decide(&stream(&[
            &short,
            &numbered(0, 30),
            &numbered(530, 20),
            &numbered(40, 30),
            &long,
        ]));
        assert!(
            matches!(
                verdicts[..],
                [
                    Verdict::Stub(_),
                    Verdict::Duplicate(_),
                    Verdict::Stub(_),
                    Verdict::Duplicate(_),
                    Verdict::New
                ]
            ),
            "{verdicts:?}"
        );
        assert_eq!(
            seen.decide(&stream(&[&short])),
            [Verdict::New],
            "a short document without duplicates"
        );
    }

    #[test]
    fn duplicates_are_not_remembered() {
        let mut seen = seen(&[&numbered(0, 100)]);
        let mixed = format!("{} {}", numbered(0, 60), numbered(3000, 40));
        let stream_of_mixed = stream(&[&mixed]);
        let verdicts = seen.decide(&stream_of_mixed);
        assert!(matches!(verdicts[..], [Verdict::Duplicate(_)]));
        seen.add(&SeenGrams::new_grams(&stream_of_mixed, &verdicts));
        assert_eq!(seen.decide(&stream(&[&numbered(3000, 40)])), [Verdict::New]);
    }

    #[test]
    fn counts_are_those_of_an_exact_table_while_there_is_room() {
        let mut counts = LineCounts::new(1);
        for page in 0..300u64 {
            counts.add(&[1, 2 + page % 3, 1000 + page]);
        }
        assert_eq!(
            (
                counts.pages(1),
                counts.pages(2),
                counts.pages(1007),
                counts.pages(7)
            ),
            (255, 100, 1, 0)
        );
    }
}
