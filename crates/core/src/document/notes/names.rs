//! How pages name and number footnotes and their marks.

/// The sign of notes on Japanese pages.
const REFERENCE_MARK: char = '\u{203b}';

/// Returns true if notes are numbered by such a text: digits, a letter, a Roman number or signs;
/// before digits a named mark may have a word, as in `note 3`.
pub(in crate::document) fn is_label(label: &str, is_named: bool) -> bool {
    let is_sign = |c: char| {
        matches!(
            c,
            '*' | '\u{2020}' | '\u{2021}' | '\u{a7}' | '\u{b6}' | '#' | REFERENCE_MARK
        )
    };
    // Japanese pages have a sign before the number: `*1`.
    let unsigned = label.strip_prefix(['*', REFERENCE_MARK]);
    let is_signed_number = || {
        unsigned.is_some_and(|number| !number.is_empty() && number.chars().all(char::is_numeric))
    };
    let is_superscript =
        |c: char| matches!(c, '\u{b9}' | '\u{b2}' | '\u{b3}' | '\u{2070}'..='\u{2079}');
    let is_all = |is: &dyn Fn(char) -> bool| !label.is_empty() && label.chars().all(is);
    let is_letter = || label.chars().count() == 1 && is_all(&char::is_alphabetic);
    let ends_in_number = || {
        label.ends_with(|c: char| c.is_numeric())
            && is_all(&|c| c.is_alphanumeric() || " .-".contains(c))
    };
    let is_roman = || is_all(&|c| "ivxIVX".contains(c));
    is_all(&|c| c.is_numeric() || is_superscript(c))
        || is_all(&is_sign)
        || is_signed_number()
        || is_letter()
        || is_roman()
        || is_named && ends_in_number()
        || !is_named && ends_in_number() && label.chars().filter(|c| c.is_alphabetic()).count() == 1
}

/// Returns true if one of these classes is used for marks of notes.
pub(in crate::document) fn names_mark(class: &str) -> bool {
    class.split_ascii_whitespace().any(|name| {
        let name = name.to_ascii_lowercase();
        matches!(
            name.as_str(),
            "fn" | "reference"
                | "noteref"
                | "note-ref"
                | "sdfootnoteanc"
                | "footnote"
                | "footnotes"
                | "endnote"
        ) || name.contains("footnote")
            && ["ref", "link", "anchor", "mark"]
                .iter()
                .any(|part| name.contains(part))
    })
}

/// Returns true for names of notes, such as `fn1`, `_ftn2`, `cite_note-3` or `user-content-fn-4`.
pub(in crate::document) fn names_note(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name
        .strip_prefix("user-content-")
        .unwrap_or(&name)
        .trim_start_matches('_');
    let rest = [
        "cite_note",
        "cite-note",
        "footnote",
        "endnote",
        "easy-footnote",
        "sdfootnote",
        "ftn",
        "edn",
        "fn",
        "note",
    ]
    .iter()
    .find_map(|start| name.strip_prefix(start));
    rest.is_some_and(|rest| {
        rest.chars().next().is_none_or(|c| !c.is_alphabetic())
            || rest.contains(|c: char| c.is_ascii_digit())
    })
}
