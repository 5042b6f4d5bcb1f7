//! Writes files whole: beside their final name, then renamed, so that nobody ever sees half a file.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// How the name of a file begins and ends that is not complete yet.
const PREFIX: &str = ".vclean-";
const SUFFIX: &str = ".part";

/// A file or folder that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// A file.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// A folder.
    #[error("cannot make folder {}: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
}

fn cannot_write(path: &Path) -> impl FnOnce(io::Error) -> FileError {
    let path = path.to_path_buf();
    move |cause| FileError::Write { path, cause }
}

/// Writes `bytes` to `path`; an older file stays until the new one is complete.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let mut file = begin(path)?;
    file.write_all(bytes).map_err(cannot_write(path))?;
    finish(file, path)
}

/// A file in the folder of `path`, to be written and then given to [`finish`]; dropped, it disappears.
pub(crate) fn begin(path: &Path) -> Result<NamedTempFile, FileError> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: the system takes away what its mask forbids.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(cannot_write(path))
}

/// Gives a file from [`begin`] its name.
pub(crate) fn finish(file: NamedTempFile, path: &Path) -> Result<(), FileError> {
    file.persist(path).map_err(|error| cannot_write(path)(error.error))?;
    Ok(())
}

#[cfg(feature = "run")]
/// Removes incomplete files that a run left in a folder when it was killed. Nobody else may be writing there.
pub(crate) fn remove_incomplete(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            // One that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes a folder and those above it.
pub(crate) fn make_folder(path: &Path) -> Result<PathBuf, FileError> {
    fs::create_dir_all(path).map_err(|cause| FileError::Folder { path: path.to_path_buf(), cause })?;
    Ok(path.to_path_buf())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.txt");
        write_whole(&path, b"first").unwrap();
        write_whole(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn incomplete_files_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.txt");
        write_whole(&path, b"text").unwrap();
        let (_, left) = begin(&path).unwrap().keep().unwrap();
        fs::write(folder.path().join(".vclean-notes"), "mine").unwrap();
        remove_incomplete(folder.path());
        assert!(!left.exists() && path.exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn an_error_names_the_file() {
        let error = write_whole(Path::new("/nowhere/at/all.txt"), b"").unwrap_err();
        assert!(error.to_string().contains("/nowhere/at/all.txt"));
    }
}
