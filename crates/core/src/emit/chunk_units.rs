//! The units of a text that chunks are made of: sentences, rows of tables, code, headings. No chunk
//! divides one.

use super::blocks::{DocumentBlock, Table, blocks, lines};
use super::sentences::Sentences;
use super::text::write_block;
use super::tokens::offset;
use crate::document::{Document, Post, Segment, SegmentKind};
use crate::text::collapse;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::rc::Rc;

/// The kind of a chunk: that of all its blocks except headings, or text if they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChunkKind {
    /// Running text, or blocks of several kinds.
    Text,
    /// One or several headings without text below them.
    Heading,
    /// Items of lists, terms and definitions.
    List,
    /// The text of quotations, whatever it is.
    Quote,
    /// A data table, or rows of one.
    Table,
    /// One or several blocks of code.
    Code,
    /// A reader's comment that is kept apart from the text.
    Comment,
}

/// The text of a document as in the format `text`, and its blocks.
pub(super) struct Divided<'a> {
    pub(super) text: String,
    pub(super) groups: Vec<Group<'a>>,
}

/// Consecutive blocks of the same post or comment, or of none.
pub(super) struct Group<'a> {
    pub(super) post: Option<&'a Post>,
    pub(super) blocks: Vec<Block<'a>>,
}

/// A block of the text; ranges are in bytes of the text.
pub(super) struct Block<'a> {
    pub(super) kind: ChunkKind,
    /// The headings above it, from the outermost one; a heading itself is the last.
    pub(super) headings: Rc<[String]>,
    pub(super) segments: Vec<&'a Segment>,
    /// In the order of the text; never empty.
    pub(super) units: Vec<Range<usize>>,
    /// The header rows of a table, which are repeated where it is divided; may be empty.
    pub(super) head: Range<usize>,
}

impl Block<'_> {
    /// True for blocks that start a chunk rather than being divided between two.
    pub(super) fn is_together(&self) -> bool {
        matches!(self.kind, ChunkKind::Table | ChunkKind::Code)
    }
}

/// Writes a document and finds its units.
pub(super) fn divide(document: &Document) -> Divided<'_> {
    let mut divider = Divider {
        sentences: Sentences::for_document(document),
        text: String::new(),
        path: Vec::new(),
        groups: Vec::new(),
    };
    divider.add_all(&document.segments, &document.posts, None);
    if let Some(comments) = document
        .comments
        .as_ref()
        .filter(|comments| !comments.segments.is_empty())
    {
        if !comments.is_alone {
            write_block(&mut divider.text, &DocumentBlock::CommentsHeading);
        }
        // Comments are below the title of the page and below none of its other headings.
        divider.path.truncate(1);
        let records = &comments.records;
        divider.add_all(&comments.segments, records, Some(ChunkKind::Comment));
    }
    Divided {
        text: divider.text,
        groups: divider.groups,
    }
}

struct Divider<'a> {
    sentences: Sentences,
    text: String,
    /// The headings above the next block, each with its level.
    path: Vec<(u8, String)>,
    groups: Vec<Group<'a>>,
}

impl<'a> Divider<'a> {
    /// Adds segments with their posts, whose ranges are in them. `kind` replaces that of blocks.
    fn add_all(&mut self, all: &'a [Segment], posts: &'a [Post], kind: Option<ChunkKind>) {
        let mut ordered: Vec<&Post> = posts
            .iter()
            .filter(|post| !post.segments.is_empty() && post.segments.end <= all.len())
            .collect();
        ordered.sort_by_key(|post| post.segments.start);
        let mut next = 0;
        for post in ordered {
            // A post is never inside another one.
            if post.segments.start < next {
                continue;
            }
            self.add_group(&all[next..post.segments.start], None, kind);
            let above = self.path.clone();
            self.add_group(&all[post.segments.clone()], Some(post), kind);
            self.path = above;
            next = post.segments.end;
        }
        self.add_group(&all[next..], None, kind);
    }

    fn add_group(
        &mut self,
        segments: &'a [Segment],
        post: Option<&'a Post>,
        kind: Option<ChunkKind>,
    ) {
        let mut found = Vec::new();
        for block in blocks(segments) {
            let start = self.text.len();
            write_block(&mut self.text, &block);
            let made = match block {
                DocumentBlock::One(segment) => self.block(start, segment),
                DocumentBlock::Table(table) => self.table(start, &table),
                DocumentBlock::CommentsHeading => continue,
            };
            found.extend(made.map(|block| Block {
                kind: kind.unwrap_or(block.kind),
                ..block
            }));
        }
        if found.is_empty() {
            return;
        }
        // The headings of a thread go with its first post.
        let is_of_thread = post.is_some() && kind.is_none();
        let is_headings = |group: &mut Group<'_>| {
            let mut kinds = group.blocks.iter().map(|block| block.kind);
            is_of_thread && group.post.is_none() && kinds.all(|kind| kind == ChunkKind::Heading)
        };
        if let Some(headings) = self.groups.pop_if(is_headings) {
            found.splice(0..0, headings.blocks);
        }
        let blocks = found;
        self.groups.push(Group { post, blocks });
    }

    /// The block of a segment that was written at `start`; `None` if it has no text.
    fn block(&mut self, start: usize, segment: &'a Segment) -> Option<Block<'a>> {
        let text = self.text[start..].trim_end();
        if text.trim().is_empty() {
            return None;
        }
        let whole = start..start + text.len();
        let units = match &segment.kind {
            SegmentKind::Heading { level } => {
                let heading = text.to_owned();
                self.path.retain(|(above, _)| above < level);
                self.path.push((*level, heading));
                vec![whole]
            }
            SegmentKind::Code { .. } => vec![whole],
            _ => {
                let found = sentences(&self.sentences, text, segment);
                let moved = |unit: Range<usize>| start + unit.start..start + unit.end;
                found.into_iter().map(moved).collect()
            }
        };
        Some(Block {
            kind: kind(segment),
            headings: self.headings(),
            segments: vec![segment],
            units,
            head: 0..0,
        })
    }

    /// The block of a table that was written at `start`: a unit for each line of its caption, and
    /// for each row.
    fn table(&self, start: usize, table: &Table<'a>) -> Option<Block<'a>> {
        let mut units: Vec<Range<usize>> = Vec::new();
        let mut at = start;
        for line in self.text[start..].split_inclusive('\n') {
            let end = at + line.trim_end_matches('\n').len();
            units.push(at..end);
            at += line.len();
        }
        let caption: usize = table
            .caption
            .iter()
            .map(|segment| lines(segment).len())
            .sum();
        let header_rows = table
            .rows
            .iter()
            .take_while(|row| row.iter().all(|cell| cell.is_header))
            .count();
        let head = units.get(caption..caption + header_rows).unwrap_or(&[]);
        let head = match (head.first(), head.last()) {
            (Some(first), Some(last)) if header_rows < table.rows.len() => first.start..last.end,
            _ => 0..0,
        };
        units.retain(|unit| !self.text[unit.clone()].trim().is_empty());
        let cells = table.rows.iter().flatten().flat_map(|cell| &cell.segments);
        (!units.is_empty()).then(|| Block {
            kind: ChunkKind::Table,
            headings: self.headings(),
            segments: table.caption.iter().chain(cells).copied().collect(),
            units,
            head,
        })
    }

    fn headings(&self) -> Rc<[String]> {
        self.path
            .iter()
            .map(|(_, heading)| heading.clone())
            .collect()
    }
}

fn kind(segment: &Segment) -> ChunkKind {
    match segment.kind {
        SegmentKind::Heading { .. } => ChunkKind::Heading,
        SegmentKind::Code { .. } => ChunkKind::Code,
        SegmentKind::TableCell { .. } => ChunkKind::Table,
        _ if segment.within.quotes > 0 => ChunkKind::Quote,
        SegmentKind::ListItem { .. } | SegmentKind::Term | SegmentKind::Definition { .. } => {
            ChunkKind::List
        }
        _ if segment.within.items > 0 => ChunkKind::List,
        _ => ChunkKind::Text,
    }
}

/// The sentences of the lines of a segment; a formula is in one of them.
fn sentences(cutter: &Sentences, text: &str, segment: &Segment) -> Vec<Range<usize>> {
    let mut formulas = Vec::new();
    let mut from = 0;
    for span in segment.spans.iter().filter(|span| span.formula.is_some()) {
        let formula = collapse(&span.text);
        if let Some(found) = text[from..].find(&formula) {
            from += found + formula.len();
            formulas.push(from - formula.len()..from);
        }
    }
    let is_in_formula = |at: usize| {
        formulas
            .iter()
            .any(|formula| formula.start < at && at < formula.end)
    };
    let mut units: Vec<Range<usize>> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let found = cutter.sentences(line);
        // The rules find no sentence in a line of marks.
        let found = if found.is_empty() {
            vec![line.trim()]
        } else {
            found
        };
        for sentence in found {
            let start = offset(text, sentence);
            let end = start + sentence.len();
            match units.last_mut() {
                Some(last) if is_in_formula(start) => last.end = end,
                _ => units.push(start..end),
            }
        }
    }
    units
}
