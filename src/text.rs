//! White space, excerpts and counts: what many parts of the program do to a text.
//!
//! Imports nothing of the program. White space is what Unicode calls so, as in the standard library. Limits and counts
//! are in characters (Unicode scalar values), so that nothing is cut within one.

/// The text with each run of white space as one space, and none at the ends.
pub fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// [`collapse`], cut after a whole word so that it stays below `limit` characters; `None` if nothing is left.
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

/// Collapses white space over a run of texts, as CSS Text 3, section 4.1 does: a run becomes one space, or nothing
/// where it holds a line break and stands between two wide East Asian characters.
#[derive(Debug, Default)]
pub(crate) struct Collapse {
    last: Option<char>,
    has_space: bool,
    has_line_break: bool,
    is_firm: bool,
}

impl Collapse {
    /// Adds a text; `push` takes each character that remains.
    pub(crate) fn text(&mut self, text: &str, mut push: impl FnMut(char)) {
        for c in text.chars() {
            match c {
                '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => {}
                '\n' | '\r' => (self.has_space, self.has_line_break) = (true, true),
                '\u{a0}' => (self.has_space, self.is_firm) = (true, true),
                _ if c.is_whitespace() || c.is_control() => self.has_space = true,
                _ => {
                    if let (Some(last), true) = (self.last, self.has_space)
                        && (self.is_firm || !self.has_line_break || !is_wide(last) || !is_wide(c))
                    {
                        push(' ');
                    }
                    push(c);
                    (self.has_space, self.has_line_break, self.is_firm) = (false, false, false);
                    self.last = Some(c);
                }
            }
        }
    }

    /// Separates what came from what comes.
    pub(crate) fn space(&mut self) {
        (self.has_space, self.is_firm) = (true, true);
    }
}

/// Chinese and Japanese letters and their punctuation: East Asian width W or F, without Hangul.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{312f}' | '\u{3190}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff01}'..='\u{ff60}' | '\u{20000}'..='\u{3fffd}')
}

/// Whether a text holds nothing but white space; so does the empty one.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Characters that are not white space.
pub(crate) fn count_letters(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).count()
}

/// Words, separated by white space.
pub(crate) fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The first `limit` characters.
pub(crate) fn excerpt(text: &str, limit: usize) -> &str {
    text.char_indices().nth(limit).map_or(text, |(end, _)| &text[..end])
}

/// The last `limit` characters, and at least one: a path says most at its end.
pub(crate) fn excerpt_end(text: &str, limit: usize) -> &str {
    text.char_indices().rev().nth(limit.saturating_sub(1)).map_or(text, |(start, _)| &text[start..])
}

#[cfg(feature = "experiments")]
/// A text of at most `limit` characters as it is; of a longer one the first `kept` characters and an ellipsis.
pub(crate) fn shorten(text: &str, limit: usize, kept: usize, ellipsis: &str) -> String {
    match text.char_indices().nth(limit) {
        Some(_) => format!("{}{ellipsis}", excerpt(text, kept)),
        None => text.to_owned(),
    }
}

#[cfg(feature = "cli")]
/// A message in one line, without characters that control a terminal: parts of it come from pages.
pub(crate) fn one_line(message: &str) -> String {
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
    fn white_space_is_collapsed() {
        assert_eq!(collapse(" a\n\u{a0} b\u{3000}"), "a b");
        assert_eq!(collapse(" \t"), "");
        assert_eq!(collapse_within(" one  two three", 8).as_deref(), Some("one two"));
        assert_eq!(collapse_within("one two", 3), None);
        assert_eq!(collapse_within("  ", 9), None);
    }

    #[test]
    fn runs_of_texts_collapse_as_in_css() {
        let of = |texts: &[&str]| {
            let (mut out, mut collapse) = (String::new(), Collapse::default());
            for text in texts {
                collapse.text(text, |c| out.push(c));
            }
            out
        };
        assert_eq!(of(&[" a", "b ", " c\n"]), "ab c");
        assert_eq!(of(&["\u{4e2d}\n", " \u{6587} \u{5b57}", "\n\u{d55c}"]), "\u{4e2d}\u{6587} \u{5b57} \u{d55c}");
        assert_eq!(of(&["a\u{ad}b\u{0}c"]), "ab c");
    }

    #[test]
    fn counts_are_of_characters_and_words() {
        assert!(is_blank("") && is_blank(" \n\u{a0}") && !is_blank(" ä"));
        assert_eq!(count_letters(" äö\u{3000}ü\n"), 3);
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
    fn messages_are_one_line_and_control_no_terminal() {
        assert_eq!(one_line(" a\r\n\tb\u{1b}[2Jc \n"), "a b\u{fffd}[2Jc");
    }
}
