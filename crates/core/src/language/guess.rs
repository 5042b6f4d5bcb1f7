//! Guesses the language of a text from its letters and words: whatlang's trigrams, checked with
//! letters and frequent words where trigrams are known to err.
//!
//! whatlang knows 69 languages and names the nearest of them for a text in any other. So a guess
//! says how far it can be trusted, and [`detect`](super::detect) weighs it against the language
//! that the page states.

use super::codes::short_code;
use super::words::normal_characters;
use std::borrow::Cow;
use whatlang::{Lang, Script};

/// Letters from which a text is long enough for a guess of middling confidence, and share of the
/// confidence (0 to 1) that it then needs. Heuristic, tried with lists of goods and of ports.
const LONG_LETTERS: usize = 200;
const LONG_CONFIDENCE: f64 = 0.65;

/// Share of a text's words that are frequent words of its language, above which the language is
/// certain: running text has two to three times as many. Heuristic.
const CERTAIN_SHARE: f32 = 0.08;

/// The same share from which a list of short entries has a language. Heuristic.
const LIST_SHARE: f32 = 0.03;

/// Largest share of letters that do not belong to the alphabet of a guessed language. Heuristic.
const MAX_FOREIGN_LETTERS: f32 = 0.02;

/// Least share of `đ`, `ơ` and `ư` among the letters of a Vietnamese text; 5 % are usual.
/// Heuristic.
const MIN_VIETNAMESE: f32 = 0.005;

/// Frequent words of large languages that the smaller languages near them do not share, such as
/// Galician, Luxembourgish or Scots.
const FREQUENT: &[(&str, &[&str])] = &[
    ("de", &["und", "ist", "nicht", "der", "das", "eine", "auf"]),
    ("en", &["the", "of", "and", "with", "from", "this", "that"]),
    ("es", &["el", "los", "las", "y", "una", "por", "con"]),
    ("fr", &["et", "est", "dans", "pour", "une", "du", "des"]),
    ("it", &["di", "che", "della", "è", "nel", "sono", "il"]),
    ("nl", &["het", "een", "van", "zijn", "niet", "voor", "met"]),
    ("pt", &["em", "um", "uma", "não", "são", "com", "dos"]),
    ("ru", &["и", "в", "не", "что", "на", "по", "это"]),
];

/// A language that was guessed from a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Guess {
    /// ISO 639-1 code, or ISO 639-3 where there is no shorter one.
    pub(super) code: &'static str,
    pub(super) trust: Trust,
}

/// How far a guess can be trusted, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Trust {
    /// Better than nothing, where the page states no language.
    Weak,
    /// Right if the language is one of those that whatlang knows.
    Good,
    /// Right whatever else the page states: the script has one language only, or the language's
    /// own frequent words are there.
    Certain,
}

/// Guesses the language of a text; `None` if nothing speaks for one.
pub(super) fn guess(text: &str) -> Option<Guess> {
    let text = without_embedded_latin(text);
    let text = text.as_ref();
    let info = whatlang::detect(text)?;
    let code = short_code(info.lang().code());
    let has_several = matches!(
        info.script(),
        Script::Latin | Script::Cyrillic | Script::Arabic | Script::Devanagari | Script::Hebrew
    );
    if !has_several {
        return info.is_reliable().then_some(Guess {
            code,
            trust: Trust::Certain,
        });
    }
    let shares = FrequentWords::count(text);
    let is_likely = !is_contradicted(info.lang(), text);
    if is_likely && info.is_reliable() {
        let trust = if shares.share(code) >= CERTAIN_SHARE {
            Trust::Certain
        } else {
            Trust::Good
        };
        return Some(Guess { code, trust });
    }
    if text.chars().filter(|c| c.is_alphabetic()).count() < LONG_LETTERS {
        return None;
    }
    let (best, share) = shares.best();
    let weak = if share >= LIST_SHARE {
        Some(best)
    } else {
        (is_likely && info.confidence() >= LONG_CONFIDENCE).then_some(code)
    };
    weak.map(|code| Guess {
        code,
        trust: Trust::Weak,
    })
}

/// The text without its Latin words, if it has more words in Han, Kana or Hangul. A name such as
/// `Kubernetes` has as many letters as a Chinese sentence, but is one word.
fn without_embedded_latin(text: &str) -> Cow<'_, str> {
    let (mut latin, mut hangul, mut characters) = (0_usize, 0_usize, 0_usize);
    let mut before = Letter::Other;
    for c in text.chars() {
        let letter = Letter::new(c);
        match letter {
            Letter::Latin if before != Letter::Latin => latin += 1,
            Letter::Hangul if before != Letter::Hangul => hangul += 1,
            Letter::HanOrKana => characters += 1,
            _ => {}
        }
        before = letter;
    }
    // A Chinese or Japanese word has about 1.5 characters.
    let words = hangul + characters * 2 / 3;
    if latin == 0 || words <= latin {
        return Cow::Borrowed(text);
    }
    let is_kept = |c: &char| Letter::new(*c) != Letter::Latin;
    Cow::Owned(text.chars().filter(is_kept).collect())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Letter {
    Latin,
    Hangul,
    HanOrKana,
    Other,
}

impl Letter {
    fn new(c: char) -> Self {
        match c as u32 {
            0x41..=0x5A | 0x61..=0x7A | 0xC0..=0x24F => Self::Latin,
            0xAC00..=0xD7A3 => Self::Hangul,
            0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0x2_0000..=0x3_FFFF => {
                Self::HanOrKana
            }
            _ => Self::Other,
        }
    }
}

/// Returns true if the letters of a text speak against a language: Kazakh, Tatar or Mongolian have
/// letters that no Cyrillic language known to whatlang has, and Yoruba and Igbo lack those that
/// every Vietnamese text has.
fn is_contradicted(language: Lang, text: &str) -> bool {
    let share = |is_counted: fn(char) -> bool| {
        let (mut counted, mut all) = (0_usize, 0_usize);
        for c in text.chars().filter(|c| c.is_alphabetic()) {
            all += 1;
            counted += usize::from(is_counted(c));
        }
        counted as f32 / all.max(1) as f32
    };
    match language {
        Lang::Vie => share(|c| matches!(c, 'đ' | 'Đ' | 'ơ' | 'Ơ' | 'ư' | 'Ư')) < MIN_VIETNAMESE,
        Lang::Rus | Lang::Ukr | Lang::Bel | Lang::Bul | Lang::Mkd | Lang::Srp => {
            share(|c| matches!(c, '\u{460}'..='\u{48F}' | '\u{492}'..='\u{52F}'))
                > MAX_FOREIGN_LETTERS
        }
        _ => false,
    }
}

/// The shares of a text's words that are in the lists of [`FREQUENT`].
struct FrequentWords {
    counts: [usize; FREQUENT.len()],
    words: usize,
}

impl FrequentWords {
    fn count(text: &str) -> Self {
        let mut counts = [0; FREQUENT.len()];
        let mut words = 0;
        for word in text
            .split(|c: char| !c.is_alphabetic())
            .filter(|word| !word.is_empty())
        {
            words += 1;
            for ((_, list), count) in FREQUENT.iter().zip(&mut counts) {
                let is_listed = list.iter().any(|known| {
                    // Upper case may have another length, but not a much longer one.
                    word.len() <= known.len() + 2 && normal_characters(word).eq(known.chars())
                });
                *count += usize::from(is_listed);
            }
        }
        Self { counts, words }
    }

    /// The share of the frequent words of one language, from 0 to 1; 0 for one without a list.
    fn share(&self, code: &str) -> f32 {
        let at = FREQUENT.iter().position(|(known, _)| *known == code);
        at.map_or(0.0, |at| self.counts[at] as f32 / self.words.max(1) as f32)
    }

    /// The language whose frequent words are most, with their share.
    fn best(&self) -> (&'static str, f32) {
        let codes = FREQUENT.iter().map(|(code, _)| (*code, self.share(code)));
        codes.fold(
            ("", 0.0),
            |best, next| if next.1 > best.1 { next } else { best },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<&'static str> {
        guess(text).map(|guess| guess.code)
    }

    #[test]
    fn han_and_hangul_count_as_words() {
        assert_eq!(
            code("在 Kubernetes 中使用 Deployment 部署应用程序"),
            Some("zh")
        );
        assert_eq!(
            code("이 문서는 Kubernetes 클러스터에서 Deployment 설정 방법을 설명합니다"),
            Some("ko")
        );
        assert_eq!(
            code(
                "The word 茶 is read as cha in Mandarin, and tea came from the south of the country."
            ),
            Some("en")
        );
    }

    #[test]
    fn letters_speak_against_the_nearest_language() {
        let kazakh = "Біздің қаламызда қыс ұзақ болады, ал жазда өзеннің жағасында балалар ойнайды. Әжем үйде нан пісіреді.";
        assert_eq!(code(kazakh), None);
        let yoruba =
            "Ilé wa wà ní ẹ̀bá odò. Àwọn ọmọ máa ń ṣeré ní ọjọ́ gbogbo, ìyá wọn sì ń ta ẹ̀wà ní ọjà.";
        assert_ne!(code(yoruba), Some("vi"));
        let vietnamese = "Nhà của chúng tôi ở gần sông. Trẻ em thường chơi ở đó vào mùa hè, khi trời nắng và nước ấm.";
        assert_eq!(code(vietnamese), Some("vi"));
    }

    #[test]
    fn a_long_list_has_a_language() {
        let entry = "2049 udp Nfs Host\n137 tcp Name of the Gateway\n53 udp Lookup\n";
        let list = entry.repeat(8);
        let found = guess(&list).unwrap();
        assert_eq!(found.code, "en");
        assert_eq!(code("Nfs Host"), None);
    }
}
