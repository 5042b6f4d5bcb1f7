//! The genetic algorithm of ICE: a regular expression, evolved by `train`, that captures the text
//! in the page's source (Hofmann and Weerkamp 2007, 3.5).
//!
//! The expression is matched against the source repeatedly, and the text captured by its groups is
//! kept ([`expression`]). The paper does not mention tags and character references in the captured
//! text. Here tags are removed and references are decoded, which is necessary before words are
//! compared with a gold standard ([`markup`]).
//!
//! The paper found that "the best solution simply returns all words", and the same holds here:
//! expressions that were better on the training pages were worse on others, and the built-in one,
//! `(?:((?:.*<)))`, captures everything up to the last tag.

mod expression;
mod markup;

pub(crate) use expression::Expression;

use super::super::{model_file, passage};
use passage::Passage;
use serde::{Deserialize, Serialize};
use vclean_core::document::SegmentKind;
use vclean_core::error::{Error, ModelError};
use vclean_core::pipeline::{CleanPage, CleanedPage, Input, Method, MethodSettings, Sees};

/// The method's name, also in its model file.
pub(crate) const NAME: &str = "ice-genetic";

pub(in crate::method) const METHOD: Method = Method {
    name: NAME,
    about: "what the groups of an evolved regular expression capture in the source",
    source: "Hofmann and Weerkamp 2007, section 3.5",
    year: super::lines::SOURCE_YEAR,
    sees: Sees::Source,
    parameters: &[],
    learns: true,
    make: |settings: &MethodSettings| -> Result<Box<dyn CleanPage>, ModelError> {
        let evolved: Evolved = model_file::load(NAME, settings.model.as_deref(), BUILT_IN)?;
        Ok(Box::new(Genetic {
            expression: Expression::new(&evolved.expression)?,
        }))
    },
};

const BUILT_IN: &[u8] = vclean_models::methods::ICE_GENETIC;

/// The result of the evolution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Evolved {
    pub(crate) expression: String,
    /// Its fitness on the training pages.
    pub(crate) fitness: i64,
}

struct Genetic {
    expression: Expression,
}

impl CleanPage for Genetic {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let passages = self
            .expression
            .extract(input.source())
            .into_iter()
            .map(|text| Passage {
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
mod tests {
    use super::super::super::tests::text_of;
    use super::*;

    #[test]
    fn captured_text_is_kept() {
        let genetic = Genetic {
            expression: Expression::new("<p>(.*?)</p>").unwrap(),
        };
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
