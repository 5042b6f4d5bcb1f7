//! A folder of answers, which survive the end of the service. Each answer is a file named by a hash
//! of its request, with the time when it was made and a checksum at its beginning. A file that is
//! damaged, or was made for another request, is not used and is removed.
//!
//! The folder belongs to the user of the service alone and holds nothing else, so that no other
//! user can put answers into it, and no other file is mistaken for an answer.

use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use vclean_core::files::{begin, finish, open_regular, remove_incomplete};

/// The file that marks a folder as a cache, for us and for backup programs
/// (<https://bford.info/cachedir>).
const MARK: &str = "CACHEDIR.TAG";
const MARK_TEXT: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# Answers that `vclean serve` keeps. They may be removed while it does not run.\n";
/// The file that is locked while a service uses the folder.
const LOCK: &str = ".lock";
/// The beginning of each file; its number changes with the format.
const MAGIC: &[u8; 16] = b"vclean answer 1\n";
/// Length of a hash in bytes.
const HASH: usize = 32;
/// Length of the header before an answer in bytes: [`MAGIC`], when it was made, the checksum.
pub(super) const HEAD: usize = MAGIC.len() + 8 + HASH;

/// Why a folder cannot be used for answers.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// It is a file.
    #[error("{} is no folder; name another one as `cache_dir`", .0.display())]
    NoFolder(PathBuf),
    /// It belongs to another user.
    #[error("the folder {} belongs to another user, who could put answers into it; name another one as `cache_dir`", .0.display())]
    Owner(PathBuf),
    /// Others may write to it.
    #[error("other users may write to the folder {}, and could put answers into it; take that right away (chmod 700), or name another one as `cache_dir`", .0.display())]
    Writable(PathBuf),
    /// It holds other files.
    #[error("the folder {} holds other files than answers; name a new or an empty one as `cache_dir`", .0.display())]
    Foreign(PathBuf),
    /// Another service uses it.
    #[error("another service uses the folder {}; name another one as `cache_dir`", .0.display())]
    Locked(PathBuf),
    /// It cannot be made, read or written.
    #[error("cannot use the folder {} for answers: {cause}; name another one as `cache_dir`", path.display())]
    Io {
        /// Path of the folder, as the operator named it or with links resolved.
        path: PathBuf,
        /// The system's error message.
        cause: io::Error,
    },
}

/// A folder of answers, which no other service uses.
#[derive(Debug)]
pub(super) struct CacheFolder {
    path: PathBuf,
    /// The lock ends with the process, however it ends.
    _lock: File,
}

/// An answer of an earlier service.
#[derive(Debug)]
pub(super) struct KeptFile {
    pub(super) name: String,
    /// The size of the file.
    pub(super) bytes: usize,
    pub(super) made: SystemTime,
    /// Time of the last use.
    pub(super) used: SystemTime,
}

/// The name of the file for the answer to a request.
pub(super) fn name_of(request: &str) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or('0');
    Sha256::digest(request.as_bytes())
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

fn is_name(name: &str) -> bool {
    name.len() == 2 * HASH
        && name
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl CacheFolder {
    /// Creates the folder or opens it. Also returns the files of answers in it, the least recently
    /// used first. Files with the name of an answer that are not answers are removed.
    ///
    /// # Errors
    /// [`CacheError`].
    pub(super) fn open(path: &Path) -> Result<(Self, Vec<KeptFile>), CacheError> {
        let failed = |cause| CacheError::Io {
            path: path.to_path_buf(),
            cause,
        };
        make(path).map_err(failed)?;
        // Symbolic links, such as those of systemd, are resolved once, so that the folder that is
        // checked is the one that is used.
        let real = path.canonicalize().map_err(failed)?;
        let path = real.as_path();
        check(path)?;
        let is_marked = open_regular(&path.join(MARK)).is_ok();
        if !is_marked {
            if fs::read_dir(path).map_err(failed)?.next().is_some() {
                return Err(CacheError::Foreign(path.to_path_buf()));
            }
            fs::write(path.join(MARK), MARK_TEXT).map_err(failed)?;
        }
        let lock = File::options()
            .create(true)
            .append(true)
            .open(path.join(LOCK))
            .map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(CacheError::Locked(path.to_path_buf())),
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
        remove_incomplete(path);
        let folder = Self {
            path: path.to_path_buf(),
            _lock: lock,
        };
        let kept = folder.list().map_err(failed)?;
        Ok((folder, kept))
    }

    fn list(&self) -> io::Result<Vec<KeptFile>> {
        let mut kept = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if !is_name(&name) {
                continue;
            }
            match self.look(&name) {
                Ok(file) => kept.push(file),
                Err(_) => self.remove(&name),
            }
        }
        kept.sort_by(|a, b| (a.used, &a.name).cmp(&(b.used, &b.name)));
        Ok(kept)
    }

    /// Reads the facts about a file of an answer.
    fn look(&self, name: &str) -> io::Result<KeptFile> {
        let path = self.path.join(name);
        let facts = fs::symlink_metadata(&path)?;
        let mut head = [0; HEAD];
        if !facts.is_file() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        open_regular(&path)?.read_exact(&mut head)?;
        let made = made_at(&head).ok_or(io::ErrorKind::InvalidData)?;
        Ok(KeptFile {
            name: name.to_owned(),
            bytes: facts.len() as usize,
            made,
            used: facts.modified()?,
        })
    }

    /// The answer in a file, which counts as used now; `None` if it is damaged or gone.
    pub(super) fn read(&self, name: &str) -> Option<Bytes> {
        let path = self.path.join(name);
        let mut bytes = Vec::new();
        open_regular(&path).ok()?.read_to_end(&mut bytes).ok()?;
        let (head, answer) = bytes.split_at_checked(HEAD)?;
        made_at(head)?;
        if head[HEAD - HASH..] != checksum(name, &head[..HEAD - HASH], answer) {
            return None;
        }
        // Only the order in which answers are removed after a restart depends on it.
        let _ = File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_modified(SystemTime::now()));
        Some(Bytes::from(bytes).slice(HEAD..))
    }

    /// Writes an answer. A simultaneous reader sees either the earlier answer or the whole new one.
    ///
    /// # Errors
    /// Those of the system.
    pub(super) fn write(&self, name: &str, made: SystemTime, answer: &[u8]) -> io::Result<()> {
        let path = self.path.join(name);
        let made_ms = made
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_millis() as u64;
        let mut head = MAGIC.to_vec();
        head.extend_from_slice(&made_ms.to_le_bytes());
        let checksum = checksum(name, &head, answer);
        let mut file = begin(&path).map_err(io::Error::other)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            file.as_file()
                .set_permissions(fs::Permissions::from_mode(0o600))?;
        }
        for part in [&head, &checksum[..], answer] {
            file.write_all(part)?;
        }
        finish(file, &path).map_err(io::Error::other)
    }

    /// Removes the file of an answer.
    pub(super) fn remove(&self, name: &str) {
        // If removing fails, the answer is still no longer used.
        let _ = fs::remove_file(self.path.join(name));
    }
}

/// The time when the answer in a file was made, if the file begins like one of ours.
fn made_at(head: &[u8]) -> Option<SystemTime> {
    let made_ms = head
        .strip_prefix(MAGIC)?
        .first_chunk()
        .map(|bytes| u64::from_le_bytes(*bytes))?;
    UNIX_EPOCH.checked_add(Duration::from_millis(made_ms))
}

fn checksum(name: &str, head: &[u8], answer: &[u8]) -> [u8; HASH] {
    Sha256::new()
        .chain_update(name)
        .chain_update(head)
        .chain_update(answer)
        .finalize()
        .into()
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
fn check(path: &Path) -> Result<(), CacheError> {
    let facts = fs::symlink_metadata(path).map_err(|cause| CacheError::Io {
        path: path.to_path_buf(),
        cause,
    })?;
    if !facts.is_dir() {
        return Err(CacheError::NoFolder(path.to_path_buf()));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if facts.uid() != rustix::process::geteuid().as_raw() {
            return Err(CacheError::Owner(path.to_path_buf()));
        }
        if facts.mode() & 0o022 != 0 {
            return Err(CacheError::Writable(path.to_path_buf()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn only_a_folder_of_our_own_is_used() {
        let parent = tempfile::tempdir().unwrap();
        let path = |name: &str| parent.path().join(name);
        let (folder, kept) = CacheFolder::open(&path("a/b")).unwrap();
        assert!(kept.is_empty() && fs::metadata(path("a/b")).unwrap().mode() & 0o777 == 0o700);
        assert!(matches!(
            CacheFolder::open(&path("a/b")),
            Err(CacheError::Locked(_))
        ));
        drop(folder);
        for open in [0o777, 0o770, 0o702] {
            mode(&path("a/b"), open);
            assert!(
                matches!(
                    CacheFolder::open(&path("a/b")),
                    Err(CacheError::Writable(_))
                ),
                "{open:o}"
            );
        }
        mode(&path("a/b"), 0o755);
        assert!(CacheFolder::open(&path("a/b")).is_ok());
        symlink(path("a/b"), path("link")).unwrap();
        fs::write(path("file"), "x").unwrap();
        assert!(CacheFolder::open(&path("link")).is_ok());
        mode(&path("a/b"), 0o777);
        assert!(
            matches!(
                CacheFolder::open(&path("link")),
                Err(CacheError::Writable(_))
            ),
            "what it leads to counts"
        );
        assert!(matches!(
            CacheFolder::open(&path("file")),
            Err(CacheError::NoFolder(_))
        ));
        assert!(matches!(
            CacheFolder::open(&path("file/x")),
            Err(CacheError::Io { .. })
        ));
        assert!(
            matches!(
                CacheFolder::open(parent.path()),
                Err(CacheError::Foreign(_))
            ),
            "it holds other files"
        );
        fs::create_dir(path("theirs")).unwrap();
        mode(&path("theirs"), 0o700);
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(path("theirs"), Some(65_534), None).unwrap();
            assert!(matches!(
                CacheFolder::open(&path("theirs")),
                Err(CacheError::Owner(_))
            ));
        }
    }

    #[test]
    fn damaged_and_foreign_files_are_no_answers() {
        let parent = tempfile::tempdir().unwrap();
        let (folder, _) = CacheFolder::open(parent.path()).unwrap();
        let names: Vec<String> = (0..9).map(|number| name_of(&number.to_string())).collect();
        let at = |number: usize| parent.path().join(&names[number]);
        let made = UNIX_EPOCH + Duration::from_millis(1_700_000_000_123);
        for name in &names {
            folder.write(name, made, b"the answer").unwrap();
        }
        assert_eq!(fs::metadata(at(0)).unwrap().mode() & 0o777, 0o600);
        let whole = fs::read(at(0)).unwrap();
        for byte in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[byte] ^= 1;
            fs::write(at(0), &bytes).unwrap();
            assert!(folder.read(&names[0]).is_none(), "byte {byte}");
        }
        for length in 0..whole.len() {
            fs::write(at(0), &whole[..length]).unwrap();
            assert!(folder.read(&names[0]).is_none(), "{length} bytes");
        }
        assert!(
            fs::read(at(1)).unwrap() != whole,
            "the answer to another request is another file"
        );
        fs::copy(at(2), at(1)).unwrap();
        assert!(folder.read(&names[1]).is_none(), "another one in its place");
        assert_eq!(folder.read(&names[2]).unwrap(), "the answer");
        // These files are found when the folder is opened again.
        fs::write(at(3), "something else").unwrap();
        fs::remove_file(at(4)).unwrap();
        symlink(at(2), at(4)).unwrap();
        fs::remove_file(at(5)).unwrap();
        fs::create_dir(at(5)).unwrap();
        fs::write(parent.path().join("notes"), "mine").unwrap();
        fs::write(parent.path().join(".vclean-x.part"), "half").unwrap();
        drop(folder);
        let (folder, kept) = CacheFolder::open(parent.path()).unwrap();
        let found: Vec<&str> = kept.iter().map(|file| file.name.as_str()).collect();
        assert!(
            [2, 6, 7, 8]
                .iter()
                .all(|number| found.contains(&names[*number].as_str())),
            "{found:?}"
        );
        assert!(
            [3, 4, 5]
                .iter()
                .all(|number| !found.contains(&names[*number].as_str())),
            "{found:?}"
        );
        assert!(
            kept.iter()
                .filter(|file| file.name == names[2])
                .all(|file| file.made == made)
        );
        assert!(
            !at(3).exists()
                && fs::symlink_metadata(at(4)).is_err()
                && !parent.path().join(".vclean-x.part").exists()
        );
        assert!(
            parent.path().join("notes").exists(),
            "what has another name is left alone"
        );
        folder.remove(&names[2]);
        assert!(folder.read(&names[2]).is_none());
    }
}
