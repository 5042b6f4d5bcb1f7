//! Finds words in the texts of a page: in one block, across several blocks, or the nearest block.

use crate::text::is_written;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Number of words that are shown before and after the nearest part.
const AROUND: usize = 3;

/// Normalizes text for comparison: in lower case, with white space collapsed, and with plain
/// quotation marks and hyphens.
pub(super) fn comparable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut has_space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            has_space = !out.is_empty();
        } else if is_written(c) {
            if std::mem::take(&mut has_space) {
                out.push(' ');
            }
            match c {
                '\u{2018}' | '\u{2019}' | '\u{201a}' => out.push('\''),
                '\u{201c}'..='\u{201e}' | '\u{ab}' | '\u{bb}' => out.push('"'),
                '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
                _ => out.extend(c.to_lowercase()),
            }
        }
    }
    out
}

/// The texts that contain the words, best match first: texts with the words as whole words, then
/// the shortest text. Texts and words must be [`comparable`].
pub(super) fn holding(texts: &[String], words: &str) -> Vec<usize> {
    let mut found: Vec<usize> = (0..texts.len())
        .filter(|&index| texts[index].contains(words))
        .collect();
    found.sort_by_key(|&index| {
        (
            Reverse(has_whole(&texts[index], words)),
            texts[index].chars().count(),
            index,
        )
    });
    found
}

/// Returns true if the words are in the text without being parts of longer words.
fn has_whole(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(start, _)| {
        let before = text[..start].chars().next_back();
        let after = text[start + words.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// The consecutive texts that contain the words together, with the words continuing from one to the
/// next; empty if there are none.
pub(super) fn spanned(texts: &[String], words: &str) -> Vec<usize> {
    let mut joined = String::new();
    let mut starts = Vec::with_capacity(texts.len());
    for text in texts {
        starts.push(joined.len());
        joined.push_str(text);
        joined.push(' ');
    }
    let Some(start) = joined.find(words) else {
        return Vec::new();
    };
    let end = start + words.len();
    (0..texts.len())
        .filter(|&index| starts[index] < end && starts[index] + texts[index].len() > start)
        .collect()
}

/// The text that shares the most three-letter sequences with the words; `None` if no text shares
/// any.
pub(super) fn nearest(texts: &[String], words: &str) -> Option<usize> {
    let wanted = trigrams(words);
    let shared = |index: &usize| wanted.intersection(&trigrams(&texts[*index])).count();
    let best = (0..texts.len())
        .max_by_key(|index| (shared(index), Reverse(texts[*index].len()), Reverse(*index)))?;
    (shared(&best) > 0).then_some(best)
}

/// The part of a text that is nearest to the words, with some words around it; at most `limit`
/// characters. The words must be [`comparable`], the text need not be.
pub(super) fn nearest_part(text: &str, words: &str, limit: usize) -> String {
    let all: Vec<&str> = text.split_whitespace().collect();
    let wanted = trigrams(words);
    let length = words.split(' ').count().min(all.len());
    let shared = |&start: &usize| {
        let part = comparable(&all[start..start + length].join(" "));
        wanted.intersection(&trigrams(&part)).count()
    };
    let best = (0..=all.len() - length)
        .max_by_key(|start| (shared(start), Reverse(*start)))
        .unwrap_or(0);
    let from = best.saturating_sub(AROUND);
    let part = all[from..(best + length + AROUND).min(all.len())].join(" ");
    crate::text::excerpt(&part, limit).to_owned()
}

fn trigrams(text: &str) -> BTreeSet<[char; 3]> {
    let chars: Vec<char> = text.chars().collect();
    chars
        .windows(3)
        .map(|three| [three[0], three[1], three[2]])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| comparable(text)).collect()
    }

    #[test]
    fn letters_are_compared_and_not_their_looks() {
        assert_eq!(
            comparable(" A\u{ad}B\n \u{201c}C\u{201d}\u{2014}d\u{2019}s "),
            "ab \"c\"-d's"
        );
    }

    #[test]
    fn the_shortest_text_with_whole_words_is_the_best_match() {
        let texts = texts(&[
            "Drop mussels on rocks, they say",
            "mussels",
            "Mussels now",
            "small musselshells",
        ]);
        assert_eq!(holding(&texts, "mussels"), [1, 2, 0, 3]);
        assert!(holding(&texts, "gulls").is_empty());
    }

    #[test]
    fn words_may_run_over_several_texts() {
        let texts = texts(&["Home", "About us", "Herring gulls"]);
        assert_eq!(spanned(&texts, "about us herring"), [1, 2]);
        assert_eq!(spanned(&texts, "home about us h"), [0, 1, 2]);
        assert!(spanned(&texts, "home herring").is_empty());
    }

    #[test]
    fn the_nearest_text_shares_letters() {
        let texts = texts(&["Home", "Herring gulls drop mussels", "Imprint"]);
        assert_eq!(nearest(&texts, "herring guls drop"), Some(1));
        assert_eq!(nearest(&texts, "xyzzy"), None);
        let long = "One two three four five Herring gulls drop mussels on rocks from a height";
        assert_eq!(
            nearest_part(long, "herring guls drop", 99),
            "three four five Herring gulls drop mussels on rocks"
        );
        assert_eq!(nearest_part("gulls", "herring guls drop", 99), "gulls");
    }
}
