//! Front matter: the metadata of a page as a block of YAML before its text.

use crate::clean::Metadata;
use serde_json::Value;
use std::fmt::Write;

/// The metadata that the page gives, between two lines of `---`, with an empty line after it: the title first, the others by
/// name. Values are written as JSON, which is YAML too.
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
            let _ = writeln!(out, "{name}: {value}");
        }
    }
    out.push_str("---\n\n");
    out
}
