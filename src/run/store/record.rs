//! What is kept of a page: its text, what is known of it, and the verdicts on its blocks.

use crate::classify::Label;
use crate::clean::{CleanDocument, Metadata};
use crate::features::FeatureTable;
use serde::{Deserialize, Serialize};

/// A cleaned page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the page, of its own within a run.
    pub id: String,
    /// The input as the user named it.
    pub input: String,
    /// Address of the page, where it is known.
    pub url: Option<String>,
    /// The text in the format that was asked for; empty where the page has none.
    pub text: String,
    /// The text with `<p>`, `<h>` or `<l>` before each paragraph, heading and list item, as in CLEANEVAL.
    pub marked: String,
    /// Beside the text.
    pub metadata: Metadata,
    /// Whether the verdicts are on the rendered page.
    pub rendered: bool,
    /// F that the text is expected to have, 0 to 1; see [`crate::method::Cleaned::confidence`].
    pub confidence: f32,
    /// What went wrong without stopping it.
    pub warnings: Vec<String>,
    /// Names of the features of every block, where they are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The verdict on every block, kept or not, where that is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<BlockRow>>,
}

/// A row of the block table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockRow {
    /// The text, collapsed.
    pub text: String,
    /// Path of tags from the root, such as `html/body/div/p`.
    pub path: String,
    /// Whether it belongs to the page's text.
    pub content: bool,
    /// Calibrated probability that it does, 0 to 1.
    pub probability: f32,
    /// Distance from the decision boundary; positive for content.
    pub margin: f32,
    /// Left, top, width and height in CSS px; absent for bare HTML.
    pub rect: Option<[f32; 4]>,
    /// One value for each of [`Record::columns`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<f32>,
}

impl BlockRow {
    /// The block table of a page, with the features in `table` where that is given.
    pub fn of(document: &CleanDocument, table: Option<&FeatureTable>) -> Vec<Self> {
        let row = |(index, target): (usize, &crate::clean::TargetReport)| Self {
            text: target.text.clone(),
            path: target.path.clone(),
            content: target.decision.label == Label::Content,
            probability: target.decision.probability,
            margin: target.decision.margin,
            rect: target.rect.map(|rect| [rect.x, rect.y, rect.width, rect.height]),
            features: table.map(|table| table.rows.row(index).to_vec()).unwrap_or_default(),
        };
        document.targets.iter().enumerate().map(row).collect()
    }
}

impl Record {
    /// About how many bytes it takes, for deciding when enough of them are together; the same on every machine.
    #[cfg(feature = "parquet")]
    pub(super) fn bytes(&self) -> usize {
        let block = |row: &BlockRow| 32 + row.text.len() + row.path.len() + 4 * row.features.len();
        let blocks = self.blocks.iter().flatten().map(block).sum::<usize>();
        200 + self.text.len() + self.marked.len() + blocks
    }

    #[cfg(test)]
    pub(super) fn sample(number: usize) -> Self {
        let block = |index: usize| BlockRow {
            text: format!("block {index}"),
            path: "html/body/p".to_owned(),
            content: index.is_multiple_of(2),
            probability: 0.1 + index as f32 / 7.0,
            margin: -1.0 / 3.0,
            rect: index.is_multiple_of(2).then_some([1.0, 2.0, 3.5, 4.0]),
            features: vec![0.1, index as f32],
        };
        let columns = ["structural.depth_log", "text.letters"].map(str::to_owned).to_vec();
        let title = number.is_multiple_of(3).then(|| format!("Title “{number}”"));
        Self {
            id: format!("page-{number}"),
            input: "crawl.warc.gz".to_owned(),
            url: (number != 5).then(|| format!("https://example.org/{number}?a=ü b")),
            text: format!("Text of page {number}.\nSecond line.\n"),
            marked: format!("<p>Text of page {number}.\n"),
            metadata: Metadata { title, ..Metadata::default() },
            rendered: number.is_multiple_of(2),
            confidence: 1.0 / (1.0 + number as f32),
            warnings: vec!["a warning".to_owned(); number % 3],
            columns,
            blocks: Some((0..number % 4).map(block).collect()),
        }
    }
}
