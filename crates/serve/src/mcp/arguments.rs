//! The arguments of the tools. What their documentation says is what language models read.

use schemars::JsonSchema;
use serde::Deserialize;
use vclean_core::cleaner::Options;

/// Characters of an answer unless the model wants more or fewer. Heuristic: an article fits, and so do several answers into
/// what a model reads at once.
const USUAL_LENGTH: usize = 20_000;
/// Blocks of an explanation unless the model wants more or fewer.
const USUAL_BLOCKS: usize = 20;

pub(super) fn usual_length() -> usize {
    USUAL_LENGTH
}

pub(super) fn usual_blocks() -> usize {
    USUAL_BLOCKS
}

/// Arguments of `fetch_clean`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FetchClean {
    /// The http or https address of the page.
    pub(super) url: String,
    /// What is wanted of cleaning and writing; the format is markdown unless another is named.
    #[serde(flatten)]
    pub(super) options: Options,
    /// Most characters of the answer; 20000 if it is left out.
    #[serde(default = "usual_length")]
    pub(super) max_length: usize,
    /// Position of the first character of the answer, for the rest of a long page.
    #[serde(default)]
    pub(super) start_index: usize,
}

/// Arguments of `clean_html`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CleanHtml {
    /// The source text of the page.
    pub(super) html: String,
    /// The address that it came from, to which its links are relative. It is not loaded.
    #[serde(default)]
    pub(super) url: Option<String>,
    /// What is wanted of cleaning and writing; the format is markdown unless another is named.
    #[serde(flatten)]
    pub(super) options: Options,
    /// Most characters of the answer; 20000 if it is left out.
    #[serde(default = "usual_length")]
    pub(super) max_length: usize,
    /// Position of the first character of the answer, for the rest of a long page.
    #[serde(default)]
    pub(super) start_index: usize,
}

/// Arguments of `explain`: one of `url` and `html` is needed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Explain {
    /// The http or https address of the page.
    #[serde(default)]
    pub(super) url: Option<String>,
    /// The source text of the page.
    #[serde(default)]
    pub(super) html: Option<String>,
    /// Only blocks with these words, in this order.
    #[serde(default)]
    pub(super) contains: Option<String>,
    /// Most blocks of the answer; 20 if it is left out.
    #[serde(default = "usual_blocks")]
    pub(super) max_blocks: usize,
}
