//! Detects the language of a page from its declared tag and from its text.
//!
//! `clean` writes it into the metadata; `features` selects the tagger and the keywords with it.

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

/// ISO 639-1 code of the language of `text`, if the detection is reliable.
pub(crate) fn guess_language(text: &str) -> Option<&'static str> {
    whatlang::detect(text)
        .filter(whatlang::Info::is_reliable)
        .map(|guess| short_code(guess.lang().code()))
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

/// Language code of a page that declares `stated` and has the text `text`: the language detected in
/// the text if that is reliable, since templates declare `en` for pages in any language; else the
/// declared one; `None` if there is neither.
pub fn page_language(stated: Option<&str>, text: &str) -> Option<String> {
    let stated = || {
        stated
            .and_then(language_tag)
            .map(|tag| primary(&tag).to_owned())
    };
    guess_language(text).map(str::to_owned).or_else(stated)
}

/// The language part of a tag: `pt` for `pt-BR`.
pub fn primary(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or(tag)
}

/// ISO 639-3 codes of whatlang, with their ISO 639-1 codes.
const CODES: &[(&str, &str)] = &[
    ("afr", "af"),
    ("aka", "ak"),
    ("amh", "am"),
    ("ara", "ar"),
    ("aze", "az"),
    ("bel", "be"),
    ("ben", "bn"),
    ("bul", "bg"),
    ("cat", "ca"),
    ("ces", "cs"),
    ("cmn", "zh"),
    ("cym", "cy"),
    ("dan", "da"),
    ("deu", "de"),
    ("ell", "el"),
    ("eng", "en"),
    ("epo", "eo"),
    ("est", "et"),
    ("fin", "fi"),
    ("fra", "fr"),
    ("guj", "gu"),
    ("heb", "he"),
    ("hin", "hi"),
    ("hrv", "hr"),
    ("hun", "hu"),
    ("hye", "hy"),
    ("ind", "id"),
    ("ita", "it"),
    ("jav", "jv"),
    ("jpn", "ja"),
    ("kan", "kn"),
    ("kat", "ka"),
    ("khm", "km"),
    ("kor", "ko"),
    ("lat", "la"),
    ("lav", "lv"),
    ("lit", "lt"),
    ("mal", "ml"),
    ("mar", "mr"),
    ("mkd", "mk"),
    ("mya", "my"),
    ("nep", "ne"),
    ("nld", "nl"),
    ("nob", "nb"),
    ("ori", "or"),
    ("pan", "pa"),
    ("pes", "fa"),
    ("pol", "pl"),
    ("por", "pt"),
    ("ron", "ro"),
    ("rus", "ru"),
    ("sin", "si"),
    ("slk", "sk"),
    ("slv", "sl"),
    ("sna", "sn"),
    ("spa", "es"),
    ("srp", "sr"),
    ("swe", "sv"),
    ("tam", "ta"),
    ("tel", "te"),
    ("tgl", "tl"),
    ("tha", "th"),
    ("tuk", "tk"),
    ("tur", "tr"),
    ("ukr", "uk"),
    ("urd", "ur"),
    ("uzb", "uz"),
    ("vie", "vi"),
    ("yid", "yi"),
    ("zul", "zu"),
];

/// Codes that are not, or no longer, language codes, and the codes that are meant.
const MISTAKEN: &[(&str, &str)] = &[
    ("cn", "zh"),
    ("cz", "cs"),
    ("dk", "da"),
    ("fil", "tl"),
    ("gr", "el"),
    ("in", "id"),
    ("iw", "he"),
    ("ji", "yi"),
    ("jp", "ja"),
    ("no", "nb"),
    ("nor", "nb"),
    ("ua", "uk"),
    ("zho", "zh"),
];

/// The code used in vclean for the language of a lower-case code.
fn usual_code(code: &str) -> &str {
    let mut known = CODES.iter().chain(MISTAKEN);
    known
        .find(|(other, _)| *other == code)
        .map_or(code, |(_, usual)| usual)
}

/// Converts whatlang's ISO 639-3 code to ISO 639-1.
fn short_code(code: &'static str) -> &'static str {
    CODES
        .iter()
        .find(|(long, _)| *long == code)
        .map_or(code, |(_, short)| short)
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
