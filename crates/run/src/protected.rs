//! The files that a run reads: none of them is ever replaced, whatever the options say and by whatever path it is named.

use super::inputs::Inputs;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use vclean_core::files::{self, FileError, FileId};
use walkdir::WalkDir;

/// The files that are read. Clones share the list, which is made when an output is found to exist already: identities
/// take 16 bytes for each file of the inputs.
#[derive(Debug, Clone, Default)]
pub struct Protected {
    inputs: Option<Inputs>,
    /// Files, and folders with all that is in them.
    paths: Vec<PathBuf>,
    ids: Arc<OnceLock<FxHashSet<FileId>>>,
}

impl Protected {
    /// The inputs of a run, and the list that names them.
    pub fn inputs(inputs: &Inputs) -> Self {
        Self { inputs: Some(inputs.clone()), ..Self::default() }
    }

    /// These files, and all files in these folders.
    pub fn paths(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { paths: paths.into_iter().collect(), ..Self::default() }
    }

    /// Returns an error if `output` exists and is one of the files: the same file of the same disk, however its path is
    /// written.
    ///
    /// # Errors
    /// [`FileError::Input`].
    pub fn check(&self, output: &Path) -> Result<(), FileError> {
        let Some(id) = files::identity(output) else { return Ok(()) };
        if self.ids.get_or_init(|| self.read_ids()).contains(&id) {
            return Err(FileError::Input(output.to_path_buf()));
        }
        Ok(())
    }

    /// As [`Self::check`] for each file directly in the folder `output`.
    ///
    /// # Errors
    /// [`FileError::Input`].
    pub fn check_folder(&self, output: &Path) -> Result<(), FileError> {
        let Ok(entries) = std::fs::read_dir(output) else { return Ok(()) };
        entries.flatten().try_for_each(|entry| self.check(&entry.path()))
    }

    fn read_ids(&self) -> FxHashSet<FileId> {
        let below = |path: &PathBuf| {
            let walk = WalkDir::new(path).into_iter().flatten();
            walk.filter(|entry| !entry.file_type().is_dir()).map(walkdir::DirEntry::into_path).collect::<Vec<_>>()
        };
        let inputs = self.inputs.iter().flat_map(Inputs::files);
        inputs.chain(self.paths.iter().flat_map(below)).filter_map(|path| files::identity(&path)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_known_under_every_path() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("in")).unwrap();
        fs::write(root.join("in/page.html"), "<p>x").unwrap();
        fs::write(root.join("in/notes.txt"), "no page").unwrap();
        fs::write(root.join("other.html"), "").unwrap();
        fs::hard_link(root.join("in/page.html"), root.join("hard.html")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("in/page.html", root.join("soft.html")).unwrap();
        let named = Inputs::unsharded(&[&root.join("in").to_string_lossy()]);
        let all = Protected::paths([root.join("in")]);
        let run = Protected::inputs(&named);
        for name in ["in/page.html", "in/../in/./page.html", "hard.html", "soft.html"] {
            let error = run.check(&root.join(name)).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("never replaced"), "{error}");
            assert!(all.check(&root.join(name)).is_err(), "{name}");
        }
        for name in ["other.html", "in/new.html"] {
            assert!(run.check(&root.join(name)).is_ok() && all.check(&root.join(name)).is_ok(), "{name}");
        }
        // A file of the folder that is no page is not read by a run.
        assert!(run.check(&root.join("in/notes.txt")).is_ok() && all.check(&root.join("in/notes.txt")).is_err());
        assert!(run.check_folder(&root.join("in")).is_err() && run.check_folder(&root.join("none")).is_ok());
    }
}
