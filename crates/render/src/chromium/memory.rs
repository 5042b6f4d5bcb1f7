//! Limits the memory of a browser: a thread measures the memory of its processes, and kills those
//! that use too much.
//!
//! The thread does not depend on the browser: it works however busy the page is. A page over its
//! limit loses its own process, which the other pages do not notice. If the memory is not in the
//! process of a page, or the browser as a whole needs too much, all its processes are killed.
//!
//! Control groups of the kernel would be exact, but a program may create one only where an
//! administrator has delegated this to it. `RLIMIT_DATA` counts address space, of which the script
//! engine reserves many times what it uses.

use super::system;
use super::system::{ProcessGroup, ProcessMemory, whole};
use crate::options::{FURTHER_TAB_BYTES, written_bytes};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use vclean_core::error::RenderError;

/// Interval between two readings. A page that fills memory at full speed adds 100 to 200 MB
/// meanwhile.
const INTERVAL: Duration = Duration::from_millis(100);
/// Number of readings after which new processes are searched for.
const REFRESH_READINGS: usize = 4;
/// Number of readings after which the group of every process is read again.
const FORGET_READINGS: usize = 600;
/// Number of readings that a killed process has to disappear before the whole browser is judged
/// again.
const PATIENCE_READINGS: usize = 10;
/// Limits of a browser, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MemoryLimits {
    /// Limit for the process of one page.
    pub(super) page: u64,
    /// Limit for all processes together.
    pub(super) whole: u64,
}

impl MemoryLimits {
    /// Computes the limits of a browser with `tabs` tabs, each of which may need up to `page`
    /// bytes.
    pub(super) fn new(page: u64, tabs: usize) -> Self {
        Self {
            page,
            whole: page + FURTHER_TAB_BYTES * (tabs.max(1) as u64 - 1),
        }
    }

    /// Returns the error of a page that was stopped.
    pub(super) fn error(self) -> RenderError {
        RenderError::Limit(format!(
            "the browser needed more than {} for this page and was stopped; raise `browser_memory`, or leave the page out",
            written_bytes(self.page)
        ))
    }
}

/// The processes that the thread killed.
#[derive(Debug, Default)]
struct KilledProcesses {
    /// Number of killed processes whose pages have not asked yet.
    pages: AtomicUsize,
    /// Set if the whole browser was killed.
    browser: AtomicBool,
}

/// Watches the memory of a browser until this value is dropped.
#[derive(Debug)]
pub(super) struct MemoryWatch {
    /// Limits that messages name, and that the thread applies.
    pub(super) limits: MemoryLimits,
    done: Arc<KilledProcesses>,
    /// Dropping it ends the thread.
    _running: mpsc::Sender<()>,
}

impl MemoryWatch {
    /// Starts watching the browser of this process group.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(super) fn start(group: u32, limits: MemoryLimits) -> std::io::Result<Self> {
        let done = Arc::new(KilledProcesses::default());
        let (running, ended) = mpsc::channel();
        let thread = Arc::clone(&done);
        std::thread::Builder::new()
            .name("vclean-memory".into())
            .spawn(move || watch(group, limits, &thread, &ended))?;
        Ok(Self {
            limits,
            done,
            _running: running,
        })
    }

    /// Returns true if the process of a page was killed for its memory: once for each such process,
    /// for the page that finds its process dead.
    pub(super) fn has_stopped_page(&self) -> bool {
        self.done
            .pages
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |pages| {
                pages.checked_sub(1)
            })
            .is_ok()
    }

    /// Returns true if the whole browser was killed for its memory.
    pub(super) fn has_stopped_browser(&self) -> bool {
        self.done.browser.load(Ordering::SeqCst)
    }
}

fn watch(group: u32, limits: MemoryLimits, done: &KilledProcesses, ended: &mpsc::Receiver<()>) {
    let mut processes = ProcessGroup::new(group);
    let mut killed: Vec<u32> = Vec::new();
    let mut patience = 0;
    for reading in 0_usize.. {
        match ended.recv_timeout(INTERVAL) {
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            _ => return,
        }
        if reading.is_multiple_of(FORGET_READINGS) {
            processes.forget();
        }
        if reading.is_multiple_of(REFRESH_READINGS) {
            processes.refresh();
        }
        patience -= usize::from(patience > 0);
        let memory = processes.memory();
        killed.retain(|id| memory.iter().any(|process| process.id == *id));
        match judge(&memory, &killed, limits) {
            Verdict::Keep => {}
            Verdict::KillPage(id) => {
                // Count before killing: the page asks as soon as it finds its process dead.
                done.pages.fetch_add(1, Ordering::SeqCst);
                system::kill(id);
                killed.push(id);
                patience = PATIENCE_READINGS;
            }
            Verdict::KillBrowser if patience > 0 => {}
            Verdict::KillBrowser => {
                done.browser.store(true, Ordering::SeqCst);
                system::kill_group(group);
                return;
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Keep,
    /// Kill this process, which belongs to a page.
    KillPage(u32),
    KillBrowser,
}

/// Decides what happens to a browser whose processes need this memory; those in `killed` are about
/// to end.
fn judge(processes: &[ProcessMemory], killed: &[u32], limits: MemoryLimits) -> Verdict {
    let pages = processes
        .iter()
        .filter(|process| process.is_renderer && !killed.contains(&process.id));
    let largest = pages.max_by_key(|process| process.resident());
    let is_over = whole(processes) > limits.whole;
    match largest {
        Some(largest) if largest.resident() > limits.page => Verdict::KillPage(largest.id),
        // The page that needs most is responsible, provided it needs an unusual amount.
        Some(largest) if is_over && largest.resident() > limits.page / 2 => {
            Verdict::KillPage(largest.id)
        }
        _ if is_over => Verdict::KillBrowser,
        _ => Verdict::Keep,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(id: u32, is_renderer: bool, private: u64) -> ProcessMemory {
        ProcessMemory {
            id,
            is_renderer,
            private,
            shared: 10,
        }
    }

    #[test]
    fn the_page_that_needs_most_is_stopped_first() {
        let limits = MemoryLimits {
            page: 100,
            whole: 150,
        };
        let browser = process(1, false, 20);
        let two = |one, other| [browser, process(2, true, one), process(3, true, other)];
        assert_eq!(judge(&two(50, 60), &[], limits), Verdict::Keep);
        assert_eq!(
            judge(&two(91, 60), &[], limits),
            Verdict::KillPage(2),
            "over the limit of a page"
        );
        assert_eq!(
            judge(&two(60, 70), &[], limits),
            Verdict::KillPage(3),
            "over the limit of the browser"
        );
        let other = process(4, false, 140);
        assert_eq!(
            judge(&[browser, other, process(3, true, 30)], &[], limits),
            Verdict::KillBrowser
        );
        // A killed process counts until it is gone, and is not killed again.
        assert_eq!(judge(&two(95, 30), &[2], limits), Verdict::KillBrowser);
        assert_eq!(judge(&[browser], &[2], limits), Verdict::Keep);
    }

    #[test]
    fn each_tab_adds_to_the_limit_of_the_browser() {
        let gb = 1 << 30;
        assert_eq!(
            MemoryLimits::new(2 * gb, 1),
            MemoryLimits {
                page: 2 * gb,
                whole: 2 * gb
            }
        );
        assert_eq!(MemoryLimits::new(2 * gb, 3).whole, 3 * gb);
        assert_eq!(written_bytes(2 * gb), "2 GB");
        assert_eq!(written_bytes(5 * gb / 2), "2.5 GB");
        assert_eq!(written_bytes(400 << 20), "400 MB");
    }
}
