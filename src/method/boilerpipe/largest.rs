//! Keeps only the largest block.

use super::blocks::Block;
use super::page::Page;

/// Removes blocks that are not content, so that later filters do not see them (the library's `BoilerplateBlockFilter`).
pub(super) fn only_content(blocks: &mut Vec<Block>) {
    blocks.retain(|block| block.is_content);
}

/// Keeps the content block with the most words, the first of equals; the headline filter may restore others (the
/// library's `KeepLargestBlockFilter`).
pub(super) fn keep(blocks: &mut [Block], _: &Page) {
    if blocks.len() < 2 {
        return;
    }
    let content = blocks.iter().enumerate().filter(|(_, block)| block.is_content);
    // `max_by_key` gives the last of equals, so the order is reversed.
    let largest = content.rev().max_by_key(|(_, block)| block.words).map(|(index, _)| index);
    for (index, block) in blocks.iter_mut().enumerate() {
        block.is_content = Some(index) == largest;
        block.may_be_content |= !block.is_content;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_largest_is_kept() {
        let block = |words, is_content| Block { words, is_content, ..Block::default() };
        let page = Page { title: String::new() };
        let mut blocks = vec![block(5, true), block(9, false), block(7, true), block(7, true)];
        keep(&mut blocks, &page);
        assert_eq!(blocks.iter().map(|block| block.is_content).collect::<Vec<_>>(), [false, false, true, false]);
        assert!(blocks[3].may_be_content && !blocks[2].may_be_content);
        only_content(&mut blocks);
        assert_eq!(blocks.len(), 1);
    }
}
