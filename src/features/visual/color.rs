//! Distance of colors, and contrast of text with its background, for `layout`.

/// Distance in RGB relative to the largest, 0 to 1.
pub(super) fn color_distance(a: [u8; 3], b: [u8; 3]) -> f32 {
    let square: f32 = a.iter().zip(&b).map(|(&a, &b)| (f32::from(a) - f32::from(b)).powi(2)).sum();
    (square / 3.0).sqrt() / 255.0
}

/// Relative luminance by WCAG 2, 0 to 1.
fn luminance(color: [u8; 3]) -> f32 {
    let linear = color.map(|channel| {
        let value = f32::from(channel) / 255.0;
        if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

/// Logarithm of the contrast ratio by WCAG 2, relative to that of black and white, 0 to 1.
pub(super) fn contrast(text: [u8; 4], ground: [u8; 3]) -> f32 {
    let alpha = f32::from(text[3]) / 255.0;
    let mut seen = ground;
    for (channel, &color) in seen.iter_mut().zip(&text) {
        *channel = (f32::from(*channel) * (1.0 - alpha) + f32::from(color) * alpha).round() as u8;
    }
    let (a, b) = (luminance(seen) + 0.05, luminance(ground) + 0.05);
    ((a.max(b) / a.min(b)).ln() / 21f32.ln()).clamp(0.0, 1.0)
}
