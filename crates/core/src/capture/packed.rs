//! The files of a capture as bytes; [`files`](crate::files) reads and writes them in a folder.

use super::dom::Dom;
use super::layout::Layout;
use super::page_capture::{Capture, Record};
use crate::error::CaptureError;
use crate::hash::checksum;
use flate2::{Compression, write::GzEncoder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;

/// Version of the format that this library writes; it reads only this one.
pub(crate) const FORMAT_VERSION: u32 = 1;

pub(crate) const HEAD: &str = "capture.json";
pub(crate) const TREE: &str = "dom.json.gz";
pub(crate) const SCREENSHOT: &str = "screenshot.png";
pub(crate) const MASK: &str = "mask.png";
pub(crate) const PAINTED: &str = "painted.png";

/// Content of the file `capture.json`.
#[derive(Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) format: u32,
    pub(crate) record: Record,
    /// CRC-32 of each file, to detect damage.
    pub(crate) checksums: BTreeMap<String, u32>,
}

#[derive(Serialize)]
struct TreeOut<'a> {
    dom: &'a Dom,
    layout: Option<&'a Layout>,
}

/// The files of a capture by name, `capture.json` last: a folder without it is not a capture.
///
/// # Errors
/// If a picture is too large to be encoded.
pub fn pack(capture: &Capture) -> Result<Vec<(&'static str, Vec<u8>)>, CaptureError> {
    let fail = |cause: String| CaptureError::Write {
        path: TREE.into(),
        cause,
    };
    let tree = serde_json::to_vec(&TreeOut {
        dom: &capture.dom,
        layout: capture.layout.as_ref(),
    })
    .map_err(|error| fail(error.to_string()))?;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&tree)
        .map_err(|error| fail(error.to_string()))?;
    let mut files = vec![(
        TREE,
        gzip.finish().map_err(|error| fail(error.to_string()))?,
    )];
    if let Some(pictures) = &capture.pictures {
        let painted = pictures.painted.iter().map(|picture| (PAINTED, picture));
        for (name, picture) in [(SCREENSHOT, &pictures.screenshot), (MASK, &pictures.mask)]
            .into_iter()
            .chain(painted)
        {
            files.push((name, picture.png()?.into_owned()));
        }
    }
    let checksums = files
        .iter()
        .map(|(name, bytes)| ((*name).to_owned(), checksum(bytes)))
        .collect();
    let head = Head {
        format: FORMAT_VERSION,
        record: capture.record.clone(),
        checksums,
    };
    files.push((
        HEAD,
        serde_json::to_vec_pretty(&head).map_err(|error| fail(error.to_string()))?,
    ));
    Ok(files)
}
