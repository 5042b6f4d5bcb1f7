//! Browsers and their tabs: lends a free tab to each worker, replaces a browser after a number of
//! pages, and kills a browser that crashed or hangs. After a page has failed, determines if the
//! browser or the page caused it, and if a second try makes sense.

use super::browser::Browser;
use super::launch::Start;
use super::page::LOADING;
use super::requests::Access;
use super::tab::Tab;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use vclean_core::error::RenderError;

/// Declares if a page shares its browser with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    /// Other pages may be rendered at the same time.
    Shared,
    /// No other page is rendered meanwhile.
    Alone,
}

/// A tab lent to a worker.
pub(super) struct Lease {
    pub(super) tab: Tab,
    pub(super) browser: Arc<Browser>,
    /// Number of the page in its browser.
    number: usize,
    /// True if other pages were open when it started.
    was_joined: bool,
    sharing: Sharing,
}

impl Lease {
    /// Returns true if no other page was open in the browser since this one started.
    pub(super) fn was_alone(&self) -> bool {
        !self.was_joined && self.browser.pages.load(Ordering::SeqCst) == self.number
    }
}

struct State {
    browser: Option<Arc<Browser>>,
    idle: Vec<Tab>,
    lent: usize,
    /// Number of pages that wait for exclusive use of the browser, or have it.
    alone: usize,
    /// True while a thread is starting a browser.
    starting: bool,
}

/// One running browser with its tabs, shared by all workers.
pub(super) struct Pool {
    start: Start,
    tabs: usize,
    pages_per_browser: usize,
    state: Mutex<State>,
    changed: Condvar,
    retired_cpu_ms: Arc<AtomicU64>,
    /// Number of browsers that died and were replaced.
    died: AtomicUsize,
}

impl Pool {
    /// Creates a pool with one running browser.
    pub(super) fn new(
        start: Start,
        tabs: usize,
        pages_per_browser: usize,
    ) -> Result<Self, RenderError> {
        let pool = Self {
            start,
            tabs: tabs.max(1),
            pages_per_browser: pages_per_browser.max(1),
            state: Mutex::new(State {
                browser: None,
                idle: Vec::new(),
                lent: 0,
                alone: 0,
                starting: false,
            }),
            changed: Condvar::new(),
            retired_cpu_ms: Arc::default(),
            died: AtomicUsize::new(0),
        };
        let browser = pool.start_browser()?;
        pool.state().browser = Some(browser);
        Ok(pool)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start_browser(&self) -> Result<Arc<Browser>, RenderError> {
        let start = || Browser::start(&self.start, Arc::clone(&self.retired_cpu_ms));
        // Try twice: a browser may be killed while it starts if the machine is briefly short of
        // memory.
        let browser = start().or_else(|_| start())?;
        Ok(Arc::new(browser))
    }

    /// Process group of the current browser.
    #[cfg(test)]
    pub(super) fn group(&self) -> Option<u32> {
        self.state()
            .browser
            .as_ref()
            .map(|browser| browser.process.group)
    }

    /// Returns the number of browsers that died.
    pub(super) fn died(&self) -> usize {
        self.died.load(Ordering::Relaxed)
    }

    /// Returns the CPU time of all browsers so far, in ms.
    pub(super) fn cpu_ms(&self) -> u64 {
        let current = self.state().browser.clone();
        self.retired_cpu_ms.load(Ordering::Relaxed)
            + current.map_or(0, |browser| browser.process.cpu_ms())
    }

    /// Waits until another page may begin, and counts it.
    fn begin(&self, sharing: Sharing) -> MutexGuard<'_, State> {
        let mut state = self.state();
        state.alone += usize::from(sharing == Sharing::Alone);
        let must_wait = |state: &State| match sharing {
            _ if state.starting => true,
            Sharing::Alone => state.lent > 0,
            Sharing::Shared => state.lent >= self.tabs || state.alone > 0,
        };
        while must_wait(&state) {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.lent += 1;
        state
    }

    /// Removes an ended page from the count.
    fn end(state: &mut State, sharing: Sharing) {
        state.lent -= 1;
        state.alone -= usize::from(sharing == Sharing::Alone);
    }

    /// Lends a free tab with this access, or a new one; if all are lent, waits until one is
    /// returned.
    pub(super) fn lend(&self, access: Access, sharing: Sharing) -> Result<Lease, RenderError> {
        let mut state = self.begin(sharing);
        let is_due = state
            .browser
            .as_ref()
            .is_some_and(|browser| browser.pages.load(Ordering::Relaxed) >= self.pages_per_browser);
        if is_due {
            // The old browser runs until its lent tabs are returned.
            let old = (std::mem::take(&mut state.idle), state.browser.take());
            drop(state);
            drop(old);
            state = self.state();
            while state.starting {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
        let browser = if let Some(browser) = &state.browser {
            Arc::clone(browser)
        } else {
            state.starting = true;
            drop(state);
            let started = self.start_browser();
            state = self.state();
            state.starting = false;
            self.changed.notify_all();
            match started {
                Ok(browser) => {
                    state.browser = Some(Arc::clone(&browser));
                    browser
                }
                Err(error) => {
                    Self::end(&mut state, sharing);
                    return Err(error);
                }
            }
        };
        let number = browser.pages.fetch_add(1, Ordering::SeqCst) + 1;
        let was_joined = browser.open_pages.fetch_add(1, Ordering::SeqCst) > 0;
        let fitting = state.idle.iter().rposition(|tab| tab.access == access);
        let idle = fitting.map(|index| state.idle.swap_remove(index));
        drop(state);
        let tab = match idle {
            Some(tab) => Ok(tab),
            None => browser.open(&self.start, access),
        };
        tab.map(|tab| Lease {
            tab,
            browser: Arc::clone(&browser),
            number,
            was_joined,
            sharing,
        })
        .inspect_err(|_| {
            self.abandon(&browser, sharing, None);
        })
    }

    /// Takes back a tab that is ready for the next page.
    pub(super) fn give_back(&self, lease: Lease) {
        let Lease {
            tab,
            browser,
            sharing,
            ..
        } = lease;
        browser.open_pages.fetch_sub(1, Ordering::SeqCst);
        let mut state = self.state();
        Self::end(&mut state, sharing);
        let is_current = state
            .browser
            .as_ref()
            .is_some_and(|current| Arc::ptr_eq(current, &browser));
        if is_current {
            state.idle.push(tab);
        }
        drop(state);
        self.changed.notify_all();
        // If this was the last tab of a replaced browser, the browser ends here, outside the lock.
        drop(browser);
    }

    /// Takes back a tab that may still hold data of its page's user, and closes it.
    pub(super) fn retire(&self, lease: Lease) {
        let Lease {
            tab,
            browser,
            sharing,
            ..
        } = lease;
        let id = tab.id().to_owned();
        drop(tab);
        self.abandon(&browser, sharing, Some(&id));
    }

    /// Takes back a tab that is dead or may be, and kills its process; returns true if its browser
    /// is dead too. If so, or if `is_suspect`, the browser is replaced.
    pub(super) fn discard(&self, lease: Lease, is_suspect: bool) -> bool {
        let Lease {
            mut tab,
            browser,
            sharing,
            ..
        } = lease;
        tab.end_process();
        let id = tab.id().to_owned();
        drop(tab);
        browser.was_slowed.fetch_or(is_suspect, Ordering::SeqCst);
        let is_dead = self.abandon(&browser, sharing, Some(&id));
        if is_suspect && !is_dead {
            self.replace(&browser);
        }
        is_dead
    }

    fn abandon(&self, browser: &Arc<Browser>, sharing: Sharing, tab: Option<&str>) -> bool {
        let closed = tab.is_some_and(|id| browser.close(id));
        let is_dead = !closed && !browser.is_alive() || tab.is_none();
        browser.open_pages.fetch_sub(1, Ordering::SeqCst);
        if is_dead && self.replace(browser) {
            self.died.fetch_add(1, Ordering::Relaxed);
        }
        Self::end(&mut self.state(), sharing);
        self.changed.notify_all();
        is_dead
    }

    /// Stops lending tabs of a browser, which ends when its lent tabs are returned; returns false
    /// if it was replaced before.
    fn replace(&self, browser: &Arc<Browser>) -> bool {
        let mut state = self.state();
        if !state
            .browser
            .as_ref()
            .is_some_and(|current| Arc::ptr_eq(current, browser))
        {
            return false;
        }
        let old = (std::mem::take(&mut state.idle), state.browser.take());
        drop(state);
        drop(old);
        true
    }
}

/// Decision about a second try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    /// The error is final.
    No,
    /// At once, whatever other pages are open.
    Again,
    /// While no other page is open: this shows if this page was the one that brought the browser
    /// down.
    Alone,
}

/// A failed attempt, and the decision about another one.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: RenderError,
    pub(super) retry: Retry,
}

/// Circumstances of a failed rendering.
#[derive(Debug, Clone, Copy)]
pub(super) struct Circumstances {
    /// True if the browser had no other page meanwhile.
    pub(super) was_alone: bool,
    /// True if the browser had begun to show the page.
    pub(super) has_begun: bool,
    /// True if the browser is dead or does not respond.
    pub(super) browser_died: bool,
    /// True if another page had kept the browser busy.
    pub(super) was_slowed: bool,
}

/// Returns true if the tab of a page with this error may be unusable.
pub(super) fn is_doubtful(error: &RenderError) -> bool {
    matches!(
        error,
        RenderError::Crash(_)
            | RenderError::TimeOut { .. }
            | RenderError::TooSlow { .. }
            | RenderError::Cancelled
    )
}

/// Returns true if the browser may be slow for all pages after this error: a page that keeps it
/// busy after loading may do so outside of its own process.
pub(super) fn is_suspect(error: &RenderError) -> bool {
    match error {
        RenderError::TimeOut { step, .. } => *step != LOADING,
        RenderError::TooSlow { .. } => true,
        _ => false,
    }
}

impl Failure {
    /// Wraps an error that another try cannot change.
    pub(super) fn last(error: RenderError) -> Self {
        Self {
            error,
            retry: Retry::No,
        }
    }

    /// Classifies the failure of a page in `browser`.
    pub(super) fn new(error: RenderError, browser: &Browser, circumstances: Circumstances) -> Self {
        let memory = &browser.memory;
        let is_crash = matches!(error, RenderError::Crash(_));
        if (is_crash || circumstances.browser_died) && memory.has_stopped_browser() {
            let retry = if circumstances.was_alone {
                Retry::No
            } else {
                Retry::Alone
            };
            return Self {
                error: memory.limits.error(),
                retry,
            };
        }
        if is_crash && memory.has_stopped_page() {
            return Self::last(memory.limits.error());
        }
        let retry = retry(&error, circumstances);
        let error = match error {
            // A server may be faster the next time; the page itself is not.
            RenderError::TimeOut { step, limit_ms } if step != LOADING => {
                RenderError::TooSlow { limit_ms }
            }
            other => other,
        };
        Self { error, retry }
    }
}

/// Decides about a second try, if memory was not the cause.
fn retry(error: &RenderError, circumstances: Circumstances) -> Retry {
    let Circumstances {
        was_alone,
        has_begun,
        browser_died,
        was_slowed,
    } = circumstances;
    match error {
        RenderError::Cancelled => Retry::No,
        RenderError::Crash(_) => Retry::Again,
        // The page itself keeps the browser busy, and would do so again.
        RenderError::TimeOut { .. } | RenderError::TooSlow { .. } if was_alone && has_begun => {
            Retry::No
        }
        RenderError::TimeOut { .. } | RenderError::TooSlow { .. } if browser_died => Retry::Alone,
        RenderError::TimeOut { .. } | RenderError::TooSlow { .. } if was_slowed => Retry::Again,
        _ if browser_died => Retry::Again,
        _ => Retry::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_brings_its_browser_down_is_not_tried_again() {
        let time_out = |step| RenderError::TimeOut { step, limit_ms: 1 };
        let circumstances = |was_alone, has_begun, browser_died| Circumstances {
            was_alone,
            has_begun,
            browser_died,
            was_slowed: false,
        };
        let step = "the snapshot of the page";
        for error in [time_out(step), RenderError::TooSlow { limit_ms: 1 }] {
            assert_eq!(retry(&error, circumstances(true, true, true)), Retry::No);
            assert_eq!(
                retry(&error, circumstances(false, true, true)),
                Retry::Alone
            );
            assert_eq!(retry(&error, circumstances(false, true, false)), Retry::No);
            let slowed = Circumstances {
                was_slowed: true,
                ..circumstances(false, true, false)
            };
            assert_eq!(retry(&error, slowed), Retry::Again);
            assert!(is_suspect(&error));
        }
        // A browser that hangs before it shows anything is not the page's fault.
        assert_eq!(
            retry(&time_out(LOADING), circumstances(true, false, true)),
            Retry::Alone
        );
        assert_eq!(
            retry(
                &RenderError::Crash(String::new()),
                circumstances(true, true, false)
            ),
            Retry::Again
        );
        assert_eq!(
            retry(
                &RenderError::Load(String::new()),
                circumstances(true, true, true)
            ),
            Retry::Again
        );
        assert_eq!(
            retry(
                &RenderError::Load(String::new()),
                circumstances(true, true, false)
            ),
            Retry::No
        );
        assert!(!is_suspect(&time_out(LOADING)));
        // The tab of a cancelled page is closed, and the browser stays.
        let cancelled = RenderError::Cancelled;
        assert!(is_doubtful(&cancelled) && !is_suspect(&cancelled));
        assert_eq!(
            retry(&cancelled, circumstances(false, true, true)),
            Retry::No
        );
    }
}
