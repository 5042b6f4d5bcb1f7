//! Sentences of gold texts by language, of which comments are made.

use super::chance::Chance;
use super::languages::is_unspaced;
use crate::gold::Gold;
use std::collections::BTreeMap;
use vclean_core::language::primary;
use vclean_run::source::Row;

/// Lengths of usable sentences in characters: shorter ones are labels, longer ones are seldom
/// sentences.
const LENGTH: std::ops::Range<usize> = 13..260;
/// Lengths for Chinese and Japanese, whose characters say more.
const UNSPACED_LENGTH: std::ops::Range<usize> = 7..120;
/// A language with fewer sentences is replaced by English: its pages would say the same things over
/// and over.
const ENOUGH: usize = 40;
/// Number of draws to find a sentence of another site.
const DRAWS: usize = 20;

/// A sentence and the site that it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sentence {
    text: String,
    host: String,
}

/// The sentences of all languages.
#[derive(Debug, Default)]
pub(super) struct Sentences(BTreeMap<String, Vec<Sentence>>);

/// The sentences for the comments of one page.
#[derive(Debug)]
pub(super) struct PageSentences<'a> {
    pool: &'a [Sentence],
    host: &'a str,
    own: &'a str,
    /// What stands between two sentences.
    space: &'static str,
}

impl Sentences {
    /// Adds the sentences of a page: those of its gold text, or its snippets.
    pub(super) fn add(&mut self, row: &Row, gold: &Gold) {
        let snippets = gold
            .snippets
            .iter()
            .flat_map(|snippets| &snippets.with)
            .map(String::as_str);
        let lines: Vec<&str> = match &gold.text {
            Some(text) => text.lines().collect(),
            None => snippets.flat_map(str::lines).collect(),
        };
        let is_unspaced = is_unspaced(&row.lang);
        let lengths = if is_unspaced { UNSPACED_LENGTH } else { LENGTH };
        let found = lines
            .into_iter()
            .flat_map(split)
            .filter(|text| lengths.contains(&text.chars().count()));
        let list = self.0.entry(primary(&row.lang).to_owned()).or_default();
        list.extend(found.map(|text| Sentence {
            text: text.to_owned(),
            host: row.host.clone(),
        }));
    }

    /// The sentences for a page whose gold text is `own`; `None` if there are none.
    pub(super) fn of_page<'a>(&'a self, row: &'a Row, own: &'a str) -> Option<PageSentences<'a>> {
        let find = |code: &str, least: usize| self.0.get(code).filter(|list| list.len() >= least);
        let same = find(primary(&row.lang), ENOUGH);
        let space = if same.is_some() && is_unspaced(&row.lang) {
            ""
        } else {
            " "
        };
        let pool = same
            .or_else(|| find("en", 1))
            .or_else(|| find(primary(&row.lang), 1))?;
        Some(PageSentences {
            pool,
            host: &row.host,
            own,
            space,
        })
    }
}

impl PageSentences<'_> {
    /// A sentence of another site that is not in the page's own gold text; `None` if none was
    /// drawn.
    pub(super) fn one(&self, chance: &mut Chance) -> Option<&str> {
        let is_usable = |one: &Sentence| one.host != self.host && !self.own.contains(&one.text);
        let mut draws = (0..DRAWS).map(|_| chance.pick_from(self.pool));
        draws
            .find(|one| is_usable(one))
            .map(|one| one.text.as_str())
    }

    /// Up to `count` sentences as one text; `None` if none was drawn.
    pub(super) fn several(&self, count: usize, chance: &mut Chance) -> Option<String> {
        let drawn: Vec<&str> = (0..count).filter_map(|_| self.one(chance)).collect();
        (!drawn.is_empty()).then(|| drawn.join(self.space))
    }
}

/// Splits a line at the ends of its sentences: after `.`, `!` and `?` before white space, and after
/// `。`, `！` and `？`.
fn split(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let is_before_space = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
        if matches!(letter, '。' | '！' | '？')
            || (matches!(letter, '.' | '!' | '?') && is_before_space)
        {
            let end = at + letter.len_utf8();
            found.push(line[start..end].trim());
            start = end;
        }
    }
    found.push(line[start..].trim());
    found.retain(|text| !text.is_empty());
    found
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use vclean_run::source::GoldKind;

    pub(in crate::train::synthetic_comments) fn row(id: &str, lang: &str) -> Row {
        Row {
            id: id.to_owned(),
            url: None,
            host: format!("{id}.example"),
            lang: lang.to_owned(),
            split: "train".to_owned(),
            gold_kind: GoldKind::Full,
            renders_layout: false,
            page_type: None,
            page: format!("{id}.html").into(),
        }
    }

    pub(in crate::train::synthetic_comments) fn gold(text: &str) -> Gold {
        Gold {
            text: Some(text.to_owned()),
            ..Gold::default()
        }
    }

    /// Sentences of a page `other` in English.
    pub(in crate::train::synthetic_comments) fn some() -> Sentences {
        let mut sentences = Sentences::default();
        let lines: Vec<String> = (0..60)
            .map(|number| format!("The boat number {number} came back before dusk."))
            .collect();
        sentences.add(&row("other", "en"), &gold(&lines.join("\n")));
        sentences
    }

    #[test]
    fn lines_are_split_into_sentences() {
        assert_eq!(
            split("It cost 3.50 then. Who knew? Nobody"),
            ["It cost 3.50 then.", "Who knew?", "Nobody"]
        );
        assert_eq!(
            split("船到了。没有人下来！为什么？"),
            ["船到了。", "没有人下来！", "为什么？"]
        );
        assert!(split("  ").is_empty());
    }

    #[test]
    fn sentences_are_of_other_sites_and_not_in_the_gold() {
        let sentences = some();
        let mut chance = Chance::of_page(1, "set", "page");
        let own = "The boat number 7 came back before dusk.";
        let page = row("page", "en-GB");
        let of_page = sentences.of_page(&page, own).unwrap();
        let drawn: Vec<&str> = (0..500).filter_map(|_| of_page.one(&mut chance)).collect();
        assert!(drawn.len() == 500 && !drawn.contains(&own));
        let same_site = row("other", "en");
        assert!(
            sentences
                .of_page(&same_site, "")
                .unwrap()
                .one(&mut chance)
                .is_none()
        );
        assert!(
            sentences
                .of_page(&row("page", "fi"), "")
                .unwrap()
                .one(&mut chance)
                .is_some(),
            "English instead"
        );
        assert!(Sentences::default().of_page(&page, "").is_none());
    }

    #[test]
    fn snippets_give_sentences_too() {
        let mut sentences = Sentences::default();
        let snippets = crate::gold::Snippets {
            with: vec!["Die Fähre fuhr erst gegen Mittag los.".to_owned()],
            without: vec!["Diese Zeile gehört nicht zum Text der Seite.".to_owned()],
        };
        sentences.add(
            &row("other", "de"),
            &Gold {
                snippets: Some(snippets),
                ..Gold::default()
            },
        );
        let page = row("page", "de");
        let text = sentences
            .of_page(&page, "")
            .unwrap()
            .several(3, &mut Chance::of_page(1, "a", "b"))
            .unwrap();
        assert!(
            text.starts_with("Die Fähre fuhr erst gegen Mittag los. Die Fähre"),
            "{text}"
        );
    }
}
