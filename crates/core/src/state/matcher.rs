//! Finds many short needles in a text in one pass: the first bytes of each position are looked up
//! in a table.

use rustc_hash::FxHashMap;

/// Bytes of a needle by which it is looked up; no needle is shorter.
const PREFIX: usize = 3;

/// Needles, looked up by their first bytes.
#[derive(Debug)]
pub(super) struct Matcher {
    needles: Vec<&'static str>,
    by_prefix: FxHashMap<[u8; PREFIX], Vec<usize>>,
    /// One bit for each pair of first bytes that a needle has.
    pairs: Box<[u64; 1024]>,
}

impl Matcher {
    /// Prepares needles, which are in lower case; those of less than three bytes are never found.
    pub(super) fn new(needles: Vec<&'static str>) -> Self {
        let mut by_prefix: FxHashMap<[u8; PREFIX], Vec<usize>> = FxHashMap::default();
        let mut pairs = Box::new([0u64; 1024]);
        for (index, needle) in needles.iter().enumerate() {
            if let Some(&prefix) = needle.as_bytes().first_chunk::<PREFIX>() {
                by_prefix.entry(prefix).or_default().push(index);
                let pair = pair_of(prefix);
                pairs[pair / 64] |= 1 << (pair % 64);
            }
        }
        Self {
            needles,
            by_prefix,
            pairs,
        }
    }

    /// Calls `found` with the index and the byte range of every needle in `text`.
    pub(super) fn each(&self, text: &str, mut found: impl FnMut(usize, std::ops::Range<usize>)) {
        for (start, window) in text.as_bytes().windows(PREFIX).enumerate() {
            let prefix = [window[0], window[1], window[2]];
            let pair = pair_of(prefix);
            if self.pairs[pair / 64] & (1 << (pair % 64)) == 0 {
                continue;
            }
            for &index in self.by_prefix.get(&prefix).into_iter().flatten() {
                let needle = self.needles[index];
                if text.as_bytes()[start..].starts_with(needle.as_bytes()) {
                    found(index, start..start + needle.len());
                }
            }
        }
    }
}

fn pair_of([first, second, _]: [u8; PREFIX]) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_needle_is_found_wherever_it_is() {
        let matcher = Matcher::new(vec!["gull", "gulls", "ull", "möwe", "no"]);
        let mut found = Vec::new();
        matcher.each("two gulls, eine möwe: no", |index, range| {
            found.push((index, range.start));
        });
        assert_eq!(found, [(0, 4), (1, 4), (2, 5), (3, 16)]);
    }
}
