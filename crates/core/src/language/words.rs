//! Splits text into words and marks the way the treebanks of Universal Dependencies do, so that a
//! tagger reads the forms it was trained on: `don't` is `do` `n't`, French `l'eau` is `l'` `eau`,
//! German `im` is `in` `dem`.
//!
//! Scripts without spaces are split with the dictionaries of ICU. Takes the text of one target and
//! returns its [`Word`]s in order; cost is linear in the text.

use super::character::{Class, class, needs_dictionary};
use crate::hash::Fnv;
use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Letters, possibly with digits among them.
    Word,
    /// Digits, possibly with stops, commas and colons among them.
    Number,
    /// One punctuation mark or symbol, or a run of the same one.
    Mark,
    /// A web or e-mail address.
    Address,
}

/// A token of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'t> {
    /// Text of the token; for a contraction, one of its parts written out.
    pub text: &'t str,
    /// Decides how the token is tagged and counted.
    pub kind: Kind,
}

/// Two words that are written as one, and how treebanks separate them (Universal Dependencies,
/// multiword tokens): language, written form, and the two words.
const CONTRACTIONS: &[(&str, &str, [&str; 2])] = &[
    ("de", "am", ["an", "dem"]),
    ("de", "ans", ["an", "das"]),
    ("de", "beim", ["bei", "dem"]),
    ("de", "im", ["in", "dem"]),
    ("de", "ins", ["in", "das"]),
    ("de", "vom", ["von", "dem"]),
    ("de", "zum", ["zu", "dem"]),
    ("de", "zur", ["zu", "der"]),
    ("en", "cannot", ["can", "not"]),
    ("es", "al", ["a", "el"]),
    ("es", "del", ["de", "el"]),
    ("fr", "au", ["à", "le"]),
    ("fr", "aux", ["à", "les"]),
    ("fr", "du", ["de", "le"]),
];

/// Endings of English words that are tokens of their own, with `'` for either apostrophe.
const ENGLISH_ENDS: &[&str] = &["n't", "'s", "'re", "'ve", "'ll", "'d", "'m"];

/// French words that are tokens of their own before an apostrophe.
const FRENCH_STARTS: &[&str] = &[
    "l", "d", "j", "m", "t", "s", "n", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "presqu",
];

/// Splits runs of scripts without spaces. The dictionaries are two megabytes, so the WebAssembly
/// module is without: there a Han character is a word, and a run of Thai is one.
fn segmenter() -> WordSegmenterBorrowed<'static> {
    let options = WordBreakInvariantOptions::default();
    if cfg!(feature = "dictionaries") {
        WordSegmenter::new_dictionary(options)
    } else {
        WordSegmenter::new_for_non_complex_scripts(options)
    }
}

/// Splits texts of one language; holds the dictionaries of ICU.
#[derive(Debug)]
pub struct Cutter {
    language: String,
    segmenter: WordSegmenterBorrowed<'static>,
}

impl Cutter {
    /// For texts in `language`, an ISO 639-1 code; `""` if it is unknown.
    pub fn new(language: &str) -> Self {
        Self {
            language: language.to_owned(),
            segmenter: segmenter(),
        }
    }

    /// Splits a text; each character that is not white space belongs to one word.
    pub fn cut<'t>(&self, text: &'t str) -> Vec<Word<'t>> {
        let mut words = Vec::with_capacity(text.len() / 5 + 1);
        for chunk in text.split_whitespace() {
            let end = chunk.trim_end_matches([
                '.', ',', ';', ':', '!', '?', ')', ']', '"', '\'', '…', '’', '”', '»',
            ]);
            if is_address(end) {
                words.push(Word {
                    text: end,
                    kind: Kind::Address,
                });
                self.chunk(&chunk[end.len()..], &mut words);
            } else {
                self.chunk(chunk, &mut words);
            }
        }
        words
    }

    fn chunk<'t>(&self, chunk: &'t str, words: &mut Vec<Word<'t>>) {
        let mut from = 0;
        while let Some(first) = chunk[from..].chars().next() {
            let rest = &chunk[from..];
            if !is_in_word(first) {
                let length = rest.len() - rest.trim_start_matches(first).len();
                words.push(Word {
                    text: &rest[..length],
                    kind: Kind::Mark,
                });
                from += length;
            } else if needs_dictionary(first) {
                let length = rest
                    .find(|c| !is_in_word(c) || !needs_dictionary(c))
                    .unwrap_or(rest.len());
                self.run(&rest[..length], words);
                from += length;
            } else {
                let length = self.length(rest);
                self.push(&rest[..length], words);
                from += length;
            }
        }
    }

    /// Splits a run of a script without spaces.
    fn run<'t>(&self, run: &'t str, words: &mut Vec<Word<'t>>) {
        let mut from = 0;
        for to in self.segmenter.segment_str(run) {
            if to > from {
                words.push(Word {
                    text: &run[from..to],
                    kind: Kind::Word,
                });
                from = to;
            }
        }
    }

    /// Length in bytes of the word at the start of `rest`.
    fn length(&self, rest: &str) -> usize {
        let mut characters = rest.char_indices().peekable();
        let mut before = ' ';
        while let Some((at, c)) = characters.next() {
            if !is_in_word(c) || needs_dictionary(c) {
                let next = characters.peek().map_or(' ', |&(_, next)| next);
                let joins = match c {
                    '\'' | '’' | '\u{ad}' | '\u{200c}' | '\u{200d}' => {
                        before.is_alphabetic() && next.is_alphabetic()
                    }
                    // English treebanks split compounds at hyphens, the others do not.
                    '-' | '‐' => {
                        self.language != "en" && before.is_alphabetic() && next.is_alphabetic()
                    }
                    '.' | ',' | ':' => before.is_numeric() && next.is_numeric(),
                    _ => false,
                };
                if !joins || needs_dictionary(c) || needs_dictionary(next) {
                    return at;
                }
            }
            before = c;
        }
        rest.len()
    }

    /// Adds a word, which may be split in two.
    fn push<'t>(&self, word: &'t str, words: &mut Vec<Word<'t>>) {
        let kind = if word.chars().any(|c| class(c) == Class::Letter) {
            Kind::Word
        } else {
            Kind::Number
        };
        let mut both = |one: &'t str, other: &'t str| {
            words.push(Word { text: one, kind });
            words.push(Word { text: other, kind });
        };
        if kind == Kind::Word && matches!(&*self.language, "de" | "en" | "es" | "fr") {
            for (language, written, [one, other]) in CONTRACTIONS {
                if *language == self.language && word.len() == written.len() && same(word, written)
                {
                    return both(one, other);
                }
            }
            let at = match &*self.language {
                "en" => english_split(word),
                "fr" => french_split(word),
                _ => None,
            };
            if let Some((one, other)) = at
                .and_then(|at| word.split_at_checked(at))
                .filter(|(_, other)| !other.is_empty())
            {
                return both(one, other);
            }
        }
        words.push(Word { text: word, kind });
    }
}

/// Start of an English ending that is a token of its own.
fn english_split(word: &str) -> Option<usize> {
    if !word.contains(['\'', '’']) {
        return None;
    }
    ENGLISH_ENDS.iter().find_map(|end| {
        let count = end.chars().count();
        let (at, _) = word.char_indices().rev().nth(count - 1)?;
        (at > 0 && same(&word[at..], end)).then_some(at)
    })
}

/// End of a French word that is a token of its own before an apostrophe.
fn french_split(word: &str) -> Option<usize> {
    let (at, apostrophe) = word.char_indices().find(|(_, c)| matches!(c, '\'' | '’'))?;
    FRENCH_STARTS
        .iter()
        .any(|start| same(&word[..at], start))
        .then_some(at + apostrophe.len_utf8())
}

/// True if the normal form of a text is `form`.
fn same(text: &str, form: &str) -> bool {
    normal_characters(text).eq(form.chars())
}

/// The kind of a single word.
pub fn kind_of(word: &str) -> Kind {
    if is_address(word) {
        return Kind::Address;
    }
    let has = |wanted: Class| word.chars().any(|c| class(c) == wanted);
    match (has(Class::Letter), has(Class::Number)) {
        (true, _) => Kind::Word,
        (false, true) => Kind::Number,
        (false, false) => Kind::Mark,
    }
}

fn is_in_word(c: char) -> bool {
    matches!(class(c), Class::Letter | Class::Number)
}

fn is_address(chunk: &str) -> bool {
    let starts = |start: &str| {
        chunk
            .get(..start.len())
            .is_some_and(|own| own.eq_ignore_ascii_case(start))
    };
    starts("http://")
        || starts("https://")
        || starts("www.")
        || chunk
            .split_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
}

/// A word's characters in lower case, with one kind of apostrophe and without soft hyphens.
pub(crate) fn normal_characters(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars()
        .filter(|c| !matches!(c, '\u{ad}' | '\u{200b}'))
        .flat_map(char::to_lowercase)
        .map(|c| match c {
            '’' | '‘' => '\'',
            '‐' => '-',
            c => c,
        })
}

/// The form under which a word is counted: [`normal_characters`].
pub fn normal_form(text: &str) -> String {
    normal_characters(text).collect()
}

/// Hash of a word's normal form.
pub fn word_key(text: &str) -> u64 {
    let mut hash = Fnv::new();
    normal_characters(text).for_each(|c| hash.add_char(c));
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(language: &str, text: &str) -> Vec<String> {
        Cutter::new(language)
            .cut(text)
            .into_iter()
            .map(|word| word.text.to_owned())
            .collect()
    }

    #[test]
    fn words_are_cut_as_the_treebanks_cut_them() {
        assert_eq!(
            cut("en", "They don’t, e.g. at 3.50 -- well-known?!"),
            [
                "They", "do", "n’t", ",", "e", ".", "g", ".", "at", "3.50", "--", "well", "-",
                "known", "?", "!"
            ]
        );
        assert_eq!(
            cut("en", "Mary's (I'll)"),
            ["Mary", "'s", "(", "I", "'ll", ")"]
        );
        assert_eq!(
            cut("fr", "L'eau du lac, peut-être"),
            ["L'", "eau", "de", "le", "lac", ",", "peut-être"]
        );
        assert_eq!(cut("fr", "aujourd'hui"), ["aujourd'hui"]);
        assert_eq!(cut("de", "Im E-Mail-Fach"), ["in", "dem", "E-Mail-Fach"]);
        assert_eq!(cut("es", "del mar"), ["de", "el", "mar"]);
        assert!(cut("zh", "我们今天去北京。").len() >= 5);
    }

    #[test]
    fn kinds_are_distinguished() {
        let kinds: Vec<Kind> = Cutter::new("en")
            .cut("see https://a.example/x, me@a.example 1,000 x2 …")
            .iter()
            .map(|w| w.kind)
            .collect();
        assert_eq!(
            kinds,
            [
                Kind::Word,
                Kind::Address,
                Kind::Mark,
                Kind::Address,
                Kind::Number,
                Kind::Word,
                Kind::Mark
            ]
        );
        assert_eq!(word_key("Don’t"), word_key("don't"));
        assert_eq!(normal_form("STRA\u{ad}ẞE"), "straße");
    }

    proptest! {
        #[test]
        fn only_white_space_is_dropped(text in "\\PC{0,60}") {
            for language in ["", "zh", "ru"] {
                let joined: String = cut(language, &text).concat();
                let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
                prop_assert_eq!(joined, plain);
            }
            for language in ["en", "fr", "de", "es"] {
                prop_assert!(cut(language, &text).iter().all(|word| !word.is_empty()));
            }
        }
    }
}
