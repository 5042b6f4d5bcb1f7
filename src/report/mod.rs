//! Pictures and a page that show why each target stayed or went.
//!
//! Comes after `clean`: takes the [`Capture`], its targets and the finished
//! [`CleanDocument`](crate::clean::CleanDocument), gives pixels or one HTML page. Bare HTML has no pictures to draw on,
//! so its report is a table. [`index`] and [`comparison`] show what an evaluation found: all pages, and one page beside
//! its gold; [`folder`] writes both, and is the only file here that touches others.

mod canvas;
#[cfg(feature = "experiments")]
pub mod comparison;
#[cfg(feature = "experiments")]
mod diff;
mod embedded;
#[cfg(feature = "experiments")]
mod evaluation_page;
#[cfg(feature = "experiments")]
pub mod fidelity;
#[cfg(feature = "experiments")]
pub mod folder;
mod html;
#[cfg(feature = "experiments")]
pub mod index;
mod markup;
mod mask;
#[cfg(feature = "experiments")]
pub mod methods;
mod outlines;
mod overlay;
#[cfg(feature = "experiments")]
mod scatter;

#[cfg(feature = "experiments")]
pub use evaluation_page::GENERATOR;
pub use html::html;
pub use mask::mask;
pub use outlines::{Verdict, outlines};
pub use overlay::{hulls, overlay};
#[cfg(feature = "experiments")]
pub use scatter::scatter;

use crate::capture::{Capture, NodeMask, Pictures};
use crate::error::{CaptureError, Error};
use crate::target::Target;

/// An outline in CSS px, page coordinates; closed by itself.
pub type Polygon = Vec<(f32, f32)>;

/// The pictures of a rendered page, or the error that says how to get them.
fn pictures(capture: &Capture) -> Result<&Pictures, Error> {
    capture.pictures.as_ref().ok_or_else(|| {
        Error::Limit(
            "a page that was not rendered has no picture; use vclean render-and-clean or a kept capture".into(),
        )
    })
}

/// Which target owns each pixel of the node mask, in row order, with the mask's size.
struct Owners {
    width: u32,
    height: u32,
    targets: Vec<Option<u32>>,
}

fn owners(capture: &Capture, targets: &[Target]) -> Result<Owners, Error> {
    let mask: NodeMask = NodeMask::decode(&pictures(capture)?.mask)?;
    let mut target_of_node = vec![None; capture.dom.len()];
    for (index, target) in targets.iter().enumerate() {
        for &text in &target.texts {
            target_of_node[text.index()] = Some(index as u32);
        }
    }
    // Nodes the tree does not have come from a damaged mask; they own nothing.
    let owned = mask.owners().iter().map(|&node| target_of_node.get(node as usize).copied().flatten()).collect();
    Ok(Owners { width: mask.width(), height: mask.height(), targets: owned })
}

/// Refuses a mask that does not lie on its screenshot.
fn same_size(one: (u32, u32), other: (u32, u32)) -> Result<(), CaptureError> {
    if one == other {
        return Ok(());
    }
    Err(CaptureError::Picture {
        cause: format!("the screenshot is {} x {} pixels, the mask {} x {}", one.0, one.1, other.0, other.1),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod samples {
    //! A small page, drawn by hand: a heading, a paragraph of two lines and a menu.

    use crate::capture::{
        Capture, CssRect, DomBuilder, Layout, LineBox, NodeId, NodeMask, Picture, Pictures, Record, Style, encode_png,
    };
    use crate::classify::{Decision, Label, Reason};
    use crate::clean::{CleanDocument, Metadata, Segment, SegmentKind, Span, TargetReport};
    use crate::target::Target;
    use image::{Rgb, RgbImage};

    /// Width and height of the sample in pixels.
    pub(crate) const SIZE: (u32, u32) = (60, 40);

    /// The sample page; `menu` is the text of the menu, which is dropped.
    pub(crate) fn page(menu: &str) -> (Capture, Vec<Target>, CleanDocument) {
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
        let rect = |x: f32, y: f32, width: f32, height: f32| CssRect { x, y, width, height };
        let line = |rect| LineBox { rect, start: 0, length: 4 };
        let style = Style::default();
        layout.set(body, rect(0.0, 0.0, 60.0, 40.0), &style, 0, &[]);
        let mut owners = vec![NodeMask::NOBODY; (SIZE.0 * SIZE.1) as usize];
        let lines = [
            (h1, h1_text, vec![rect(2.0, 2.0, 20.0, 6.0)]),
            (p, p_text, vec![rect(2.0, 12.0, 30.0, 5.0), rect(2.0, 18.0, 16.0, 5.0)]),
            (nav, nav_text, vec![rect(44.0, 2.0, 12.0, 5.0)]),
        ];
        let mut reports = Vec::new();
        let mut targets = Vec::new();
        for (index, (element, text, rects)) in lines.into_iter().enumerate() {
            let around = rects.iter().copied().fold(CssRect::default(), CssRect::union);
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
            let is_content = index < 2;
            reports.push(TargetReport {
                decision: Decision {
                    margin: if is_content { 1.25 } else { -0.5 },
                    probability: if is_content { 0.9 } else { 0.2 },
                    label: if is_content { Label::Content } else { Label::Boilerplate },
                },
                rect: Some(around),
                path: format!("html/body/{}", dom.tag(element)),
                text: dom.text(text).unwrap_or_default().to_owned(),
                reasons: vec![Reason { feature: "structural.link_density".into(), value: 0.5, weight: -0.75 }],
            });
            targets.push(Target { container: element, texts: vec![text] });
        }
        let segment = |kind, text: &str, target| Segment {
            kind,
            spans: vec![Span { text: text.into(), ..Span::default() }],
            target,
        };
        let document = CleanDocument {
            metadata: Metadata { title: Some("Head".into()), ..Metadata::default() },
            segments: vec![
                segment(SegmentKind::Heading { level: 1 }, "Head", 0),
                segment(SegmentKind::Paragraph, "Some running text", 1),
            ],
            targets: reports,
            pruned: dom.clone(),
        };
        let mask = NodeMask::from_owners(SIZE.0, SIZE.1, &owners);
        let pictures = Pictures::new(blank(SIZE), encode_png(&mask.to_rgb()).unwrap());
        let record = Record::parsed("sample.html", Some("https://example.org/a".into()));
        let capture = Capture { record, dom, layout: Some(layout), pictures: Some(pictures) };
        assert!(targets.iter().all(|target| target.first() > NodeId::new(0)));
        (capture, targets, document)
    }

    /// A white picture.
    pub(crate) fn blank((width, height): (u32, u32)) -> Picture {
        encode_png(&RgbImage::from_pixel(width, height, Rgb([255; 3]))).unwrap()
    }
}
