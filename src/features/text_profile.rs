//! What `profile` and `pattern` find in one block's text.

/// Counts over one block's text, white space collapsed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TextProfile {
    /// Characters.
    pub characters: u32,
    /// Length in letters (see `profile`).
    pub length: f32,
    /// Characters that are letters or marks.
    pub letters: u32,
    /// Characters that are upper-case or title-case letters.
    pub capitals: u32,
    /// Letters that are upper or lower case.
    pub cased: u32,
    /// Characters that are decimal digits or other numbers.
    pub digits: u32,
    /// Characters that are punctuation.
    pub punctuation: u32,
    /// Characters that are symbols.
    pub symbols: u32,
    /// Han, Kana and Hangul characters.
    pub east_asian: u32,
    /// Commas of any script.
    pub commas: u32,
    /// Quotation marks and brackets.
    pub quotes: u32,
    /// Characters that programs are made of: `{ } ; = < > _ \ `, and brackets directly after a letter.
    pub code_marks: u32,
    /// Separators between entries of a line: pipes, bullets, arrows, slashes and dashes between spaces.
    pub separators: u32,
    /// Question marks.
    pub questions: u32,
    /// Words and numbers.
    pub tokens: u32,
    /// Tokens of digits only.
    pub numbers: u32,
    /// Tokens that begin with a capital, among `cased_tokens`.
    pub capitalized: u32,
    /// Tokens that begin with a cased letter.
    pub cased_tokens: u32,
    /// Hash of the text in lower case.
    pub key: u64,
    /// Hashes of the different tokens in lower case, sorted.
    pub types: Vec<u64>,
    /// Length of the longest token in letters.
    pub longest_token: f32,
    /// Sum of the tokens' lengths in letters.
    pub token_letters: f32,
    /// Sentences that are ended by punctuation.
    pub closed_sentences: u32,
    /// Whether tokens follow the last ended sentence.
    pub has_open_sentence: bool,
    /// Lines of 80 letters, at least 1 where there is a token.
    pub lines: u32,
    /// Tokens in all lines but the last.
    pub tokens_in_full_lines: u32,
    /// Whether the last mark ends a sentence.
    pub ends_sentence: bool,
    /// Whether it ends with a colon.
    pub ends_colon: bool,
    /// Whether it ends with an ellipsis, also in brackets: a text cut short.
    pub ends_ellipsis: bool,
    /// First character that is not white space.
    pub first: Option<char>,
    /// Whether it holds an address of the web.
    pub has_url: bool,
    /// Whether it holds an e-mail address.
    pub has_email: bool,
    /// Whether it holds a copyright or trade mark sign.
    pub has_copyright: bool,
    /// Whether it holds a currency sign.
    pub has_currency: bool,
    /// Whether it holds a currency sign beside a number.
    pub has_price: bool,
    /// Whether it holds digit groups like a date: `2024-05-17`, `17.5.2024`, `5/17/24`, or a year 1900-2099.
    pub has_date: bool,
    /// Whether it holds digit groups like a time: `18:30`.
    pub has_time: bool,
    /// Whether it holds seven or more digits separated by spaces, dashes, dots or brackets only.
    pub has_phone: bool,
    /// Words that begin with `#` or `@`.
    pub tags: u32,
}
