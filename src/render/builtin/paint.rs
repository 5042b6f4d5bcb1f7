//! The page image painted: letters, pictures and colors as a reader would see them, for people to look at.
//!
//! The features are as good from the drawn page (`ink`), which takes a tenth of the time; see MODELS.md.

use anyrender::render_to_buffer;
use anyrender_vello_cpu::VelloCpuImageRenderer;
use blitz_dom::BaseDocument;
use image::RgbImage;

/// Paints a document that is laid out, on white.
pub(super) fn paint(document: &mut BaseDocument, [width, height]: [u32; 2]) -> RgbImage {
    let draw = |scene: &mut _| blitz_paint::paint_scene(scene, document, 1.0, width, height, 0, 0);
    let pixels = render_to_buffer::<VelloCpuImageRenderer, _>(draw, width, height);
    let mut image = RgbImage::new(width, height);
    for (pixel, rgba) in image.pixels_mut().zip(pixels.chunks_exact(4)) {
        // Colors are multiplied by their opacity already.
        let rest = 255 - rgba[3];
        pixel.0 = [rgba[0], rgba[1], rgba[2]].map(|value| value.saturating_add(rest));
    }
    image
}
