//! `--overlay`: the screenshot with kept targets tinted green, dropped targets red, and hulls
//! outlined in blue, below a legend.

use super::canvas;
use super::legend::{Entry, with_legend};
use super::mask::{owners, pictures, same_size};
use crate::capture::{Capture, CssRect};
use crate::classify::Label;
use crate::document::TargetReport;
use crate::error::Error;
use crate::features::visual::{Pixels, find_blobs};
use crate::target::Target;
use image::{Rgb, RgbImage};

/// An outline in CSS px from the top left corner of the page; the last corner is joined to the
/// first.
pub(crate) type Polygon = Vec<(f32, f32)>;

/// The color of kept blocks: green with enough blue to be distinguished from the red by color-blind
/// readers.
pub(super) const KEPT: Rgb<u8> = Rgb([0, 158, 96]);
/// The color of dropped blocks.
pub(super) const DROPPED: Rgb<u8> = Rgb([214, 39, 40]);
/// The color of blobs and their hulls.
const HULL: Rgb<u8> = Rgb([31, 90, 214]);
/// Strength of the tint. Heuristic: the text below remains readable.
const TINT_SHARE: f32 = 0.3;
/// Width of the outline of a target in pixels.
const OUTLINE_PX: u32 = 2;

/// The legend for the outlines of blocks.
pub(super) const BLOCKS: [Entry; 2] = [(KEPT, "kept block"), (DROPPED, "dropped block")];
/// The legend for the other outlines.
const HULLS: Entry = (HULL, "area of text (blob) and its hull");

/// Draws the decisions on the screenshot. The pixels that each target owns in the node mask are
/// tinted, and its lines are outlined. The `hulls`, for instance those of the visual features, are
/// outlined in blue. A legend is added above the page.
///
/// # Errors
/// If the page was not rendered, or its pictures cannot be decoded or differ in size.
pub fn overlay(
    capture: &Capture,
    targets: &[Target],
    reports: &[TargetReport],
    hulls: &[Polygon],
) -> Result<RgbImage, Error> {
    let picture = draw(capture, targets, reports, hulls)?;
    let outlined = if hulls.is_empty() { None } else { Some(HULLS) };
    Ok(with_legend(
        &picture,
        &BLOCKS.into_iter().chain(outlined).collect::<Vec<_>>(),
    ))
}

fn draw(
    capture: &Capture,
    targets: &[Target],
    reports: &[TargetReport],
    hulls: &[Polygon],
) -> Result<RgbImage, Error> {
    let mut picture = pictures(capture)?.to_look_at().decode_rgb()?;
    let owned = owners(capture, targets)?;
    same_size(picture.dimensions(), (owned.width, owned.height))?;
    let color = |index: usize| match reports.get(index).map(|report| report.decision.label) {
        Some(Label::Content) => KEPT,
        _ => DROPPED,
    };
    for (pixel, owner) in picture.pixels_mut().zip(&owned.targets) {
        if let Some(target) = owner {
            canvas::tint(pixel, color(*target as usize), TINT_SHARE);
        }
    }
    for hull in hulls {
        canvas::polygon(&mut picture, hull, HULL);
    }
    for (index, target) in targets.iter().enumerate() {
        canvas::outline(
            &mut picture,
            around(capture, target),
            color(index),
            OUTLINE_PX,
        );
    }
    Ok(picture)
}

/// The outlines of the page's blobs and of their hulls as the visual features use them.
///
/// # Errors
/// If the page was not rendered, or its pictures cannot be decoded or differ in size.
pub fn hulls(capture: &Capture, targets: &[Target]) -> Result<Vec<Polygon>, Error> {
    let page = find_blobs(&Pixels::decode(pictures(capture)?)?, targets);
    let outline = |points: &[[f32; 2]]| points.iter().map(|&[x, y]| (x, y)).collect();
    Ok(page
        .blobs
        .iter()
        .flat_map(|blob| [outline(&blob.shape.polygon), outline(&blob.shape.hull)])
        .collect())
}

/// The frame around the line boxes of a target, in CSS px, outside of its letters; empty if it has
/// none.
pub(super) fn around(capture: &Capture, target: &Target) -> CssRect {
    let layout = capture.layout.as_ref();
    let inner = layout.map_or_else(CssRect::default, |layout| {
        layout.bounding_rect(&target.texts)
    });
    if inner.is_empty() {
        return inner;
    }
    let gap = OUTLINE_PX as f32;
    CssRect {
        x: inner.x - gap,
        y: inner.y - gap,
        width: inner.width + 2.0 * gap,
        height: inner.height + 2.0 * gap,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::samples;

    #[test]
    fn kept_targets_are_green_dropped_ones_red_and_blank_space_white() {
        let (capture, targets, document) = samples::page("Menu");
        let picture = draw(&capture, &targets, &document.targets, &[]).unwrap();
        assert_eq!(picture.dimensions(), samples::SIZE);
        assert_eq!(*picture.get_pixel(1, 1), KEPT);
        assert_eq!(*picture.get_pixel(43, 1), DROPPED);
        assert_ne!(*picture.get_pixel(2, 2), KEPT, "letters stay readable");
        let Rgb([red, green, _]) = *picture.get_pixel(10, 5);
        assert!(
            green > red && red > 100,
            "tinted, not painted over: {red} {green}"
        );
        assert_eq!(*picture.get_pixel(30, 35), Rgb([255; 3]));
    }

    #[test]
    fn hulls_are_blue() {
        let (capture, targets, document) = samples::page("Menu");
        let hull = vec![(40.0, 20.0), (55.0, 20.0), (55.0, 35.0)];
        let picture = draw(
            &capture,
            &targets,
            &document.targets,
            std::slice::from_ref(&hull),
        )
        .unwrap();
        assert_eq!(*picture.get_pixel(48, 20), HULL);
        // The legend explains hulls only if they are drawn.
        let height = |hulls: &[Polygon]| {
            overlay(&capture, &targets, &document.targets, hulls)
                .unwrap()
                .height()
        };
        assert!(height(&[hull]) > height(&[]) && height(&[]) > samples::SIZE.1);
    }

    #[test]
    fn bare_html_and_a_mask_of_another_size_are_errors() {
        let (mut capture, targets, document) = samples::page("Menu");
        if let Some(pictures) = &mut capture.pictures {
            pictures.screenshot = samples::blank((3, 3));
        }
        let error = overlay(&capture, &targets, &document.targets, &[]).unwrap_err();
        assert!(error.to_string().contains("3 x 3"), "{error}");
        capture.pictures = None;
        let error = overlay(&capture, &targets, &document.targets, &[]).unwrap_err();
        assert!(error.to_string().contains("not rendered"), "{error}");
    }
}
