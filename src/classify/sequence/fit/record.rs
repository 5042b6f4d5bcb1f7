//! What the forward pass computed, for the gradients; drops values on the way (dropout, Srivastava et al. 2014).

use crate::classify::sequence::network::{BlockState, Observer};
use crate::classify::sequence::norm::Normed;
use crate::classify::sequence::summary::Summary;

/// Values after dropout, and by what each was multiplied (nothing without dropout).
pub(super) struct Dropped {
    pub(super) values: Vec<f32>,
    factors: Option<Vec<f32>>,
}

impl Dropped {
    /// The slopes by the values before dropout.
    pub(super) fn undo(&self, slopes: &mut [f32]) {
        for (slope, factor) in slopes.iter_mut().zip(self.factors.iter().flatten()) {
            *slope *= factor;
        }
    }
}

/// What a block read, computed and gave.
pub(super) struct BlockRecord {
    pub(super) read: Normed,
    pub(super) state: BlockState,
    pub(super) outputs: Dropped,
}

/// Records the forward pass.
pub(super) struct Recorder<'a> {
    pub(super) random: &'a mut fastrand::Rng,
    /// Share of values that are dropped.
    pub(super) dropout: f32,
    /// The first and the last hidden layer.
    pub(super) hidden: Vec<Dropped>,
    pub(super) blocks: Vec<BlockRecord>,
    pub(super) end: Option<(Normed, Summary)>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(random: &'a mut fastrand::Rng, dropout: f32) -> Self {
        Self { random, dropout, hidden: Vec::new(), blocks: Vec::new(), end: None }
    }

    fn drop_some(&mut self, values: &mut [f32]) -> Dropped {
        let factors = (self.dropout > 0.0).then(|| {
            let kept = 1.0 / (1.0 - self.dropout);
            let factor = |_: &f32| if self.random.f32() < self.dropout { 0.0 } else { kept };
            let factors: Vec<f32> = values.iter().map(factor).collect();
            values.iter_mut().zip(&factors).for_each(|(value, factor)| *value *= factor);
            factors
        });
        Dropped { values: values.to_vec(), factors }
    }
}

impl Observer for Recorder<'_> {
    fn rectified(&mut self, values: &mut [f32]) {
        let dropped = self.drop_some(values);
        self.hidden.push(dropped);
    }

    fn block(&mut self, read: Normed, state: BlockState, outputs: &mut [f32]) {
        let outputs = self.drop_some(outputs);
        self.blocks.push(BlockRecord { read, state, outputs });
    }

    fn end(&mut self, read: Normed, summary: Summary) {
        self.end = Some((read, summary));
    }
}
