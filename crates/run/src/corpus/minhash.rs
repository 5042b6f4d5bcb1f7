//! MinHash sketches (Broder 1997, "On the resemblance and containment of documents"): of the word 5-grams of a document,
//! the smallest value of each of 112 hash functions. Two sketches agree in as large a share of these as the documents
//! share of their 5-grams (the Jaccard index), apart from chance.
//!
//! Parameters are those of FineWeb (Penedo et al. 2024, section 3.4): 112 functions in 14 bands of 8. Of each value 8 bits
//! are kept (Li and König 2010, "b-bit minwise hashing"), so a sketch has 112 bytes. Own code: the crates for it were last
//! released years ago, or bring a sampling or matrix library.

use super::hashes::mixed;

/// Words in a shingle.
const SHINGLE_WORDS: usize = 5;
/// Number of bands.
pub(super) const BANDS: usize = 14;
/// Hash functions in a band.
const ROWS: usize = 8;
/// Hash functions.
pub(super) const FUNCTIONS: usize = BANDS * ROWS;

/// The sketch of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sketch(pub(super) [u8; FUNCTIONS]);

impl Sketch {
    /// The sketch of a document by the keys of its words; `None` without words. Fewer than five words are one shingle.
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

    /// Estimated Jaccard index, 0 to 1. Values that differ have the same 8 bits once in 256 times, which is taken off
    /// (Li and König 2010, section 2).
    pub(super) fn similarity(&self, other: &Self) -> f32 {
        const CHANCE: f32 = 1.0 / 256.0;
        let same = self.0.iter().zip(&other.0).filter(|(one, other)| one == other).count();
        ((same as f32 / FUNCTIONS as f32 - CHANCE) / (1.0 - CHANCE)).clamp(0.0, 1.0)
    }
}

/// Hash of a sequence of words.
pub(super) fn gram(words: &[u64]) -> u64 {
    mixed(words.iter().fold(0, |hash: u64, word| (hash.rotate_left(23) ^ mixed(*word)).wrapping_mul(MULTIPLIER)))
}

/// An odd number without structure: the golden ratio in 64 bits.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The value of a hash function: the halves of a product of 128 bits, combined (as in wyhash, Wang 2019).
fn value(function: u64, hash: u64) -> u64 {
    let seed = mixed(function.wrapping_add(1).wrapping_mul(MULTIPLIER));
    let product = u128::from(hash ^ seed) * u128::from(seed | 1);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The true Jaccard index of the 5-grams.
    fn jaccard(one: &[u64], other: &[u64]) -> f32 {
        let set = |words: &[u64]| words.windows(SHINGLE_WORDS).map(<[u64]>::to_vec).collect::<BTreeSet<_>>();
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
            let (one, two) = (Sketch::from_words(&words).unwrap(), Sketch::from_words(&other).unwrap());
            let (estimate, truth) = (one.similarity(&two), jaccard(&words, &other));
            // Three standard deviations of 112 draws, at most.
            assert!((estimate - truth).abs() < 0.15, "{changed}: {estimate} {truth}");
        }
    }

    #[test]
    fn short_documents_have_sketches_and_empty_ones_none() {
        assert_eq!(Sketch::from_words(&[]), None);
        let (one, two) = (Sketch::from_words(&[1, 2]).unwrap(), Sketch::from_words(&[2, 1]).unwrap());
        assert_eq!(one.similarity(&one), 1.0);
        assert!(one.similarity(&two) < 0.1);
    }
}
