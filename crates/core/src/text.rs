//! White space, excerpts and counts: text functions that many modules use.
//!
//! Imports no other room of the program. White space is defined by Unicode, as in the standard
//! library. Limits and counts are in characters (Unicode scalar values), so that no character is
//! split.

mod smuggled;

pub(crate) use smuggled::{may_hold_smuggled, without_smuggled};

/// A number with its noun, such as `1 site` or `2 sites`.
///
/// ```
/// use vclean_core::text::counted;
/// assert_eq!([counted(1, "site"), counted(0, "site")], ["1 site", "0 sites"]);
/// ```
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Replaces each run of white space by one space, and removes white space at both ends.
pub fn collapse(text: &str) -> String {
    let mut rest = text.trim();
    let mut out = String::with_capacity(rest.len());
    loop {
        let (run, after) = rest.split_at(run_bytes(rest, |c| !c.is_whitespace()));
        out.push_str(run);
        rest = after.trim_start();
        if rest.is_empty() {
            return out;
        }
        out.push(' ');
    }
}

/// Collapses white space, and cuts after a whole word so that the text is shorter than `limit`
/// characters; `None` if nothing remains.
pub(crate) fn collapse_within(text: &str, limit: usize) -> Option<String> {
    let mut out = String::new();
    let mut chars = 0;
    for word in text.split_whitespace() {
        chars += word.chars().count() + 1;
        if chars > limit {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    (!out.is_empty()).then_some(out)
}

/// Writes texts one after the other on one line, as [`collapse`] does with one text: a run of white
/// space becomes one space, also across texts.
#[derive(Debug)]
pub(crate) struct OneLine<'o> {
    out: &'o mut String,
    /// True if white space followed the text written so far.
    has_space: bool,
}

impl<'o> OneLine<'o> {
    /// Begins a line in `out`, whose previous content is removed.
    pub(crate) fn new(out: &'o mut String) -> Self {
        out.clear();
        Self {
            out,
            has_space: false,
        }
    }

    /// Puts a space between the texts before and after.
    pub(crate) fn space(&mut self) {
        self.has_space = true;
    }

    /// Adds a text. Words with single spaces between them are copied at once.
    pub(crate) fn text(&mut self, text: &str) {
        let from_first_word = text.trim_start();
        self.has_space |= from_first_word.len() < text.len();
        let words = from_first_word.trim_end();
        if words.is_empty() {
            return;
        }
        let bytes = words.as_bytes();
        let may_be_more =
            |(&byte, &next): (&u8, &u8)| may_be_space(byte) && (byte != b' ' || may_be_space(next));
        let (mut start, mut at) = (0, 0);
        while let Some(found) = bytes[at..]
            .iter()
            .zip(&bytes[at + 1..])
            .position(may_be_more)
        {
            at += found;
            let space = white_space_bytes(words, at);
            if space == 0 || (bytes[at] == b' ' && white_space_bytes(words, at + 1) == 0) {
                at += 1;
                continue;
            }
            self.part(&words[start..at]);
            self.has_space = true;
            while let space @ 1.. = white_space_bytes(words, at) {
                at += space;
            }
            start = at;
        }
        self.part(&words[start..]);
        self.has_space = words.len() < from_first_word.len();
    }

    fn part(&mut self, part: &str) {
        if !part.is_empty() {
            if self.has_space && !self.out.is_empty() {
                self.out.push(' ');
            }
            self.out.push_str(part);
            self.has_space = false;
        }
    }
}

/// Tells for each byte whether a white space character may begin with it.
static MAY_BE_SPACE: [bool; 256] = {
    let mut may_be = [false; 256];
    let first_bytes = b" \t\n\x0b\x0c\r\xc2\xe1\xe2\xe3";
    let mut index = 0;
    while index < first_bytes.len() {
        may_be[first_bytes[index] as usize] = true;
        index += 1;
    }
    may_be
};

#[inline]
fn may_be_space(byte: u8) -> bool {
    MAY_BE_SPACE[usize::from(byte)]
}

/// Length in bytes of the white space character at a byte of a text; 0 if there is none.
#[inline]
fn white_space_bytes(text: &str, at: usize) -> usize {
    match text.as_bytes()[at] {
        byte if !may_be_space(byte) => 0,
        byte if byte.is_ascii() => 1,
        _ => text[at..]
            .chars()
            .next()
            .filter(|c| c.is_whitespace())
            .map_or(0, char::len_utf8),
    }
}

/// Collapses white space over a sequence of texts (CSS Text 3, section 4.1). A run becomes one
/// space, or nothing if it contains a line break and is between two wide East Asian characters.
#[derive(Debug, Default)]
pub struct Collapse {
    last: Option<char>,
    has_space: bool,
    has_line_break: bool,
    is_firm: bool,
}

impl Collapse {
    /// Adds a text, and appends to `out` what remains of it.
    pub fn append(&mut self, text: &str, out: &mut String) {
        let is_plain = |c: char| is_written(c) && !is_private(c);
        let mut rest = text;
        loop {
            let after = rest.trim_ascii_start();
            let space = &rest.as_bytes()[..rest.len() - after.len()];
            if !space.is_empty() {
                self.has_space = true;
                self.has_line_break |= memchr::memchr2(b'\n', b'\r', space).is_some();
            }
            rest = after;
            let Some(c) = rest.chars().next() else { return };
            let (run, after) = rest.split_at(run_bytes(rest, is_plain).max(c.len_utf8()));
            rest = after;
            match c {
                '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => {}
                _ if is_private(c) && self.is_icon(rest) => self.has_space = true,
                '\u{a0}' => (self.has_space, self.is_firm) = (true, true),
                _ if !is_written(c) => self.has_space = true,
                _ => {
                    if let (Some(last), true) = (self.last, self.has_space)
                        && (self.is_firm || !self.has_line_break || !is_wide(last) || !is_wide(c))
                    {
                        out.push(' ');
                    }
                    out.push_str(run);
                    (self.has_space, self.has_line_break, self.is_firm) = (false, false, false);
                    self.last = run.chars().next_back();
                }
            }
        }
    }

    /// Returns true if a private character before `rest` is an icon. Between letters and beside
    /// Chinese ones or others of its kind, such characters stand for letters that Unicode lacks.
    fn is_icon(&self, rest: &str) -> bool {
        let before = self.last.filter(|_| !self.has_space);
        let beside = [before, rest.chars().next()];
        let is_letter = |c: &Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_own_kind = |c: &Option<char>| c.is_some_and(|c| is_wide(c) || is_private(c));
        !beside.iter().all(is_letter) && !beside.iter().any(is_own_kind)
    }

    /// True if white space follows the text added so far.
    pub(crate) fn is_after_space(&self) -> bool {
        self.has_space
    }

    /// Puts a space between the texts before and after.
    pub fn space(&mut self) {
        (self.has_space, self.is_firm) = (true, true);
    }
}

/// Length in bytes of the longest start of a text without white space to collapse: characters for
/// which `is_part` is true, which must hold for visible ASCII, and single spaces between visible
/// ASCII.
fn run_bytes(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    let bytes = text.as_bytes();
    let is_visible = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_graphic);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii_graphic() || byte == b' ' && at > 0 && is_visible(at + 1) {
            at += 1;
        } else if let Some(c) = text[at..].chars().next().filter(|&c| is_part(c)) {
            at += c.len_utf8();
        } else {
            break;
        }
    }
    at
}

/// Returns true for characters that are written alone or as part of a word; false for white space,
/// control characters, soft hyphens and zero-width spaces.
pub(crate) fn is_written(c: char) -> bool {
    !c.is_whitespace()
        && !c.is_control()
        && !matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

/// Returns true for private characters of Unicode, which fonts use for icons.
pub(crate) fn is_private(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}')
}

/// Returns true for Chinese and Japanese letters and punctuation: East Asian width W or F, without
/// Hangul.
pub(crate) fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{312f}' | '\u{3190}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff01}'..='\u{ff60}' | '\u{20000}'..='\u{3fffd}')
}

/// Returns true if a text is empty or contains only white space.
pub(crate) fn is_blank(text: &str) -> bool {
    text.trim_ascii_start().chars().all(char::is_whitespace)
}

/// Returns true if a word is in a list of words separated by spaces.
pub(crate) fn is_listed(words: &str, word: &str) -> bool {
    words.split(' ').any(|known| known == word)
}

/// The letters and digits of a text in lower case, for comparing titles and names.
pub(crate) fn letters(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Number of characters, not counting white space.
pub fn count_letters(text: &str) -> usize {
    if text.is_ascii() {
        // The compiler can count many bytes at once.
        return text
            .bytes()
            .filter(|byte| !matches!(byte, b'\t'..=b'\r' | b' '))
            .count();
    }
    text.chars().filter(|c| !c.is_whitespace()).count()
}

/// Number of words, separated by white space.
pub fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The first `limit` characters.
pub fn excerpt(text: &str, limit: usize) -> &str {
    if text.len() <= limit {
        return text;
    }
    text.char_indices()
        .nth(limit)
        .map_or(text, |(end, _)| &text[..end])
}

/// The last `limit` characters, and at least one: the end of a path is its most useful part.
pub(crate) fn excerpt_end(text: &str, limit: usize) -> &str {
    text.char_indices()
        .rev()
        .nth(limit.saturating_sub(1))
        .map_or(text, |(start, _)| &text[start..])
}

/// Returns a text of at most `limit` characters unchanged; of a longer one, the first `kept`
/// characters and an ellipsis.
pub fn shorten(text: &str, limit: usize, kept: usize, ellipsis: &str) -> String {
    match text.char_indices().nth(limit) {
        Some(_) => format!("{}{ellipsis}", excerpt(text, kept)),
        None => text.to_owned(),
    }
}

/// Writes a message on one line without terminal control characters, since parts of it come from
/// pages.
pub fn one_line(message: &str) -> String {
    let mut line = String::with_capacity(message.len());
    for char in message.trim().chars() {
        match char {
            '\n' | '\r' | '\t' => {
                if !line.ends_with(' ') {
                    line.push(' ');
                }
            }
            control if control.is_control() => line.push('\u{fffd}'),
            other => line.push(other),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_characters_are_icons_unless_they_are_letters() {
        let collapsed = |text: &str| {
            let mut out = String::new();
            Collapse::default().append(text, &mut out);
            out
        };
        assert_eq!(collapsed("\u{e900} One\u{f105} two, \u{f08e}"), "One two,");
        for text in ["a\u{e123}b", "\u{5f20}\u{e863}.", "\u{e000}\u{e001}"] {
            assert_eq!(collapsed(text), text);
        }
    }

    #[test]
    fn white_space_is_collapsed() {
        assert_eq!(collapse(" a\n\u{a0} b\u{3000}"), "a b");
        assert_eq!(collapse(" \t"), "");
        assert_eq!(
            collapse("one two  thr\u{e9}e \u{1}four\u{b}five "),
            "one two thr\u{e9}e \u{1}four five"
        );
        assert_eq!(
            collapse_within(" one  two three", 8).as_deref(),
            Some("one two")
        );
        assert_eq!(collapse_within("one two", 3), None);
        assert_eq!(collapse_within("  ", 9), None);
    }

    #[test]
    fn one_line_is_what_collapse_writes() {
        let mut out = "before".to_owned();
        for c in '\0'..=char::MAX {
            let text = format!("{c}a{c}{c} b c{c}d e");
            OneLine::new(&mut out).text(&text);
            assert_eq!(out, collapse(&text), "{c:?}");
        }
        let mut line = OneLine::new(&mut out);
        for text in [" a", "b ", " c\n", " "] {
            line.text(text);
        }
        line.space();
        line.text("d ");
        assert_eq!(out, "ab c d");
    }

    #[test]
    fn sequences_of_texts_collapse_as_in_css() {
        let collapsed = |texts: &[&str]| {
            let (mut out, mut collapse) = (String::new(), Collapse::default());
            for text in texts {
                collapse.append(text, &mut out);
            }
            out
        };
        assert_eq!(collapsed(&[" a", "b ", " c\n"]), "ab c");
        assert_eq!(
            collapsed(&["\u{4e2d}\n", " \u{6587} \u{5b57}", "\n\u{d55c}"]),
            "\u{4e2d}\u{6587} \u{5b57} \u{d55c}"
        );
        assert_eq!(collapsed(&["a\u{ad}b\u{0}c"]), "ab c");
        assert_eq!(
            collapsed(&[
                "a b",
                "  c\u{a0}\n d. \u{ad}e",
                "\t",
                "\u{4e2d}\r",
                "\u{6587}"
            ]),
            "a b c d. e \u{4e2d}\u{6587}"
        );
    }

    #[test]
    fn counts_are_of_characters_and_words() {
        assert!(is_blank("") && is_blank(" \n\u{a0}") && !is_blank(" ä"));
        assert_eq!(count_letters(" äö\u{3000}ü\n"), 3);
        let ascii: String = (0..128u8).map(char::from).collect();
        assert_eq!(
            count_letters(&ascii),
            ascii.chars().filter(|c| !c.is_whitespace()).count()
        );
        assert_eq!(count_words(" one\ntwo  three "), 3);
    }

    #[test]
    fn excerpts_keep_whole_characters() {
        assert_eq!(excerpt("äöü", 2), "äö");
        assert_eq!(excerpt("äö", 2), "äö");
        assert_eq!(excerpt_end("äöü", 2), "öü");
        assert_eq!(excerpt_end("äö", 5), "äö");
    }

    #[test]
    fn long_texts_end_in_an_ellipsis() {
        assert_eq!(shorten("äöü", 3, 2, "…"), "äöü");
        assert_eq!(shorten("äöüa", 3, 2, "…"), "äö…");
        assert_eq!(shorten("äöüa", 3, 3, "..."), "äöü...");
    }

    #[test]
    fn messages_have_one_line_and_no_control_characters() {
        assert_eq!(one_line(" a\r\n\tb\u{1b}[2Jc \n"), "a b\u{fffd}[2Jc");
    }
}
