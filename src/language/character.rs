//! What single characters are, in any script: their class, their length in letters, and which marks end a sentence.
//!
//! `words` cuts by these, and `features` counts by them and measures lengths with them.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Number of letters that one character counts as, doubled so that it is an integer.
pub(crate) fn half_letters(c: char) -> u32 {
    if c < '\u{1100}' {
        return 2;
    }
    match c as u32 {
        0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF => 5,
        0xAC00..=0xD7A3 | 0x1100..=0x11FF => 4,
        _ => 2,
    }
}

/// Whether words of the character's script are not separated by spaces.
pub(crate) fn needs_dictionary(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// Length of a text in half letters, a run of white space counting as one character and none at the ends.
pub(crate) fn measure_half_letters(text: &str) -> u32 {
    if text.is_ascii() {
        return 2 * count_ascii(text.as_bytes());
    }
    let mut sum = 0;
    let mut in_space = true;
    for c in text.chars() {
        if c.is_whitespace() {
            if !in_space {
                sum += 2;
            }
            in_space = true;
        } else {
            sum += half_letters(c);
            in_space = false;
        }
    }
    if in_space && sum > 0 { sum - 2 } else { sum }
}

/// Number of characters of ASCII text, white space counted as in [`measure_half_letters`].
fn count_ascii(text: &[u8]) -> u32 {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let Some(first) = text.iter().position(|byte| !is_space(byte)) else { return 0 };
    let last = text.iter().rposition(|byte| !is_space(byte)).map_or(0, |last| last + 1);
    let text = &text[first..last];
    // Without a branch, so that the compiler counts several bytes at once.
    let repeated = text.iter().zip(&text[1..]).map(|(byte, next)| u32::from(is_space(byte) & is_space(next)));
    text.len() as u32 - repeated.sum::<u32>()
}

/// Whether a mark ends a sentence in some script: full stops, danda, and question and exclamation marks.
pub(crate) fn ends_sentence(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | '…'
            | '。'
            | '！'
            | '？'
            | '｡'
            | '．'
            | '؟'
            | '۔'
            | '।'
            | '॥'
            | '։'
            | '።'
            | '፧'
            | '។'
            | '៕'
            | '‼'
            | '⁇'
            | '⁈'
            | '⁉'
            | '꓿'
            | '᙮'
    )
}

/// Whether such a mark needs no space after it.
pub(crate) fn ends_without_space(c: char) -> bool {
    !matches!(c, '.' | '!' | '?' | '…' | '؟' | '۔')
}

pub(crate) fn is_comma(c: char) -> bool {
    matches!(c, ',' | '，' | '、' | '،' | '՝' | '፣' | '､' | '﹐' | '꓾')
}

pub(crate) fn is_separator(c: char) -> bool {
    matches!(
        c,
        '|' | '•'
            | '·'
            | '»'
            | '«'
            | '›'
            | '‹'
            | '→'
            | '←'
            | '▶'
            | '►'
            | '◄'
            | '▸'
            | '▾'
            | '▼'
            | '■'
            | '●'
            | '∙'
            | '⋅'
            | '‧'
            | '｜'
            | '／'
            | '↗'
            | '↓'
            | '↑'
    )
}

pub(crate) fn is_closing(c: char) -> bool {
    matches!(c, '"' | '\'' | '’' | '”' | '»' | ')' | ']' | '」' | '』' | '）' | '］' | '“' | '›' | '】' | '》')
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Letter,
    Number,
    Punctuation,
    Symbol,
    Space,
    Other,
}

pub(crate) fn class(c: char) -> Class {
    if c.is_ascii() {
        return match c {
            'a'..='z' | 'A'..='Z' => Class::Letter,
            '0'..='9' => Class::Number,
            '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~' => Class::Symbol,
            ' ' | '\t' | '\n' | '\r' | '\x0c' => Class::Space,
            _ if c.is_ascii_punctuation() => Class::Punctuation,
            _ => Class::Other,
        };
    }
    if c.is_alphabetic() {
        return Class::Letter;
    }
    match c.general_category_group() {
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark => Class::Letter,
        GeneralCategoryGroup::Number => Class::Number,
        GeneralCategoryGroup::Punctuation => Class::Punctuation,
        GeneralCategoryGroup::Symbol => Class::Symbol,
        GeneralCategoryGroup::Separator => Class::Space,
        GeneralCategoryGroup::Other => Class::Other,
    }
}

pub(crate) fn is_currency(c: char) -> bool {
    matches!(c, '$' | '¢' | '£' | '¤' | '¥' | '֏' | '฿' | '₠'..='⃀' | '﷼' | '￥' | '￡')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_count_white_space_once_and_not_at_the_ends() {
        assert_eq!(measure_half_letters(" a \t\u{b} bc\n"), 8);
        assert_eq!(measure_half_letters(" \u{e4} \t\u{b} bc\u{a0}\n"), 8);
        assert_eq!(measure_half_letters("\u{4e2d} \u{ac00}"), 11);
        assert_eq!([measure_half_letters(""), measure_half_letters(" \n")], [0, 0]);
    }

    #[test]
    fn ascii_text_is_counted_like_all_other() {
        for c in '\0'..='\x7f' {
            let text = format!("{c}a{c}{c}b{c}");
            let other = measure_half_letters(&format!("{text}\u{301}{c}"));
            assert_eq!(measure_half_letters(&format!("{text}x{c}")), other, "{c:?}");
        }
    }
}
