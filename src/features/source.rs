//! Publications that several groups take features from, as columns name them.

/// FIASCO's linguistic features.
pub(super) const FIASCO_LINGUISTIC: &str = "Bauer et al. 2007 (FIASCO), 3.1";
/// FIASCO's structural features.
pub(super) const FIASCO_STRUCTURAL: &str = "Bauer et al. 2007 (FIASCO), 3.2";
/// FIASCO's visual features.
pub(super) const FIASCO_VISUAL: &str = "Bauer et al. 2007, section 3.3";
/// Counts over the text of a paragraph.
pub(super) const TEXREX: &str = "Schäfer 2013 (texrex), 2";
