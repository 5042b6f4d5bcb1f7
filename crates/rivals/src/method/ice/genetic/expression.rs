//! Matches an expression against a source repeatedly and keeps the text captured by its groups.
//!
//! The paper used Perl's expressions on the whole page and interrupted them when they took too
//! long. The crate `regex` finds one match in linear time, but many matches that each look far
//! ahead still take time quadratic in the page. So limits that do not depend on the clock replace
//! the time-out: each match is searched in a window of the source, which is the whole page at first
//! and shrinks with the number of searches, so that the sum of all windows is bounded.

use super::markup::plain_lines;
use regex::{Regex, RegexBuilder};
use std::ops::Range;
use vclean_core::error::ModelError;

/// Size of the first window in bytes; the second is half of it, the third a third. All searches
/// together read at most about ten times as many bytes (the harmonic sum), which takes a second.
/// Heuristic.
const FIRST_WINDOW: usize = 1 << 26;
/// Size of the smallest window in bytes. Heuristic: a long paragraph with its markup is smaller.
const LAST_WINDOW: usize = 1 << 13;
/// Largest number of searches per page. Heuristic: the number of words of a page of two hundred
/// kilobytes.
const MAX_SEARCHES: usize = 20_000;
/// Largest part of a page that is read, in bytes; the rest is left out.
const MAX_BYTES: usize = 1 << 22;
/// Largest compiled expression, in bytes.
const MAX_SIZE: usize = 1 << 20;
/// Largest memory of the lazy automaton that runs it, in bytes: with less, a method a hundred times
/// slower is used.
const MAX_MACHINE: usize = 1 << 24;

/// A regular expression that captures text.
#[derive(Debug, Clone)]
pub(crate) struct Expression {
    regex: Regex,
}

impl Expression {
    /// Compiles an expression: case is ignored, and `.` matches line breaks too, because tags are
    /// written in either case and text extends over lines.
    ///
    /// # Errors
    /// If it is not valid, or becomes too large.
    pub(crate) fn new(expression: &str) -> Result<Self, ModelError> {
        let built = RegexBuilder::new(expression)
            .case_insensitive(true)
            .dot_matches_new_line(true)
            .size_limit(MAX_SIZE)
            .dfa_size_limit(MAX_MACHINE)
            .build();
        let bad = |error: regex::Error| {
            ModelError::Format(format!(
                "its expression {expression} cannot be used: {error}; train it again"
            ))
        };
        built.map(|regex| Self { regex }).map_err(bad)
    }

    /// The text captured by the groups, one paragraph per line.
    pub(crate) fn extract(&self, source: &str) -> Vec<String> {
        plain_lines(source, &self.captured(source))
    }

    /// The ranges captured by the groups, in order, without overlap.
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
                // A match may extend over the end of the window.
                from = boundary(source, from + window / 2);
                continue;
            };
            // Groups are in the order of their starts only if none is in a branch that was not
            // taken.
            let mut ranges: Vec<(usize, usize)> = (1..groups.len())
                .filter_map(|group| groups.get(group))
                .filter(|(start, end)| start < end)
                .collect();
            ranges.sort_unstable();
            for (start, end) in ranges {
                let (start, end) = (from + start, from + end);
                match kept.last_mut() {
                    // A group within another, or captured again by the same match.
                    Some(last) if start < last.end => last.end = last.end.max(end),
                    _ => kept.push(start..end),
                }
            }
            let end = from + found.end();
            from = if found.end() > 0 {
                end
            } else {
                end + source[end..].chars().next().map_or(1, char::len_utf8)
            };
        }
        kept
    }
}

/// The last character boundary that is not after `place`.
fn boundary(source: &str, place: usize) -> usize {
    if place >= source.len() {
        return source.len();
    }
    (0..=place)
        .rev()
        .find(|&place| source.is_char_boundary(place))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kept(expression: &str, source: &str) -> Vec<String> {
        let ranges = Expression::new(expression).unwrap().captured(source);
        ranges
            .into_iter()
            .map(|range| source[range].to_owned())
            .collect()
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
        assert_eq!(
            kept("<p>(.*?)</p>", &late).len(),
            FIRST_WINDOW / LAST_WINDOW
        );
    }

    #[test]
    fn bad_expressions_are_refused() {
        assert!(
            Expression::new("(")
                .unwrap_err()
                .to_string()
                .contains("train it again")
        );
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
