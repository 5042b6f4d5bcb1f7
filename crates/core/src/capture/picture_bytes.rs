//! A picture of a capture in a build without pixel support: the bytes from a capture folder.

use crate::error::CaptureError;
use std::borrow::Cow;

/// A picture: PNG bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture(Vec<u8>);

impl Picture {
    /// Wraps PNG bytes; nothing checks them.
    pub fn from_png(png: Vec<u8>) -> Self {
        Self(png)
    }

    /// The PNG bytes.
    ///
    /// # Errors
    /// None; with the feature `pixels`, pictures may have to be encoded.
    pub fn png(&self) -> Result<Cow<'_, [u8]>, CaptureError> {
        Ok(Cow::Borrowed(&self.0))
    }
}
