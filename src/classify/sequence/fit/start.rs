//! The parameters before the first step: normally distributed, with a variance by the number of inputs (He et al.
//! 2015, with smaller factors where a block is added to what it reads); gains 1, offsets and biases 0.

use crate::classify::sequence::attention::{ALL_BIASES, Attention};
use crate::classify::sequence::convolution::Convolution;
use crate::classify::sequence::dense::Dense;
use crate::classify::sequence::design::{Block, Design};
use crate::classify::sequence::{groups, summary};

/// Heuristic: standard deviation of a convolution's factors, and factors of the standard deviations of dense layers.
const TAPS: f32 = 0.3;
const BLOCK: f32 = 0.7;
const PAGE: f32 = 0.5;
const LAST: f32 = 0.3;

struct Start<'a> {
    params: Vec<f32>,
    random: &'a mut fastrand::Rng,
}

impl Start<'_> {
    /// Normally distributed values (Box and Muller 1958).
    fn normal(&mut self, count: usize, deviation: f32) {
        for _ in 0..count {
            let (radius, angle) = (self.random.f32().max(1e-9), self.random.f32());
            self.params.push(deviation * (-2.0 * radius.ln()).sqrt() * (std::f32::consts::TAU * angle).cos());
        }
    }

    fn constant(&mut self, count: usize, value: f32) {
        self.params.extend(std::iter::repeat_n(value, count));
    }

    fn dense(&mut self, layer: Dense, factor: f32) {
        self.normal(layer.inputs * layer.outputs, factor / (layer.inputs as f32).sqrt());
        self.constant(layer.outputs, 0.0);
    }

    fn norm(&mut self, width: usize) {
        self.constant(width, 1.0);
        self.constant(width, 0.0);
    }

    fn block(&mut self, width: usize, block: Block) {
        match block {
            Block::Convolution { dilation } => {
                let layer = Convolution { width, dilation };
                self.normal(layer.taps(), TAPS);
                self.dense(layer.dense(), BLOCK);
            }
            Block::Groups => self.dense(groups::dense(width), BLOCK),
            Block::Attention => {
                let layer = Attention { width };
                for _ in 0..4 {
                    self.dense(layer.dense(), BLOCK);
                }
                self.constant(ALL_BIASES, 0.0);
            }
            Block::Page => self.dense(summary::dense(width), PAGE),
        }
    }
}

/// First parameters of a network with so many inputs.
pub(super) fn start(design: &Design, inputs: usize, random: &mut fastrand::Rng) -> Vec<f32> {
    let mut start = Start { params: Vec::with_capacity(design.size(inputs)), random };
    start.dense(design.first(inputs), 1.0);
    for block in design.blocks.iter() {
        start.norm(design.width);
        start.block(design.width, block);
    }
    start.norm(design.width);
    start.dense(design.hidden(), 1.0);
    start.dense(design.margin(), LAST);
    start.dense(design.kind(), LAST);
    start.params
}
