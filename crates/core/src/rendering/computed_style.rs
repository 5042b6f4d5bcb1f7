//! Converts computed styles from strings to a [`Style`], and fragments of text to lines. Chromium
//! and pages laid out by a reader's browser report both in the same form.

use crate::capture::{Display, LineBox, Position, Style, TextAlign};

/// The computed styles that are requested, in this order.
pub const COMPUTED_STYLES: &[&str] = &[
    "display",
    "position",
    "float",
    "visibility",
    "overflow-x",
    "overflow-y",
    "opacity",
    "font-size",
    "font-weight",
    "font-style",
    "color",
    "background-color",
    "background-image",
    "text-decoration-line",
    "text-align",
    "white-space-collapse",
    "direction",
    "border-top-width",
    "border-right-width",
    "border-bottom-width",
    "border-left-width",
    "padding-left",
    "padding-top",
];
/// Index of the first border style; the others follow.
pub const BORDER_TOP: usize = 17;
/// Index of the last border style.
pub const BORDER_LEFT: usize = 20;
/// Index of the left padding.
pub const PADDING_LEFT: usize = 21;
/// Index of the top padding.
pub const PADDING_TOP: usize = 22;

/// The style of an element; `value` returns its computed value at an index of [`COMPUTED_STYLES`].
pub fn computed_style<'a>(value: &impl Fn(usize) -> &'a str) -> Style {
    let clips = |value: &str| matches!(value, "hidden" | "clip" | "scroll" | "auto" | "overlay");
    let is_right_to_left = value(16) == "rtl";
    Style {
        display: Display::from_css(value(0)),
        position: Position::from_css(value(1)),
        is_float: !matches!(value(2), "none" | ""),
        is_visible: matches!(value(3), "visible" | ""),
        clips: clips(value(4)) || clips(value(5)),
        opacity: value(6).parse().unwrap_or(1.0),
        font_size_px: pixels(value(7)),
        font_weight: value(8)
            .parse::<f32>()
            .map_or(400, |weight| weight.clamp(1.0, 1000.0) as u16),
        is_italic: value(9).starts_with("italic") || value(9).starts_with("oblique"),
        color: color(value(10)).unwrap_or([0, 0, 0, 255]),
        background: color(value(11)).unwrap_or([0, 0, 0, 0]),
        has_background_image: !matches!(value(12), "none" | ""),
        is_underlined: value(13).contains("underline"),
        text_align: match value(14) {
            "center" | "-webkit-center" => TextAlign::Center,
            "justify" => TextAlign::Justify,
            "right" | "-webkit-right" => TextAlign::Right,
            "end" if !is_right_to_left => TextAlign::Right,
            "left" | "-webkit-left" | "end" => TextAlign::Left,
            _ => {
                if is_right_to_left {
                    TextAlign::Right
                } else {
                    TextAlign::Left
                }
            }
        },
        keeps_line_breaks: matches!(value(15), "preserve" | "preserve-breaks" | "break-spaces"),
        is_right_to_left,
        border_px: (BORDER_TOP..=BORDER_LEFT)
            .map(|side| pixels(value(side)))
            .sum(),
    }
}

/// A length in px; 0 if the value is not a length.
pub fn pixels(value: &str) -> f32 {
    value
        .trim_end_matches("px")
        .parse()
        .ok()
        .filter(|px: &f32| px.is_finite())
        .unwrap_or(0.0)
}

/// A computed color: `rgb(r, g, b)`, `rgba(r, g, b, a)` or `color(srgb r g b / a)`.
fn color(value: &str) -> Option<[u8; 4]> {
    let (name, arguments) = value.split_once('(')?;
    let numbers: Vec<f32> = arguments
        .trim_end_matches(')')
        .split([',', ' ', '/'])
        .filter(|part| !part.is_empty() && *part != "srgb")
        .map(|part| part.parse().unwrap_or(0.0))
        .collect();
    let scale = match name {
        "rgb" | "rgba" => 1.0,
        "color" if arguments.starts_with("srgb ") => 255.0,
        _ => return None,
    };
    let [red, green, blue] = [*numbers.first()?, *numbers.get(1)?, *numbers.get(2)?];
    let byte = |part: f32| part.round().clamp(0.0, 255.0) as u8;
    let alpha = numbers.get(3).copied().unwrap_or(1.0);
    Some([
        byte(red * scale),
        byte(green * scale),
        byte(blue * scale),
        byte(alpha * 255.0),
    ])
}

/// Data URLs in attributes are cut to this many bytes, because a capture stores pictures as pixels.
const MAX_DATA_URL_BYTES: usize = 256;

/// The value of an attribute in the form that captures store.
pub fn shortened(value: &str) -> Box<str> {
    if value.len() > MAX_DATA_URL_BYTES
        && value
            .get(..5)
            .is_some_and(|start| start.eq_ignore_ascii_case("data:"))
    {
        let end = value
            .find(',')
            .map_or(5, |comma| comma + 1)
            .min(MAX_DATA_URL_BYTES);
        return value.get(..end).unwrap_or("data:").into();
    }
    value.into()
}

/// Joins the fragments of a text node that are next to each other in one line, and adds the lines
/// to `lines`. Browsers split a line where white space collapsed or the direction changes.
pub fn joined_lines(fragments: impl Iterator<Item = LineBox>, lines: &mut Vec<LineBox>) {
    let first = lines.len();
    for LineBox {
        rect,
        start,
        length,
    } in fragments
    {
        if rect.is_empty() {
            continue;
        }
        if lines.len() > first
            && let Some(last) = lines.last_mut()
            && (last.rect.y - rect.y).abs() < 1.0
            && (last.rect.height - rect.height).abs() < 1.0
            && rect.x < last.rect.right() + rect.height
            && last.rect.x < rect.right() + rect.height
        {
            let end = (last.start + last.length).max(start + length);
            last.start = last.start.min(start);
            last.length = end - last.start;
            last.rect = last.rect.union(rect);
        } else {
            lines.push(LineBox {
                rect,
                start,
                length,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_read_in_every_notation() {
        assert_eq!(color("rgb(1, 2, 3)"), Some([1, 2, 3, 255]));
        assert_eq!(color("rgba(1, 2, 3, 0.5)"), Some([1, 2, 3, 128]));
        assert_eq!(color("color(srgb 1 0 0.2 / 0)"), Some([255, 0, 51, 0]));
        assert_eq!(color("oklch(1 0 0)"), None);
    }

    #[test]
    fn inline_data_is_cut() {
        assert_eq!(
            &*shortened(&format!("data:image/png;base64,{}", "A".repeat(1000))),
            "data:image/png;base64,"
        );
        assert_eq!(&*shortened("data:,x"), "data:,x");
    }
}
