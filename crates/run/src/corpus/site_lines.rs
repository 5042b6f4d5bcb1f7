//! Lines that many pages of a host have: footers, notices and teasers that cleaning left. In one pass a line is known
//! for such from the page on that follows the first K; the earlier ones keep it.
//!
//! Counts are in a count-min sketch of fixed size (Cormode and Muthukrishnan 2005, with conservative update after Estan
//! and Varghese 2002): a count is never too low, and too high only where four other lines collide with it.

use super::hashes::mixed;

/// Rows of the sketch.
const ROWS: usize = 4;

/// The number of pages of each line so far.
#[derive(Debug)]
pub(super) struct LineCounts {
    cells: Vec<u8>,
    /// Cells per row.
    width: usize,
}

impl LineCounts {
    /// Counts in a table of `megabytes`.
    pub(super) fn new(megabytes: usize) -> Self {
        let width = (megabytes.max(1) << 20) / ROWS;
        Self { cells: vec![0; width * ROWS], width }
    }

    fn cells(&self, line: u64) -> [usize; ROWS] {
        let mut hash = line;
        std::array::from_fn(|row| {
            hash = mixed(hash);
            row * self.width + (hash % self.width as u64) as usize
        })
    }

    /// On how many pages a line was so far, at most 255.
    pub(super) fn pages(&self, line: u64) -> u8 {
        self.cells(line).into_iter().map(|cell| self.cells[cell]).min().unwrap_or(0)
    }

    /// Counts a page for each of its lines; each line is given once.
    pub(super) fn add(&mut self, lines: &[u64]) {
        for &line in lines {
            let pages = self.pages(line);
            for cell in self.cells(line) {
                self.cells[cell] = self.cells[cell].max(pages.saturating_add(1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_an_exact_table_while_there_is_room() {
        let mut counts = LineCounts::new(1);
        for page in 0..300u64 {
            counts.add(&[1, 2 + page % 3, 1000 + page]);
        }
        assert_eq!((counts.pages(1), counts.pages(2), counts.pages(1007), counts.pages(7)), (255, 100, 1, 0));
    }
}
