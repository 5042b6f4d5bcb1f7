//! The text blocks of Boilerpipe and their counts: words, words in links, and lines of 80
//! characters.
//!
//! All elements except a few inline ones separate blocks. A link adds white space at both ends, so
//! that each word is either in it or outside (the library's default tag actions). The counts are
//! the shallow text features of Kohlschütter 2010, section 3: text density is the number of words
//! in full lines divided by the number of full lines, where text is wrapped at 80 characters.

use crate::method::block::{BlockRules, TextBlock, split_spaced};
use vclean_core::capture::Dom;
use vclean_core::language::character::{Class, class};

/// Characters of a line (Kohlschütter 2010, section 3; the library's `TextBlock`).
const LINE_CHARS: usize = 80;

/// Elements whose borders do not separate blocks; this list and the two below are those of the
/// method.
fn is_inline(tag: &str) -> bool {
    let is_plain = matches!(
        tag,
        "strike"
            | "u"
            | "b"
            | "i"
            | "em"
            | "strong"
            | "span"
            | "sup"
            | "code"
            | "tt"
            | "sub"
            | "var"
            | "font"
    );
    is_plain || sets_space(tag)
}

/// Inline elements with white space at both borders.
fn sets_space(tag: &str) -> bool {
    matches!(tag, "a" | "abbr" | "acronym")
}

/// Ignored elements. The first seven are the library's; outside `body` it reads only the title, and
/// the text of a frame belongs to another page.
fn is_ignored(tag: &str) -> bool {
    matches!(
        tag,
        "style"
            | "script"
            | "option"
            | "object"
            | "embed"
            | "applet"
            | "noscript"
            | "head"
            | "iframe"
            | "noframes"
            | "noembed"
            | "template"
    )
}

pub(super) fn cut(dom: &Dom) -> Vec<TextBlock> {
    let rules = BlockRules {
        parts: |tag| !is_inline(tag),
        ignores: is_ignored,
        double_break_parts: false,
    };
    split_spaced(dom, &rules, sets_space)
}

/// One or more text blocks that are kept or dropped together.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct BlockGroup {
    /// Indices of its text blocks on the page, in order.
    pub(super) parts: Vec<usize>,
    /// First and last index among the page's blocks with tokens.
    pub(super) numbers: (usize, usize),
    /// The text, in lower case, if it is a single text block.
    pub(super) text: String,
    pub(super) words: usize,
    /// Number of words in links.
    pub(super) linked_words: usize,
    /// Number of words in full lines, or in the only line.
    pub(super) words_in_lines: usize,
    /// Number of full lines, at least 1.
    pub(super) lines: usize,
    /// True if it is content so far.
    pub(super) is_content: bool,
    /// True if it is the page's title.
    pub(super) is_title: bool,
    /// True if its text marks the end of an article.
    pub(super) ends_text: bool,
    /// True if it may become content because of a headline.
    pub(super) may_be_content: bool,
}

impl BlockGroup {
    /// Words per line, 0 for a block without words.
    pub(super) fn text_density(&self) -> f64 {
        if self.words_in_lines == 0 {
            self.words as f64
        } else {
            self.words_in_lines as f64 / self.lines as f64
        }
    }

    /// Share of words in links, 0 to 1; 0 without words.
    pub(super) fn link_density(&self) -> f64 {
        if self.words == 0 {
            0.0
        } else {
            self.linked_words as f64 / self.words as f64
        }
    }

    /// Merges the following block into this one.
    pub(super) fn merge(&mut self, next: Self) {
        self.parts.extend(next.parts);
        self.numbers = (
            self.numbers.0.min(next.numbers.0),
            self.numbers.1.max(next.numbers.1),
        );
        self.words += next.words;
        self.linked_words += next.linked_words;
        self.words_in_lines += next.words_in_lines;
        self.lines += next.lines;
        if self.words_in_lines == 0 {
            (self.words_in_lines, self.lines) = (self.words, 1);
        }
        self.is_content |= next.is_content;
        self.is_title |= next.is_title;
        self.ends_text |= next.ends_text;
        self.may_be_content |= next.may_be_content;
    }
}

/// Counts the words of text blocks; those without a token, such as a single bar, are left out.
pub(super) fn count(texts: &[TextBlock]) -> Vec<BlockGroup> {
    let mut blocks: Vec<BlockGroup> = Vec::with_capacity(texts.len());
    for (part, text) in texts.iter().enumerate() {
        if let Some(counted) = count_one(text) {
            let number = blocks.len();
            let lower = text.text.to_lowercase();
            blocks.push(BlockGroup {
                parts: vec![part],
                numbers: (number, number),
                text: lower,
                ..counted
            });
        }
    }
    blocks
}

fn count_one(block: &TextBlock) -> Option<BlockGroup> {
    let mut counted = BlockGroup::default();
    let (mut has_token, mut full_lines, mut words_on_line) = (false, 0, 0);
    // Characters on the line so far; the first word has no space before it.
    let mut line_chars: usize = 0;
    let mut links = block.linked.iter().peekable();
    for (start, token) in tokens(&block.text) {
        has_token = true;
        if !token.chars().any(is_letter_or_digit) {
            continue;
        }
        counted.words += 1;
        words_on_line += 1;
        while links.next_if(|link| link.end <= start).is_some() {}
        counted.linked_words += usize::from(links.peek().is_some_and(|link| link.contains(&start)));
        let chars = token.chars().count();
        line_chars += chars + usize::from(counted.words > 1);
        if line_chars > LINE_CHARS {
            full_lines += 1;
            (line_chars, words_on_line) = (chars, 1);
        }
    }
    // Words of the last line count only if it is the only one. With a single word longer than a
    // line, no word is in a full line; then all count, as on one line.
    let in_full_lines = counted.words - if full_lines > 0 { words_on_line } else { 0 };
    (counted.words_in_lines, counted.lines) = if in_full_lines > 0 {
        (in_full_lines, full_lines.max(1))
    } else {
        (counted.words, 1)
    };
    has_token.then_some(counted)
}

/// Runs of letters, digits and the marks that the library allows in words, with their start in
/// bytes.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(is_in_token)?;
        let end = text[start..]
            .find(|c| !is_in_token(c))
            .map_or(text.len(), |length| start + length);
        rest = end;
        Some((start, &text[start..end]))
    })
}

fn is_in_token(c: char) -> bool {
    is_letter_or_digit(c)
        || matches!(
            c,
            '_' | '"'
                | '\''
                | '.'
                | ','
                | '!'
                | '@'
                | '-'
                | ':'
                | ';'
                | '$'
                | '?'
                | '('
                | ')'
                | '/'
        )
}

fn is_letter_or_digit(c: char) -> bool {
    matches!(class(c), Class::Letter | Class::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::html::parse_html;

    fn counted(html: &str) -> Vec<BlockGroup> {
        count(&cut(&parse_html(html)))
    }

    #[test]
    fn breaks_and_images_separate_blocks_and_inline_elements_do_not() {
        let html = "<p>a<b>b</b> c<br>d<img>e <span>f</span><q>g</q><select><option>h</select>i<script>x</script>j";
        let blocks = cut(&parse_html(html));
        let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
        assert_eq!(texts, ["ab c", "d", "e f", "g", "i", "j"]);
    }

    #[test]
    fn words_and_linked_words_are_counted() {
        let blocks =
            counted("<p>It's 3.5 - see<a href=x>the <i>sea</i></a>, <abbr>e.g.</abbr>|<p>|<p>...");
        assert_eq!(
            (blocks.len(), blocks[0].words, blocks[0].linked_words),
            (2, 6, 2)
        );
        assert_eq!(
            (
                blocks[1].words,
                blocks[1].text_density(),
                blocks[1].link_density()
            ),
            (0, 0.0, 0.0)
        );
        // The block without tokens has no index.
        assert_eq!(
            (blocks[1].numbers, &*blocks[1].parts),
            ((1, 1), [2].as_slice())
        );
    }

    #[test]
    fn a_link_may_hold_blocks() {
        let blocks = counted("<a href=x><div>one two</div>three</a> four");
        assert_eq!(
            blocks
                .iter()
                .map(|block| block.linked_words)
                .collect::<Vec<_>>(),
            [2, 1]
        );
    }

    #[test]
    fn lines_have_eighty_characters() {
        // Eight words of nine letters and seven spaces are 79 characters; the ninth word begins a
        // line that is not full.
        let eight = format!("<p>{}", ["ninechars"; 8].join(" "));
        assert_eq!(
            (counted(&eight)[0].lines, counted(&eight)[0].text_density()),
            (1, 8.0)
        );
        let nine = counted(&format!("{eight} x"));
        assert_eq!(
            (nine[0].lines, nine[0].words, nine[0].text_density()),
            (1, 9, 8.0)
        );
        let seventeen = counted(&format!("<p>{}", ["ninechars"; 17].join(" ")));
        assert_eq!(
            (
                seventeen[0].lines,
                seventeen[0].words_in_lines,
                seventeen[0].words
            ),
            (2, 16, 17)
        );
        let long = counted(&format!("<p>{}", "x".repeat(100)));
        assert_eq!(long[0].text_density(), 1.0);
    }
}
