//! Splits the classes and ids of elements into words.
//!
//! A word is a run of letters a to z: names are split at `-`, `_`, digits and a capital after a
//! small letter, so that `navBar-2` is `nav` and `bar`.

use crate::text::excerpt;

/// Number of characters of an attribute that are read: no hand-written attribute is longer.
const MAX_CHARS: usize = 500;

/// A word: its letters in lower case, one byte each; only the last sixteen of a longer word. Being
/// a number, it is compared and stored without a text.
pub type NameWord = u128;

/// Appends a letter to a word.
pub(super) fn with_letter(word: NameWord, letter: u8) -> NameWord {
    word << 8 | NameWord::from(letter.to_ascii_lowercase())
}

pub(super) fn word_of(letters: &str) -> NameWord {
    letters.bytes().fold(0, with_letter)
}

/// Calls `found` for each word in a class or id attribute.
#[inline]
pub(super) fn each_word(names: &str, mut found: impl FnMut(NameWord)) {
    let (mut word, mut was_lower) = (0, false);
    for &byte in excerpt(names, MAX_CHARS).as_bytes() {
        let is_letter = byte.is_ascii_alphabetic();
        if word != 0 && (!is_letter || (byte.is_ascii_uppercase() && was_lower)) {
            found(word);
            word = 0;
        }
        if is_letter {
            word = with_letter(word, byte);
        }
        was_lower = byte.is_ascii_lowercase();
    }
    if word != 0 {
        found(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_at_signs_digits_and_capitals() {
        let words = |names: &str| {
            let mut words = Vec::new();
            each_word(names, |word| words.push(word));
            words
        };
        let named = |letters: &[&str]| letters.iter().map(|word| word_of(word)).collect::<Vec<_>>();
        assert_eq!(
            words("navBar-2 post__body"),
            named(&["nav", "bar", "post", "body"])
        );
        assert_eq!(words("HTMLView"), named(&["htmlview"]));
        assert_eq!(words("über-12 "), named(&["ber"]));
        assert!(words(" -1_").is_empty());
        assert_eq!(
            words(&"x".repeat(40)),
            named(&[&"x".repeat(16)]),
            "of a long word the last sixteen letters"
        );
        assert_eq!(
            words(&format!("{} nav", "-".repeat(499))).len(),
            0,
            "the rest of a long attribute is not read"
        );
    }
}
