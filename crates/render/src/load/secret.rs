//! A text that is never shown: the value of a header or of a cookie, a password that is typed.

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
    /// A secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, to be sent to whom it is meant for.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}
