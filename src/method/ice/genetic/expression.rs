//! Matches an expression against a source, again and again, and keeps what its groups capture.
//!
//! The paper ran Perl's expressions against the whole page and interrupted them when they took too long. The crate
//! `regex` finds one match in linear time, but many matches that each look far ahead still cost the square of the page.
//! So bounds that need no clock stand in for the time-out: a match is sought in a window of the source, which holds the
//! whole page at first and the less the more was sought, so that all windows together are bounded.

use super::markup::plain_lines;
use crate::error::ModelError;
use regex::{Regex, RegexBuilder};
use std::ops::Range;

/// Bytes in which the first match lies; the second in half as many, the third in a third. All searches together read at
/// most about ten times as many (the harmonic sum), a second's work. Heuristic.
const FIRST_WINDOW: usize = 1 << 26;
/// Bytes of the smallest window. Heuristic: a long paragraph with its markup has less.
const LAST_WINDOW: usize = 1 << 13;
/// Searches on one page. Heuristic: as many as a page of two hundred kilobytes has words.
const MAX_SEARCHES: usize = 20_000;
/// Bytes of a page that are read; what follows is left out.
const MAX_BYTES: usize = 1 << 22;
/// Largest compiled expression, in bytes.
const MAX_SIZE: usize = 1 << 20;
/// Largest memory of the machine that runs it, in bytes: with less it falls back to one a hundred times slower.
const MAX_MACHINE: usize = 1 << 24;

/// A regular expression that captures text.
#[derive(Debug, Clone)]
pub(crate) struct Expression {
    regex: Regex,
}

impl Expression {
    /// Compiles an expression: case does not count, and `.` is any character, for tags are written in either case and
    /// text runs over lines.
    ///
    /// # Errors
    /// If it is none, or becomes too large.
    pub(crate) fn new(expression: &str) -> Result<Self, ModelError> {
        let built = RegexBuilder::new(expression)
            .case_insensitive(true)
            .dot_matches_new_line(true)
            .size_limit(MAX_SIZE)
            .dfa_size_limit(MAX_MACHINE)
            .build();
        let bad = |error: regex::Error| {
            ModelError::Format(format!("its expression {expression} cannot be used: {error}; train it again"))
        };
        built.map(|regex| Self { regex }).map_err(bad)
    }

    /// The text that the groups capture, a paragraph a line.
    pub(crate) fn extract(&self, source: &str) -> Vec<String> {
        plain_lines(source, &self.captured(source))
    }

    /// What the groups capture: in order, without overlap.
    fn captured(&self, source: &str) -> Vec<Range<usize>> {
        let source = &source[..boundary(source, MAX_BYTES)];
        let mut groups = self.regex.capture_locations();
        let mut kept: Vec<Range<usize>> = Vec::new();
        let (mut from, mut searches) = (0, 0);
        while from < source.len() && searches < MAX_SEARCHES {
            searches += 1;
            let window = (FIRST_WINDOW / searches).max(LAST_WINDOW);
            let to = boundary(source, from + window);
            let Some(found) = self.regex.captures_read(&mut groups, &source[from..to]) else {
                if to == source.len() {
                    break;
                }
                // A match may lie across the border of the window.
                from = boundary(source, from + window / 2);
                continue;
            };
            // Groups are in the order of their starts only where none is in a branch that was not taken.
            let mut ranges: Vec<(usize, usize)> =
                (1..groups.len()).filter_map(|group| groups.get(group)).filter(|(start, end)| start < end).collect();
            ranges.sort_unstable();
            for (start, end) in ranges {
                let (start, end) = (from + start, from + end);
                match kept.last_mut() {
                    // A group in another, or captured anew by the same match.
                    Some(last) if start < last.end => last.end = last.end.max(end),
                    _ => kept.push(start..end),
                }
            }
            let end = from + found.end();
            from = if found.end() > 0 { end } else { end + source[end..].chars().next().map_or(1, char::len_utf8) };
        }
        kept
    }
}

/// The last border between characters that is not after `place`.
fn boundary(source: &str, place: usize) -> usize {
    if place >= source.len() {
        return source.len();
    }
    (0..=place).rev().find(|&place| source.is_char_boundary(place)).unwrap_or(0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kept(expression: &str, source: &str) -> Vec<String> {
        let ranges = Expression::new(expression).unwrap().captured(source);
        ranges.into_iter().map(|range| source[range].to_owned()).collect()
    }

    #[test]
    fn all_groups_of_all_matches_are_kept_once() {
        assert_eq!(kept("<p>(.*?)</p>", "<p>a</p>x<P>b</P>"), ["a", "b"]);
        assert_eq!(kept(r"(\w+) (\w+)", "a b, c d e"), ["a", "b", "c", "d"]);
        assert_eq!(kept(r"((\w)\w*)", "ab cd"), ["ab", "cd"]);
        assert_eq!(kept("(?:(a)|(b))", "ba"), ["b", "a"]);
        assert_eq!(kept(r"(\w*?)", "abc"), Vec::<String>::new());
        assert_eq!(kept("x", "xxx"), Vec::<String>::new());
    }

    #[test]
    fn a_page_without_end_is_bounded() {
        let page = "<b".repeat(200_000);
        assert_eq!(kept("<(b).*?>", &page), Vec::<String>::new());
        assert_eq!(kept("(b)", &page).len(), MAX_SEARCHES);
        // The first match may be as long as the page, a late one may not.
        let long = format!("<p>{}</p>", "x".repeat(10 * LAST_WINDOW));
        assert_eq!(kept("<p>(.*?)</p>", &long).len(), 1);
        let late = format!("{}{long}", "<p>y</p>".repeat(FIRST_WINDOW / LAST_WINDOW));
        assert_eq!(kept("<p>(.*?)</p>", &late).len(), FIRST_WINDOW / LAST_WINDOW);
    }

    #[test]
    fn bad_expressions_are_refused() {
        assert!(Expression::new("(").unwrap_err().to_string().contains("train it again"));
        assert!(Expression::new(r"\w{1000}{1000}").is_err());
    }

    proptest! {
        #[test]
        fn kept_ranges_are_in_order_and_whole_characters(source in "(<p>|</p>|é|a|中| ){0,60}") {
            let ranges = Expression::new(r"(?:<p>(.*?)</p>|(\w)(\w*))").unwrap().captured(&source);
            prop_assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start));
            prop_assert!(ranges.into_iter().all(|range| source.get(range).is_some()));
        }
    }
}
