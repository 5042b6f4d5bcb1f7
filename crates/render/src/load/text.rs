//! Text that can be the value of a header.

use serde::{Deserialize, Deserializer};
use std::fmt;
use std::str::FromStr;

/// Longest text, in bytes.
const MAX_BYTES: usize = 1_000;

/// Visible ASCII characters and spaces, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct HeaderText(String);

impl HeaderText {
    /// Returns the text without surrounding white space.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for HeaderText {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

impl FromStr for HeaderText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty()
            || text.len() > MAX_BYTES
            || !text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        {
            return Err(format!(
                "a text of a header has 1 to {MAX_BYTES} ASCII characters, and others cannot be sent"
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for HeaderText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}
