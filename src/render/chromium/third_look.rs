//! A third look at the page, at the parts where it is in doubt whether a text is seen: the page is shown as it was
//! before the node mask, once more without this text, and compared.

use super::coloring::ColoredPage;
use super::picture::Size;
use super::shot::{METHOD, shot, unpacked};
use super::tab::{STEP_LIMIT, Tab};
use crate::capture::{Layout, NodeId, Picture};
use crate::error::{CaptureError, RenderError};
use crate::render::showing::{Area, areas, differs};
use image::RgbImage;
use serde_json::json;

const FADE: &str = include_str!("../../../js/fade.js");
const STEP: &str = "looking which text is shown";

/// For each of these text nodes, whether it paints anything that is seen; `None` if this cannot be told. The page with this
/// text is that of the screenshot, unless `lift` is set: then boxes that stay with the viewport are made transparent, and
/// there are two pictures to take.
///
/// # Errors
/// If the browser fails.
pub(super) fn paints(
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
    call(tab, colored, texts, |tab, world, asked| {
        let arguments = [json!({ "value": "restore" }), asked, json!({ "value": lift })];
        has_fonts &= tab.function::<bool>(world, FADE, &arguments, STEP, STEP_LIMIT)?;
        Ok(())
    })?;
    if !has_fonts {
        // Text is not painted while its font is loaded.
        return Ok(vec![None; texts.len()]);
    }
    let areas = areas(layout, texts, size.height());
    let before = if lift { pictures(tab, size, &areas)? } else { parts(screenshot, &areas)? };
    call(tab, colored, texts, |tab, world, asked| {
        tab.function::<bool>(world, FADE, &[json!({ "value": "fade" }), asked], STEP, STEP_LIMIT).map(drop)
    })?;
    let after = pictures(tab, size, &areas)?;
    let paints = |text: NodeId| {
        let told = areas.iter().zip(before.iter().zip(&after));
        told.filter_map(|(area, (before, after))| differs(layout, text, area.top, before, after))
            .reduce(|one, other| one || other)
    };
    Ok(texts.iter().map(|&text| paints(text)).collect())
}

/// Calls a step of `fade.js` in each document with some of the texts.
fn call(
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

/// Each area of a picture of the whole page.
fn parts(screenshot: &Picture, areas: &[Area]) -> Result<Vec<RgbImage>, RenderError> {
    let mut rows = screenshot.rows().map_err(|error| unusable(&error))?;
    let width = rows.width;
    let mut parts: Vec<Vec<u8>> = areas.iter().map(|_| Vec::new()).collect();
    let end = areas.iter().map(|area| area.top + area.height).max().unwrap_or(0);
    while let Some(mut row) = rows.next().map_err(|error| unusable(&error))?.filter(|row| row.y < end) {
        for (area, part) in areas.iter().zip(&mut parts) {
            if (area.top..area.top + area.height).contains(&row.y) {
                part.extend_from_slice(row.rgb());
            }
        }
    }
    let image = |pixels: Vec<u8>| {
        let height = pixels.len() / (3 * width as usize).max(1);
        RgbImage::from_raw(width, height as u32, pixels).expect("whole rows")
    };
    Ok(parts.into_iter().map(image).collect())
}

fn unusable(error: &CaptureError) -> RenderError {
    RenderError::Crash(format!("the picture of the page is unusable: {error}"))
}

/// Takes a picture of each area.
fn pictures(tab: &mut Tab, size: Size, areas: &[Area]) -> Result<Vec<RgbImage>, RenderError> {
    let beyond = !tab.paints_below;
    areas
        .iter()
        .map(|area| {
            let text = tab.call_text(
                METHOD,
                &shot(size.width(), area.top, area.height, beyond, tab.screen_scale),
                STEP,
                STEP_LIMIT,
            )?;
            Picture::from_png(unpacked(&text, STEP)?).decode_rgb().map_err(|error| unusable(&error))
        })
        .collect()
}
