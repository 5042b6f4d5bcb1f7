//! What one block's text looks like, in any script: counts of characters, tokens and sentences, and patterns in it.
//!
//! No word of any language is known here. Words are runs of letters, marks and digits; in scripts without spaces
//! (Han, Kana, Thai, Lao, Khmer, Burmese) the dictionaries of ICU cut the runs.
//!
//! Lengths are in *letters*: a Han or Kana character counts 2.5, a Hangul syllable 2, any other character 1, so that a
//! threshold that was found on Latin text means about the same amount of text (ours; translations of one text have
//! about these ratios of characters).

use super::pattern::{find_addresses, find_end, find_numbers};
use super::text_profile::TextProfile;
use crate::hash::Fnv;
use crate::language::character::{
    ends_sentence, ends_without_space, is_closing, is_comma, is_currency, is_separator, needs_dictionary,
};
use crate::language::character_facts::{DICTIONARY, Facts, LETTER, LOWER, NUMBER, PUNCTUATION, SPACE, SYMBOL, UPPER};
use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

/// Half letters of a line in the text density of Kohlschütter 2010, section 3: 80 letters.
const LINE_HALVES: u32 = 160;

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
            let word = ascii_word(&text.as_bytes()[offset..]);
            if !word.is_empty() {
                if let Some((start, halves)) = run.take() {
                    self.cut(&text[start..offset], halves, &mut scan);
                }
                scan.ascii_word(word);
                offset += word.len();
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
                let mut token = Token::new(halves);
                for c in run[from..to].chars() {
                    let facts = Facts::of(c);
                    token.add(c, facts);
                }
                token.is_number = false;
                halves += token.halves;
                scan.token = Some(token);
                scan.end_token();
                from = to;
            }
        }
    }
}

/// The ASCII letters and digits that a text begins with.
fn ascii_word(text: &[u8]) -> &[u8] {
    let length = text.iter().position(|byte| !byte.is_ascii_alphanumeric());
    &text[..length.unwrap_or(text.len())]
}

/// A word or number.
struct Token {
    hash: Fnv,
    /// Half letters of the text before it.
    start: u32,
    halves: u32,
    /// Of its first character.
    first: Option<Facts>,
    is_number: bool,
}

impl Token {
    fn new(start: u32) -> Self {
        Self { hash: Fnv::new(), start, halves: 0, first: None, is_number: true }
    }

    fn add(&mut self, c: char, facts: Facts) {
        self.first.get_or_insert(facts);
        self.hash.add_char(c);
        self.halves += facts.half_letters();
        self.is_number &= facts.has(NUMBER);
    }
}

/// The state of one pass over a text.
struct Scan {
    profile: TextProfile,
    /// Half letters of the text so far.
    halves: u32,
    /// The character before, a space at the beginning.
    previous: char,
    /// The word or number that is not ended.
    token: Option<Token>,
    /// Length of the word so far, or 2 in a script without spaces.
    letters_before: u32,
    tokens_in_line: u32,
    /// Half letters before the line.
    line_start: u32,
    /// Half letters of the longest token and of all tokens.
    longest_token: u32,
    token_halves: u32,
    /// Hash of the text, case aside.
    key: Fnv,
    /// Whether there are marks as in an address of the web or of mail.
    may_have_address: bool,
}

impl Scan {
    fn new(bytes: usize) -> Self {
        // A word has five letters and a space in most languages.
        let profile = TextProfile { types: Vec::with_capacity(bytes / 6 + 1), ..TextProfile::default() };
        Self {
            profile,
            halves: 0,
            previous: ' ',
            token: None,
            letters_before: 0,
            tokens_in_line: 0,
            line_start: 0,
            longest_token: 0,
            token_halves: 0,
            key: Fnv::new(),
            may_have_address: false,
        }
    }

    /// Counts ASCII letters and digits, and adds them to the token.
    fn ascii_word(&mut self, word: &[u8]) {
        let count = word.len() as u32;
        let token = self.token.get_or_insert_with(|| Token::new(self.halves));
        let (mut capitals, mut digits) = (0, 0);
        for byte in word {
            capitals += u32::from(byte.is_ascii_uppercase());
            digits += u32::from(byte.is_ascii_digit());
            token.hash.add(byte.to_ascii_lowercase());
        }
        let first = char::from(word[0]);
        token.first.get_or_insert_with(|| Facts::of(first));
        token.halves += 2 * count;
        token.is_number &= digits == count;
        let profile = &mut self.profile;
        profile.characters += count;
        profile.letters += count - digits;
        profile.cased += count - digits;
        profile.capitals += capitals;
        profile.digits += digits;
        profile.first.get_or_insert(first);
        self.letters_before += count;
        self.halves += 2 * count;
        self.previous = char::from(word[word.len() - 1]);
    }

    /// Counts a character.
    fn count(&mut self, c: char, facts: Facts) {
        let profile = &mut self.profile;
        profile.characters += 1;
        profile.east_asian += u32::from(facts.half_letters() > 2);
        if facts.has(LETTER) {
            profile.letters += 1;
            profile.capitals += u32::from(facts.has(UPPER));
            profile.cased += u32::from(facts.has(UPPER | LOWER));
        }
        profile.digits += u32::from(facts.has(NUMBER));
        profile.punctuation += u32::from(facts.has(PUNCTUATION));
        profile.symbols += u32::from(facts.has(SYMBOL));
        if !facts.has(SPACE) {
            profile.first.get_or_insert(c);
        }
    }

    /// Adds a letter or digit to the token.
    fn letter(&mut self, c: char, facts: Facts) {
        self.token.get_or_insert_with(|| Token::new(self.halves)).add(c, facts);
        self.letters_before += 1;
    }

    /// Ends the token at a character that is no letter and no digit, unless it is within a word.
    fn other(&mut self, c: char, facts: Facts, next: char) {
        let letters_before = self.letters_before;
        let joins = matches!(c, '\'' | '’' | '·' | '\u{200c}' | '\u{200d}' | '\u{ad}');
        if let Some(token) = self.token.as_ref().filter(|_| joins && next.is_alphabetic() && !needs_dictionary(next)) {
            self.key.add_hash(token.hash.finish());
        } else {
            self.end_token();
            self.letters_before = 0;
        }
        self.key.add_char(c);
        if !facts.has(SPACE) {
            self.mark(c, next, letters_before);
        }
    }

    fn end_token(&mut self) {
        let Some(token) = self.token.take() else { return };
        self.key.add_hash(token.hash.finish());
        let profile = &mut self.profile;
        profile.tokens += 1;
        self.token_halves += token.halves;
        self.longest_token = self.longest_token.max(token.halves);
        profile.numbers += u32::from(token.is_number);
        if let Some(first) = token.first {
            profile.capitalized += u32::from(first.has(UPPER));
            profile.cased_tokens += u32::from(first.has(UPPER | LOWER));
        }
        profile.types.push(token.hash.finish());
        profile.has_open_sentence = true;
        if profile.lines == 0 {
            profile.lines = 1;
        } else if token.start + token.halves - self.line_start > LINE_HALVES {
            profile.lines += 1;
            profile.tokens_in_full_lines += self.tokens_in_line;
            self.tokens_in_line = 0;
            self.line_start = token.start;
        }
        self.tokens_in_line += 1;
    }

    /// Counts a character that is no part of a word; `letters_before` is the length of the word it follows.
    fn mark(&mut self, c: char, next: char, letters_before: u32) {
        let (profile, previous) = (&mut self.profile, self.previous);
        profile.commas += u32::from(is_comma(c));
        let is_dash_or_slash = matches!(c, '/' | '-' | '–' | '—' | '~');
        profile.separators += u32::from(is_separator(c) || (is_dash_or_slash && previous == ' ' && next == ' '));
        match c {
            '"' | '“' | '”' | '„' | '«' | '»' | '「' | '」' | '『' | '』' | '(' | ')' | '[' | ']' | '（' | '）' =>
            {
                profile.quotes += 1;
                profile.code_marks += u32::from(matches!(c, '(' | '[') && letters_before > 0);
            }
            '{' | '}' | ';' | '=' | '<' | '>' | '_' | '\\' | '`' => profile.code_marks += 1,
            '?' | '？' | '؟' => profile.questions += 1,
            '©' | '®' | '™' | '℗' | '℠' => profile.has_copyright = true,
            '#' | '@' if previous == ' ' && next.is_alphanumeric() => profile.tags += 1,
            _ => {}
        }
        self.may_have_address |= c == '@' || (c == ':' && next == '/') || (c == '.' && previous == 'w');
        let ends = ends_sentence(c)
            && (ends_without_space(c) || next.is_whitespace() || is_closing(next))
            // `J. Smith`, `e. g.` and a bullet before a word end nothing.
            && (c != '.' || letters_before != 1 || previous.is_ascii_digit())
            && profile.has_open_sentence;
        if ends {
            profile.closed_sentences += 1;
            profile.has_open_sentence = false;
        }
        if is_currency(c) {
            profile.has_currency = true;
            profile.has_price |= next.is_numeric() || previous.is_numeric() || next == ' ' || previous == ' ';
        }
    }

    fn finish(self, text: &str) -> TextProfile {
        let mut profile = self.profile;
        profile.length = self.halves as f32 / 2.0;
        profile.longest_token = self.longest_token as f32 / 2.0;
        profile.token_letters = self.token_halves as f32 / 2.0;
        profile.types.sort_unstable();
        profile.types.dedup();
        profile.key = self.key.finish();
        find_end(text, &mut profile);
        if self.may_have_address {
            find_addresses(text, &mut profile);
        }
        find_numbers(text, &mut profile);
        profile
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
    }
}
