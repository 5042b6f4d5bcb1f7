//! Texts that the `linguistic` groups measure: all text of a target, the text immediately below its
//! node, the language of the page, and the words that keywords are learned from.

use crate::capture::Capture;
use crate::error::Error;
use crate::features::block::write_text;
use crate::features::page::{LanguageBound, PageView};
use crate::language::Keywords;
use crate::language::detect::{page_language, stated_language};
use crate::language::words::{Kind, normal_form, word_key};
use crate::target::Target;
use std::collections::HashMap;

/// Writes the text immediately below the target's node into `out`; returns false without writing if
/// that is all of the target's text.
pub(super) fn write_own_text(view: &PageView<'_>, target: &Target, out: &mut String) -> bool {
    let dom = &view.capture.dom;
    let is_own = |id| dom.parent(id) == Some(target.container);
    if target.texts.iter().all(|&id| is_own(id)) {
        return false;
    }
    let texts: Vec<_> = target
        .texts
        .iter()
        .copied()
        .filter(|&id| is_own(id))
        .collect();
    write_text(dom, &texts, &view.tree, out);
    true
}

pub(super) fn whole_and_own_text(view: &PageView<'_>, target: &Target) -> [String; 2] {
    let mut whole = String::new();
    write_text(&view.capture.dom, &target.texts, &view.tree, &mut whole);
    let mut own = String::new();
    if !write_own_text(view, target, &mut own) {
        own.clone_from(&whole);
    }
    [whole, own]
}

/// Language data of a page for the language-bound groups.
pub(in super::super) fn language_bound<'k>(
    view: &PageView<'_>,
    keywords: Option<&'k Keywords>,
) -> LanguageBound<'k> {
    LanguageBound {
        language: language(view),
        keywords,
    }
}

/// Amount of text, in bytes, for language detection: whatlang needs a few hundred, and takes a
/// millisecond for twenty thousand.
const LANGUAGE_BYTES: usize = 4_000;

/// The page's language, detected from its longest texts and its declared language.
fn language(view: &PageView<'_>) -> String {
    let mut order: Vec<usize> = (0..view.targets.len()).collect();
    order.sort_by(|&one, &other| {
        view.blocks[other]
            .length
            .total_cmp(&view.blocks[one].length)
            .then(one.cmp(&other))
    });
    let (mut text, mut part) = (String::new(), String::new());
    for index in order {
        if text.len() >= LANGUAGE_BYTES {
            break;
        }
        write_text(
            &view.capture.dom,
            &view.targets[index].texts,
            &view.tree,
            &mut part,
        );
        text.push_str(&part);
        text.push('\n');
    }
    // A single text may be as long as the page.
    let end = text
        .char_indices()
        .map(|(at, _)| at)
        .take_while(|&at| at <= LANGUAGE_BYTES)
        .last()
        .unwrap_or(0);
    let text = if text.len() > LANGUAGE_BYTES {
        &text[..end]
    } else {
        &text[..]
    };
    page_language(stated_language(&view.capture.dom), text).unwrap_or_default()
}

/// The words of one target, as indices into [`Vocabulary::words`], excluding numbers, marks and
/// addresses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TargetWords {
    /// Words of all its text, in order.
    pub whole: Vec<u32>,
    /// Words of the text immediately below its node, in order.
    pub own: Vec<u32>,
}

/// The words of all targets of a page, as keywords are learned from them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Vocabulary {
    /// The page's language, an ISO 639-1 code; `""` if unknown.
    pub language: String,
    /// Normal forms of all different words, in order of first occurrence.
    pub words: Vec<String>,
    /// `word_key` of each of `words`.
    pub keys: Vec<u64>,
    /// One entry per target, in document order.
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

/// The words of the targets of a page, split as for the language-bound groups.
///
/// # Errors
/// If a picture is damaged, or the page has more targets than can be measured.
pub fn vocabulary(capture: &Capture, targets: &[Target]) -> Result<Vocabulary, Error> {
    let view = PageView::new(capture, targets)?;
    let bound = language_bound(&view, None);
    let cutter = bound.cutter();
    let mut vocabulary = Vocabulary {
        language: bound.language.clone(),
        ..Vocabulary::default()
    };
    let mut indices = HashMap::new();
    for target in targets {
        let [whole, own] = whole_and_own_text(&view, target).map(|text| {
            let words = cutter.cut(&text);
            let words = words.iter().filter(|word| word.kind == Kind::Word);
            words
                .map(|word| vocabulary.index_of(&mut indices, word.text))
                .collect::<Vec<u32>>()
        });
        vocabulary.targets.push(TargetWords { whole, own });
    }
    Ok(vocabulary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::fixture::page;
    use crate::target::{TargetRule, select};

    #[test]
    fn words_are_listed_once_and_indexed_where_they_occur() {
        let capture = page("<p>The sea, the <b>sea</b> 1999<p>THE end");
        let found = vocabulary(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        assert_eq!(found.words, ["the", "sea", "end"]);
        assert_eq!(
            found.targets[0],
            TargetWords {
                whole: vec![0, 1, 0, 1],
                own: vec![0, 1, 0]
            }
        );
        assert_eq!(found.targets[1].whole, [0, 2]);
        assert_eq!(found.keys[1], word_key("SEA"));
    }
}
