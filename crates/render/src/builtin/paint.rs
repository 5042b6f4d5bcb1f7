//! Paints the page with its glyphs, pictures and colors, for people to look at.
//!
//! Features are measured on the image of `sketch`, which takes a twentieth of the time and gives
//! equally good results; see FIDELITY.md.

use anyrender::recording::RenderCommand;
use anyrender::{ImageRenderer, PaintScene, Scene, render_to_buffer};
use anyrender_vello_cpu::VelloCpuImageRenderer;
use blitz_dom::BaseDocument;
use blitz_dom::node::{ImageData, RasterImageData, SpecialElementData};
use image::RgbImage;
use kurbo::Affine;
use std::sync::Arc;
use vclean_core::rendering::Area;

/// Largest picture that is replaced by a gray area, in pixels.
const MAX_GROUND_PIXELS: u64 = 4_000_000;
/// Gray level of that area.
const GROUND: u8 = 210;

/// Paints a laid out document on a white background.
pub(super) fn paint(document: &mut BaseDocument, [width, height]: [u32; 2]) -> RgbImage {
    make_paintable(document);
    rendered(
        |scene| blitz_paint::paint_scene(scene, document, 1.0, width, height, 0, 0),
        [width, height],
    )
}

/// Renders a drawing on a white background.
fn rendered(
    draw: impl FnOnce(&mut <VelloCpuImageRenderer as ImageRenderer>::ScenePainter<'_>),
    [width, height]: [u32; 2],
) -> RgbImage {
    let pixels = render_to_buffer::<VelloCpuImageRenderer, _>(draw, width, height);
    let mut image = RgbImage::new(width, height);
    for (pixel, rgba) in image.pixels_mut().zip(pixels.chunks_exact(4)) {
        // The colors are already multiplied by their opacity.
        let rest = 255 - rgba[3];
        pixel.0 = [rgba[0], rgba[1], rgba[2]].map(|value| value.saturating_add(rest));
    }
    image
}

/// Paints parts of a laid out document, each with all text and without any.
pub(super) fn with_and_without_text(
    document: &mut BaseDocument,
    [width, height]: [u32; 2],
    areas: &[Area],
) -> Vec<(RgbImage, RgbImage)> {
    make_paintable(document);
    let mut with = Scene::default();
    blitz_paint::paint_scene(&mut with, document, 1.0, width, height, 0, 0);
    let is_text = |command: &RenderCommand| matches!(command, RenderCommand::GlyphRun(_));
    let without = with
        .commands
        .iter()
        .filter(|command| !is_text(command))
        .cloned()
        .collect();
    let without = Scene {
        commands: without,
        ..with
    };
    let part = |scene: &Scene, area: &Area| {
        let to_origin = Affine::translate((-f64::from(area.left), -f64::from(area.top)));
        rendered(
            |painter| painter.append_scene(scene.clone(), to_origin),
            [area.width, area.height],
        )
    };
    areas
        .iter()
        .map(|area| (part(&with, area), part(&without, area)))
        .collect()
}

/// Replaces pictures of unknown content by a gray area; the painter needs the pixels of every
/// picture.
fn make_paintable(document: &mut BaseDocument) {
    let nodes: Vec<_> = document.tree().iter().map(|(id, _)| id).collect();
    for id in nodes {
        let Some(node) = document.get_node_mut(id) else {
            continue;
        };
        if let Some(inner) = node.subdoc_mut() {
            make_paintable(&mut inner.inner_mut());
            continue;
        }
        let Some(element) = node.element_data_mut() else {
            continue;
        };
        if let SpecialElementData::Image(picture) = &mut element.special_data {
            complete(picture);
        }
        for layer in element
            .background_images
            .iter_mut()
            .chain(element.mask_images.iter_mut())
            .flatten()
        {
            complete(&mut layer.image);
        }
    }
}

fn complete(picture: &mut ImageData) {
    let ImageData::Raster(raster) = &*picture else {
        return;
    };
    let (width, height) = (raster.width, raster.height);
    let pixels = u64::from(width) * u64::from(height);
    if raster.data.as_ref().len() as u64 == pixels * 4 {
        return;
    }
    // A missing picture has no bytes; see `tree`.
    let level = if raster.data.as_ref().is_empty() {
        0
    } else {
        GROUND
    };
    *picture = if pixels > MAX_GROUND_PIXELS {
        ImageData::None
    } else {
        ImageData::Raster(RasterImageData::new(
            width,
            height,
            Arc::new(vec![level; pixels as usize * 4]),
        ))
    };
}
