//! Compares two pictures of the page, with some text and without it.

use super::contrast::can_tell;
use crate::capture::{Layout, NodeId};
use image::RgbImage;

/// Number of pixels that must differ for a text to be seen: a full stop has more.
const MIN_PIXELS: usize = 3;
/// Largest gap between two lines that are looked at in one picture, in px: a further picture costs about as much as
/// these rows.
const MAX_GAP_PX: u32 = 400;
/// Largest number of pictures of parts of the page.
const MAX_AREAS: usize = 4;

/// A part of the page image: rows from `top`, over its whole width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::render) struct Area {
    pub(in crate::render) top: u32,
    pub(in crate::render) height: u32,
}

/// The parts of a picture of this height in which these texts are, from top to bottom.
pub(in crate::render) fn areas(layout: &Layout, texts: &[NodeId], height: u32) -> Vec<Area> {
    let mut rows: Vec<(u32, u32)> = Vec::new();
    for line in texts.iter().flat_map(|&text| layout.lines(text)) {
        let near = |px: f32| px.clamp(0.0, height as f32) as u32;
        let (top, bottom) = (near(line.rect.y.floor()), near(line.rect.bottom().ceil()));
        if top < bottom {
            rows.push((top, bottom));
        }
    }
    rows.sort_unstable();
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for (top, bottom) in rows {
        match joined.last_mut() {
            Some(last) if top <= last.1.saturating_add(MAX_GAP_PX) => last.1 = last.1.max(bottom),
            _ => joined.push((top, bottom)),
        }
    }
    while joined.len() > MAX_AREAS {
        let gap = |index: &usize| joined[index + 1].0 - joined[*index].1;
        let nearest = (0..joined.len() - 1).min_by_key(gap).unwrap_or(0);
        joined[nearest].1 = joined[nearest + 1].1;
        joined.remove(nearest + 1);
    }
    joined.into_iter().map(|(top, bottom)| Area { top, height: bottom - top }).collect()
}

/// Whether two pictures differ visibly in the lines of a text. Both begin at row `top` of the page; `None` if no line is
/// in them.
pub(in crate::render) fn differs(
    layout: &Layout,
    text: NodeId,
    top: u32,
    with: &RgbImage,
    without: &RgbImage,
) -> Option<bool> {
    let (width, height) = (with.width().min(without.width()), with.height().min(without.height()));
    let mut is_inside = false;
    let mut found = 0;
    for line in layout.lines(text) {
        let columns = clamped(line.rect.x, line.rect.right(), 0, width);
        let rows = clamped(line.rect.y, line.rect.bottom(), top, height);
        is_inside |= !columns.is_empty() && !rows.is_empty();
        for y in rows {
            for x in columns.clone() {
                found += usize::from(can_tell(with.get_pixel(x, y).0, without.get_pixel(x, y).0));
                if found >= MIN_PIXELS {
                    return Some(true);
                }
            }
        }
    }
    is_inside.then_some(false)
}

/// The pixels between two positions on the page, of a picture that begins at `start` and has `length` pixels.
fn clamped(from: f32, to: f32, start: u32, length: u32) -> std::ops::Range<u32> {
    let near = |px: f32| (px - start as f32).clamp(0.0, length as f32) as u32;
    near(from.floor())..near(to.ceil())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{CssRect, LineBox, Style};
    use image::Rgb;

    fn layout(lines: &[(f32, f32)]) -> (Layout, Vec<NodeId>) {
        let mut layout = Layout::new(lines.len(), 100.0, 9000.0);
        let mut ids = Vec::new();
        for (index, &(y, height)) in lines.iter().enumerate() {
            let rect = CssRect { x: 10.0, y, width: 50.0, height };
            layout.set(NodeId::new(index), rect, &Style::default(), 0, &[LineBox { rect, start: 0, length: 9 }]);
            ids.push(NodeId::new(index));
        }
        (layout, ids)
    }

    #[test]
    fn near_lines_are_in_one_area_and_no_page_has_many() {
        let (layout, ids) = super::tests::layout(&[(900.0, 20.0), (10.5, 20.0), (100.0, 20.0), (5000.0, 9e9)]);
        let found = areas(&layout, &ids, 6000);
        let area = |top, height| Area { top, height };
        assert_eq!(found, [area(10, 110), area(900, 20), area(5000, 1000)]);
        let many: Vec<(f32, f32)> = (0..9).map(|index| (index as f32 * 1000.0, 20.0)).collect();
        let (layout, ids) = super::tests::layout(&many);
        let found = areas(&layout, &ids, 9000);
        assert_eq!(found.len(), MAX_AREAS);
        assert_eq!(found.iter().map(|area| area.top + area.height).max(), Some(8020));
    }

    #[test]
    fn only_visible_differences_in_the_lines_count() {
        let (layout, ids) = layout(&[(110.0, 10.0), (500.0, 10.0)]);
        let without = RgbImage::from_pixel(100, 50, Rgb([255; 3]));
        let mut with = without.clone();
        let told = |with: &RgbImage| [0, 1].map(|index| differs(&layout, ids[index], 100, with, &without));
        for x in 10..20 {
            with.put_pixel(x, 15, Rgb([251; 3]));
            with.put_pixel(x, 5, Rgb([0; 3]));
        }
        assert_eq!(told(&with), [Some(false), None]);
        for x in 10..13 {
            with.put_pixel(x, 15, Rgb([230; 3]));
        }
        assert_eq!(told(&with), [Some(true), None]);
    }
}
