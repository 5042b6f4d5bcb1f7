//! The format `screenshot` of Firecrawl's interface: the picture of a page as a data URL.

use super::problem::Problem;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use std::borrow::Cow;
use vclean_core::capture::Picture;
use vclean_core::error::Error;
use vclean_render::Viewport;

/// Options of the format.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Screenshot {
    /// False for the first window of the page alone.
    full_page: Option<bool>,
    /// Quality from 1 to 100 of a JPEG; a PNG, without loss, if absent.
    quality: Option<u8>,
    /// Size of the window.
    viewport: Option<WindowSize>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct WindowSize {
    width: u32,
    height: u32,
}

impl Screenshot {
    /// Checks the quality.
    ///
    /// # Errors
    /// If it is out of range.
    pub(super) fn check(self) -> Result<Self, Problem> {
        match self.quality {
            Some(quality) if !(1..=100).contains(&quality) => Err(Problem::request(format!(
                "`quality` is {quality}; give a number from 1 to 100"
            ))),
            _ => Ok(self),
        }
    }

    /// The size of the window, if one is wanted.
    ///
    /// # Errors
    /// If it is too small or too large.
    pub(super) fn viewport(self) -> Result<Option<Viewport>, Problem> {
        let size = self.viewport;
        let viewport = size.map(|WindowSize { width, height }| Viewport::new(width, height));
        viewport.transpose().map_err(Problem::request)
    }

    /// The picture of a page whose window had this size, as a data URL.
    ///
    /// # Errors
    /// If the picture is damaged.
    pub(super) fn encode(
        self,
        picture: &Picture,
        window_px: Option<[u32; 2]>,
    ) -> Result<String, Problem> {
        let mut picture = Cow::Borrowed(picture);
        if let (Some(false), Some([_, height])) = (self.full_page, window_px) {
            picture = Cow::Owned(picture.top(height).map_err(Error::from)?);
        }
        let (kind, bytes) = match self.quality {
            Some(quality) => ("jpeg", picture.jpeg(quality).map_err(Error::from)?),
            None => ("png", picture.png().map_err(Error::from)?.into_owned()),
        };
        Ok(format!(
            "data:image/{kind};base64,{}",
            STANDARD.encode(bytes)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;
    use serde_json::{Value, json};

    fn read(options: Value) -> Screenshot {
        serde_json::from_value(options).unwrap()
    }

    fn encoded(options: Value) -> (String, Vec<u8>) {
        let picture = Picture::from_rgb(RgbImage::new(20, 3000));
        let url = read(options).encode(&picture, Some([20, 90])).unwrap();
        let (kind, data) = url.split_once(";base64,").unwrap();
        (kind.to_owned(), STANDARD.decode(data).unwrap())
    }

    #[test]
    fn pictures_have_a_height_and_a_quality() {
        let height = |png: &[u8]| u32::from_be_bytes(png[20..24].try_into().unwrap());
        let (kind, whole) = encoded(json!({}));
        assert_eq!((kind.as_str(), height(&whole)), ("data:image/png", 3000));
        assert_eq!(height(&encoded(json!({ "fullPage": false })).1), 90);
        let (kind, photo) = encoded(json!({ "quality": 60 }));
        assert_eq!(
            (kind.as_str(), &photo[..2]),
            ("data:image/jpeg", &[0xff, 0xd8][..])
        );
    }

    #[test]
    fn wrong_options_are_refused() {
        for quality in [0, 101] {
            assert!(read(json!({ "quality": quality })).check().is_err());
        }
        let wide = json!({ "viewport": { "width": 1, "height": 2 } });
        assert!(read(wide).viewport().is_err());
        assert_eq!(Screenshot::default().viewport().unwrap(), None);
        assert!(serde_json::from_value::<Screenshot>(json!({ "x": 1 })).is_err());
    }
}
