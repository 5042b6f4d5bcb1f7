//! The only module of the core that accesses files: captures, models and pages on disk, atomic
//! writing, and reading of regular files.
//!
//! A build without the feature `files` has a replacement (`placeholder`), so other modules are
//! unaffected.

mod capture_folder;
mod page_file;
mod regular;
mod writing;

pub use capture_folder::{is_capture, list_captures, load_capture, load_record, save_capture};
pub use page_file::{read_page, read_page_stream};
pub use regular::open_regular;
pub use writing::{
    FileError, FileId, begin, finish, folder_of, identity, make_folder, remove_incomplete,
    write_new, write_whole,
};

use crate::classify::{Model, SiteMemory};
use crate::error::ModelError;
use std::path::Path;
use vclean_models::MODELS as BUILT_IN;

impl Model {
    /// Reads a model file.
    ///
    /// # Errors
    /// If the file cannot be read, or does not hold a model.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        if !path.exists() {
            let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
            let cause = format!(
                "there is no such file, and the built-in models are: {}",
                names.join(", ")
            );
            return Err(ModelError::Read {
                path: path.to_path_buf(),
                cause,
            });
        }
        Self::from_bytes(&read_model(path)?)
    }

    /// Writes a model file under a temporary name, which is then renamed.
    ///
    /// # Errors
    /// If the system cannot write or rename the file.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".part");
        std::fs::write(&temporary, self.to_bytes())?;
        std::fs::rename(&temporary, path)
    }
}

impl SiteMemory {
    /// Reads a file written by `vclean site-memory`.
    ///
    /// # Errors
    /// If the file cannot be read, or has other content.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let text = String::from_utf8(read_model(path)?).unwrap_or_default();
        Self::from_text(&text)
            .map_err(|error| ModelError::Format(format!("{}: {error}", path.display())))
    }
}

/// Reads the bytes of a model file of any kind.
///
/// # Errors
/// If the file cannot be read.
pub fn read_model(path: &Path) -> Result<Vec<u8>, ModelError> {
    std::fs::read(path).map_err(|error| ModelError::Read {
        path: path.to_path_buf(),
        cause: error.to_string(),
    })
}
