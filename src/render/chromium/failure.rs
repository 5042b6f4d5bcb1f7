//! What to do after a page has failed in a browser: whose fault it was, and whether a second try makes sense.

use super::browser::Browser;
use super::page::LOADING;
use crate::error::RenderError;

/// Whether and how to try a page again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    /// Not at all.
    No,
    /// At once, whatever other pages are open.
    Again,
    /// While no other page is open, which shows whether this page was the one that brought the browser down.
    Alone,
}

/// A failed attempt.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) error: RenderError,
    pub(super) retry: Retry,
}

/// How the page was rendered that failed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Circumstances {
    /// Whether the browser had no other page meanwhile.
    pub(super) was_alone: bool,
    /// Whether the browser had begun to show the page.
    pub(super) has_begun: bool,
    /// Whether the browser is dead or does not respond.
    pub(super) browser_died: bool,
}

/// Whether the tab of a page that failed with this error may be unusable.
pub(super) fn is_doubtful(error: &RenderError) -> bool {
    matches!(
        error,
        RenderError::Crash(_) | RenderError::TimeOut { .. } | RenderError::TooSlow { .. } | RenderError::Cancelled
    )
}

/// Whether the browser may be slow for all pages after this error: a page that keeps it busy after loading may do so
/// outside of its own process.
pub(super) fn is_suspect(error: &RenderError) -> bool {
    match error {
        RenderError::TimeOut { step, .. } => *step != LOADING,
        RenderError::TooSlow { .. } => true,
        _ => false,
    }
}

impl Failure {
    /// An error that another try does not change.
    pub(super) fn last(error: RenderError) -> Self {
        Self { error, retry: Retry::No }
    }

    /// The failure of a page in `browser`.
    pub(super) fn new(error: RenderError, browser: &Browser, circumstances: Circumstances) -> Self {
        let memory = &browser.memory;
        let is_crash = matches!(error, RenderError::Crash(_));
        if (is_crash || circumstances.browser_died) && memory.has_stopped_browser() {
            let retry = if circumstances.was_alone { Retry::No } else { Retry::Alone };
            return Self { error: memory.limits.error(), retry };
        }
        if is_crash && memory.has_stopped_page() {
            return Self::last(memory.limits.error());
        }
        let retry = retry(&error, circumstances);
        let error = match error {
            // Only a server may be faster the next time.
            RenderError::TimeOut { step, limit_ms } if step != LOADING => RenderError::TooSlow { limit_ms },
            other => other,
        };
        Self { error, retry }
    }
}

/// Whether a second try makes sense, if memory was not the cause.
fn retry(error: &RenderError, circumstances: Circumstances) -> Retry {
    let Circumstances { was_alone, has_begun, browser_died } = circumstances;
    match error {
        RenderError::Cancelled => Retry::No,
        RenderError::Crash(_) => Retry::Again,
        // The page itself keeps the browser busy, and would again.
        RenderError::TimeOut { .. } | RenderError::TooSlow { .. } if was_alone && has_begun => Retry::No,
        RenderError::TimeOut { .. } | RenderError::TooSlow { .. } if browser_died => Retry::Alone,
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
        let of = |was_alone, has_begun, browser_died| Circumstances { was_alone, has_begun, browser_died };
        let step = "the snapshot of the page";
        for error in [time_out(step), RenderError::TooSlow { limit_ms: 1 }] {
            assert_eq!(retry(&error, of(true, true, true)), Retry::No);
            assert_eq!(retry(&error, of(false, true, true)), Retry::Alone);
            assert_eq!(retry(&error, of(false, true, false)), Retry::No);
            assert!(is_suspect(&error));
        }
        // A browser that hangs before it shows anything is not the fault of the page.
        assert_eq!(retry(&time_out(LOADING), of(true, false, true)), Retry::Alone);
        assert_eq!(retry(&RenderError::Crash(String::new()), of(true, true, false)), Retry::Again);
        assert_eq!(retry(&RenderError::Load(String::new()), of(true, true, true)), Retry::Again);
        assert_eq!(retry(&RenderError::Load(String::new()), of(true, true, false)), Retry::No);
        assert!(!is_suspect(&time_out(LOADING)));
        // The tab of a page that nobody wants any more is closed, and the browser stays.
        let cancelled = RenderError::Cancelled;
        assert!(is_doubtful(&cancelled) && !is_suspect(&cancelled));
        assert_eq!(retry(&cancelled, of(false, true, true)), Retry::No);
    }
}
