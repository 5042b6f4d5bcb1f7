//! The other output of the laboratory's verbs: files of figures, and progress on standard error.

use crate::console;
use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use vclean_core::files;
use vclean_lab::gold::Progress;
use vclean_run::Protected;

/// Refuses outputs that would replace a file that the verb reads: the manifest, a page or gold of a
/// data folder in `data`, or one of `others`, which are files and folders.
///
/// # Errors
/// If one would.
pub(super) fn refuse_inputs<'a>(
    data: &[PathBuf],
    others: impl IntoIterator<Item = &'a Path>,
    outputs: impl IntoIterator<Item = Option<&'a Path>>,
) -> anyhow::Result<()> {
    let of_data = data
        .iter()
        .flat_map(|folder| ["manifest.jsonl", "pages", "gold"].map(|name| folder.join(name)));
    let protected = Protected::paths(of_data.chain(others.into_iter().map(Path::to_path_buf)));
    Ok(outputs
        .into_iter()
        .flatten()
        .try_for_each(|path| protected.check(path))?)
}

/// Writes figures as indented JSON if a path is given.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write_json(path: Option<&Path>, figures: &impl Serialize) -> anyhow::Result<()> {
    if let Some(path) = path {
        let json = serde_json::to_string_pretty(figures).context("cannot write JSON")?;
        files::write_whole(path, format!("{json}\n").as_bytes())?;
    }
    Ok(())
}

/// Progress on a terminal.
pub(super) struct Terminal {
    is_quiet: bool,
    bar: Mutex<ProgressBar>,
}

impl Terminal {
    /// If `is_quiet`, shows only failed pages. The bar is drawn on a terminal only.
    pub(super) fn new(is_quiet: bool) -> Self {
        Self {
            is_quiet,
            bar: Mutex::new(ProgressBar::hidden()),
        }
    }

    fn bar(&self) -> MutexGuard<'_, ProgressBar> {
        self.bar.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Terminal {
    fn begin(&self, what: &str, parts: usize) {
        let is_shown = !self.is_quiet && io::stderr().is_terminal();
        let target = if is_shown {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(parts as u64), target);
        if let Ok(style) = ProgressStyle::with_template(
            "{msg} {bar:30} {pos}/{len}, {elapsed} elapsed, {eta} left",
        ) {
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
