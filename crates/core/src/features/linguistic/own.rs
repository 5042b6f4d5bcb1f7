//! The `linguistic.own` group: FIASCO's counts over the text immediately below a target's node, in
//! addition to those of `text` over all text below it. No words of any language are built in.
//!
//! FIASCO 3.1: "linguistic features were extracted either from the text nodes immediately dominated
//! by a target node, or from all text nodes in the complete subtree". The two differ if a block
//! contains links, emphasis or spans.

use super::super::block::BlockFacts;
use super::super::column::{Column, Feature, LOG, OURS, SHARE, columns_of, log};
use super::super::page::PageView;
use super::super::profile::profile;
use super::super::tree::share;
use super::target_text::write_own_text;
use crate::features::column::FIASCO_LINGUISTIC as FIASCO;
use crate::features::profile::TextProfile;
use crate::features::table::{FeatureGroup, GroupRows, fill_row};

/// A target with the profile of its own text.
struct Own<'v> {
    block: &'v BlockFacts,
    profile: &'v TextProfile,
}

type Formula = fn(&Own<'_>) -> f32;

const COLUMNS: [Column; FEATURES.len()] = columns_of(FEATURES);

/// This group needs only the tree.
pub(in super::super) const GROUP: FeatureGroup = FeatureGroup {
    name: "linguistic.own",
    needs_layout: false,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let (mut text, empty) = (String::new(), TextProfile::default());
    for ((target, block), row) in view.targets.iter().zip(&view.blocks).zip(rows.iter_mut()) {
        let has_other_text = write_own_text(view, target, &mut text);
        let profiled = (has_other_text && !text.is_empty()).then(|| profile(&text));
        let unprofiled = if has_other_text {
            &empty
        } else {
            &block.profile
        };
        let own = Own {
            block,
            profile: profiled.as_ref().unwrap_or(unprofiled),
        };
        fill_row!(row, &own, FEATURES);
    }
}

fn sentences(profile: &TextProfile) -> f32 {
    (profile.closed_sentences + u32::from(profile.has_open_sentence)) as f32
}

const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "linguistic.own.characters_log",
        LOG,
        "length in letters of the text nodes that are children of the block's node; Han and Kana count 2.5, Hangul 2",
        FIASCO,
        |own| log(own.profile.length),
    ),
    Feature::new(
        "linguistic.own.tokens_log",
        LOG,
        "number of words and numbers in that text",
        FIASCO,
        |own| log(own.profile.tokens as f32),
    ),
    Feature::new(
        "linguistic.own.types_log",
        LOG,
        "different words and numbers in that text, case aside",
        FIASCO,
        |own| log(own.profile.types.len() as f32),
    ),
    Feature::new(
        "linguistic.own.sentences_log",
        LOG,
        "sentences in that text, an open one at the end included",
        FIASCO,
        |own| log(sentences(own.profile)),
    ),
    Feature::new(
        "linguistic.own.sentence_length_log",
        LOG,
        "mean tokens a sentence in that text; 0 without text",
        FIASCO,
        |own| log(share(own.profile.tokens as f32, sentences(own.profile))),
    ),
    Feature::new(
        "linguistic.own.share",
        SHARE,
        "length of that text by length of all text of the block",
        OURS,
        |own| share(own.profile.length, own.block.profile.length),
    ),
];

#[cfg(test)]
mod tests {
    use super::super::super::fixture::page;
    use super::super::super::measure;
    use crate::target::{TargetRule, select};

    #[test]
    fn only_text_right_below_the_node_counts() {
        let capture = page(
            "<p>One two. Three <a href=x>four five</a> two<p><a href=y>all of it</a><p>plain text here",
        );
        let targets = select(&capture, TargetRule::Blocks);
        let table = measure(&capture, &targets).unwrap();
        let column = |name: &str| table.column(name).unwrap().to_vec();
        assert_eq!(
            column("linguistic.own.tokens_log"),
            [5f32.ln(), 0.0, 4f32.ln()]
        );
        assert_eq!(
            column("linguistic.own.types_log"),
            [4f32.ln(), 0.0, 4f32.ln()]
        );
        assert_eq!(
            column("linguistic.own.sentences_log"),
            [3f32.ln(), 0.0, 2f32.ln()]
        );
        assert_eq!(
            column("linguistic.own.sentence_length_log"),
            [3f32.ln(), 0.0, 4f32.ln()]
        );
        assert_eq!(
            column("linguistic.own.characters_log")[2],
            column("text.characters_log")[2]
        );
        assert_eq!(column("linguistic.own.share")[1..], [0.0, 1.0]);
        assert!(column("linguistic.own.characters_log")[0] < column("text.characters_log")[0]);
    }
}
