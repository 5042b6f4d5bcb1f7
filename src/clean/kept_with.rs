//! What stays in the pruned tree with the kept text, although it is no text of a kept block.

use crate::capture::Dom;
use crate::elements::Element;

const ROW: Element = Element::known("tr");

/// Keeps the readings of kept text in `ruby`, with their parentheses.
pub(super) fn keep_readings(dom: &Dom, is_kept: &mut [bool]) {
    let rubies = dom
        .ids()
        .filter(|&id| is_kept[id.index()] && dom.element(id) == Element::UNKNOWN && dom.tag(id) == "ruby")
        .collect::<Vec<_>>();
    for ruby in rubies {
        let readings = dom.descendants(ruby).filter(|&id| matches!(dom.tag(id), "rt" | "rp"));
        for reading in readings.collect::<Vec<_>>() {
            is_kept[reading.index()..dom.end(reading)].fill(true);
        }
    }
}

/// Keeps the other cells of each row that has kept cells, without their content, so that no cell moves to another column.
pub(super) fn keep_empty_cells(dom: &Dom, is_kept: &mut [bool]) {
    let rows = dom.ids().filter(|&id| is_kept[id.index()] && dom.element(id) == ROW).collect::<Vec<_>>();
    for row in rows {
        let cells: Vec<_> = dom.children(row).filter(|&id| matches!(dom.tag(id), "td" | "th")).collect();
        // Rows with one kept cell are mostly of layout tables.
        if cells.iter().filter(|cell| is_kept[cell.index()]).count() > 1 {
            for cell in cells {
                is_kept[cell.index()] = true;
            }
        }
    }
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
            let label = if no { Label::Boilerplate } else { Label::Content };
            Decision { margin: 0.0, probability: 0.5, label, comments: None }
        };
        let decisions: Vec<_> =
            targets.iter().map(|target| decide(target.text(&capture.dom).starts_with("no"))).collect();
        prune(&capture, &targets, &decisions, vec![]).pruned
    }

    #[test]
    fn empty_cells_and_readings_stay_in_the_tree() {
        let tree = pruned("<table><tr><th>a<th>b<th>c<tr><td>d<td><td>f<tr><td>no<td>no</table>");
        let tags: Vec<&str> = tree.ids().map(|id| tree.tag(id)).collect();
        assert_eq!(tags.iter().filter(|tag| ["td", "th"].contains(tag)).count(), 6);
        let tree = pruned("<p><ruby>x<rp>(</rp><rt>no reading</rt><rp>)</rp></ruby></p>");
        let texts: Vec<&str> = tree.ids().filter_map(|id| tree.text(id)).collect();
        assert_eq!(texts, ["x", "(", "no reading", ")"]);
    }
}
