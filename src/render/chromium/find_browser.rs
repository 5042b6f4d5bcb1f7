//! Finds the browser.

use super::system::is_program;
use crate::error::RenderError;
use crate::render::options::INSTALL;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Names searched on PATH, best first: the headless shell starts faster and renders more pages per second.
const NAMES: &[&str] = &[
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "google-chrome",
    "google-chrome-stable",
    "chromium-browser",
];

/// The browser to use: `explicit`, else the variable `VCLEAN_BROWSER`, else the first of `chromium-headless-shell`,
/// `chromium`, `google-chrome` and their other names on PATH.
///
/// A shell script that only starts a browser (Debian's `chromium-headless-shell`) is replaced by the program that it
/// starts.
///
/// # Errors
/// [`RenderError::Browser`] if there is none, with the command that installs one.
pub fn find_browser(explicit: Option<&Path>) -> Result<PathBuf, RenderError> {
    let missing = |path: &Path, source: &str| {
        RenderError::Browser(format!("{source} names {}, which is not a program; check the path", path.display()))
    };
    if let Some(path) = explicit {
        return named(path).ok_or_else(|| missing(path, "`browser`"));
    }
    if let Some(path) = std::env::var_os("VCLEAN_BROWSER").filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        return named(&path).ok_or_else(|| missing(&path, "VCLEAN_BROWSER"));
    }
    NAMES.iter().find_map(|name| on_path(name)).map(|path| behind_wrapper(&path)).ok_or_else(|| {
        RenderError::Browser(format!(
            "no browser found on PATH ({}); install one: {INSTALL}, or name one with `browser`",
            NAMES.join(", ")
        ))
    })
}

/// A path as it is, or a bare name looked up on PATH.
fn named(path: &Path) -> Option<PathBuf> {
    let found = if is_program(path) {
        path.to_path_buf()
    } else if path.components().count() == 1 {
        on_path(path.to_str()?)?
    } else {
        return None;
    };
    Some(behind_wrapper(&std::path::absolute(found).ok()?))
}

/// The program `name` on PATH.
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| is_program(path))
}

fn behind_wrapper(path: &Path) -> PathBuf {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(16 << 10).read_to_end(&mut start));
    if read.is_err() || !start.starts_with(b"#!") {
        return path.to_path_buf();
    }
    let script = String::from_utf8_lossy(&start);
    script
        .lines()
        .skip(1)
        .flat_map(str::split_whitespace)
        .map(|word| Path::new(word.trim_matches(['"', '\''])))
        .find(|word| {
            let is_browser = word.file_name().is_some_and(|name| name.to_string_lossy().contains("chrom"));
            is_browser && word.is_absolute() && is_program(word) && is_binary(word)
        })
        .unwrap_or(path)
        .to_path_buf()
}

fn is_binary(path: &Path) -> bool {
    let mut magic = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *b"\x7fELF"
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_wrapper_is_replaced_by_the_program_that_it_starts() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        let real = make("chromium-real", b"\x7fELF and more");
        let wrapper = make("wrapper", format!("#!/bin/sh -e\n\n{} \"$@\"\n", real.display()).as_bytes());
        assert_eq!(find_browser(Some(&wrapper)).unwrap(), real);
        let other = make("other", b"#!/bin/sh\nexec $LIBDIR/chromium \"$@\"\n");
        assert_eq!(find_browser(Some(&other)).unwrap(), other);
    }

    #[test]
    fn a_missing_browser_is_named() {
        let error = find_browser(Some(Path::new("/nowhere/chromium"))).unwrap_err().to_string();
        assert!(error.contains("/nowhere/chromium") && error.contains("`browser`"), "{error}");
    }
}
