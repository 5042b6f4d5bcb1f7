//! Which text nodes of a page a reader sees: by their boxes, their colors and the effects around them, and by painting
//! the page with and without text where that leaves a doubt.

use super::effects::{self, Effect};
use super::ink::Sketch;
use super::paint::with_and_without_text;
use super::surface::{Sight, Surface};
use super::tree::BuiltPage;
use crate::capture::{Display, Dom, HiddenCause, Layout, NodeId, NodeMask, Visibility};
use crate::render::showing::{Geometry, Overlays, Verdict, areas, differs, undecided_where_much_is_hidden};
use style::computed_values::mix_blend_mode::T as MixBlendMode;

/// Decides for every text node of the page. The page is painted if there is a text in doubt; it is changed then.
pub(super) fn decide(
    dom: &Dom,
    layout: &Layout,
    sketch: &Sketch,
    mask: &NodeMask,
    built: &mut BuiltPage,
) -> Vec<(NodeId, Visibility)> {
    let size = [mask.width(), mask.height()];
    let effects = effects::read(dom, built);
    let geometry = Geometry::measure(dom, layout, size);
    let sights = sights(dom, layout, sketch, &effects, &geometry, size[1]);
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
            (Verdict::Known(Visibility::Hidden(HiddenCause::Transparent)), _) if effect.fades_in => Visibility::Unknown,
            (Verdict::Known(showing @ Visibility::Hidden(_)), _) | (Verdict::Known(showing), None) => showing,
            (_, Some(cause)) => Visibility::Hidden(cause),
            (Verdict::Look(cause), None) => match by_colors(sights[index], effect, cause) {
                Err(cause) if is_beyond_painter(dom, layout, text, effect, sights[index], has_pixels[index]) => {
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
        let areas = areas(layout, &texts, size[1]);
        let painted = with_and_without_text(&mut built.document, size, &areas);
        for (place, text, cause) in in_doubt {
            let told = areas.iter().zip(&painted);
            let seen = told.filter_map(|(area, (with, without))| differs(layout, text, area.top, with, without));
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
            Visibility::Hidden(HiddenCause::Covered | HiddenCause::SameColor | HiddenCause::NotPainted)
        );
        if is_painted_over && overlays.are_over(dom, layout, *text) {
            *showing = Visibility::Unknown;
        }
    }
    undecided_where_much_is_hidden(dom, &mut found);
    found
}

/// How each text node shows in its lines, by index; `None` for those without a drawn line.
fn sights(
    dom: &Dom,
    layout: &Layout,
    sketch: &Sketch,
    effects: &[Effect],
    geometry: &Geometry<'_>,
    height: u32,
) -> Vec<Option<Sight>> {
    let surface = Surface::new(sketch.grounds(), height);
    let mut sights: Vec<Option<Sight>> = vec![None; dom.len()];
    for (at, fragment) in sketch.fragments() {
        let Some(owner) = fragment.owner else { continue };
        let known = &mut sights[owner.index()];
        if *known < Some(Sight::Seen) {
            let own_ground = undrawn_ground(dom, layout, owner);
            let effect = &effects[owner.index()];
            let sight = surface.sight((at, fragment), own_ground, effect, geometry.opacity(owner));
            *known = (*known).max(Some(sight));
        }
    }
    sights
}

/// The background of an inline element around a text, if no other background is between them: `boxes` does not draw it, as
/// the engine has no box for it. (It has none for rows either, and does not tell their style.)
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

/// The verdict by colors and effects; the cause to be named if the painted page is to be looked at and shows nothing.
fn by_colors(sight: Option<Sight>, effect: &Effect, cause: HiddenCause) -> Result<Visibility, HiddenCause> {
    if effect.shows_background {
        return Ok(Visibility::Shown);
    }
    let is_seen = matches!(sight, Some(Sight::Seen | Sight::OnPicture));
    if effect.is_filtered {
        // Pictures are not painted, so text on them cannot be compared.
        return if sight == Some(Sight::OnPicture) { Ok(Visibility::Unknown) } else { Err(HiddenCause::NotPainted) };
    }
    if is_seen {
        return Ok(Visibility::Shown);
    }
    let cause = match (cause, sight) {
        (HiddenCause::Transparent, _) => HiddenCause::Transparent,
        (_, Some(Sight::Covered)) => HiddenCause::Covered,
        (_, Some(_)) => HiddenCause::SameColor,
        (cause, None) => cause,
    };
    Err(cause)
}

/// Whether the painted page says nothing about a text of which no color is seen: the painter knows neither fill colors
/// nor blending nor the backgrounds of inline elements, and leaves out the text of what covers this one, too.
fn is_beyond_painter(
    dom: &Dom,
    layout: &Layout,
    text: NodeId,
    effect: &Effect,
    sight: Option<Sight>,
    has_pixels: bool,
) -> bool {
    !effect.is_filtered
        && (effect.fill.is_some()
            || effect.blend != MixBlendMode::Normal
            || (sight == Some(Sight::Covered) && !has_pixels)
            || undrawn_ground(dom, layout, text).is_some())
}
