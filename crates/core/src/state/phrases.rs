//! Phrases by which a page says why it has no text, in the languages of `phrases.txt`.

use super::matcher::Matcher;
use crate::classify::PageState;
use crate::text::is_wide;
use std::sync::LazyLock;

/// The table of phrases: a line names a state and lists phrases between bars.
const TABLE: &str = include_str!("phrases.txt");

struct Phrases {
    states: Vec<PageState>,
    matcher: Matcher,
}

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let (states, phrases) = entries().unzip();
    Phrases {
        states,
        matcher: Matcher::new(phrases),
    }
});

/// All phrases with their states.
pub fn entries() -> impl Iterator<Item = (PageState, &'static str)> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(|line| {
        let mut parts = line.split('|');
        let state = parts.next().and_then(PageState::from_name);
        parts.filter_map(move |phrase| Some((state?, phrase)))
    })
}

/// Letters of the phrases of each state in a text, by [`PageState::index`]; 0 for most. Phrases
/// count as whole words, and where several overlap, each counts.
pub(super) fn letters(text: &str) -> [usize; PageState::ALL.len()] {
    let text = text.to_lowercase();
    let mut letters = [0; PageState::ALL.len()];
    PHRASES.matcher.each(&text, |index, range| {
        if is_whole(&text, &range) {
            letters[PHRASES.states[index].index()] += text[range].chars().count();
        }
    });
    letters
}

/// Returns true if no letter stands directly before or after a range. In scripts without spaces,
/// every range is whole.
fn is_whole(text: &str, range: &std::ops::Range<usize>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() && !is_unspaced(c);
    let first = text[range.clone()].chars().next();
    if first.is_none_or(is_unspaced) {
        return true;
    }
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    !before.is_some_and(is_part) && !after.is_some_and(is_part)
}

/// Returns true for characters of scripts that put no spaces between words, and for Hangul, whose
/// particles follow a word directly.
fn is_unspaced(c: char) -> bool {
    is_wide(c)
        || matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
        || matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_as_whole_words_in_any_script() {
        let found = |text: &str, state: PageState| letters(text)[state.index()];
        assert_eq!(found("Sign in", PageState::Login), 7);
        assert_eq!(found("Blogin interest", PageState::Login), 0);
        assert!(found("Страница не найдена", PageState::Error) > 10);
        assert!(found("抱歉，页面不存在", PageState::Error) > 4);
        assert!(found("로그인이 필요합니다", PageState::Login) > 0);
        assert_eq!(letters("Herring gulls drop mussels on rocks."), [0; 8]);
    }

    #[test]
    fn every_line_of_the_table_has_a_state_and_lower_case_phrases() {
        let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
        for line in lines {
            let (state, phrases) = line.split_once('|').unwrap();
            assert!(PageState::from_name(state).is_some(), "{state}");
            for phrase in phrases.split('|') {
                assert_eq!(phrase, phrase.to_lowercase());
                assert!(phrase.len() > 2, "{line}: {phrase:?}");
            }
        }
    }
}
