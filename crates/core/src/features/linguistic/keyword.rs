//! The `linguistic.keyword` group: the amount of keywords of content and of boilerplate in a text
//! (FIASCO 3.1 and footnote 3).
//!
//! The keywords and their strengths are learned in training and stored in the model
//! ([`Keywords`](crate::language::Keywords)). Each feature is measured twice: over all text of the
//! target, and over the text immediately below its node.

use super::super::column::{Column, FLAG, Feature, LOG, OURS, SHARE, ValueRange, columns_of, log};
use super::super::page::PageView;
use super::super::tree::share;
use super::target_text::whole_and_own_text;
use crate::features::column::FIASCO_LINGUISTIC as FIASCO;
use crate::features::table::{FeatureGroup, GroupRows};
use crate::language::keywords::{KeywordIndex, LanguageKeywords};
use crate::language::words::{Kind, word_key};

/// Sums over the content or boilerplate keywords in one text.
#[derive(Default, Clone, Copy)]
struct Side {
    count: f32,
    sum: f32,
    max: f32,
}

#[derive(Default, Clone, Copy)]
struct Sums {
    words: f32,
    content: Side,
    boilerplate: Side,
}

/// Sums over all text and over the own text of a target.
struct Both {
    is_known_language: bool,
    whole: Sums,
    own: Sums,
}

type Formula = fn(&Both) -> f32;

const COLUMNS: [Column; FEATURES.len()] = columns_of(FEATURES);

/// This group needs keywords.
pub(in super::super) const GROUP: FeatureGroup = FeatureGroup {
    name: "linguistic.keyword",
    needs_layout: false,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let Some(bound) = &view.bound else { return };
    let keywords = bound
        .keywords
        .and_then(|keywords| keywords.for_language(&bound.language));
    let index = keywords.map(LanguageKeywords::index);
    if index.is_none() {
        return;
    }
    let cutter = bound.cutter();
    let keys = |text: &str| -> Vec<u64> {
        let words = cutter.cut(text);
        words
            .iter()
            .filter(|word| word.kind == Kind::Word)
            .map(|word| word_key(word.text))
            .collect()
    };
    for (target, row) in view.targets.iter().zip(rows.iter_mut()) {
        let [whole, own] = whole_and_own_text(view, target);
        row.copy_from_slice(&values(
            index.as_ref(),
            keys(&whole).into_iter(),
            keys(&own).into_iter(),
        ));
    }
}

/// The values of the group's columns for a target with these words (as `word_key`) in all its text
/// and in its own text; all zero if there are no keywords for the page's language.
pub fn values(
    index: Option<&KeywordIndex>,
    whole: impl Iterator<Item = u64>,
    own: impl Iterator<Item = u64>,
) -> Vec<f32> {
    let Some(index) = index else {
        return vec![0.0; FEATURES.len()];
    };
    let both = Both {
        is_known_language: true,
        whole: Sums::add_up(index, whole),
        own: Sums::add_up(index, own),
    };
    // Training uses these values, so they have the same bounds as in a table.
    FEATURES
        .iter()
        .map(|feature| {
            let value = (feature.formula)(&both);
            feature.column.range.clamp(value)
        })
        .collect()
}

impl Sums {
    fn add_up(index: &KeywordIndex, keys: impl Iterator<Item = u64>) -> Self {
        let mut sums = Self::default();
        for key in keys {
            sums.words += 1.0;
            let keyness = index.keyness(key);
            if keyness != 0.0 {
                let side = if keyness > 0.0 {
                    &mut sums.content
                } else {
                    &mut sums.boilerplate
                };
                side.count += 1.0;
                side.sum += keyness.abs();
                side.max = side.max.max(keyness.abs());
            }
        }
        sums
    }

    /// From -1, if only boilerplate keywords occur, to 1, if only content keywords occur.
    fn balance(&self) -> f32 {
        share(
            self.content.sum - self.boilerplate.sum,
            self.content.sum + self.boilerplate.sum,
        )
    }
}

/// Range of a log odds ratio.
const KEYNESS: ValueRange = ValueRange::new("log odds", 0.0, 12.0);
/// Range of the logarithm of a sum of log odds ratios.
const SUM: ValueRange = LOG;
const BALANCE: ValueRange = ValueRange::new("share", -1.0, 1.0);

/// A feature measured over all the text, and the same feature over the own text.
macro_rules! both {
    ($range:expr, $name:literal, $meaning:literal, $value:expr) => {
        [
            Feature::new(
                concat!("linguistic.keyword.", $name),
                $range,
                concat!($meaning, ", in all text of the block"),
                FIASCO,
                |both| {
                    let value: fn(&Sums) -> f32 = $value;
                    value(&both.whole)
                },
            ),
            Feature::new(
                concat!("linguistic.keyword.own_", $name),
                $range,
                concat!($meaning, ", in the text immediately below its node"),
                FIASCO,
                |both| {
                    let value: fn(&Sums) -> f32 = $value;
                    value(&both.own)
                },
            ),
        ]
    };
}

const CONTENT_SUM: [Feature<Formula>; 2] = both!(
    SUM,
    "content_log",
    "summed keyness of content keywords",
    |s| log(s.content.sum)
);
const CONTENT_SHARE: [Feature<Formula>; 2] =
    both!(SHARE, "content_share", "content keywords by words", |s| {
        share(s.content.count, s.words)
    });
const CONTENT_MAX: [Feature<Formula>; 2] = both!(
    KEYNESS,
    "content_max",
    "greatest keyness of a content keyword",
    |s| s.content.max
);
const BOILERPLATE_SUM: [Feature<Formula>; 2] = both!(
    SUM,
    "boilerplate_log",
    "summed keyness of boilerplate keywords",
    |s| log(s.boilerplate.sum)
);
const BOILERPLATE_SHARE: [Feature<Formula>; 2] = both!(
    SHARE,
    "boilerplate_share",
    "boilerplate keywords by words",
    |s| share(s.boilerplate.count, s.words)
);
const BOILERPLATE_MAX: [Feature<Formula>; 2] = both!(
    KEYNESS,
    "boilerplate_max",
    "greatest keyness of a boilerplate keyword",
    |s| s.boilerplate.max
);
const BALANCES: [Feature<Formula>; 2] = both!(
    BALANCE,
    "balance",
    "summed keyness of content less that of boilerplate keywords by both",
    Sums::balance
);

const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "linguistic.keyword.is_known_language",
        FLAG,
        "the model has keywords of the page's language; 0 makes all else here 0",
        OURS,
        |both| f32::from(u8::from(both.is_known_language)),
    ),
    CONTENT_SUM[0],
    CONTENT_SUM[1],
    CONTENT_SHARE[0],
    CONTENT_SHARE[1],
    CONTENT_MAX[0],
    CONTENT_MAX[1],
    BOILERPLATE_SUM[0],
    BOILERPLATE_SUM[1],
    BOILERPLATE_SHARE[0],
    BOILERPLATE_SHARE[1],
    BOILERPLATE_MAX[0],
    BOILERPLATE_MAX[1],
    BALANCES[0],
    BALANCES[1],
];

#[cfg(test)]
mod tests {
    use super::super::super::fixture::page;
    use super::super::super::measure_with;
    use super::super::tests::keywords;
    use crate::features::Measuring;
    use crate::target::{TargetRule, select};

    #[test]
    fn keywords_are_summed_on_their_side_and_below_the_node() {
        let text = "The ferry in the harbor, that other ferry, and the people who were waiting for them to leave it";
        let capture = page(&format!("<p>{text}<p>Login <a href=x>ferry</a>"));
        let words = keywords("en");
        let measuring = Measuring {
            language_bound: true,
            keywords: Some(&words),
            ..Measuring::default()
        };
        let table =
            measure_with(&capture, &select(&capture, TargetRule::Blocks), &measuring).unwrap();
        let column = |name: &str| {
            table
                .column(&format!("linguistic.keyword.{name}"))
                .unwrap()
                .to_vec()
        };
        assert_eq!(column("is_known_language"), [1.0, 1.0]);
        assert_eq!(column("content_log"), [6f32.ln(), 3f32.ln()]);
        assert_eq!(column("own_content_log"), [6f32.ln(), 0.0]);
        assert_eq!(column("content_share"), [3.0 / 19.0, 0.5]);
        assert_eq!(column("content_max"), [2.0, 2.0]);
        assert_eq!(column("boilerplate_log"), [0.0, 4f32.ln()]);
        assert_eq!(column("own_boilerplate_share"), [0.0, 1.0]);
        assert_eq!(column("balance"), [1.0, -0.2]);
        assert_eq!(column("own_balance"), [1.0, -1.0]);
    }
}
