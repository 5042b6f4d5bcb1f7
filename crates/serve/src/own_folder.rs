//! A folder that belongs to the user of the service alone and that no other service uses, so that
//! no other user can put something into it and no other file is mistaken for one of ours.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use vclean_core::files::{open_regular, remove_incomplete};

/// The file that is locked while a service uses the folder.
const LOCK: &str = ".lock";

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FolderFault {
    /// It is a file.
    #[error("it is no folder")]
    NoFolder,
    /// It belongs to another user.
    #[error("it belongs to another user, who could put something into it")]
    Owner,
    /// Others may write to it.
    #[error(
        "other users may write to it, and could put something into it; take that right away (chmod 700)"
    )]
    Writable,
    /// It holds other files.
    #[error("it holds other files")]
    Foreign,
    /// Another service uses it.
    #[error("another service uses it")]
    Locked,
    /// It cannot be made, read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// A folder that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the folder {}: {fault}; name another one as `{option}`", path.display())]
pub struct FolderError {
    /// The folder, as the operator named it.
    pub path: PathBuf,
    /// The option that names it.
    pub option: &'static str,
    /// The reason why it cannot be used.
    pub fault: FolderFault,
}

/// Kind of a folder.
#[derive(Debug, Clone, Copy)]
pub(super) struct Purpose {
    /// The option that names the folder.
    pub(super) option: &'static str,
    /// Name and content of the file that marks it.
    pub(super) mark: (&'static str, &'static str),
}

/// A folder of ours. Its lock ends with the process, however it ends.
#[derive(Debug)]
pub(super) struct OwnFolder {
    path: PathBuf,
    _lock: File,
}

impl OwnFolder {
    /// Creates the folder or opens it. Incomplete files are removed.
    ///
    /// # Errors
    /// If it is not ours alone, or cannot be used.
    pub(super) fn open(path: &Path, purpose: Purpose) -> Result<Self, FolderError> {
        open(path, purpose.mark).map_err(|fault| FolderError {
            path: path.to_path_buf(),
            option: purpose.option,
            fault,
        })
    }

    /// The path, with links resolved.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

fn open(path: &Path, (mark, text): (&str, &str)) -> Result<OwnFolder, FolderFault> {
    make(path)?;
    // Symbolic links, such as those of systemd, are resolved once, so that the folder that is
    // checked is the one that is used.
    let path = path.canonicalize()?;
    check(&path)?;
    if open_regular(&path.join(mark)).is_err() {
        if fs::read_dir(&path)?.next().is_some() {
            return Err(FolderFault::Foreign);
        }
        fs::write(path.join(mark), text)?;
    }
    let lock = File::options()
        .create(true)
        .append(true)
        .open(path.join(LOCK))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(FolderFault::Locked),
        Err(TryLockError::Error(cause)) => return Err(cause.into()),
    }
    remove_incomplete(&path);
    Ok(OwnFolder { path, _lock: lock })
}

/// Gives a file to its owner alone.
pub(super) fn make_private(file: &File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    let _ = file;
    Ok(())
}

/// Creates a folder that only its owner may read, unless it exists.
fn make(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    #[allow(unused_mut)]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Checks that nobody but the user of the service can write to a folder.
fn check(path: &Path) -> Result<(), FolderFault> {
    let facts = fs::symlink_metadata(path)?;
    if !facts.is_dir() {
        return Err(FolderFault::NoFolder);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if facts.uid() != rustix::process::geteuid().as_raw() {
            return Err(FolderFault::Owner);
        }
        if facts.mode() & 0o022 != 0 {
            return Err(FolderFault::Writable);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    const PURPOSE: Purpose = Purpose {
        option: "cache_dir",
        mark: ("MARK", "ours\n"),
    };

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn only_a_folder_of_our_own_is_used() {
        let parent = tempfile::tempdir().unwrap();
        let path = |name: &str| parent.path().join(name);
        let fault = |path: &Path| OwnFolder::open(path, PURPOSE).unwrap_err().fault;
        let folder = OwnFolder::open(&path("a/b"), PURPOSE).unwrap();
        assert_eq!(fs::metadata(path("a/b")).unwrap().mode() & 0o777, 0o700);
        assert!(matches!(fault(&path("a/b")), FolderFault::Locked));
        drop(folder);
        for open in [0o777, 0o770, 0o702] {
            mode(&path("a/b"), open);
            let fault = fault(&path("a/b"));
            assert!(matches!(fault, FolderFault::Writable), "{open:o}");
        }
        mode(&path("a/b"), 0o755);
        assert!(OwnFolder::open(&path("a/b"), PURPOSE).is_ok());
        symlink(path("a/b"), path("link")).unwrap();
        fs::write(path("file"), "x").unwrap();
        assert!(OwnFolder::open(&path("link"), PURPOSE).is_ok());
        mode(&path("a/b"), 0o777);
        // The target of a link counts.
        assert!(matches!(fault(&path("link")), FolderFault::Writable));
        assert!(matches!(fault(&path("file")), FolderFault::NoFolder));
        assert!(matches!(fault(&path("file/x")), FolderFault::Io(_)));
        // It holds other files.
        assert!(matches!(fault(parent.path()), FolderFault::Foreign));
        fs::create_dir(path("theirs")).unwrap();
        mode(&path("theirs"), 0o700);
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(path("theirs"), Some(65_534), None).unwrap();
            assert!(matches!(fault(&path("theirs")), FolderFault::Owner));
        }
        let told = OwnFolder::open(parent.path(), PURPOSE).unwrap_err();
        assert!(
            told.to_string()
                .ends_with("name another one as `cache_dir`")
        );
    }
}
