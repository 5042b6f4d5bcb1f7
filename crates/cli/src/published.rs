//! The published methods that `--method` may name.

#[cfg(feature = "lab")]
pub(crate) use vclean_rivals::method::METHODS as PUBLISHED;
/// None: this build has no laboratory.
#[cfg(not(feature = "lab"))]
pub(crate) const PUBLISHED: &[vclean_core::pipeline::Method] = &[];
