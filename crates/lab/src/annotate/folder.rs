//! The layout of a folder of gold: pages, captures, gold and journals.
//!
//! | path | content |
//! |---|---|
//! | `manifest.jsonl` | one row per finished page |
//! | `pages/ID.html` or `.mhtml` | the page, as it was given |
//! | `captures/ID/` | the capture that was labelled |
//! | `gold/`, `gold_comments/`, `gold_marked/`, each `ID.txt` | the text of the labelled blocks |
//! | `node_labels/ID.json` | the label of each text node |
//! | `labels/ID.json` | the label of each block, for `vclean lab agreement` |
//! | `annotations/NAME/ID.jsonl` | everything that NAME did on the page |
//! | `annotations/NAME/labels/ID.json` | the labels that NAME gave |
//! | `annotations/merged/decisions/ID.jsonl` | both labels of each merged block, who decided |

use super::error::AnnotateError;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use vclean_core::files::make_folder;

/// Name of the annotator who resolves the disagreements of two others.
pub(crate) const MERGED: &str = "merged";
/// Longest name of a page or person, in bytes: with an ending, it fits every file system.
const MAX_NAME_BYTES: usize = 200;
/// Longest name of a person.
const MAX_ANNOTATOR_BYTES: usize = 64;

/// The folder that gold is written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoldFolder {
    path: PathBuf,
}

impl GoldFolder {
    /// Creates the folder, unless it exists.
    ///
    /// # Errors
    /// If it cannot be created, or is not a folder.
    pub fn make(path: &Path) -> Result<Self, AnnotateError> {
        make_folder(path)?;
        Ok(Self {
            path: path.to_path_buf(),
        })
    }

    /// The path that was given to [`make`](Self::make).
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of the manifest.
    pub fn manifest(&self) -> PathBuf {
        self.path.join("manifest.jsonl")
    }

    /// The page itself, with an ending such as `html`.
    pub fn page(&self, id: &str, ending: &str) -> PathBuf {
        self.path.join("pages").join(format!("{id}.{ending}"))
    }

    /// The capture of a page.
    pub fn capture(&self, id: &str) -> PathBuf {
        self.path.join("captures").join(id)
    }

    /// Waits until no other program changes the manifest and the gold; the lock ends when the file
    /// is dropped.
    ///
    /// # Errors
    /// If the file of the lock cannot be made.
    pub fn lock(&self) -> Result<File, AnnotateError> {
        let path = self.path.join(".lock");
        let fail = |cause: io::Error| AnnotateError::Append {
            path: path.clone(),
            cause,
        };
        let file = File::options()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(fail)?;
        file.lock().map_err(fail)?;
        Ok(file)
    }
}

/// The folder of one person's labels, which one program at a time may use.
#[derive(Debug)]
pub(crate) struct AnnotatorFolder {
    path: PathBuf,
    /// Locks the folder until the process ends, however it ends.
    _lock: File,
}

impl AnnotatorFolder {
    /// Makes the folder and locks it.
    ///
    /// # Errors
    /// If it cannot be made, or another program has locked it.
    pub(crate) fn open(gold: &GoldFolder, annotator: &str) -> Result<Self, AnnotateError> {
        let path = Self::path_of(gold.path(), annotator);
        make_folder(&path)?;
        let lock_path = path.join(".lock");
        let fail = |cause: io::Error| AnnotateError::Append {
            path: lock_path.clone(),
            cause,
        };
        let lock = File::options()
            .create(true)
            .append(true)
            .open(&lock_path)
            .map_err(fail)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(AnnotateError::Locked { folder: path }),
            Err(TryLockError::Error(cause)) => Err(fail(cause)),
        }
    }

    /// The folder of a person in a folder of gold.
    pub(crate) fn path_of(gold: &Path, annotator: &str) -> PathBuf {
        gold.join("annotations").join(annotator)
    }

    /// The journal of a page.
    pub(crate) fn journal(&self, id: &str) -> PathBuf {
        self.path.join(format!("{id}.jsonl"))
    }

    /// File of the decisions on each block of a page whose labels are merged.
    pub(crate) fn decisions(&self, id: &str) -> PathBuf {
        self.path.join("decisions").join(format!("{id}.jsonl"))
    }

    /// The labels of a page, in the format of [`labels`](crate::gold::labels).
    pub(crate) fn labels(&self, id: &str) -> PathBuf {
        self.path.join("labels").join(format!("{id}.json"))
    }
}

/// Checks the name of a person: it becomes the name of a folder.
///
/// # Errors
/// If it is empty, too long, or has other characters than letters, digits, `-` and `_`.
pub(crate) fn check_annotator(name: &str) -> Result<(), AnnotateError> {
    let is_fit = !name.is_empty()
        && name.len() <= MAX_ANNOTATOR_BYTES
        && name
            .chars()
            .all(|char| char.is_alphanumeric() || matches!(char, '-' | '_'));
    if !is_fit {
        return Err(AnnotateError::Input(format!(
            "{name:?} is no name of an `annotator`; use up to {MAX_ANNOTATOR_BYTES} letters, digits, - and _"
        )));
    }
    if name == MERGED {
        return Err(AnnotateError::Input(format!(
            "the name {MERGED} is kept for merged labels; use another `annotator`"
        )));
    }
    Ok(())
}

/// Converts a page's name to one that is safe as a file name.
pub(crate) fn safe_id(name: &str) -> String {
    let is_unsafe = |char: char| {
        char.is_control() || matches!(char, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')
    };
    let mut id: String = name
        .chars()
        .map(|char| if is_unsafe(char) { '_' } else { char })
        .collect();
    if id.is_empty() || id.starts_with('.') {
        id.insert(0, '_');
    }
    while id.len() > MAX_NAME_BYTES {
        id.pop();
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_made_safe() {
        for (name, id) in [
            ("../../etc/passwd", "_.._.._etc_passwd"),
            ("a\\b", "a_b"),
            ("", "_"),
            (".hidden", "_.hidden"),
            ("a\u{0}b\nc", "a_b_c"),
            ("Überblick 1", "Überblick 1"),
        ] {
            assert_eq!(safe_id(name), id);
        }
        assert!(safe_id(&"ä".repeat(500)).len() <= MAX_NAME_BYTES);
    }

    #[test]
    fn people_have_plain_names() {
        assert!(check_annotator("Zoë-2").is_ok());
        for wrong in ["", "..", "a/b", "a b", MERGED, &"a".repeat(65)] {
            assert!(check_annotator(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn one_program_at_a_time_labels_for_one_person() {
        let folder = tempfile::tempdir().unwrap();
        let gold = GoldFolder::make(&folder.path().join("gold")).unwrap();
        let first = AnnotatorFolder::open(&gold, "ann").unwrap();
        let error = AnnotatorFolder::open(&gold, "ann").unwrap_err().to_string();
        assert!(
            error.contains("`annotator`") && error.contains("annotations/ann"),
            "{error}"
        );
        assert!(AnnotatorFolder::open(&gold, "bob").is_ok());
        drop(first);
        assert!(AnnotatorFolder::open(&gold, "ann").is_ok());
    }

    #[test]
    fn a_file_in_the_place_of_the_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("gold");
        std::fs::write(&file, "mine").unwrap();
        assert!(
            GoldFolder::make(&file)
                .unwrap_err()
                .to_string()
                .contains("gold")
        );
    }
}
