//! The language of a page for `metadata`: the tag that it states, or a guess from its kept text.

use super::{Segment, SegmentKind};

/// Kept text from which its language is guessed, in bytes.
const LANGUAGE_BYTES: usize = 20_000;

/// A tag such as `pt-BR` from how pages write it.
pub(super) fn language_tag(text: &str) -> Option<String> {
    let tag = text.trim().split([',', ';', ' ', '.']).next()?.replace('_', "-");
    let mut subtags = tag.split('-');
    let first = subtags.next()?;
    if !(2..=3).contains(&first.len()) || !first.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let mut out = first.to_ascii_lowercase();
    for subtag in subtags.take(3) {
        if subtag.is_empty() || subtag.len() > 8 || !subtag.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
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

/// The language that the kept text looks like, where that is beyond doubt.
pub(super) fn guess_language(segments: &[Segment]) -> Option<String> {
    let mut text = String::new();
    for segment in segments.iter().filter(|segment| !matches!(segment.kind, SegmentKind::Code { .. })) {
        if text.len() > LANGUAGE_BYTES {
            break;
        }
        text.push_str(&segment.text());
        text.push('\n');
    }
    let guess = whatlang::detect(&text).filter(whatlang::Info::is_reliable)?;
    Some(short_code(guess.lang().code()).to_owned())
}

/// ISO 639-1 for whatlang's ISO 639-3.
fn short_code(code: &str) -> &str {
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
    CODES.iter().find(|(long, _)| *long == code).map_or(code, |(_, short)| short)
}
