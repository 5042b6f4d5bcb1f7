//! Makes inputs that hold many pages or parts: MHTML, WARC, WACZ, Parquet and JSON lines.

use crate::bytes::{NUMBERS, any, damage, few};
use crate::corpus::Corpus;
use crate::readers::{css, damage_half, html};
use base64::Engine;
use fastrand::Rng;
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::io::{Cursor, Write};
use std::sync::Arc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Compresses bytes as a gzip member.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}

/// Makes header lines; one in eight is changed.
fn header(rng: &mut Rng, lines: &[(&str, String)], end: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, value) in lines {
        let line = match rng.u32(..64) {
            0 => format!("{name} {value}{end}"),
            1 => format!("{}:{value}{end}", name.to_lowercase()),
            2 => format!("{name}:{end}\t{value}{end}"),
            3 => format!("{name}: {}{end}", any(rng, NUMBERS)),
            4 => format!("{name}: {value}{end}{name}: {value}{end}"),
            5 => format!("{name}:{end}"),
            6 => format!("{name}: {}{end}", value.repeat(few(rng, 5_000))),
            7 => continue,
            _ => format!("{name}: {value}{end}"),
        };
        out.extend(line.bytes());
    }
    out.extend(end.bytes());
    out
}

/// Makes a saved page: a damaged fixture, or parts in random encodings.
pub fn mhtml(rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    if rng.bool() {
        let mut bytes = any(rng, &corpus.mhtml).clone();
        let other: &Vec<u8> = any(rng, &corpus.html);
        damage(rng, &mut bytes, other);
        return bytes;
    }
    let end = if rng.u32(..4) == 0 { "\n" } else { "\r\n" };
    let text = |value: &str| value.to_owned();
    let mut out = header(
        rng,
        &[
            ("From", text("<Saved by a test>")),
            ("Snapshot-Content-Location", text("https://a.example/page")),
            ("MIME-Version", text("1.0")),
            (
                "Content-Type",
                text("multipart/related; type=\"text/html\"; boundary=\"--b\""),
            ),
        ],
        end,
    );
    for number in 0..few(rng, 8) {
        let (kind, body) = match rng.u32(..4) {
            0 if number > 0 => ("text/css", css(rng, corpus)),
            1 if number > 0 => ("image/png", any(rng, &corpus.pictures).clone()),
            _ => ("text/html; charset=utf-8", html(rng, corpus)),
        };
        let encoding = *any(
            rng,
            &["base64", "quoted-printable", "8bit", "binary", "x-unknown"],
        );
        out.extend(format!("----b{end}").bytes());
        let location = if number == 0 {
            text("https://a.example/page")
        } else {
            format!("cid:{number}@a")
        };
        let lines = [
            ("Content-Type", text(kind)),
            ("Content-ID", format!("<{number}@a>")),
            ("Content-Transfer-Encoding", text(encoding)),
            ("Content-Location", location),
        ];
        out.extend(header(rng, &lines, end));
        match encoding {
            "base64" => {
                let packed = base64::engine::general_purpose::STANDARD.encode(&body);
                for line in packed.as_bytes().chunks(76) {
                    out.extend(line);
                    out.extend(end.bytes());
                }
            }
            _ => out.extend(body),
        }
        out.extend(end.bytes());
    }
    out.extend(format!("----b--{end}").bytes());
    damage_half(rng, &mut out, b"----b\r\n");
    out
}

/// Makes the HTTP message of an archived page.
fn http_message(rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    let (kind, mut body) = match rng.u32(..4) {
        0 => ("text/css", css(rng, corpus)),
        1 => ("application/xhtml+xml", html(rng, corpus)),
        _ => ("text/html; charset=utf-8", html(rng, corpus)),
    };
    let mut lines = vec![("Content-Type", kind.to_owned())];
    match rng.u32(..6) {
        0 => {
            body = gzip(&body);
            lines.push(("Content-Encoding", "gzip".to_owned()));
        }
        1 => lines.push((
            "Content-Encoding",
            (*any(rng, &["br", "deflate", "zstd", "gzip, gzip"])).to_owned(),
        )),
        2 => {
            let mut chunked = Vec::new();
            for chunk in body.chunks(few(rng, 5_000)) {
                chunked.extend(format!("{:x}\r\n", chunk.len()).bytes());
                chunked.extend(chunk);
                chunked.extend(b"\r\n");
            }
            chunked.extend(b"0\r\n\r\n");
            body = chunked;
            lines.push(("Transfer-Encoding", "chunked".to_owned()));
        }
        _ => lines.push(("Content-Length", body.len().to_string())),
    }
    let status = *any(
        rng,
        &[
            "HTTP/1.1 200 OK",
            "HTTP/1.0 301 Moved",
            "HTTPX/1.1 200",
            "HTTP/2 200",
            "ICY 200 OK",
        ],
    );
    let mut out = format!(
        "{}\r\n",
        if rng.u32(..3) > 0 {
            "HTTP/1.1 200 OK"
        } else {
            status
        }
    )
    .into_bytes();
    out.extend(header(rng, &lines, "\r\n"));
    damage_half(rng, &mut body, b"\r\n0\r\n");
    out.extend(body);
    out
}

/// Makes one record of a WARC archive.
fn record(rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    let kind = *any(
        rng,
        &[
            "response",
            "response",
            "response",
            "resource",
            "revisit",
            "conversion",
            "warcinfo",
            "x",
        ],
    );
    let (media, block) = match kind {
        "response" => (
            "application/http; msgtype=response",
            http_message(rng, corpus),
        ),
        "resource" | "conversion" => ("text/html", html(rng, corpus)),
        _ => ("application/warc-fields", b"software: a test\r\n".to_vec()),
    };
    let length = if rng.u32(..16) == 0 {
        (*any(rng, NUMBERS)).to_owned()
    } else {
        block.len().to_string()
    };
    let lines = [
        ("WARC-Type", kind.to_owned()),
        (
            "WARC-Target-URI",
            format!("https://a.example/{}", rng.u32(..4)),
        ),
        ("WARC-Date", "2024-01-06T09:00:00Z".to_owned()),
        (
            "WARC-Record-ID",
            "<urn:uuid:00000000-0000-0000-0000-000000000000>".to_owned(),
        ),
        (
            "WARC-Payload-Digest",
            "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned(),
        ),
        (
            "WARC-Refers-To-Target-URI",
            "https://a.example/1".to_owned(),
        ),
        ("Content-Type", media.to_owned()),
        ("Content-Length", length),
    ];
    let version = *any(
        rng,
        &["WARC/1.0", "WARC/1.1", "WARC/1.0", "warc/1.0", "WARC/9"],
    );
    let mut out = format!("{version}\r\n").into_bytes();
    out.extend(header(rng, &lines, "\r\n"));
    out.extend(block);
    out.extend(b"\r\n\r\n");
    out
}

/// Makes a WARC archive without compression.
pub fn warc(rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    let mut out: Vec<u8> = (0..few(rng, 6)).flat_map(|_| record(rng, corpus)).collect();
    damage_half(rng, &mut out, b"WARC/1.0\r\n");
    out
}

/// Makes a WARC archive with each record in a gzip member.
pub fn warc_gz(rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..few(rng, 6) {
        let mut plain = record(rng, corpus);
        damage_half(rng, &mut plain, b"WARC/1.0\r\n");
        out.extend(gzip(&plain));
    }
    damage_half(rng, &mut out, b"\x1f\x8b\x08\x1f\0\0\0\0\0\0");
    out
}

/// Makes a WACZ archive from WARC archives and other files.
pub fn wacz(rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let packed = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut add = |name: String, bytes: &[u8], options: SimpleFileOptions| {
        if zip.start_file(name, options).is_ok() {
            zip.write_all(bytes).expect("memory can be written");
        }
    };
    if rng.bool() {
        let mut list =
            b"{\"format\":\"json-pages-1.0\"}\n{\"url\":\"https://a.example/1\"}\n".to_vec();
        damage_half(rng, &mut list, b"{\"url\":");
        add("pages/pages.jsonl".to_owned(), &list, packed);
    }
    for number in 0..few(rng, 3) {
        let archive = if rng.bool() {
            warc_gz(rng, corpus)
        } else {
            warc(rng, corpus)
        };
        let ending = if archive.starts_with(b"WARC") {
            "warc"
        } else {
            "warc.gz"
        };
        let options = if rng.u32(..8) == 0 { packed } else { stored };
        add(format!("archive/{number}.{ending}"), &archive, options);
    }
    let mut index =
        b"com,example)/ 20240106 {\"offset\":\"0\",\"length\":\"99\",\"filename\":\"0.warc\"}\n"
            .to_vec();
    damage_half(rng, &mut index, b"{}");
    add("indexes/index.cdx".to_owned(), &index, packed);
    let mut out = zip.finish().map(Cursor::into_inner).unwrap_or_default();
    damage_half(rng, &mut out, b"PK\x01\x02PK\x05\x06");
    out
}

/// Makes a Parquet file with pages in one or more row groups.
pub fn parquet(rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    let compression = *any(
        rng,
        &[
            parquet::basic::Compression::UNCOMPRESSED,
            parquet::basic::Compression::SNAPPY,
            parquet::basic::Compression::ZSTD(parquet::basic::ZstdLevel::default()),
            parquet::basic::Compression::GZIP(parquet::basic::GzipLevel::default()),
        ],
    );
    let schema =
        "message pages { OPTIONAL BYTE_ARRAY html (UTF8); REQUIRED BYTE_ARRAY url (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).expect("the schema is valid"));
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))
        .expect("memory can be written");
    for _ in 0..few(rng, 3) {
        let pages: Vec<Vec<u8>> = (0..few(rng, 4)).map(|_| html(rng, corpus)).collect();
        let urls = vec![ByteArray::from("https://a.example/"); pages.len()];
        let levels = vec![1i16; pages.len()];
        let pages: Vec<ByteArray> = pages.into_iter().map(ByteArray::from).collect();
        let mut group = writer.next_row_group().expect("memory can be written");
        for (values, levels) in [(&pages, Some(&levels[..])), (&urls, None)] {
            let mut column = group
                .next_column()
                .expect("memory can be written")
                .expect("the schema has two columns");
            column
                .typed::<ByteArrayType>()
                .write_batch(values, levels, None)
                .expect("memory can be written");
            column.close().expect("memory can be written");
        }
        group.close().expect("memory can be written");
    }
    let mut out = writer.into_inner().expect("memory can be written");
    if rng.bool() {
        // The footer describes the rest of the file.
        let footer = out.split_off(out.len().saturating_sub(400));
        let mut footer = footer;
        damage(rng, &mut footer, b"PAR1");
        out.extend(footer);
    } else {
        damage_half(rng, &mut out, b"PAR1");
    }
    out
}

/// Makes pages as JSON objects, one per line.
pub fn json_lines(rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    let mut out = Vec::new();
    for number in 0..few(rng, 5) {
        let page = html(rng, corpus);
        let line = match rng.u32(..4) {
            0 => {
                serde_json::json!({"base64": base64::engine::general_purpose::STANDARD.encode(&page), "url": "https://a.example/"})
            }
            1 => {
                serde_json::json!({"html": String::from_utf8_lossy(&page), "id": number, "url": null})
            }
            _ => {
                serde_json::json!({"html": String::from_utf8_lossy(&page), "id": "x", "url": "https://a.example/?é"})
            }
        };
        out.extend(line.to_string().bytes());
        out.push(b'\n');
    }
    damage_half(rng, &mut out, b"{\"html\":[{}]}\n");
    out
}
