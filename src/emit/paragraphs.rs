//! The paragraphs of a document for formats of corpus tools: each with its type, and its text in lines.

use super::blocks::{Block, blocks, cell_text};
use super::sentences::one_line;
use crate::clean::{Segment, SegmentKind};

/// A paragraph.
pub(super) struct Paragraph {
    pub(super) kind: ParagraphKind,
    /// Its texts, each on one line, none empty: those of a paragraph, the lines of code, or the cells of a row. A sentence
    /// is in one of them.
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
    /// Its name; none for running text.
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
        let lines: Vec<String> = lines.map(|line| one_line(&line)).filter(|line| !line.is_empty()).collect();
        if !lines.is_empty() {
            found.push(Paragraph { kind, lines });
        }
    };
    for block in blocks(segments) {
        match block {
            Block::CommentsHeading => {}
            Block::Table(table) => {
                for segment in &table.caption {
                    push(ParagraphKind::Caption, &mut std::iter::once(segment.text()));
                }
                for row in &table.rows {
                    push(ParagraphKind::Row, &mut row.iter().map(cell_text));
                }
            }
            Block::One(segment) => {
                let kind = match segment.kind {
                    SegmentKind::Heading { .. } => ParagraphKind::Heading,
                    SegmentKind::ListItem { .. } => ParagraphKind::Item,
                    SegmentKind::Quote => ParagraphKind::Quote,
                    SegmentKind::Term => ParagraphKind::Term,
                    SegmentKind::Definition { .. } => ParagraphKind::Definition,
                    SegmentKind::Caption { .. } => ParagraphKind::Caption,
                    SegmentKind::Image { .. } => continue,
                    SegmentKind::Code { .. } => {
                        push(ParagraphKind::Code, &mut segment.text().lines().map(str::to_owned));
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
