//! Recognizes the output of a run (its journal, and the files beside or around it), so that a
//! folder of pages may contain the results of an earlier run.

use std::path::Path;

/// Name of the folder of a run's journal in its output folder; those of parts are longer, such as
/// `_run-3-of-100`.
pub(crate) const JOURNAL_FOLDER: &str = "_run";
/// Suffix of the folder of a run's journal beside the file that the run writes.
pub(crate) const JOURNAL_ENDING: &str = ".run";
/// Name of the journal in such a folder.
pub(crate) const JOURNAL: &str = "journal.jsonl";

/// Returns true if a folder holds the journal of a run.
pub(crate) fn is_journal_folder(path: &Path) -> bool {
    let is_named = path.file_name().is_some_and(|name| {
        let name = name.to_string_lossy();
        name.starts_with(JOURNAL_FOLDER) || name.ends_with(JOURNAL_ENDING)
    });
    is_named && path.join(JOURNAL).is_file()
}

/// Returns true if a run wrote this file or folder, because a journal is beside or in it.
pub(crate) fn is_output_of_run(path: &Path) -> bool {
    let mut beside = path.as_os_str().to_owned();
    beside.push(JOURNAL_ENDING);
    if Path::new(&beside).join(JOURNAL).is_file() {
        return true;
    }
    let Ok(entries) = std::fs::read_dir(path) else {
        return false;
    };
    entries.flatten().any(|entry| {
        entry
            .file_name()
            .to_string_lossy()
            .starts_with(JOURNAL_FOLDER)
            && is_journal_folder(&entry.path())
    })
}
