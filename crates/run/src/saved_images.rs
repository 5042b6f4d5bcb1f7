//! Saves the pictures of texts beside them. A file is named by its content, so no picture is saved
//! twice, and a run that is resumed gives the same names.

use rustc_hash::FxHashMap;
use sha1_smol::Sha1;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use url::Url;
use vclean_core::document::Document;
use vclean_core::error::{WarningKind, Warnings};
use vclean_core::files::{self, open_regular};
use vclean_core::page::{Body, Page, PageFiles, Parts, parse_with_parts};
use vclean_render::net::{FetchLimits, Fetched};

/// Largest picture, in bytes.
const MAX_BYTES: u64 = 32 << 20;
/// Largest number of pictures of a page, and of redirects in an archive.
const MAX_PICTURES: usize = 500;
const MAX_REDIRECTS: usize = 5;
/// Number of addresses whose files are remembered. More are fetched again and give the same files.
const MAX_KNOWN: usize = 1_000_000;
/// Time limit for a picture.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Fetches a file from the network; `None` if that fails.
pub(super) type FetchFile = Arc<dyn Fn(&Url, FetchLimits) -> Option<Fetched> + Send + Sync>;

/// A folder for the pictures of the texts of a run.
pub(super) struct SavedImages {
    folder: PathBuf,
    /// How the texts name the folder.
    prefix: String,
    /// The names of files by the addresses of their pictures; `None` for one that cannot be had.
    known: Mutex<FxHashMap<String, Option<String>>>,
    /// How pictures are fetched, if the run may use the network.
    fetch: OnceLock<FetchFile>,
}

impl SavedImages {
    /// Saves to `folder`. `texts` is the folder of the texts, to which their links are relative;
    /// `None` for that of the process.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub(super) fn new(folder: &Path, texts: Option<&Path>) -> Result<Self, files::FileError> {
        let folder = files::make_folder(folder)?;
        let prefix = relative(&folder, texts.unwrap_or(Path::new(".")));
        Ok(Self {
            folder,
            prefix,
            known: Mutex::default(),
            fetch: OnceLock::new(),
        })
    }

    /// Allows fetching from the network.
    pub(super) fn fetch_with(&self, fetch: FetchFile) {
        let _ = self.fetch.set(fetch);
    }

    /// Saves the pictures of a text and makes it refer to the files. Those that cannot be had keep
    /// their addresses; a warning counts them.
    pub(super) fn save(&self, page: &Page, document: &mut Document) -> Warnings {
        let (mut lost, mut count) = (0, 0);
        let has_parts = matches!(page.body, Body::Mhtml(_)) && !document.pictures.is_empty();
        let parts = has_parts.then(|| parse_with_parts(page).ok()).flatten();
        let parts = parts.as_ref().map(|(_, parts)| parts);
        document.relocate_pictures(|address| {
            count += 1;
            let name = (count <= MAX_PICTURES)
                .then(|| self.name(page, parts, address))
                .flatten();
            lost += usize::from(name.is_none());
            name.map(|name| format!("{}{name}", self.prefix))
        });
        let mut warnings = Warnings::new();
        if lost > 0 {
            let text = format!("{lost} of {count} pictures of the text could not be saved");
            warnings.add(WarningKind::MissingParts, text);
        }
        warnings
    }

    /// The name of the file of a picture, which is saved if it is not there.
    fn name(&self, page: &Page, parts: Option<&Parts>, address: &str) -> Option<String> {
        // Pages of a folder have addresses within it, and those of MHTML files their own parts.
        let is_own = parts.is_some() || files_of(page).is_some() && Url::parse(address).is_err();
        let key = if is_own {
            format!("{} {address}", page.input)
        } else {
            address.to_owned()
        };
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = known().get(&key) {
            return name.clone();
        }
        let name = self
            .content(page, parts, address)
            .and_then(|bytes| self.store(&bytes));
        let mut known = known();
        if known.len() < MAX_KNOWN {
            known.insert(key, name.clone());
        }
        name
    }

    fn content(&self, page: &Page, parts: Option<&Parts>, address: &str) -> Option<Vec<u8>> {
        if let Some(part) = parts.and_then(|parts| parts.get(address)) {
            return Some(part.body.clone());
        }
        if let Some(data) = address.strip_prefix("data:") {
            return from_data(data);
        }
        let url = Url::parse(address).ok();
        match (files_of(page), url) {
            (Some(PageFiles::Archive(archive)), Some(mut url)) => {
                for _ in 0..MAX_REDIRECTS {
                    let found = archive.find(&url)?;
                    match found.location {
                        Some(location) if found.body.is_empty() => {
                            url = url.join(&location).ok()?;
                        }
                        _ => return Some(found.body),
                    }
                }
                None
            }
            (Some(files), None) => from_folder(files.folder()?, address),
            (_, Some(url)) if matches!(url.scheme(), "http" | "https") => {
                let limits = FetchLimits {
                    max_bytes: MAX_BYTES,
                    timeout: TIMEOUT,
                    ..FetchLimits::default()
                };
                let found = self.fetch.get()?(&url, limits)?;
                let is_whole = (200..300).contains(&found.status) && !found.is_cut;
                is_whole.then_some(found.body)
            }
            _ => None,
        }
    }

    /// Writes a picture; `None` for another kind of file, or if it cannot be written.
    fn store(&self, bytes: &[u8]) -> Option<String> {
        let name = format!("{}.{}", Sha1::from(bytes).digest(), ending(bytes)?);
        let path = self.folder.join(&name);
        let is_there = path
            .metadata()
            .is_ok_and(|facts| facts.len() == bytes.len() as u64);
        if !is_there {
            files::write_whole(&path, bytes).ok()?;
        }
        Some(name)
    }
}

/// The ending of the name of a picture; `None` if the bytes are none.
fn ending(bytes: &[u8]) -> Option<&'static str> {
    match infer::get(bytes).map(|kind| (kind.matcher_type(), kind.extension())) {
        Some((infer::MatcherType::Image, ending)) => return Some(ending),
        // Pictures in SVG are XML.
        Some((infer::MatcherType::Text, _)) | None => {}
        Some(_) => return None,
    }
    let head = &bytes[..bytes.len().min(1024)];
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    head.contains("<svg").then_some("svg")
}

/// The files that a page may load.
fn files_of(page: &Page) -> Option<&PageFiles> {
    match &page.body {
        Body::Html { files, .. } if *files != PageFiles::Nothing => Some(files),
        _ => None,
    }
}

/// The content of an address that holds it (RFC 2397).
fn from_data(data: &str) -> Option<Vec<u8>> {
    use base64::Engine;
    let (kind, data) = data.split_once(',')?;
    if data.len() as u64 > 2 * MAX_BYTES {
        return None;
    }
    let bytes: Vec<u8> = percent_encoding::percent_decode_str(data).collect();
    if kind.ends_with(";base64") {
        base64::engine::general_purpose::STANDARD.decode(bytes).ok()
    } else {
        Some(bytes)
    }
}

/// The content of a file in the folder of a page; `None` for one outside of it.
fn from_folder(folder: &Path, address: &str) -> Option<Vec<u8>> {
    let path = address.split(['?', '#']).next()?;
    let path = percent_encoding::percent_decode_str(path)
        .decode_utf8()
        .ok()?;
    let path = Path::new(&*path);
    let is_inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if !path.components().all(is_inside) {
        return None;
    }
    let folder = folder.canonicalize().ok()?;
    let path = folder.join(path).canonicalize().ok()?;
    if !path.starts_with(&folder) {
        return None;
    }
    let mut bytes = Vec::new();
    let file = open_regular(&path).ok()?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MAX_BYTES).then_some(bytes)
}

/// The way from a folder to another one in links, with a slash at its end.
fn relative(to: &Path, from: &Path) -> String {
    let whole = |path: &Path| {
        let path = path.canonicalize().or_else(|_| std::path::absolute(path));
        path.unwrap_or_default()
    };
    let (to, from) = (whole(to), whole(from));
    let same = to
        .components()
        .zip(from.components())
        .take_while(|(one, other)| one == other)
        .count();
    let up = from.components().count() - same;
    let mut way = "../".repeat(up);
    for part in to.components().skip(same) {
        let part = part.as_os_str().to_string_lossy();
        way.push_str(&percent_encoding::utf8_percent_encode(&part, PLAIN).to_string());
        way.push('/');
    }
    way
}

/// The characters that links in Markdown and HTML cannot have.
const PLAIN: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'~');

#[cfg(test)]
mod tests {
    use super::*;

    const GIF: &[u8] = b"GIF89a\x01\0\x01\0\0\0\0;";

    #[test]
    fn pictures_are_found_in_the_folder_of_the_page_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("page_files")).unwrap();
        std::fs::write(folder.path().join("page_files/a b.gif"), GIF).unwrap();
        std::fs::write(folder.path().join("secret.gif"), GIF).unwrap();
        let inner = folder.path().join("page_files");
        assert_eq!(
            from_folder(folder.path(), "page_files/a%20b.gif?1").unwrap(),
            GIF
        );
        for outside in ["../secret.gif", "%2e%2e/secret.gif", "/etc/hostname"] {
            assert!(from_folder(&inner, outside).is_none(), "{outside}");
        }
    }

    #[test]
    fn only_pictures_are_saved_and_each_once() {
        let folder = tempfile::tempdir().unwrap();
        let images = SavedImages::new(&folder.path().join("images"), Some(folder.path())).unwrap();
        assert_eq!(images.prefix, "images/");
        let (one, two) = (images.store(GIF).unwrap(), images.store(GIF).unwrap());
        assert!(one == two && one.contains(".gif"), "{one}");
        assert!(images.store(b"<p>no picture").is_none());
        assert!(
            images
                .store(b"<?xml version='1.0'?><svg/>")
                .unwrap()
                .contains(".svg")
        );
        assert_eq!(from_data("image/gif;base64,R0lGODlh").unwrap(), b"GIF89a");
        assert_eq!(from_data("image/svg+xml,%3Csvg/%3E").unwrap(), b"<svg/>");
    }

    #[test]
    fn links_lead_from_the_texts_to_the_pictures() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert_eq!(
            relative(&path("a b/images"), &path("texts")),
            "../a%20b/images/"
        );
        assert_eq!(relative(&path("texts/i"), &path("texts")), "i/");
    }
}
