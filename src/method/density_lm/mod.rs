//! Density filter and language-model classifier (Pal 2009, "Extracting Useful Text from HTML").
//!
//! Works on the lines of the source. A line stays if it is mostly text and its text is long enough; of these, a
//! character language model of what was kept and one of what was discarded in training decide. Pages whose source has
//! no line breaks are one line, and as published nothing of them may be left.

mod density;
mod language_model;

pub use density::{Line, MIN_CHARS, density, filter, lines, threshold};
pub use language_model::{Counter, LanguageModel, ORDER};

use super::definition::{CleanPage, CleanedPage, Method, Sees};
use super::{Input, Settings, model_file, passage};
use crate::clean::SegmentKind;
use crate::error::{Error, ModelError};
use crate::text::collapse;
use passage::Passage;
use serde::{Deserialize, Serialize};

pub(super) const METHOD: Method = Method {
    name: "density-lm",
    about: "lines of the source by their share of text, then a character 6-gram model of kept and discarded lines",
    source: "Pal 2009",
    year: 2009,
    sees: Sees::Source,
    parameters: &[],
    learns: true,
    make: |settings: &Settings| -> Result<Box<dyn CleanPage>, ModelError> {
        let learned: DensityModel = model_file::load(METHOD.name, settings.model.as_deref(), BUILT_IN)?;
        Ok(Box::new(learned))
    },
};

const BUILT_IN: &[u8] = include_bytes!("../../../models/methods/density-lm.model");

/// What was learned: a model of each of the two kinds of lines, and how many lines each was made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DensityModel {
    /// Of lines to keep.
    pub keep: LanguageModel,
    /// Of lines to discard.
    pub discard: LanguageModel,
    /// Lines to keep.
    pub kept_lines: u32,
    /// Lines to discard.
    pub discarded_lines: u32,
}

impl DensityModel {
    /// Log odds that a line is to be kept: of its characters by either model, and of the kinds themselves, one line of
    /// each assumed beforehand. Above 0 it is kept.
    pub fn log_odds(&self, text: &str) -> f64 {
        let kinds = f64::from(self.kept_lines + 1).ln() - f64::from(self.discarded_lines + 1).ln();
        kinds + self.keep.log_probability(text) - self.discard.log_probability(text)
    }
}

impl CleanPage for DensityModel {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let lines = filter(lines(input.source()));
        let kept = lines.into_iter().filter_map(|line| {
            let margin = self.log_odds(&line.text);
            // As published the text keeps its character references; a reader wants the characters.
            let text = html_escape::decode_html_entities(&line.text);
            let text = collapse(&text);
            let kind = SegmentKind::Paragraph;
            (margin > 0.0).then_some(Passage { kind, text, place: None, is_content: true, margin: margin as f32 })
        });
        Ok(passage::document(input.capture, kept.collect()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::tests::clean_with;
    use super::*;

    fn model(keep: &str, discard: &str) -> DensityModel {
        let learn = |text: &str| {
            let mut counter = Counter::default();
            counter.count(text);
            counter.model(1)
        };
        DensityModel { keep: learn(keep), discard: learn(discard), kept_lines: 1, discarded_lines: 1 }
    }

    #[test]
    fn a_line_is_what_its_characters_are_like() {
        let model = model(&"the gulls of the island ".repeat(9), &"function(e){return e.x;} ".repeat(9));
        assert!(model.log_odds("the islands of the gulls") > 0.0);
        assert!(model.log_odds("return x(function)") < 0.0);
    }

    #[test]
    fn kinds_that_are_rare_need_more() {
        let model = DensityModel { discarded_lines: 1_000, ..model("a", "b") };
        assert!(model.log_odds("") < 0.0);
    }

    #[test]
    fn long_lines_of_text_stay_and_markup_goes() {
        let text =
            "On the island the gulls drop mussels &amp; whelks on the rocks, and they seldom try more than twice.";
        let html =
            format!("<html>\n<body>\n<ul><li>Home</li></ul>\n<p>{text}</p>\n<script>var a = {{b: 1}};</script>\n");
        let cleaned = clean_with("density-lm", &[], &html);
        assert_eq!(cleaned, format!("{}\n", text.replace("&amp;", "&")));
    }
}
