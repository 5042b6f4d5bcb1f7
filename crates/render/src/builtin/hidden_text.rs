//! Determines the text nodes of a page that a reader sees: by their boxes, their colors and the
//! effects around them, and, if that leaves a doubt, by painting the page with and without text.
//!
//! Colors are blended at a few points of each line fragment, in painting order: the backgrounds
//! below it, and the layers painted over it later. Pictures and gradients have no known color; text
//! on them counts as visible.

use super::paint::with_and_without_text;
use super::styles::{Effect, read_effects};
use super::tree::BuiltPage;
use style::computed_values::mix_blend_mode::T as MixBlendMode;
use vclean_core::capture::{
    CssRect, Display, Dom, HiddenCause, Layout, NodeId, NodeMask, Visibility,
};
use vclean_core::rendering::{
    Background, Geometry, LineFragment, Missing, Overlays, Paint, Sketch, Verdict, areas, can_tell,
    differs, doubt_looks, doubt_transparent,
};

/// Decides for every text node of the page. If a text is in doubt, the page is painted, which
/// changes the document.
pub(super) fn decide(
    dom: &Dom,
    layout: &Layout,
    sketch: &Sketch,
    mask: &NodeMask,
    missing: Missing,
    built: &mut BuiltPage,
) -> Vec<(NodeId, Visibility)> {
    let size = [mask.width(), mask.height()];
    let effects = read_effects(dom, built);
    let geometry = Geometry::measure(dom, layout, size);
    let appearances = appearances(dom, layout, sketch, &effects, &geometry, size[1]);
    let mut has_pixels = vec![false; dom.len()];
    for run in mask.runs() {
        if let Some(own) = has_pixels.get_mut(run.owner as usize) {
            *own = true;
        }
    }
    let mut found = Vec::new();
    let mut in_doubt: Vec<(usize, NodeId, HiddenCause)> = Vec::new();
    for text in geometry.texts() {
        let index = text.index();
        let effect = &effects[index];
        let verdict = geometry.decide(text, has_pixels[index]);
        let showing = match (verdict, effect.hidden) {
            (Verdict::Known(Visibility::Hidden(HiddenCause::Transparent)), _)
                if effect.fades_in =>
            {
                Visibility::Unknown
            }
            (Verdict::Known(showing @ Visibility::Hidden(_)), _)
            | (Verdict::Known(showing), None) => showing,
            (_, Some(cause)) => Visibility::Hidden(cause),
            (Verdict::Look(cause), None) => match by_colors(appearances[index], effect, cause) {
                Err(cause)
                    if is_beyond_painter(
                        dom,
                        layout,
                        text,
                        effect,
                        appearances[index],
                        has_pixels[index],
                    ) =>
                {
                    Visibility::Hidden(cause)
                }
                Ok(showing) => showing,
                Err(cause) => {
                    in_doubt.push((found.len(), text, cause));
                    Visibility::Unknown
                }
            },
        };
        found.push((text, showing));
    }
    if !in_doubt.is_empty() {
        let texts: Vec<NodeId> = in_doubt.iter().map(|&(_, text, _)| text).collect();
        let areas = areas(layout, &texts, size);
        let painted = with_and_without_text(&mut built.document, size, &areas);
        for (place, text, cause) in in_doubt {
            let told = areas.iter().zip(&painted);
            let seen = told
                .filter_map(|(area, (with, without))| differs(layout, text, *area, with, without));
            found[place].1 = match seen.reduce(|one, other| one || other) {
                Some(true) => Visibility::Shown,
                Some(false) => Visibility::Hidden(cause),
                None => Visibility::Unknown,
            };
        }
    }
    let overlays = Overlays::find(dom, layout);
    for (text, showing) in &mut found {
        let is_painted_over = matches!(
            showing,
            Visibility::Hidden(
                HiddenCause::Covered | HiddenCause::SameColor | HiddenCause::NotPainted
            )
        );
        if is_painted_over && overlays.are_over(dom, layout, *text) {
            *showing = Visibility::Unknown;
        }
    }
    doubt_looks(dom, layout, missing, &mut found);
    doubt_transparent(dom, &mut found);
    found
}

/// Determines the appearance of each text node, by index; `None` for those without a drawn line.
fn appearances(
    dom: &Dom,
    layout: &Layout,
    sketch: &Sketch,
    effects: &[Effect],
    geometry: &Geometry<'_>,
    height: u32,
) -> Vec<Option<Appearance>> {
    let backgrounds = Backgrounds::new(sketch.backgrounds(), height);
    let mut appearances: Vec<Option<Appearance>> = vec![None; dom.len()];
    for (at, fragment) in sketch.fragments() {
        let Some(owner) = fragment.owner else {
            continue;
        };
        let known = &mut appearances[owner.index()];
        if *known < Some(Appearance::Visible) {
            let own_ground = undrawn_ground(dom, layout, owner);
            let effect = &effects[owner.index()];
            let appearance =
                backgrounds.appearance((at, fragment), own_ground, effect, geometry.opacity(owner));
            *known = (*known).max(Some(appearance));
        }
    }
    appearances
}

/// Returns the background of an inline element around a text, if no other background is between
/// them: `boxes` does not draw it, since the engine has no box for it. (The engine has no boxes for
/// rows either, and does not report their style.)
fn undrawn_ground(dom: &Dom, layout: &Layout, text: NodeId) -> Option<[u8; 4]> {
    let mut at = dom.parent(text)?;
    let mut is_holder = true;
    loop {
        if let Some(style) = layout.style(at) {
            if style.has_background_image {
                return None;
            }
            if style.background[3] >= 250 {
                let is_undrawn = style.display == Display::Inline && !is_holder;
                return is_undrawn.then_some(style.background);
            }
        }
        is_holder = false;
        at = dom.parent(at)?;
    }
}

/// Decides by colors and effects. An error is the cause to name if the text is invisible in the
/// painted page too.
fn by_colors(
    appearance: Option<Appearance>,
    effect: &Effect,
    cause: HiddenCause,
) -> Result<Visibility, HiddenCause> {
    if effect.shows_background {
        return Ok(Visibility::Shown);
    }
    let is_seen = matches!(
        appearance,
        Some(Appearance::Visible | Appearance::OnPicture)
    );
    if effect.is_filtered {
        // Pictures are not painted, so text on them cannot be compared.
        return if appearance == Some(Appearance::OnPicture) {
            Ok(Visibility::Unknown)
        } else {
            Err(HiddenCause::NotPainted)
        };
    }
    if is_seen {
        return Ok(Visibility::Shown);
    }
    let cause = match (cause, appearance) {
        (HiddenCause::Transparent, _) => HiddenCause::Transparent,
        (_, Some(Appearance::Covered)) => HiddenCause::Covered,
        (_, Some(_)) => HiddenCause::SameColor,
        (cause, None) => cause,
    };
    Err(cause)
}

/// Returns true if painting the page cannot decide about a text with no visible color: the painter
/// supports neither fill colors nor blending nor the backgrounds of inline elements, and it also
/// omits the text of elements that cover this one.
fn is_beyond_painter(
    dom: &Dom,
    layout: &Layout,
    text: NodeId,
    effect: &Effect,
    appearance: Option<Appearance>,
    has_pixels: bool,
) -> bool {
    !effect.is_filtered
        && (effect.fill.is_some()
            || effect.blend != MixBlendMode::Normal
            || (appearance == Some(Appearance::Covered) && !has_pixels)
            || undrawn_ground(dom, layout, text).is_some())
}

/// Height of the bands in which backgrounds are looked up, in px.
const BAND_PX: f32 = 128.0;
/// Points of a line fragment at which colors are blended, as shares of its width and height.
const POINTS: [(f32, f32); 6] = [
    (0.05, 0.5),
    (0.3, 0.3),
    (0.5, 0.6),
    (0.7, 0.3),
    (0.9, 0.6),
    (0.98, 0.5),
];
/// Alpha from which a background hides the layers below it.
const OPAQUE: f32 = 0.99;
/// Alpha below which a text is invisible on any background, of 255.
const MIN_INK_ALPHA: f32 = 5.0;
/// Highest level of a color channel.
const FULL: f32 = 255.0;

/// Appearance of a text at the points of its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Appearance {
    /// It is invisible because of a layer painted later.
    Covered,
    /// It is invisible for another reason.
    Hidden,
    /// It is on a picture or gradient, whose colors are not known.
    OnPicture,
    /// Its color differs visibly from the background.
    Visible,
}

/// The backgrounds of a page in painting order, by the bands that they overlap.
struct Backgrounds<'a> {
    grounds: Vec<(usize, &'a Background)>,
    bands: Vec<Vec<u32>>,
}

impl<'a> Backgrounds<'a> {
    /// Collects the backgrounds among the numbered commands of a sketch, for a page of this height.
    pub(super) fn new(grounds: impl Iterator<Item = (usize, &'a Background)>, height: u32) -> Self {
        let grounds: Vec<(usize, &Background)> = grounds.collect();
        let mut bands = vec![Vec::new(); (height as f32 / BAND_PX) as usize + 1];
        let last = bands.len() - 1;
        for (number, (_, ground)) in grounds.iter().enumerate() {
            let band = |y: f32| ((y / BAND_PX).max(0.0) as usize).min(last);
            for band in &mut bands[band(ground.rect.y)..=band(ground.rect.bottom())] {
                band.push(number as u32);
            }
        }
        Self { grounds, bands }
    }

    /// Determines the appearance of the fragment that was drawn as command `at`. `own_ground` is
    /// the background of an element around it that has no box to be drawn; `opacity` is that of all
    /// elements around it.
    fn appearance(
        &self,
        (at, fragment): (usize, &LineFragment),
        own_ground: Option<[u8; 4]>,
        effect: &Effect,
        opacity: f32,
    ) -> Appearance {
        let rect = fragment.rect.intersection(fragment.clip);
        if rect.is_empty() {
            return Appearance::Hidden;
        }
        let own = effect.fill.unwrap_or(fragment.style.color);
        let is_inked = |ink: &[u8; 4]| f32::from(ink[3]) * opacity >= MIN_INK_ALPHA;
        let inks: Vec<[u8; 4]> = [Some(own), effect.shadow, effect.stroke]
            .into_iter()
            .flatten()
            .filter(is_inked)
            .collect();
        if inks.is_empty() {
            return Appearance::Hidden;
        }
        let look = |&(across, down): &(f32, f32)| {
            let point = (rect.x + across * rect.width, rect.y + down * rect.height);
            self.appearance_at(point, at, own_ground, |below| {
                inked(below, &inks, effect.blend, opacity)
            })
        };
        POINTS.iter().map(look).max().unwrap_or(Appearance::Visible)
    }

    /// Blends the colors at a point, where `ink` paints the text.
    fn appearance_at(
        &self,
        point: (f32, f32),
        at: usize,
        own_ground: Option<[u8; 4]>,
        ink: impl Fn(Option<[f32; 3]>) -> (Vec<Option<[f32; 3]>>, bool),
    ) -> Appearance {
        let band = ((point.1 / BAND_PX).max(0.0) as usize).min(self.bands.len() - 1);
        let mut below = Some([FULL; 3]);
        let mut above: Vec<Option<[f32; 3]>> = Vec::new();
        let mut was_seen = false;
        let mut is_begun = false;
        for &number in &self.bands[band] {
            let (order, ground) = self.grounds[number as usize];
            if !contains(ground.rect, point) {
                continue;
            }
            if order > at && !is_begun {
                below = own_ground.map(channels).or(below);
                (above, was_seen) = ink(below);
                is_begun = true;
            }
            let covered = |color: Option<[f32; 3]>| match ground.paint {
                Paint::Color(own) if ground.alpha >= OPAQUE => Some(channels(own)),
                Paint::Color(own) => color.map(|color| mixed(color, channels(own), ground.alpha)),
                Paint::Unknown => None,
                Paint::Picture => Some([128.0; 3]),
            };
            // A picture hides the layers below it, and text on it counts as visible.
            below = if matches!(ground.paint, Paint::Picture) && !is_begun {
                None
            } else {
                covered(below)
            };
            if is_begun {
                above = above.into_iter().map(covered).collect();
            }
        }
        if !is_begun {
            below = own_ground.map(channels).or(below);
            (above, was_seen) = ink(below);
        }
        let Some(below) = below else {
            return Appearance::OnPicture;
        };
        let is_seen = above
            .iter()
            .any(|color| color.is_none_or(|color| can_tell(levels(color), levels(below))));
        match (is_seen, was_seen) {
            (true, _) => Appearance::Visible,
            (false, true) => Appearance::Covered,
            (false, false) => Appearance::Hidden,
        }
    }
}

/// Returns the colors of a text on a background, and true if one of them is visible there.
fn inked(
    below: Option<[f32; 3]>,
    inks: &[[u8; 4]],
    blend: MixBlendMode,
    opacity: f32,
) -> (Vec<Option<[f32; 3]>>, bool) {
    let Some(ground) = below else {
        return (vec![None; inks.len()], true);
    };
    let colors: Vec<[f32; 3]> = inks
        .iter()
        .map(|ink| {
            mixed(
                ground,
                blended(ground, channels(*ink), blend),
                f32::from(ink[3]) / FULL * opacity,
            )
        })
        .collect();
    let is_seen = colors
        .iter()
        .any(|color| can_tell(levels(*color), levels(ground)));
    (colors.into_iter().map(Some).collect(), is_seen)
}

/// Applies a blend mode to a color on a background (Compositing and Blending Level 1, section 5.8);
/// for modes that are not supported, the result is the color.
fn blended(ground: [f32; 3], color: [f32; 3], blend: MixBlendMode) -> [f32; 3] {
    let channel = |index: usize| {
        let (ground, color) = (ground[index] / FULL, color[index] / FULL);
        FULL * match blend {
            MixBlendMode::Multiply => ground * color,
            MixBlendMode::Screen => ground + color - ground * color,
            MixBlendMode::Darken => ground.min(color),
            MixBlendMode::Lighten => ground.max(color),
            MixBlendMode::Difference => (ground - color).abs(),
            MixBlendMode::Exclusion => ground + color - 2.0 * ground * color,
            MixBlendMode::PlusLighter => (ground + color).min(1.0),
            _ => color,
        }
    };
    std::array::from_fn(channel)
}

fn mixed(below: [f32; 3], color: [f32; 3], alpha: f32) -> [f32; 3] {
    std::array::from_fn(|channel| below[channel] + (color[channel] - below[channel]) * alpha)
}

fn channels(color: [u8; 4]) -> [f32; 3] {
    [color[0], color[1], color[2]].map(f32::from)
}

fn levels(color: [f32; 3]) -> [u8; 3] {
    color.map(|channel| channel.round().clamp(0.0, FULL) as u8)
}

fn contains(rect: CssRect, (x, y): (f32, f32)) -> bool {
    x >= rect.x && x < rect.right() && y >= rect.y && y < rect.bottom()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHITE: [f32; 3] = [FULL; 3];

    #[test]
    fn blended_text_may_vanish() {
        let seen = |ground, ink: [u8; 4], blend| inked(Some(ground), &[ink], blend, 1.0).1;
        assert!(!seen(WHITE, [90, 90, 90, 255], MixBlendMode::Screen));
        assert!(seen(WHITE, [90, 90, 90, 255], MixBlendMode::Multiply));
        assert!(!seen([20.0; 3], [255; 4], MixBlendMode::Multiply));
        assert!(!seen(WHITE, [0, 0, 0, 255], MixBlendMode::Lighten));
        assert!(seen([0.0; 3], [200, 200, 200, 255], MixBlendMode::Lighten));
        assert!(
            !seen(WHITE, [0, 0, 0, 255], MixBlendMode::Difference),
            "white less black"
        );
    }

    #[test]
    fn what_is_painted_later_may_cover_a_text() {
        let rect = |x: f32, width: f32| CssRect {
            x,
            y: 0.0,
            width,
            height: 20.0,
        };
        let ground = |x, width, paint, alpha| Background {
            rect: rect(x, width),
            paint,
            alpha,
        };
        let appearance = |grounds: &[(usize, Background)]| {
            let backgrounds =
                Backgrounds::new(grounds.iter().map(|(at, ground)| (*at, ground)), 100);
            let ink = |below| inked(below, &[[0, 0, 0, 255]], MixBlendMode::Normal, 1.0);
            backgrounds.appearance_at((50.0, 10.0), 5, None, ink)
        };
        let white = Paint::Color([255; 4]);
        assert_eq!(appearance(&[]), Appearance::Visible);
        assert_eq!(
            appearance(&[(1, ground(0.0, 100.0, Paint::Color([0, 0, 0, 255]), 1.0))]),
            Appearance::Hidden
        );
        assert_eq!(
            appearance(&[(9, ground(0.0, 100.0, white, 1.0))]),
            Appearance::Covered
        );
        assert_eq!(
            appearance(&[(9, ground(0.0, 100.0, white, 0.5))]),
            Appearance::Visible
        );
        assert_eq!(
            appearance(&[(9, ground(60.0, 100.0, white, 1.0))]),
            Appearance::Visible
        );
        assert_eq!(
            appearance(&[(1, ground(0.0, 100.0, Paint::Unknown, 1.0))]),
            Appearance::OnPicture
        );
        assert_eq!(
            appearance(&[(9, ground(0.0, 100.0, Paint::Picture, 1.0))]),
            Appearance::Covered
        );
    }
}
