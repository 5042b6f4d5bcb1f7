//! Divides the Markdown of a page into literals and ranges of the page's own text, and puts it
//! together again.

use super::recipe::{MAX_LITERAL_LETTERS, PageText, Part, Range, Source, letters};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Shortest range in bytes: a shorter one would take more room than the text itself.
const MIN_RANGE: usize = 6;
/// Shortest range in bytes once the literal before it has [`MANY_LETTERS`]. Also the length of the
/// keys of the index.
const MIN_RANGE_AFTER_LETTERS: usize = 4;
/// Number of letters of a literal from which shorter ranges are used, so that it stays within its
/// limit.
const MANY_LETTERS: usize = MAX_LITERAL_LETTERS / 2;

/// The parts of `markdown`: at each place the longest range of a text of the page that fits, else a
/// literal.
pub fn pack(markdown: &str, page: &PageText) -> Vec<Part> {
    let index = Index::of(page);
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut ends = [0; Source::ALL.len()];
    let mut rest = markdown;
    while let Some(first) = rest.chars().next() {
        let is_long = letters(&literal) >= MANY_LETTERS;
        let shortest = if is_long {
            MIN_RANGE_AFTER_LETTERS
        } else {
            MIN_RANGE
        };
        let found = index
            .longest(rest, &ends)
            .filter(|(_, _, length)| *length >= shortest);
        if let Some((source, start, length)) = found {
            push_literal(&mut parts, &mut literal);
            let end = &mut ends[source as usize];
            parts.push(Part::Range(Range {
                source,
                skip: start as i64 - *end as i64,
                length,
            }));
            *end = start + length;
            rest = &rest[length..];
        } else {
            literal.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    push_literal(&mut parts, &mut literal);
    parts
}

fn push_literal(parts: &mut Vec<Part>, literal: &mut String) {
    let text = std::mem::take(literal);
    if letters(&text) > MAX_LITERAL_LETTERS {
        parts.push(Part::Typed { typed: text });
    } else if !text.is_empty() {
        parts.push(Part::Literal(text));
    }
}

/// Where each four bytes occur in the texts of a page.
struct Index<'a> {
    page: &'a PageText,
    starts: [FxHashMap<[u8; MIN_RANGE_AFTER_LETTERS], Vec<usize>>; 3],
}

impl<'a> Index<'a> {
    fn of(page: &'a PageText) -> Self {
        let starts = Source::ALL.map(|source| {
            let text = page.get(source);
            let mut starts: FxHashMap<_, Vec<usize>> = FxHashMap::default();
            for (start, _) in text.char_indices() {
                if let Some(key) = text.as_bytes()[start..].first_chunk() {
                    starts.entry(*key).or_default().push(start);
                }
            }
            starts
        });
        Self { page, starts }
    }

    /// The longest start of `wanted` in a text of the page: source, start and length in bytes. Of
    /// several, the one that is closest to the end of the range before it of its source, and of
    /// those the one of the first source.
    fn longest(
        &self,
        wanted: &str,
        ends: &[usize; Source::ALL.len()],
    ) -> Option<(Source, usize, usize)> {
        let key = wanted.as_bytes().first_chunk()?;
        let found = Source::ALL.into_iter().flat_map(|source| {
            let text = self.page.get(source).as_bytes();
            let starts = self.starts[source as usize]
                .get(key)
                .map(Vec::as_slice)
                .unwrap_or_default();
            starts
                .iter()
                .map(move |&start| (source, start, common_prefix(wanted, &text[start..])))
        });
        found.max_by_key(|(source, start, length)| {
            (
                *length,
                Reverse(start.abs_diff(ends[*source as usize])),
                Reverse(*source as usize),
            )
        })
    }
}

/// Number of bytes at the start that both have, of whole characters.
fn common_prefix(wanted: &str, text: &[u8]) -> usize {
    let same = wanted
        .as_bytes()
        .iter()
        .zip(text)
        .take_while(|(one, other)| one == other)
        .count();
    wanted.floor_char_boundary(same)
}

/// The Markdown that `parts` describe.
///
/// # Errors
/// If a range is outside the text of the page, or divides a character.
pub fn unpack(parts: &[Part], page: &PageText) -> Result<String, String> {
    let mut markdown = String::new();
    let mut ends = [0; Source::ALL.len()];
    for (index, part) in parts.iter().enumerate() {
        match part {
            Part::Literal(text) | Part::Typed { typed: text } => markdown.push_str(text),
            Part::Range(range) => {
                let text = page.get(range.source);
                let end = &mut ends[range.source as usize];
                let found = bounds(*range, *end)
                    .and_then(|(start, end)| Some((text.get(start..end)?, end)));
                let (found, after) = found.ok_or_else(|| {
                    format!(
                        "part {index} is not a range of the page's text of {} bytes",
                        text.len()
                    )
                })?;
                *end = after;
                markdown.push_str(found);
            }
        }
    }
    Ok(markdown)
}

/// Start and end of a range in bytes, if its start follows from `last`, the end of the range before
/// it.
fn bounds(range: Range, last: usize) -> Option<(usize, usize)> {
    let start = last.checked_add_signed(isize::try_from(range.skip).ok()?)?;
    Some((start, start.checked_add(range.length)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use vclean_core::html::parse_html;

    fn page(html: &str) -> PageText {
        PageText::of(&parse_html(html))
    }

    #[test]
    fn the_words_of_the_page_become_ranges() {
        let page = page(
            "<h1>Herring gulls</h1>\n<p>They drop <a href='https://x.org/m'>mussels</a>\n on rocks.</p>",
        );
        let markdown = "# Herring gulls\n\nThey drop [mussels](https://x.org/m) on rocks.\n";
        let parts = pack(markdown, &page);
        let expected = [
            Part::Literal("# ".into()),
            Part::Range(Range {
                source: Source::Text,
                skip: 0,
                length: 14,
            }),
            // The same line break again: Markdown has two.
            Part::Range(Range {
                source: Source::Text,
                skip: -1,
                length: 11,
            }),
            Part::Literal("[".into()),
            Part::Range(Range {
                source: Source::Text,
                skip: 0,
                length: 7,
            }),
            Part::Literal("](".into()),
            Part::Range(Range {
                source: Source::Addresses,
                skip: 0,
                length: 15,
            }),
            Part::Literal(")".into()),
            Part::Range(Range {
                source: Source::Text,
                skip: 1,
                length: 10,
            }),
            Part::Literal("\n".into()),
        ];
        assert_eq!(parts, expected);
        assert_eq!(unpack(&parts, &page).unwrap(), markdown);
    }

    #[test]
    fn long_text_that_the_page_lacks_is_typed() {
        let page = page("<p>The area of a circle.</p>");
        let formula =
            "\\mathcal{A}=\\int_0^{2\\pi}\\int_0^R\\rho\\,d\\rho\\,d\\varphi=\\pi R^2+\\zeta";
        let parts = pack(&format!("The area of a circle.\n\n$${formula}$$\n"), &page);
        assert_eq!(parts.len(), 2);
        assert!(
            matches!(&parts[1], Part::Typed { typed } if typed.contains(formula)),
            "{parts:?}"
        );
    }

    #[test]
    fn short_words_of_the_page_do_not_pile_up_in_a_literal() {
        let words: Vec<String> = (10..40).map(|number| format!("w{number}x")).collect();
        let cells = words.join("</td><td>");
        let page = page(&format!("<table><tr><td>{cells}</td></tr></table>"));
        let markdown = format!(
            "| {} |",
            words.iter().rev().cloned().collect::<Vec<_>>().join(" | ")
        );
        let parts = pack(&markdown, &page);
        assert!(
            parts.iter().all(|part| !matches!(part, Part::Typed { .. })),
            "{parts:?}"
        );
        assert_eq!(unpack(&parts, &page).unwrap(), markdown);
    }

    proptest! {
        #[test]
        fn unpacking_gives_the_same_markdown(
            html in "(<p>|<a href='[a-d/]{0,9}'>|</a>|<td>|[a-dä漢 \n]{0,14}){0,14}",
            markdown in "[-a-dä漢é#|* \n]{0,60}",
            from in 0..60usize,
        ) {
            let page = page(&html);
            // Its own words too, from anywhere on the page.
            let own: String = page.get(Source::Text).chars().skip(from).take(30).collect();
            let whole = format!("{markdown}{own}{markdown}");
            let parts = pack(&whole, &page);
            prop_assert_eq!(unpack(&parts, &page), Ok(whole));
            let has_pair = |one: &Part, other: &Part| matches!((one, other), (Part::Literal(_), Part::Literal(_)));
            prop_assert!(!parts.windows(2).any(|two| has_pair(&two[0], &two[1])));
        }
    }

    fn range(skip: i64, length: usize) -> Part {
        Part::Range(Range {
            source: Source::Text,
            skip,
            length,
        })
    }

    #[test]
    fn ranges_follow_one_another() {
        let page = PageText::of(&parse_html("<p>abcdefgh"));
        let parts = [
            Part::Literal("*".into()),
            range(1, 2),
            range(0, 1),
            range(-3, 1),
            Part::Literal("!".into()),
        ];
        assert_eq!(unpack(&parts, &page).unwrap(), "*bcdb!");
    }

    #[test]
    fn ranges_outside_the_page_are_errors() {
        let page = PageText::of(&parse_html("<p>aäb"));
        // Before the page, after it, and in the middle of the character of two bytes.
        for wrong in [
            range(-1, 1),
            range(0, 9),
            range(2, 1),
            range(0, 2),
            range(i64::MAX, 1),
            range(i64::MIN, 1),
        ] {
            let cause = unpack(&[range(0, 1), range(-1, 0), wrong.clone()], &page).unwrap_err();
            assert!(
                cause.contains("part 2") && cause.contains("4 bytes"),
                "{cause}"
            );
        }
        assert!(unpack(&[range(0, usize::MAX)], &page).is_err());
    }

    proptest! {
        #[test]
        fn any_parts_give_text_or_an_error(numbers in prop::collection::vec((0..3u8, -20..20i64, 0..20usize), 0..9)) {
            let page = PageText::of(&parse_html("<p>äb <a href='/xä'>漢字</a>"));
            let parts: Vec<Part> = numbers.into_iter().map(|part| Part::Range(part.try_into().unwrap())).collect();
            let _ = unpack(&parts, &page);
        }
    }
}
