//! The journal of a page: everything that one person did on it, one JSON object per line, only ever
//! appended.
//!
//! An entry is on the disk before the change is acknowledged. A program that is killed while it
//! writes leaves at most one incomplete last line, which was never confirmed; it is removed when
//! the journal is opened again.

use super::error::AnnotateError;
use super::history::Action;
use super::label::{BlockLabel, Mark};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use vclean_core::files::make_folder;
use vclean_core::hash::Fnv;

/// Version of the format, in the first line.
pub(crate) const FORMAT_VERSION: u32 = 1;
/// Largest journal that is read, in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// The first line of a journal: which page it is about, and the labels at the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beginning {
    /// Version of the format.
    pub format: u32,
    /// Name of the page.
    pub page: String,
    /// Name of the person who labels.
    pub annotator: String,
    /// Hash of the blocks, by which another page of the same name is recognized.
    pub fingerprint: String,
    /// The labels at the start, one per block: the model's verdicts, or those that two annotators
    /// agree on.
    pub verdicts: Vec<BlockLabel>,
    /// The marks at the start, one per block.
    pub marks: Vec<Mark>,
    /// The two annotators whose labels are merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sides: Option<Sides>,
}

/// The labels of two annotators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sides {
    /// Names of the two annotators.
    pub names: [String; 2],
    /// Their labels, one per block.
    pub labels: Vec<[BlockLabel; 2]>,
}

/// One line of a journal after the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    #[serde(flatten)]
    pub action: Action,
    /// Time in which the person was active since the entry before, in seconds.
    pub seconds: f64,
    /// Keys pressed since the entry before.
    pub keys: u64,
    /// When it was stored, seconds since 1970 UTC.
    pub at_s: u64,
}

/// An open journal. One program writes it at a time, which the lock of the annotator's folder
/// ensures.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// Length of the file up to the last complete entry.
    length: u64,
}

impl Journal {
    /// Begins a journal.
    ///
    /// # Errors
    /// If it cannot be written, or exists.
    pub(crate) fn create(path: &Path, beginning: &Beginning) -> Result<Self, AnnotateError> {
        let fail = |cause: io::Error| AnnotateError::Append {
            path: path.to_path_buf(),
            cause,
        };
        make_folder(vclean_core::files::folder_of(path))?;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(fail)?;
        let mut journal = Self {
            path: path.to_path_buf(),
            file,
            length: 0,
        };
        if let Err(error) = journal.write(beginning) {
            // Without its first line, the file is not a journal.
            let _ = std::fs::remove_file(path);
            return Err(error);
        }
        Ok(journal)
    }

    /// Opens a journal with all its entries; `None` if there is none. An incomplete last line is
    /// removed.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged before its last line.
    pub(crate) fn open(
        path: &Path,
    ) -> Result<Option<(Self, Beginning, Vec<Entry>)>, AnnotateError> {
        let fail = |cause: io::Error| AnnotateError::Read {
            path: path.to_path_buf(),
            cause,
        };
        let mut file = match OpenOptions::new().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fail(error)),
        };
        let mut bytes = Vec::new();
        (&mut file)
            .take(MAX_BYTES)
            .read_to_end(&mut bytes)
            .map_err(fail)?;
        let complete = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |last| last + 1);
        if complete < bytes.len() {
            file.set_len(complete as u64).map_err(fail)?;
        }
        let Some((beginning, entries)) = parse(path, &bytes[..complete])? else {
            // The program was killed before the first line was complete, so nothing was done yet.
            drop(file);
            std::fs::remove_file(path).map_err(fail)?;
            return Ok(None);
        };
        Ok(Some((
            Self {
                path: path.to_path_buf(),
                file,
                length: complete as u64,
            },
            beginning,
            entries,
        )))
    }

    /// Appends an entry; when this returns, it is on the disk.
    ///
    /// # Errors
    /// If it cannot be written; the journal is then as before.
    pub(crate) fn append(&mut self, entry: &Entry) -> Result<(), AnnotateError> {
        self.write(entry)
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), AnnotateError> {
        let mut bytes = serde_json::to_vec(line).expect("an entry has string keys only");
        bytes.push(b'\n');
        let written = self
            .file
            .seek(SeekFrom::Start(self.length))
            .and_then(|_| self.file.write_all(&bytes))
            .and_then(|()| self.file.sync_data());
        if let Err(cause) = written {
            // The written part of the line is removed; if that fails too, the next entry overwrites
            // it.
            let _ = self.file.set_len(self.length);
            return Err(AnnotateError::Append {
                path: self.path.clone(),
                cause,
            });
        }
        self.length += bytes.len() as u64;
        Ok(())
    }
}

/// Reads a journal without changing it; `None` if there is none.
///
/// # Errors
/// If the file cannot be read or is damaged.
pub(crate) fn read(path: &Path) -> Result<Option<(Beginning, Vec<Entry>)>, AnnotateError> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => {
            return Err(AnnotateError::Read {
                path: path.to_path_buf(),
                cause,
            });
        }
    };
    let complete = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |last| last + 1);
    parse(path, &bytes[..complete])
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Option<(Beginning, Vec<Entry>)>, AnnotateError> {
    let fail = |line: usize, cause: String| AnnotateError::Journal {
        path: path.to_path_buf(),
        line,
        cause,
    };
    let mut lines = bytes
        .split(|byte| *byte == b'\n')
        .enumerate()
        .filter(|(_, line)| !line.is_empty());
    let Some((_, first)) = lines.next() else {
        return Ok(None);
    };
    let beginning: Beginning =
        serde_json::from_slice(first).map_err(|error| fail(1, error.to_string()))?;
    if beginning.format != FORMAT_VERSION {
        let cause = format!(
            "it has format {}, and this version reads {FORMAT_VERSION}",
            beginning.format
        );
        return Err(fail(1, cause));
    }
    let entries = lines.map(|(index, line)| {
        serde_json::from_slice(line).map_err(|error| fail(index + 1, error.to_string()))
    });
    Ok(Some((beginning, entries.collect::<Result<_, _>>()?)))
}

// The blocks on which two annotators disagree, as the third person sees them: without names, the
// sides in random order.

/// True if the two labels of a block are shown in exchanged order: random, but constant for each
/// block.
fn is_exchanged(page: &str, block: usize) -> bool {
    let mut hash = Fnv::new();
    page.bytes()
        .chain(block.to_le_bytes())
        .for_each(|byte| hash.add(byte));
    // The low bits of this hash change with every byte; the high ones mix them.
    (hash.finish() ^ (hash.finish() >> 32)).count_ones() % 2 == 1
}

/// The labels of all blocks of a page in the order in which they are shown.
pub(super) fn disputed_labels(page: &str, sides: &Sides) -> Vec<[BlockLabel; 2]> {
    let pair = |(block, &[one, other]): (usize, &[BlockLabel; 2])| {
        if is_exchanged(page, block) {
            [other, one]
        } else {
            [one, other]
        }
    };
    sides.labels.iter().enumerate().map(pair).collect()
}

pub(super) fn is_disputed(sides: &Sides, block: usize) -> bool {
    sides
        .labels
        .get(block)
        .is_some_and(|[one, other]| one != other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotate::history::Change;
    use std::fs;

    fn beginning() -> Beginning {
        Beginning {
            format: FORMAT_VERSION,
            page: "a".to_owned(),
            annotator: "ann".to_owned(),
            fingerprint: "0".to_owned(),
            verdicts: vec![BlockLabel::Content; 2],
            marks: vec![Mark::Paragraph; 2],
            sides: None,
        }
    }

    fn entry(block: usize) -> Entry {
        let change = Change {
            block,
            label: Some(BlockLabel::Comments),
            mark: None,
        };
        Entry {
            action: Action::Set {
                changes: vec![change],
            },
            seconds: 1.5,
            keys: 2,
            at_s: 3,
        }
    }

    #[test]
    fn what_was_appended_is_read_and_appended_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ann/a.jsonl");
        assert!(Journal::open(&path).unwrap().is_none());
        let mut journal = Journal::create(&path, &beginning()).unwrap();
        journal.append(&entry(0)).unwrap();
        drop(journal);
        let (mut journal, first, entries) = Journal::open(&path).unwrap().unwrap();
        assert_eq!((first, entries), (beginning(), vec![entry(0)]));
        journal.append(&entry(1)).unwrap();
        assert_eq!(read(&path).unwrap().unwrap().1, [entry(0), entry(1)]);
        assert!(Journal::create(&path, &beginning()).is_err());
    }

    #[test]
    fn a_journal_cut_anywhere_in_its_last_line_keeps_what_was_acknowledged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let mut journal = Journal::create(&path, &beginning()).unwrap();
        journal.append(&entry(0)).unwrap();
        let before = fs::metadata(&path).unwrap().len() as usize;
        journal.append(&entry(1)).unwrap();
        let whole = fs::read(&path).unwrap();
        for end in before..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            assert_eq!(read(&path).unwrap().unwrap().1, [entry(0)]);
            let (mut journal, _, entries) = Journal::open(&path).unwrap().unwrap();
            assert_eq!(entries, [entry(0)]);
            journal.append(&entry(1)).unwrap();
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
        fs::write(&path, &whole[..9]).unwrap();
        assert!(Journal::open(&path).unwrap().is_none() && !path.exists());
    }

    #[test]
    fn damage_before_the_last_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let first = serde_json::to_string(&beginning()).unwrap();
        fs::write(
            &path,
            format!("{first}\n{{\"kind\": \"paint\", \"seconds\": 1, \"keys\": 1, \"at_s\": 1}}\n"),
        )
        .unwrap();
        let error = Journal::open(&path).unwrap_err().to_string();
        assert!(
            error.contains("line 2") && error.contains("paint"),
            "{error}"
        );
        fs::write(
            &path,
            format!("{}\n", first.replacen("\"format\":1", "\"format\":9", 1)),
        )
        .unwrap();
        assert!(
            Journal::open(&path)
                .unwrap_err()
                .to_string()
                .contains("format 9")
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_that_names_the_journal() {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut journal = Journal {
            path: "gold/a.jsonl".into(),
            file,
            length: 0,
        };
        let error = journal.append(&entry(0)).unwrap_err().to_string();
        assert!(
            error.contains("gold/a.jsonl") && error.contains("not stored"),
            "{error}"
        );
    }

    #[test]
    fn about_half_of_the_sides_are_exchanged_and_always_the_same() {
        let labels = vec![[BlockLabel::Content, BlockLabel::Boilerplate]; 1000];
        let sides = Sides {
            names: ["a".to_owned(), "b".to_owned()],
            labels,
        };
        let seen = disputed_labels("page", &sides);
        let exchanged = seen
            .iter()
            .filter(|pair| pair[0] == BlockLabel::Boilerplate)
            .count();
        assert!((400..600).contains(&exchanged), "{exchanged}");
        assert_eq!(seen, disputed_labels("page", &sides));
        assert_ne!(seen, disputed_labels("other", &sides));
    }
}
