//! The text fragment that leads to a passage of a page (WICG Scroll to Text Fragment, section 3.2):
//! the first words of the passage, and the last ones.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Number of words that begin or end a passage. Heuristic: few phrases of four words occur twice on
/// a page.
const WORDS: usize = 4;
/// Largest number of characters of them, for scripts without spaces.
const MAX_CHARACTERS: usize = 40;

/// The fragment without its name, such as `first%20words,last%20words`; `None` for a passage
/// without letters. The ends must be in one block of the page, so they are in one line, and in one
/// cell of a table.
pub(super) fn text_fragment(passage: &str) -> Option<String> {
    let cells = || {
        let cells = passage.split(['\n', '\t']).map(str::trim);
        cells.filter(|cell| cell.chars().any(char::is_alphanumeric))
    };
    let first = cells().next()?;
    let last = cells().next_back()?;
    let is_one = cells().nth(1).is_none();
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    if is_one && first.split_whitespace().count() <= 2 * WORDS && fits(first) {
        return Some(encoded(first));
    }
    let (start, end) = (beginning(first), ending(last));
    if is_one && start.len() + end.len() > first.len() {
        return Some(encoded(start));
    }
    Some(format!("{},{}", encoded(start), encoded(end)))
}

fn fits(text: &str) -> bool {
    text.chars().nth(2 * MAX_CHARACTERS).is_none()
}

/// The first words of a line, up to a mark where it has no spaces.
fn beginning(line: &str) -> &str {
    let end = line
        .match_indices(char::is_whitespace)
        .nth(WORDS - 1)
        .map_or(line.len(), |(at, _)| at);
    let words = &line[..end];
    if words.chars().nth(MAX_CHARACTERS).is_none() {
        return words;
    }
    words
        .find(|c: char| !c.is_alphanumeric() && !c.is_whitespace())
        .filter(|&end| end > 0)
        .map_or(words, |end| &words[..end])
}

/// The last words of a line, from a mark where it has no spaces.
fn ending(line: &str) -> &str {
    let start = line
        .rmatch_indices(char::is_whitespace)
        .nth(WORDS - 1)
        .map_or(0, |(at, space)| at + space.len());
    let words = &line[start..];
    if words.chars().nth(MAX_CHARACTERS).is_none() {
        return words;
    }
    let ends = words.trim_end_matches(|c: char| !c.is_alphanumeric());
    ends.rfind(|c: char| !c.is_alphanumeric() && !c.is_whitespace())
        .and_then(|at| {
            let mark = ends[at..].chars().next()?;
            Some(&words[at + mark.len_utf8()..])
        })
        .unwrap_or(words)
}
