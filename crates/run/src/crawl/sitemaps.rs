//! The addresses that a site announces in its sitemaps (sitemaps.org: XML or text, indexes, packed
//! with gzip or not) and in its feeds (RSS, Atom, JSON Feed), which the sitemaps protocol allows
//! too.
//!
//! `announcements` reads the files. This module follows indexes and bounds the number of files.

use super::announcements::{self, Announcement};
use flate2::bufread::MultiGzDecoder;
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::Read;
use url::Url;
use vclean_render::net::Fetched;

/// Largest file that is read, in bytes, both as sent and after unpacking: the limit of the
/// protocol.
pub const MAX_SITEMAP_BYTES: u64 = 50 << 20;
/// Largest number of files that are read for a crawl. Heuristic: at one per second, more would take
/// longer than most crawls.
const MAX_FILES: usize = 500;
/// Largest number of indexes between the first file and a file of addresses. The protocol allows
/// one.
const MAX_DEPTH: u32 = 3;
/// Largest number of waiting files: the most that one index may name.
const MAX_WAITING: usize = 50_000;
/// Largest number of notes about files that cannot be read.
const MAX_NOTES: usize = 5;

/// The addresses that a site announces.
#[derive(Debug, Default)]
pub struct Announced {
    /// Addresses, each once, in the order in which they were read.
    pub addresses: Vec<Url>,
    /// Files that could not be read, and why.
    pub notes: Vec<String>,
}

/// A file to be read.
struct File {
    url: Url,
    depth: u32,
    /// Kind of file, for notes; `None` if the site does not name it, so that it may be missing.
    named: Option<&'static str>,
}

/// Reads the sitemaps of the site of `start`: those `named` by its `robots.txt`, otherwise
/// `/sitemap.xml`. Ends when `limit` addresses are found that `admits` accepts. `fetch` loads a
/// file.
pub fn announced(
    start: &Url,
    named: Vec<Url>,
    limit: usize,
    admits: impl Fn(&Url) -> bool,
    mut fetch: impl FnMut(&Url) -> Result<Fetched, String>,
) -> Announced {
    let mut waiting: VecDeque<File> = if named.is_empty() {
        start
            .join("/sitemap.xml")
            .map(|url| File {
                url,
                depth: 0,
                named: None,
            })
            .into_iter()
            .collect()
    } else {
        named
            .into_iter()
            .map(|url| File {
                url,
                depth: 0,
                named: Some("sitemap"),
            })
            .collect()
    };
    follow(&mut waiting, limit, &admits, &mut fetch)
}

/// Reads the feeds that a page of a site names. Ends when `limit` addresses are found that `admits`
/// accepts.
pub fn announced_in_feeds(
    feeds: Vec<Url>,
    limit: usize,
    admits: impl Fn(&Url) -> bool,
    mut fetch: impl FnMut(&Url) -> Result<Fetched, String>,
) -> Announced {
    let mut waiting = feeds
        .into_iter()
        .map(|url| File {
            url,
            depth: MAX_DEPTH,
            named: Some("feed"),
        })
        .collect();
    follow(&mut waiting, limit, &admits, &mut fetch)
}

/// Reads the waiting files and those that they name.
fn follow(
    waiting: &mut VecDeque<File>,
    limit: usize,
    admits: &impl Fn(&Url) -> bool,
    fetch: &mut impl FnMut(&Url) -> Result<Fetched, String>,
) -> Announced {
    let mut known: FxHashSet<Url> = waiting.iter().map(|file| file.url.clone()).collect();
    let mut reading = Reading {
        found: Announced::default(),
        seen: FxHashSet::default(),
        limit,
    };
    let mut files = 0;
    while let Some(file) = waiting.pop_front() {
        if files == MAX_FILES || reading.is_full() {
            break;
        }
        files += 1;
        let read = fetch(&file.url).and_then(|fetched| reading.read(&fetched, admits));
        match read {
            Ok(indexed) if file.depth < MAX_DEPTH => {
                let room = MAX_WAITING.saturating_sub(waiting.len());
                let new = indexed
                    .into_iter()
                    .filter(|url| known.insert(url.clone()))
                    .take(room);
                waiting.extend(new.map(|url| File {
                    url,
                    depth: file.depth + 1,
                    named: Some("sitemap"),
                }));
            }
            Ok(_) => {}
            Err(cause) => {
                let note = file
                    .named
                    .map(|what| format!("{what} {}: {cause}", file.url));
                reading
                    .found
                    .notes
                    .extend(note.filter(|_| reading.found.notes.len() < MAX_NOTES));
            }
        }
    }
    reading.found
}

struct Reading {
    found: Announced,
    seen: FxHashSet<Url>,
    limit: usize,
}

impl Reading {
    fn is_full(&self) -> bool {
        self.found.addresses.len() >= self.limit
    }

    /// Takes the addresses in a file and returns the files that it names. Addresses before damage
    /// are taken.
    fn read(
        &mut self,
        fetched: &Fetched,
        admits: &impl Fn(&Url) -> bool,
    ) -> Result<Vec<Url>, String> {
        if !(200..300).contains(&fetched.status) {
            return Err(format!("the server answered {}", fetched.status));
        }
        let body = unpacked(&fetched.body)?;
        let mut indexed = Vec::new();
        announcements::read(&body, |found| {
            let (Announcement::Page(address) | Announcement::Sitemap(address)) = &found;
            match fetched.final_url.join(address) {
                Ok(url) if matches!(found, Announcement::Sitemap(_)) => indexed.push(url),
                Ok(url) => self.take(url, admits),
                Err(_) => {}
            }
            !self.is_full()
        })?;
        Ok(indexed)
    }

    fn take(&mut self, mut url: Url, admits: &impl Fn(&Url) -> bool) {
        url.set_fragment(None);
        if admits(&url) && self.seen.insert(url.clone()) {
            self.found.addresses.push(url);
        }
    }
}

/// The content of a file that may be packed with gzip, up to [`MAX_SITEMAP_BYTES`].
fn unpacked(body: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    if !body.starts_with(&[0x1f, 0x8b]) {
        return Ok(Cow::Borrowed(body));
    }
    let mut content = Vec::new();
    let unpacker = MultiGzDecoder::new(body);
    match unpacker.take(MAX_SITEMAP_BYTES).read_to_end(&mut content) {
        Err(error) if content.is_empty() => Err(error.to_string()),
        // The content before damage is used.
        _ => Ok(Cow::Owned(content)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::io::Write;

    fn packed(text: &str) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(text.as_bytes()).unwrap();
        packer.finish().unwrap()
    }

    /// The addresses that the files of a site announce, and the files that were requested.
    fn read(files: &[(&str, Vec<u8>)], named: &[&str], limit: usize) -> (Announced, Vec<String>) {
        let files: BTreeMap<&str, &Vec<u8>> =
            files.iter().map(|(path, body)| (*path, body)).collect();
        let start = Url::parse("https://a.example/x/").unwrap();
        let mut asked = Vec::new();
        let named = named.iter().map(|path| start.join(path).unwrap()).collect();
        let found = announced(
            &start,
            named,
            limit,
            |url| url.host_str() == Some("a.example"),
            |url| {
                asked.push(url.path().to_owned());
                let body = files.get(url.path()).map(|body| (*body).clone());
                Ok(Fetched {
                    status: if body.is_some() { 200 } else { 404 },
                    final_url: url.clone(),
                    content_type: None,
                    retry_after_s: None,
                    body: body.unwrap_or_default(),
                    is_cut: false,
                })
            },
        );
        (found, asked)
    }

    fn texts(found: &Announced) -> Vec<&str> {
        found.addresses.iter().map(Url::path).collect()
    }

    const SET: &str = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://a.example/1</loc></url>
        <url><loc> https://a.example/2#x </loc></url><url><loc>http://10.0.0.1/</loc></url><url><loc>https://a.example/1</loc></url></urlset>";

    #[test]
    fn indexes_packed_files_and_lists_are_read() {
        let index = "<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap><loc>https://a.example/a.xml.gz</loc>
            </sitemap><sitemap><loc>https://a.example/b.txt</loc></sitemap><sitemap><loc>https://a.example/sitemap.xml</loc></sitemap></sitemapindex>";
        let files = [
            ("/sitemap.xml", index.as_bytes().to_vec()),
            ("/a.xml.gz", packed(SET)),
            (
                "/b.txt",
                b"https://a.example/3\nhttps://b.example/\n".to_vec(),
            ),
        ];
        let (found, asked) = read(&files, &[], 100);
        assert_eq!(texts(&found), ["/1", "/2", "/3"]);
        assert_eq!(
            asked,
            ["/sitemap.xml", "/a.xml.gz", "/b.txt"],
            "an index that names itself is read once"
        );
        assert!(found.notes.is_empty());
        let (found, asked) = read(&files, &[], 2);
        assert_eq!(
            (found.addresses.len(), asked.len()),
            (2, 2),
            "no more than is needed"
        );
    }

    #[test]
    fn feeds_are_read_in_place_of_sitemaps_and_by_their_names() {
        let rss = "<?xml version='1.0'?><rss version='2.0'><channel><title>News</title><link>https://a.example/</link>
            <item><title>One</title><link>https://a.example/1#now</link><enclosure url='https://a.example/1.mp3' type='audio/mpeg' length='1'/></item>
            <item><link>http://10.0.0.1/</link></item><item><title>No link</title></item></channel></rss>";
        let atom =
            "<feed xmlns='http://www.w3.org/2005/Atom'><title>News</title><id>n</id><entry><id>2</id><title>Two</title>
            <link rel='replies' href='/2/replies'/><link rel='alternate' href='/2'/></entry></feed>";
        let json = r#"{"version": "https://jsonfeed.org/version/1.1", "title": "News", "items": [{"id": "3", "url": "https://a.example/3"}]}"#;
        let files = [
            ("/sitemap.xml", rss.as_bytes().to_vec()),
            ("/atom", atom.as_bytes().to_vec()),
            ("/json", json.as_bytes().to_vec()),
            ("/cut", rss.as_bytes()[..60].to_vec()),
        ];
        assert_eq!(texts(&read(&files, &[], 9).0), ["/1"]);
        let found = read(&files, &["/atom", "/json", "/cut"], 9).0;
        assert_eq!(texts(&found), ["/2", "/3"]);
        assert!(
            found.notes[0].starts_with("sitemap https://a.example/cut: "),
            "{:?}",
            found.notes
        );
        assert_eq!(read(&files, &["/atom", "/json"], 1).0.addresses.len(), 1);
    }

    #[test]
    fn damage_and_missing_files_are_told_if_the_site_names_them() {
        assert!(read(&[], &[], 9).0.notes.is_empty());
        let html = [("/sitemap.xml", b"<html><body>not here</html>".to_vec())];
        assert!(read(&html, &[], 9).0.notes.is_empty());
        let cut = [("/cut.xml", SET.as_bytes()[..140].to_vec())];
        let (found, asked) = read(&cut, &["/cut.xml", "/gone.xml"], 9);
        assert_eq!(
            (texts(&found), asked.len()),
            (vec!["/1"], 2),
            "what stands before damage counts"
        );
        assert!(
            found
                .notes
                .iter()
                .any(|note| note.contains("gone.xml: the server answered 404")),
            "{:?}",
            found.notes
        );
    }

    #[test]
    fn an_endless_sitemap_ends() {
        let line = format!("{}\n", "https://a.example/?".to_owned() + &"x".repeat(1000));
        let bomb = packed(&line.repeat(60_000));
        assert!(bomb.len() < 1 << 20);
        let (found, _) = read(&[("/sitemap.xml", bomb)], &[], usize::MAX);
        assert_eq!(found.addresses.len(), 1);
        let entry = |n| format!("<sitemap><loc>https://a.example/{n}.xml</loc></sitemap>");
        let entries = (0..2000).map(entry).collect::<Vec<_>>().concat();
        let index = format!("<sitemapindex>{entries}</sitemapindex>").into_bytes();
        assert_eq!(read(&[("/sitemap.xml", index)], &[], 9).1.len(), MAX_FILES);
    }
}
