//! Shows the part of the screenshot around the explained blocks. These are framed, and the blocks
//! around them are outlined in the colors of their decisions.

use super::canvas;
use super::explanation::Explanation;
use super::legend::with_legend;
use super::mask::pictures;
use super::overlay::{BLOCKS, DROPPED, KEPT, around};
use crate::capture::{Capture, CssRect};
use crate::classify::Label;
use crate::error::Error;
use crate::pipeline::CleanedPage;
use image::{Rgb, RgbImage};

/// Height of the surroundings shown above and below the blocks, in CSS px. Heuristic: some blocks
/// of an ordinary page.
const SURROUNDINGS_PX: f32 = 240.0;
/// Distance between frame and text, and width of the frame, in pixels.
const GAP_PX: f32 = 5.0;
const FRAME_PX: u32 = 4;
/// Width of the outlines of other blocks, in pixels.
const OUTLINE_PX: u32 = 1;
/// Frame color for words that are not in a block.
const NO_BLOCK: Rgb<u8> = Rgb([31, 90, 214]);

/// Draws the explained blocks with their surroundings: the best match, or all blocks that the words
/// span. Kept blocks are green, dropped ones red, words outside blocks blue. The part is as wide as
/// the page, and its edges do not cut lines.
///
/// # Errors
/// If the page was not rendered or does not contain the words, or its screenshot cannot be decoded.
pub fn closeup(
    capture: &Capture,
    cleaned: &CleanedPage,
    explanation: &Explanation,
) -> Result<RgbImage, Error> {
    if capture.pictures.is_none() {
        let why =
            "a page that was not rendered has no picture; add `render`, or leave the picture out";
        return Err(Error::Limit(why.to_owned()));
    }
    let mut picture = pictures(capture)?.to_look_at().decode_rgb()?;
    let color = |label| {
        if label == Label::Content {
            KEPT
        } else {
            DROPPED
        }
    };
    let count = if explanation.is_over_several {
        explanation.blocks.len()
    } else {
        1
    };
    let blocks = explanation
        .blocks
        .iter()
        .take(count)
        .filter_map(|block| Some((block.rect?, color(block.label))));
    let places = explanation
        .elsewhere
        .iter()
        .filter_map(|place| Some((place.rect?, NO_BLOCK)));
    let shown = |rect: &CssRect| {
        let (columns, rows) = canvas::pixels_of(*rect, &picture);
        !columns.is_empty() && !rows.is_empty()
    };
    let framed: Vec<(CssRect, Rgb<u8>)> = blocks
        .chain(places.take(1))
        .filter(|(rect, _)| shown(rect))
        .collect();
    if framed.is_empty() {
        return Err(Error::Limit(
            "the words are nowhere on the picture of the page; leave the picture out".to_owned(),
        ));
    }
    for (target, report) in cleaned.targets.iter().zip(&cleaned.document.targets) {
        canvas::outline(
            &mut picture,
            around(capture, target),
            color(report.decision.label),
            OUTLINE_PX,
        );
    }
    for &(rect, color) in &framed {
        canvas::outline(
            &mut picture,
            grown(rect, GAP_PX + FRAME_PX as f32),
            color,
            FRAME_PX,
        );
    }
    let whole = framed
        .iter()
        .fold(CssRect::default(), |whole, (rect, _)| whole.union(*rect));
    let shown = between_lines(capture, cleaned, grown(whole, SURROUNDINGS_PX));
    let (_, rows) = canvas::pixels_of(
        CssRect {
            x: 0.0,
            width: picture.width() as f32,
            ..shown
        },
        &picture,
    );
    let part = image::imageops::crop_imm(
        &picture,
        0,
        rows.start,
        picture.width(),
        rows.end - rows.start,
    )
    .to_image();
    let has_no_block = framed.iter().any(|(_, color)| *color == NO_BLOCK);
    let words = has_no_block.then_some((NO_BLOCK, "words in no block"));
    Ok(with_legend(
        &part,
        &BLOCKS.into_iter().chain(words).collect::<Vec<_>>(),
    ))
}

/// Largest number of times that a part may grow to show the lines at its edges; lines of adjacent
/// columns rarely share an edge.
const MAX_GROWTHS: usize = 8;

/// The rectangle, enlarged until no line of a block crosses its upper or lower edge.
fn between_lines(capture: &Capture, cleaned: &CleanedPage, shown: CssRect) -> CssRect {
    let Some(layout) = &capture.layout else {
        return shown;
    };
    let texts = cleaned.targets.iter().flat_map(|target| &target.texts);
    let lines: Vec<CssRect> = texts
        .flat_map(|&text| layout.lines(text))
        .map(|line| line.rect)
        .collect();
    let (mut top, mut bottom) = (shown.y, shown.bottom());
    for _ in 0..MAX_GROWTHS {
        let cut = |edge: f32| {
            lines
                .iter()
                .filter(move |line| line.y < edge && edge < line.bottom())
        };
        let higher = cut(top).map(|line| line.y).fold(top, f32::min);
        let lower = cut(bottom).map(|line| line.bottom()).fold(bottom, f32::max);
        if (higher, lower) == (top, bottom) {
            break;
        }
        (top, bottom) = (higher, lower);
    }
    CssRect {
        y: top,
        height: bottom - top,
        ..shown
    }
}

/// The rectangle, enlarged by a margin on each side.
fn grown(rect: CssRect, margin: f32) -> CssRect {
    let CssRect {
        x,
        y,
        width,
        height,
    } = rect;
    CssRect {
        x: x - margin,
        y: y - margin,
        width: width + 2.0 * margin,
        height: height + 2.0 * margin,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::{explain, samples};
    use crate::features::FeatureTable;

    fn sample() -> (Capture, CleanedPage) {
        let (capture, targets, document) = samples::page("Menu");
        let table = FeatureTable::without_columns(targets.len());
        (capture, CleanedPage::new(targets, table, document))
    }

    #[test]
    fn no_line_is_cut_and_all_columns_are_shown() {
        let (capture, cleaned) = sample();
        // The paragraph has lines from 12 to 17 and from 18 to 23, the menu one from 2 to 7.
        let shown = |y: f32, bottom: f32| {
            let part = CssRect {
                x: 30.0,
                y,
                width: 5.0,
                height: bottom - y,
            };
            let part = between_lines(&capture, &cleaned, part);
            (part.y, part.bottom())
        };
        assert_eq!(shown(15.0, 20.0), (12.0, 23.0));
        assert_eq!(shown(8.5, 17.5), (8.5, 17.5));
        assert_eq!(shown(4.0, 30.0), (2.0, 30.0));
        let explanation = explain(&capture, &cleaned, "vclean", "menu").unwrap();
        let picture = closeup(&capture, &cleaned, &explanation).unwrap();
        assert_eq!(picture.width(), crate::explain::samples::SIZE.0);
    }

    #[test]
    fn the_block_is_framed_in_the_color_of_its_decision() {
        let (mut capture, cleaned) = sample();
        let count = |words: &str, color: Rgb<u8>| {
            let explanation = explain(&capture, &cleaned, "vclean", words).unwrap();
            let picture = closeup(&capture, &cleaned, &explanation).unwrap();
            picture.pixels().filter(|&&pixel| pixel == color).count()
        };
        // The frame is thicker than the outlines of other blocks.
        assert!(count("menu", DROPPED) > count("running text", DROPPED));
        assert!(count("running text", KEPT) > count("menu", KEPT));
        let explanation = explain(&capture, &cleaned, "vclean", "menu").unwrap();
        capture.pictures = None;
        let error = closeup(&capture, &cleaned, &explanation)
            .unwrap_err()
            .to_string();
        assert!(error.contains("not rendered"), "{error}");
    }
}
