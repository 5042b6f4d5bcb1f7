//! What is common to everything that speaks HTTP: the network, and the archives that hold what servers answered.

#[cfg_attr(not(feature = "rendering"), allow(dead_code))]
pub(crate) mod head;
#[cfg_attr(not(feature = "rendering"), allow(dead_code))]
pub(crate) mod redirect;
