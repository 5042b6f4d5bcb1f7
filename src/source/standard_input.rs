//! Standard input: its kind is detected from its first bytes, since it has no name. A page is read completely; JSON
//! lines and web archives, compressed with gzip or not, are read as a stream.

use super::document::lines;
use super::file;
use super::kind::Pages;
use super::page::Beside;
use super::record::Records;
use super::stream::{Members, Plain};
use super::warc::WarcPages;
use flate2::read::{GzDecoder, MultiGzDecoder};
use std::io::{BufReader, Cursor, Read, stdin};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Number of bytes that are read to detect the kind.
const HEAD_BYTES: u64 = 4096;

/// Kind of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Page,
    Lines,
    Warc,
}

/// The kind, and whether it is compressed with gzip; detected on first use.
static KIND: OnceLock<(Kind, bool)> = OnceLock::new();
/// The bytes that were read for the detection and not yet returned.
static HEAD: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Whether the input contains many pages. Waits for the first bytes.
pub(super) fn is_archive() -> bool {
    kind().0 != Kind::Page
}

/// The pages of the input.
pub(super) fn open() -> Pages {
    let (kind, is_packed) = kind();
    let head = std::mem::take(&mut *HEAD.lock().unwrap_or_else(PoisonError::into_inner));
    let from = Cursor::new(head).chain(stdin());
    match (kind, is_packed) {
        (Kind::Page, false) => Box::new(std::iter::once(file::read_stream("-", from))),
        (Kind::Page, true) => Box::new(std::iter::once(file::read_stream("-", GzDecoder::new(from)))),
        (Kind::Lines, false) => lines("-", from),
        (Kind::Lines, true) => lines("-", MultiGzDecoder::new(from)),
        (Kind::Warc, _) => {
            let from = BufReader::with_capacity(1 << 16, from);
            let records = if is_packed { Box::new(Members::new(from)) as _ } else { Box::new(Plain::new(from)) as _ };
            // The stream cannot be read twice, so the pages have no archive to load from.
            Box::new(WarcPages::new("-", Records::new(records), Beside::Nothing))
        }
    }
}

fn kind() -> (Kind, bool) {
    *KIND.get_or_init(|| {
        let mut head = Vec::new();
        let mut byte = [0];
        let mut from = stdin().lock().take(HEAD_BYTES);
        // The first line of JSON may be the only one for some time.
        while head.first() != Some(&b'{') && from.read(&mut byte).is_ok_and(|length| length > 0) {
            head.extend(byte);
        }
        let found = detect_kind(&head);
        *HEAD.lock().unwrap_or_else(PoisonError::into_inner) = head;
        found
    })
}

/// The kind of input that begins with `head`.
fn detect_kind(head: &[u8]) -> (Kind, bool) {
    let kind = |head: &[u8]| match head {
        [b'{', ..] => Kind::Lines,
        _ if head.starts_with(b"WARC/") => Kind::Warc,
        _ => Kind::Page,
    };
    if head.starts_with(b"\x1f\x8b") {
        let mut inside = Vec::new();
        // Data that is cut off is decompressed up to the cut.
        let _ = GzDecoder::new(head).take(5).read_to_end(&mut inside);
        (kind(&inside), true)
    } else {
        (kind(head), false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::stream::tests::packed;
    use super::*;

    #[test]
    fn the_kind_is_detected_from_the_first_bytes() {
        for (head, expected) in [
            (&b"<p>page"[..], Kind::Page),
            (b"", Kind::Page),
            (b"PAR1", Kind::Page),
            (b"WARC/1.1\r\n", Kind::Warc),
            (b"{\"html\": ", Kind::Lines),
        ] {
            assert_eq!(detect_kind(head), (expected, false));
            let noise: Vec<u8> = (0..9000u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
            let long = packed(&[[head, &noise].concat()]);
            if !head.is_empty() {
                assert_eq!(detect_kind(&long[..long.len().min(4096)]), (expected, true));
            }
        }
        assert_eq!(detect_kind(b"\x1f\x8b"), (Kind::Page, true));
    }
}
