//! Splits output and gold into the tokens that each benchmark counts.
//!
//! Uses Python's character classes, because the published figures were computed with them: `\w` is
//! a letter, a number or `_` (no combining marks), and white space is that of Unicode.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::Range;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The unit that word-level scores count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenUnit {
    /// Words separated by white space.
    #[default]
    Words,
    /// Every character that is not white space, with its combining marks, for scripts without
    /// spaces between words.
    Characters,
}

impl TokenUnit {
    /// The unit for pages in `lang` (a BCP 47 tag): characters for Chinese, Japanese, Thai, Lao,
    /// Khmer and Burmese. Korean and all other languages separate words by spaces.
    pub fn from_language(lang: &str) -> Self {
        match lang
            .split(['-', '_'])
            .next()
            .unwrap_or("")
            .to_ascii_lowercase()
            .as_str()
        {
            "zh" | "ja" | "yue" | "wuu" | "th" | "lo" | "km" | "my" => Self::Characters,
            _ => Self::Words,
        }
    }
}

/// The marks of CLEANEVAL's segments.
const MARKS: [&str; 3] = ["<p>", "<h>", "<l>"];

/// Prepares gold or output for the score with difflib (Evert 2007): lines that begin with `URL` are
/// dropped, control characters and the marks `<p> <h> <l>` become spaces; line breaks are kept.
pub fn prepare(text: &str) -> String {
    let mut prepared = String::with_capacity(text.len());
    for line in text
        .lines()
        .filter(|line| !line.trim_start().starts_with("URL"))
    {
        let from = prepared.len();
        prepared.extend(line.chars().map(|c| if c.is_control() { ' ' } else { c }));
        if MARKS.iter().any(|mark| prepared[from..].contains(mark)) {
            let plain = MARKS
                .iter()
                .fold(prepared[from..].to_owned(), |line, mark| {
                    line.replace(mark, " ")
                });
            prepared.truncate(from);
            prepared.push_str(&plain);
        }
        prepared.push('\n');
    }
    prepared
}

/// Tokens of prepared text, with case and punctuation.
pub fn tokens(prepared: &str, unit: TokenUnit) -> Vec<&str> {
    match unit {
        TokenUnit::Words => prepared.split_whitespace().collect(),
        TokenUnit::Characters => characters(prepared),
    }
}

/// The characters that are not white space, each with its combining marks: a Thai or Burmese letter
/// and its vowel signs are one token. A mark after white space is a separate token.
fn characters(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        let continues = start.is_some()
            && !c.is_ascii()
            && c.general_category_group() == GeneralCategoryGroup::Mark;
        if continues {
            continue;
        }
        tokens.extend(start.map(|start| &text[start..at]));
        start = (!c.is_whitespace()).then_some(at);
    }
    tokens.extend(start.map(|start| &text[start..]));
    tokens
}

/// True if `c` is in Python's `\w`.
pub(crate) fn is_word_character(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    matches!(
        c.general_category_group(),
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number
    )
}

/// All maximal runs of word characters, as `re.findall(r"\w+", text)` gives them.
pub fn word_runs(text: &str) -> Vec<&str> {
    text.split(|c| !is_word_character(c))
        .filter(|run| !run.is_empty())
        .collect()
}

/// True if `c` is written without spaces between words: Han, Kana, Bopomofo.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3041}'..='\u{30ff}' | '\u{3105}'..='\u{312f}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3134f}')
}

/// Assigns numbers to tokens, the same to equal tokens, from 0 without gaps.
#[derive(Debug, Default)]
pub struct Numbering<T> {
    known: HashMap<T, u32>,
}

impl<T: std::hash::Hash + Eq> Numbering<T> {
    /// A numbering without any tokens.
    pub fn new() -> Self {
        Self {
            known: HashMap::new(),
        }
    }

    /// The numbers of a sequence; new tokens get the next number.
    pub(crate) fn number(&mut self, tokens: impl IntoIterator<Item = T>) -> Vec<u32> {
        tokens
            .into_iter()
            .map(|token| {
                let next = self.known.len() as u32;
                *self.known.entry(token).or_insert(next)
            })
            .collect()
    }
}

/// Lower-case words without punctuation; Chinese and Japanese characters separately.
pub(crate) fn alignment_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in word_runs(&text.to_lowercase()) {
        let mut word = String::new();
        for c in run.chars() {
            if is_cjk(c) {
                words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                words.push(c.to_string());
            } else {
                word.push(c);
            }
        }
        words.extend((!word.is_empty()).then_some(word));
    }
    words
}

/// Numbered words in pieces (targets, or lines of gold).
pub struct Pieces {
    /// The words by number.
    pub words: Vec<u32>,
    /// Where each text has its words.
    pub ranges: Vec<Range<usize>>,
}

impl Pieces {
    /// Numbers the words of texts.
    pub fn new<'a>(
        texts: impl IntoIterator<Item = &'a str>,
        numbering: &mut Numbering<String>,
    ) -> Self {
        let mut pieces = Self {
            words: Vec::new(),
            ranges: Vec::new(),
        };
        for text in texts {
            let from = pieces.words.len();
            pieces.words.extend(numbering.number(alignment_words(text)));
            pieces.ranges.push(from..pieces.words.len());
        }
        pieces
    }

    pub(crate) fn words_of(&self, piece: usize) -> &[u32] {
        &self.words[self.ranges[piece].clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_lines_controls_and_marks_are_removed() {
        let text = "  URL: http://x\nURLs too\n<p>One\u{1}two <h>three\n a URL stays";
        assert_eq!(
            tokens(&prepare(text), TokenUnit::Words),
            ["One", "two", "three", "a", "URL", "stays"]
        );
    }

    #[test]
    fn characters_are_tokens_where_words_have_no_spaces() {
        assert_eq!(TokenUnit::from_language("zh-Hans"), TokenUnit::Characters);
        assert_eq!(TokenUnit::from_language("ja"), TokenUnit::Characters);
        assert_eq!(TokenUnit::from_language("ko"), TokenUnit::Words);
        assert!(
            ["th", "lo-LA", "KM", "my_MM"]
                .map(TokenUnit::from_language)
                .iter()
                .all(|&u| u == TokenUnit::Characters)
        );
        assert_eq!(TokenUnit::from_language("thx"), TokenUnit::Words);
        assert_eq!(tokens("中 文a", TokenUnit::Characters), ["中", "文", "a"]);
    }

    #[test]
    fn combining_marks_belong_to_their_letter() {
        assert_eq!(tokens("ที่ นี่", TokenUnit::Characters), ["ที่", "นี่"]);
        assert_eq!(tokens("ภาษา", TokenUnit::Characters).len(), 4);
        assert_eq!(tokens("မြန်မာ", TokenUnit::Characters), ["မြ", "န်", "မာ"]);
        assert_eq!(tokens(" \u{301}a", TokenUnit::Characters), ["\u{301}", "a"]);
    }

    #[test]
    fn word_runs_are_those_of_python() {
        // re.findall(r"\w+", "naïve_x 3½ नमस्ते don't 中文，字")
        assert_eq!(
            word_runs("naïve_x 3½ नमस्ते don't 中文，字"),
            ["naïve_x", "3½", "नमस", "त", "don", "t", "中文", "字"]
        );
    }

    #[test]
    fn equal_tokens_have_equal_numbers() {
        let mut numbering = Numbering::new();
        assert_eq!(numbering.number(["a", "b", "a"]), [0, 1, 0]);
        assert_eq!(numbering.number(["c", "b"]), [2, 1]);
    }
}
