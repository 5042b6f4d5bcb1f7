//! The `linguistic.pos` group: FIASCO's statistics on parts of speech (3.1, footnote 4), computed
//! with the taggers of `language`.
//!
//! "A higher proportion of unknown words as well as the absence of closed class words are strong
//! indicators that the text belongs to a dirty node. Similarly, a high concentration of special
//! symbols." FIASCO used the TreeTagger and its English lexicon; here six languages have a tagger.
//! On pages in other languages all shares and the flag are 0.

use super::super::column::{Column, FLAG, Feature, OURS, SHARE, columns_of};
use super::super::page::PageView;
use super::super::tree::share;
use super::target_text::whole_and_own_text;
use crate::features::column::FIASCO_LINGUISTIC as FIASCO;
use crate::features::table::{FeatureGroup, GroupRows};
use crate::language::tagger::{TAG_COUNT, TagClass};
use crate::language::words::Kind;
use crate::language::{Cutter, Tag, Tagger, tagger};

/// Counts over the words, numbers and marks of one text.
#[derive(Default)]
struct Counts {
    is_known_language: bool,
    all: f32,
    /// Number of tokens with each tag, by tag index.
    of_tags: [f32; TAG_COUNT],
    /// Number of words, excluding numbers, marks and addresses.
    words: f32,
    /// Number of words that are not in the lexicon.
    unknown: f32,
}

type Formula = fn(&Counts) -> f32;

const COLUMNS: [Column; FEATURES.len()] = columns_of(FEATURES);

/// This group depends on the languages of [`crate::language::TAGGERS`].
pub(in super::super) const GROUP: FeatureGroup = FeatureGroup {
    name: "linguistic.pos",
    needs_layout: false,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let Some(bound) = &view.bound else { return };
    let Some(tagger) = tagger(&bound.language) else {
        return;
    };
    let cutter = bound.cutter();
    for (target, row) in view.targets.iter().zip(rows.iter_mut()) {
        let [whole, _] = whole_and_own_text(view, target);
        let counts = Counts::count(&whole, &cutter, tagger);
        for (value, feature) in row.iter_mut().zip(FEATURES) {
            *value = (feature.formula)(&counts);
        }
    }
}

impl Counts {
    fn count(text: &str, cutter: &Cutter, tagger: &Tagger) -> Self {
        let words = cutter.cut(text);
        let mut counts = Self {
            is_known_language: true,
            all: words.len() as f32,
            ..Self::default()
        };
        for (word, tagged) in words.iter().zip(tagger.tag(&words)) {
            counts.of_tags[tagged.tag as usize] += 1.0;
            if word.kind == Kind::Word {
                counts.words += 1.0;
                counts.unknown += if tagged.is_known { 0.0 } else { 1.0 };
            }
        }
        counts
    }

    /// Share of tokens that have a tag for which `is` returns true.
    fn share_of(&self, is: impl Fn(Tag) -> bool) -> f32 {
        let count = Tag::ALL
            .iter()
            .filter(|(_, tag)| is(*tag))
            .map(|(_, tag)| self.of_tags[*tag as usize])
            .sum();
        share(count, self.all)
    }
}

const FEATURES: &[Feature<Formula>] = &[
    Feature::new(
        "linguistic.pos.is_known_language",
        FLAG,
        "there is a tagger for the page's language; 0 makes all else here 0",
        OURS,
        |c| f32::from(u8::from(c.is_known_language)),
    ),
    Feature::new(
        "linguistic.pos.closed_share",
        SHARE,
        "function words (ADP AUX CCONJ DET NUM PART PRON SCONJ) by words, numbers and marks",
        FIASCO,
        |c| c.share_of(|tag| tag.class() == TagClass::Closed),
    ),
    Feature::new(
        "linguistic.pos.open_share",
        SHARE,
        "content words (ADJ ADV INTJ NOUN PROPN VERB) by words, numbers and marks",
        FIASCO,
        |c| c.share_of(|tag| tag.class() == TagClass::Open),
    ),
    Feature::new(
        "linguistic.pos.unknown_share",
        SHARE,
        "words that the tagger's lexicon does not have by words, numbers and marks aside",
        FIASCO,
        |c| share(c.unknown, c.words),
    ),
    Feature::new(
        "linguistic.pos.special_share",
        SHARE,
        "symbols, punctuation, foreign words and addresses (SYM PUNCT X) by words, numbers and marks",
        FIASCO,
        |c| c.share_of(|tag| tag.class() == TagClass::Special),
    ),
    Feature::new(
        "linguistic.pos.symbol_share",
        SHARE,
        "symbols (SYM) by words, numbers and marks",
        FIASCO,
        |c| c.share_of(|tag| tag == Tag::Sym),
    ),
    Feature::new(
        "linguistic.pos.foreign_share",
        SHARE,
        "foreign words and addresses (X) by words, numbers and marks",
        FIASCO,
        |c| c.share_of(|tag| tag == Tag::X),
    ),
    Feature::new(
        "linguistic.pos.noun_share",
        SHARE,
        "nouns (NOUN) by words, numbers and marks",
        FIASCO,
        |c| c.share_of(|tag| tag == Tag::Noun),
    ),
    Feature::new(
        "linguistic.pos.name_share",
        SHARE,
        "names (PROPN) by words, numbers and marks",
        FIASCO,
        |c| c.share_of(|tag| tag == Tag::Propn),
    ),
    Feature::new(
        "linguistic.pos.verb_share",
        SHARE,
        "verbs and auxiliaries (VERB AUX) by words, numbers and marks",
        FIASCO,
        |c| c.share_of(|tag| matches!(tag, Tag::Verb | Tag::Aux)),
    ),
    Feature::new(
        "linguistic.pos.pronoun_share",
        SHARE,
        "pronouns (PRON) by words, numbers and marks",
        FIASCO,
        |c| c.share_of(|tag| tag == Tag::Pron),
    ),
];

#[cfg(test)]
mod tests {
    use super::super::super::fixture::page;
    use super::super::super::measure_with;
    use crate::features::Measuring;
    use crate::target::{TargetRule, select};

    fn columns(html: &str, names: &[&str]) -> Vec<Vec<f32>> {
        let capture = page(html);
        let measuring = Measuring {
            language_bound: true,
            ..Measuring::default()
        };
        let table =
            measure_with(&capture, &select(&capture, TargetRule::Blocks), &measuring).unwrap();
        names
            .iter()
            .map(|name| {
                table
                    .column(&format!("linguistic.pos.{name}"))
                    .unwrap()
                    .to_vec()
            })
            .collect()
    }

    #[test]
    fn prose_has_function_words_and_a_menu_has_not() {
        let found = columns(
            "<p>It was one of those mornings on which the harbor is so quiet that you can hear the ropes move, and we \
             thought that nobody would come to see the ship leave.<p>Home | News | Photos | Login | © Xyzzy Qwrtz",
            &[
                "is_known_language",
                "closed_share",
                "special_share",
                "unknown_share",
                "pronoun_share",
            ],
        );
        assert_eq!(found[0], [1.0, 1.0]);
        assert!(
            found[1][0] > 0.4 && found[1][1] < 0.2,
            "closed {:?}",
            found[1]
        );
        assert!(
            found[2][0] < 0.2 && found[2][1] > 0.3,
            "special {:?}",
            found[2]
        );
        assert!(found[3][0] < found[3][1], "unknown {:?}", found[3]);
        assert!(found[4][0] > found[4][1], "pronouns {:?}", found[4]);
    }

    #[test]
    fn a_language_without_a_tagger_says_so_and_is_zero() {
        let finnish = "<p>Satamassa oli aamulla niin hiljaista, että köysien liikkeet kuuluivat, eikä kukaan uskonut, että \
                       laiva todella lähtisi sinä päivänä pitkälle matkalleen kohti etelää ja lämpimämpiä vesiä.";
        let found = columns(
            finnish,
            &[
                "is_known_language",
                "closed_share",
                "open_share",
                "unknown_share",
            ],
        );
        assert_eq!(found, [[0.0], [0.0], [0.0], [0.0]]);
    }
}
