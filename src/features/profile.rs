//! What one block's text looks like, in any script: counts of characters, tokens and sentences, and patterns in it.
//!
//! No word of any language is known here. Words are runs of letters, marks and digits; in scripts without spaces
//! (Han, Kana, Thai, Lao, Khmer, Burmese) the dictionaries of ICU cut the runs.
//!
//! Lengths are in *letters*: a Han or Kana character counts 2.5, a Hangul syllable 2, any other character 1, so that a
//! threshold that was found on Latin text means about the same amount of text (ours; translations of one text have
//! about these ratios of characters).

use super::text_profile::TextProfile;
use super::text_scan::{ASCII_WORD, Scan};
use crate::language::character_facts::{DICTIONARY, Facts, LETTER, NUMBER};
use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

/// Profiles texts; holds the dictionaries of ICU.
#[derive(Debug)]
pub(super) struct Profiler {
    words: WordSegmenterBorrowed<'static>,
}

impl Profiler {
    pub(super) fn new() -> Self {
        Self { words: WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()) }
    }

    /// Profiles a text whose white space is collapsed.
    pub(super) fn profile(&self, text: &str) -> TextProfile {
        let mut scan = Scan::new(text.len());
        // A run of a script without spaces, which is cut by the dictionary: first byte, and half letters before it.
        let mut run: Option<(usize, u32)> = None;
        let mut offset = 0;
        while offset < text.len() {
            let rest = &text.as_bytes()[offset..];
            let (is_word, is_space) = (ASCII_WORD[usize::from(rest[0])] != 0, rest[0] == b' ');
            if is_word || is_space {
                if let Some((start, halves)) = run.take() {
                    self.cut(&text[start..offset], halves, &mut scan);
                }
                offset += if is_word { scan.ascii_word(rest) } else { scan.space() };
                continue;
            }
            let Some(c) = text[offset..].chars().next() else { break };
            let after = offset + c.len_utf8();
            let facts = Facts::of(c);
            let in_run = facts.has(LETTER | NUMBER) && facts.has(DICTIONARY);
            if in_run && run.is_none() {
                scan.end_token();
                run = Some((offset, scan.halves));
            } else if !in_run && let Some((start, halves)) = run.take() {
                self.cut(&text[start..offset], halves, &mut scan);
            }
            scan.count(c, facts);
            if in_run {
                scan.letters_before = 2;
            } else if facts.has(LETTER | NUMBER) {
                scan.letter(c, facts);
            } else {
                scan.other(c, facts, text[after..].chars().next().unwrap_or(' '));
            }
            scan.halves += facts.half_letters();
            scan.previous = c;
            offset = after;
        }
        scan.end_token();
        if let Some((start, halves)) = run {
            self.cut(&text[start..], halves, &mut scan);
        }
        scan.finish(text)
    }

    /// Cuts a run of a script without spaces into tokens; `halves` are the half letters before it.
    fn cut(&self, run: &str, mut halves: u32, scan: &mut Scan) {
        let mut from = 0;
        for to in self.words.segment_str(run) {
            if to > from {
                run[from..to].chars().for_each(|c| scan.token.add(c, Facts::of(c), halves));
                scan.token.is_number = false;
                halves += scan.token.halves;
                scan.end_token();
                from = to;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::character::{Class, class, half_letters};
    use proptest::prelude::*;

    fn profile(text: &str) -> TextProfile {
        Profiler::new().profile(text)
    }

    #[test]
    fn english_prose() {
        let found = profile("Dr. J. Smith doesn't know. \"Does she?\" She does, in 2019!");
        assert_eq!(found.tokens, 11);
        assert_eq!(found.closed_sentences, 4); // `Dr.` is one too many: no abbreviations are known here
        assert_eq!(found.commas, 1);
        assert!(found.ends_sentence && !found.has_open_sentence && found.has_date);
        assert_eq!(found.numbers, 1);
    }

    #[test]
    fn scripts_without_spaces_have_words_and_sentences() {
        let chinese = profile("我们今天去北京。你呢？");
        assert_eq!(chinese.closed_sentences, 2);
        assert!((4..=8).contains(&chinese.tokens), "{} tokens", chinese.tokens);
        assert_eq!(chinese.length, 9.0 * 2.5 + 2.0);
        assert!(chinese.ends_sentence);
        let thai = profile("ภาษาไทยเป็นภาษาที่ไม่มีช่องว่าง");
        assert!(thai.tokens >= 4, "{} tokens", thai.tokens);
        assert_eq!(profile("यह एक वाक्य है। दूसरा वाक्य॥").closed_sentences, 2);
        assert_eq!(profile("هل هذا سؤال؟ نعم.").closed_sentences, 2);
    }

    #[test]
    fn patterns_of_small_print() {
        assert!(profile("© 2024 Example").has_copyright);
        assert!(profile("mail us: info@example.org").has_email);
        assert!(profile("$ 12.99").has_price);
        assert!(profile("17.05.2024 18:30").has_date && profile("17.05.2024 18:30").has_time);
        assert!(profile("Tel. +49 (541) 969-2558").has_phone);
        assert!(!profile("chapter 7 of 12").has_phone);
        assert_eq!(profile("Home | News • Sport > More").separators, 2);
        assert!(profile("He went to the [...]").ends_ellipsis);
        assert!(profile("Ingredients:").ends_colon);
    }

    #[test]
    fn texts_have_the_same_key_only_if_they_differ_in_case_only() {
        let texts = ["dont", "don't", "'dont", "don t", "do nt", "Äon", "on", "我们 on", "我 们on", "a.b", "ab.", ""];
        for (index, one) in texts.iter().enumerate() {
            assert_eq!(profile(one).key, profile(&one.to_uppercase()).key, "{one}");
            for other in &texts[index + 1..] {
                assert_ne!(profile(one).key, profile(other).key, "{one} {other}");
            }
        }
    }

    #[test]
    fn lines_follow_kohlschuetter() {
        let text = "aaaa ".repeat(40);
        let found = profile(text.trim());
        assert_eq!(found.lines, 3);
        assert_eq!(found.tokens_in_full_lines, 32);
        assert_eq!(profile("one two").lines, 1);
    }

    proptest! {
        #[test]
        fn any_text_has_a_profile(text in "\\PC{0,80}") {
            let found = profile(&text);
            prop_assert!(found.tokens_in_full_lines <= found.tokens);
            prop_assert!(found.types.len() <= found.tokens as usize);
            prop_assert_eq!(found.characters as usize, text.chars().count());
            prop_assert!(found.length.is_finite() && found.longest_token <= found.token_letters);
        }

        #[test]
        fn words_at_once_are_counted_like_single_characters(text in "[ -~äÉ七\u{661}]{0,40}") {
            let found = profile(&text);
            let count = |is: fn(char) -> bool| text.chars().filter(|&c| is(c)).count() as u32;
            prop_assert_eq!(found.letters, count(|c| class(c) == Class::Letter));
            prop_assert_eq!(found.digits, count(|c| class(c) == Class::Number));
            prop_assert_eq!(found.punctuation, count(|c| class(c) == Class::Punctuation));
            prop_assert_eq!(found.symbols, count(|c| class(c) == Class::Symbol));
            prop_assert_eq!(found.capitals, count(char::is_uppercase));
            prop_assert_eq!(found.cased, count(|c| c.is_uppercase() || c.is_lowercase()));
            prop_assert_eq!(found.length, text.chars().map(half_letters).sum::<u32>() as f32 / 2.0);
            prop_assert_eq!(found.first, text.chars().find(|c| !c.is_whitespace()));
        }
    }
}
