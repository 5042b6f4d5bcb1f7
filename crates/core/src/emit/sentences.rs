//! Cuts the text of a segment into sentences and tokens, for formats of corpus tools.
//!
//! Sentence boundaries are those of Unicode (UAX 29) by ICU, except after an initial or a title.
//! Tokens follow the treebanks of Universal Dependencies, but every token is a part of the text:
//! contractions stay whole.

use super::blocks::{DocumentBlock, blocks, cell_text};
use super::xml_writer::is_xml;
use crate::document::{Segment, SegmentKind};
use crate::language::Cutter;
use icu_segmenter::options::SentenceBreakInvariantOptions;
use icu_segmenter::{SentenceSegmenter, SentenceSegmenterBorrowed};

/// Titles before names. No sentence ends after them although they have a period and a capital
/// letter follows. Heuristic: English, German, French and Spanish titles; initials are recognized
/// separately.
const TITLES: &[&str] = &[
    "Dr", "Mr", "Mrs", "Ms", "Prof", "St", "Sr", "Sra", "Hr", "Fr", "Mme", "Mlle", "Rev", "Gen",
    "Capt", "Lt", "Col",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'t> {
    /// The token as it stands in the text; never empty, and without white space.
    pub(super) text: &'t str,
    /// True if white space follows the token, or if it is the last one of the paragraph.
    pub(super) has_space_after: bool,
}

/// Cuts texts into sentences and tokens; holds the ICU tables.
#[derive(Debug)]
pub(super) struct Sentences {
    sentences: SentenceSegmenterBorrowed<'static>,
    cutter: Cutter,
}

impl Sentences {
    pub(super) fn new() -> Self {
        let sentences = SentenceSegmenter::new(SentenceBreakInvariantOptions::default());
        Self {
            sentences,
            cutter: Cutter::new(""),
        }
    }

    /// The sentences of a text on one line, such as the result of [`one_line`]. Each has its text,
    /// which neither begins nor ends with white space, and at least one token.
    pub(super) fn cut<'t>(&self, text: &'t str) -> Vec<(&'t str, Vec<Token<'t>>)> {
        let mut found = Vec::new();
        let mut from = 0;
        for to in self.sentences.segment_str(text) {
            let sentence = text[from..to].trim();
            // Inside addresses and program names, marks such as `?` do not end a sentence; a mark
            // that does is followed by a space.
            let is_inside = text[..to].ends_with(|c: char| c.is_ascii() && c != ' ');
            if sentence.is_empty()
                || to < text.len() && (is_inside || ends_in_abbreviation(sentence))
            {
                continue;
            }
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
                found.push((sentence, tokens));
            }
            from = to;
        }
        found
    }
}

/// Byte offset of `part` in `text`.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// Returns true if a text ends with a title or an initial and a period.
fn ends_in_abbreviation(text: &str) -> bool {
    let Some(text) = text.strip_suffix('.') else {
        return false;
    };
    let last = text
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or(text);
    let is_initial = last.chars().count() == 1
        && last.chars().all(char::is_uppercase)
        && text.len() > last.len();
    TITLES.contains(&last) || is_initial
}

/// A text on one line: white space is collapsed, and characters that XML cannot hold are removed.
pub(super) fn one_line(text: &str) -> String {
    let text: String = text.chars().filter(|&c| is_xml(c)).collect();
    crate::text::collapse(&text)
}

pub(super) struct Paragraph {
    pub(super) kind: ParagraphKind,
    /// The lines of the paragraph, none of them empty: the text of a paragraph, the lines of code,
    /// or the cells of a row. A sentence never crosses a line.
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
    let mut push = |kind, lines: &mut dyn Iterator<Item = String>| {
        let lines: Vec<String> = lines
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
                    SegmentKind::Code { .. } => {
                        push(
                            ParagraphKind::Code,
                            &mut segment.text().lines().map(str::to_owned),
                        );
                        continue;
                    }
                    SegmentKind::Paragraph | SegmentKind::TableCell { .. } => ParagraphKind::Text,
                };
                push(kind, &mut std::iter::once(segment.text()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<String> {
        let cut = Sentences::new().cut(text);
        let one = |tokens: &Vec<Token<'_>>| {
            let tokens = tokens
                .iter()
                .map(|token| token.text.to_owned() + if token.has_space_after { "" } else { "_" });
            tokens.collect::<Vec<_>>().join(" ")
        };
        cut.iter().map(|(_, tokens)| one(tokens)).collect()
    }

    #[test]
    fn sentences_and_tokens_are_those_of_the_text() {
        assert_eq!(
            shown("Dr. A. Lee saw 3.5 gulls, didn't she? \"Yes.\" See https://a.example/b?c."),
            [
                "Dr_ . A_ . Lee saw 3.5 gulls_ , didn't she_ ?",
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

    proptest! {
        #[test]
        fn the_tokens_and_spaces_of_a_text_are_the_text(text in "\\PC{0,40}|[A-D.?! \u{e9}\u{6d77}'-]{0,40}") {
            let text = one_line(&text);
            let cut = Sentences::new().cut(&text);
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
