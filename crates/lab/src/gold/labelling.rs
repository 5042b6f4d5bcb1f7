//! The result of aligning gold: a label per target, and the quality of the labels.

use super::word_score::{WordScore, difflib};
use super::words::TokenUnit;
use serde::{Deserialize, Serialize};
use vclean_core::classify::Label;

/// Agreement of the content targets with the gold.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Quality {
    /// Word score of exactly the content targets against the gold: the best a perfect classifier
    /// can reach here.
    pub oracle: WordScore,
    /// Set if the page should be left out of training: its oracle F is below
    /// [`Quality::BAD_BELOW`].
    pub is_bad: bool,
}

impl Quality {
    /// Oracle F below which labels are too often wrong for training. Heuristic: FIASCO left out its
    /// worst quarter.
    pub(crate) const BAD_BELOW: f64 = 0.8;
}

/// Labels of a page's targets.
#[derive(Debug, Clone, PartialEq)]
pub struct Labelling {
    /// One per target; `None` if the gold does not decide.
    pub labels: Vec<Option<Label>>,
    /// One per target: share of its words that were aligned with gold, 0 to 1; 1 or 0 if snippets
    /// decided.
    pub scores: Vec<f32>,
    /// How well the labels reproduce the gold.
    pub quality: Quality,
    /// Source of the labels of comments, if any.
    pub comments: CommentKnowledge,
}

impl Labelling {
    pub(crate) fn full(
        texts: &[String],
        is_content: &[bool],
        scores: Vec<f32>,
        gold: &str,
        unit: TokenUnit,
    ) -> Self {
        let kept: Vec<&str> = texts
            .iter()
            .zip(is_content)
            .filter(|(_, kept)| **kept)
            .map(|(text, _)| text.as_str())
            .collect();
        let oracle = difflib(&kept.join("\n"), gold, unit, false).score();
        let labels = is_content
            .iter()
            .map(|&kept| {
                Some(if kept {
                    Label::Content
                } else {
                    Label::Boilerplate
                })
            })
            .collect();
        let quality = Quality {
            oracle,
            is_bad: oracle.f1 < Quality::BAD_BELOW,
        };
        Self {
            labels,
            scores,
            quality,
            comments: CommentKnowledge::Unknown,
        }
    }
}

/// Source of the labels of readers' comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommentKnowledge {
    /// No source: boilerplate may be comments.
    #[default]
    Unknown,
    /// By the markup of comment systems: a weak label, for training only.
    Weak,
    /// The gold text of the page's comments.
    Gold,
}

impl CommentKnowledge {
    /// True if the comments of the page are told apart from its boilerplate, weakly or by gold.
    pub fn is_known(self) -> bool {
        self != Self::Unknown
    }
}
