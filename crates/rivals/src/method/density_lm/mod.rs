//! Density filter and language-model classifier (Pal 2009, "Extracting Useful Text from HTML").
//!
//! Works on the lines of the source. First, lines are dropped that are not mostly text or whose
//! text is too short. Then two character language models decide on the rest: one of the lines kept
//! in training and one of the discarded lines. A page whose source has no line breaks is one line,
//! and as published its whole text may be dropped.

mod density;
mod language_model;

pub(crate) use density::{Line, filter, lines};
pub(crate) use language_model::{Counter, LanguageModel};

use super::{model_file, passage};
use passage::Passage;
use serde::{Deserialize, Serialize};
use vclean_core::document::SegmentKind;
use vclean_core::error::{Error, ModelError};
use vclean_core::pipeline::{CleanPage, CleanedPage, Input, Method, MethodSettings, Sees};
use vclean_core::text::collapse;

pub(super) const METHOD: Method = Method {
    name: "density-lm",
    about: "lines of the source by their share of text, then a character 6-gram model of kept and discarded lines",
    source: "Pal 2009",
    year: 2009,
    sees: Sees::Source,
    parameters: &[],
    learns: true,
    make: |settings: &MethodSettings| -> Result<Box<dyn CleanPage>, ModelError> {
        let learned: DensityModel =
            model_file::load(METHOD.name, settings.model.as_deref(), BUILT_IN)?;
        Ok(Box::new(learned))
    },
};

const BUILT_IN: &[u8] = vclean_models::methods::DENSITY_LM;

/// The learned model: a language model of each of the two kinds of lines, and how many lines each
/// was made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct DensityModel {
    /// Model of lines to keep.
    pub keep: LanguageModel,
    /// Model of lines to discard.
    pub discard: LanguageModel,
    /// Number of lines to keep.
    pub kept_lines: u32,
    /// Number of lines to discard.
    pub discarded_lines: u32,
}

impl DensityModel {
    /// Log odds that a line is to be kept: from the probabilities of its characters in both models
    /// and the prior odds of the two kinds, with one line added to each count. Above 0 it is kept.
    pub(crate) fn log_odds(&self, text: &str) -> f64 {
        let kinds = f64::from(self.kept_lines + 1).ln() - f64::from(self.discarded_lines + 1).ln();
        kinds + self.keep.log_probability(text) - self.discard.log_probability(text)
    }
}

impl CleanPage for DensityModel {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let lines = filter(lines(input.source()));
        let kept = lines.into_iter().filter_map(|line| {
            let margin = self.log_odds(&line.text);
            // Unlike the published method, character references are decoded, for readers.
            let text = html_escape::decode_html_entities(&line.text);
            let text = collapse(&text);
            let kind = SegmentKind::Paragraph;
            (margin > 0.0).then_some(Passage {
                kind,
                text,
                place: None,
                is_content: true,
                margin: margin as f32,
            })
        });
        Ok(passage::document(input.capture, kept.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::clean_with;
    use super::*;

    fn model(keep: &str, discard: &str) -> DensityModel {
        let learn = |text: &str| {
            let mut counter = Counter::default();
            counter.count(text);
            counter.model(1)
        };
        DensityModel {
            keep: learn(keep),
            discard: learn(discard),
            kept_lines: 1,
            discarded_lines: 1,
        }
    }

    #[test]
    fn a_line_is_classified_by_its_characters() {
        let model = model(
            &"the gulls of the island ".repeat(9),
            &"function(e){return e.x;} ".repeat(9),
        );
        assert!(model.log_odds("the islands of the gulls") > 0.0);
        assert!(model.log_odds("return x(function)") < 0.0);
    }

    #[test]
    fn rare_kinds_have_lower_prior_odds() {
        let model = DensityModel {
            discarded_lines: 1_000,
            ..model("a", "b")
        };
        assert!(model.log_odds("") < 0.0);
    }

    #[test]
    fn long_lines_of_text_are_kept_and_markup_is_removed() {
        let text = "On the island the gulls drop mussels &amp; whelks on the rocks, and they seldom try more than twice.";
        let html = format!(
            "<html>\n<body>\n<ul><li>Home</li></ul>\n<p>{text}</p>\n<script>var a = {{b: 1}};</script>\n"
        );
        let cleaned = clean_with("density-lm", &[], &html);
        assert_eq!(cleaned, format!("{}\n", text.replace("&amp;", "&")));
    }
}
