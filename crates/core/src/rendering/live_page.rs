//! Turns a page that is open in a reader's browser, as described by `js/live.js`, into a capture.
//! Tree, boxes and styles come from the browser; the page image is drawn from them, since a script
//! cannot take a picture.

use super::computed_style::{COMPUTED_STYLES, computed_style, joined_lines, shortened};
use super::hidden_text::{EVERYTHING, Geometry, Verdict, doubt_transparent};
use super::paint_order::{Stacking, paint_order};
use super::sketch::{Fill, Letter, LineFragment, Sketch};
use crate::capture::{
    Capture, CssRect, Display, Dom, DomBuilder, Engine, HiddenCause, Layout, LineBox, NodeId,
    NodeMask, Picture, Pictures, Position, Record, Style, Visibility,
};
use crate::error::{RenderError, WarningKind, Warnings};
use serde::Deserialize;
use std::sync::Arc;

/// The computed styles that decide the painting order; they follow [`COMPUTED_STYLES`] in the
/// description of a page.
pub const PAINT_STYLES: &[&str] = &[
    "z-index",
    "transform",
    "filter",
    "isolation",
    "mix-blend-mode",
];

/// Largest number of nodes, the same as for a page rendered by Chromium.
const MAX_NODES: usize = 1_000_000;
/// Largest height of the drawn image, in px, the same as for rendered pages.
const MAX_HEIGHT_PX: u32 = 30_000;
/// Largest number of pixels of the drawn image, which is in memory as a whole: a screen of 2560 px,
/// 30,000 px high.
const MAX_PIXELS: u32 = 80_000_000;
/// Largest width and height of a viewport, in px.
const MAX_VIEWPORT_PX: u32 = 16_384;
/// Opacity below which nothing is drawn, and opacity from which a background hides what is below
/// it; both as in the built-in engine.
const MIN_VISIBLE_OPACITY: f32 = 0.1;
const MIN_COVERING_ALPHA: f32 = 0.5;
/// Height of the baseline above the bottom of a line's box, as a share of its height, taken from
/// Liberation Serif.
const DESCENT: f32 = 0.2;

/// A page as the script describes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LivePage {
    /// Address of the page.
    url: String,
    /// The browser's own description of itself.
    browser: String,
    /// Time of the description, in seconds since 1970 UTC.
    captured_at_s: u64,
    /// Size of the viewport in CSS px.
    viewport_px: [f32; 2],
    /// Size of the page in CSS px.
    page_px: [f32; 2],
    /// The names of the computed styles, in the order of their values.
    properties: Vec<String>,
    /// All strings, each of them once.
    strings: Vec<String>,
    /// Values of the computed styles, as indices of strings; each combination once.
    styles: Vec<Vec<usize>>,
    /// The tree in document order: see [`Reader::step`].
    nodes: Vec<f64>,
    /// True if the text of the page was still changing.
    #[serde(default)]
    is_changing: bool,
}

/// A style with the properties that decide the painting order.
struct LiveStyle {
    style: Arc<Style>,
    stacking: Stacking,
    has_transform: bool,
}

/// The influence of its ancestors on a node.
#[derive(Clone, Copy)]
struct Surroundings {
    /// The area to which its boxes are clipped.
    clip: CssRect,
    /// The area to which absolutely positioned boxes in it are clipped.
    absolute_clip: CssRect,
    opacity: f32,
}

impl LivePage {
    /// Converts the description of a page to a capture.
    ///
    /// # Errors
    /// If the description is invalid, or the page has too many nodes.
    pub fn capture(json: &[u8]) -> Result<Capture, RenderError> {
        let page: Self =
            serde_json::from_slice(json).map_err(|error| unusable(&error.to_string()))?;
        let expected = COMPUTED_STYLES.iter().chain(PAINT_STYLES);
        if !page.properties.iter().eq(expected) {
            return Err(unusable("it has other styles than this version reads"));
        }
        page.converted()
    }

    fn converted(mut self) -> Result<Capture, RenderError> {
        let styles = self.live_styles()?;
        let nodes = std::mem::take(&mut self.nodes);
        let mut reader = Reader::new(&self, &nodes);
        while reader.step()? {}
        let Reader {
            builder, placed, ..
        } = reader;
        let dom = builder.finish();
        let mut layout = Layout::new(dom.len(), self.page_px[0], self.page_px[1]);
        let stacking: Vec<Stacking> = placed
            .iter()
            .map(|place| {
                place
                    .style
                    .map_or(Stacking::default(), |style| styles[style].stacking)
            })
            .collect();
        let parents: Vec<usize> = dom
            .ids()
            .map(|id| dom.parent(id).map_or(0, NodeId::index))
            .collect();
        let order = paint_order(&parents, &stacking);
        let mut ranks = vec![0u32; order.len()];
        for (rank, &index) in order.iter().enumerate() {
            ranks[index] = rank as u32;
        }
        for (index, place) in placed.iter().enumerate() {
            if let Some(style) = place.style {
                layout.set(
                    NodeId::new(index),
                    place.rect,
                    &styles[style].style,
                    ranks[index],
                    &place.lines,
                );
            }
        }
        let sketch = sketch(&dom, &layout, &placed, &styles, &order);
        let viewport = self
            .viewport_px
            .map(|px| (px as u32).clamp(1, MAX_VIEWPORT_PX));
        let width = (layout.page_width_px.ceil() as u32).clamp(viewport[0], viewport[0] * 2);
        let height =
            (layout.page_height_px.ceil() as u32).clamp(1, MAX_HEIGHT_PX.min(MAX_PIXELS / width));
        let (image, mask) = sketch.draw([width, height]);
        let found = visibility(&dom, &layout, &mask);
        layout.set_visibility(found);
        let mut warnings = Warnings::new();
        if layout.page_height_px.ceil() > height as f32 {
            let text = format!(
                "the page is {:.0} px tall; the pictures end at {height} px",
                layout.page_height_px
            );
            warnings.add(WarningKind::TooTall, text);
        }
        if self.is_changing {
            let text = "the text of the page was still changing when it was taken, so some may be missing; take the page later, or wait longer (`settleMs`)";
            warnings.add(WarningKind::LoadingCutOff, text);
        }
        let record = Record {
            captured_at_s: Some(self.captured_at_s),
            // The page was laid out by a browser. The model for Chromium's pages was trained on
            // other images, but decides on drawn ones nearly as on Chromium's own (20 dev pages of
            // `styled`: word F .997 of one text against the other; .984 by the other model).
            engine: Engine::Chromium,
            browser: Some(self.browser),
            viewport_px: Some(viewport),
            warnings,
            ..Record::parsed(&self.url, Some(self.url.clone()))
        };
        let pictures = Pictures::new(Picture::from_gray(image), Picture::from_mask(mask));
        Ok(Capture {
            record,
            dom,
            layout: Some(layout),
            pictures: Some(pictures),
        })
    }

    fn live_styles(&self) -> Result<Vec<LiveStyle>, RenderError> {
        let style = |values: &Vec<usize>| {
            if values.len() != COMPUTED_STYLES.len() + PAINT_STYLES.len() {
                return Err(unusable("a style lacks values"));
            }
            let value = |which: usize| self.strings.get(values[which]).map_or("", String::as_str);
            let style = computed_style(&value);
            let [z_index, transform, filter, isolation, blend] =
                std::array::from_fn(|place| value(COMPUTED_STYLES.len() + place));
            let has_transform = !matches!(transform, "none" | "");
            let is_positioned = style.position != Position::Static;
            // A z-index affects positioned elements and items of `flex` and `grid`; elsewhere it is
            // rare.
            let has_z_index = !matches!(z_index, "auto" | "");
            let is_context = has_z_index
                || has_transform
                || !matches!(filter, "none" | "")
                || isolation == "isolate"
                || !matches!(blend, "normal" | "")
                || style.opacity < 1.0
                || matches!(style.position, Position::Fixed | Position::Sticky);
            let z_index = z_index.parse().unwrap_or(0);
            let stacking = Stacking {
                is_layer: is_positioned || is_context,
                is_context,
                z_index,
            };
            Ok(LiveStyle {
                style: Arc::new(style),
                stacking,
                has_transform,
            })
        };
        self.styles.iter().map(style).collect()
    }
}

fn unusable(cause: &str) -> RenderError {
    RenderError::Crash(format!(
        "the description of the open page is unusable: {cause}; the page may have changed functions of the browser, so describe \
         it in a world of its own (an extension, fromPlaywright)"
    ))
}

/// Position and style of a node.
#[derive(Default)]
struct Placed {
    rect: CssRect,
    style: Option<usize>,
    lines: Vec<LineBox>,
}

/// Reads the tree of a description.
struct Reader<'a> {
    page: &'a LivePage,
    numbers: std::slice::Iter<'a, f64>,
    builder: DomBuilder,
    placed: Vec<Placed>,
    /// Index of the style of each open node, innermost last.
    open: Vec<Option<usize>>,
}

impl<'a> Reader<'a> {
    fn new(page: &'a LivePage, nodes: &'a [f64]) -> Self {
        let placed = vec![Placed::default()];
        Self {
            page,
            numbers: nodes.iter(),
            builder: DomBuilder::new(),
            placed,
            open: Vec::new(),
        }
    }

    fn number(&mut self) -> Result<f32, RenderError> {
        self.numbers
            .next()
            .map(|&number| number as f32)
            .ok_or_else(|| unusable("it breaks off"))
    }

    fn index(&mut self) -> Result<usize, RenderError> {
        let number = *self
            .numbers
            .next()
            .ok_or_else(|| unusable("it breaks off"))?;
        if (0.0..1e9).contains(&number) {
            Ok(number as usize)
        } else {
            Err(unusable("a number is out of range"))
        }
    }

    fn string(&mut self) -> Result<&'a str, RenderError> {
        let index = self.index()?;
        self.page
            .strings
            .get(index)
            .map(String::as_str)
            .ok_or_else(|| unusable("a text is missing"))
    }

    fn rect(&mut self) -> Result<CssRect, RenderError> {
        let [x, y, width, height] = [
            self.number()?,
            self.number()?,
            self.number()?,
            self.number()?,
        ];
        Ok(CssRect {
            x,
            y,
            width: width.max(0.0),
            height: height.max(0.0),
        })
    }

    /// Reads the next part of the tree; returns false at its end. A part begins with its kind:
    /// - 0 ends the node that was begun last;
    /// - 1 begins an element: tag, number of attributes, their names and values, number of its
    ///   style + 1 or 0 if it has no box, then x, y, width and height;
    /// - 2 is a text: the text, the number of its line fragments, and their positions;
    /// - 3 begins the document of the frame that was begun last.
    fn step(&mut self) -> Result<bool, RenderError> {
        let Some(&kind) = self.numbers.next() else {
            return Ok(false);
        };
        if self.placed.len() > MAX_NODES {
            return Err(RenderError::Limit(format!(
                "the page has more than the {MAX_NODES} nodes a page may have"
            )));
        }
        match kind as u32 {
            0 => {
                self.builder.close();
                self.open.pop();
            }
            1 => self.element()?,
            2 => self.text()?,
            3 => {
                self.builder.open_document();
                self.placed.push(Placed::default());
                self.open.push(None);
            }
            _ => return Err(unusable("it has a node of an unknown kind")),
        }
        Ok(true)
    }

    fn element(&mut self) -> Result<(), RenderError> {
        let tag = self.string()?.to_ascii_lowercase();
        let count = self.index()?;
        let mut attributes = Vec::new();
        for _ in 0..count {
            let name = self.string()?.to_ascii_lowercase();
            attributes.push((name.into(), shortened(self.string()?)));
        }
        let style = self.index()?.checked_sub(1);
        if style.is_some_and(|style| style >= self.page.styles.len()) {
            return Err(unusable("a style is missing"));
        }
        let rect = if style.is_some() {
            self.rect()?
        } else {
            CssRect::default()
        };
        self.builder.open(&tag, attributes);
        self.placed.push(Placed {
            rect,
            style,
            lines: Vec::new(),
        });
        self.open.push(style);
        Ok(())
    }

    fn text(&mut self) -> Result<(), RenderError> {
        let text = self.string()?;
        let count = self.index()?;
        let mut rects = Vec::new();
        for _ in 0..count {
            let rect = self.rect()?;
            if !rect.is_empty() {
                rects.push(rect);
            }
        }
        self.builder.text(text);
        let mut lines = Vec::new();
        joined_lines(fragments(text, &rects), &mut lines);
        let rect = lines
            .iter()
            .fold(CssRect::default(), |sum, line| sum.union(line.rect));
        // A text has the style of its parent element.
        let style = self
            .open
            .last()
            .copied()
            .flatten()
            .filter(|_| !lines.is_empty());
        self.placed.push(Placed { rect, style, lines });
        Ok(())
    }
}

/// Divides a text among its fragments. Browsers report only the positions of fragments, so each
/// gets a share of the UTF-16 units by its width.
fn fragments<'a>(text: &str, rects: &'a [CssRect]) -> impl Iterator<Item = LineBox> + 'a {
    let units = text.encode_utf16().count() as f32;
    let whole: f32 = rects.iter().map(|rect| rect.width).sum();
    let mut width = 0.0;
    let mut start = 0;
    rects.iter().map(move |&rect| {
        width += rect.width;
        let end = (units * width / whole.max(f32::MIN_POSITIVE))
            .round()
            .min(units) as u32;
        let line = LineBox {
            rect,
            start,
            length: end.saturating_sub(start),
        };
        start = end;
        line
    })
}

/// Collects everything to draw, in painting order.
fn sketch(
    dom: &Dom,
    layout: &Layout,
    placed: &[Placed],
    styles: &[LiveStyle],
    order: &[usize],
) -> Sketch {
    let around = surroundings(dom, placed, styles);
    let mut sketch = Sketch::default();
    for &index in order {
        let id = NodeId::new(index);
        let Some(style) = placed[index].style.map(|style| &styles[style].style) else {
            continue;
        };
        let outer = dom
            .parent(id)
            .map_or(around[0], |parent| around[parent.index()]);
        if !style.is_visible {
            continue;
        }
        if dom.is_element(id) {
            // The background of an inline element is painted together with its lines.
            let opacity = around[index].opacity;
            if style.display != Display::Inline || is_picture(dom, id) {
                let rect = if matches!(dom.tag(id), "html" | "body") {
                    EVERYTHING
                } else {
                    placed[index].rect
                };
                let clip = if style.position == Position::Absolute {
                    outer.absolute_clip
                } else {
                    outer.clip
                };
                let clip = if style.position == Position::Fixed {
                    EVERYTHING
                } else {
                    clip
                };
                fill(
                    &mut sketch,
                    style,
                    rect.intersection(clip),
                    opacity,
                    is_picture(dom, id),
                );
            }
        } else if outer.opacity >= MIN_VISIBLE_OPACITY {
            write(&mut sketch, (dom, layout, id), style, outer);
        }
    }
    sketch
}

/// Returns true if an element shows a picture.
fn is_picture(dom: &Dom, id: NodeId) -> bool {
    matches!(dom.tag(id), "img" | "video" | "canvas")
}

/// The clipping area and opacity of each node.
fn surroundings(dom: &Dom, placed: &[Placed], styles: &[LiveStyle]) -> Vec<Surroundings> {
    let outside = Surroundings {
        clip: EVERYTHING,
        absolute_clip: EVERYTHING,
        opacity: 1.0,
    };
    let mut around = vec![outside; dom.len()];
    for id in dom.ids().skip(1) {
        let mut own = dom
            .parent(id)
            .map_or(outside, |parent| around[parent.index()]);
        let place = &placed[id.index()];
        if let (true, Some(style)) = (dom.is_element(id), place.style) {
            let LiveStyle {
                style,
                has_transform,
                ..
            } = &styles[style];
            own.opacity *= style.opacity.clamp(0.0, 1.0);
            match style.position {
                Position::Fixed => own.clip = EVERYTHING,
                Position::Absolute => own.clip = own.absolute_clip,
                _ => {}
            }
            // Content that the root or the body clips can be reached by scrolling.
            if style.clips && !matches!(dom.tag(id), "html" | "body") {
                own.clip = own.clip.intersection(place.rect);
            }
            if style.position != Position::Static || *has_transform {
                own.absolute_clip = own.clip;
            }
        }
        around[id.index()] = own;
    }
    around
}

fn fill(sketch: &mut Sketch, style: &Style, rect: CssRect, opacity: f32, is_picture: bool) {
    let own = f32::from(style.background[3]) / 255.0;
    if rect.is_empty() || opacity < MIN_VISIBLE_OPACITY || (own <= 0.0 && !is_picture) {
        return;
    }
    let covers = opacity >= MIN_COVERING_ALPHA && (own >= MIN_COVERING_ALPHA || is_picture);
    sketch.fill(Fill {
        rect,
        color: style.background,
        alpha: own * opacity,
        covers,
        is_picture,
    });
}

/// Draws the lines of a text.
fn write(
    sketch: &mut Sketch,
    (dom, layout, id): (&Dom, &Layout, NodeId),
    style: &Arc<Style>,
    outer: Surroundings,
) {
    let text: Vec<u16> = dom.text(id).unwrap_or("").encode_utf16().collect();
    for line in layout.lines(id) {
        if style.display == Display::Inline {
            fill(
                sketch,
                style,
                line.rect.intersection(outer.clip),
                outer.opacity,
                false,
            );
        }
        let baseline = line.rect.bottom() - DESCENT * line.rect.height;
        let mut fragment =
            LineFragment::new(Some(id), Arc::clone(style), baseline, style.font_size_px);
        fragment.rect = line.rect;
        fragment.clip = outer.clip;
        let from = (line.start as usize).min(text.len());
        let to = (from + line.length as usize).min(text.len());
        fragment.letters = letters(&String::from_utf16_lossy(&text[from..to]), line.rect);
        sketch.write(fragment);
    }
}

/// The letters of a line, spread over its width; each has the usual share of its letter.
fn letters(text: &str, rect: CssRect) -> Vec<Letter> {
    let mut shown: Vec<(char, f32)> = Vec::new();
    for letter in text.trim().chars() {
        // Runs of white space collapse to one space.
        if letter.is_whitespace() {
            if shown.last().is_some_and(|(last, _)| *last != ' ') {
                shown.push((' ', width_em(' ')));
            }
        } else {
            shown.push((letter, width_em(letter)));
        }
    }
    let whole: f32 = shown.iter().map(|(_, width)| width).sum();
    let unit = rect.width / whole.max(f32::MIN_POSITIVE);
    let mut x = rect.x;
    let mut letters = Vec::with_capacity(shown.len());
    for (sign, width) in shown {
        if sign != ' ' {
            letters.push(Letter {
                x,
                advance: width * unit,
                sign,
            });
        }
        x += width * unit;
    }
    letters
}

/// Usual width of a letter in em, in text fonts. Heuristic; since the width of the line is known,
/// only ratios matter.
fn width_em(letter: char) -> f32 {
    match letter {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | '.' | ',' | ':' | ';' | '\'' | '!' | '|'
        | '(' | ')' | '[' | ']' | ' ' => 0.28,
        'm' | 'w' | 'M' | 'W' | '@' => 0.8,
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ff60}' => 1.0,
        _ if letter.is_uppercase() => 0.66,
        _ => 0.5,
    }
}

/// Decides by boxes alone which texts a reader sees. There are no two pictures to compare, so
/// colors do not matter.
fn visibility(dom: &Dom, layout: &Layout, mask: &NodeMask) -> Vec<(NodeId, Visibility)> {
    let mut has_pixels = vec![false; dom.len()];
    for run in mask.runs() {
        if let Some(own) = has_pixels.get_mut(run.owner as usize) {
            *own = true;
        }
    }
    let geometry = Geometry::measure(dom, layout, [mask.width(), mask.height()]);
    let decided = |text: NodeId| match geometry.decide(text, has_pixels[text.index()]) {
        Verdict::Known(visibility) => visibility,
        Verdict::Look(HiddenCause::Transparent) => Visibility::Hidden(HiddenCause::Transparent),
        Verdict::Look(_) if has_pixels[text.index()] => Visibility::Shown,
        Verdict::Look(_) => Visibility::Unknown,
    };
    let mut found: Vec<(NodeId, Visibility)> =
        geometry.texts().map(|text| (text, decided(text))).collect();
    doubt_transparent(dom, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Describes a page with a heading, a paragraph of two lines, and a text off the page.
    fn described() -> Value {
        let properties: Vec<&str> = COMPUTED_STYLES
            .iter()
            .chain(PAINT_STYLES)
            .copied()
            .collect();
        let strings = [
            "html",
            "body",
            "h1",
            "p",
            "class",
            "lead",
            "Gulls",
            "They drop mussels",
            "Skip",
            "block",
            "20px",
            "",
        ];
        let mut style = vec![11; properties.len()];
        (style[0], style[7]) = (9, 10);
        let nodes = [
            &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 800.0, 600.0][..],
            &[1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 800.0, 600.0],
            &[
                1.0, 2.0, 0.0, 1.0, 10.0, 10.0, 400.0, 30.0, 2.0, 6.0, 1.0, 10.0, 10.0, 50.0, 24.0,
                0.0,
            ],
            &[1.0, 3.0, 1.0, 4.0, 5.0, 1.0, 10.0, 50.0, 400.0, 50.0],
            &[
                2.0, 7.0, 2.0, 10.0, 50.0, 100.0, 24.0, 10.0, 75.0, 70.0, 24.0, 0.0,
            ],
            &[
                1.0, 3.0, 0.0, 1.0, -900.0, 0.0, 40.0, 24.0, 2.0, 8.0, 1.0, -900.0, 0.0, 40.0,
                24.0, 0.0,
            ],
            &[0.0, 0.0],
        ]
        .concat();
        json!({
            "url": "https://example.org/", "browser": "Test/1", "captured_at_s": 7, "viewport_px": [800, 600],
            "page_px": [800, 600], "properties": properties, "strings": strings, "styles": [style], "nodes": nodes,
        })
    }

    fn read(page: &Value) -> Result<Capture, RenderError> {
        LivePage::capture(page.to_string().as_bytes())
    }

    #[test]
    fn a_described_page_is_a_capture_with_pictures() {
        let capture = read(&described()).unwrap();
        let (dom, layout) = (&capture.dom, capture.layout.as_ref().unwrap());
        let text = |wanted: &str| dom.ids().find(|&id| dom.text(id) == Some(wanted)).unwrap();
        let lines = layout.lines(text("They drop mussels"));
        assert_eq!(
            lines
                .iter()
                .map(|line| (line.start, line.length))
                .collect::<Vec<_>>(),
            [(0, 10), (10, 7)]
        );
        assert_eq!(layout.style(text("Gulls")).unwrap().font_size_px, 20.0);
        assert_eq!(
            layout.visibility(text("Skip")),
            Visibility::Hidden(HiddenCause::OffPage)
        );
        assert_eq!(layout.visibility(text("Gulls")), Visibility::Shown);
        let pictures = capture.pictures.as_ref().unwrap();
        assert!(
            pictures
                .screenshot
                .decode_gray()
                .unwrap()
                .pixels()
                .any(|pixel| pixel.0 == [0])
        );
        let mask = NodeMask::decode(&pictures.mask).unwrap();
        assert_eq!(mask.owner(20, 20), Some(text("Gulls")));
        assert_eq!(
            (capture.address(), capture.record.captured_at_s),
            (Some("https://example.org/"), Some(7))
        );
    }

    #[test]
    fn what_is_no_description_is_refused() {
        let message = |change: &dyn Fn(&mut Value)| {
            let mut page = described();
            change(&mut page);
            read(&page).unwrap_err().to_string()
        };
        assert!(message(&|page| page["properties"][3] = "color".into()).contains("other styles"));
        assert!(message(&|page| page["nodes"][1] = 99.into()).contains("a text is missing"));
        assert!(message(&|page| page["nodes"][3] = 5.into()).contains("a style is missing"));
        assert!(message(&|page| page["nodes"][2] = (-1).into()).contains("out of range"));
        assert!(
            message(&|page| page["nodes"].as_array_mut().unwrap().truncate(5))
                .contains("breaks off")
        );
        assert!(message(&|page| page["nodes"][0] = 8.into()).contains("unknown kind"));
        assert!(message(&|page| page["more"] = 1.into()).contains("more"));
    }

    #[test]
    fn letters_fill_their_line() {
        let rect = CssRect {
            x: 10.0,
            y: 0.0,
            width: 100.0,
            height: 20.0,
        };
        let letters = letters("  mi  mi ", rect);
        assert_eq!(
            letters.iter().map(|letter| letter.sign).collect::<String>(),
            "mimi"
        );
        let last = &letters[3];
        assert!(
            (last.x + last.advance - 110.0).abs() < 0.01
                && letters[0].advance > 2.0 * letters[1].advance
        );
    }
}
