//! The decision on a target: its label, margin and probability, and the features that caused it.

use super::page_kind::LikelyKind;
use serde::{Deserialize, Serialize};

/// The label of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// Running text, its headings, lists, tables and code.
    Content,
    /// Readers' comments under the page's text; not content. The posts of a forum thread are content.
    Comments,
    /// Navigation, advertisement, notice, footer: all else that is not the page's text.
    Boilerplate,
}

impl Label {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Comments => "comments",
            Self::Boilerplate => "boilerplate",
        }
    }
}

/// A model's decision on one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Signed distance from the decision boundary; above 0 indicates content.
    pub margin: f32,
    /// Calibrated probability of content, 0 to 1.
    pub probability: f32,
    /// The label at the threshold.
    pub label: Label,
    /// Calibrated probability of being a reader's comment, 0 to 1, of a target that is not content; `None` for content, and
    /// if the model does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comments: Option<f32>,
}

/// A model's decisions on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct PageDecision {
    /// One per target, in their order.
    pub targets: Vec<Decision>,
    /// What kind of page it is; `None` if the model does not tell kinds apart.
    pub kind: Option<LikelyKind>,
    /// Probability from which targets of this page are content, 0 to 1.
    pub threshold: f32,
}

/// The effect of one feature on a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Column name.
    pub feature: String,
    /// Its value for this target.
    pub value: f32,
    /// Margin with this value minus margin with the training mean instead of it; above 0 indicates content.
    pub weight: f32,
}
