//! The node mask: which text node owns each pixel, stored as runs. `picture` decodes it.
//!
//! A line of text is one stretch of a color in some twenty equal rows, so a page of five million
//! pixels has only a few thousand runs; a row that equals the row above shares its runs.

use super::NodeId;
#[cfg(feature = "pixels")]
use image::RgbImage;
use std::ops::Range;

/// A horizontal stretch of pixels that one text node owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaskRun {
    /// First column, in image pixels.
    pub start: u32,
    /// One past the last column.
    pub end: u32,
    /// The node's index; in a damaged mask it may exceed the nodes of the tree.
    pub owner: u32,
}

/// The text node that owns each pixel.
///
/// In the picture a pixel without text is white; any other color is the 24-bit number
/// `red << 16 | green << 8 | blue` of the text node's [`NodeId`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeMask {
    width: u32,
    runs: Vec<MaskRun>,
    /// Range in `runs` of each row; consecutive equal rows share a range.
    rows: Vec<Range<u32>>,
}

impl NodeMask {
    /// Color of pixels that no text owns; also the largest number of nodes a mask can distinguish.
    pub const NOBODY: u32 = 0x00FF_FFFF;

    /// A mask from owners in row order, [`Self::NOBODY`] where there is no text.
    pub fn from_owners(width: u32, height: u32, owners: &[u32]) -> Self {
        assert_eq!(owners.len(), width as usize * height as usize);
        let mut mask = Self::without_rows(width, height as usize);
        let row = |y: usize| &owners[y * width as usize..(y + 1) * width as usize];
        for y in 0..height as usize {
            if y > 0 && row(y) == row(y - 1) {
                mask.repeat_row();
            } else {
                mask.push_row(row(y).iter().copied());
            }
        }
        mask
    }

    /// A mask from the runs of each row, sorted from left to right without overlaps.
    pub fn from_rows<'a>(width: u32, rows: impl Iterator<Item = &'a [MaskRun]>) -> Self {
        let mut mask = Self::without_rows(width, rows.size_hint().0);
        let mut before: Option<&[MaskRun]> = None;
        for row in rows {
            if before == Some(row) {
                mask.repeat_row();
            } else {
                let first = mask.runs.len() as u32;
                mask.runs.extend_from_slice(row);
                mask.rows.push(first..mask.runs.len() as u32);
            }
            before = Some(row);
        }
        mask
    }

    /// An empty mask with space for about `expected_rows` rows.
    pub(super) fn without_rows(width: u32, expected_rows: usize) -> Self {
        Self {
            width,
            runs: Vec::new(),
            rows: Vec::with_capacity(expected_rows),
        }
    }

    /// Adds a row that equals the last one.
    pub(super) fn repeat_row(&mut self) {
        let last = self.rows.last().cloned().unwrap_or(0..0);
        self.rows.push(last);
    }

    /// Adds a row that differs from the last one.
    pub(super) fn push_row(&mut self, owners: impl Iterator<Item = u32>) {
        let first = self.runs.len() as u32;
        let mut last = Self::NOBODY;
        let mut start = 0;
        let mut x = 0;
        for owner in owners {
            if owner != last {
                if last != Self::NOBODY {
                    self.runs.push(MaskRun {
                        start,
                        end: x,
                        owner: last,
                    });
                }
                (start, last) = (x, owner);
            }
            x += 1;
        }
        if last != Self::NOBODY {
            self.runs.push(MaskRun {
                start,
                end: x,
                owner: last,
            });
        }
        self.rows.push(first..self.runs.len() as u32);
    }

    /// The color that marks `id` in a mask picture, red, green, blue.
    pub fn color(id: NodeId) -> [u8; 3] {
        let [_, red, green, blue] = (id.index() as u32).to_be_bytes();
        [red, green, blue]
    }

    /// Width in image pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in image pixels.
    pub fn height(&self) -> u32 {
        self.rows.len() as u32
    }

    /// All runs; consecutive equal rows count once.
    pub fn runs(&self) -> &[MaskRun] {
        &self.runs
    }

    /// The runs of a row from left to right; pixels between runs have no owner.
    pub fn row(&self, y: u32) -> &[MaskRun] {
        let row = &self.rows[y as usize];
        &self.runs[row.start as usize..row.end as usize]
    }

    /// Owner of each pixel in row order: a node's index or [`Self::NOBODY`], four bytes per pixel.
    pub fn owners(&self) -> Vec<u32> {
        let mut owners = vec![Self::NOBODY; self.width as usize * self.rows.len()];
        for (y, row) in owners
            .chunks_exact_mut((self.width as usize).max(1))
            .enumerate()
        {
            for run in self.row(y as u32) {
                row[run.start as usize..run.end as usize].fill(run.owner);
            }
        }
        owners
    }

    /// The text node that owns a pixel.
    pub fn owner(&self, x: u32, y: u32) -> Option<NodeId> {
        let row = self.row(y);
        let run = row.get(row.partition_point(|run| run.end <= x))?;
        (run.start <= x).then(|| NodeId::new(run.owner as usize))
    }

    /// Encodes the mask as a picture.
    #[cfg(feature = "pixels")]
    pub(crate) fn to_rgb(&self) -> RgbImage {
        let mut picture = RgbImage::from_pixel(self.width, self.height(), image::Rgb([255; 3]));
        for (y, row) in picture
            .chunks_exact_mut((3 * self.width as usize).max(1))
            .enumerate()
        {
            for run in self.row(y as u32) {
                let color = Self::color(NodeId::new(run.owner as usize));
                for pixel in row[3 * run.start as usize..3 * run.end as usize].chunks_exact_mut(3) {
                    pixel.copy_from_slice(&color);
                }
            }
        }
        picture
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_rows_share_their_runs() {
        let n = NodeMask::NOBODY;
        let mask = NodeMask::from_owners(3, 3, &[n, 5, 5, n, 5, 5, 5, 5, n]);
        assert_eq!(mask.runs().len(), 2);
        assert_eq!(mask.rows[0], mask.rows[1]);
        assert_eq!(
            mask.row(1),
            [MaskRun {
                start: 1,
                end: 3,
                owner: 5
            }]
        );
    }

    proptest! {
        #[test]
        fn runs_hold_every_pixel(picks in proptest::collection::vec(0usize..4, 6 * 5)) {
            let owners: Vec<u32> = picks.iter().map(|&pick| [NodeMask::NOBODY, 0, 7, 65_536][pick]).collect();
            let mask = NodeMask::from_owners(6, 5, &owners);
            prop_assert_eq!(&mask.owners(), &owners);
            for (place, &owner) in owners.iter().enumerate() {
                let found = mask.owner(place as u32 % 6, place as u32 / 6);
                prop_assert_eq!(found.map_or(NodeMask::NOBODY, |id| id.index() as u32), owner);
            }
        }
    }
}
