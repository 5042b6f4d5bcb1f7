//! The history of a page's labels: steps that can be undone and repeated without limit.
//!
//! The history is computed from the entries of the [journal](super::journal) alone, so it is the
//! same after a restart.

use super::label::{BlockLabel, Mark};
use serde::{Deserialize, Serialize};

/// Source of a block's label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Origin {
    /// The verdict of the model.
    Model,
    /// The person who labels.
    Person,
    /// Both annotators, whose labels are merged.
    Both,
    /// Nobody yet: the annotators disagree.
    Nobody,
}

/// The state of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Labelled {
    pub label: BlockLabel,
    pub mark: Mark,
    pub by: Origin,
}

/// A change of one block: a new label, a new mark, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    /// Number of the block on its page, from 0.
    pub block: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<BlockLabel>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
}

/// An action of a person on a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Action {
    /// Gave labels or marks to some blocks, in one step.
    Set {
        /// The changes, in the order in which they apply.
        changes: Vec<Change>,
    },
    /// Undid the last step.
    Undo,
    /// Repeated the step that was undone last.
    Redo,
    /// Finished the page, or reopened it.
    Done { done: bool },
}

/// A step: blocks with their state before and after it.
type Step = Vec<(usize, Labelled, Labelled)>;

/// The labels of a page, with all steps that led to them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct History {
    blocks: Vec<Labelled>,
    steps: Vec<Step>,
    reverted: Vec<Step>,
    revision: u64,
    done: bool,
}

impl History {
    /// A page that nobody has changed.
    pub(crate) fn new(blocks: Vec<Labelled>) -> Self {
        Self {
            blocks,
            steps: Vec::new(),
            reverted: Vec::new(),
            revision: 0,
            done: false,
        }
    }

    /// Reason why an action cannot be applied; `None` if it can.
    pub(crate) fn objection(&self, action: &Action) -> Option<String> {
        match action {
            Action::Set { changes } if changes.is_empty() => {
                Some("there is no change; name at least one block".to_owned())
            }
            Action::Set { changes } => {
                let wrong = changes
                    .iter()
                    .find(|change| change.block >= self.blocks.len());
                wrong.map(|change| {
                    format!(
                        "there is no block {}; the page has {} blocks, from 0",
                        change.block,
                        self.blocks.len()
                    )
                })
            }
            Action::Undo if self.steps.is_empty() => Some("there is nothing to undo".to_owned()),
            Action::Redo if self.reverted.is_empty() => Some("there is nothing to redo".to_owned()),
            Action::Undo | Action::Redo | Action::Done { .. } => None,
        }
    }

    /// Applies an action and returns the numbers of the blocks that it changed, in order.
    ///
    /// # Errors
    /// If the action does not fit the labels of the page.
    pub(crate) fn apply(&mut self, action: &Action) -> Result<Vec<usize>, String> {
        if let Some(objection) = self.objection(action) {
            return Err(objection);
        }
        let mut changed: Vec<usize> = match action {
            Action::Set { changes } => self.set(changes),
            Action::Undo => {
                let step = self.steps.pop().unwrap_or_default();
                for &(block, before, _) in step.iter().rev() {
                    self.blocks[block] = before;
                }
                let changed = step.iter().map(|(block, ..)| *block).collect();
                self.reverted.push(step);
                changed
            }
            Action::Redo => {
                let step = self.reverted.pop().unwrap_or_default();
                for &(block, _, after) in &step {
                    self.blocks[block] = after;
                }
                let changed = step.iter().map(|(block, ..)| *block).collect();
                self.steps.push(step);
                changed
            }
            Action::Done { done } => {
                self.done = *done;
                return Ok(Vec::new());
            }
        };
        self.revision += 1;
        // The gold was written from the labels before the change.
        self.done = false;
        changed.sort_unstable();
        changed.dedup();
        Ok(changed)
    }

    fn set(&mut self, changes: &[Change]) -> Vec<usize> {
        let mut step = Step::with_capacity(changes.len());
        for change in changes {
            let before = self.blocks[change.block];
            let mut after = before;
            if let Some(label) = change.label {
                after = Labelled {
                    label,
                    by: Origin::Person,
                    ..after
                };
            }
            if let Some(mark) = change.mark {
                after.mark = mark;
            }
            self.blocks[change.block] = after;
            step.push((change.block, before, after));
        }
        let changed = step.iter().map(|(block, ..)| *block).collect();
        self.steps.push(step);
        self.reverted.clear();
        changed
    }

    /// The state of every block.
    pub(crate) fn blocks(&self) -> &[Labelled] {
        &self.blocks
    }

    /// Number of blocks that the person has decided.
    pub(crate) fn labelled(&self) -> usize {
        self.blocks
            .iter()
            .filter(|block| block.by == Origin::Person)
            .count()
    }

    /// Number of blocks on which two annotators disagree and nobody has decided.
    pub(crate) fn undecided(&self) -> usize {
        self.blocks
            .iter()
            .filter(|block| block.by == Origin::Nobody)
            .count()
    }

    /// Number of changes so far, undone ones and undoing included.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    pub(crate) fn can_undo(&self) -> bool {
        !self.steps.is_empty()
    }

    pub(crate) fn can_redo(&self) -> bool {
        !self.reverted.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn history(blocks: usize) -> History {
        let start = Labelled {
            label: BlockLabel::Boilerplate,
            mark: Mark::Paragraph,
            by: Origin::Model,
        };
        History::new(vec![start; blocks])
    }

    fn label(block: usize, label: BlockLabel) -> Change {
        Change {
            block,
            label: Some(label),
            mark: None,
        }
    }

    #[test]
    fn undo_restores_labels_marks_and_who_gave_them() {
        let mut page = history(3);
        let start = page.blocks().to_vec();
        let twice = vec![
            label(1, BlockLabel::Content),
            label(1, BlockLabel::Unsure),
            label(2, BlockLabel::Comments),
        ];
        assert_eq!(page.apply(&Action::Set { changes: twice }).unwrap(), [1, 2]);
        assert_eq!(
            (page.blocks()[1].label, page.labelled()),
            (BlockLabel::Unsure, 2)
        );
        let mark = Change {
            block: 0,
            label: None,
            mark: Some(Mark::Heading),
        };
        page.apply(&Action::Set {
            changes: vec![mark],
        })
        .unwrap();
        // A mark alone decides nothing about the label.
        assert_eq!((page.blocks()[0].mark, page.labelled()), (Mark::Heading, 2));
        page.apply(&Action::Undo).unwrap();
        assert_eq!(page.apply(&Action::Undo).unwrap(), [1, 2]);
        assert_eq!(page.blocks(), start);
        assert!(!page.can_undo() && page.can_redo());
        page.apply(&Action::Redo).unwrap();
        assert_eq!(page.blocks()[1].label, BlockLabel::Unsure);
        page.apply(&Action::Set {
            changes: vec![label(0, BlockLabel::Content)],
        })
        .unwrap();
        assert!(!page.can_redo());
        assert_eq!(page.revision(), 6);
    }

    #[test]
    fn a_change_takes_a_finished_page_up_again() {
        let mut page = history(1);
        page.apply(&Action::Done { done: true }).unwrap();
        assert!(page.is_done() && page.revision() == 0);
        page.apply(&Action::Set {
            changes: vec![label(0, BlockLabel::Content)],
        })
        .unwrap();
        assert!(!page.is_done());
    }

    #[test]
    fn what_cannot_be_applied_changes_nothing() {
        let mut page = history(2);
        for wrong in [
            Action::Undo,
            Action::Redo,
            Action::Set { changes: vec![] },
            Action::Set {
                changes: vec![label(0, BlockLabel::Content), label(2, BlockLabel::Content)],
            },
        ] {
            assert!(page.apply(&wrong).is_err());
            assert_eq!(page, history(2));
        }
    }

    fn action() -> impl Strategy<Value = Action> {
        let label =
            (0usize..6, 0usize..4).prop_map(|(block, index)| label(block, BlockLabel::ALL[index]));
        let mark = (0usize..6, 0usize..3).prop_map(|(block, index)| Change {
            block,
            label: None,
            mark: Some(Mark::ALL[index]),
        });
        prop_oneof![
            4 => proptest::collection::vec(prop_oneof![label, mark], 1..4).prop_map(|changes| Action::Set { changes }),
            2 => Just(Action::Undo),
            1 => Just(Action::Redo),
        ]
    }

    proptest! {
        #[test]
        fn undoing_all_leads_to_the_start_and_redoing_all_back(actions in proptest::collection::vec(action(), 0..40)) {
            let mut page = history(6);
            for action in &actions {
                // Undo and redo may find nothing.
                let _ = page.apply(action);
            }
            let end = page.blocks().to_vec();
            let mut undo_count = 0;
            while page.can_undo() {
                page.apply(&Action::Undo).unwrap();
                undo_count += 1;
            }
            let start = history(6);
            prop_assert_eq!(page.blocks(), start.blocks());
            for _ in 0..undo_count {
                page.apply(&Action::Redo).unwrap();
            }
            prop_assert_eq!(page.blocks(), end);
        }
    }
}
