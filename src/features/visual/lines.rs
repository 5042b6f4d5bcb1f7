//! The line boxes of one target, for `layout`: how even they are, and whether their text is visible.

use super::page_layout::BlockLayout;
use crate::capture::NodeMask;
use crate::features::page::PageView;
use crate::target::Target;

/// Widths of a block's lines.
pub(super) struct LineWidths {
    /// Mean without the last line, in px; of the only line, if one.
    pub(super) mean_px: f32,
    /// Standard deviation without the last line, relative to the widest.
    pub(super) deviation: f32,
    /// Width of the last line relative to the widest.
    pub(super) last: f32,
}

impl LineWidths {
    pub(super) fn measure(block: &BlockLayout) -> Self {
        let widths: Vec<f32> = block.lines.iter().map(|line| line.width).collect();
        let full = if widths.len() > 1 { &widths[..widths.len() - 1] } else { &widths[..] };
        let widest = widths.iter().copied().fold(1.0, f32::max);
        let mean = full.iter().sum::<f32>() / full.len().max(1) as f32;
        let square = full.iter().map(|width| (width - mean).powi(2)).sum::<f32>() / full.len().max(1) as f32;
        Self { mean_px: mean, deviation: square.sqrt() / widest, last: widths.last().copied().unwrap_or(0.0) / widest }
    }
}

/// Share of sampled points of the target's line boxes that their text nodes own in the mask.
pub(super) fn owned_share(view: &PageView<'_>, mask: &NodeMask, target: &Target) -> f32 {
    /// Most line boxes that are sampled: bounds the time of a page with a million.
    const LINES: usize = 64;
    let Some(layout) = &view.capture.layout else { return 1.0 };
    let (mut points, mut owned) = (0u32, 0u32);
    for (&text, line) in
        target.texts.iter().flat_map(|text| layout.lines(*text).iter().map(move |line| (text, line))).take(LINES)
    {
        for row in [0.35, 0.5, 0.65] {
            for column in [0.1, 0.3, 0.5, 0.7, 0.9] {
                points += 1;
                let x = line.rect.x + column * line.rect.width;
                let y = line.rect.y + row * line.rect.height;
                let inside = x >= 0.0 && y >= 0.0 && x < mask.width() as f32 && y < mask.height() as f32;
                owned += u32::from(inside && mask.owner(x as u32, y as u32) == Some(text));
            }
        }
    }
    if points == 0 { 0.0 } else { owned as f32 / points as f32 }
}
