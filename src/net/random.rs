//! Numbers that nobody can guess, for names and passwords that last as long as the process.

use std::hash::{BuildHasher, RandomState};

/// Such a number in hexadecimal, of 32 digits.
///
/// `std` takes the keys of its hash function from the random source of the system, and the function (SipHash) hides
/// them. The quick generators of other crates do not suffice: a page that sees one of their numbers can compute the
/// others.
pub(super) fn secret() -> String {
    let number = |salt: u8| RandomState::new().hash_one(salt);
    format!("{:016x}{:016x}", number(0), number(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ() {
        assert_eq!(secret().len(), 32);
        assert_ne!(secret(), secret());
    }
}
