//! Writes pictures as PNG, fast and lossless: with a palette where they have few colors.
//!
//! A drawn page image has some twenty colors and a node mask one for each text node, so that a pixel takes a few bits
//! instead of three bytes; a picture with a palette is packed and unpacked in a fraction of the time.

use crate::error::CaptureError;
use image::RgbImage;
use png::{BitDepth, ColorType, Compression, Encoder, Filter};
use rustc_hash::FxHashMap;

/// Most colors of a palette (PNG specification, section 11.2.2).
const MAX_COLORS: usize = 256;

/// Encodes pixels as PNG.
///
/// # Errors
/// If the picture is too large, or has no pixels.
pub(super) fn encode(pixels: &RgbImage) -> Result<Vec<u8>, CaptureError> {
    let indexed = Indexed::of(pixels);
    let write = || {
        let mut png = Vec::new();
        let mut encoder = Encoder::new(&mut png, pixels.width(), pixels.height());
        encoder.set_compression(Compression::Fast);
        // Rows of a page repeat the row above.
        encoder.set_filter(Filter::Up);
        if let Some(indexed) = indexed {
            encoder.set_color(ColorType::Indexed);
            encoder.set_depth(indexed.depth);
            encoder.set_palette(indexed.palette);
            encoder.write_header()?.write_image_data(&indexed.rows)?;
        } else {
            encoder.set_color(ColorType::Rgb);
            encoder.write_header()?.write_image_data(pixels)?;
        }
        Ok(png)
    };
    write().map_err(|error: png::EncodingError| CaptureError::Picture { cause: error.to_string() })
}

/// A picture with a palette.
struct Indexed {
    /// Red, green and blue of each color, in the order in which the picture shows them.
    palette: Vec<u8>,
    depth: BitDepth,
    /// The number of each pixel's color, packed; each row begins in a new byte.
    rows: Vec<u8>,
}

impl Indexed {
    /// `None` for a picture with too many colors.
    fn of(pixels: &RgbImage) -> Option<Self> {
        let width = pixels.width() as usize;
        let mut numbers: FxHashMap<[u8; 3], u8> = FxHashMap::default();
        let mut palette = Vec::new();
        let mut indexes: Vec<u8> = Vec::with_capacity(width * pixels.height() as usize);
        let mut before: &[u8] = &[];
        for row in pixels.chunks_exact((3 * width).max(1)) {
            if row == before {
                indexes.extend_from_within(indexes.len() - width..);
                continue;
            }
            before = row;
            let mut last = None;
            for color in row.as_chunks::<3>().0 {
                let number = match last {
                    Some((same, number)) if same == color => number,
                    _ => match numbers.get(color) {
                        Some(&number) => number,
                        None if numbers.len() < MAX_COLORS => {
                            let number = numbers.len() as u8;
                            numbers.insert(*color, number);
                            palette.extend_from_slice(color);
                            number
                        }
                        None => return None,
                    },
                };
                last = Some((color, number));
                indexes.push(number);
            }
        }
        let depth = match numbers.len() {
            0..=2 => BitDepth::One,
            3..=4 => BitDepth::Two,
            5..=16 => BitDepth::Four,
            _ => BitDepth::Eight,
        };
        let rows = indexes.chunks(width.max(1)).flat_map(|row| pack(row, depth)).collect();
        Some(Self { palette, depth, rows })
    }
}

/// Numbers of so many bits, the first in the highest bits of a byte.
fn pack(numbers: &[u8], depth: BitDepth) -> impl Iterator<Item = u8> {
    let bits = depth as usize;
    numbers.chunks(8 / bits).map(move |numbers| {
        numbers.iter().enumerate().fold(0, |packed, (place, number)| packed | number << (8 - bits * (place + 1)))
    })
}

#[cfg(test)]
mod tests {
    use super::super::rows::Rows;
    use super::*;
    use image::Rgb;

    /// A picture with so many colors.
    fn picture(colors: u32) -> RgbImage {
        RgbImage::from_fn(37, 23, |x, y| {
            let [_, red, green, blue] = ((x + 37 * (y / 2)) % colors * 9173).to_be_bytes();
            Rgb([red, green, blue])
        })
    }

    fn decode(png: &[u8]) -> RgbImage {
        let mut rows = Rows::open(png).unwrap();
        let mut pixels = Vec::new();
        while let Some(mut row) = rows.next().unwrap() {
            pixels.extend_from_slice(row.rgb());
        }
        RgbImage::from_raw(rows.width, rows.height, pixels).unwrap()
    }

    #[test]
    fn pictures_with_few_colors_have_a_palette_and_all_are_read_as_they_were() {
        let depths = [(1, 1), (2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)];
        for (colors, bits) in depths {
            let pixels = picture(colors);
            let indexed = Indexed::of(&pixels).unwrap();
            assert_eq!((indexed.palette.len() as u32, indexed.depth as u8), (3 * colors, bits));
            assert_eq!(decode(&encode(&pixels).unwrap()), pixels);
        }
        let many = picture(257);
        assert!(Indexed::of(&many).is_none());
        assert_eq!(decode(&encode(&many).unwrap()), many);
    }

    #[test]
    fn other_programs_read_the_palette() {
        let pixels = picture(5);
        let read = image::load_from_memory(&encode(&pixels).unwrap()).unwrap();
        assert_eq!(read.into_rgb8(), pixels);
        assert!(encode(&RgbImage::new(0, 3)).is_err());
    }
}
