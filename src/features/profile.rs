//! What one block's text looks like, in any script: counts of characters, tokens and sentences, and patterns in it.
//!
//! No word of any language is known here. Words are runs of letters, marks and digits; in scripts without spaces
//! (Han, Kana, Thai, Lao, Khmer, Burmese) the dictionaries of ICU cut the runs.
//!
//! Lengths are in *letters*: a Han or Kana character counts 2.5, a Hangul syllable 2, any other character 1, so that a
//! threshold that was found on Latin text means about the same amount of text (ours; translations of one text have
//! about these ratios of characters).

use super::pattern::{find_end, find_patterns};
use super::text_profile::TextProfile;
use crate::hash::Fnv;
use crate::language::character::{
    Class, class, ends_sentence, ends_without_space, half_letters, is_closing, is_comma, is_currency, is_separator,
    needs_dictionary,
};
use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

/// Letters of a line in the text density of Kohlschütter 2010, section 3.
const LINE_LETTERS: f32 = 80.0;

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
        let mut scan = Scan { profile: TextProfile::default(), tokens_in_line: 0, line_start: 0.0 };
        let mut token: Option<Token> = None;
        let mut run_start = None;
        let mut previous = ' ';
        let mut letters_before = 0;
        let mut at = 0.0;
        let mut characters = text.char_indices().peekable();
        while let Some((offset, c)) = characters.next() {
            let next = characters.peek().map_or(' ', |&(_, c)| c);
            let class = class(c);
            let halves = half_letters(c);
            count_character(&mut scan.profile, c, class, halves);
            let is_word = matches!(class, Class::Letter | Class::Number);
            let word_before = letters_before;
            // Scripts without spaces are collected as runs and cut by the dictionary.
            let in_run = is_word && needs_dictionary(c);
            if in_run && run_start.is_none() {
                scan.end_token(token.take());
                run_start = Some((offset, at));
            } else if !in_run && let Some((start, start_at)) = run_start.take() {
                self.cut(&text[start..offset], start_at, &mut scan);
            }
            if in_run {
                letters_before = 2;
            } else if is_word {
                token.get_or_insert_with(|| Token::new(at)).add(c, class);
                letters_before += 1;
            } else if matches!(c, '\'' | '’' | '·' | '\u{200c}' | '\u{200d}' | '\u{ad}')
                && token.is_some()
                && next.is_alphabetic()
                && !needs_dictionary(next)
            {
                // Within a word.
            } else {
                scan.end_token(token.take());
                letters_before = 0;
            }
            if !is_word && class != Class::Space {
                scan.mark(c, previous, next, word_before);
            }
            at += halves as f32 / 2.0;
            previous = c;
        }
        scan.end_token(token);
        if let Some((start, start_at)) = run_start {
            self.cut(&text[start..], start_at, &mut scan);
        }
        let mut profile = scan.profile;
        profile.length = at;
        profile.types.sort_unstable();
        profile.types.dedup();
        find_end(text, &mut profile);
        find_patterns(text, &mut profile);
        profile
    }

    /// Cuts a run of a script without spaces into tokens.
    fn cut(&self, run: &str, start_at: f32, scan: &mut Scan) {
        let mut from = 0;
        let mut at = start_at;
        for to in self.words.segment_str(run) {
            if to > from {
                let mut token = Token::new(at);
                for c in run[from..to].chars() {
                    token.add(c, Class::Letter);
                }
                at += token.letters;
                scan.end_token(Some(token));
                from = to;
            }
        }
    }
}

/// Counts a character; `halves` is its length in half letters.
fn count_character(profile: &mut TextProfile, c: char, class: Class, halves: u32) {
    profile.characters += 1;
    if halves > 2 {
        profile.east_asian += 1;
    }
    match class {
        Class::Letter => {
            profile.letters += 1;
            if c.is_uppercase() {
                profile.capitals += 1;
                profile.cased += 1;
            } else if c.is_lowercase() {
                profile.cased += 1;
            }
        }
        Class::Number => profile.digits += 1,
        Class::Punctuation => profile.punctuation += 1,
        Class::Symbol => profile.symbols += 1,
        Class::Space | Class::Other => {}
    }
    if profile.first.is_none() && class != Class::Space {
        profile.first = Some(c);
    }
}

/// A word or number.
struct Token {
    hash: Fnv,
    start: f32,
    letters: f32,
    first: char,
    is_number: bool,
}

impl Token {
    fn new(start: f32) -> Self {
        Self { hash: Fnv::new(), start, letters: 0.0, first: ' ', is_number: true }
    }

    fn add(&mut self, c: char, class: Class) {
        if self.letters == 0.0 {
            self.first = c;
        }
        self.hash.add_char(c);
        self.letters += half_letters(c) as f32 / 2.0;
        self.is_number &= class == Class::Number;
    }
}

/// The state of one pass over a text.
struct Scan {
    profile: TextProfile,
    tokens_in_line: u32,
    line_start: f32,
}

impl Scan {
    fn end_token(&mut self, token: Option<Token>) {
        let Some(token) = token else { return };
        let profile = &mut self.profile;
        profile.tokens += 1;
        profile.token_letters += token.letters;
        profile.longest_token = profile.longest_token.max(token.letters);
        profile.numbers += u32::from(token.is_number);
        if token.first.is_uppercase() {
            profile.capitalized += 1;
            profile.cased_tokens += 1;
        } else if token.first.is_lowercase() {
            profile.cased_tokens += 1;
        }
        profile.types.push(token.hash.finish());
        profile.has_open_sentence = true;
        if profile.lines == 0 {
            profile.lines = 1;
        } else if token.start + token.letters - self.line_start > LINE_LETTERS {
            profile.lines += 1;
            profile.tokens_in_full_lines += self.tokens_in_line;
            self.tokens_in_line = 0;
            self.line_start = token.start;
        }
        self.tokens_in_line += 1;
    }

    /// Counts a character that is no part of a word; `letters_before` is the length of the word it follows.
    fn mark(&mut self, c: char, previous: char, next: char, letters_before: u32) {
        let profile = &mut self.profile;
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
