//! Writes files atomically: under a temporary name in the same folder, then renamed, so that no program reads an
//! incomplete file.

use std::fs::{self, File, FileType};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Prefix and suffix of the name of an incomplete file.
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
        /// The error of the system.
        cause: io::Error,
    },
    /// A folder.
    #[error("cannot make folder {}: {cause}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
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

/// A temporary file in the folder of `path`, to be written and then passed to [`finish`]; it is removed if it is
/// dropped.
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
        // The mode of a new file: the system removes the bits of its umask.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(cannot_write(path))
}

/// Renames a file from [`begin`] to its final name.
pub(crate) fn finish(file: NamedTempFile, path: &Path) -> Result<(), FileError> {
    file.persist(path).map_err(|error| cannot_write(path)(error.error))?;
    Ok(())
}

/// Removes incomplete files that a killed run left in a folder. No other program may be writing there.
#[cfg(feature = "run")]
pub(crate) fn remove_incomplete(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
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
pub(crate) fn make_folder(path: &Path) -> Result<PathBuf, FileError> {
    fs::create_dir_all(path).map_err(|cause| FileError::Folder { path: path.to_path_buf(), cause })?;
    Ok(path.to_path_buf())
}

/// Opens a regular file, or a link to one.
///
/// # Errors
/// Those of the system, and for everything else: reading a pipe may block, and a device may have no end.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    // Opening a pipe blocks, so that its kind is asked first.
    must_be_regular(fs::metadata(path)?.file_type())?;
    let file = File::open(path)?;
    must_be_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Reads a regular file that is no link, of at most `limit` bytes.
///
/// # Errors
/// As [`open_regular`]; and for a link, and a larger file.
pub(crate) fn read_unlinked(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    must_be_regular(fs::symlink_metadata(path)?.file_type())?;
    let file = open_regular(path)?;
    let too_large = |bytes: u64| {
        io::Error::new(io::ErrorKind::FileTooLarge, format!("it has {bytes} bytes, and {limit} are the most"))
    };
    let length = file.metadata()?.len();
    if length > limit {
        return Err(too_large(length));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.take(limit + 1).read_to_end(&mut bytes)?;
    let read = bytes.len() as u64;
    if read > limit { Err(too_large(read)) } else { Ok(bytes) }
}

fn must_be_regular(kind: FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let what = kind_name(kind);
    Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, and a regular file is needed")))
}

/// What a file is that is not a regular one, for messages.
pub(crate) fn kind_name(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    if kind.is_dir() {
        "a folder"
    } else if kind.is_symlink() {
        "a link"
    } else {
        "no file"
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_read() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "12345").unwrap();
        let link = folder.path().join("link");
        symlink(&file, &link).unwrap();
        let endless = folder.path().join("endless");
        symlink("/dev/zero", &endless).unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());

        let cause = |path: &Path| open_regular(path).unwrap_err().to_string();
        assert!(open_regular(&file).is_ok() && open_regular(&link).is_ok());
        assert_eq!(cause(&endless), "it is a device, and a regular file is needed");
        assert_eq!(cause(&pipe), "it is a pipe, and a regular file is needed");
        assert_eq!(cause(folder.path()), "it is a folder, and a regular file is needed");
        let cause = |path: &Path| read_unlinked(path, 100).unwrap_err().to_string();
        assert_eq!(read_unlinked(&file, 5).unwrap(), b"12345");
        assert_eq!(read_unlinked(&file, 4).unwrap_err().to_string(), "it has 5 bytes, and 4 are the most");
        assert!(cause(&link).contains("a link") && cause(&endless).contains("a link"));
        assert!(cause(&pipe).contains("a pipe"));
    }

    #[test]
    fn a_file_is_replaced_atomically_without_leftovers() {
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
