//! Pieces of work, their outcomes, and how a pool goes through them.

/// One piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<T, N = String> {
    /// What it is called, given back with its outcome.
    pub name: N,
    /// What the work takes.
    pub content: T,
}

/// What came of one piece of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome<R, N = String> {
    /// Name of the item.
    pub name: N,
    /// What the work gave, or in one line why it could not.
    pub result: Result<R, String>,
}

/// How a batch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every item was worked on and handed over.
    Complete,
    /// [`Stop`] was set: what was in flight was handed over, the rest was not begun.
    Stopped,
    /// The receiver of the results wants no more.
    Declined,
}

/// In which order results are handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As the items came, whatever the number of jobs; one that is slow holds up those behind it.
    #[default]
    Input,
    /// As they are done.
    Finished,
}

/// Two pools, one behind the other, such as the tabs of a browser and the processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pools {
    /// Pieces in the first stage at once, at least one.
    pub first: usize,
    /// Pieces in the second stage at once, at least one.
    pub second: usize,
}
