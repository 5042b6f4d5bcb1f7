//! How far a run is, for whoever reports it.

use std::time::Duration;

/// Numbers of pages of a run, and its time so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// Pages that were processed in this run and did not fail.
    pub done: u64,
    /// Pages that failed in this run.
    pub failed: u64,
    /// Pages among those done whose documents the chores of the run dropped.
    pub dropped: u64,
    /// Pages that earlier runs had processed, successfully or not, and that this one leaves out.
    pub skipped: u64,
    /// Pages of all inputs, these included, as far as they are known: it grows when a folder is opened. `None` if an
    /// input does not tell its number of pages, as most archives.
    pub expected: Option<u64>,
    /// Browsers that were started after the first.
    pub browser_restarts: usize,
    /// Time since the run began.
    pub elapsed: Duration,
}

impl Figures {
    /// Pages that this run has processed.
    pub fn processed(&self) -> u64 {
        self.done + self.failed
    }

    /// Pages that this run has to process, as far as they are known.
    pub fn to_process(&self) -> Option<u64> {
        self.expected.map(|expected| expected.saturating_sub(self.skipped).max(self.processed()))
    }

    /// What is worth showing beside the number of pages; empty if nothing is.
    pub fn remark(&self) -> String {
        let mut words = Vec::new();
        if self.skipped > 0 {
            words.push(format!("{} done before", self.skipped));
        }
        if self.failed > 0 {
            words.push(format!("{} failed", self.failed));
        }
        if self.browser_restarts > 0 {
            words.push(format!("{} browser restarts", self.browser_restarts));
        }
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_earlier_runs_are_not_to_be_processed() {
        let figures = Figures { done: 3, failed: 1, skipped: 10, expected: Some(20), ..Figures::default() };
        assert_eq!((figures.processed(), figures.to_process()), (4, Some(10)));
        assert_eq!(figures.remark(), "10 done before, 1 failed");
        assert_eq!(Figures { expected: Some(2), ..figures }.to_process(), Some(4));
        assert_eq!(Figures { expected: None, ..figures }.to_process(), None);
        assert_eq!(Figures { browser_restarts: 2, ..Figures::default() }.remark(), "2 browser restarts");
    }
}
