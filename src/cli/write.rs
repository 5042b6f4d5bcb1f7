//! Writing files whole: beside their final name, then renamed, so that nobody ever sees half a file.

use anyhow::Context;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// How the name of a file begins and ends that is not whole yet.
const PREFIX: &str = ".vclean-";
const SUFFIX: &str = ".part";

/// Writes `bytes` to `path`; an older file stays until the new one is complete.
pub(super) fn whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut file = beside(path)?;
    file.write_all(bytes).with_context(|| cannot_write(path))?;
    finish(file, path)
}

/// A file in the folder of `path`, to be written and then given to [`finish`]; dropped, it disappears.
pub(super) fn beside(path: &Path) -> anyhow::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As any new file: the system takes away what its mask forbids.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).with_context(|| cannot_write(path))
}

/// Removes what a run that was killed left half written in a folder. Nobody else may be writing there.
pub(super) fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            // What cannot be removed is in nobody's way.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Gives a file from [`beside`] its name.
pub(super) fn finish(file: NamedTempFile, path: &Path) -> anyhow::Result<()> {
    file.persist(path).map_err(|error| error.error).with_context(|| cannot_write(path))?;
    Ok(())
}

/// Makes a folder and those above it.
pub(super) fn folder(path: &Path) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(path).with_context(|| format!("cannot make folder {}", path.display()))?;
    Ok(path.to_path_buf())
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.txt");
        whole(&path, b"first").unwrap();
        whole(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_was_left_half_written_is_swept_away_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.txt");
        whole(&path, b"text").unwrap();
        let (_, left) = beside(&path).unwrap().keep().unwrap();
        fs::write(folder.path().join(".vclean-notes"), "mine").unwrap();
        sweep(folder.path());
        assert!(!left.exists() && path.exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn an_error_names_the_file() {
        let error = whole(Path::new("/nowhere/at/all.txt"), b"").unwrap_err();
        assert!(format!("{error:#}").contains("/nowhere/at/all.txt"));
    }
}
