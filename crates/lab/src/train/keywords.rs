//! Learns keywords from the labelled text of training pages, and adds keyword columns to the pages'
//! rows.
//!
//! FIASCO 3.1, footnote 3: a keyword is significantly more frequent in one part of the training
//! text (content or boilerplate) than in the other, and substantially more frequent than in general
//! language; keywords are ranked by *keyness*, a conservative estimate of the log odds ratio: here
//! the lower bound of its confidence interval.
//!
//! General language is estimated from the word counts that come with the language's tagger (the
//! Universal Dependencies treebanks in its file). For a language without one, the content of the
//! training pages stands in for it: boilerplate keywords must be more frequent than there, content
//! keywords are compared with boilerplate only.
//!
//! The rows of a page are measured with keywords from other sites; see
//! [`out_of_fold`](super::out_of_fold).

use super::Example;
use super::out_of_fold::{add_columns, learned_group};
use super::sample::TrainingPage;
use ndarray::{Array2, Axis};
use std::collections::BTreeMap;
use vclean_core::classify::Label;
use vclean_core::error::ModelError;
use vclean_core::features::linguistic::{Vocabulary, keyword_values};
use vclean_core::language::keywords::{Keyword, Keywords, LanguageKeywords};
use vclean_core::language::tagger;
use vclean_core::language::words::word_key;

/// The bound is this many standard errors below the estimate: two-sided .05 over about 7,500 words
/// (Bonferroni, as Evert 2022 corrects keyness).
const STANDARD_ERRORS: f64 = 4.5;
/// How much more frequent than in general language a keyword must be. Heuristic: FIASCO says
/// "substantially".
const TIMES_GENERAL: f64 = 2.0;
/// Minimum number of sites with a keyword on its side, so that words of a single site are not
/// keywords. Ours.
const SITES: u32 = 5;
/// Maximum number of keywords per side.
const MOST: usize = 400;
/// Minimum number of pages of a language to learn keywords from. Heuristic: with fewer, words of
/// single sites dominate.
const PAGES: usize = 20;

/// Occurrences of a word on one side.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    count: u64,
    sites: u32,
    /// Number of the last site, plus 1.
    last_site: usize,
}

impl Side {
    fn add(&mut self, count: u64, site: usize) {
        if count > 0 {
            self.count += count;
            self.sites += u32::from(self.last_site != site + 1);
            self.last_site = site + 1;
        }
    }
}

/// Lower bound of the log odds ratio between a word's frequency on one side, `count` of `size`
/// words, and on the other.
///
/// A word is rare among all words, so that the ratio of odds is the ratio of frequencies: the odds
/// that an occurrence of the word is on this side, by the ratio of the sides' sizes. The bound is
/// that of Wilson's score interval (1927) of the share of occurrences on this side; Wald's interval
/// of the log odds ratio breaks down where the other side has none. Minus infinity for a word that
/// is not on this side.
pub(crate) fn keyness(count: u64, size: u64, other_count: u64, other_size: u64) -> f64 {
    let all = (count + other_count) as f64;
    if count == 0 || other_size == 0 {
        return f64::NEG_INFINITY;
    }
    let (share, z) = (count as f64 / all, STANDARD_ERRORS);
    let margin = z * (share * (1.0 - share) / all + z * z / (4.0 * all * all)).sqrt();
    let low = (share + z * z / (2.0 * all) - margin) / (1.0 + z * z / all);
    (low / (1.0 - low)).ln() + (other_size as f64 / size as f64).ln()
}

/// Learns the keywords of all languages that have enough pages; `pages` are training pages and
/// their words, in any order.
pub(crate) fn learn_keywords(pages: &[(&TrainingPage, &Vocabulary)]) -> Keywords {
    let mut of_language: BTreeMap<&str, Vec<(&TrainingPage, &Vocabulary)>> = BTreeMap::new();
    for &(page, words) in pages {
        if !words.language.is_empty() {
            of_language
                .entry(&words.language)
                .or_default()
                .push((page, words));
        }
    }
    let languages = of_language
        .into_iter()
        .filter(|(_, pages)| pages.len() >= PAGES);
    Keywords {
        languages: languages
            .map(|(language, pages)| learn_language(language, pages))
            .collect(),
    }
}

/// How often each word occurs in content and in boilerplate; `pages` are sorted by site.
fn count_words<'a>(pages: &[(&TrainingPage, &'a Vocabulary)]) -> BTreeMap<&'a str, [Side; 2]> {
    let mut counts: BTreeMap<&str, [Side; 2]> = BTreeMap::new();
    let (mut site, mut last) = (0, None);
    for &(page, vocabulary) in pages {
        if last.is_some_and(|last| last != &page.site) {
            site += 1;
        }
        last = Some(&page.site);
        let mut on_page = vec![[0u64; 2]; vocabulary.words.len()];
        for (label, words) in page.labels.iter().zip(&vocabulary.targets) {
            let Some(label) = label else { continue };
            for &word in &words.whole {
                on_page[word as usize][usize::from(*label != Label::Content)] += 1;
            }
        }
        for (word, [content, boilerplate]) in vocabulary.words.iter().zip(on_page) {
            if content + boilerplate > 0 {
                let sides = counts.entry(word).or_default();
                sides[0].add(content, site);
                sides[1].add(boilerplate, site);
            }
        }
    }
    counts
}

fn learn_language(
    language: &str,
    mut pages: Vec<(&TrainingPage, &Vocabulary)>,
) -> LanguageKeywords {
    pages.sort_by(|one, other| one.0.site.cmp(&other.0.site));
    let counts = count_words(&pages);
    let sizes: [u64; 2] =
        [0, 1].map(|side: usize| counts.values().map(|sides| sides[side].count).sum());
    let tagger = tagger(language);
    // Frequency in general language, plus one word, so that words missing in the treebanks do not
    // have frequency 0.
    let general = |word: &str, side: usize| match tagger {
        Some(tagger) => {
            let count = tagger.look_up(word_key(word)).map_or(0, |word| word.count);
            f64::from(count + 1) / (tagger.tokens + 1) as f64
        }
        None if side == 1 => (counts[word][0].count + 1) as f64 / (sizes[0] + 1) as f64,
        None => 0.0,
    };
    let of_side = |side: usize| {
        let mut found: Vec<Keyword> = Vec::new();
        for (word, sides) in &counts {
            let (own, other) = (sides[side], sides[1 - side]);
            let keyness = keyness(own.count, sizes[side], other.count, sizes[1 - side]);
            let frequency = own.count as f64 / sizes[side].max(1) as f64;
            if own.sites >= SITES
                && keyness > 0.0
                && frequency >= TIMES_GENERAL * general(word, side)
            {
                found.push(Keyword {
                    word: (*word).to_owned(),
                    keyness: keyness as f32,
                });
            }
        }
        // The strongest are kept, ties broken by the word; then they are sorted for the file.
        found.sort_by(|one, other| {
            other
                .keyness
                .total_cmp(&one.keyness)
                .then_with(|| one.word.cmp(&other.word))
        });
        found.truncate(MOST);
        found.sort_by(|one, other| one.word.cmp(&other.word));
        found
    };
    LanguageKeywords {
        language: language.to_owned(),
        reference: tagger.map_or_else(
            || "content of the training pages".to_owned(),
            |tagger| format!("Universal Dependencies: {}", tagger.treebanks.join(", ")),
        ),
        content: of_side(0),
        boilerplate: of_side(1),
    }
}

/// The group's values on a page.
fn rows(vocabulary: &Vocabulary, keywords: &Keywords, columns: usize) -> Array2<f32> {
    let index = keywords
        .for_language(&vocabulary.language)
        .map(LanguageKeywords::index);
    let keys = |words: &[u32]| {
        words
            .iter()
            .map(|&word| vocabulary.keys[word as usize])
            .collect::<Vec<u64>>()
            .into_iter()
    };
    let mut rows = Array2::zeros((vocabulary.targets.len(), columns));
    for (mut row, words) in rows.axis_iter_mut(Axis(0)).zip(&vocabulary.targets) {
        let values = keyword_values(index.as_ref(), keys(&words.whole), keys(&words.own));
        row.iter_mut()
            .zip(values)
            .for_each(|(cell, value)| *cell = value);
    }
    rows
}

/// Appends the columns of `linguistic.keyword` to examples that were gathered language-bound, each
/// measured with the keywords of the other folds, and returns the keywords of all pages.
///
/// # Errors
/// If there are fewer sites than folds, or an example has no words.
pub fn add_keywords(
    examples: &mut [Example],
    fold_count: usize,
    seed: u64,
) -> Result<Keywords, ModelError> {
    if let Some(example) = examples.iter().find(|example| example.words.is_none()) {
        let cause = format!(
            "the words of {} were not gathered; gather language-bound",
            example.id
        );
        return Err(ModelError::Training(cause));
    }
    let group = learned_group("linguistic.keyword")?;
    let learn = |examples: &[&Example]| {
        let pairs = examples
            .iter()
            .filter_map(|example| Some((&example.page, example.words.as_ref()?)));
        learn_keywords(&pairs.collect::<Vec<_>>())
    };
    let measure = |example: &Example, keywords: &Keywords| {
        example.words.as_ref().map_or_else(
            || Array2::zeros((0, 0)),
            |words| rows(words, keywords, group.columns.len()),
        )
    };
    add_columns(examples, group, (fold_count, seed), learn, measure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::Quality;
    use vclean_core::classify::PageShape;
    use vclean_core::features::linguistic::TargetWords;

    /// A page in a language without a tagger: one target of content, one of boilerplate.
    fn example(number: usize, content: &str, boilerplate: &str) -> Example {
        let mut vocabulary = Vocabulary {
            language: "tlh".into(),
            ..Vocabulary::default()
        };
        for text in [content, boilerplate] {
            let words: Vec<u32> = text
                .split_whitespace()
                .map(|word| {
                    let place = vocabulary
                        .words
                        .iter()
                        .position(|known| known == word)
                        .unwrap_or_else(|| {
                            vocabulary.words.push(word.to_owned());
                            vocabulary.keys.push(word_key(word));
                            vocabulary.words.len() - 1
                        });
                    place as u32
                })
                .collect();
            vocabulary.targets.push(TargetWords {
                whole: words.clone(),
                own: words,
            });
        }
        let labels = vec![Some(Label::Content), Some(Label::Boilerplate)];
        let shape = PageShape {
            lengths: vec![1; 2],
            groups: vec![[0, 0]; 2],
        };
        let page = TrainingPage::for_site(format!("site {number:02}"), labels, shape);
        Example {
            id: number.to_string(),
            columns: vec!["x"],
            page,
            quality: Quality::default(),
            words: Some(vocabulary),
            markup: None,
        }
    }

    fn corpus() -> Vec<Example> {
        (0..30)
            .map(|number| {
                // `own` words are on one site each, `the` is everywhere.
                let content = format!(
                    "the ship the ship sails far {}",
                    format!("own{number} ").repeat(6)
                );
                example(
                    number,
                    &content.repeat(4),
                    &"the login the login menu ".repeat(6),
                )
            })
            .collect()
    }

    fn words(keywords: &[Keyword]) -> Vec<&str> {
        keywords
            .iter()
            .map(|keyword| keyword.word.as_str())
            .collect()
    }

    #[test]
    fn keywords_of_a_small_corpus_are_found() {
        let examples = corpus();
        let pairs: Vec<_> = examples
            .iter()
            .map(|one| (&one.page, one.words.as_ref().unwrap()))
            .collect();
        let keywords = learn_keywords(&pairs);
        let found = keywords.for_language("tlh").unwrap();
        assert_eq!(words(&found.boilerplate), ["login", "menu", "the"]);
        assert!(
            words(&found.content).starts_with(&["far"]) && words(&found.content).contains(&"ship")
        );
        assert!(
            !words(&found.content)
                .iter()
                .any(|word| word.starts_with("own")),
            "{:?}",
            words(&found.content)
        );
        assert!(
            found.boilerplate[0].keyness > found.boilerplate[2].keyness,
            "login is rarer in content than the is"
        );
        assert_eq!(learn_keywords(&pairs[..PAGES - 1]), Keywords::default());
    }

    #[test]
    fn keyness_of_rare_words_is_negative() {
        assert!(keyness(100, 1000, 1, 1000) > keyness(10, 1000, 1, 1000));
        assert!(
            keyness(3, 1000, 0, 1000) < 0.0,
            "three occurrences are too few"
        );
        assert!(keyness(50, 1000, 50, 1000) < 0.0);
        // Wilson's interval for 100 of 110 begins at .7155 with 4.5 standard errors.
        assert!((keyness(100, 1000, 10, 1000) - (0.7155f64 / 0.2845).ln()).abs() < 0.001);
        assert!(
            (keyness(100, 1000, 10, 2000) - keyness(100, 1000, 10, 1000) - 2f64.ln()).abs() < 1e-9
        );
        assert!(keyness(0, 1000, 10, 1000) < 0.0 && keyness(10, 1000, 0, 0) < 0.0);
    }

    #[test]
    fn a_page_is_measured_with_keywords_of_other_sites() {
        let mut examples = corpus();
        // A word on a single site is not a keyword; see `SITES` above.
        let all = add_keywords(&mut examples, 5, 1).unwrap();
        assert!(all.for_language("tlh").is_some());
        let columns = &examples[0].columns;
        assert_eq!(columns[0], "x");
        let place = columns
            .iter()
            .position(|name| *name == "linguistic.keyword.balance")
            .unwrap();
        for example in &examples {
            assert_eq!(example.page.rows.ncols(), columns.len());
            assert!(example.page.rows[[0, place]] > -1.0 && example.page.rows[[1, place]] == -1.0);
        }
        // If the labels of one site are swapped, its rows do not change: they depend on the other
        // sites only.
        let mut turned = corpus();
        turned[7].page.labels.reverse();
        add_keywords(&mut turned, 5, 1).unwrap();
        assert_eq!(turned[7].page.rows, examples[7].page.rows);
        turned[3].words = None;
        assert!(
            add_keywords(&mut turned, 5, 1)
                .unwrap_err()
                .to_string()
                .contains("words of 3")
        );
    }
}
