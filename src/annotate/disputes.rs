//! The blocks on which two annotators disagree, as the third person sees them: without names, the sides in random order.

use super::journal::Sides;
use super::label::BlockLabel;
use crate::hash::Fnv;

/// Whether the two labels of a block are exchanged when they are shown: by chance, but always the same for a block.
fn is_exchanged(page: &str, block: usize) -> bool {
    let mut hash = Fnv::new();
    page.bytes().chain(block.to_le_bytes()).for_each(|byte| hash.add(byte));
    // The low bits of this hash change with every byte; the high ones mix them.
    (hash.finish() ^ (hash.finish() >> 32)).count_ones() % 2 == 1
}

/// The labels of all blocks of a page in the order in which they are shown.
pub(super) fn shown(page: &str, sides: &Sides) -> Vec<[BlockLabel; 2]> {
    let pair = |(block, &[one, other]): (usize, &[BlockLabel; 2])| {
        if is_exchanged(page, block) { [other, one] } else { [one, other] }
    };
    sides.labels.iter().enumerate().map(pair).collect()
}

/// Whether the annotators disagree on a block.
pub(super) fn is_disputed(sides: &Sides, block: usize) -> bool {
    sides.labels.get(block).is_some_and(|[one, other]| one != other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_half_of_the_sides_are_exchanged_and_always_the_same() {
        let labels = vec![[BlockLabel::Content, BlockLabel::Boilerplate]; 1000];
        let sides = Sides { names: ["a".to_owned(), "b".to_owned()], labels };
        let seen = shown("page", &sides);
        let exchanged = seen.iter().filter(|pair| pair[0] == BlockLabel::Boilerplate).count();
        assert!((400..600).contains(&exchanged), "{exchanged}");
        assert_eq!(seen, shown("page", &sides));
        assert_ne!(seen, shown("other", &sides));
    }
}
