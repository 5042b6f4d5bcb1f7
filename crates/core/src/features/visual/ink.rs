//! Ink: the places where the page image has the sharp vertical edges of letters, by target.
//!
//! The first step of the pixel pipeline. The horizontal gradient of the gray image removes the
//! local background (it is 0 on any even background, light or dark); pixels above [`EDGE`] are ink.
//! The mask separates text ink, owned by a target, from picture ink, which has no owner. Only text
//! ink forms blobs, so that a photograph or a ruled line never joins two paragraphs.
//!
//! Many rows of a page equal the row above; their measurements are copied.

// Code that is not inlined into the dispatched function is compiled without the wider instructions.
#![allow(clippy::inline_always)]

use super::median::weighted_median;
use super::pixels::Pixels;
use crate::capture::MaskRun;
use crate::target::Target;
use image::GrayImage;
use pulp::Arch;
use std::ops::Range;

/// Blank border around the half-scale ink image, in half-scale pixels: larger than the radius of
/// any mean filter.
pub(crate) const PAD: usize = 16;

/// Line height in CSS px of a page without measurable text: 16 px text in a browser's default
/// style, with 1.25 line spacing.
const DEFAULT_LINE_HEIGHT_PX: f32 = 20.0;

/// Smallest and largest line height, in CSS px.
const LINE_HEIGHT_LIMITS_PX: (f32, f32) = (10.0, 64.0);

/// Minimum value of the half-scale ink image between the first and the last ink of a line
/// (run-length smoothing, Wong, Casey and Wahl 1982, within the pixels that the target owns). It
/// closes the gaps of word spaces and of the wide punctuation of Chinese and Japanese, so the mean
/// filter has to bridge only the space between lines.
const FILL: u8 = 96;

/// Minimum share of picture ink among the pixels of a grid square that counts as picture
/// (heuristic: a border line across the square stays below).
const PICTURE_INK: f32 = 0.25;

/// Maximum ink of a row that counts as blank, relative to the mean inked row (heuristic).
const BLANK_ROW: f32 = 0.1;

/// A line of text, detected by its ink, in px; `right` and `bottom` are one past the last pixel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct InkLine {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) top: u32,
    pub(crate) bottom: u32,
}

/// Pixel measurements of one target. All are zero for a target that owns no pixels.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OwnPixels {
    /// Number of pixels that the target owns.
    pub(crate) owned: u32,
    /// Number of ink pixels.
    pub(crate) ink: u32,
    /// Mean gradient of the ink pixels, 0 to 255.
    pub(crate) contrast: f32,
    /// Mean gray of all owned pixels, 0 to 255.
    pub(crate) gray: f32,
    /// Top of the owned pixels in px, and one past their bottom.
    pub(crate) rows: Range<u32>,
    /// Median height of the mask's contiguous rows per line, in px: the height of the font's line
    /// box.
    pub(crate) line_box_px: f32,
    /// Lines found by horizontal projection, from the top.
    pub(crate) lines: Vec<InkLine>,
}

/// The ink of a page.
#[derive(Debug)]
pub(crate) struct Ink {
    /// Text ink at half scale with a border of [`PAD`]: 63 for each ink pixel of four, at least
    /// [`FILL`] within lines.
    pub(crate) half: GrayImage,
    /// Measurements of each target, in order.
    pub(crate) own: Vec<OwnPixels>,
    /// Runs sorted by target, then row, then column.
    pub(crate) runs: Vec<Run>,
    /// Range of `runs` of each target.
    pub(crate) runs_of: Vec<Range<usize>>,
    /// Grid squares that contain pictures.
    pub(crate) pictures: PictureGrid,
    /// Distance between two baselines of running text, in px.
    pub(crate) line_height_px: f32,
}

/// Summed-area table of the grid squares that contain pictures.
#[derive(Debug)]
pub(crate) struct PictureGrid {
    columns: usize,
    rows: usize,
    sums: Vec<u32>,
}

impl PictureGrid {
    fn new(columns: usize, rows: usize, ink: &[u16]) -> Self {
        // Ink was counted in every other row of pixels.
        let enough = (PICTURE_INK * (CELL * CELL / 2) as f32) as u16;
        let mut sums = vec![0u32; (columns + 1) * (rows + 1)];
        for y in 0..rows {
            let mut line = 0;
            for x in 0..columns {
                line += u32::from(ink[y * columns + x] >= enough);
                sums[(y + 1) * (columns + 1) + x + 1] = sums[y * (columns + 1) + x + 1] + line;
            }
        }
        Self {
            columns,
            rows,
            sums,
        }
    }

    /// Share of a rectangle (px; left, top, right, bottom) covered by picture squares, 0 to 1.
    pub(crate) fn share(&self, [left, top, right, bottom]: [f32; 4]) -> f32 {
        let low = |value: f32, limit: usize| ((value.max(0.0) / CELL as f32) as usize).min(limit);
        let high =
            |value: f32, limit: usize| ((value.max(0.0) / CELL as f32).ceil() as usize).min(limit);
        let (x0, x1) = (low(left, self.columns), high(right, self.columns));
        let (y0, y1) = (low(top, self.rows), high(bottom, self.rows));
        if x1 <= x0 || y1 <= y0 {
            return 0.0;
        }
        let at = |x: usize, y: usize| self.sums[y * (self.columns + 1) + x];
        let count = at(x1, y1) + at(x0, y0) - at(x0, y1) - at(x1, y0);
        count as f32 / ((x1 - x0) * (y1 - y0)) as f32
    }

    /// Share of the whole page covered by picture squares, 0 to 1.
    pub(crate) fn whole(&self) -> f32 {
        self.share([
            0.0,
            0.0,
            (self.columns * CELL) as f32,
            (self.rows * CELL) as f32,
        ])
    }
}

const NOBODY: u32 = u32::MAX;

/// For each node index, the target that its text belongs to; nodes past the end belong to none.
fn targets_of_nodes(targets: &[Target]) -> Vec<u32> {
    let nodes = targets
        .iter()
        .flat_map(|target| &target.texts)
        .map(|id| id.index() + 1)
        .max()
        .unwrap_or(0);
    let mut owner = vec![NOBODY; nodes];
    for (index, target) in targets.iter().enumerate() {
        for id in &target.texts {
            owner[id.index()] = index as u32;
        }
    }
    owner
}

/// Measurements from the rows of a page.
struct ReadRows {
    /// The pixels of [`Ink::half`], before gaps within lines are closed.
    half: Vec<u8>,
    half_width: usize,
    /// Number of ink pixels in each grid square that do not belong to text.
    picture: Vec<u16>,
    /// Runs with their targets, in the order of rows.
    runs: Vec<(u32, Run)>,
}

/// Finds the ink of a page.
pub(crate) fn find_ink(pixels: &Pixels, targets: &[Target]) -> Ink {
    let (width, height) = (pixels.gray.width() as usize, pixels.gray.height() as usize);
    let read = Arch::new().dispatch(|| read_rows(pixels, &targets_of_nodes(targets)));
    let ReadRows {
        mut half,
        half_width,
        picture,
        runs,
    } = read;
    let (runs, runs_of) = group(&runs, targets.len());
    let mut own: Vec<OwnPixels> = runs_of
        .iter()
        .map(|range| own_pixels(&runs[range.clone()]))
        .collect();
    let line_height_px = line_height(&own);
    for pixels in &mut own {
        pixels.line_box_px = pixels.line_box_px.min(4.0 * line_height_px);
    }
    for range in &runs_of {
        close_gaps(
            &runs[range.clone()],
            line_height_px as u32,
            half_width,
            &mut half,
        );
    }
    let half_height = half.len() / half_width;
    let half =
        GrayImage::from_raw(half_width as u32, half_height as u32, half).expect("one byte a pixel");
    let pictures = PictureGrid::new(width.div_ceil(CELL), height.div_ceil(CELL), &picture);
    Ink {
        half,
        own,
        runs,
        runs_of,
        pictures,
        line_height_px,
    }
}

/// Reads all rows with text, and every second one of the others, to count picture ink.
#[inline(always)]
fn read_rows(pixels: &Pixels, target_of: &[u32]) -> ReadRows {
    let (width, height) = (pixels.gray.width() as usize, pixels.gray.height() as usize);
    let gray = pixels.gray.as_raw();
    let half_width = width.div_ceil(2) + 2 * PAD;
    let half_height = height.div_ceil(2) + 2 * PAD;
    let mut half = vec![0u8; half_width * half_height];
    let columns = width.div_ceil(CELL);
    let mut picture = vec![0u16; columns * height.div_ceil(CELL)];
    let mut runs: Vec<(u32, Run)> = Vec::new();
    let mut row = InkRow::new(width);
    // Mask runs and target runs of the previous row.
    let (mut owned, mut last): (&[MaskRun], _) = (&[], 0..0);
    for y in 0..height {
        let owners = pixels.mask.row(y as u32);
        if owners.is_empty() && y % 2 == 1 {
            continue;
        }
        let from = runs.len();
        if row.read(&gray[y * width..(y + 1) * width]) || owners != owned {
            row.clear();
            take_row(&mut row, y as u32, owners, target_of, &mut runs);
        } else {
            runs.extend_from_within(last);
            runs[from..]
                .iter_mut()
                .for_each(|(_, run)| run.y = y as u32);
        }
        (owned, last) = (owners, from..runs.len());
        if y % 2 == 0 {
            row.count_picture(&runs[from..], &mut picture[y / CELL * columns..]);
        }
        let half_row = (y / 2 + PAD) * half_width + PAD;
        row.mark(&mut half[half_row..half_row + half_width - PAD]);
    }
    ReadRows {
        half,
        half_width,
        picture,
        runs,
    }
}

/// Measures the pixels of a row that belong to targets.
#[inline(always)]
fn take_row(
    row: &mut InkRow<'_>,
    y: u32,
    owned: &[MaskRun],
    target_of: &[u32],
    runs: &mut Vec<(u32, Run)>,
) {
    for part in owned {
        let target = target_of
            .get(part.owner as usize)
            .copied()
            .unwrap_or(NOBODY);
        if target == NOBODY {
            continue;
        }
        let run = row.take(y, part.start as usize..part.end as usize);
        match runs.last_mut() {
            Some((before, last))
                if *before == target && last.y == run.y && last.end == run.start =>
            {
                last.join(&run);
            }
            _ => runs.push((target, run)),
        }
    }
}

/// Fills the half-scale ink image between the ink of one target's runs in a row, across gaps up to
/// a line height (such as the padding of inline code).
fn close_gaps(runs: &[Run], line_height_px: u32, half_width: usize, half: &mut [u8]) {
    for part in runs.chunk_by(|a, b| a.y == b.y && b.start <= a.end + line_height_px) {
        let inked = || part.iter().filter(|run| run.ink > 0);
        let (Some(first), Some(last)) = (inked().next(), inked().next_back()) else {
            continue;
        };
        let row = (first.y as usize / 2 + PAD) * half_width + PAD;
        for value in
            &mut half[row + first.ink_first as usize / 2..=row + last.ink_last as usize / 2]
        {
            *value = FILL.max(*value);
        }
    }
}

/// Sorts runs by target, without changing their order within a target.
fn group(runs: &[(u32, Run)], targets: usize) -> (Vec<Run>, Vec<Range<usize>>) {
    let mut next = vec![0usize; targets + 1];
    for &(target, _) in runs {
        next[target as usize + 1] += 1;
    }
    for index in 0..targets {
        next[index + 1] += next[index];
    }
    let ranges = (0..targets)
        .map(|index| next[index]..next[index + 1])
        .collect();
    let Some(&(_, any)) = runs.first() else {
        return (Vec::new(), ranges);
    };
    let mut sorted = vec![any; runs.len()];
    for &(target, run) in runs {
        sorted[next[target as usize]] = run;
        next[target as usize] += 1;
    }
    (sorted, ranges)
}

fn own_pixels(runs: &[Run]) -> OwnPixels {
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else {
        return OwnPixels::default();
    };
    let owned: u64 = runs.iter().map(|run| u64::from(run.end - run.start)).sum();
    let ink: u64 = runs.iter().map(|run| u64::from(run.ink)).sum();
    let edges: u64 = runs.iter().map(|run| u64::from(run.edge_sum)).sum();
    let gray: u64 = runs.iter().map(|run| u64::from(run.gray_sum)).sum();
    let rows: Vec<(u32, InkLine, u32)> = runs
        .chunk_by(|a, b| a.y == b.y)
        .map(|row| {
            let line = InkLine {
                left: row
                    .iter()
                    .map(|run| run.ink_first)
                    .min()
                    .unwrap_or(u32::MAX),
                right: row
                    .iter()
                    .map(|run| if run.ink > 0 { run.ink_last + 1 } else { 0 })
                    .max()
                    .unwrap_or(0),
                top: row[0].y,
                bottom: row[0].y + 1,
            };
            (row[0].y, line, row.iter().map(|run| run.ink).sum())
        })
        .collect();
    let lines = project(&rows);
    // Contiguous rows: one stretch per line if lines are spaced, otherwise several lines touch.
    let mut stretches: Vec<u32> = rows
        .chunk_by(|a, b| a.0 + 1 == b.0)
        .map(|part| part.len() as u32)
        .collect();
    let middle = stretches.len() / 2;
    let stretch = *stretches.select_nth_unstable(middle).1 as f32;
    let touching = (lines.len() as f32 / stretches.len() as f32)
        .round()
        .max(1.0);
    OwnPixels {
        owned: owned as u32,
        ink: ink as u32,
        contrast: edges as f32 / (ink.max(1)) as f32,
        gray: gray as f32 / (owned.max(1)) as f32,
        rows: first.y..last.y + 1,
        line_box_px: stretch / touching,
        lines,
    }
}

/// Finds lines of text by horizontal projection: bands of inked rows between blank ones. Thin bands
/// (the dots of a short line, an underline) are merged into a neighboring band.
fn project(rows: &[(u32, InkLine, u32)]) -> Vec<InkLine> {
    let inked = rows.iter().filter(|row| row.2 > 0).count();
    if inked == 0 {
        return Vec::new();
    }
    let total: f32 = rows.iter().map(|row| row.2 as f32).sum();
    let blank = BLANK_ROW * total / inked as f32;
    let mut lines: Vec<InkLine> = Vec::new();
    for &(y, row, ink) in rows {
        if ink == 0 || (ink as f32) < blank {
            continue;
        }
        match lines.last_mut() {
            Some(line) if line.bottom == y => {
                line.left = line.left.min(row.left);
                line.right = line.right.max(row.right);
                line.bottom = y + 1;
            }
            _ => lines.push(row),
        }
    }
    lines.dedup_by(|next, line| {
        let sliver = (next.bottom - next.top).min(line.bottom - line.top) <= 4;
        let joins = sliver && next.top - line.bottom <= 2;
        if joins {
            line.left = line.left.min(next.left);
            line.right = line.right.max(next.right);
            line.bottom = next.bottom;
        }
        joins
    });
    lines
}

/// The page's line height in px: the median distance of two successive lines of a target, weighted
/// by their width; if all targets have a single line, 1.2 times the height of their line boxes.
fn line_height(own: &[OwnPixels]) -> f32 {
    let mut distances: Vec<(f32, f32)> = Vec::new();
    for pixels in own {
        for pair in pixels.lines.windows(2) {
            // The mean of the top and bottom distances, because letters without ascenders or
            // descenders move only one of them.
            let distance = (pair[1].top - pair[0].top) as f32 / 2.0
                + (pair[1].bottom - pair[0].bottom) as f32 / 2.0;
            if distance <= LINE_HEIGHT_LIMITS_PX.1 && distance >= LINE_HEIGHT_LIMITS_PX.0 / 2.0 {
                distances.push((distance, (pair[0].right - pair[0].left) as f32));
            }
        }
    }
    let single = || {
        own.iter()
            .filter(|pixels| pixels.owned > 0)
            .map(|pixels| (1.2 * pixels.line_box_px, pixels.ink as f32 + 1.0))
            .collect()
    };
    weighted_median(distances)
        .or_else(|| weighted_median(single()))
        .unwrap_or(DEFAULT_LINE_HEIGHT_PX)
        .clamp(LINE_HEIGHT_LIMITS_PX.0, LINE_HEIGHT_LIMITS_PX.1)
}

/// The current row of pixels.
pub(super) struct InkRow<'a> {
    line: &'a [u8],
    /// Gradient of each pixel.
    edges: Vec<u8>,
    /// True if any gradient in the row is ink.
    has_ink: bool,
    /// [`MARK`] for each pixel of text ink, with an additional entry for rows of odd width.
    marks: Vec<u8>,
    /// Number of ink pixels in each grid square outside text; valid if `is_counted`.
    picture: Vec<u16>,
    is_counted: bool,
    /// The range of `marks` in use, rounded to pairs.
    marked: Range<usize>,
}

/// Value that an ink pixel adds to its pixel of the half-scale image: four of them make 252.
const MARK: u8 = 63;

impl<'a> InkRow<'a> {
    pub(super) fn new(width: usize) -> Self {
        let marks = vec![0; width.next_multiple_of(2)];
        let picture = vec![0; width.div_ceil(CELL)];
        Self {
            line: &[],
            edges: vec![0; width],
            has_ink: false,
            marks,
            picture,
            is_counted: false,
            marked: 0..0,
        }
    }

    /// Computes the gradient of a row, which is 0 at both ends. Returns false if the row equals the
    /// previous one.
    #[inline(always)]
    pub(super) fn read(&mut self, line: &'a [u8]) -> bool {
        if self.line == line {
            return false;
        }
        self.line = line;
        let mut steepest = 0;
        for ((edge, &left), &right) in self
            .edges
            .iter_mut()
            .skip(1)
            .zip(line)
            .zip(line.iter().skip(2))
        {
            *edge = left.abs_diff(right);
            steepest = steepest.max(*edge);
        }
        self.has_ink = steepest > EDGE;
        true
    }

    /// Counts the ink between `runs`, and adds it to each grid square.
    #[inline(always)]
    fn count_picture(&mut self, runs: &[(u32, Run)], cells: &mut [u16]) {
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
            // Complete squares are counted with few instructions.
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
            gray_sum: self.line[columns.clone()]
                .iter()
                .map(|&gray| u32::from(gray))
                .sum(),
        };
        let edges = &self.edges[columns.clone()];
        let Some(first) = edges
            .iter()
            .position(|&edge| edge > EDGE)
            .filter(|_| self.has_ink)
        else {
            return run;
        };
        for (mark, &edge) in self.marks[columns].iter_mut().zip(edges) {
            let is_ink = edge > EDGE;
            *mark = if is_ink { MARK } else { 0 };
            run.ink += u32::from(is_ink);
            run.edge_sum += if is_ink { u32::from(edge) } else { 0 };
        }
        run.ink_first = (start + first) as u32;
        run.ink_last =
            (start + edges.iter().rposition(|&edge| edge > EDGE).unwrap_or(first)) as u32;
        if self.marked.is_empty() {
            self.marked.start = start / 2 * 2;
        }
        self.marked.end = end.next_multiple_of(2);
        run
    }

    /// Adds the marked ink to a row of the half-scale image.
    #[inline(always)]
    pub(super) fn mark(&self, half: &mut [u8]) {
        let marks = &self.marks[self.marked.clone()];
        for (half, pair) in half[self.marked.start / 2..]
            .iter_mut()
            .zip(marks.chunks_exact(2))
        {
            *half += pair[0] + pair[1];
        }
    }

    /// Clears the marks and the count.
    pub(super) fn clear(&mut self) {
        self.is_counted = false;
        let marked = std::mem::take(&mut self.marked);
        self.marks[marked].fill(0);
    }
}

/// Minimum difference in gray between the left and the right neighbor of an ink pixel (tuned on 24
/// rendered pages).
const EDGE: u8 = 24;

/// Side length of a square in the coarse picture grid, in px.
pub(crate) const CELL: usize = 16;

/// A horizontal stretch of pixels that belong to one target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) y: u32,
    pub(crate) start: u32,
    /// One past the last column.
    pub(crate) end: u32,
    /// Number of ink pixels.
    pub(super) ink: u32,
    /// First and last column with ink; meaningless if `ink` is 0.
    pub(super) ink_first: u32,
    pub(super) ink_last: u32,
    /// Sum of the gradient over ink pixels.
    pub(super) edge_sum: u32,
    /// Sum of gray over all pixels.
    pub(super) gray_sum: u32,
}

impl Run {
    /// Adds the directly following stretch of the same row.
    pub(super) fn join(&mut self, next: &Self) {
        self.end = next.end;
        self.ink += next.ink;
        self.ink_first = self.ink_first.min(next.ink_first);
        self.ink_last = self.ink_last.max(next.ink_last);
        self.edge_sum += next.edge_sum;
        self.gray_sum += next.gray_sum;
    }
}
