//! Takes the two pictures of the page, in one piece if the browser can, in strips if the page is
//! taller: the page image, and the node mask, for which every text node gets its own color. Mixed
//! colors at the edges of transformed text are removed from the mask.
//!
//! `captureBeyondViewport` is the usual way to take a picture of a whole page: for each picture,
//! the browser stops clipping the page to the viewport, lays it out again, paints it, and restores
//! the viewport (245 + 215 ms of CPU on pages of 5,600 px). Our browser is started with a flag that
//! switches the clipping off (`Tab::paints_below`). Both pictures are then cut out of one enlarged
//! visible area (140 ms each), with identical pixels.

use super::protocol::{SCREENSHOT, screenshot_params, screenshot_png};
use super::snapshot::{Converted, FrameTexts, TextKey};
use super::tab::{QUICK, STEP_LIMIT, Tab};
use crate::RenderOptions;
use image::RgbImage;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;
use vclean_core::capture::{CssRect, NodeId, NodeMask, Picture, encode_png};
use vclean_core::error::{CaptureError, RenderError, Warning, WarningKind, Warnings};
use vclean_core::rendering::Area;

/// Tallest picture taken in one piece, in px; tested up to this height. Joining strips takes a
/// second of CPU time in our process.
const STRIP_PX: u32 = 32_000;

/// Size of both pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// Width of the page within limits, but at least that of the viewport.
    pub(super) width: u32,
    /// Height of the page, at most [`RenderOptions::max_height_px`].
    pub(super) height: u32,
}

/// Computes the size of the pictures for a page of the given size in CSS px: at least as wide as
/// the viewport and at most twice as wide, and no taller than allowed.
pub(super) fn size(page_width_px: f32, page_height_px: f32, options: &RenderOptions) -> Size {
    let [width, height] = options.viewport_px;
    Size {
        width: (page_width_px.ceil() as u32).clamp(width, width.saturating_mul(2)),
        height: (page_height_px.ceil() as u32).clamp(
            height.min(options.max_height_px),
            options.max_height_px.max(1),
        ),
    }
}

impl Size {
    /// Returns true if pictures of this size are taken in one piece.
    pub(super) fn is_in_one_piece(self) -> bool {
        self.height <= STRIP_PX
    }

    /// Returns the area of `height` rows from `top`.
    fn rows(self, top: u32, height: u32) -> Area {
        Area {
            left: 0,
            top,
            width: self.width,
            height,
        }
    }

    /// Returns the warning for a page whose pictures end early.
    pub(super) fn warning(self, page_height_px: f32) -> Option<Warning> {
        (page_height_px.ceil() > self.height as f32).then(|| {
            let text = format!(
                "the page is {page_height_px:.0} px tall; the pictures end at {} px",
                self.height
            );
            Warning::new(WarningKind::TooTall, text)
        })
    }
}

/// Prepares the tab for both pictures of a page of this size.
pub(super) fn prepare(tab: &mut Tab, size: Size) -> Result<(), RenderError> {
    if is_whole(tab, size) {
        tab.set_visible_area(Some([size.width, size.height]))
    } else {
        Ok(())
    }
}

/// Returns true if pictures of this size are cut out of the tab's visible area.
fn is_whole(tab: &Tab, size: Size) -> bool {
    tab.paints_below && size.is_in_one_piece()
}

/// A picture that was requested from the browser.
pub(super) struct RequestedPicture {
    size: Size,
    /// Number of the call; `None` for strips, which are taken in `finish`.
    number: Option<u64>,
}

/// Requests a picture of the page.
pub(super) fn begin(tab: &mut Tab, size: Size) -> Result<RequestedPicture, RenderError> {
    let number = if size.is_in_one_piece() {
        let beyond = !is_whole(tab, size);
        Some(tab.begin(
            SCREENSHOT,
            &screenshot_params(size.rows(0, size.height), beyond, tab.screen_scale),
        )?)
    } else {
        None
    };
    Ok(RequestedPicture { size, number })
}

/// Waits for a requested picture.
pub(super) fn finish(
    tab: &mut Tab,
    begun: &RequestedPicture,
    step: &'static str,
    limit: Duration,
) -> Result<Picture, RenderError> {
    let size = begun.size;
    if let Some(number) = begun.number {
        let text = tab.finish(number, step, limit)?;
        return Ok(Picture::from_png(screenshot_png(&text, step)?));
    }
    let mut whole = RgbImage::new(size.width, size.height);
    let mut top = 0;
    while top < size.height {
        let height = STRIP_PX.min(size.height - top);
        let text = tab.call_text(
            SCREENSHOT,
            &screenshot_params(size.rows(top, height), true, tab.screen_scale),
            step,
            limit,
        )?;
        let part = Picture::from_png(screenshot_png(&text, step)?);
        let part = part
            .decode_rgb()
            .map_err(|error| RenderError::Crash(format!("{step} is unusable: {error}")))?;
        image::imageops::replace(&mut whole, &part, 0, i64::from(top));
        top += height;
    }
    encode_png(&whole).map_err(|error| RenderError::Crash(format!("{step} is unusable: {error}")))
}

const COLLECT: &str = vclean_js::COLLECT;
const COLOR: &str = vclean_js::COLOR;
/// Restores a page of another program to its earlier state.
pub(super) const KEEP: &str = vclean_js::KEEP;

/// Maximum number of frames that are colored; text in further frames is not in the mask.
const MAX_FRAMES: usize = 200;

/// A page whose text is colored.
pub(super) struct ColoredPage {
    /// Picture in which each text node has its own color.
    pub(super) mask: Picture,
    /// The documents that were colored, the main one first.
    pub(super) frames: Vec<ColoredFrame>,
    /// Indices of text nodes that an effect around them may hide: opacity, filter, mask, clipping
    /// path, fill color.
    pub(super) affected: HashSet<u32>,
    /// Indices of transparent text nodes that wait to be faded in.
    pub(super) fading: HashSet<u32>,
}

/// A document whose text is colored.
pub(super) struct ColoredFrame {
    /// The isolated world of our scripts in it.
    pub(super) world: i64,
    /// Per text node that our script found, the index of the node of the capture, or -1.
    pub(super) numbers: Vec<i64>,
}

/// Colors the page and takes the mask; `hidden_text` then restores the page. `main_world` is the
/// isolated world of our scripts in the main frame; `scripts` is set if the page's scripts ran.
pub(super) fn take_mask(
    tab: &mut Tab,
    main_world: i64,
    converted: &Converted,
    size: Size,
    scripts: bool,
    warnings: &mut Warnings,
) -> Result<ColoredPage, RenderError> {
    #[derive(Deserialize)]
    struct Colored {
        soft: bool,
        tilted: u32,
        effects: Vec<u32>,
        fading: Vec<u32>,
    }
    let mut frames = Vec::new();
    let (mut affected, mut fading) = (HashSet::new(), HashSet::new());
    // Pictures with another scale are reduced, which blurs edges.
    let mut soft = tab.screen_scale != 1.0;
    let mut tilted = 0;
    let mut lost = 0;
    for (number, frame) in converted.frames.iter().enumerate().take(MAX_FRAMES) {
        let world = if number == 0 {
            main_world
        } else if let Ok(world) = tab.world(&frame.frame) {
            world
        } else {
            lost += frame.texts.iter().filter(|text| text.has_lines).count();
            continue;
        };
        let shadow_nodes = shadow_nodes(tab, world, frame)?;
        let keys: Vec<i32> = tab.function(
            world,
            COLLECT,
            &shadow_nodes,
            "reading the page's text",
            STEP_LIMIT,
        )?;
        if tab.belongs_to_caller() {
            tab.function::<bool>(
                world,
                KEEP,
                &[json!({ "value": "note" })],
                "coloring the text",
                STEP_LIMIT,
            )?;
            tab.keep_changes_of(world);
        }
        let (numbers, unmatched) = colors(&frame.texts, &keys);
        lost += unmatched;
        let arguments = [json!({ "value": numbers }), json!({ "value": scripts })];
        let colored: Colored =
            tab.function(world, COLOR, &arguments, "coloring the text", STEP_LIMIT)?;
        soft |= colored.soft;
        tilted += colored.tilted;
        affected.extend(colored.effects);
        fading.extend(colored.fading);
        frames.push(ColoredFrame { world, numbers });
    }
    if lost > 0 {
        warnings.add(
            WarningKind::NotInMask,
            format!("{lost} text nodes are missing from the node mask"),
        );
    }
    if tilted > 0 {
        warnings.add(
            WarningKind::NotInMask,
            format!("{tilted} text nodes are rotated and missing from the node mask"),
        );
    }
    let begun = begin(tab, size)?;
    let mask = finish(tab, &begun, "the node mask", STEP_LIMIT)?;
    let mask = if soft {
        sharpened(mask, converted)?
    } else {
        mask
    };
    Ok(ColoredPage {
        mask,
        frames,
        affected,
        fading,
    })
}

/// Returns one node inside each closed shadow tree, as arguments for our scripts.
fn shadow_nodes(tab: &mut Tab, world: i64, frame: &FrameTexts) -> Result<Vec<Value>, RenderError> {
    let mut arguments = Vec::new();
    for node in &frame.shadow_nodes {
        let params = json!({ "backendNodeId": node, "executionContextId": world });
        let resolved: Value =
            tab.call("DOM.resolveNode", &params, "reading the page's text", QUICK)?;
        arguments.push(json!({ "objectId": resolved["object"]["objectId"] }));
    }
    Ok(arguments)
}

/// Assigns colors to the text nodes that the script found (-1 for none), and counts the text nodes
/// of the snapshot that were not found.
///
/// Both lists are in document order, so equal lists match one by one. Where they differ, the next
/// equal key nearby matches.
fn colors(texts: &[TextKey], keys: &[i32]) -> (Vec<i64>, usize) {
    const NEAR: usize = 200;
    let mut numbers = vec![-1; keys.len()];
    let mut next = 0;
    let mut unmatched = 0;
    for text in texts {
        let near = &keys[next.min(keys.len())..keys.len().min(next + NEAR)];
        match near.iter().position(|&key| key == text.key) {
            Some(ahead) => {
                if text.has_lines {
                    numbers[next + ahead] = text.id.index() as i64;
                }
                next += ahead + 1;
            }
            None => unmatched += usize::from(text.has_lines),
        }
    }
    (numbers, unmatched)
}

/// Largest distance of a pixel from a line box of its owner, in px: painting rounds boxes outward.
const EDGE_PX: f32 = 1.5;

/// Returns the mask with white pixels where a node's color is outside of its lines.
fn sharpened(mask: Picture, converted: &Converted) -> Result<Picture, RenderError> {
    let unusable =
        |error: CaptureError| RenderError::Crash(format!("the node mask is unusable: {error}"));
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
        let lines = lines
            .entry(number)
            .or_insert_with(|| Lines::from_node(converted, number));
        // A run of one color lies within one line except for its ends, so only the ends are
        // checked.
        let inner = last.0 == number && last.1 + 1 == x && last.2 == y && last.3 && !lines.ends(x);
        let owned = inner || lines.has(x, y);
        last = (number, x, y, owned);
        if !owned {
            pixel.0 = [255; 3];
            changed = true;
        }
    }
    if changed {
        encode_png(&pixels).map_err(unusable)
    } else {
        Ok(mask)
    }
}

/// The lines of one node, sorted so that a pixel is compared with only a few of them: one node may
/// have 100,000.
struct Lines {
    /// Line boxes, sorted by upper edge.
    rects: Vec<CssRect>,
    tallest: f32,
    /// Right edges of the lines, ascending.
    ends: Vec<f32>,
}

impl Lines {
    fn from_node(converted: &Converted, number: u32) -> Self {
        let is_text = (number as usize) < converted.dom.len();
        let lines = if is_text {
            converted.layout.lines(NodeId::new(number as usize))
        } else {
            &[]
        };
        Self::new(lines.iter().map(|line| line.rect).collect())
    }

    fn new(mut rects: Vec<CssRect>) -> Self {
        rects.sort_by(|one, two| one.y.total_cmp(&two.y));
        let tallest = rects.iter().map(|rect| rect.height).fold(0.0, f32::max);
        let mut ends: Vec<f32> = rects.iter().map(|rect| rect.right()).collect();
        ends.sort_by(f32::total_cmp);
        Self {
            rects,
            tallest,
            ends,
        }
    }

    /// Returns true if a line ends near column `x`.
    fn ends(&self, x: u32) -> bool {
        let distance = 2.0 + EDGE_PX;
        let next = self.ends.partition_point(|&end| end <= x as f32 - distance);
        self.ends
            .get(next)
            .is_some_and(|&end| end < x as f32 + distance)
    }

    /// Returns true if a pixel is on a line.
    fn has(&self, x: u32, y: u32) -> bool {
        let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
        let mut near = self.near(y);
        near.any(|rect| {
            x > rect.x - EDGE_PX && x < rect.right() + EDGE_PX && y < rect.bottom() + EDGE_PX
        })
    }

    /// Returns the lines that may reach this height.
    fn near(&self, y: f32) -> impl Iterator<Item = &CssRect> {
        let first = self
            .rects
            .partition_point(|rect| rect.y + self.tallest <= y - EDGE_PX);
        self.rects[first..]
            .iter()
            .take_while(move |rect| rect.y < y + EDGE_PX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::capture::NodeId;

    #[test]
    fn pictures_have_bounds() {
        let options = RenderOptions::default();
        assert_eq!(
            size(1280.0, 5000.2, &options),
            Size {
                width: 1280,
                height: 5001
            }
        );
        assert_eq!(
            size(90_000.0, 10.0, &options),
            Size {
                width: 2560,
                height: 1024
            }
        );
        let tall = size(1280.0, 1e9, &options);
        assert_eq!(tall.height, options.max_height_px);
        assert!(tall.warning(1e9).is_some() && tall.warning(100.0).is_none());
    }

    fn texts(keys: &[i32]) -> Vec<TextKey> {
        keys.iter()
            .enumerate()
            .map(|(index, &key)| TextKey {
                key,
                id: NodeId::new(index + 10),
                has_lines: key != 0,
            })
            .collect()
    }

    #[test]
    fn equal_lists_match_one_by_one() {
        assert_eq!(
            colors(&texts(&[1, 0, 1, 2]), &[1, 0, 1, 2]),
            (vec![10, -1, 12, 13], 0)
        );
    }

    #[test]
    fn different_lists_match_again_after_the_difference() {
        assert_eq!(
            colors(&texts(&[1, 5, 2, 3]), &[1, 9, 9, 2, 3]),
            (vec![10, -1, -1, 12, 13], 1)
        );
        assert_eq!(colors(&texts(&[1, 2]), &[]), (vec![], 2));
    }

    fn rect(x: f32, y: f32, width: f32, height: f32) -> CssRect {
        CssRect {
            x,
            y,
            width,
            height,
        }
    }

    #[test]
    fn a_pixel_belongs_to_the_lines_near_it() {
        let rects: Vec<CssRect> = (0..200)
            .map(|n| {
                rect(
                    (n * 37 % 90) as f32,
                    (n * 53 % 700) as f32 + 0.3,
                    (n % 40) as f32,
                    (n % 23) as f32,
                )
            })
            .collect();
        let lines = Lines::new(rects.clone());
        for y in 0..730 {
            for x in (0..140).step_by(3) {
                let (right, below) = (x as f32 + 0.5, y as f32 + 0.5);
                // The slow way: compare with all lines.
                let has = rects.iter().any(|rect| {
                    right > rect.x - EDGE_PX
                        && right < rect.right() + EDGE_PX
                        && below > rect.y - EDGE_PX
                        && below < rect.bottom() + EDGE_PX
                });
                assert_eq!(lines.has(x, y), has, "{x}, {y}");
                let ends = rects
                    .iter()
                    .any(|rect| (rect.right() - x as f32).abs() < 2.0 + EDGE_PX);
                assert_eq!(lines.ends(x), ends, "{x}");
            }
        }
    }

    #[test]
    fn few_of_very_many_lines_are_looked_at() {
        let lines = Lines::new(
            (0..300_000)
                .map(|n| rect(8.0, n as f32 * 15.0, 600.0, 15.0))
                .collect(),
        );
        let count = (0..30_000)
            .flat_map(|y| [(9, y), (700, y)])
            .filter(|&(x, y)| lines.has(x, y) || lines.ends(x))
            .count();
        assert_eq!(count, 30_000);
        assert!((0..30_000).all(|y| lines.near(y as f32).count() <= 2));
    }
}
