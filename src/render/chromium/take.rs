//! Takes snapshot, screenshot and node mask of a page that is stable.

use super::answer::{Snapshot, parsed};
use super::coloring::take_mask;
use super::picture;
use super::settle::SETTLE;
use super::showing;
use super::snapshot::{self, Converted};
use super::style::STYLES;
use super::tab::{QUICK, STEP_LIMIT, Tab};
use crate::capture::Pictures;
use crate::error::{RenderError, Warnings};
use crate::render::{RenderOptions, Timings};
use serde_json::json;
use std::time::Instant;

/// Largest number of characters in the text and attributes of a page. Equal to the size limit of a document, so that only
/// scripts can make more.
const MAX_CHARACTERS: u64 = 64 << 20;

/// Milliseconds since a point in time.
pub(super) fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

/// Takes the tree and the pictures; `world` is the isolated world of our scripts in the main frame, `scripts` is whether the
/// page's scripts ran. They must not run any more.
pub(super) fn take(
    tab: &mut Tab,
    world: i64,
    scripts: bool,
    options: &RenderOptions,
    timings: &mut Timings,
    warnings: &mut Warnings,
) -> Result<(Converted, Pictures), RenderError> {
    check_size(tab, world)?;
    let step = Instant::now();
    let params = json!({ "computedStyles": STYLES, "includePaintOrder": true, "includeDOMRects": false });
    let method = "DOMSnapshot.captureSnapshot";
    let text = tab.call_text(method, &params, "the snapshot of the page", STEP_LIMIT)?;
    timings.snapshot_ms = ms(step);
    let step = Instant::now();
    let snapshot: Snapshot = parsed(&text, method)?;
    drop(text);
    let [page_width_px, page_height_px] = snapshot::page_size(&snapshot)?;
    let size = picture::size(page_width_px, page_height_px, options);
    if let Some(warning) = size.warning(page_height_px) {
        warnings.push(warning);
    }
    picture::prepare(tab, size)?;
    // The browser paints while we convert.
    let begun = picture::begin(tab, size)?;
    let mut converted = snapshot::convert(&snapshot)?;
    drop(snapshot);
    timings.convert_ms = ms(step);

    let step = Instant::now();
    let screenshot = picture::finish(tab, &begun, "the screenshot", STEP_LIMIT)?;
    timings.screenshot_ms = ms(step);

    let step = Instant::now();
    let colored = take_mask(tab, world, &converted, size, scripts, warnings)?;
    timings.mask_ms = ms(step);

    let step = Instant::now();
    match showing::decide(tab, &converted, &screenshot, &colored, size) {
        Ok(found) => converted.layout.set_visibility(found),
        Err(error) => warnings.push(format!("which text is hidden was not found out: {error}")),
    }
    timings.showing_ms = ms(step);
    Ok((converted, Pictures::new(screenshot, colored.mask)))
}

/// Checks that the page is not too large to be copied: the copy takes several times its memory.
fn check_size(tab: &mut Tab, world: i64) -> Result<(), RenderError> {
    let arguments = [json!({ "value": "size" }), json!({ "value": MAX_CHARACTERS })];
    let characters: u64 = tab.function(world, SETTLE, &arguments, "looking at the page", QUICK)?;
    if characters > MAX_CHARACTERS {
        let limit = MAX_CHARACTERS >> 20;
        return Err(RenderError::Limit(format!(
            "the page has more than the {limit} million characters a page may have, with its attributes"
        )));
    }
    Ok(())
}
