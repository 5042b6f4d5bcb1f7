//! Turns ranges of a source into lines of text: tags are removed, and the crate `html-escape`
//! decodes character references.
//!
//! The tags are found here and not by html5ever, because a captured range is not a document: it may
//! begin within a tag or a table. The cost is linear.

use std::ops::Range;
use vclean_core::elements::separates_text_blocks;
use vclean_core::text::collapse;

/// A tag, comment or declaration in a source.
struct Tag<'s> {
    /// Its range; that of a comment, script or style sheet includes its content.
    range: Range<usize>,
    /// Its name as written; empty for comments and declarations.
    name: &'s str,
}

/// The tags of a source, in order. A tag without an end is text.
fn tags(source: &str) -> impl Iterator<Item = Tag<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + source[from..].find('<')?;
            let rest = &source[start + 1..];
            let name = rest.strip_prefix('/').unwrap_or(rest);
            let name = &name[..name
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(name.len())];
            let is_named = name.starts_with(|c: char| c.is_ascii_alphabetic());
            if !is_named && !rest.starts_with(['!', '?']) {
                from = start + 1;
                continue;
            }
            let close = if rest.starts_with("!--") { "-->" } else { ">" };
            let Some(length) = rest.find(close) else {
                from = source.len();
                return None;
            };
            let mut end = start + 1 + length + close.len();
            if is_named
                && !rest.starts_with('/')
                && ["script", "style"]
                    .iter()
                    .any(|raw| name.eq_ignore_ascii_case(raw))
            {
                end += end_of_raw(&source[end..], name);
            }
            from = end;
            return Some(Tag {
                range: start..end,
                name: if is_named { name } else { "" },
            });
        }
    })
}

/// Where the content of a script or style sheet ends: before its end tag, or at the end of the
/// source.
fn end_of_raw(source: &str, name: &str) -> usize {
    let mut from = 0;
    while let Some(found) = source[from..].find("</") {
        from += found;
        let is_end = source.as_bytes()[from + 2..].get(..name.len());
        if is_end.is_some_and(|end| end.eq_ignore_ascii_case(name.as_bytes())) {
            return from;
        }
        from += 2;
    }
    source.len()
}

/// The text of ranges of a source, in lines: the tag of a block element ends a line, in a range or
/// between two ranges. Two ranges without such a tag between them are separated by a space.
pub(super) fn plain_lines(source: &str, kept: &[Range<usize>]) -> Vec<String> {
    let mut text = String::new();
    let mut from = 0;
    for range in kept {
        let between = &source[from..range.start];
        if tags(between).any(|tag| is_border(tag.name)) {
            text.push('\n');
        } else if !between.is_empty() {
            text.push(' ');
        }
        let stretch = &source[range.clone()];
        let mut at = 0;
        for tag in tags(stretch) {
            push_flat(&mut text, &stretch[at..tag.range.start]);
            at = tag.range.end;
            if is_border(tag.name) {
                text.push('\n');
            } else if tag.name.eq_ignore_ascii_case("br") {
                text.push(' ');
            }
        }
        push_flat(&mut text, &stretch[at..]);
        from = range.end;
    }
    text.split('\n')
        .map(plain)
        .filter(|line| !line.is_empty())
        .collect()
}

fn is_border(name: &str) -> bool {
    separates_text_blocks(&name.to_ascii_lowercase())
}

/// Adds text, with the line breaks of the source as spaces.
fn push_flat(text: &mut String, part: &str) {
    text.extend(part.chars().map(|c| if c == '\n' { ' ' } else { c }));
}

/// A line with its references decoded and its white space collapsed.
fn plain(line: &str) -> String {
    collapse(&html_escape::decode_html_entities(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(source: &str) -> Vec<String> {
        plain_lines(
            source,
            &[Range {
                start: 0,
                end: source.len(),
            }],
        )
    }

    #[test]
    fn tags_are_removed_and_references_are_decoded() {
        assert_eq!(
            whole("a <b>b</b>c<br>d<P class=x>e &amp;&nbsp;f &#8211; g</p>"),
            ["a bc d", "e & f – g"]
        );
        assert_eq!(
            whole("a<!-- <p> --> b<!doctype x> 1 < 2 <script>x<p>y</script>c"),
            ["a b 1 < 2 c"]
        );
        assert_eq!(whole("a<STYLE>p</style >b<script>never ends"), ["ab"]);
        assert_eq!(whole("one\ntwo <unfinished"), ["one two <unfinished"]);
    }

    #[test]
    fn borders_between_ranges_separate_lines() {
        let source = "one two<p>three</p>";
        assert_eq!(
            plain_lines(source, &[0..3, 4..7, 10..15]),
            ["one two", "three"]
        );
        assert_eq!(plain_lines(source, &[0..2, 2..3]), ["one"]);
        assert!(plain_lines(source, &[]).is_empty());
    }

    proptest! {
        #[test]
        fn no_source_makes_it_panic(source in "(<|>|</|<!--|-->|script|style|p|é|&|&lt;|;| |\n|=){0,60}") {
            prop_assert!(whole(&source).iter().all(|line| !line.is_empty() && !line.contains('\n')));
        }
    }
}
