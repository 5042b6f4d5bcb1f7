//! Finds the end of an article: a notice such as "12 comments" after enough text.

use super::blocks::Block;
use super::page::Page;

/// Number of words from which a block is no notice.
const MAX_NOTICE_WORDS: usize = 15;

/// Number of characters below which a block is no notice.
const MIN_NOTICE_CHARS: usize = 8;

/// Number of words of full text before a notice that ends the article.
const MIN_WORDS_BEFORE: usize = 60;

/// Text density from which a block is full text.
const FULL_TEXT_DENSITY: f64 = 9.0;

/// Beginnings of notices. The second is from the library; its port lost the sign.
const BEGINNINGS: &[&str] = &["comments", "© reuters", "please rate this", "post a comment"];

/// Texts after the number at the start of a notice.
const AFTER_NUMBER: &[&str] = &[" comments", " users responded in"];

/// Texts inside notices. The last is from the library; its port lost the umlaut.
const HELD: &[&str] = &[
    "what you think...",
    "add your comment",
    "add comment",
    "reader views",
    "have your say",
    "reader comments",
    "rätta artikeln",
];

/// The whole text of a notice.
const WHOLE: &str = "thanks for your comments - this feedback is now closed";

/// Marks notices (the library's `TerminatingBlocksFinder`).
pub(super) fn find(blocks: &mut [Block], _: &Page) {
    for block in blocks.iter_mut().filter(|block| block.words < MAX_NOTICE_WORDS) {
        block.ends_text |= is_notice(&block.text);
    }
}

fn is_notice(text: &str) -> bool {
    let after_number = text.trim_start_matches(char::is_numeric);
    text.chars().count() >= MIN_NOTICE_CHARS
        && (BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
            || (after_number.len() < text.len() && AFTER_NUMBER.iter().any(|what| after_number.starts_with(what)))
            || HELD.iter().any(|held| text.contains(held))
            || text == WHOLE)
}

/// Drops all blocks from the first notice after enough full text (the library's
/// `IgnoreBlocksAfterContentFilter`).
pub(super) fn cut(blocks: &mut [Block], _: &Page) {
    let (mut words, mut is_over) = (0, false);
    for block in blocks.iter_mut() {
        if block.is_content && block.text_density() >= FULL_TEXT_DENSITY {
            words += block.words;
        }
        is_over |= block.ends_text && words >= MIN_WORDS_BEFORE;
        block.is_content &= !is_over;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_are_recognized() {
        for text in
            ["comments (3)", "12 comments", "3 users responded in this post", "post a comment", "© reuters 2010"]
        {
            assert!(is_notice(text), "{text}");
        }
        for text in ["comment", "comments", "no comments", "12 commenters", "share your views"] {
            assert_eq!(is_notice(text), text == "comments", "{text}");
        }
        assert!(is_notice("please add your comment below") && is_notice(WHOLE) && !is_notice("3 notes"));
    }

    #[test]
    fn a_notice_ends_the_text_after_sixty_words() {
        let page = Page { title: String::new() };
        for (words, kept) in [(59, [true, true, true]), (60, [true, false, false])] {
            let text = Block { words, words_in_lines: 9, lines: 1, is_content: true, ..Block::default() };
            let notice = Block { words: 2, text: "2 comments".into(), is_content: true, ..Block::default() };
            let mut blocks = vec![text.clone(), notice, text];
            find(&mut blocks, &page);
            cut(&mut blocks, &page);
            assert_eq!(blocks.iter().map(|block| block.is_content).collect::<Vec<_>>(), kept);
        }
        let wordy = Block { words: 15, text: "add your comment".into(), ..Block::default() };
        let mut blocks = vec![wordy];
        find(&mut blocks, &page);
        assert!(!blocks[0].ends_text);
    }
}
