//! Stop words of many languages: words that are frequent in running text and rare in menus.
//!
//! The lists are those of Stopwords ISO (through the crate `stop-words`): 58 languages, 29 to 1,298
//! words each. Shared by the methods that count such words.

use std::collections::HashSet;
use std::sync::OnceLock;

/// The stop words of a language.
#[derive(Debug)]
pub(crate) struct StopWords {
    words: HashSet<&'static str>,
}

impl StopWords {
    /// True if a word is a stop word, case aside.
    pub(crate) fn contains(&self, word: &str) -> bool {
        if word.chars().any(char::is_uppercase) {
            self.words.contains(word.to_lowercase().as_str())
        } else {
            self.words.contains(word)
        }
    }
}

const LANGUAGES: usize = stop_words::available_languages().len();

/// The stop words of a language by its ISO 639-1 code; `None` if there is no list. Read at the
/// first call.
pub(crate) fn stop_words(language: &str) -> Option<&'static StopWords> {
    static READ: [OnceLock<StopWords>; LANGUAGES] = [const { OnceLock::new() }; LANGUAGES];
    // One list covers both written standards of Norwegian.
    let language = if matches!(language, "nb" | "nn") {
        "no"
    } else {
        language
    };
    let place = stop_words::available_languages()
        .binary_search(&language)
        .ok()?;
    Some(READ[place].get_or_init(|| {
        StopWords {
            words: stop_words::lookup(language)
                .unwrap_or_default()
                .iter()
                .copied()
                .collect(),
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_found_by_code_and_in_lower_case() {
        let holds = |language, word| stop_words(language).is_some_and(|words| words.contains(word));
        assert!(
            holds("en", "the")
                && holds("de", "und")
                && holds("ru", "который")
                && holds("nb", "ikke")
        );
        assert!(holds("en", "The") && !holds("en", "gull"));
        assert!(stop_words("xx").is_none() && stop_words("").is_none());
        for language in stop_words::available_languages() {
            let list = stop_words::lookup(language).unwrap_or_default();
            assert!(list.len() > 20, "{language}: {}", list.len());
            assert!(
                list.iter()
                    .all(|word| !word.chars().any(|c| c.is_ascii_uppercase())),
                "{language}"
            );
        }
    }
}
