//! Which text nodes of the page a reader sees: by their boxes, by the page image, and by a third look where both leave
//! a doubt.

use super::coloring::ColoredPage;
use super::evidence::{self, Evidence};
use super::picture::Size;
use super::snapshot::Converted;
use super::tab::Tab;
use super::third_look::paints;
use crate::capture::{CssRect, HiddenCause, Layout, NodeId, NodeMask, Picture, Visibility};
use crate::error::{CaptureError, RenderError};
use crate::render::showing::{Geometry, Overlays, Verdict, undecided_where_much_is_hidden};

/// Share of a line that may be under a generated box, such as one that underlines it.
const MAX_UNDER: f32 = 0.25;

/// Decides for every text node of the page; where a doubt is left, and below the end of the page image, the answer is
/// [`Visibility::Unknown`].
///
/// # Errors
/// If a picture is damaged, or the browser fails.
pub(super) fn decide(
    tab: &mut Tab,
    converted: &Converted,
    screenshot: &Picture,
    colored: &ColoredPage,
    size: Size,
) -> Result<Vec<(NodeId, Visibility)>, RenderError> {
    let Converted { dom, layout, generated, .. } = converted;
    let unusable = |error: CaptureError| RenderError::Crash(format!("a picture of the page is unusable: {error}"));
    let mask = NodeMask::decode(&colored.mask).map_err(unusable)?;
    let evidence = evidence::collect(dom, layout, screenshot, &mask).map_err(unusable)?;
    drop(mask);
    let geometry = Geometry::measure(dom, layout, [size.width(), size.height()]);
    let mut found = Vec::new();
    let mut in_doubt: Vec<(usize, NodeId, HiddenCause)> = Vec::new();
    for text in geometry.texts() {
        let own = &evidence[text.index()];
        let number = text.index() as u32;
        let showing = match geometry.decide(text, own.owned > 0) {
            Verdict::Known(Visibility::Hidden(HiddenCause::Transparent)) if colored.fading.contains(&number) => {
                Visibility::Unknown
            }
            Verdict::Known(showing) => showing,
            Verdict::Look(_)
                if own.is_clear() && !colored.affected.contains(&number) && !is_under(layout, text, generated) =>
            {
                Visibility::Shown
            }
            Verdict::Look(cause) => {
                in_doubt.push((found.len(), text, likely(cause, own, colored.affected.contains(&number))));
                Visibility::Unknown
            }
        };
        found.push((text, showing));
    }
    if !in_doubt.is_empty() {
        let overlays = Overlays::find(dom, layout);
        let texts: Vec<NodeId> = in_doubt.iter().map(|&(_, text, _)| text).collect();
        let lift = texts.iter().any(|&text| overlays.are_over(dom, layout, text));
        let painted = paints(tab, colored, layout, &texts, screenshot, lift, size)?;
        for ((place, text, cause), painted) in in_doubt.into_iter().zip(painted) {
            found[place].1 = match painted {
                Some(true) => Visibility::Shown,
                // A box with a text in doubt cannot be lifted off another.
                Some(false) if !overlays.hold_one_over(dom, layout, text, &texts) => Visibility::Hidden(cause),
                _ => Visibility::Unknown,
            };
        }
    }
    undecided_where_much_is_hidden(dom, &mut found);
    Ok(found)
}

/// Whether a good part of a line of a text is under one of these boxes, or over it.
fn is_under(layout: &Layout, text: NodeId, boxes: &[CssRect]) -> bool {
    let meets = |line: CssRect| boxes.iter().any(|own| own.intersection(line).area() > MAX_UNDER * line.area());
    !boxes.is_empty() && layout.lines(text).iter().any(|line| meets(line.rect))
}

/// The cause to be named if a text paints nothing.
fn likely(cause: HiddenCause, own: &Evidence, is_affected: bool) -> HiddenCause {
    match cause {
        HiddenCause::Transparent => HiddenCause::Transparent,
        _ if is_affected => HiddenCause::NotPainted,
        HiddenCause::SameColor if !own.is_blank() => HiddenCause::NotPainted,
        cause => cause,
    }
}
