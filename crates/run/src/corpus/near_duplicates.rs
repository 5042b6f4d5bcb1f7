//! Finds the earlier documents that a document is a near-duplicate of: those with the same sketch in at least one of 14
//! bands of 8 values (locality-sensitive hashing, Indyk and Motwani 1998; banding: Leskovec et al., "Mining of Massive
//! Datasets", section 3.4). Of documents that share the proportion s of their word 5-grams, this finds
//! 1 - (1 - s^8)^14: 5 % at s = .5, 56 % at .7, 77 % at .75, 92 % at .8, 99.9 % at .9.
//!
//! A document is compared with those that are no near-duplicates themselves. Of several with the same band, the first is
//! remembered. Memory: about 350 bytes per such document (128 for sketch and name, 5 to 12 for each band, the name).

use super::hashes::mixed;
use super::minhash::{BANDS, Sketch};
use hashbrown::HashTable;

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
        Self { chunks: Vec::new(), bands: (0..BANDS).map(|_| HashTable::new()).collect(), count: 0 }
    }

    /// The name of the most similar earlier document that shares a band, the first of several, and the estimated
    /// similarity.
    pub(super) fn find(&self, sketch: &Sketch) -> Option<(&str, f32)> {
        let shared = self.bands.iter().enumerate().filter_map(|(band, table)| {
            let value = sketch.band(band);
            table.find(mixed(value), |&number| document(&self.chunks, number).sketch.band(band) == value)
        });
        let mut best: Option<(u32, f32)> = None;
        for &number in shared {
            let similarity = sketch.similarity(&document(&self.chunks, number).sketch);
            let is_better = best.is_none_or(|(first, most)| similarity > most || similarity == most && number < first);
            if is_better {
                best = Some((number, similarity));
            }
        }
        best.map(|(number, similarity)| (&*document(&self.chunks, number).name, similarity))
    }

    /// Adds a document that later ones are compared with. Beyond 4 billion documents, none is added.
    pub(super) fn add(&mut self, name: &str, sketch: Sketch) {
        let Ok(number) = u32::try_from(self.count) else { return };
        if self.count.is_multiple_of(CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        self.chunks[self.count / CHUNK].push(Document { sketch, name: name.into() });
        self.count += 1;
        let chunks = &self.chunks;
        for (band, table) in self.bands.iter_mut().enumerate() {
            let value = sketch.band(band);
            let of = |&number: &u32| document(chunks, number).sketch.band(band);
            if table.find(mixed(value), |number| of(number) == value).is_none() {
                table.insert_unique(mixed(value), number, |number| mixed(of(number)));
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
                documents.find(&sketch(start + 400 - shared..start + 800 - shared)).is_some()
            };
            (0..200).filter(|&run| is_found(run)).count()
        };
        // Jaccard indices of 396 5-grams each: .5 and .9.
        assert!(found(266) < 40, "{}", found(266));
        assert!(found(379) > 190, "{}", found(379));
    }
}
