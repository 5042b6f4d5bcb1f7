//! The capture folder: `capture.json`, `dom.json.gz` and, for a rendered page, `screenshot.png` and
//! `mask.png`.
//!
//! | file | holds |
//! |---|---|
//! | `capture.json` | format version, record, checksums of the other files |
//! | `dom.json.gz` | tree and layout, JSON, gzip |
//! | `screenshot.png` | the page, one pixel per CSS px; 8-bit RGB or palette of up to 256 colors |
//! | `mask.png` | [`NodeMask`](crate::capture::NodeMask) colors, same size and pixel formats |
//!
//! Files are written under a temporary name and renamed, `capture.json` last: a folder without it
//! is not a capture.

use super::regular::read_unlinked;
use super::writing::replace;
use crate::capture::packed::{FORMAT_VERSION, HEAD, Head, MASK, PAINTED, SCREENSHOT, TREE};
use crate::capture::{Capture, Dom, Layout, Picture, Pictures, Record, pack};
use crate::error::CaptureError;
use crate::hash::checksum;
use flate2::read::GzDecoder;
use serde::Deserialize;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest sizes of the files of a capture, in bytes. They fit a page of 50 MB, but a file made to
/// exhaust memory is refused. The tree is compressed; its limits are before and after
/// decompression.
const MAX_HEAD_BYTES: u64 = 64 << 20;
const MAX_PACKED_TREE_BYTES: u64 = 128 << 20;
const MAX_TREE_BYTES: u64 = 256 << 20;
const MAX_PICTURE_BYTES: u64 = 512 << 20;

#[derive(Deserialize)]
struct Version {
    format: u32,
}

#[derive(Deserialize)]
struct TreeIn {
    dom: Dom,
    layout: Option<Layout>,
}

/// Returns true if `folder` contains a capture.
pub fn is_capture(folder: &Path) -> bool {
    // A link counts too: loading the capture then fails with the cause.
    fs::symlink_metadata(folder.join(HEAD)).is_ok_and(|facts| !facts.is_dir())
}

/// The captures at or directly below `folder`, sorted by name; empty if there are none.
pub fn list_captures(folder: &Path) -> Result<Vec<PathBuf>, CaptureError> {
    if is_capture(folder) {
        return Ok(vec![folder.to_path_buf()]);
    }
    let fail = |error: std::io::Error| CaptureError::Read {
        path: folder.to_path_buf(),
        cause: error.to_string(),
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if is_capture(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Writes `capture` into `folder`, which is created if it does not exist.
pub fn save_capture(capture: &Capture, folder: &Path) -> Result<(), CaptureError> {
    let fail = |path: &Path, cause: String| CaptureError::Write {
        path: path.to_path_buf(),
        cause,
    };
    fs::create_dir_all(folder).map_err(|error| fail(folder, error.to_string()))?;
    for (name, bytes) in pack(capture)? {
        let path = folder.join(name);
        replace(&path, &bytes).map_err(|error| fail(&path, error.to_string()))?;
    }
    Ok(())
}

/// Reads the head of the capture in `folder`.
fn head(folder: &Path) -> Result<Head, CaptureError> {
    let head = read(folder, HEAD, MAX_HEAD_BYTES)?;
    let damaged = |error: serde_json::Error| CaptureError::Damaged {
        path: folder.join(HEAD),
        cause: error.to_string(),
    };
    let Version { format } = serde_json::from_slice(&head).map_err(damaged)?;
    if format != FORMAT_VERSION {
        return Err(CaptureError::Version {
            path: folder.join(HEAD),
            found: format,
            known: FORMAT_VERSION,
        });
    }
    serde_json::from_slice(&head).map_err(damaged)
}

/// Reads only the record of the capture in `folder`.
pub fn load_record(folder: &Path) -> Result<Record, CaptureError> {
    head(folder).map(|head| head.record)
}

/// Reads the capture in `folder` and checks all its files.
pub fn load_capture(folder: &Path) -> Result<Capture, CaptureError> {
    let head = head(folder)?;
    let damaged = |name: &str, cause: String| CaptureError::Damaged {
        path: folder.join(name),
        cause,
    };
    let checked = |name: &str, limit: u64| -> Result<Vec<u8>, CaptureError> {
        let bytes = read(folder, name, limit)?;
        if head.checksums.get(name) == Some(&checksum(&bytes)) {
            Ok(bytes)
        } else {
            Err(damaged(name, "the checksum does not match".to_owned()))
        }
    };
    let tree = unpacked_tree(&checked(TREE, MAX_PACKED_TREE_BYTES)?)
        .map_err(|cause| damaged(TREE, cause))?;
    let TreeIn { dom, layout } =
        serde_json::from_slice(&tree).map_err(|error| damaged(TREE, error.to_string()))?;
    let whole = dom.is_consistent()
        && layout
            .as_ref()
            .is_none_or(|layout| layout.is_consistent(dom.len()));
    if !whole {
        return Err(damaged(TREE, "its nodes do not form a tree".to_owned()));
    }
    let pictures = if head.checksums.contains_key(SCREENSHOT) {
        let picture = |name: &str| Ok(Picture::from_png(checked(name, MAX_PICTURE_BYTES)?));
        let painted = head
            .checksums
            .contains_key(PAINTED)
            .then(|| picture(PAINTED))
            .transpose()?;
        Some(Pictures {
            painted,
            ..Pictures::new(picture(SCREENSHOT)?, picture(MASK)?)
        })
    } else {
        None
    };
    Ok(Capture {
        record: head.record,
        dom,
        layout,
        pictures,
    })
}

/// Decompresses the tree. The last four bytes of gzip state the size, and no more than that is
/// decompressed.
fn unpacked_tree(packed: &[u8]) -> Result<Vec<u8>, String> {
    let stated = packed
        .last_chunk()
        .map_or(0, |bytes| u32::from_le_bytes(*bytes));
    if u64::from(stated) > MAX_TREE_BYTES {
        return Err(format!(
            "it unpacks to {stated} bytes, and {MAX_TREE_BYTES} are the most"
        ));
    }
    let mut tree = Vec::with_capacity(stated as usize);
    let unpacked = GzDecoder::new(packed)
        .take(u64::from(stated) + 1)
        .read_to_end(&mut tree);
    let length = unpacked.map_err(|error| error.to_string())?;
    if length > stated as usize {
        Err(format!("it unpacks to more than {stated} bytes"))
    } else {
        Ok(tree)
    }
}

/// Reads a file of a capture. A link may lead out of the folder, so it is refused.
fn read(folder: &Path, name: &str, limit: u64) -> Result<Vec<u8>, CaptureError> {
    let path = folder.join(name);
    read_unlinked(&path, limit).map_err(|error| CaptureError::Read {
        path,
        cause: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{CssRect, DomBuilder, NodeId, NodeMask, Style, encode_png};
    use flate2::{Compression, write::GzEncoder};

    fn sample() -> Capture {
        let mut builder = DomBuilder::new();
        builder.open("p", vec![("id".into(), "x".into())]);
        builder.text("héllo");
        let dom = builder.finish();
        let mut layout = Layout::new(dom.len(), 4.0, 3.0);
        layout.set(
            NodeId::new(1),
            CssRect {
                x: 0.1,
                y: 1.0,
                width: 2.0,
                height: 1.0,
            },
            &Style::default(),
            1,
            &[],
        );
        let picture =
            encode_png(&NodeMask::from_owners(4, 3, &[NodeMask::NOBODY; 12]).to_rgb()).unwrap();
        Capture {
            record: Record::parsed("page.html", None),
            dom,
            layout: Some(layout),
            pictures: Some(Pictures {
                painted: Some(picture.clone()),
                ..Pictures::new(picture.clone(), picture)
            }),
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_that_somebody_has_put_there_are_not_followed() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let theirs = folder.path().join("theirs");
        fs::write(&theirs, "untouched").unwrap();
        let out = folder.path().join("out");
        fs::create_dir(&out).unwrap();
        for name in [TREE, HEAD, "dom.json.gz.part", "capture.json.part"] {
            symlink(&theirs, out.join(name)).unwrap();
        }
        let capture = Capture::parsed(crate::html::parse_html("<p>a"), Record::parsed("x", None));
        save_capture(&capture, &out).unwrap();
        assert_eq!(load_capture(&out).unwrap(), capture);
        assert_eq!(fs::read(&theirs).unwrap(), b"untouched");
    }

    #[test]
    fn a_capture_survives_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let capture = sample();
        save_capture(&capture, &folder.path().join("one")).unwrap();
        assert_eq!(load_capture(&folder.path().join("one")).unwrap(), capture);
        assert_eq!(
            list_captures(folder.path()).unwrap(),
            [folder.path().join("one")]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_capture_does_not_reach_out_of_its_folder() {
        use std::os::unix::fs::symlink;
        for name in [HEAD, TREE, SCREENSHOT, MASK, PAINTED] {
            for target in ["/dev/zero", "elsewhere"] {
                let folder = tempfile::tempdir().unwrap();
                let capture = folder.path().join("capture");
                save_capture(&sample(), &capture).unwrap();
                let elsewhere = folder.path().join("elsewhere");
                fs::rename(capture.join(name), &elsewhere).unwrap();
                let target = if target == "elsewhere" {
                    elsewhere
                } else {
                    target.into()
                };
                symlink(target, capture.join(name)).unwrap();
                assert!(is_capture(&capture));
                let error = load_capture(&capture).unwrap_err().to_string();
                assert!(
                    error.contains(name) && error.contains("it is a link"),
                    "{error}"
                );
            }
        }
    }

    #[test]
    fn a_tree_that_unpacks_to_too_much_is_refused() {
        // The decompressed data has the stated size, then a different one.
        for has_size in [true, false] {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
            std::io::copy(
                &mut std::io::repeat(b' ').take(MAX_TREE_BYTES + 100),
                &mut gzip,
            )
            .unwrap();
            let mut packed = gzip.finish().unwrap();
            let length = packed.len();
            if !has_size {
                packed[length - 4..].copy_from_slice(&7u32.to_le_bytes());
            }
            let error = unpacked_tree(&packed).unwrap_err();
            assert!(
                error.contains(if has_size {
                    "are the most"
                } else {
                    "more than 7 bytes"
                }),
                "{error}"
            );
        }
    }

    #[test]
    fn damage_and_newer_versions_are_named() {
        let folder = tempfile::tempdir().unwrap();
        save_capture(&sample(), folder.path()).unwrap();
        let mask = folder.path().join(MASK);
        let mut bytes = fs::read(&mask).unwrap();
        bytes[20] ^= 1;
        fs::write(&mask, bytes).unwrap();
        assert!(
            load_capture(folder.path())
                .unwrap_err()
                .to_string()
                .contains("mask.png")
        );
        fs::write(folder.path().join(HEAD), br#"{"format": 99}"#).unwrap();
        assert!(
            load_capture(folder.path())
                .unwrap_err()
                .to_string()
                .contains("99")
        );
    }
}
