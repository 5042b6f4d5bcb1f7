//! The tagger as a file: written by `vclean lab train-tagger`, compiled in, read completely and
//! checked before it is used.
//!
//! File format 1, little endian, in this order:
//!
//! - 14 bytes: `vclean tagger\n`
//! - u32: format version
//! - u32: length of the header
//! - header in JSON: language, treebanks, sizes of the following parts
//! - deflate stream: per word, sorted, the number of bytes shared with the word before (u8), length
//!   of the rest (u8), the rest, count (u32), number of the tag, plus 128 for a certain one (u8);
//!   then the rows of weights (i8)
//! - u32: CRC-32 of all previous bytes

use super::tagger::{LexiconWord, TAG_COUNT, Tag, Tagger, Weights};
use crate::error::ModelError;
use crate::hash::checksum;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::sync::OnceLock;

/// Version of the file format that this library writes; it reads only this one.
const FORMAT_VERSION: u32 = 1;

const MAGIC: &[u8; 14] = b"vclean tagger\n";

/// Maximum number of words and rows in a file, so that a damaged header cannot make the reader
/// allocate all memory.
const MAX_COUNT: usize = 1 << 18;

/// Maximum length of a form in bytes; longer ones are left out of lexicons.
pub const MAX_FORM_BYTES: usize = 200;

#[derive(Serialize, Deserialize)]
struct Header {
    language: String,
    treebanks: Vec<String>,
    tokens: u64,
    words: usize,
    rows: usize,
    /// Length of the decompressed deflate stream in bytes.
    inflated: usize,
}

impl Tagger {
    /// The tagger as a file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut plain = Vec::new();
        let mut last: &[u8] = &[];
        for word in &self.lexicon {
            let form = word.form.as_bytes();
            let shared = form
                .iter()
                .zip(last)
                .take_while(|(one, other)| one == other)
                .count();
            plain.extend([shared as u8, (form.len() - shared) as u8]);
            plain.extend(&form[shared..]);
            plain.extend(word.count.to_le_bytes());
            plain.push(word.tag as u8 | if word.is_certain { 128 } else { 0 });
            last = form;
        }
        plain.extend(
            self.weights
                .iter()
                .flatten()
                .map(|weight| weight.cast_unsigned()),
        );
        let header = Header {
            language: self.language.clone(),
            treebanks: self.treebanks.clone(),
            tokens: self.tokens,
            words: self.lexicon.len(),
            rows: self.weights.len(),
            inflated: plain.len(),
        };
        let header = serde_json::to_vec(&header).expect("a header has string keys only");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        let mut encoder = DeflateEncoder::new(bytes, Compression::best());
        encoder.write_all(&plain).expect("memory takes all");
        let mut bytes = encoder.finish().expect("memory takes all");
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads a file's bytes and checks all of them.
    ///
    /// # Errors
    /// If the bytes are damaged or are not a tagger of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(bad(
                "it does not begin like one; name a file that vclean lab train-tagger wrote",
            ));
        };
        let cut_off = || bad("it is cut off; copy it again");
        let (version, rest) = rest.split_first_chunk().ok_or_else(cut_off)?;
        let version = u32::from_le_bytes(*version);
        if version != FORMAT_VERSION {
            return Err(bad(&format!(
                "it has format {version}, this version reads {FORMAT_VERSION}; train it again"
            )));
        }
        let (rest, sum) = rest.split_last_chunk().ok_or_else(cut_off)?;
        if checksum(&bytes[..bytes.len() - 4]) != u32::from_le_bytes(*sum) {
            return Err(bad(
                "the checksum does not match, the file is damaged; copy it again",
            ));
        }
        let (length, rest) = rest.split_first_chunk().ok_or_else(cut_off)?;
        let (header, stream) = rest
            .split_at_checked(u32::from_le_bytes(*length) as usize)
            .ok_or_else(cut_off)?;
        let header: Header = serde_json::from_slice(header)
            .map_err(|error| bad(&format!("its header cannot be read: {error}")))?;
        let weights = header.rows.saturating_mul(TAG_COUNT);
        let most = header
            .words
            .saturating_mul(MAX_FORM_BYTES + 7)
            .saturating_add(weights);
        if header.words > MAX_COUNT
            || !header.rows.is_power_of_two()
            || header.rows > MAX_COUNT
            || header.inflated > most
        {
            return Err(bad("its header names impossible sizes"));
        }
        let mut plain = Vec::new();
        let read = DeflateDecoder::new(stream)
            .take(header.inflated as u64 + 1)
            .read_to_end(&mut plain);
        if read.is_err() || plain.len() != header.inflated || plain.len() < weights {
            return Err(bad("its parts have other sizes than its header says"));
        }
        let (words, weights) = plain.split_at(plain.len() - weights);
        let lexicon = read_lexicon(words, header.words)?;
        let weights: Vec<Weights> = weights
            .chunks_exact(TAG_COUNT)
            .map(|row| std::array::from_fn(|tag| row[tag].cast_signed()))
            .collect();
        Ok(Self::new(
            header.language,
            header.treebanks,
            header.tokens,
            lexicon,
            weights,
        ))
    }
}

fn bad(cause: &str) -> ModelError {
    ModelError::Tagger(cause.to_owned())
}

fn read_lexicon(mut bytes: &[u8], count: usize) -> Result<Vec<LexiconWord>, ModelError> {
    let mut words = Vec::with_capacity(count);
    let mut form: Vec<u8> = Vec::new();
    for _ in 0..count {
        let wrong = || bad("its lexicon cannot be read");
        let (&[shared, own], rest) = bytes.split_first_chunk().ok_or_else(wrong)?;
        let (own, rest) = rest.split_at_checked(own.into()).ok_or_else(wrong)?;
        let (occurrences, rest) = rest.split_first_chunk().ok_or_else(wrong)?;
        let (&tag, rest) = rest.split_first().ok_or_else(wrong)?;
        if usize::from(shared) > form.len() {
            return Err(wrong());
        }
        form.truncate(shared.into());
        form.extend(own);
        words.push(LexiconWord {
            form: String::from_utf8(form.clone()).map_err(|_| wrong())?,
            count: u32::from_le_bytes(*occurrences),
            tag: Tag::from_number(usize::from(tag & 127)).ok_or_else(wrong)?,
            is_certain: tag & 128 != 0,
        });
        bytes = rest;
    }
    if bytes.is_empty() {
        Ok(words)
    } else {
        Err(bad("its lexicon has other sizes than its header says"))
    }
}

/// The compiled-in taggers with their language codes.
///
/// Trained by `vclean lab train-tagger` on the dev and test parts of treebanks of Universal
/// Dependencies, all under CC BY-SA 4.0: GSD (German, French, Spanish, Russian), EWT (English),
/// GSDSimp (Chinese); each file lists its own treebanks.
pub(crate) use vclean_models::TAGGERS;

/// The compiled-in tagger of a language, read when first used; `None` if the language has none.
pub fn tagger(language: &str) -> Option<&'static Tagger> {
    static READ: [OnceLock<Option<Tagger>>; TAGGERS.len()] =
        [const { OnceLock::new() }; TAGGERS.len()];
    let index = TAGGERS.iter().position(|(known, _)| *known == language)?;
    // A test reads all compiled-in taggers, so this never fails.
    READ[index]
        .get_or_init(|| Tagger::from_bytes(TAGGERS[index].1).ok())
        .as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn small() -> Tagger {
        let word = |form: &str, count, tag, is_certain| LexiconWord {
            form: form.into(),
            count,
            tag,
            is_certain,
        };
        let lexicon = vec![
            word("under", 3, Tag::Adp, true),
            word("understand", 1, Tag::Verb, false),
            word("我们", 9, Tag::Pron, true),
        ];
        let weights = (0..64i32)
            .map(|row| std::array::from_fn(|tag| (row * 3 - tag as i32) as i8))
            .collect();
        Tagger::new("xx".into(), vec!["made-up".into()], 13, lexicon, weights)
    }

    #[test]
    fn a_tagger_read_from_its_file_is_the_same() {
        let tagger = small();
        assert_eq!(Tagger::from_bytes(&tagger.to_bytes()).unwrap(), tagger);
    }

    #[test]
    fn foreign_and_newer_files_are_refused_by_name() {
        assert!(
            Tagger::from_bytes(b"PK")
                .unwrap_err()
                .to_string()
                .contains("train-tagger")
        );
        let mut bytes = small().to_bytes();
        bytes[14] = 7;
        assert!(
            Tagger::from_bytes(&bytes)
                .unwrap_err()
                .to_string()
                .contains("format 7")
        );
    }

    /// The bytes with a correct checksum.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let end = bytes.len() - 4;
        let sum = checksum(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    proptest! {
        #[test]
        fn damage_is_noticed_and_forged_checksums_cause_no_panic(at in 0usize..4000, value in any::<u8>(), cut in 0usize..4000) {
            let bytes = small().to_bytes();
            let mut damaged = bytes.clone();
            let at = at % (bytes.len() - 4);
            damaged[at] = damaged[at].wrapping_add(value.max(1));
            prop_assert!(Tagger::from_bytes(&damaged).is_err());
            prop_assert!(Tagger::from_bytes(&bytes[..cut % bytes.len()]).is_err());
            // With a correct checksum the result is arbitrary, but reading must not panic.
            let _ = Tagger::from_bytes(&sealed(damaged));
        }
    }

    #[test]
    fn every_tagger_loads_and_is_small() {
        for (language, bytes) in TAGGERS {
            assert_eq!(Tagger::from_bytes(bytes).unwrap().language, *language);
            assert!(tagger(language).is_some());
            assert!(bytes.len() < 400_000, "{language}: {} bytes", bytes.len());
        }
        assert!(TAGGERS.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() < 2_000_000);
        assert!(tagger("tlh").is_none());
    }
}
