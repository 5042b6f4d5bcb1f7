//! How far a target is from the page's running text: Readability's score, and the core that holds half the long text.

use super::super::tree::share;
use super::super::{FLAG, Feature, OURS, SHARE, flag};
use super::{Here, Of};
use crate::capture::NodeId;

const READABILITY: &str = "ours, after Readability's candidate score";

pub(super) const FEATURES: &[Feature<Of>] = &[
    Feature::new(
        "structural.score_ratio",
        SHARE,
        "score of the nearest scored element at or above the container by the best of the page; 0 without scores",
        READABILITY,
        |here| share(here.view.scores.nearest(here.target.container), here.view.scores.best_score),
    ),
    Feature::new(
        "structural.group_score_ratio",
        SHARE,
        "score of the nearest element that holds another target too by the best of the page",
        READABILITY,
        |here| share(here.view.scores.score(here.block.group), here.view.scores.best_score),
    ),
    Feature::new(
        "structural.is_in_best",
        FLAG,
        "in the best-scored element; 1 where there is none",
        READABILITY,
        |here| flag(here.dom.contains(here.view.scores.best, here.target.container)),
    ),
    Feature::new(
        "structural.shared_with_best",
        SHARE,
        "depth of the deepest element that holds both the container and the best-scored element, by the depth of the latter; 1 where there is none",
        READABILITY,
        |here| {
            let best = here.dom.depth(here.view.scores.best) as f32;
            if best > 0.0 { here.view.scores.shared_depth(here.target.container) / best } else { 1.0 }
        },
    ),
    Feature::new(
        "structural.below_best",
        "levels, -1 to 1",
        "levels from the best-scored element down to the container by 8, -1 outside it",
        READABILITY,
        |here| {
            let best = here.view.scores.best;
            if here.dom.contains(best, here.target.container) {
                (here.dom.depth(here.target.container) - here.dom.depth(best)) as f32 / 8.0
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
        |here| flag(here.dom.contains(here.view.scores.core, here.target.container)),
    ),
    Feature::new(
        "structural.group_long_share",
        SHARE,
        "letters in long texts by letters of the nearest element that holds another target too",
        OURS,
        |here| long_share(here, here.block.group),
    ),
    Feature::new(
        "structural.outer_group_long_share",
        SHARE,
        "the same for the next element up that holds still more targets",
        OURS,
        |here| long_share(here, here.block.outer_group),
    ),
    Feature::new(
        "structural.section_long_share",
        SHARE,
        "letters in long texts by letters of the nearest sectioning element",
        OURS,
        |here| long_share(here, here.section()),
    ),
    Feature::new(
        "structural.group_share_of_long",
        SHARE,
        "long letters of the nearest element that holds another target too by those of the page",
        OURS,
        |here| share_of_long(here, here.block.group),
    ),
    Feature::new(
        "structural.section_share_of_long",
        SHARE,
        "long letters of the nearest sectioning element by those of the page",
        OURS,
        |here| share_of_long(here, here.section()),
    ),
];

fn long_share(here: &Here<'_, '_>, id: NodeId) -> f32 {
    let sums = here.view.sum(&here.view.targets_of(id));
    share(sums.long_letters as f32, sums.letters as f32)
}

fn share_of_long(here: &Here<'_, '_>, id: NodeId) -> f32 {
    let all = here.view.sum(&(0..here.view.targets.len()));
    share(here.view.sum(&here.view.targets_of(id)).long_letters as f32, all.long_letters as f32)
}
