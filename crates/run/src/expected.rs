//! The number of pages of a run, as far as it is known.

use super::corpus::LeftOut;
use super::options::Shard;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Stands for a number that is not known.
const UNKNOWN: u64 = u64::MAX;

/// The number of pages of all inputs. Each input counts as one page until it is opened; then it counts as the pages that
/// it says it has. Shared by the thread that opens the inputs and the one that reports.
#[derive(Debug, Clone, Default)]
pub(super) struct Expected(Arc<AtomicU64>);

impl Expected {
    /// Inputs that are not opened yet.
    pub(super) fn of_inputs(count: usize) -> Self {
        Self(Arc::new(AtomicU64::new(count as u64)))
    }

    /// An input was opened that has this many pages; `None` if it does not say.
    pub(super) fn opened(&self, pages: Option<usize>) {
        // Only the thread that opens the inputs writes.
        let before = self.0.load(Ordering::Relaxed);
        let after = match pages {
            Some(pages) if before != UNKNOWN => before.saturating_sub(1).saturating_add(pages as u64),
            _ => UNKNOWN,
        };
        self.0.store(after, Ordering::Relaxed);
    }

    /// A page of an input that was opened is left out.
    pub(super) fn left_out(&self) {
        let before = self.0.load(Ordering::Relaxed);
        if before != UNKNOWN {
            self.0.store(before.saturating_sub(1), Ordering::Relaxed);
        }
    }

    /// The number of pages of a shard, or of all without one; `None` if an input did not say.
    fn pages(&self, shard: Option<Shard>) -> Option<u64> {
        let pages = Some(self.0.load(Ordering::Relaxed)).filter(|pages| *pages != UNKNOWN)?;
        let Shard { index, count } = shard.unwrap_or(Shard { index: 0, count: 1 });
        Some(pages.saturating_sub(index as u64).div_ceil(count as u64))
    }
}

/// The number of pages of a run, which may work on a shard of its inputs.
#[derive(Debug, Default)]
pub(super) struct ExpectedPages {
    pub(super) expected: Expected,
    pub(super) shard: Option<Shard>,
    /// Pages that were left out and do not count.
    pub(super) left_out: LeftOut,
}

impl ExpectedPages {
    /// The number, as far as it is known now.
    pub(super) fn pages(&self) -> Option<u64> {
        self.expected.pages(self.shard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_counts_as_one_page_until_it_is_opened() {
        let expected = Expected::of_inputs(3);
        assert_eq!(expected.pages(None), Some(3));
        expected.opened(Some(10));
        assert_eq!(expected.pages(None), Some(12));
        let of_shards = (0..5).filter_map(|index| expected.pages(Some(Shard { index, count: 5 })));
        assert_eq!(of_shards.collect::<Vec<_>>(), [3, 3, 2, 2, 2]);
        expected.opened(None);
        expected.opened(Some(1));
        assert_eq!(expected.pages(None), None);
    }
}
