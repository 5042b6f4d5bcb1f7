//! The words of a class or an id: `entryDate author-name` has four.

use crate::capture::{Dom, NodeId};
use crate::text::is_listed;

/// Longest class or id that is read, in bytes; longer ones are lists of settings.
const MAX_BYTES: usize = 200;

/// The words in lower case, split at other characters than letters and before capitals, and pairs
/// of adjacent words, so that `site-title` is found as `sitetitle` is. Two classes are never
/// joined.
pub(super) fn class_words(value: &str) -> Vec<String> {
    let mut found = Vec::new();
    for token in value
        .split_ascii_whitespace()
        .filter(|_| value.len() <= MAX_BYTES)
    {
        let first = found.len();
        let mut is_inside = false;
        let mut was_lower = false;
        for c in token.chars() {
            if c.is_alphabetic() {
                if !is_inside || was_lower && c.is_uppercase() {
                    found.push(String::new());
                }
                found
                    .last_mut()
                    .into_iter()
                    .for_each(|word: &mut String| word.extend(c.to_lowercase()));
            }
            (is_inside, was_lower) = (c.is_alphabetic(), c.is_lowercase());
        }
        let pairs: Vec<String> = found[first..].windows(2).map(<[String]>::concat).collect();
        found.extend(pairs);
    }
    found
}

/// Returns true if the class or the id of an element has one of these words.
pub(super) fn has_class_word(dom: &Dom, id: NodeId, words: &str) -> bool {
    let attributes = dom.attributes(id);
    let values = ["class", "id"]
        .into_iter()
        .filter_map(|name| attributes.get(name));
    values
        .flat_map(class_words)
        .any(|word| is_listed(words, &word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_signs_and_capitals() {
        assert_eq!(
            class_words("entryDate x_AUTHOR2"),
            ["entry", "date", "entrydate", "x", "author", "xauthor"]
        );
        assert_eq!(class_words("authorization"), ["authorization"]);
        assert_eq!(class_words(&"a ".repeat(MAX_BYTES)), [""; 0]);
    }
}
