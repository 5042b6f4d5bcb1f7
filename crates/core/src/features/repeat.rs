//! The `repeat` group: the parts of a target's text that occur elsewhere on the page too.
//!
//! Pages contain text twice: for narrow and for wide screens, in several portions, or as a
//! quotation in the answer to a post; only one of the copies is content. Text about other pages has
//! a vocabulary of its own, so the words that a block shares with the long texts of its page
//! indicate content, in any language.

use super::block::BlockFacts;
use super::column::{Column, Feature, LOG, OURS, SHARE, columns_of, log};
use super::page::PageView;
use super::table::{FeatureGroup, GroupRows, fill_row};
use super::tree::share;
use rustc_hash::FxHashMap;

/// Minimum number of letters of a long text, which also has few links. Heuristic: two lines.
const LONG_LETTERS: f32 = 120.0;
/// Share of linked letters from which a block is a list of links rather than a text. Heuristic.
const MANY_LINKS: f32 = 0.3;

/// Measurements of a target that its features are computed from.
#[derive(Debug, Clone, Copy, Default)]
struct Facts {
    /// Number of earlier blocks with the same text; `after` is the number of later ones.
    before: f32,
    after: f32,
    /// Letters of the run of blocks around it that also occurs earlier; `later_run` is for later
    /// copies.
    run: f32,
    later_run: f32,
    /// Shares of its different words that occur in earlier blocks, in later blocks and in other
    /// long texts.
    words_before: f32,
    words_after: f32,
    words_in_long: f32,
    /// Mean of ln(1 + number of other blocks with the word) over its different words.
    spread: f32,
}

/// Computes a column's value from the measurements of a target.
type Formula = fn(&Facts) -> f32;

const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "repeat.before_log",
        LOG,
        "blocks before it with the same text",
        OURS,
        |facts| log(facts.before),
    ),
    Feature::new(
        "repeat.after_log",
        LOG,
        "blocks after it with the same text",
        OURS,
        |facts| log(facts.after),
    ),
    Feature::new(
        "repeat.run_log",
        LOG,
        "letters of the run of blocks with it that stands in the same order before it too",
        OURS,
        |facts| log(facts.run),
    ),
    Feature::new(
        "repeat.later_run_log",
        LOG,
        "letters of the run of blocks with it that stands in the same order after it too",
        OURS,
        |facts| log(facts.later_run),
    ),
    Feature::new(
        "repeat.words_before",
        SHARE,
        "different words that blocks before it have too, by all its different words",
        OURS,
        |facts| facts.words_before,
    ),
    Feature::new(
        "repeat.words_after",
        SHARE,
        "different words that blocks after it have too, by all its different words",
        OURS,
        |facts| facts.words_after,
    ),
    Feature::new(
        "repeat.words_in_long",
        SHARE,
        "different words that other blocks of 120 letters and more with few links have too, by all its different words",
        OURS,
        |facts| facts.words_in_long,
    ),
    Feature::new(
        "repeat.spread_log",
        LOG,
        "mean over its different words of ln(1 + other blocks with the word)",
        OURS,
        |facts| facts.spread,
    ),
];

const COLUMNS: [Column; FEATURES.len()] = columns_of(FEATURES);

pub(super) const GROUP: FeatureGroup = FeatureGroup {
    name: "repeat",
    needs_layout: false,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let mut facts = vec![Facts::default(); view.blocks.len()];
    count_words(view, &mut facts);
    find_copies(view, &mut facts);
    for (facts, row) in facts.iter().zip(rows.iter_mut()) {
        fill_row!(row, facts, FEATURES);
    }
}

/// Number of blocks that contain a word.
#[derive(Debug, Clone, Copy, Default)]
struct Word {
    blocks: u32,
    long: u32,
    /// Number among the blocks processed so far.
    passed: u32,
}

/// Counts the words that blocks share.
fn count_words(view: &PageView<'_>, facts: &mut [Facts]) {
    let is_long =
        |block: &BlockFacts| block.length >= LONG_LETTERS && block.link_density() < MANY_LINKS;
    let mut words: FxHashMap<u64, Word> = FxHashMap::default();
    for block in &view.blocks {
        let long = u32::from(is_long(block));
        for &word in &block.profile.types {
            let known = words.entry(word).or_default();
            known.blocks += 1;
            known.long += long;
        }
    }
    for (block, facts) in view.blocks.iter().zip(facts) {
        let own_long = u32::from(is_long(block));
        let (mut before, mut after, mut in_long, mut spread) = (0, 0, 0, 0.0);
        for word in &block.profile.types {
            let known = words.get_mut(word).expect("all words were counted");
            before += u32::from(known.passed > 0);
            known.passed += 1;
            after += u32::from(known.passed < known.blocks);
            in_long += u32::from(known.long > own_long);
            spread += log((known.blocks - 1) as f32);
        }
        let of_words = |value: f32| share(value, block.profile.types.len() as f32);
        facts.words_before = of_words(before as f32);
        facts.words_after = of_words(after as f32);
        facts.words_in_long = of_words(in_long as f32);
        facts.spread = of_words(spread);
    }
}

/// Finds repeated texts, alone and in runs.
fn find_copies(view: &PageView<'_>, facts: &mut [Facts]) {
    let key = |index: usize| view.blocks[index].profile.key;
    // For each text, the last block with it so far and the number of these blocks.
    let mut known: FxHashMap<u64, (usize, u32)> = FxHashMap::default();
    // The current run: its first block, and the block that its last one repeats.
    let mut run: Option<(usize, usize)> = None;
    for index in 0..view.blocks.len() {
        let earlier = known.get(&key(index)).copied();
        let before = earlier.map_or(0, |(_, number)| number);
        known.insert(key(index), (index, before + 1));
        facts[index].before = before as f32;
        facts[index].after = (view.copies(&view.blocks[index]) - 1 - before) as f32;
        let next = run
            .map(|(first, copied)| (first, copied + 1))
            .filter(|&(_, copied)| copied < index && key(copied) == key(index));
        if next.is_none() {
            mark_run(view, facts, run, index);
        }
        run = next.or_else(|| earlier.map(|(last, _)| (index, last)));
    }
    mark_run(view, facts, run, view.blocks.len());
}

/// Records the length of a run that ends before `end`, in its blocks and in those that it repeats.
fn mark_run(view: &PageView<'_>, facts: &mut [Facts], run: Option<(usize, usize)>, end: usize) {
    let Some((first, copied)) = run else { return };
    let own = first..end;
    let letters = view.sum(&own).letters as f32;
    for facts in &mut facts[copied + 1 - own.len()..=copied] {
        facts.later_run = facts.later_run.max(letters);
    }
    for facts in &mut facts[own] {
        facts.run = letters;
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::page;
    use super::super::measure;
    use crate::target::{TargetRule, select};

    /// The values of a column for the blocks of a page.
    fn column(html: &str, name: &str) -> Vec<f32> {
        let capture = page(html);
        let targets = select(&capture, TargetRule::Blocks);
        measure(&capture, &targets)
            .unwrap()
            .column(name)
            .unwrap()
            .to_vec()
    }

    fn log(x: f32) -> f32 {
        x.ln_1p()
    }

    #[test]
    fn a_run_that_stands_again_is_told_from_its_first_place() {
        let html = "<p>one gull<p>two gulls<p>menu<p>one gull<p>two gulls<p>menu<p>end";
        assert_eq!(
            column(html, "repeat.before_log"),
            [0.0, 0.0, 0.0, log(1.0), log(1.0), log(1.0), 0.0]
        );
        assert_eq!(
            column(html, "repeat.after_log"),
            [log(1.0), log(1.0), log(1.0), 0.0, 0.0, 0.0, 0.0]
        );
        let run = log(21.0);
        assert_eq!(
            column(html, "repeat.run_log"),
            [0.0, 0.0, 0.0, run, run, run, 0.0]
        );
        assert_eq!(
            column(html, "repeat.later_run_log"),
            [run, run, run, 0.0, 0.0, 0.0, 0.0]
        );
    }

    #[test]
    fn a_line_that_stands_again_and_again_is_a_run_of_its_own() {
        let html = "<p>more<p>more<p>more<p>gulls<p>more";
        assert_eq!(
            column(html, "repeat.before_log"),
            [0.0, log(1.0), log(2.0), 0.0, log(3.0)]
        );
        assert_eq!(column(html, "repeat.run_log")[4], log(4.0));
    }

    #[test]
    fn words_of_the_long_texts_are_told_from_others() {
        let long =
            "Herring gulls nest on roofs near the sea and feed their young for weeks. ".repeat(2);
        let html = format!("<p>gulls sing<p>{long}<p>buy shoes");
        assert_eq!(column(&html, "repeat.words_in_long"), [0.5, 0.0, 0.0]);
        assert_eq!(column(&html, "repeat.words_after"), [0.5, 0.0, 0.0]);
        assert_eq!(column(&html, "repeat.words_before")[2], 0.0);
        assert_eq!(
            column(&html, "repeat.spread_log"),
            [log(1.0) / 2.0, log(1.0) / 14.0, 0.0]
        );
    }

    #[test]
    fn blocks_without_words_have_zeros() {
        for name in [
            "repeat.words_before",
            "repeat.words_in_long",
            "repeat.spread_log",
        ] {
            assert_eq!(column("<p>…<p>…", name), [0.0, 0.0], "{name}");
        }
    }
}
