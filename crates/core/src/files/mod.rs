//! The only room of the core that touches files: captures, models and pages on disk, files written
//! whole, and reading of regular files.
//!
//! A build without the feature `files` has a replacement (`placeholder`), so that other rooms need
//! not know.

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
    /// If it cannot be read, or holds no model.
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

    /// Writes a model file: to a temporary name first, then renamed.
    ///
    /// # Errors
    /// Those of the system.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".part");
        std::fs::write(&temporary, self.to_bytes())?;
        std::fs::rename(&temporary, path)
    }
}

impl SiteMemory {
    /// Reads the file that `vclean site-memory` wrote.
    ///
    /// # Errors
    /// If it cannot be read, or holds something else.
    pub fn load(path: &Path) -> Result<Self, ModelError> {
        let text = String::from_utf8(read_model(path)?).unwrap_or_default();
        Self::from_text(&text)
            .map_err(|error| ModelError::Format(format!("{}: {error}", path.display())))
    }
}

/// The bytes of a model file, of any kind.
///
/// # Errors
/// If it cannot be read.
pub fn read_model(path: &Path) -> Result<Vec<u8>, ModelError> {
    std::fs::read(path).map_err(|error| ModelError::Read {
        path: path.to_path_buf(),
        cause: error.to_string(),
    })
}
