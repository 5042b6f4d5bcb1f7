//! Banners and dialogs: boxes that stay with the viewport, over text that is there all the same.

use crate::capture::{CssRect, Dom, Layout, NodeId, Position};

/// Boxes that stay with the viewport, and dialogs: what is under them can be read after scrolling or closing them.
pub(in crate::render) struct Overlays {
    /// Each with the boxes in it that hide what is under them.
    roots: Vec<(NodeId, Vec<CssRect>)>,
}

impl Overlays {
    pub(in crate::render) fn find(dom: &Dom, layout: &Layout) -> Self {
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

    /// Whether one is over a text that is not in it.
    pub(in crate::render) fn are_over(&self, dom: &Dom, layout: &Layout, text: NodeId) -> bool {
        self.over(dom, layout, text).next().is_some()
    }

    /// Whether one over a text holds one of `texts`.
    #[cfg_attr(not(feature = "chromium"), allow(dead_code))]
    pub(in crate::render) fn hold_one_over(&self, dom: &Dom, layout: &Layout, text: NodeId, texts: &[NodeId]) -> bool {
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
