//! Progress of verbs that process data sets: a bar, failed pages and steps, on standard error.

use super::console;
use crate::gold::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Progress on a terminal.
pub(super) struct Terminal {
    is_quiet: bool,
    bar: Mutex<ProgressBar>,
}

impl Terminal {
    /// If `is_quiet`, shows only failed pages. The bar is drawn on a terminal only.
    pub(super) fn new(is_quiet: bool) -> Self {
        Self { is_quiet, bar: Mutex::new(ProgressBar::hidden()) }
    }

    fn bar(&self) -> MutexGuard<'_, ProgressBar> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Terminal {
    fn begin(&self, what: &str, parts: usize) {
        let is_shown = !self.is_quiet && io::stderr().is_terminal();
        let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(parts as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}, {elapsed} gone, {eta} left") {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        *self.bar() = bar;
    }

    fn advance(&self, parts: usize) {
        self.bar().inc(parts as u64);
    }

    fn end(&self) {
        self.bar().finish_and_clear();
    }

    fn page_failed(&self, set: &str, page: &str, cause: &str) {
        console::complain(&format!("{set}/{page}: {cause}"));
    }

    fn step(&self, text: &str) {
        if !self.is_quiet {
            console::complain(text);
        }
    }
}
