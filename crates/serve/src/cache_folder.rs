//! A folder of answers, which survive the end of the service. Each answer is a file named by a hash
//! of its request, with the time when it was made and a checksum at its beginning. A file that is
//! damaged, or was made for another request, is not used and is removed.

use super::own_folder::{FolderError, OwnFolder, Purpose, make_private};
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use vclean_core::files::{begin, finish, open_regular};

/// A folder of answers. Its mark says so to backup programs, too (<https://bford.info/cachedir>).
const PURPOSE: Purpose = Purpose {
    option: "cache_dir",
    mark: (
        "CACHEDIR.TAG",
        "Signature: 8a477f597d28d172789f06886806bc55\n# Answers that `vclean serve` keeps. They may be removed while it does not run.\n",
    ),
};
/// The beginning of each file; its number changes with the format.
const MAGIC: &[u8; 16] = b"vclean answer 1\n";
/// Length of a hash in bytes.
const HASH: usize = 32;
/// Length of the header before an answer in bytes: [`MAGIC`], when it was made, the checksum.
pub(super) const HEAD: usize = MAGIC.len() + 8 + HASH;

/// A folder of answers, which no other service uses.
#[derive(Debug)]
pub(super) struct CacheFolder {
    folder: OwnFolder,
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
    /// If the folder cannot be used.
    pub(super) fn open(path: &Path) -> Result<(Self, Vec<KeptFile>), FolderError> {
        let folder = OwnFolder::open(path, PURPOSE)?;
        let this = Self { folder };
        let kept = this.list().map_err(|cause| FolderError {
            path: path.to_path_buf(),
            option: PURPOSE.option,
            fault: cause.into(),
        })?;
        Ok((this, kept))
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn list(&self) -> io::Result<Vec<KeptFile>> {
        let mut kept = Vec::new();
        for entry in fs::read_dir(self.folder.path())? {
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
        let path = self.at(name);
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
        let path = self.at(name);
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
        let path = self.at(name);
        let made_ms = made
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_millis() as u64;
        let mut head = MAGIC.to_vec();
        head.extend_from_slice(&made_ms.to_le_bytes());
        let checksum = checksum(name, &head, answer);
        let mut file = begin(&path).map_err(io::Error::other)?;
        make_private(file.as_file())?;
        for part in [&head, &checksum[..], answer] {
            file.write_all(part)?;
        }
        finish(file, &path).map_err(io::Error::other)
    }

    /// Removes the file of an answer.
    pub(super) fn remove(&self, name: &str) {
        // If removing fails, the answer is still no longer used.
        let _ = fs::remove_file(self.at(name));
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};

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
