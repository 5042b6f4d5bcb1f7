//! How a network is fitted.

use serde::{Deserialize, Serialize};
use vclean_core::classify::sequence::{Design, NetworkBlocks};
use vclean_core::error::ModelError;

/// How a network is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SequenceOptions {
    /// Values of a target between the blocks: a multiple of 4, 4 to 512.
    pub width: usize,
    /// How often every page is seen, 1 to 1,000.
    pub epochs: usize,
    /// Largest learning rate, above 0, up to 1.
    pub rate: f64,
    /// Weight decay (Loshchilov and Hutter 2019), 0 to 1.
    pub decay: f64,
    /// Share of values that are dropped while fitting (Srivastava et al. 2014), 0 to 0.9.
    pub dropout: f64,
    /// Share of the inputs of a page that get a value of another page while fitting, 0 to 0.9.
    pub hidden: f64,
    /// Weight of the soft F of a page beside the cross-entropy of its targets, 0 to 100.
    pub soft_f: f64,
    /// Weight of the cross-entropy of the page kind, 0 to 100.
    pub kind_weight: f64,
    /// Targets that are read at once, 16 to 4096.
    pub window: usize,
    /// Pages for each step, 1 to 1,000.
    pub batch: usize,
    /// The blocks in order.
    pub blocks: NetworkBlocks,
    /// Seed of the first parameters, of the order of pages and of dropout.
    pub seed: u64,
}

impl Default for SequenceOptions {
    /// Found by trying some dozen designs on held-out sites.
    fn default() -> Self {
        Self {
            width: 64,
            epochs: 10,
            rate: 2e-3,
            decay: 0.01,
            dropout: 0.1,
            hidden: 0.1,
            soft_f: 1.0,
            kind_weight: 0.2,
            window: 512,
            batch: 16,
            blocks: NetworkBlocks::default(),
            seed: 1,
        }
    }
}

impl SequenceOptions {
    /// The shape of the network that is fitted.
    pub fn design(&self) -> Design {
        Design {
            width: self.width,
            window: self.window,
            blocks: self.blocks,
        }
    }

    /// Checks the ranges before any work is done.
    pub fn check(&self) -> Result<(), ModelError> {
        self.design().check()?;
        let check = |parameter: &'static str, value: f64, is_allowed: bool, range: &'static str| {
            if is_allowed {
                Ok(())
            } else {
                Err(ModelError::Parameter {
                    parameter,
                    value,
                    range,
                })
            }
        };
        let count = 1.0..=1000.0;
        let weight = 0.0..=100.0;
        check(
            "epochs",
            self.epochs as f64,
            count.contains(&(self.epochs as f64)),
            "1 to 1000",
        )?;
        check(
            "batch",
            self.batch as f64,
            count.contains(&(self.batch as f64)),
            "1 to 1000",
        )?;
        check(
            "rate",
            self.rate,
            self.rate > 0.0 && self.rate <= 1.0,
            "above 0, up to 1",
        )?;
        check(
            "decay",
            self.decay,
            (0.0..=1.0).contains(&self.decay),
            "0 to 1",
        )?;
        check(
            "dropout",
            self.dropout,
            (0.0..=0.9).contains(&self.dropout),
            "0 to 0.9",
        )?;
        check(
            "hidden",
            self.hidden,
            (0.0..=0.9).contains(&self.hidden),
            "0 to 0.9",
        )?;
        check(
            "soft-f",
            self.soft_f,
            weight.contains(&self.soft_f),
            "0 to 100",
        )?;
        check(
            "kind-weight",
            self.kind_weight,
            weight.contains(&self.kind_weight),
            "0 to 100",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_parameters_are_named() {
        let usual = SequenceOptions::default();
        assert!(usual.check().is_ok());
        let error = |options: SequenceOptions| options.check().unwrap_err().to_string();
        assert_eq!(
            error(SequenceOptions { epochs: 0, ..usual }),
            "epochs is 0, allowed is 1 to 1000"
        );
        assert_eq!(
            error(SequenceOptions {
                rate: f64::NAN,
                ..usual
            }),
            "rate is NaN, allowed is above 0, up to 1"
        );
        assert_eq!(
            error(SequenceOptions {
                dropout: 0.95,
                ..usual
            }),
            "dropout is 0.95, allowed is 0 to 0.9"
        );
        assert_eq!(
            error(SequenceOptions {
                hidden: -0.1,
                ..usual
            }),
            "hidden is -0.1, allowed is 0 to 0.9"
        );
        assert_eq!(
            error(SequenceOptions {
                soft_f: -1.0,
                ..usual
            }),
            "soft-f is -1, allowed is 0 to 100"
        );
        assert_eq!(
            error(SequenceOptions { width: 7, ..usual }),
            "width is 7, allowed is a multiple of 4, 4 to 512"
        );
    }
}
