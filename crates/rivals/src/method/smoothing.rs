//! Language models of single texts, smoothed by absolute discounting (Ney, Essen and Kneser 1994;
//! Zhai and Lafferty 2004, "A study of smoothing methods for language models applied to information
//! retrieval", section 2): the same discount is taken from the count of each token that was seen,
//! and the sum is given to a background model.
//!
//! With c the count of a token in a text of n tokens, u of them different, and p its share of the
//! background:
//!
//! ```text
//! P(token) = max(c - discount, 0) / n + discount * u / n * p
//! ```
//!
//! Probabilities sum to 1 over the background's tokens, if every token of the text is among them.
//! Tokens are numbers; they may stand for words or characters.

/// How often each token occurs in a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TokenCounts {
    /// By token, ascending; counts above 0.
    counts: Vec<(u32, u64)>,
    total: u64,
}

impl TokenCounts {
    /// Counts the tokens of a text.
    pub(crate) fn new(mut tokens: Vec<u32>) -> Self {
        tokens.sort_unstable();
        let counts = tokens
            .chunk_by(|one, other| one == other)
            .map(|same| (same[0], same.len() as u64))
            .collect();
        Self {
            counts,
            total: tokens.len() as u64,
        }
    }

    /// How often a token occurs.
    pub(crate) fn count(&self, token: u32) -> u64 {
        self.counts
            .binary_search_by_key(&token, |(token, _)| *token)
            .map_or(0, |place| self.counts[place].1)
    }

    /// Its share of all tokens; 0 in an empty text.
    pub(crate) fn share(&self, token: u32) -> f64 {
        if self.total == 0 {
            0.0
        } else {
            self.count(token) as f64 / self.total as f64
        }
    }

    /// The different tokens, ascending.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = u32> {
        self.counts.iter().map(|(token, _)| *token)
    }
}

/// The weight of the background in the model of a text of `total` tokens, `distinct` of them
/// different: the sum of the discounts; 1 for an empty text.
pub(crate) fn background_weight(total: u64, distinct: u64, discount: f64) -> f64 {
    if total == 0 {
        1.0
    } else {
        discount * distinct as f64 / total as f64
    }
}

/// The smoothed model of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Smoothed<'c> {
    own: &'c TokenCounts,
    background: &'c TokenCounts,
    discount: f64,
}

impl<'c> Smoothed<'c> {
    /// The model of a text with a background that contains all of its tokens; `discount` is above
    /// 0, below 1.
    pub(crate) fn new(own: &'c TokenCounts, background: &'c TokenCounts, discount: f64) -> Self {
        Self {
            own,
            background,
            discount,
        }
    }

    /// The weight of the background, above 0, up to 1.
    pub(crate) fn background_weight(&self) -> f64 {
        background_weight(self.own.total, self.own.counts.len() as u64, self.discount)
    }

    /// The probability of a token.
    pub(crate) fn probability(&self, token: u32) -> f64 {
        let own =
            (self.own.count(token) as f64 - self.discount).max(0.0) / self.own.total.max(1) as f64;
        own + self.background_weight() * self.background.share(token)
    }

    /// The tokens of the text itself, ascending.
    pub(crate) fn own_tokens(&self) -> impl Iterator<Item = u32> {
        self.own.tokens()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_example_computed_by_hand() {
        // Background a a a a b b c d (shares .5 .25 .125 .125), text a a b: n = 3, u = 2.
        let background = TokenCounts::new(vec![0, 0, 1, 0, 2, 3, 0, 1]);
        let text = TokenCounts::new(vec![0, 1, 0]);
        let model = Smoothed::new(&text, &background, 0.7);
        let weight = 0.7 * 2.0 / 3.0;
        let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-12, "{one} {other}");
        near(model.background_weight(), weight);
        near(model.probability(0), 1.3 / 3.0 + weight * 0.5);
        near(model.probability(1), 0.3 / 3.0 + weight * 0.25);
        near(model.probability(2), weight * 0.125);
        near((0..4).map(|token| model.probability(token)).sum(), 1.0);
        let empty = TokenCounts::new(Vec::new());
        near(Smoothed::new(&empty, &background, 0.7).probability(0), 0.5);
    }

    proptest! {
        #[test]
        fn probabilities_sum_to_one(text in proptest::collection::vec(0u32..9, 0..30), rest in proptest::collection::vec(0u32..9, 1..30), discount in 0.01f64..0.99) {
            let background = TokenCounts::new([text.clone(), rest].concat());
            let text = TokenCounts::new(text);
            let model = Smoothed::new(&text, &background, discount);
            let sum: f64 = (0..9).map(|token| model.probability(token)).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{}", sum);
        }
    }
}
