//! Captures a page that another program has open, without loading anything, and then restores it.

use super::capturing::{Overlays, QUIET, capture_page, freeze, quiet, rows, scroll, to_top};
use super::connection::{Calls, PageConnection};
use super::pictures::KEEP;
use super::protocol::{SCREENSHOT, screenshot_params, screenshot_png};
use super::tab::{QUICK, Tab};
use crate::{RenderOptions, Timings};
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use vclean_core::capture::{Capture, Engine, Picture, Record};
use vclean_core::error::{RenderError, Warnings};
use vclean_core::rendering::Area;

/// Longest time to restore the page.
const RESTORE_LIMIT: Duration = Duration::from_secs(20);

/// The main frame of a page.
#[derive(Deserialize)]
struct Frame {
    id: String,
    url: String,
}

/// Size of the window that the page is displayed in, in CSS px.
#[derive(Deserialize)]
struct Screen {
    width: f64,
    height: f64,
}

/// Size of the test picture that determines the scale, in CSS px.
const PROBE_PX: u32 = 16;

/// Captures an open page. Its scripts are paused meanwhile, and everything that the capture changes
/// is restored: styles, style sheets, highlights, the scroll position and animations that run
/// forever; animations that end stay at their end. The pictures have the page's own viewport, and
/// one pixel for each CSS pixel.
///
/// # Errors
/// If the connection fails, the page exceeds a limit, or takes too long. The page is then restored
/// too, if the connection still works.
pub fn capture_open_page(
    connection: Box<dyn PageConnection>,
    options: &OpenPageOptions,
) -> Result<Capture, RenderError> {
    let mut tab = Tab::open(Calls::new(connection));
    let limit = Duration::from_millis(options.timeout_ms);
    tab.end_at(Instant::now() + limit, options.timeout_ms);
    let frame = main_frame(&mut tab)?;
    tab.events.frame.clone_from(&frame.id);
    let captured = capture(&mut tab, frame, options);
    tab.end_at(
        Instant::now() + RESTORE_LIMIT,
        RESTORE_LIMIT.as_millis() as u64,
    );
    let restored = restore(&mut tab);
    let capture = captured?;
    restored?;
    Ok(capture)
}

fn main_frame(tab: &mut Tab) -> Result<Frame, RenderError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Response {
        frame_tree: Tree,
    }
    #[derive(Deserialize)]
    struct Tree {
        frame: Frame,
    }
    let response: Response =
        tab.call("Page.getFrameTree", &json!({}), "finding the page", QUICK)?;
    Ok(response.frame_tree.frame)
}

fn capture(tab: &mut Tab, frame: Frame, options: &OpenPageOptions) -> Result<Capture, RenderError> {
    let mut warnings = Warnings::new();
    for method in ["DOM.enable", "DOMSnapshot.enable"] {
        tab.setting(method, &json!({}))?;
    }
    let world = tab.world(&frame.id)?;
    let screen: Screen = tab.function(
        world,
        KEEP,
        &[json!({ "value": "begin" })],
        "looking at the page",
        QUICK,
    )?;
    tab.keep_changes_of(world);
    tab.screen_scale = picture_scale(tab)?;
    let viewport_px = [screen.width, screen.height].map(|size| size.clamp(1.0, 20_000.0) as u32);
    let rendering = RenderOptions {
        viewport_px,
        settle_ms: options.settle_ms,
        ..RenderOptions::default()
    };

    let settle_deadline = |begin: Instant| begin + Duration::from_millis(options.settle_ms);
    quiet(tab, world, settle_deadline(Instant::now()), QUIET)?;
    if options.scroll {
        scroll(tab, world, &rendering, settle_deadline(Instant::now()))?;
        quiet(tab, world, settle_deadline(Instant::now()), QUIET)?;
    } else {
        // Elements that are fixed to the viewport belong to the top of the page.
        to_top(tab, world)?;
    }
    tab.set_scripts(false)?;
    rows(tab, world, "restore")?;
    freeze(tab, world, true)?;
    let mut overlays = Overlays::default();
    overlays.lift(tab, world)?;
    overlays.warn(&mut warnings);
    let (converted, pictures) = capture_page(
        tab,
        world,
        true,
        &rendering,
        &mut Timings::default(),
        &mut warnings,
    )?;
    let record = Record {
        input: frame.url.clone(),
        url: Some(frame.url).filter(|url| !url.starts_with("about:")),
        final_url: None,
        captured_at_s: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .ok()
            .map(|age| age.as_secs()),
        engine: Engine::Chromium,
        browser: browser(tab),
        viewport_px: Some(viewport_px),
        fonts: Vec::new(),
        warnings,
    };
    Ok(Capture {
        record,
        dom: converted.dom,
        layout: Some(converted.layout),
        pictures: Some(pictures),
    })
}

/// Measures the number of picture pixels per CSS pixel. High-density screens have several, and
/// pictures have them or not depending on how the browser is emulated.
fn picture_scale(tab: &mut Tab) -> Result<f64, RenderError> {
    const STEP: &str = "trying a picture";
    let probe = Area {
        left: 0,
        top: 0,
        width: PROBE_PX,
        height: PROBE_PX,
    };
    let text = tab.call_text(
        SCREENSHOT,
        &screenshot_params(probe, true, 1.0),
        STEP,
        QUICK,
    )?;
    let picture = Picture::from_png(screenshot_png(&text, STEP)?).decode_rgb();
    let picture = picture.map_err(|error| RenderError::Crash(format!("{STEP} failed: {error}")))?;
    Ok(f64::from(picture.width()) / f64::from(PROBE_PX))
}

/// Returns the browser's product and version, if the connection reports them.
fn browser(tab: &mut Tab) -> Option<String> {
    let version: Value = tab
        .call(
            "Browser.getVersion",
            &json!({}),
            "asking for the version",
            QUICK,
        )
        .ok()?;
    version["product"].as_str().map(str::to_owned)
}

/// Restores the page. All steps are tried, and the first error is returned.
fn restore(tab: &mut Tab) -> Result<(), RenderError> {
    let mut result = Ok(());
    for world in tab.take_changed_worlds() {
        let restored = tab.function::<bool>(
            world,
            KEEP,
            &[json!({ "value": "restore" })],
            "restoring the page",
            QUICK,
        );
        result = result.and(restored.map(drop));
    }
    result.and(tab.set_scripts(true))
}

/// Options for capturing an open page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenPageOptions {
    /// Set to scroll through the page once, so that lazily loaded content is loaded. The page is
    /// scrolled back.
    pub scroll: bool,
    /// Time limit for the page to become stable, in ms; a page that is still changing then is
    /// captured as it is.
    pub settle_ms: u64,
    /// Time limit for the whole capture, in ms.
    pub timeout_ms: u64,
}

impl Default for OpenPageOptions {
    fn default() -> Self {
        Self {
            scroll: true,
            settle_ms: 3_000,
            timeout_ms: 60_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Simulates a page that its user closes after some calls; records the methods.
    struct Closing {
        calls_left: usize,
        called: Arc<Mutex<Vec<String>>>,
    }

    impl PageConnection for Closing {
        fn call(&mut self, method: &str, _params: &str) -> Result<String, String> {
            self.called.lock().unwrap().push(method.to_owned());
            self.calls_left = self
                .calls_left
                .checked_sub(1)
                .ok_or("the page was closed")?;
            Ok(match method {
                "Page.getFrameTree" => {
                    r#"{"frameTree":{"frame":{"id":"F","url":"https://a.example/"}}}"#.to_owned()
                }
                "Page.createIsolatedWorld" => r#"{"executionContextId":7}"#.to_owned(),
                "Runtime.callFunctionOn" => {
                    r#"{"result":{"value":{"width":1280,"height":1024}}}"#.to_owned()
                }
                _ => "{}".to_owned(),
            })
        }
    }

    fn close_after(calls_left: usize) -> (String, Vec<String>) {
        let called = Arc::default();
        let connection = Box::new(Closing {
            calls_left,
            called: Arc::clone(&called),
        });
        let error = capture_open_page(connection, &OpenPageOptions::default())
            .unwrap_err()
            .to_string();
        let called = called.lock().unwrap().clone();
        (error, called)
    }

    #[test]
    fn a_page_that_is_closed_is_an_error_with_the_cause() {
        let (error, called) = close_after(0);
        assert!(error.contains("the page was closed"), "{error}");
        assert_eq!(called, ["Page.getFrameTree"]);
    }

    #[test]
    fn a_page_is_put_back_also_after_an_error() {
        let (error, called) = close_after(5);
        assert!(error.contains("the page was closed"), "{error}");
        // The test picture fails, then the page is restored.
        assert_eq!(
            called[5..],
            ["Page.captureScreenshot", "Runtime.callFunctionOn"]
        );
    }
}
