//! The engine inside the program: lays saved pages out without a browser, in process. The only user of Blitz.
//!
//! `tree` plants the page in the engine, `resources` answers what it asks for, `boxes` reads boxes, styles and lines off
//! its layout (`texts` knows whose each letter is, `style` what a computed style says), `ink` draws the page image and
//! the node mask. Scripts never run. Everything happens on a thread of its own (`threads`), which a page cannot hold for longer
//! than its time, and whose panics are that page's error.

mod boxes;
mod fonts;
mod ink;
mod paint;
mod pictures;
mod places;
mod resources;
mod sheets;
mod style;
mod tables;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
mod texts;
mod threads;
mod tree;

use super::{RenderOptions, Rendered, Timings};
use crate::capture::{Capture, Dom, Engine, Layout, NodeId, Picture, Pictures, Record};
use crate::error::RenderError;
use crate::html::MAX_OPEN;
use crate::net;
use crate::source;
use crate::source::{Beside, Body, Page};
use resources::{NOWHERE, Place, Resources};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use threads::Threads;
use url::Url;

/// Name and version of the engine, as captures state it.
const VERSION: &str = "Blitz/0.3.0-beta.4";
/// Most nodes of a page; the engine takes some 3 kB for each.
const MAX_NODES: usize = 200_000;
/// Most bytes of text of a page; the engine takes some 120 for each.
const MAX_TEXT_BYTES: usize = 4 << 20;
/// Stack of a page's thread: the engine goes down the tree by calling itself, some 30 kB a level.
const STACK_BYTES: usize = 64 * 1024 * (MAX_OPEN + 64);

/// Renders pages without a browser. Threads share it.
pub(super) struct Builtin {
    options: RenderOptions,
    threads: Threads,
}

/// What a page's thread is given.
struct Job {
    dom: Dom,
    base: Url,
    place: Place,
    viewport_px: [u32; 2],
    max_height_px: u32,
    is_painted: bool,
}

/// What it gives back.
struct Laid {
    dom: Dom,
    layout: Layout,
    pictures: Pictures,
    warnings: Vec<String>,
    timings: Timings,
}

impl Builtin {
    pub(super) fn new(options: RenderOptions) -> Self {
        Self { options, threads: Threads::new(STACK_BYTES) }
    }

    /// Renders a saved page.
    ///
    /// # Errors
    /// What `source` says of a damaged page; [`RenderError::Limit`] for one that is too large, [`RenderError::TimeOut`]
    /// for one that takes too long, [`RenderError::Crash`] where the engine fails on it, [`RenderError::Engine`] where no
    /// font is installed.
    pub(super) fn render(&self, page: &Page) -> Result<Rendered, RenderError> {
        let began = Instant::now();
        let (Capture { mut record, dom, .. }, parts) = match &page.body {
            Body::Html { html, beside } => {
                let html = net::without_refresh(&sheets::without_scripts(html));
                let body = Body::Html { html, beside: beside.clone() };
                source::parse_with_parts(&Page { body, ..page.clone() })?
            }
            Body::Mhtml(_) => source::parse_with_parts(page)?,
            Body::Address(_) => {
                return Err(RenderError::Load(
                    "the built-in engine fetches nothing; save the page first, or use --engine chromium".to_owned(),
                ));
            }
            Body::Capture(_) => {
                return Err(RenderError::Load("a capture is rendered already; clean it as it is".to_owned()));
            }
        };
        if fonts::are_missing() {
            return Err(RenderError::Engine(
                "no font is installed, so no text can be laid out; install one, such as the package fonts-liberation"
                    .to_owned(),
            ));
        }
        if dom.len() > MAX_NODES {
            return Err(RenderError::Limit(format!(
                "the page has {} nodes, more than the {MAX_NODES} that the built-in engine takes; use --engine chromium",
                dom.len()
            )));
        }
        let text_bytes: usize = dom.ids().filter_map(|id| shown_text(&dom, id)).map(str::len).sum();
        if text_bytes > MAX_TEXT_BYTES {
            return Err(RenderError::Limit(format!(
                "the page has {} MB of text, more than the {} that the built-in engine takes; use --engine chromium",
                text_bytes >> 20,
                MAX_TEXT_BYTES >> 20
            )));
        }
        let (place, base) = match &page.body {
            Body::Html { beside: Beside::Folder(folder), .. } => {
                let folder = if folder.as_os_str().is_empty() { ".".into() } else { folder.clone() };
                (folder.canonicalize().map_or(Place::Nothing, Place::Folder), None)
            }
            Body::Html { beside: Beside::Archive(archive), .. } => {
                record.warnings.extend(archive.prepare());
                (Place::Archive(Arc::clone(archive)), record.url.clone())
            }
            Body::Mhtml(_) => (Place::Parts(parts), record.url.clone()),
            _ => (Place::Nothing, record.url.clone()),
        };
        let nowhere = || Url::parse(NOWHERE).expect("it is an address");
        let base =
            base.and_then(|url| Url::parse(&url).ok()).filter(|url| !url.cannot_be_a_base()).unwrap_or_else(nowhere);
        let RenderOptions { viewport_px, max_height_px, page_timeout_ms, paint: is_painted, .. } = self.options;
        let viewport_px = viewport_px.map(|px| px.clamp(1, 16_384));
        let job = Job { dom, base, place, viewport_px, max_height_px, is_painted };
        let parsed_ms = began.elapsed().as_secs_f64() * 1000.0;
        let Laid { dom, layout, pictures, warnings, mut timings } = self.threads.run(job, page_timeout_ms)?;
        timings.navigate_ms += parsed_ms;
        timings.total_ms = began.elapsed().as_secs_f64() * 1000.0;
        record.warnings.extend(warnings);
        let record = Record {
            captured_at_s: SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|age| age.as_secs()),
            engine: Engine::Builtin,
            browser: Some(VERSION.to_owned()),
            viewport_px: Some(viewport_px),
            fonts: fonts::families(),
            ..record
        };
        Ok(Rendered { capture: Capture { record, dom, layout: Some(layout), pictures: Some(pictures) }, timings })
    }
}

/// The text of a text node that the engine is given as such.
fn shown_text(dom: &Dom, id: NodeId) -> Option<&str> {
    let holder = dom.parent(id).map_or("", |parent| dom.tag(parent));
    dom.text(id).filter(|_| !matches!(holder, "script" | "style" | "noscript" | "template"))
}

fn lay_out(job: Job) -> Result<Laid, RenderError> {
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
        warnings.push(format!(
            "the page is {:.0} px tall; the pictures end at {} px (--max-height)",
            layout.page_height_px, size[1]
        ));
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
