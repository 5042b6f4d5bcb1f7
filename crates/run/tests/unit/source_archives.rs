//! Archives for the tests of sources.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use vclean_render::archive::Packing;

/// A WARC record with additional header lines.
pub(super) fn record(kind: &str, url: &str, lines: &str, content: &[u8]) -> Vec<u8> {
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <{url}>\r\n{lines}Content-Length: {}\r\n\r\n",
        content.len()
    );
    [head.as_bytes(), content, b"\r\n\r\n"].concat()
}

/// Packs each part as a separate gzip member.
pub(super) fn packed(parts: &[Vec<u8>]) -> Vec<u8> {
    parts
        .iter()
        .flat_map(|part| member(Packing::Gzip, part))
        .collect()
}

/// Makes a member of some content.
type Pack = fn(&[u8]) -> Vec<u8>;

/// All compressions, with the functions that make their members.
pub(super) const PACKINGS: [(Packing, Pack); 3] = [
    (Packing::Gzip, |content| member(Packing::Gzip, content)),
    (Packing::Zstd, |content| member(Packing::Zstd, content)),
    (Packing::Lz4, |content| member(Packing::Lz4, content)),
];

fn member(packing: Packing, content: &[u8]) -> Vec<u8> {
    match packing {
        Packing::None => content.to_vec(),
        Packing::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        }
        Packing::Zstd => zstd::stream::encode_all(content, 3).unwrap(),
        Packing::Lz4 => {
            let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
            encoder.write_all(content).unwrap();
            encoder.finish().unwrap()
        }
    }
}
