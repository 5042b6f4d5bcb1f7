//! The labels of one page by one person: their history in memory, and their journal on disk.

use super::error::AnnotateError;
use super::history::{History, Labelled, Origin};
use super::journal::{self, Beginning, Entry, Journal};
use std::path::{Path, PathBuf};

/// Reason why an action was not done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// It does not fit the page.
    #[error("{0}")]
    Objection(String),
    /// It could not be stored.
    #[error(transparent)]
    Storing(#[from] AnnotateError),
}

/// The effort spent on a page.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Effort {
    /// Time in which the person was active, in seconds.
    pub seconds: f64,
    /// Number of keys pressed.
    pub keys: u64,
}

impl Effort {
    /// The effort up to and including `entry`.
    #[must_use]
    pub(crate) fn plus(self, entry: &Entry) -> Self {
        Self {
            seconds: self.seconds + entry.seconds.max(0.0),
            keys: self.keys.saturating_add(entry.keys),
        }
    }
}

/// The labels of one page.
#[derive(Debug)]
pub struct PageState {
    path: PathBuf,
    beginning: Beginning,
    history: History,
    journal: Option<Journal>,
    effort: Effort,
}

impl PageState {
    /// The labels of a page that nobody has changed. The journal is written with the first change.
    pub fn new(path: PathBuf, beginning: Beginning) -> Self {
        let history = History::new(start(&beginning));
        Self {
            path,
            beginning,
            history,
            journal: None,
            effort: Effort::default(),
        }
    }

    /// The labels in a journal; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged before its last line.
    pub fn open(path: &Path) -> Result<Option<Self>, AnnotateError> {
        let Some((journal, beginning, entries)) = Journal::open(path)? else {
            return Ok(None);
        };
        let mut state = replay(path, beginning, &entries)?;
        state.journal = Some(journal);
        Ok(Some(state))
    }

    /// The labels in a journal that another program may be writing; nothing can be changed. `None`
    /// if there is none.
    ///
    /// # Errors
    /// If the journal cannot be read or is damaged.
    pub fn read(path: &Path) -> Result<Option<Self>, AnnotateError> {
        journal::read(path)?
            .map(|(beginning, entries)| replay(path, beginning, &entries))
            .transpose()
    }

    /// True if anything is on disk.
    pub(crate) fn is_stored(&self) -> bool {
        self.journal.is_some()
    }

    /// Does what a person asked for, first on disk, then in memory. Returns the numbers of the
    /// changed blocks.
    ///
    /// # Errors
    /// If it does not fit, or cannot be stored; the labels are then as before.
    pub(crate) fn act(&mut self, entry: &Entry) -> Result<Vec<usize>, Refused> {
        if let Some(objection) = self.history.objection(&entry.action) {
            return Err(Refused::Objection(objection));
        }
        let journal = match &mut self.journal {
            Some(journal) => journal,
            None => self
                .journal
                .insert(Journal::create(&self.path, &self.beginning)?),
        };
        journal.append(entry)?;
        let changed = self
            .history
            .apply(&entry.action)
            .map_err(Refused::Objection)?;
        self.effort = self.effort.plus(entry);
        Ok(changed)
    }

    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    /// The labels at the start.
    pub(crate) fn beginning(&self) -> &Beginning {
        &self.beginning
    }

    /// The effort spent on the page so far.
    pub(crate) fn effort(&self) -> Effort {
        self.effort
    }
}

/// The state of each block at the start.
fn start(beginning: &Beginning) -> Vec<Labelled> {
    let sides = beginning.sides.as_ref();
    let block = |(index, (&label, &mark))| {
        let by = match sides.and_then(|sides| sides.labels.get::<usize>(index)) {
            None => Origin::Model,
            Some([one, other]) if one == other => Origin::Both,
            Some(_) => Origin::Nobody,
        };
        Labelled { label, mark, by }
    };
    beginning
        .verdicts
        .iter()
        .zip(&beginning.marks)
        .enumerate()
        .map(block)
        .collect()
}

fn replay(
    path: &Path,
    beginning: Beginning,
    entries: &[Entry],
) -> Result<PageState, AnnotateError> {
    let mut state = PageState::new(path.to_path_buf(), beginning);
    for (index, entry) in entries.iter().enumerate() {
        state
            .history
            .apply(&entry.action)
            .map_err(|cause| AnnotateError::Journal {
                path: path.to_path_buf(),
                line: index + 2,
                cause,
            })?;
        state.effort = state.effort.plus(entry);
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annotate::history::{Action, Change};
    use crate::annotate::journal::{FORMAT_VERSION, Sides};
    use crate::annotate::label::{BlockLabel, Mark};

    fn beginning(labels: &[BlockLabel]) -> Beginning {
        Beginning {
            format: FORMAT_VERSION,
            page: "a".to_owned(),
            annotator: "ann".to_owned(),
            fingerprint: "0".to_owned(),
            verdicts: labels.to_vec(),
            marks: vec![Mark::Paragraph; labels.len()],
            sides: None,
        }
    }

    fn entry(action: Action) -> Entry {
        Entry {
            action,
            seconds: 2.0,
            keys: 1,
            at_s: 0,
        }
    }

    #[test]
    fn a_restart_finds_the_same_labels_and_can_undo_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let mut state = PageState::new(
            path.clone(),
            beginning(&[BlockLabel::Content, BlockLabel::Boilerplate]),
        );
        assert!(PageState::open(&path).unwrap().is_none() && !state.is_stored());
        let change = Change {
            block: 1,
            label: Some(BlockLabel::Comments),
            mark: None,
        };
        assert_eq!(
            state
                .act(&entry(Action::Set {
                    changes: vec![change]
                }))
                .unwrap(),
            [1]
        );
        assert!(matches!(
            state.act(&entry(Action::Redo)),
            Err(Refused::Objection(_))
        ));
        let history = state.history().clone();
        drop(state);
        let mut state = PageState::open(&path).unwrap().unwrap();
        assert_eq!(
            (state.history(), state.effort()),
            (
                &history,
                Effort {
                    seconds: 2.0,
                    keys: 1
                }
            )
        );
        state.act(&entry(Action::Undo)).unwrap();
        assert_eq!(state.history().blocks()[1].by, Origin::Model);
        assert_eq!(
            PageState::read(&path).unwrap().unwrap().history(),
            state.history()
        );
    }

    #[test]
    fn disputed_blocks_belong_to_nobody() {
        let mut beginning = beginning(&[BlockLabel::Content, BlockLabel::Unsure]);
        let labels = vec![
            [BlockLabel::Content; 2],
            [BlockLabel::Comments, BlockLabel::Content],
        ];
        beginning.sides = Some(Sides {
            names: ["a".to_owned(), "b".to_owned()],
            labels,
        });
        let state = PageState::new(PathBuf::new(), beginning);
        let by: Vec<Origin> = state
            .history()
            .blocks()
            .iter()
            .map(|block| block.by)
            .collect();
        assert_eq!(by, [Origin::Both, Origin::Nobody]);
    }

    #[test]
    fn a_journal_that_contradicts_itself_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let mut journal = Journal::create(&path, &beginning(&[BlockLabel::Content])).unwrap();
        journal.append(&entry(Action::Undo)).unwrap();
        let error = PageState::open(&path).unwrap_err().to_string();
        assert!(
            error.contains("line 2") && error.contains("nothing to undo"),
            "{error}"
        );
    }
}
