//! The decision trees of Boilerpipe: they classify a block by its counts and those of the blocks
//! before and after it.
//!
//! The first two were learned with C4.8 on news pages (Kohlschütter 2010, section 4: algorithms 1
//! and 2, by densities and by numbers of words), the third on the CANOLA corpus; the thresholds are
//! the published ones.

use super::blocks::BlockGroup;

/// Largest link density of a content block.
const MAX_LINK_DENSITY: f64 = 0.333_333;

/// Link density above which the block before counts as a list of links.
const MAX_LINK_DENSITY_BEFORE: f64 = 0.555_556;

/// Marks blocks by numbers of words.
pub(super) fn by_words(blocks: &mut [BlockGroup], _: &str) {
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
pub(super) fn by_density(blocks: &mut [BlockGroup], _: &str) {
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
pub(super) fn by_canola(blocks: &mut [BlockGroup], _: &str) {
    mark(blocks, |before, block, after| {
        let is_amid_text = after.words > 6
            && after.link_density() == 0.0
            && before.link_density() == 0.0
            && (block.words > 6 || before.words > 7 || after.words > 19);
        (block.link_density() > 0.0 && after.words > 11) || block.words > 19 || is_amid_text
    });
}

pub(super) fn all(blocks: &mut [BlockGroup], _: &str) {
    mark(blocks, |_, _, _| true);
}

/// Marks every block by its features and those of its neighbors; beyond the ends of the page, a
/// block without words is assumed.
fn mark(
    blocks: &mut [BlockGroup],
    is_content: impl Fn(&BlockGroup, &BlockGroup, &BlockGroup) -> bool,
) {
    let none = BlockGroup::default();
    for index in 0..blocks.len() {
        let before = if index > 0 { &blocks[index - 1] } else { &none };
        let after = blocks.get(index + 1).unwrap_or(&none);
        blocks[index].is_content = is_content(before, &blocks[index], after);
    }
}

// Fuses neighboring blocks, so that they are classified and kept as one.

/// Largest number of removed blocks between two blocks that are fused.
const MAX_DISTANCE: usize = 1;

/// Fuses a block with the one before it if their text densities are equal (Kohlschütter and Nejdl
/// 2008; the library's `SimpleBlockFusionProcessor`).
pub(super) fn fuse_by_density(blocks: &mut Vec<BlockGroup>) {
    fuse(blocks, |before, block| {
        before.text_density() == block.text_density()
    });
}

/// Fuses content with the block before it, content or not, if at most one block was removed between
/// them: a heading that the rules dropped is restored with its paragraph (the library's
/// `BlockProximityFusion`).
pub(super) fn fuse_by_nearness(blocks: &mut Vec<BlockGroup>) {
    fuse(blocks, |before, block| {
        block.is_content && distance(before, block) <= MAX_DISTANCE
    });
}

/// Fuses near blocks only where both are content.
pub(super) fn fuse_content_by_nearness(blocks: &mut Vec<BlockGroup>) {
    fuse(blocks, |before, block| {
        before.is_content && block.is_content && distance(before, block) <= MAX_DISTANCE
    });
}

/// Number of blocks of the page between two.
fn distance(before: &BlockGroup, block: &BlockGroup) -> usize {
    block.numbers.0.saturating_sub(before.numbers.1 + 1)
}

fn fuse(blocks: &mut Vec<BlockGroup>, belongs: impl Fn(&BlockGroup, &BlockGroup) -> bool) {
    let mut fused: Vec<BlockGroup> = Vec::with_capacity(blocks.len());
    for block in blocks.drain(..) {
        match fused.last_mut() {
            Some(before) if belongs(before, &block) => before.merge(block),
            _ => fused.push(block),
        }
    }
    *blocks = fused;
}

// Keeps only the largest block.

/// Removes blocks that are not content, so that later filters do not see them (the library's
/// `BoilerplateBlockFilter`).
pub(super) fn only_content(blocks: &mut Vec<BlockGroup>) {
    blocks.retain(|block| block.is_content);
}

/// Keeps the content block with the most words, the first of equals; the headline filter may
/// restore others (the library's `KeepLargestBlockFilter`).
pub(super) fn keep_largest(blocks: &mut [BlockGroup], _: &str) {
    if blocks.len() < 2 {
        return;
    }
    let content = blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| block.is_content);
    // `max_by_key` gives the last of equals, so the order is reversed.
    let largest = content
        .rev()
        .max_by_key(|(_, block)| block.words)
        .map(|(index, _)| index);
    for (index, block) in blocks.iter_mut().enumerate() {
        block.is_content = Some(index) == largest;
        block.may_be_content |= !block.is_content;
    }
}

// Finds the end of an article: a notice such as "12 comments" after enough text.

/// Number of words from which a block is too long for a notice.
const MAX_NOTICE_WORDS: usize = 15;

/// Number of characters below which a block is too short for a notice.
const MIN_NOTICE_CHARS: usize = 8;

/// Number of words of full text before a notice that ends the article.
const MIN_WORDS_BEFORE: usize = 60;

/// Text density from which a block is full text.
const FULL_TEXT_DENSITY: f64 = 9.0;

/// Beginnings of notices. The second is from the library; its port lost the sign.
const BEGINNINGS: &[&str] = &[
    "comments",
    "© reuters",
    "please rate this",
    "post a comment",
];

/// Texts after the number at the start of a notice.
const AFTER_NUMBER: &[&str] = &[" comments", " users responded in"];

/// Texts inside notices. The last is from the library; its port lost the umlaut.
const HELD: &[&str] = &[
    "what you think...",
    "add your comment",
    "add comment",
    "reader views",
    "have your say",
    "reader comments",
    "rätta artikeln",
];

/// The whole text of a notice.
const WHOLE: &str = "thanks for your comments - this feedback is now closed";

/// Marks notices (the library's `TerminatingBlocksFinder`).
pub(super) fn find_ending(blocks: &mut [BlockGroup], _: &str) {
    for block in blocks
        .iter_mut()
        .filter(|block| block.words < MAX_NOTICE_WORDS)
    {
        block.ends_text |= is_notice(&block.text);
    }
}

fn is_notice(text: &str) -> bool {
    let after_number = text.trim_start_matches(char::is_numeric);
    text.chars().count() >= MIN_NOTICE_CHARS
        && (BEGINNINGS
            .iter()
            .any(|beginning| text.starts_with(beginning))
            || (after_number.len() < text.len()
                && AFTER_NUMBER
                    .iter()
                    .any(|what| after_number.starts_with(what)))
            || HELD.iter().any(|held| text.contains(held))
            || text == WHOLE)
}

/// Drops all blocks from the first notice after enough full text (the library's
/// `IgnoreBlocksAfterContentFilter`).
pub(super) fn cut_ending(blocks: &mut [BlockGroup], _: &str) {
    let (mut words, mut is_over) = (0, false);
    for block in blocks.iter_mut() {
        if block.is_content && block.text_density() >= FULL_TEXT_DENSITY {
            words += block.words;
        }
        is_over |= block.ends_text && words >= MIN_WORDS_BEFORE;
        block.is_content &= !is_over;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Rule = fn(&mut [BlockGroup], &str);

    /// A block of `words` words on one line, `linked_words` of them in links.
    fn block(words: usize, linked_words: usize) -> BlockGroup {
        BlockGroup {
            words,
            linked_words,
            words_in_lines: words,
            lines: 1,
            ..BlockGroup::default()
        }
    }

    /// The decision on the second of three blocks, each given by its numbers of words and linked
    /// words.
    fn verdict(rule: Rule, three: [(usize, usize); 3]) -> bool {
        let mut blocks = three.map(|(words, linked)| block(words, linked));
        rule(&mut blocks, "");
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

    fn blocks(numbers_and_verdicts: &[(usize, bool)]) -> Vec<BlockGroup> {
        let block = |&(number, is_content): &(usize, bool)| BlockGroup {
            parts: vec![number],
            numbers: (number, number),
            words: number + 1,
            words_in_lines: number + 1,
            lines: 1,
            is_content,
            ..BlockGroup::default()
        };
        numbers_and_verdicts.iter().map(block).collect()
    }

    fn parts(blocks: &[BlockGroup]) -> Vec<(&[usize], bool)> {
        blocks
            .iter()
            .map(|block| (block.parts.as_slice(), block.is_content))
            .collect()
    }

    #[test]
    fn content_is_fused_with_the_block_before_it() {
        let mut all = blocks(&[
            (0, false),
            (1, false),
            (2, true),
            (3, true),
            (4, false),
            (6, true),
            (9, true),
        ]);
        fuse_by_nearness(&mut all);
        assert_eq!(
            parts(&all),
            [
                ([0].as_slice(), false),
                (&[1, 2, 3], true),
                (&[4, 6], true),
                (&[9], true)
            ],
            "6 is one block from 4, 9 is two from 6"
        );
        let mut near = blocks(&[(0, false), (1, true), (3, true), (6, true)]);
        fuse_content_by_nearness(&mut near);
        assert_eq!(
            parts(&near),
            [([0].as_slice(), false), (&[1, 3], true), (&[6], true)]
        );
    }

    #[test]
    fn equal_densities_make_one_block() {
        let mut all = blocks(&[(0, false), (1, false), (2, false)]);
        (all[2].words, all[2].words_in_lines, all[2].lines) = (7, 4, 2);
        fuse_by_density(&mut all);
        assert_eq!(parts(&all), [([0].as_slice(), false), (&[1, 2], false)]);
        assert_eq!(
            (all[1].words, all[1].words_in_lines, all[1].lines),
            (9, 6, 3)
        );
    }

    #[test]
    fn the_first_of_the_largest_is_kept() {
        let block = |words, is_content| BlockGroup {
            words,
            is_content,
            ..BlockGroup::default()
        };
        let title = "";
        let mut blocks = vec![
            block(5, true),
            block(9, false),
            block(7, true),
            block(7, true),
        ];
        keep_largest(&mut blocks, title);
        assert_eq!(
            blocks
                .iter()
                .map(|block| block.is_content)
                .collect::<Vec<_>>(),
            [false, false, true, false]
        );
        assert!(blocks[3].may_be_content && !blocks[2].may_be_content);
        only_content(&mut blocks);
        assert_eq!(blocks.len(), 1);
    }

    #[test]
    fn notices_are_recognized() {
        for text in [
            "comments (3)",
            "12 comments",
            "3 users responded in this post",
            "post a comment",
            "© reuters 2010",
        ] {
            assert!(is_notice(text), "{text}");
        }
        for text in [
            "comment",
            "comments",
            "no comments",
            "12 commenters",
            "share your views",
        ] {
            assert_eq!(is_notice(text), text == "comments", "{text}");
        }
        assert!(
            is_notice("please add your comment below") && is_notice(WHOLE) && !is_notice("3 notes")
        );
    }

    #[test]
    fn a_notice_ends_the_text_after_sixty_words() {
        let title = "";
        for (words, kept) in [(59, [true, true, true]), (60, [true, false, false])] {
            let text = BlockGroup {
                words,
                words_in_lines: 9,
                lines: 1,
                is_content: true,
                ..BlockGroup::default()
            };
            let notice = BlockGroup {
                words: 2,
                text: "2 comments".into(),
                is_content: true,
                ..BlockGroup::default()
            };
            let mut blocks = vec![text.clone(), notice, text];
            find_ending(&mut blocks, title);
            cut_ending(&mut blocks, title);
            assert_eq!(
                blocks
                    .iter()
                    .map(|block| block.is_content)
                    .collect::<Vec<_>>(),
                kept
            );
        }
        let wordy = BlockGroup {
            words: 15,
            text: "add your comment".into(),
            ..BlockGroup::default()
        };
        let mut blocks = vec![wordy];
        find_ending(&mut blocks, title);
        assert!(!blocks[0].ends_text);
    }
}
