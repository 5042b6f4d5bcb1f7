//! Detects the language of a page from its declared tag and from its text.
//!
//! `clean` writes it into the metadata; `features` selects the tagger and the keywords with it.

use super::codes::{CODES, usual_code};
use super::guess::{Guess, Trust, guess};
use crate::capture::Dom;

/// Normalizes a declared language to a tag such as `pt-BR` (BCP 47): the language has its shortest
/// code, such as `de` for `deu`, and mistaken codes are corrected, such as the country `ua` to
/// `uk`.
pub fn language_tag(text: &str) -> Option<String> {
    let tag = text
        .trim()
        .split([',', ';', ' ', '.'])
        .next()?
        .replace('_', "-");
    let mut subtags = tag.split('-');
    let first = subtags.next()?;
    if !(2..=3).contains(&first.len()) || !first.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let mut out = usual_code(&first.to_ascii_lowercase()).to_owned();
    for subtag in subtags.take(3) {
        if subtag.is_empty()
            || subtag.len() > 8
            || !subtag.bytes().all(|byte| byte.is_ascii_alphanumeric())
        {
            break;
        }
        out.push('-');
        match subtag.len() {
            2 => out.push_str(&subtag.to_ascii_uppercase()),
            4 => {
                out.push_str(&subtag[..1].to_ascii_uppercase());
                out.push_str(&subtag[1..].to_ascii_lowercase());
            }
            _ => out.push_str(&subtag.to_ascii_lowercase()),
        }
    }
    Some(out)
}

/// Code of the language of a text whose page states none, if there is a guess.
pub(crate) fn guess_language(text: &str) -> Option<&'static str> {
    guess(text).map(|guess| guess.code)
}

/// Number of nodes in which the root element is searched; comments may come before it.
const ROOT_NODES: usize = 64;

/// The `lang` of the root element, unchanged.
pub fn stated_language(dom: &Dom) -> Option<&str> {
    let root = dom
        .ids()
        .take(ROOT_NODES)
        .find(|&id| dom.tag(id) == "html")?;
    dom.attribute(root, "lang")
        .or_else(|| dom.attribute(root, "xml:lang"))
}

/// Letters below which a text is too short to overrule the language that its page states, unless
/// its script has one language only. Heuristic.
const SHORT_LETTERS: usize = 50;

/// Languages that trigrams cannot tell apart: of each of these groups, the stated one is right.
const ALIKE: &[&[&str]] = &[
    &["hr", "sr", "bs", "sh", "cnr"],
    &["nb", "nn", "da"],
    &["id", "ms"],
    &["zh", "yue", "wuu", "nan", "hak", "gan", "lzh"],
    &["es", "ast", "an", "ext"],
    &["en", "sco"],
    &["fa", "prs"],
];

/// Language code of a page that states `stated` and has the text `text`: the language detected in
/// the text where detection is sure, since templates state `en` for pages in any language; else the
/// stated one; `None` if there is neither. Detection is not sure in short texts, among languages
/// that are alike, and where the page states a language that the detector does not know.
pub fn page_language(stated: Option<&str>, text: &str) -> Option<String> {
    let tag = stated.and_then(language_tag);
    let stated = tag.as_deref().map(primary);
    let guess = guess(text);
    let found = match (stated, guess) {
        (Some(stated), Some(guess)) if overrules(guess, stated, text) => guess.code,
        (Some(stated), _) => stated,
        (None, guess) => guess?.code,
    };
    Some(found.to_owned())
}

/// Returns true if a guess has precedence over the stated language.
fn overrules(guess: Guess, stated: &str, text: &str) -> bool {
    let is_alike = ALIKE
        .iter()
        .any(|group| group.contains(&guess.code) && group.contains(&stated));
    let is_known = CODES.iter().any(|(_, code)| *code == stated);
    match guess.trust {
        _ if is_alike => false,
        Trust::Certain => true,
        Trust::Good => {
            let letters = text.chars().filter(|c| c.is_alphabetic());
            is_known && letters.take(SHORT_LETTERS).count() == SHORT_LETTERS
        }
        Trust::Weak => false,
    }
}

/// The language part of a tag: `pt` for `pt-BR`.
pub fn primary(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_precedence_over_the_stated_tag() {
        let german = "Dies ist ein längerer deutscher Text, in dem es um nichts weiter geht als darum, erkannt zu werden.";
        assert_eq!(page_language(Some("en"), german).as_deref(), Some("de"));
        assert_eq!(page_language(Some("pt_br"), "ok").as_deref(), Some("pt"));
        assert_eq!(page_language(None, "ok"), None);
        assert_eq!(page_language(Some("english"), ""), None);
    }

    #[test]
    fn the_stated_tag_has_precedence_where_detection_is_not_sure() {
        let serbian = "Deca se igraju na obali reke, a njihova baka u kući peče hleb i priča priče o starim vremenima.";
        let cases = [
            ("sr-Latn", serbian, "sr"),
            ("bs", serbian, "bs"),
            ("en", serbian, "hr"),
            (
                "kk",
                "Біздің қаламызда қыс ұзақ болады, ал жазда өзеннің жағасында балалар ойнайды.",
                "kk",
            ),
            (
                "gl",
                "Os nenos xogan na beira do río, e a súa avoa fai pan na casa e conta historias de tempos pasados.",
                "gl",
            ),
            (
                "eu",
                "Los niños juegan en la orilla del río, y su abuela hace pan en la casa y cuenta historias con una voz clara.",
                "es",
            ),
            ("fr", "Photo gallery", "fr"),
            ("en", "写真", "zh"),
            ("yue", "今日天氣好好，我哋去海邊玩。", "yue"),
        ];
        for (stated, text, expected) in cases {
            assert_eq!(
                page_language(Some(stated), text).as_deref(),
                Some(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn tags_have_one_form() {
        let tag = |text| language_tag(text).unwrap_or_default();
        let forms = ["en_us", "deu", "ua-UA", "zh-hans-cn", "cmn", "fil", "NO"].map(tag);
        assert_eq!(
            forms,
            ["en-US", "de", "uk-UA", "zh-Hans-CN", "zh", "tl", "nb"]
        );
        assert_eq!(page_language(Some("ua"), "ok").as_deref(), Some("uk"));
    }
}
