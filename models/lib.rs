//! The models of vclean as bytes, each by a cargo feature, so that a program holds only what it
//! uses. `MODELS.md` says how each was trained and how good it is.

/// Models that decide which blocks are content, by name.
pub const MODELS: &[(&str, &[u8])] = &[
    #[cfg(feature = "rendered")]
    ("rendered", include_bytes!("rendered.model")),
    #[cfg(feature = "rendered-builtin")]
    ("rendered-builtin", include_bytes!("rendered-builtin.model")),
    #[cfg(feature = "static")]
    ("fast", include_bytes!("fast.model")),
    #[cfg(feature = "static")]
    ("static", include_bytes!("static.model")),
];

/// Models of published methods.
#[cfg(feature = "methods")]
pub mod methods {
    /// Of the density filter with a language model.
    pub const DENSITY_LM: &[u8] = include_bytes!("methods/density-lm.model");
    /// Of FIASCO, for rendered pages.
    pub const FIASCO_RENDERED: &[u8] = include_bytes!("methods/fiasco-rendered.model");
    /// Of FIASCO, for bare HTML.
    pub const FIASCO_STATIC: &[u8] = include_bytes!("methods/fiasco-static.model");
    /// Of ICE's genetic program.
    pub const ICE_GENETIC: &[u8] = include_bytes!("methods/ice-genetic.model");
    /// Of ICE's decision tree.
    pub const ICE_TREE: &[u8] = include_bytes!("methods/ice-tree.model");
    /// Of texrex.
    pub const TEXREX: &[u8] = include_bytes!("methods/texrex.model");
}

/// Taggers of parts of speech, by language.
#[cfg(feature = "taggers")]
pub const TAGGERS: &[(&str, &[u8])] = &[
    ("de", include_bytes!("pos/de.tagger")),
    ("en", include_bytes!("pos/en.tagger")),
    ("es", include_bytes!("pos/es.tagger")),
    ("fr", include_bytes!("pos/fr.tagger")),
    ("ru", include_bytes!("pos/ru.tagger")),
    ("zh", include_bytes!("pos/zh.tagger")),
];
/// Taggers of parts of speech: none, without the feature `taggers`.
#[cfg(not(feature = "taggers"))]
pub const TAGGERS: &[(&str, &[u8])] = &[];
