//! The difference of two texts as HTML: words missing in the output and words only in the output
//! are marked.

use crate::gold::TokenUnit;
use crate::gold::matching::{Change, matching_blocks, opcodes};
use crate::gold::words::{Numbering, prepare, tokens};
use std::fmt::{self, Write};
use std::ops::Range;
use vclean_core::explain::Escaped;

/// Maximum number of characters shown of both texts together; longer pages are cut, so that a
/// browser can show them. Heuristic.
const MAX_CHARS: usize = 400_000;

/// A text divided into tokens, each with the white space after it.
struct Cut<'a> {
    text: &'a str,
    tokens: Vec<&'a str>,
}

impl<'a> Cut<'a> {
    fn new(text: &'a str, unit: TokenUnit) -> Self {
        Self {
            text,
            tokens: tokens(text, unit),
        }
    }

    /// Where a token starts in the text.
    fn start(&self, index: usize) -> usize {
        self.tokens[index].as_ptr() as usize - self.text.as_ptr() as usize
    }

    /// Writes the tokens of a range, each with a line break, a space or nothing after it, as in the
    /// text.
    fn write(&self, page: &mut String, range: Range<usize>) -> fmt::Result {
        for index in range {
            write!(page, "{}", Escaped(self.tokens[index]))?;
            let end = self.start(index) + self.tokens[index].len();
            let next = if index + 1 < self.tokens.len() {
                self.start(index + 1)
            } else {
                self.text.len()
            };
            let between = &self.text[end..next];
            if between.contains('\n') {
                page.push('\n');
            } else if !between.is_empty() {
                page.push(' ');
            }
        }
        Ok(())
    }
}

/// Writes the gold with missed words in `<ins>` and the words only the output has in `<del>`, in
/// the order of the alignment that the word score counts.
pub(super) fn write_diff(
    page: &mut String,
    output: &str,
    gold: &str,
    unit: TokenUnit,
) -> fmt::Result {
    let (output, gold) = (prepare(output), prepare(gold));
    let (output, gold) = (Cut::new(&output, unit), Cut::new(&gold, unit));
    let mut numbering = Numbering::new();
    let (a, b) = (
        numbering.number(output.tokens.iter().copied()),
        numbering.number(gold.tokens.iter().copied()),
    );
    let steps = opcodes(a.len(), b.len(), &matching_blocks(&a, &b, false));
    page.push_str("<div class=\"diff text\" dir=\"auto\">");
    let from = page.len();
    for (change, invented, missed) in steps {
        if page.len() - from > MAX_CHARS {
            page.push_str(
                "…</div>\n<p>The rest is left out: the page is too long to be shown.</p>\n",
            );
            return Ok(());
        }
        if change == Change::Equal {
            gold.write(page, missed)?;
            continue;
        }
        if !invented.is_empty() {
            page.push_str("<del>");
            output.write(page, invented)?;
            page.push_str("</del>");
        }
        if !missed.is_empty() {
            page.push_str("<ins>");
            gold.write(page, missed)?;
            page.push_str("</ins>");
        }
    }
    page.push_str("</div>\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(output: &str, gold: &str, unit: TokenUnit) -> String {
        let mut page = String::new();
        write_diff(&mut page, output, gold, unit).expect("writing to a string cannot fail");
        page
    }

    #[test]
    fn missed_and_invented_words_are_marked() {
        let page = diff("Menu\nOne two", "One\n\n\ntwo three", TokenUnit::Words);
        assert_eq!(
            page,
            "<div class=\"diff text\" dir=\"auto\"><del>Menu\n</del>One\ntwo <ins>three\n</ins></div>\n"
        );
        assert_eq!(
            diff("中文字", "中字", TokenUnit::Characters),
            "<div class=\"diff text\" dir=\"auto\">中<del>文</del>字\n</div>\n"
        );
    }

    #[test]
    fn text_never_becomes_markup_and_long_pages_are_cut() {
        let page = diff("<script> & </div>", "<img src=x>", TokenUnit::Words);
        assert!(
            !page.contains("<script")
                && !page.contains("<img")
                && page.matches("</div>").count() == 1,
            "{page}"
        );
        let long = "word other ".repeat(60_000);
        let gold = (0..6_000)
            .map(|index| format!("{index:0100}"))
            .collect::<Vec<_>>()
            .join(" word ");
        let page = diff(&long[..3000], &gold, TokenUnit::Words);
        assert!(page.len() < 3 * MAX_CHARS, "{}", page.len());
    }
}
