//! Hidden text that is laid out, in captures whose renderer did not check visibility: transparent,
//! off the page, or clipped completely.
//!
//! Text that is not laid out is not a target at all. This removes text for screen readers,
//! collapsed answers, and keywords for search engines: they are not content, regardless of their
//! other features.

#[cfg(feature = "pixels")]
use crate::capture::NodeMask;
use crate::capture::{Capture, Layout, NodeId, Position};
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::error::CaptureError;
use crate::target::Target;

/// Opacity below which text cannot be read; the node mask omits the same texts.
const MIN_OPACITY: f32 = 0.1;
/// Width or height up to which a clipping box shows nothing, in CSS px: text for screen readers is
/// in a box of 1 px.
const MAX_CLIP_PX: f32 = 1.5;
/// Share of a page's text above which transparent text is the content itself, which a script would
/// fade in. Heuristic.
const MAX_TRANSPARENT_SHARE: f64 = 0.5;

/// Sets the decisions on hidden targets to boilerplate.
///
/// # Errors
/// If the node mask is damaged. It is read only for pages with such targets.
pub(super) fn drop_hidden(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts {
        capture, targets, ..
    } = *page;
    let is_hidden = find_hidden(capture, targets);
    if !is_hidden.contains(&true) {
        return Ok(());
    }
    #[cfg(feature = "pixels")]
    let is_hidden = without_painted(capture, targets, is_hidden)?;
    for (decision, _) in decisions
        .iter_mut()
        .zip(is_hidden)
        .filter(|(_, is_hidden)| *is_hidden)
    {
        let margin = -decision.margin.abs();
        *decision = Decision {
            margin,
            probability: 0.0,
            label: Label::Boilerplate,
            comments: None,
        };
    }
    Ok(())
}

/// Removes from the hidden targets those that the node mask shows: a positioned element outside its
/// clipping box is still painted.
#[cfg(feature = "pixels")]
fn without_painted(
    capture: &Capture,
    targets: &[Target],
    mut is_hidden: Vec<bool>,
) -> Result<Vec<bool>, CaptureError> {
    if let Some(pictures) = &capture.pictures {
        let mask = NodeMask::decode(&pictures.mask)?;
        let mut is_painted = vec![false; capture.dom.len()];
        for run in mask.runs() {
            if let Some(painted) = is_painted.get_mut(run.owner as usize) {
                *painted = true;
            }
        }
        for (target, is_hidden) in targets.iter().zip(&mut is_hidden) {
            *is_hidden &= !target.texts.iter().any(|text| is_painted[text.index()]);
        }
    }
    Ok(is_hidden)
}

/// For each target, true if it is hidden according to styles and boxes.
fn find_hidden(capture: &Capture, targets: &[Target]) -> Vec<bool> {
    let Some(layout) = capture
        .layout
        .as_ref()
        .filter(|layout| !layout.knows_visibility())
    else {
        return vec![false; targets.len()];
    };
    let dom = &capture.dom;
    // Parents come before their children.
    let mut opacity = vec![1.0f32; dom.len()];
    let mut clipped = vec![false; dom.len()];
    for id in dom.ids() {
        if let Some(parent) = dom.parent(id) {
            opacity[id.index()] = opacity[parent.index()];
            clipped[id.index()] = clipped[parent.index()];
        }
        if let (true, Some(style)) = (dom.is_element(id), layout.style(id)) {
            opacity[id.index()] *= style.opacity;
            // An element fixed to the viewport is not clipped by boxes of the page.
            clipped[id.index()] &= style.position != Position::Fixed;
            clipped[id.index()] |= style.clips
                && layout
                    .rect(id)
                    .is_some_and(|rect| rect.width.min(rect.height) <= MAX_CLIP_PX);
        }
    }
    let is_transparent = |target: &Target| {
        target
            .texts
            .iter()
            .all(|text| opacity[text.index()] < MIN_OPACITY)
    };
    let letters = |target: &Target| {
        target
            .texts
            .iter()
            .map(|&text| dom.text(text).map_or(0, str::len))
            .sum::<usize>()
    };
    let all: usize = targets.iter().map(letters).sum();
    let transparent: usize = targets
        .iter()
        .filter(|target| is_transparent(target))
        .map(letters)
        .sum();
    let fades_in = transparent as f64 > MAX_TRANSPARENT_SHARE * all as f64;
    // Right-to-left pages can be scrolled to the left.
    let is_right_to_left = dom
        .ids()
        .take(16)
        .any(|id| layout.style(id).is_some_and(|style| style.is_right_to_left));
    targets
        .iter()
        .map(|target| {
            let all_texts =
                |holds: &dyn Fn(NodeId) -> bool| target.texts.iter().all(|&text| holds(text));
            !fades_in && is_transparent(target)
                || all_texts(&|text| clipped[text.index()])
                || all_texts(&|text| is_off_page(layout, text, is_right_to_left))
        })
        .collect()
}

/// True if all lines of a text are above or left of the page, where scrolling is not possible.
fn is_off_page(layout: &Layout, text: NodeId, is_right_to_left: bool) -> bool {
    layout
        .lines(text)
        .iter()
        .all(|line| line.rect.bottom() <= 0.0 || (!is_right_to_left && line.rect.right() <= 0.0))
}

#[cfg(test)]
#[cfg(feature = "pixels")]
mod tests {
    use super::*;
    use crate::capture::{CssRect, DomBuilder, LineBox, Pictures, Record, Style, encode_png};

    /// A page with one paragraph per style and rectangle, each with a line in its rectangle.
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
            let line = LineBox {
                rect: CssRect {
                    width: 50.0,
                    height: 10.0,
                    ..*rect
                },
                start: 0,
                length: 10,
            };
            layout.set(element, *rect, style, 0, &[]);
            layout.set(text, line.rect, style, 0, &[line]);
            targets.push(Target {
                container: element,
                texts: vec![text],
                visibility: crate::capture::Visibility::Shown,
            });
        }
        capture.layout = Some(layout);
        (capture, targets)
    }

    fn labels(capture: &Capture, targets: &[Target]) -> Vec<Label> {
        let kept = Decision {
            margin: 1.0,
            probability: 0.9,
            label: Label::Content,
            comments: None,
        };
        let mut decided = vec![kept; targets.len()];
        drop_hidden(&PageParts::new(capture, targets), &mut decided).unwrap();
        decided.into_iter().map(|decision| decision.label).collect()
    }

    const HERE: CssRect = CssRect {
        x: 10.0,
        y: 10.0,
        width: 50.0,
        height: 10.0,
    };

    #[test]
    fn transparent_clipped_and_off_page_text_is_dropped() {
        let clear = Style {
            opacity: 0.05,
            ..Style::default()
        };
        let clips = Style {
            clips: true,
            ..Style::default()
        };
        let (capture, targets) = page(&[
            (Style::default(), HERE),
            (clear, HERE),
            (
                clips.clone(),
                CssRect {
                    height: 0.0,
                    ..HERE
                },
            ),
            (
                clips.clone(),
                CssRect {
                    width: 1.0,
                    height: 1.0,
                    ..HERE
                },
            ),
            (clips, HERE),
            (Style::default(), CssRect { x: -9999.0, ..HERE }),
            (Style::default(), CssRect { y: -9999.0, ..HERE }),
            (Style::default(), CssRect { y: 9999.0, ..HERE }),
        ]);
        let (content, gone) = (Label::Content, Label::Boilerplate);
        assert_eq!(
            labels(&capture, &targets),
            [content, gone, gone, gone, content, gone, gone, content]
        );
    }

    #[test]
    fn a_page_that_a_script_fades_in_is_kept() {
        let clear = (
            Style {
                opacity: 0.0,
                ..Style::default()
            },
            HERE,
        );
        let (capture, targets) = page(&[clear.clone(), clear, (Style::default(), HERE)]);
        assert_eq!(labels(&capture, &targets), [Label::Content; 3]);
    }

    #[test]
    fn right_to_left_pages_may_have_text_on_the_left() {
        let style = Style {
            is_right_to_left: true,
            ..Style::default()
        };
        let (capture, targets) = page(&[(style, CssRect { x: -500.0, ..HERE })]);
        assert_eq!(labels(&capture, &targets), [Label::Content]);
    }

    #[test]
    fn text_in_the_mask_is_visible() {
        let style = Style {
            clips: true,
            ..Style::default()
        };
        let (mut capture, targets) = page(&[(
            style,
            CssRect {
                height: 0.0,
                ..HERE
            },
        )]);
        for (color, label) in [
            ([255; 3], Label::Boilerplate),
            (NodeMask::color(targets[0].first()), Label::Content),
        ] {
            let picture =
                encode_png(&image::RgbImage::from_pixel(4, 4, image::Rgb(color))).unwrap();
            capture.pictures = Some(Pictures::new(picture.clone(), picture));
            assert_eq!(labels(&capture, &targets), [label]);
        }
    }

    #[test]
    fn where_the_renderer_looked_its_verdict_holds() {
        let (mut capture, targets) = page(&[
            (
                Style {
                    opacity: 0.0,
                    ..Style::default()
                },
                HERE,
            ),
            (Style::default(), HERE),
        ]);
        capture.layout.as_mut().unwrap().set_visibility([]);
        assert_eq!(labels(&capture, &targets), [Label::Content; 2]);
    }

    #[test]
    fn bare_pages_are_not_changed() {
        let (mut capture, targets) = page(&[(
            Style {
                opacity: 0.0,
                ..Style::default()
            },
            HERE,
        )]);
        capture.layout = None;
        assert_eq!(labels(&capture, &targets), [Label::Content]);
    }
}
