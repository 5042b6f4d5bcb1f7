//! What the page image shows in the area that each text node owns in the node mask.
//!
//! Most text is in one color on a plain ground: the ground fills a good part of the area, and there are pixels of the
//! text's own color. That is enough to know that it is seen. Any other text has to be looked at again.

use crate::capture::{Dom, GrayRows, Layout, NodeId, NodeMask, Picture};
use crate::error::CaptureError;
use crate::render::showing::can_tell;

/// Smallest share of the area that a plain ground fills. Heuristic: letters cover a fifth to a third of their line.
const MIN_GROUND_SHARE: f32 = 0.4;
/// Smallest share of the pixels unlike the ground that are on the way from its color to that of the text.
const MIN_INK_SHARE: f32 = 0.7;
/// Smallest number of pixels of the text's color.
const MIN_INK: u32 = 4;
/// How far a pixel of the text is at least on the way from the ground's color to that of the text: thin letters do not
/// reach it.
const MIN_WAY: f32 = 0.3;
/// Largest distance from that way, in levels of a channel.
const MAX_ASIDE: f32 = 24.0;

/// Pixels that are compared with the ground at once.
const STRETCH: usize = 16;

/// What was counted in the area of a text node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Evidence {
    /// Number of its pixels.
    pub(super) owned: u32,
    /// Color of its first pixel, which is almost never of a letter.
    ground: [u8; 3],
    /// Number of pixels of this color.
    plain: u32,
    /// Number of pixels that a reader sees on it.
    unlike: u32,
    /// Those of them that lie on the way to the text's color.
    ink: u32,
}

impl Evidence {
    /// Whether the text is certainly seen, if nothing around it changes its color.
    pub(super) fn is_clear(&self) -> bool {
        self.ink >= MIN_INK
            && self.plain as f32 >= MIN_GROUND_SHARE * self.owned as f32
            && self.ink as f32 >= MIN_INK_SHARE * self.unlike as f32
    }

    /// Whether nothing at all is seen in its area.
    pub(super) fn is_blank(&self) -> bool {
        self.owned > 0 && self.unlike == 0
    }

    fn count(&mut self, pixels: &[u8], color: [u8; 3]) {
        let Some(first) = pixels.first_chunk::<3>() else { return };
        if self.owned == 0 {
            self.ground = *first;
        }
        self.owned += (pixels.len() / 3) as u32;
        let ground = self.ground;
        let way: [f32; 3] = std::array::from_fn(|channel| f32::from(color[channel]) - f32::from(ground[channel]));
        let length = way.iter().map(|step| step * step).sum::<f32>();
        // Most of an area is its ground, in stretches.
        let pixels = pixels.as_chunks::<3>().0;
        for pixels in pixels.chunks(STRETCH) {
            if *pixels == [ground; STRETCH] {
                self.plain += STRETCH as u32;
                continue;
            }
            for pixel in pixels {
                if *pixel == ground {
                    self.plain += 1;
                } else if can_tell(*pixel, ground) {
                    self.unlike += 1;
                    let from: [f32; 3] =
                        std::array::from_fn(|channel| f32::from(pixel[channel]) - f32::from(ground[channel]));
                    let share = from.iter().zip(way).map(|(one, other)| one * other).sum::<f32>() / length.max(1.0);
                    let is_near = (0..3).all(|channel| (from[channel] - share * way[channel]).abs() <= MAX_ASIDE);
                    self.ink += u32::from((MIN_WAY..1.2).contains(&share) && is_near);
                }
            }
        }
    }
}

/// Counts for every text node, by index. The luminance of the page image is kept on the way.
///
/// # Errors
/// If the page image is damaged.
pub(super) fn collect(
    dom: &Dom,
    layout: &Layout,
    screenshot: &Picture,
    mask: &NodeMask,
) -> Result<Vec<Evidence>, CaptureError> {
    let mut found = vec![Evidence::default(); dom.len()];
    let mut rows = screenshot.rows()?;
    let width = rows.width.min(mask.width());
    let mut gray = GrayRows::new(&rows);
    while let Some(mut row) = rows.next()? {
        gray.push(&mut row);
        if row.y >= mask.height() {
            continue;
        }
        // Equal rows say the same again.
        if row.repeats && row.y > 0 && mask.row(row.y) == mask.row(row.y - 1) {
            continue;
        }
        let (y, rgb) = (row.y, row.rgb());
        for run in mask.row(y) {
            let (start, end) = (run.start.min(width) as usize, run.end.min(width) as usize);
            if let Some(own) = found.get_mut(run.owner as usize)
                && start < end
            {
                let color = layout.style(NodeId::new(run.owner as usize)).map_or([0; 3], |style| {
                    let [red, green, blue, _] = style.color;
                    [red, green, blue]
                });
                own.count(&rgb[3 * start..3 * end], color);
            }
        }
    }
    screenshot.keep_gray(gray.finish());
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(pixels: &[[u8; 3]], color: [u8; 3]) -> Evidence {
        let mut evidence = Evidence::default();
        evidence.count(pixels.as_flattened(), color);
        evidence
    }

    #[test]
    fn text_in_its_color_on_a_plain_ground_is_clear() {
        let (white, black) = ([255; 3], [0; 3]);
        let line = |ink: [u8; 3], letters: usize| {
            let mut line = vec![white; 100];
            line[10..10 + letters].fill(ink);
            line
        };
        let clear = |pixels: &[[u8; 3]], color| evidence(pixels, color).is_clear();
        assert!(clear(&line(black, 20), black));
        assert!(clear(&line([230; 3], 20), [221; 3]), "pale gray, not quite reached");
        assert!(clear(&line([200, 120, 120], 20), [180, 60, 60]));
        assert!(!clear(&line(black, 3), black), "a stain");
        assert!(!clear(&line([255, 0, 0], 20), black), "something red over black text");
        assert!(!clear(&line(black, 80), black), "a picture");
        assert!(!clear(&line(black, 20), white));
        assert!(evidence(&line([252; 3], 20), black).is_blank());
        assert!(!evidence(&line([230; 3], 20), black).is_blank());
        assert!(!evidence(&[], black).is_blank());
    }
}
