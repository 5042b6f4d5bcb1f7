//! Saved HTML pages, served to the browser by the proxy.
//!
//! Each page gets its own host below `saved.invalid` (a name that never resolves, RFC 2606), with a
//! random label that neither another page nor a server can guess. The root path is the document,
//! or in a mirror the path of its file; other paths are files in the page's folder or the mirror.
//! Files outside of it cannot be reached by links or `..`.

use percent_encoding::percent_decode_str;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use url::Url;
use vclean_core::error::{Warning, WarningKind};
use vclean_core::files::open_regular;
use vclean_core::html::expand_short_form;
use vclean_core::page::PageFiles;

const DOMAIN: &str = ".saved.invalid";
/// An empty page, which shows no text.
pub(super) const EMPTY_PAGE: &str = "<!doctype html>";
/// Largest file of a page's folder that is served, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Returns true if `host` is the host of a saved page.
pub(crate) fn is_saved_host(host: &str) -> bool {
    host.ends_with(DOMAIN)
}

/// The saved pages that are being rendered, by host.
#[derive(Debug, Default)]
pub(crate) struct SavedPages {
    pages: Mutex<BTreeMap<String, Arc<SavedPage>>>,
}

#[derive(Debug)]
struct SavedPage {
    html: String,
    /// Canonical path of the folder whose files the page may load.
    folder: Option<PathBuf>,
    /// The path at which the document is served.
    path: String,
    missing_sheets: Mutex<MissingSheets>,
}

/// The style sheets that a page requested from its folder and that are not there.
#[derive(Debug, Default)]
pub(crate) struct MissingSheets(BTreeSet<String>);

impl MissingSheets {
    /// Adds the path of an address. A page may request any number; the first ones suffice.
    pub(crate) fn add(&mut self, url: &Url) {
        const MAX_SHEETS: usize = 20;
        if self.0.len() < MAX_SHEETS {
            let path = url.path().trim_start_matches('/');
            let path = percent_decode_str(path).decode_utf8_lossy();
            self.0
                .insert(path.chars().filter(|c| !c.is_control()).collect());
        }
    }

    /// The warning about them; `None` if there are none.
    pub(crate) fn warning(self) -> Option<Warning> {
        const MAX_NAMED: usize = 5;
        if self.0.is_empty() {
            return None;
        }
        let mut names: Vec<&str> = self.0.iter().map(String::as_str).collect();
        let is_more = names.len() > MAX_NAMED;
        names.truncate(MAX_NAMED);
        let more = if is_more { " and more" } else { "" };
        let text = format!(
            "style sheets of the page are missing, or outside of its folder: {}{more}; if they are in a folder above, name \
             that folder as the input",
            names.join(", ")
        );
        Some(Warning::new(WarningKind::MissingParts, text))
    }
}

/// A page that is served until this value is dropped.
pub(crate) struct Served<'a> {
    pages: &'a SavedPages,
    host: String,
    page: Arc<SavedPage>,
}

impl Served<'_> {
    /// Returns the address at which the browser loads the page.
    pub(crate) fn address(&self) -> String {
        format!("http://{}{}", self.host, self.page.path)
    }

    /// Returns the warning about style sheets that the page requested and that are missing.
    pub(crate) fn warning(&self) -> Option<Warning> {
        let mut missing = self
            .page
            .missing_sheets
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *missing).warning()
    }
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        self.pages
            .pages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.host);
    }
}

/// Returns the HTML without `<meta http-equiv="refresh">`, so that the saved page itself is shown
/// and not another one.
pub(crate) fn without_refresh(html: &str) -> String {
    let html = &*expand_short_form(html);
    let mut kept = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find("http-equiv").or_else(|| rest.find("HTTP-EQUIV")) {
        let (before, from) = rest.split_at(at + "http-equiv".len());
        kept.push_str(before);
        let value = from
            .trim_start()
            .strip_prefix('=')
            .unwrap_or("")
            .trim_start()
            .trim_start_matches(['"', '\'']);
        if value
            .get(..7)
            .is_some_and(|start| start.eq_ignore_ascii_case("refresh"))
        {
            kept.push_str("-saved");
        }
        rest = from;
    }
    kept.push_str(rest);
    kept
}

impl SavedPages {
    /// Starts serving a page, and the files that it may load.
    pub(crate) fn add(&self, html: &str, files: &PageFiles) -> Served<'_> {
        let host = format!("p{}{DOMAIN}", secret());
        let folder = files.folder();
        let path = Url::parse(&format!("http://{host}/")).map_or_else(
            |_| "/".to_owned(),
            |mut url| {
                files.place(&mut url);
                url.path().to_owned()
            },
        );
        let folder = folder.and_then(|folder| match folder {
            here if here.as_os_str().is_empty() => Path::new(".").canonicalize().ok(),
            folder => folder.canonicalize().ok(),
        });
        let page = Arc::new(SavedPage {
            html: without_refresh(html),
            folder,
            path,
            missing_sheets: Mutex::default(),
        });
        self.pages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(host.clone(), Arc::clone(&page));
        Served {
            pages: self,
            host,
            page,
        }
    }

    /// Responds to one request of the browser.
    pub(crate) fn serve(&self, mut client: &TcpStream, method: &str, url: &Url) -> io::Result<()> {
        let host = url.host_str().unwrap_or_default();
        let page = self
            .pages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(host)
            .cloned();
        let found = page.as_deref().and_then(|page| {
            if url.path() == page.path {
                return Some((page.html.clone().into_bytes(), "text/html; charset=utf-8"));
            }
            let found = file_beside(page.folder.as_deref()?, url.path());
            if found.is_none() && media_type(Path::new(url.path())) == "text/css" {
                let mut missing = page
                    .missing_sheets
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                missing.add(url);
            }
            found
        });
        let (status, kind, body) = match found {
            Some((body, kind)) => ("200 OK", kind, body),
            // Otherwise the browser would show an error page with text in a frame.
            None => ("404 Not Found", "text/html", EMPTY_PAGE.into()),
        };
        write!(
            client,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
            body.len()
        )?;
        if method == "HEAD" {
            Ok(())
        } else {
            client.write_all(&body)
        }
    }
}

/// Reads the file at `path` (of an address, percent-encoded) in `folder` or below, and determines
/// its media type.
pub(crate) fn file_beside(folder: &Path, path: &str) -> Option<(Vec<u8>, &'static str)> {
    let name = percent_decode_str(path.trim_start_matches('/'))
        .decode_utf8()
        .ok()?;
    if name.contains('\0') {
        return None;
    }
    let path = folder.join(&*name).canonicalize().ok()?;
    if !path.starts_with(folder) {
        return None;
    }
    // Reading a pipe or device would block; only regular files are read.
    let file = open_regular(&path).ok()?;
    if !is_within(&file, folder) || file.metadata().ok()?.len() > MAX_FILE_BYTES {
        return None;
    }
    let mut body = Vec::new();
    file.take(MAX_FILE_BYTES).read_to_end(&mut body).ok()?;
    Some((body, media_type(&path)))
}

/// Returns true if the opened file is in a folder: another user who may write there could have
/// replaced it by a link after its path was checked. Only Linux reports the opened path; elsewhere
/// the checked path has to suffice.
fn is_within(file: &File, folder: &Path) -> bool {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        let opened = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
        opened.map_or(!Path::new("/proc/self/fd").exists(), |opened| {
            opened.starts_with(folder)
        })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (file, folder);
        true
    }
}

/// Determines the media type of a file by its name. Types that `mime_guess` lacks or has
/// differently come first: pages made by server scripts, and the newer names of three types (RFC
/// 9239, RFC 8081).
fn media_type(file: &Path) -> &'static str {
    let extension = file
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default()
        .to_ascii_lowercase();
    match extension.as_str() {
        "php" | "asp" | "aspx" => "text/html",
        "mjs" => "text/javascript",
        "woff" => "font/woff",
        "otf" => "font/otf",
        other => mime_guess::from_ext(other)
            .first_raw()
            .unwrap_or("application/octet-stream"),
    }
}

/// Generates an unpredictable number as 32 hexadecimal digits.
///
/// `std` takes the keys of its hash function from the random source of the system, and the function
/// (SipHash) hides them. The quick generators of other crates do not suffice: a page that sees one
/// of their numbers can compute the others.
pub(super) fn secret() -> String {
    let number = |salt: u8| RandomState::new().hash_one(salt);
    format!("{:016x}{:016x}", number(0), number(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refreshes_of_saved_pages_are_removed() {
        let page = r#"<meta http-equiv="refresh" content="0;url=http://a.example/"><meta http-equiv=Content-Type content=x>"#;
        let kept = without_refresh(page);
        assert!(
            kept.contains(r#"http-equiv-saved="refresh""#)
                && kept.contains("http-equiv=Content-Type"),
            "{kept}"
        );
        assert!(without_refresh("<META HTTP-EQUIV = 'Refresh'>").contains("HTTP-EQUIV-saved"));
        assert_eq!(without_refresh("no such http-equiv"), "no such http-equiv");
    }

    #[test]
    fn only_files_of_the_folder_are_served() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("page");
        std::fs::create_dir_all(folder.join("page files")).unwrap();
        std::fs::write(above.path().join("secret.txt"), "no").unwrap();
        std::fs::write(folder.join("page files/a.css"), "yes").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(above.path().join("secret.txt"), folder.join("link.txt"))
            .unwrap();
        let folder = folder.canonicalize().unwrap();
        assert_eq!(
            file_beside(&folder, "/page%20files/a.css"),
            Some((b"yes".to_vec(), "text/css"))
        );
        for path in [
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/link.txt",
            "//etc/passwd",
            "/page%20files",
            "/%00",
            "/%4",
        ] {
            assert_eq!(file_beside(&folder, path), None, "{path}");
        }
        let absolute = format!("/{}", above.path().join("secret.txt").display());
        assert_eq!(file_beside(&folder, &absolute), None);
        // A file from elsewhere, opened through a link that was created after the check.
        let [secret, own] = [
            above.path().join("secret.txt"),
            folder.join("page files/a.css"),
        ]
        .map(File::open);
        assert!(!is_within(&secret.unwrap(), &folder) || !cfg!(target_os = "linux"));
        assert!(is_within(&own.unwrap(), &folder));
    }

    #[test]
    fn media_types_follow_from_names() {
        for (extensions, expected) in [
            ("html htm php asp aspx HTML", "text/html"),
            ("xhtml xht", "application/xhtml+xml"),
            ("css", "text/css"),
            ("js mjs", "text/javascript"),
            ("json", "application/json"),
            ("xml", "text/xml"),
            ("txt", "text/plain"),
            ("svg", "image/svg+xml"),
            ("png", "image/png"),
            ("jpg jpeg JPG", "image/jpeg"),
            ("gif", "image/gif"),
            ("webp", "image/webp"),
            ("avif", "image/avif"),
            ("ico", "image/x-icon"),
            ("bmp", "image/bmp"),
            ("woff", "font/woff"),
            ("woff2", "font/woff2"),
            ("ttf", "font/ttf"),
            ("otf", "font/otf"),
            ("unknown-kind", "application/octet-stream"),
        ] {
            for extension in extensions.split(' ') {
                assert_eq!(
                    media_type(Path::new(&format!("a.b.{extension}"))),
                    expected,
                    "{extension}"
                );
            }
        }
        assert_eq!(media_type(Path::new("css")), "application/octet-stream");
    }

    #[test]
    fn a_page_is_served_until_it_is_dropped() {
        let pages = SavedPages::default();
        let served = pages.add("<p>hello", &PageFiles::Nothing);
        assert!(is_saved_host(
            served
                .address()
                .trim_start_matches("http://")
                .trim_end_matches('/')
        ));
        drop(served);
        assert!(pages.pages.lock().unwrap().is_empty());
    }

    #[test]
    fn a_page_of_a_mirror_is_served_at_its_path_and_its_missing_sheets_are_named() {
        let files = PageFiles::Mirror {
            folder: "mirror".into(),
            page: "top ics/a?b.html".into(),
        };
        let pages = SavedPages::default();
        let served = pages.add("<p>hello", &files);
        let address = served.address();
        assert!(
            address.ends_with(".saved.invalid/top%20ics/a%3Fb.html"),
            "{address}"
        );
        let sheet = Url::parse(&address).unwrap().join("../x/y.css").unwrap();
        assert_eq!(sheet.path(), "/x/y.css");
        assert!(served.warning().is_none());
        let mut missing = MissingSheets::default();
        missing.add(&sheet);
        let warning = missing.warning().unwrap();
        assert!(warning.contains("folder: x/y.css; "), "{warning}");
    }

    #[test]
    fn secrets_differ() {
        assert_eq!(secret().len(), 32);
        assert_ne!(secret(), secret());
    }
}
