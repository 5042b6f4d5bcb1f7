//! texrex: 37 features of every block, a multilayer perceptron, and a threshold (Schäfer 2013,
//! "Efficient high-precision boilerplate detection using multilayer perceptrons").
//!
//! Each block is classified separately. The perceptron was trained with 0 for text and 1 for
//! boilerplate; its output is the block's score, and the text of the page is that of the blocks
//! whose score does not exceed the threshold. The margin is the threshold less the score, so that a
//! margin above 0 means content, as with all methods here.
//!
//! The program (texrex, 2-clause BSD) also removed whole documents with too little text; here every
//! page is cleaned.

pub(crate) mod counts;
pub(crate) mod features;
pub(crate) mod perceptron;

pub(crate) use features::{COUNT, blocks, measure};
pub(crate) use perceptron::Mlp;

use super::model_file;
use super::passage::{Passage, document, kind_of};
use serde::{Deserialize, Serialize};
use vclean_core::error::{Error, ModelError};
use vclean_core::pipeline::{
    Allowed, CleanPage, CleanedPage, Input, Method, MethodSettings, Parameter, Sees,
};

/// The name of the method and of its files.
pub(crate) const NAME: &str = "texrex";

const BUILT_IN: &[u8] = vclean_models::methods::TEXREX;

const THRESHOLD: Parameter = Parameter {
    name: "threshold",
    default: "0.5",
    allowed: Allowed::Number(-1.0, 1.0),
    about: "score above which a block is boilerplate (the paper's Table 2; 0.59 balances its precision and recall)",
};

pub(super) const METHOD: Method = Method {
    name: NAME,
    about: "37 features of every block, a multilayer perceptron and a threshold",
    source: "Schäfer 2013, sections 2 and 3",
    year: 2013,
    sees: Sees::Source,
    parameters: &[THRESHOLD],
    learns: true,
    make,
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Texrex {
    /// Computes the score of a block from its features, near 0 for text and near 1 for boilerplate.
    pub mlp: Mlp,
}

struct Ready {
    learned: Texrex,
    threshold: f32,
}

fn make(settings: &MethodSettings) -> Result<Box<dyn CleanPage>, ModelError> {
    let learned: Texrex = model_file::load(NAME, settings.model.as_deref(), BUILT_IN)?;
    if !learned.mlp.is_consistent() || learned.mlp.inputs() != COUNT {
        return Err(ModelError::Format(format!(
            "its perceptron does not take the {COUNT} features of {NAME}; train it again with vclean lab train `method` {NAME}"
        )));
    }
    Ok(Box::new(Ready {
        learned,
        threshold: settings.number(&THRESHOLD) as f32,
    }))
}

impl CleanPage for Ready {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let dom = &input.capture.dom;
        let blocks = blocks(dom);
        let scores = self
            .learned
            .mlp
            .outputs(measure(dom, input.source(), &blocks).view());
        let passage = |(block, score): (super::block::TextBlock, f32)| Passage {
            kind: kind_of(dom, block.container),
            place: Some(block.target()),
            text: block.text,
            is_content: score <= self.threshold,
            margin: self.threshold - score,
        };
        Ok(document(
            input.capture,
            blocks.into_iter().zip(scores).map(passage).collect(),
        ))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::tests::clean_with;
    use super::*;

    const PAGE: &str = "<!doctype html><body><div><ul><li><a href=/>Home</a><li><a href=/news>News</a></ul></div><div>\
        <p>The herring gull drops mussels on the rocks, and the height depends on how hard the shell is. It seldom has \
        to try more than twice, and the keepers of the island have often seen it.</p><p>Young gulls learn it in their \
        first winter. They watch the old ones, steal from them, and try it with stones and wood as well.</p></div>\
        <div>© 2026 <a href=/imprint>Imprint</a> | <a href=/terms>Terms</a></div>";

    #[test]
    fn text_is_kept_and_links_are_removed() {
        let text = clean_with(NAME, &[], PAGE);
        assert!(
            text.contains("seldom has to try") && text.contains("first winter"),
            "{text}"
        );
        assert!(
            !text.contains("Imprint") && !text.contains("News"),
            "{text}"
        );
    }

    #[test]
    fn the_threshold_decides_what_is_kept() {
        assert_eq!(clean_with(NAME, &["threshold=-1"], PAGE).trim(), "");
        assert!(clean_with(NAME, &["threshold=1"], PAGE).contains("Imprint"));
    }

    #[test]
    fn a_model_of_other_features_is_refused() {
        let mlp = Mlp {
            inputs: 1,
            hidden: 1,
            weights: vec![0.5; 4],
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.model");
        std::fs::write(&path, model_file::to_bytes(NAME, "test", &Texrex { mlp })).unwrap();
        let settings = MethodSettings {
            model: Some(path.display().to_string()),
            ..MethodSettings::default()
        };
        let error = METHOD.ready(&settings).err().unwrap().to_string();
        assert!(error.contains("the 37 features of texrex"), "{error}");
    }
}
