//! The larger calls of the protocol: the result or error of any call, screenshots, and the fields
//! of `DOMSnapshot.captureSnapshot` that `snapshot` uses.

use base64::Engine;
use serde::Deserialize;
use serde_json::{Value, json};
use vclean_core::error::RenderError;
use vclean_core::rendering::Area;

/// The response of `DOMSnapshot.captureSnapshot`; unused fields are left out. An index into
/// `strings` is -1 for none.
#[derive(Debug, Deserialize)]
pub(super) struct Snapshot {
    pub(super) documents: Vec<Document>,
    pub(super) strings: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) frame_id: i32,
    pub(super) nodes: Nodes,
    pub(super) layout: Boxes,
    pub(super) text_boxes: TextBoxes,
    #[serde(default)]
    pub(super) scroll_offset_x: f64,
    #[serde(default)]
    pub(super) scroll_offset_y: f64,
    #[serde(default)]
    pub(super) content_width: f64,
    #[serde(default)]
    pub(super) content_height: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Nodes {
    pub(super) parent_index: Vec<i32>,
    pub(super) node_type: Vec<i32>,
    pub(super) node_name: Vec<i32>,
    pub(super) node_value: Vec<i32>,
    pub(super) backend_node_id: Vec<i64>,
    pub(super) attributes: Vec<Vec<i32>>,
    #[serde(default)]
    pub(super) shadow_root_type: Sparse,
    #[serde(default)]
    pub(super) content_document_index: Sparse,
    #[serde(default)]
    pub(super) pseudo_type: Sparse,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Sparse {
    pub(super) index: Vec<usize>,
    #[serde(default)]
    pub(super) value: Vec<i32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Boxes {
    pub(super) node_index: Vec<usize>,
    pub(super) styles: Vec<Vec<i32>>,
    pub(super) bounds: Vec<[f32; 4]>,
    #[serde(default)]
    pub(super) paint_orders: Vec<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextBoxes {
    pub(super) layout_index: Vec<usize>,
    pub(super) bounds: Vec<[f32; 4]>,
    pub(super) start: Vec<u32>,
    pub(super) length: Vec<u32>,
}

#[derive(Deserialize)]
struct Response<T> {
    result: Option<T>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    message: String,
}

/// Parses the result in a response.
pub(super) fn parsed<'a, T: Deserialize<'a>>(
    text: &'a str,
    method: &str,
) -> Result<T, RenderError> {
    let unusable = |cause: String| {
        RenderError::Crash(format!(
            "the browser's answer to {method} is unusable: {cause}"
        ))
    };
    let response: Response<T> =
        serde_json::from_str(text).map_err(|error| unusable(error.to_string()))?;
    match (response.result, response.error) {
        (_, Some(refusal)) => Err(RenderError::Crash(format!(
            "the browser refuses {method}: {}",
            refusal.message
        ))),
        (Some(result), None) => Ok(result),
        (None, None) => Err(unusable("it is empty".to_owned())),
    }
}

pub(super) const SCREENSHOT: &str = "Page.captureScreenshot";

/// Builds the parameters of a picture of an area of the page. `screen_scale` is the number of
/// screen pixels per CSS pixel.
pub(super) fn screenshot_params(area: Area, beyond_viewport: bool, screen_scale: f64) -> Value {
    let Area {
        left,
        top,
        width,
        height,
    } = area;
    json!({
        "format": "png",
        "optimizeForSpeed": true,
        "captureBeyondViewport": beyond_viewport,
        "clip": { "x": left, "y": top, "width": width, "height": height, "scale": 1.0 / screen_scale },
    })
}

/// Extracts the PNG from a response.
pub(super) fn screenshot_png(response: &str, step: &'static str) -> Result<Vec<u8>, RenderError> {
    #[derive(Deserialize)]
    struct Screenshot<'a> {
        #[serde(borrow)]
        data: &'a str,
    }
    let screenshot: Screenshot = parsed(response, SCREENSHOT)?;
    base64::engine::general_purpose::STANDARD
        .decode(screenshot.data)
        .map_err(|error| RenderError::Crash(format!("{step} is unusable: {error}")))
}
