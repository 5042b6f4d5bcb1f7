//! Reads and writes files of models.

use crate::classify::Model;
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
            let cause = format!("there is no such file, and the built-in models are: {}", names.join(", "));
            return Err(ModelError::Read { path: path.to_path_buf(), cause });
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

/// The bytes of a model file, of any kind.
///
/// # Errors
/// If it cannot be read.
pub fn read_model(path: &Path) -> Result<Vec<u8>, ModelError> {
    std::fs::read(path).map_err(|error| ModelError::Read { path: path.to_path_buf(), cause: error.to_string() })
}
