//! Universal part-of-speech tags, their classes, and the tagger that assigns them.
//!
//! Treebanks use the tags, and the group `linguistic.pos` counts them.

use super::character::{Class, class, ends_sentence};
use super::words::{Kind, Word, normal_characters, word_key};
use crate::hash::Fnv;
use std::collections::HashMap;

/// Number of tags in UPOS.
pub const TAG_COUNT: usize = 17;

/// A universal part-of-speech tag (UPOS, Nivre et al. 2020).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum Tag {
    Adj,
    Adp,
    Adv,
    Aux,
    Cconj,
    Det,
    Intj,
    Noun,
    Num,
    Part,
    Pron,
    Propn,
    Punct,
    Sconj,
    Sym,
    Verb,
    X,
}

/// The class of a tag, according to the table of UPOS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagClass {
    /// Function words: ADP AUX CCONJ DET NUM PART PRON SCONJ.
    Closed,
    /// Content words: ADJ ADV INTJ NOUN PROPN VERB.
    Open,
    /// PUNCT, SYM, and X for foreign words and addresses.
    Special,
}

impl Tag {
    /// All tags with their names in treebanks, in numeric order.
    pub const ALL: [(&'static str, Self); TAG_COUNT] = [
        ("ADJ", Self::Adj),
        ("ADP", Self::Adp),
        ("ADV", Self::Adv),
        ("AUX", Self::Aux),
        ("CCONJ", Self::Cconj),
        ("DET", Self::Det),
        ("INTJ", Self::Intj),
        ("NOUN", Self::Noun),
        ("NUM", Self::Num),
        ("PART", Self::Part),
        ("PRON", Self::Pron),
        ("PROPN", Self::Propn),
        ("PUNCT", Self::Punct),
        ("SCONJ", Self::Sconj),
        ("SYM", Self::Sym),
        ("VERB", Self::Verb),
        ("X", Self::X),
    ];

    /// Class of the tag in the table of UPOS.
    pub fn class(self) -> TagClass {
        match self {
            Self::Adp
            | Self::Aux
            | Self::Cconj
            | Self::Det
            | Self::Num
            | Self::Part
            | Self::Pron
            | Self::Sconj => TagClass::Closed,
            Self::Adj | Self::Adv | Self::Intj | Self::Noun | Self::Propn | Self::Verb => {
                TagClass::Open
            }
            Self::Punct | Self::Sym | Self::X => TagClass::Special,
        }
    }

    pub(crate) fn from_number(number: usize) -> Option<Self> {
        Self::ALL.get(number).map(|&(_, tag)| tag)
    }
}

/// A word of the lexicon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LexiconWord {
    /// Normal form of the word (see `words`).
    pub form: String,
    /// Number of occurrences in the treebanks.
    pub count: u32,
    /// Most frequent tag in the treebanks.
    pub tag: Tag,
    /// True if the word almost always has this tag, so that the tagger always assigns it.
    pub is_certain: bool,
}

/// Minimum number of occurrences for a word's most frequent tag to be a feature; rarer words count
/// as unknown.
const FREQUENT: u32 = 2;

/// Number of features per word.
pub const FEATURE_COUNT: usize = 24;

/// A row of weights, one per tag.
pub type Weights = [i8; TAG_COUNT];

/// A part-of-speech tagger for one language.
#[derive(Debug, Clone, PartialEq)]
pub struct Tagger {
    /// ISO 639-1 code of the language.
    pub language: String,
    /// Names of the treebanks that it was trained on.
    pub treebanks: Vec<String>,
    /// Number of tokens in the treebanks, including punctuation and numbers.
    pub tokens: u64,
    pub(super) lexicon: Vec<LexiconWord>,
    /// Index into `lexicon` by the hash of the form.
    positions: HashMap<u64, u32>,
    /// A power of two of rows.
    pub(super) weights: Vec<Weights>,
}

/// The tag of a word, with a note of whether the lexicon has the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tagged {
    /// The tag with the highest score.
    pub tag: Tag,
    /// True if the lexicon has the word.
    pub is_known: bool,
}

/// The parts of a word from which its features are computed.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// Hash of the normal form with all digits replaced by 0.
    key: u64,
    /// Hashes of its last 1 to 4 characters.
    ends: [u64; 4],
    /// Hashes of its first 1 to 3 characters.
    starts: [u64; 3],
    /// Case, digits, hyphens, marks and length, as bits.
    shape: u64,
    /// Index of its most frequent tag, or [`NO_TAG`].
    usual: u64,
    certain: Option<Tag>,
    is_known: bool,
    ends_sentence: bool,
}

/// Index for a word without a most frequent tag, and for tags outside the sentence.
const NO_TAG: u64 = TAG_COUNT as u64;

impl Tagger {
    /// Creates a tagger and sorts its lexicon.
    pub fn new(
        language: String,
        treebanks: Vec<String>,
        tokens: u64,
        mut lexicon: Vec<LexiconWord>,
        weights: Vec<Weights>,
    ) -> Self {
        lexicon.sort_by(|one, other| one.form.cmp(&other.form));
        let positions = lexicon
            .iter()
            .enumerate()
            .map(|(at, word)| (word_key(&word.form), at as u32))
            .collect();
        Self {
            language,
            treebanks,
            tokens,
            lexicon,
            positions,
            weights,
        }
    }

    /// The words known from the treebanks, sorted by form.
    pub fn lexicon(&self) -> &[LexiconWord] {
        &self.lexicon
    }

    /// The lexicon entry for the word with this [`word_key`].
    pub fn look_up(&self, key: u64) -> Option<&LexiconWord> {
        self.positions
            .get(&key)
            .map(|&at| &self.lexicon[at as usize])
    }

    /// Tags the words of a text, in order, sentence by sentence.
    pub fn tag(&self, words: &[Word<'_>]) -> Vec<Tagged> {
        let mut scratch = Vec::new();
        let forms: Vec<Form> = words
            .iter()
            .map(|word| self.form(word.text, word.kind, &mut scratch))
            .collect();
        let mut tagged = Vec::with_capacity(forms.len());
        let mut from = 0;
        while from < forms.len() {
            let to = forms[from..]
                .iter()
                .position(|form| form.ends_sentence)
                .map_or(forms.len(), |at| from + at + 1);
            let sentence = &forms[from..to];
            let mut before = [NO_TAG; 2];
            for (at, form) in sentence.iter().enumerate() {
                let tag = form.certain().unwrap_or_else(|| {
                    self.choose(&features(sentence, at, before, self.weights.len()))
                });
                tagged.push(Tagged {
                    tag,
                    is_known: form.is_known,
                });
                before = [tag as u64, before[0]];
            }
            from = to;
        }
        tagged
    }

    /// The tag with the highest sum of weights; the first one if several are equal.
    fn choose(&self, rows: &[usize; FEATURE_COUNT]) -> Tag {
        let mut sums = [0i32; TAG_COUNT];
        for &row in rows {
            for (sum, &weight) in sums.iter_mut().zip(&self.weights[row]) {
                *sum += i32::from(weight);
            }
        }
        best(&sums)
    }

    /// Computes the parts of a word that its features need; `scratch` is overwritten.
    pub fn form(&self, text: &str, kind: Kind, scratch: &mut Vec<char>) -> Form {
        scratch.clear();
        scratch.extend(normal_characters(text));
        let key = hash(scratch.iter().copied());
        let known = self.look_up(key);
        let mut shape = 0;
        let mut marks = 0;
        for (at, c) in text.chars().enumerate() {
            shape |= u64::from(at == 0 && c.is_uppercase());
            shape |= u64::from(at > 0 && c.is_uppercase()) << 1;
            shape |= u64::from(c.is_numeric()) << 2;
            shape |= u64::from(matches!(c, '-' | '‐')) << 3;
            shape |= u64::from(matches!(c, '\'' | '’')) << 4;
            marks += usize::from(!matches!(class(c), Class::Letter | Class::Number));
        }
        let length = scratch.len();
        shape |= u64::from(marks == text.chars().count()) << 5;
        shape |= (length.min(3) as u64) << 6;
        for c in scratch.iter_mut().filter(|c| c.is_numeric()) {
            *c = '0';
        }
        let is_mark = marks == length;
        let certain = match kind {
            Kind::Address => Some(Tag::X),
            _ => known.filter(|word| word.is_certain).map(|word| word.tag),
        };
        Form {
            key: hash(scratch.iter().copied()),
            ends: std::array::from_fn(|n| {
                hash(scratch[length.saturating_sub(n + 1)..].iter().copied())
            }),
            starts: std::array::from_fn(|n| hash(scratch[..length.min(n + 1)].iter().copied())),
            shape,
            usual: known
                .filter(|word| word.count >= FREQUENT)
                .map_or(NO_TAG, |word| word.tag as u64),
            certain,
            is_known: known.is_some(),
            ends_sentence: is_mark && text.chars().next().is_some_and(ends_sentence),
        }
    }
}

impl Form {
    /// The tag of a word that almost always has the same one.
    pub fn certain(&self) -> Option<Tag> {
        self.certain
    }
}

/// The tag with the highest sum; the first one if several are equal.
pub fn best<T: PartialOrd>(sums: &[T; TAG_COUNT]) -> Tag {
    let mut best = 0;
    for number in 1..TAG_COUNT {
        if sums[number] > sums[best] {
            best = number;
        }
    }
    Tag::ALL[best].1
}

fn hash(characters: impl Iterator<Item = char>) -> u64 {
    let mut hash = Fnv::new();
    characters.for_each(|c| hash.add_char(c));
    hash.finish()
}

/// Hashes the parts of a feature to a row of a table with `rows` rows, a power of two (the
/// finalizer of MurmurHash3, Appleby 2011).
fn row(number: u64, one: u64, other: u64, rows: usize) -> usize {
    let mut mixed = one ^ other.rotate_left(31) ^ (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (mixed ^ (mixed >> 33)) as usize & (rows - 1)
}

/// The table rows of the features of the word at `at`; `before` are the two previous tags, nearest
/// first.
pub fn features(
    sentence: &[Form],
    at: usize,
    before: [u64; 2],
    rows: usize,
) -> [usize; FEATURE_COUNT] {
    /// Stands for words before and after the sentence.
    const OUTSIDE: Form = Form {
        key: 1,
        ends: [1; 4],
        starts: [1; 3],
        shape: 0,
        usual: NO_TAG,
        certain: None,
        is_known: false,
        ends_sentence: false,
    };
    let beside = |steps: isize| {
        at.checked_add_signed(steps)
            .and_then(|at| sentence.get(at))
            .unwrap_or(&OUTSIDE)
    };
    let (here, last, next) = (&sentence[at], beside(-1), beside(1));
    let (before_last, after_next) = (beside(-2), beside(2));
    let [tag, tag_before] = before;
    let is_first = u64::from(at == 0);
    let parts: [(u64, u64); FEATURE_COUNT] = [
        (0, 0),
        (here.key, 0),
        (here.ends[0], 0),
        (here.ends[1], 0),
        (here.ends[2], 0),
        (here.ends[3], 0),
        (here.starts[0], 0),
        (here.starts[2], 0),
        (here.shape, is_first),
        (tag, 0),
        (tag, tag_before),
        (tag, here.key),
        (tag, here.ends[2]),
        (last.key, 0),
        (last.ends[2], 0),
        (before_last.key, 0),
        (next.key, 0),
        (next.ends[2], 0),
        (after_next.key, 0),
        (here.usual, tag),
        (here.usual, next.usual),
        (tag, next.usual),
        (here.shape, here.ends[1]),
        (here.key, next.usual),
    ];
    std::array::from_fn(|number| row(number as u64, parts[number].0, parts[number].1, rows))
}

#[cfg(test)]
mod tests {
    use super::super::tagger_file::{TAGGERS, tagger};
    use super::super::words::Cutter;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tags_are_in_order_of_their_numbers() {
        for (number, (name, tag)) in Tag::ALL.iter().enumerate() {
            assert_eq!(
                (*tag as usize, Tag::from_number(number)),
                (number, Some(*tag))
            );
            assert_eq!(format!("{tag:?}").to_uppercase(), *name);
        }
        assert_eq!(Tag::from_number(TAG_COUNT), None);
        let closed = Tag::ALL
            .iter()
            .filter(|(_, tag)| tag.class() == TagClass::Closed)
            .count();
        assert_eq!(closed, 8);
    }

    /// Our own sentences, tagged by hand.
    const TAGGED: &[(&str, &str, &str)] = &[
        (
            "en",
            "The old ferry didn't leave the harbor, because her captain was still asleep.",
            "DET ADJ NOUN AUX PART VERB DET NOUN PUNCT SCONJ PRON NOUN AUX ADV ADJ PUNCT",
        ),
        (
            "en",
            "We have counted 42 gulls and two herons on the roof of this house.",
            "PRON AUX VERB NUM NOUN CCONJ NUM NOUN ADP DET NOUN ADP DET NOUN PUNCT",
        ),
        (
            "de",
            "Der alte Kapitän schläft noch, und im Hafen wartet ein Schiff.",
            "DET ADJ NOUN VERB ADV PUNCT CCONJ ADP DET NOUN VERB DET NOUN PUNCT",
        ),
        (
            "fr",
            "Le capitaine dort encore et l'eau du port est froide.",
            "DET NOUN VERB ADV CCONJ DET NOUN ADP DET NOUN AUX ADJ PUNCT",
        ),
        (
            "es",
            "El capitán duerme en la casa y el agua del puerto es fría.",
            "DET NOUN VERB ADP DET NOUN CCONJ DET NOUN ADP DET NOUN AUX ADJ PUNCT",
        ),
        (
            "ru",
            "Старый капитан ещё спит, и в порту стоит большой корабль.",
            "ADJ NOUN ADV VERB PUNCT CCONJ ADP NOUN VERB ADJ NOUN PUNCT",
        ),
        ("zh", "我们在北京工作。", "PRON ADP PROPN VERB PUNCT"),
    ];

    #[test]
    fn sentences_of_our_own_are_tagged_as_by_hand() {
        let (mut all, mut right, mut right_class) = (0, 0, 0);
        for (language, text, truth) in TAGGED {
            let words = Cutter::new(language).cut(text);
            let found = tagger(language).unwrap().tag(&words);
            let truth: Vec<Tag> = truth
                .split(' ')
                .map(|name| Tag::ALL.iter().find(|(known, _)| *known == name).unwrap().1)
                .collect();
            assert_eq!(words.len(), truth.len(), "{words:?}");
            for ((word, tagged), truth) in words.iter().zip(found).zip(truth) {
                all += 1;
                right += usize::from(tagged.tag == truth);
                right_class += usize::from(tagged.tag.class() == truth.class());
                if tagged.tag != truth {
                    eprintln!(
                        "{language} {} is {truth:?}, tagged {:?}",
                        word.text, tagged.tag
                    );
                }
            }
        }
        assert!(right * 100 >= all * 88, "{right} of {all} tags");
        assert!(
            right_class * 100 >= all * 95,
            "{right_class} of {all} classes"
        );
    }

    #[test]
    fn the_lexicon_knows_usual_words_and_no_others() {
        let words = Cutter::new("en").cut("People see Xyzzyx");
        let known: Vec<bool> = tagger("en")
            .unwrap()
            .tag(&words)
            .iter()
            .map(|one| one.is_known)
            .collect();
        assert_eq!(known, [true, true, false]);
        let the = tagger("en").unwrap().look_up(word_key("The")).unwrap();
        assert!(the.count > 1000 && the.tag == Tag::Det);
    }

    #[test]
    fn ten_thousand_words_are_tagged_in_time() {
        let text =
            "The old ferry didn't leave the harbor, because her captain was still fast asleep. "
                .repeat(700);
        let started = std::time::Instant::now();
        let words = Cutter::new("en").cut(&text);
        assert_eq!(tagger("en").unwrap().tag(&words).len(), words.len());
        assert!(
            words.len() > 10_000 && started.elapsed().as_secs() < 5,
            "{:?}",
            started.elapsed()
        );
    }

    proptest! {
        #[test]
        fn any_text_has_a_tag_a_word(text in "\\PC{0,80}", number in 0usize..6) {
            let language = TAGGERS[number].0;
            let words = Cutter::new(language).cut(&text);
            prop_assert_eq!(tagger(language).unwrap().tag(&words).len(), words.len());
        }
    }
}
