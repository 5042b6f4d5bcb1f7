//! Joins the words and marks of a sentence to the tokens of Universal Dependencies: `e.g.`, `Dr.`,
//! `3.` as an ordinal, and `mod_cache` are one token each.

use super::abbreviations::{Abbreviation, Abbreviations};

/// A token of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    /// The token as it stands in the text; never empty, and without white space.
    pub(super) text: &'t str,
    /// True if white space follows the token, or if it is the last one of the paragraph.
    pub(super) has_space_after: bool,
}

/// Longest ordinal number, in digits: 31 in dates, and some more.
const MAX_ORDINAL_DIGITS: usize = 3;

/// Joins the tokens of one sentence; `text` is the text that they are parts of.
pub(super) fn join<'t>(
    text: &'t str,
    tokens: &[Token<'t>],
    abbreviations: &Abbreviations,
) -> Vec<Token<'t>> {
    let mut joined = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while !rest.is_empty() {
        let (parts, after) = rest.split_at(joined_count(rest, text, abbreviations));
        rest = after;
        joined.extend(whole(text, parts));
    }
    joined
}

/// The token that several adjacent ones make together; `None` for none.
fn whole<'t>(text: &'t str, parts: &[Token<'t>]) -> Option<Token<'t>> {
    let (first, last) = (parts.first()?, parts.last()?);
    let from = offset(text, first.text);
    let to = offset(text, last.text) + last.text.len();
    Some(Token {
        text: &text[from..to],
        has_space_after: last.has_space_after,
    })
}

/// Byte offset of `part` in `text`.
pub(super) fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// Number of tokens, from the first one, that are one token together; at least 1.
fn joined_count(tokens: &[Token<'_>], text: &str, abbreviations: &Abbreviations) -> usize {
    let lengths = [
        identifier(tokens),
        dotted(tokens),
        abbreviation(tokens, text, abbreviations),
        ordinal(tokens, abbreviations),
    ];
    lengths.into_iter().max().unwrap_or(1)
}

/// A name of a program with `_` between its words.
fn identifier(tokens: &[Token<'_>]) -> usize {
    let is_underscore = |token: &Token<'_>| token.text.bytes().all(|byte| byte == b'_');
    let is_word = |token: &Token<'_>| token.text.starts_with(|c: char| c.is_alphanumeric());
    let mut count = 1;
    while let [before, underscore, word, ..] = &tokens[count - 1..] {
        if before.has_space_after
            || underscore.has_space_after
            || !is_word(before)
            || !is_underscore(underscore)
            || !is_word(word)
        {
            break;
        }
        count += 2;
    }
    count
}

/// Letters with a period after each, such as `p.m.` or `U.S.A.`: at least two, and in small letters
/// with the last period too, because `a.b` may be the parts of a name.
fn dotted(tokens: &[Token<'_>]) -> usize {
    let is_letter = |token: &Token<'_>| {
        let mut chars = token.text.chars();
        chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none()
    };
    let mut count = 0;
    while let [letter, period, ..] = &tokens[count..] {
        if !is_letter(letter) || letter.has_space_after || period.text != "." {
            break;
        }
        count += 2;
        if period.has_space_after {
            break;
        }
    }
    if count >= 4 { count } else { 1 }
}

/// A word with its period, such as `Dr.`, or an initial that does not end the sentence.
fn abbreviation(tokens: &[Token<'_>], text: &str, abbreviations: &Abbreviations) -> usize {
    const MAX_PARTS: usize = 7;
    let mut found = 1;
    for count in (1..MAX_PARTS.min(tokens.len())).step_by(2) {
        let [.., last, period] = &tokens[..=count] else {
            break;
        };
        if last.has_space_after || period.text != "." {
            break;
        }
        let next = tokens.get(count + 1);
        let word = whole(text, &tokens[..count]).map_or("", |token| token.text);
        let is_number = |token: &Token<'_>| token.text.starts_with(|c: char| c.is_numeric());
        let is_abbreviation = match abbreviations.kind(word) {
            Some(Abbreviation::BeforeNumber) => next.is_some_and(is_number),
            Some(_) => true,
            None => {
                let is_initial = word.chars().count() == 1
                    && word.chars().all(char::is_alphabetic)
                    && period.has_space_after;
                is_initial && next.is_some()
            }
        };
        if is_abbreviation {
            found = count + 1;
        }
        if period.has_space_after {
            break;
        }
    }
    found
}

/// An ordinal number with its period within a sentence.
fn ordinal(tokens: &[Token<'_>], abbreviations: &Abbreviations) -> usize {
    match tokens {
        [number, period, _, ..]
            if abbreviations.has_ordinals
                && number.text.len() <= MAX_ORDINAL_DIGITS
                && number.text.bytes().all(|byte| byte.is_ascii_digit())
                && !number.has_space_after
                && period.text == "."
                && period.has_space_after =>
        {
            2
        }
        _ => 1,
    }
}
