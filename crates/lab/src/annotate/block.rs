//! A block as the labelling page shows it: its text, its place on the page and in the tree, similar
//! blocks, and the model's verdict.

use super::label::{BlockLabel, Mark};
use rustc_hash::FxHashMap;
use vclean_core::capture::{Capture, CssRect, Dom, Layout, NodeId, Positions};
use vclean_core::document::SegmentKind;
use vclean_core::pipeline::CleanedPage;
use vclean_core::target::Target;

/// Number of steps of the path that people see.
const SHOWN_STEPS: usize = 12;
/// Number of steps of a path by which blocks are compared; hostile pages nest very deep.
const COMPARED_STEPS: usize = 64;
/// Largest number of containers that are named for a block.
const MAX_CONTAINERS: usize = 64;
/// Largest number of ancestors of a block that are looked at.
const MAX_LEVELS: usize = 1024;

/// A block of a page that is labelled.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnotatedBlock {
    /// Its text, with white space collapsed.
    pub text: String,
    /// Its position in pixels of the page image: left, top, width, height; `None` without a
    /// picture.
    pub rect: Option<[i32; 4]>,
    /// The path of its container for people, such as `html/body/div[2]/p`.
    pub path: String,
    /// The XPath of its container; empty if it is very deep.
    pub xpath: String,
    /// Number of ancestors of its container.
    pub depth: usize,
    /// The containers of several blocks around it, outermost first, by numbers that are unique on
    /// the page.
    pub containers: Vec<usize>,
    /// Blocks with the same number have the same style and the same path, but for positions.
    pub alike: usize,
    /// Number of the column of the page that it is in.
    pub column: Option<usize>,
    /// Tag of its container.
    pub tag: String,
    /// The model's probability that it is content, 0 to 1.
    pub probability: f32,
    /// Verdict of the model, the label at the start.
    pub verdict: BlockLabel,
    /// Kind of text, by the model's document or by its tag.
    pub mark: Mark,
    /// Its container and its text nodes.
    pub target: Target,
}

/// The blocks of a cleaned page, in document order.
pub(crate) fn blocks(
    capture: &Capture,
    cleaned: &CleanedPage,
    positions: &Positions,
) -> Vec<AnnotatedBlock> {
    let dom = &capture.dom;
    let targets = &cleaned.targets;
    let containers = containers(dom, targets);
    let alike = alike(dom, capture.layout.as_ref(), targets);
    let columns = columns(dom, capture.layout.as_ref(), targets);
    let mut kinds: Vec<Option<&SegmentKind>> = vec![None; targets.len()];
    for segment in cleaned.document.segments.iter().rev() {
        if let Some(kind) = kinds.get_mut(segment.target) {
            *kind = Some(&segment.kind);
        }
    }
    let block = |(index, target): (usize, &Target)| {
        let decision = &cleaned.document.targets[index].decision;
        AnnotatedBlock {
            text: target.text(dom),
            rect: capture
                .layout
                .as_ref()
                .and_then(|layout| pixels(layout, layout.bounding_rect(&target.texts))),
            path: positions.short(dom, target.container, SHOWN_STEPS),
            xpath: positions.xpath(dom, target.container),
            depth: dom.depth(target.container),
            containers: containers[index].clone(),
            alike: alike[index],
            column: columns[index],
            tag: dom.tag(target.container).to_owned(),
            probability: decision.probability,
            verdict: decision.label.into(),
            mark: mark(dom, target, kinds[index]),
            target: target.clone(),
        }
    };
    targets.iter().enumerate().map(block).collect()
}

/// A rectangle in whole pixels, within the page; `None` for an empty one.
fn pixels(layout: &Layout, rect: CssRect) -> Option<[i32; 4]> {
    let page = CssRect {
        x: 0.0,
        y: 0.0,
        width: layout.page_width_px,
        height: layout.page_height_px,
    };
    let rect = rect.intersection(page);
    if rect.is_empty() {
        return None;
    }
    let (left, top) = (rect.x.floor(), rect.y.floor());
    Some(
        [
            left,
            top,
            rect.right().ceil() - left,
            rect.bottom().ceil() - top,
        ]
        .map(|value| value as i32),
    )
}

/// The containers around each target, outermost first; only those that hold different sets of
/// targets.
fn containers(dom: &Dom, targets: &[Target]) -> Vec<Vec<usize>> {
    let path = |target: &Target| {
        std::iter::once(target.container)
            .chain(dom.ancestors(target.container))
            .take(MAX_LEVELS)
    };
    let mut held: FxHashMap<NodeId, usize> = FxHashMap::default();
    for target in targets {
        for id in path(target) {
            *held.entry(id).or_default() += 1;
        }
    }
    let of_target = |target: &Target| {
        let mut kept: Vec<usize> = Vec::new();
        let mut inner = 1;
        for id in path(target) {
            // Of elements that hold the same targets, the innermost one is named.
            if held[&id] > inner && kept.len() < MAX_CONTAINERS {
                kept.push(id.index());
                inner = held[&id];
            }
        }
        kept.reverse();
        kept
    };
    targets.iter().map(of_target).collect()
}

/// Two blocks with equal fields look the same.
#[derive(PartialEq, Eq, Hash)]
struct Look<'a> {
    tags: Vec<&'a str>,
    class: &'a str,
    /// Size of the font in tenths of a px, weight, italic, color.
    font: Option<(i32, u16, bool, [u8; 4])>,
}

/// The number of each target's look, by first occurrence.
fn alike(dom: &Dom, layout: Option<&Layout>, targets: &[Target]) -> Vec<usize> {
    let mut numbers: FxHashMap<Look<'_>, usize> = FxHashMap::default();
    let number = |target: &Target| {
        let path = std::iter::once(target.container).chain(dom.ancestors(target.container));
        let style = layout.and_then(|layout| layout.style(target.first()));
        let look = Look {
            tags: path.map(|id| dom.tag(id)).take(COMPARED_STEPS).collect(),
            class: dom.attribute(target.container, "class").unwrap_or(""),
            font: style.map(|style| {
                (
                    (style.font_size_px * 10.0).round() as i32,
                    style.font_weight,
                    style.is_italic,
                    style.color,
                )
            }),
        };
        let next = numbers.len();
        *numbers.entry(look).or_insert(next)
    };
    targets.iter().map(number).collect()
}

fn mark(dom: &Dom, target: &Target, kind: Option<&SegmentKind>) -> Mark {
    match kind {
        Some(SegmentKind::Heading { .. }) => return Mark::Heading,
        Some(SegmentKind::ListItem { .. }) => return Mark::ListItem,
        Some(_) => return Mark::Paragraph,
        None => {}
    }
    let mut tags = std::iter::once(target.container)
        .chain(dom.ancestors(target.container))
        .map(|id| dom.tag(id))
        .take(4);
    tags.find_map(|tag| match tag {
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Some(Mark::Heading),
        "li" | "dt" | "dd" => Some(Mark::ListItem),
        "p" => Some(Mark::Paragraph),
        _ => None,
    })
    .unwrap_or(Mark::Paragraph)
}

/// The numbers of the blocks in the order in which they are decided: the least certain first. A
/// block at a probability of .5 is the least certain one; of two equally certain blocks, the
/// earlier one comes first.
pub(crate) fn least_certain_first(blocks: &[AnnotatedBlock]) -> Vec<usize> {
    let certainty = |index: &usize| (blocks[*index].probability - 0.5).abs();
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.sort_by(|one, other| {
        certainty(one)
            .total_cmp(&certainty(other))
            .then(one.cmp(other))
    });
    order
}

// Groups the blocks into columns of the page. A column is the outermost element beside another tall
// element with text, such as a sidebar or the main part. The elements of a low row, such as the
// entries of a menu, do not count as columns.

/// Least height of a column in CSS px. Heuristic: about half of a screen, more than a menu or a row
/// of teasers has.
const MIN_HEIGHT_PX: f32 = 400.0;
/// Share of the height of the lower one that two columns have in common. Heuristic.
const MIN_BESIDE: f32 = 0.5;
/// Largest number of children of one element that are compared with one another, so that hostile
/// pages cost little.
const MAX_COMPARED: usize = 64;
/// Largest number of ancestors of a block that are looked at; hostile pages nest very deep.
const MAX_COLUMN_LEVELS: usize = 256;

/// The column of each target, numbered in document order from 0; `None` for blocks that are in no
/// column, and for pages that were not rendered.
pub(super) fn columns(
    dom: &Dom,
    layout: Option<&Layout>,
    targets: &[Target],
) -> Vec<Option<usize>> {
    let Some(layout) = layout else {
        return vec![None; targets.len()];
    };
    let mut beside: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
    let mut numbers: FxHashMap<NodeId, usize> = FxHashMap::default();
    let column_of = |target: &Target| {
        let path: Vec<NodeId> = std::iter::once(target.container)
            .chain(dom.ancestors(target.container))
            .take(MAX_COLUMN_LEVELS)
            .collect();
        let is_column = |&&id: &&NodeId| {
            dom.parent(id).is_some_and(|parent| {
                beside
                    .entry(parent)
                    .or_insert_with(|| columns_in(dom, layout, parent))
                    .contains(&id)
            })
        };
        let column = path.iter().rev().find(is_column)?;
        let next = numbers.len();
        Some(*numbers.entry(*column).or_insert(next))
    };
    targets.iter().map(column_of).collect()
}

/// Those children of an element that stand side by side.
fn columns_in(dom: &Dom, layout: &Layout, parent: NodeId) -> Vec<NodeId> {
    let tall = dom.children(parent).filter_map(|child| {
        let rect = layout.rect(child)?;
        (dom.is_element(child) && rect.height >= MIN_HEIGHT_PX && rect.width > 0.0)
            .then_some((child, rect))
    });
    let tall: Vec<(NodeId, CssRect)> = tall.take(MAX_COMPARED).collect();
    let has_neighbor = |(child, rect): &&(NodeId, CssRect)| {
        tall.iter()
            .any(|(other, other_rect)| other != child && are_beside(*rect, *other_rect))
    };
    tall.iter()
        .filter(has_neighbor)
        .map(|(child, _)| *child)
        .collect()
}

fn are_beside(one: CssRect, other: CssRect) -> bool {
    let common = one.bottom().min(other.bottom()) - one.y.max(other.y);
    let apart = one.right() <= other.x + 1.0 || other.right() <= one.x + 1.0;
    apart && common >= MIN_BESIDE * one.height.min(other.height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotate::prepared::PreparedPage;
    use vclean_core::capture::{DomBuilder, LineBox, Style};
    use vclean_core::page::{Page, parse};
    use vclean_core::pipeline::{Options, PageCleaner};

    fn page(html: &str) -> PreparedPage {
        let cleaner = PageCleaner::new(&Options::default()).unwrap();
        PreparedPage::new(parse(&Page::from_html("page", html)).unwrap(), &cleaner).unwrap()
    }

    #[test]
    fn containers_that_hold_the_same_blocks_are_named_once() {
        let page = page(
            "<body><div><div><section><p>One</p><p>Two</p></section></div></div><footer><p>Three</p></footer></body>",
        );
        let containers: Vec<&[usize]> = page
            .blocks
            .iter()
            .map(|block| block.containers.as_slice())
            .collect();
        // The body holds all three; of the two div and the section, only the section is named.
        assert_eq!((containers[0].len(), containers[2].len()), (2, 1));
        assert_eq!(containers[0], containers[1]);
        assert_eq!(containers[0][0], containers[2][0]);
        assert_eq!(
            page.capture.dom.tag(NodeId::new(containers[0][1])),
            "section"
        );
        assert_eq!(page.blocks[1].path, "html/body/div/div/section/p[2]");
    }

    #[test]
    fn blocks_of_the_same_path_and_class_are_alike() {
        let page = page(
            "<body><p>One</p><div><p>Two</p><p>Three</p><p class=note>Four</p></div><p>Five</p></body>",
        );
        let alike: Vec<usize> = page.blocks.iter().map(|block| block.alike).collect();
        assert_eq!(alike, [0, 1, 1, 2, 0]);
    }

    #[test]
    fn the_least_certain_block_comes_first_and_ties_keep_their_order() {
        let mut blocks = page("<body><p>One</p><p>Two</p><p>Three</p><p>Four</p></body>").blocks;
        for (block, probability) in blocks.iter_mut().zip([0.9, 0.25, 0.55, 0.75]) {
            block.probability = probability;
        }
        assert_eq!(least_certain_first(&blocks), [2, 1, 3, 0]);
    }

    #[test]
    fn marks_follow_the_tags() {
        let page =
            page("<body><h2>Title</h2><ul><li>Item</li></ul><p>Words</p><div>Loose</div></body>");
        let marks: Vec<Mark> = page.blocks.iter().map(|block| block.mark).collect();
        assert_eq!(
            marks,
            [
                Mark::Heading,
                Mark::ListItem,
                Mark::Paragraph,
                Mark::Paragraph
            ]
        );
    }

    #[test]
    fn boxes_stay_within_the_page() {
        let layout = Layout::new(1, 100.0, 50.0);
        let rect = |x, y, width, height| {
            pixels(
                &layout,
                CssRect {
                    x,
                    y,
                    width,
                    height,
                },
            )
        };
        assert_eq!(rect(10.4, 5.6, 20.2, 10.0), Some([10, 5, 21, 11]));
        assert_eq!(rect(-10.0, 40.0, 500.0, 500.0), Some([0, 40, 100, 10]));
        assert_eq!(rect(200.0, 0.0, 10.0, 10.0), None);
    }

    #[test]
    fn very_deep_pages_are_no_trouble() {
        let page = page(&format!("{}<p>One</p><p>Two</p>", "<div>".repeat(400)));
        assert_eq!(page.blocks.len(), 2);
        assert!(page.blocks[0].containers.len() == 1 && page.blocks[0].path.starts_with("..."));
    }

    fn rect(x: f32, y: f32, width: f32, height: f32) -> CssRect {
        CssRect {
            x,
            y,
            width,
            height,
        }
    }

    #[test]
    fn main_part_and_sidebar_are_columns_and_the_header_is_none() {
        let mut builder = DomBuilder::new();
        let mut boxes = Vec::new();
        let mut targets = Vec::new();
        let mut part = |builder: &mut DomBuilder, at: CssRect| {
            let outer = builder.open("div", vec![]);
            let container = builder.open("p", vec![]);
            let text = builder.text("words");
            builder.close();
            builder.close();
            boxes.push((outer, at));
            targets.push(Target {
                container,
                texts: vec![text],
                visibility: vclean_core::capture::Visibility::Shown,
            });
        };
        part(&mut builder, rect(0.0, 0.0, 1000.0, 500.0));
        builder.open("div", vec![]);
        part(&mut builder, rect(0.0, 500.0, 700.0, 900.0));
        part(&mut builder, rect(700.0, 500.0, 300.0, 600.0));
        let dom = builder.finish();
        let mut layout = Layout::new(dom.len(), 1000.0, 1400.0);
        for (id, at) in boxes {
            layout.set(id, at, &Style::default(), 0, &[] as &[LineBox]);
        }
        assert_eq!(
            columns(&dom, Some(&layout), &targets),
            [None, Some(0), Some(1)]
        );
        assert_eq!(columns(&dom, None, &targets), [None; 3]);
    }
}
