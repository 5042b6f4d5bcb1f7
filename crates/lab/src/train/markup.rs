//! Learns weights for the names and tags of elements from the labels of the text in them, and adds
//! the columns of `markup` to the pages' rows.
//!
//! Each word of a class or id, and each tag, gets a weight for each distance from the text, fitted
//! to the labels by a logistic regression over all of them: a word that occurs with the same other
//! words on every page gets no credit for their meaning.

use super::Example;
use super::out_of_fold::{add_columns, append, learned_group};
use crate::fitting::{WordRows, fit_words};
use ndarray::Array2;
use std::collections::BTreeMap;
use vclean_core::error::ModelError;
use vclean_core::features::markup::{DISTANCES, MarkupWords, PageMarkup, WordWeights};
use vclean_core::features::names::NameWord;

/// The group of features.
pub(crate) const MARKUP: &str = "markup";
/// Minimum number of sites with a word at a distance: words of few sites would only identify these
/// sites. Measured with the penalty.
const SITES: u32 = 8;
/// How strongly weights are held near 0, where each page counts 1. Measured: page F of `static` on
/// held-out sites is .921 with .35 and 5 sites, .922 with 1.4 and 8.
const PENALTY: f64 = 1.4;

/// A word at a distance.
type Place = (usize, NameWord);

/// Numbers for the words that enough sites have at a distance.
fn number_words(examples: &[&Example]) -> BTreeMap<Place, u32> {
    let mut order: Vec<&&Example> = examples.iter().collect();
    order.sort_by(|one, other| one.page.site.cmp(&other.page.site));
    // Sites with the word, and the number of the last of them.
    let mut seen: BTreeMap<Place, (u32, usize)> = BTreeMap::new();
    let (mut site, mut last) = (0, None);
    for example in order {
        if last.is_none_or(|last| last != &example.page.site) {
            site += 1;
        }
        last = Some(&example.page.site);
        let Some(markup) = &example.markup else {
            continue;
        };
        for target in example.page.labelled() {
            for place in markup.around(target) {
                let (sites, last) = seen.entry(place).or_default();
                *sites += u32::from(*last != site);
                *last = site;
            }
        }
    }
    let frequent = seen
        .into_iter()
        .filter(|(_, (sites, _))| *sites >= SITES)
        .map(|(place, _)| place);
    frequent.zip(0..).collect()
}

/// The labelled targets as rows: all pages count alike, the targets of a page by the logarithm of
/// their length.
fn rows_of(examples: &[&Example], numbers: &BTreeMap<Place, u32>) -> WordRows {
    let mut rows = WordRows::default();
    for example in examples {
        let Some(markup) = &example.markup else {
            continue;
        };
        let weight = |target: usize| (f64::from(example.page.shape.lengths[target]) + 2.0).ln();
        let total: f64 = example.page.labelled().map(weight).sum();
        for target in example.page.labelled() {
            let words = markup
                .around(target)
                .filter_map(|place| numbers.get(&place).copied());
            rows.push(
                words,
                example.page.is_content(target),
                weight(target) / total,
            );
        }
    }
    rows
}

fn learn(examples: &[&Example]) -> MarkupWords {
    let numbers = number_words(examples);
    let fitted = fit_words(&rows_of(examples, &numbers), numbers.len(), PENALTY);
    let mut weights: BTreeMap<NameWord, WordWeights> = BTreeMap::new();
    for ((distance, word), number) in numbers {
        weights.entry(word).or_insert([0.0; DISTANCES])[distance] = fitted[number as usize];
    }
    MarkupWords::new(weights.into_iter().collect())
}

fn measure(example: &Example, words: &MarkupWords, columns: usize) -> Array2<f32> {
    let values = example
        .markup
        .as_ref()
        .map(|markup| markup.values(words))
        .unwrap_or_default();
    Array2::from_shape_vec((values.len() / columns, columns), values)
        .expect("each target has all columns")
}

/// Appends the columns of `markup` to examples that were gathered with their markup, each measured
/// with weights from the other folds, and returns the weights from all pages.
///
/// # Errors
/// If there are fewer sites than folds, or an example has no markup.
pub(crate) fn add_markup(
    examples: &mut [Example],
    folds: usize,
    seed: u64,
) -> Result<MarkupWords, ModelError> {
    check(examples)?;
    let group = learned_group(MARKUP)?;
    add_columns(examples, group, (folds, seed), learn, |example, words| {
        measure(example, words, group.columns.len())
    })
}

/// Appends the columns of `markup` to examples that were gathered with their markup, measured with
/// the weights of a model.
///
/// # Errors
/// If an example has no markup.
pub(super) fn add_markup_of(
    examples: &mut [Example],
    words: &MarkupWords,
) -> Result<(), ModelError> {
    check(examples)?;
    let group = learned_group(MARKUP)?;
    let columns = group.columns.len();
    examples
        .iter_mut()
        .try_for_each(|example| append(example, group, &measure(example, words, columns)))
}

/// Checks that the markup of all targets was gathered.
fn check(examples: &[Example]) -> Result<(), ModelError> {
    let has_markup = |one: &&Example| {
        one.markup.as_ref().map(PageMarkup::targets) == Some(one.page.labels.len())
    };
    match examples.iter().find(|one| !has_markup(one)) {
        Some(example) => Err(ModelError::Training(format!(
            "the markup of {} was not gathered",
            example.id
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::Quality;
    use crate::train::TrainingPage;
    use vclean_core::capture::{Capture, Record};
    use vclean_core::classify::{Label, PageShape};
    use vclean_core::html::parse_html;
    use vclean_core::target::{TargetRule, select};

    /// A page of a site of its own: a menu, and a text; both are in elements whose class every
    /// element has.
    fn example(number: usize) -> Example {
        let html = format!(
            "<div class='box site{number}'><p class='box menu'>Home</div>\
             <div class='box site{number}'><p class='box story'>Gulls open mussels."
        );
        let capture = Capture::parsed(parse_html(&html), Record::parsed("page", None));
        let targets = select(&capture, TargetRule::Blocks);
        let labels = vec![Some(Label::Boilerplate), Some(Label::Content)];
        let shape = PageShape::measure(&capture.dom, &targets);
        let page = TrainingPage::for_site(format!("site {number:02}"), labels, shape);
        Example {
            id: number.to_string(),
            columns: vec!["x"],
            page,
            quality: Quality::default(),
            words: None,
            markup: Some(PageMarkup::collect(&capture.dom, &targets)),
        }
    }

    #[test]
    fn words_of_many_sites_tell_content_and_each_page_is_measured_with_other_sites() {
        let mut examples: Vec<Example> = (0..20).map(example).collect();
        let words = add_markup(&mut examples, 4, 1).unwrap();
        let columns = examples[0].columns.clone();
        assert_eq!((columns[0], columns.len()), ("x", 2 + DISTANCES));
        let own = columns
            .iter()
            .position(|name| *name == "markup.own")
            .unwrap();
        for example in &examples {
            let values = example.page.rows.column(own);
            assert!(values[0] < -1.0 && values[1] > 1.0, "{values}");
            // A class that both have in common carries no information.
            let near = columns
                .iter()
                .position(|name| *name == "markup.near")
                .unwrap();
            assert!(
                example
                    .page
                    .rows
                    .column(near)
                    .iter()
                    .all(|value| value.abs() < 0.05)
            );
        }
        // box, menu, site, story and the two tags.
        assert_eq!(words.words().len(), 6);
        // If the labels of one site are swapped, its rows do not change: they depend on the other
        // sites only.
        let mut turned: Vec<Example> = (0..20).map(example).collect();
        turned[7].page.labels.reverse();
        assert_ne!(add_markup(&mut turned, 4, 1).unwrap(), words);
        assert_eq!(turned[7].page.rows, examples[7].page.rows);
        turned[3].markup = None;
        assert!(
            add_markup(&mut turned, 4, 1)
                .unwrap_err()
                .to_string()
                .contains("markup of 3")
        );
    }
}
