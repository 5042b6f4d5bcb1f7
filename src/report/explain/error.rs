//! Why nothing can be explained.

use thiserror::Error;

/// Why nothing can be explained.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExplainError {
    /// No letters to look for.
    #[error("there are no words to look for; give some words of the block, such as \"drop mussels on rocks\"")]
    NoWords,
    /// The method has no blocks.
    #[error("the method {0} decides on lines of the source, so no block can be explained; use the method vclean")]
    NoBlocks(String),
    /// The words are nowhere on the page.
    #[error("no text of the page has the words \"{words}\"{}{}", nearest(near.as_deref()), advice(*is_rendered))]
    NotFound {
        /// The words, with white space collapsed.
        words: String,
        /// Where the nearest text begins.
        near: Option<String>,
        /// Whether the page was rendered.
        is_rendered: bool,
    },
}

fn nearest(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; the nearest is \"{near}\""))
}

fn advice(is_rendered: bool) -> &'static str {
    if is_rendered { "" } else { "; text that scripts write is only there with `render`" }
}
