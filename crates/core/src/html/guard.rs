//! Limits the cost of hostile pages, between tokenizer and tree builder.
//!
//! Content that only hostile pages have is left out: elements at a depth above [`MAX_OPEN`] (their
//! text is kept), and the rest of the page once the tree is larger than that of any real page.
//! `html` feeds the guard and reports in warnings what was left out.

use super::arena::{Arena, ArenaSink, Handle, MAX_ATTRIBUTES, MAX_NODES, MAX_OPEN, Mark};
use crate::elements::{is_formatting, is_leaf};
use html5ever::LocalName;
use html5ever::interface::Tracer;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use std::cell::{Cell, RefCell};

/// Number of elements that the parser may add itself: this many, plus eight for each start tag.
/// Misnested formatting elements are repeated in each following paragraph, without limit in a
/// hostile page.
const SPARE_ELEMENTS: usize = 100_000;

/// Number of end tags after which a full stack is counted again. Counting takes time proportional
/// to the depth of the stack.
const STALE_AFTER: usize = 32;

/// Number of tags that may be read while half of [`MAX_OPEN`] elements are open; then the page is
/// cut. Each of them may make the tree builder search all open elements. Real pages have hardly any
/// such tags.
const MAX_DEEP_TAGS: usize = 200_000;

/// The page is cut after this many attributes, or after this many bytes (plus four for each byte of
/// the page) of text that is not in the page itself. A hostile page makes the parser repeat
/// elements with many or long attributes.
const MAX_ALL_ATTRIBUTES: usize = MAX_NODES;
const SPARE_TEXT_BYTES: usize = 64 << 20;

/// Counts the open elements and the active formatting elements of the tree builder.
#[derive(Default)]
struct Count {
    plain: Cell<usize>,
    formatting: Cell<usize>,
}

impl Tracer for Count {
    type Handle = Handle;

    fn trace_handle(&self, node: &Handle) {
        let count = if is_formatting(node.tag()) {
            &self.formatting
        } else {
            &self.plain
        };
        count.set(count.get() + 1);
    }
}

/// A token sink between tokenizer and tree builder that leaves out content found only in hostile
/// pages.
pub(super) struct Guard {
    pub(super) builder: TreeBuilder<Handle, ArenaSink>,
    /// Number of start tags so far.
    seen: Cell<usize>,
    /// State at the last count of the open elements: the number of created elements, and the
    /// numbers of open plain and formatting elements.
    counted: Cell<(usize, usize, usize)>,
    /// Number of end tags since the open elements were last counted.
    closed: Cell<usize>,
    /// Omitted start tags whose end tag has not been read yet, innermost last.
    left_out: RefCell<Vec<LocalName>>,
    /// True if the tree has reached its largest allowed size.
    pub(super) is_cut: Cell<bool>,
    /// True if a token was read since the last piece started.
    pub(super) is_moving: Cell<bool>,
    /// True if the last token was a tag that is followed by normal markup.
    pub(super) is_after_tag: Cell<bool>,
    /// True if elements were left out because of their depth.
    pub(super) depth_cut: Cell<bool>,
    /// Number of tags read while the stack was at least half full.
    deep_tags: Cell<usize>,
    /// Number of bytes of text after which the page is cut.
    max_text_bytes: usize,
}

impl Guard {
    pub(super) fn new(page: StrTendril) -> Self {
        let max_text_bytes = page
            .len()
            .saturating_mul(5)
            .saturating_add(SPARE_TEXT_BYTES)
            .min(u32::MAX as usize / 2);
        let arena = Arena::new(page);
        let sink = ArenaSink {
            arena: RefCell::new(arena),
            elements: Cell::new(0),
        };
        Self {
            builder: TreeBuilder::new(
                sink,
                TreeBuilderOpts {
                    drop_doctype: true,
                    ..TreeBuilderOpts::default()
                },
            ),
            seen: Cell::new(0),
            counted: Cell::new((0, 0, 0)),
            closed: Cell::new(0),
            left_out: RefCell::new(Vec::new()),
            is_cut: Cell::new(false),
            is_moving: Cell::new(false),
            is_after_tag: Cell::new(false),
            depth_cut: Cell::new(false),
            deep_tags: Cell::new(0),
            max_text_bytes,
        }
    }

    /// Returns true if `tag` has to be left out.
    fn leaves_out(&self, tag: &Tag) -> bool {
        match tag.kind {
            TagKind::StartTag => {
                self.seen.set(self.seen.get() + 1);
                if !self.is_too_deep(&tag.name) {
                    return false;
                }
                self.depth_cut.set(true);
                let mut left_out = self.left_out.borrow_mut();
                if left_out.len() < MAX_NODES {
                    left_out.push(tag.name.clone());
                }
                true
            }
            TagKind::EndTag => {
                let mut left_out = self.left_out.borrow_mut();
                let near = left_out.len().saturating_sub(16);
                if let Some(index) = left_out[near..].iter().rposition(|name| *name == tag.name) {
                    left_out.truncate(near + index);
                    return true;
                }
                self.closed.set(self.closed.get() + 1);
                false
            }
        }
    }

    /// Returns true if the stack of open elements has no room for an element. The tree builder does
    /// not report all elements that it closes, so the stack is counted if the elements created
    /// since the last count might have filled it.
    fn is_too_deep(&self, tag: &str) -> bool {
        let elements = self.builder.sink.elements.get();
        let (at, plain, bold) = self.counted.get();
        let most_opened = 2 * (elements - at); // open, and active formatting
        if plain + most_opened < MAX_OPEN && bold + most_opened < MAX_OPEN || is_leaf(tag) {
            return false;
        }
        let is_recent = self.closed.get() < STALE_AFTER;
        if plain >= MAX_OPEN && is_recent {
            return true;
        }
        if plain + most_opened < MAX_OPEN
            && bold >= MAX_OPEN
            && is_recent
            && most_opened < STALE_AFTER
        {
            return is_formatting(tag);
        }
        let count = Count::default();
        self.builder.trace_handles(&count);
        let (plain, bold) = (count.plain.get(), count.formatting.get());
        self.counted.set((elements, plain, bold));
        self.closed.set(0);
        plain >= MAX_OPEN || (bold >= MAX_OPEN && is_formatting(tag))
    }

    /// Returns true if the tree is larger than that of any real page, or takes too long to build.
    fn is_beyond_limits(&self) -> bool {
        let sink = &self.builder.sink;
        let arena = sink.arena.borrow();
        self.deep_tags.get() > MAX_DEEP_TAGS
            || sink.elements.get() > SPARE_ELEMENTS + 8 * self.seen.get()
            || arena.nodes.len() > MAX_NODES
            || arena.strings.attribute_count() > MAX_ALL_ATTRIBUTES
            || arena.strings.text_bytes() > self.max_text_bytes
    }
}

impl TokenSink for Guard {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        self.is_moving.set(true);
        let is_tag = matches!(token, Token::TagToken(_));
        self.is_after_tag.set(is_tag);
        match &token {
            Token::EOFToken => {}
            _ if self.is_cut.get() => return TokenSinkResult::Continue,
            Token::TagToken(tag) if self.leaves_out(tag) => return TokenSinkResult::Continue,
            Token::CommentToken(comment) if Mark::from_comment(comment).is_some() => {}
            Token::CommentToken(_) | Token::ParseError(_) => return TokenSinkResult::Continue,
            _ => {}
        }
        if is_tag && self.counted.get().1 >= MAX_OPEN / 2 {
            self.deep_tags.set(self.deep_tags.get() + 1);
        }
        let result = self.builder.process_token(token, line);
        if matches!(
            result,
            TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext
        ) {
            self.is_after_tag.set(false);
        }
        if self.is_beyond_limits() {
            self.is_cut.set(true);
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Counts the possible attributes of a tag that does not end.
#[derive(Default)]
pub(super) struct EndlessTag {
    quote: Option<u8>,
    words: usize,
}

impl EndlessTag {
    /// Reads a piece of the page. Returns true if the open tag has too many attributes after it.
    pub(super) fn reads(&mut self, piece: &str, is_moving: bool) -> bool {
        let mut rest = piece.as_bytes();
        if is_moving {
            *self = Self::default();
            rest = &rest[rest
                .iter()
                .rposition(|&byte| byte == b'<')
                .unwrap_or(rest.len())..];
        }
        let mut before = b' ';
        for &byte in rest {
            match (self.quote, byte) {
                (Some(open), _) if open == byte => self.quote = None,
                (None, b'"' | b'\'') if before == b'=' => self.quote = Some(byte),
                // The tag has ended, and text follows.
                (None, b'>') => {
                    self.words = 0;
                    break;
                }
                (None, b' ' | b'\t' | b'\n' | b'\r' | b'\x0c' | b'/') => self.words += 1,
                _ => {}
            }
            before = byte;
        }
        self.quote.is_none() && self.words > MAX_ATTRIBUTES
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::format_collect)]
mod tests {
    use super::MAX_ALL_ATTRIBUTES;
    use crate::html::{MAX_OPEN, parse_html, parse_with_warnings};

    #[test]
    fn a_hundred_thousand_levels_are_parsed_and_the_text_is_kept() {
        let html = format!(
            "{}deep{}<p>after",
            "<div>".repeat(100_000),
            "</div>".repeat(100_000)
        );
        let parsed = parse_with_warnings(&html);
        assert!(parsed.dom.is_consistent());
        assert!(
            parsed
                .dom
                .ids()
                .any(|id| parsed.dom.text(id) == Some("deep"))
        );
        let after = parsed
            .dom
            .ids()
            .find(|&id| parsed.dom.text(id) == Some("after"))
            .unwrap();
        assert_eq!(parsed.dom.depth(after), 4);
        assert!(
            parsed
                .dom
                .ids()
                .all(|id| parsed.dom.depth(id) <= MAX_OPEN + 2)
        );
        assert_eq!(parsed.warnings.len(), 1);
    }

    #[test]
    fn elements_with_many_attributes_are_not_repeated_without_end() {
        let many: String = (0..500).map(|n| format!(" a{n}=1")).collect();
        let parsed = parse_with_warnings(&format!("<p><b{many}>{}", "<p>x".repeat(20_000)));
        let attributes: usize = parsed
            .dom
            .ids()
            .map(|id| parsed.dom.attributes(id).len())
            .sum();
        assert!(attributes <= MAX_ALL_ATTRIBUTES + 500, "{attributes}");
        assert_eq!(parsed.warnings.len(), 1);
    }

    #[test]
    fn endless_formatting_and_endless_tags_are_limited() {
        let html: String = (0..20_000)
            .map(|n| format!("<p><font size={n}>x"))
            .collect();
        assert!(parse_html(&html).is_consistent());
        let html = format!(
            "<p {}>end",
            (0..200_000).map(|n| format!("a{n} ")).collect::<String>()
        );
        assert!(parse_html(&html).is_consistent());
        let html = format!(
            "<p class=a>{}</p>",
            "one word after another &oelig; ".repeat(2_000)
        );
        let dom = parse_html(&html);
        assert!(
            dom.ids()
                .all(|id| dom.text(id).is_none_or(|text| !text.contains('>')))
        );
        let long = format!("<p title='{}'>end", "word ".repeat(20_000));
        let dom = parse_html(&long);
        let p = dom.ids().find(|&id| dom.tag(id) == "p").unwrap();
        assert_eq!(dom.attribute(p, "title").map(str::len), Some(100_000));
    }
}
