//! Stop words: the words that every text of a language is full of, from the lists of the crate `stop-words`.

use std::collections::{BTreeMap, HashSet};
use std::sync::OnceLock;

/// The stop words of one language.
#[derive(Debug)]
pub(crate) struct StopWords {
    words: HashSet<String>,
}

impl StopWords {
    /// Whether a word is one of them, case aside.
    pub(crate) fn contains(&self, word: &str) -> bool {
        if word.chars().any(char::is_uppercase) {
            self.words.contains(&word.to_lowercase())
        } else {
            self.words.contains(word)
        }
    }
}

/// The stop words of a language, by its ISO 639-1 code; `None` for a language without a list.
pub(crate) fn stop_words(language: &str) -> Option<&'static StopWords> {
    static LISTS: OnceLock<BTreeMap<&'static str, OnceLock<StopWords>>> = OnceLock::new();
    let lists =
        LISTS.get_or_init(|| stop_words::available_languages().iter().map(|&code| (code, OnceLock::new())).collect());
    let (code, list) = lists.get_key_value(language)?;
    Some(list.get_or_init(|| {
        let words = stop_words::lookup(code).unwrap_or_default();
        StopWords { words: words.iter().map(|word| word.to_lowercase()).collect() }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_by_language_and_case_does_not_count() {
        let english = stop_words("en").expect("English has a list");
        assert!(english.contains("the") && english.contains("The") && !english.contains("gull"));
        assert!(stop_words("de").is_some_and(|german| german.contains("und") && german.contains("Über")));
        assert!(stop_words("tlh").is_none() && stop_words("").is_none());
    }
}
