//! The record of a run's results on disk, from which a later run can resume it, however it ended.
//!
//! A journal is a file of JSON lines. The first line holds the arguments of the run. Then follow
//! pages, done or failed, and after each group of pages a checkpoint: the length of the output when
//! all of them were safely on disk. Output is written and synchronized first; the pages and their
//! checkpoint follow in one write. So everything before the last checkpoint is valid even after a
//! power cut. Everything after it (an incomplete line, pages without a checkpoint) is cut off and
//! repeated, and so is the output beyond the checkpoint. No page is lost and none is stored twice.

use crate::source::run_output::JOURNAL;
pub(crate) use crate::source::run_output::{JOURNAL_ENDING, JOURNAL_FOLDER, is_journal_folder};
use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::hash::Hasher;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use vclean_core::error::ErrorKind;

/// Name of the file that a run locks.
const LOCK: &str = "lock";

/// Treatment of the results of an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// If there are results, the run does not begin.
    Refuse,
    /// The run keeps them and continues; if there are none, a new run begins.
    Resume,
    /// The run deletes the journal and replaces the results.
    Forget,
}

/// The journal of a run. Its folder is locked until this is dropped.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Lines that are not written yet.
    pending: Vec<u8>,
    pending_pages: usize,
    _lock: File,
}

impl Journal {
    /// Begins a journal in `folder`, which is created, or resumes an existing one. Also returns the
    /// results of earlier runs.
    ///
    /// # Errors
    /// If another run uses the folder, if the earlier run is incompatible with this one, or if the
    /// journal cannot be read or written.
    pub fn open(
        folder: &Path,
        arguments: &EffectiveArguments,
        earlier: Earlier,
    ) -> Result<(Self, Past), JournalError> {
        let fail = |path: &Path| {
            let path = path.to_path_buf();
            move |cause| JournalError::Io { path, cause }
        };
        std::fs::create_dir_all(folder).map_err(fail(folder))?;
        let lock = folder.join(LOCK);
        let locked = File::create(&lock).map_err(fail(&lock))?;
        match locked.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(JournalError::Locked(folder.to_path_buf()));
            }
            Err(TryLockError::Error(cause)) => return Err(fail(&lock)(cause)),
        }
        let path = folder.join(JOURNAL);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(fail(&path))?;
        let is_there = file.metadata().map_err(fail(&path))?.len() > 0;
        let mut past = Past::default();
        match earlier {
            Earlier::Refuse if is_there => {
                let (done, failed) = read(&file, &path, None)?.0.counts();
                if done + failed > 0 {
                    return Err(JournalError::ResultsExist(folder.to_path_buf()));
                }
                file.set_len(0).map_err(fail(&path))?;
            }
            Earlier::Resume if is_there => {
                let (found, end) = read(&file, &path, Some(arguments))?;
                past = found;
                file.set_len(end).map_err(fail(&path))?;
            }
            _ => file.set_len(0).map_err(fail(&path))?,
        }
        let end = file.seek(SeekFrom::End(0)).map_err(fail(&path))?;
        let mut journal = Self {
            path,
            file,
            pending: Vec::new(),
            pending_pages: 0,
            _lock: locked,
        };
        if end == 0 {
            journal.push(&Line::Journal {
                version: VERSION,
                arguments: arguments.clone(),
            });
            journal.push(&Line::Checkpoint(Checkpoint::default()));
            journal.write().map_err(|cause| JournalError::Io {
                path: journal.path.clone(),
                cause,
            })?;
        }
        Ok((journal, past))
    }

    /// Records that a page is done; `bytes` is the size of its own file, if it has one.
    pub fn done(&mut self, page: &str, bytes: Option<u64>) {
        self.push(&Line::Done {
            page: page.to_owned(),
            bytes,
            dropped: false,
        });
        self.pending_pages += 1;
    }

    /// Records that a page is done and was dropped.
    pub fn dropped(&mut self, page: &str) {
        self.push(&Line::Done {
            page: page.to_owned(),
            bytes: None,
            dropped: true,
        });
        self.pending_pages += 1;
    }

    /// Records that a page failed.
    pub fn failed(&mut self, failure: Failure) {
        self.push(&Line::Failed(failure));
        self.pending_pages += 1;
    }

    /// Number of recorded pages that are not on disk.
    pub fn pending(&self) -> usize {
        self.pending_pages
    }

    /// Writes all records to disk. The output up to `checkpoint` must be there already.
    ///
    /// # Errors
    /// If it cannot be written. The records are kept for another attempt.
    pub(crate) fn commit(&mut self, checkpoint: Checkpoint) -> io::Result<()> {
        if self.pending_pages == 0 {
            return Ok(());
        }
        let length = self.pending.len();
        self.push(&Line::Checkpoint(checkpoint));
        let written = self.write();
        if written.is_err() {
            self.pending.truncate(length);
        }
        written
    }

    fn push(&mut self, line: &Line) {
        serde_json::to_writer(&mut self.pending, line)
            .expect("a line has string keys and memory takes all");
        self.pending.push(b'\n');
    }

    fn write(&mut self) -> io::Result<()> {
        let end = self.file.stream_position()?;
        let written = self
            .file
            .write_all(&self.pending)
            .and_then(|()| self.file.sync_data());
        if written.is_err() {
            // If the disk is full, only the beginning of the group may have been written; it is
            // removed.
            let _ = self.file.set_len(end);
            let _ = self.file.seek(SeekFrom::Start(end));
            return written;
        }
        self.pending.clear();
        self.pending_pages = 0;
        Ok(())
    }

    /// Calls `take` with the pages that failed and were not done later, each once, in the order of
    /// their last failure.
    ///
    /// # Errors
    /// If the journal cannot be read, or `take` fails.
    pub fn failures(&self, mut take: impl FnMut(Failure) -> io::Result<()>) -> io::Result<()> {
        // The line number of each page's last failure; only numbers are stored, because the journal
        // may be long.
        let mut last: FxHashMap<u64, usize> = FxHashMap::default();
        let lines = || -> io::Result<_> {
            Ok(BufReader::new(File::open(&self.path)?)
                .lines()
                .enumerate()
                .map_while(|(number, line)| {
                    let line = serde_json::from_str(&line.ok()?).ok()?;
                    Some((number, line))
                }))
        };
        for (number, line) in lines()? {
            match line {
                Line::Failed(failure) => drop(last.insert(hash(&failure.page), number)),
                Line::Done { page, .. } => drop(last.remove(&hash(&page))),
                Line::Journal { .. } | Line::Checkpoint(_) => {}
            }
        }
        for (number, line) in lines()? {
            if let Line::Failed(failure) = line
                && last.get(&hash(&failure.page)) == Some(&number)
            {
                take(failure)?;
            }
        }
        Ok(())
    }
}

/// The arguments of a run that change its output, by name. They must be repeated on resume.
pub type EffectiveArguments = BTreeMap<String, String>;

/// The length of an output that is safely on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Number of the file, from 0, if the output has several.
    pub part: u64,
    /// Length of the file in bytes.
    pub bytes: u64,
}

/// A line of a journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Line {
    /// The first line, with the arguments of the run.
    Journal {
        version: u32,
        #[serde(rename = "settings")]
        arguments: EffectiveArguments,
    },
    /// A page that is done, with the size of its own file if it has one.
    Done {
        page: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
        /// True if it was dropped and has no output.
        #[serde(default, skip_serializing_if = "is_false")]
        dropped: bool,
    },
    /// A page that failed.
    Failed(Failure),
    /// A checkpoint: everything before it is safely on disk.
    #[serde(rename = "mark")]
    Checkpoint(Checkpoint),
}

#[allow(clippy::trivially_copy_pass_by_ref)] // The signature that serde requires.
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A page that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Its name in the output.
    pub page: String,
    /// The input as the user named it.
    pub input: String,
    /// Kind of error, such as that of the network.
    pub kind: ErrorKind,
    /// Why, in one line.
    pub cause: String,
}

/// Version of the format of the lines.
const VERSION: u32 = 1;

/// The difference between two runs in one option. An option that is not given has the value `none`,
/// and a switch that is given has `true`.
fn difference(name: &str, earlier: &str, current: &str) -> String {
    match (earlier, current) {
        ("none", "true") => format!("the earlier run was without `{name}`, this one has it"),
        ("true", "none") => format!("the earlier run had `{name}`, this one is without it"),
        ("none", current) => {
            format!("the earlier run was without `{name}`, this one has {current}")
        }
        (earlier, "none") => {
            format!("the earlier run had `{name}` {earlier}, this one is without it")
        }
        _ => format!("the earlier run had `{name}` {earlier}, this one has {current}"),
    }
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another run is using the journal.
    #[error(
        "another run is writing to {0}; wait for its end, or give this one an output of its own"
    )]
    Locked(PathBuf),
    /// There are results of an earlier run, and no option says what to do with them.
    #[error(
        "{0} holds the results of an earlier run; `resume` continues it, `overwrite` begins anew"
    )]
    ResultsExist(PathBuf),
    /// The earlier run had other arguments.
    #[error(
        "{}: their results do not belong together; repeat its options, or begin anew with `overwrite`",
        difference(name, earlier, current)
    )]
    Differs {
        /// Name of the argument.
        name: String,
        /// Value in the earlier run.
        earlier: String,
        /// Value in this run.
        current: String,
    },
    /// It is damaged before its last checkpoint, which a crash cannot cause.
    #[error("{path}, line {line}: {cause}; begin anew with `overwrite`")]
    Damaged {
        /// File of the journal.
        path: PathBuf,
        /// Line of the damage, from 1.
        line: usize,
        /// Description of the damage.
        cause: String,
    },
    /// It cannot be read or written.
    #[error("{path}: {cause}")]
    Io {
        /// The journal or another file in its folder.
        path: PathBuf,
        /// The system's error message.
        cause: io::Error,
    },
}

/// The result of a page in earlier runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageOutcome {
    /// It is done; the size of its own file in bytes, if it has one.
    Done(Option<u64>),
    /// It is done and was dropped, so it has no output.
    Dropped,
    Failed,
}

/// The results of earlier runs, in a few bytes per page.
#[derive(Debug, Default)]
pub struct Past {
    /// Result by the hash of a page's name. With a million pages, the probability that two names
    /// share a hash is 1 in 30 million.
    outcomes: FxHashMap<u64, PageOutcome>,
    /// The last checkpoint; `None` if nothing was stored yet.
    pub checkpoint: Option<Checkpoint>,
}

impl Past {
    /// The result of a page.
    pub(crate) fn outcome(&self, page: &str) -> Option<PageOutcome> {
        self.outcomes.get(&hash(page)).copied()
    }

    /// The numbers of pages that are done and of pages that failed.
    pub fn counts(&self) -> (usize, usize) {
        let failed = self
            .outcomes
            .values()
            .filter(|outcome| **outcome == PageOutcome::Failed)
            .count();
        (self.outcomes.len() - failed, failed)
    }
}

fn hash(page: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(page.as_bytes());
    hasher.finish()
}

/// Reads a journal up to its last checkpoint and returns its content and the position after that
/// checkpoint in bytes. If `arguments` are given, those in the journal must be the same.
fn read(
    file: &File,
    path: &Path,
    arguments: Option<&EffectiveArguments>,
) -> Result<(Past, u64), JournalError> {
    let fail = |cause| JournalError::Io {
        path: path.to_path_buf(),
        cause,
    };
    let mut reader = BufReader::new(file);
    let mut past = Past::default();
    // The group that is being read. It is valid only if its checkpoint follows.
    let mut group: Vec<(u64, PageOutcome)> = Vec::new();
    let (mut position, mut end) = (0u64, 0u64);
    // A line that cannot be read is the incomplete end of the file, unless a checkpoint follows it.
    let mut damage: Option<JournalError> = None;
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let length = reader.read_until(b'\n', &mut bytes).map_err(fail)?;
        if length == 0 {
            break;
        }
        position += length as u64;
        let parsed: Result<Line, String> = match bytes.last() {
            Some(b'\n') => serde_json::from_slice(&bytes).map_err(|error| error.to_string()),
            _ => Err("the line does not end".to_owned()),
        };
        match (parsed, number) {
            (
                Ok(Line::Journal {
                    version: VERSION,
                    arguments: earlier,
                }),
                1,
            ) => {
                if let Some(current) = arguments {
                    compare(&earlier, current)?;
                }
            }
            (Ok(Line::Journal { .. }), _) => {
                let cause = "it is of another version of vclean".to_owned();
                damage.get_or_insert(JournalError::Damaged {
                    path: path.to_path_buf(),
                    line: number,
                    cause,
                });
            }
            (
                Ok(Line::Done {
                    page,
                    bytes,
                    dropped,
                }),
                _,
            ) if end > 0 => {
                group.push((
                    hash(&page),
                    if dropped {
                        PageOutcome::Dropped
                    } else {
                        PageOutcome::Done(bytes)
                    },
                ));
            }
            (Ok(Line::Failed(failure)), _) if end > 0 => {
                group.push((hash(&failure.page), PageOutcome::Failed));
            }
            (Ok(Line::Checkpoint(checkpoint)), 2..) => {
                if let Some(damage) = damage {
                    return Err(damage);
                }
                past.outcomes.extend(group.drain(..));
                past.checkpoint = Some(checkpoint);
                end = position;
            }
            (Ok(_), _) => {
                let cause = "the line does not belong here".to_owned();
                damage.get_or_insert(JournalError::Damaged {
                    path: path.to_path_buf(),
                    line: number,
                    cause,
                });
            }
            (Err(cause), _) => {
                damage.get_or_insert(JournalError::Damaged {
                    path: path.to_path_buf(),
                    line: number,
                    cause,
                });
            }
        }
    }
    Ok((past, end))
}

/// Returns an error that names the first argument that differs.
fn compare(earlier: &EffectiveArguments, current: &EffectiveArguments) -> Result<(), JournalError> {
    let none = || "none".to_owned();
    for name in earlier.keys().chain(current.keys()) {
        let (old, new) = (earlier.get(name), current.get(name));
        if old != new {
            let (earlier, current) = (
                old.cloned().unwrap_or_else(none),
                new.cloned().unwrap_or_else(none),
            );
            return Err(JournalError::Differs {
                name: name.clone(),
                earlier,
                current,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn arguments(format: &str) -> EffectiveArguments {
        EffectiveArguments::from([("format".to_owned(), format.to_owned())])
    }

    fn failure(page: &str, cause: &str) -> Failure {
        Failure {
            page: page.to_owned(),
            input: format!("https://{page}"),
            kind: ErrorKind::Network,
            cause: cause.to_owned(),
        }
    }

    fn failures(journal: &Journal) -> Vec<Failure> {
        let mut found = Vec::new();
        journal
            .failures(|failure| {
                found.push(failure);
                Ok(())
            })
            .unwrap();
        found
    }

    /// A journal with two groups: a done, b failed; then c done, b done, d failed twice.
    fn written(folder: &Path) -> PathBuf {
        let (mut journal, past) =
            Journal::open(folder, &arguments("text"), Earlier::Refuse).unwrap();
        assert_eq!((past.counts(), past.checkpoint), ((0, 0), None));
        journal.done("a", Some(10));
        journal.failed(failure("b", "time-out"));
        assert_eq!(journal.pending(), 2);
        journal.commit(Checkpoint { part: 0, bytes: 10 }).unwrap();
        journal.done("c", None);
        journal.done("b", None);
        journal.failed(failure("d", "first"));
        journal.failed(failure("d", "second"));
        journal.commit(Checkpoint { part: 1, bytes: 30 }).unwrap();
        journal.commit(Checkpoint { part: 9, bytes: 99 }).unwrap();
        folder.join(JOURNAL)
    }

    #[test]
    fn a_run_resumes_where_the_last_one_ended() {
        let folder = tempfile::tempdir().unwrap();
        written(folder.path());
        let (mut journal, past) =
            Journal::open(folder.path(), &arguments("text"), Earlier::Resume).unwrap();
        assert_eq!(past.counts(), (3, 1));
        assert_eq!(
            past.checkpoint,
            Some(Checkpoint { part: 1, bytes: 30 }),
            "a commit of nothing writes nothing"
        );
        assert_eq!(past.outcome("a"), Some(PageOutcome::Done(Some(10))));
        assert_eq!(
            (past.outcome("b"), past.outcome("d"), past.outcome("e")),
            (
                Some(PageOutcome::Done(None)),
                Some(PageOutcome::Failed),
                None
            )
        );
        assert_eq!(failures(&journal), [failure("d", "second")]);
        journal.done("d", None);
        journal.commit(Checkpoint { part: 1, bytes: 40 }).unwrap();
        assert!(failures(&journal).is_empty());
    }

    #[test]
    fn two_runs_do_not_share_an_output_and_no_results_are_lost_by_mistake() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, _) =
            Journal::open(folder.path(), &arguments("text"), Earlier::Refuse).unwrap();
        let error = Journal::open(folder.path(), &arguments("text"), Earlier::Resume).unwrap_err();
        assert!(matches!(error, JournalError::Locked(_)), "{error}");
        drop(journal);
        // A journal without pages may be replaced.
        (journal, _) = Journal::open(folder.path(), &arguments("html"), Earlier::Refuse).unwrap();
        journal.done("a", None);
        journal.commit(Checkpoint::default()).unwrap();
        drop(journal);
        let error = Journal::open(folder.path(), &arguments("html"), Earlier::Refuse)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("`resume`") && error.contains("`overwrite`"),
            "{error}"
        );
        let error = Journal::open(folder.path(), &arguments("json"), Earlier::Resume)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("`format` html") && error.contains("json"),
            "{error}"
        );
        let (_, past) = Journal::open(folder.path(), &arguments("json"), Earlier::Forget).unwrap();
        assert_eq!(past.counts(), (0, 0));
    }

    #[test]
    fn damage_in_the_middle_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path());
        let text =
            std::fs::read_to_string(&path)
                .unwrap()
                .replacen("\"page\":\"a\"", "\"page\":7", 1);
        std::fs::write(&path, text).unwrap();
        let error = Journal::open(folder.path(), &arguments("text"), Earlier::Resume)
            .unwrap_err()
            .to_string();
        assert!(error.contains("line 3"), "{error}");
    }

    proptest! {
        #[test]
        fn a_truncated_journal_is_valid_up_to_its_last_checkpoint(cut in 0usize..700, torn in any::<bool>()) {
            let folder = tempfile::tempdir().unwrap();
            let path = written(folder.path());
            let whole = std::fs::read(&path).unwrap();
            let cut = cut.min(whole.len());
            let mut bytes = whole[..cut].to_vec();
            if torn {
                // After a power cut, the last block may consist of zeros.
                bytes.extend([0; 40]);
            }
            std::fs::write(&path, &bytes).unwrap();
            let checkpoints: Vec<usize> = whole.windows(8).enumerate().filter(|(_, at)| at == b"{\"mark\":").map(|(at, _)| at).collect();
            let ends: Vec<usize> = checkpoints.iter().map(|at| at + whole[*at..].iter().position(|byte| *byte == b'\n').unwrap() + 1).collect();
            let groups = ends.iter().filter(|end| **end <= cut).count();
            let (mut journal, past) = Journal::open(folder.path(), &arguments("text"), Earlier::Resume).unwrap();
            prop_assert_eq!(past.counts(), [(0, 0), (0, 0), (1, 1), (3, 1)][groups]);
            // The run continues from there, and the journal is complete again.
            journal.done("z", None);
            journal.commit(Checkpoint { part: 0, bytes: 1 }).unwrap();
            drop(journal);
            let (_, again) = Journal::open(folder.path(), &arguments("text"), Earlier::Resume).unwrap();
            prop_assert_eq!(again.counts().0, past.counts().0 + 1);
        }
    }
}
