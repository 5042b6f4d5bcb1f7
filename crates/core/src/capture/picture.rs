//! A picture of a capture: PNG bytes, decoded when a stage needs the pixels, or pixels that were
//! never encoded.

use super::NodeMask;
use super::rows::{Row, Rows, luminance};
use crate::error::CaptureError;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::crop_imm;
use image::{DynamicImage, GrayImage, RgbImage};
use png::{BitDepth, ColorType, Compression, Encoder, Filter};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// A picture: PNG bytes that are decoded when a stage needs the pixels, or a drawing of a renderer
/// in this process that is encoded only when it is stored.
#[derive(Debug, Clone)]
pub struct Picture {
    content: Content,
    /// Results of earlier decoding, which is slow.
    kept_gray: OnceLock<Arc<GrayImage>>,
    kept_mask: OnceLock<Arc<NodeMask>>,
}

impl PartialEq for Picture {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content
    }
}

impl Eq for Picture {}

/// Stored form of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Png(Vec<u8>),
    Gray(Arc<GrayImage>),
    Colors(RgbImage),
    Owners(NodeMask),
}

impl Picture {
    fn new(content: Content) -> Self {
        Self {
            content,
            kept_gray: OnceLock::new(),
            kept_mask: OnceLock::new(),
        }
    }

    /// Wraps PNG bytes; they are checked only when decoded.
    pub fn from_png(png: Vec<u8>) -> Self {
        Self::new(Content::Png(png))
    }

    /// A page image without color.
    pub fn from_gray(gray: GrayImage) -> Self {
        Self::new(Content::Gray(Arc::new(gray)))
    }

    /// A page image in color.
    pub fn from_rgb(colors: RgbImage) -> Self {
        Self::new(Content::Colors(colors))
    }

    /// The picture of a node mask.
    pub fn from_mask(mask: NodeMask) -> Self {
        Self::new(Content::Owners(mask))
    }

    /// Stores the luminance of this picture, so that [`Self::decode_gray`] need not decode it
    /// again.
    pub fn keep_gray(&self, gray: GrayImage) {
        // Another thread may have stored the same value first.
        let _ = self.kept_gray.set(Arc::new(gray));
    }

    /// The PNG bytes.
    ///
    /// # Errors
    /// If the picture is too large to be encoded.
    pub fn png(&self) -> Result<Cow<'_, [u8]>, CaptureError> {
        match &self.content {
            Content::Png(png) => Ok(Cow::Borrowed(png)),
            _ => encode(&self.decode_rgb()?).map(Cow::Owned),
        }
    }

    /// The upper part of the picture, at most this many pixels high.
    ///
    /// # Errors
    /// If the picture is damaged.
    pub fn top(&self, height: u32) -> Result<Self, CaptureError> {
        let whole = self.decode_rgb()?;
        let height = height.clamp(1, whole.height().max(1));
        let part = crop_imm(&whole, 0, 0, whole.width(), height).to_image();
        Ok(Self::from_rgb(part))
    }

    /// The picture as JPEG, with a quality from 1 to 100.
    ///
    /// # Errors
    /// If the picture is damaged or too large for the format.
    pub fn jpeg(&self, quality: u8) -> Result<Vec<u8>, CaptureError> {
        let mut bytes = Vec::new();
        let encoder = JpegEncoder::new_with_quality(&mut bytes, quality.clamp(1, 100));
        let encoded = self.decode_rgb()?.write_with_encoder(encoder);
        encoded.map_err(|error| CaptureError::Picture {
            cause: error.to_string(),
        })?;
        Ok(bytes)
    }

    /// Decodes the pixels in color.
    pub fn decode_rgb(&self) -> Result<RgbImage, CaptureError> {
        match &self.content {
            Content::Png(png) => {
                let mut rows = Rows::open(png)?;
                let mut pixels = Vec::with_capacity(3 * rows.width as usize * rows.height as usize);
                while let Some(mut row) = rows.next()? {
                    pixels.extend_from_slice(row.rgb());
                }
                Ok(RgbImage::from_raw(rows.width, rows.height, pixels)
                    .expect("three bytes a pixel"))
            }
            Content::Gray(gray) => Ok(DynamicImage::ImageLuma8(GrayImage::clone(gray)).into_rgb8()),
            Content::Colors(colors) => Ok(colors.clone()),
            Content::Owners(mask) => Ok(mask.to_rgb()),
        }
    }

    /// Decodes the pixels in color, row by row.
    pub fn rows(&self) -> Result<Rows<'_>, CaptureError> {
        match &self.content {
            Content::Png(png) => Rows::open(png),
            _ => Ok(Rows::from_pixels(self.decode_rgb()?)),
        }
    }

    /// Decodes the luminance of the pixels, 0 black to 255 white.
    pub fn decode_gray(&self) -> Result<Arc<GrayImage>, CaptureError> {
        let png = match &self.content {
            Content::Png(png) => png,
            Content::Gray(gray) => return Ok(Arc::clone(gray)),
            Content::Colors(colors) => return Ok(Arc::new(luminance_image(colors))),
            Content::Owners(mask) => return Ok(Arc::new(luminance_image(&mask.to_rgb()))),
        };
        if let Some(gray) = self.kept_gray.get() {
            return Ok(Arc::clone(gray));
        }
        let mut rows = Rows::open(png)?;
        let mut gray = GrayRows::new(&rows);
        while let Some(mut row) = rows.next()? {
            gray.push(&mut row);
        }
        Ok(Arc::new(gray.finish()))
    }
}

/// The luminance of a picture, computed while its rows are read.
pub struct GrayRows {
    width: u32,
    height: u32,
    gray: Vec<u8>,
}

impl GrayRows {
    /// For the picture that these rows belong to.
    pub fn new(rows: &Rows<'_>) -> Self {
        let (width, height) = (rows.width, rows.height);
        Self {
            width,
            height,
            gray: Vec::with_capacity(width as usize * height as usize),
        }
    }

    /// Adds the row below the last one.
    pub fn push(&mut self, row: &mut Row<'_>) {
        let start = self.gray.len();
        debug_assert_eq!(
            start,
            row.y as usize * self.width as usize,
            "rows are added in their order"
        );
        if row.repeats {
            self.gray.extend_from_within(start - self.width as usize..);
        } else {
            self.gray.resize(start + self.width as usize, 0);
            row.write_gray(&mut self.gray[start..]);
        }
    }

    /// The luminance of all rows.
    pub fn finish(self) -> GrayImage {
        GrayImage::from_raw(self.width, self.height, self.gray).expect("one byte a pixel")
    }
}

fn luminance_image(colors: &RgbImage) -> GrayImage {
    let mut gray = GrayImage::new(colors.width(), colors.height());
    luminance(colors, &mut gray);
    gray
}

/// Encodes pixels as PNG, fast and lossless.
///
/// # Errors
/// If the picture is too large, or has no pixels.
pub fn encode_png(pixels: &RgbImage) -> Result<Picture, CaptureError> {
    encode(pixels).map(Picture::from_png)
}

/// Maximum number of runs in a mask; a page of 30,000 rows with 500 words each in a text node of
/// its own stays below.
const MAX_RUNS: usize = 1 << 24;

impl NodeMask {
    /// Decodes the mask from its picture.
    ///
    /// # Errors
    /// If the picture is damaged, or has more runs than any real page.
    pub fn decode(picture: &Picture) -> Result<Self, CaptureError> {
        let png = match &picture.content {
            Content::Png(png) => png,
            Content::Owners(mask) => return Ok(mask.clone()),
            Content::Gray(_) | Content::Colors(_) => {
                return Err(CaptureError::Picture {
                    cause: "it is a page image and no node mask".to_owned(),
                });
            }
        };
        if let Some(mask) = picture.kept_mask.get() {
            return Ok(NodeMask::clone(mask));
        }
        let mut rows = Rows::open(png)?;
        let mut mask = Self::without_rows(rows.width, rows.height as usize);
        while let Some(mut row) = rows.next()? {
            if row.repeats {
                mask.repeat_row();
                continue;
            }
            mask.push_row(
                row.rgb()
                    .chunks_exact(3)
                    .map(|rgb| u32::from_be_bytes([0, rgb[0], rgb[1], rgb[2]])),
            );
            if mask.runs().len() > MAX_RUNS {
                let cause =
                    format!("the node mask has more than the {MAX_RUNS} runs a page may have");
                return Err(CaptureError::Picture { cause });
            }
        }
        // Another thread may have stored the same value first.
        let _ = picture.kept_mask.set(Arc::new(mask.clone()));
        Ok(mask)
    }
}

/// Maximum number of colors in a palette (PNG specification, section 11.2.2).
const MAX_COLORS: usize = 256;

/// Encodes pixels as PNG.
///
/// # Errors
/// If the picture is too large, or has no pixels.
pub(super) fn encode(pixels: &RgbImage) -> Result<Vec<u8>, CaptureError> {
    let indexed = Indexed::from_pixels(pixels);
    let write = || {
        let mut png = Vec::new();
        let mut encoder = Encoder::new(&mut png, pixels.width(), pixels.height());
        encoder.set_compression(Compression::Fast);
        // Many rows of a page equal the row above.
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
    write().map_err(|error: png::EncodingError| CaptureError::Picture {
        cause: error.to_string(),
    })
}

/// A picture with a palette.
struct Indexed {
    /// Red, green and blue of each color, in the order of first use.
    palette: Vec<u8>,
    depth: BitDepth,
    /// Palette index of each pixel, packed; each row begins in a new byte.
    rows: Vec<u8>,
}

impl Indexed {
    /// Returns `None` for a picture with too many colors.
    fn from_pixels(pixels: &RgbImage) -> Option<Self> {
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
        let rows = indexes
            .chunks(width.max(1))
            .flat_map(|row| pack(row, depth))
            .collect();
        Some(Self {
            palette,
            depth,
            rows,
        })
    }
}

/// Packs numbers of `depth` bits, the first in the highest bits of a byte.
fn pack(numbers: &[u8], depth: BitDepth) -> impl Iterator<Item = u8> {
    let bits = depth as usize;
    numbers.chunks(8 / bits).map(move |numbers| {
        numbers
            .iter()
            .enumerate()
            .fold(0, |packed, (place, number)| {
                packed | number << (8 - bits * (place + 1))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::super::{NodeId, encode_png};
    use super::*;
    use image::Rgb;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_picture_is_an_error() {
        assert!(Picture::from_png(b"GIF89a".to_vec()).decode_rgb().is_err());
        assert!(Picture::from_png(b"GIF89a".to_vec()).decode_gray().is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn gray_is_that_of_the_colors(
            values in proptest::collection::vec(prop_oneof![Just(255u8), any::<u8>()], 37 * 20 * 3),
            // Either few rows and a palette, or too many colors.
            rows in prop_oneof![Just(4u32), Just(20)],
        ) {
            let pixels = RgbImage::from_fn(37, rows, |x, y| {
                let place = 3 * (37 * y + x) as usize;
                image::Rgb([values[place], values[place + 1], values[place + 2]])
            });
            let gray = encode_png(&pixels).unwrap().decode_gray().unwrap();
            prop_assert_eq!(&*gray, &DynamicImage::ImageRgb8(pixels).into_luma8());
        }
    }

    #[test]
    fn a_mask_survives_its_picture() {
        let mut owners = vec![NodeMask::NOBODY; 12];
        owners[3] = 7;
        owners[4] = 0x0001_0203;
        let mask = NodeMask::from_owners(4, 3, &owners);
        let again = NodeMask::decode(&encode_png(&mask.to_rgb()).unwrap()).unwrap();
        assert_eq!(mask, again);
        assert_eq!(again.owner(3, 0), Some(NodeId::new(7)));
        assert_eq!(again.owner(0, 0), None);
        assert_eq!(NodeMask::color(NodeId::new(0x0001_0203)), [1, 2, 3]);
    }

    proptest! {
        #[test]
        fn any_mask_survives_its_picture(picks in proptest::collection::vec(0usize..4, 6 * 5)) {
            let owners: Vec<u32> = picks.iter().map(|&pick| [NodeMask::NOBODY, 0, 7, 65_536][pick]).collect();
            let mask = NodeMask::from_owners(6, 5, &owners);
            prop_assert_eq!(NodeMask::decode(&encode_png(&mask.to_rgb()).unwrap()).unwrap(), mask);
        }
    }

    /// A picture with this number of colors.
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
        let depths = [
            (1, 1),
            (2, 1),
            (3, 2),
            (4, 2),
            (5, 4),
            (16, 4),
            (17, 8),
            (256, 8),
        ];
        for (colors, bits) in depths {
            let pixels = picture(colors);
            let indexed = Indexed::from_pixels(&pixels).unwrap();
            assert_eq!(
                (indexed.palette.len() as u32, indexed.depth as u8),
                (3 * colors, bits)
            );
            assert_eq!(decode(&encode(&pixels).unwrap()), pixels);
        }
        let many = picture(257);
        assert!(Indexed::from_pixels(&many).is_none());
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
