//! Puts the Markdown of a page together from the parts of its recipe.

use super::page_text::PageText;
use super::recipe::{Part, Range, Source};

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
                let found = bounds(*range, *end).and_then(|(start, end)| Some((text.get(start..end)?, end)));
                let (found, after) = found
                    .ok_or_else(|| format!("part {index} is not a range of the page's text of {} bytes", text.len()))?;
                *end = after;
                markdown.push_str(found);
            }
        }
    }
    Ok(markdown)
}

/// Start and end of a range in bytes, if its start follows from `last`, the end of the range before it.
fn bounds(range: Range, last: usize) -> Option<(usize, usize)> {
    let start = last.checked_add_signed(isize::try_from(range.skip).ok()?)?;
    Some((start, start.checked_add(range.length)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;
    use proptest::prelude::*;

    fn range(skip: i64, length: usize) -> Part {
        Part::Range(Range { source: Source::Text, skip, length })
    }

    #[test]
    fn ranges_follow_one_another() {
        let page = PageText::of(&parse_html("<p>abcdefgh"));
        let parts = [Part::Literal("*".into()), range(1, 2), range(0, 1), range(-3, 1), Part::Literal("!".into())];
        assert_eq!(unpack(&parts, &page).unwrap(), "*bcdb!");
    }

    #[test]
    fn ranges_outside_the_page_are_errors() {
        let page = PageText::of(&parse_html("<p>aäb"));
        // Before the page, after it, and in the middle of the character of two bytes.
        for wrong in [range(-1, 1), range(0, 9), range(2, 1), range(0, 2), range(i64::MAX, 1), range(i64::MIN, 1)] {
            let cause = unpack(&[range(0, 1), range(-1, 0), wrong.clone()], &page).unwrap_err();
            assert!(cause.contains("part 2") && cause.contains("4 bytes"), "{cause}");
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
