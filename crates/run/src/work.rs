//! Items of work, their outcomes, and the options of a pool.

/// One item of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item<T, N = String> {
    /// Its name, returned with its outcome.
    pub name: N,
    /// The input of the work.
    pub content: T,
}

/// The outcome of one item of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome<R, N = String, E = String> {
    /// Name of the item.
    pub name: N,
    /// The result of the work, or why it failed.
    pub result: Result<R, E>,
}

/// How a batch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every item was worked on and its result delivered.
    Complete,
    /// [`Stop`](super::Stop) was set. Results of work that ended within a second were delivered;
    /// other work was abandoned or not begun.
    Stopped,
    /// The receiver of the results wants no more.
    Declined,
}

/// The order in which results are delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// In the order of the items, whatever the number of jobs; a slow item delays the results after
    /// it.
    #[default]
    Input,
    /// Like `Input`, without exception: when the batch is stopped, results that wait for an
    /// unfinished item are discarded.
    Strict,
    /// In the order in which the items finish.
    Finished,
}

/// The pools of two stages, such as the tabs of a browser and the processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pools {
    /// Items in the first stage at once, at least one.
    pub first: usize,
    /// Items in the second stage at once, at least one.
    pub second: usize,
}
