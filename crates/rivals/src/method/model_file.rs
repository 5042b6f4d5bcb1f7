//! The model file of a published method: one line that names the method, then the compressed
//! content.
//!
//! Our own models have their own format (`classify`); these are small and differ from method to
//! method.

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{Read, Write};
use std::path::Path;
use vclean_core::error::ModelError;
use vclean_core::files::read_model;

/// Version of the format; another is refused.
const VERSION: u32 = 1;

/// Largest decompressed content, in bytes, so that a file cannot fill the memory.
const MAX_BYTES: u64 = 1 << 28;

/// Writes a model of `method`: the line `vclean method NAME 1`, a line with its provenance, and the
/// content.
pub(crate) fn to_bytes<T: Serialize>(method: &str, provenance: &str, learned: &T) -> Vec<u8> {
    let mut bytes = format!(
        "vclean method {method} {VERSION}\n{}\n",
        provenance.replace(['\n', '\r'], " ")
    )
    .into_bytes();
    let content = serde_json::to_vec(learned).expect("what is learned has string keys only");
    let mut encoder = DeflateEncoder::new(&mut bytes, Compression::best());
    encoder
        .write_all(&content)
        .and_then(|()| encoder.finish().map(drop))
        .expect("memory can be written");
    bytes
}

/// Reads a model of `method` and its provenance.
///
/// # Errors
/// If the bytes are another method's, of another version, or damaged.
pub(crate) fn from_bytes<T: DeserializeOwned>(
    method: &str,
    bytes: &[u8],
) -> Result<(T, String), ModelError> {
    let bad = |cause: String| ModelError::Format(cause);
    let mut parts = bytes.splitn(3, |byte| *byte == b'\n');
    let first = parts
        .next()
        .map(String::from_utf8_lossy)
        .unwrap_or_default();
    let expected = format!("vclean method {method} {VERSION}");
    if first != expected {
        let found = if first.starts_with("vclean ") {
            first.as_ref()
        } else {
            "something else"
        };
        return Err(bad(format!(
            "it begins with {found}, expected is {expected}; name a file of vclean lab train `method` {method}"
        )));
    }
    let provenance = parts
        .next()
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .unwrap_or_default();
    let mut content = Vec::new();
    DeflateDecoder::new(parts.next().unwrap_or_default())
        .take(MAX_BYTES)
        .read_to_end(&mut content)
        .map_err(|error| bad(format!("it is damaged: {error}; copy it again")))?;
    let learned = serde_json::from_slice(&content)
        .map_err(|error| bad(format!("it is damaged: {error}; copy it again")))?;
    Ok((learned, provenance))
}

/// The model of a method: the given file, or the built-in one.
///
/// # Errors
/// If the file cannot be read or belongs to another method.
pub(crate) fn load<T: DeserializeOwned>(
    method: &str,
    model: Option<&str>,
    built_in: &[u8],
) -> Result<T, ModelError> {
    let Some(path) = model else {
        return from_bytes(method, built_in).map(|(learned, _)| learned);
    };
    from_bytes(method, &read_model(Path::new(path))?).map(|(learned, _)| learned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_written_model_is_read_again() {
        let learned = vec![
            ("gull".to_owned(), 0.1_f64),
            ("é".to_owned(), f64::MIN_POSITIVE),
        ];
        let bytes = to_bytes("toy", "vclean lab train\nx", &learned);
        let (read, provenance): (Vec<(String, f64)>, String) = from_bytes("toy", &bytes).unwrap();
        assert_eq!((read, provenance.as_str()), (learned, "vclean lab train x"));
        let error = from_bytes::<Vec<f64>>("other", &bytes)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("vclean method toy 1") && error.contains("`method` other"),
            "{error}"
        );
        assert!(
            load::<Vec<f64>>("toy", Some("no/such/file"), &bytes)
                .unwrap_err()
                .to_string()
                .contains("no/such/file")
        );
        assert!(from_bytes::<Vec<(String, f64)>>("toy", &bytes[..bytes.len() - 2]).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let whole = [b"vclean method toy 1\nx\n".as_slice(), &bytes].concat();
            let _ = from_bytes::<Vec<f64>>("toy", &whole);
            prop_assert!(from_bytes::<Vec<f64>>("toy", &bytes).is_err());
        }
    }
}
