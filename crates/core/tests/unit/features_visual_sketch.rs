//! Pages built in code from boxes and lines, for the tests of `layout`.

use crate::capture::{
    Capture, CssRect, DomBuilder, Engine, Layout, LineBox, NodeId, Record, Style,
};
use crate::target::Target;

/// A page that is built box by box.
pub(super) struct Sketch {
    pub(super) dom: DomBuilder,
    boxes: Vec<(NodeId, CssRect, Style, Vec<LineBox>)>,
    targets: Vec<Target>,
}

pub(super) fn rect(x: f32, y: f32, width: f32, height: f32) -> CssRect {
    CssRect {
        x,
        y,
        width,
        height,
    }
}

impl Sketch {
    pub(super) fn new() -> Self {
        Self {
            dom: DomBuilder::new(),
            boxes: Vec::new(),
            targets: Vec::new(),
        }
    }

    pub(super) fn open(&mut self, tag: &str, at: CssRect, style: &Style) -> NodeId {
        let attributes = if tag == "a" {
            vec![("href".into(), "/".into())]
        } else {
            vec![]
        };
        let id = self.dom.open(tag, attributes);
        self.boxes.push((id, at, style.clone(), vec![]));
        id
    }

    /// A block with lines of the given widths, 8 px per character, 20 px apart.
    pub(super) fn block(&mut self, tag: &str, at: CssRect, style: &Style, widths: &[f32]) {
        let container = self.open(tag, at, style);
        let text = self.dom.text("text");
        let lines: Vec<LineBox> = (0u16..)
            .zip(widths)
            .map(|(index, &width)| {
                let x = if style.is_right_to_left {
                    at.right() - width
                } else {
                    at.x
                };
                let line = rect(x, at.y + 20.0 * f32::from(index), width, 18.0);
                LineBox {
                    rect: line,
                    start: 0,
                    length: (width / 8.0) as u32,
                }
            })
            .collect();
        self.boxes.push((text, at, style.clone(), lines));
        self.targets.push(Target {
            container,
            texts: vec![text],
            visibility: crate::capture::Visibility::Shown,
        });
        self.dom.close();
    }

    pub(super) fn finish(self, width: f32, height: f32) -> (Capture, Vec<Target>) {
        let dom = self.dom.finish();
        let mut layout = Layout::new(dom.len(), width, height);
        for (order, (id, at, style, lines)) in self.boxes.iter().enumerate() {
            layout.set(*id, *at, style, order as u32, lines);
        }
        let mut record = Record::parsed("sketch", None);
        record.engine = Engine::Chromium;
        record.viewport_px = Some([1280, 1024]);
        (
            Capture {
                record,
                dom,
                layout: Some(layout),
                pictures: None,
            },
            self.targets,
        )
    }
}
