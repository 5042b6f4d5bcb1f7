//! Decides, target by target, from the feature table.

use serde::{Deserialize, Serialize};

/// What a target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// Running text, its headings, lists, tables and code.
    Content,
    /// Navigation, advertisement, notice, footer: all that is not the page's text.
    Boilerplate,
}

/// What a classifier says of one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Signed distance from the decision boundary; above 0 speaks for content.
    pub margin: f32,
    /// Calibrated probability of content, 0 to 1.
    pub probability: f32,
    /// The verdict at the model's threshold.
    pub label: Label,
}

/// One feature's part in a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Column name.
    pub feature: String,
    /// Its value for this target.
    pub value: f32,
    /// Margin with it less margin with the training mean in its place; above 0 speaks for content.
    pub weight: f32,
}
