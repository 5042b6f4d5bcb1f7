//! Properties of single characters in any script: their class, their length in letters, and which
//! marks end a sentence.
//!
//! `words` uses them to split text, and `features` to count characters and measure lengths.

use std::sync::OnceLock;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Number of letters that a character counts as, doubled so that it is an integer.
pub(crate) fn half_letters(c: char) -> u32 {
    if c < '\u{1100}' {
        return 2;
    }
    match c as u32 {
        0x3040..=0x30FF
        | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF
        | 0x20000..=0x3FFFF => 5,
        0xAC00..=0xD7A3 | 0x1100..=0x11FF => 4,
        _ => 2,
    }
}

/// True if the script of the character does not separate words by spaces.
pub fn needs_dictionary(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// Length of a text in half letters. A run of white space counts as one character, and leading and
/// trailing white space does not count.
pub fn measure_half_letters(text: &str) -> u32 {
    if text.is_ascii() {
        return 2 * count_ascii(text.as_bytes());
    }
    let mut sum = 0;
    let mut in_space = true;
    for c in text.chars() {
        if c.is_whitespace() {
            if !in_space {
                sum += 2;
            }
            in_space = true;
        } else {
            sum += half_letters(c);
            in_space = false;
        }
    }
    if in_space && sum > 0 { sum - 2 } else { sum }
}

/// Number of characters of ASCII text, with white space counted as in [`measure_half_letters`].
fn count_ascii(text: &[u8]) -> u32 {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let Some(first) = text.iter().position(|byte| !is_space(byte)) else {
        return 0;
    };
    let last = text
        .iter()
        .rposition(|byte| !is_space(byte))
        .map_or(0, |last| last + 1);
    let text = &text[first..last];
    // Branch-free, so that the compiler processes several bytes at once.
    let repeated = text
        .iter()
        .zip(&text[1..])
        .map(|(byte, next)| u32::from(is_space(byte) & is_space(next)));
    text.len() as u32 - repeated.sum::<u32>()
}

/// True if a mark ends a sentence in some script: full stops, danda, question and exclamation
/// marks.
pub(crate) fn ends_sentence(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | '…'
            | '。'
            | '！'
            | '？'
            | '｡'
            | '．'
            | '؟'
            | '۔'
            | '।'
            | '॥'
            | '։'
            | '።'
            | '፧'
            | '។'
            | '៕'
            | '‼'
            | '⁇'
            | '⁈'
            | '⁉'
            | '꓿'
            | '᙮'
    )
}

/// True if a mark that ends a sentence needs no space after it.
pub(crate) fn ends_without_space(c: char) -> bool {
    !matches!(c, '.' | '!' | '?' | '…' | '؟' | '۔')
}

pub(crate) fn is_comma(c: char) -> bool {
    matches!(c, ',' | '，' | '、' | '،' | '՝' | '፣' | '､' | '﹐' | '꓾')
}

pub(crate) fn is_separator(c: char) -> bool {
    matches!(
        c,
        '|' | '•'
            | '·'
            | '»'
            | '«'
            | '›'
            | '‹'
            | '→'
            | '←'
            | '▶'
            | '►'
            | '◄'
            | '▸'
            | '▾'
            | '▼'
            | '■'
            | '●'
            | '∙'
            | '⋅'
            | '‧'
            | '｜'
            | '／'
            | '↗'
            | '↓'
            | '↑'
    )
}

pub(crate) fn is_closing(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | '’'
            | '”'
            | '»'
            | ')'
            | ']'
            | '」'
            | '』'
            | '）'
            | '］'
            | '“'
            | '›'
            | '】'
            | '》'
    )
}

/// The class of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A letter of any script, or a mark on one.
    Letter,
    /// A digit or another number.
    Number,
    /// Punctuation of any script.
    Punctuation,
    /// A symbol, such as of mathematics or money.
    Symbol,
    /// White space, line breaks included.
    Space,
    /// Anything else, such as control characters.
    Other,
}

/// The class of a character.
pub fn class(c: char) -> Class {
    if c.is_ascii() {
        return match c {
            'a'..='z' | 'A'..='Z' => Class::Letter,
            '0'..='9' => Class::Number,
            '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~' => Class::Symbol,
            ' ' | '\t' | '\n' | '\r' | '\x0c' => Class::Space,
            _ if c.is_ascii_punctuation() => Class::Punctuation,
            _ => Class::Other,
        };
    }
    if c.is_alphabetic() {
        return Class::Letter;
    }
    match c.general_category_group() {
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark => Class::Letter,
        GeneralCategoryGroup::Number => Class::Number,
        GeneralCategoryGroup::Punctuation => Class::Punctuation,
        GeneralCategoryGroup::Symbol => Class::Symbol,
        GeneralCategoryGroup::Separator => Class::Space,
        GeneralCategoryGroup::Other => Class::Other,
    }
}

pub(crate) fn is_currency(c: char) -> bool {
    matches!(
        c,
        '$' | '¢' | '£' | '¤' | '¥' | '֏' | '฿' | '₠'..='⃀' | '﷼' | '￥' | '￡'
    )
}

/// Properties of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    set: FactSet,
    /// The lower-case character; 0 if that is several characters or one outside the basic plane.
    lower: u16,
}

/// A set of properties, one bit each; the lowest three bits are the length in half letters.
pub(crate) type FactSet = u16;

pub(crate) const LETTER: FactSet = 1 << 3;
pub(crate) const NUMBER: FactSet = 1 << 4;
pub(crate) const PUNCTUATION: FactSet = 1 << 5;
pub(crate) const SYMBOL: FactSet = 1 << 6;
pub(crate) const SPACE: FactSet = 1 << 7;
/// An upper-case letter of Unicode.
pub(crate) const UPPER: FactSet = 1 << 8;
/// A lower-case letter of Unicode.
pub(crate) const LOWER: FactSet = 1 << 9;
/// Belongs to a script that does not separate words by spaces.
pub(crate) const DICTIONARY: FactSet = 1 << 10;
pub(crate) const NUMERIC: FactSet = 1 << 11;
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
        let set = of_class
            | case
            | named
            | flag(needs_dictionary(c), DICTIONARY)
            | half_letters(c) as FactSet;
        let mut in_lower_case = c.to_lowercase();
        let lower = match (in_lower_case.next(), in_lower_case.next()) {
            (Some(lower), None) => u16::try_from(u32::from(lower)).unwrap_or(0),
            _ => 0,
        };
        Self { set, lower }
    }

    /// Looks up the properties of a character, which are computed in blocks on first use.
    pub(crate) fn from_char(c: char) -> Self {
        static BLOCKS: [OnceLock<[Facts; BLOCK]>; 256] = [const { OnceLock::new() }; 256];
        let code = c as usize;
        match BLOCKS.get(code / BLOCK) {
            Some(block) => {
                // Surrogates are not characters; a text never contains them.
                let compute = |place: usize| {
                    char::from_u32((code - code % BLOCK + place) as u32)
                        .map_or(NO_CHARACTER, Self::compute)
                };
                block.get_or_init(|| std::array::from_fn(compute))[code % BLOCK]
            }
            // Outside the basic plane there are only rare scripts and pictographs, so nothing is
            // cached.
            None => Self::compute(c),
        }
    }

    /// True if the character has at least one of the properties.
    pub(crate) const fn has(self, set: FactSet) -> bool {
        self.set & set != 0
    }

    /// Number of letters that it counts as, doubled.
    pub(crate) const fn half_letters(self) -> u32 {
        (self.set & HALF_LETTERS) as u32
    }

    /// The lower-case character, if it is a single one in the basic plane.
    pub(crate) const fn lower(self) -> Option<u16> {
        if self.lower == 0 {
            None
        } else {
            Some(self.lower)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_count_white_space_once_and_not_at_the_ends() {
        assert_eq!(measure_half_letters(" a \t\u{b} bc\n"), 8);
        assert_eq!(measure_half_letters(" \u{e4} \t\u{b} bc\u{a0}\n"), 8);
        assert_eq!(measure_half_letters("\u{4e2d} \u{ac00}"), 11);
        assert_eq!(
            [measure_half_letters(""), measure_half_letters(" \n")],
            [0, 0]
        );
    }

    #[test]
    fn ascii_text_is_counted_like_all_other() {
        for c in '\0'..='\x7f' {
            let text = format!("{c}a{c}{c}b{c}");
            let other = measure_half_letters(&format!("{text}\u{301}{c}"));
            assert_eq!(measure_half_letters(&format!("{text}x{c}")), other, "{c:?}");
        }
    }

    #[test]
    fn every_character_has_the_facts_that_are_computed() {
        for c in '\0'..=char::MAX {
            let facts = Facts::from_char(c);
            assert_eq!(facts.half_letters(), half_letters(c));
            assert_eq!(
                facts.has(LETTER | NUMBER),
                matches!(class(c), Class::Letter | Class::Number)
            );
            assert_eq!(
                (facts.has(NUMERIC), facts.has(ALPHABETIC)),
                (c.is_numeric(), c.is_alphabetic())
            );
            assert_eq!(
                (facts.has(UPPER), facts.has(LOWER)),
                (c.is_uppercase(), c.is_lowercase())
            );
            assert_eq!(facts.has(DICTIONARY), needs_dictionary(c));
            if let Some(lower) = facts.lower() {
                assert!(c.to_lowercase().map(u32::from).eq([u32::from(lower)]));
            }
        }
        assert!(
            Facts::from_char('$').has(SYMBOL)
                && Facts::from_char('、').has(PUNCTUATION)
                && Facts::from_char('\u{a0}').has(SPACE)
        );
    }
}
