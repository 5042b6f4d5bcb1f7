//! What the class or the id of an element says of its content: a byline, a date, or what is not about the page's text.

use crate::capture::{Dom, NodeId};
use rustc_hash::FxHashMap;
use std::ops::BitOr;
use std::sync::LazyLock;

/// Parts of classes and ids around what is not about the page's text: other pages, and readers.
const ELSEWHERE_PARTS: &[&str] = &[
    "comment",
    "related",
    "recommend",
    "sidebar",
    "teaser",
    "widget",
    "popular",
    "trending",
    "more-",
    "footer",
    "respond",
];
/// Parts of classes of a byline, and of a date.
const BYLINE_PARTS: &[&str] = &["byline", "author", "autor", "auteur", "writer", "verfasser", "redacteur", "zuozhe"];
const DATE_PARTS: &[&str] =
    &["date", "published", "posted", "pubtime", "timestamp", "datum", "fecha", "datetime", "entry-time"];

/// Longest class or id that is read, in bytes; longer ones are lists of settings.
const MAX_BYTES: usize = 200;

/// Number of values that are remembered; pages repeat a few hundred.
const MAX_KNOWN: usize = 4096;

/// What a value says; several may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Parts(u8);

impl Parts {
    /// It is about other pages, or of readers.
    pub(super) const ELSEWHERE: Self = Self(1);
    pub(super) const BYLINE: Self = Self(2);
    pub(super) const DATE: Self = Self(4);

    pub(super) fn has(self, part: Self) -> bool {
        self.0 & part.0 != 0
    }
}

impl BitOr for Parts {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A part of a class, and what it says.
type Word = (&'static [u8], Parts);

/// For each first letter, the parts that begin with it.
static BY_LETTER: LazyLock<[Vec<Word>; 26]> = LazyLock::new(|| {
    let mut by_letter = [const { Vec::new() }; 26];
    let lists = [(ELSEWHERE_PARTS, Parts::ELSEWHERE), (BYLINE_PARTS, Parts::BYLINE), (DATE_PARTS, Parts::DATE)];
    for (words, parts) in lists {
        for word in words {
            by_letter[usize::from(word.as_bytes()[0] - b'a')].push((word.as_bytes(), parts));
        }
    }
    by_letter
});

/// What the classes and ids of a page say, each found once.
#[derive(Debug, Default)]
pub(super) struct ClassParts<'a> {
    known: FxHashMap<&'a str, Parts>,
}

impl<'a> ClassParts<'a> {
    /// What the class and the id of an element say.
    pub(super) fn of_element(&mut self, dom: &'a Dom, id: NodeId) -> Parts {
        let attributes = dom.attributes(id);
        let values = ["class", "id"].into_iter().filter_map(|name| attributes.get(name));
        values.fold(Parts::default(), |parts, value| parts | self.of_value(value))
    }

    fn of_value(&mut self, value: &'a str) -> Parts {
        if let Some(&parts) = self.known.get(value) {
            return parts;
        }
        let parts = if value.len() <= MAX_BYTES { parts_of(value) } else { Parts::default() };
        if self.known.len() < MAX_KNOWN {
            self.known.insert(value, parts);
        }
        parts
    }
}

fn parts_of(value: &str) -> Parts {
    let value = value.to_ascii_lowercase();
    let mut found = Parts::default();
    for (at, byte) in value.bytes().enumerate() {
        let words = BY_LETTER.get(usize::from(byte.wrapping_sub(b'a')));
        for (word, parts) in words.into_iter().flatten() {
            if value.as_bytes()[at..].starts_with(word) {
                found = found | *parts;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_anywhere_in_a_value() {
        assert_eq!(parts_of("Entry-DATE"), Parts::DATE);
        assert_eq!(parts_of("x_authors more-posted"), Parts::ELSEWHERE | Parts::BYLINE | Parts::DATE);
        assert_eq!(parts_of("dat e comm\u{e9}nt"), Parts::default());
        for (words, parts) in [(ELSEWHERE_PARTS, Parts::ELSEWHERE), (BYLINE_PARTS, Parts::BYLINE)] {
            assert!(words.iter().all(|word| parts_of(&format!("a-{word}s")).has(parts)));
        }
    }

    #[test]
    fn both_attributes_count_and_long_ones_do_not() {
        let html = format!("<p class=byline id=date><p class='date {}'>", "x".repeat(MAX_BYTES));
        let dom = crate::html::parse_html(&html);
        let mut parts = ClassParts::default();
        let found: Vec<Parts> =
            dom.ids().filter(|&id| dom.tag(id) == "p").map(|id| parts.of_element(&dom, id)).collect();
        assert_eq!(found, [Parts::BYLINE | Parts::DATE, Parts::default()]);
    }
}
