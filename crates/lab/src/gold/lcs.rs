//! The longest common subsequence of two token sequences, computed with bit vectors; used for
//! Levenshtein scores, ROUGE and scores over characters.
//!
//! For each row (token of `b`), a bit vector marks where the length grows along `a` (Crochemore,
//! Iliopoulos, Pinzon and Reid 2001; Hyyrö 2004): 64 cells of the table in a few instructions. Only
//! words in which the token occurs and words that a carry reaches are processed, so rare tokens
//! cost very little.

use super::matching::{Block, matching_blocks};

/// Largest table, in words of 64 cells, for which the exact method is used: a second or two, as for
/// two texts of 300,000 tokens each without a common start or end.
pub(crate) const WORK_LIMIT: u64 = 1_500_000_000;
/// Number of words of 64 cells that are kept at once to trace a subsequence back: 8 MB.
const KEPT_WORDS: usize = 1 << 20;

/// Length of the longest common subsequence of `a` and `b`.
///
/// Tokens are small numbers without large gaps (see [`Numbering`](super::words::Numbering)). Beyond
/// [`WORK_LIMIT`] the result is the length of the blocks that [`matching_blocks`] finds: a common
/// subsequence, but not always the longest.
pub fn length(a: &[u32], b: &[u32]) -> usize {
    length_within(a, b, WORK_LIMIT)
}

/// [`length`] with another limit of work.
pub(crate) fn length_within(a: &[u32], b: &[u32], work_limit: u64) -> usize {
    let (start, a, b, end) = trim(a, b);
    if work(a, b) > work_limit {
        return start
            + end
            + matching_blocks(a, b, false)
                .iter()
                .map(|block| block.size)
                .sum::<usize>();
    }
    let positions = TokenPositions::new(a);
    let mut row = Row::new(a.len());
    for &token in b {
        row.advance(positions.masks_of(token));
    }
    start + end + row.length()
}

/// A longest common subsequence as runs of equal tokens, in order, none touching the next on both
/// sides.
///
/// If there are several, this finds the same one as `rouge_score` (Google): the backward trace of
/// the usual table goes back in `b` if the previous cell in `b` is greater, else in `a`. If the
/// whole table is too large, `b` is divided into halves (Hirschberg 1975) to save memory; then
/// another one of equal length may be found.
pub fn runs(a: &[u32], b: &[u32]) -> Vec<Block> {
    let mut pairs = Vec::new();
    if work(a, b) > WORK_LIMIT {
        return matching_blocks(a, b, false);
    }
    trace(a, b, (0, 0), KEPT_WORDS, &mut pairs);
    let mut runs: Vec<Block> = Vec::new();
    for (a, b) in pairs {
        match runs.last_mut() {
            Some(last) if last.a + last.size == a && last.b + last.size == b => last.size += 1,
            _ => runs.push(Block { a, b, size: 1 }),
        }
    }
    runs
}

/// A sequence prepared for comparison with many short ones, such as a sentence with the sentences
/// of a text.
pub struct Longest<'a> {
    a: &'a [u32],
    positions: TokenPositions,
    row: Row,
    /// The rows of the last table, one after the other: one bit per cell.
    rows: Vec<u64>,
}

impl<'a> Longest<'a> {
    /// Prepares `a` for comparisons.
    pub fn new(a: &'a [u32]) -> Self {
        Self {
            a,
            positions: TokenPositions::new(a),
            row: Row::new(a.len()),
            rows: Vec::new(),
        }
    }

    /// Calls `found` with the positions in `a` and `b` of each pair of a longest common
    /// subsequence, last pair first; see [`runs`] for which. Keeps the whole table.
    pub fn trace(&mut self, b: &[u32], mut found: impl FnMut(usize, usize)) {
        self.row.words.fill(!0);
        self.rows.clear();
        for &token in b {
            self.row.advance(self.positions.masks_of(token));
            self.rows.extend_from_slice(&self.row.words);
        }
        let width = self.row.words.len();
        if self.row.words.iter().all(|word| *word == !0) {
            return;
        }
        let (mut i, mut j) = (self.a.len(), b.len());
        while i > 0 && j > 0 {
            if self.a[i - 1] == b[j - 1] {
                (i, j) = (i - 1, j - 1);
                found(i, j);
            } else if self.rows[(j - 1) * width + (i - 1) / 64] >> ((i - 1) % 64) & 1 == 0 {
                // Unequal tokens: the previous cell in `a` is smaller, so the length comes from the
                // previous one in `b`.
                j -= 1;
            } else {
                i -= 1;
            }
        }
    }
}

fn work(a: &[u32], b: &[u32]) -> u64 {
    b.len() as u64 * a.len().div_ceil(64) as u64
}

/// Common start, what is between, and common end.
fn trim<'a>(a: &'a [u32], b: &'a [u32]) -> (usize, &'a [u32], &'a [u32], usize) {
    let start = a
        .iter()
        .zip(b)
        .take_while(|(one, other)| one == other)
        .count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(one, other)| one == other)
        .count();
    (start, &a[..a.len() - end], &b[..b.len() - end], end)
}

/// The positions of each token: ascending (word, bits) pairs, those of token `t` at
/// `starts[t]..starts[t + 1]`.
struct TokenPositions {
    starts: Vec<u32>,
    masks: Vec<(u32, u64)>,
}

impl TokenPositions {
    fn new(tokens: &[u32]) -> Self {
        let kinds = tokens
            .iter()
            .max()
            .map_or(0, |&largest| largest as usize + 1);
        let mut found: Vec<(u32, u32)> = tokens
            .iter()
            .enumerate()
            .map(|(index, &token)| (token, index as u32))
            .collect();
        found.sort_unstable();
        let mut starts = Vec::with_capacity(kinds + 1);
        let mut masks: Vec<(u32, u64)> = Vec::with_capacity(found.len());
        for (token, index) in found {
            let is_new = starts.len() <= token as usize;
            while starts.len() <= token as usize {
                starts.push(masks.len() as u32);
            }
            let (word, bit) = (index / 64, 1 << (index % 64));
            match masks.last_mut() {
                Some(last) if last.0 == word && !is_new => last.1 |= bit,
                _ => masks.push((word, bit)),
            }
        }
        starts.push(masks.len() as u32);
        Self { starts, masks }
    }

    fn masks_of(&self, token: u32) -> &[(u32, u64)] {
        match self.starts.get(token as usize..token as usize + 2) {
            Some(ends) => &self.masks[ends[0] as usize..ends[1] as usize],
            None => &[],
        }
    }
}

/// One row of the table: bit `i` is 0 where the length grows from the first `i` to the first
/// `i + 1` tokens of `a`.
struct Row {
    words: Vec<u64>,
    /// TokenPositions of a frequent token, spread out; all 0 between two rows.
    mask: Vec<u64>,
    /// Length of `a`; bits beyond stay 1.
    len: usize,
}

impl Row {
    fn new(len: usize) -> Self {
        let width = len.div_ceil(64);
        Self {
            words: vec![!0; width],
            mask: vec![0; width],
            len,
        }
    }

    /// The next row: V' = (V + (V & M)) | (V & !M), where M marks the positions of the token.
    fn advance(&mut self, positions: &[(u32, u64)]) {
        // A word of the list costs about three times as much as a word of the row.
        if positions.len() * 3 > self.words.len() {
            self.advance_all(positions);
        } else {
            self.advance_at(positions);
        }
    }

    /// [`advance`](Self::advance) for a frequent token: processes every word.
    fn advance_all(&mut self, positions: &[(u32, u64)]) {
        for &(word, mask) in positions {
            self.mask[word as usize] = mask;
        }
        let mut carry = false;
        for (word, mask) in self.words.iter_mut().zip(&mut self.mask) {
            let old = *word;
            let (sum, first) = old.overflowing_add(old & *mask);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            *word = sum | (old & !*mask);
            carry = first | second;
            *mask = 0;
        }
    }

    /// [`advance`](Self::advance) for a rare token: processes its words and those that a carry
    /// reaches.
    fn advance_at(&mut self, positions: &[(u32, u64)]) {
        let mut carry_to = usize::MAX;
        for &(word, mask) in positions {
            let word = word as usize;
            // A carry ends at the first word that has a zero; until then every word is all ones and
            // stays so.
            while carry_to < word {
                carry_to = self.carry(carry_to);
            }
            let old = self.words[word];
            let (sum, first) = old.overflowing_add(old & mask);
            let (sum, second) = sum.overflowing_add(u64::from(carry_to == word));
            self.words[word] = sum | (old & !mask);
            carry_to = if first || second {
                word + 1
            } else {
                usize::MAX
            };
        }
        while carry_to < self.words.len() {
            carry_to = self.carry(carry_to);
        }
    }

    /// Adds a carry to a word without positions of the token; returns the next word that needs the
    /// carry.
    fn carry(&mut self, word: usize) -> usize {
        let old = self.words[word];
        self.words[word] = old | old.wrapping_add(1);
        if old == !0 { word + 1 } else { usize::MAX }
    }

    fn length(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_zeros() as usize)
            .sum()
    }

    /// True if the length grows at position `index` of `a`.
    fn grows(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 == 0
    }

    /// The lengths for the first 0, 1, ... tokens of `a`.
    fn lengths(&self) -> Vec<usize> {
        let mut sum = 0;
        std::iter::once(0)
            .chain((0..self.len).map(|index| {
                sum += usize::from(self.grows(index));
                sum
            }))
            .collect()
    }
}

/// Pairs of a longest common subsequence, in order, moved by `from`.
fn trace(
    a: &[u32],
    b: &[u32],
    from: (usize, usize),
    kept_words: usize,
    pairs: &mut Vec<(usize, usize)>,
) {
    if b.len() < 2 || b.len().saturating_mul(a.len().div_ceil(64)) <= kept_words {
        let start = pairs.len();
        Longest::new(a).trace(b, |i, j| pairs.push((from.0 + i, from.1 + j)));
        pairs[start..].reverse();
        return;
    }
    let middle = b.len() / 2;
    let last_row = |a: &[u32], b: &mut dyn Iterator<Item = u32>| {
        let positions = TokenPositions::new(a);
        let mut row = Row::new(a.len());
        b.for_each(|token| row.advance(positions.masks_of(token)));
        row.lengths()
    };
    let before = last_row(a, &mut b[..middle].iter().copied());
    let backward: Vec<u32> = a.iter().rev().copied().collect();
    let after = last_row(&backward, &mut b[middle..].iter().rev().copied());
    let both = |at: usize| before[at] + after[a.len() - at];
    let mut cut = 0;
    for at in 1..=a.len() {
        if both(at) > both(cut) {
            cut = at;
        }
    }
    trace(&a[..cut], &b[..middle], from, kept_words, pairs);
    trace(
        &a[cut..],
        &b[middle..],
        (from.0 + cut, from.1 + middle),
        kept_words,
        pairs,
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slow_table(a: &[u32], b: &[u32]) -> Vec<Vec<usize>> {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 1..=a.len() {
            for j in 1..=b.len() {
                table[i][j] = if a[i - 1] == b[j - 1] {
                    table[i - 1][j - 1] + 1
                } else {
                    table[i - 1][j].max(table[i][j - 1])
                };
            }
        }
        table
    }

    /// The trace of `rouge_score`, step by step.
    fn slow_positions(a: &[u32], b: &[u32]) -> Vec<usize> {
        let table = slow_table(a, b);
        let (mut i, mut j, mut found) = (a.len(), b.len(), Vec::new());
        while i > 0 && j > 0 {
            if a[i - 1] == b[j - 1] {
                (i, j) = (i - 1, j - 1);
                found.insert(0, i);
            } else if table[i][j - 1] > table[i - 1][j] {
                j -= 1;
            } else {
                i -= 1;
            }
        }
        found
    }

    fn is_common(a: &[u32], b: &[u32], pairs: &[(usize, usize)]) -> bool {
        pairs.iter().all(|&(i, j)| a[i] == b[j])
            && pairs
                .windows(2)
                .all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1)
    }

    fn positions(a: &[u32], b: &[u32]) -> Vec<usize> {
        let mut found = Vec::new();
        Longest::new(a).trace(b, |at, _| found.insert(0, at));
        found
    }

    fn tokens(kinds: u32) -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(0..kinds, 0..300)
    }

    proptest! {
        #[test]
        fn the_length_is_that_of_the_table(
            (a, b) in (1u32..500).prop_flat_map(|kinds| (tokens(kinds), tokens(kinds)))
        ) {
            let slow = slow_table(&a, &b)[a.len()][b.len()];
            prop_assert_eq!(length(&a, &b), slow);
            prop_assert_eq!(length(&b, &a), slow);
            prop_assert!(length_within(&a, &b, 0) <= slow);
        }

        #[test]
        fn the_trace_is_that_of_rouge_score(
            (a, b) in (1u32..20).prop_flat_map(|kinds| (tokens(kinds), tokens(kinds)))
        ) {
            prop_assert_eq!(positions(&a, &b), slow_positions(&a, &b));
        }

        #[test]
        fn halves_find_a_longest_one_too(
            (a, b) in (1u32..20).prop_flat_map(|kinds| (tokens(kinds), tokens(kinds)))
        ) {
            let mut pairs = Vec::new();
            trace(&a, &b, (0, 0), 4, &mut pairs);
            prop_assert!(is_common(&a, &b, &pairs));
            prop_assert_eq!(pairs.len(), length(&a, &b));
            let whole: usize = runs(&a, &b).iter().map(|run| run.size).sum();
            prop_assert_eq!(whole, pairs.len());
        }
    }

    #[test]
    fn tokens_of_only_one_side_match_nothing() {
        assert_eq!(length(&[1, 2, 3], &[7, 9]), 0);
        assert_eq!(length(&[], &[1]), 0);
        assert_eq!(positions(&[1], &[]), Vec::<usize>::new());
        assert_eq!(length(&[5, 1, 5], &[5, 5]), 2);
    }

    #[test]
    fn adjacent_runs_are_joined() {
        let block = |a, b, size| Block { a, b, size };
        assert_eq!(
            runs(&[1, 2, 3, 4, 5], &[1, 2, 9, 4, 5]),
            [block(0, 0, 2), block(3, 3, 2)]
        );
    }

    #[test]
    fn long_texts_are_compared_quickly() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut text = || (0..50_000).map(|_| random.u32(0..60)).collect::<Vec<_>>();
        let (a, b) = (text(), text());
        let start = std::time::Instant::now();
        let found = length(&a, &b);
        assert!((5_000..50_000).contains(&found), "{found}");
        // The limit allows for an unoptimized build on a busy machine; cell by cell it would take
        // hours.
        assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
    }
}
