//! What earlier runs did, read from a journal up to its last checkpoint.

use super::error::JournalError;
use super::line::{Checkpoint, EffectiveArguments, Line, VERSION};
use rustc_hash::{FxHashMap, FxHasher};
use std::fs::File;
use std::hash::Hasher;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The result of a page in earlier runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is done; the size of its own file in bytes, if it has one.
    Done(Option<u64>),
    /// It is done, and was dropped: it has no output.
    Dropped,
    /// It failed.
    Failed,
}

/// What earlier runs did, in a few bytes per page.
#[derive(Debug, Default)]
pub struct Past {
    /// By the hash of a page's name. With a million pages, the probability that two names share one is 1 in 30 million.
    fates: FxHashMap<u64, Fate>,
    /// The last checkpoint.
    pub checkpoint: Option<Checkpoint>,
}

impl Past {
    /// The result of a page.
    pub fn fate(&self, page: &str) -> Option<Fate> {
        self.fates.get(&hash(page)).copied()
    }

    /// The numbers of pages that are done and of pages that failed.
    pub fn counts(&self) -> (usize, usize) {
        let failed = self.fates.values().filter(|fate| **fate == Fate::Failed).count();
        (self.fates.len() - failed, failed)
    }
}

pub(super) fn hash(page: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(page.as_bytes());
    hasher.finish()
}

/// Reads a journal up to its last checkpoint and returns its content and the position after that checkpoint in bytes. If
/// `arguments` are given, those in the journal must be the same.
pub(super) fn read(
    file: &File,
    path: &Path,
    arguments: Option<&EffectiveArguments>,
) -> Result<(Past, u64), JournalError> {
    let fail = |cause| JournalError::Io { path: path.to_path_buf(), cause };
    let mut reader = BufReader::new(file);
    let mut past = Past::default();
    // The group that is being read; it is valid only if its checkpoint follows.
    let mut group: Vec<(u64, Fate)> = Vec::new();
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
            (Ok(Line::Journal { version: VERSION, arguments: was }), 1) => {
                if let Some(is) = arguments {
                    compare(&was, is)?;
                }
            }
            (Ok(Line::Journal { .. }), _) => {
                let cause = "it is of another version of vclean".to_owned();
                damage.get_or_insert(JournalError::Damaged { path: path.to_path_buf(), line: number, cause });
            }
            (Ok(Line::Done { page, bytes, dropped }), _) if end > 0 => {
                group.push((hash(&page), if dropped { Fate::Dropped } else { Fate::Done(bytes) }));
            }
            (Ok(Line::Failed(failure)), _) if end > 0 => group.push((hash(&failure.page), Fate::Failed)),
            (Ok(Line::Checkpoint(checkpoint)), 2..) => {
                if let Some(damage) = damage {
                    return Err(damage);
                }
                past.fates.extend(group.drain(..));
                past.checkpoint = Some(checkpoint);
                end = position;
            }
            (Ok(_), _) => {
                let cause = "the line does not belong here".to_owned();
                damage.get_or_insert(JournalError::Damaged { path: path.to_path_buf(), line: number, cause });
            }
            (Err(cause), _) => {
                damage.get_or_insert(JournalError::Damaged { path: path.to_path_buf(), line: number, cause });
            }
        }
    }
    Ok((past, end))
}

/// The first setting that differs, if any.
fn compare(was: &EffectiveArguments, is: &EffectiveArguments) -> Result<(), JournalError> {
    let none = || "none".to_owned();
    for name in was.keys().chain(is.keys()) {
        let (old, new) = (was.get(name), is.get(name));
        if old != new {
            let (was, is) = (old.cloned().unwrap_or_else(none), new.cloned().unwrap_or_else(none));
            return Err(JournalError::Differs { name: name.clone(), was, is });
        }
    }
    Ok(())
}
