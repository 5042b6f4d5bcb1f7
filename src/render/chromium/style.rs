//! Computed styles: the list requested from the browser, and the conversion of their text to a [`Style`].
//!
//! `snapshot` stores each style once in a [`StyleTable`] while it walks the tree.

use crate::capture::{Display, Position, Style, TextAlign};
use std::collections::HashMap;

/// The requested computed styles, in this order.
pub(super) const STYLES: &[&str] = &[
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
pub(super) const BORDER_TOP: usize = 17;
pub(super) const BORDER_LEFT: usize = 20;
pub(super) const PADDING_LEFT: usize = 21;
pub(super) const PADDING_TOP: usize = 22;

/// Computed styles, each stored once; most nodes of a page share theirs.
#[derive(Default)]
pub(super) struct StyleTable {
    pub(super) known: HashMap<Vec<i32>, usize>,
    pub(super) styles: Vec<Style>,
}

impl StyleTable {
    pub(super) fn number<'a>(&mut self, values: &[i32], string: &impl Fn(i32) -> &'a str) -> usize {
        if let Some(&known) = self.known.get(values) {
            return known;
        }
        self.styles.push(parse_style(&|which| values.get(which).map_or("", |&value| string(value))));
        self.known.insert(values.to_vec(), self.styles.len() - 1);
        self.styles.len() - 1
    }
}

fn parse_style<'a>(value: &impl Fn(usize) -> &'a str) -> Style {
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
        font_weight: value(8).parse::<f32>().map_or(400, |weight| weight.clamp(1.0, 1000.0) as u16),
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
        border_px: (BORDER_TOP..=BORDER_LEFT).map(|side| pixels(value(side))).sum(),
    }
}

pub(super) fn pixels(value: &str) -> f32 {
    value.trim_end_matches("px").parse().ok().filter(|px: &f32| px.is_finite()).unwrap_or(0.0)
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
    Some([byte(red * scale), byte(green * scale), byte(blue * scale), byte(alpha * 255.0)])
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
}
