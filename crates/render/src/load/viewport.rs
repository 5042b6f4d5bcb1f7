//! The size of the browser window, as text: `WIDTHxHEIGHT`.

use serde::{Deserialize, Deserializer};
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Widths, in CSS px. Pictures of wider pages would be larger than the browser may send.
const WIDTHS: RangeInclusive<u32> = 200..=2560;
/// Heights, in CSS px.
const HEIGHTS: RangeInclusive<u32> = 200..=4320;

/// Width and height of the window, in CSS px.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Viewport {
    width_px: u32,
    height_px: u32,
}

impl Viewport {
    /// The default size with `mobile`: the most frequent one of large phones.
    pub(super) const PHONE: Self = Self {
        width_px: 412,
        height_px: 915,
    };

    /// Creates a viewport of this size.
    ///
    /// # Errors
    /// If it is too small or too large.
    pub fn new(width_px: u32, height_px: u32) -> Result<Self, String> {
        if WIDTHS.contains(&width_px) && HEIGHTS.contains(&height_px) {
            return Ok(Self {
                width_px,
                height_px,
            });
        }
        Err(format!(
            "invalid value {width_px}x{height_px} for `viewport`; name a width from {} to {} and a height from {} to {} px",
            WIDTHS.start(),
            WIDTHS.end(),
            HEIGHTS.start(),
            HEIGHTS.end()
        ))
    }

    /// Returns width and height in CSS px.
    pub(crate) fn size_px(self) -> [u32; 2] {
        [self.width_px, self.height_px]
    }
}

impl fmt::Display for Viewport {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}x{}", self.width_px, self.height_px)
    }
}

impl FromStr for Viewport {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let size = text
            .trim()
            .split_once('x')
            .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
        let (width_px, height_px) = size
            .ok_or_else(|| "`viewport` is written as WIDTHxHEIGHT, such as 1280x1024".to_owned())?;
        Self::new(width_px, height_px)
    }
}

impl<'de> Deserialize<'de> for Viewport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schemars")]
impl schemars::JsonSchema for Viewport {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Viewport".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9]+x[0-9]+$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_written() {
        let parsed: Viewport = "390x844".parse().unwrap();
        assert_eq!(
            (parsed.size_px(), parsed.to_string().as_str()),
            ([390, 844], "390x844")
        );
        for wrong in [
            "",
            "390",
            "x",
            "390x",
            "-1x500",
            "100x500",
            "9000x500",
            "500x9000",
            "500x500x1",
            "4294967296x500",
        ] {
            assert!(
                wrong
                    .parse::<Viewport>()
                    .unwrap_err()
                    .contains("`viewport`"),
                "{wrong}"
            );
        }
    }
}
