//! Parts that stay in the pruned tree beside the kept text, but are not text of a kept block.

use crate::capture::{Dom, DomBuilder, NodeId};
use crate::elements::Element;

const ROW: Element = Element::known("tr");
const LI: Element = Element::known("li");
pub(super) const INPUT: Element = Element::known("input");

/// Keeps all that stays with the kept nodes: readings, empty cells and checkboxes.
pub(super) fn keep_with_text(dom: &Dom, is_kept: &mut [bool]) {
    keep_empty_cells(dom, is_kept);
    keep_readings(dom, is_kept);
    keep_checkboxes(dom, is_kept);
}

/// Keeps the readings of kept text in `ruby`, with their parentheses.
fn keep_readings(dom: &Dom, is_kept: &mut [bool]) {
    let rubies = dom
        .ids()
        .filter(|&id| {
            is_kept[id.index()] && dom.element(id) == Element::UNKNOWN && dom.tag(id) == "ruby"
        })
        .collect::<Vec<_>>();
    for ruby in rubies {
        let readings = dom
            .descendants(ruby)
            .filter(|&id| matches!(dom.tag(id), "rt" | "rp"));
        for reading in readings.collect::<Vec<_>>() {
            is_kept[reading.index()..dom.end(reading)].fill(true);
        }
    }
}

/// Keeps the other cells of each row that has kept cells, without their content, so that no cell
/// moves to another column.
fn keep_empty_cells(dom: &Dom, is_kept: &mut [bool]) {
    let rows = dom
        .ids()
        .filter(|&id| is_kept[id.index()] && dom.element(id) == ROW)
        .collect::<Vec<_>>();
    for row in rows {
        let cells: Vec<_> = dom
            .children(row)
            .filter(|&id| matches!(dom.tag(id), "td" | "th"))
            .collect();
        // Rows with one kept cell mostly belong to layout tables.
        if cells.iter().filter(|cell| is_kept[cell.index()]).count() > 1 {
            for cell in cells {
                is_kept[cell.index()] = true;
            }
        }
    }
}

/// Keeps the checkbox before the text of each kept list item.
fn keep_checkboxes(dom: &Dom, is_kept: &mut [bool]) {
    for index in 1..dom.len() {
        let li = NodeId::new(index);
        if !is_kept[index] || dom.element(li) != LI {
            continue;
        }
        if let Some(input) = checkbox(dom, li, dom.end(li)) {
            is_kept[input.index()] = true;
            dom.ancestors(input)
                .take_while(|&up| up != li)
                .for_each(|up| is_kept[up.index()] = true);
        }
    }
}

/// The checkbox of a list item, if it is before its text and before the node number `end`.
pub(super) fn checkbox(dom: &Dom, li: NodeId, end: usize) -> Option<NodeId> {
    let end = end.min(dom.end(li));
    for id in dom.descendants(li).take_while(|id| id.index() < end) {
        // Text or a list comes first: a later checkbox belongs to another item; nested items are
        // read once each.
        let is_list = matches!(dom.tag(id), "ul" | "ol" | "li");
        if is_list || dom.text(id).is_some_and(|text| !text.trim().is_empty()) {
            return None;
        }
        let is_box = |kind: &str| kind.eq_ignore_ascii_case("checkbox");
        if dom.element(id) == INPUT && dom.attribute(id, "type").is_some_and(is_box) {
            // Checkboxes of recipes are ticked off while cooking; they are not text.
            let is_of_recipe = |up: NodeId| {
                dom.attribute(up, "class")
                    .is_some_and(|class| class.contains("ingredient"))
            };
            return (!is_of_recipe(li) && !dom.ancestors(id).take(3).any(is_of_recipe))
                .then_some(id);
        }
    }
    None
}

pub(super) fn is_checked(dom: &Dom, input: NodeId) -> bool {
    dom.attribute(input, "checked").is_some()
}

/// Writes a checkbox as GitHub does: disabled.
pub(super) fn copy_checkbox(builder: &mut DomBuilder, dom: &Dom, input: NodeId) {
    let checked = is_checked(dom, input).then_some(("checked", ""));
    builder.open_with(
        "input",
        [("type", "checkbox"), ("disabled", "")]
            .into_iter()
            .chain(checked),
    );
    builder.close();
}

#[cfg(test)]
mod tests {
    use super::super::prune::prune;
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::classify::{Decision, Label};
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    /// The pruned tree of a page whose blocks are kept, except those whose text begins with `no`.
    fn pruned(html: &str) -> Dom {
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let decide = |no: bool| {
            let label = if no {
                Label::Boilerplate
            } else {
                Label::Content
            };
            Decision {
                margin: 0.0,
                probability: 0.5,
                label,
                comments: None,
            }
        };
        let decisions: Vec<_> = targets
            .iter()
            .map(|target| decide(target.text(&capture.dom).starts_with("no")))
            .collect();
        prune(&capture, &targets, &decisions, vec![]).pruned
    }

    #[test]
    fn empty_cells_and_readings_stay_in_the_tree() {
        let tree = pruned("<table><tr><th>a<th>b<th>c<tr><td>d<td><td>f<tr><td>no<td>no</table>");
        let tags: Vec<&str> = tree.ids().map(|id| tree.tag(id)).collect();
        assert_eq!(
            tags.iter().filter(|tag| ["td", "th"].contains(tag)).count(),
            6
        );
        let tree = pruned("<p><ruby>x<rp>(</rp><rt>no reading</rt><rp>)</rp></ruby></p>");
        let texts: Vec<&str> = tree.ids().filter_map(|id| tree.text(id)).collect();
        assert_eq!(texts, ["x", "(", "no reading", ")"]);
    }

    #[test]
    fn checkboxes_of_kept_items_stay() {
        let html = "<ul><li><label><input type=checkbox checked name=a>one</label><li><b><input type=Checkbox></b> two\
                    <li><input type=checkbox> no<li><input type=text> three<li>four <input type=checkbox></ul>";
        let tree = pruned(html);
        let inputs: Vec<_> = tree.ids().filter(|&id| tree.element(id) == INPUT).collect();
        let checked: Vec<bool> = inputs.iter().map(|&id| is_checked(&tree, id)).collect();
        assert_eq!(checked, [true, false]);
        assert!(
            inputs
                .iter()
                .all(|&id| tree.attribute(id, "disabled").is_some()
                    && tree.attribute(id, "name").is_none())
        );
        assert!(tree.is_consistent());
    }

    #[test]
    fn a_checkbox_belongs_to_the_innermost_item() {
        let mut builder = DomBuilder::new();
        let outer = builder.open("li", vec![]);
        let inner = builder.open("li", vec![]);
        let input = builder.open("input", vec![("type".into(), "checkbox".into())]);
        let dom = builder.finish();
        assert_eq!(
            [outer, inner].map(|li| checkbox(&dom, li, dom.end(li))),
            [None, Some(input)]
        );
    }
}
