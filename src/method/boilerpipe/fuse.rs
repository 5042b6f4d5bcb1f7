//! Fuses neighboring blocks, so that they are classified and kept as one.

use super::blocks::Block;

/// Largest number of removed blocks between two blocks that are fused.
const MAX_DISTANCE: usize = 1;

/// Fuses a block with the one before it if their text densities are equal (Kohlschütter and Nejdl 2008; the library's
/// `SimpleBlockFusionProcessor`).
pub(super) fn by_density(blocks: &mut Vec<Block>) {
    fuse(blocks, |before, block| before.text_density() == block.text_density());
}

/// Fuses content with the block before it, content or not, if at most one block was removed between them: a heading that
/// the rules dropped is restored with its paragraph (the library's `BlockProximityFusion`).
pub(super) fn by_nearness(blocks: &mut Vec<Block>) {
    fuse(blocks, |before, block| block.is_content && distance(before, block) <= MAX_DISTANCE);
}

/// The same, but only for content with content before it.
pub(super) fn content_by_nearness(blocks: &mut Vec<Block>) {
    fuse(blocks, |before, block| before.is_content && block.is_content && distance(before, block) <= MAX_DISTANCE);
}

/// Number of blocks of the page between two.
fn distance(before: &Block, block: &Block) -> usize {
    block.numbers.0.saturating_sub(before.numbers.1 + 1)
}

fn fuse(blocks: &mut Vec<Block>, belongs: impl Fn(&Block, &Block) -> bool) {
    let mut fused: Vec<Block> = Vec::with_capacity(blocks.len());
    for block in blocks.drain(..) {
        match fused.last_mut() {
            Some(before) if belongs(before, &block) => before.merge(block),
            _ => fused.push(block),
        }
    }
    *blocks = fused;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(numbers_and_verdicts: &[(usize, bool)]) -> Vec<Block> {
        let block = |&(number, is_content): &(usize, bool)| Block {
            parts: vec![number],
            numbers: (number, number),
            words: number + 1,
            words_in_lines: number + 1,
            lines: 1,
            is_content,
            ..Block::default()
        };
        numbers_and_verdicts.iter().map(block).collect()
    }

    fn parts(blocks: &[Block]) -> Vec<(&[usize], bool)> {
        blocks.iter().map(|block| (block.parts.as_slice(), block.is_content)).collect()
    }

    #[test]
    fn content_is_fused_with_the_block_before_it() {
        let mut all = blocks(&[(0, false), (1, false), (2, true), (3, true), (4, false), (6, true), (9, true)]);
        by_nearness(&mut all);
        assert_eq!(
            parts(&all),
            [([0].as_slice(), false), (&[1, 2, 3], true), (&[4, 6], true), (&[9], true)],
            "6 is one block from 4, 9 is two from 6"
        );
        let mut near = blocks(&[(0, false), (1, true), (3, true), (6, true)]);
        content_by_nearness(&mut near);
        assert_eq!(parts(&near), [([0].as_slice(), false), (&[1, 3], true), (&[6], true)]);
    }

    #[test]
    fn equal_densities_make_one_block() {
        let mut all = blocks(&[(0, false), (1, false), (2, false)]);
        (all[2].words, all[2].words_in_lines, all[2].lines) = (7, 4, 2);
        by_density(&mut all);
        assert_eq!(parts(&all), [([0].as_slice(), false), (&[1, 2], false)]);
        assert_eq!((all[1].words, all[1].words_in_lines, all[1].lines), (9, 6, 3));
    }
}
