//! Opens folders: all pages, archives and captures below them, in the order of their names.
//!
//! A folder may be the mirror of a site, with subfolders and any extensions. The content of a file
//! decides what it is. Symbolic links are not followed: a link to a place in the folder would give
//! a page twice, or a cycle, and a link out of the folder would read files that the user did not
//! name. Names are sorted within each folder, so the memory needed grows with the largest folder on
//! the way down, not with the whole tree.

use super::entry::{FileKind, file_kind};
use super::pages::{Pages, PassedOver, Reason, once};
use super::run_output::{is_journal_folder, is_output_of_run};
use std::path::{Path, PathBuf};
use vclean_core::error::SourceError;
use vclean_core::files::{is_capture, read_page};
use vclean_core::page::{Body, Page, PageFiles};
use walkdir::{DirEntry, WalkDir};

/// Suffixes of the names of folders with the resources of a saved page: browsers translate the
/// word.
const RESOURCE_ENDINGS: &[&str] = &[
    "_files",
    "-files",
    ".files",
    "_file",
    "-Dateien",
    "_fichiers",
    "_archivos",
    "_arquivos",
    "_bestanden",
    "-filer",
    "_pliki",
    "_soubory",
];
/// Number of entries that are listed before the first is opened, so that the number of pages of
/// most folders is known from the start. Heuristic: a few MB of names, and a second of reading.
const LOOK_AHEAD: usize = 20_000;
/// Extensions of the page that such a folder belongs to.
const SAVED_PAGE_ENDINGS: &[&str] = &["html", "htm", "xhtml", "HTML", "HTM"];

/// A place in a folder that holds pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderEntry {
    /// A file that is a page.
    Page(PathBuf),
    /// A file that holds many pages.
    Archive(PathBuf),
    /// The folder of a capture.
    Capture(PathBuf),
}

impl FolderEntry {
    /// The path of the entry, which begins with that of the folder.
    pub fn path(&self) -> &Path {
        let (Self::Page(path) | Self::Archive(path) | Self::Capture(path)) = self;
        path
    }
}

/// The pages, archives and captures below `folder`, in the order of their names; everything else is
/// counted in `passed_over`. Files are opened as far as needed to see what they are.
pub fn entries(
    folder: &Path,
    passed_over: &PassedOver,
) -> impl Iterator<Item = Result<FolderEntry, SourceError>> + Send + use<> {
    let real = folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf());
    let rest = WalkDir::new(folder)
        .min_depth(1)
        .follow_links(false)
        .sort_by_file_name()
        .into_iter();
    Walk {
        rest,
        real,
        passed_over: passed_over.clone(),
    }
}

struct Walk {
    rest: walkdir::IntoIter,
    /// Path of the folder, with symbolic links resolved.
    real: PathBuf,
    passed_over: PassedOver,
}

impl Iterator for Walk {
    type Item = Result<FolderEntry, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let found = match self.rest.next()? {
                Ok(entry) => self.entry(&entry),
                Err(error) => Err(Some(unreadable(&error))),
            };
            match found {
                Ok(entry) => return Some(Ok(entry)),
                Err(Some(error)) => return Some(Err(error)),
                Err(None) => {}
            }
        }
    }
}

impl Walk {
    /// Returns an entry that holds pages. `Err(None)` is an entry without pages, which is counted,
    /// or a folder that is entered.
    fn entry(&mut self, entry: &DirEntry) -> Result<FolderEntry, Option<SourceError>> {
        let path = entry.path();
        let kind = entry.file_type();
        let name = entry.file_name().to_string_lossy();
        if kind.is_dir() {
            return self.folder(path, &name).ok_or(None);
        }
        let reason = if kind.is_symlink() {
            self.link(path)
        } else if name.starts_with('.') {
            Reason::Hidden
        } else if !kind.is_file() {
            Reason::Special
        } else if is_output_of_run(path) {
            Reason::Output
        } else {
            match file_kind(path) {
                Ok(FileKind::Page) => return Ok(FolderEntry::Page(path.to_path_buf())),
                Ok(FileKind::Archive) => return Ok(FolderEntry::Archive(path.to_path_buf())),
                Ok(FileKind::Other(reason)) => reason,
                Err(error) => {
                    return Err(Some(in_folder(
                        path,
                        SourceError::Unusable(format!("cannot be read: {error}")),
                    )));
                }
            }
        };
        self.passed_over.add(reason);
        Err(None)
    }

    /// Returns a subfolder if it is a capture. Other subfolders are entered or passed over.
    fn folder(&mut self, path: &Path, name: &str) -> Option<FolderEntry> {
        let is_journal = is_journal_folder(path);
        let reason = if name.starts_with('.') {
            Some(Reason::Hidden)
        } else if is_output_of_run(path) {
            Some(Reason::Output)
        } else if is_resources(path, name) {
            Some(Reason::Resources)
        } else {
            None
        };
        if is_capture(path) && reason.is_none() {
            self.rest.skip_current_dir();
            return Some(FolderEntry::Capture(path.to_path_buf()));
        }
        if reason.is_some() || is_journal {
            self.rest.skip_current_dir();
        }
        if let Some(reason) = reason.filter(|_| !is_journal) {
            self.passed_over.add(reason);
        }
        None
    }

    fn link(&self, path: &Path) -> Reason {
        match path.canonicalize() {
            Err(_) => Reason::BrokenLink,
            Ok(target) if target.starts_with(&self.real) => Reason::LinkWithin,
            Ok(_) => Reason::LinkOut,
        }
    }
}

/// Returns true if a folder holds the resources of a saved page beside it. Browsers name it
/// `page_files` for `page.html`.
fn is_resources(path: &Path, name: &str) -> bool {
    let stem = RESOURCE_ENDINGS
        .iter()
        .find_map(|ending| name.strip_suffix(ending));
    let beside = |ending: &&str| {
        stem.is_some_and(|stem| path.with_file_name(format!("{stem}.{ending}")).is_file())
    };
    SAVED_PAGE_ENDINGS.iter().any(beside)
}

fn unreadable(error: &walkdir::Error) -> SourceError {
    let cause = error
        .io_error()
        .map_or_else(|| error.to_string(), ToString::to_string);
    match error.path() {
        Some(path) => in_folder(
            path,
            SourceError::Unusable(format!("cannot be read: {cause}")),
        ),
        None => SourceError::Unusable(cause),
    }
}

/// Adds the place in the folder to an error.
fn in_folder(path: &Path, cause: SourceError) -> SourceError {
    SourceError::InFolder {
        path: path.to_path_buf(),
        cause: Box::new(cause),
    }
}

/// The pages of a folder; the folder itself if it is a capture.
pub(super) fn open_folder(input: &str, passed_over: &PassedOver, open: fn(&str) -> Pages) -> Pages {
    let folder = Path::new(input);
    if is_capture(folder) {
        return once(Ok(capture_page(folder)));
    }
    let mut rest = entries(folder, passed_over);
    let first: Vec<_> = rest.by_ref().take(LOOK_AHEAD).collect();
    if first.is_empty() {
        let besides = passed_over
            .summary()
            .map(|summary| format!(" ({summary})"))
            .unwrap_or_default();
        return once(Err(SourceError::Unusable(format!(
            "the folder contains no page, archive or capture{besides}; name a folder that contains one, or make captures with \
             vclean render"
        ))));
    }
    let is_whole = first.len() < LOOK_AHEAD;
    if is_whole
        && !first
            .iter()
            .any(|entry| matches!(entry, Ok(FolderEntry::Archive(_))))
    {
        // Each entry is one page, so the number of pages is known.
        let folder = folder.to_path_buf();
        return Box::new(
            first
                .into_iter()
                .map(move |entry| open_page(entry, &folder)),
        );
    }
    let folder = folder.to_path_buf();
    Box::new(
        first
            .into_iter()
            .chain(rest)
            .flat_map(move |entry| open_entry(entry, &folder, open)),
    )
}

/// The pages of an entry. An archive is opened with `open`, the table of inputs.
fn open_entry(
    entry: Result<FolderEntry, SourceError>,
    folder: &Path,
    open: fn(&str) -> Pages,
) -> Pages {
    match entry {
        Ok(FolderEntry::Archive(path)) => {
            let pages = open(&path.to_string_lossy());
            Box::new(pages.map(move |page| page.map_err(|error| in_folder(&path, error))))
        }
        entry => once(open_page(entry, folder)),
    }
}

/// Opens an entry that is one page. It may load the files of the whole folder that the user named:
/// pages of a mirror share the style sheets of folders beside and above their own.
fn open_page(entry: Result<FolderEntry, SourceError>, folder: &Path) -> Result<Page, SourceError> {
    let path = match entry? {
        FolderEntry::Capture(path) => return Ok(capture_page(&path)),
        FolderEntry::Page(path) | FolderEntry::Archive(path) => path,
    };
    let mut page =
        read_page(&path.to_string_lossy(), &path).map_err(|error| in_folder(&path, error))?;
    if let (Body::Html { files, .. }, Ok(below)) = (&mut page.body, path.strip_prefix(folder))
        && path.parent() != Some(folder)
    {
        *files = PageFiles::Mirror {
            folder: folder.to_path_buf(),
            page: below.to_path_buf(),
        };
    }
    Ok(page)
}

fn capture_page(folder: &Path) -> Page {
    Page::new(
        folder.to_string_lossy().into_owned(),
        Body::Capture(folder.to_path_buf()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn write(folder: &Path, name: &str, content: &[u8]) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn found(folder: &Path) -> (Vec<String>, Option<String>) {
        let passed_over = PassedOver::default();
        let names = entries(folder, &passed_over).map(|entry| {
            let entry = entry.unwrap();
            entry
                .path()
                .strip_prefix(folder)
                .unwrap()
                .to_string_lossy()
                .into_owned()
        });
        (names.collect(), passed_over.summary())
    }

    #[test]
    fn a_mirrored_tree_is_read_whole_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in [
            "b.html",
            "a/index.php",
            "a/b/deep",
            "a.html.gz",
            "c/view.asp?id=1",
        ] {
            let page = b"<!doctype html><p>text";
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            std::io::Write::write_all(&mut packed, page).unwrap();
            let content = if name.contains("gz") {
                packed.finish().unwrap()
            } else {
                page.to_vec()
            };
            write(root, name, &content);
        }
        write(root, "pages.jsonl", b"{\"html\": \"<p>x\"}\n");
        write(root, "style/main.css", b"p { color: red }");
        write(root, ".hidden/page.html", b"<p>x");
        write(root, "kept/capture.json", b"{}");
        write(root, "kept/screenshot.png", b"");
        let (names, summary) = found(root);
        assert_eq!(
            names,
            [
                "a/b/deep",
                "a/index.php",
                "a.html.gz",
                "b.html",
                "c/view.asp?id=1",
                "kept",
                "pages.jsonl"
            ]
        );
        assert_eq!(
            summary.as_deref(),
            Some("2 files passed over: 1 style sheet, 1 hidden file")
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_are_told() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        write(&root, "a.html", b"<p>x");
        write(folder.path(), "secret.html", b"<p>secret");
        symlink("nowhere", root.join("broken.html")).unwrap();
        symlink("../secret.html", root.join("out.html")).unwrap();
        symlink(".", root.join("circle")).unwrap();
        let (names, summary) = found(&root);
        assert_eq!(names, ["a.html"]);
        let expected = "3 files passed over: 1 broken link, 1 link out of the folder, 1 link within the folder";
        assert_eq!(summary.as_deref(), Some(expected));
    }

    #[test]
    fn resources_of_saved_pages_and_outputs_of_runs_are_no_pages() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, "saved.html", b"<p>x");
        write(root, "saved_files/frame.html", b"<p>frame");
        write(root, "own_files/page.html", b"<p>not beside a page");
        write(root, "cleaned/page.html", b"<p>x");
        write(root, "cleaned/_run/journal.jsonl", b"");
        write(root, "all.jsonl", b"{\"html\": 1}\n");
        write(root, "all.jsonl.run/journal.jsonl", b"");
        let (names, summary) = found(root);
        assert_eq!(names, ["own_files/page.html", "saved.html"]);
        let expected =
            "3 files passed over: 2 outputs of earlier runs, 1 folder of a page's resources";
        assert_eq!(summary.as_deref(), Some(expected));
        // A folder that the user names is read, whatever it contains.
        assert_eq!(found(&root.join("cleaned")).0, ["page.html"]);
    }

    #[test]
    fn a_page_that_cannot_be_used_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "a/letter.html", b"%PDF-1.7\n");
        let pages = open_folder(
            &folder.path().to_string_lossy(),
            &PassedOver::default(),
            |_| unreachable!(),
        );
        let errors: Vec<String> = pages.map(|page| page.unwrap_err().to_string()).collect();
        assert!(
            errors.len() == 1 && errors[0].contains("a/letter.html: the content is a PDF"),
            "{errors:?}"
        );
    }
}
