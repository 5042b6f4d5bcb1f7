//! Keywords: words that indicate content or boilerplate in one language, with their strength.
//!
//! After FIASCO 3.1, footnote 3. `train::keywords` extracts them, the model file stores them, and
//! the group `linguistic.keyword` counts them.

use super::words::word_key;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A word and its strength as an indicator of its class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Keyword {
    /// Normal form of the word (see `words`).
    pub word: String,
    /// Conservative estimate of the log odds ratio between its frequencies in the two classes,
    /// above 0.
    pub keyness: f32,
}

/// The keywords of one language.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LanguageKeywords {
    /// ISO 639-1 code of the language.
    pub language: String,
    /// Source of the word frequencies in general language.
    pub reference: String,
    /// Keywords of content, sorted by word.
    pub content: Vec<Keyword>,
    /// Keywords of boilerplate, sorted by word.
    pub boilerplate: Vec<Keyword>,
}

/// The keywords of all languages for which a model had enough training pages.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Keywords {
    /// One entry per language, sorted by language code.
    pub languages: Vec<LanguageKeywords>,
}

impl Keywords {
    /// The keywords of a language.
    pub fn for_language(&self, language: &str) -> Option<&LanguageKeywords> {
        self.languages
            .iter()
            .find(|keywords| keywords.language == language)
    }
}

impl LanguageKeywords {
    /// An index for looking up many words.
    pub fn index(&self) -> KeywordIndex {
        let side = |keywords: &[Keyword], sign: f32| -> Vec<(u64, f32)> {
            keywords
                .iter()
                .map(|keyword| (word_key(&keyword.word), sign * keyword.keyness))
                .collect()
        };
        let keyness = side(&self.content, 1.0)
            .into_iter()
            .chain(side(&self.boilerplate, -1.0))
            .collect();
        KeywordIndex { keyness }
    }
}

/// Keyness of words: above 0 for keywords of content, below 0 for keywords of boilerplate.
#[derive(Debug, Clone, Default)]
pub struct KeywordIndex {
    keyness: HashMap<u64, f32>,
}

impl KeywordIndex {
    /// Signed keyness of the word with this [`word_key`]; 0 for a word that is not a keyword.
    pub fn keyness(&self, key: u64) -> f32 {
        self.keyness.get(&key).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyness_is_negative_for_boilerplate() {
        let keyword = |word: &str, keyness| Keyword {
            word: word.into(),
            keyness,
        };
        let keywords = Keywords {
            languages: vec![LanguageKeywords {
                language: "en".into(),
                content: vec![keyword("however", 1.5)],
                boilerplate: vec![keyword("login", 2.0)],
                ..LanguageKeywords::default()
            }],
        };
        let index = keywords
            .for_language("en")
            .map(LanguageKeywords::index)
            .unwrap_or_default();
        assert_eq!(
            ["However", "LOGIN", "x"].map(|word| index.keyness(word_key(word))),
            [1.5, -2.0, 0.0]
        );
        assert!(keywords.for_language("de").is_none());
    }
}
