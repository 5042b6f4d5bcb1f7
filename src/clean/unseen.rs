//! Text that takes part in layout and that no reader sees: transparent, off the page, or clipped to nothing.
//!
//! What is not laid out at all is no target in the first place. Here go words for screen readers, folded answers, and
//! keywords for search engines: they are not content, whatever they look like otherwise.

use crate::capture::{Capture, Layout, NodeId, NodeMask, Position};
use crate::classify::{Decision, Label};
use crate::error::CaptureError;
use crate::target::Target;

/// Opacity below which text cannot be read; the node mask leaves the same texts out.
const MIN_OPACITY: f32 = 0.1;
/// A box that clips to this width or height shows nothing, in CSS px: text for screen readers stands in one of 1 px.
const MAX_CLIP_PX: f32 = 1.5;
/// Share of a page's text above which transparent text waits for a script to fade it in, and is the page itself. Heuristic.
const MAX_TRANSPARENT_SHARE: f64 = 0.5;

/// Turns the decisions on targets that nobody sees to boilerplate.
///
/// # Errors
/// If the node mask is damaged. It is read only for pages with such targets.
pub fn drop_unseen(
    capture: &Capture,
    targets: &[Target],
    mut decisions: Vec<Decision>,
) -> Result<Vec<Decision>, CaptureError> {
    let mut unseen = unseen(capture, targets);
    if !unseen.contains(&true) {
        return Ok(decisions);
    }
    if let Some(pictures) = &capture.pictures {
        // The mask has the last word: what stands out of a clipping box by its position is painted all the same.
        let mask = NodeMask::decode(&pictures.mask)?;
        let mut is_painted = vec![false; capture.dom.len()];
        for run in mask.runs() {
            if let Some(painted) = is_painted.get_mut(run.owner as usize) {
                *painted = true;
            }
        }
        for (target, unseen) in targets.iter().zip(&mut unseen) {
            *unseen &= !target.texts.iter().any(|text| is_painted[text.index()]);
        }
    }
    for (decision, _) in decisions.iter_mut().zip(unseen).filter(|(_, unseen)| *unseen) {
        *decision = Decision { margin: -decision.margin.abs(), probability: 0.0, label: Label::Boilerplate };
    }
    Ok(decisions)
}

/// Per target, whether styles and boxes say that no text of it can be seen.
fn unseen(capture: &Capture, targets: &[Target]) -> Vec<bool> {
    let Some(layout) = &capture.layout else { return vec![false; targets.len()] };
    let dom = &capture.dom;
    // Parents stand before their children.
    let mut opacity = vec![1.0f32; dom.len()];
    let mut clipped = vec![false; dom.len()];
    for id in dom.ids() {
        if let Some(parent) = dom.parent(id) {
            opacity[id.index()] = opacity[parent.index()];
            clipped[id.index()] = clipped[parent.index()];
        }
        if let (true, Some(style)) = (dom.is_element(id), layout.style(id)) {
            opacity[id.index()] *= style.opacity;
            // What stays with the viewport is clipped by nothing on the page.
            clipped[id.index()] &= style.position != Position::Fixed;
            clipped[id.index()] |=
                style.clips && layout.rect(id).is_some_and(|rect| rect.width.min(rect.height) <= MAX_CLIP_PX);
        }
    }
    let is_transparent = |target: &Target| target.texts.iter().all(|text| opacity[text.index()] < MIN_OPACITY);
    let letters = |target: &Target| target.texts.iter().map(|&text| dom.text(text).map_or(0, str::len)).sum::<usize>();
    let all: usize = targets.iter().map(letters).sum();
    let transparent: usize = targets.iter().filter(|target| is_transparent(target)).map(letters).sum();
    let fades_in = transparent as f64 > MAX_TRANSPARENT_SHARE * all as f64;
    // Pages that run from right to left can be scrolled to the left.
    let is_right_to_left = dom.ids().take(16).any(|id| layout.style(id).is_some_and(|style| style.is_right_to_left));
    targets
        .iter()
        .map(|target| {
            let all_texts = |holds: &dyn Fn(NodeId) -> bool| target.texts.iter().all(|&text| holds(text));
            !fades_in && is_transparent(target)
                || all_texts(&|text| clipped[text.index()])
                || all_texts(&|text| is_off_page(layout, text, is_right_to_left))
        })
        .collect()
}

/// Whether all lines of a text stand above or left of the page, where nobody can scroll.
fn is_off_page(layout: &Layout, text: NodeId, is_right_to_left: bool) -> bool {
    layout.lines(text).iter().all(|line| line.rect.bottom() <= 0.0 || (!is_right_to_left && line.rect.right() <= 0.0))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::capture::{CssRect, DomBuilder, LineBox, Pictures, Record, Style, encode_png};

    /// A page of one paragraph a style and rectangle, each with a line in its rectangle.
    fn page(paragraphs: &[(Style, CssRect)]) -> (Capture, Vec<Target>) {
        let mut builder = DomBuilder::new();
        builder.open("html", vec![]);
        let mut nodes = Vec::new();
        for _ in paragraphs {
            let element = builder.open("p", vec![]);
            nodes.push((element, builder.text("some words")));
            builder.close();
        }
        let mut capture = Capture::parsed(builder.finish(), Record::parsed("x", None));
        let mut layout = Layout::new(capture.dom.len(), 100.0, 100.0);
        let mut targets = Vec::new();
        for ((style, rect), (element, text)) in paragraphs.iter().zip(nodes) {
            let line = LineBox { rect: CssRect { width: 50.0, height: 10.0, ..*rect }, start: 0, length: 10 };
            layout.set(element, *rect, style, 0, &[]);
            layout.set(text, line.rect, style, 0, &[line]);
            targets.push(Target { container: element, texts: vec![text] });
        }
        capture.layout = Some(layout);
        (capture, targets)
    }

    fn labels(capture: &Capture, targets: &[Target]) -> Vec<Label> {
        let kept = Decision { margin: 1.0, probability: 0.9, label: Label::Content };
        let decided = drop_unseen(capture, targets, vec![kept; targets.len()]).unwrap();
        decided.into_iter().map(|decision| decision.label).collect()
    }

    const HERE: CssRect = CssRect { x: 10.0, y: 10.0, width: 50.0, height: 10.0 };

    #[test]
    fn transparent_clipped_and_far_away_text_goes() {
        let clear = Style { opacity: 0.05, ..Style::default() };
        let clips = Style { clips: true, ..Style::default() };
        let (capture, targets) = page(&[
            (Style::default(), HERE),
            (clear, HERE),
            (clips.clone(), CssRect { height: 0.0, ..HERE }),
            (clips.clone(), CssRect { width: 1.0, height: 1.0, ..HERE }),
            (clips, HERE),
            (Style::default(), CssRect { x: -9999.0, ..HERE }),
            (Style::default(), CssRect { y: -9999.0, ..HERE }),
            (Style::default(), CssRect { y: 9999.0, ..HERE }),
        ]);
        let (content, gone) = (Label::Content, Label::Boilerplate);
        assert_eq!(labels(&capture, &targets), [content, gone, gone, gone, content, gone, gone, content]);
    }

    #[test]
    fn a_page_that_waits_to_be_faded_in_stays() {
        let clear = (Style { opacity: 0.0, ..Style::default() }, HERE);
        let (capture, targets) = page(&[clear.clone(), clear, (Style::default(), HERE)]);
        assert_eq!(labels(&capture, &targets), [Label::Content; 3]);
    }

    #[test]
    fn on_pages_from_right_to_left_text_may_stand_on_the_left() {
        let style = Style { is_right_to_left: true, ..Style::default() };
        let (capture, targets) = page(&[(style, CssRect { x: -500.0, ..HERE })]);
        assert_eq!(labels(&capture, &targets), [Label::Content]);
    }

    #[test]
    fn what_the_mask_shows_is_seen() {
        let style = Style { clips: true, ..Style::default() };
        let (mut capture, targets) = page(&[(style, CssRect { height: 0.0, ..HERE })]);
        for (color, label) in [([255; 3], Label::Boilerplate), (NodeMask::color(targets[0].first()), Label::Content)] {
            let picture = encode_png(&image::RgbImage::from_pixel(4, 4, image::Rgb(color))).unwrap();
            capture.pictures = Some(Pictures::new(picture.clone(), picture));
            assert_eq!(labels(&capture, &targets), [label]);
        }
    }

    #[test]
    fn bare_pages_are_left_alone() {
        let (mut capture, targets) = page(&[(Style { opacity: 0.0, ..Style::default() }, HERE)]);
        capture.layout = None;
        assert_eq!(labels(&capture, &targets), [Label::Content]);
    }
}
