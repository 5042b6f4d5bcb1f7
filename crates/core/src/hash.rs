//! FNV-1a (Fowler, Noll and Vo), 64 bits: a hash with the same values on every machine and in every
//! version. The checksum of our files is here too.
//!
//! Imports no other module of the program. Models and the files of regression thresholds contain
//! these values, so they must never change; the standard library's hash may change.

/// The hash of the bytes added so far.
#[derive(Debug, Clone, Copy)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self::new()
    }
}

impl Fnv {
    /// The initial value, which is the hash of no bytes.
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Adds one byte to the hash.
    pub fn add(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    /// Adds a character in lower case. A non-ASCII character is added in one step and not byte by
    /// byte as in FNV, which is sufficient to find equal words.
    pub(crate) fn add_char(&mut self, c: char) {
        if c.is_ascii() {
            self.add(c.to_ascii_lowercase() as u8);
        } else {
            c.to_lowercase()
                .for_each(|lower| self.add_whole(u64::from(lower as u32)));
        }
    }

    /// Adds a number in one step, such as a character or another hash, to find equal sequences.
    pub(crate) fn add_whole(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x0100_0000_01b3);
    }

    /// The hash of all bytes so far.
    pub fn finish(self) -> u64 {
        self.0
    }
}

/// Hash of a text, ignoring case, for finding the text on the page.
pub fn text_key(text: &str) -> u64 {
    let mut hash = Fnv::new();
    text.chars().for_each(|c| hash.add_char(c));
    hash.finish()
}

/// CRC-32 of the bytes of a file, for detecting damage.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_fnv() {
        // These are the authors' test vectors.
        assert_eq!(text_key(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(text_key("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(text_key("FooBar"), 0x8594_4171_f739_67e8);
        // A non-ASCII character takes one step.
        assert_eq!(
            text_key("Ä"),
            (0xcbf2_9ce4_8422_2325u64 ^ 0xe4).wrapping_mul(0x0100_0000_01b3)
        );
    }
}
