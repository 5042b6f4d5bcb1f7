//! Random draws of one page, the same for the same seed and page whatever else is made.

use std::ops::RangeInclusive;
use vclean_core::hash::Fnv;

/// The draws of one page.
#[derive(Debug)]
pub(super) struct Chance(fastrand::Rng);

impl Chance {
    /// The draws for the page `id` of the set `set`.
    pub(super) fn of_page(seed: u64, set: &str, id: &str) -> Self {
        let mut hash = Fnv::new();
        let words = [set.as_bytes(), b"/", id.as_bytes()];
        seed.to_le_bytes()
            .into_iter()
            .chain(words.concat())
            .for_each(|byte| hash.add(byte));
        Self(fastrand::Rng::with_seed(hash.finish()))
    }

    /// True with probability `share`, from 0 to 1.
    pub(super) fn happens(&mut self, share: f64) -> bool {
        self.0.f64() < share
    }

    /// A number of the range, all equally likely.
    pub(super) fn number(&mut self, range: RangeInclusive<usize>) -> usize {
        self.0.usize(range)
    }

    /// One of `from`, which is not empty.
    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.0.usize(0..from.len())]
    }

    /// One of the values, by reference.
    pub(super) fn pick_from<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.0.usize(0..from.len())]
    }

    /// At least 1 and at most `most`; each further one follows with probability `again`.
    pub(super) fn run(&mut self, again: f64, most: usize) -> usize {
        let mut length = 1;
        while length < most && self.happens(again) {
            length += 1;
        }
        length
    }

    /// A name that says nothing, such as a class of a style sheet whose names were shortened by a
    /// program: 2 to 7 letters.
    pub(super) fn letters(&mut self) -> String {
        (0..self.number(2..=7))
            .map(|_| self.0.lowercase())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_depend_on_seed_and_page_only() {
        let draw = |seed, id| {
            let mut chance = Chance::of_page(seed, "set", id);
            (
                chance.number(0..=1_000_000),
                chance.letters(),
                chance.run(0.9, 50),
            )
        };
        assert_eq!(draw(1, "a"), draw(1, "a"));
        assert_ne!(draw(1, "a"), draw(1, "b"));
        assert_ne!(draw(1, "a"), draw(2, "a"));
    }
}
