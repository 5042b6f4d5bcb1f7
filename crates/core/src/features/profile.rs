//! The profile of one block's text, in any script: counts of characters, tokens and sentences, and
//! patterns in it.
//!
//! No words of any language are built in. Words are runs of letters, marks and digits; in scripts
//! without spaces (Han, Kana, Thai, Lao, Khmer, Burmese) a run is cut into pieces as long as words
//! are on average, at places that only the two characters beside decide, so that the same phrase is
//! cut alike wherever it stands (content-defined chunking, Manber 1994, section 2).
//!
//! Lengths are in *letters*: a Han or Kana character counts 2.5, a Hangul syllable 2, any other
//! character 1, so that a threshold chosen on Latin text means about the same amount of text (ours;
//! translations of one text have about these ratios of characters).

use crate::hash::Fnv;
use crate::language::character::{
    DICTIONARY, Facts, LETTER, LOWER, NUMBER, PUNCTUATION, SPACE, SYMBOL, UPPER, ends_sentence,
    ends_without_space, half_letters, is_closing, is_comma, is_currency, is_separator,
    needs_dictionary,
};

/// Profiles a text whose white space is collapsed.
pub(super) fn profile(text: &str) -> TextProfile {
    let mut scan = Scan::new(text.len());
    // True if the previous character is of a script without spaces.
    let mut in_run = false;
    let mut offset = 0;
    while offset < text.len() {
        let rest = &text.as_bytes()[offset..];
        let (is_word, is_space) = (ASCII_WORD[usize::from(rest[0])] != 0, rest[0] == b' ');
        if is_word || is_space {
            if std::mem::take(&mut in_run) {
                scan.end_token();
            }
            offset += if is_word {
                scan.ascii_word(rest)
            } else {
                scan.space()
            };
            continue;
        }
        let Some(c) = text[offset..].chars().next() else {
            break;
        };
        let after = offset + c.len_utf8();
        let facts = Facts::from_char(c);
        let was_in_run = in_run;
        in_run = facts.has(LETTER | NUMBER) && facts.has(DICTIONARY);
        if in_run != was_in_run || in_run && is_cut(scan.previous, c) {
            scan.end_token();
        }
        scan.count(c, facts);
        if facts.has(LETTER | NUMBER) {
            scan.letter(c, facts);
        } else {
            scan.other(c, facts, text[after..].chars().next().unwrap_or(' '));
        }
        if in_run {
            scan.letters_before = 2;
        }
        scan.halves += facts.half_letters();
        scan.previous = c;
        offset = after;
    }
    scan.end_token();
    scan.finish(text)
}

/// Shares of the places between two characters of a script without spaces where a piece ends, of
/// 256, such that pieces are as long as the words of ICU's dictionaries on pages of `train`: 1.6
/// characters in Chinese and Japanese, and 4 in katakana, Thai and its neighbors.
const CUTS_WIDE: u64 = 154;
const CUTS: u64 = 64;

/// True if a piece of a run ends between two characters of a script without spaces.
fn is_cut(one: char, other: char) -> bool {
    let is_katakana = |c| ('\u{30a0}'..='\u{30ff}').contains(&c);
    if is_katakana(one) != is_katakana(other) {
        return true;
    }
    let pair = u64::from(u32::from(one)) << 32 | u64::from(u32::from(other));
    let hash = pair.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
    let is_short = half_letters(other) > 2 && !is_katakana(other);
    hash < if is_short { CUTS_WIDE } else { CUTS }
}

/// Number of words that occur in both of two sorted lists of hashes.
pub(super) fn words_in_both(one: &[u64], other: &[u64]) -> usize {
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    short
        .iter()
        .filter(|word| long.binary_search(word).is_ok())
        .count()
}

/// Counts over one block's text, white space collapsed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TextProfile {
    pub(super) characters: u32,
    /// Length in letters (see the module).
    pub(super) length: f32,
    /// Characters that are letters or marks.
    pub(super) letters: u32,
    /// Characters that are upper-case or title-case letters.
    pub(super) capitals: u32,
    /// Letters that are upper or lower case.
    pub(super) cased: u32,
    /// Characters that are decimal digits or other numbers.
    pub(super) digits: u32,
    pub(super) punctuation: u32,
    pub(super) symbols: u32,
    /// Han, Kana and Hangul characters.
    pub(super) east_asian: u32,
    /// Commas of any script.
    pub(super) commas: u32,
    /// Quotation marks and brackets.
    pub(super) quotes: u32,
    /// Characters typical of source code: `{ } ; = < > _ \ `, and brackets directly after a letter.
    pub(super) code_marks: u32,
    /// Separators between entries of a line: pipes, bullets, arrows, slashes and dashes between
    /// spaces.
    pub(super) separators: u32,
    pub(super) questions: u32,
    /// Number of words and numbers.
    pub(super) tokens: u32,
    /// Tokens that consist of digits.
    pub(super) numbers: u32,
    /// Tokens that begin with a capital, among `cased_tokens`.
    pub(super) capitalized: u32,
    /// Tokens that begin with a cased letter.
    pub(super) cased_tokens: u32,
    /// Hash of the text in lower case.
    pub(super) key: u64,
    /// Hashes of the different tokens in lower case, sorted.
    pub(super) types: Vec<u64>,
    /// Length of the longest token in letters.
    pub(super) longest_token: f32,
    /// Sum of the tokens' lengths in letters.
    pub(super) token_letters: f32,
    /// Number of sentences that end with punctuation.
    pub(super) closed_sentences: u32,
    /// True if tokens follow the last complete sentence.
    pub(super) has_open_sentence: bool,
    /// Number of lines of 80 letters; at least 1 if there is a token.
    pub(super) lines: u32,
    /// Number of tokens in all lines except the last.
    pub(super) tokens_in_full_lines: u32,
    /// True if the last mark ends a sentence.
    pub(super) ends_sentence: bool,
    pub(super) ends_colon: bool,
    /// True if the text ends with an ellipsis, also in brackets: it was probably shortened.
    pub(super) ends_ellipsis: bool,
    /// First character that is not white space.
    pub(super) first: Option<char>,
    /// True if the text contains a web address.
    pub(super) has_url: bool,
    /// True if the text contains an e-mail address.
    pub(super) has_email: bool,
    /// True if the text contains a copyright or trademark sign.
    pub(super) has_copyright: bool,
    pub(super) has_currency: bool,
    /// True if a currency sign is next to a number.
    pub(super) has_price: bool,
    /// True if the text contains digit groups like a date: `2024-05-17`, `17.5.2024`, `5/17/24`, or
    /// a year 1900-2099.
    pub(super) has_date: bool,
    /// True if the text contains digit groups like a time: `18:30`.
    pub(super) has_time: bool,
    /// True if the text contains seven or more digits separated only by spaces, dashes, dots or
    /// brackets.
    pub(super) has_phone: bool,
    /// Number of words that begin with `#` or `@`.
    pub(super) tags: u32,
}

/// Length of a line in half letters for the text density of Kohlschütter 2010, section 3: 80
/// letters.
const LINE_HALVES: u32 = 160;

/// Mark of a letter in [`ASCII_WORD`].
const ASCII_LETTER: u8 = 1;
const ASCII_DIGIT: u8 = 2;
/// Mark of a capital: the bit that distinguishes the small letter from it.
const ASCII_UPPER: u8 = 0x20;

/// For each byte, the kind of ASCII letter or digit that it is; 0 for all other bytes.
static ASCII_WORD: [u8; 256] = {
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

/// The word or number that is being read.
pub(super) struct Token {
    hash: Fnv,
    /// Half letters of the text before it.
    start: u32,
    /// Length in half letters; 0 before the first character.
    pub(super) halves: u32,
    /// True if it begins with a capital; `is_cased` if it begins with a letter that has case.
    is_capitalized: bool,
    is_cased: bool,
    pub(super) is_number: bool,
}

impl Token {
    const NONE: Self = Self {
        hash: Fnv::new(),
        start: 0,
        halves: 0,
        is_capitalized: false,
        is_cased: false,
        is_number: true,
    };

    /// Adds a character; for the first one, `start` is the number of half letters before it.
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

/// The state of a scan over a text.
pub(super) struct Scan {
    profile: TextProfile,
    /// Half letters of the text scanned so far.
    pub(super) halves: u32,
    /// The previous character; a space at the beginning.
    pub(super) previous: char,
    /// The word or number that has not ended yet.
    pub(super) token: Token,
    /// Length of the current word so far, or 2 in a script without spaces.
    pub(super) letters_before: u32,
    tokens_in_line: u32,
    /// Half letters before the current line.
    line_start: u32,
    /// Half letters of the longest token; `token_halves` counts those of all tokens.
    longest_token: u32,
    token_halves: u32,
    /// Hash of the text in lower case.
    key: Fnv,
    /// True if the text has marks that occur in web and e-mail addresses.
    may_have_address: bool,
}

impl Scan {
    pub(super) fn new(bytes: usize) -> Self {
        // In most languages a word averages five letters and a space.
        let profile = TextProfile {
            types: Vec::with_capacity(bytes / 6 + 1),
            ..TextProfile::default()
        };
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

    /// Adds the ASCII letters and digits at the start of a text, of which there is at least one, to
    /// the token and the counts; returns their number.
    fn ascii_word(&mut self, text: &[u8]) -> usize {
        let token = &mut self.token;
        if token.halves == 0 {
            let first = ASCII_WORD[usize::from(text[0])];
            token.start = self.halves;
            (token.is_capitalized, token.is_cased) =
                (first & ASCII_UPPER != 0, first & ASCII_LETTER != 0);
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
        let (first, count, digits) = (
            char::from(text[0]),
            length as u32,
            digits / u32::from(ASCII_DIGIT),
        );
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

    /// Counts a space, like [`count`](Self::count) and [`other`](Self::other) do; returns its
    /// length in bytes.
    pub(super) fn space(&mut self) -> usize {
        self.end_token();
        self.profile.characters += 1;
        self.key.add(b' ');
        self.letters_before = 0;
        self.halves += 2;
        self.previous = ' ';
        1
    }

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

    /// Ends the token at a character that is neither a letter nor a digit, unless it is within a
    /// word.
    pub(super) fn other(&mut self, c: char, facts: Facts, next: char) {
        let letters_before = self.letters_before;
        let joins = matches!(c, '\'' | '’' | '·' | '\u{200c}' | '\u{200d}' | '\u{ad}');
        if joins && self.token.halves > 0 && next.is_alphabetic() && !needs_dictionary(next) {
            self.key.add_whole(self.token.hash.finish());
        } else {
            self.end_token();
            self.letters_before = 0;
        }
        // Only letters have a different lower-case form.
        self.key.add_whole(u64::from(u32::from(c)));
        if !facts.has(SPACE) {
            self.mark(c, next, letters_before);
        }
    }

    fn end_token(&mut self) {
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

    /// Counts a character outside words; `letters_before` is the length of the word before it.
    fn mark(&mut self, c: char, next: char, letters_before: u32) {
        let (profile, previous) = (&mut self.profile, self.previous);
        profile.commas += u32::from(is_comma(c));
        let is_dash_or_slash = matches!(c, '/' | '-' | '–' | '—' | '~');
        profile.separators +=
            u32::from(is_separator(c) || (is_dash_or_slash && previous == ' ' && next == ' '));
        match c {
            '"' | '“' | '”' | '„' | '«' | '»' | '「' | '」' | '『' | '』' | '(' | ')' | '['
            | ']' | '（' | '）' => {
                profile.quotes += 1;
                profile.code_marks += u32::from(matches!(c, '(' | '[') && letters_before > 0);
            }
            '{' | '}' | ';' | '=' | '<' | '>' | '_' | '\\' | '`' => profile.code_marks += 1,
            '?' | '？' | '؟' => profile.questions += 1,
            '©' | '®' | '™' | '℗' | '℠' => profile.has_copyright = true,
            '#' | '@' if previous == ' ' && next.is_alphanumeric() => profile.tags += 1,
            _ => {}
        }
        self.may_have_address |=
            c == '@' || (c == ':' && next == '/') || (c == '.' && previous == 'w');
        let ends = ends_sentence(c)
            && (ends_without_space(c) || next.is_whitespace() || is_closing(next))
            // `J. Smith`, `e. g.` and a bullet before a word do not end a sentence.
            && (c != '.' || letters_before != 1 || previous.is_ascii_digit())
            && profile.has_open_sentence;
        if ends {
            profile.closed_sentences += 1;
            profile.has_open_sentence = false;
        }
        if is_currency(c) {
            profile.has_currency = true;
            profile.has_price |=
                next.is_numeric() || previous.is_numeric() || next == ' ' || previous == ' ';
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

fn find_end(text: &str, profile: &mut TextProfile) {
    let end = text.trim_end_matches(|c: char| c.is_whitespace() || is_closing(c));
    let last = end.chars().next_back();
    profile.ends_sentence = last.is_some_and(ends_sentence) && profile.tokens > 0;
    profile.ends_colon = matches!(last, Some(':' | '：' | '︰'));
    profile.ends_ellipsis = matches!(last, Some('…'))
        || end.ends_with("...")
        || end.ends_with("....")
        || end.ends_with("[…");
}

/// Detects web and e-mail addresses.
fn find_addresses(text: &str, profile: &mut TextProfile) {
    let has = |needle: &str| text.contains(needle);
    profile.has_url = has("://") || has("www.");
    profile.has_email = text.match_indices('@').any(|(at, _)| {
        text[..at]
            .chars()
            .next_back()
            .is_some_and(char::is_alphanumeric)
            && text[at + 1..]
                .chars()
                .next()
                .is_some_and(char::is_alphanumeric)
            && text[at + 1..]
                .split_whitespace()
                .next()
                .is_some_and(|domain| domain.contains('.'))
    });
}

/// Detects dates, times and telephone numbers; there are none if the profile has fewer than three
/// digits.
pub(super) fn find_numbers(text: &str, profile: &mut TextProfile) {
    if profile.digits < 3 {
        return;
    }
    // Ranges of the groups of ASCII digits.
    let bytes = text.as_bytes();
    let mut groups: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at].is_ascii_digit() {
            let start = at;
            while at < bytes.len() && bytes[at].is_ascii_digit() {
                at += 1;
            }
            groups.push((start, at));
        } else {
            at += 1;
        }
    }
    let mut chained = 0;
    for (index, &(start, end)) in groups.iter().enumerate() {
        let width = end - start;
        if width == 4 && (bytes[start..].starts_with(b"19") || bytes[start..].starts_with(b"20")) {
            profile.has_date = true;
        }
        let Some(&(next_start, next_end)) = groups.get(index + 1) else {
            break;
        };
        let between = &bytes[end..next_start];
        if between == b":" && width <= 2 && next_end - next_start == 2 {
            profile.has_time = true;
        }
        if let Some(&(third_start, third_end)) = groups.get(index + 2)
            && matches!(between, b"." | b"/" | b"-" | b". ")
            && matches!(&bytes[next_end..third_start], b"." | b"/" | b"-" | b". ")
            && (width == 4 || third_end - third_start == 4 || third_end - third_start == 2)
            && width + (next_end - next_start) + (third_end - third_start) <= 8
        {
            profile.has_date = true;
        }
        let parts_number =
            between.len() <= 3 && between.iter().all(|byte| b" -.()/".contains(byte));
        chained = if parts_number { chained + width } else { 0 };
        if parts_number && chained + next_end - next_start >= 7 && !profile.has_date {
            profile.has_phone = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::character::{Class, class};
    use proptest::prelude::*;

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
        assert!(
            (4..=8).contains(&chinese.tokens),
            "{} tokens",
            chinese.tokens
        );
        assert_eq!(chinese.length, 9.0 * 2.5 + 2.0);
        assert!(chinese.ends_sentence);
        assert_eq!(
            words_in_both(
                &profile("北京天气").types,
                &profile("今天北京天气很好").types
            ),
            profile("北京天气").types.len(),
            "a phrase has the same pieces within another"
        );
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
        let texts = [
            "dont",
            "don't",
            "'dont",
            "don t",
            "do nt",
            "Äon",
            "on",
            "我们 on",
            "我 们on",
            "a.b",
            "ab.",
            "",
        ];
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
