//! Chunks: pieces of a text for search indexes and language models, as JSON lines.
//!
//! A chunk ends before a new section unless it is short, and never inside a sentence, a row of a
//! table, code or a formula. Tables are divided only if they are larger than a chunk; each part
//! then begins with the header rows. A chunk has text of one post or comment only.

use super::chunk_units::{Block, ChunkKind, Divided, Group, divide};
use super::format::{ChunkOptions, EmitOptions};
use super::place::Place;
use super::text_fragment::text_fragment;
use crate::capture::{CssRect, NodeId};
use crate::document::Document;
use crate::language::character::{half_letters, needs_dictionary};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// Number of the chunk in its document, from 0.
    pub index: usize,
    /// The text, as in the format `text`.
    pub text: String,
    /// The headings above all of its blocks, from the outermost one; one that is in the chunk is
    /// among them if no other section is.
    pub headings: Vec<String>,
    /// The kind of its blocks.
    pub kind: ChunkKind,
    /// Number of words, see [`chunk_words`].
    pub words: usize,
    /// Where its text begins in that of the format `text`, in characters, without what is repeated.
    pub start: usize,
    /// Where it ends there.
    pub end: usize,
    /// Number of characters at the beginning of the text that an earlier chunk has too: overlap, or
    /// the header rows of a table.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeated: usize,
    /// XPath of the smallest element around the text, if the document was
    /// [located](Document::locate).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub xpath: Option<String>,
    /// The box around the text, in CSS px from the top left corner of the page; `None` for a page
    /// that was not rendered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rect: Option<CssRect>,
    /// Address of the page with a text fragment, which makes browsers scroll to the text and mark
    /// it (WICG Scroll to Text Fragment, section 3); `None` if the address is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Author of the post or comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Date of the post or comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde calls it.
fn is_zero(value: &usize) -> bool {
    *value == 0
}

/// Number of words of a text, for the sizes of chunks: those between white space, and in scripts
/// without spaces one for each four letters, where a Han or Kana character counts as 2.5 (ours; see
/// the profile of texts in the features).
pub fn chunk_words(text: &str) -> usize {
    let mut words = 0;
    let mut halves = 0;
    for word in text.split_whitespace() {
        let unspaced = word.chars().filter(|&c| needs_dictionary(c));
        halves += unspaced.map(half_letters).sum::<u32>() as usize;
        words += usize::from(
            word.chars()
                .any(|c| c.is_alphanumeric() && !needs_dictionary(c))
                || !word.chars().any(needs_dictionary),
        );
    }
    words + halves.div_ceil(8)
}

impl Document {
    /// The text in chunks whose sizes are in words, see [`chunk_words`]. They are in the order of
    /// the text and hold all of it except the heading above comments.
    pub fn chunks(&self, options: ChunkOptions) -> Vec<Chunk> {
        self.chunks_by(options, chunk_words)
    }

    /// The text in chunks whose sizes are those that `count` gives for a text, such as the number
    /// of tokens of a language model. It is called with the text of each chunk several times while
    /// the chunk grows.
    pub fn chunks_by(&self, options: ChunkOptions, count: impl FnMut(&str) -> usize) -> Vec<Chunk> {
        let Divided { text, groups } = divide(self);
        let mut chunks = Vec::new();
        let mut packer = Packer {
            text: &text,
            size: options.size.max(1),
            overlap: options.overlap.min(options.size / 2),
            count,
        };
        // Characters are counted once, up to each place in turn.
        let (mut bytes, mut characters) = (0, 0);
        let mut in_characters = |at: usize| {
            characters += text[bytes..at].chars().count();
            bytes = at;
            characters
        };
        for group in &groups {
            for piece in packer.pack(group) {
                let written = piece.write(&text);
                let range = piece.range();
                let place = self
                    .positions
                    .as_ref()
                    .and_then(|positions| Place::find(piece.nodes(group), positions));
                let page = self.metadata.url.as_deref();
                let fragment = || text_fragment(&text[range.clone()]);
                chunks.push(Chunk {
                    index: chunks.len(),
                    headings: piece.headings(group),
                    kind: piece.kind(group),
                    words: chunk_words(&written),
                    repeated: written.chars().count() - text[range.clone()].chars().count(),
                    start: in_characters(range.start),
                    end: in_characters(range.end),
                    xpath: place.as_ref().map(|place| place.xpath.to_owned()),
                    rect: place.and_then(|place| place.rect),
                    url: page.and_then(|page| Some(with_fragment(page, &fragment()?))),
                    author: group.post.and_then(|post| post.author.clone()),
                    date: group.post.and_then(|post| post.date.clone()),
                    text: written,
                });
            }
        }
        chunks
    }
}

/// The address of a page with a text fragment.
fn with_fragment(page: &str, fragment: &str) -> String {
    let mark = if page.contains('#') { "" } else { "#" };
    format!("{page}{mark}:~:text={fragment}")
}

/// The chunk that is being filled.
#[derive(Debug, Clone, Default)]
struct Piece {
    /// The units, each with the index of its block; never empty.
    units: Vec<(usize, Range<usize>)>,
    /// Header rows that it begins with.
    head: Range<usize>,
    /// Where its text begins with what it repeats of the chunk before; `None` for nothing.
    overlap: Option<usize>,
    /// Its size in the unit of the counter.
    size: usize,
}

impl Piece {
    fn range(&self) -> Range<usize> {
        match (self.units.first(), self.units.last()) {
            (Some((_, first)), Some((_, last))) => first.start..last.end,
            _ => 0..0,
        }
    }

    fn write(&self, text: &str) -> String {
        let range = self.range();
        let own = &text[self.overlap.unwrap_or(range.start)..range.end];
        if self.head.is_empty() {
            own.to_owned()
        } else {
            format!("{}\n{own}", &text[self.head.clone()])
        }
    }

    fn blocks<'a>(&'a self, group: &'a Group<'a>) -> impl Iterator<Item = &'a Block<'a>> {
        let same = self.units.chunk_by(|(one, _), (other, _)| one == other);
        same.map(|units| &group.blocks[units[0].0])
    }

    fn headings(&self, group: &Group<'_>) -> Vec<String> {
        let mut blocks = self.blocks(group);
        let mut common = blocks
            .next()
            .map_or_else(Vec::new, |block| block.headings.to_vec());
        for block in blocks {
            let same = common.iter().zip(block.headings.iter());
            let length = same.take_while(|(one, other)| one == other).count();
            common.truncate(length);
        }
        common
    }

    fn kind(&self, group: &Group<'_>) -> ChunkKind {
        let mut kinds = self
            .blocks(group)
            .map(|block| block.kind)
            .filter(|kind| *kind != ChunkKind::Heading);
        match kinds.next() {
            None => ChunkKind::Heading,
            Some(first) if kinds.all(|kind| kind == first) => first,
            Some(_) => ChunkKind::Text,
        }
    }

    fn nodes<'a>(&'a self, group: &'a Group<'a>) -> impl Iterator<Item = NodeId> + 'a {
        let segments = self.blocks(group).flat_map(|block| &block.segments);
        let spans = segments.flat_map(|segment| &segment.spans);
        spans.flat_map(|span| &span.nodes).copied()
    }

    /// The number of units before the headings at its end.
    fn before_headings(&self, group: &Group<'_>) -> usize {
        let is_heading = |(block, _): &(usize, _)| group.blocks[*block].kind == ChunkKind::Heading;
        let headings = self.units.iter().rev().take_while(|unit| is_heading(unit));
        self.units.len() - headings.count()
    }

    /// Ends the chunk after its first `kept` units; the others remain open.
    fn close(&mut self, kept: usize, done: &mut Vec<Self>) {
        let rest = self.units.split_off(kept);
        let closed = std::mem::take(self);
        done.extend((!closed.units.is_empty()).then_some(closed));
        self.units = rest;
    }
}

struct Packer<'t, F> {
    text: &'t str,
    size: usize,
    overlap: usize,
    count: F,
}

impl<F: FnMut(&str) -> usize> Packer<'_, F> {
    /// The chunks of a group.
    fn pack(&mut self, group: &Group<'_>) -> Vec<Piece> {
        let mut done = Vec::new();
        let mut open = Piece::default();
        for (index, block) in group.blocks.iter().enumerate() {
            let is_heading = block.kind == ChunkKind::Heading;
            let is_long = open.size >= self.size.div_ceil(4);
            if is_heading && is_long && open.before_headings(group) == open.units.len() {
                done.push(std::mem::take(&mut open));
            }
            self.add(group, index, &mut open, &mut done);
        }
        if !open.units.is_empty() {
            done.push(open);
        }
        done
    }

    /// Adds a block: to the open chunk if it fits, else to a new one, else unit by unit.
    fn add(&mut self, group: &Group<'_>, index: usize, open: &mut Piece, done: &mut Vec<Piece>) {
        let block = &group.blocks[index];
        let all = || block.units.iter().map(|unit| (index, unit.clone()));
        if self.extend(open, all()) {
            return;
        }
        let kept = open.before_headings(group);
        let is_full = open.size >= self.size.div_ceil(2);
        if kept > 0 && (block.is_together() || is_full) {
            let mut alone = Piece {
                units: open.units[kept..].to_vec(),
                ..Piece::default()
            };
            let fits = self.extend(&mut alone, all());
            if fits && kept == open.units.len() && !block.is_together() {
                alone = self.with_repetition(group, open, alone);
            }
            if fits || block.is_together() {
                open.close(kept, done);
                *open = alone;
            }
            if fits {
                return;
            }
        }
        for unit in &block.units {
            self.add_unit(group, (index, unit.clone()), open, done);
        }
    }

    fn add_unit(
        &mut self,
        group: &Group<'_>,
        unit: (usize, Range<usize>),
        open: &mut Piece,
        done: &mut Vec<Piece>,
    ) {
        if self.extend(open, [unit.clone()]) {
            return;
        }
        let kept = open.before_headings(group);
        let headings = open.units[kept..].to_vec();
        let mut next = Piece {
            units: headings,
            ..Piece::default()
        };
        if kept > 0 && self.extend(&mut next, [unit.clone()]) {
            if kept == open.units.len() {
                next = self.with_repetition(group, open, next);
            }
            open.close(kept, done);
            *open = next;
            return;
        }
        let mut alone = Piece::default();
        if self.extend(&mut alone, [unit.clone()]) {
            // The headings alone fill a chunk.
            let all = open.units.len();
            open.close(all, done);
            *open = alone;
            return;
        }
        // The unit is larger than a chunk. It is one with its headings, and nothing else.
        if kept > 0 {
            open.close(kept, done);
        }
        open.units.push(unit);
        open.size = (self.count)(&open.write(self.text));
        let all = open.units.len();
        open.close(all, done);
    }

    /// Adds units to a piece if they fit, or if the piece is empty and they do.
    fn extend(
        &mut self,
        piece: &mut Piece,
        units: impl IntoIterator<Item = (usize, Range<usize>)>,
    ) -> bool {
        let before = piece.units.len();
        piece.units.extend(units);
        let size = (self.count)(&piece.write(self.text));
        if size > self.size {
            piece.units.truncate(before);
            return false;
        }
        piece.size = size;
        true
    }

    /// The chunk that follows another one in the same section, with what it repeats of that: the
    /// header rows of the table that both are parts of, or sentences. It begins without them if it
    /// has no room.
    fn with_repetition(&mut self, group: &Group<'_>, before: &Piece, next: Piece) -> Piece {
        let (Some((last, _)), Some((first, unit))) = (before.units.last(), next.units.first())
        else {
            return next;
        };
        let block = &group.blocks[*first];
        let mut candidate = next.clone();
        if last == first && block.kind == ChunkKind::Table {
            if unit.start < block.head.end {
                return next;
            }
            candidate.head = block.head.clone();
        } else {
            candidate.overlap = self.overlap_start(group, before);
            if candidate.overlap.is_none() {
                return next;
            }
        }
        candidate.size = (self.count)(&candidate.write(self.text));
        if candidate.size > self.size {
            next
        } else {
            candidate
        }
    }

    /// Where the last sentences of a chunk begin that are within the overlap together.
    fn overlap_start(&mut self, group: &Group<'_>, before: &Piece) -> Option<usize> {
        let end = before.range().end;
        let mut start = None;
        if self.overlap == 0 {
            return None;
        }
        for (block, unit) in before.units.iter().rev() {
            let block = &group.blocks[*block];
            let is_sentence = !block.is_together() && block.kind != ChunkKind::Heading;
            if !is_sentence || (self.count)(&self.text[unit.start..end]) > self.overlap {
                break;
            }
            start = Some(unit.start);
        }
        start
    }
}

/// A line of the format `chunks`.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(flatten)]
    chunk: &'a Chunk,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
}

/// Writes a JSON object for each chunk on a line of its own.
pub(super) fn write(document: &Document, options: &EmitOptions) -> String {
    let mut out = String::new();
    for chunk in &document.chunks(options.chunks) {
        let line = Line {
            id: document.id.as_deref(),
            chunk,
            title: document.metadata.title.as_deref(),
        };
        let line = serde_json::to_string(&line);
        out.push_str(&line.expect("all keys are strings and nothing fails to serialize"));
        out.push('\n');
    }
    out
}
