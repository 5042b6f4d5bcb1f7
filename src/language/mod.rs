//! What is known of single languages: which one a text is in, where its words end, what part of speech they are, and
//! which of them speak for content or for boilerplate.
//!
//! Only the language-bound groups of `features` measure with this; `clean` takes from it the language that it writes into
//! the metadata. [`detect`] says which language, [`words`] cuts text as the treebanks do, [`tagger`] tags it ([`TAGGERS`]
//! are compiled in), and [`keywords`] holds what `train` learned of words. Touches no file, no network and no clock.

pub(crate) mod character;
pub mod detect;
pub mod keywords;
pub mod tag;
pub mod tagger;
pub(crate) mod tagger_file;
pub mod words;

pub use detect::{guess_language, language_tag, page_language, primary};
pub use keywords::Keywords;
pub use tag::{Tag, TagClass};
pub use tagger::Tagger;
pub use words::{Cutter, Word};

use std::sync::OnceLock;

/// The taggers that are compiled in, by language.
///
/// Trained by `vclean train-tagger` on the dev and test parts of treebanks of Universal Dependencies, all under CC BY-SA
/// 4.0: GSD (German, French, Spanish, Russian), EWT (English), GSDSimp (Chinese); each file names its own.
pub const TAGGERS: &[(&str, &[u8])] = &[
    ("de", include_bytes!("../../models/pos/de.tagger")),
    ("en", include_bytes!("../../models/pos/en.tagger")),
    ("es", include_bytes!("../../models/pos/es.tagger")),
    ("fr", include_bytes!("../../models/pos/fr.tagger")),
    ("ru", include_bytes!("../../models/pos/ru.tagger")),
    ("zh", include_bytes!("../../models/pos/zh.tagger")),
];

/// The compiled-in tagger of a language, read when it is first asked for; `None` for a language without one.
pub fn tagger(language: &str) -> Option<&'static Tagger> {
    static READ: [OnceLock<Option<Tagger>>; TAGGERS.len()] = [const { OnceLock::new() }; TAGGERS.len()];
    let place = TAGGERS.iter().position(|(known, _)| *known == language)?;
    // The test below reads them all, so none is lost here.
    READ[place].get_or_init(|| Tagger::from_bytes(TAGGERS[place].1).ok()).as_ref()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

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
