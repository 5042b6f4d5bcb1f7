//! Distances to headings and long texts, runs of similar targets, and a target's position in the
//! distribution of its page.

use super::super::block::BlockFacts;
use super::super::column::{
    Column, FLAG, Feature, LOG, OURS, SHARE, ValueRange, columns_of, flag, log,
};
use super::super::page::PageView;
use super::super::tree::share;
use super::neighbor::column_of;
use crate::features::table::{GroupRows, fill_row};
use rustc_hash::FxHashMap;

/// Minimum link density of targets in a run of links (Kohlschütter 2010: the second split of his
/// trees).
const LINK_RUN_DENSITY: f32 = 0.5;
/// Number of targets on either side that are searched for long texts which enclose a target
/// (heuristic: a list, a table or a few headings).
const BETWEEN_REACH: usize = 6;

const KOHLSCHUETTER: &str = "ours, after Kohlschütter 2010, 2 (relative position and densities)";

/// Measurements around one target.
#[derive(Debug, Clone, Copy, Default)]
struct RunFacts {
    length_rank: f32,
    length_score: f32,
    link_density_score: f32,
    density_score: f32,
    to_longest: f32,
    since_heading: usize,
    heading_level: u8,
    since_long: usize,
    until_long: usize,
    is_between_in_group: bool,
    link_run: usize,
    short_run: usize,
    prose_run: usize,
    look_run: usize,
    same_group_before: bool,
    same_group_after: bool,
    group_prose_share: f32,
    section_prose_share: f32,
    window_prose_share: f32,
    look_link_density: f32,
    look_length: f32,
}

type Formula = fn(&RunFacts) -> f32;

pub(super) const COLUMNS: [Column; FEATURES.len()] = columns_of(FEATURES);

const DEVIATIONS: ValueRange = ValueRange::new("standard deviations", -4.0, 4.0);

const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "context.page.length_rank",
        SHARE,
        "blocks of the page with a shorter text by blocks",
        OURS,
        |a| a.length_rank,
    ),
    Feature::new(
        "context.page.length_score",
        DEVIATIONS,
        "text.characters_log less the page's mean, by the page's standard deviation",
        OURS,
        |a| a.length_score,
    ),
    Feature::new(
        "context.page.link_density_score",
        DEVIATIONS,
        "structural.link_density less the page's mean, by the page's standard deviation",
        OURS,
        |a| a.link_density_score,
    ),
    Feature::new(
        "context.page.density_score",
        DEVIATIONS,
        "text.density less the page's mean, by the page's standard deviation",
        KOHLSCHUETTER,
        |a| a.density_score,
    ),
    Feature::new(
        "context.page.length_to_longest",
        SHARE,
        "length by the length of the page's longest text",
        KOHLSCHUETTER,
        |a| a.to_longest,
    ),
    Feature::new(
        "context.since_heading_log",
        LOG,
        "blocks since the nearest heading before; all blocks where there is none",
        OURS,
        |a| log(a.since_heading as f32),
    ),
    Feature::new(
        "context.heading_rank",
        ValueRange::new("rank", 0.0, 1.0),
        "1 for a first-level nearest heading before down to 1/6 for a sixth-level one; 0 where there is none",
        OURS,
        |a| {
            if a.heading_level == 0 {
                0.0
            } else {
                f32::from(7 - a.heading_level) / 6.0
            }
        },
    ),
    Feature::new(
        "context.since_long_log",
        LOG,
        "blocks since the nearest long text before; all blocks where there is none",
        OURS,
        |a| log(a.since_long as f32),
    ),
    Feature::new(
        "context.until_long_log",
        LOG,
        "blocks until the nearest long text after; all blocks where there is none",
        OURS,
        |a| log(a.until_long as f32),
    ),
    Feature::new(
        "context.is_between_long",
        FLAG,
        "long texts within six blocks both before and after",
        OURS,
        |a| flag(a.since_long <= BETWEEN_REACH && a.until_long <= BETWEEN_REACH),
    ),
    Feature::new(
        "context.is_between_long_in_group",
        FLAG,
        "long texts both before and after in the nearest element that holds another block too",
        OURS,
        |a| flag(a.is_between_in_group),
    ),
    Feature::new(
        "context.link_run_log",
        LOG,
        "blocks in the run of link-dense ones that this is in; 0 if it is none",
        OURS,
        |a| log(a.link_run as f32),
    ),
    Feature::new(
        "context.short_run_log",
        LOG,
        "blocks in the run of short ones that this is in; 0 if it is none",
        OURS,
        |a| log(a.short_run as f32),
    ),
    Feature::new(
        "context.prose_run_log",
        LOG,
        "blocks in the run of running text that this is in; 0 if it is none",
        OURS,
        |a| log(a.prose_run as f32),
    ),
    Feature::new(
        "context.look_run_log",
        LOG,
        "blocks in the run of the same tag and class of container and parent",
        OURS,
        |a| log(a.look_run as f32),
    ),
    Feature::new(
        "context.same_group_previous",
        FLAG,
        "the block before has the same group",
        OURS,
        |a| flag(a.same_group_before),
    ),
    Feature::new(
        "context.same_group_next",
        FLAG,
        "the block after has the same group",
        OURS,
        |a| flag(a.same_group_after),
    ),
    Feature::new(
        "context.group_prose_share",
        SHARE,
        "letters in running text by letters of the nearest element that holds another block too",
        OURS,
        |a| a.group_prose_share,
    ),
    Feature::new(
        "context.section_prose_share",
        SHARE,
        "letters in running text by letters of the nearest sectioning element",
        OURS,
        |a| a.section_prose_share,
    ),
    Feature::new(
        "context.window_prose_share",
        SHARE,
        "letters in running text by letters of the eight blocks before and after and this one",
        OURS,
        |a| a.window_prose_share,
    ),
    Feature::new(
        "context.look_link_density",
        SHARE,
        "link density of all blocks with the same tag and class of container and parent",
        OURS,
        |a| a.look_link_density,
    ),
    Feature::new(
        "context.look_length_log",
        LOG,
        "mean letters of all blocks with the same tag and class of container and parent",
        OURS,
        |a| log(a.look_length),
    ),
];

/// Fills the columns of each row, beginning with `first`.
pub(super) fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>, first: usize) {
    let mut facts = vec![RunFacts::default(); view.targets.len()];
    compare(view, rows, &mut facts);
    distances(view, &mut facts);
    runs(view, &mut facts);
    shares(view, &mut facts);
    for (facts, row) in facts.iter().zip(rows.iter_mut()) {
        fill_row!(&mut row[first..], facts, FEATURES);
    }
}

/// Computes ranks and standard scores within the page.
fn compare(view: &PageView<'_>, rows: &GroupRows<'_>, facts: &mut [RunFacts]) {
    let keys = rows.columns([
        column_of!(length),
        column_of!(link_density),
        column_of!(density),
    ]);
    let [length, link_density, density] =
        [0, 1, 2].map(|key| standardize(&keys.iter().map(|row| row[key]).collect::<Vec<_>>()));
    let mut sorted: Vec<f32> = view.blocks.iter().map(|block| block.length).collect();
    sorted.sort_by(f32::total_cmp);
    let longest = sorted.last().copied().unwrap_or(0.0);
    for (index, facts) in facts.iter_mut().enumerate() {
        let own = view.blocks[index].length;
        facts.length_rank =
            sorted.partition_point(|&length| length < own) as f32 / sorted.len() as f32;
        facts.length_score = length[index];
        facts.link_density_score = link_density[index];
        facts.density_score = density[index];
        facts.to_longest = share(own, longest);
    }
}

/// Standard scores of the values; zeros if all are equal.
fn standardize(values: &[f32]) -> Vec<f32> {
    let count = values.len().max(1) as f64;
    let mean = values.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
    let variance = values
        .iter()
        .map(|&value| (f64::from(value) - mean).powi(2))
        .sum::<f64>()
        / count;
    let deviation = variance.sqrt();
    values
        .iter()
        .map(|&value| {
            if deviation > 1e-6 {
                ((f64::from(value) - mean) / deviation) as f32
            } else {
                0.0
            }
        })
        .collect()
}

fn distances(view: &PageView<'_>, facts: &mut [RunFacts]) {
    let count = facts.len();
    let (mut heading, mut long): (Option<usize>, Option<usize>) = (None, None);
    for (index, block) in view.blocks.iter().enumerate() {
        facts[index].since_heading = heading.map_or(count, |heading| index - heading);
        facts[index].heading_level =
            heading.map_or(0, |heading| view.blocks[heading].heading_level);
        facts[index].since_long = long.map_or(count, |long| index - long);
        facts[index].is_between_in_group =
            long.is_some_and(|long| long >= view.targets_of(block.group).start);
        if block.heading_level > 0 {
            heading = Some(index);
        }
        if block.is_long() {
            long = Some(index);
        }
    }
    long = None;
    for (index, block) in view.blocks.iter().enumerate().rev() {
        facts[index].until_long = long.map_or(count, |long| long - index);
        facts[index].is_between_in_group &=
            long.is_some_and(|long| long < view.targets_of(block.group).end);
        if block.is_long() {
            long = Some(index);
        }
    }
}

fn runs(view: &PageView<'_>, facts: &mut [RunFacts]) {
    let is_links = |block: &BlockFacts| block.link_density() > LINK_RUN_DENSITY;
    fill_runs(
        view,
        |one, other| is_links(one) && is_links(other),
        |index, run| facts[index].link_run = run,
    );
    fill_runs(
        view,
        |one, other| one.is_short() && other.is_short(),
        |index, run| facts[index].short_run = run,
    );
    fill_runs(
        view,
        |one, other| one.is_prose() && other.is_prose(),
        |index, run| facts[index].prose_run = run,
    );
    fill_runs(
        view,
        |one, other| one.look == other.look,
        |index, run| facts[index].look_run = run,
    );
    for index in 1..facts.len() {
        let is_same = view.blocks[index - 1].group == view.blocks[index].group;
        facts[index - 1].same_group_after = is_same;
        facts[index].same_group_before = is_same;
    }
}

/// Calls `set` with the length of each target's run: consecutive targets for which `joins` holds. A
/// target for which it does not hold with itself is outside runs and gets 0.
fn fill_runs(
    view: &PageView<'_>,
    joins: impl Fn(&BlockFacts, &BlockFacts) -> bool,
    mut set: impl FnMut(usize, usize),
) {
    let blocks = &view.blocks;
    let mut start = 0;
    while start < blocks.len() {
        let mut end = start + 1;
        while end < blocks.len() && joins(&blocks[end - 1], &blocks[end]) {
            end += 1;
        }
        let run = if joins(&blocks[start], &blocks[start]) {
            end - start
        } else {
            0
        };
        (start..end).for_each(|index| set(index, run));
        start = end;
    }
}

fn shares(view: &PageView<'_>, facts: &mut [RunFacts]) {
    #[derive(Default)]
    struct Look {
        targets: f32,
        letters: f32,
        link_letters: f32,
    }
    let mut looks: FxHashMap<u64, Look> = FxHashMap::default();
    for block in &view.blocks {
        let look = looks.entry(block.look).or_default();
        look.targets += 1.0;
        look.letters += block.length;
        look.link_letters += block.link_length;
    }
    let count = facts.len();
    let prose_share = |range| {
        let sums = view.sum(&range);
        share(sums.prose_letters as f32, sums.letters as f32)
    };
    for (index, facts) in facts.iter_mut().enumerate() {
        let block = &view.blocks[index];
        let section = view.tree.facts(view.targets[index].container).section as usize;
        facts.group_prose_share = prose_share(view.targets_of(block.group));
        facts.section_prose_share =
            prose_share(view.targets_of(crate::capture::NodeId::new(section)));
        facts.window_prose_share = prose_share(index.saturating_sub(8)..(index + 9).min(count));
        if let Some(look) = looks.get(&block.look) {
            facts.look_link_density = share(look.link_letters, look.letters);
            facts.look_length = share(look.letters, look.targets);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::page;
    use super::super::super::measure;
    use crate::target::{TargetRule, select};

    #[test]
    fn surroundings_are_measured() {
        let long = "Words and words and words and words and words and words and words and words and words, in a line.";
        let capture = page(&format!(
            "<ul><li><a href=a>one</a><li><a href=b>two</a></ul><h2>Title</h2><div><p>{long}<p>short<p>{long}</div>"
        ));
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let column = |name: &str| {
            table
                .column(name)
                .unwrap()
                .map(|value| (value * 1e4).round() / 1e4)
                .to_vec()
        };
        let ln = |x: f32| (x.ln() * 1e4).round() / 1e4;
        assert_eq!(
            column("context.link_run_log"),
            [ln(3.0), ln(3.0), 0.0, 0.0, 0.0, 0.0]
        );
        assert_eq!(
            column("context.is_between_long_in_group"),
            [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        );
        assert_eq!(column("context.since_heading_log")[4], ln(3.0));
        assert_eq!(column("context.since_heading_log")[0], ln(7.0));
        assert_eq!(column("context.heading_rank")[3], 0.8333);
        assert_eq!(
            column("context.same_group_next"),
            [1.0, 0.0, 0.0, 1.0, 1.0, 0.0]
        );
        let scores = column("context.page.length_score");
        assert!(scores.iter().sum::<f32>().abs() < 1e-4 && scores[3] > 0.5);
        assert_eq!(column("context.look_link_density")[0], 1.0);
    }
}
