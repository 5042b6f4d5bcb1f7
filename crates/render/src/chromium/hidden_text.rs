//! Determines the text nodes that a reader sees: by their boxes, by the page image, and, if both
//! leave a doubt, by comparing pictures with and without the text.
//!
//! Most text has one color on a plain background: the background fills a good part of the text's
//! area in the node mask, and the color of most other pixels there is a mixture of the two. This
//! proves that the text is visible, whatever effects are around it: of 7,521 texts that these rules
//! call clear, but stricter ones do not (`dev` pages of `styled`, `styled3` and `modern`),
//! comparing pictures found none hidden. For any other text the page is restored to its state
//! before the node mask, pictured once more without this text, and compared.

use super::pictures::{ColoredPage, Size};
use super::protocol::{SCREENSHOT, screenshot_params, screenshot_png};
use super::snapshot::Converted;
use super::tab::{STEP_LIMIT, Tab};
use image::RgbImage;
use serde::Deserialize;
use serde_json::json;
use std::ops::Range;
use vclean_core::capture::{
    CssRect, Dom, GrayRows, HiddenCause, Layout, NodeId, NodeMask, Picture, Visibility,
};
use vclean_core::error::{CaptureError, RenderError};
use vclean_core::rendering::{
    Area, Geometry, Missing, Overlays, Verdict, areas, can_tell, differs, doubt_looks,
    doubt_transparent,
};

/// Share of a line that may be under a generated box, such as one that underlines it.
const MAX_UNDER: f32 = 0.25;

/// Decides for every text node of the page. If a doubt remains, and below the end of the page
/// image, the result is [`Visibility::Unknown`].
///
/// # Errors
/// If a picture is damaged, or the browser fails.
pub(super) fn decide(
    tab: &mut Tab,
    converted: &Converted,
    screenshot: &Picture,
    colored: &ColoredPage,
    size: Size,
) -> Result<Vec<(NodeId, Visibility)>, RenderError> {
    let Converted {
        dom,
        layout,
        generated,
        ..
    } = converted;
    let unusable = |error: CaptureError| {
        RenderError::Crash(format!("a picture of the page is unusable: {error}"))
    };
    let mask = NodeMask::decode(&colored.mask).map_err(unusable)?;
    let counts = count_pixels(dom, layout, screenshot, &mask).map_err(unusable)?;
    drop(mask);
    let geometry = Geometry::measure(dom, layout, [size.width, size.height]);
    let mut found = Vec::new();
    let mut in_doubt: Vec<(usize, NodeId, HiddenCause)> = Vec::new();
    for text in geometry.texts() {
        let own = &counts[text.index()];
        let number = text.index() as u32;
        let showing = match geometry.decide(text, own.owned > 0) {
            Verdict::Known(Visibility::Hidden(HiddenCause::Transparent))
                if colored.fading.contains(&number) =>
            {
                Visibility::Unknown
            }
            Verdict::Known(showing) => showing,
            Verdict::Look(_) if own.is_clear() && !is_under(layout, text, generated) => {
                Visibility::Shown
            }
            Verdict::Look(cause) => {
                in_doubt.push((
                    found.len(),
                    text,
                    likely(cause, own, colored.affected.contains(&number)),
                ));
                Visibility::Unknown
            }
        };
        found.push((text, showing));
    }
    if !in_doubt.is_empty() {
        let overlays = Overlays::find(dom, layout);
        let texts: Vec<NodeId> = in_doubt.iter().map(|&(_, text, _)| text).collect();
        let lift = texts
            .iter()
            .any(|&text| overlays.are_over(dom, layout, text));
        let painted = are_painted(tab, colored, layout, &texts, screenshot, lift, size)?;
        for ((place, text, cause), painted) in in_doubt.into_iter().zip(painted) {
            found[place].1 = match painted {
                Some(true) => Visibility::Shown,
                // A box with doubtful text cannot be made transparent.
                Some(false) if !overlays.hold_one_over(dom, layout, text, &texts) => {
                    Visibility::Hidden(cause)
                }
                _ => Visibility::Unknown,
            };
        }
    }
    let may_doubt = [HiddenCause::SameColor, HiddenCause::Covered].map(Visibility::Hidden);
    if found.iter().any(|(_, showing)| may_doubt.contains(showing)) {
        doubt_looks(dom, layout, missing(tab)?, &mut found);
    }
    doubt_transparent(dom, &mut found);
    Ok(found)
}

/// Collects the resources that the page and its frames requested but did not get.
///
/// # Errors
/// If the browser fails.
fn missing(tab: &mut Tab) -> Result<Missing, RenderError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Response {
        frame_tree: Frame,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Frame {
        resources: Vec<Resource>,
        #[serde(default)]
        child_frames: Vec<Frame>,
    }
    #[derive(Deserialize)]
    struct Resource {
        r#type: String,
        #[serde(default)]
        failed: bool,
        #[serde(default)]
        canceled: bool,
    }
    let response: Response = tab.call("Page.getResourceTree", &json!({}), STEP, STEP_LIMIT)?;
    let mut missing = Missing::default();
    let mut frames = vec![response.frame_tree];
    while let Some(frame) = frames.pop() {
        for resource in frame
            .resources
            .iter()
            .filter(|resource| resource.failed || resource.canceled)
        {
            missing.sheets |= resource.r#type == "Stylesheet";
            missing.pictures |= resource.r#type == "Image";
        }
        frames.extend(frame.child_frames);
    }
    Ok(missing)
}

/// Returns true if one of these boxes overlaps a good part of a line of the text.
fn is_under(layout: &Layout, text: NodeId, boxes: &[CssRect]) -> bool {
    let meets = |line: CssRect| {
        boxes
            .iter()
            .any(|own| own.intersection(line).area() > MAX_UNDER * line.area())
    };
    !boxes.is_empty() && layout.lines(text).iter().any(|line| meets(line.rect))
}

/// Returns the likely cause if a text paints nothing.
fn likely(cause: HiddenCause, own: &PixelCounts, is_affected: bool) -> HiddenCause {
    match cause {
        HiddenCause::Transparent => HiddenCause::Transparent,
        _ if is_affected => HiddenCause::NotPainted,
        HiddenCause::SameColor if !own.is_blank() => HiddenCause::NotPainted,
        cause => cause,
    }
}

/// Smallest share of the area that the background fills. Heuristic: letters cover a fifth to a
/// third of their line, but the first pixel of an uneven background resembles only some of it.
const MIN_GROUND_SHARE: f32 = 0.2;
/// Smallest share of the pixels unlike the background whose color is a mixture of that of the
/// background and that of the text.
const MIN_MIXED_SHARE: f32 = 0.7;
/// Smallest number of mixed pixels.
const MIN_MIXED: u32 = 4;
/// Smallest share, and smallest number, of the pixels unlike the background that reach [`MIN_WAY`].
const MIN_INK: (f32, u32) = (0.25, 2);
/// Position from which on a mixed color counts as ink; 0 is the background's color, 1 the text's
/// color.
const MIN_WAY: f32 = 0.3;
/// Largest position of a mixed color: beyond the text's color only by rounding.
const MAX_WAY: f32 = 1.2;
/// Largest distance of a mixed color from the line between both colors, in levels of a channel.
const MAX_ASIDE: f32 = 24.0;

/// Number of pixels that are compared with the background at once.
const STRETCH: usize = 16;

/// Pixel counts in the area of a text node.
#[derive(Debug, Clone, Copy, Default)]
struct PixelCounts {
    /// Number of pixels in the area.
    pub(super) owned: u32,
    /// Color of the first pixel, which almost never belongs to a letter.
    ground: [u8; 3],
    /// Number of pixels that are visibly unlike the background.
    unlike: u32,
    /// Number of these whose color is a mixture of background and text.
    mixed: u32,
    /// Number of these that come near the text's color.
    ink: u32,
}

impl PixelCounts {
    /// Returns true if the text is certainly visible.
    pub(super) fn is_clear(&self) -> bool {
        let unlike = self.unlike as f32;
        self.mixed >= MIN_MIXED
            && self.ink >= MIN_INK.1
            && self.mixed as f32 >= MIN_MIXED_SHARE * unlike
            && self.ink as f32 >= MIN_INK.0 * unlike
            && (self.owned - self.unlike) as f32 >= MIN_GROUND_SHARE * self.owned as f32
    }

    /// Returns true if nothing at all is visible in its area.
    pub(super) fn is_blank(&self) -> bool {
        self.owned > 0 && self.unlike == 0
    }

    fn count(&mut self, pixels: &[u8], color: [u8; 3]) {
        let Some(first) = pixels.first_chunk::<3>() else {
            return;
        };
        if self.owned == 0 {
            self.ground = *first;
        }
        self.owned += (pixels.len() / 3) as u32;
        let ground = self.ground;
        let way: [f32; 3] =
            std::array::from_fn(|channel| f32::from(color[channel]) - f32::from(ground[channel]));
        let length = way.iter().map(|step| step * step).sum::<f32>();
        // Most of an area is background, in long runs.
        let pixels = pixels.as_chunks::<3>().0;
        for pixels in pixels.chunks(STRETCH) {
            if *pixels == [ground; STRETCH] {
                continue;
            }
            for pixel in pixels.iter().filter(|pixel| can_tell(**pixel, ground)) {
                self.unlike += 1;
                let from: [f32; 3] = std::array::from_fn(|channel| {
                    f32::from(pixel[channel]) - f32::from(ground[channel])
                });
                let share = from
                    .iter()
                    .zip(way)
                    .map(|(one, other)| one * other)
                    .sum::<f32>()
                    / length.max(1.0);
                let is_near =
                    (0..3).all(|channel| (from[channel] - share * way[channel]).abs() <= MAX_ASIDE);
                if is_near && (0.0..MAX_WAY).contains(&share) {
                    self.mixed += 1;
                    self.ink += u32::from(share >= MIN_WAY);
                }
            }
        }
    }
}

/// Counts the pixels of every text node, by index, and stores the luminance of the page image.
///
/// # Errors
/// If the page image is damaged.
fn count_pixels(
    dom: &Dom,
    layout: &Layout,
    screenshot: &Picture,
    mask: &NodeMask,
) -> Result<Vec<PixelCounts>, CaptureError> {
    let mut found = vec![PixelCounts::default(); dom.len()];
    let mut rows = screenshot.rows()?;
    let width = rows.width.min(mask.width());
    let mut gray = GrayRows::new(&rows);
    while let Some(mut row) = rows.next()? {
        gray.push(&mut row);
        if row.y >= mask.height() {
            continue;
        }
        // Identical rows add no information.
        if row.repeats && row.y > 0 && mask.row(row.y) == mask.row(row.y - 1) {
            continue;
        }
        let (y, rgb) = (row.y, row.rgb());
        for run in mask.row(y) {
            let (start, end) = (run.start.min(width) as usize, run.end.min(width) as usize);
            if let Some(own) = found.get_mut(run.owner as usize)
                && start < end
            {
                let color = layout
                    .style(NodeId::new(run.owner as usize))
                    .map_or([0; 3], |style| {
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

const FADE: &str = vclean_js::FADE;
const STEP: &str = "looking which text is shown";

/// Determines for each of these text nodes if it paints anything visible; `None` if this cannot be
/// decided. The page with the text is that of the screenshot, unless `lift` is set: then boxes that
/// are fixed to the viewport are made transparent, and two pictures are taken.
///
/// # Errors
/// If the browser fails.
fn are_painted(
    tab: &mut Tab,
    colored: &ColoredPage,
    layout: &Layout,
    texts: &[NodeId],
    screenshot: &Picture,
    lift: bool,
    size: Size,
) -> Result<Vec<Option<bool>>, RenderError> {
    if !size.is_in_one_piece() {
        return Ok(vec![None; texts.len()]);
    }
    let mut has_fonts = true;
    call_fade(tab, colored, texts, |tab, world, asked| {
        let arguments = [
            json!({ "value": "restore" }),
            asked,
            json!({ "value": lift }),
        ];
        has_fonts &= tab.function::<bool>(world, FADE, &arguments, STEP, STEP_LIMIT)?;
        Ok(())
    })?;
    if !has_fonts {
        // Text is not painted while its font is loaded.
        return Ok(vec![None; texts.len()]);
    }
    let areas = areas(layout, texts, [size.width, size.height]);
    let lifted = if lift {
        Some(pictures(tab, &areas, || Ok(()))?.0)
    } else {
        None
    };
    call_fade(tab, colored, texts, |tab, world, asked| {
        tab.function::<bool>(
            world,
            FADE,
            &[json!({ "value": "fade" }), asked],
            STEP,
            STEP_LIMIT,
        )
        .map(drop)
    })?;
    let (after, before) = pictures(tab, &areas, || {
        lifted.map_or_else(|| parts(screenshot, &areas), Ok)
    })?;
    let paints = |text: NodeId| {
        let told = areas.iter().zip(before.iter().zip(&after));
        told.filter_map(|(area, (before, after))| differs(layout, text, *area, before, after))
            .reduce(|one, other| one || other)
    };
    Ok(texts.iter().map(|&text| paints(text)).collect())
}

/// Calls a step of `fade.js` in each document, with flags for the selected texts.
fn call_fade(
    tab: &mut Tab,
    colored: &ColoredPage,
    texts: &[NodeId],
    mut step: impl FnMut(&mut Tab, i64, serde_json::Value) -> Result<(), RenderError>,
) -> Result<(), RenderError> {
    for frame in &colored.frames {
        let is_asked = |&number: &i64| {
            let text = usize::try_from(number).map(NodeId::new);
            u8::from(text.is_ok_and(|text| texts.binary_search(&text).is_ok()))
        };
        let asked: Vec<u8> = frame.numbers.iter().map(is_asked).collect();
        step(tab, frame.world, json!({ "value": asked }))?;
    }
    Ok(())
}

/// Cuts each area out of a picture of the whole page.
fn parts(screenshot: &Picture, areas: &[Area]) -> Result<Vec<RgbImage>, RenderError> {
    let mut rows = screenshot.rows().map_err(|error| unusable(&error))?;
    let columns = |area: &Area| {
        let left = area.left.min(rows.width);
        left..(area.left + area.width).min(rows.width)
    };
    let columns: Vec<Range<u32>> = areas.iter().map(columns).collect();
    let mut parts: Vec<Vec<u8>> = areas.iter().map(|_| Vec::new()).collect();
    let end = areas
        .iter()
        .map(|area| area.top + area.height)
        .max()
        .unwrap_or(0);
    while let Some(mut row) = rows
        .next()
        .map_err(|error| unusable(&error))?
        .filter(|row| row.y < end)
    {
        for ((area, columns), part) in areas.iter().zip(&columns).zip(&mut parts) {
            if (area.top..area.top + area.height).contains(&row.y) {
                part.extend_from_slice(
                    &row.rgb()[3 * columns.start as usize..3 * columns.end as usize],
                );
            }
        }
    }
    let image = |(columns, pixels): (&Range<u32>, Vec<u8>)| {
        let height = pixels.len() / (3 * columns.len()).max(1);
        RgbImage::from_raw(columns.len() as u32, height as u32, pixels).expect("whole rows")
    };
    Ok(columns.iter().zip(parts).map(image).collect())
}

fn unusable(error: &CaptureError) -> RenderError {
    RenderError::Crash(format!("the picture of the page is unusable: {error}"))
}

/// Takes a picture of each area; calls `meanwhile` while the browser paints.
fn pictures<T>(
    tab: &mut Tab,
    areas: &[Area],
    meanwhile: impl FnOnce() -> Result<T, RenderError>,
) -> Result<(Vec<RgbImage>, T), RenderError> {
    let begin = |tab: &mut Tab, area: Option<&Area>| {
        let (beyond, scale) = (!tab.paints_below, tab.screen_scale);
        area.map(|&area| tab.begin(SCREENSHOT, &screenshot_params(area, beyond, scale)))
            .transpose()
    };
    let mut areas = areas.iter();
    let mut begun = begin(tab, areas.next())?;
    let made = meanwhile()?;
    let mut images = Vec::with_capacity(areas.len() + 1);
    while let Some(number) = begun {
        let text = tab.finish(number, STEP, STEP_LIMIT)?;
        begun = begin(tab, areas.next())?;
        let picture = Picture::from_png(screenshot_png(&text, STEP)?);
        images.push(picture.decode_rgb().map_err(|error| unusable(&error))?);
    }
    Ok((images, made))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pixels: &[[u8; 3]], color: [u8; 3]) -> PixelCounts {
        let mut counts = PixelCounts::default();
        counts.count(pixels.as_flattened(), color);
        counts
    }

    #[test]
    fn text_in_its_color_on_a_plain_ground_is_clear() {
        let (white, black) = ([255; 3], [0; 3]);
        let line = |ink: [u8; 3], letters: usize| {
            let mut line = vec![white; 100];
            line[10..10 + letters].fill(ink);
            line
        };
        let clear = |pixels: &[[u8; 3]], color| counts(pixels, color).is_clear();
        assert!(clear(&line(black, 20), black));
        assert!(
            clear(&line([230; 3], 20), [221; 3]),
            "pale gray, not quite reached"
        );
        assert!(clear(&line([200, 120, 120], 20), [180, 60, 60]));
        let mut thin = line([210; 3], 12);
        thin[24..30].fill(black);
        assert!(
            clear(&thin, black),
            "edges of thin letters are mixed of both colors"
        );
        let uneven: Vec<[u8; 3]> = (0..100).map(|at| [255 - at / 8; 3]).collect();
        let mut written = uneven.clone();
        written[10..30].fill(black);
        assert!(
            clear(&written, black) && !clear(&uneven, black),
            "on an uneven ground"
        );
        assert!(!clear(&line(black, 3), black), "a stain");
        assert!(
            !clear(&line([255, 0, 0], 20), black),
            "something red over black text"
        );
        assert!(!clear(&line(black, 85), black), "a picture");
        assert!(!clear(&line(black, 20), white));
        assert!(counts(&line([252; 3], 20), black).is_blank());
        assert!(!counts(&line([230; 3], 20), black).is_blank());
        assert!(!counts(&[], black).is_blank());
    }
}
