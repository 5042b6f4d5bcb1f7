//! Opens folders of captures, or of HTML and MHTML files; each of them is a page.

use super::file;
use super::kind::{Pages, once};
use super::page::{Body, Page};
use crate::capture;
use crate::error::SourceError;
use std::path::Path;

/// The captures of a folder, or the folder itself if it is a capture, in the order of their names.
pub(super) fn open_captures(input: &str) -> Pages {
    match capture::list_captures(Path::new(input)) {
        Ok(folders) => Box::new(
            folders
                .into_iter()
                .map(|folder| Ok(Page::new(folder.to_string_lossy().into_owned(), Body::Capture(folder)))),
        ),
        Err(error) => once(Err(error.into())),
    }
}

/// The HTML and MHTML files of a folder, in the order of their names.
pub(super) fn open_folder(input: &str) -> Pages {
    let fail = |error: std::io::Error| SourceError::Read { path: input.into(), cause: error.to_string() };
    let entries = match std::fs::read_dir(input) {
        Ok(entries) => entries,
        Err(error) => return once(Err(fail(error))),
    };
    let mut files = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => files.push(entry.path()),
            Err(error) => return once(Err(fail(error))),
        }
    }
    files.retain(|path| file::has_page_extension(path) && path.is_file());
    files.sort();
    if files.is_empty() {
        return once(Err(SourceError::Unusable(
            "the folder contains no capture and no .html or .mhtml file; name a folder that contains one, or make captures with \
             vclean render"
                .into(),
        )));
    }
    Box::new(files.into_iter().map(|path| file::read_file(&path.to_string_lossy(), &path)))
}
