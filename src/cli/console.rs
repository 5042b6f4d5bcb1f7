//! What the user sees while a batch runs: results on standard output, one line a problem and a progress bar on
//! standard error.

use crate::text::one_line;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::ops::ControlFlow;
use std::time::Duration;

/// Standard output and standard error of one batch.
pub(super) struct Console {
    bar: ProgressBar,
    is_quiet: bool,
    has_printed: bool,
    has_lost_output: bool,
}

impl Console {
    /// A console for about `pages` pages; a bar is drawn only for more than one, on a terminal, unless `is_quiet`.
    pub(super) fn new(pages: usize, may_be_more: bool, is_quiet: bool) -> Self {
        let has_bar = !is_quiet && (pages > 1 || may_be_more) && io::stderr().is_terminal();
        let target = if has_bar { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(pages as u64), target);
        // Nobody knows how many pages an archive holds before its end.
        let template = if pages > 1 {
            "{bar:30} {pos}/{len} pages, {per_sec}, {elapsed} gone, {eta} left {wide_msg}"
        } else {
            "{spinner} {pos} pages, {per_sec}, {elapsed} gone {wide_msg}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if has_bar {
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        Self { bar, is_quiet, has_printed: false, has_lost_output: false }
    }

    /// One page more is done, well or not; `remark` stands beside the progress.
    pub(super) fn advance(&self, remark: &str) {
        if self.bar.length().is_some_and(|length| self.bar.position() >= length) {
            self.bar.inc_length(1);
        }
        self.bar.inc(1);
        if !remark.is_empty() {
            self.bar.set_message(remark.to_owned());
        }
    }

    /// Something that concerns the whole run.
    pub(super) fn complain(&self, message: &str) {
        self.bar.suspend(|| complain(message));
    }

    /// Something that the user should know of the whole run, and that does not stop it.
    pub(super) fn notice(&self, text: &str) {
        if !self.is_quiet {
            self.bar.suspend(|| complain(&format!("warning: {text}")));
        }
    }

    /// A page could not be worked on.
    pub(super) fn error(&self, page: &str, cause: &str) {
        self.bar.suspend(|| complain(&format!("{page}: {cause}")));
    }

    /// Something went wrong with a page without stopping it.
    pub(super) fn warning(&self, page: &str, warning: &str) {
        if !self.is_quiet {
            self.bar.suspend(|| complain(&format!("{page}: warning: {warning}")));
        }
    }

    /// Prints the text of a page; `separator` stands between the texts of two pages. A text that does not end its last
    /// line gets its end. Breaks when nobody reads any more, or the output cannot be written.
    pub(super) fn print(&mut self, text: &str, separator: &str) -> ControlFlow<()> {
        if text.is_empty() {
            return ControlFlow::Continue(());
        }
        let separator = if self.has_printed { separator } else { "" };
        self.has_printed = true;
        let end = if text.ends_with('\n') { "" } else { "\n" };
        match self.bar.suspend(|| print(&[separator, text, end])) {
            Ok(true) => ControlFlow::Continue(()),
            Ok(false) => ControlFlow::Break(()),
            Err(()) => {
                self.has_lost_output = true;
                ControlFlow::Break(())
            }
        }
    }

    /// Whether results could not be written, other than because nobody reads any more.
    pub(super) fn has_lost_output(&self) -> bool {
        self.has_lost_output
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Prints to standard output; false when nobody reads any more, an error (already complained of) in other troubles.
pub(super) fn print(parts: &[&str]) -> Result<bool, ()> {
    let mut out = io::stdout().lock();
    match parts.iter().try_for_each(|part| out.write_all(part.as_bytes())).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => {
            complain(&format!("cannot write to standard output: {error}"));
            Err(())
        }
    }
}

/// One line on standard error, after the program's name.
pub(super) fn complain(message: &str) {
    // There is nowhere left to say that standard error is closed.
    let _ = writeln!(io::stderr().lock(), "vclean: {}", one_line(message));
}
