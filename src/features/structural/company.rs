//! What stands beside a target: its siblings, the list it is an item of, the table it is a cell of.

use super::super::tree::{Count, share};
use super::super::{FLAG, Feature, LOG, OURS, SHARE, flag, log};
use super::{Here, Of, nonzero};
use crate::capture::NodeId;

/// Mean letters a cell above which a table is a frame for the page's layout (taste; cells of data hold a few words).
const DATA_CELL_LETTERS: f32 = 150.0;

pub(super) const FEATURES: &[Feature<Of>] = &[
    Feature::new(
        "structural.siblings_log",
        LOG,
        "elements beside the target's branch in its group: the children of the nearest element that holds another target too",
        OURS,
        |here| log(siblings(here)),
    ),
    Feature::new(
        "structural.sibling_position",
        SHARE,
        "elements before the branch by elements beside it",
        OURS,
        |here| share(here.view.tree.place[here.block.branch.index()] as f32, siblings(here)),
    ),
    Feature::new(
        "structural.siblings_alike_share",
        SHARE,
        "siblings with the branch's tag and class by siblings, itself included",
        OURS,
        |here| share(alike(here), siblings(here)),
    ),
    Feature::new(
        "structural.siblings_alike_log",
        LOG,
        "siblings with the branch's tag and class, itself included",
        OURS,
        |here| log(alike(here)),
    ),
    Feature::new(
        "structural.is_in_repetition",
        FLAG,
        "the group is one of three or more siblings alike that hold two targets or more: a card, a post, a result",
        OURS,
        |here| flag(here.view.tree.cards(here.dom, here.block.group) >= 3),
    ),
    Feature::new(
        "structural.cards_log",
        LOG,
        "siblings of the group with its tag and class and two targets or more, itself included",
        OURS,
        |here| log(here.view.tree.cards(here.dom, here.block.group) as f32),
    ),
    Feature::new(
        "structural.group_targets_log",
        LOG,
        "targets in the nearest element that holds another target too",
        OURS,
        |here| log(here.view.targets_of(here.block.group).len() as f32),
    ),
    Feature::new(
        "structural.group_letters_per_target_log",
        LOG,
        "mean letters of the targets in the group",
        OURS,
        |here| {
            let sums = here.view.sum(&here.view.targets_of(here.block.group));
            log(share(sums.letters as f32, sums.targets as f32))
        },
    ),
    Feature::new("structural.share_of_group", SHARE, "letters of the target by letters of its group", OURS, |here| {
        share(here.block.length, here.letters_of(here.block.group))
    }),
    Feature::new("structural.list_items_log", LOG, "items of the nearest list; 0 outside lists", OURS, |here| {
        here.list().map_or(0.0, |list| log(items(here, list)))
    }),
    Feature::new(
        "structural.list_position",
        SHARE,
        "elements before the item in its list by items; 0 outside lists",
        OURS,
        |here| {
            let item = nonzero(here.view.tree.item[here.target.container.index()]);
            here.list()
                .zip(item)
                .map_or(0.0, |(list, item)| share(here.view.tree.place[item.index()] as f32, items(here, list)))
        },
    ),
    Feature::new(
        "structural.list_item_length_log",
        LOG,
        "letters of the nearest list by its items; 0 outside lists",
        OURS,
        |here| here.list().map_or(0.0, |list| log(share(here.letters_of(list), items(here, list).max(1.0)))),
    ),
    Feature::new(
        "structural.list_link_density",
        SHARE,
        "link density of the nearest list; 0 outside lists",
        OURS,
        |here| here.list().map_or(0.0, |list| here.link_density_of(list)),
    ),
    Feature::new("structural.table_cells_log", LOG, "cells of the nearest table; 0 outside tables", OURS, |here| {
        here.table().map_or(0.0, |table| log(cells(here, table)))
    }),
    Feature::new(
        "structural.table_cell_length_log",
        LOG,
        "letters of the nearest table by its cells; 0 outside tables",
        OURS,
        |here| here.table().map_or(0.0, |table| log(cell_length(here, table))),
    ),
    Feature::new(
        "structural.is_data_table",
        FLAG,
        "in a table with head cells or a caption, or of four or more cells, whose cells hold under 150 letters on average",
        OURS,
        |here| {
            flag(here.table().is_some_and(|table| {
                let heads = here.view.tree.count_in(Count::HeadCells, &here.view.subtree(table));
                (heads > 0.0 || cells(here, table) >= 4.0) && cell_length(here, table) < DATA_CELL_LETTERS
            }))
        },
    ),
];

fn siblings(here: &Here<'_, '_>) -> f32 {
    let parent = here.dom.parent(here.block.branch).map_or(0, NodeId::index);
    here.view.tree.children[parent] as f32
}

fn alike(here: &Here<'_, '_>) -> f32 {
    here.view.tree.alike(here.dom, here.block.branch) as f32
}

fn items(here: &Here<'_, '_>, list: NodeId) -> f32 {
    here.view.tree.child_items[list.index()] as f32
}

fn cells(here: &Here<'_, '_>, table: NodeId) -> f32 {
    here.view.tree.count_in(Count::Cells, &here.view.subtree(table))
}

fn cell_length(here: &Here<'_, '_>, table: NodeId) -> f32 {
    share(here.letters_of(table), cells(here, table).max(1.0))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
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
