//! Common parts of all reports: escaping, and the names of labels.

use crate::classify::Label;
use std::fmt::{self, Write};

/// The name of a label.
pub(super) fn label_name(label: Label) -> &'static str {
    label.name()
}

/// What happens to a block with this label.
pub(super) fn fate(label: Label) -> &'static str {
    match label {
        Label::Content => "kept",
        Label::Comments | Label::Boilerplate => "dropped",
    }
}

/// Text for element content and quoted attributes.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in self.0.chars() {
            match char {
                '&' => out.write_str("&amp;")?,
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '"' => out.write_str("&quot;")?,
                '\'' => out.write_str("&#39;")?,
                // Characters that HTML does not allow.
                '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\x7f' => out.write_char('\u{fffd}')?,
                other => out.write_char(other)?,
            }
        }
        Ok(())
    }
}
