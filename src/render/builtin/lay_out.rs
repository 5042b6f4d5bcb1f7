//! Lays one page out, draws it and reads its boxes: what the thread of a page does.

use super::resources::{Place, Resources};
use super::{boxes, fonts, paint, tables, tree};
use crate::capture::{Dom, Layout, NodeId, Picture, Pictures};
use crate::error::RenderError;
use crate::render::rendered::Timings;
use std::sync::Arc;
use std::time::Instant;
use url::Url;

/// What a page's thread is given.
pub(super) struct Job {
    pub(super) dom: Dom,
    pub(super) base: Url,
    pub(super) place: Place,
    pub(super) viewport_px: [u32; 2],
    pub(super) max_height_px: u32,
    pub(super) is_painted: bool,
}

/// What it gives back.
pub(super) struct Laid {
    pub(super) dom: Dom,
    pub(super) layout: Layout,
    pub(super) pictures: Pictures,
    pub(super) warnings: Vec<String>,
    pub(super) timings: Timings,
}

/// The text of a text node that the engine is given as such.
pub(super) fn shown_text(dom: &Dom, id: NodeId) -> Option<&str> {
    let holder = dom.parent(id).map_or("", |parent| dom.tag(parent));
    dom.text(id).filter(|_| !matches!(holder, "script" | "style" | "noscript" | "template"))
}

pub(super) fn lay_out(job: Job) -> Result<Laid, RenderError> {
    let Job { dom, base, place, viewport_px, max_height_px, is_painted } = job;
    let mut timings = Timings::default();
    let mut step = Instant::now();
    let mut lap = || {
        let ms = step.elapsed().as_secs_f64() * 1000.0;
        step = Instant::now();
        ms
    };
    let resources = Arc::new(Resources::new(place, is_painted));
    let fonts = fonts::context();
    let setting = tree::Setting { resources: &resources, fonts: &fonts, viewport_px };
    let mut planted = tree::plant(&dom, &base, &setting);
    if planted.document.try_root_element().is_none() {
        return Err(RenderError::Load("the page has no element to lay out".to_owned()));
    }
    timings.navigate_ms = lap();
    planted.document.resolve(0.0);
    if tables::mend(&mut planted.document) > 0 {
        planted.document.resolve(0.0);
    }
    timings.snapshot_ms = lap();
    let boxes = boxes::read(&dom, &planted, viewport_px);
    let mut warnings = resources.warnings();
    if boxes.missing_letters > 0 {
        let told = format!("{} letters are in no font that is installed here", boxes.missing_letters);
        warnings.push(format!("{told}; their widths are guesses, install fonts for the page's script"));
    }
    let (layout, sketch, size) = boxes.layout(&dom, viewport_px, max_height_px);
    if layout.page_height_px.ceil() > size[1] as f32 {
        warnings.push(format!("the page is {:.0} px tall; the pictures end at {} px", layout.page_height_px, size[1]));
    }
    timings.convert_ms = lap();
    let (image, mask) = sketch.draw(size);
    timings.screenshot_ms = lap();
    let painted = is_painted.then(|| Picture::from_rgb(paint::paint(&mut planted.document, size)));
    timings.paint_ms = lap();
    drop(planted);
    let pictures = Pictures { painted, ..Pictures::new(Picture::from_gray(image), Picture::from_mask(mask)) };
    Ok(Laid { dom, layout, pictures, warnings, timings })
}
