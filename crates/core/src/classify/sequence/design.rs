//! The design of a network: its width, its blocks in order, and the ranges of their parameters.

use super::layers::{Convolution, Dense, SUMMARY_PARTS, norm_size, page_dense};
use crate::classify::decision::PageKind;
use crate::error::ModelError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Maximum number of blocks.
const MAX_BLOCKS: usize = 8;
/// Maximum dilation of a convolution.
const MAX_DILATION: usize = 64;
/// The width is a multiple of this.
const WIDTH_STEP: usize = 4;

/// A block of the network, which combines information from several targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetworkBlock {
    /// Convolution over seven neighbors.
    Convolution {
        /// Distance between the neighbors, 1 to 64.
        dilation: usize,
    },
    /// A summary of the page, added to every target.
    Page,
}

/// Up to eight blocks in order; written as text such as `c1 c2 c4 page`, where `cN` is a
/// convolution with dilation N.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NetworkBlocks([Option<NetworkBlock>; MAX_BLOCKS]);

impl NetworkBlocks {
    /// Iterates over the blocks in order.
    pub fn iter(&self) -> impl Iterator<Item = NetworkBlock> + '_ {
        self.0.iter().flatten().copied()
    }
}

impl Default for NetworkBlocks {
    fn default() -> Self {
        let convolution = |dilation| Some(NetworkBlock::Convolution { dilation });
        let mut blocks = [None; MAX_BLOCKS];
        blocks[..4].copy_from_slice(&[
            convolution(1),
            convolution(2),
            convolution(4),
            Some(NetworkBlock::Page),
        ]);
        Self(blocks)
    }
}

impl FromStr for NetworkBlocks {
    type Err = String;

    /// Block names are separated by spaces or `+`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut blocks = [None; MAX_BLOCKS];
        let mut places = blocks.iter_mut();
        for name in text.split([' ', '+']).filter(|name| !name.is_empty()) {
            let dilation = name
                .strip_prefix('c')
                .and_then(|dilation| dilation.parse().ok());
            let block = match (name, dilation) {
                ("page", _) => NetworkBlock::Page,
                (_, Some(dilation)) if (1..=MAX_DILATION).contains(&dilation) => {
                    NetworkBlock::Convolution { dilation }
                }
                _ => {
                    return Err(format!(
                        "there is no block {name}; allowed are c1 to c{MAX_DILATION} and page, with + between them"
                    ));
                }
            };
            *places
                .next()
                .ok_or_else(|| format!("there are more than {MAX_BLOCKS} blocks"))? = Some(block);
        }
        Ok(Self(blocks))
    }
}

impl TryFrom<String> for NetworkBlocks {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for NetworkBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self
            .iter()
            .map(|block| match block {
                NetworkBlock::Convolution { dilation } => format!("c{dilation}"),
                NetworkBlock::Page => "page".to_owned(),
            })
            .collect();
        f.write_str(&names.join("+"))
    }
}

impl From<NetworkBlocks> for String {
    fn from(blocks: NetworkBlocks) -> Self {
        blocks.to_string()
    }
}

/// The shape of a network, except for the number of its inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Design {
    /// Number of values per target between the blocks: a multiple of 4, 4 to 512.
    pub width: usize,
    /// Number of targets that are read at once, 16 to 4096; longer pages are read in windows.
    pub window: usize,
    /// Applied in order; between them, each target has `width` values.
    pub blocks: NetworkBlocks,
}

/// Ranges of the parameters of each part.
#[derive(Debug)]
pub struct ParameterRanges {
    /// Parameters of the layer that reads the inputs.
    pub first: Range<usize>,
    /// For each block: the block, the range of its normalization and the range of its own
    /// parameters.
    pub blocks: Vec<(NetworkBlock, Range<usize>, Range<usize>)>,
    /// Parameters of the last normalization.
    pub norm: Range<usize>,
    /// Parameters of the hidden layer.
    pub hidden: Range<usize>,
    /// Parameters of the layer that outputs margins.
    pub margin: Range<usize>,
    /// Parameters of the layer that outputs page kinds.
    pub kind: Range<usize>,
}

impl Design {
    /// Checks the ranges of width and window.
    pub fn check(&self) -> Result<(), ModelError> {
        let check =
            |parameter: &'static str, value: usize, is_allowed: bool, range: &'static str| {
                let wrong = ModelError::Parameter {
                    parameter,
                    value: value as f64,
                    range,
                };
                if is_allowed { Ok(()) } else { Err(wrong) }
            };
        let is_width =
            (WIDTH_STEP..=512).contains(&self.width) && self.width.is_multiple_of(WIDTH_STEP);
        check("width", self.width, is_width, "a multiple of 4, 4 to 512")?;
        check(
            "window",
            self.window,
            (16..=4096).contains(&self.window),
            "16 to 4096",
        )
    }

    /// Number of parameters for this number of inputs.
    pub fn size(&self, inputs: usize) -> usize {
        self.parts(inputs).kind.end
    }

    /// The layer that reads the inputs.
    pub fn first(&self, inputs: usize) -> Dense {
        Dense {
            inputs,
            outputs: self.width,
        }
    }

    /// The hidden layer after the blocks.
    pub fn hidden(&self) -> Dense {
        Dense {
            inputs: self.width,
            outputs: self.width,
        }
    }

    /// The layer that outputs the margins.
    pub fn margin(&self) -> Dense {
        Dense {
            inputs: self.width,
            outputs: 1,
        }
    }

    /// The layer that outputs the page kinds.
    pub fn kind(&self) -> Dense {
        Dense {
            inputs: SUMMARY_PARTS * self.width,
            outputs: PageKind::ALL.len(),
        }
    }

    /// Ranges of the parameters for this number of inputs.
    pub fn parts(&self, inputs: usize) -> ParameterRanges {
        let width = self.width;
        let mut end = 0;
        let mut next = |size: usize| {
            let start = end;
            end += size;
            start..end
        };
        let first = next(self.first(inputs).size());
        let of_block = |block: NetworkBlock| match block {
            NetworkBlock::Convolution { dilation } => Convolution { width, dilation }.size(),
            NetworkBlock::Page => page_dense(width).size(),
        };
        let blocks = self
            .blocks
            .iter()
            .map(|block| (block, next(norm_size(width)), next(of_block(block))))
            .collect();
        ParameterRanges {
            first,
            blocks,
            norm: next(norm_size(width)),
            hidden: next(self.hidden().size()),
            margin: next(self.margin().size()),
            kind: next(self.kind().size()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_from_text_and_wrong_ones_are_named() {
        let blocks: NetworkBlocks = "c1 c2+c4 page".parse().unwrap();
        assert_eq!(
            (blocks, blocks.to_string().as_str()),
            (NetworkBlocks::default(), "c1+c2+c4+page")
        );
        let error = |text: &str| text.parse::<NetworkBlocks>().unwrap_err();
        for wrong in ["c0", "c65", "c", "cx", "lstm"] {
            assert!(
                error(&format!("c1 {wrong}"))
                    .starts_with(&format!("there is no block {wrong}; allowed are c1"))
            );
        }
        assert_eq!(error(&"page ".repeat(9)), "there are more than 8 blocks");
        assert_eq!("".parse::<NetworkBlocks>().unwrap().iter().count(), 0);
    }

    #[test]
    fn wrong_sizes_are_named() {
        let design = Design {
            width: 8,
            window: 16,
            blocks: NetworkBlocks::default(),
        };
        assert!(design.check().is_ok());
        let error = |design: Design| design.check().unwrap_err().to_string();
        assert_eq!(
            error(Design { width: 6, ..design }),
            "width is 6, allowed is a multiple of 4, 4 to 512"
        );
        assert_eq!(
            error(Design {
                window: 9999,
                ..design
            }),
            "window is 9999, allowed is 16 to 4096"
        );
    }
}
