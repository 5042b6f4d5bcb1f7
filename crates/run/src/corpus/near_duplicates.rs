//! Finds the earlier documents that a document is a near-duplicate of: those with the same sketch
//! in at least one of 14 bands of 8 values (locality-sensitive hashing, Indyk and Motwani 1998;
//! banding: Leskovec et al., "Mining of Massive Datasets", section 3.4). Of documents that share
//! the proportion s of their word 5-grams, this finds 1 - (1 - s^8)^14: 5 % at s = .5, 56 % at .7,
//! 77 % at .75, 92 % at .8, 99.9 % at .9.
//!
//! A document is compared only with documents that are not near-duplicates themselves. Of several
//! with the same band, the first is remembered. Memory: about 350 bytes per remembered document
//! (128 for sketch and name, 5 to 12 for each band, the name).

use super::hashes::mixed;
use hashbrown::HashTable;

// MinHash sketches (Broder 1997, "On the resemblance and containment of documents"): of the word
// 5-grams of a document, the smallest value of each of 112 hash functions. Two sketches agree in as
// large a share of these as the documents share of their 5-grams (the Jaccard index), apart from
// chance.
//
// Parameters are those of FineWeb (Penedo et al. 2024, section 3.4): 112 functions in 14 bands of
// 8. Of each value 8 bits are kept (Li and König 2010, "b-bit minwise hashing"), so a sketch has
// 112 bytes. This is our own code because the crates for it were last released years ago, or depend
// on a sampling or matrix library.

/// Words in a shingle.
const SHINGLE_WORDS: usize = 5;
pub(super) const BANDS: usize = 14;
/// Hash functions in a band.
const ROWS: usize = 8;
pub(super) const FUNCTIONS: usize = BANDS * ROWS;

/// The sketch of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sketch(pub(super) [u8; FUNCTIONS]);

impl Sketch {
    /// Computes the sketch from the keys of a document's words; `None` without words. Fewer than
    /// five words are one shingle.
    pub(super) fn from_words(words: &[u64]) -> Option<Self> {
        if words.is_empty() {
            return None;
        }
        let mut smallest = [u64::MAX; FUNCTIONS];
        for shingle in words.windows(SHINGLE_WORDS.min(words.len())) {
            let hash = gram(shingle);
            for (function, smallest) in smallest.iter_mut().enumerate() {
                *smallest = (*smallest).min(value(function as u64, hash));
            }
        }
        Some(Self(smallest.map(|value| mixed(value) as u8)))
    }

    /// The values of a band as one number.
    pub(super) fn band(&self, band: usize) -> u64 {
        let mut bytes = [0; ROWS];
        bytes.copy_from_slice(&self.0[band * ROWS..(band + 1) * ROWS]);
        u64::from_le_bytes(bytes)
    }

    /// Estimated Jaccard index, 0 to 1. Different values share their 8 bits once in 256 times,
    /// which is subtracted (Li and König 2010, section 2).
    pub(super) fn similarity(&self, other: &Self) -> f32 {
        const CHANCE: f32 = 1.0 / 256.0;
        let same = self
            .0
            .iter()
            .zip(&other.0)
            .filter(|(one, other)| one == other)
            .count();
        ((same as f32 / FUNCTIONS as f32 - CHANCE) / (1.0 - CHANCE)).clamp(0.0, 1.0)
    }
}

/// Hash of a sequence of words.
pub(super) fn gram(words: &[u64]) -> u64 {
    mixed(words.iter().fold(0, |hash: u64, word| {
        (hash.rotate_left(23) ^ mixed(*word)).wrapping_mul(MULTIPLIER)
    }))
}

/// An odd number without structure: the golden ratio in 64 bits.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The value of a hash function: the halves of a product of 128 bits, combined (as in wyhash, Wang
/// 2019).
fn value(function: u64, hash: u64) -> u64 {
    let seed = mixed(function.wrapping_add(1).wrapping_mul(MULTIPLIER));
    let product = u128::from(hash ^ seed) * u128::from(seed | 1);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Documents per chunk: memory grows in steps, never by copying everything.
const CHUNK: usize = 1 << 12;

/// A document that others are compared with.
#[derive(Debug)]
struct Document {
    sketch: Sketch,
    name: Box<str>,
}

/// The documents so far.
#[derive(Debug)]
pub(super) struct NearDuplicates {
    chunks: Vec<Vec<Document>>,
    /// For each band, the first document with each value.
    bands: Vec<HashTable<u32>>,
    count: usize,
}

impl NearDuplicates {
    pub(super) fn new() -> Self {
        Self {
            chunks: Vec::new(),
            bands: (0..BANDS).map(|_| HashTable::new()).collect(),
            count: 0,
        }
    }

    /// The name of the most similar earlier document that shares a band (the first of equally
    /// similar ones), and the estimated similarity.
    pub(super) fn find(&self, sketch: &Sketch) -> Option<(&str, f32)> {
        let shared = self.bands.iter().enumerate().filter_map(|(band, table)| {
            let value = sketch.band(band);
            table.find(mixed(value), |&number| {
                document(&self.chunks, number).sketch.band(band) == value
            })
        });
        let mut best: Option<(u32, f32)> = None;
        for &number in shared {
            let similarity = sketch.similarity(&document(&self.chunks, number).sketch);
            let is_better = best.is_none_or(|(first, most)| {
                similarity > most || similarity == most && number < first
            });
            if is_better {
                best = Some((number, similarity));
            }
        }
        best.map(|(number, similarity)| (&*document(&self.chunks, number).name, similarity))
    }

    /// Adds a document that later ones are compared with. After 4 billion documents it does
    /// nothing.
    pub(super) fn add(&mut self, name: &str, sketch: Sketch) {
        let Ok(number) = u32::try_from(self.count) else {
            return;
        };
        if self.count.is_multiple_of(CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        self.chunks[self.count / CHUNK].push(Document {
            sketch,
            name: name.into(),
        });
        self.count += 1;
        let chunks = &self.chunks;
        for (band, table) in self.bands.iter_mut().enumerate() {
            let value = sketch.band(band);
            let band_value = |&number: &u32| document(chunks, number).sketch.band(band);
            if table
                .find(mixed(value), |number| band_value(number) == value)
                .is_none()
            {
                table.insert_unique(mixed(value), number, |number| mixed(band_value(number)));
            }
        }
    }
}

fn document(chunks: &[Vec<Document>], number: u32) -> &Document {
    let number = number as usize;
    &chunks[number / CHUNK][number % CHUNK]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The true Jaccard index of the 5-grams.
    fn jaccard(one: &[u64], other: &[u64]) -> f32 {
        let set = |words: &[u64]| {
            words
                .windows(SHINGLE_WORDS)
                .map(<[u64]>::to_vec)
                .collect::<BTreeSet<_>>()
        };
        let (one, other) = (set(one), set(other));
        one.intersection(&other).count() as f32 / one.union(&other).count() as f32
    }

    #[test]
    fn the_estimate_is_near_the_true_similarity() {
        let words: Vec<u64> = (0..1000).map(mixed).collect();
        for changed in [0, 20, 100, 300, 800] {
            let mut other = words.clone();
            for (at, word) in other.iter_mut().enumerate().take(changed) {
                *word = mixed(90_000 + at as u64);
            }
            let (one, two) = (
                Sketch::from_words(&words).unwrap(),
                Sketch::from_words(&other).unwrap(),
            );
            let (estimate, truth) = (one.similarity(&two), jaccard(&words, &other));
            // Three standard deviations of 112 draws, at most.
            assert!(
                (estimate - truth).abs() < 0.15,
                "{changed}: {estimate} {truth}"
            );
        }
    }

    #[test]
    fn short_documents_have_sketches_and_empty_ones_none() {
        assert_eq!(Sketch::from_words(&[]), None);
        let (one, two) = (
            Sketch::from_words(&[1, 2]).unwrap(),
            Sketch::from_words(&[2, 1]).unwrap(),
        );
        assert_eq!(one.similarity(&one), 1.0);
        assert!(one.similarity(&two) < 0.1);
    }

    fn sketch(words: impl Iterator<Item = u64>) -> Sketch {
        Sketch::from_words(&words.map(mixed).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_most_similar_earlier_document_is_found() {
        let mut documents = NearDuplicates::new();
        assert_eq!(documents.find(&sketch(0..500)), None);
        documents.add("far", sketch(40..500));
        documents.add("same", sketch(0..500));
        documents.add("again", sketch(0..500));
        for number in 1..6000u64 {
            documents.add("other", sketch(number * 1000..number * 1000 + 50));
        }
        assert_eq!(documents.find(&sketch(0..500)), Some(("same", 1.0)));
        let (name, similarity) = documents.find(&sketch(5..505)).unwrap();
        assert!(name == "same" && similarity > 0.9, "{name} {similarity}");
        assert_eq!(documents.find(&sketch(9_000_000..9_000_500)), None);
    }

    #[test]
    fn similar_documents_are_found_as_often_as_the_formula_says() {
        let found = |shared: u64| {
            let is_found = |run: u64| {
                let mut documents = NearDuplicates::new();
                let start = run * 10_000;
                documents.add("one", sketch(start..start + 400));
                documents
                    .find(&sketch(start + 400 - shared..start + 800 - shared))
                    .is_some()
            };
            (0..200).filter(|&run| is_found(run)).count()
        };
        // Jaccard indices of 396 5-grams each: .5 and .9.
        assert!(found(266) < 40, "{}", found(266));
        assert!(found(379) > 190, "{}", found(379));
    }
}
