//! The decision trees of Boilerpipe: they classify a block by its counts and those of the blocks before and after it.
//!
//! The first two were learned with C4.8 on news pages (Kohlschütter 2010, section 4: algorithms 1 and 2, by densities and by
//! numbers of words), the third on the CANOLA corpus; the thresholds are the published ones.

use super::blocks::Block;
use super::page::Page;

/// Largest link density of a content block.
const MAX_LINK_DENSITY: f64 = 0.333_333;

/// Link density above which the block before counts as a list of links.
const MAX_LINK_DENSITY_BEFORE: f64 = 0.555_556;

/// Marks blocks by numbers of words.
pub(super) fn by_words(blocks: &mut [Block], _: &Page) {
    mark(blocks, |before, block, after| {
        block.link_density() <= MAX_LINK_DENSITY
            && if before.link_density() <= MAX_LINK_DENSITY_BEFORE {
                block.words > 16 || after.words > 15 || before.words > 4
            } else {
                block.words > 40 || after.words > 17
            }
    });
}

/// Marks blocks by text densities.
pub(super) fn by_density(blocks: &mut [Block], _: &Page) {
    mark(blocks, |before, block, after| {
        let (before_density, after_density) = (before.text_density(), after.text_density());
        block.link_density() <= MAX_LINK_DENSITY
            && if before.link_density() <= MAX_LINK_DENSITY_BEFORE {
                if block.text_density() <= 9.0 {
                    after_density > 10.0 || before_density > 4.0
                } else {
                    after_density != 0.0
                }
            } else {
                after_density > 11.0
            }
    });
}

/// Marks blocks by the rules learned on CANOLA.
pub(super) fn by_canola(blocks: &mut [Block], _: &Page) {
    mark(blocks, |before, block, after| {
        let is_amid_text = after.words > 6
            && after.link_density() == 0.0
            && before.link_density() == 0.0
            && (block.words > 6 || before.words > 7 || after.words > 19);
        (block.link_density() > 0.0 && after.words > 11) || block.words > 19 || is_amid_text
    });
}

/// Marks all blocks.
pub(super) fn all(blocks: &mut [Block], _: &Page) {
    mark(blocks, |_, _, _| true);
}

/// Marks every block by its features and those of its neighbors; beyond the ends of the page, a block without words is
/// assumed.
fn mark(blocks: &mut [Block], is_content: impl Fn(&Block, &Block, &Block) -> bool) {
    let none = Block::default();
    for index in 0..blocks.len() {
        let before = if index > 0 { &blocks[index - 1] } else { &none };
        let after = blocks.get(index + 1).unwrap_or(&none);
        blocks[index].is_content = is_content(before, &blocks[index], after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rule = fn(&mut [Block], &Page);

    /// A block of `words` words on one line, `linked_words` of them in links.
    fn block(words: usize, linked_words: usize) -> Block {
        Block { words, linked_words, words_in_lines: words, lines: 1, ..Block::default() }
    }

    /// The decision on the second of three blocks, each given by its numbers of words and linked words.
    fn verdict(rule: Rule, three: [(usize, usize); 3]) -> bool {
        let mut blocks = three.map(|(words, linked)| block(words, linked));
        rule(&mut blocks, &Page { title: String::new() });
        blocks[1].is_content
    }

    #[test]
    fn every_leaf_of_the_tree_on_words() {
        for (three, is_content) in [
            ([(100, 0), (100, 34), (100, 0)], false),
            ([(4, 0), (17, 0), (15, 0)], true),
            ([(4, 0), (16, 0), (15, 0)], false),
            ([(5, 0), (16, 0), (15, 0)], true),
            ([(4, 0), (16, 0), (16, 0)], true),
            ([(9, 5), (16, 0), (16, 0)], true),
            ([(9, 6), (16, 0), (17, 0)], false),
            ([(9, 6), (40, 0), (17, 0)], false),
            ([(9, 6), (41, 0), (17, 0)], true),
            ([(9, 6), (2, 0), (18, 0)], true),
            ([(4, 0), (17, 5), (15, 15)], true),
        ] {
            assert_eq!(verdict(by_words, three), is_content, "{three:?}");
        }
    }

    #[test]
    fn every_leaf_of_the_tree_on_densities() {
        for (three, is_content) in [
            ([(9, 0), (9, 4), (9, 0)], false),
            ([(4, 0), (9, 0), (10, 0)], false),
            ([(5, 0), (9, 0), (10, 0)], true),
            ([(4, 0), (9, 0), (11, 0)], true),
            ([(4, 0), (10, 0), (1, 0)], true),
            ([(4, 0), (10, 0), (0, 0)], false),
            ([(9, 6), (10, 0), (11, 0)], false),
            ([(9, 6), (2, 0), (12, 0)], true),
        ] {
            assert_eq!(verdict(by_density, three), is_content, "{three:?}");
        }
    }

    #[test]
    fn every_condition_of_the_canola_rules() {
        for (three, is_content) in [
            ([(0, 0), (1, 1), (12, 12)], true),
            ([(0, 0), (1, 1), (11, 0)], false),
            ([(0, 0), (20, 20), (0, 0)], true),
            ([(0, 0), (7, 0), (7, 0)], true),
            ([(0, 0), (6, 0), (7, 0)], false),
            ([(8, 0), (6, 0), (7, 0)], true),
            ([(8, 1), (6, 0), (7, 0)], false),
            ([(8, 0), (6, 0), (7, 1)], false),
            ([(0, 0), (1, 0), (20, 0)], true),
        ] {
            assert_eq!(verdict(by_canola, three), is_content, "{three:?}");
        }
    }
}
