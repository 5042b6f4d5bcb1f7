//! Removes the mixed colors that moved or scaled text has at its edges in the node mask.

use super::snapshot::Converted;
use crate::capture::{CssRect, NodeId, NodeMask, Picture, encode_png};
use crate::error::{CaptureError, RenderError};
use std::collections::BTreeMap;

/// Largest distance of a pixel from a line box of its owner, in px: boxes are rounded outwards when painted.
const EDGE_PX: f32 = 1.5;

/// The mask where each pixel with the color of a node that has no line at this position is white.
pub(super) fn sharpened(mask: Picture, converted: &Converted) -> Result<Picture, RenderError> {
    let unusable = |error: CaptureError| RenderError::Crash(format!("the node mask is unusable: {error}"));
    let mut pixels = mask.decode_rgb().map_err(unusable)?;
    let mut changed = false;
    let mut lines = BTreeMap::new();
    let mut last = (NodeMask::NOBODY, 0, 0, false);
    for (x, y, pixel) in pixels.enumerate_pixels_mut() {
        let [red, green, blue] = pixel.0;
        let number = u32::from_be_bytes([0, red, green, blue]);
        if number == NodeMask::NOBODY {
            continue;
        }
        let lines = lines.entry(number).or_insert_with(|| Lines::of_node(converted, number));
        // A run of one color lies within one line except for its ends, so only the ends are checked.
        let inner = last.0 == number && last.1 + 1 == x && last.2 == y && last.3 && !lines.ends(x);
        let owned = inner || lines.has(x, y);
        last = (number, x, y, owned);
        if !owned {
            pixel.0 = [255; 3];
            changed = true;
        }
    }
    if changed { encode_png(&pixels).map_err(unusable) } else { Ok(mask) }
}

/// The lines of one node, sorted, so that a pixel is compared with few of them: one node may have 100,000.
struct Lines {
    /// By upper edge.
    rects: Vec<CssRect>,
    tallest: f32,
    /// Right edges, in order.
    ends: Vec<f32>,
}

impl Lines {
    fn of_node(converted: &Converted, number: u32) -> Self {
        let is_text = (number as usize) < converted.dom.len();
        let lines = if is_text { converted.layout.lines(NodeId::new(number as usize)) } else { &[] };
        Self::new(lines.iter().map(|line| line.rect).collect())
    }

    fn new(mut rects: Vec<CssRect>) -> Self {
        rects.sort_by(|one, two| one.y.total_cmp(&two.y));
        let tallest = rects.iter().map(|rect| rect.height).fold(0.0, f32::max);
        let mut ends: Vec<f32> = rects.iter().map(|rect| rect.right()).collect();
        ends.sort_by(f32::total_cmp);
        Self { rects, tallest, ends }
    }

    /// Whether a line ends near column `x`.
    fn ends(&self, x: u32) -> bool {
        let distance = 2.0 + EDGE_PX;
        let next = self.ends.partition_point(|&end| end <= x as f32 - distance);
        self.ends.get(next).is_some_and(|&end| end < x as f32 + distance)
    }

    /// Whether a pixel is on a line.
    fn has(&self, x: u32, y: u32) -> bool {
        let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
        let mut near = self.near(y);
        near.any(|rect| x > rect.x - EDGE_PX && x < rect.right() + EDGE_PX && y < rect.bottom() + EDGE_PX)
    }

    /// The lines that may reach this height.
    fn near(&self, y: f32) -> impl Iterator<Item = &CssRect> {
        let first = self.rects.partition_point(|rect| rect.y + self.tallest <= y - EDGE_PX);
        self.rects[first..].iter().take_while(move |rect| rect.y < y + EDGE_PX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(x: f32, y: f32, width: f32, height: f32) -> CssRect {
        CssRect { x, y, width, height }
    }

    #[test]
    fn a_pixel_belongs_to_the_lines_near_it() {
        let rects: Vec<CssRect> = (0..200)
            .map(|n| rect((n * 37 % 90) as f32, (n * 53 % 700) as f32 + 0.3, (n % 40) as f32, (n % 23) as f32))
            .collect();
        let lines = Lines::new(rects.clone());
        for y in 0..730 {
            for x in (0..140).step_by(3) {
                let (right, below) = (x as f32 + 0.5, y as f32 + 0.5);
                // All lines, one after the other.
                let has = rects.iter().any(|rect| {
                    right > rect.x - EDGE_PX
                        && right < rect.right() + EDGE_PX
                        && below > rect.y - EDGE_PX
                        && below < rect.bottom() + EDGE_PX
                });
                assert_eq!(lines.has(x, y), has, "{x}, {y}");
                let ends = rects.iter().any(|rect| (rect.right() - x as f32).abs() < 2.0 + EDGE_PX);
                assert_eq!(lines.ends(x), ends, "{x}");
            }
        }
    }

    #[test]
    fn few_of_very_many_lines_are_looked_at() {
        let lines = Lines::new((0..300_000).map(|n| rect(8.0, n as f32 * 15.0, 600.0, 15.0)).collect());
        let count =
            (0..30_000).flat_map(|y| [(9, y), (700, y)]).filter(|&(x, y)| lines.has(x, y) || lines.ends(x)).count();
        assert_eq!(count, 30_000);
        assert!((0..30_000).all(|y| lines.near(y as f32).count() <= 2));
    }
}
