//! Codes of languages: the short ones of ISO 639-1 for the long ones, and usual ones for mistakes.

/// ISO 639-3 codes of whatlang, with their ISO 639-1 codes.
pub(super) const CODES: &[(&str, &str)] = &[
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
pub(super) fn usual_code(code: &str) -> &str {
    let mut known = CODES.iter().chain(MISTAKEN);
    known
        .find(|(other, _)| *other == code)
        .map_or(code, |(_, usual)| usual)
}

/// Converts whatlang's ISO 639-3 code to ISO 639-1.
pub(super) fn short_code(code: &'static str) -> &'static str {
    CODES
        .iter()
        .find(|(long, _)| *long == code)
        .map_or(code, |(_, short)| short)
}
