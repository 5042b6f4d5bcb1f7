//! The models of vclean as bytes, each enabled by a cargo feature, so that a program contains only
//! those that it uses. `MODELS.md` says how each was trained and how good it is.

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

/// The trees that tell whether a page has text.
#[cfg(feature = "static")]
pub const STATES: Option<&[u8]> = Some(include_bytes!("states.model"));
/// The trees that tell whether a page has text: none without the feature `static`.
#[cfg(not(feature = "static"))]
pub const STATES: Option<&[u8]> = None;

/// Models of published methods.
#[cfg(feature = "methods")]
pub mod methods {
    /// Model of the density filter with a language model.
    pub const DENSITY_LM: &[u8] = include_bytes!("methods/density-lm.model");
    /// Model of FIASCO for rendered pages.
    pub const FIASCO_RENDERED: &[u8] = include_bytes!("methods/fiasco-rendered.model");
    /// Model of FIASCO for bare HTML.
    pub const FIASCO_STATIC: &[u8] = include_bytes!("methods/fiasco-static.model");
    /// The rule that ICE's genetic program evolved.
    pub const ICE_GENETIC: &[u8] = include_bytes!("methods/ice-genetic.model");
    /// Decision tree of ICE.
    pub const ICE_TREE: &[u8] = include_bytes!("methods/ice-tree.model");
    /// Model of texrex's boilerplate detector.
    pub const TEXREX: &[u8] = include_bytes!("methods/texrex.model");
}

/// Part-of-speech taggers by language (ISO 639-1).
#[cfg(feature = "taggers")]
pub const TAGGERS: &[(&str, &[u8])] = &[
    ("de", include_bytes!("pos/de.tagger")),
    ("en", include_bytes!("pos/en.tagger")),
    ("es", include_bytes!("pos/es.tagger")),
    ("fr", include_bytes!("pos/fr.tagger")),
    ("ru", include_bytes!("pos/ru.tagger")),
    ("zh", include_bytes!("pos/zh.tagger")),
];
/// Part-of-speech taggers: none without the feature `taggers`.
#[cfg(not(feature = "taggers"))]
pub const TAGGERS: &[(&str, &[u8])] = &[];
