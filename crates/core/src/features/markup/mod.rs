//! The `markup` group: evidence from the names and tags of the elements around a text, as learned
//! by a model.
//!
//! The words of classes and ids (see [`names`](super::names)) and the tags of an element and its
//! ancestors each have a weight, which is fitted in training to the labels of the pages by a
//! logistic regression and stored in the model. Words are mostly English whatever the language of
//! the page, so the weights do not depend on the language of the text.

pub(super) mod words;

pub use words::{DISTANCES, MarkupWords, WordWeights, distance};

use super::column::{Column, OURS, ValueRange};
use super::names::{NameWord, each_word, with_letter, word_of};
use super::page::PageView;
use super::table::{FeatureGroup, FeatureTable, GroupRows, is_in_group};
use crate::capture::{Dom, NodeId};
use crate::target::Target;
use ndarray::{Axis, arr2, concatenate};
use rustc_hash::FxHashMap;

/// Maximum number of elements around a target that are read, including its container.
const MAX_LEVELS: usize = 12;

/// Range of log odds of content.
const LOG_ODDS: ValueRange = ValueRange::new("log odds", -12.0, 12.0);

macro_rules! column {
    ($name:literal, $meaning:literal) => {
        Column {
            name: $name,
            range: LOG_ODDS,
            meaning: $meaning,
            source: OURS,
        }
    };
}

const COLUMNS: [Column; DISTANCES + 1] = [
    column!(
        "markup.own",
        "weights of the tag and of the words in class and id of the text's own element"
    ),
    column!(
        "markup.near",
        "weights of the tags, and of the words in class and id, of the elements up to two levels above"
    ),
    column!(
        "markup.middle",
        "weights of the tags, and of the words in class and id, three to five levels above"
    ),
    column!(
        "markup.far",
        "weights of the tags, and of the words in class and id, six to eleven levels above"
    ),
    column!("markup.sum", "sum of the four other columns of the group"),
];

/// This group needs the words of a model.
pub(super) const GROUP: FeatureGroup = FeatureGroup {
    name: "markup",
    needs_layout: false,
    reads: &[],
    columns: &COLUMNS,
    measure,
};

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let Some(words) = view.markup else { return };
    let mut reader = Reader::new(&view.capture.dom, words);
    for (target, row) in view.targets.iter().zip(rows.iter_mut()) {
        row.copy_from_slice(&with_sum(reader.sums(target)));
    }
}

/// The values of the group's columns, within their ranges, for these sums by distance.
fn with_sum(sums: [f32; DISTANCES]) -> [f32; DISTANCES + 1] {
    let mut values = [0.0; DISTANCES + 1];
    values[..DISTANCES].copy_from_slice(&sums);
    values[DISTANCES] = sums.iter().sum();
    values.map(|value| LOG_ODDS.limit(value))
}

/// Replaces or adds the columns of this group, measured with `words`; they come last.
pub(crate) fn with_words(
    table: &FeatureTable,
    dom: &Dom,
    targets: &[Target],
    words: &MarkupWords,
) -> FeatureTable {
    let mut reader = Reader::new(dom, words);
    let values: Vec<[f32; COLUMNS.len()]> = targets
        .iter()
        .map(|target| with_sum(reader.sums(target)))
        .collect();
    let kept: Vec<usize> = (0..table.columns.len())
        .filter(|&index| !is_in_group(table.columns[index], GROUP.name))
        .collect();
    let rows = concatenate(
        Axis(1),
        &[
            table.rows.select(Axis(1), &kept).view(),
            arr2(&values).view(),
        ],
    );
    let rows = rows.expect("there is a row for each target");
    let columns = kept
        .into_iter()
        .map(|index| table.columns[index])
        .chain(COLUMNS.iter().map(|column| column.name));
    FeatureTable {
        columns: columns.collect(),
        rows,
    }
}

/// The elements around a target that are read, from the container outwards.
fn elements_around(dom: &Dom, target: &Target) -> impl Iterator<Item = NodeId> {
    std::iter::once(target.container)
        .chain(dom.ancestors(target.container))
        .filter(|&id| dom.is_element(id))
        // Names of `html` and `body` describe the whole page: `post-template`, `sidebar-right`.
        .take_while(|&id| !matches!(dom.tag(id), "html" | "body"))
        .take(MAX_LEVELS)
}

/// The word of a tag, which begins with `<` to differ from the same word in a class.
fn word_of_tag(tag: &str) -> NameWord {
    tag.bytes().fold(word_of("<"), with_letter)
}

/// The different words in a class or id attribute. Single letters are ignored as meaningless.
fn words_of(names: &str) -> Vec<NameWord> {
    let mut words = Vec::new();
    each_word(names, |word| {
        if word > NameWord::from(u8::MAX) {
            words.push(word);
        }
    });
    words.sort_unstable();
    words.dedup();
    words
}

fn names_of(dom: &Dom, id: NodeId) -> impl Iterator<Item = &str> {
    dom.attributes(id)
        .iter()
        .filter(|(name, _)| matches!(*name, "class" | "id"))
        .map(|(_, names)| names)
}

/// Adds up the weights around targets; each element and each attribute is looked up only once.
struct Reader<'a> {
    dom: &'a Dom,
    words: &'a MarkupWords,
    name_weights: FxHashMap<&'a str, WordWeights>,
    tag_weights: FxHashMap<&'a str, WordWeights>,
    element_weights: Vec<Option<WordWeights>>,
    /// The parent of the last target, and the sums over it and its ancestors: consecutive targets
    /// usually have the same parent.
    above: Option<(NodeId, [f32; DISTANCES])>,
}

fn add(sums: &mut WordWeights, weights: &WordWeights) {
    sums.iter_mut()
        .zip(weights)
        .for_each(|(sum, weight)| *sum += weight);
}

impl<'a> Reader<'a> {
    fn new(dom: &'a Dom, words: &'a MarkupWords) -> Self {
        Self {
            dom,
            words,
            name_weights: FxHashMap::default(),
            tag_weights: FxHashMap::default(),
            element_weights: vec![None; dom.len()],
            above: None,
        }
    }

    fn weigh_element(&mut self, id: NodeId) -> WordWeights {
        if let Some(known) = self.element_weights[id.index()] {
            return known;
        }
        let (dom, words) = (self.dom, self.words);
        let tag = dom.tag(id);
        let mut sums = *self
            .tag_weights
            .entry(tag)
            .or_insert_with(|| words.weights(word_of_tag(tag)).copied().unwrap_or_default());
        for names in names_of(dom, id) {
            let weights = self.name_weights.entry(names).or_insert_with(|| {
                let mut sums = WordWeights::default();
                words_of(names)
                    .into_iter()
                    .filter_map(|word| words.weights(word))
                    .for_each(|one| add(&mut sums, one));
                sums
            });
            add(&mut sums, weights);
        }
        self.element_weights[id.index()] = Some(sums);
        sums
    }

    /// Sums of the weights around a target, by distance.
    fn sums(&mut self, target: &Target) -> [f32; DISTANCES] {
        let mut elements = elements_around(self.dom, target).enumerate();
        let Some((_, own)) = elements.next() else {
            return [0.0; DISTANCES];
        };
        let of_own = self.weigh_element(own)[0];
        let Some((level, parent)) = elements.next() else {
            return [of_own, 0.0, 0.0, 0.0];
        };
        let above = match self.above {
            Some((known, sums)) if known == parent => sums,
            _ => {
                let mut sums = [0.0; DISTANCES];
                for (level, id) in std::iter::once((level, parent)).chain(elements) {
                    sums[distance(level)] += self.weigh_element(id)[distance(level)];
                }
                self.above = Some((parent, sums));
                sums
            }
        };
        [of_own, above[1], above[2], above[3]]
    }
}

/// The words around the targets of a page, from which the weights are learned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageMarkup {
    /// The words of each element that is around a target.
    elements: Vec<Vec<NameWord>>,
    /// For each target, the elements around it from the container outwards, as indices into
    /// `elements`.
    targets: Vec<Vec<u32>>,
}

impl PageMarkup {
    /// Collects the words around these targets.
    pub fn collect(dom: &Dom, targets: &[Target]) -> Self {
        let (mut elements, mut numbers) = (Vec::new(), FxHashMap::default());
        let mut number = |id: NodeId| {
            *numbers.entry(id).or_insert_with(|| {
                let of_names = names_of(dom, id).flat_map(words_of);
                elements.push(
                    std::iter::once(word_of_tag(dom.tag(id)))
                        .chain(of_names)
                        .collect(),
                );
                elements.len() as u32 - 1
            })
        };
        let targets = targets
            .iter()
            .map(|target| elements_around(dom, target).map(&mut number).collect())
            .collect();
        Self { elements, targets }
    }

    /// Number of targets on the page.
    pub fn targets(&self) -> usize {
        self.targets.len()
    }

    /// The words around a target, each with its distance; repeated if several elements have the
    /// word.
    pub fn around(&self, target: usize) -> impl Iterator<Item = (usize, NameWord)> + '_ {
        let elements = self.targets[target].iter().enumerate();
        elements.flat_map(|(level, &element)| {
            self.elements[element as usize]
                .iter()
                .map(move |&word| (distance(level), word))
        })
    }

    /// The values of the group's columns for all targets, as concatenated rows.
    pub fn values(&self, words: &MarkupWords) -> Vec<f32> {
        let of_target = |target: usize| {
            let mut sums = [0.0; DISTANCES];
            for (distance, word) in self.around(target) {
                sums[distance] += words.weights(word).map_or(0.0, |weights| weights[distance]);
            }
            with_sum(sums)
        };
        (0..self.targets.len()).flat_map(of_target).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::page;
    use super::super::{Measuring, measure, measure_with};
    use super::*;
    use crate::target::{TargetRule, select};

    fn words() -> MarkupWords {
        MarkupWords::new(vec![
            (word_of("nav"), [-1.0, -2.0, -4.0, -8.0]),
            (word_of("post"), [1.0, 2.0, 4.0, 8.0]),
            (word_of_tag("p"), [0.5, 0.0, 0.0, 0.0]),
            (word_of_tag("nav"), [-16.0; DISTANCES]),
        ])
    }

    #[test]
    fn weights_are_added_up_by_distance_and_words_of_the_whole_page_are_not_read() {
        let html = "<body class=nav><div class='post post-7' id=post><div><p>one</p></div></div><p class=navBar>two</p>\
                    <nav>three</nav>";
        let capture = page(html);
        let (targets, words) = (select(&capture, TargetRule::Blocks), words());
        let measuring = Measuring {
            markup: Some(&words),
            ..Measuring::default()
        };
        let table = measure_with(&capture, &targets, &measuring).unwrap();
        let column = |name: &str| table.column(name).unwrap().to_vec();
        assert_eq!(column("markup.own"), [0.5, -0.5, -12.0]);
        // A word counts once per attribute.
        assert_eq!(column("markup.near"), [4.0, 0.0, 0.0]);
        assert_eq!(column("markup.sum"), [4.5, -0.5, -12.0]);
        let of_page: Vec<f32> = PageMarkup::collect(&capture.dom, &targets).values(&words);
        let of_table: Vec<f32> = (0..targets.len())
            .flat_map(|row| {
                COLUMNS
                    .iter()
                    .map(|one| column(one.name)[row])
                    .collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(of_page, of_table, "training reads what is measured");
        assert!(
            measure(&capture, &targets)
                .unwrap()
                .column("markup.own")
                .is_none(),
            "there are no words without a model"
        );
    }

    #[test]
    fn elements_far_above_are_not_read() {
        let html = format!("<section class=nav>{}<p>one", "<div class=post>".repeat(11));
        let capture = page(&html);
        let markup = PageMarkup::collect(&capture.dom, &select(&capture, TargetRule::Blocks));
        assert_eq!(markup.values(&words()), [0.5, 4.0, 12.0, 12.0, 12.0]);
        assert_eq!(
            markup
                .around(0)
                .filter(|(distance, _)| *distance == 3)
                .count(),
            12
        );
        assert!(markup.around(0).all(|(_, word)| word != word_of("nav")));
    }
}
