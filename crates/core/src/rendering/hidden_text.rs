//! Finds the text nodes of a rendered page that a reader sees; both engines share this code.
//!
//! Boxes decide where they suffice ([`Geometry`]). Elsewhere two pictures of the page are compared,
//! with a text and without it ([`differs`], [`can_tell`]). [`Overlays`] finds boxes that may be
//! moved off a text, [`doubt_transparent`] keeps pages whose text a script would fade in, and
//! [`doubt_looks`] keeps pages that lack style sheets or the pictures behind their text. Text
//! counts as visible in uncertain cases.

use crate::capture::{CssRect, Dom, HiddenCause, Layout, NodeId, Panels, Position, Visibility};
use crate::text::count_letters;
use image::RgbImage;
use std::sync::LazyLock;

/// Opacity below which text cannot be read; `js/color.js` leaves the same texts out of the node
/// mask.
const MIN_OPACITY: f32 = 0.1;
/// Width or height up to which a clipping box shows nothing, in CSS px. Text for screen readers is
/// in a box of 1 px.
const MAX_CLIP_PX: f32 = 1.5;
/// Height of a line up to which nobody can read it, in CSS px: that of letters of 4 px.
const MAX_UNREADABLE_PX: f32 = 5.0;
/// Width per letter, in CSS px and in line heights, up to which letters are squeezed beyond
/// recognition. This applies only to lines of several letters, since symbols may be made of many.
const SQUEEZED: (f32, f32) = (0.3, 0.04);
const SQUEEZED_LETTERS: u32 = 8;
/// Share of a line that must be inside its clipping boxes for the line to be examined.
const MIN_INSIDE: f32 = 0.05;

/// Smallest extent of a closed panel, in CSS px; boxes for screen readers are smaller in both
/// directions.
const MIN_PANEL_PX: f32 = 40.0;
/// Distance by which a box may leave its parent and still flow in it, in CSS px.
const TOLERANCE_PX: f32 = 40.0;
/// Height that must be on the page of an element that begins above it, in CSS px.
const MIN_ON_PAGE_PX: f32 = 100.0;

/// A rectangle that contains every page.
pub(super) const EVERYTHING: CssRect = CssRect {
    x: -1e7,
    y: -1e7,
    width: 2e7,
    height: 2e7,
};

/// The result of examining the boxes around a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The boxes alone give the answer.
    Known(Visibility),
    /// The pixels must be compared; this is the cause if they do not differ.
    Look(HiddenCause),
}

/// The effect of the surrounding boxes and styles on a node.
#[derive(Debug, Clone, Copy)]
struct Surroundings {
    opacity: f32,
    is_clipped_away: bool,
    /// True if the node is in an element that begins off the page and ends on it, and no box in
    /// between leaves its parent: this is the flow of a page that is not laid out as its author
    /// intended.
    flows_onto_page: bool,
    clip: CssRect,
}

/// The boxes and styles of a page.
pub struct Geometry<'a> {
    dom: &'a Dom,
    layout: &'a Layout,
    around: Vec<Surroundings>,
    /// True if the page can be scrolled to the left, like right-to-left pages.
    is_right_to_left: bool,
    /// Size of the page image, in px.
    picture: [f32; 2],
}

impl<'a> Geometry<'a> {
    /// Examines all boxes; `picture` is the size of the page image in px.
    pub fn measure(dom: &'a Dom, layout: &'a Layout, picture: [u32; 2]) -> Self {
        let outside = Surroundings {
            opacity: 1.0,
            is_clipped_away: false,
            flows_onto_page: false,
            clip: EVERYTHING,
        };
        let mut around = vec![outside; dom.len()];
        let panels = Panels::find(dom);
        // Parents come before their children.
        for id in dom.ids() {
            let mut own = dom
                .parent(id)
                .map_or(outside, |parent| around[parent.index()]);
            if let (true, Some(style), Some(rect)) =
                (dom.is_element(id), layout.style(id), layout.rect(id))
            {
                own.opacity *= style.opacity;
                // Boxes of the page do not clip an element that is fixed to the viewport.
                if style.position == Position::Fixed {
                    (own.is_clipped_away, own.clip) = (false, EVERYTHING);
                }
                // Content that the root or the body clips can be reached by scrolling the viewport.
                if style.clips && !matches!(dom.tag(id), "html" | "body") {
                    own.is_clipped_away |= rect.width.min(rect.height) <= MAX_CLIP_PX
                        && !is_closed_panel(dom, &panels, id, rect);
                    own.clip = own.clip.intersection(rect);
                }
                let is_around = dom
                    .parent(id)
                    .and_then(|parent| layout.rect(parent))
                    .is_some_and(|parent| {
                        rect.y >= parent.y - TOLERANCE_PX
                            && rect.bottom() <= parent.bottom() + TOLERANCE_PX
                    });
                own.flows_onto_page &= is_around;
                own.flows_onto_page |=
                    rect.y < 0.0 && rect.bottom() > MIN_ON_PAGE_PX && rect.right() > 0.0;
            }
            around[id.index()] = own;
        }
        let is_right_to_left = dom
            .ids()
            .take(16)
            .any(|id| layout.style(id).is_some_and(|style| style.is_right_to_left));
        Self {
            dom,
            layout,
            around,
            is_right_to_left,
            picture: picture.map(|px| px as f32),
        }
    }

    /// The text nodes that are laid out and contain more than white space.
    pub fn texts(&self) -> impl Iterator<Item = NodeId> + '_ {
        let is_laid_out = |id: NodeId| {
            self.layout.style(id).is_some_and(|style| style.is_visible)
                && !self.layout.lines(id).is_empty()
        };
        self.dom.ids().filter(move |&id| {
            self.dom
                .text(id)
                .is_some_and(|text| !text.trim().is_empty())
                && is_laid_out(id)
        })
    }

    /// Opacity of a node, 0 to 1: the product of its own opacity and those of its ancestors.
    pub fn opacity(&self, id: NodeId) -> f32 {
        self.around[id.index()].opacity
    }

    /// Decides on a text node by its boxes; `has_pixels` is true if it owns pixels in the node
    /// mask.
    pub fn decide(&self, id: NodeId, has_pixels: bool) -> Verdict {
        use Verdict::{Known, Look};
        let hidden = |cause| Known(Visibility::Hidden(cause));
        let around = self.around[id.index()];
        // The lengths of lines include the white space of the source.
        let most = self.dom.text(id).map_or(0, count_letters) as u32;
        let lines = || {
            self.layout
                .lines(id)
                .iter()
                .map(move |line| (line.rect, line.length.min(most)))
        };
        let is_off_page = |rect: CssRect| {
            rect.bottom() <= 0.0
                || (!self.is_right_to_left && rect.right() <= 0.0 && rect.width > 0.0)
        };
        if lines().all(|(rect, _)| is_off_page(rect)) {
            let is_left_of_page = lines().all(|(rect, _)| rect.right() <= 0.0);
            let flows_onto_page = around.flows_onto_page && !is_left_of_page;
            return if flows_onto_page {
                Known(Visibility::Unknown)
            } else {
                hidden(HiddenCause::OffPage)
            };
        }
        let font_px = self
            .layout
            .style(id)
            .map_or(16.0, |style| style.font_size_px);
        if lines().all(|(rect, letters)| is_unreadable(rect, letters, font_px)) {
            return hidden(HiddenCause::TooSmall);
        }
        if around.opacity < MIN_OPACITY {
            return hidden(HiddenCause::Transparent);
        }
        let [width, height] = self.picture;
        // Below the end of the picture, boxes alone do not show whether a text leaves the box that
        // clips it.
        if lines().all(|(rect, _)| rect.y >= height) {
            return Known(Visibility::Unknown);
        }
        if !has_pixels && around.is_clipped_away {
            return hidden(HiddenCause::Clipped);
        }
        let picture = CssRect {
            x: 0.0,
            y: 0.0,
            width,
            height,
        };
        if lines().all(|(rect, _)| rect.intersection(picture).is_empty()) {
            return Known(Visibility::Unknown);
        }
        // Text that a box cuts off may come into view by scrolling in the box, or by a button.
        let is_inside =
            |rect: CssRect| rect.intersection(around.clip).area() >= MIN_INSIDE * rect.area();
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

/// Returns true if a box that shows nothing is a section that one click opens, like a closed
/// `details`: only its height or its width is lost, and a tab or another control belongs to it.
fn is_closed_panel(dom: &Dom, panels: &Panels<'_>, id: NodeId, rect: CssRect) -> bool {
    /// Parts of class names of boxes that lose height or width when closed, or of their containers.
    const WORDS: [&str; 7] = [
        "accordion",
        "collaps",
        "carousel",
        "swiper",
        "slick",
        "tab-pane",
        "tabpanel",
    ];
    if rect.width.max(rect.height) <= MIN_PANEL_PX {
        return false;
    }
    let is_opened = |id: NodeId| {
        let class = || {
            dom.attribute(id, "class")
                .unwrap_or("")
                .to_ascii_lowercase()
        };
        dom.attribute(id, "role")
            .is_some_and(|role| role.eq_ignore_ascii_case("tabpanel"))
            || panels.is_named(id)
            || WORDS.iter().any(|word| class().contains(word))
    };
    panels.is_folded(id) || is_opened(id) || dom.parent(id).is_some_and(is_opened)
}

/// Returns true if a line of this many letters cannot be read in a font of this size.
fn is_unreadable(rect: CssRect, letters: u32, font_px: f32) -> bool {
    let per_letter = rect.width / letters.max(1) as f32;
    // A line of vertical text has a large height.
    let is_across = rect.height <= 2.0 * font_px;
    rect.height <= MAX_UNREADABLE_PX
        || rect.width <= 0.5
        || (is_across
            && letters >= SQUEEZED_LETTERS
            && (per_letter <= SQUEEZED.0 || per_letter <= SQUEEZED.1 * rect.height))
}

/// Contrast ratio (WCAG 2.2, relative luminance) from which text can be seen. Heuristic: 1.16 is
/// #eee on white, pale and yet readable; 1.10 is #f4f4f4 on white, which nobody notices.
const MIN_CONTRAST: f32 = 1.12;
/// Difference of a color channel from which text of the same luminance can be seen. Heuristic.
const MIN_CHANNEL: u8 = 40;

/// Relative luminance of each level of a channel.
static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|level| {
        let share = level as f32 / 255.0;
        if share <= 0.040_45 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    })
});

fn luminance(color: [u8; 3]) -> f32 {
    let [red, green, blue] = color.map(|level| LINEAR[usize::from(level)]);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Returns true if a reader can distinguish the two colors.
pub fn can_tell(one: [u8; 3], other: [u8; 3]) -> bool {
    if one == other {
        return false;
    }
    let far = one
        .iter()
        .zip(other)
        .any(|(&left, right)| left.abs_diff(right) >= MIN_CHANNEL);
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    far || one.max(other) / one.min(other) >= MIN_CONTRAST
}

/// Number of pixels that must differ for a text to be visible; a full stop has more.
const MIN_PIXELS: usize = 3;
/// Largest gap between two lines that are compared in the same picture, in px. An additional
/// picture costs about as much as this many rows.
const MAX_GAP_PX: u32 = 400;
/// Largest number of pictures of parts of the page.
const MAX_AREAS: usize = 4;

/// A part of the page image, in px.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    /// Index of the first column.
    pub left: u32,
    /// Index of the first row.
    pub top: u32,
    /// Width in pixels of the image.
    pub width: u32,
    /// Height in pixels of the image.
    pub height: u32,
}

impl Area {
    /// The smallest area that contains both.
    fn around(self, other: Self) -> Self {
        let (left, top) = (self.left.min(other.left), self.top.min(other.top));
        let right = (self.left + self.width).max(other.left + other.width);
        let bottom = (self.top + self.height).max(other.top + other.height);
        Self {
            left,
            top,
            width: right - left,
            height: bottom - top,
        }
    }
}

/// The parts of a picture of this size that contain these texts, from top to bottom, without common
/// rows.
pub fn areas(layout: &Layout, texts: &[NodeId], picture: [u32; 2]) -> Vec<Area> {
    let mut lines: Vec<Area> = Vec::new();
    for line in texts.iter().flat_map(|&text| layout.lines(text)) {
        let columns = clamped(line.rect.x, line.rect.right(), 0, picture[0]);
        let rows = clamped(line.rect.y, line.rect.bottom(), 0, picture[1]);
        if !columns.is_empty() && !rows.is_empty() {
            let (width, height) = (columns.len() as u32, rows.len() as u32);
            lines.push(Area {
                left: columns.start,
                top: rows.start,
                width,
                height,
            });
        }
    }
    lines.sort_unstable_by_key(|line| line.top);
    let mut joined: Vec<Area> = Vec::new();
    for line in lines {
        match joined.last_mut() {
            Some(last) if line.top <= (last.top + last.height).saturating_add(MAX_GAP_PX) => {
                *last = last.around(line);
            }
            _ => joined.push(line),
        }
    }
    while joined.len() > MAX_AREAS {
        let gap =
            |index: &usize| joined[index + 1].top - (joined[*index].top + joined[*index].height);
        let nearest = (0..joined.len() - 1).min_by_key(gap).unwrap_or(0);
        joined[nearest] = joined[nearest].around(joined[nearest + 1]);
        joined.remove(nearest + 1);
    }
    joined
}

/// Returns true if two pictures of an area differ visibly in the lines of a text; `None` if the
/// area contains no line of it.
pub fn differs(
    layout: &Layout,
    text: NodeId,
    area: Area,
    with: &RgbImage,
    without: &RgbImage,
) -> Option<bool> {
    let (width, height) = (
        with.width().min(without.width()),
        with.height().min(without.height()),
    );
    let mut is_inside = false;
    let mut found = 0;
    for line in layout.lines(text) {
        let columns = clamped(line.rect.x, line.rect.right(), area.left, width);
        let rows = clamped(line.rect.y, line.rect.bottom(), area.top, height);
        is_inside |= !columns.is_empty() && !rows.is_empty();
        for y in rows {
            for x in columns.clone() {
                found += usize::from(can_tell(with.get_pixel(x, y).0, without.get_pixel(x, y).0));
                if found >= MIN_PIXELS {
                    return Some(true);
                }
            }
        }
    }
    is_inside.then_some(false)
}

/// The pixels between two positions on the page, in a picture that begins at `start` and has
/// `length` pixels.
fn clamped(from: f32, to: f32, start: u32, length: u32) -> std::ops::Range<u32> {
    let near = |px: f32| (px - start as f32).clamp(0.0, length as f32) as u32;
    near(from.floor())..near(to.ceil())
}

/// Boxes that stay with the viewport, and dialogs: text under them can be read after scrolling or
/// closing them.
pub struct Overlays {
    /// Each box, with the boxes in it that hide what is under them.
    roots: Vec<(NodeId, Vec<CssRect>)>,
}

impl Overlays {
    /// Finds the overlays of a page.
    pub fn find(dom: &Dom, layout: &Layout) -> Self {
        let is_root = |id: NodeId| {
            dom.tag(id) == "dialog"
                || layout.style(id).is_some_and(|style| {
                    matches!(style.position, Position::Fixed | Position::Sticky)
                })
        };
        let hides = |id: NodeId| {
            layout.style(id).is_some_and(|style| {
                style.is_visible
                    && (style.background[3] > 0
                        || style.has_background_image
                        || style.opacity < 1.0)
            }) || matches!(dom.tag(id), "img" | "svg" | "canvas" | "video" | "iframe")
        };
        let boxes = |root: NodeId| {
            (root.index()..dom.end(root))
                .map(NodeId::new)
                .filter(|&id| dom.is_element(id) && hides(id))
                .filter_map(|id| layout.rect(id))
                .collect()
        };
        let roots = dom
            .ids()
            .filter(|&id| dom.is_element(id) && is_root(id))
            .map(|id| (id, boxes(id)))
            .collect();
        Self { roots }
    }

    /// The overlays that cover part of a text and do not contain it.
    fn over<'a>(
        &'a self,
        dom: &'a Dom,
        layout: &'a Layout,
        text: NodeId,
    ) -> impl Iterator<Item = NodeId> + 'a {
        let is_over = move |rects: &[CssRect]| {
            let lines = layout.lines(text);
            rects.iter().any(|&rect| {
                lines
                    .iter()
                    .any(|line| !line.rect.intersection(rect).is_empty())
            })
        };
        let roots = self
            .roots
            .iter()
            .filter(move |(root, _)| !dom.contains(*root, text));
        roots
            .filter(move |(_, rects)| is_over(rects))
            .map(|&(root, _)| root)
    }

    /// Returns true if an overlay covers part of a text that is not in it.
    pub fn are_over(&self, dom: &Dom, layout: &Layout, text: NodeId) -> bool {
        self.over(dom, layout, text).next().is_some()
    }

    /// Returns true if an overlay that covers part of a text contains one of `texts`.
    pub fn hold_one_over(
        &self,
        dom: &Dom,
        layout: &Layout,
        text: NodeId,
        texts: &[NodeId],
    ) -> bool {
        self.over(dom, layout, text)
            .any(|root| texts.iter().any(|&other| dom.contains(root, other)))
    }
}

/// The kinds of resources that a page requested but did not get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Missing {
    /// True if a style sheet is missing.
    pub sheets: bool,
    /// True if a picture is missing.
    pub pictures: bool,
}

/// Doubts that text is hidden by its color or by a cover if the page does not look as intended: a
/// style sheet is missing (so that neighbors may overlap the text), or a picture behind the text.
pub fn doubt_looks(
    dom: &Dom,
    layout: &Layout,
    missing: Missing,
    found: &mut [(NodeId, Visibility)],
) {
    let is_on_picture = |text: NodeId| {
        let has_picture = |id: NodeId| {
            layout
                .style(id)
                .is_some_and(|style| style.has_background_image)
        };
        dom.ancestors(text).any(has_picture)
    };
    for (text, visibility) in found {
        let is_in_doubt = match *visibility {
            Visibility::Hidden(HiddenCause::SameColor) => {
                missing.sheets || (missing.pictures && is_on_picture(*text))
            }
            Visibility::Hidden(HiddenCause::Covered) => missing.sheets,
            _ => false,
        };
        if let (true, Visibility::Hidden(cause)) = (is_in_doubt, *visibility) {
            *visibility = Visibility::Doubted(cause);
        }
    }
}

/// Share of a page's text above which transparent text is the content itself, which a script would
/// fade in. Heuristic.
const MAX_TRANSPARENT_SHARE: f64 = 0.5;
/// Number of transparent letters from which a page may be one that a script fades in. Heuristic:
/// less is a notice.
const MIN_TRANSPARENT_LETTERS: usize = 200;

/// Doubts that transparent text is hidden if it is most of the page: a script would show it.
pub fn doubt_transparent(dom: &Dom, found: &mut [(NodeId, Visibility)]) {
    const TRANSPARENT: Visibility = Visibility::Hidden(HiddenCause::Transparent);
    let letters = |text: NodeId| dom.text(text).map_or(0, count_letters);
    let all: usize = found.iter().map(|&(text, _)| letters(text)).sum();
    let transparent: usize = found
        .iter()
        .filter(|(_, visibility)| *visibility == TRANSPARENT)
        .map(|&(text, _)| letters(text))
        .sum();
    if transparent >= MIN_TRANSPARENT_LETTERS
        && transparent as f64 > MAX_TRANSPARENT_SHARE * all as f64
    {
        for (_, visibility) in found
            .iter_mut()
            .filter(|(_, visibility)| *visibility == TRANSPARENT)
        {
            *visibility = Visibility::Doubted(HiddenCause::Transparent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{CssRect, DomBuilder, LineBox, Style};
    use image::Rgb;

    /// The verdict on a line of 20 letters in a box of this style and size.
    fn verdict(style: &Style, holder: CssRect, line: CssRect, has_pixels: bool) -> Verdict {
        verdict_on("twentylettersinaline", style, holder, line, has_pixels)
    }

    fn verdict_on(
        text: &str,
        style: &Style,
        holder: CssRect,
        line: CssRect,
        has_pixels: bool,
    ) -> Verdict {
        let mut builder = DomBuilder::new();
        let element = builder.open("div", vec![]);
        let text = builder.text(text);
        let dom = builder.finish();
        let mut layout = Layout::new(dom.len(), 1000.0, 1000.0);
        layout.set(element, holder, style, 0, &[]);
        layout.set(
            text,
            line,
            style,
            0,
            &[LineBox {
                rect: line,
                start: 0,
                length: 20,
            }],
        );
        let geometry = Geometry::measure(&dom, &layout, [1000, 800]);
        assert_eq!(geometry.texts().collect::<Vec<_>>(), [text]);
        geometry.decide(text, has_pixels)
    }

    #[test]
    fn boxes_decide_where_they_suffice() {
        const LINE: CssRect = CssRect {
            x: 10.0,
            y: 10.0,
            width: 200.0,
            height: 20.0,
        };
        let at = |x: f32, y: f32, width: f32, height: f32| CssRect {
            x,
            y,
            width,
            height,
        };
        let hidden = |cause| Verdict::Known(Visibility::Hidden(cause));
        let unknown = Verdict::Known(Visibility::Unknown);
        let clips = Style {
            clips: true,
            ..Style::default()
        };
        let plain = Style::default();
        for (style, holder, line, has_pixels, expected) in [
            (
                &plain,
                LINE,
                LINE,
                true,
                Verdict::Look(HiddenCause::SameColor),
            ),
            (
                &plain,
                LINE,
                LINE,
                false,
                Verdict::Look(HiddenCause::Covered),
            ),
            (
                &plain,
                LINE,
                at(-9999.0, 10.0, 200.0, 20.0),
                false,
                hidden(HiddenCause::OffPage),
            ),
            (
                &plain,
                LINE,
                at(10.0, -50.0, 200.0, 20.0),
                false,
                hidden(HiddenCause::OffPage),
            ),
            (
                &plain,
                LINE,
                at(10.0, 10.0, 20.0, 1.0),
                true,
                hidden(HiddenCause::TooSmall),
            ),
            (
                &plain,
                LINE,
                at(10.0, 10.0, 0.2, 20.0),
                true,
                hidden(HiddenCause::TooSmall),
            ),
            (
                &plain,
                LINE,
                at(10.0, 10.0, 12.0, 20.0),
                true,
                hidden(HiddenCause::TooSmall),
            ),
            (
                &plain,
                LINE,
                at(10.0, 10.0, 20.0, 300.0),
                true,
                Verdict::Look(HiddenCause::SameColor),
            ),
            (&plain, LINE, at(10.0, 900.0, 200.0, 20.0), false, unknown),
            (
                &clips,
                at(10.0, 10.0, 1.0, 1.0),
                LINE,
                false,
                hidden(HiddenCause::Clipped),
            ),
            // A positioned text may leave the box.
            (
                &clips,
                at(10.0, 10.0, 1.0, 1.0),
                LINE,
                true,
                Verdict::Look(HiddenCause::SameColor),
            ),
            // The slide of a carousel.
            (
                &clips,
                at(10.0, 10.0, 300.0, 50.0),
                at(400.0, 10.0, 200.0, 20.0),
                false,
                unknown,
            ),
            (
                &Style {
                    opacity: 0.05,
                    ..Style::default()
                },
                LINE,
                LINE,
                true,
                hidden(HiddenCause::Transparent),
            ),
            (
                &Style {
                    color: [0; 4],
                    ..Style::default()
                },
                LINE,
                LINE,
                true,
                Verdict::Look(HiddenCause::Transparent),
            ),
        ] {
            assert_eq!(
                verdict(style, holder, line, has_pixels),
                expected,
                "{style:?} {holder:?} {line:?}"
            );
        }
    }

    /// The verdict on the text of `html` in the element `#text`, where every element has the box
    /// that its attribute `box` gives (x, y, width, height), and clips if it has `clips`.
    fn verdict_in(html: &str, picture: [u32; 2]) -> Verdict {
        let dom = crate::html::parse_html(html);
        let mut layout = Layout::new(dom.len(), 1000.0, 1000.0);
        let mut text = None;
        for id in dom.ids() {
            let holder = if dom.is_element(id) {
                id
            } else {
                dom.parent(id).unwrap_or(id)
            };
            let Some(sides) = dom.attribute(holder, "box") else {
                continue;
            };
            let sides: Vec<f32> = sides.split(' ').map(|side| side.parse().unwrap()).collect();
            let rect = CssRect {
                x: sides[0],
                y: sides[1],
                width: sides[2],
                height: sides[3],
            };
            let style = Style {
                clips: dom.attribute(holder, "clips").is_some(),
                ..Style::default()
            };
            let line = LineBox {
                rect,
                start: 0,
                length: 20,
            };
            layout.set(
                id,
                rect,
                &style,
                0,
                if dom.is_element(id) {
                    &[]
                } else {
                    std::slice::from_ref(&line)
                },
            );
            if dom.text(id).is_some_and(|text| text.contains("letters")) {
                text = Some(id);
            }
        }
        Geometry::measure(&dom, &layout, picture).decide(text.expect("a text"), false)
    }

    #[test]
    fn a_section_that_one_click_opens_is_not_hidden() {
        let known = |html: &str| verdict_in(html, [1000, 1000]);
        let clipped = Verdict::Known(Visibility::Hidden(HiddenCause::Clipped));
        let folded = |attributes: &str| {
            known(&format!(
                "<button aria-controls=answer>+</button><hr><div box='0 100 600 0' clips {attributes}>\
                 <p box='0 100 300 20'>twenty letters in it</p></div>"
            ))
        };
        assert_eq!(folded(""), clipped);
        assert_eq!(folded("id=question"), clipped);
        for panel in [
            "id=answer",
            "role=tabpanel",
            "class='Accordion-body'",
            "class=faq-answer",
        ] {
            assert_eq!(
                folded(panel),
                Verdict::Known(Visibility::Unknown),
                "{panel}"
            );
        }
        // Boxes for screen readers have lost both sides.
        let tiny = "<a href='#answer'>+</a><div id=answer box='0 100 1 1' clips><p box='0 100 300 20'>letters</p></div>";
        assert_eq!(known(tiny), clipped);
    }

    #[test]
    fn nothing_is_known_of_boxes_below_the_picture() {
        let page = "<div box='0 5000 1 1' clips><p box='0 5000 300 20'>letters</p></div>";
        assert_eq!(
            verdict_in(page, [1000, 1000]),
            Verdict::Known(Visibility::Unknown)
        );
        assert_eq!(
            verdict_in(page, [1000, 6000]),
            Verdict::Known(Visibility::Hidden(HiddenCause::Clipped))
        );
    }

    #[test]
    fn the_flow_of_a_page_that_begins_above_it_is_not_off_the_page() {
        let off = Verdict::Known(Visibility::Hidden(HiddenCause::OffPage));
        let flow = "<div box='0 -900 800 1800'><p box='0 -500 300 20'>letters</p><p box='0 500 300 20'>more</p></div>";
        assert_eq!(
            verdict_in(flow, [1000, 1000]),
            Verdict::Known(Visibility::Unknown)
        );
        let moved = "<div box='0 0 800 900'><p box='0 -500 300 20'>letters</p><p box='0 500 300 20'>more</p></div>";
        assert_eq!(verdict_in(moved, [1000, 1000]), off);
        let all_above = "<div box='0 -900 800 890'><p box='0 -500 300 20'>letters</p></div>";
        assert_eq!(verdict_in(all_above, [1000, 1000]), off);
        let left = "<div box='0 -900 800 1800'><p box='-5000 -500 300 20'>letters</p></div>";
        assert_eq!(verdict_in(left, [1000, 1000]), off);
    }

    #[test]
    fn looks_are_doubted_where_styles_or_pictures_are_missing() {
        let doubted = |missing: Missing, has_picture: bool, cause: HiddenCause| {
            let mut builder = DomBuilder::new();
            let element = builder.open("div", vec![]);
            let text = builder.text("white on white");
            let dom = builder.finish();
            let mut layout = Layout::new(dom.len(), 100.0, 100.0);
            let style = Style {
                has_background_image: has_picture,
                ..Style::default()
            };
            layout.set(element, CssRect::default(), &style, 0, &[]);
            let mut found = [(text, Visibility::Hidden(cause))];
            doubt_looks(&dom, &layout, missing, &mut found);
            found[0].1 == Visibility::Doubted(cause)
        };
        let (sheets, pictures) = (
            Missing {
                sheets: true,
                pictures: false,
            },
            Missing {
                sheets: false,
                pictures: true,
            },
        );
        assert!(doubted(sheets, false, HiddenCause::SameColor));
        assert!(doubted(pictures, true, HiddenCause::SameColor));
        assert!(!doubted(pictures, false, HiddenCause::SameColor));
        assert!(!doubted(Missing::default(), true, HiddenCause::SameColor));
        assert!(doubted(sheets, false, HiddenCause::Covered));
        assert!(
            !doubted(pictures, true, HiddenCause::Covered)
                && !doubted(sheets, true, HiddenCause::TooSmall)
        );
    }

    #[test]
    fn white_space_of_the_source_is_no_letter() {
        let line = CssRect {
            x: 10.0,
            y: 10.0,
            width: 8.0,
            height: 17.0,
        };
        let text = "\n                  /\n          ";
        let found = verdict_on(text, &Style::default(), line, line, true);
        assert_eq!(found, Verdict::Look(HiddenCause::SameColor));
    }

    #[test]
    fn right_to_left_pages_may_have_text_on_the_left() {
        let style = Style {
            is_right_to_left: true,
            ..Style::default()
        };
        let line = CssRect {
            x: -500.0,
            y: 10.0,
            width: 200.0,
            height: 20.0,
        };
        assert_eq!(
            verdict(&style, line, line, false),
            Verdict::Known(Visibility::Unknown)
        );
    }

    #[test]
    fn pale_gray_is_seen_and_almost_white_is_not() {
        let gray = |level: u8| [level; 3];
        for (one, other, seen) in [
            (gray(255), gray(255), false),
            (gray(255), gray(250), false),
            (gray(255), gray(238), true),
            (gray(255), gray(221), true),
            (gray(0), gray(8), false),
            (gray(0), gray(34), true),
            // Equal luminance, different hues.
            ([200, 0, 0], [0, 108, 0], true),
            ([255, 255, 255], [255, 255, 0], true),
            ([255, 255, 255], [254, 255, 251], false),
        ] {
            assert_eq!(
                (can_tell(one, other), can_tell(other, one)),
                (seen, seen),
                "{one:?} {other:?}"
            );
        }
    }

    fn laid_out(lines: &[(f32, f32)]) -> (Layout, Vec<NodeId>) {
        let mut layout = Layout::new(lines.len(), 100.0, 9000.0);
        let mut ids = Vec::new();
        for (index, &(y, height)) in lines.iter().enumerate() {
            let rect = CssRect {
                x: 10.0,
                y,
                width: 50.0,
                height,
            };
            layout.set(
                NodeId::new(index),
                rect,
                &Style::default(),
                0,
                &[LineBox {
                    rect,
                    start: 0,
                    length: 9,
                }],
            );
            ids.push(NodeId::new(index));
        }
        (layout, ids)
    }

    #[test]
    fn near_lines_are_in_one_area_and_no_page_has_many() {
        let (layout, ids) = laid_out(&[(900.0, 20.0), (10.5, 20.0), (100.0, 20.0), (5000.0, 9e9)]);
        let found = areas(&layout, &ids, [90, 6000]);
        let area = |top, height| Area {
            left: 10,
            top,
            width: 50,
            height,
        };
        assert_eq!(found, [area(10, 110), area(900, 20), area(5000, 1000)]);
        let many: Vec<(f32, f32)> = (0..9).map(|index| (index as f32 * 1000.0, 20.0)).collect();
        let (layout, ids) = laid_out(&many);
        let found = areas(&layout, &ids, [40, 9000]);
        assert_eq!((found.len(), found[0].width), (MAX_AREAS, 30));
        assert_eq!(
            found.iter().map(|area| area.top + area.height).max(),
            Some(8020)
        );
    }

    #[test]
    fn only_visible_differences_in_the_lines_count() {
        let (layout, ids) = laid_out(&[(110.0, 10.0), (500.0, 10.0)]);
        let without = RgbImage::from_pixel(90, 50, Rgb([255; 3]));
        let mut with = without.clone();
        let area = Area {
            left: 4,
            top: 100,
            width: 90,
            height: 50,
        };
        let told = |with: &RgbImage| {
            [0, 1].map(|index| differs(&layout, ids[index], area, with, &without))
        };
        with.put_pixel(4, 15, Rgb([0; 3]));
        with.put_pixel(5, 15, Rgb([0; 3]));
        with.put_pixel(56, 15, Rgb([0; 3]));
        for x in 10..20 {
            with.put_pixel(x, 15, Rgb([251; 3]));
            with.put_pixel(x, 5, Rgb([0; 3]));
        }
        assert_eq!(told(&with), [Some(false), None]);
        for x in 10..13 {
            with.put_pixel(x, 15, Rgb([230; 3]));
        }
        assert_eq!(told(&with), [Some(true), None]);
    }

    #[test]
    fn banners_that_stay_with_the_viewport_are_over_the_text() {
        let mut builder = DomBuilder::new();
        let text = builder.text("main text");
        let banner = builder.open("div", vec![]);
        let notice = builder.text("cookies");
        builder.close();
        let dom = builder.finish();
        let mut layout = Layout::new(dom.len(), 100.0, 100.0);
        let rect = CssRect {
            x: 0.0,
            y: 0.0,
            width: 90.0,
            height: 20.0,
        };
        let line = [LineBox {
            rect,
            start: 0,
            length: 9,
        }];
        layout.set(text, rect, &Style::default(), 0, &line);
        layout.set(notice, rect, &Style::default(), 0, &line);
        let fixed = Style {
            position: Position::Fixed,
            ..Style::default()
        };
        layout.set(banner, rect, &fixed, 0, &[]);
        assert!(
            !Overlays::find(&dom, &layout).are_over(&dom, &layout, text),
            "it has no background"
        );
        layout.set(
            banner,
            rect,
            &Style {
                background: [0, 0, 0, 90],
                ..fixed.clone()
            },
            0,
            &[],
        );
        let overlays = Overlays::find(&dom, &layout);
        assert!(
            overlays.are_over(&dom, &layout, text) && !overlays.are_over(&dom, &layout, notice)
        );
        assert!(overlays.hold_one_over(&dom, &layout, text, &[notice]));
        assert!(!overlays.hold_one_over(&dom, &layout, text, &[text]));
        layout.set(
            banner,
            CssRect { y: 50.0, ..rect },
            &Style {
                background: [255; 4],
                ..fixed
            },
            0,
            &[],
        );
        assert!(!Overlays::find(&dom, &layout).are_over(&dom, &layout, text));
    }

    fn left(texts: &[(usize, Visibility)]) -> Vec<Visibility> {
        let mut builder = DomBuilder::new();
        let mut found: Vec<_> = texts
            .iter()
            .map(|&(letters, showing)| (builder.text(&"x".repeat(letters)), showing))
            .collect();
        doubt_transparent(&builder.finish(), &mut found);
        found.into_iter().map(|(_, showing)| showing).collect()
    }

    #[test]
    fn a_page_that_a_script_fades_in_is_kept() {
        let (shown, doubted) = (
            Visibility::Shown,
            Visibility::Doubted(HiddenCause::Transparent),
        );
        let [clear, covered] =
            [HiddenCause::Transparent, HiddenCause::Covered].map(Visibility::Hidden);
        assert_eq!(left(&[(300, clear), (400, shown)]), [clear, shown]);
        assert_eq!(left(&[(500, clear), (400, shown)]), [doubted, shown]);
        assert_eq!(left(&[(150, clear), (100, shown)]), [clear, shown]);
        assert_eq!(left(&[(900, covered), (100, shown)]), [covered, shown]);
    }
}
