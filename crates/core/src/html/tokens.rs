//! Splits a page into tokens for the tree builder. Well-formed parts are read here, all others by
//! html5ever's tokenizer.
//!
//! Pages consist almost entirely of text, tags with quoted attributes, comments and scripts, whose
//! ends are found by searching for a few bytes. At any other content (an unknown character
//! reference, a malformed tag, a script with a comment in it), html5ever's tokenizer continues
//! until it has read the end of a tag. It is then back in its data state with nothing pending. So
//! the tokens are the same as those of html5ever, in a fraction of the time; the tests compare
//! both.
//!
//! The time per byte is bounded for every page (see `guard`).

use super::arena::Mark;
use super::guard::{EndlessTag, Guard};
use super::tags::{Names, Scanned, is_tag_name, references, scan_tag};
use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{RawKind, State};
use html5ever::tokenizer::{
    Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use memchr::memmem;
use std::borrow::Cow;

/// Size in bytes of the pieces that html5ever's tokenizer reads. Between two pieces the guard
/// checks for endless tags.
const PIECE_BYTES: usize = 4096;

/// Reads a page into a tree; the returned guard contains it.
pub(super) fn read(html: &str) -> Guard {
    // The standard's preprocessing (HTML 13.2.3.5): line ends are line feeds.
    let html: Cow<'_, str> = if memchr::memchr(b'\r', html.as_bytes()).is_some() {
        html.replace("\r\n", "\n").replace('\r', "\n").into()
    } else {
        html.into()
    };
    let html = html.strip_prefix('\u{feff}').unwrap_or(&html);
    let mut reader = Reader::new(html);
    if memchr::memchr(0, html.as_bytes()).is_some() {
        // The handling of a null character depends on its context.
        reader.feed_on(false);
    }
    reader.read();
    reader.tokenizer.end();
    reader.tokenizer.sink
}

/// Reads a page with html5ever's tokenizer only.
#[cfg(test)]
fn read_slowly(html: &str) -> Guard {
    let mut reader = Reader::new(html.strip_prefix('\u{feff}').unwrap_or(html));
    reader.feed_on(false);
    reader.tokenizer.end();
    reader.tokenizer.sink
}

struct Reader<'a> {
    html: &'a str,
    /// A shared copy of the page; its substrings share its memory.
    page: StrTendril,
    at: usize,
    tokenizer: Tokenizer<Guard>,
    /// The input of the tokenizer; empty between two pieces.
    queue: BufferQueue,
    names: Names<'a>,
}

/// Returns true if `<` followed by this byte begins markup in the data state.
fn begins_markup(next: Option<&u8>) -> bool {
    next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?'))
}

/// Options of html5ever's tokenizer; a byte order mark has already been removed.
fn options() -> TokenizerOpts {
    TokenizerOpts {
        discard_bom: false,
        ..TokenizerOpts::default()
    }
}

impl<'a> Reader<'a> {
    fn new(html: &'a str) -> Self {
        let page = StrTendril::from_slice(html);
        Self {
            html,
            at: 0,
            tokenizer: Tokenizer::new(Guard::new(page.clone()), options()),
            page,
            queue: BufferQueue::default(),
            names: Names::default(),
        }
    }

    fn read(&mut self) {
        let bytes = self.html.as_bytes();
        while self.at < bytes.len() && !self.tokenizer.sink.is_cut.get() {
            let from = self.at;
            match bytes[from] {
                b'<' => self.markup(),
                b'&' => match references::text(&self.html[from..]) {
                    Some((length, c)) => {
                        self.at = from + length;
                        self.text(StrTendril::from_char(c));
                    }
                    None => self.feed_on(true),
                },
                _ => self.text_from(from),
            }
        }
    }

    /// Reads text that begins at `from`, including each `<` that does not begin markup (HTML
    /// 13.2.5.6, "anything else").
    fn text_from(&mut self, from: usize) {
        let bytes = self.html.as_bytes();
        let is_end = |at: &usize| bytes[*at] == b'&' || begins_markup(bytes.get(at + 1));
        let mut marks =
            memchr::memchr2_iter(b'<', b'&', &bytes[from + 1..]).map(|length| from + 1 + length);
        let end = marks.find(is_end).unwrap_or(bytes.len());
        self.at = end;
        self.text(self.part(from, end));
    }

    /// A substring of the page that shares its memory.
    fn part(&self, from: usize, to: usize) -> StrTendril {
        self.page.subtendril(from as u32, (to - from) as u32)
    }

    fn text(&self, text: StrTendril) {
        // Text never makes the sink switch the tokenizer's state.
        let _ = self
            .tokenizer
            .sink
            .process_token(Token::CharacterTokens(text), 1);
    }

    /// Passes on a comment that marks a streamed part; others are not needed.
    fn comment(&self, from: usize, to: usize) {
        if Mark::from_comment(&self.html[from..to]).is_some() {
            let comment = Token::CommentToken(self.part(from, to));
            let _ = self.tokenizer.sink.process_token(comment, 1);
        }
    }

    /// Reads markup that begins with `<`.
    fn markup(&mut self) {
        let (html, from) = (self.html, self.at);
        let bytes = &html.as_bytes()[from..];
        match bytes.get(1) {
            Some(byte) if byte.is_ascii_alphabetic() => {
                match scan_tag(html, from, &self.page, &mut self.names) {
                    Some(Scanned { tag, end }) => {
                        self.at = end;
                        self.start_tag(tag, &html[from + 1..end]);
                    }
                    None => self.feed_on(true),
                }
            }
            Some(b'/') => {
                let name = bytes[2..]
                    .iter()
                    .take_while(|&&byte| is_tag_name(byte))
                    .count();
                let space = bytes[2 + name..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_whitespace())
                    .count();
                if name > 0
                    && bytes[2].is_ascii_alphabetic()
                    && bytes.get(2 + name + space) == Some(&b'>')
                {
                    self.at = from + 2 + name + space + 1;
                    let tag = Tag {
                        kind: TagKind::EndTag,
                        name: self.names.lower_case(&html[from + 2..from + 2 + name]),
                        self_closing: false,
                        attrs: Vec::new(),
                        had_duplicate_attributes: false,
                    };
                    // Scripts are not run when they end.
                    let _ = self.tokenizer.sink.process_token(Token::TagToken(tag), 1);
                } else {
                    self.feed_on(true);
                }
            }
            Some(b'!') if bytes.starts_with(b"<!--") => match comment(&bytes[4..]) {
                Some(length) => {
                    self.at = from + 4 + length;
                    self.comment(from + 4, self.at - 3);
                }
                None => self.feed_on(true),
            },
            next if begins_markup(next) => self.feed_on(true),
            _ => self.text_from(from),
        }
    }

    fn start_tag(&mut self, tag: Tag, written: &str) {
        match self.tokenizer.sink.process_token(Token::TagToken(tag), 1) {
            TokenSinkResult::RawData(kind) => {
                let name = written
                    .bytes()
                    .take_while(u8::is_ascii_alphanumeric)
                    .count();
                self.raw(kind, &written[..name]);
            }
            TokenSinkResult::Plaintext => {
                self.tokenizer.set_plaintext_state();
                self.feed_on(true);
            }
            _ => {}
        }
    }

    /// Reads the content of an element without markup, such as a script, up to its end tag.
    fn raw(&mut self, kind: RawKind, name: &str) {
        let rest = &self.html.as_bytes()[self.at..];
        let is_name = |from: usize| {
            let after = &rest[from..];
            after.len() > name.len()
                && after[..name.len()].eq_ignore_ascii_case(name.as_bytes())
                && matches!(
                    after[name.len()],
                    b'\t' | b'\n' | b'\x0c' | b' ' | b'/' | b'>'
                )
        };
        let (mut end, mut has_comment) = (None, false);
        for at in memchr::memchr_iter(b'<', rest) {
            match rest.get(at + 1) {
                Some(b'/') if is_name(at + 2) => {
                    end = Some(at);
                    break;
                }
                Some(b'!') => has_comment |= rest[at..].starts_with(b"<!--"),
                // A script continues after the end tag of a script in its comment.
                Some(_) if has_comment && kind == RawKind::ScriptData && is_name(at + 1) => break,
                _ => {}
            }
        }
        let has_references =
            |text: &[u8]| kind == RawKind::Rcdata && memchr::memchr(b'&', text).is_some();
        if let Some(end) = end.filter(|&end| !has_references(&rest[..end])) {
            let from = self.at;
            self.at += end;
            if end > 0 {
                self.text(self.part(from, from + end));
            }
            return;
        }
        let options = TokenizerOpts {
            initial_state: Some(State::RawData(kind)),
            last_start_tag_name: Some(name.to_ascii_lowercase()),
            ..options()
        };
        let spare = Tokenizer::new(Guard::new(StrTendril::new()), TokenizerOpts::default());
        let guard = std::mem::replace(&mut self.tokenizer, spare).sink;
        self.tokenizer = Tokenizer::new(guard, options);
        self.feed_on(true);
    }

    /// Lets html5ever's tokenizer continue to the end of a tag if `to_tag` is set, otherwise to the
    /// end of the page.
    fn feed_on(&mut self, to_tag: bool) {
        let mut endless = EndlessTag::default();
        while self.at < self.html.len() && !self.tokenizer.sink.is_cut.get() {
            let mut end = (self.at + PIECE_BYTES).min(self.html.len());
            while !self.html.is_char_boundary(end) {
                end += 1;
            }
            if to_tag
                && let Some(length) = memchr::memchr(b'>', &self.html.as_bytes()[self.at..end])
            {
                end = self.at + length + 1;
            }
            let piece = &self.html[self.at..end];
            self.queue.push_back(self.part(self.at, end));
            self.tokenizer.sink.is_moving.set(false);
            self.tokenizer.sink.is_after_tag.set(false);
            while !matches!(self.tokenizer.feed(&self.queue), TokenizerResult::Done) {}
            self.at = end;
            // A tag is emitted at its `>`, which is the last byte of the piece.
            if to_tag && self.tokenizer.sink.is_after_tag.get() {
                return;
            }
            if endless.reads(piece, self.tokenizer.sink.is_moving.get()) {
                self.queue.push_back(StrTendril::from_slice(">"));
                while !matches!(self.tokenizer.feed(&self.queue), TokenizerResult::Done) {}
                self.at += rest_of_tag(&self.html.as_bytes()[self.at..]);
                endless = EndlessTag::default();
            }
        }
    }
}

/// Length of what follows the first attributes of a tag, including its end; 0 if another tag begins
/// before that.
fn rest_of_tag(bytes: &[u8]) -> usize {
    match memchr::memchr2(b'<', b'>', bytes) {
        Some(at) if bytes[at] == b'>' => at + 1,
        _ => 0,
    }
}

/// Length of a comment after `<!--`, including its end, if it is well-formed.
fn comment(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(b">") || bytes.starts_with(b"->") {
        return None;
    }
    let mut from = 0;
    while let Some(at) = memmem::find(&bytes[from..], b"--") {
        from += at;
        match bytes.get(from + 2) {
            Some(b'>') => return Some(from + 3),
            Some(b'!') => return None,
            _ => from += 1,
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::format_collect)]
mod tests {
    use super::*;
    use crate::capture::Dom;
    use crate::html::flatten::flatten;
    use html5ever::interface::TreeSink;
    use proptest::prelude::*;

    fn tree(guard: Guard) -> Dom {
        flatten(guard.builder.sink.finish(), crate::html::parse_html)
    }

    fn assert_same(html: &str) {
        assert_eq!(tree(read(html)), tree(read_slowly(html)), "{html:?}");
    }

    #[test]
    fn attributes_over_the_limit_are_not_text() {
        let attributes: String = (0..2000).map(|index| format!("a{index}=b ")).collect();
        let text = |html: &str| {
            let dom = tree(read(html));
            dom.ids().filter_map(|id| dom.text(id)).collect::<String>()
        };
        assert_eq!(text(&format!("<p {attributes}>one<p>two")), "onetwo");
        assert!(text(&format!("<p {attributes}<p>two")).ends_with("two"));
    }

    #[test]
    fn unusual_pages_give_the_same_trees_as_html5ever() {
        for html in [
            "<p title='a&amp;b&#39;' class=x>1 &lt; 2 &unknown; &copy x &notit; &#128; &#xD800; &",
            "<a href=/?a=1&copy=2&b=3&amp;c>x</a><a href='?x&para'>y</a><a href=\"&quot;&nbsp\">",
            "<script>if (a < b) '</scr' + '<!-- <script> </script> --> ' </script><p>after",
            "<title>a &amp; b</title><textarea>\n&lt;</TEXTAREA ><style>a>b{}</style><xmp><b></xmp>",
            "<!DOCTYPE html><!-- a -- b --><!--> <!---> <!-- a --!> x <!-- > -->y<!-->",
            "<pre>\n\nx</pre><pre>\r\n\r\ny</pre>a\rb\r\n<p a\r=\r'b\r\nc'>",
            "<svg><title><b>x</b></title><script>a<b></script><![CDATA[ x > y ]]></svg><math><mi>x</math>",
            "<div/ class=a><br/><img src=a/><p a=1 A=2 a=3 =x><p \"x\" y='z'w><p x = y z= >",
            "<ul><li>a<LI>b</UL></ul/><p/></p x=y></ p></><a<b></a <b>text</b >",
            "\u{feff}<p>x\u{feff}</p>\u{0}<p>\u{0}y<script>\u{0}</script>",
            "<plaintext><p>x</p>",
            "<noscript><p>x</noscript><iframe><p></iframe><template><p>x</template>",
            "<script><!--<script></script>--></script>x<script",
            "<script><!-- a --></script>x<script><!-- <b> </script>y<script><!--<SCRIPT ></script> z </script>w",
            "<script><! <script> </script>x<style><!-- <style> </style>y",
            "<x-a>x</x-a ><x:b>y</x:b></x_c>z",
            "a<script>never ended <b>",
            "<a href=\"never ended>text</a>",
            "a < b <3 <? x ?> <!x> </!>",
            "<<<<p>a<<&lt;< <<</p><table><<tr><td><pre><\n<</pre>< ><",
            "<table>a&amp;b<tr> c<td>&lt;d",
        ] {
            assert_same(html);
        }
    }

    #[test]
    fn the_guard_applies_to_tokens_of_both_readers() {
        let deep = format!(
            "{}deep{}<p>after",
            "<div>".repeat(3_000),
            "</div>".repeat(3_000)
        );
        assert_same(&deep);
        let many: String = (0..3_000).map(|n| format!(" a{n}=1")).collect();
        assert_same(&format!("<p{many}>x"));
    }

    #[test]
    fn long_pages_without_end_tags_are_read_in_time() {
        let started = std::time::Instant::now();
        for part in [
            "<a href=\"",
            "<!-- --!>",
            "<script>",
            "<svg><script>",
            "&am",
            "<a b='>",
            "<!--",
            "</script",
            "<textarea>&",
            "<",
            "&",
        ] {
            read(&part.repeat(200_000));
        }
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]
        #[test]
        fn any_markup_gives_the_same_tree_as_html5ever(
            html in "(<(/?(p|B|a|div|table|tr|td|template|svg|title|select|option|li|pre|form|script|style|textarea|noscript|math|plaintext|xmp)( |\n|/|=|x|A=1|b='&amp;c'|c=\"d>e\"|href=/?a&b=c&lt;|=')*>?)|[a-z<>&;!/\\-\"'=\r\n\t ]{0,4}|<!--|-->|--!>|&(amp|lt|nbsp|#39|#x41|#0|copy|x);?|\u{e9}|\u{0}){0,40}"
        ) {
            prop_assert_eq!(tree(read(&html)), tree(read_slowly(&html)));
        }
    }
}
