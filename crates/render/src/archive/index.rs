//! The index of a web archive: checksums of addresses and of contents, with the positions of their
//! records.
//!
//! The index takes 16 bytes per record, and 16 more if records refer to earlier ones (`revisit`).
//! Different addresses may have the same checksum, so the record itself must be checked too.

use super::record::{NextRecord, Part};
use std::hash::{DefaultHasher, Hash, Hasher};
use url::{Position, Url};

/// Maximum number of indexed records; later ones are not found. Building the index takes some 100
/// bytes per record, hence 2 GB at most.
const MAX_RECORDS: usize = 20_000_000;
/// Maximum number of records that are checked for one address or one checksum.
const MAX_CANDIDATES: usize = 16;
/// Number of bits of a position that contain the offset in its file; the higher bits contain the
/// index of the file.
const OFFSET_BITS: u32 = 48;

/// The positions of the records of an archive.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Checksums of addresses, as made by [`key`], and the positions of their records; sorted.
    pub(super) addresses: Vec<(u64, u64)>,
    /// Checksums of contents and the positions of their records, if records refer to earlier ones;
    /// sorted.
    pub(super) digests: Vec<(u64, u64)>,
    /// A problem that concerns the archive as a whole.
    pub(super) warning: Option<String>,
}

impl Index {
    /// Reads all parts completely.
    pub(super) fn build(parts: &[Part]) -> Self {
        let mut index = Self::default();
        let (mut has_revisits, mut lost, mut is_full) = (false, 0u64, false);
        let mut unreadable = None;
        for (number, part) in parts.iter().enumerate() {
            let mut records = match part.records(0) {
                Ok(records) => records,
                Err(error) => {
                    unreadable = Some(format!(
                        "{} cannot be read for what its pages load: {error}",
                        part.path.display()
                    ));
                    continue;
                }
            };
            loop {
                let header = match records.advance() {
                    NextRecord::Record(header) => header,
                    // Reported when the pages are opened.
                    NextRecord::Fault(_) => continue,
                    NextRecord::End => break,
                };
                if !matches!(header.kind.as_str(), "response" | "resource" | "revisit") {
                    continue;
                }
                let Some(url) = header.url.as_deref().and_then(|url| Url::parse(url).ok()) else {
                    continue;
                };
                if !matches!(url.scheme(), "http" | "https") {
                    continue;
                }
                let Some(position) = records.position() else {
                    lost += 1;
                    continue;
                };
                if index.addresses.len() >= MAX_RECORDS {
                    is_full = true;
                    break;
                }
                let position = position | ((number as u64) << OFFSET_BITS);
                index.addresses.push((key(&url), position));
                if header.kind == "revisit" {
                    has_revisits = true;
                } else if let Some(digest) = &header.digest {
                    index.digests.push((hash(digest), position));
                }
            }
        }
        if !has_revisits {
            index.digests = Vec::new();
        }
        index.addresses.sort_unstable();
        index.digests.sort_unstable();
        index.addresses.shrink_to_fit();
        index.warning = warning(lost, is_full).or(unreadable);
        index
    }
}

/// Builds the warning about an archive with `lost` records that cannot be read separately, or with
/// more records than are indexed.
fn warning(lost: u64, is_full: bool) -> Option<String> {
    if lost > 0 {
        Some(format!(
            "{lost} records are packed together with others, so that pages are rendered without what is in them; \
             pack the archive again with each record for itself, as crawlers do"
        ))
    } else if is_full {
        Some(format!(
            "only the first {MAX_RECORDS} records of the archive serve its pages; split it"
        ))
    } else {
        None
    }
}

/// Returns the positions of a checksum in an index.
pub(super) fn positions(index: &[(u64, u64)], key: u64) -> impl Iterator<Item = u64> {
    let first = index.partition_point(|(other, _)| *other < key);
    index[first..]
        .iter()
        .take_while(move |(other, _)| *other == key)
        .take(MAX_CANDIDATES)
        .map(|(_, position)| *position)
}

/// Returns the index of the part that contains a position, and the offset in that part, in bytes.
pub(super) fn part_and_offset(position: u64) -> (usize, u64) {
    (
        (position >> OFFSET_BITS) as usize,
        position & ((1 << OFFSET_BITS) - 1),
    )
}

/// Computes the checksum of an address without its scheme, user and fragment.
pub(super) fn key(url: &Url) -> u64 {
    hash(&url[Position::BeforeHost..Position::AfterQuery])
}

/// Computes the checksum of an address given as text, without its scheme, user and fragment; `None`
/// if the text is not an address.
pub fn address_key(address: &str) -> Option<u64> {
    Url::parse(address)
        .ok()
        .filter(Url::has_host)
        .map(|url| key(&url))
}

pub(super) fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
