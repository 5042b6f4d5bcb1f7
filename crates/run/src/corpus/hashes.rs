//! Hashes of texts and numbers that are the same on every machine.

use vclean_core::hash::Fnv;

/// A number with all bits mixed (the finalizer of SplitMix64, Steele et al. 2014).
pub(super) fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Hash of a text, byte by byte.
pub(crate) fn text_hash(text: &str) -> u64 {
    let mut hash = Fnv::new();
    text.bytes().for_each(|byte| hash.add(byte));
    mixed(hash.finish())
}
