//! The file with the statistics of a run, for Prometheus. It helps to watch a run and is no part of its result: if it can
//! no longer be written, the run goes on and warns once.

use super::error::RunError;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use vclean_core::files;

/// Time between two updates.
const UPDATE_AFTER: Duration = Duration::from_secs(5);

/// The file, which is replaced with each update.
#[derive(Debug)]
pub(super) struct MetricsFile {
    path: PathBuf,
    updated_at: Instant,
    /// What the user is to be told, once.
    warning: Option<String>,
    has_warned: bool,
}

impl MetricsFile {
    /// A file at `path`, which is written at once.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn create(path: &Path, statistics: &str) -> Result<Self, RunError> {
        files::write_whole(path, statistics.as_bytes())?;
        Ok(Self { path: path.to_path_buf(), updated_at: Instant::now(), warning: None, has_warned: false })
    }

    /// Whether it is time for an update.
    pub(super) fn is_due(&self) -> bool {
        self.updated_at.elapsed() >= UPDATE_AFTER
    }

    /// Writes the statistics.
    pub(super) fn update(&mut self, statistics: &str) {
        self.updated_at = Instant::now();
        if let Err(error) = files::write_whole(&self.path, statistics.as_bytes())
            && !self.has_warned
        {
            self.has_warned = true;
            self.warning = Some(format!("the metrics are no longer up to date: {error}"));
        }
    }

    /// A warning that was not told yet.
    pub(super) fn take_warning(&mut self) -> Option<String> {
        self.warning.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_written_is_an_error_first_and_a_warning_later() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");
        let path = gone.join("x.prom");
        assert!(MetricsFile::create(&path, "").unwrap_err().to_string().contains("x.prom"));
        std::fs::create_dir(&gone).unwrap();
        let mut file = MetricsFile::create(&path, "pages 0").unwrap();
        assert!(!file.is_due());
        std::fs::remove_dir_all(&gone).unwrap();
        file.update("pages 1");
        assert!(file.take_warning().unwrap().contains("x.prom"));
        file.update("pages 2");
        assert_eq!(file.take_warning(), None, "told once");
    }
}
