//! Which blocks stand in one column of the page.
//!
//! A column is the outermost element that stands beside another tall element with text: the sidebar, the main part. Rows of
//! small elements, such as the entries of a menu, are no columns.

use crate::capture::{CssRect, Dom, Layout, NodeId};
use crate::target::Target;
use rustc_hash::FxHashMap;

/// Least height of a column in CSS px. Heuristic: about half of a screen, more than a menu or a row of teasers has.
const MIN_HEIGHT_PX: f32 = 400.0;
/// Share of the height of the lower one that two columns have in common. Heuristic.
const MIN_BESIDE: f32 = 0.5;
/// Largest number of children of one element that are compared with one another, so that hostile pages cost little.
const MAX_COMPARED: usize = 64;
/// Largest number of ancestors of a block that are looked at; hostile pages nest very deep.
const MAX_LEVELS: usize = 256;

/// The column of each target, numbered in document order from 0; `None` for blocks that are in no column, and for pages
/// that were not rendered.
pub(super) fn columns(dom: &Dom, layout: Option<&Layout>, targets: &[Target]) -> Vec<Option<usize>> {
    let Some(layout) = layout else { return vec![None; targets.len()] };
    let mut beside: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
    let mut numbers: FxHashMap<NodeId, usize> = FxHashMap::default();
    let column_of = |target: &Target| {
        let path: Vec<NodeId> =
            std::iter::once(target.container).chain(dom.ancestors(target.container)).take(MAX_LEVELS).collect();
        let is_column = |&&id: &&NodeId| {
            dom.parent(id).is_some_and(|parent| {
                beside.entry(parent).or_insert_with(|| columns_in(dom, layout, parent)).contains(&id)
            })
        };
        let column = path.iter().rev().find(is_column)?;
        let next = numbers.len();
        Some(*numbers.entry(*column).or_insert(next))
    };
    targets.iter().map(column_of).collect()
}

/// Those children of an element that stand beside one another.
fn columns_in(dom: &Dom, layout: &Layout, parent: NodeId) -> Vec<NodeId> {
    let tall = dom.children(parent).filter_map(|child| {
        let rect = layout.rect(child)?;
        (dom.is_element(child) && rect.height >= MIN_HEIGHT_PX && rect.width > 0.0).then_some((child, rect))
    });
    let tall: Vec<(NodeId, CssRect)> = tall.take(MAX_COMPARED).collect();
    let has_neighbor = |(child, rect): &&(NodeId, CssRect)| {
        tall.iter().any(|(other, other_rect)| other != child && are_beside(*rect, *other_rect))
    };
    tall.iter().filter(has_neighbor).map(|(child, _)| *child).collect()
}

fn are_beside(one: CssRect, other: CssRect) -> bool {
    let common = one.bottom().min(other.bottom()) - one.y.max(other.y);
    let apart = one.right() <= other.x + 1.0 || other.right() <= one.x + 1.0;
    apart && common >= MIN_BESIDE * one.height.min(other.height)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{DomBuilder, LineBox, Style};

    fn rect(x: f32, y: f32, width: f32, height: f32) -> CssRect {
        CssRect { x, y, width, height }
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
            targets.push(Target { container, texts: vec![text] });
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
        assert_eq!(columns(&dom, Some(&layout), &targets), [None, Some(0), Some(1)]);
        assert_eq!(columns(&dom, None, &targets), [None; 3]);
    }
}
