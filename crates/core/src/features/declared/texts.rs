//! Texts in a page's structured data, used to recognize them in its blocks.

use crate::capture::json_ld::type_of;
use crate::hash::Fnv;
use rustc_hash::FxHashMap;
use serde_json::Value;

/// Number of words in a group that is looked up: shorter groups would match everywhere.
const GROUP: usize = 3;
/// Maximum number of words of a page's structured data.
const MAX_WORDS: usize = 100_000;

/// Subject of a text, one bit each.
pub(super) type Source = u8;
/// The page's own text.
pub(super) const TEXT: Source = 1;
/// Reviews and comments by users or critics.
pub(super) const REVIEW: Source = 2;
/// Persons, organizations, the site.
pub(super) const OTHER: Source = 4;
/// The description in `<meta>`.
pub(super) const DESCRIPTION: Source = 8;

/// Groups of words with the sources they occur in.
#[derive(Debug, Default)]
pub(super) struct DeclaredTexts {
    groups: FxHashMap<u64, Source>,
    /// Number of words of the page's own text.
    pub(super) words: f32,
    read: usize,
}

/// Shares of a block's groups of words that occur in texts of each source.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(super) struct Shares {
    pub(super) text: f32,
    pub(super) review: f32,
    pub(super) other: f32,
    pub(super) description: f32,
}

impl DeclaredTexts {
    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// Adds a text, which may contain tags.
    pub(super) fn add(&mut self, text: &str, source: Source) {
        if self.read >= MAX_WORDS {
            return;
        }
        let (groups, words) = (&mut self.groups, &mut self.read);
        let before = *words;
        each_group(text, |group| {
            *words += 1;
            *groups.entry(group).or_insert(0) |= source;
            *words < MAX_WORDS
        });
        if source == TEXT {
            self.words += (*words - before) as f32;
        }
    }

    /// Adds all texts of a value of structured data; `kind` is the type of the object they belong
    /// to.
    pub(super) fn add_value(&mut self, value: &Value, kind: &str) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.add_value(value, kind)),
            Value::Object(object) => {
                let own = type_of(value).unwrap_or(kind);
                for (name, value) in object {
                    let is_text = match name.as_str() {
                        "articleBody" | "description" | "text" | "reviewBody"
                        | "recipeInstructions" | "recipeIngredient" => true,
                        "name" => matches!(own, "Question" | "HowToStep" | "HowToSection"),
                        _ => false,
                    };
                    match value {
                        Value::String(text) if is_text => self.add(text, source_of(own)),
                        Value::Array(values) if is_text => {
                            for value in values {
                                match value {
                                    Value::String(text) => self.add(text, source_of(own)),
                                    value => self.add_value(value, own),
                                }
                            }
                        }
                        value => self.add_value(value, own),
                    }
                }
            }
            _ => {}
        }
    }

    /// Measures the groups of a block's text.
    pub(super) fn shares(&self, text: &str) -> Shares {
        let (mut all, mut found) = (0u32, [0u32; 4]);
        each_group(text, |group| {
            all += 1;
            if let Some(sources) = self.groups.get(&group) {
                for (bit, found) in found.iter_mut().enumerate() {
                    *found += u32::from(sources >> bit & 1);
                }
            }
            true
        });
        let [text, review, other, description] =
            found.map(|found| found as f32 / all.max(1) as f32);
        Shares {
            text,
            review,
            other,
            description,
        }
    }
}

fn source_of(kind: &str) -> Source {
    match kind {
        "Review" | "UserReview" | "CriticReview" | "Comment" | "UserComments" => REVIEW,
        "Person"
        | "WebSite"
        | "SiteNavigationElement"
        | "Corporation"
        | "Brand"
        | "ContactPoint"
        | "BreadcrumbList"
        | "Offer"
        | "ImageObject" => OTHER,
        kind if kind.ends_with("Organization") => OTHER,
        _ => TEXT,
    }
}

/// Calls `each` with the hash of every group of three consecutive words, ignoring case and
/// punctuation; a shorter text is one group. Letters without case are words of their own, for
/// scripts without spaces. Tags are skipped. Stops when `each` returns false.
fn each_group(text: &str, mut each: impl FnMut(u64) -> bool) {
    let mut last = [0u64; GROUP];
    let mut words = 0;
    let mut end = |word: u64| {
        last.rotate_left(1);
        last[GROUP - 1] = word;
        words += 1;
        words < GROUP || each(hash_group(&last))
    };
    let (mut word, mut in_word, mut in_tag) = (Fnv::new(), false, false);
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        let c = if byte.is_ascii() {
            char::from(byte)
        } else {
            text[at..].chars().next().unwrap_or(' ')
        };
        at += c.len_utf8();
        if in_tag {
            in_tag = c != '>';
            continue;
        }
        if c.is_ascii_alphanumeric() {
            word.add(c.to_ascii_lowercase() as u8);
            in_word = true;
            continue;
        }
        let is_letter = c.is_alphanumeric();
        let stands_alone = is_letter && c > '\u{2e80}';
        if in_word && (!is_letter || stands_alone) {
            in_word = false;
            if !end(std::mem::take(&mut word).finish()) {
                return;
            }
        }
        in_tag = c == '<';
        if is_letter {
            word.add_char(c);
            in_word = !stands_alone;
            if stands_alone && !end(std::mem::take(&mut word).finish()) {
                return;
            }
        }
    }
    if in_word && !end(word.finish()) {
        return;
    }
    if (1..GROUP).contains(&words) {
        each(hash_group(&last));
    }
}

fn hash_group(words: &[u64; GROUP]) -> u64 {
    let mut hash = Fnv::new();
    for &word in words {
        hash.add_whole(word);
    }
    hash.finish()
}
