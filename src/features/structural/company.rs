//! What is beside a target: its siblings, the list it is an item of, the table it is a cell of.

use super::super::column::{FLAG, Feature, LOG, OURS, SHARE, flag, log};
use super::super::tree::{Count, share};
use super::facts::{Formula, TargetFacts, node_unless_zero};
use crate::capture::{Dom, NodeId};

/// Mean letters a cell above which a table is used for layout (heuristic: cells of data hold a few words).
const DATA_CELL_LETTERS: f32 = 150.0;

pub(super) const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "structural.siblings_log",
        LOG,
        "elements beside the target's branch in its group: the children of the nearest element that holds another target too",
        OURS,
        |facts| log(siblings(facts)),
    ),
    Feature::new(
        "structural.sibling_position",
        SHARE,
        "elements before the branch by elements beside it",
        OURS,
        |facts| share(facts.view.tree.of(facts.block.branch).place as f32, siblings(facts)),
    ),
    Feature::new(
        "structural.siblings_alike_share",
        SHARE,
        "siblings with the branch's tag and class by siblings, itself included",
        OURS,
        |facts| share(alike(facts), siblings(facts)),
    ),
    Feature::new(
        "structural.siblings_alike_log",
        LOG,
        "siblings with the branch's tag and class, itself included",
        OURS,
        |facts| log(alike(facts)),
    ),
    Feature::new(
        "structural.is_in_repetition",
        FLAG,
        "the group is one of three or more siblings alike that hold two targets or more: a card, a post, a result",
        OURS,
        |facts| flag(facts.view.tree.cards(facts.dom, facts.block.group) >= 3),
    ),
    Feature::new(
        "structural.cards_log",
        LOG,
        "siblings of the group with its tag and class and two targets or more, itself included",
        OURS,
        |facts| log(facts.view.tree.cards(facts.dom, facts.block.group) as f32),
    ),
    Feature::new(
        "structural.group_targets_log",
        LOG,
        "targets in the nearest element that holds another target too",
        OURS,
        |facts| log(facts.view.targets_of(facts.block.group).len() as f32),
    ),
    Feature::new(
        "structural.group_letters_per_target_log",
        LOG,
        "mean letters of the targets in the group",
        OURS,
        |facts| {
            let sums = facts.view.sum(&facts.view.targets_of(facts.block.group));
            log(share(sums.letters as f32, sums.targets as f32))
        },
    ),
    Feature::new("structural.share_of_group", SHARE, "letters of the target by letters of its group", OURS, |facts| {
        share(facts.block.length, facts.letters_of(facts.block.group))
    }),
    Feature::new("structural.list_items_log", LOG, "items of the nearest list; 0 outside lists", OURS, |facts| {
        facts.list().map_or(0.0, |list| log(items(facts, list)))
    }),
    Feature::new(
        "structural.list_position",
        SHARE,
        "elements before the item in its list by items; 0 outside lists",
        OURS,
        |facts| {
            let item = node_unless_zero(facts.view.tree.of(facts.target.container).item);
            facts
                .list()
                .zip(item)
                .map_or(0.0, |(list, item)| share(facts.view.tree.of(item).place as f32, items(facts, list)))
        },
    ),
    Feature::new(
        "structural.list_item_length_log",
        LOG,
        "letters of the nearest list by its items; 0 outside lists",
        OURS,
        |facts| facts.list().map_or(0.0, |list| log(share(facts.letters_of(list), items(facts, list).max(1.0)))),
    ),
    Feature::new(
        "structural.list_link_density",
        SHARE,
        "link density of the nearest list; 0 outside lists",
        OURS,
        |facts| facts.list().map_or(0.0, |list| facts.link_density_of(list)),
    ),
    Feature::new("structural.table_cells_log", LOG, "cells of the nearest table; 0 outside tables", OURS, |facts| {
        facts.table().map_or(0.0, |table| log(cells(facts, table)))
    }),
    Feature::new(
        "structural.table_cell_length_log",
        LOG,
        "letters of the nearest table by its cells; 0 outside tables",
        OURS,
        |facts| facts.table().map_or(0.0, |table| log(cell_length(facts, table))),
    ),
    Feature::new(
        "structural.is_data_table",
        FLAG,
        "in a table with head cells or a caption, or of four or more cells, whose cells hold under 150 letters on average",
        OURS,
        |facts| {
            flag(facts.table().is_some_and(|table| {
                let heads = facts.view.tree.count_in(Count::HeadCells, &facts.view.subtree(table));
                (heads > 0.0 || cells(facts, table) >= 4.0) && cell_length(facts, table) < DATA_CELL_LETTERS
            }))
        },
    ),
];

fn siblings(facts: &TargetFacts<'_, '_>) -> f32 {
    let parent = facts.dom.parent(facts.block.branch).unwrap_or(Dom::ROOT);
    facts.view.tree.of(parent).children as f32
}

fn alike(facts: &TargetFacts<'_, '_>) -> f32 {
    facts.view.tree.alike(facts.dom, facts.block.branch) as f32
}

fn items(facts: &TargetFacts<'_, '_>, list: NodeId) -> f32 {
    facts.view.tree.of(list).child_items as f32
}

fn cells(facts: &TargetFacts<'_, '_>, table: NodeId) -> f32 {
    facts.view.tree.count_in(Count::Cells, &facts.view.subtree(table))
}

fn cell_length(facts: &TargetFacts<'_, '_>, table: NodeId) -> f32 {
    share(facts.letters_of(table), cells(facts, table).max(1.0))
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::page;
    use super::super::super::measure;
    use crate::target::{TargetRule, select};

    #[test]
    fn lists_tables_and_cards_are_seen() {
        let capture = page(
            "<ul><li><a href=x>one</a><li>two<li>three</ul><table><tr><th>a<td>b<tr><td>c<td>d</table>\
             <div class=card><p>x<p>y</div><div class=card><p>x<p>y</div><div class=card><p>x<p>y</div>",
        );
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let value = |name: &str, row: usize| table.rows[[row, table.column_index(name).unwrap()]];
        assert_eq!(value("structural.list_items_log", 1), 4f32.ln());
        assert_eq!(value("structural.list_position", 1), 1.0 / 3.0);
        assert_eq!(value("structural.list_link_density", 1), 3.0 / 11.0);
        assert_eq!(value("structural.is_data_table", 4), 1.0);
        assert_eq!(value("structural.is_in_repetition", 4), 0.0);
        assert_eq!(value("structural.is_in_repetition", 8), 1.0);
        assert_eq!(value("structural.siblings_alike_share", 8), 1.0);
    }
}
