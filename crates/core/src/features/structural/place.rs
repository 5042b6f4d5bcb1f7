//! The location of a target: its position in the page's text and its similarity to the page's
//! title; its distance from the page's running text (Readability's score, and the core that holds
//! half the long text); its siblings, its list if it is a list item, and its table if it is a cell.

use super::facts::{Formula, TargetFacts, node_unless_zero};
use crate::capture::{Dom, NodeId};
use crate::features::block::BlockFacts;
use crate::features::column::{FLAG, Feature, LOG, OURS, SHARE, TEXREX, ValueRange, flag, log};
use crate::features::profile::words_in_both;
use crate::features::tree::{Count, share};

/// Number of targets after a heading that are searched for its text: a byline, a date or a caption
/// may come first.
const AFTER_HEADING: usize = 3;

pub(super) const TEXT_FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "structural.text_share",
        SHARE,
        "letters of the block by letters of the page",
        TEXREX,
        |facts| share(facts.block.length, facts.view.letters),
    ),
    Feature::new(
        "structural.text_before",
        SHARE,
        "letters before the block by letters of the page",
        TEXREX,
        |facts| {
            share(
                facts.view.sum(&(0..facts.index)).letters as f32,
                facts.view.letters,
            )
        },
    ),
    Feature::new(
        "structural.position",
        SHARE,
        "blocks before this one by blocks",
        TEXREX,
        |facts| facts.index as f32 / facts.view.targets.len() as f32,
    ),
    Feature::new(
        "structural.group_text_share",
        SHARE,
        "letters in the nearest element that holds another block too, by letters of the page",
        OURS,
        |facts| share(facts.letters_of(facts.block.group), facts.view.letters),
    ),
    Feature::new(
        "structural.outer_group_text_share",
        SHARE,
        "the same for the next element up that holds still more blocks",
        OURS,
        |facts| {
            share(
                facts.letters_of(facts.block.outer_group),
                facts.view.letters,
            )
        },
    ),
    Feature::new(
        "structural.section_text_share",
        SHARE,
        "letters in the nearest sectioning element by letters of the page",
        OURS,
        |facts| share(facts.letters_of(facts.section()), facts.view.letters),
    ),
    Feature::new(
        "structural.look_share",
        SHARE,
        "letters in all blocks with the same tag and class of container and parent, by letters of the page",
        OURS,
        |facts| facts.view.look_share(facts.block),
    ),
    Feature::new(
        "structural.copies_log",
        LOG,
        "other blocks with the same text",
        OURS,
        |facts| log(facts.view.copies(facts.block) as f32 - 1.0),
    ),
    Feature::new(
        "structural.is_before_h1",
        FLAG,
        "stands before the first h1; 0 where the page has none",
        OURS,
        |facts| flag(facts.on_page.first_h1.is_some_and(|h1| facts.index < h1)),
    ),
    Feature::new(
        "structural.from_h1",
        ValueRange::new("share", -1.0, 1.0),
        "blocks from the first h1 to this one by blocks, negative before it; 0 where the page has none",
        OURS,
        |facts| {
            facts.on_page.first_h1.map_or(0.0, |h1| {
                (facts.index as f32 - h1 as f32) / facts.view.targets.len() as f32
            })
        },
    ),
    Feature::new(
        "structural.is_after_last_long",
        FLAG,
        "stands after the last long text; 0 where there is none",
        OURS,
        |facts| {
            flag(
                facts
                    .on_page
                    .last_long
                    .is_some_and(|last| facts.index > last),
            )
        },
    ),
    Feature::new(
        "structural.from_last_long",
        ValueRange::new("share", -1.0, 1.0),
        "blocks from the last long text to this one by blocks, negative before it; 0 where there is none",
        OURS,
        |facts| {
            facts.on_page.last_long.map_or(0.0, |last| {
                (facts.index as f32 - last as f32) / facts.view.targets.len() as f32
            })
        },
    ),
    Feature::new(
        "structural.title_overlap",
        SHARE,
        "words of the document's title that are in the block, by all words of both",
        OURS,
        |facts| overlap(&facts.on_page.title, &facts.block.profile.types),
    ),
    Feature::new(
        "structural.description_overlap",
        SHARE,
        "words of the page's description of itself that are in the block, by all words of both",
        OURS,
        |facts| overlap(&facts.on_page.description, &facts.block.profile.types),
    ),
    Feature::new(
        "structural.is_heading_of_long",
        FLAG,
        "a heading with a long text among the three blocks after it",
        OURS,
        |facts| {
            let after = facts
                .view
                .blocks
                .iter()
                .skip(facts.index + 1)
                .take(AFTER_HEADING);
            flag(
                facts.block.heading_level > 0
                    && after
                        .take_while(|block| block.heading_level == 0)
                        .any(BlockFacts::is_long),
            )
        },
    ),
    Feature::new(
        "structural.follows_heading",
        FLAG,
        "the block before is a heading and this is none",
        OURS,
        |facts| {
            let before = facts
                .index
                .checked_sub(1)
                .map(|index| &facts.view.blocks[index]);
            flag(
                facts.block.heading_level == 0
                    && before.is_some_and(|block| block.heading_level > 0),
            )
        },
    ),
];

/// Size of the intersection of two sorted lists, divided by the size of their union; 0 if both are
/// empty.
fn overlap(one: &[u64], other: &[u64]) -> f32 {
    let both = words_in_both(one, other);
    share(both as f32, (one.len() + other.len() - both) as f32)
}

const READABILITY: &str = "ours, after Readability's candidate score";

pub(super) const CENTER_FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "structural.score_ratio",
        SHARE,
        "score of the nearest scored element at or above the container by the best of the page; 0 without scores",
        READABILITY,
        |facts| {
            share(
                facts.view.scores.nearest(facts.target.container),
                facts.view.scores.best_score,
            )
        },
    ),
    Feature::new(
        "structural.group_score_ratio",
        SHARE,
        "score of the nearest element that holds another block too by the best of the page",
        READABILITY,
        |facts| {
            share(
                facts.view.scores.score(facts.block.group),
                facts.view.scores.best_score,
            )
        },
    ),
    Feature::new(
        "structural.is_in_best",
        FLAG,
        "in the best-scored element; 1 where there is none",
        READABILITY,
        |facts| {
            flag(
                facts
                    .dom
                    .contains(facts.view.scores.best, facts.target.container),
            )
        },
    ),
    Feature::new(
        "structural.shared_with_best",
        SHARE,
        "depth of the deepest element that holds both the container and the best-scored element, by the depth of the latter; 1 where there is none",
        READABILITY,
        |facts| {
            let best = facts.dom.depth(facts.view.scores.best) as f32;
            if best > 0.0 {
                facts.view.scores.shared_depth(facts.target.container) / best
            } else {
                1.0
            }
        },
    ),
    Feature::new(
        "structural.below_best",
        ValueRange::new("levels", -1.0, 1.0),
        "levels from the best-scored element down to the container by 8, -1 outside it",
        READABILITY,
        |facts| {
            let best = facts.view.scores.best;
            if facts.dom.contains(best, facts.target.container) {
                (facts.dom.depth(facts.target.container) - facts.dom.depth(best)) as f32 / 8.0
            } else {
                -1.0
            }
        },
    ),
    Feature::new(
        "structural.is_in_core",
        FLAG,
        "in the smallest element that holds half the long text; 1 where there is none",
        OURS,
        |facts| {
            flag(
                facts
                    .dom
                    .contains(facts.view.scores.core, facts.target.container),
            )
        },
    ),
    Feature::new(
        "structural.group_long_share",
        SHARE,
        "letters in long texts by letters of the nearest element that holds another block too",
        OURS,
        |facts| long_share(facts, facts.block.group),
    ),
    Feature::new(
        "structural.outer_group_long_share",
        SHARE,
        "the same for the next element up that holds still more blocks",
        OURS,
        |facts| long_share(facts, facts.block.outer_group),
    ),
    Feature::new(
        "structural.section_long_share",
        SHARE,
        "letters in long texts by letters of the nearest sectioning element",
        OURS,
        |facts| long_share(facts, facts.section()),
    ),
    Feature::new(
        "structural.group_share_of_long",
        SHARE,
        "long letters of the nearest element that holds another block too by those of the page",
        OURS,
        |facts| share_of_long(facts, facts.block.group),
    ),
    Feature::new(
        "structural.section_share_of_long",
        SHARE,
        "long letters of the nearest sectioning element by those of the page",
        OURS,
        |facts| share_of_long(facts, facts.section()),
    ),
];

fn long_share(facts: &TargetFacts<'_, '_>, id: NodeId) -> f32 {
    let sums = facts.view.sum(&facts.view.targets_of(id));
    share(sums.long_letters as f32, sums.letters as f32)
}

fn share_of_long(facts: &TargetFacts<'_, '_>, id: NodeId) -> f32 {
    let all = facts.view.sum(&(0..facts.view.targets.len()));
    share(
        facts.view.sum(&facts.view.targets_of(id)).long_letters as f32,
        all.long_letters as f32,
    )
}

/// Mean letters per cell above which a table is used for layout (heuristic: data cells hold a few
/// words).
const DATA_CELL_LETTERS: f32 = 150.0;

pub(super) const NEIGHBOR_FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "structural.siblings_log",
        LOG,
        "elements beside the block's branch in its group: the children of the nearest element that holds another block too",
        OURS,
        |facts| log(siblings(facts)),
    ),
    Feature::new(
        "structural.sibling_position",
        SHARE,
        "elements before the branch by elements beside it",
        OURS,
        |facts| {
            share(
                facts.view.tree.facts(facts.block.branch).place as f32,
                siblings(facts),
            )
        },
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
        "the group is one of three or more siblings alike that hold two blocks or more: a card, a post, a result",
        OURS,
        |facts| flag(facts.view.tree.cards(facts.dom, facts.block.group) >= 3),
    ),
    Feature::new(
        "structural.cards_log",
        LOG,
        "siblings of the group with its tag and class and two blocks or more, itself included",
        OURS,
        |facts| log(facts.view.tree.cards(facts.dom, facts.block.group) as f32),
    ),
    Feature::new(
        "structural.group_targets_log",
        LOG,
        "blocks in the nearest element that holds another block too",
        OURS,
        |facts| log(facts.view.targets_of(facts.block.group).len() as f32),
    ),
    Feature::new(
        "structural.group_letters_per_target_log",
        LOG,
        "mean letters of the blocks in the group",
        OURS,
        |facts| {
            let sums = facts.view.sum(&facts.view.targets_of(facts.block.group));
            log(share(sums.letters as f32, sums.targets as f32))
        },
    ),
    Feature::new(
        "structural.share_of_group",
        SHARE,
        "letters of the block by letters of its group",
        OURS,
        |facts| share(facts.block.length, facts.letters_of(facts.block.group)),
    ),
    Feature::new(
        "structural.list_items_log",
        LOG,
        "items of the nearest list; 0 outside lists",
        OURS,
        |facts| facts.list().map_or(0.0, |list| log(items(facts, list))),
    ),
    Feature::new(
        "structural.list_position",
        SHARE,
        "elements before the item in its list by items; 0 outside lists",
        OURS,
        |facts| {
            let item = node_unless_zero(facts.view.tree.facts(facts.target.container).item);
            facts.list().zip(item).map_or(0.0, |(list, item)| {
                share(facts.view.tree.facts(item).place as f32, items(facts, list))
            })
        },
    ),
    Feature::new(
        "structural.list_item_length_log",
        LOG,
        "letters of the nearest list by its items; 0 outside lists",
        OURS,
        |facts| {
            facts.list().map_or(0.0, |list| {
                log(share(facts.letters_of(list), items(facts, list).max(1.0)))
            })
        },
    ),
    Feature::new(
        "structural.list_link_density",
        SHARE,
        "link density of the nearest list; 0 outside lists",
        OURS,
        |facts| facts.list().map_or(0.0, |list| facts.link_density_of(list)),
    ),
    Feature::new(
        "structural.table_cells_log",
        LOG,
        "cells of the nearest table; 0 outside tables",
        OURS,
        |facts| facts.table().map_or(0.0, |table| log(cells(facts, table))),
    ),
    Feature::new(
        "structural.table_cell_length_log",
        LOG,
        "letters of the nearest table by its cells; 0 outside tables",
        OURS,
        |facts| {
            facts
                .table()
                .map_or(0.0, |table| log(cell_length(facts, table)))
        },
    ),
    Feature::new(
        "structural.is_data_table",
        FLAG,
        "in a table with head cells or a caption, or of four or more cells, whose cells hold under 150 letters on average",
        OURS,
        |facts| {
            flag(facts.table().is_some_and(|table| {
                let heads = facts
                    .view
                    .tree
                    .count_in(Count::HeadCells, &facts.view.subtree(table));
                (heads > 0.0 || cells(facts, table) >= 4.0)
                    && cell_length(facts, table) < DATA_CELL_LETTERS
            }))
        },
    ),
];

fn siblings(facts: &TargetFacts<'_, '_>) -> f32 {
    let parent = facts.dom.parent(facts.block.branch).unwrap_or(Dom::ROOT);
    facts.view.tree.facts(parent).children as f32
}

fn alike(facts: &TargetFacts<'_, '_>) -> f32 {
    facts.view.tree.alike(facts.dom, facts.block.branch) as f32
}

fn items(facts: &TargetFacts<'_, '_>, list: NodeId) -> f32 {
    facts.view.tree.facts(list).child_items as f32
}

fn cells(facts: &TargetFacts<'_, '_>, table: NodeId) -> f32 {
    facts
        .view
        .tree
        .count_in(Count::Cells, &facts.view.subtree(table))
}

fn cell_length(facts: &TargetFacts<'_, '_>, table: NodeId) -> f32 {
    share(facts.letters_of(table), cells(facts, table).max(1.0))
}

#[cfg(test)]
mod tests {
    use super::overlap;
    use crate::features::fixture::page;
    use crate::features::measure;
    use crate::target::{TargetRule, select};

    #[test]
    fn positions_are_relative_to_headings_and_long_texts() {
        let long = "Words and words and words and words and words and words and words and words and words, in a line.";
        let capture = page(&format!(
            "<div>site</div><h1>Title</h1><p>{long}<p>{long}<div>end</div>"
        ));
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let column = |name: &str| table.column(name).unwrap().to_vec();
        assert_eq!(column("structural.is_before_h1"), [1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(
            column("structural.is_heading_of_long"),
            [0.0, 1.0, 0.0, 0.0, 0.0]
        );
        assert_eq!(
            column("structural.is_after_last_long"),
            [0.0, 0.0, 0.0, 0.0, 1.0]
        );
        assert_eq!(
            column("structural.follows_heading"),
            [0.0, 0.0, 1.0, 0.0, 0.0]
        );
        assert!((column("structural.copies_log")[2] - 2f32.ln()).abs() < 1e-6);
        assert_eq!(overlap(&[1, 2, 3], &[2, 3, 4]), 0.5);
        assert_eq!(overlap(&[], &[]), 0.0);
    }

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
