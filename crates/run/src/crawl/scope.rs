//! Decides which addresses belong to a crawl: those of the site, except traps with an endless
//! number of pages.

use super::options::CrawlOptions;
use regex::Regex;
use url::Url;

/// Longest address that is followed, in bytes. Heuristic: addresses of pages are far shorter, and
/// browsers and servers treat longer ones differently.
const MAX_ADDRESS_BYTES: usize = 2048;
/// Largest number of segments of a path, and of successive repetitions of the same segments in it:
/// the limits of the crawler Heritrix (rules `TooManyPathSegments` and `PathologicalPath`), whose
/// authors found them on the web as a whole.
const MAX_SEGMENTS: usize = 20;
const MAX_REPEATS: usize = 2;

/// File name extensions that pages do not have.
const NO_PAGES: &[&str] = &[
    "7z",
    "aac",
    "apk",
    "atom",
    "avi",
    "avif",
    "bin",
    "bmp",
    "bz2",
    "css",
    "csv",
    "deb",
    "dmg",
    "doc",
    "docx",
    "eot",
    "eps",
    "epub",
    "exe",
    "flac",
    "flv",
    "gif",
    "gz",
    "ico",
    "ics",
    "iso",
    "jar",
    "jpeg",
    "jpg",
    "js",
    "json",
    "m4a",
    "m4v",
    "mjs",
    "mkv",
    "mobi",
    "mov",
    "mp3",
    "mp4",
    "mpeg",
    "mpg",
    "msi",
    "odp",
    "ods",
    "odt",
    "ogg",
    "ogv",
    "otf",
    "pdf",
    "pkg",
    "png",
    "ppt",
    "pptx",
    "ps",
    "rar",
    "rpm",
    "rss",
    "rtf",
    "svg",
    "tar",
    "tgz",
    "tif",
    "tiff",
    "ttf",
    "wav",
    "webm",
    "webmanifest",
    "webp",
    "wmv",
    "woff",
    "woff2",
    "xls",
    "xlsx",
    "xml",
    "xz",
    "zip",
    "zst",
];

/// Why an address does not belong to a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutOfScope {
    /// It is on another site, or is not an address of the web.
    Site,
    /// Its path does not begin with the folder of the crawl.
    Folder,
    /// The patterns of the crawl exclude it.
    Pattern,
    /// Its extension is that of a file, such as a picture, and not of a page.
    File,
    /// It looks like a trap: it is too long, too deep, or has repeated segments.
    Trap,
    /// The crawl has enough addresses that differ only in their query.
    Queries,
    /// It is more links away than the crawl follows.
    Depth,
    /// `robots.txt` forbids it.
    Robots,
    /// Its page is already in the crawl under another address.
    Duplicate,
    /// It redirects to another site.
    Elsewhere,
    /// The crawl has reached its limit of addresses.
    Full,
}

impl OutOfScope {
    /// The words for this reason in the notes of a crawl; `None` if the user asked for it.
    pub(super) fn note(self) -> Option<&'static str> {
        match self {
            Self::Site | Self::Folder | Self::Pattern | Self::File => None,
            Self::Trap => Some("too long, too deep or with repeated parts"),
            Self::Queries => Some("of paths with more queries than `max_queries`"),
            Self::Depth => Some("farther away than `max_depth`"),
            Self::Robots => Some("forbidden by robots.txt"),
            Self::Duplicate => Some("of pages that others redirect to"),
            Self::Elsewhere => Some("that redirect to other sites"),
            Self::Full => Some("beyond `max_pages`"),
        }
    }
}

/// Host and port of a site. `http` and `https` with their default ports are the same site, and so
/// are hosts with and without `www.`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Site {
    host: String,
    port: Option<u16>,
}

impl Site {
    fn from_url(url: &Url) -> Option<Self> {
        let host = url.host_str()?.trim_end_matches('.');
        Some(Self {
            host: host.strip_prefix("www.").unwrap_or(host).to_owned(),
            port: url.port(),
        })
    }
}

/// Decides which addresses belong to a crawl.
#[derive(Debug, Clone)]
pub struct Scope {
    site: Option<Site>,
    subdomains: bool,
    /// The prefix that paths must have.
    folder: Option<String>,
    include: Vec<Regex>,
    exclude: Vec<Regex>,
    patterns_on_address: bool,
}

impl Scope {
    /// The scope of a crawl.
    pub fn new(options: &CrawlOptions) -> Self {
        // An IP address has no subdomains.
        let is_named = matches!(options.start.host(), Some(url::Host::Domain(_)));
        Self {
            site: Site::from_url(&options.start),
            subdomains: options.subdomains && is_named,
            folder: options.folder(),
            include: options.include.clone(),
            exclude: options.exclude.clone(),
            patterns_on_address: options.patterns_on_address,
        }
    }

    /// Returns true if an address is on the site, whatever its path.
    pub fn is_of_site(&self, url: &Url) -> bool {
        let Some((own, other)) = self.site.as_ref().zip(Site::from_url(url)) else {
            return false;
        };
        let is_below = || {
            other
                .host
                .strip_suffix(&own.host)
                .is_some_and(|above| above.ends_with('.'))
        };
        own.port == other.port && (own.host == other.host || self.subdomains && is_below())
    }

    /// Checks whether an address belongs to the crawl.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check(&self, url: &Url) -> Result<(), OutOfScope> {
        let is_web = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none();
        if !is_web || !self.is_of_site(url) {
            return Err(OutOfScope::Site);
        }
        let path = url.path();
        if self
            .folder
            .as_ref()
            .is_some_and(|folder| !path.starts_with(folder.as_str()))
        {
            return Err(OutOfScope::Folder);
        }
        if is_file(path) {
            return Err(OutOfScope::File);
        }
        if url.as_str().len() > MAX_ADDRESS_BYTES || is_trap(path) {
            return Err(OutOfScope::Trap);
        }
        let seen = if self.patterns_on_address {
            url.as_str()
        } else {
            &url[url::Position::BeforePath..]
        };
        let has = |patterns: &[Regex]| patterns.iter().any(|pattern| pattern.is_match(seen));
        if has(&self.exclude) || !self.include.is_empty() && !has(&self.include) {
            return Err(OutOfScope::Pattern);
        }
        Ok(())
    }
}

/// Returns true if a path has an extension that pages do not have.
fn is_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let ending = name
        .rsplit_once('.')
        .filter(|(stem, _)| !stem.is_empty())
        .map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| NO_PAGES.binary_search(&ending.as_str()).is_ok())
}

/// Returns true if a path has too many segments, or repeats the same ones, as wrong relative links
/// do.
fn is_trap(path: &str) -> bool {
    let segments: Vec<&str> = path
        .split('/')
        .filter(|segment| !segment.is_empty())
        .collect();
    if segments.len() > MAX_SEGMENTS {
        return true;
    }
    let repeats = |start: usize, length: usize| {
        let part = &segments[start..start + length];
        segments[start..]
            .chunks_exact(length)
            .take_while(|other| *other == part)
            .count()
    };
    (1..=segments.len() / (MAX_REPEATS + 1)).any(|length| {
        (0..=segments.len() - length * (MAX_REPEATS + 1))
            .any(|start| repeats(start, length) > MAX_REPEATS)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use OutOfScope::*;

    fn scope(
        start: &str,
        change: impl FnOnce(&mut CrawlOptions),
    ) -> impl Fn(&str) -> Result<(), OutOfScope> {
        let mut options = CrawlOptions::new(start).unwrap();
        change(&mut options);
        let scope = Scope::new(&options);
        move |address: &str| scope.check(&Url::parse(address).unwrap())
    }

    #[test]
    fn a_site_is_its_host_with_and_without_www() {
        let check = scope("https://www.a.example/docs/index.html", |_| {});
        for own in [
            "https://a.example/",
            "http://a.example./x",
            "https://WWW.a.example:443/y?z=1",
        ] {
            assert_eq!(check(own), Ok(()), "{own}");
        }
        for other in [
            "https://a.example:8443/",
            "https://b.a.example/",
            "https://ba.example/",
            "https://a.example.evil.example/",
            "https://user:word@a.example/",
            "http://127.0.0.1/",
            "ftp://a.example/",
            "mailto:a@a.example",
        ] {
            assert_eq!(check(other), Err(Site), "{other}");
        }
        let check = scope("https://a.example/", |options| options.subdomains = true);
        assert_eq!(
            (
                check("https://b.c.a.example/"),
                check("https://ba.example/")
            ),
            (Ok(()), Err(Site))
        );
        let check = scope("http://127.0.0.1:80/", |options| options.subdomains = true);
        assert_eq!(check("http://1.127.0.0.1.example/"), Err(Site));
    }

    #[test]
    fn folders_and_patterns_leave_out_the_rest() {
        let check = scope("https://a.example/docs/start", |options| {
            options.no_parent = true;
        });
        assert_eq!(
            (
                check("https://a.example/docs/x/y"),
                check("https://a.example/docs2/")
            ),
            (Ok(()), Err(Folder))
        );
        let check = scope("https://a.example/", |options| {
            options.include = CrawlOptions::patterns(&["^/blog/".into()]).unwrap();
            options.exclude = CrawlOptions::patterns(&[r"[?&]print=".into()]).unwrap();
        });
        assert_eq!(check("https://a.example/blog/1?a=b"), Ok(()));
        assert_eq!(check("https://a.example/blog/1?print=1"), Err(Pattern));
        assert_eq!(check("https://a.example/old/blog/"), Err(Pattern));
        let check = scope("https://a.example/", |options| {
            options.include = CrawlOptions::patterns(&["^https://a".into()]).unwrap();
            options.patterns_on_address = true;
        });
        assert_eq!(check("https://a.example/x"), Ok(()));
    }

    #[test]
    fn files_and_traps_are_no_pages() {
        assert!(NO_PAGES.is_sorted());
        let check = scope("https://a.example/", |_| {});
        for page in [
            "https://a.example/x.html",
            "https://a.example/v1.2",
            "https://a.example/a/b/a/b",
            "https://a.example/.pdf",
        ] {
            assert_eq!(check(page), Ok(()), "{page}");
        }
        assert_eq!(
            (
                check("https://a.example/x.PDF?y"),
                check("https://a.example/a.tar.gz")
            ),
            (Err(File), Err(File))
        );
        for trap in ["a/a/a", "x/a/b/a/b/a/b/y", "x/a/b/c/a/b/c/a/b/c"] {
            assert_eq!(
                check(&format!("https://a.example/{trap}")),
                Err(Trap),
                "{trap}"
            );
        }
        let deep = (0..21)
            .map(|number| format!("/{number}"))
            .collect::<Vec<_>>()
            .concat();
        assert_eq!(check(&format!("https://a.example{deep}")), Err(Trap));
        assert_eq!(
            check(&format!("https://a.example/{}", "a".repeat(3000))),
            Err(Trap)
        );
    }
}
