//! Where a run keeps its journal, and what it keeps there.

use super::corpus::Corpus;
use super::journal::{Earlier, EffectiveArguments};
use super::options::Shard;
use std::path::{Path, PathBuf};
use vclean_core::files;

/// Whether the output of a page exists, given its size in bytes if that is known.
pub(super) type IsThere = Box<dyn Fn(&str, Option<u64>) -> bool + Send>;

/// Where a run keeps its journal, and how it treats earlier runs.
pub struct Keeping {
    /// Folder of the run.
    pub folder: PathBuf,
    /// What must be the same when a later run resumes this one.
    pub arguments: EffectiveArguments,
    /// What to do with the results of an earlier run.
    pub earlier: Earlier,
    /// Whether pages that failed are tried again.
    pub retries: bool,
    /// The chores of the run, if it has any.
    pub(super) corpus: Option<Corpus>,
    /// Checks whether a page that is done according to the journal still exists; `None` if that cannot be checked.
    pub is_there: Option<IsThere>,
}

/// The folder of a run with the output `out`, or of a shard of it.
pub(super) fn folder_of(out: &Path, is_file: bool, shard: Option<Shard>) -> PathBuf {
    if is_file {
        let mut name = out.as_os_str().to_owned();
        name.push(files::JOURNAL_ENDING);
        return name.into();
    }
    // Shards of one run may be running at the same time.
    let name = files::JOURNAL_FOLDER;
    out.join(shard.map_or_else(|| name.to_owned(), |Shard { index, count }| format!("{name}-{}-of-{count}", index + 1)))
}
