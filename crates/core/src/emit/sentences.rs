//! Cuts the text of a segment into sentences and tokens, for formats of corpus tools.
//!
//! Sentence boundaries are those of Unicode (UAX 29) by ICU, except after abbreviations, initials
//! and ordinal numbers of the language. Tokens follow the treebanks of Universal Dependencies, but
//! every token is a part of the text: contractions stay whole.

use super::abbreviations::{Abbreviation, Abbreviations, COMPANIES};
use super::blocks::{DocumentBlock, blocks, cell_text, lines};
use super::tokens::{Token, join, offset};
use super::xml_writer::is_xml;
use crate::document::{Document, Segment, SegmentKind};
use crate::language::{Cutter, month_of};
use icu_segmenter::options::SentenceBreakInvariantOptions;
use icu_segmenter::{SentenceSegmenter, SentenceSegmenterBorrowed};

/// Cuts texts into sentences and tokens; holds the ICU tables.
#[derive(Debug)]
pub(super) struct Sentences {
    breaks: SentenceSegmenterBorrowed<'static>,
    cutter: Cutter,
    abbreviations: Abbreviations,
}

impl Sentences {
    /// For texts in the language with this tag; `""` if it is unknown.
    pub(super) fn new(tag: &str) -> Self {
        let breaks = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
        Self {
            breaks,
            cutter: Cutter::new(""),
            abbreviations: Abbreviations::new(tag),
        }
    }

    /// For the texts of a document.
    pub(super) fn for_document(document: &Document) -> Self {
        Self::new(document.metadata.language.as_deref().unwrap_or(""))
    }

    /// The sentences of a text on one line, such as the result of [`one_line`]. Each has its text,
    /// which neither begins nor ends with white space, and at least one token.
    pub(super) fn cut<'t>(&self, text: &'t str) -> Vec<(&'t str, Vec<Token<'t>>)> {
        let mut found = Vec::new();
        for sentence in self.sentences(text) {
            let words = self.cutter.cut(sentence);
            let has_space_after = |word: &str| {
                let end = offset(text, word) + word.len();
                text[end..].chars().next().is_none_or(char::is_whitespace)
            };
            let tokens: Vec<Token<'t>> = words
                .iter()
                .map(|word| Token {
                    text: word.text,
                    has_space_after: has_space_after(word.text),
                })
                .collect();
            if !tokens.is_empty() {
                found.push((sentence, join(text, &tokens, &self.abbreviations)));
            }
        }
        found
    }

    /// The sentences of a text on one line, without the white space between them. Together they
    /// hold everything else.
    pub(super) fn sentences<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut found = Vec::new();
        let mut from = 0;
        for to in self.breaks.segment_str(text) {
            let sentence = text[from..to].trim();
            // Inside addresses and program names, marks such as `?` do not end a sentence; a mark
            // that does is followed by a space.
            let is_inside = text[..to].ends_with(|c: char| c.is_ascii() && c != ' ');
            if sentence.is_empty()
                || to < text.len() && (is_inside || self.continues(sentence, &text[to..]))
            {
                continue;
            }
            found.push(sentence);
            from = to;
        }
        found
    }

    /// Returns true if a sentence does not end with the mark that it ends with so far.
    fn continues(&self, sentence: &str, after: &str) -> bool {
        // Unicode's rules end sentences at the Burmese comma too.
        if sentence.ends_with('\u{104a}') {
            return true;
        }
        let Some(text) = sentence.strip_suffix('.') else {
            return false;
        };
        let is_in_word = |c: char| c.is_alphanumeric() || c == '.';
        let last = text.rsplit(|c| !is_in_word(c)).next().unwrap_or(text);
        let next = after.split(|c: char| !c.is_alphanumeric()).next();
        let next = next.unwrap_or_default();
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        if last.len() == text.len() && is_label(last) {
            return true;
        }
        match self.abbreviations.kind(last) {
            Some(Abbreviation::Open) => return true,
            Some(Abbreviation::BeforeNumber) => {
                return next.starts_with(|c: char| c.is_numeric());
            }
            Some(Abbreviation::Closing) => return COMPANIES.contains(&next),
            None => {}
        }
        let letter = last.rsplit('.').next().unwrap_or_default();
        if letter.chars().count() == 1 && letter.chars().all(char::is_alphabetic) {
            // An initial, or the first half of `z. B.`.
            let has_other_half = next.chars().count() == 1 && after[next.len()..].starts_with('.');
            return letter.chars().all(char::is_uppercase) || has_other_half;
        }
        let before = &text[..text.len() - last.len()];
        self.abbreviations.has_ordinals
            && last.len() <= 2
            && is_number(last)
            && (self.abbreviations.expects_ordinal(before) || is_month(next))
    }
}

/// Returns true if a text at the beginning of a line is its number, such as `1`, `2.3`, `A` or
/// `IV`.
fn is_label(text: &str) -> bool {
    const MAX_CHARS: usize = 6;
    let is_roman = || text.bytes().all(|byte| b"IVXLC".contains(&byte));
    let is_digits = || {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    text.len() <= MAX_CHARS && (is_digits() || is_roman() || text.chars().count() == 1)
}

/// Returns true for the full name of a month. Short names are those of all languages, and also
/// other words, such as `Sie`.
fn is_month(word: &str) -> bool {
    const MIN_CHARS: usize = 4;
    word == "Mai" || word.chars().count() >= MIN_CHARS && month_of(word).is_some()
}

/// A text on one line: white space is collapsed, and characters that XML cannot hold are removed.
pub(super) fn one_line(text: &str) -> String {
    let text: String = text.chars().filter(|&c| is_xml(c)).collect();
    crate::text::collapse(&text)
}

pub(super) struct Paragraph {
    pub(super) kind: ParagraphKind,
    /// The lines of the paragraph, none of them empty: the lines of a text, which `br` ends, the
    /// lines of code, or the cells of a row. A sentence never crosses a line.
    pub(super) lines: Vec<String>,
}

/// The type of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParagraphKind {
    Heading,
    Text,
    Item,
    Quote,
    Code,
    Row,
    Term,
    Definition,
    Caption,
}

impl ParagraphKind {
    /// The name of the type; `None` for running text.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Text => None,
            Self::Heading => Some("heading"),
            Self::Item => Some("item"),
            Self::Quote => Some("quote"),
            Self::Code => Some("code"),
            Self::Row => Some("row"),
            Self::Term => Some("term"),
            Self::Definition => Some("definition"),
            Self::Caption => Some("caption"),
        }
    }
}

/// The paragraphs of a text; those without text are left out.
pub(super) fn paragraphs(segments: &[Segment]) -> Vec<Paragraph> {
    let mut found = Vec::new();
    let mut push = |kind, texts: &mut dyn Iterator<Item = String>| {
        let lines: Vec<String> = texts
            .map(|line| one_line(&line))
            .filter(|line| !line.is_empty())
            .collect();
        if !lines.is_empty() {
            found.push(Paragraph { kind, lines });
        }
    };
    for block in blocks(segments) {
        match block {
            DocumentBlock::CommentsHeading => {}
            DocumentBlock::Table(table) => {
                for segment in &table.caption {
                    push(ParagraphKind::Caption, &mut std::iter::once(segment.text()));
                }
                for row in &table.rows {
                    push(ParagraphKind::Row, &mut row.iter().map(cell_text));
                }
            }
            DocumentBlock::One(segment) => {
                let kind = match segment.kind {
                    SegmentKind::Heading { .. } => ParagraphKind::Heading,
                    SegmentKind::ListItem { .. } => ParagraphKind::Item,
                    SegmentKind::Quote => ParagraphKind::Quote,
                    SegmentKind::Term => ParagraphKind::Term,
                    SegmentKind::Definition { .. } => ParagraphKind::Definition,
                    SegmentKind::Caption { .. } => ParagraphKind::Caption,
                    SegmentKind::Image { .. } => continue,
                    SegmentKind::Code { .. } => ParagraphKind::Code,
                    SegmentKind::Paragraph | SegmentKind::TableCell { .. } => ParagraphKind::Text,
                };
                let mut texts = lines(segment);
                if kind != ParagraphKind::Code && is_wrapped(&texts) {
                    texts = vec![texts.join(" ")];
                }
                push(kind, &mut texts.into_iter());
            }
        }
    }
    found
}

/// Returns true if the line breaks of a text are those of a writer who ended every line by hand, as
/// in old e-mails: lines of about the same length with sentences that end within them. In verse,
/// sentences end with lines. Heuristic.
fn is_wrapped(lines: &[String]) -> bool {
    const MIN_LINES: usize = 3;
    const MIN_CHARS: usize = 50;
    let [full @ .., _] = lines else {
        return false;
    };
    let lengths = || full.iter().map(|line| line.chars().count());
    let longest = lengths().max().unwrap_or(0);
    let is_even = lengths().all(|length| length * 10 >= longest * 7);
    if lines.len() < MIN_LINES || longest < MIN_CHARS || !is_even {
        return false;
    }
    let ends = full.iter().filter(|line| line.ends_with(['.', '!', '?']));
    let within = lines.iter().map(|line| {
        let marks = [". ", "! ", "? "];
        marks
            .iter()
            .map(|mark| line.matches(mark).count())
            .sum::<usize>()
    });
    within.sum::<usize>() > ends.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown_in(tag: &str, text: &str) -> Vec<String> {
        let sentences = Sentences::new(tag);
        let cut = sentences.cut(text);
        let one = |tokens: &Vec<Token<'_>>| {
            let tokens = tokens
                .iter()
                .map(|token| token.text.to_owned() + if token.has_space_after { "" } else { "_" });
            tokens.collect::<Vec<_>>().join(" ")
        };
        cut.iter().map(|(_, tokens)| one(tokens)).collect()
    }

    fn shown(text: &str) -> Vec<String> {
        shown_in("", text)
    }

    #[test]
    fn sentences_and_tokens_are_those_of_the_text() {
        assert_eq!(
            shown("Dr. A. Lee saw 3.5 gulls, didn't she? \"Yes.\" See https://a.example/b?c."),
            [
                "Dr. A. Lee saw 3.5 gulls_ , didn't she_ ?",
                "\"_ Yes_ ._ \"",
                "See https://a.example/b?c_ ."
            ]
        );
        assert_eq!(
            shown("\u{6d77}\u{9e25}\u{98de}\u{3002}\u{5b83}\u{53eb}\u{3002}").len(),
            2
        );
        assert!(shown("").is_empty());
    }

    #[test]
    fn abbreviations_and_ordinals_end_no_sentence() {
        assert_eq!(
            shown_in(
                "de",
                "Am 7. Mai kam z. B. Frau Dr. Lang, d. h. rund 2 Mio. Menschen. Der 2. Weltkrieg. Er ist 9. Sie geht."
            ),
            [
                "Am 7. Mai kam z. B. Frau Dr. Lang_ , d. h. rund 2 Mio. Menschen_ .",
                "Der 2. Weltkrieg_ .",
                "Er ist 9_ .",
                "Sie geht_ ."
            ]
        );
        assert_eq!(
            shown_in(
                "en",
                "See Fig. 4.1, e.g. at 9:15 a.m. on Feb. 3. It runs mod_rewrite. We left at 5 p.m. Then it rained."
            ),
            [
                "See Fig. 4.1_ , e.g. at 9:15 a.m. on Feb. 3_ .",
                "It runs mod_rewrite_ .",
                "We left at 5 p.m.",
                "Then it rained_ ."
            ]
        );
        assert_eq!(
            shown_in("en", "He has a Ph.D. from the U.S. Navy, no. Yes."),
            ["He has a Ph.D. from the U.S. Navy_ , no_ .", "Yes_ ."]
        );
        assert_eq!(
            shown_in("fr", "M. Roy habite av. Foch."),
            ["M. Roy habite av. Foch_ ."]
        );
        assert_eq!(shown("2. The end"), ["2_ . The end"]);
        assert_eq!(
            shown("Fig. 2 The end. No. It is not."),
            ["Fig. 2 The end_ .", "No_ .", "It is not_ ."]
        );
    }

    #[test]
    fn a_burmese_comma_ends_no_sentence() {
        let text = "\u{1019}\u{1031}\u{1019}\u{1031}\u{104a} \u{1016}\u{1031}\u{1016}\u{1031}\u{104b} \u{101c}\u{102c}\u{104b}";
        assert_eq!(shown_in("my", text).len(), 2);
    }

    #[test]
    fn lines_of_verse_are_sentences_and_those_of_wrapped_prose_are_not() {
        let verse =
            "The tide came in, the tide went out,\nthe gulls were calling all about\nthe bay.";
        let prose = "The harbor of the town was built in the last century. It has two\n\
            piers and a light. The ferry leaves from the northern one in the\nmorning.";
        let lines = |text: &str| {
            let span = crate::document::Span {
                text: text.into(),
                ..Default::default()
            };
            let segment = Segment::new(SegmentKind::Paragraph, vec![span], 0);
            paragraphs(&[segment]).remove(0).lines.len()
        };
        assert_eq!((lines(verse), lines(prose)), (3, 1));
    }

    proptest! {
        #[test]
        fn the_tokens_and_spaces_of_a_text_are_the_text(text in "\\PC{0,40}|[A-D.?! \u{e9}\u{6d77}'-]{0,40}") {
            let text = one_line(&text);
            let sentences = Sentences::new("de");
            let cut = sentences.cut(&text);
            let mut joined = String::new();
            for (sentence, tokens) in &cut {
                let mut own = String::new();
                for token in tokens {
                    own.push_str(token.text);
                    own.push_str(if token.has_space_after { " " } else { "" });
                }
                prop_assert_eq!(own.trim_end(), *sentence);
                joined.push_str(&own);
            }
            prop_assert_eq!(joined.trim_end(), text);
        }
    }
}
