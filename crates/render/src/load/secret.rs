//! Text that is never shown: the value of a header or cookie, or a typed password.

use serde::Deserialize;
use std::fmt;

/// A text that is neither printed nor logged.
#[derive(Clone, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Secret(String);

impl fmt::Debug for Secret {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("Secret")
    }
}

impl Secret {
    /// Wraps a text so that `Debug` does not print it.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text, to be sent to its receiver only.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}
