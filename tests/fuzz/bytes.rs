//! Damages bytes of any format: flipped bits, cuts, splices, repeated parts, and numbers at their
//! limits.

use fastrand::Rng;

/// Numbers at which readers often fail, as text.
pub const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "255",
    "256",
    "32767",
    "65535",
    "65536",
    "1048576",
    "16777217",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "99999999999999999999999999",
    "1e9",
    "1e38",
    "-1e38",
    "1e-45",
    "1e400",
    "0.0000001",
    "NaN",
    "infinity",
];

/// Numbers that are stored as bytes, near the limits of their types.
const STORED_NUMBERS: &[u64] = &[
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 40,
    u64::MAX,
];

/// Largest size, in bytes, to which damage may grow an input.
const MAX_BYTES: usize = 1 << 20;

/// Chooses one of the elements.
pub fn any<'a, T>(rng: &mut Rng, from: &'a [T]) -> &'a T {
    &from[rng.usize(..from.len())]
}

/// Chooses a number from 1 to `limit` that is small in most cases.
pub fn few(rng: &mut Rng, limit: usize) -> usize {
    let bits = rng.u32(..=limit.max(1).ilog2());
    rng.usize(1..=(1 << bits).min(limit.max(1)))
}

/// Chooses a range of at most `limit` bytes, which may be empty.
fn range(rng: &mut Rng, length: usize, limit: usize) -> std::ops::Range<usize> {
    let start = rng.usize(..=length);
    let end = length.min(start + few(rng, limit));
    start..end
}

/// Damages `bytes` in 1 to 8 places; splices come from `other`.
pub fn damage(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..few(rng, 8) {
        damage_once(rng, bytes, other);
        bytes.truncate(MAX_BYTES);
    }
}

fn damage_once(rng: &mut Rng, bytes: &mut Vec<u8>, other: &[u8]) {
    let length = bytes.len();
    match rng.u32(..11) {
        0 if length > 0 => bytes[rng.usize(..length)] ^= 1 << rng.u32(..8),
        1 if length > 0 => {
            bytes[rng.usize(..length)] = *any(rng, b"\0\xff\x80\x7f<>&\"'= \n\r;:{}[],-");
        }
        2 => bytes.truncate(rng.usize(..=length)),
        3 => drop(bytes.drain(range(rng, length, 4096))),
        4 => {
            let part = other[range(rng, other.len(), 4096)].to_vec();
            let place = range(rng, length, 256);
            bytes.splice(place, part);
        }
        5 => {
            let part = bytes[range(rng, length, 1024)].to_vec();
            let times = few(rng, 1 + 200_000 / (part.len() + 1));
            let place = rng.usize(..=length);
            bytes.splice(place..place, part.repeat(times));
        }
        6 => {
            let noise: Vec<u8> = (0..few(rng, 64)).map(|_| rng.u8(..)).collect();
            let place = range(rng, length, 64);
            bytes.splice(place, noise);
        }
        7 => replace_number(rng, bytes),
        8 => {
            let number = *any(rng, STORED_NUMBERS);
            let stored = if rng.bool() {
                number.to_le_bytes()
            } else {
                number.to_be_bytes()
            };
            let width = *any(rng, &[1, 2, 4, 8]);
            let stored = if rng.bool() {
                &stored[..width]
            } else {
                &stored[8 - width..]
            };
            let start = rng.usize(..=length);
            let end = length.min(start + width);
            bytes.splice(start..end, stored.iter().copied());
        }
        9 => {
            let part: Vec<u8> = bytes.drain(range(rng, length, 2048)).collect();
            let place = rng.usize(..=bytes.len());
            bytes.splice(place..place, part);
        }
        _ => {
            let byte = *any(rng, b" \n\0<a0&\xe2\xff");
            let place = rng.usize(..=length);
            bytes.splice(place..place, std::iter::repeat_n(byte, few(rng, 100_000)));
        }
    }
}

/// Replaces a number that is written in the text by one of [`NUMBERS`].
fn replace_number(rng: &mut Rng, bytes: &mut Vec<u8>) {
    let start = rng.usize(..=bytes.len());
    let Some(first) = bytes[start..]
        .iter()
        .position(u8::is_ascii_digit)
        .map(|offset| start + offset)
    else {
        return;
    };
    let digits = bytes[first..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let number = any(rng, NUMBERS).bytes();
    bytes.splice(first..first + digits, number);
}
