//! What `train` and `evaluate` share: data folders, and the captures of their pages.

use super::options::BrowserArguments;
use crate::evaluate::{Capturing, DataSet};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// Data folders and how their pages are captured.
#[derive(Debug, Clone, Args)]
pub(super) struct DataArguments {
    /// Data folders: manifest.jsonl, pages/, gold/
    #[arg(value_name = "DATA", required = true)]
    pub(super) data: Vec<PathBuf>,

    /// Parse the pages without rendering them
    #[arg(long = "static")]
    pub(super) is_static: bool,

    /// Folder of rendered captures, a folder in it for each data set; what is missing is rendered and kept there
    #[arg(long, value_name = "DIR", conflicts_with = "is_static")]
    pub(super) captures: Option<PathBuf>,

    /// Let pages load from the network while they are rendered; by default they have what they hold
    #[arg(long)]
    pub(super) online: bool,

    /// The browser
    #[command(flatten)]
    pub(super) browser: BrowserArguments,
}

impl DataArguments {
    /// Reads the manifests.
    ///
    /// # Errors
    /// If a folder is no data set.
    pub(super) fn open(&self) -> anyhow::Result<Vec<DataSet>> {
        Ok(self.data.iter().map(|folder| DataSet::open(folder)).collect::<Result<_, _>>()?)
    }

    /// How the pages are captured, `tabs` at once.
    #[cfg(feature = "chromium")]
    pub(super) fn capturing(&self, tabs: usize) -> Capturing {
        if self.is_static {
            return Capturing::Static;
        }
        let mut options = super::stages::render_options(&self.browser, tabs);
        options.offline |= !self.online;
        Capturing::rendered(options, self.captures.clone())
    }

    /// How the pages are captured: parsed, since this build renders nothing.
    #[cfg(not(feature = "chromium"))]
    pub(super) fn capturing(&self, _tabs: usize) -> Capturing {
        Capturing::Static
    }
}

/// A progress bar over `count` pages, on a terminal only.
pub(super) fn bar(count: usize, what: &str, is_quiet: bool) -> ProgressBar {
    let is_shown = !is_quiet && io::stderr().is_terminal();
    let target = if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(count as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}, {elapsed} gone, {eta} left") {
        bar.set_style(style);
    }
    bar.set_message(what.to_owned());
    bar
}
