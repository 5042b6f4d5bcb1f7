//! Aligns two token sequences as Python's `difflib.SequenceMatcher` does (Ratcliff and Obershelp
//! 1988).
//!
//! The longest run of equal tokens is selected, then the same is done on the left and on the right
//! of it. Of runs of equal length, the one that starts first in `a`, then first in `b`, is used:
//! the blocks are exactly those of Python. With hostile input (a token a thousand times on both
//! sides) this takes cubic time. After [`WORK_LIMIT`] steps, the remaining ranges are aligned by
//! their common ends and by the tokens that occur once in both (patience), in linear time.

/// Number of steps (pairs of equal tokens examined) after which the exact method stops: some
/// seconds.
pub(crate) const WORK_LIMIT: u64 = 1_000_000_000;

/// A run of equal tokens: `a[a..a + size] == b[b..b + size]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Block {
    /// Start in the first sequence.
    pub a: usize,
    /// Start in the second sequence.
    pub b: usize,
    /// Length, at least 1.
    pub size: usize,
}

/// The change from a range of `a` to a range of `b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Both ranges are equal.
    Equal,
    /// Both are present and differ.
    Replace,
    /// The range of `b` is empty.
    Delete,
    /// The range of `a` is empty.
    Insert,
}

/// One step from `a` to `b`: change, range in `a`, range in `b`.
pub(crate) type Opcode = (Change, std::ops::Range<usize>, std::ops::Range<usize>);

/// Matching blocks of two sequences, in order, none adjacent to the next on both sides.
///
/// Tokens are small numbers without large gaps (see [`Numbering`](super::words::Numbering)); memory
/// grows with the largest. `autojunk` leaves out, as Python does by default, tokens that make up
/// more than 1 % of a `b` of at least 200. Python's closing block of size 0 is left out.
pub fn matching_blocks(a: &[u32], b: &[u32], autojunk: bool) -> Vec<Block> {
    matching_blocks_within(a, b, autojunk, WORK_LIMIT)
}

/// [`matching_blocks`] with another limit of work.
pub(crate) fn matching_blocks_within(
    a: &[u32],
    b: &[u32],
    autojunk: bool,
    work_limit: u64,
) -> Vec<Block> {
    let mut matcher = Matcher::new(a, b, autojunk, work_limit.min(u64::from(u32::MAX / 2)));
    let mut found = Vec::new();
    let mut open = vec![Stretch {
        a: 0,
        a_end: a.len(),
        b: 0,
        b_end: b.len(),
    }];
    while let Some(stretch) = open.pop() {
        match matcher.longest(stretch) {
            None => matcher.anchored(stretch, &mut found),
            Some(Block { size: 0, .. }) => {}
            Some(block) => {
                found.push(block);
                let before = Stretch {
                    a_end: block.a,
                    b_end: block.b,
                    ..stretch
                };
                let after = Stretch {
                    a: block.a + block.size,
                    b: block.b + block.size,
                    ..stretch
                };
                open.extend(
                    [before, after]
                        .into_iter()
                        .filter(|part| part.a < part.a_end && part.b < part.b_end),
                );
            }
        }
    }
    found.sort_unstable();
    found.dedup_by(|next, block| {
        let touches = block.a + block.size == next.a && block.b + block.size == next.b;
        if touches {
            block.size += next.size;
        }
        touches
    });
    found
}

/// The steps between matching blocks, as Python's `get_opcodes`.
pub(crate) fn opcodes(a_len: usize, b_len: usize, blocks: &[Block]) -> Vec<Opcode> {
    let mut steps = Vec::new();
    let (mut a, mut b) = (0, 0);
    for block in blocks.iter().copied().chain([Block {
        a: a_len,
        b: b_len,
        size: 0,
    }]) {
        let change = match (a < block.a, b < block.b) {
            (true, true) => Some(Change::Replace),
            (true, false) => Some(Change::Delete),
            (false, true) => Some(Change::Insert),
            (false, false) => None,
        };
        steps.extend(change.map(|change| (change, a..block.a, b..block.b)));
        (a, b) = (block.a + block.size, block.b + block.size);
        if block.size > 0 {
            steps.push((Change::Equal, block.a..a, block.b..b));
        }
    }
    steps
}

#[derive(Clone, Copy)]
struct Stretch {
    a: usize,
    a_end: usize,
    b: usize,
    b_end: usize,
}

struct Matcher<'a> {
    a: &'a [u32],
    b: &'a [u32],
    /// Positions in `b` of token `t`: `positions[starts[t]..starts[t + 1]]`, ascending; none for
    /// popular tokens.
    starts: Vec<u32>,
    positions: Vec<u32>,
    /// For each position of `b`, plus one: the row (upper half) in which a run ended there, and its
    /// length.
    cells: Vec<u64>,
    row: u64,
    work: u64,
    work_limit: u64,
}

impl<'a> Matcher<'a> {
    fn new(a: &'a [u32], b: &'a [u32], autojunk: bool, work_limit: u64) -> Self {
        let kinds = a
            .iter()
            .chain(b)
            .max()
            .map_or(0, |&largest| largest as usize + 1);
        let mut counts = vec![0u32; kinds];
        for &token in b {
            counts[token as usize] += 1;
        }
        if autojunk && b.len() >= 200 {
            let popular = (b.len() / 100 + 1) as u32;
            counts
                .iter_mut()
                .filter(|count| **count > popular)
                .for_each(|count| *count = 0);
        }
        let mut starts = Vec::with_capacity(kinds + 1);
        starts.push(0);
        let mut sum = 0;
        for &count in &counts {
            sum += count;
            starts.push(sum);
        }
        let mut next = starts.clone();
        let mut positions = vec![0; sum as usize];
        for (index, &token) in b
            .iter()
            .enumerate()
            .filter(|(_, token)| counts[**token as usize] > 0)
        {
            positions[next[token as usize] as usize] = index as u32;
            next[token as usize] += 1;
        }
        Self {
            a,
            b,
            starts,
            positions,
            cells: vec![0; b.len() + 1],
            row: 0,
            work: 0,
            work_limit,
        }
    }

    /// The longest run within a range (size 0 if there is none), or `None` beyond the limit of
    /// work.
    fn longest(&mut self, within: Stretch) -> Option<Block> {
        let mut best = Block {
            a: within.a,
            b: within.b,
            size: 0,
        };
        let (low, high) = (within.b as u32, within.b_end as u32);
        // Runs of an earlier range must not be continued here.
        self.row += 1;
        for index in within.a..within.a_end {
            self.row += 1;
            let token = self.a[index] as usize;
            let all = &self.positions[self.starts[token] as usize..self.starts[token + 1] as usize];
            let from = if low == 0 {
                0
            } else {
                all.partition_point(|&at| at < low)
            };
            let to = from
                + if high as usize == self.b.len() {
                    all.len() - from
                } else {
                    all[from..].partition_point(|&at| at < high)
                };
            self.work += 1 + (to - from) as u64;
            if self.work > self.work_limit {
                return None;
            }
            // From right to left, so that the cell at the left is still that of the previous row.
            let mut longest = (0, 0);
            for &at in all[from..to].iter().rev() {
                let left = self.cells[at as usize];
                let size = if left >> 32 == self.row - 1 {
                    (left & 0xffff_ffff) + 1
                } else {
                    1
                };
                self.cells[at as usize + 1] = self.row << 32 | size;
                if size >= longest.0 {
                    longest = (size, at);
                }
            }
            let size = longest.0 as usize;
            if size > best.size {
                best = Block {
                    a: index + 1 - size,
                    b: longest.1 as usize + 1 - size,
                    size,
                };
            }
        }
        // Popular tokens cannot start a run, but can extend one.
        while best.a > within.a && best.b > within.b && self.a[best.a - 1] == self.b[best.b - 1] {
            best = Block {
                a: best.a - 1,
                b: best.b - 1,
                size: best.size + 1,
            };
        }
        while best.a + best.size < within.a_end
            && best.b + best.size < within.b_end
            && self.a[best.a + best.size] == self.b[best.b + best.size]
        {
            best.size += 1;
        }
        Some(best)
    }

    /// Blocks of a range by its common ends and the tokens that occur once on both sides; linear
    /// except for a sort.
    fn anchored(&self, within: Stretch, found: &mut Vec<Block>) {
        let Stretch {
            mut a,
            mut a_end,
            mut b,
            mut b_end,
        } = within;
        let same = self.a[a..a_end]
            .iter()
            .zip(&self.b[b..b_end])
            .take_while(|(one, other)| one == other)
            .count();
        if same > 0 {
            found.push(Block { a, b, size: same });
            (a, b) = (a + same, b + same);
        }
        let ends = self.a[a..a_end]
            .iter()
            .rev()
            .zip(self.b[b..b_end].iter().rev());
        let same = ends.take_while(|(one, other)| one == other).count();
        if same > 0 {
            (a_end, b_end) = (a_end - same, b_end - same);
            found.push(Block {
                a: a_end,
                b: b_end,
                size: same,
            });
        }
        let pairs = self.once_in_both(a, a_end, b, b_end);
        let (mut a, mut b) = (a, b);
        for (at_a, at_b) in rising(&pairs) {
            if at_a < a || at_b < b {
                continue;
            }
            let before = (0..(at_a - a).min(at_b - b))
                .take_while(|&by| self.a[at_a - 1 - by] == self.b[at_b - 1 - by]);
            let before = before.count();
            let after = self.a[at_a..a_end]
                .iter()
                .zip(&self.b[at_b..b_end])
                .take_while(|(one, other)| one == other);
            let block = Block {
                a: at_a - before,
                b: at_b - before,
                size: before + after.count(),
            };
            (a, b) = (block.a + block.size, block.b + block.size);
            found.push(block);
        }
    }

    /// Positions in `a` and `b` of the tokens that occur once in both ranges, ascending in `a`.
    fn once_in_both(&self, a: usize, a_end: usize, b: usize, b_end: usize) -> Vec<(usize, usize)> {
        let mut places: Vec<(u32, bool, usize)> = self.a[a..a_end]
            .iter()
            .enumerate()
            .map(|(index, &token)| (token, false, a + index))
            .chain(
                self.b[b..b_end]
                    .iter()
                    .enumerate()
                    .map(|(index, &token)| (token, true, b + index)),
            )
            .collect();
        places.sort_unstable();
        let mut pairs: Vec<_> = places
            .chunk_by(|one, other| one.0 == other.0)
            .filter(|same| same.len() == 2 && !same[0].1 && same[1].1)
            .map(|same| (same[0].2, same[1].2))
            .collect();
        pairs.sort_unstable();
        pairs
    }
}

/// The longest subsequence in which both components of the pairs ascend.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; pairs.len()];
    for (index, &(_, at)) in pairs.iter().enumerate() {
        let length = tails.partition_point(|&tail| pairs[tail].1 < at);
        if length > 0 {
            before[index] = tails[length - 1];
        }
        if length == tails.len() {
            tails.push(index);
        } else {
            tails[length] = index;
        }
    }
    let mut chain: Vec<_> = std::iter::successors(tails.last().copied(), |&index| {
        (before[index] != usize::MAX).then_some(before[index])
    })
    .map(|index| pairs[index])
    .collect();
    chain.reverse();
    chain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Python's algorithm in its direct form, which examines every pair.
    fn slow(a: &[u32], b: &[u32]) -> Vec<Block> {
        fn part(a: &[u32], b: &[u32], from_a: usize, from_b: usize, found: &mut Vec<Block>) {
            let mut best = Block {
                a: 0,
                b: 0,
                size: 0,
            };
            for i in 0..a.len() {
                for j in 0..b.len() {
                    let size = a[i..]
                        .iter()
                        .zip(&b[j..])
                        .take_while(|(one, other)| one == other)
                        .count();
                    if size > best.size {
                        best = Block { a: i, b: j, size };
                    }
                }
            }
            if best.size > 0 {
                part(&a[..best.a], &b[..best.b], from_a, from_b, found);
                found.push(Block {
                    a: from_a + best.a,
                    b: from_b + best.b,
                    size: best.size,
                });
                let (i, j) = (best.a + best.size, best.b + best.size);
                part(&a[i..], &b[j..], from_a + i, from_b + j, found);
            }
        }
        let mut found = Vec::new();
        part(a, b, 0, 0, &mut found);
        let mut joined: Vec<Block> = Vec::new();
        for block in found {
            match joined.last_mut() {
                Some(last) if last.a + last.size == block.a && last.b + last.size == block.b => {
                    last.size += block.size;
                }
                _ => joined.push(block),
            }
        }
        joined
    }

    fn characters(text: &str) -> Vec<u32> {
        text.chars().map(|c| c as u32).collect()
    }

    fn triples(blocks: &[Block]) -> Vec<(usize, usize, usize)> {
        blocks
            .iter()
            .map(|block| (block.a, block.b, block.size))
            .collect()
    }

    #[test]
    fn opcodes_are_those_of_python() {
        // From the documentation of difflib.
        let (a, b) = (characters("qabxcd"), characters("abycdf"));
        let steps = opcodes(6, 6, &matching_blocks(&a, &b, false));
        assert_eq!(
            steps,
            [
                (Change::Delete, 0..1, 0..0),
                (Change::Equal, 1..3, 0..2),
                (Change::Replace, 3..4, 2..3),
                (Change::Equal, 4..6, 3..5),
                (Change::Insert, 6..6, 5..6)
            ]
        );
    }

    /// The generator of the sequences compared with Python: `x = x * 1103515245 + 12345 mod 2^31`,
    /// token `x >> 16 mod n`.
    fn sequence(seed: u64, length: usize, kinds: u64) -> Vec<u32> {
        let mut x = seed;
        (0..length)
            .map(|_| {
                x = (x * 1_103_515_245 + 12_345) % (1 << 31);
                ((x >> 16) % kinds) as u32
            })
            .collect()
    }

    fn fingerprint(blocks: &[Block]) -> (usize, usize, usize) {
        let matched = blocks.iter().map(|block| block.size).sum();
        let weighted = blocks
            .iter()
            .map(|block| block.a * 31 + block.b * 17 + block.size)
            .sum();
        (blocks.len(), matched, weighted)
    }

    #[test]
    fn blocks_are_those_of_python_with_and_without_autojunk() {
        let (a, b) = (sequence(1, 300, 20), sequence(2, 260, 20));
        assert_eq!(
            fingerprint(&matching_blocks(&a, &b, false)),
            (29, 44, 203_528)
        );
        let (a, b) = (sequence(1, 300, 20), sequence(2, 260, 20));
        assert_eq!(fingerprint(&matching_blocks(&a, &b, true)), (0, 0, 0));
        let (a, tail) = (sequence(3, 900, 150), sequence(3, 700, 150));
        let b = [&a[100..400], &tail[300..500], &a[600..800]].concat();
        assert_eq!(
            fingerprint(&matching_blocks(&a, &b, true)),
            (3, 600, 45_200)
        );
        let (a, b) = (sequence(5, 1500, 400), sequence(6, 1800, 400));
        assert_eq!(fingerprint(&matching_blocks(&a, &b, true)), (5, 6, 129_043));
        let (a, b) = (sequence(5, 1500, 400), sequence(6, 1800, 400));
        assert_eq!(
            fingerprint(&matching_blocks(&a, &b, false)),
            (5, 6, 129_043)
        );
        let (a, b) = (sequence(7, 400, 9), sequence(8, 190, 9));
        assert_eq!(
            fingerprint(&matching_blocks(&a, &b, true)),
            (16, 33, 48_430)
        );
    }

    #[test]
    fn hostile_input_ends() {
        let a = vec![0; 30_000];
        let b: Vec<u32> = (0..30_000).map(|index| u32::from(index % 2 == 0)).collect();
        let blocks = matching_blocks_within(&a, &b, false, 1_000_000);
        assert!(
            blocks
                .iter()
                .all(|block| a[block.a..block.a + block.size] == b[block.b..block.b + block.size])
        );
        let same = matching_blocks_within(&b, &b, false, 1_000_000);
        assert_eq!(triples(&same), [(0, 0, 30_000)]);
    }

    proptest! {
        #[test]
        fn equals_the_obvious_implementation(
            a in prop::collection::vec(0u32..5, 0..40),
            b in prop::collection::vec(0u32..5, 0..40),
        ) {
            prop_assert_eq!(matching_blocks(&a, &b, false), slow(&a, &b));
        }

        #[test]
        fn without_work_blocks_still_match_and_ascend(
            a in prop::collection::vec(0u32..60, 0..80),
            b in prop::collection::vec(0u32..60, 0..80),
            limit in 0u64..300,
        ) {
            let blocks = matching_blocks_within(&a, &b, false, limit);
            for block in &blocks {
                prop_assert_eq!(&a[block.a..block.a + block.size], &b[block.b..block.b + block.size]);
            }
            for pair in blocks.windows(2) {
                prop_assert!(pair[0].a + pair[0].size <= pair[1].a && pair[0].b + pair[0].size <= pair[1].b);
            }
        }
    }
}
