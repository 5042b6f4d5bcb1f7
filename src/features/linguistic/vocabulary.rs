//! The words of a page's targets, from which keywords are learned.

use super::super::page::PageView;
use super::page_language::language_bound;
use super::target_text::whole_and_own_text;
use crate::capture::Capture;
use crate::error::Error;
use crate::language::words::{Kind, normal_form, word_key};
use crate::target::Target;
use std::collections::HashMap;

/// The words of one target, as indices into [`Vocabulary::words`]; numbers, marks and addresses are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TargetWords {
    /// Those of all its text, in order.
    pub whole: Vec<u32>,
    /// Those of the text immediately below its node, in order.
    pub own: Vec<u32>,
}

/// The words of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Vocabulary {
    /// The page's language, an ISO 639-1 code; `""` where it is not known.
    pub language: String,
    /// The different words in their normal form, in the order in which they first occur.
    pub words: Vec<String>,
    /// `word_key` of each of `words`.
    pub keys: Vec<u64>,
    /// One entry a target, in order.
    pub targets: Vec<TargetWords>,
}

impl Vocabulary {
    /// Index of a word, which is added if it is new.
    fn index_of(&mut self, indices: &mut HashMap<u64, u32>, text: &str) -> u32 {
        let key = word_key(text);
        *indices.entry(key).or_insert_with(|| {
            self.words.push(normal_form(text));
            self.keys.push(key);
            self.words.len() as u32 - 1
        })
    }
}

/// The words of the targets of a page, cut as the language-bound groups cut them.
///
/// # Errors
/// As [`measure`](super::super::measure).
pub fn vocabulary(capture: &Capture, targets: &[Target]) -> Result<Vocabulary, Error> {
    let view = PageView::new(capture, targets)?;
    let bound = language_bound(&view, None);
    let cutter = bound.cutter();
    let mut vocabulary = Vocabulary { language: bound.language.clone(), ..Vocabulary::default() };
    let mut indices = HashMap::new();
    for target in targets {
        let [whole, own] = whole_and_own_text(&view, target).map(|text| {
            let words = cutter.cut(&text);
            let words = words.iter().filter(|word| word.kind == Kind::Word);
            words.map(|word| vocabulary.index_of(&mut indices, word.text)).collect::<Vec<u32>>()
        });
        vocabulary.targets.push(TargetWords { whole, own });
    }
    Ok(vocabulary)
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture::page;
    use super::*;
    use crate::target::{TargetRule, select};

    #[test]
    fn words_are_listed_once_and_indexed_where_they_occur() {
        let capture = page("<p>The sea, the <b>sea</b> 1999<p>THE end");
        let found = vocabulary(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        assert_eq!(found.words, ["the", "sea", "end"]);
        assert_eq!(found.targets[0], TargetWords { whole: vec![0, 1, 0, 1], own: vec![0, 1, 0] });
        assert_eq!(found.targets[1].whole, [0, 2]);
        assert_eq!(found.keys[1], word_key("SEA"));
    }
}
