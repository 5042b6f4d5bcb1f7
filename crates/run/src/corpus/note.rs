//! The findings of the filters in a document: the member `corpus` of its record.

use serde::{Deserialize, Serialize};

/// Why a document was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DropReason {
    /// It is in another language than those that are kept, or its language is not known.
    Language,
    /// It is in another state than those that are kept, such as `login`.
    State,
    /// It has too few words, at first or without the passages that were dropped.
    MinWords,
    /// It has too many words.
    MaxWords,
    /// It is a near-duplicate of an earlier document.
    NearDuplicate,
    /// All its passages were dropped.
    NothingLeft,
}

impl DropReason {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Language => "language",
            Self::State => "state",
            Self::MinWords => "min-words",
            Self::MaxWords => "max-words",
            Self::NearDuplicate => "near-duplicate",
            Self::NothingLeft => "nothing-left",
        }
    }
}

/// Which rule found a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PassageRule {
    /// Most of its words are in word 7-grams of earlier text.
    DuplicateParagraph,
    /// It is a short paragraph beside duplicate ones.
    Stub,
    /// Many pages of its host have it.
    SiteLine,
}

/// A passage that was dropped or marked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// Which rule found it.
    pub rule: PassageRule,
    /// True if it was dropped, false if it was only marked.
    pub dropped: bool,
    /// Number of its segment in the document before anything was dropped, from 0.
    pub segment: usize,
    /// Its text, shortened if it is long.
    pub text: String,
    /// Share of its words that are in 7-grams of earlier text, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f32>,
}

/// The findings of the filters in a document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CorpusNote {
    /// Why it was dropped, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<DropReason>,
    /// The earlier document that it is a near-duplicate of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplicate_of: Option<String>,
    /// Estimated share of word 5-grams that both documents have in common (Jaccard index), 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f32>,
    /// Its language, if documents are kept by language and it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Its number of words, if documents are kept by length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<usize>,
    /// Its normalized address, if addresses are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalized_url: Option<String>,
    /// Passages that were dropped or marked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<Passage>,
}

impl CorpusNote {
    /// Returns true if something was dropped or marked.
    pub(crate) fn is_finding(&self) -> bool {
        self.dropped.is_some() || self.duplicate_of.is_some() || !self.passages.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_have_one_name() {
        use DropReason::{Language, MaxWords, MinWords, NearDuplicate, NothingLeft};
        for reason in [Language, MinWords, MaxWords, NearDuplicate, NothingLeft] {
            assert_eq!(
                serde_json::to_string(&reason).unwrap(),
                format!("\"{}\"", reason.name())
            );
        }
    }
}
