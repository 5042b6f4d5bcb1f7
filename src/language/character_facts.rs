//! What single characters are, as sets of bits in a table: for passes over all text of a page.
//!
//! Each block of 256 characters is computed at its first use, by the functions of `character` and of the standard library;
//! those search in tables of ranges for most characters that are not ASCII.

use super::character::{Class, class, half_letters, needs_dictionary};
use std::sync::OnceLock;

/// Properties of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    set: FactSet,
    /// The character in lower case, 0 if that is several characters or one beyond the basic plane.
    lower: u16,
}

/// A set of properties, one bit each; the lowest three bits are the length in half letters.
pub(crate) type FactSet = u16;

/// Of [`Class::Letter`].
pub(crate) const LETTER: FactSet = 1 << 3;
/// Of [`Class::Number`].
pub(crate) const NUMBER: FactSet = 1 << 4;
/// Of [`Class::Punctuation`].
pub(crate) const PUNCTUATION: FactSet = 1 << 5;
/// Of [`Class::Symbol`].
pub(crate) const SYMBOL: FactSet = 1 << 6;
/// Of [`Class::Space`].
pub(crate) const SPACE: FactSet = 1 << 7;
/// An upper-case letter of Unicode.
pub(crate) const UPPER: FactSet = 1 << 8;
/// A lower-case letter of Unicode.
pub(crate) const LOWER: FactSet = 1 << 9;
/// Of a script whose words are not separated by spaces.
pub(crate) const DICTIONARY: FactSet = 1 << 10;
/// Of [`char::is_numeric`].
pub(crate) const NUMERIC: FactSet = 1 << 11;
/// Of [`char::is_alphabetic`].
pub(crate) const ALPHABETIC: FactSet = 1 << 12;

const HALF_LETTERS: FactSet = 7;
const BLOCK: usize = 256;
const NO_CHARACTER: Facts = Facts { set: 0, lower: 0 };

impl Facts {
    fn compute(c: char) -> Self {
        let of_class = match class(c) {
            Class::Letter => LETTER,
            Class::Number => NUMBER,
            Class::Punctuation => PUNCTUATION,
            Class::Symbol => SYMBOL,
            Class::Space => SPACE,
            Class::Other => 0,
        };
        let flag = |has: bool, fact: FactSet| if has { fact } else { 0 };
        let case = flag(c.is_uppercase(), UPPER) | flag(c.is_lowercase(), LOWER);
        let named = flag(c.is_numeric(), NUMERIC) | flag(c.is_alphabetic(), ALPHABETIC);
        let set = of_class | case | named | flag(needs_dictionary(c), DICTIONARY) | half_letters(c) as FactSet;
        let mut in_lower_case = c.to_lowercase();
        let lower = match (in_lower_case.next(), in_lower_case.next()) {
            (Some(lower), None) => u16::try_from(u32::from(lower)).unwrap_or(0),
            _ => 0,
        };
        Self { set, lower }
    }

    /// Those of a character.
    pub(crate) fn of(c: char) -> Self {
        static BLOCKS: [OnceLock<[Facts; BLOCK]>; 256] = [const { OnceLock::new() }; 256];
        let code = c as usize;
        match BLOCKS.get(code / BLOCK) {
            Some(block) => {
                // Surrogates are no characters; a text has none.
                let compute = |place: usize| {
                    char::from_u32((code - code % BLOCK + place) as u32).map_or(NO_CHARACTER, Self::compute)
                };
                block.get_or_init(|| std::array::from_fn(compute))[code % BLOCK]
            }
            // Beyond the basic plane there are rare scripts and pictographs.
            None => Self::compute(c),
        }
    }

    /// Whether it has one of the properties.
    pub(crate) const fn has(self, set: FactSet) -> bool {
        self.set & set != 0
    }

    /// Number of letters that it counts as, doubled.
    pub(crate) const fn half_letters(self) -> u32 {
        (self.set & HALF_LETTERS) as u32
    }

    /// The character in lower case, if it is a single one of the basic plane.
    pub(crate) const fn lower(self) -> Option<u16> {
        if self.lower == 0 { None } else { Some(self.lower) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_has_the_facts_that_are_computed() {
        for c in '\0'..=char::MAX {
            let facts = Facts::of(c);
            assert_eq!(facts.half_letters(), half_letters(c));
            assert_eq!(facts.has(LETTER | NUMBER), matches!(class(c), Class::Letter | Class::Number));
            assert_eq!((facts.has(NUMERIC), facts.has(ALPHABETIC)), (c.is_numeric(), c.is_alphabetic()));
            assert_eq!((facts.has(UPPER), facts.has(LOWER)), (c.is_uppercase(), c.is_lowercase()));
            assert_eq!(facts.has(DICTIONARY), needs_dictionary(c));
            if let Some(lower) = facts.lower() {
                assert!(c.to_lowercase().map(u32::from).eq([u32::from(lower)]));
            }
        }
        assert!(Facts::of('$').has(SYMBOL) && Facts::of('、').has(PUNCTUATION) && Facts::of('\u{a0}').has(SPACE));
    }
}
