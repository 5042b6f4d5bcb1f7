//! FIASCO as published (Bauer et al. 2007): its target nodes, its features, its support vector
//! machine, its output.
//!
//! Target nodes are those with a tenth of their text in text children (2.2); the features are only
//! those of section 3; the machine has a Gaussian kernel with C = 32 and gamma = 8 on columns
//! scaled to -1 to 1 (4.1), and its sign decides (2.4). Our choices where the paper gives no
//! details: counts are scaled directly and not as logarithms, for which that gamma would be far too
//! large; keywords and parts of speech are looked up in the language of the page (FIASCO supported
//! English only); and every target node is a segment of the output, named after its element (2.5)
//! and not refined with Lynx.

use std::path::Path;
use vclean_core::capture::Capture;
use vclean_core::classify::{Label, Model, PageShape};
use vclean_core::document;
use vclean_core::error::{Error, ModelError};
use vclean_core::features::{self, FeatureTable};
use vclean_core::pipeline::{CleanPage, CleanedPage, Input, Method, MethodSettings, Sees};
use vclean_core::target::{self, TargetRule};

pub(super) const METHOD: Method = Method {
    name: "fiasco",
    about: "target nodes by a tenth of their text; linguistic, structural and visual features; support vector machine",
    source: "Bauer et al. 2007",
    year: 2007,
    sees: Sees::Rendering,
    parameters: &[],
    learns: true,
    make: |settings: &MethodSettings| -> Result<Box<dyn CleanPage>, ModelError> {
        Ok(Box::new(Fiasco::new(settings)?))
    },
};

/// Penalty of the support vector machine for a misclassified training row; [`GAMMA`] is the factor
/// of its kernel (4.1).
pub(crate) const C: f64 = 32.0;
/// Factor of the kernel; see [`C`].
pub(crate) const GAMMA: f64 = 8.0;

/// Its features, by our names, in the paper's order; those that end in `_log` are used as counts,
/// see [`counts`].
pub const COLUMNS: &[&str] = &[
    // 3.1 (i)-(iii), of the whole subtree and of the text nodes directly below the target node.
    "text.characters_log",
    "text.tokens_log",
    "text.types_log",
    "text.sentences_log",
    "text.sentence_length_log",
    "linguistic.own.characters_log",
    "linguistic.own.tokens_log",
    "linguistic.own.types_log",
    "linguistic.own.sentences_log",
    "linguistic.own.sentence_length_log",
    // 3.1 (iv), keywords, and (v), parts of speech.
    "linguistic.keyword.content_share",
    "linguistic.keyword.boilerplate_share",
    "linguistic.pos.closed_share",
    "linguistic.pos.open_share",
    "linguistic.pos.unknown_share",
    "linguistic.pos.special_share",
    // 3.2 (i)-(iv), structure of the tree.
    "structural.depth_log",
    "structural.is_heading",
    "structural.is_paragraph",
    "structural.anchor_element_share",
    "structural.href_element_share",
    "structural.image_element_share",
    // 3.3, Table 1, visual features.
    "visual.blob.solidity_1",
    "visual.blob.solidity_2",
    "visual.blob.solidity_3",
    "visual.blob.width_ratio",
    "visual.blob.headline",
];

/// Replaces logarithms of counts by the counts.
fn counts(mut table: FeatureTable) -> FeatureTable {
    for (mut values, name) in table.rows.columns_mut().into_iter().zip(&mut table.columns) {
        if let Some(count) = name.strip_suffix("_log") {
            values.mapv_inplace(f32::exp_m1);
            *name = count;
        }
    }
    table
}

const RENDERED: &[u8] = vclean_models::methods::FIASCO_RENDERED;
const BARE: &[u8] = vclean_models::methods::FIASCO_STATIC;

/// One model for pages with pixels and one without visual features; both are the same if the user
/// named one.
struct Fiasco {
    rendered: Model,
    bare: Model,
    any_engine: bool,
}

impl Fiasco {
    fn new(settings: &MethodSettings) -> Result<Self, ModelError> {
        match &settings.model {
            Some(path) => {
                let model = Model::load(Path::new(path))?;
                Ok(Self {
                    rendered: model.clone(),
                    bare: model,
                    any_engine: settings.any_engine,
                })
            }
            None => Ok(Self {
                rendered: Model::from_bytes(RENDERED)?,
                bare: Model::from_bytes(BARE)?,
                any_engine: settings.any_engine,
            }),
        }
    }

    fn model(&self, capture: &Capture) -> &Model {
        if capture.layout.is_some() {
            &self.rendered
        } else {
            &self.bare
        }
    }
}

impl CleanPage for Fiasco {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let capture = input.capture;
        let model = self.model(capture);
        if !self.any_engine {
            model.check_engine(capture.record.engine)?;
        }
        let targets = target::select(capture, TargetRule::Fiasco);
        let table = counts(features::measure_with(
            capture,
            &targets,
            &model.measuring(),
        )?);
        let mut decisions = model.decide(&table, &PageShape::measure(&capture.dom, &targets))?;
        for decision in &mut decisions {
            decision.label = if decision.margin > 0.0 {
                Label::Content
            } else {
                Label::Boilerplate
            };
        }
        let document = document::prune(capture, &targets, &decisions, Vec::new());
        Ok(CleanedPage::new(targets, table, document))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use vclean_core::classify::model::Machine;
    use vclean_core::features::{describe, describe_on_request, is_in_group};

    #[test]
    fn its_features_exist_and_its_models_use_no_others() {
        let known: Vec<&str> = describe()
            .chain(describe_on_request())
            .map(|(_, column)| column.name)
            .collect();
        for column in COLUMNS {
            assert!(
                known.iter().any(|known| is_in_group(known, column)),
                "{column}"
            );
        }
        let ready = Fiasco::new(&MethodSettings::default()).unwrap();
        for model in [&ready.rendered, &ready.bare] {
            let is_its_own = |column: &String| {
                COLUMNS
                    .iter()
                    .any(|known| known.strip_suffix("_log").unwrap_or(known) == column)
            };
            assert!(
                model.columns.iter().all(is_its_own) && model.target_rule == TargetRule::Fiasco
            );
            assert_eq!(model.stages.len(), 1);
        }
        let has_pixels = |model: &Model| {
            model
                .columns
                .iter()
                .any(|column| is_in_group(column, "visual"))
        };
        assert!(has_pixels(&ready.rendered) && !has_pixels(&ready.bare));
        let Machine::Svm(machine) = &ready.rendered.stages[0].machine else {
            panic!("no support vector machine")
        };
        assert_eq!(f64::from(machine.gamma()), GAMMA);
    }
}
