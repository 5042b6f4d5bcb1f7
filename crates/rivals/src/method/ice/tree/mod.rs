//! The decision tree of ICE: C4.5 on five cues of each block, classes heading, list item, paragraph
//! and not included (Hofmann and Weerkamp 2007, 3.3, Figure 2).
//!
//! `train` grows the tree; the result is a [`Rules`], which is printed in the form of Figure 2.

mod rules;

pub(crate) use rules::{Attribute, Node, Rules};

use super::super::{model_file, passage};
use super::cues::{Cues, measure};
use vclean_core::document::SegmentKind;
use vclean_core::error::{Error, ModelError};
use vclean_core::pipeline::{CleanPage, CleanedPage, Input, Method, MethodSettings, Sees};

/// The method's name, also in its model file.
pub(crate) const NAME: &str = "ice-tree";

pub(in crate::method) const METHOD: Method = Method {
    name: NAME,
    about: "a decision tree (C4.5) on length, parent tag and the ratios of capitals, marks and stop words",
    source: "Hofmann and Weerkamp 2007, section 3.3 and Figure 2",
    year: super::lines::SOURCE_YEAR,
    sees: Sees::Source,
    parameters: &[],
    learns: true,
    make: |settings: &MethodSettings| -> Result<Box<dyn CleanPage>, ModelError> {
        let rules: Rules = model_file::load(NAME, settings.model.as_deref(), BUILT_IN)?;
        rules.check(ATTRIBUTES, CLASSES)?;
        Ok(Box::new(DecisionTree { rules }))
    },
};

const BUILT_IN: &[u8] = vclean_models::methods::ICE_TREE;

/// The attributes, in the order of a row's values; the second is nominal.
pub(crate) const ATTRIBUTES: [&str; 5] = [
    "wordcount",
    "parent_tag",
    "cap_ratio",
    "punct_ratio",
    "stop_ratio",
];
/// Index of the nominal attribute.
pub(crate) const PARENT_TAG: usize = 1;
/// The classes: heading, list item, paragraph, not included.
pub(crate) const CLASSES: [&str; 4] = ["h", "l", "p", "n"];

/// A block's values; `tags` are the values of the nominal attribute, which is given as an index, -1
/// for another tag.
pub(crate) fn row(cues: &Cues<'_>, tags: &[String]) -> [f64; ATTRIBUTES.len()] {
    let tag = tags
        .iter()
        .position(|tag| tag == cues.parent_tag)
        .map_or(-1.0, |place| place as f64);
    let [capitals, marks, stops] =
        [cues.capitals, cues.marks, cues.stop_words].map(|count| cues.ratio(count));
    [cues.words as f64, tag, capitals, marks, stops]
}

struct DecisionTree {
    rules: Rules,
}

impl CleanPage for DecisionTree {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let dom = &input.capture.dom;
        let blocks = super::lines::blocks(dom);
        let cues = measure(dom, &blocks);
        let tags = &self.rules.attributes[PARENT_TAG].values;
        let passages = blocks.into_iter().zip(cues).map(|(block, cues)| {
            let (class, confidence) = self.rules.classify(&row(&cues, tags));
            let kind = match CLASSES[class] {
                "h" => super::lines::heading(cues.parent_tag),
                "l" => super::lines::LIST_ITEM,
                _ => SegmentKind::Paragraph,
            };
            let is_content = CLASSES[class] != "n";
            super::lines::passage(
                block,
                kind,
                is_content,
                if is_content { confidence } else { -confidence },
            )
        });
        Ok(passage::document(input.capture, passages.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::text_of;
    use super::*;

    #[test]
    fn classes_become_segments_and_n_goes() {
        let tags = vec!["p".to_owned(), "li".to_owned()];
        let mut attributes = ATTRIBUTES
            .map(|name| Attribute {
                name: name.to_owned(),
                values: Vec::new(),
            })
            .to_vec();
        attributes[PARENT_TAG].values = tags;
        let leaf = |class| Node::Leaf {
            class,
            items: 1.0,
            errors: 0.5,
        };
        // p: by length; li: a list item; any other tag: heading.
        let nodes = vec![
            Node::Nominal {
                attribute: PARENT_TAG,
                class: 0,
                branches: vec![1, 4],
            },
            Node::Numeric {
                attribute: 0,
                class: 3,
                threshold: 2.0,
                at_most: 2,
                above: 3,
            },
            leaf(3),
            leaf(2),
            leaf(1),
        ];
        let rules = Rules {
            attributes,
            classes: CLASSES.map(str::to_owned).to_vec(),
            nodes,
        };
        rules.check(ATTRIBUTES, CLASSES).unwrap();
        let html = "<div>Gulls</div><p>of the sea</p><li>item</li><p>short one";
        assert_eq!(
            text_of(&DecisionTree { rules }, html),
            "Gulls\nof the sea\nitem\n"
        );
    }

    #[test]
    fn the_built_in_tree_is_valid_and_small() {
        let rules: Rules = model_file::load(NAME, None, BUILT_IN).unwrap();
        rules.check(ATTRIBUTES, CLASSES).unwrap();
        assert!(BUILT_IN.len() < 200_000);
    }
}
