//! Which text nodes of the page a reader sees: by their boxes, by the page image, and by a third look where both leave
//! a doubt.

use super::coloring::ColoredPage;
use super::evidence::{self, Evidence};
use super::picture::Size;
use super::snapshot::Converted;
use super::tab::Tab;
use super::third_look::paints;
use crate::capture::{CssRect, Dom, HiddenCause, Layout, NodeId, NodeMask, Picture, Position, Showing};
use crate::error::{CaptureError, RenderError};
use crate::render::showing::{Geometry, Verdict, undecided_where_much_is_hidden};

/// Decides for every text node of the page; where a doubt is left, and below the end of the page image, the answer is
/// [`Showing::Unknown`].
///
/// # Errors
/// If a picture is damaged, or the browser fails.
pub(super) fn decide(
    tab: &mut Tab,
    converted: &Converted,
    screenshot: &Picture,
    colored: &ColoredPage,
    size: Size,
) -> Result<Vec<(NodeId, Showing)>, RenderError> {
    let Converted { dom, layout, .. } = converted;
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
            Verdict::Known(Showing::Hidden(HiddenCause::Transparent)) if colored.fading.contains(&number) => {
                Showing::Unknown
            }
            Verdict::Known(showing) => showing,
            Verdict::Look(_) if own.is_clear() && !colored.affected.contains(&number) => Showing::Shown,
            Verdict::Look(cause) => {
                in_doubt.push((found.len(), text, likely(cause, own, colored.affected.contains(&number))));
                Showing::Unknown
            }
        };
        found.push((text, showing));
    }
    if !in_doubt.is_empty() {
        let overlays = Overlays::find(dom, layout);
        let texts: Vec<NodeId> = in_doubt.iter().map(|&(_, text, _)| text).collect();
        let lift = texts.iter().any(|&text| overlays.are_over(dom, layout, text));
        let painted = paints(tab, colored, layout, &texts, lift, size)?;
        for ((place, text, cause), painted) in in_doubt.into_iter().zip(painted) {
            found[place].1 = match painted {
                Some(true) => Showing::Shown,
                // A box with a text in doubt cannot be lifted off another.
                Some(false) if !overlays.hold_one_over(dom, layout, text, &texts) => Showing::Hidden(cause),
                _ => Showing::Unknown,
            };
        }
    }
    undecided_where_much_is_hidden(dom, &mut found);
    Ok(found)
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

/// Boxes that stay with the viewport, and dialogs: what is under them can be read after scrolling or closing them.
struct Overlays {
    /// Each with the boxes in it that hide what is under them.
    roots: Vec<(NodeId, Vec<CssRect>)>,
}

impl Overlays {
    fn find(dom: &Dom, layout: &Layout) -> Self {
        let is_root = |id: NodeId| {
            dom.tag(id) == "dialog"
                || layout.style(id).is_some_and(|style| matches!(style.position, Position::Fixed | Position::Sticky))
        };
        let hides = |id: NodeId| {
            layout.style(id).is_some_and(|style| {
                style.is_visible && (style.background[3] > 0 || style.has_background_image || style.opacity < 1.0)
            }) || matches!(dom.tag(id), "img" | "svg" | "canvas" | "video" | "iframe")
        };
        let boxes = |root: NodeId| {
            (root.index()..dom.end(root))
                .map(NodeId::new)
                .filter(|&id| dom.is_element(id) && hides(id))
                .filter_map(|id| layout.rect(id))
                .collect()
        };
        let roots = dom.ids().filter(|&id| dom.is_element(id) && is_root(id)).map(|id| (id, boxes(id))).collect();
        Self { roots }
    }

    /// The roots with a box over a text that is not in them.
    fn over<'a>(&'a self, dom: &'a Dom, layout: &'a Layout, text: NodeId) -> impl Iterator<Item = NodeId> + 'a {
        let is_over = move |rects: &[CssRect]| {
            let lines = layout.lines(text);
            rects.iter().any(|&rect| lines.iter().any(|line| !line.rect.intersection(rect).is_empty()))
        };
        let roots = self.roots.iter().filter(move |(root, _)| !dom.contains(*root, text));
        roots.filter(move |(_, rects)| is_over(rects)).map(|&(root, _)| root)
    }

    fn are_over(&self, dom: &Dom, layout: &Layout, text: NodeId) -> bool {
        self.over(dom, layout, text).next().is_some()
    }

    /// Whether one over a text holds one of `texts`.
    fn hold_one_over(&self, dom: &Dom, layout: &Layout, text: NodeId, texts: &[NodeId]) -> bool {
        self.over(dom, layout, text).any(|root| texts.iter().any(|&other| dom.contains(root, other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{DomBuilder, LineBox, Style};

    #[test]
    fn banners_that_stay_with_the_viewport_are_over_the_text() {
        let mut builder = DomBuilder::new();
        let text = builder.text("main text");
        let banner = builder.open("div", vec![]);
        let notice = builder.text("cookies");
        builder.close();
        let dom = builder.finish();
        let mut layout = Layout::new(dom.len(), 100.0, 100.0);
        let rect = CssRect { x: 0.0, y: 0.0, width: 90.0, height: 20.0 };
        let line = [LineBox { rect, start: 0, length: 9 }];
        layout.set(text, rect, &Style::default(), 0, &line);
        layout.set(notice, rect, &Style::default(), 0, &line);
        let fixed = Style { position: Position::Fixed, ..Style::default() };
        layout.set(banner, rect, &fixed, 0, &[]);
        assert!(!Overlays::find(&dom, &layout).are_over(&dom, &layout, text), "it has no background");
        layout.set(banner, rect, &Style { background: [0, 0, 0, 90], ..fixed.clone() }, 0, &[]);
        let overlays = Overlays::find(&dom, &layout);
        assert!(overlays.are_over(&dom, &layout, text) && !overlays.are_over(&dom, &layout, notice));
        assert!(overlays.hold_one_over(&dom, &layout, text, &[notice]));
        assert!(!overlays.hold_one_over(&dom, &layout, text, &[text]));
        layout.set(banner, CssRect { y: 50.0, ..rect }, &Style { background: [255; 4], ..fixed }, 0, &[]);
        assert!(!Overlays::find(&dom, &layout).are_over(&dom, &layout, text));
    }
}
