//! What boxes and styles tell about a text: whether it is certainly hidden, certainly not decidable, or to be looked at.

use crate::capture::{CssRect, Dom, HiddenCause, Layout, NodeId, Position, Visibility};
use crate::text::count_letters;

/// Opacity below which text cannot be read; `js/color.js` leaves the same texts out of the node mask.
const MIN_OPACITY: f32 = 0.1;
/// Width or height up to which a clipping box shows nothing, in CSS px: text for screen readers is in a box of 1 px.
const MAX_CLIP_PX: f32 = 1.5;
/// Height of a line up to which nobody can read it, in CSS px.
const MAX_UNREADABLE_PX: f32 = 2.5;
/// Width per letter, in CSS px and in heights of the line, up to which letters are squeezed beyond recognition; only for
/// lines of several letters, since signs may be made of many.
const SQUEEZED: (f32, f32) = (0.3, 0.04);
const SQUEEZED_LETTERS: u32 = 8;
/// Share of a line that must be inside its clipping boxes to be looked at.
const MIN_INSIDE: f32 = 0.05;

/// A rectangle that contains every page.
const EVERYTHING: CssRect = CssRect { x: -1e7, y: -1e7, width: 2e7, height: 2e7 };

/// What boxes tell about a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::render) enum Verdict {
    /// Nothing more needs to be looked at.
    Known(Visibility),
    /// The pixels must tell; the cause to be named if they do not differ.
    Look(HiddenCause),
}

/// What the boxes and styles around each node do to it.
#[derive(Debug, Clone, Copy)]
struct Surroundings {
    opacity: f32,
    is_clipped_away: bool,
    clip: CssRect,
}

/// The boxes and styles of a page.
pub(in crate::render) struct Geometry<'a> {
    dom: &'a Dom,
    layout: &'a Layout,
    around: Vec<Surroundings>,
    /// Right-to-left pages can be scrolled to the left.
    is_right_to_left: bool,
    /// Size of the page image, in px.
    picture: [f32; 2],
}

impl<'a> Geometry<'a> {
    pub(in crate::render) fn measure(dom: &'a Dom, layout: &'a Layout, picture: [u32; 2]) -> Self {
        let outside = Surroundings { opacity: 1.0, is_clipped_away: false, clip: EVERYTHING };
        let mut around = vec![outside; dom.len()];
        // Parents come before their children.
        for id in dom.ids() {
            let mut own = dom.parent(id).map_or(outside, |parent| around[parent.index()]);
            if let (true, Some(style), Some(rect)) = (dom.is_element(id), layout.style(id), layout.rect(id)) {
                own.opacity *= style.opacity;
                // An element fixed to the viewport is not clipped by boxes of the page.
                if style.position == Position::Fixed {
                    (own.is_clipped_away, own.clip) = (false, EVERYTHING);
                }
                // What the root and the body clip can be scrolled to in the viewport.
                if style.clips && !matches!(dom.tag(id), "html" | "body") {
                    own.is_clipped_away |= rect.width.min(rect.height) <= MAX_CLIP_PX;
                    own.clip = own.clip.intersection(rect);
                }
            }
            around[id.index()] = own;
        }
        let is_right_to_left =
            dom.ids().take(16).any(|id| layout.style(id).is_some_and(|style| style.is_right_to_left));
        Self { dom, layout, around, is_right_to_left, picture: picture.map(|px| px as f32) }
    }

    /// The text nodes that are laid out and hold more than white space.
    pub(in crate::render) fn texts(&self) -> impl Iterator<Item = NodeId> + '_ {
        let is_laid_out = |id: NodeId| {
            self.layout.style(id).is_some_and(|style| style.is_visible) && !self.layout.lines(id).is_empty()
        };
        self.dom
            .ids()
            .filter(move |&id| self.dom.text(id).is_some_and(|text| !text.trim().is_empty()) && is_laid_out(id))
    }

    /// Opacity of a node, 0 to 1: the product of its own and of those around it.
    #[cfg_attr(not(feature = "builtin"), allow(dead_code))]
    pub(in crate::render) fn opacity(&self, id: NodeId) -> f32 {
        self.around[id.index()].opacity
    }

    /// What the boxes tell about a text node; `has_pixels`: whether the node mask gives it any.
    pub(in crate::render) fn decide(&self, id: NodeId, has_pixels: bool) -> Verdict {
        use Verdict::{Known, Look};
        let hidden = |cause| Known(Visibility::Hidden(cause));
        let around = self.around[id.index()];
        // Lines are counted with the white space of the source.
        let most = self.dom.text(id).map_or(0, count_letters) as u32;
        let lines = || self.layout.lines(id).iter().map(move |line| (line.rect, line.length.min(most)));
        let is_off_page =
            |rect: CssRect| rect.bottom() <= 0.0 || (!self.is_right_to_left && rect.right() <= 0.0 && rect.width > 0.0);
        if lines().all(|(rect, _)| is_off_page(rect)) {
            return hidden(HiddenCause::OffPage);
        }
        let font_px = self.layout.style(id).map_or(16.0, |style| style.font_size_px);
        if lines().all(|(rect, letters)| is_unreadable(rect, letters, font_px)) {
            return hidden(HiddenCause::TooSmall);
        }
        if !has_pixels && around.is_clipped_away {
            return hidden(HiddenCause::Clipped);
        }
        if around.opacity < MIN_OPACITY {
            return hidden(HiddenCause::Transparent);
        }
        let [width, height] = self.picture;
        let picture = CssRect { x: 0.0, y: 0.0, width, height };
        if lines().all(|(rect, _)| rect.intersection(picture).is_empty()) {
            return Known(Visibility::Unknown);
        }
        // What a box cuts off may come into view: by scrolling in it, or by a button.
        let is_inside = |rect: CssRect| rect.intersection(around.clip).area() >= MIN_INSIDE * rect.area();
        if !has_pixels && !lines().any(|(rect, _)| is_inside(rect)) {
            return Known(Visibility::Unknown);
        }
        let style = self.layout.style(id);
        Look(match style {
            Some(style) if style.color[3] < 16 => HiddenCause::Transparent,
            _ if has_pixels => HiddenCause::SameColor,
            _ => HiddenCause::Covered,
        })
    }
}

/// Whether nobody can read a line of so many letters in a font of this size.
fn is_unreadable(rect: CssRect, letters: u32, font_px: f32) -> bool {
    let per_letter = rect.width / letters.max(1) as f32;
    // A line from top to bottom is high.
    let is_across = rect.height <= 2.0 * font_px;
    rect.height <= MAX_UNREADABLE_PX
        || rect.width <= 0.5
        || (is_across
            && letters >= SQUEEZED_LETTERS
            && (per_letter <= SQUEEZED.0 || per_letter <= SQUEEZED.1 * rect.height))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{DomBuilder, LineBox, Style};

    /// The verdict on a line of 20 letters in a box of this style and size.
    fn verdict(style: &Style, holder: CssRect, line: CssRect, has_pixels: bool) -> Verdict {
        verdict_on("twentylettersinaline", style, holder, line, has_pixels)
    }

    fn verdict_on(text: &str, style: &Style, holder: CssRect, line: CssRect, has_pixels: bool) -> Verdict {
        let mut builder = DomBuilder::new();
        let element = builder.open("div", vec![]);
        let text = builder.text(text);
        let dom = builder.finish();
        let mut layout = Layout::new(dom.len(), 1000.0, 1000.0);
        layout.set(element, holder, style, 0, &[]);
        layout.set(text, line, style, 0, &[LineBox { rect: line, start: 0, length: 20 }]);
        let geometry = Geometry::measure(&dom, &layout, [1000, 800]);
        assert_eq!(geometry.texts().collect::<Vec<_>>(), [text]);
        geometry.decide(text, has_pixels)
    }

    #[test]
    fn boxes_decide_where_they_suffice() {
        const LINE: CssRect = CssRect { x: 10.0, y: 10.0, width: 200.0, height: 20.0 };
        let at = |x: f32, y: f32, width: f32, height: f32| CssRect { x, y, width, height };
        let hidden = |cause| Verdict::Known(Visibility::Hidden(cause));
        let unknown = Verdict::Known(Visibility::Unknown);
        let clips = Style { clips: true, ..Style::default() };
        let plain = Style::default();
        for (style, holder, line, has_pixels, expected) in [
            (&plain, LINE, LINE, true, Verdict::Look(HiddenCause::SameColor)),
            (&plain, LINE, LINE, false, Verdict::Look(HiddenCause::Covered)),
            (&plain, LINE, at(-9999.0, 10.0, 200.0, 20.0), false, hidden(HiddenCause::OffPage)),
            (&plain, LINE, at(10.0, -50.0, 200.0, 20.0), false, hidden(HiddenCause::OffPage)),
            (&plain, LINE, at(10.0, 10.0, 20.0, 1.0), true, hidden(HiddenCause::TooSmall)),
            (&plain, LINE, at(10.0, 10.0, 0.2, 20.0), true, hidden(HiddenCause::TooSmall)),
            (&plain, LINE, at(10.0, 10.0, 12.0, 20.0), true, hidden(HiddenCause::TooSmall)),
            (&plain, LINE, at(10.0, 10.0, 20.0, 300.0), true, Verdict::Look(HiddenCause::SameColor)),
            (&plain, LINE, at(10.0, 900.0, 200.0, 20.0), false, unknown),
            (&clips, at(10.0, 10.0, 1.0, 1.0), LINE, false, hidden(HiddenCause::Clipped)),
            // A positioned text may leave the box.
            (&clips, at(10.0, 10.0, 1.0, 1.0), LINE, true, Verdict::Look(HiddenCause::SameColor)),
            // The slide of a carousel.
            (&clips, at(10.0, 10.0, 300.0, 50.0), at(400.0, 10.0, 200.0, 20.0), false, unknown),
            (&Style { opacity: 0.05, ..Style::default() }, LINE, LINE, true, hidden(HiddenCause::Transparent)),
            (&Style { color: [0; 4], ..Style::default() }, LINE, LINE, true, Verdict::Look(HiddenCause::Transparent)),
        ] {
            assert_eq!(verdict(style, holder, line, has_pixels), expected, "{style:?} {holder:?} {line:?}");
        }
    }

    #[test]
    fn white_space_of_the_source_is_no_letter() {
        let line = CssRect { x: 10.0, y: 10.0, width: 8.0, height: 17.0 };
        let text = "\n                  /\n          ";
        let found = verdict_on(text, &Style::default(), line, line, true);
        assert_eq!(found, Verdict::Look(HiddenCause::SameColor));
    }

    #[test]
    fn right_to_left_pages_may_have_text_on_the_left() {
        let style = Style { is_right_to_left: true, ..Style::default() };
        let line = CssRect { x: -500.0, y: 10.0, width: 200.0, height: 20.0 };
        assert_eq!(verdict(&style, line, line, false), Verdict::Known(Visibility::Unknown));
    }
}
