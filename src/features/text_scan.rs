//! The state of one pass over a block's text: the counts so far, and the token and the sentence that are not ended.

use super::pattern::{find_addresses, find_end, find_numbers};
use super::text_profile::TextProfile;
use crate::hash::Fnv;
use crate::language::character::{
    ends_sentence, ends_without_space, is_closing, is_comma, is_currency, is_separator, needs_dictionary,
};
use crate::language::character_facts::{Facts, LETTER, LOWER, NUMBER, PUNCTUATION, SPACE, SYMBOL, UPPER};

/// Half letters of a line in the text density of Kohlschütter 2010, section 3: 80 letters.
const LINE_HALVES: u32 = 160;

/// A letter, in [`ASCII_WORD`].
const ASCII_LETTER: u8 = 1;
/// A digit.
const ASCII_DIGIT: u8 = 2;
/// A capital: the bit that the small letter has besides.
const ASCII_UPPER: u8 = 0x20;

/// By byte, whether it is an ASCII letter or digit and of which kind; 0 for all else.
pub(super) static ASCII_WORD: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let c = byte as u8;
        kinds[byte] = if c.is_ascii_uppercase() {
            ASCII_LETTER | ASCII_UPPER
        } else if c.is_ascii_lowercase() {
            ASCII_LETTER
        } else if c.is_ascii_digit() {
            ASCII_DIGIT
        } else {
            0
        };
        byte += 1;
    }
    kinds
};

/// A word or number.
pub(super) struct Token {
    hash: Fnv,
    /// Half letters of the text before it.
    start: u32,
    /// Its own; 0 until it begins.
    pub(super) halves: u32,
    /// Whether it begins with a capital, and with a letter that has case.
    is_capitalized: bool,
    is_cased: bool,
    pub(super) is_number: bool,
}

impl Token {
    /// No token yet.
    const NONE: Self =
        Self { hash: Fnv::new(), start: 0, halves: 0, is_capitalized: false, is_cased: false, is_number: true };

    /// Adds a character; before the first one there are `start` half letters.
    pub(super) fn add(&mut self, c: char, facts: Facts, start: u32) {
        if self.halves == 0 {
            self.start = start;
            (self.is_capitalized, self.is_cased) = (facts.has(UPPER), facts.has(UPPER | LOWER));
        }
        match facts.lower() {
            Some(lower) => self.hash.add_whole(u64::from(lower)),
            None => self.hash.add_char(c),
        }
        self.halves += facts.half_letters();
        self.is_number &= facts.has(NUMBER);
    }
}

/// The state of one pass over a text.
pub(super) struct Scan {
    profile: TextProfile,
    /// Half letters of the text so far.
    pub(super) halves: u32,
    /// The character before, a space at the beginning.
    pub(super) previous: char,
    /// The word or number that is not ended.
    pub(super) token: Token,
    /// Length of the word so far, or 2 in a script without spaces.
    pub(super) letters_before: u32,
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
    pub(super) fn new(bytes: usize) -> Self {
        // A word has five letters and a space in most languages.
        let profile = TextProfile { types: Vec::with_capacity(bytes / 6 + 1), ..TextProfile::default() };
        Self {
            profile,
            halves: 0,
            previous: ' ',
            token: Token::NONE,
            letters_before: 0,
            tokens_in_line: 0,
            line_start: 0,
            longest_token: 0,
            token_halves: 0,
            key: Fnv::new(),
            may_have_address: false,
        }
    }

    /// Counts the ASCII letters and digits that a text begins with, at least one, and adds them to the token; returns how
    /// many there are.
    pub(super) fn ascii_word(&mut self, text: &[u8]) -> usize {
        let token = &mut self.token;
        if token.halves == 0 {
            let first = ASCII_WORD[usize::from(text[0])];
            token.start = self.halves;
            (token.is_capitalized, token.is_cased) = (first & ASCII_UPPER != 0, first & ASCII_LETTER != 0);
        }
        let (mut length, mut capitals, mut digits) = (0, 0, 0);
        for &byte in text {
            let kind = ASCII_WORD[usize::from(byte)];
            if kind == 0 {
                break;
            }
            token.hash.add(byte | (kind & ASCII_UPPER));
            capitals += u32::from(kind / ASCII_UPPER);
            digits += u32::from(kind & ASCII_DIGIT);
            length += 1;
        }
        let (first, count, digits) = (char::from(text[0]), length as u32, digits / u32::from(ASCII_DIGIT));
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
        self.previous = char::from(text[length - 1]);
        length
    }

    /// Counts a space, as [`count`](Self::count) and [`other`](Self::other) do; returns its bytes.
    pub(super) fn space(&mut self) -> usize {
        self.end_token();
        self.profile.characters += 1;
        self.key.add(b' ');
        self.letters_before = 0;
        self.halves += 2;
        self.previous = ' ';
        1
    }

    /// Counts a character.
    pub(super) fn count(&mut self, c: char, facts: Facts) {
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
    pub(super) fn letter(&mut self, c: char, facts: Facts) {
        self.token.add(c, facts, self.halves);
        self.letters_before += 1;
    }

    /// Ends the token at a character that is no letter and no digit, unless it is within a word.
    pub(super) fn other(&mut self, c: char, facts: Facts, next: char) {
        let letters_before = self.letters_before;
        let joins = matches!(c, '\'' | '’' | '·' | '\u{200c}' | '\u{200d}' | '\u{ad}');
        if joins && self.token.halves > 0 && next.is_alphabetic() && !needs_dictionary(next) {
            self.key.add_whole(self.token.hash.finish());
        } else {
            self.end_token();
            self.letters_before = 0;
        }
        // Only letters have another form in lower case.
        self.key.add_whole(u64::from(u32::from(c)));
        if !facts.has(SPACE) {
            self.mark(c, next, letters_before);
        }
    }

    pub(super) fn end_token(&mut self) {
        if self.token.halves == 0 {
            return;
        }
        let token = std::mem::replace(&mut self.token, Token::NONE);
        self.key.add_whole(token.hash.finish());
        let profile = &mut self.profile;
        profile.tokens += 1;
        self.token_halves += token.halves;
        self.longest_token = self.longest_token.max(token.halves);
        profile.numbers += u32::from(token.is_number);
        profile.capitalized += u32::from(token.is_capitalized);
        profile.cased_tokens += u32::from(token.is_cased);
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

    pub(super) fn finish(self, text: &str) -> TextProfile {
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
