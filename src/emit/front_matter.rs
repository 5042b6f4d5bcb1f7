//! Front matter: the metadata of a page as a block of YAML before its text.

use crate::clean::Metadata;
use serde_json::Value;
use std::fmt::Write;

/// The metadata that the page gives, between two lines of `---`, with an empty line after it: the title first, the others by
/// name. Values are written as JSON with more characters escaped, so that it is YAML of versions 1.1 and 1.2.
///
/// ```
/// let cleaned = vclean::clean_html("<html lang=en><title>Gulls</title><p>Herring gulls drop mussels on rocks.")?;
/// let text = vclean::emit::front_matter(cleaned.metadata()) + &cleaned.markdown();
/// assert!(text.starts_with("---\ntitle: \"Gulls\"\nlanguage: \"en\"\n---\n\n"), "{text}");
/// # Ok::<(), vclean::Error>(())
/// ```
pub fn front_matter(metadata: &Metadata) -> String {
    let Ok(Value::Object(values)) = serde_json::to_value(metadata) else { return String::new() };
    let mut out = String::from("---\n");
    let (title, others): (Vec<_>, Vec<_>) = values.iter().partition(|(name, _)| *name == "title");
    for (name, value) in title.into_iter().chain(others) {
        // Where each value comes from is for programs, which read JSON.
        let is_left_out = value.is_null() || value.as_array().is_some_and(Vec::is_empty) || name == "sources";
        if !is_left_out {
            let _ = writeln!(out, "{name}: {}", escaped(&value.to_string()));
        }
    }
    out.push_str("---\n\n");
    out
}

/// A text after the front matter of its page.
pub(super) fn after_front_matter(metadata: &Metadata, text: &str) -> String {
    let mut out = front_matter(metadata);
    if text.is_empty() {
        out.truncate(out.trim_end().len() + 1);
    }
    out.push_str(text);
    out
}

/// JSON with escapes for the characters that YAML does not allow as they are, or reads as line breaks.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_quoted_and_escaped() {
        let metadata = Metadata {
            title: Some("A \"quoted\" title: # no comment\n---\n\u{85}\u{2028}\u{7f}".into()),
            author: Some("yes".into()),
            date: Some("2020-01-02".into()),
            tags: vec!["a, b".into(), "- c".into()],
            ..Metadata::default()
        };
        assert_eq!(
            front_matter(&metadata),
            "---\ntitle: \"A \\\"quoted\\\" title: # no comment\\n---\\n\\u0085\\u2028\\u007f\"\nauthor: \"yes\"\ndate: \
             \"2020-01-02\"\ntags: [\"a, b\",\"- c\"]\n---\n\n"
        );
        assert!(after_front_matter(&metadata, "").ends_with("]\n---\n"));
    }

    proptest! {
        #[test]
        fn every_value_is_one_line_that_is_read_back(title in "\\PC{0,20}", site in proptest::collection::vec(any::<char>(), 0..20)) {
            let site: String = site.into_iter().collect();
            let metadata = Metadata { title: Some(title.clone()), site: Some(site.clone()), ..Metadata::default() };
            let written = front_matter(&metadata);
            let lines: Vec<&str> = written.split('\n').collect();
            prop_assert_eq!(lines.len(), 6, "{}", written);
            for (line, name, value) in [(lines[1], "title: ", &title), (lines[2], "site: ", &site)] {
                let json = line.strip_prefix(name).unwrap();
                prop_assert_eq!(&serde_json::from_str::<String>(json).unwrap(), value);
                // What YAML 1.1 calls printable, and no line breaks.
                let is_printable = |c| matches!(c, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}');
                prop_assert!(json.chars().all(|c| is_printable(c) && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')), "{}", json);
            }
        }
    }
}
