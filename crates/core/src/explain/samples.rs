//! A small page made in code for the tests of several modules: a heading, a paragraph of two lines
//! and a menu.

use crate::capture::{
    Capture, CssRect, Dom, DomBuilder, Layout, LineBox, NodeId, NodeMask, Picture, Pictures,
    Record, Style, encode_png,
};
use crate::classify::{Decision, Label, Reason};
use crate::document::{Document, Metadata, Segment, SegmentKind, Span, TargetReport};
use crate::target::Target;
use image::{Rgb, RgbImage};

/// Width and height of the sample in pixels.
pub const SIZE: (u32, u32) = (60, 40);

/// The sample page; `menu` is the text of the menu, which has been dropped.
pub fn page(menu: &str) -> (Capture, Vec<Target>, Document) {
    let mut builder = DomBuilder::new();
    let body = builder.open("body", vec![]);
    let block = |builder: &mut DomBuilder, tag: &str, text: &str| {
        let element = builder.open(tag, vec![]);
        let text = builder.text(text);
        builder.close();
        (element, text)
    };
    let (h1, h1_text) = block(&mut builder, "h1", "Head");
    let (p, p_text) = block(&mut builder, "p", "Some running text");
    let (nav, nav_text) = block(&mut builder, "nav", menu);
    let dom = builder.finish();

    let mut layout = Layout::new(dom.len(), SIZE.0 as f32, SIZE.1 as f32);
    let rect = |x: f32, y: f32, width: f32, height: f32| CssRect {
        x,
        y,
        width,
        height,
    };
    let line = |rect| LineBox {
        rect,
        start: 0,
        length: 4,
    };
    let style = Style::default();
    layout.set(body, rect(0.0, 0.0, 60.0, 40.0), &style, 0, &[]);
    let mut owners = vec![NodeMask::NOBODY; (SIZE.0 * SIZE.1) as usize];
    let lines = [
        (h1, h1_text, vec![rect(2.0, 2.0, 20.0, 6.0)]),
        (
            p,
            p_text,
            vec![rect(2.0, 12.0, 30.0, 5.0), rect(2.0, 18.0, 16.0, 5.0)],
        ),
        (nav, nav_text, vec![rect(44.0, 2.0, 12.0, 5.0)]),
    ];
    let mut reports = Vec::new();
    let mut targets = Vec::new();
    for (index, (element, text, rects)) in lines.into_iter().enumerate() {
        let around = rects
            .iter()
            .copied()
            .fold(CssRect::default(), CssRect::union);
        layout.set(element, around, &style, 1, &[]);
        let boxes: Vec<_> = rects.iter().copied().map(line).collect();
        layout.set(text, around, &style, 2, &boxes);
        for rect in rects {
            for y in rect.y as u32..rect.bottom() as u32 {
                for x in rect.x as u32..rect.right() as u32 {
                    owners[(y * SIZE.0 + x) as usize] = text.index() as u32;
                }
            }
        }
        reports.push(report(
            index < 2,
            around,
            dom.tag(element),
            dom.text(text).unwrap_or_default(),
        ));
        targets.push(Target {
            container: element,
            texts: vec![text],
            visibility: crate::capture::Visibility::Shown,
        });
    }
    let document = document(reports, &dom);
    let mask = NodeMask::from_owners(SIZE.0, SIZE.1, &owners);
    let pictures = Pictures::new(
        blank(SIZE),
        encode_png(&mask.to_rgb()).expect("a small picture can be encoded"),
    );
    let record = Record::parsed("sample.html", Some("https://example.org/a".into()));
    let capture = Capture {
        record,
        dom,
        layout: Some(layout),
        pictures: Some(pictures),
    };
    assert!(targets.iter().all(|target| target.first() > NodeId::new(0)));
    (capture, targets, document)
}

fn report(is_content: bool, rect: CssRect, tag: &str, text: &str) -> TargetReport {
    TargetReport {
        decision: Decision {
            margin: if is_content { 1.25 } else { -0.5 },
            probability: if is_content { 0.9 } else { 0.2 },
            label: if is_content {
                Label::Content
            } else {
                Label::Boilerplate
            },
            comments: None,
        },
        rect: Some(rect),
        path: format!("html/body/{tag}"),
        text: text.to_owned(),
        reasons: vec![Reason {
            feature: "structural.link_density".into(),
            value: 0.5,
            weight: -0.75,
        }],
    }
}

fn document(targets: Vec<TargetReport>, pruned: &Dom) -> Document {
    let segment = |kind, text: &str, target| {
        Segment::new(
            kind,
            vec![Span {
                text: text.into(),
                ..Span::default()
            }],
            target,
        )
    };
    let metadata = Metadata {
        title: Some("Head".into()),
        ..Metadata::default()
    };
    let segments = vec![
        segment(SegmentKind::Heading { level: 1 }, "Head", 0),
        segment(SegmentKind::Paragraph, "Some running text", 1),
    ];
    Document::new(metadata, segments, targets, pruned.clone())
}

/// A white picture of this size.
pub fn blank((width, height): (u32, u32)) -> Picture {
    encode_png(&RgbImage::from_pixel(width, height, Rgb([255; 3])))
        .expect("a small picture can be encoded")
}
