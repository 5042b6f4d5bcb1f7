//! A hash for equality of words and texts, the same on every machine.

/// 64-bit FNV-1a, for equality of words and texts within a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fnv(u64);

impl Fnv {
    pub(crate) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(crate) fn add(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }

    pub(crate) fn add_char(&mut self, c: char) {
        if c.is_ascii() {
            self.add(c.to_ascii_lowercase() as u8);
        } else {
            for lower in c.to_lowercase() {
                self.0 = (self.0 ^ u64::from(lower as u32)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }

    pub(crate) fn finish(self) -> u64 {
        self.0
    }
}

/// Hash of a text, for finding it again on the page.
pub(crate) fn text_key(text: &str) -> u64 {
    let mut hash = Fnv::new();
    text.chars().for_each(|c| hash.add_char(c));
    hash.finish()
}
