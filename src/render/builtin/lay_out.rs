//! Lays out one page, draws it and reads its boxes. Runs on a worker thread.

use super::frames::{FrameBudget, MAX_LOADED_DEPTH};
use super::resources::{ResourceLocation, Resources};
use super::size_limits::MAX_NODES;
use super::tree::BuiltPage;
use super::{boxes, fonts, frame_sets, frames, paint, roots, showing, tables, tree};
use crate::capture::{Dom, Layout, Picture, Pictures};
use crate::error::{RenderError, WarningKind, Warnings};
use crate::render::rendered::Timings;
use std::sync::Arc;
use std::time::Instant;
use url::Url;

/// The input of a worker thread for one page.
pub(super) struct LayoutJob {
    pub(super) dom: Dom,
    pub(super) base: Url,
    pub(super) location: ResourceLocation,
    pub(super) viewport_px: [u32; 2],
    pub(super) max_height_px: u32,
    pub(super) is_painted: bool,
}

/// The output of a worker thread for one page.
pub(super) struct LayoutResult {
    pub(super) dom: Dom,
    pub(super) layout: Layout,
    pub(super) pictures: Pictures,
    pub(super) warnings: Warnings,
    pub(super) timings: Timings,
}

/// Computes styles and layout of a page and its frames. Returns warnings.
fn resolve(built: &mut BuiltPage) -> Warnings {
    let document = &mut built.document;
    // What depends on styles only is changed before the first layout, which takes most of the time.
    document.resolve_stylist(0.0);
    let warnings = roots::show(document);
    tables::mend(document, &mut built.origins);
    document.resolve(0.0);
    // The size of a frame is known only now, and so are the styles of the document in it.
    if tables::mend_frames(document, &mut built.origins) > 0 {
        document.resolve(0.0);
    }
    if frame_sets::grow(document) {
        document.resolve(0.0);
    }
    warnings
}

/// Lays out a page, and again with the documents of its visible frames until no more are found. `lap` measures the time
/// of a step.
fn lay_out_with_frames(
    mut dom: Dom,
    base: &Url,
    context: &tree::BuildContext<'_>,
    timings: &mut Timings,
    lap: &mut impl FnMut() -> f64,
) -> Result<(Dom, BuiltPage, Warnings), RenderError> {
    let mut budget = FrameBudget::new(MAX_NODES.saturating_sub(dom.len()));
    let mut depth = 0;
    loop {
        let mut built = tree::build(&dom, base, context);
        if built.document.try_root_element().is_none() {
            return Err(RenderError::Load("the page has no element to lay out".to_owned()));
        }
        timings.navigate_ms += lap();
        let warnings = resolve(&mut built);
        timings.snapshot_ms += lap();
        let mut with_frames = None;
        while with_frames.is_none() && depth < MAX_LOADED_DEPTH {
            let visible = frames::visible(&built.document, &built.origins);
            with_frames = frames::load(&dom, base, context.resources, &visible, depth, &mut budget);
            depth += 1;
        }
        let Some(with_frames) = with_frames else { return Ok((dom, built, warnings)) };
        dom = with_frames;
        context.resources.reset();
    }
}

pub(super) fn lay_out(job: LayoutJob) -> Result<LayoutResult, RenderError> {
    let LayoutJob { dom, base, location, viewport_px, max_height_px, is_painted } = job;
    let mut timings = Timings::default();
    let mut step = Instant::now();
    let mut lap = || {
        let ms = step.elapsed().as_secs_f64() * 1000.0;
        step = Instant::now();
        ms
    };
    let resources = Arc::new(Resources::new(location, is_painted));
    let fonts = fonts::context(&dom);
    let context = tree::BuildContext { resources: &resources, fonts: &fonts, viewport_px };
    let (dom, mut built, mut warnings) = lay_out_with_frames(dom, &base, &context, &mut timings, &mut lap)?;
    let boxes = boxes::read(&dom, &built, viewport_px);
    warnings.extend(resources.warnings());
    if boxes.missing_letters > 0 {
        let missing = match boxes.missing_letters {
            1 => "1 letter is in no installed font; its width is an estimate".to_owned(),
            count => format!("{count} letters are in no installed font; their widths are estimates"),
        };
        let text = format!("{missing}, install fonts for the page's script");
        warnings.add(WarningKind::MissingFont, text);
    }
    let (mut layout, sketch, size) = boxes.layout(&dom, viewport_px, max_height_px);
    if layout.page_height_px.ceil() > size[1] as f32 {
        let text = format!("the page is {:.0} px tall; the pictures end at {} px", layout.page_height_px, size[1]);
        warnings.add(WarningKind::TooTall, text);
    }
    timings.convert_ms = lap();
    let (image, mask) = sketch.draw(size);
    timings.screenshot_ms = lap();
    let found = showing::decide(&dom, &layout, &sketch, &mask, &mut built);
    layout.set_visibility(found);
    timings.showing_ms = lap();
    let painted = is_painted.then(|| Picture::from_rgb(paint::paint(&mut built.document, size)));
    timings.paint_ms = lap();
    drop(built);
    let pictures = Pictures { painted, ..Pictures::new(Picture::from_gray(image), Picture::from_mask(mask)) };
    Ok(LayoutResult { dom, layout, pictures, warnings, timings })
}
