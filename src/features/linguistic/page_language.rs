//! Detects the language of a page for the language-bound groups.

use super::super::block::write_text;
use super::super::page::PageView;
use super::language_bound::LanguageBound;
use crate::language::Keywords;
use crate::language::detect::{page_language, stated_language};

/// What the language-bound groups need of a page.
pub(in super::super) fn language_bound<'k>(view: &PageView<'_>, keywords: Option<&'k Keywords>) -> LanguageBound<'k> {
    LanguageBound { language: language(view), keywords }
}

/// Bytes of text from which the language is detected: whatlang needs a few hundred, and takes a millisecond for twenty
/// thousand.
const LANGUAGE_BYTES: usize = 4_000;

/// The page's language, detected from its longest texts and from what the page states.
fn language(view: &PageView<'_>) -> String {
    let mut order: Vec<usize> = (0..view.targets.len()).collect();
    order.sort_by(|&one, &other| view.blocks[other].length.total_cmp(&view.blocks[one].length).then(one.cmp(&other)));
    let (mut text, mut part) = (String::new(), String::new());
    for index in order {
        if text.len() >= LANGUAGE_BYTES {
            break;
        }
        write_text(&view.capture.dom, &view.targets[index].texts, &view.tree, &mut part);
        text.push_str(&part);
        text.push('\n');
    }
    // One text may be as long as the page.
    let end = text.char_indices().map(|(at, _)| at).take_while(|&at| at <= LANGUAGE_BYTES).last().unwrap_or(0);
    let text = if text.len() > LANGUAGE_BYTES { &text[..end] } else { &text[..] };
    page_language(stated_language(&view.capture.dom), text).unwrap_or_default()
}
