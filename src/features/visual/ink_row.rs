//! One row of pixels for `ink`: its gradient, the ink that a target owns in it, and its part of the half-scale image.

// What is not inlined into the dispatched function is compiled without the wider instructions.
#![allow(clippy::inline_always)]

use super::run::{CELL, EDGE, Run};
use std::ops::Range;

/// The current row of pixels.
pub(super) struct InkRow<'a> {
    line: &'a [u8],
    /// Gradient of each pixel.
    edges: Vec<u8>,
    /// Whether any of them is ink.
    has_ink: bool,
    /// Text ink, [`MARK`] a pixel; one more for rows of odd width.
    marks: Vec<u8>,
    /// Ink of each grid square that no text owns, once it is counted.
    picture: Vec<u16>,
    is_counted: bool,
    /// The part of `marks` in use, rounded to pairs.
    marked: Range<usize>,
}

/// What an ink pixel adds to its pixel of the half-scale image: four of them make 252.
const MARK: u8 = 63;

impl<'a> InkRow<'a> {
    pub(super) fn new(width: usize) -> Self {
        let marks = vec![0; width.next_multiple_of(2)];
        let picture = vec![0; width.div_ceil(CELL)];
        Self { line: &[], edges: vec![0; width], has_ink: false, marks, picture, is_counted: false, marked: 0..0 }
    }

    /// Computes the gradient of a row; it is 0 at both ends. Returns false if the row equals the one before.
    #[inline(always)]
    pub(super) fn read(&mut self, line: &'a [u8]) -> bool {
        if self.line == line {
            return false;
        }
        self.line = line;
        let mut steepest = 0;
        for ((edge, &left), &right) in self.edges.iter_mut().skip(1).zip(line).zip(line.iter().skip(2)) {
            *edge = left.abs_diff(right);
            steepest = steepest.max(*edge);
        }
        self.has_ink = steepest > EDGE;
        true
    }

    /// Counts the ink of the pixels between `runs`, and adds it to that of each grid square.
    #[inline(always)]
    pub(super) fn count_picture(&mut self, runs: &[(u32, Run)], cells: &mut [u16]) {
        if !self.has_ink {
            return;
        }
        if !self.is_counted {
            self.is_counted = true;
            self.picture.fill(0);
            let mut unowned = 0;
            for (_, run) in runs {
                self.count(unowned..run.start as usize);
                unowned = run.end as usize;
            }
            self.count(unowned..self.line.len());
        }
        for (sum, &ink) in cells.iter_mut().zip(&self.picture) {
            *sum += ink;
        }
    }

    /// Counts the ink of these pixels.
    #[inline(always)]
    fn count(&mut self, columns: Range<usize>) {
        let Range { start: mut x, end } = columns;
        while x < end {
            let next = ((x / CELL + 1) * CELL).min(end);
            let edges = &self.edges[x..next];
            // Squares as a whole are counted with few instructions.
            let ink = match <&[u8; CELL]>::try_from(edges) {
                Ok(square) => square.iter().map(|&edge| u8::from(edge > EDGE)).sum::<u8>(),
                Err(_) => edges.iter().map(|&edge| u8::from(edge > EDGE)).sum::<u8>(),
            };
            self.picture[x / CELL] += u16::from(ink);
            x = next;
        }
    }

    /// Measures pixels that a target owns, and marks their ink.
    #[inline(always)]
    pub(super) fn take(&mut self, y: u32, columns: Range<usize>) -> Run {
        let (start, end) = (columns.start, columns.end);
        let mut run = Run {
            y,
            start: start as u32,
            end: end as u32,
            ink: 0,
            ink_first: u32::MAX,
            ink_last: 0,
            edge_sum: 0,
            gray_sum: self.line[columns.clone()].iter().map(|&gray| u32::from(gray)).sum(),
        };
        let edges = &self.edges[columns.clone()];
        let Some(first) = edges.iter().position(|&edge| edge > EDGE).filter(|_| self.has_ink) else { return run };
        for (mark, &edge) in self.marks[columns].iter_mut().zip(edges) {
            let is_ink = edge > EDGE;
            *mark = if is_ink { MARK } else { 0 };
            run.ink += u32::from(is_ink);
            run.edge_sum += if is_ink { u32::from(edge) } else { 0 };
        }
        run.ink_first = (start + first) as u32;
        run.ink_last = (start + edges.iter().rposition(|&edge| edge > EDGE).unwrap_or(first)) as u32;
        if self.marked.is_empty() {
            self.marked.start = start / 2 * 2;
        }
        self.marked.end = end.next_multiple_of(2);
        run
    }

    /// Adds the marked ink to its row of the half-scale image.
    #[inline(always)]
    pub(super) fn mark(&self, half: &mut [u8]) {
        let marks = &self.marks[self.marked.clone()];
        for (half, pair) in half[self.marked.start / 2..].iter_mut().zip(marks.chunks_exact(2)) {
            *half += pair[0] + pair[1];
        }
    }

    /// Clears what was marked and counted.
    pub(super) fn clear(&mut self) {
        self.is_counted = false;
        let marked = std::mem::take(&mut self.marked);
        self.marks[marked].fill(0);
    }
}
