//! A character language model: n-grams up to [`ORDER`], interpolated from the longest context to
//! the empty one.
//!
//! The interpolation is that of LingPipe, with which the method was published: the
//! maximum-likelihood estimate of each context is interpolated with that of the next shorter one
//! with a generalized Witten-Bell weight, count / (count + L x different continuations), where L is
//! the order; the last one is uniform over 65,535 characters. Own code: there is no crate for it.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// Longest n-gram (Pal 2009).
pub(crate) const ORDER: usize = 6;

/// Number of possible characters, which gives the probability of new ones: that of Java, in which
/// the method was published.
const CHARACTERS: f64 = 65_535.0;

/// Counts n-grams; the model is made of those that occurred often enough.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counter {
    counts: BTreeMap<[char; ORDER], u32>,
}

/// Pads an n-gram up to the order; it occurs in no text, because markup was removed.
const NOTHING: char = '\0';

impl Counter {
    /// Counts the n-grams of all orders of a text.
    pub(crate) fn count(&mut self, text: &str) {
        let chars: Vec<char> = text.chars().filter(|c| *c != NOTHING).collect();
        for start in 0..chars.len() {
            let mut gram = [NOTHING; ORDER];
            for (place, &c) in chars[start..].iter().take(ORDER).enumerate() {
                gram[place] = c;
                *self.counts.entry(gram).or_insert(0) += 1;
            }
        }
    }

    /// A model of the n-grams that occurred at least `at_least` times.
    pub(crate) fn model(&self, at_least: u32) -> LanguageModel {
        let often = self.counts.iter().filter(|(_, count)| **count >= at_least);
        // An n-gram is never more frequent than its prefix, so its prefix is in the list, before
        // it.
        let grams = often
            .map(|(gram, count)| (gram.iter().take_while(|c| **c != NOTHING).collect(), *count));
        LanguageModel::from_grams(grams.collect())
    }
}

/// A node of the tree of n-grams.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Node {
    count: u32,
    /// Sum of the counts of its continuations, and their number.
    total: u32,
    outcomes: u32,
}

/// A character language model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LanguageModel {
    nodes: Vec<Node>,
    /// By node and character; looked up six times per character, hence the fast hash.
    children: FxHashMap<(u32, char), u32>,
    /// The n-grams and their counts, in order: the content of its file.
    grams: Vec<(String, u32)>,
}

impl LanguageModel {
    /// A model of n-grams and their counts, each after its prefix; an n-gram without its prefix is
    /// left out.
    fn from_grams(grams: Vec<(String, u32)>) -> Self {
        let mut model = Self {
            nodes: vec![Node::default()],
            children: FxHashMap::default(),
            grams: Vec::new(),
        };
        for (gram, count) in &grams {
            let mut chars: Vec<char> = gram.chars().collect();
            let Some(last) = chars.pop().filter(|_| chars.len() < ORDER) else {
                continue;
            };
            let context = chars
                .iter()
                .try_fold(0, |node, c| model.children.get(&(node, *c)).copied());
            let Some(context) = context else { continue };
            let next = model.nodes.len() as u32;
            if model.children.insert((context, last), next).is_none() {
                model.nodes.push(Node {
                    count: *count,
                    ..Node::default()
                });
                let context = &mut model.nodes[context as usize];
                context.total = context.total.saturating_add(*count);
                context.outcomes += 1;
            }
        }
        model.grams = grams;
        model
    }

    pub(crate) fn grams(&self) -> usize {
        self.grams.len()
    }

    /// Natural logarithm of the probability of a text, character by character.
    pub(crate) fn log_probability(&self, text: &str) -> f64 {
        // The nodes of the last 0, 1, 2 ... characters, as far as such n-grams were seen.
        let (mut contexts, mut known) = ([0u32; ORDER], 1);
        let mut sum = 0.0;
        for c in text.chars().filter(|c| *c != NOTHING) {
            let mut probability = 1.0 / CHARACTERS;
            let (mut next, mut next_known) = ([0u32; ORDER], 1);
            for &context in &contexts[..known] {
                let node = self.nodes[context as usize];
                let child = self.children.get(&(context, c)).copied();
                if node.total > 0 {
                    let (total, outcomes) = (f64::from(node.total), f64::from(node.outcomes));
                    let weight = total / (total + ORDER as f64 * outcomes);
                    let seen = child.map_or(0.0, |child| {
                        f64::from(self.nodes[child as usize].count) / total
                    });
                    probability = weight * seen + (1.0 - weight) * probability;
                }
                if let Some(child) = child.filter(|_| next_known < ORDER) {
                    next[next_known] = child;
                    next_known += 1;
                }
            }
            (contexts, known) = (next, next_known);
            sum += probability.ln();
        }
        sum
    }
}

impl Serialize for LanguageModel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.grams.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LanguageModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from_grams)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn model(text: &str) -> LanguageModel {
        let mut counter = Counter::default();
        counter.count(text);
        counter.model(1)
    }

    #[test]
    fn probabilities_are_those_computed_by_hand() {
        // Of "ab": a and b once each; after a comes b.
        let model = model("ab");
        let none = 1.0 / CHARACTERS;
        // Without context: 2 characters, 2 different ones, so 2 / (2 + 6 x 2) = 1/7 of the
        // estimate.
        let single = |seen: f64, rest: f64| seen / 7.0 + 6.0 / 7.0 * rest;
        let a = single(0.5, none);
        // After a: once, one continuation, 1 / (1 + 6) = 1/7 again.
        let b_after_a = single(1.0, single(0.5, none));
        assert!((model.log_probability("ab") - (a.ln() + b_after_a.ln())).abs() < 1e-12);
        let unknown = single(0.0, none);
        assert!((model.log_probability("x") - unknown.ln()).abs() < 1e-12);
    }

    #[test]
    fn continuations_of_any_context_sum_to_less_than_one_and_nearly_one() {
        let model = model("the herring gull and the herring");
        let probability = |text: &str| model.log_probability(text).exp();
        for context in ["", "t", "the ", "herrin"] {
            let sum: f64 = "abcdefghijklmnopqrstuvwxyz "
                .chars()
                .map(|c| probability(&format!("{context}{c}")) / probability(context))
                .sum();
            assert!(sum < 1.0 && sum > 0.3, "{context:?}: {sum}");
        }
    }

    #[test]
    fn a_file_holds_the_whole_model() {
        let model = model("naïve gulls, and \u{1f986}");
        let json = serde_json::to_string(&model).unwrap();
        assert_eq!(serde_json::from_str::<LanguageModel>(&json).unwrap(), model);
        let damaged: LanguageModel =
            serde_json::from_str(r#"[["abc",3],["a",2],["",1],["aa",1],["aaaaaaaa",9]]"#).unwrap();
        assert!(damaged.log_probability("aab") < 0.0);
    }

    #[test]
    fn rare_grams_are_left_out() {
        let mut counter = Counter::default();
        counter.count("aaab");
        assert_eq!(counter.model(3).grams(), 1);
        assert!(counter.model(2).grams() > 1);
    }

    proptest! {
        #[test]
        fn any_text_has_a_probability(learned in ".{0,60}", asked in ".{0,60}") {
            let probability = model(&learned).log_probability(&asked);
            prop_assert!(probability.is_finite() && probability <= 0.0);
        }
    }
}
