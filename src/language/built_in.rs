//! The part-of-speech taggers that are compiled in.

use super::tagger::Tagger;
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

/// The compiled-in tagger of a language, read at its first use; `None` for a language without one.
pub fn tagger(language: &str) -> Option<&'static Tagger> {
    static READ: [OnceLock<Option<Tagger>>; TAGGERS.len()] = [const { OnceLock::new() }; TAGGERS.len()];
    let index = TAGGERS.iter().position(|(known, _)| *known == language)?;
    // The test below reads all of them, so this never fails for a tagger in the table.
    READ[index].get_or_init(|| Tagger::from_bytes(TAGGERS[index].1).ok()).as_ref()
}

#[cfg(test)]
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
