//! Starts the built program and checks what it did.

use assert_cmd::Command;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time limit of a call.
const LIMIT: Duration = Duration::from_mins(5);

/// Number of tests that may run a browser concurrently, for machines with two processors.
const MAX_BROWSERS: usize = 2;

static BROWSERS: Mutex<usize> = Mutex::new(0);
static BROWSER_ENDED: Condvar = Condvar::new();

/// Permission to start one browser, or to be the only test with browsers, until it is dropped.
pub struct Browsers(usize);

impl Drop for Browsers {
    fn drop(&mut self) {
        *BROWSERS.lock().unwrap_or_else(PoisonError::into_inner) -= self.0;
        BROWSER_ENDED.notify_all();
    }
}

fn browsers(count: usize) -> Browsers {
    let running = BROWSERS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_full = |running: &mut usize| *running + count > MAX_BROWSERS;
    *BROWSER_ENDED
        .wait_while(running, is_full)
        .unwrap_or_else(PoisonError::into_inner) += count;
    Browsers(count)
}

/// Waits for permission to run a browser.
pub fn one_browser() -> Browsers {
    browsers(1)
}

/// Waits until no other test runs a browser, for tests that count processes or measure their memory
/// or time.
pub fn only_browser() -> Browsers {
    browsers(MAX_BROWSERS)
}

/// Exit code and output of a call.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// Time from the start of the program to its end.
    pub took: Duration,
}

impl Outcome {
    /// Returns the lines of standard error about `page`.
    pub fn lines_on(&self, page: &str) -> Vec<&str> {
        let named = format!("vclean: {page}: ");
        self.stderr
            .lines()
            .filter(|line| line.starts_with(&named))
            .collect()
    }

    /// Returns the lines of standard error without the summary at the end of a run of several
    /// pages.
    pub fn problems(&self) -> Vec<&str> {
        let is_closing = |line: &str| {
            line.starts_with("vclean: ") && line.contains(" done, ") && line.ends_with(" s")
        };
        self.stderr
            .lines()
            .filter(|line| !is_closing(line))
            .collect()
    }

    /// Asserts that exactly one line names `page`, a cause, and all of `words`.
    #[track_caller]
    pub fn assert_fails(&self, page: &str, words: &[&str]) {
        let errors: Vec<&str> = self
            .lines_on(page)
            .into_iter()
            .filter(|line| !line.contains(": warning: "))
            .collect();
        assert_eq!(errors.len(), 1, "one line on {page} in\n{}", self.stderr);
        let line = errors[0].to_lowercase();
        assert!(
            line.len() > format!("vclean: {page}: ").len() + 8,
            "a cause in {line}"
        );
        for word in words {
            assert!(line.contains(&word.to_lowercase()), "{word:?} in {line}");
        }
    }
}

/// The engines of this build, by their `--engine` names.
pub const ENGINES: &[&str] = if cfg!(feature = "builtin") {
    &["chromium", "builtin"]
} else {
    &["chromium"]
};

/// Runs the program with `arguments`.
pub fn vclean<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Outcome {
    vclean_reading(arguments, "")
}

/// Runs the program with `arguments` and `input` on its standard input.
pub fn vclean_reading<S: AsRef<std::ffi::OsStr>>(
    arguments: impl IntoIterator<Item = S>,
    input: impl Into<Vec<u8>>,
) -> Outcome {
    run(
        Command::new(env!("CARGO_BIN_EXE_vclean")).args(arguments),
        input,
    )
}

/// Runs the program with `arguments` and VCLEAN_BROWSER set to `browser`.
pub fn vclean_with_browser<S: AsRef<std::ffi::OsStr>>(
    browser: &Path,
    arguments: impl IntoIterator<Item = S>,
) -> Outcome {
    run(
        Command::new(env!("CARGO_BIN_EXE_vclean"))
            .args(arguments)
            .env("VCLEAN_BROWSER", browser),
        "",
    )
}

fn run(command: &mut Command, input: impl Into<Vec<u8>>) -> Outcome {
    let start = Instant::now();
    let output = command
        .write_stdin(input)
        .timeout(LIMIT)
        .output()
        .expect("the program starts");
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("results are UTF-8"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        took: start.elapsed(),
    }
}

/// Reads the files directly in `folder`, without subfolders, by name.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return BTreeMap::new();
    };
    entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read(&path).unwrap(),
            )
        })
        .collect()
}

/// Reads the JSON documents in `folder` by file name, without the line that names the input, which
/// differs between a page and its capture.
pub fn documents_without_input(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let without_input = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("results are UTF-8");
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        assert_eq!(
            lines
                .iter()
                .filter(|line| line.starts_with("  \"input\": "))
                .count(),
            1,
            "{text}"
        );
        lines
            .into_iter()
            .filter(|line| !line.starts_with("  \"input\": "))
            // Known for stored captures only.
            .filter(|line| !line.starts_with("  \"captured\": "))
            .collect::<String>()
            .into_bytes()
    };
    files(folder)
        .into_iter()
        .map(|(name, bytes)| (name, without_input(bytes)))
        .collect()
}

/// Reads the only file in `folder` whose name contains `part`.
#[track_caller]
pub fn text_named(folder: &Path, part: &str) -> String {
    let all = files(folder);
    let found: Vec<_> = all.iter().filter(|(name, _)| name.contains(part)).collect();
    assert_eq!(found.len(), 1, "one file for {part} in {:?}", all.keys());
    String::from_utf8(found[0].1.clone()).expect("results are UTF-8")
}
