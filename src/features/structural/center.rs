//! How far a target is from the page's running text: Readability's score, and the core that holds half the long text.

use super::super::column::{FLAG, Feature, OURS, SHARE, ValueRange, flag};
use super::super::tree::share;
use super::facts::{Formula, TargetFacts};
use crate::capture::NodeId;

const READABILITY: &str = "ours, after Readability's candidate score";

pub(super) const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "structural.score_ratio",
        SHARE,
        "score of the nearest scored element at or above the container by the best of the page; 0 without scores",
        READABILITY,
        |facts| share(facts.view.scores.nearest(facts.target.container), facts.view.scores.best_score),
    ),
    Feature::new(
        "structural.group_score_ratio",
        SHARE,
        "score of the nearest element that holds another target too by the best of the page",
        READABILITY,
        |facts| share(facts.view.scores.score(facts.block.group), facts.view.scores.best_score),
    ),
    Feature::new(
        "structural.is_in_best",
        FLAG,
        "in the best-scored element; 1 where there is none",
        READABILITY,
        |facts| flag(facts.dom.contains(facts.view.scores.best, facts.target.container)),
    ),
    Feature::new(
        "structural.shared_with_best",
        SHARE,
        "depth of the deepest element that holds both the container and the best-scored element, by the depth of the latter; 1 where there is none",
        READABILITY,
        |facts| {
            let best = facts.dom.depth(facts.view.scores.best) as f32;
            if best > 0.0 { facts.view.scores.shared_depth(facts.target.container) / best } else { 1.0 }
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
        |facts| flag(facts.dom.contains(facts.view.scores.core, facts.target.container)),
    ),
    Feature::new(
        "structural.group_long_share",
        SHARE,
        "letters in long texts by letters of the nearest element that holds another target too",
        OURS,
        |facts| long_share(facts, facts.block.group),
    ),
    Feature::new(
        "structural.outer_group_long_share",
        SHARE,
        "the same for the next element up that holds still more targets",
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
        "long letters of the nearest element that holds another target too by those of the page",
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
    share(facts.view.sum(&facts.view.targets_of(id)).long_letters as f32, all.long_letters as f32)
}
