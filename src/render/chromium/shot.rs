//! The call that takes a picture of a part of the page, and its response.

use super::answer::parsed;
use crate::error::RenderError;
use base64::Engine;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const METHOD: &str = "Page.captureScreenshot";

/// The parameters of a picture of the rows from `top`, on a screen with so many pixels for each CSS pixel.
pub(super) fn shot(width: u32, top: u32, height: u32, beyond_viewport: bool, screen_scale: f64) -> Value {
    json!({
        "format": "png",
        "optimizeForSpeed": true,
        "captureBeyondViewport": beyond_viewport,
        "clip": { "x": 0, "y": top, "width": width, "height": height, "scale": 1.0 / screen_scale },
    })
}

/// The PNG in a response.
pub(super) fn unpacked(answer: &str, step: &'static str) -> Result<Vec<u8>, RenderError> {
    #[derive(Deserialize)]
    struct Shot<'a> {
        #[serde(borrow)]
        data: &'a str,
    }
    let shot: Shot = parsed(answer, METHOD)?;
    base64::engine::general_purpose::STANDARD
        .decode(shot.data)
        .map_err(|error| RenderError::Crash(format!("{step} is unusable: {error}")))
}
