//! The readers, and the functions that make inputs for them. To add a reader, add a row to
//! [`READERS`].

use crate::archives::{gzip, json_lines, mhtml, parquet, wacz, warc, warc_gz};
use crate::bytes::{any, damage, few};
use crate::check;
use crate::corpus::Corpus;
use crate::markup::{change_tokens, page, style_sheet};
use fastrand::Rng;
use std::collections::BTreeMap;
use std::path::Path;

/// The files of an input by their names.
pub type Files = BTreeMap<String, Vec<u8>>;

/// A reader of the program that is tested, with a generator of its inputs.
pub struct Reader {
    /// Its name in messages and in the names of stored inputs.
    pub name: &'static str,
    /// Relative frequency with which it is chosen.
    pub weight: u32,
    /// The file that is opened; empty for the folder.
    pub main: &'static str,
    /// True if the reader is chosen by the file's name and content.
    pub is_opened_by_name: bool,
    /// Makes the files of an input.
    pub make: fn(&mut Rng, &Corpus) -> Files,
    /// Reads the input at the path and runs all operations of the program on it. The result is a
    /// text that must be the same each time.
    pub check: fn(&check::Tools, &Path) -> Result<String, String>,
}

impl Reader {
    /// True if a file of this name is for this reader.
    pub fn accepts(&self, name: &str) -> bool {
        let ending = self
            .main
            .split_once('.')
            .map_or(self.main, |(_, ending)| ending);
        !ending.is_empty() && name.ends_with(&format!(".{ending}"))
    }
}

const fn pages(
    name: &'static str,
    weight: u32,
    main: &'static str,
    make: fn(&mut Rng, &Corpus) -> Files,
) -> Reader {
    Reader {
        name,
        weight,
        main,
        is_opened_by_name: true,
        make,
        check: check::pages,
    }
}

/// The table of all tested readers.
pub const READERS: &[Reader] = &[
    pages("html", 40, "input.html", |rng, corpus| {
        let mut files = Files::from([("input.html".to_owned(), html(rng, corpus))]);
        if rng.bool() {
            files.insert("style.css".to_owned(), css(rng, corpus));
        }
        if rng.bool() {
            let mut picture = any(rng, &corpus.pictures).clone();
            let other: &Vec<u8> = any(rng, &corpus.html);
            damage(rng, &mut picture, other);
            files.insert("picture.png".to_owned(), picture);
        }
        files
    }),
    pages("mhtml", 10, "input.mhtml", |rng, corpus| {
        one("input.mhtml", mhtml(rng, corpus))
    }),
    pages("warc", 6, "input.warc", |rng, corpus| {
        one("input.warc", warc(rng, corpus))
    }),
    pages("warc-gz", 6, "input.warc.gz", |rng, corpus| {
        one("input.warc.gz", warc_gz(rng, corpus))
    }),
    pages("wacz", 6, "input.wacz", |rng, corpus| {
        one("input.wacz", wacz(rng, corpus))
    }),
    pages("parquet", 6, "input.parquet", |rng, corpus| {
        one("input.parquet", parquet(rng, corpus))
    }),
    pages("json-lines", 4, "input.jsonl", |rng, corpus| {
        one("input.jsonl", json_lines(rng, corpus))
    }),
    pages("json-lines-gz", 2, "input.jsonl.gz", |rng, corpus| {
        let mut bytes = gzip(&json_lines(rng, corpus));
        damage_half(rng, &mut bytes, b"{\"html\":");
        one("input.jsonl.gz", bytes)
    }),
    Reader {
        name: "capture",
        weight: 8,
        main: "",
        is_opened_by_name: false,
        make: capture,
        check: check::pages,
    },
    Reader {
        name: "model",
        weight: 4,
        main: "input.model",
        is_opened_by_name: false,
        make: |rng, corpus| one("input.model", model(rng, corpus)),
        check: check::model,
    },
    Reader {
        name: "robots",
        weight: 2,
        main: "input.robots.txt",
        is_opened_by_name: false,
        make: |rng, _| one("input.robots.txt", robots(rng)),
        check: check::robots,
    },
    Reader {
        name: "list",
        weight: 1,
        main: "input.list",
        is_opened_by_name: false,
        make: |rng, corpus| {
            let mut bytes =
                b"\xef\xbb\xbf# pages\nhttps://a.example/\r\n\nfile:///nowhere/x.html\n-x\n"
                    .to_vec();
            let other: &Vec<u8> = any(rng, &corpus.html);
            damage(rng, &mut bytes, other);
            one("input.list", bytes)
        },
        check: check::list,
    },
];

fn one(name: &str, bytes: Vec<u8>) -> Files {
    Files::from([(name.to_owned(), bytes)])
}

/// Damages every second input, so that the others pass the checks of their format.
pub fn damage_half(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    if rng.bool() {
        damage(rng, bytes, other);
    }
}

/// Makes a page: arbitrary, or a fixture with changed tokens, damaged bytes, or both.
pub fn html(rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    let other = any(rng, &corpus.html).clone();
    let mut bytes = any(rng, &corpus.html).clone();
    match rng.u32(..5) {
        0 => bytes = page(rng),
        1 => damage(rng, &mut bytes, &other),
        2 => {
            bytes = change_tokens(rng, &bytes, &other);
            damage(rng, &mut bytes, &other);
        }
        _ => bytes = change_tokens(rng, &bytes, &other),
    }
    bytes
}

/// Makes a style sheet: arbitrary or a damaged fixture.
pub fn css(rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    let mut bytes = style_sheet(rng).into_bytes();
    if rng.u32(..3) == 0 {
        bytes.clone_from(any(rng, &corpus.css));
    }
    let other: &Vec<u8> = any(rng, &corpus.css);
    damage_half(rng, &mut bytes, other);
    bytes
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Makes a capture with damage in some of its files; most get correct checksums, so that they are
/// read at all.
fn capture(rng: &mut Rng, corpus: &Corpus) -> Files {
    let mut files = any(rng, &corpus.captures).clone();
    files.remove("expected.txt");
    let names: Vec<String> = files.keys().cloned().collect();
    for _ in 0..few(rng, 3) {
        let name = any(rng, &names);
        let Some(bytes) = files.get_mut(name) else {
            continue;
        };
        if Path::new(name)
            .extension()
            .is_some_and(|ending| ending == "gz")
            && rng.u32(..8) > 0
        {
            let mut tree = Vec::new();
            let _ = std::io::Read::read_to_end(
                &mut flate2::read::GzDecoder::new(&bytes[..]),
                &mut tree,
            );
            damage(rng, &mut tree, b"null,{}[[-1,");
            *bytes = gzip(&tree);
        } else {
            damage(rng, bytes, b"\x89PNG\r\n\x1a\n");
        }
    }
    if rng.u32(..8) > 0
        && let Some(mut head) = files
            .get("capture.json")
            .and_then(|head| serde_json::from_slice::<serde_json::Value>(head).ok())
    {
        for name in names.iter().filter(|name| *name != "capture.json") {
            if head["checksums"].is_object() {
                head["checksums"][name] = checksum(&files[name]).into();
            }
        }
        files.insert("capture.json".to_owned(), head.to_string().into_bytes());
    }
    files
}

/// Makes a damaged model; most get a correct checksum.
fn model(rng: &mut Rng, corpus: &Corpus) -> Vec<u8> {
    let mut bytes = any(rng, &corpus.models).clone();
    let head = bytes.len().min(4096);
    if rng.bool() {
        // The header describes the rest of the file.
        let mut start = bytes[..head].to_vec();
        damage(rng, &mut start, b"{\"name\":");
        bytes.splice(..head, start);
    } else {
        damage(rng, &mut bytes, b"{\"name\":");
    }
    if rng.u32(..8) > 0 && bytes.len() > 4 {
        let whole = bytes.len() - 4;
        let sum = checksum(&bytes[..whole]).to_le_bytes();
        bytes[whole..].copy_from_slice(&sum);
    }
    bytes
}

/// Makes a `robots.txt` with valid and damaged lines.
fn robots(rng: &mut Rng) -> Vec<u8> {
    const LINES: &[&str] = &[
        "User-agent: *\n",
        "User-agent: vclean\r\n",
        "user-agent:VCLEAN # x\n",
        "Disallow: /\n",
        "Disallow: /*?*a*b*c*d$\n",
        "Allow: /%zz%41\n",
        "Disallow:\n",
        "Crawl-delay: 1e400\n",
        "Crawl-delay: -1\n",
        "Sitemap: https://[\n",
        "Disallow /x\n",
        "\r",
    ];
    let mut bytes = Vec::new();
    for _ in 0..few(rng, 64) {
        let times = few(rng, 200);
        bytes.extend(any(rng, LINES).repeat(times).bytes());
    }
    damage_half(rng, &mut bytes, b"Allow: ****$$$$");
    bytes
}
