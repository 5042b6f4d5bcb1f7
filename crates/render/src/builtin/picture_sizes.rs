//! Sizes of pictures, read from their headers without decoding them.

use std::collections::BTreeSet;
use std::fmt::Write;
use vclean_core::capture::{Dom, NodeId};

/// Largest accepted width or height, in px.
const MAX_SIDE_PX: u32 = 20_000;
/// Side of the icon of a missing picture, and the width of a letter of the text next to it, in px,
/// as in a browser.
const ICON_PX: f32 = 16.0;
const LETTER_PX: f32 = 7.5;
/// Largest width of an alternative text that is taken as one line, in px.
const MAX_ALT_PX: f32 = 600.0;
/// Maximum number of different sizes of inline drawings in a page.
const MAX_DRAWINGS: usize = 500;

/// Returns width and height of a picture in CSS px, for any usual format; `None` if the bytes are
/// not a picture.
pub(super) fn picture_size(bytes: &[u8]) -> Option<[u32; 2]> {
    let size = match imagesize::blob_size(bytes) {
        Ok(size) => [size.width as u32, size.height as u32],
        Err(_) => drawing_size(bytes)?,
    };
    (size[0] > 0 && size[1] > 0 && size[0] <= MAX_SIDE_PX && size[1] <= MAX_SIDE_PX).then_some(size)
}

/// Returns the size of an SVG file: the size that its root element declares, or a default size with
/// the ratio of its `viewBox`.
fn drawing_size(bytes: &[u8]) -> Option<[u32; 2]> {
    const HEAD_BYTES: usize = 4096;
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES)]);
    let from = head.find("<svg")?;
    let tag = &head[from..from + head[from..].find('>')?];
    let value = |name: &str| {
        let at = tag
            .find(&format!(" {name}="))
            .or_else(|| tag.find(&format!("\n{name}=")))?
            + name.len()
            + 2;
        let rest = &tag[at..];
        let quote = rest
            .chars()
            .next()
            .filter(|quote| matches!(quote, '"' | '\''))?;
        rest[1..].split(quote).next()
    };
    let ratio = value("viewBox").and_then(view_box);
    let side = |name: &str| value(name).and_then(px);
    match (side("width"), side("height"), ratio) {
        (Some(width), Some(height), _) => Some([width as u32, height as u32]),
        (Some(width), None, Some([w, h])) => Some([width as u32, (width * h / w) as u32]),
        (None, Some(height), Some([w, h])) => Some([(height * w / h) as u32, height as u32]),
        (None, None, Some([w, h])) => Some([300, (300.0 * h / w) as u32]),
        _ => Some([300, 150]),
    }
}

/// Parses a length without a unit or in px.
fn px(value: &str) -> Option<f32> {
    value
        .trim()
        .trim_end_matches("px")
        .parse()
        .ok()
        .filter(|px: &f32| px.is_finite() && *px > 0.0)
}

/// Parses a length in px; units that depend on the font use the default font size.
fn length_px(value: &str) -> Option<f32> {
    const TEXT_PX: f32 = 16.0;
    const UNITS: [(&str, f32); 4] = [
        ("rem", TEXT_PX),
        ("em", TEXT_PX),
        ("ex", TEXT_PX / 2.0),
        ("pt", 4.0 / 3.0),
    ];
    let unit = UNITS
        .iter()
        .find_map(|(unit, scale)| Some((value.trim().strip_suffix(unit)?, scale)));
    match unit {
        Some((number, scale)) => px(number).map(|number| number * scale),
        None => px(value),
    }
}

/// Returns width and height of a `viewBox`.
fn view_box(value: &str) -> Option<[f32; 2]> {
    let mut numbers = value
        .split([' ', ',', '\n', '\t'])
        .filter(|part| !part.is_empty())
        .map(str::parse::<f32>);
    let (width, height) = (numbers.nth(2)?.ok()?, numbers.next()?.ok()?);
    (width > 0.0 && height > 0.0 && width.is_finite() && height.is_finite())
        .then_some([width, height])
}

/// Returns the size that the page itself declares for a picture. For an inline drawing: the size of
/// its attributes or the ratio of its `viewBox`. For an `img` with both attributes and no
/// alternative text: this size, because browsers reserve it even if the picture is missing.
/// Otherwise the size of the alternative text.
pub(super) fn declared_size(dom: &Dom, id: NodeId) -> Option<[u32; 2]> {
    let side = |name: &str| dom.attribute(id, name).and_then(length_px);
    let size = match dom.tag(id) {
        "img" => match dom
            .attribute(id, "alt")
            .map(|text| text.trim().chars().count())
        {
            None => [side("width")?, side("height")?],
            Some(0) => return None,
            Some(letters) => [
                (ICON_PX + LETTER_PX * letters as f32).min(MAX_ALT_PX),
                ICON_PX,
            ],
        },
        "svg" => match (
            side("width"),
            side("height"),
            dom.attribute(id, "viewbox").and_then(view_box),
        ) {
            (Some(width), Some(height), _) => [width, height],
            (Some(width), None, Some([w, h])) => [width, width * h / w],
            (None, Some(height), Some([w, h])) => [height * w / h, height],
            (None, None, Some([w, h])) => [300.0, 300.0 * h / w],
            _ => [300.0, 150.0],
        },
        _ => return None,
    };
    let size = size.map(|px| px.round() as u32);
    size.iter()
        .all(|px| (1..=MAX_SIDE_PX).contains(px))
        .then_some(size)
}

/// Builds CSS rules that give inline drawings the size that their attributes declare; all rules of
/// the page override them.
pub(super) fn svg_rules(dom: &Dom, root: NodeId) -> String {
    let mut rules = String::new();
    let mut seen = BTreeSet::new();
    for id in dom.descendants(root).filter(|&id| dom.tag(id) == "svg") {
        let attribute = |name: &str| {
            dom.attribute(id, name)
                .filter(|value| !value.contains(['"', '\\', '\n']))
        };
        let (width, height, drawn) = (
            attribute("width"),
            attribute("height"),
            attribute("viewbox"),
        );
        if !seen.insert((width, height, drawn)) || seen.len() > MAX_DRAWINGS {
            continue;
        }
        let length = |value: &str| {
            if let Some(px) = px(value) {
                return Some(format!("{px}px"));
            }
            let unit = value.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            (unit.len() < value.len() && matches!(unit, "em" | "rem" | "%" | "ex" | "vw" | "pt"))
                .then(|| value.to_owned())
        };
        let (w, h) = (width.and_then(length), height.and_then(length));
        let ratio = drawn.and_then(view_box);
        let mut selector = String::from("svg");
        for (name, value) in [("width", width), ("height", height), ("viewbox", drawn)] {
            match value {
                Some(value) => _ = write!(selector, "[{name}=\"{value}\"]"),
                None => _ = write!(selector, ":not([{name}])"),
            }
        }
        let (w, h, aspect) = match (w, h, ratio) {
            (Some(w), Some(h), _) => (w, h, None),
            (Some(w), None, Some(ratio)) => (w, "auto".to_owned(), Some(ratio)),
            (None, Some(h), Some(ratio)) => ("auto".to_owned(), h, Some(ratio)),
            (None, None, Some(ratio)) => ("100%".to_owned(), "auto".to_owned(), Some(ratio)),
            (w, h, None) => (
                w.unwrap_or_else(|| "300px".to_owned()),
                h.unwrap_or_else(|| "150px".to_owned()),
                None,
            ),
        };
        let aspect = aspect.map_or(String::new(), |[w, h]| format!("; aspect-ratio: {w} / {h}"));
        _ = writeln!(rules, "{selector} {{ width: {w}; height: {h}{aspect} }}");
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::html::parse_html;

    #[test]
    fn sizes_are_read_off_the_first_bytes() {
        assert_eq!(
            picture_size(b"GIF89a\x05\x00\x07\x00\x00\x00\x00;"),
            Some([5, 7])
        );
        assert_eq!(picture_size(b"GIF89a\x00\x00\x07\x00\x00\x00\x00;"), None);
        assert_eq!(picture_size(b"no picture at all"), None);
        let svg = |attributes: &str| {
            picture_size(
                format!("<?xml version='1.0'?>\n<svg {attributes}><path/></svg>").as_bytes(),
            )
        };
        assert_eq!(svg(" width=\"20px\" height='30'"), Some([20, 30]));
        assert_eq!(svg(" viewBox=\"0 0 20 10\""), Some([300, 150]));
        assert_eq!(svg(" width='100' viewBox='0,0,20,10'"), Some([100, 50]));
        assert_eq!(svg(" width='100%'"), Some([300, 150]));
        assert_eq!(svg(" width='1e9' height='1'"), None);
    }

    #[test]
    fn inline_drawings_have_rules_for_their_sizes() {
        let dom = parse_html(
            "<svg width=24 height=16></svg><svg width=24 height=16></svg><svg viewBox='0 0 4 2'></svg>",
        );
        let rules = svg_rules(&dom, vclean_core::capture::Dom::ROOT);
        assert_eq!(rules.lines().count(), 2, "{rules}");
        let sizes: Vec<_> = dom.ids().filter_map(|id| declared_size(&dom, id)).collect();
        assert_eq!(sizes, [[24, 16], [24, 16], [300, 150]]);
        let dom = parse_html(
            "<svg width=1.5em height=2rem></svg><img src=x width=10 height=5><img width=10><img alt='' width=9 height=9><img alt=Gulls width=9>",
        );
        let sizes: Vec<_> = dom.ids().filter_map(|id| declared_size(&dom, id)).collect();
        assert_eq!(sizes, [[24, 32], [10, 5], [54, 16]]);
        assert!(
            rules.contains("width: 24px; height: 16px }") && rules.contains("aspect-ratio: 4 / 2"),
            "{rules}"
        );
    }
}
