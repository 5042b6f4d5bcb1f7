//! Finds where the texts of a run go by the name of the output, and protects files that may not be
//! replaced: files of others, and files that the run reads, by whatever path they are named.

use super::error::RunError;
use super::inputs::Inputs;
use super::journal::is_journal_folder;
use super::options::Resuming;
use super::store;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use vclean_core::capture::Capture;
use vclean_core::emit::{self, Format};
use vclean_core::error::{ErrorKind, PageError};
use vclean_core::files::{self, FileError, FileId};
use walkdir::WalkDir;

/// Where texts are written.
#[derive(Debug, Clone)]
pub(super) enum Destination {
    /// To the observer of the run.
    Observer,
    /// To the file of the only page.
    File(PathBuf),
    /// To a folder with one file per page.
    Folder(PathBuf),
    /// To a file or folder of files that holds all pages, including a corpus of texts.
    Container(PathBuf, &'static store::Kind),
}

impl Destination {
    /// The destination that `out` names. Its extension can name a container, the file of one page
    /// or a corpus; otherwise it is a folder. An existing folder stays one, whatever its name.
    /// Nothing is written yet.
    ///
    /// # Errors
    /// If the extension is that of another format's files, or there are several pages and the
    /// format has no corpora.
    pub(super) fn new(
        out: Option<&Path>,
        format: &Format,
        is_one_page: bool,
    ) -> Result<Self, RunError> {
        let Some(path) = out else {
            return Ok(Self::Observer);
        };
        let (inner, is_packed) = unpacked_name(path);
        let is_of_format = ending(inner).is_some_and(|ending| format.has_extension(&ending));
        // The chunks of all pages are JSON lines too.
        if let Some(kind) = store::kind_of(path).filter(|_| !is_of_format) {
            return Ok(Self::Container(path.to_path_buf(), kind));
        }
        if is_folder(path) {
            return Ok(Self::Folder(path.to_path_buf()));
        }
        let Some(known) = emit::find_by_ending(inner) else {
            return unnamed_folder(path);
        };
        if !is_of_format {
            return Err(RunError::Options(format!(
                "{} is the name of a file of the format {}, and `format` is {}; change one of the two",
                path.display(),
                known.name,
                format.name
            )));
        }
        if is_one_page && !is_packed {
            return Ok(Self::File(path.to_path_buf()));
        }
        if !format.corpus.is_one_file() {
            return Err(RunError::Options(format!(
                "{} is the name of one file, and the format {} has none for several pages, or packed; name a folder for a \
                 file per page, or FILE.jsonl for all pages",
                path.display(),
                format.name
            )));
        }
        Ok(Self::Container(path.to_path_buf(), &store::CORPUS))
    }

    /// The file of a page, if each page has its own; `extension` is that of the format.
    pub(super) fn file(&self, stem: &str, extension: &str) -> Option<PathBuf> {
        match self {
            Self::File(path) => Some(path.clone()),
            Self::Folder(folder) => Some(folder.join(format!("{stem}.{extension}"))),
            Self::Observer | Self::Container(..) => None,
        }
    }
}

/// Extensions that people use for outputs and that no format here has. Creating a folder of such a
/// name would be a surprise.
const OTHER_ENDINGS: [&str; 27] = [
    "7z", "arrow", "avro", "bz2", "db", "doc", "docx", "epub", "feather", "gz", "htm", "lz4",
    "ndjson", "odt", "pdf", "rtf", "sqlite", "tar", "tsv", "xhtml", "xls", "xlsx", "xz", "yaml",
    "yml", "zip", "zst",
];

/// Smallest number of characters of an ending that is one of ours with a typing error. Heuristic:
/// folders have shorter endings, such as `.v2`.
const MIN_MISTYPED: usize = 4;

/// A path without the extension of a compression, and true if it had one.
fn unpacked_name(path: &Path) -> (&Path, bool) {
    match (store::Packing::from_path(path), path.file_stem()) {
        (store::Packing::Gzip | store::Packing::Zstd, Some(stem)) => (Path::new(stem), true),
        _ => (path, false),
    }
}

/// The last extension of a path, in lower case.
fn ending(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// The format that the extension of an output names; the extension of a compression may follow it.
/// The extension of a container names none.
pub(super) fn format_of_ending(path: &Path) -> Option<&'static Format> {
    emit::find_by_ending(unpacked_name(path).0).filter(|_| store::kind_of(path).is_none())
}

/// The folder that a path without the extension of a format names.
///
/// # Errors
/// If its extension is one that people use for files.
fn unnamed_folder(path: &Path) -> Result<Destination, RunError> {
    let ending = ending(path).unwrap_or_default();
    let formats: BTreeSet<String> = emit::FORMATS
        .iter()
        .flat_map(|format| std::iter::once(&format.extension).chain(format.other_extensions))
        .map(|extension| format!(".{extension}"))
        .collect();
    let containers = store::CONTAINERS.iter().flat_map(|kind| kind.endings);
    let is_mistyped = ending.len() >= MIN_MISTYPED
        && containers
            .copied()
            .chain(formats.iter().map(String::as_str))
            .any(|known| strsim::osa_distance(&known[1..], &ending) == 1);
    if !is_mistyped && !OTHER_ENDINGS.contains(&ending.as_str()) {
        return Ok(Destination::Folder(path.to_path_buf()));
    }
    Err(RunError::Options(format!(
        "{} is the name of a file, and no output has the ending .{ending}; a file of texts has one of {} (also with .gz or \
         .zst after it), one of all pages may also be FILE.jsonl, FILE.warc (also with .gz after it) or DIR.parquet, and the name of a folder may end with a slash",
        path.display(),
        Vec::from_iter(formats).join(", ")
    )))
}

/// Returns true if the path is that of an existing folder, or ends with a slash.
fn is_folder(path: &Path) -> bool {
    path.is_dir()
        || path
            .as_os_str()
            .to_string_lossy()
            .ends_with(std::path::MAIN_SEPARATOR)
}

/// Checks before the work that none of the files of the pages would replace an input or a foreign
/// file. `target` gives the file or folder of a page by its name in the output; `is_ours` returns
/// true if an existing one may be replaced at all.
///
/// # Errors
/// [`RunError::ForeignOutput`] for a file that exists, unless it may be replaced, and
/// [`FileError::Input`].
pub(super) fn check_targets(
    folder: &Path,
    inputs: &Inputs,
    protected: &Protected,
    resuming: Resuming,
    target: impl Fn(&str) -> Option<PathBuf>,
    is_ours: impl Fn(&Path) -> bool,
) -> Result<(), RunError> {
    // Usually the folder is new or empty, and there is nothing to replace.
    let Some(existing) = some_entry(folder) else {
        return Ok(());
    };
    if resuming.resume || inputs.part().is_some() {
        // Most pages exist, or other parts of the run have written theirs. Each file is checked
        // again when it is written.
        return Ok(());
    }
    if inputs.has_unknown_names() && !resuming.overwrite {
        return Err(RunError::ForeignOutput(existing));
    }
    for path in inputs.stems().filter_map(|stem| target(&stem)) {
        if fs::symlink_metadata(&path).is_err() {
            continue;
        }
        protected.check(&path)?;
        protected.check_folder(&path)?;
        if !resuming.overwrite || !is_ours(&path) {
            return Err(RunError::ForeignOutput(path));
        }
    }
    Ok(())
}

/// Returns true if a capture may be written to this folder: it holds an older capture, or nothing.
pub(super) fn is_place_for_capture(folder: &Path) -> bool {
    let is_free = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    is_free || files::is_capture(folder)
}

/// Writes a capture. It may replace an earlier one if `resuming` says so, and never an input.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write_capture(
    capture: &Capture,
    folder: &Path,
    protected: &Protected,
    resuming: Resuming,
) -> Result<(), PageError> {
    let refused = |error: FileError| PageError::new(ErrorKind::Output, error);
    // A killed run may have left the files of a capture without its head.
    let is_left = resuming.resume && folder.is_dir();
    if !is_left && !is_place_for_capture(folder)
        || fs::symlink_metadata(folder).is_ok() && resuming.is_new()
    {
        return Err(refused(FileError::Exists(folder.to_path_buf())));
    }
    protected.check_folder(folder).map_err(refused)?;
    files::save_capture(capture, folder).map_err(|error| PageError::new(ErrorKind::Output, error))
}

/// The first entry of the folder by name, without hidden files and journals.
fn some_entry(folder: &Path) -> Option<PathBuf> {
    let is_ours = |path: &PathBuf| {
        let is_hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        is_hidden || is_journal_folder(path)
    };
    fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| !is_ours(path))
        .min()
}

/// Writes the file of a page. It may replace an earlier one if `resuming` says so, and never an
/// input.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write_page(
    path: &Path,
    bytes: &[u8],
    protected: &Protected,
    resuming: Resuming,
) -> Result<(), FileError> {
    if resuming.is_new() {
        return files::write_new(path, bytes);
    }
    protected.check(path)?;
    files::write_whole(path, bytes)
}

/// The files that a run reads, which it may not replace. Clones share the list of their identities,
/// which is made only once an output exists already: it takes 16 bytes for each file of the inputs.
#[derive(Debug, Clone, Default)]
pub struct Protected {
    inputs: Option<Inputs>,
    /// Files, and folders with all files in them.
    paths: Vec<PathBuf>,
    ids: Arc<OnceLock<FxHashSet<FileId>>>,
}

impl Protected {
    /// Protects the inputs of a run, and the list that names them.
    pub fn inputs(inputs: &Inputs) -> Self {
        Self {
            inputs: Some(inputs.clone()),
            ..Self::default()
        }
    }

    /// Protects these files, and all files in these folders.
    pub fn paths(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            paths: paths.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Returns an error if `output` exists and is one of the files: the same file on the same disk,
    /// however its path is written.
    ///
    /// # Errors
    /// [`FileError::Input`].
    pub fn check(&self, output: &Path) -> Result<(), FileError> {
        let Some(id) = files::identity(output) else {
            return Ok(());
        };
        if self.ids.get_or_init(|| self.read_ids()).contains(&id) {
            return Err(FileError::Input(output.to_path_buf()));
        }
        Ok(())
    }

    /// Calls [`Self::check`] for each file directly in the folder `output`.
    ///
    /// # Errors
    /// [`FileError::Input`].
    pub(crate) fn check_folder(&self, output: &Path) -> Result<(), FileError> {
        let Ok(entries) = std::fs::read_dir(output) else {
            return Ok(());
        };
        entries
            .flatten()
            .try_for_each(|entry| self.check(&entry.path()))
    }

    fn read_ids(&self) -> FxHashSet<FileId> {
        let below = |path: &PathBuf| {
            let walk = WalkDir::new(path).into_iter().flatten();
            walk.filter(|entry| !entry.file_type().is_dir())
                .map(walkdir::DirEntry::into_path)
                .collect::<Vec<_>>()
        };
        let inputs = self.inputs.iter().flat_map(Inputs::files);
        inputs
            .chain(self.paths.iter().flat_map(below))
            .filter_map(|path| files::identity(&path))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn new(out: &Path, format: &str, is_one_page: bool) -> Result<Destination, String> {
        Destination::new(Some(out), emit::find(format).unwrap(), is_one_page)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_ending_of_the_output_says_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert!(matches!(
            new(&path("x.jsonl"), "text", true),
            Ok(Destination::Container(..))
        ));
        assert!(matches!(
            new(&path("x"), "text", true),
            Ok(Destination::Folder(_))
        ));
        assert!(matches!(
            new(&path("release-1.2"), "text", true),
            Ok(Destination::Folder(_))
        ));
        assert!(matches!(
            new(&path("x.md"), "markdown", true),
            Ok(Destination::File(_))
        ));
        assert!(matches!(
            new(&path("x.TXT"), "cleaneval", true),
            Ok(Destination::File(_))
        ));
        assert!(matches!(
            new(&path("x.md/"), "text", false),
            Ok(Destination::Folder(_))
        ));
        fs::create_dir(path("old.md")).unwrap();
        assert!(matches!(
            new(&path("old.md"), "text", false),
            Ok(Destination::Folder(_))
        ));
        for unknown in ["x.rtf", "x.TSV", "x.docx", "x.tsv.gz", "x.vert.bz2"] {
            for is_one_page in [true, false] {
                let error = new(&path(unknown), "text", is_one_page).unwrap_err();
                assert!(
                    error.contains("no output has the ending") && error.contains(".md"),
                    "{error}"
                );
            }
        }
        assert!(matches!(
            new(&path("x.tsv/"), "text", true),
            Ok(Destination::Folder(_))
        ));
        assert!(matches!(
            new(&path("example.org"), "text", true),
            Ok(Destination::Folder(_))
        ));
        for name in ["x.md", "x.vert.gz"] {
            let error = new(&path(name), "text", true).unwrap_err();
            assert!(error.contains("and `format` is text"), "{error}");
        }
    }

    #[test]
    fn texts_of_several_pages_are_one_file_where_the_format_has_such() {
        let corpus =
            |name: &str, format, is_one_page| match new(Path::new(name), format, is_one_page) {
                Ok(Destination::Container(_, kind)) => kind.name,
                Ok(_) => "other",
                Err(_) => "refused",
            };
        for format in emit::FORMATS {
            let expected = if format.corpus.is_one_file() {
                "corpus"
            } else {
                "refused"
            };
            for name in [
                format!("all.{}", format.extension),
                format!("all.{}.GZ", format.extension),
            ] {
                assert_eq!(corpus(&name, format.name, false), expected, "{name}");
            }
            assert_eq!(
                corpus(&format!("all.{}", format.extension), format.name, true),
                "other"
            );
        }
        assert_eq!(corpus("all.tei", "tei", false), "corpus");
        assert_eq!(corpus("all.tei", "xml", false), "refused");
        assert_eq!(corpus("all.vert.zst", "vertical", true), "corpus");
        assert_eq!(corpus("all.jsonl.gz", "text", false), "JSON lines");
        assert_eq!(
            format_of_ending(Path::new("a/all.vert.gz")).map(|format| format.name),
            Some("vertical")
        );
        assert_eq!(
            format_of_ending(Path::new("all.tei")).map(|format| format.name),
            Some("tei")
        );
        assert!(format_of_ending(Path::new("all.gz")).is_none());
    }

    #[test]
    fn an_ending_with_a_typing_error_is_no_folder() {
        for name in ["x.josnl", "x.jsonnl", "x.conlu", "x.parqet", "x.htmll"] {
            let error = unnamed_folder(Path::new(name)).unwrap_err().to_string();
            assert!(error.contains("is the name of a file"), "{name}: {error}");
        }
        for name in ["x", "x.v2", "example.org", "pages.2024", "www.parliament"] {
            assert!(unnamed_folder(Path::new(name)).is_ok(), "{name}");
        }
    }

    #[test]
    fn files_that_exist_are_replaced_on_request_only() {
        let folder = tempfile::tempdir().unwrap();
        let (pages, out) = (folder.path().join("pages"), folder.path().join("out"));
        fs::create_dir(&pages).unwrap();
        for name in ["a.html", "b.html"] {
            fs::write(pages.join(name), "<p>text").unwrap();
        }
        let inputs = Inputs::undivided(&[&pages.to_string_lossy()]);
        let protected = Protected::inputs(&inputs);
        let check = |folder: &Path, overwrite, ending: &str| {
            let resuming = Resuming {
                overwrite,
                ..Resuming::default()
            };
            let target = |stem: &str| Some(folder.join(format!("{stem}.{ending}")));
            check_targets(folder, &inputs, &protected, resuming, target, |_| true)
                .map_err(|error| error.to_string())
        };
        assert!(check(&out, false, "txt").is_ok(), "nothing is there");
        fs::create_dir(&out).unwrap();
        fs::write(out.join("notes.txt"), "of somebody").unwrap();
        assert!(check(&out, false, "txt").is_ok(), "another file");
        fs::write(out.join("b.txt"), "gold").unwrap();
        let error = check(&out, false, "txt").unwrap_err();
        assert!(
            error.contains("b.txt") && error.contains("`overwrite`") && error.contains("`resume`"),
            "{error}"
        );
        assert!(check(&out, true, "txt").is_ok());
        for overwrite in [false, true] {
            assert!(
                check(&pages, overwrite, "html")
                    .unwrap_err()
                    .contains("never replaced")
            );
        }
        let write = |path: &Path, overwrite| {
            write_page(
                path,
                b"new",
                &protected,
                Resuming {
                    overwrite,
                    ..Resuming::default()
                },
            )
        };
        assert!(
            write(&out.join("b.txt"), false)
                .unwrap_err()
                .to_string()
                .contains("exists already")
        );
        assert!(
            write(&pages.join("a.html"), true)
                .unwrap_err()
                .to_string()
                .contains("never replaced")
        );
        write(&out.join("b.txt"), true).unwrap();
        assert_eq!(fs::read(out.join("b.txt")).unwrap(), b"new");
    }

    #[test]
    fn a_file_is_known_under_every_path() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir(root.join("in")).unwrap();
        fs::write(root.join("in/page.html"), "<p>x").unwrap();
        fs::write(root.join("in/notes.txt"), "no page").unwrap();
        fs::write(root.join("other.html"), "").unwrap();
        fs::hard_link(root.join("in/page.html"), root.join("hard.html")).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("in/page.html", root.join("soft.html")).unwrap();
        let named = Inputs::undivided(&[&root.join("in").to_string_lossy()]);
        let all = Protected::paths([root.join("in")]);
        let run = Protected::inputs(&named);
        for name in [
            "in/page.html",
            "in/../in/./page.html",
            "hard.html",
            "soft.html",
        ] {
            let error = run.check(&root.join(name)).unwrap_err().to_string();
            assert!(
                error.contains(name) && error.contains("never replaced"),
                "{error}"
            );
            assert!(all.check(&root.join(name)).is_err(), "{name}");
        }
        for name in ["other.html", "in/new.html"] {
            assert!(
                run.check(&root.join(name)).is_ok() && all.check(&root.join(name)).is_ok(),
                "{name}"
            );
        }
        // A run does not read a file of the folder that is not a page.
        assert!(
            run.check(&root.join("in/notes.txt")).is_ok()
                && all.check(&root.join("in/notes.txt")).is_err()
        );
        assert!(
            run.check_folder(&root.join("in")).is_err()
                && run.check_folder(&root.join("none")).is_ok()
        );
    }
}
