//! Reads a node mask from the picture that holds it.

use super::NodeMask;
use super::picture::{Content, Picture};
use super::rows::Rows;
use crate::error::CaptureError;
use std::sync::Arc;

/// Most runs of a mask; a page of 30,000 rows with 500 words each in a text node of its own stays below.
const MAX_RUNS: usize = 1 << 24;

impl NodeMask {
    /// Reads the mask from its picture.
    ///
    /// # Errors
    /// If the picture is damaged, or has more runs than any page.
    pub fn decode(picture: &Picture) -> Result<Self, CaptureError> {
        let png = match picture.content() {
            Content::Png(png) => png,
            Content::Owners(mask) => return Ok(mask.clone()),
            Content::Gray(_) | Content::Colors(_) => {
                return Err(CaptureError::Picture { cause: "it is a page image and no node mask".to_owned() });
            }
        };
        if let Some(mask) = picture.kept_mask().get() {
            return Ok(NodeMask::clone(mask));
        }
        let mut rows = Rows::open(png)?;
        let mut mask = Self::without_rows(rows.width, rows.height as usize);
        while let Some(mut row) = rows.next()? {
            if row.repeats {
                mask.repeat_row();
                continue;
            }
            mask.push_row(row.rgb().chunks_exact(3).map(|rgb| u32::from_be_bytes([0, rgb[0], rgb[1], rgb[2]])));
            if mask.runs().len() > MAX_RUNS {
                let cause = format!("the node mask has more than the {MAX_RUNS} runs a page may have");
                return Err(CaptureError::Picture { cause });
            }
        }
        // Another thread may have been first, with the same.
        let _ = picture.kept_mask().set(Arc::new(mask.clone()));
        Ok(mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{NodeId, encode_png};
    use proptest::prelude::*;

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
}
