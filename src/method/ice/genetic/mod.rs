//! The genetic algorithm of ICE: a regular expression, evolved by `train`, that captures the text in the page's source
//! (Hofmann and Weerkamp 2007, 3.5).
//!
//! The expression is matched against the source again and again, and what its groups capture is kept ([`expression`]).
//! The paper says nothing of tags and character references in what is captured; tags go and references are decoded, as
//! they must before words are compared with a gold standard ([`markup`]).
//!
//! "The best solution simply returns all words", the paper found, and so it is here: expressions that did better on the
//! pages they were bred on did worse on others, and the built-in one, `(?:((?:.*<)))`, takes all up to the last tag.

mod expression;
mod markup;

pub(crate) use expression::Expression;

use super::super::definition::{CleanPage, CleanedPage, Method, Sees};
use super::super::model_file;
use super::super::{Input, Settings, passage};
use crate::clean::SegmentKind;
use crate::error::{Error, ModelError};
use passage::Passage;
use serde::{Deserialize, Serialize};

/// The method's name, also in its model file.
pub(crate) const NAME: &str = "ice-genetic";

pub(in crate::method) const METHOD: Method = Method {
    name: NAME,
    about: "what the groups of an evolved regular expression capture in the source",
    source: "Hofmann and Weerkamp 2007, section 3.5",
    year: super::page::SOURCE_YEAR,
    sees: Sees::Source,
    parameters: &[],
    learns: true,
    make: |settings: &Settings| -> Result<Box<dyn CleanPage>, ModelError> {
        let evolved: Evolved = model_file::load(NAME, settings.model.as_deref(), BUILT_IN)?;
        Ok(Box::new(Genetic { expression: Expression::new(&evolved.expression)? }))
    },
};

const BUILT_IN: &[u8] = include_bytes!("../../../../models/methods/ice-genetic.model");

/// What was evolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Evolved {
    /// The best expression.
    pub(crate) expression: String,
    /// Its fitness on the pages of training.
    pub(crate) fitness: i64,
}

struct Genetic {
    expression: Expression,
}

impl CleanPage for Genetic {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let passages = self.expression.extract(input.source()).into_iter().map(|text| Passage {
            kind: SegmentKind::Paragraph,
            text,
            place: None,
            is_content: true,
            margin: 0.0,
        });
        Ok(passage::document(input.capture, passages.collect()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::super::tests::text_of;
    use super::*;

    #[test]
    fn what_is_captured_is_kept() {
        let genetic = Genetic { expression: Expression::new("<p>(.*?)</p>").unwrap() };
        let html = "<nav>Home</nav><p>One &amp; <b>two</b></p>\n<P>three\nfour</P><p>open";
        assert_eq!(text_of(&genetic, html), "One & two\nthree four\n");
    }

    #[test]
    fn the_built_in_expression_is_small_and_works() {
        let evolved: Evolved = model_file::load(NAME, None, BUILT_IN).unwrap();
        assert!(Expression::new(&evolved.expression).is_ok() && BUILT_IN.len() < 10_000);
        assert!(evolved.fitness > 0);
    }
}
