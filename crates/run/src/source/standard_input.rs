//! Standard input: its kind is detected from its first bytes, since it has no name. A page is read
//! completely; JSON lines and web archives, compressed or not, are read as a stream.

use super::document::lines;
use super::pages::Pages;
use super::warc::WarcPages;
use flate2::read::{GzDecoder, MultiGzDecoder};
use std::io::{self, BufReader, Cursor, Read, stdin};
use std::sync::{Mutex, OnceLock, PoisonError};
use vclean_core::error::SourceError;
use vclean_core::files::read_page_stream;
use vclean_core::page::PageFiles;
use vclean_render::archive::{Packing, Records, begins_record};

/// Number of bytes that are read to detect the kind, and number that are decompressed. The longest
/// beginning is the first line of an ARC archive.
const HEAD_BYTES: u64 = 4096;
const UNPACKED_BYTES: u64 = 1024;
/// Number of bytes that are read for compressions that are decompressed in blocks. The largest
/// block, of LZ4, has 4 MB.
const BLOCK_HEAD_BYTES: u64 = 5 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Page,
    Lines,
    Records,
}

/// The kind, and its compression; detected on first use.
static KIND: OnceLock<(Kind, Packing)> = OnceLock::new();
/// The bytes that were read for the detection and not yet returned.
static HEAD: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Returns true if the input contains many pages. Waits for the first bytes.
pub(super) fn is_archive() -> bool {
    kind().0 != Kind::Page
}

/// The pages of the input.
pub(super) fn open() -> Pages {
    let (kind, packing) = kind();
    let head = std::mem::take(&mut *HEAD.lock().unwrap_or_else(PoisonError::into_inner));
    let from = Cursor::new(head).chain(stdin());
    pages(kind, packing, from).unwrap_or_else(|error| {
        Box::new(std::iter::once(Err(SourceError::Read {
            path: "-".into(),
            cause: error.to_string(),
        })))
    })
}

fn pages(kind: Kind, packing: Packing, from: impl Read + Send + 'static) -> io::Result<Pages> {
    if packing == Packing::Gzip && kind != Kind::Records {
        // Bytes after a compressed page are ignored, as other programs do.
        return Ok(match kind {
            Kind::Page => Box::new(std::iter::once(read_page_stream("-", GzDecoder::new(from)))),
            _ => lines("-", MultiGzDecoder::new(from)),
        });
    }
    let unpacked = packing.open(BufReader::with_capacity(1 << 16, from), &[])?;
    Ok(match kind {
        Kind::Page => Box::new(std::iter::once(read_page_stream("-", unpacked))),
        Kind::Lines => lines("-", unpacked),
        // The stream cannot be read twice, so the pages cannot load resources from it.
        Kind::Records => {
            Box::new(WarcPages::new("-", Records::new(unpacked), PageFiles::Nothing).with_summary())
        }
    })
}

fn kind() -> (Kind, Packing) {
    *KIND.get_or_init(|| {
        let mut head = Vec::new();
        let mut byte = [0];
        let mut from = stdin().lock();
        let mut limit = HEAD_BYTES;
        // Do not read on after `{`: the first line of JSON may be the only one for some time.
        while (head.len() as u64) < limit
            && head.first() != Some(&b'{')
            && from.read(&mut byte).is_ok_and(|length| length > 0)
        {
            head.extend(byte);
            if head.len() == Packing::HEAD_BYTES
                && matches!(Packing::detect(&head), Packing::Zstd | Packing::Lz4)
            {
                limit = BLOCK_HEAD_BYTES;
            }
        }
        let found = detect_kind(&head);
        *HEAD.lock().unwrap_or_else(PoisonError::into_inner) = head;
        found
    })
}

/// The kind of input that begins with `head`.
fn detect_kind(head: &[u8]) -> (Kind, Packing) {
    let packing = Packing::detect(head);
    let mut start = Vec::new();
    // The data may be truncated; it is decompressed as far as possible.
    if let Ok(unpacked) = packing.open(Cursor::new(head.to_vec()), &[]) {
        let _ = unpacked.take(UNPACKED_BYTES).read_to_end(&mut start);
    }
    let line = start
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let kind = match &start[..] {
        [b'{', ..] => Kind::Lines,
        _ if begins_record(line) => Kind::Records,
        // A dictionary is longer than the head, and only web archives have one.
        [] if packing.has_dictionary(head) => Kind::Records,
        _ => Kind::Page,
    };
    (kind, packing)
}

#[cfg(test)]
mod tests {
    use super::super::test_archives::PACKINGS;
    use super::*;

    #[test]
    fn the_kind_is_detected_from_the_first_bytes() {
        for (head, expected) in [
            (&b"<p>page"[..], Kind::Page),
            (b"", Kind::Page),
            (b"PAR1", Kind::Page),
            (b"WARC/1.1\r\n", Kind::Records),
            (b"warc/1.0\n", Kind::Records),
            (
                b"filedesc://x.arc 0.0.0.0 19960923142103 text/plain 76\n1 0 x\n",
                Kind::Records,
            ),
            (b"{\"html\": ", Kind::Lines),
        ] {
            assert_eq!(detect_kind(head), (expected, Packing::None));
            let noise: Vec<u8> = (0..9000u32)
                .map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8)
                .collect();
            for (packing, pack) in PACKINGS {
                let long = pack(&[head, &noise].concat());
                // With the fastest compressions, the first block may be longer than the bytes that
                // were read.
                if !head.is_empty() && packing == Packing::Gzip {
                    assert_eq!(
                        detect_kind(&long[..long.len().min(4096)]),
                        (expected, packing),
                        "{packing:?}"
                    );
                }
                let short = pack(head);
                if !head.is_empty() {
                    assert_eq!(detect_kind(&short), (expected, packing), "{packing:?}");
                }
            }
        }
        assert_eq!(detect_kind(b"\x1f\x8b"), (Kind::Page, Packing::Gzip));
        assert_eq!(
            detect_kind(b"\x5d\x2a\x4d\x18\0\0\x10\0rest"),
            (Kind::Records, Packing::Zstd)
        );
    }
}
