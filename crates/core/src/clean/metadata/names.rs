//! Names of persons and keywords, as pages write them.

use crate::language::dates::month_of;
use crate::text::collapse;

/// Longest name of an author, in characters.
const MAX_NAME_CHARS: usize = 80;
/// Largest number of names that are kept.
const MAX_NAMES: usize = 20;

/// Words before the name of an author, in lower case; some are names of fields.
const BEFORE: &[&str] = &[
    "written by",
    "posted by",
    "published by",
    "words by",
    "story by",
    "reviewed by",
    "by",
    "author",
    "authors",
    "von",
    "autor",
    "autorin",
    "verfasst von",
    "geschrieben von",
    "text von",
    "par",
    "publié par",
    "rédigé par",
    "auteur",
    "por",
    "escrito por",
    "publicado por",
    "di",
    "scritto da",
    "a cura di",
    "autore",
    "da",
    "door",
    "geschreven door",
    "av",
    "skrevet av",
    "af",
    "przez",
    "autor tekstu",
    "автор",
    "от",
    "作者",
    "文",
    "撰文",
    "記者",
    "记者",
    "責任編輯",
    "编辑",
    "文/",
    "글",
];

/// What is no name, in lower case: the accounts of content management systems.
const NOBODY: &[&str] =
    &["admin", "administrator", "root", "editor", "webmaster", "author", "user", "guest", "staff", "unknown"];

/// The days of the week in English: the languages of other pages write the date without them, or in front of the name.
const DAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// Separators between several authors.
const SEPARATORS: &[&str] = &[";", "|", "、", " and ", " und ", " et ", " y ", " e ", " & ", "/"];

/// The names in what a page gives as its author; none if it is an address, an account or a sentence.
pub(super) fn authors(text: &str) -> Vec<String> {
    let text = collapse(text);
    let text = without_date(without_words_before(text.trim())).to_owned();
    if text.contains("://") {
        return Vec::new();
    }
    let mut parts = vec![text.as_str()];
    for separator in SEPARATORS {
        parts = parts.iter().flat_map(|part| part.split(separator)).collect();
    }
    // A comma is part of `Lee, Ann` and of `Ann Lee, Ph.D.`, but several names with it are a list.
    let parts = parts.into_iter().flat_map(|part| {
        let by_comma: Vec<&str> = part.split([',', '，']).map(str::trim).collect();
        let are_names = by_comma.len() > 1 && by_comma.iter().all(|name| name.contains(' ') && !name.contains('.'));
        if are_names || by_comma.len() > 2 { by_comma } else { vec![part] }
    });
    let mut names: Vec<String> = Vec::new();
    for name in parts.map(|part| without_words_before(part.trim())).filter(|name| is_name(name)) {
        if !names.iter().any(|known| known.eq_ignore_ascii_case(name)) && names.len() < MAX_NAMES {
            names.push(name.to_owned());
        }
    }
    names
}

/// The names in a short line that begins with `by` or its like, up to a date or a separator; none in other lines, and none if
/// what follows does not look like names of persons.
pub(super) fn byline(line: &str) -> Vec<String> {
    let line = collapse(line);
    let rest = without_words_before(&line);
    if rest.len() == line.len() {
        return Vec::new();
    }
    let rest = without_date(rest);
    let end =
        rest.find(|c: char| c.is_ascii_digit() || matches!(c, '|' | '·' | '•' | '–' | '—' | '(')).unwrap_or(rest.len());
    let names = authors(rest[..end].trim_end_matches(|c: char| !c.is_alphanumeric() && c != '.'));
    let is_person = |name: &String| {
        let words: Vec<&str> = name.split_whitespace().collect();
        let is_capital = |word: &&&str| word.chars().next().is_some_and(|c| !c.is_lowercase());
        (2..=4).contains(&words.len()) && words.iter().filter(is_capital).count() >= 2
            || words.len() == 1 && !name.is_ascii() && name.chars().count() <= 5
    };
    if names.iter().all(is_person) { names } else { Vec::new() }
}

/// The names in several texts, each once.
pub(super) fn all_authors(texts: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in texts.iter().flat_map(|text| authors(text)) {
        if !names.iter().any(|known| known.eq_ignore_ascii_case(&name)) && names.len() < MAX_NAMES {
            names.push(name);
        }
    }
    names
}

/// The text without `by` and its like at its beginning.
fn without_words_before(text: &str) -> &str {
    let lower = text.to_lowercase();
    // Lower case may have another length, so the beginning is only cut where it has the same.
    let fitting = BEFORE.iter().filter(|word| lower.starts_with(**word) && text.is_char_boundary(word.len()));
    let longest = fitting.filter(|word| text[..word.len()].to_lowercase() == **word).max_by_key(|word| word.len());
    let Some(word) = longest else { return text };
    let rest = &text[word.len()..];
    let is_word = rest.starts_with([' ', ':', '：', '/', '\u{a0}']) || !word.is_ascii();
    if is_word { rest.trim_start_matches([' ', ':', '：', '/', '\u{a0}']) } else { text }
}

/// The text before a date such as `Monday, November 18` or `on 18 November`.
fn without_date(text: &str) -> &str {
    let words: Vec<&str> = text.split(' ').collect();
    let bare = |at: usize| words.get(at).map_or("", |word| word.trim_matches([',', '.', ';']));
    let is_number = |at: usize| !bare(at).is_empty() && bare(at).bytes().all(|byte| byte.is_ascii_digit());
    let is_month = |at: usize| bare(at).chars().all(char::is_alphabetic) && month_of(bare(at)).is_some();
    let date = (0..words.len()).find(|&at| is_month(at) && is_number(at + 1) || is_number(at) && is_month(at + 1));
    let Some(mut end) = date else { return text };
    let is_before = |word: &str| {
        let word = word.to_lowercase();
        DAYS.iter().any(|day| word == *day || word == day[..3])
            || matches!(word.as_str(), "on" | "am" | "le" | "el" | "-")
    };
    while end > 0 && is_before(bare(end - 1)) {
        end -= 1;
    }
    let bytes = words[..end].iter().map(|word| word.len() + 1).sum::<usize>();
    text[..bytes.min(text.len())].trim_end_matches([' ', ',', '|', '-'])
}

/// Whether a text can be a name.
fn is_name(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    letters >= 2
        && digits < 3
        && text.chars().count() <= MAX_NAME_CHARS
        && text.split_whitespace().count() <= 8
        && !text.contains("://")
        && !text.starts_with(['@', '#'])
        && !text.contains('@')
        && !NOBODY.contains(&text.to_lowercase().as_str())
}

/// Keywords from lists and from texts with commas, each once.
pub(super) fn separated<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in texts.flat_map(|text| text.split([',', ';', '，', '、', '|'])).map(collapse) {
        let word = word.trim();
        if !word.is_empty()
            && word.chars().count() <= MAX_NAME_CHARS
            && found.len() < MAX_NAMES
            && !found.iter().any(|known| known == word)
        {
            found.push(word.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_what_pages_write() {
        for (written, expected) in [
            ("By Ann Lee", &["Ann Lee"][..]),
            ("Von: Bo Olsen", &["Bo Olsen"]),
            ("Ann Lee and Bo Olsen", &["Ann Lee", "Bo Olsen"]),
            ("Ann Lee, Bo Olsen, Cy Day", &["Ann Lee", "Bo Olsen", "Cy Day"]),
            ("Lee, Ann", &["Lee, Ann"]),
            ("Ann Lee; ann lee", &["Ann Lee"]),
            ("作者：王小明", &["王小明"]),
            ("Ann Lee, Bo Olsen Monday, November 18", &["Ann Lee", "Bo Olsen"]),
            ("Ann Lee on 18 November 2019", &["Ann Lee"]),
            ("October 19, GitHub", &[]),
            ("Jan May", &["Jan May"]),
            ("Byron", &["Byron"]),
            ("Vonnegut", &["Vonnegut"]),
            ("https://a.example/ann", &[]),
            ("@ann", &[]),
            ("admin", &[]),
            ("İ by", &["İ by"]),
            ("", &[]),
        ] {
            assert_eq!(authors(written), expected, "{written}");
        }
    }

    #[test]
    fn a_byline_names_persons() {
        for (line, expected) in [
            ("By Ann Lee", &["Ann Lee"][..]),
            ("by Ann Lee | May 3, 2020", &["Ann Lee"]),
            ("Von Bo Olsen und Ann Lee, 3.5.2020", &["Bo Olsen", "Ann Lee"]),
            ("By the way, it rains", &[]),
            ("By chance", &[]),
            ("Ann Lee", &[]),
            ("Da wir hier sind", &[]),
        ] {
            assert_eq!(byline(line), expected, "{line}");
        }
    }

    #[test]
    fn keywords_are_separated_and_named_once() {
        assert_eq!(all_authors(&["Ann Lee".into(), "by ann lee".into(), "Bo".into()]), ["Ann Lee", "Bo"]);
        assert_eq!(separated(["birds, shells,birds", " sea "].into_iter()), ["birds", "shells", "sea"]);
    }
}
