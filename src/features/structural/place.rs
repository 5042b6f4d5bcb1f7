//! The position of a target in the page's text: its share of the text, the share before it, and how far it repeats the
//! page's title.

use super::super::block::Block;
use super::super::column::{FLAG, Feature, LOG, OURS, SHARE, ValueRange, flag, log};
use super::super::source::TEXREX;
use super::super::tree::share;
use super::facts::Formula;

/// Targets that may stand between a heading and its text: a byline, a date, a picture's caption.
const AFTER_HEADING: usize = 3;

pub(super) const FEATURES: &[Feature<Formula>] = &[
    Feature::new("structural.text_share", SHARE, "letters of the target by letters of the page", TEXREX, |facts| {
        share(facts.block.length, facts.view.letters)
    }),
    Feature::new(
        "structural.text_before",
        SHARE,
        "letters before the target by letters of the page",
        TEXREX,
        |facts| share(facts.view.sum(&(0..facts.index)).letters as f32, facts.view.letters),
    ),
    Feature::new("structural.position", SHARE, "targets before this one by targets", TEXREX, |facts| {
        facts.index as f32 / facts.view.targets.len() as f32
    }),
    Feature::new(
        "structural.group_text_share",
        SHARE,
        "letters in the nearest element that holds another target too, by letters of the page",
        OURS,
        |facts| share(facts.letters_of(facts.block.group), facts.view.letters),
    ),
    Feature::new(
        "structural.outer_group_text_share",
        SHARE,
        "the same for the next element up that holds still more targets",
        OURS,
        |facts| share(facts.letters_of(facts.block.outer_group), facts.view.letters),
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
        "letters in all targets with the same tag and class of container and parent, by letters of the page",
        OURS,
        |facts| facts.view.look_share(facts.block),
    ),
    Feature::new("structural.copies_log", LOG, "other targets with the same text", OURS, |facts| {
        log(facts.view.copies(facts.block) as f32 - 1.0)
    }),
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
        "targets from the first h1 to this one by targets, negative before it; 0 where the page has none",
        OURS,
        |facts| {
            facts.on_page.first_h1.map_or(0.0, |h1| (facts.index as f32 - h1 as f32) / facts.view.targets.len() as f32)
        },
    ),
    Feature::new(
        "structural.is_after_last_long",
        FLAG,
        "stands after the last long text; 0 where there is none",
        OURS,
        |facts| flag(facts.on_page.last_long.is_some_and(|last| facts.index > last)),
    ),
    Feature::new(
        "structural.from_last_long",
        ValueRange::new("share", -1.0, 1.0),
        "targets from the last long text to this one by targets, negative before it; 0 where there is none",
        OURS,
        |facts| {
            facts
                .on_page
                .last_long
                .map_or(0.0, |last| (facts.index as f32 - last as f32) / facts.view.targets.len() as f32)
        },
    ),
    Feature::new(
        "structural.title_overlap",
        SHARE,
        "words of the document's title that are in the target, by all words of both",
        OURS,
        |facts| overlap(&facts.on_page.title, &facts.block.profile.types),
    ),
    Feature::new(
        "structural.description_overlap",
        SHARE,
        "words of the page's description of itself that are in the target, by all words of both",
        OURS,
        |facts| overlap(&facts.on_page.description, &facts.block.profile.types),
    ),
    Feature::new(
        "structural.is_heading_of_long",
        FLAG,
        "a heading with a long text among the three targets after it",
        OURS,
        |facts| {
            let after = facts.view.blocks.iter().skip(facts.index + 1).take(AFTER_HEADING);
            flag(
                facts.block.heading_level > 0 && after.take_while(|block| block.heading_level == 0).any(Block::is_long),
            )
        },
    ),
    Feature::new(
        "structural.follows_heading",
        FLAG,
        "the target before is a heading and this is none",
        OURS,
        |facts| {
            let before = facts.index.checked_sub(1).map(|index| &facts.view.blocks[index]);
            flag(facts.block.heading_level == 0 && before.is_some_and(|block| block.heading_level > 0))
        },
    ),
];

/// Size of the intersection by size of the union of two sorted lists; 0 where both are empty.
fn overlap(one: &[u64], other: &[u64]) -> f32 {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let both = short.iter().filter(|word| long.binary_search(word).is_ok()).count();
    share(both as f32, (one.len() + other.len() - both) as f32)
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::page;
    use super::super::super::measure;
    use super::overlap;
    use crate::target::{TargetRule, select};

    #[test]
    fn positions_are_relative_to_headings_and_long_texts() {
        let long = "Words and words and words and words and words and words and words and words and words, in a line.";
        let capture = page(&format!("<div>site</div><h1>Title</h1><p>{long}<p>{long}<div>end</div>"));
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let column = |name: &str| table.column(name).unwrap().to_vec();
        assert_eq!(column("structural.is_before_h1"), [1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(column("structural.is_heading_of_long"), [0.0, 1.0, 0.0, 0.0, 0.0]);
        assert_eq!(column("structural.is_after_last_long"), [0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(column("structural.follows_heading"), [0.0, 0.0, 1.0, 0.0, 0.0]);
        assert!((column("structural.copies_log")[2] - 2f32.ln()).abs() < 1e-6);
        assert_eq!(overlap(&[1, 2, 3], &[2, 3, 4]), 0.5);
        assert_eq!(overlap(&[], &[]), 0.0);
    }
}
