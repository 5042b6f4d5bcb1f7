//! What a caller is told while the pages of data sets are worked on, and the loop over them.

use super::{DataSet, Row};
use rayon::prelude::*;

/// Is told how work on data sets goes on. The methods are called from any thread.
pub trait Progress: Sync {
    /// A piece of work begins that has so many parts, such as the pages of a set.
    fn begin(&self, what: &str, parts: usize);

    /// So many of its parts are done.
    fn advance(&self, parts: usize);

    /// The piece of work is done.
    fn end(&self);

    /// A page could not be used.
    fn page_failed(&self, set: &str, page: &str, cause: &str);

    /// A step of a longer calculation was done.
    fn step(&self, text: &str);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&self, _: &str, _: usize) {}
    fn advance(&self, _: usize) {}
    fn end(&self) {}
    fn page_failed(&self, _: &str, _: &str, _: &str) {}
    fn step(&self, _: &str) {}
}

/// Calls `work` for each row of `set` in parallel and collects what it gives, in the order of the rows.
pub fn each_page<T, C>(set: &DataSet, rows: &[&Row], progress: &dyn Progress, work: impl Fn(&Row) -> T + Sync) -> C
where
    T: Send,
    C: FromParallelIterator<T>,
{
    progress.begin(&set.name, rows.len());
    let one = |row: &&Row| {
        let done = work(row);
        progress.advance(1);
        done
    };
    let all = rows.par_iter().with_max_len(1).map(one).collect();
    progress.end();
    all
}
