//! Writes files atomically: under a temporary name in the same folder, then renamed, so that no
//! program reads an incomplete file.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Start and end of the name of an incomplete file.
const PREFIX: &str = ".vclean-";
const SUFFIX: &str = ".part";

/// A file or folder that cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// A file could not be written.
    #[error("cannot write {}: {cause}", path.display())]
    Write {
        /// Path of the file that was to be written.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// A folder could not be created.
    #[error("cannot make folder {}: {cause}", path.display())]
    Folder {
        /// Path of the folder that was to be created.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// The output is also an input of the same call.
    #[error("{} is an input, which is never replaced; name another output", .0.display())]
    Input(PathBuf),
    /// Another program wrote the file in the meantime.
    #[error("{} exists already and was not written by this run; name another folder, or replace it with `overwrite`", .0.display())]
    Exists(PathBuf),
}

/// The identity of a file: equal for all paths to the same file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileId(#[cfg(unix)] (u64, u64), #[cfg(not(unix))] PathBuf);

/// The identity of an existing file after following all links: its device and inode number, or its
/// full path on systems without these. `None` for folders, and if the file does not exist. (The
/// crate same-file is not used because it keeps each file open.)
pub fn identity(path: &Path) -> Option<FileId> {
    let facts = fs::metadata(path).ok().filter(|facts| !facts.is_dir())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some(FileId((facts.dev(), facts.ino())))
    }
    #[cfg(not(unix))]
    {
        let _ = facts;
        path.canonicalize().ok().map(FileId)
    }
}

fn cannot_write(path: &Path) -> impl FnOnce(io::Error) -> FileError {
    let path = path.to_path_buf();
    move |cause| FileError::Write {
        path,
        cause: without_path(cause),
    }
}

/// The error without the path of the temporary file, which `tempfile` adds to errors of the system
/// and which means nothing to users.
fn without_path(error: io::Error) -> io::Error {
    let text = error.to_string();
    match text.split_once(" at path ") {
        Some((cause, path)) if path.contains(SUFFIX) => io::Error::new(error.kind(), cause),
        _ => error,
    }
}

/// Returns true if a path does not name a place for a file, but a device, a pipe, or one of the
/// links in `/dev` and `/proc`. Links elsewhere do not count: anyone who may write to their folder
/// could lead the output to any device.
fn is_device(path: &Path) -> bool {
    let is_of_system = |folder: PathBuf| folder.starts_with("/dev") || folder.starts_with("/proc");
    let facts = if folder_of(path).canonicalize().is_ok_and(is_of_system) {
        // The links to the standard streams may lead to files, which cannot be replaced through
        // them.
        let is_stream = path.parent() == Some(Path::new("/dev")) || path.starts_with("/proc");
        if is_stream && fs::symlink_metadata(path).is_ok() {
            return true;
        }
        fs::metadata(path)
    } else {
        fs::symlink_metadata(path)
    };
    facts.is_ok_and(|facts| !facts.is_file() && !facts.is_dir() && !facts.is_symlink())
}

/// Writes `bytes` to the device or pipe at `path`.
fn write_to_device(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let is_own = path.starts_with("/dev") || path.starts_with("/proc");
    let mut to = fs::OpenOptions::new().write(true).open(path)?;
    // A file that was put there in the meantime stays as it is.
    if !is_own && to.metadata()?.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it was replaced while it was opened",
        ));
    }
    to.write_all(bytes)
}

/// Writes `bytes` to `path`; an older file remains until the new one is complete. A device or pipe,
/// such as `/dev/stdout`, is written to and not replaced.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    if is_device(path) {
        return write_to_device(path, bytes).map_err(cannot_write(path));
    }
    replace(path, bytes)
}

/// Writes `bytes` to a file at `path` even if something exists there; a link is replaced and not
/// followed.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let mut file = begin(path)?;
    file.write_all(bytes).map_err(cannot_write(path))?;
    finish(file, path)
}

/// The folder that contains a file.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Creates a temporary file in the folder of `path`, to be written and then passed to [`finish`].
/// Dropping it removes the file.
pub fn begin(path: &Path) -> Result<NamedTempFile, FileError> {
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The mode for a new file, from which the system removes the bits of its umask.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(cannot_write(path))
}

/// Renames a file from [`begin`] to its final name.
pub fn finish(file: NamedTempFile, path: &Path) -> Result<(), FileError> {
    file.persist(path)
        .map_err(|error| cannot_write(path)(error.error))?;
    Ok(())
}

/// Writes `bytes` to a new file, completely or not at all. If the file exists, it stays unchanged
/// and an error is returned.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let mut file = begin(path)?;
    file.write_all(bytes).map_err(cannot_write(path))?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(FileError::Exists(path.to_path_buf()))
        }
        Err(error) => Err(cannot_write(path)(error.error)),
    }
}

/// Removes incomplete files that a killed run left in a folder. No other program may be writing to
/// the folder.
pub fn remove_incomplete(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Creates a folder and its parent folders.
pub fn make_folder(path: &Path) -> Result<PathBuf, FileError> {
    fs::create_dir_all(path).map_err(|cause| FileError::Folder {
        path: path.to_path_buf(),
        cause,
    })?;
    Ok(path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_atomically_without_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.txt");
        write_whole(&path, b"first").unwrap();
        write_whole(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_stays_a_device() {
        use std::os::unix::fs::FileTypeExt;
        write_whole(Path::new("/dev/null"), b"text").unwrap();
        assert!(
            fs::metadata("/dev/null")
                .unwrap()
                .file_type()
                .is_char_device()
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_somebody_has_put_there_is_replaced_and_not_followed() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let (theirs, path) = (folder.path().join("theirs"), folder.path().join("page.txt"));
        fs::write(&theirs, "untouched").unwrap();
        for target in [
            theirs.as_path(),
            Path::new("/dev/null"),
            Path::new("/dev/full"),
        ] {
            symlink(target, &path).unwrap();
            write_whole(&path, b"text").unwrap();
            assert!(
                fs::symlink_metadata(&path).unwrap().is_file(),
                "{}",
                target.display()
            );
            fs::remove_file(&path).unwrap();
        }
        assert_eq!(fs::read(&theirs).unwrap(), b"untouched");
        // Links of the system lead to the intended place.
        write_whole(Path::new("/proc/self/fd/2"), b"").unwrap();
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
        assert!(!error.to_string().contains(SUFFIX), "{error}");
        assert!(error.to_string().contains("/nowhere/at/all.txt"));
    }
}
