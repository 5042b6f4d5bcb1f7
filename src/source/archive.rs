//! A web archive as the place that its pages load from: an address leads to what the crawl was answered there.
//!
//! Reading an archive takes no index; rendering its pages does. One pass over the archive makes it when the first page
//! asks, and all its pages share it: 16 bytes a record, and 16 more where records repeat earlier ones (`revisit`). Each
//! answer is then read by going to its place, and checked, since an index of checksums may err.

use super::MAX_PAGE_BYTES;
use super::http::Response;
use super::record::{Found, Header, Records};
use super::stream::{Members, Plain, Stream};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use url::{Position, Url};

/// Records that are indexed; those beyond are not found. Some 100 bytes a record while it is made, hence 2 GB at most.
const MAX_RECORDS: usize = 20_000_000;
/// Records of one address, or one checksum, that are looked at.
const MAX_CANDIDATES: usize = 16;
/// What is read of a content before it is chosen, in bytes.
const HEAD_BYTES: u64 = 64 << 10;
/// Bits of a place that say where in its file a record is; those above say in which file.
const OFFSET_BITS: u32 = 48;

/// A file of records, or a stretch of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// The file.
    pub(super) path: PathBuf,
    /// Where in it the records begin, in bytes.
    pub(super) start: u64,
    /// How many bytes they take.
    pub(super) length: u64,
    /// Whether they are packed with gzip.
    pub(super) is_packed: bool,
}

/// A web archive that pages are rendered from.
#[derive(Debug)]
pub struct Archive {
    parts: Vec<Part>,
    index: OnceLock<Index>,
    has_told: AtomicBool,
}

/// What an archive holds for an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// HTTP status.
    pub status: u16,
    /// Media type with its parameters, in lower case; empty where none is known.
    pub content_type: String,
    /// Where a redirect leads, as the server wrote it.
    pub location: Option<String>,
    /// The content, unpacked; empty for a redirect.
    pub body: Vec<u8>,
}

#[derive(Debug, Default)]
struct Index {
    /// Addresses, as [`key`] makes them, and the places of their records; sorted.
    addresses: Vec<(u64, u64)>,
    /// The same of the contents' checksums, where records repeat earlier ones.
    digests: Vec<(u64, u64)>,
    warning: Option<String>,
}

/// How well a record answers a request; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Content,
    /// Under http what was asked for under https, or the other way round.
    OtherScheme,
    Redirect,
    Failure,
}

impl Part {
    /// A whole file.
    pub(super) fn file(path: &Path) -> io::Result<Self> {
        Self::stretch(path, 0, u64::MAX)
    }

    /// A stretch of a file, which ends where the file does; whether it is packed is told by its first bytes.
    pub(super) fn stretch(path: &Path, start: u64, length: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let length = length.min(file.metadata()?.len().saturating_sub(start));
        file.seek(SeekFrom::Start(start))?;
        let mut head = Vec::new();
        file.take(length.min(2)).read_to_end(&mut head)?;
        Ok(Self { path: path.to_path_buf(), start, length, is_packed: head == b"\x1f\x8b" })
    }

    /// Its records from `place` on.
    pub(super) fn records(&self, place: u64) -> io::Result<Records> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.start.saturating_add(place)))?;
        let stretch = BufReader::with_capacity(1 << 16, file.take(self.length.saturating_sub(place)));
        let stream: Box<dyn Stream> =
            if self.is_packed { Box::new(Members::new(stretch)) } else { Box::new(Plain::new(stretch)) };
        Ok(Records::new(stream))
    }
}

/// Two archives are the same if they are read from the same files.
impl PartialEq for Archive {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

impl Eq for Archive {}

impl Archive {
    pub(super) fn new(parts: Vec<Part>) -> Self {
        Self { parts, index: OnceLock::new(), has_told: AtomicBool::new(false) }
    }

    /// Makes the index if that is still to be done, which takes one pass over the archive. What is wrong with the
    /// archive as a whole is told to the first that asks.
    pub fn prepare(&self) -> Option<String> {
        let warning = self.index().warning.clone()?;
        (!self.has_told.swap(true, Ordering::Relaxed)).then_some(warning)
    }

    /// What the archive holds for an address: content rather than a redirect, under its own scheme rather than under
    /// http for https or the other way round, the earliest where there are several.
    pub fn find(&self, address: &Url) -> Option<Resource> {
        let mut best: Option<(Rank, u64)> = None;
        for place in self.places(&self.index().addresses, key(address)) {
            let Some(rank) = self.rank(place, address) else { continue };
            if best.is_none_or(|(other, _)| rank < other) {
                best = Some((rank, place));
            }
            if rank == Rank::Content {
                break;
            }
        }
        self.resource(best?.1, address)
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::of(&self.parts))
    }

    fn places<'a>(&self, index: &'a [(u64, u64)], key: u64) -> impl Iterator<Item = u64> + use<'a> {
        let first = index.partition_point(|(other, _)| *other < key);
        index[first..].iter().take_while(move |(other, _)| *other == key).take(MAX_CANDIDATES).map(|(_, place)| *place)
    }

    /// The record at a place.
    fn record(&self, place: u64) -> Option<(Records, Header)> {
        let part = self.parts.get(usize::try_from(place >> OFFSET_BITS).ok()?)?;
        let mut records = part.records(place & ((1 << OFFSET_BITS) - 1)).ok()?;
        match records.advance() {
            Found::Record(header) => Some((records, header)),
            Found::Fault(_) | Found::End => None,
        }
    }

    fn rank(&self, place: u64, asked: &Url) -> Option<Rank> {
        let (mut records, header) = self.record(place)?;
        let url = Url::parse(header.url.as_deref()?).ok()?;
        if key(&url) != key(asked) {
            return None;
        }
        let good = if url.scheme() == asked.scheme() { Rank::Content } else { Rank::OtherScheme };
        if header.kind == "resource" {
            return Some(good);
        }
        let content = records.content(HEAD_BYTES, "").ok()?;
        let response = Response::of(&content);
        Some(match response {
            // A record of a repeated visit may have no head of its own.
            None if header.kind == "revisit" => good,
            None => return None,
            Some(response) if response.is_redirect() => {
                let to = response.location.as_deref().and_then(|to| url.join(to).ok())?;
                // From http to https, while nobody but the archive is asked, is no way forward.
                if to[..Position::AfterQuery] == asked[..Position::AfterQuery] {
                    return None;
                }
                Rank::Redirect
            }
            Some(response) if response.is_success() || header.kind == "revisit" && response.status == 304 => good,
            Some(_) => Rank::Failure,
        })
    }

    fn resource(&self, place: u64, asked: &Url) -> Option<Resource> {
        let (mut records, header) = self.record(place)?;
        if header.length > MAX_PAGE_BYTES + HEAD_BYTES {
            return None;
        }
        let content = records.content(u64::MAX, "").ok()?;
        if header.kind == "resource" {
            return Some(Resource { status: 200, content_type: header.content_type, location: None, body: content });
        }
        let response = Response::of(&content);
        if header.kind == "revisit" && response.as_ref().is_none_or(|response| !response.is_redirect()) {
            return self.original(&header, asked);
        }
        let response = response?;
        let body = if response.is_redirect() { Vec::new() } else { response.body().ok()? };
        let Response { status, content_type, location, .. } = response;
        Some(Resource { status, content_type, location, body })
    }

    /// The earlier record that one of a repeated visit stands for.
    fn original(&self, header: &Header, asked: &Url) -> Option<Resource> {
        let url = header.refers_to.as_deref().and_then(|url| Url::parse(url).ok());
        let url = url.as_ref().unwrap_or(asked);
        let digest = header.digest.as_deref();
        let by_address = self.places(&self.index().addresses, key(url));
        let by_digest = digest.map(|digest| self.places(&self.index().digests, hash(digest)));
        by_address.chain(by_digest.into_iter().flatten()).find_map(|place| {
            let (_, found) = self.record(place)?;
            let is_same = found.kind != "revisit" && (digest.is_none() || found.digest.as_deref() == digest);
            if is_same { self.resource(place, asked) } else { None }
        })
    }
}

impl Index {
    fn of(parts: &[Part]) -> Self {
        let mut index = Self::default();
        let (mut has_revisits, mut lost, mut is_full) = (false, 0u64, false);
        let mut unreadable = None;
        for (number, part) in parts.iter().enumerate() {
            let mut records = match part.records(0) {
                Ok(records) => records,
                Err(error) => {
                    unreadable =
                        Some(format!("{} cannot be read for what its pages load: {error}", part.path.display()));
                    continue;
                }
            };
            loop {
                let header = match records.advance() {
                    Found::Record(header) => header,
                    // Told where the pages are opened.
                    Found::Fault(_) => continue,
                    Found::End => break,
                };
                if !matches!(header.kind.as_str(), "response" | "resource" | "revisit") {
                    continue;
                }
                let Some(url) = header.url.as_deref().and_then(|url| Url::parse(url).ok()) else { continue };
                if !matches!(url.scheme(), "http" | "https") {
                    continue;
                }
                let Some(place) = records.place() else {
                    lost += 1;
                    continue;
                };
                if index.addresses.len() >= MAX_RECORDS {
                    is_full = true;
                    break;
                }
                let place = place | (number as u64) << OFFSET_BITS;
                index.addresses.push((key(&url), place));
                if header.kind == "revisit" {
                    has_revisits = true;
                } else if let Some(digest) = &header.digest {
                    index.digests.push((hash(digest), place));
                }
            }
        }
        if !has_revisits {
            index.digests = Vec::new();
        }
        index.addresses.sort_unstable();
        index.digests.sort_unstable();
        index.addresses.shrink_to_fit();
        index.warning = if lost > 0 {
            Some(format!(
                "{lost} records are packed together with others, so that pages are rendered without what is in them; \
                 pack the archive again with each record for itself, as crawlers do"
            ))
        } else if is_full {
            Some(format!("only the first {MAX_RECORDS} records of the archive serve its pages; split it"))
        } else {
            unreadable
        };
        index
    }
}

/// The checksum of an address without its scheme, its user and its fragment.
fn key(url: &Url) -> u64 {
    hash(&url[Position::BeforeHost..Position::AfterQuery])
}

/// As [`key`], for an address as it is written.
pub(super) fn address_key(address: &str) -> Option<u64> {
    Url::parse(address).ok().filter(Url::has_host).map(|url| key(&url))
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
