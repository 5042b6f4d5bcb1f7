//! The language models of ICE: keeps the blocks whose words are similar to those of title, headings
//! and keywords (Hofmann and Weerkamp 2007, 3.4).
//!
//! This is information retrieval on one page: its title, headings and keywords are the query, and
//! its blocks (the leaves without inline elements) are the documents. Each has a model of words,
//! smoothed by absolute discounting with the words of the whole page
//! ([`smoothing`](super::super::smoothing)). A block is content if the absolute Kullback-Leibler
//! divergence between its model and the query's is below a threshold. Headings are treated like
//! other blocks, and marked as headings if kept.
//!
//! The paper does not say from which model the divergence is taken. Taken from the query's,
//!
//! ```text
//! D = sum over words of P(word | query) * ln(P(word | query) / P(word | block))
//! ```
//!
//! it ranks documents of similar length in the work that the paper cites (Zhai and Lafferty 2004).
//! But blocks differ in length, and the model of a short one is mostly background, like the
//! query's, whatever its words. Taken from the block's (the two models exchanged), a short block of
//! words that are rare on the page is far from the query, and a long one is near. The parameter
//! `from` selects one of them.

use super::super::passage;
use super::super::smoothing::{Smoothed, TokenCounts};
use std::collections::HashMap;
use vclean_core::capture::Dom;
use vclean_core::elements::is_heading;
use vclean_core::error::{Error, ModelError};
use vclean_core::language::character::needs_dictionary;
use vclean_core::pipeline::{
    Allowed, CleanPage, CleanedPage, Input, Method, MethodSettings, Parameter, Sees,
};

/// The threshold and where the divergence is taken from were chosen by mean word F on the train
/// splits of `styled`, `canola` and `scrapinghub`: from the query .494 at 1, .657 at 1.5, .708 at
/// 2; from the block .677 at 1, .753 at 1.5, .742 at 2. If nothing is dropped it is .740.
const THRESHOLD: Parameter = Parameter {
    name: "threshold",
    default: "1.5",
    allowed: Allowed::Number(0.0, 100.0),
    about: "blocks whose Kullback-Leibler divergence, in nats, is smaller are kept; chosen on train",
};

const DISCOUNT: Parameter = Parameter {
    name: "discount",
    default: "0.7",
    allowed: Allowed::Number(0.01, 0.99),
    about: "what absolute discounting takes from each count; best about 0.7 (Zhai and Lafferty 2004, section 5)",
};

const FROM: Parameter = Parameter {
    name: "from",
    default: "block",
    allowed: Allowed::Word(|word| matches!(word, "query" | "block"), "query or block"),
    about: "the model whose words the divergence is a mean over; chosen on train",
};

pub(in crate::method) const METHOD: Method = Method {
    name: "ice-lm",
    about: "blocks whose language model is near that of title, headings and keywords",
    source: "Hofmann and Weerkamp 2007, section 3.4",
    year: super::lines::SOURCE_YEAR,
    sees: Sees::Source,
    parameters: &[THRESHOLD, FROM, DISCOUNT],
    learns: false,
    make: |settings: &MethodSettings| -> Result<Box<dyn CleanPage>, ModelError> {
        let (threshold, discount) = (settings.number(&THRESHOLD), settings.number(&DISCOUNT));
        Ok(Box::new(LanguageModel {
            threshold,
            is_from_query: settings.word(&FROM) == "query",
            discount,
        }))
    },
};

struct LanguageModel {
    threshold: f64,
    is_from_query: bool,
    discount: f64,
}

impl CleanPage for LanguageModel {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let dom = &input.capture.dom;
        let blocks = super::lines::blocks(dom);
        let mut numbers = HashMap::new();
        let (mut query, mut page) = (Vec::new(), Vec::new());
        for text in head_texts(dom) {
            query.extend(words(text, &mut numbers));
        }
        page.extend_from_slice(&query);
        let mut texts = Vec::with_capacity(blocks.len());
        for block in &blocks {
            let words = words(&block.text, &mut numbers);
            if is_heading(dom.tag(block.container)) {
                query.extend_from_slice(&words);
            }
            page.extend_from_slice(&words);
            texts.push(TokenCounts::new(words));
        }
        let (query, page) = (TokenCounts::new(query), TokenCounts::new(page));
        let query = Query::new(Smoothed::new(&query, &page, self.discount), &page);
        let passages = blocks.into_iter().zip(&texts).map(|(block, text)| {
            let model = Smoothed::new(text, &page, self.discount);
            let divergence = if self.is_from_query {
                query.divergence_from(model)
            } else {
                query.divergence_to(model)
            };
            let divergence = divergence.abs();
            let kind = passage::kind_of(dom, block.container);
            super::lines::passage(
                block,
                kind,
                divergence < self.threshold,
                self.threshold - divergence,
            )
        });
        Ok(passage::document(input.capture, passages.collect()))
    }
}

/// Texts of the query that are in no block: titles, and keywords of `meta` elements.
fn head_texts(dom: &Dom) -> impl Iterator<Item = &str> {
    dom.ids().filter_map(|id| match dom.tag(id) {
        "meta" => {
            let is_keywords = dom
                .attribute(id, "name")
                .is_some_and(|name| name.trim().eq_ignore_ascii_case("keywords"));
            if is_keywords {
                dom.attribute(id, "content")
            } else {
                None
            }
        }
        // The title of the page, not that of an SVG picture in it.
        "title"
            if dom
                .parent(id)
                .is_some_and(|parent| dom.tag(parent) != "svg") =>
        {
            dom.children(id).next().and_then(|text| dom.text(text))
        }
        _ => None,
    })
}

/// The words of a text as numbers: runs of letters and digits, ignoring case, and single characters
/// in scripts without spaces.
fn words(text: &str, numbers: &mut HashMap<String, u32>) -> Vec<u32> {
    let mut words = Vec::new();
    let mut number = |word: &str| {
        let next = numbers.len() as u32;
        let known = numbers.get(word).copied();
        words.push(known.unwrap_or_else(|| *numbers.entry(word.to_owned()).or_insert(next)));
    };
    for run in text
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|run| !run.is_empty())
    {
        let mut from = 0;
        for (at, c) in run.char_indices().filter(|(_, c)| needs_dictionary(*c)) {
            if from < at {
                number(&run[from..at]);
            }
            from = at + c.len_utf8();
            number(&run[at..from]);
        }
        if from < run.len() {
            number(&run[from..]);
        }
    }
    words
}

/// The query's model and its divergences from and to the page's model.
struct Query<'c> {
    model: Smoothed<'c>,
    page: &'c TokenCounts,
    /// Divergence from the query's model to the page's.
    to_page: f64,
    /// Divergence from the page's model to the query's.
    from_page: f64,
}

/// The probability of a word that is not in a block is that on the page times the background's
/// weight. So, with the divergences between query and page, only the block's own words need to be
/// processed.
impl<'c> Query<'c> {
    fn new(model: Smoothed<'c>, page: &'c TokenCounts) -> Self {
        let (mut to_page, mut from_page) = (0.0, 0.0);
        for word in page.tokens() {
            let (query, page) = (model.probability(word), page.share(word));
            to_page += query * (query / page).ln();
            from_page += page * (page / query).ln();
        }
        Self {
            model,
            page,
            to_page,
            from_page,
        }
    }

    /// The divergence from the query's model to a block's.
    fn divergence_from(&self, block: Smoothed<'_>) -> f64 {
        let weight = block.background_weight();
        let gain = |word: u32| {
            let background = weight * self.page.share(word);
            self.model.probability(word) * (block.probability(word) / background).ln()
        };
        self.to_page - weight.ln() - block.own_tokens().map(gain).sum::<f64>()
    }

    /// The divergence from a block's model to the query's.
    fn divergence_to(&self, block: Smoothed<'_>) -> f64 {
        let weight = block.background_weight();
        let gain = |word: u32| {
            let (own, query, background) = (
                block.probability(word),
                self.model.probability(word),
                weight * self.page.share(word),
            );
            own * (own / query).ln() - background * (background / query).ln()
        };
        weight * (weight.ln() + self.from_page) + block.own_tokens().map(gain).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::clean_with;
    use super::*;
    use proptest::prelude::*;
    use vclean_core::capture::{Capture, Record};
    use vclean_core::html::parse_html;

    /// The sum as the paper writes it, over all words.
    fn by_definition(one: Smoothed<'_>, other: Smoothed<'_>, page: &TokenCounts) -> f64 {
        page.tokens()
            .map(|word| {
                one.probability(word) * (one.probability(word) / other.probability(word)).ln()
            })
            .sum()
    }

    #[test]
    fn a_divergence_computed_by_hand() {
        // Page a a b b (.5, .5), query a (a .5 + .25, b .25), block b b (a .125, b .75 + .125), by
        // a discount of .5.
        let page = TokenCounts::new(vec![0, 0, 1, 1]);
        let (query, block) = (TokenCounts::new(vec![0]), TokenCounts::new(vec![1, 1]));
        let query = Query::new(Smoothed::new(&query, &page, 0.5), &page);
        let block = Smoothed::new(&block, &page, 0.5);
        let from = 0.75 * (0.75f64 / 0.125).ln() + 0.25 * (0.25f64 / 0.875).ln();
        assert!((query.divergence_from(block) - from).abs() < 1e-12);
        let to = 0.125 * (0.125f64 / 0.75).ln() + 0.875 * (0.875f64 / 0.25).ln();
        assert!((query.divergence_to(block) - to).abs() < 1e-12);
        let same = TokenCounts::new(vec![0]);
        let same = Smoothed::new(&same, &page, 0.5);
        assert!(
            query.divergence_from(same).abs() < 1e-12 && query.divergence_to(same).abs() < 1e-12
        );
    }

    #[test]
    fn the_query_is_title_headings_and_keywords() {
        let html = "<title>Gulls</title><meta name=Keywords content='sea, birds'><svg><title>icon</title></svg>x";
        let dom = parse_html(html);
        assert_eq!(
            head_texts(&dom).collect::<Vec<_>>(),
            ["Gulls", "sea, birds"]
        );
        let mut numbers = HashMap::new();
        assert_eq!(words("A b-a 中文x", &mut numbers), [0, 1, 0, 2, 3, 4]);
    }

    #[test]
    fn blocks_with_other_words_are_removed() {
        let html = "<title>Herring gull</title><h1>Gulls and mussels</h1><p>The herring gull and its mussels: gulls and mussels.</p>\
                    <div>Imprint contact privacy jobs press advertise subscribe newsletter</div>";
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        for is_from_query in [true, false] {
            let margins = |threshold: f64| -> Vec<f32> {
                let method = LanguageModel {
                    threshold,
                    is_from_query,
                    discount: 0.7,
                };
                let cleaned = method.clean(&Input::new(&capture, Some(html))).unwrap();
                cleaned
                    .decisions()
                    .map(|decision| decision.margin)
                    .collect()
            };
            let [heading, paragraph, imprint] = margins(0.0)[..] else {
                panic!("three blocks")
            };
            assert!(
                heading > imprint && paragraph > imprint,
                "{heading} {paragraph} {imprint}"
            );
            let threshold = -f64::midpoint(f64::from(paragraph), f64::from(imprint));
            assert!(margins(threshold)[1] > 0.0 && margins(threshold)[2] < 0.0);
            let settings = [
                format!("threshold={threshold}"),
                format!("from={}", if is_from_query { "query" } else { "block" }),
            ];
            let text = clean_with("ice-lm", &[&settings[0], &settings[1]], html);
            assert!(
                text.contains("its mussels") && !text.contains("Imprint"),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn the_short_sum_equals_the_long_one(query in proptest::collection::vec(0u32..6, 0..9), block in proptest::collection::vec(0u32..6, 0..9), rest in proptest::collection::vec(0u32..6, 1..9), discount in 0.05f64..0.95) {
            let page = TokenCounts::new([query.clone(), block.clone(), rest].concat());
            let (query, block) = (TokenCounts::new(query), TokenCounts::new(block));
            let (query, block) = (Smoothed::new(&query, &page, discount), Smoothed::new(&block, &page, discount));
            let from = Query::new(query, &page).divergence_from(block);
            prop_assert!((from - by_definition(query, block, &page)).abs() < 1e-9 && from > -1e-9);
            let to = Query::new(query, &page).divergence_to(block);
            prop_assert!((to - by_definition(block, query, &page)).abs() < 1e-9 && to > -1e-9);
        }
    }
}
