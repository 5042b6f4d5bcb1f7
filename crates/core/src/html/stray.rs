//! Reads pages that are UTF-8 except for some bytes: characters that were cut, and passages in
//! windows-1252 that were pasted (comments, quotations from a word processor).
//!
//! A stray byte is read as windows-1252 if the result is plainly text: a letter next to Latin
//! letters, a quotation mark, a dash. All others become U+FFFD, such as half of a cut character.

use encoding_rs::WINDOWS_1252;

/// Number of valid characters above ASCII, and number of invalid sequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mixture {
    pub(super) valid: usize,
    pub(super) invalid: usize,
}

impl Mixture {
    pub(super) fn count(bytes: &[u8]) -> Self {
        let mut mixture = Self {
            valid: 0,
            invalid: 0,
        };
        for chunk in bytes.utf8_chunks() {
            // Each character has exactly one byte that is not a continuation byte.
            mixture.valid += chunk.valid().bytes().filter(|&byte| byte >= 0xc0).count();
            mixture.invalid += usize::from(!chunk.invalid().is_empty());
        }
        mixture
    }
}

/// The text of the page, and the number of stray bytes that were read as windows-1252.
///
/// If `is_western` is set, nearly all non-ASCII bytes are windows-1252, so all stray bytes are read
/// as such.
pub(super) fn decode(bytes: &[u8], is_western: bool) -> (String, usize) {
    let mut text = String::with_capacity(bytes.len());
    let (mut count, mut at) = (0, 0);
    // The previous byte, if it is a stray one.
    let mut previous = None;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        let stray = chunk.invalid();
        at += chunk.valid().len() + stray.len();
        let neighbors = Neighbors {
            before: text.chars().next_back(),
            previous: previous.filter(|_| chunk.valid().is_empty()),
            next: bytes.get(at).copied().unwrap_or(b' '),
        };
        if is_western || neighbors.make_windows_1252(stray) {
            text.push_str(&WINDOWS_1252.decode_without_bom_handling(stray).0);
            count += stray.len();
        } else if !stray.is_empty() {
            text.push('\u{fffd}');
        }
        previous = stray.last().copied();
    }
    (text, count)
}

/// The characters and bytes next to a stray sequence.
struct Neighbors {
    before: Option<char>,
    /// The previous byte, if it is stray too.
    previous: Option<u8>,
    next: u8,
}

impl Neighbors {
    /// Returns true if a stray sequence is plainly text in windows-1252.
    fn make_windows_1252(&self, stray: &[u8]) -> bool {
        match *stray {
            [byte] if is_letter(byte) => self.make_letter(byte),
            [byte] => self.make_mark(byte),
            // A letter before a mark ("café”") looks like the start of a longer sequence. The
            // excluded pair begins most typographic marks in UTF-8.
            [letter, mark] if [letter, mark] != [0xe2, 0x80] => {
                is_latin(self.before)
                    && is_letter(letter)
                    && Self {
                        previous: None,
                        before: Some('é'),
                        ..*self
                    }
                    .make_mark(mark)
            }
            _ => false,
        }
    }

    /// Returns true if a byte is plainly a typographic mark. Signs do not follow a letter, and a
    /// mark has no other stray byte beside it, as the halves of a cut character do.
    fn make_mark(&self, byte: u8) -> bool {
        let is_mark = match byte {
            0x80 | 0x82 | 0x84 | 0x85 | 0x8b | 0x91..=0x97 | 0x99 | 0x9b | 0xa0 | 0xb4 => true,
            0xab | 0xae | 0xb0 | 0xbb => {
                !(self.next.is_ascii_alphabetic() && is_latin(self.before))
            }
            0xa1..=0xa3
            | 0xa7
            | 0xa9
            | 0xaa
            | 0xb1..=0xb3
            | 0xb5
            | 0xb7
            | 0xb9
            | 0xba
            | 0xbc..=0xbf => !is_latin(self.before),
            _ => false,
        };
        // These marks do occur next to each other: a quotation mark after a dash, a space before a
        // guillemet.
        let is_common = |byte: u8| matches!(byte, 0x84 | 0x85 | 0x91..=0x97 | 0xa0 | 0xab | 0xbb);
        let is_half = |other: u8| {
            matches!(other, 0x80..=0xbf)
                && !is_letter(other)
                && !(is_common(byte) && is_common(other))
        };
        is_mark && !is_half(self.next) && !self.previous.is_some_and(is_half)
    }

    /// Returns true if a byte is plainly a letter: part of a word in Latin letters with ordinary
    /// capitalization.
    fn make_letter(&self, byte: u8) -> bool {
        let is_after_letter = is_latin(self.before);
        if !is_after_letter && self.before.is_some_and(char::is_alphabetic) {
            // In another script the byte is part of a cut character.
            return false;
        }
        let is_before_letter = self.next.is_ascii_alphabetic() || self.next >= 0xc0;
        match byte {
            // Capitals occur at the beginning of a word, or in a word of capitals. The two bytes
            // that begin most Latin letters in UTF-8 do not begin words in lower case.
            0x8a | 0x8c | 0x8e | 0x9f | 0xc0..=0xde => {
                let is_small_next = self.next.is_ascii_lowercase();
                if is_after_letter {
                    self.before.is_some_and(char::is_uppercase) && !is_small_next
                } else {
                    is_before_letter && !(is_small_next && matches!(byte, 0xc2 | 0xc3))
                }
            }
            // This byte begins quotation marks and dashes in UTF-8.
            0xe2 => is_before_letter,
            // The words of one letter are à, è, é, ò, ó.
            0xe0 | 0xe8 | 0xe9 | 0xf2 | 0xf3 if self.before == Some(' ') && self.next == b' ' => {
                true
            }
            _ => is_after_letter || is_before_letter,
        }
    }
}

/// Returns true if a byte is a letter in windows-1252.
fn is_letter(byte: u8) -> bool {
    matches!(
        byte,
        0x8a | 0x8c | 0x8e | 0x9a | 0x9c | 0x9e | 0x9f | 0xc0..
    ) && !matches!(byte, 0xd7 | 0xf7)
}

/// Returns true for letters that occur in languages written in windows-1252.
fn is_latin(character: Option<char>) -> bool {
    character.is_some_and(|c| {
        c.is_ascii_alphabetic() || c.is_alphabetic() && ('\u{c0}'..='\u{17f}').contains(&c)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> String {
        decode(bytes, false).0
    }

    fn legacy(text: &str) -> Vec<u8> {
        WINDOWS_1252.encode(text).0.into_owned()
    }

    #[test]
    fn pasted_passages_are_windows_1252() {
        for passage in [
            "Gr\u{fc}\u{df}e aus K\u{f6}ln, sagte J\u{f6}rg – „sch\u{f6}n“.",
            "L’été à Besançon… « déjà » vu, Œuvres",
            "“It’s José’s café”, she said—for €4 ™",
            "São Paulo, NÃO, coração, Ñandú, señor",
            "Ærø, Århus, Ålesund, smørrebrød",
            "Él está en Perú ¿no? 25 °C, © 2020",
        ] {
            assert_eq!(read(&legacy(passage)), passage);
        }
    }

    #[test]
    fn cut_characters_are_marked() {
        for (bytes, text) in [
            (&b"Fr\xc3hjahr"[..], "Fr\u{fffd}hjahr"),
            (b"Fr\xbchjahr", "Fr\u{fffd}hjahr"),
            (b"caf\xc3", "caf\u{fffd}"),
            (b"\xc3tude", "\u{fffd}tude"),
            (b"don\xe2\x80t", "don\u{fffd}t"),
            (b"wait \xe2</p>", "wait \u{fffd}</p>"),
            (b"don\x80\x99t", "don\u{fffd}\u{fffd}t"),
            (b"\xf0\x9f\x98 smile", "\u{fffd} smile"),
            ("Привет, \u{0}мир".as_bytes(), "Привет, \u{0}мир"),
            (b"\xd0\xbf\xd1 \xd0\xbc", "п\u{fffd} м"),
            (b"\xe4\xb8\xad\xe6\x96 \xe4\xb8\xad", "中\u{fffd} 中"),
        ] {
            assert_eq!(read(bytes), text);
        }
    }

    #[test]
    fn characters_and_stray_sequences_are_counted() {
        assert_eq!(
            Mixture::count("aé’中".as_bytes()),
            Mixture {
                valid: 3,
                invalid: 0
            }
        );
        assert_eq!(
            Mixture::count(b"\xe9a\xe2\x80b\xc3\xa9"),
            Mixture {
                valid: 1,
                invalid: 2
            }
        );
    }

    proptest! {
        #[test]
        fn valid_text_is_read_unchanged(text in "\\PC{0,60}") {
            prop_assert_eq!(decode(text.as_bytes(), false), (text.clone(), 0));
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200), is_western: bool) {
            let (text, read) = decode(&bytes, is_western);
            prop_assert!(read <= bytes.len());
            prop_assert_eq!(is_western && text.contains('\u{fffd}'), is_western && bytes.windows(3).any(|b| b == b"\xef\xbf\xbd"));
        }
    }
}
