//! Replacement for `files` in a build without it: all functions that read a file return an error.

use crate::capture::Capture;
use crate::classify::{Model, SiteMemory};
use crate::error::{CaptureError, ModelError};
use std::path::Path;

fn cause() -> String {
    "this build reads no files; build it with the feature files".to_owned()
}

impl Model {
    /// Returns an error.
    ///
    /// # Errors
    /// Always: this build reads no files.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        Self::from_bytes(&read_model(path)?)
    }
}

impl SiteMemory {
    /// Returns an error.
    ///
    /// # Errors
    /// Always: this build reads no files.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        Self::from_text(&String::from_utf8(read_model(path)?).unwrap_or_default())
    }
}

pub(crate) fn read_model(path: &Path) -> Result<Vec<u8>, ModelError> {
    Err(ModelError::Read {
        path: path.to_path_buf(),
        cause: cause(),
    })
}

pub(crate) fn load_capture(folder: &Path) -> Result<Capture, CaptureError> {
    Err(CaptureError::Read {
        path: folder.to_path_buf(),
        cause: cause(),
    })
}
