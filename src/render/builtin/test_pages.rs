//! Renders small pages for the tests of the engine, and looks at the captures.

use super::Builtin;
use crate::capture::{Capture, CssRect, NodeId, NodeMask};
use crate::error::RenderError;
use crate::page::{Body, Page};
use crate::render::options::RenderOptions;
use crate::render::rendered::Rendered;
use image::GrayImage;
use std::sync::Arc;

/// The engine with the options of its pages.
pub(super) struct TestEngine {
    engine: Builtin,
    options: RenderOptions,
}

impl TestEngine {
    pub(super) fn new(options: RenderOptions) -> Self {
        Self { engine: Builtin::new(), options }
    }

    pub(super) fn render(&self, page: &Page) -> Result<Rendered, RenderError> {
        self.engine.render_with(page, &self.options)
    }
}

pub(super) fn engine() -> TestEngine {
    TestEngine::new(RenderOptions { page_timeout_ms: 30_000, ..RenderOptions::default() })
}

pub(super) fn page(body: Body) -> Page {
    Page::new("page", body)
}

pub(super) fn render(html: &str) -> Capture {
    engine().render(&page(Body::html(html))).unwrap().capture
}

/// The first element or text node with this name.
pub(super) fn find(capture: &Capture, name: &str) -> NodeId {
    let is_it = |id: &NodeId| {
        capture.dom.tag(*id) == name
            || capture.dom.attribute(*id, "id") == Some(name)
            || capture.dom.text(*id).is_some_and(|text| text.trim() == name)
    };
    capture.dom.ids().find(is_it).unwrap_or_else(|| panic!("no {name}"))
}

pub(super) fn rect(capture: &Capture, name: &str) -> CssRect {
    capture.layout.as_ref().unwrap().rect(find(capture, name)).unwrap_or_else(|| panic!("{name} has no box"))
}

pub(super) fn mask(capture: &Capture) -> NodeMask {
    NodeMask::decode(&capture.pictures.as_ref().unwrap().mask).unwrap()
}

pub(super) fn image(capture: &Capture) -> Arc<GrayImage> {
    capture.pictures.as_ref().unwrap().screenshot.decode_gray().unwrap()
}

/// Number of pixels that a text owns.
pub(super) fn owned(capture: &Capture, text: &str) -> usize {
    let id = find(capture, text).index() as u32;
    mask(capture).owners().iter().filter(|&&owner| owner == id).count()
}
